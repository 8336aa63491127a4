//! Derives the contract's types, JSON schemas and flags from `wit/`.
//!
//! [`model::Contract::read`] reads a documented WIT package into a small model; [`rust::source`]
//! and [`schema`] write it as Rust and JSON Schema. Tags at the start of documentation lines add to
//! WIT ([`tags`]). An option without a default and an operation without an annotation are errors,
//! so documentation keeps up with types.

pub mod flat;
pub mod model;
pub mod rust;
pub mod schema;
pub mod tags;

use std::path::Path;

/// The Rust source for the WIT package in `directory`.
pub fn generate(directory: &Path) -> anyhow::Result<String> {
    let contract = model::Contract::read(directory)?;
    rust::source(&contract)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::Value;

    use super::{model, schema};

    /// The properties at and below `schema` that have no description.
    fn undescribed(at: &str, schema: &Value, found: &mut Vec<String>) {
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            let at = format!("{at}.{name}");
            if property["description"].as_str().is_none_or(str::is_empty) {
                found.push(at.clone());
            }
            undescribed(&at, property, found);
        }
        if !schema["items"].is_null() {
            undescribed(&format!("{at}[]"), &schema["items"], found);
        }
    }

    #[test]
    fn every_field_of_the_contract_is_described_in_its_schemas() {
        let wit = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../wit");
        let contract = model::Contract::read(&wit).unwrap();
        assert!(contract.operations.len() > 10);
        let mut found = Vec::new();
        for operation in &contract.operations {
            let name = &operation.name;
            undescribed(name, &schema::arguments(&contract, operation).unwrap(), &mut found);
            undescribed(name, &schema::of(&contract, &operation.outcome).unwrap(), &mut found);
        }
        assert!(found.is_empty(), "{found:?}");
    }
}
