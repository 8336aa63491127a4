//! The types of an interface.

use std::fmt::Write;

use anyhow::Result;

use super::{camel, docs, snake};
use crate::model::{Case, Contract, Definition, Field, Shape, Type};
use crate::schema;

pub(super) fn rust_type(ty: &Type) -> String {
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

pub(super) fn define(
    out: &mut String,
    contract: &Contract,
    module: &str,
    definition: &Definition,
) -> Result<()> {
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

/// The case of a number, which wit-bindgen needs for a foreign enum.
fn lift(out: &mut String, name: &str, cases: &[Case]) -> Result<()> {
    writeln!(out, "impl {name} {{\n#[doc(hidden)]\npub fn _lift(number: u8) -> Self {{ match number {{")?;
    for (number, case) in cases.iter().enumerate() {
        let case = camel(&case.name);
        // The interface has checked the number.
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
    } else if fields.iter().all(|field| has_default(contract, &field.ty)) {
        out.push_str("#[derive(Default)]\n");
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

/// Whether a type has an empty value.
fn has_default(contract: &Contract, ty: &Type) -> bool {
    let is_named = |ty: &Type| matches!(contract.resolved(ty), Type::Named { .. });
    let are_all_known =
        |ty| contract.fields(ty).is_ok_and(|all| all.iter().all(|field| has_default(contract, &field.ty)));
    contract.optional(ty) || !is_named(ty) || are_all_known(ty)
}

/// A variant in JSON is a map: its case under its lower-case name, the payload under the payload's
/// name.
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
                // An optional payload may be absent or null.
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

/// A type's name outside of the modules.
pub(crate) fn outside(ty: &Type) -> String {
    rust_type(ty).replacen("super::", "", 1)
}
