//! Makes everything that is derived from `wit/`: the core's types, JSON schemas and command line flags.
//!
//! [`model::Contract::read`] reads a WIT package, with its documentation, into a small model;
//! [`rust::source`] writes the model down as Rust; [`schema`] as JSON Schema. What WIT cannot say stands in
//! tags at the start of documentation lines ([`tags`]). An option without a default and an operation without
//! an annotation are errors, so that the documentation cannot fall behind the types.

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
