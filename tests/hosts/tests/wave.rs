//! Conversion between JSON and WAVE, the notation of `wasmtime run --invoke`.
//!
//! It follows the types of the contract and the rules of its JSON: names in snake_case, bytes in
//! base64, a variant beside its payload.

use anyhow::{Context, Error, Result, bail, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use fsgate_corpus::verdict::Answer;
use serde_json::{Map, Value};
use wit_parser::{Function, Record, Resolve, Result_, Type, TypeDefKind};

/// A call of a function in WAVE. Its argument is one record, or one parameter for each field.
///
/// `name` is the word before the parentheses.
pub(crate) fn call(resolve: &Resolve, name: &str, function: &Function, argument: &Value) -> Result<String> {
    if let [param] = &function.params[..]
        && matches!(shape(resolve, param.ty), Shape::Defined(TypeDefKind::Record(_), _))
    {
        return Ok(format!("{name}({})", from_json(resolve, param.ty, argument)?));
    }
    let object = argument.as_object().with_context(|| format!("{argument} has no fields"))?;
    let known = |name: &String| function.params.iter().any(|param| param.name == kebab(name));
    ensure!(object.keys().all(known), "{argument} has a field that {name} has no parameter for");
    let given = |name: &str| object.get(&snake(name)).unwrap_or(&Value::Null);
    let params = function.params.iter().map(|param| from_json(resolve, param.ty, given(&param.name)));
    Ok(format!("{name}({})", params.collect::<Result<Vec<_>>>()?.join(", ")))
}

/// The answer of a function that returns a `result`.
pub(crate) fn answer(resolve: &Resolve, function: &Function, text: &str) -> Result<Answer> {
    let Some(Shape::Defined(TypeDefKind::Result(types), _)) = function.result.map(|ty| shape(resolve, ty))
    else {
        bail!("{} returns no result", function.name)
    };
    whole(resolve, text, |reader| reader.result(types))
}

/// The value that any other function has returned.
pub(crate) fn returned(resolve: &Resolve, function: &Function, text: &str) -> Result<Value> {
    let ty = function.result.with_context(|| format!("{} returns nothing", function.name))?;
    whole(resolve, text, |reader| reader.value(ty))
}

/// A type behind its aliases.
enum Shape<'a> {
    Simple(Type),
    /// A defined type, and its name.
    Defined(&'a TypeDefKind, Option<&'a str>),
}

fn shape(resolve: &Resolve, ty: Type) -> Shape<'_> {
    let Type::Id(id) = ty else { return Shape::Simple(ty) };
    let definition = &resolve.types[id];
    match &definition.kind {
        TypeDefKind::Type(target) => shape(resolve, *target),
        kind => Shape::Defined(kind, definition.name.as_deref()),
    }
}

fn from_json(resolve: &Resolve, ty: Type, json: &Value) -> Result<String> {
    let list = |items: Vec<String>| format!("[{}]", items.join(", "));
    Ok(match (shape(resolve, ty), json) {
        (Shape::Simple(Type::Bool), Value::Bool(_))
        | (Shape::Simple(Type::U32 | Type::U64), Value::Number(_)) => json.to_string(),
        (Shape::Simple(Type::String), Value::String(text)) => quoted(text),
        (Shape::Defined(TypeDefKind::Option(_), _), Value::Null) => "none".to_owned(),
        (Shape::Defined(TypeDefKind::Option(inner), _), json) => {
            format!("some({})", from_json(resolve, *inner, json)?)
        }
        (Shape::Defined(TypeDefKind::List(Type::U8), _), Value::String(text)) => {
            list(BASE64.decode(text).map_err(Error::msg)?.iter().map(u8::to_string).collect())
        }
        (Shape::Defined(TypeDefKind::List(inner), _), Value::Array(items)) => {
            list(items.iter().map(|item| from_json(resolve, *inner, item)).collect::<Result<_>>()?)
        }
        (Shape::Defined(TypeDefKind::Enum(_), _), Value::String(case)) => kebab(case),
        (Shape::Defined(TypeDefKind::Record(record), _), Value::Object(object)) => {
            let known = |name: &String| record.fields.iter().any(|field| field.name == kebab(name));
            ensure!(object.keys().all(known), "{json} has a field that the record has not");
            // A missing field is `none`, or `wasmtime` refuses the call.
            let given = |name: &str| object.get(&snake(name));
            let given = record.fields.iter().filter_map(|field| Some((field, given(&field.name)?)));
            let field = |(field, value): (&wit_parser::Field, _)| {
                Ok(format!("{}: {}", field.name, from_json(resolve, field.ty, value)?))
            };
            let fields: Vec<String> = given.map(field).collect::<Result<_>>()?;
            if fields.is_empty() { "{:}".to_owned() } else { format!("{{{}}}", fields.join(", ")) }
        }
        (Shape::Simple(ty), json) => bail!("{json} is no {ty:?}"),
        (Shape::Defined(kind, _), json) => bail!("{json} is no {}", kind.as_str()),
    })
}

