//! Writes a [`Contract`] down as Rust: one module per types-only interface, one entry of the catalogue per operation.

use std::fmt::Write;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::model::{Case, Contract, Definition, Field, Operation, Shape, Type};
use crate::schema;
use crate::tags;

/// The whole source, to be included where `Applied`, `Arguments`, `Operation`, `Field`, `Kind` and `Misfit` are in scope.
pub fn source(contract: &Contract) -> Result<String> {
    let mut out = String::new();
    for module in &contract.modules {
        docs(&mut out, &module.docs);
        writeln!(out, "pub mod {} {{", snake(&module.name))?;
        for definition in &module.types {
            define(&mut out, contract, &module.name, definition)?;
        }
        writeln!(out, "}}")?;
    }
    for operation in &contract.operations {
        arguments(&mut out, contract, operation)?;
    }
    for (item, fields) in contract.argument_items()? {
        items(&mut out, contract, item, fields)?;
    }
    catalogue(&mut out, contract)?;
    front_ends(&mut out, contract)?;
    dispatch(&mut out, contract)?;
    Ok(out)
}

/// `skip-lines` as `skip_lines`.
pub fn snake(kebab: &str) -> String {
    kebab.replace('-', "_")
}

/// `skip-lines` as `SkipLines`.
pub fn camel(kebab: &str) -> String {
    kebab
        .split('-')
        .flat_map(|word| {
            let mut letters = word.chars();
            letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters)
        })
        .collect()
}

fn docs(out: &mut String, text: &str) {
    for line in text.lines() {
        out.push_str("#[doc = ");
        // Rust's and JSON's escapes agree for what prose contains.
        out.push_str(&format!("{:?}", format!(" {line}")));
        out.push_str("]\n");
    }
}

fn rust_type(ty: &Type) -> String {
    match ty {
        Type::Bool => "bool".to_owned(),
        Type::Bytes => "Vec<u8>".to_owned(),
        Type::U32 => "u32".to_owned(),
        Type::U64 => "u64".to_owned(),
        Type::String => "String".to_owned(),
        Type::List(inner) => format!("Vec<{}>", rust_type(inner)),
        Type::Option(inner) => format!("Option<{}>", rust_type(inner)),
        Type::Named { module, name } => format!("super::{}::{}", snake(module), camel(name)),
    }
}

const DERIVES: &str = "#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]\n";

fn component(out: &mut String, form: &str) {
    out.push_str("#[cfg_attr(feature = \"host\", derive(wasmtime::component::ComponentType, wasmtime::component::Lift, wasmtime::component::Lower))]\n");
    let _ = writeln!(out, "#[cfg_attr(feature = \"host\", component({form}))]");
}

fn component_name(out: &mut String, name: &str) {
    let _ = writeln!(out, "#[cfg_attr(feature = \"host\", component(name = {name:?}))]");
}

fn define(out: &mut String, contract: &Contract, module: &str, definition: &Definition) -> Result<()> {
    let name = camel(&definition.name);
    docs(out, &definition.docs);
    match &definition.shape {
        Shape::Alias(ty) => writeln!(out, "pub type {name} = {};", rust_type(ty))?,
        Shape::Record(fields) => {
            let ty = Type::Named { module: module.to_owned(), name: definition.name.clone() };
            let is_argument = definition.name.ends_with("-args") || contract.is_argument_item(&ty);
            record(out, contract, definition, fields, is_argument)?;
        }
        Shape::Enum(cases) => {
            out.push_str(DERIVES);
            out.push_str("#[derive(Copy, Eq)]\n#[serde(rename_all = \"snake_case\")]\n#[repr(u8)]\n");
            component(out, "enum");
            writeln!(out, "pub enum {name} {{")?;
            for case in cases {
                docs(out, &case.docs);
                component_name(out, &case.name);
                writeln!(out, "{},", camel(&case.name))?;
            }
            out.push_str("}\n");
            lift(out, &name, cases)?;
        }
        Shape::Variant(cases) => variant(out, contract, &definition.name, cases)?,
    }
    Ok(())
}

