//! Parses TOML and YAML into trees, with the line of each value.

use std::collections::HashSet;
use std::fmt;
use std::path::Path;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::budget::BudgetBreach;
use serde_saphyr::{DuplicateKeyPolicy, Location, Spanned};
use toml::de::{DeTable, DeValue};

use super::error::ConfigError;
use super::tree::{Name, Origin, Tree, Value};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Syntax {
    Toml,
    Yaml,
}

impl Syntax {
    /// The syntax by the extension, else YAML: piped commands have no extension.
    pub(crate) fn of(path: &Path) -> Self {
        match path.extension() {
            Some(extension) if extension.eq_ignore_ascii_case("toml") => Self::Toml,
            _ => Self::Yaml,
        }
    }

    /// Refuses a repeated name, because one value would be lost.
    pub(crate) fn read(self, text: &str, at: &Origin) -> Result<Tree, ConfigError> {
        let tree = match self {
            Self::Toml => from_toml(text, at)?,
            Self::Yaml => from_yaml(text, at)?,
        };
        refuse_twice(&tree)?;
        Ok(tree)
    }
}

fn refuse_twice(tree: &Tree) -> Result<(), ConfigError> {
    let mut known = HashSet::new();
    for (name, below) in tree.table() {
        if !known.insert(&name.text) {
            return Err(ConfigError::Twice { at: name.at.clone(), key: name.text.clone() });
        }
        refuse_twice(below)?;
    }
    tree.list().iter().try_for_each(refuse_twice)
}

fn from_toml(text: &str, at: &Origin) -> Result<Tree, ConfigError> {
    let ends: Vec<_> =
        text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at).collect();
    let place = |offset: usize| at.line(1 + ends.partition_point(|end| *end < offset));
    let table = DeTable::parse(text).map_err(|error| ConfigError::Broken {
        at: error.span().map_or_else(|| at.clone(), |span| place(span.start.min(text.len()))),
        problem: error.message().to_owned(),
    })?;
    let tree = Tree::new(toml_table(table.get_ref(), &place), at.line(1));
    if count(&tree) > VALUES {
        return Err(ConfigError::Broken {
            at: at.clone(),
            problem: format!("it has more than {VALUES} values"),
        });
    }
    Ok(tree)
}

fn count(tree: &Tree) -> usize {
    let below = tree.table().iter().map(|(_, below)| below).chain(tree.list());
    1 + below.map(count).sum::<usize>()
}

fn toml_table(table: &DeTable, place: &impl Fn(usize) -> Origin) -> Value {
    let entry = |(name, value): (&toml::Spanned<_>, &toml::Spanned<DeValue>)| {
        let name: (&std::borrow::Cow<str>, usize) = (name.get_ref(), name.span().start);
        let below = Tree::new(toml_value(value.get_ref(), place), place(value.span().start));
        (Name { text: name.0.clone().into_owned(), at: place(name.1) }, below)
    };
    Value::Table(table.iter().map(entry).collect())
}

fn toml_value(value: &DeValue, place: &impl Fn(usize) -> Origin) -> Value {
    match value {
        DeValue::String(text) => Value::Text(text.clone().into_owned()),
        DeValue::Integer(number) => match i128::from_str_radix(number.as_str(), number.radix()) {
            Ok(number) => Value::Number(number),
            Err(_) => Value::Other(number.to_string()),
        },
        DeValue::Float(number) => Value::Other(number.to_string()),
        DeValue::Boolean(truth) => Value::Truth(*truth),
        DeValue::Datetime(time) => Value::Other(time.to_string()),
        DeValue::Array(items) => {
            let item = |item: &toml::Spanned<DeValue>| {
                Tree::new(toml_value(item.get_ref(), place), place(item.span().start))
            };
            Value::List(items.iter().map(item).collect())
        }
        DeValue::Table(table) => toml_table(table, place),
    }
}

/// Most values in a file, with repetitions by aliases: project files may be hostile.
const VALUES: usize = 20_000;