fn quoted(text: &str) -> String {
    let escaped = |c: char| match c {
        '"' | '\\' => format!("\\{c}"),
        c if c.is_control() => c.escape_unicode().to_string(),
        c => c.to_string(),
    };
    format!("\"{}\"", text.chars().map(escaped).collect::<String>())
}

/// Reads all of a line.
fn whole<'a, T>(
    resolve: &'a Resolve,
    text: &'a str,
    read: impl FnOnce(&mut Reader<'a>) -> Result<T>,
) -> Result<T> {
    let mut reader = Reader { resolve, rest: text.trim_end() };
    let read = read(&mut reader).with_context(|| format!("reading `{text}`, at `{}`", reader.rest))?;
    ensure!(reader.rest.is_empty(), "behind what was read of `{text}` is `{}`", reader.rest);
    Ok(read)
}

/// Reads WAVE from left to right.
struct Reader<'a> {
    resolve: &'a Resolve,
    rest: &'a str,
}

impl<'a> Reader<'a> {
    /// Reads a `result`.
    fn result(&mut self, types: &Result_) -> Result<Answer> {
        Ok(match self.word()? {
            "ok" => Ok(self.parenthesised(types.ok.context("an outcome has a type")?)?.to_string()),
            "err" => Err(self.parenthesised(types.err.context("an error has a type")?)?.to_string()),
            word => bail!("`{word}` is no result"),
        })
    }

    /// Reads a value into JSON.
    fn value(&mut self, ty: Type) -> Result<Value> {
        let resolve = self.resolve;
        Ok(match shape(resolve, ty) {
            Shape::Simple(Type::Bool) => self.word()?.parse::<bool>()?.into(),
            Shape::Simple(Type::U8 | Type::U32 | Type::U64) => self.word()?.parse::<u64>()?.into(),
            Shape::Simple(Type::String) => self.string()?.into(),
            Shape::Defined(TypeDefKind::Option(inner), _) => match self.word()? {
                "none" => Value::Null,
                "some" => self.parenthesised(*inner)?,
                word => bail!("`{word}` is no option"),
            },
            Shape::Defined(TypeDefKind::List(inner), _) => {
                let mut items = Vec::new();
                self.expect("[")?;
                while !self.skip("]") {
                    items.push(self.value(*inner)?);
                    ensure!(self.skip(", ") || self.rest.starts_with(']'), "the list does not go on");
                }
                if *inner == Type::U8 {
                    BASE64.encode(serde_json::from_value::<Vec<u8>>(items.into())?).into()
                } else {
                    items.into()
                }
            }
            Shape::Defined(TypeDefKind::Enum(_), _) => snake(self.word()?).into(),
            Shape::Defined(TypeDefKind::Variant(variant), Some(name)) => {
                let label = self.word()?;
                let case = variant.cases.iter().find(|case| case.name == label);
                let case = case.with_context(|| format!("`{label}` is no case of `{name}`"))?;
                let mut object = Map::from_iter([(snake(name), snake(label).into())]);
                if let Some(ty) = case.ty {
                    let Type::Id(id) = ty else { bail!("the payload has no name") };
                    let payload = resolve.types[id].name.as_deref().context("the payload has no name")?;
                    object.insert(snake(payload), self.parenthesised(ty)?);
                }
                object.into()
            }
            Shape::Defined(TypeDefKind::Record(record), _) => self.record(record)?.into(),
            Shape::Simple(ty) => bail!("no rule for {ty:?}"),
            Shape::Defined(kind, _) => bail!("no rule for {}", kind.as_str()),
        })
    }

    fn record(&mut self, record: &Record) -> Result<Map<String, Value>> {
        let mut object = Map::new();
        self.expect("{")?;
        self.skip(":");
        while !self.skip("}") {
            let name = self.word()?;
            self.expect(": ")?;
            let field = record.fields.iter().find(|field| field.name == name);
            let ty = field.with_context(|| format!("`{name}` is no field"))?.ty;
            match (shape(self.resolve, ty), self.value(ty)?) {
                (Shape::Defined(TypeDefKind::Variant(_), _), Value::Object(fields)) => object.extend(fields),
                (Shape::Defined(TypeDefKind::Option(_), _), Value::Null) => {}
                (_, Value::Array(notes)) if name == "notes" && notes.is_empty() => {}
                (_, value) => drop(object.insert(snake(name), value)),
            }
            ensure!(self.skip(", ") || self.rest.starts_with('}'), "the record does not go on");
        }
        Ok(object)
    }