/// What wit-bindgen asks of an enum that it has not made itself: the case of a number.
fn lift(out: &mut String, name: &str, cases: &[Case]) -> Result<()> {
    writeln!(out, "impl {name} {{\n#[doc(hidden)]\npub fn _lift(number: u8) -> Self {{ match number {{")?;
    for (number, case) in cases.iter().enumerate() {
        let case = camel(&case.name);
        // The interface between components has checked that it is one of them.
        let number = if number + 1 == cases.len() { "_".to_owned() } else { number.to_string() };
        writeln!(out, "{number} => Self::{case},")?;
    }
    out.push_str("} }\n}\n");
    Ok(())
}

fn record(
    out: &mut String,
    contract: &Contract,
    definition: &Definition,
    fields: &[Field],
    is_argument: bool,
) -> Result<()> {
    out.push_str(DERIVES);
    if is_argument {
        out.push_str("#[derive(Default)]\n#[serde(deny_unknown_fields)]\n");
    } else if fields.iter().all(|field| matches!(field.ty, Type::U32 | Type::U64)) {
        // Nothing counted yet.
        out.push_str("#[derive(Default, Eq)]\n");
    }
    component(out, "record");
    writeln!(out, "pub struct {} {{", camel(&definition.name))?;
    for field in fields {
        docs(out, &field.docs.text);
        component_name(out, &field.name);
        match &field.ty {
            Type::Bytes => out.push_str("#[serde(with = \"crate::base64\")]\n"),
            Type::Option(_) => out.push_str("#[serde(default, skip_serializing_if = \"Option::is_none\")]\n"),
            _ if field.name == schema::NOTES => {
                out.push_str("#[serde(default, skip_serializing_if = \"Vec::is_empty\")]\n");
            }
            ty if schema::is_variant(contract, ty) => out.push_str("#[serde(flatten)]\n"),
            _ => {}
        }
        writeln!(out, "pub {}: {},", snake(&field.name), rust_type(&field.ty))?;
    }
    out.push_str("}\n");
    Ok(())
}