/// Deepest nesting in YAML, which takes stack.
const DEPTH: usize = 32;

fn from_yaml(text: &str, at: &Origin) -> Result<Tree, ConfigError> {
    let place = |location: Location| match usize::try_from(location.line()) {
        Ok(0) | Err(_) => at.clone(),
        Ok(line) => at.line(line),
    };
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! { max_nodes: VALUES, max_depth: DEPTH },
        duplicate_keys: DuplicateKeyPolicy::PassThrough,
        // `no` is a text.
        strict_booleans: true,
    };
    let yaml = serde_saphyr::from_str_with_options::<Spanned<Yaml>>(text, options).map_err(|error| {
        ConfigError::Broken {
            at: error.location().map_or_else(|| at.clone(), place),
            problem: sentence(&error),
        }
    })?;
    Ok(tree(yaml, &place))
}

fn sentence(error: &serde_saphyr::Error) -> String {
    use serde_saphyr::Error;

    let mut original = error;
    while let Error::AliasError { error, .. } | Error::WithSnippet { error, .. } = original {
        original = error;
    }
    match original {
        Error::Budget { breach: BudgetBreach::Nodes { .. }, .. } => {
            format!("it has more than {VALUES} values")
        }
        Error::Budget { breach: BudgetBreach::Depth { .. }, .. } => {
            format!("it has more than {DEPTH} lists and tables inside one another")
        }
        Error::Budget { .. } => "it is too large, or its anchors and aliases are too many".to_owned(),
        _ => error.without_snippet().to_string(),
    }
}

fn tree(yaml: Spanned<Yaml>, place: &impl Fn(Location) -> Origin) -> Tree {
    let value = match yaml.value {
        Yaml::Plain(value) => value,
        Yaml::List(items) => Value::List(items.into_iter().map(|item| tree(item, place)).collect()),
        Yaml::Table(entries) => {
            let entry = |(name, below): (Spanned<String>, _)| {
                (Name { text: name.value, at: place(name.referenced) }, tree(below, place))
            };
            Value::Table(entries.into_iter().map(entry).collect())
        }
    };
    Tree::new(value, place(yaml.referenced))
}

enum Yaml {
    Plain(Value),
    List(Vec<Spanned<Self>>),
    Table(Vec<(Spanned<String>, Spanned<Self>)>),
}

impl<'de> Deserialize<'de> for Yaml {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyYaml)
    }
}

struct AnyYaml;