    fn parenthesised(&mut self, ty: Type) -> Result<Value> {
        self.expect("(")?;
        let value = self.value(ty)?;
        self.expect(")")?;
        Ok(value)
    }

    fn string(&mut self) -> Result<String> {
        let mut text = String::new();
        self.expect("\"")?;
        loop {
            match self.char()? {
                '"' => return Ok(text),
                '\\' => text.push(match self.char()? {
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    'u' => {
                        self.expect("{")?;
                        let code = u32::from_str_radix(self.word()?, 16)?;
                        self.expect("}")?;
                        char::from_u32(code).context("no such character")?
                    }
                    c @ ('"' | '\'' | '\\') => c,
                    c => bail!("`\\{c}` stands for nothing"),
                }),
                c => text.push(c),
            }
        }
    }

    /// Reads a name or a number.
    fn word(&mut self) -> Result<&'a str> {
        let is_inside = |c: char| c.is_ascii_alphanumeric() || c == '-';
        let end = self.rest.find(|c| !is_inside(c)).unwrap_or(self.rest.len());
        ensure!(end > 0, "a word is missing");
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        Ok(word)
    }

    fn char(&mut self) -> Result<char> {
        let mut chars = self.rest.chars();
        let c = chars.next().context("it ends too early")?;
        self.rest = chars.as_str();
        Ok(c)
    }

    fn expect(&mut self, text: &str) -> Result<()> {
        ensure!(self.skip(text), "`{text}` is missing");
        Ok(())
    }

    fn skip(&mut self, text: &str) -> bool {
        self.rest.strip_prefix(text).inspect(|rest| self.rest = rest).is_some()
    }
}

fn snake(name: &str) -> String {
    name.replace('-', "_")
}

fn kebab(name: &str) -> String {
    name.replace('_', "-")
}

#[test]
fn json_becomes_wave_and_wave_becomes_json() {
    const WIT: &str = "package a:b;
        interface it {
            enum stop { time, all-bytes }
            type lines = list<u32>;
            record place { first-line: u32 }
            type nearest = option<place>;
            variant code { busy, no-match(nearest), many(lines) }
            record note { text: string }
            record error { code: code, notes: list<note>, is-late: bool }
            record args { path: string, max-lines: option<u32>, bytes: option<list<u8>>, places: option<list<place>>, stop: option<stop> }
            look: func(args: args) -> result<args, error>;
        }";
    let mut resolve = Resolve::new();
    resolve.push_str("it.wit", WIT).unwrap();
    let look = &resolve.interfaces.iter().next().unwrap().1.functions["look"];
    for (json, wave) in [
        (r#"{"path": "a\u0000\"\\\né"}"#, r#"{path: "a\u{0}\"\\\u{a}é"}"#),
        (
            r#"{"path": "", "max_lines": 3, "bytes": "AP8=", "places": [{"first_line": 1}], "stop": "all_bytes"}"#,
            r#"{path: "", max-lines: some(3), bytes: some([0, 255]), places: some([{first-line: 1}]), stop: some(all-bytes)}"#,
        ),
    ] {
        let value: Value = serde_json::from_str(json).unwrap();
        assert_eq!(call(&resolve, "look", look, &value).unwrap(), format!("look({wave})"));
        let Ok(back) = answer(&resolve, look, &format!("ok({wave})\n")).unwrap() else { panic!("{wave}") };
        assert_eq!(serde_json::from_str::<Value>(&back).unwrap(), value);
    }
    assert_eq!(call(&resolve, "look", look, &serde_json::json!({})).unwrap(), "look({:})");
    for wrong in [r#"{"path": 1}"#, r#"{"path": "", "max_lines": "1"}"#, r#"{"path": "", "max-line": 1}"#] {
        assert!(call(&resolve, "look", look, &serde_json::from_str(wrong).unwrap()).is_err(), "{wrong}");
    }
    for (wave, json) in [
        ("{code: busy, notes: [], is-late: false}", r#"{"code":"busy","is_late":false}"#),
        (
            "{code: no-match(some({first-line: 2})), notes: [{text: \"x\"}], is-late: true}",
            r#"{"code":"no_match","nearest":{"first_line":2},"notes":[{"text":"x"}],"is_late":true}"#,
        ),
        ("{code: many([1, 2]), notes: [], is-late: true}", r#"{"code":"many","lines":[1,2],"is_late":true}"#),
    ] {
        let answer = answer(&resolve, look, &format!("err({wave})")).unwrap();
        assert_eq!(answer, Err(json.to_owned()));
    }
}
