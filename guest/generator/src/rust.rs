//! A [`Contract`] as Rust: a module per types-only interface, a catalogue entry per operation.

mod arguments;
mod catalogue;
mod types;

use std::fmt::Write;

use anyhow::Result;

use crate::model::{Contract, LEAN_TYPES};
use arguments::{arguments, items};
use catalogue::{catalogue, dispatch, front_ends};
use types::define;
pub(crate) use types::outside;

/// The source, for a scope with `Applied`, `Arguments`, `Operation`, `Field`, `Kind` and `Misfit`.
pub fn source(contract: &Contract) -> Result<String> {
    let mut out = String::new();
    for module in contract.modules.iter().filter(|module| module.name != LEAN_TYPES) {
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
        // Rust's and JSON's escapes agree for prose.
        out.push_str(&format!("{:?}", format!(" {line}")));
        out.push_str("]\n");
    }
}

#[cfg(test)]
mod tests;