impl<'de> Visitor<'de> for AnyYaml {
    type Value = Yaml;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a text, a number, a truth value, a list or a table")
    }

    fn visit_bool<E>(self, truth: bool) -> Result<Yaml, E> {
        Ok(Yaml::Plain(Value::Truth(truth)))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Yaml, E> {
        Ok(Yaml::Plain(Value::Number(number.into())))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Yaml, E> {
        Ok(Yaml::Plain(Value::Number(number.into())))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Yaml, E> {
        Ok(Yaml::Plain(Value::Other(number.to_string())))
    }

    fn visit_str<E>(self, text: &str) -> Result<Yaml, E> {
        Ok(Yaml::Plain(Value::Text(text.to_owned())))
    }

    fn visit_unit<E>(self) -> Result<Yaml, E> {
        Ok(Yaml::Plain(Value::Nothing))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Yaml, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Yaml::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Yaml, A::Error> {
        let mut table = Vec::new();
        while let Some(entry) = entries.next_entry()? {
            table.push(entry);
        }
        Ok(Yaml::Table(table))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(form: Syntax, text: &str) -> Result<Tree, String> {
        form.read(text, &Origin::file(Path::new("f"))).map_err(|error| error.to_string())
    }

    #[test]
    fn both_forms_say_the_same() {
        let said = json!({"a": true, "n": 16, "s": "x", "l": ["y", {"z": -1}], "t": {"u": "1"}});
        let toml = "a = true\nn = 0x10\ns = 'x'\nl = ['y', {z = -1}]\n[t]\nu = \"1\"\n";
        let yaml = "a: true\nn: 0x10\ns: x\nl:\n  - y\n  - z: -1\nt:\n  u: '1'\n";
        for (form, text) in [(Syntax::Toml, toml), (Syntax::Yaml, yaml), (Syntax::Yaml, &said.to_string())] {
            assert_eq!(read(form, text).unwrap().to_json(), said, "{form:?}");
        }
    }

    #[test]
    fn words_are_words() {
        for word in ["y", "no", "On", "2026-01-01", "1.2.3", "~x"] {
            let tree = read(Syntax::Yaml, &format!("a: {word}\n")).unwrap();
            assert_eq!(tree.get("a").unwrap().text(), Some(word));
        }
    }

    #[test]
    fn a_file_has_a_bounded_number_of_values() {
        let lines = "1,\n".repeat(VALUES);
        for (form, text) in
            [(Syntax::Toml, format!("a = [\n{lines}]\n")), (Syntax::Yaml, format!("a: [\n{lines}]\n"))]
        {
            let refused = read(form, &text).unwrap_err();
            assert!(refused.contains("it has more than 20000 values"), "{refused}");
        }
    }

    #[test]
    fn a_file_that_is_too_much_is_told_so_in_a_sentence() {
        let aliases: String = (1..200).map(|n| format!("a{n}: &a{n} [*a{}]\n", n - 1)).collect();
        for text in ["[".repeat(5_000), format!("a0: &a0 x\n{aliases}")] {
            let refused = read(Syntax::Yaml, &text).unwrap_err();
            assert!(!refused.contains("breached") && !refused.contains('{'), "{refused}");
        }
    }

    #[test]
    fn names_and_values_have_lines() {
        for (form, text) in [
            (Syntax::Toml, "\na = 1\n[t]\nl = [\n  'x',\n  'y',\n]\n"),
            (Syntax::Yaml, "\na: 1\nt:\n  l:\n    - x\n    - y\n"),
        ] {
            let tree = read(form, text).unwrap();
            let list = tree.get("t").unwrap().get("l").unwrap();
            assert_eq!(tree.get("a").unwrap().at.to_string(), "f:2");
            assert_eq!(tree.get("t").unwrap().table()[0].0.at.to_string(), "f:4");
            assert_eq!(list.list()[1].at.to_string(), "f:6");
        }
    }

    #[test]
    fn what_is_broken_is_refused_with_its_line() {
        let bomb: String =
            (1..8).map(|n| format!("a{n}: &a{n} [{}]\n", format!("*a{},", n - 1).repeat(20))).collect();
        let bomb = format!("a0: &a0 [x]\n{bomb}");
        for (form, text, at) in [
            (Syntax::Toml, "a = 1\nb = \n", "f:2: "),
            (Syntax::Toml, "a = 1\na = 2\n", "f:2: "),
            (Syntax::Toml, "\n[a]\n\n[a]\n", "f:4: "),
            (Syntax::Yaml, "a: 1\nb: [\n", "f:2: "),
            (Syntax::Yaml, "a: 1\nb: 2\na: 3\n", "f:3: "),
            (Syntax::Yaml, "a: b\n---\nc: d\n", "f:"),
            (Syntax::Yaml, "? [a]\n: b\n", "f:1: "),
            (Syntax::Yaml, &bomb, "f:"),
        ] {
            let refused = read(form, text).unwrap_err();
            assert!(refused.starts_with(at), "{text:.40}: {refused}");
        }
    }

    #[test]
    fn an_empty_file_says_nothing() {
        for (form, text) in
            [(Syntax::Toml, ""), (Syntax::Toml, "# a\n"), (Syntax::Yaml, ""), (Syntax::Yaml, "# a\n")]
        {
            assert!(read(form, text).unwrap().table().is_empty(), "{text}");
        }
    }
}
