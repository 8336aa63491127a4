//! Defaults and ranges of arguments.

use std::fmt::Write;

use anyhow::{Context, Result};

use super::types::{outside, rust_type};
use super::{camel, snake};
use crate::model::{Contract, Field, Operation, Type};
use crate::{schema, tags};

/// Defaults and range checks of one operation.
pub(super) fn arguments(out: &mut String, contract: &Contract, operation: &Operation) -> Result<()> {
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
        fn misfits(&self) -> Vec<Misfit> {{",
        snake(&operation.name),
        operation.interface,
        operation.annotation.read_only,
    )?;
    misfits(out, contract, fields, |name| format!("{name:?}.to_owned()"))?;
    out.push_str("}\n");
    let has = |name| fields.iter().any(|field| field.name == name);
    if has("dry-run") {
        // Without ids a call shows the choice, unless it chooses all.
        let shows = if has("ids") { " || self.ids.is_none() && !self.all()" } else { "" };
        writeln!(out, "fn is_dry_run(&self) -> bool {{ self.dry_run(){shows} }}")?;
    }
    if fields.iter().any(|field| field.name == "confirm") {
        out.push_str("fn is_confirmed(&self) -> Option<bool> { Some(self.confirm()) }\n");
    }
    if operation.name == "recover" {
        out.push_str("fn asks_for_recovery(&self) -> bool { self.all() }\n");
    }
    add(out, fields, contract.fields(&operation.outcome)?);
    out.push_str("}\n");
    Ok(())
}

/// The same for records in a list.
pub(super) fn items(out: &mut String, contract: &Contract, item: &Type, fields: &[Field]) -> Result<()> {
    writeln!(out, "impl {} {{", outside(item))?;
    defaults(out, contract, fields)?;
    out.push_str(
        "/// Returns the values out of their ranges. `at` is the record's place among the arguments.
        pub fn misfits(&self, at: &str) -> Vec<Misfit> {\n",
    );
    if !fields.iter().any(|field| field.docs.range.is_some()) {
        out.push_str("let _ = at;\n");
    }
    misfits(out, contract, fields, |name| format!("format!(\"{{at}}.{name}\")"))?;
    out.push_str("}\n}\n");
    Ok(())
}

/// The largest values, and a function per default.
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
            // The default is one of the cases.
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

/// Writes an expression for all values out of range, in field order. A list's items precede its
/// length, as in JSON errors. `path` makes a field's place.
fn misfits(
    out: &mut String,
    contract: &Contract,
    fields: &[Field],
    path: impl Fn(&str) -> String,
) -> Result<()> {
    out.push_str("std::iter::empty()\n");
    for field in fields {
        let name = snake(&field.name);
        let items = matches!(field.ty.inner(), Type::List(_));
        if contract.items(&field.ty).is_some() {
            let all = if matches!(field.ty, Type::Option(_)) { ".iter().flatten()" } else { ".iter()" };
            writeln!(
                out,
                ".chain(self.{name}{all}.enumerate().flat_map(|(number, item)| {{
                    item.misfits(&format!(\"{name}[{{number}}]\"))
                }}))"
            )?;
        }
        if let Some((low, high)) = field.docs.range {
            let value = match &field.ty {
                Type::Option(_) if items => format!("self.{name}.as_ref().map(|items| items.len() as u64)"),
                Type::Option(_) => format!("self.{name}.map(u64::from)"),
                Type::List(_) => format!("Some(self.{name}.len() as u64)"),
                _ => format!("Some(u64::from(self.{name}))"),
            };
            writeln!(
                out,
                ".chain({value}.filter(|value| !({low}..={high}).contains(value)).map(|value| {{
                    Misfit {{ field: {}, items: {items}, value, low: {low}, high: {high} }}
                }}))",
                path(&name)
            )?;
        }
    }
    out.push_str(".collect()\n");
    Ok(())
}

/// The fields of an outcome that are known only after the changes.
fn add(out: &mut String, args: &[Field], outcome: &[Field]) {
    let has = |fields: &[Field], name: &str| fields.iter().any(|field| field.name == name);
    if !has(outcome, schema::NOTES) {
        return;
    }
    out.push_str("fn add(&self, outcome: &mut Self::Outcome, applied: Applied) {\n");
    if has(args, "backup") && has(outcome, "backup") {
        // A new thing has no earlier content.
        out.push_str(
            "if self.backup() && !outcome.created {
                outcome.backup = applied.undo_id.as_ref().map(|id| format!(\"history:{id}\"));
            }\n",
        );
    }
    if has(outcome, "undo-id") {
        out.push_str("outcome.undo_id = applied.undo_id;\n");
    }
    if has(outcome, "forgotten") {
        out.push_str(
            "let (pending, emptied) = (applied.pending, applied.emptied);
            outcome.forgotten = outcome.forgotten.saturating_sub(pending.entries) + emptied.entries;
            outcome.bytes = outcome.bytes.saturating_sub(pending.bytes) + emptied.bytes;\n",
        );
    }
    out.push_str("outcome.notes.extend(applied.notes);\n}\n");
}
