//! The catalogue of operations and front ends, and their dispatch.

use std::fmt::Write;

use anyhow::{Context, Result};
use serde_json::Value;

use super::{outside, snake};
use crate::model::{Contract, Field, Operation, Type};
use crate::{schema, tags};

pub(super) fn catalogue(out: &mut String, contract: &Contract) -> Result<()> {
    table(
        out,
        contract,
        ("OPERATIONS", "Every operation of the contract, in its order."),
        &contract.operations,
    )?;
    table(out, contract, ("LEAN", "The lean set: tools over the operations."), &contract.lean)?;
    path_patterns(out, contract)?;
    let error = schema::of(contract, &Type::Named { module: "types".to_owned(), name: "error".to_owned() })
        .context("the contract needs `types.error`")?;
    writeln!(
        out,
        "/// JSON Schema of the error that every operation may return.\npub static ERROR_SCHEMA: &str = {:?};",
        error.to_string()
    )?;
    Ok(())
}

fn table(
    out: &mut String,
    contract: &Contract,
    (name, docs): (&str, &str),
    operations: &[Operation],
) -> Result<()> {
    writeln!(out, "/// {docs}\npub static {name}: &[Operation] = &[")?;
    for operation in operations {
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
            let empty = if annotation.read_only { tags::Empty::Absent } else { tags::Empty::Refused };
            let entry =
                entry(contract, field, empty).with_context(|| format!("operation `{}`", operation.name))?;
            writeln!(out, "{entry},")?;
        }
        out.push_str("] },\n");
    }
    out.push_str("];\n");
    Ok(())
}

/// The path pattern argument of each operation. `grep` has its `pattern` for lines.
fn path_patterns(out: &mut String, contract: &Contract) -> Result<()> {
    const NAMES: [&str; 3] = ["glob", "include", "pattern"];
    out.push_str("static PATH_PATTERNS: &[(&str, &str)] = &[\n");
    for operation in &contract.operations {
        let fields = contract.fields(&operation.args)?;
        if let Some(argument) = NAMES.iter().find(|name| fields.iter().any(|field| field.name == **name)) {
            writeln!(out, "({:?}, {argument:?}),", snake(&operation.name))?;
        }
    }
    out.push_str("];\n");
    Ok(())
}

pub(super) fn front_ends(out: &mut String, contract: &Contract) -> Result<()> {
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
    out.push_str("];\n/// Calls a macro with the name, the module and the arguments of each front end.\n#[macro_export]\nmacro_rules! for_each_front_end { ($then:ident) => { $then! {\n");
    for front_end in &contract.front_ends {
        let name = snake(&front_end.name);
        writeln!(out, "{name:?} {name} {}", outside(&front_end.args))?;
    }
    out.push_str("} } }\n");
    Ok(())
}

/// A field in the catalogue; `empty` is the default meaning of an empty value.
fn entry(contract: &Contract, field: &Field, empty: tags::Empty) -> Result<String> {
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
    let inner = inner.map(|field| entry(contract, field, empty)).collect::<Result<Vec<_>>>()?.join(", ");
    Ok(format!(
        "Field {{ name: {:?}, description: {:?}, kind: Kind::{kind}, required: {}, default: {default:?},
        meaning_of_none: {meaning:?}, empty: Empty::{:?}, agent_default: {agent_default:?}, range: {:?}, choices: &{choices:?},
        fields: &[{inner}] }}",
        snake(&field.name),
        field.docs.text,
        !matches!(field.ty, Type::Option(_)),
        field.docs.empty.unwrap_or(empty),
        field.docs.range,
    ))
}

/// Whether it is a text of any length, which a shell reads from a file.
fn is_content(ty: &Type) -> bool {
    matches!(ty.inner(), Type::Named { name, .. } if name == "content")
}

/// A macro over all operations, so a missing one does not compile.
pub(super) fn dispatch(out: &mut String, contract: &Contract) -> Result<()> {
    out.push_str("/// Calls a macro with the name, the function and the arguments of each operation.\n#[macro_export]\nmacro_rules! for_each_operation { ($then:ident) => { $then! {\n");
    for operation in &contract.operations {
        let name = snake(&operation.name);
        writeln!(out, "{name:?} {} {}", function(operation), outside(&operation.args))?;
    }
    out.push_str("} } }\n");
    of_each_interface(out, contract)
}

/// An operation's function name, which may be a keyword.
fn function(operation: &Operation) -> String {
    let name = snake(&operation.name);
    if name == "move" { format!("r#{name}") } else { name }
}

/// A macro over an interface's operations, with bindings' names.
fn of_each_interface(out: &mut String, contract: &Contract) -> Result<()> {
    out.push_str(
        "/// Calls a macro with an interface, and with each operation in it: the functions of the bindings and of\n/// the trait `Operations`, and the arguments.\n\
         #[macro_export]\nmacro_rules! for_each_operation_of {\n",
    );
    let mut interfaces: Vec<_> = contract.operations.iter().map(|operation| &operation.interface).collect();
    interfaces.dedup();
    for interface in interfaces {
        let name = snake(interface);
        writeln!(out, "({name}, $then:ident) => {{ $then! {{ {name};")?;
        for operation in contract.operations.iter().filter(|operation| operation.interface == *interface) {
            let name = function(operation);
            // Bindings add an underscore to a keyword.
            let binding = name.strip_prefix("r#").map_or_else(|| name.clone(), |name| format!("{name}_"));
            writeln!(out, "{binding} {name} {}", outside(&operation.args))?;
        }
        out.push_str("} };\n");
    }
    out.push_str("}\n");
    Ok(())
}