/// A variant is a map in JSON: its case under its own name in lower case, and the payload under the payload's name.
fn variant(out: &mut String, contract: &Contract, kebab: &str, cases: &[Case]) -> Result<()> {
    let name = camel(kebab);
    out.push_str("#[derive(Debug, Clone, PartialEq)]\n");
    component(out, "variant");
    writeln!(out, "pub enum {name} {{")?;
    for case in cases {
        docs(out, &case.docs);
        component_name(out, &case.name);
        match &case.payload {
            Some(payload) => writeln!(out, "{}({}),", camel(&case.name), rust_type(payload))?,
            None => writeln!(out, "{},", camel(&case.name))?,
        }
    }
    out.push_str("}\n");

    writeln!(out, "impl {name} {{")?;
    out.push_str("/// Every case by its name in JSON, in the order of the contract.\n");
    let names: Vec<_> = cases.iter().map(|c| snake(&c.name)).collect();
    writeln!(out, "pub const NAMES: &'static [&'static str] = &{names:?};")?;
    out.push_str("/// The case's name in JSON.\npub fn name(&self) -> &'static str { match self {\n");
    for case in cases {
        let pattern = if case.payload.is_some() { "(_)" } else { "" };
        writeln!(out, "Self::{}{pattern} => {:?},", camel(&case.name), snake(&case.name))?;
    }
    out.push_str("} }\n}\n");

    let tag = snake(kebab);
    writeln!(
        out,
        "impl serde::Serialize for {name} {{
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {{
            use serde::ser::SerializeMap;
            let mut map = serializer.serialize_map(None)?;
            map.serialize_entry({tag:?}, self.name())?;
            match self {{"
    )?;
    for case in cases {
        if let Some(Type::Named { name: payload, .. }) = &case.payload {
            let (case, payload) = (camel(&case.name), snake(payload));
            writeln!(out, "Self::{case}(payload) => map.serialize_entry({payload:?}, payload)?,")?;
        }
    }
    if cases.iter().any(|case| case.payload.is_none()) {
        out.push_str("_ => {}\n");
    }
    out.push_str("}\nmap.end()\n}\n}\n");

    writeln!(
        out,
        "impl<'de> serde::Deserialize<'de> for {name} {{
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {{
            #[derive(serde::Deserialize)]
            struct Raw {{
                {tag}: String,"
    )?;
    let mut payloads: Vec<(&String, &Type)> = Vec::new();
    for case in cases {
        if let Some(ty @ Type::Named { name: payload, .. }) = &case.payload
            && !payloads.iter().any(|(seen, _)| *seen == payload)
        {
            payloads.push((payload, ty));
        }
    }
    for (payload, ty) in &payloads {
        writeln!(out, "#[serde(default)] {}: Option<{}>,", snake(payload), rust_type(ty))?;
    }
    writeln!(
        out,
        "}}
            let raw = Raw::deserialize(deserializer)?;
            Ok(match raw.{tag}.as_str() {{"
    )?;
    for case in cases {
        let (json, rust) = (snake(&case.name), camel(&case.name));
        match &case.payload {
            Some(ty @ Type::Named { name: payload, .. }) => {
                let payload = snake(payload);
                // Absent and null are the same where the payload is an option.
                let missing = match contract.optional(ty) {
                    true => ".unwrap_or_default()".to_owned(),
                    false => format!(".ok_or_else(|| serde::de::Error::missing_field({payload:?}))?"),
                };
                writeln!(out, "{json:?} => Self::{rust}(raw.{payload}{missing}),")?;
            }
            _ => writeln!(out, "{json:?} => Self::{rust},")?,
        }
    }
    out.push_str("other => return Err(serde::de::Error::unknown_variant(other, Self::NAMES)),\n})\n}\n}\n");
    Ok(())
}

/// A type as it is named outside of the modules.
pub(crate) fn outside(ty: &Type) -> String {
    rust_type(ty).replacen("super::", "", 1)
}

/// Default values and range checks of one operation's arguments.
fn arguments(out: &mut String, contract: &Contract, operation: &Operation) -> Result<()> {
    let (args, outcome) = (outside(&operation.args), outside(&operation.outcome));
    let fields = contract.fields(&operation.args)?;

    writeln!(out, "impl {args} {{")?;
    defaults(out, contract, fields)?;
    out.push_str("}\n");

    writeln!(
        out,
        "impl Arguments for {args} {{
        type Outcome = {outcome};
        const OPERATION: &'static str = {:?};
        const INTERFACE: &'static str = {:?};
        const READ_ONLY: bool = {};
        fn check(&self) -> Result<(), Misfit> {{",
        snake(&operation.name),
        operation.interface,
        operation.annotation.read_only,
    )?;
    checks(out, contract, fields, |name| format!("{name:?}.to_owned()"))?;
    out.push_str("Ok(())\n}\n");
    let has = |name| fields.iter().any(|field| field.name == name);
    if has("dry-run") {
        // Without ids of what is to be changed, a call shows what there is to choose from.
        let shows = if has("ids") { " || self.ids.is_none()" } else { "" };
        writeln!(out, "fn is_dry_run(&self) -> bool {{ self.dry_run(){shows} }}")?;
    }
    if fields.iter().any(|field| field.name == "confirm") {
        out.push_str("fn is_confirmed(&self) -> Option<bool> { Some(self.confirm()) }\n");
    }
    add(out, fields, contract.fields(&operation.outcome)?);
    out.push_str("}\n");
    Ok(())
}

/// The same of the records that a list among the arguments holds.
fn items(out: &mut String, contract: &Contract, item: &Type, fields: &[Field]) -> Result<()> {
    writeln!(out, "impl {} {{", outside(item))?;
    defaults(out, contract, fields)?;
    out.push_str(
        "/// Checks the ranges that the contract gives. `at` is the record's place among the arguments.
        pub fn check(&self, at: &str) -> Result<(), Misfit> {\n",
    );
    checks(out, contract, fields, |name| format!("format!(\"{{at}}.{name}\")"))?;
    if !fields.iter().any(|field| field.docs.range.is_some()) {
        out.push_str("let _ = at;\n");
    }
    out.push_str("Ok(())\n}\n}\n");
    Ok(())
}

/// The largest values, and a function for each field that has a default.
fn defaults(out: &mut String, contract: &Contract, fields: &[Field]) -> Result<()> {
    for field in fields {
        let name = snake(&field.name);
        if let Some((_, high)) = field.docs.range
            && matches!(field.ty.inner(), Type::U32 | Type::U64)
        {
            let constant = name.to_ascii_uppercase();
            let ty = rust_type(field.ty.inner());
            writeln!(out, "/// The largest `{name}` allowed.\npub const {constant}_HIGH: {ty} = {high};")?;
        }
        let Some(tags::Default::Value(value)) = &field.docs.default else { continue };
        writeln!(out, "/// `{name}`, or its default.")?;
        match contract.resolved(&field.ty) {
            // The default is known to be one of the cases.
            Type::Named { .. } if let Some(cases) = contract.cases(&field.ty) => {
                let ty = outside(field.ty.inner());
                let case = cases.iter().find(|case| *value == snake(&case.name)).context("no such case")?;
                let case = camel(&case.name);
                writeln!(out, "pub fn {name}(&self) -> {ty} {{ self.{name}.unwrap_or({ty}::{case}) }}")?;
            }
            Type::String => {
                writeln!(
                    out,
                    "pub fn {name}(&self) -> &str {{ self.{name}.as_deref().unwrap_or({value}) }}"
                )?;
            }
            ty => {
                let ty = outside(ty);
                writeln!(out, "pub fn {name}(&self) -> {ty} {{ self.{name}.unwrap_or({value}) }}")?;
            }
        }
    }
    Ok(())
}

/// One statement for each field that has a range, and one for each list of records. `path` makes an expression for a
/// field's place among the arguments.
fn checks(
    out: &mut String,
    contract: &Contract,
    fields: &[Field],
    path: impl Fn(&str) -> String,
) -> Result<()> {
    for field in fields {
        let name = snake(&field.name);
        let items = matches!(field.ty.inner(), Type::List(_));
        if let Some((low, high)) = field.docs.range {
            let value = match &field.ty {
                Type::Option(_) if items => format!("self.{name}.as_ref().map(|items| items.len() as u64)"),
                Type::Option(_) => format!("self.{name}.map(u64::from)"),
                Type::List(_) => format!("Some(self.{name}.len() as u64)"),
                _ => format!("Some(u64::from(self.{name}))"),
            };
            writeln!(
                out,
                "if let Some(value) = {value} && !({low}..={high}).contains(&value) {{
                    return Err(Misfit {{ field: {}, items: {items}, value, low: {low}, high: {high} }});
                }}",
                path(&name)
            )?;
        }
        if contract.items(&field.ty).is_some() {
            let all = if matches!(field.ty, Type::Option(_)) { ".iter().flatten()" } else { ".iter()" };
            writeln!(
                out,
                "for (number, item) in self.{name}{all}.enumerate() {{
                    item.check(&format!(\"{name}[{{number}}]\"))?;
                }}"
            )?;
        }
    }
    Ok(())
}

/// What only shows while changes are carried out goes into these fields of an outcome, where it has them.
fn add(out: &mut String, args: &[Field], outcome: &[Field]) {
    let has = |fields: &[Field], name: &str| fields.iter().any(|field| field.name == name);
    if !has(outcome, schema::NOTES) {
        return;
    }
    out.push_str("fn add(&self, outcome: &mut Self::Outcome, applied: Applied) {\n");
    if has(args, "backup") && has(outcome, "backup") {
        // What was not there before has no content to be kept.
        out.push_str(
            "if self.backup() && !outcome.created {
                outcome.backup = applied.undo_id.as_ref().map(|id| format!(\"history:{id}\"));
            }\n",
        );
    }
    if has(outcome, "undo-id") {
        out.push_str("outcome.undo_id = applied.undo_id;\n");
    }
    out.push_str("outcome.notes.extend(applied.notes);\n}\n");
}

fn catalogue(out: &mut String, contract: &Contract) -> Result<()> {
    out.push_str(
        "/// Every operation of the contract, in its order.\npub static OPERATIONS: &[Operation] = &[\n",
    );
    for operation in &contract.operations {
        let annotation = operation.annotation;
        let examples: Vec<String> = operation.docs.examples.iter().map(Value::to_string).collect();
        writeln!(
            out,
            "Operation {{
            name: {:?}, interface: {:?}, description: {:?},
            read_only: {}, destructive: {}, idempotent: {},
            examples: &{examples:?},
            input_schema: {:?},
            outcome_schema: {:?},
            fields: &[",
            snake(&operation.name),
            operation.interface,
            operation.docs.text,
            annotation.read_only,
            annotation.destructive,
            annotation.idempotent,
            schema::arguments(contract, operation)?.to_string(),
            schema::of(contract, &operation.outcome)?.to_string(),
        )?;
        for field in contract.fields(&operation.args)? {
            let entry = entry(contract, field).with_context(|| format!("operation `{}`", operation.name))?;
            writeln!(out, "{entry},")?;
        }
        out.push_str("] },\n");
    }
    out.push_str("];\n");
    let error = schema::of(contract, &Type::Named { module: "types".to_owned(), name: "error".to_owned() })
        .context("the contract needs `types.error`")?;
    writeln!(
        out,
        "/// JSON Schema of the error that every operation may return.\npub static ERROR_SCHEMA: &str = {:?};",
        error.to_string()
    )?;
    Ok(())
}

fn front_ends(out: &mut String, contract: &Contract) -> Result<()> {
    out.push_str(
        "/// Every front end of the contract, in its order.\npub static FRONT_ENDS: &[FrontEnd] = &[\n",
    );
    for front_end in &contract.front_ends {
        writeln!(
            out,
            "FrontEnd {{ name: {:?}, description: {:?}, input_schema: {:?}, outcome_schema: {:?} }},",
            snake(&front_end.name),
            front_end.docs.text,
            schema::exactly(contract, &front_end.args)?.to_string(),
            schema::of(contract, &front_end.outcome)?.to_string(),
        )?;
    }
    out.push_str("];\nmacro_rules! for_each_front_end { ($then:ident) => { $then! {\n");
    for front_end in &contract.front_ends {
        let name = snake(&front_end.name);
        writeln!(out, "{name:?} {name} {}", outside(&front_end.args))?;
    }
    out.push_str("} } }\n");
    Ok(())
}

/// An argument, or a field of the records that it holds, as the catalogue has it.
fn entry(contract: &Contract, field: &Field) -> Result<String> {
    let items = contract.items(&field.ty);
    let kind = match contract.resolved(&field.ty) {
        Type::Bool => "Boolean",
        Type::U32 | Type::U64 => "Integer",
        Type::Bytes => "Bytes",
        Type::String if is_content(&field.ty) => "Content",
        Type::String => "Text",
        Type::List(item) if *contract.resolved(item) == Type::String => "Texts",
        Type::List(_) if items.is_some() => "Records",
        Type::Named { .. } if contract.cases(&field.ty).is_some() => "Choice",
        other => anyhow::bail!("`{}`: a flag cannot hold {other:?}", field.name),
    };
    let default = match &field.docs.default {
        Some(tags::Default::Value(value)) => Some(value.to_string()),
        _ => None,
    };
    let meaning = match &field.docs.default {
        Some(tags::Default::Meaning(words)) => Some(words),
        _ => None,
    };
    let agent_default = field.docs.agent_default.as_ref().map(Value::to_string);
    let choices = contract.cases(&field.ty).unwrap_or_default();
    let choices: Vec<_> = choices.iter().map(|case| snake(&case.name)).collect();
    let inner = items.map_or(&[][..], |(_, fields)| fields).iter();
    let inner = inner.map(|field| entry(contract, field)).collect::<Result<Vec<_>>>()?.join(", ");
    Ok(format!(
        "Field {{ name: {:?}, description: {:?}, kind: Kind::{kind}, required: {}, default: {default:?},
        meaning_of_none: {meaning:?}, agent_default: {agent_default:?}, range: {:?}, choices: &{choices:?},
        fields: &[{inner}] }}",
        snake(&field.name),
        field.docs.text,
        !matches!(field.ty, Type::Option(_)),
        field.docs.range,
    ))
}

/// True for a text of any length, which a shell reads from a file rather than from the command line.
fn is_content(ty: &Type) -> bool {
    matches!(ty.inner(), Type::Named { name, .. } if name == "content")
}

/// A macro over all operations and their arguments, so that one that is not built does not compile.
fn dispatch(out: &mut String, contract: &Contract) -> Result<()> {
    out.push_str("macro_rules! for_each_operation { ($then:ident) => { $then! {\n");
    for operation in &contract.operations {
        let name = snake(&operation.name);
        // A name that Rust has a use for itself.
        let raw = if name == "move" { "r#" } else { "" };
        writeln!(out, "{name:?} {raw}{name} {}", outside(&operation.args))?;
    }
    out.push_str("} } }\n");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIT: &str = "package a:b@0.1.0;
        /// Types.
        interface types {
            /// Lines.
            type lines = list<u32>;
            /// Why.
            variant code {
                /// Gone.
                gone,
                /// Many.
                many(lines),
            }
            /// An error.
            record error {
                /// Code.
                code: code,
            }
        }
        /// More.
        interface look-types {
            /// Arguments.
            record look-args {
                /// Where \"exactly\".
                path: string,
                /// How much.
                /// @default 7
                /// @agent-default 5
                /// @range 1..=9
                max-bytes: option<u32>,
                /// What between.
                /// @default \": \"
                delimiter: option<string>,
                /// Names.
                /// @default none every name
                /// @range 1..=3
                %include: option<list<string>>,
                /// How.
                /// @default \"two_more\"
                mode: option<mode>,
                /// Places.
                /// @default none no place
                /// @range 1..=5
                places: option<list<place>>,
            }
            /// A place.
            record place {
                /// Line.
                /// @default 3
                /// @range 2..=8
                line: option<u32>,
            }
            /// How.
            enum mode {
                /// One.
                one,
                /// Two.
                two-more,
            }
            /// Outcome.
            record look-outcome {
                /// What.
                content: string,
            }
        }
        interface look {
            use types.{error};
            use look-types.{look-args, look-outcome};
            /// Looks.
            /// @annotation read-only
            /// @example {\"path\": \"a\"}
            look: func(args: look-args) -> result<look-outcome, error>;
        }";

    #[test]
    fn writes_types_defaults_ranges_flags_and_dispatch() {
        let source = source(&Contract::parse(WIT).unwrap()).unwrap();
        for expected in [
            "pub mod look_types {",
            "pub struct LookArgs {",
            "pub max_bytes: Option<u32>,",
            "pub type Lines = Vec<u32>;",
            "Many(super::types::Lines),",
            "\"many\" => Self::Many(raw.lines.ok_or_else(",
            "pub fn max_bytes(&self) -> u32 { self.max_bytes.unwrap_or(7) }",
            "pub fn delimiter(&self) -> &str { self.delimiter.as_deref().unwrap_or(\": \") }",
            "!(1..=9).contains(&value)",
            "impl Arguments for look_types::LookArgs {",
            "const INTERFACE: &'static str = \"look\";\n        const READ_ONLY: bool = true;",
            "pub const MAX_BYTES_HIGH: u32 = 9;",
            "#[serde(flatten)]\npub code: super::types::Code,",
            "kind: Kind::Integer, required: false, default: Some(\"7\")",
            "agent_default: Some(\"5\"), range: Some((1, 9))",
            "pub include: Option<Vec<String>>,",
            "self.include.as_ref().map(|items| items.len() as u64)",
            "kind: Kind::Texts, required: false, default: None,",
            "pub fn mode(&self) -> look_types::Mode { self.mode.unwrap_or(look_types::Mode::TwoMore) }",
            "kind: Kind::Choice, required: false, default: Some(\"\\\"two_more\\\"\")",
            "0 => Self::One,\n_ => Self::TwoMore,",
            "choices: &[\"one\", \"two_more\"]",
            "#[derive(Default)]\n#[serde(deny_unknown_fields)]\n#[cfg_attr(feature = \"host\", derive(\
             wasmtime::component::ComponentType, wasmtime::component::Lift, wasmtime::component::Lower))]\n\
             #[cfg_attr(feature = \"host\", component(record))]\npub struct Place {",
            "for (number, item) in self.places.iter().flatten().enumerate()",
            "pub fn line(&self) -> u32 { self.line.unwrap_or(3) }",
            "Err(Misfit { field: format!(\"{at}.line\"), items: false, value, low: 2, high: 8 })",
            "kind: Kind::Records, required: false, default: None,",
            r#"#[doc = " Where \"exactly\"."]"#,
            "macro_rules! for_each_operation",
        ] {
            assert!(source.contains(expected), "{expected} is not in\n{source}");
        }
    }

    #[test]
    fn names_follow_the_conventions_of_their_tongue() {
        assert_eq!(
            (snake("read-numbered-args"), camel("read-numbered-args")),
            ("read_numbered_args".into(), "ReadNumberedArgs".into())
        );
    }
}
