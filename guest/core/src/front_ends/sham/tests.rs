//! Cases in the system's own notation, rows, and laws.

mod cases;
mod catalogue;
mod forms;
mod rows;
#[path = "../../../../../tests/src/sham_cases.rs"]
#[expect(unreachable_pub, reason = "whoever tests the program has it from a crate")]
mod sham_cases;
mod texts;

use serde_json::Value;

use crate::contract::front_ends_types::ShamArgs;
use crate::front_ends::Tools;

/// What a text comes to, and what the next one has to bring along.
fn run(tools: &impl Tools, text: &str, state: Option<String>, as_user: bool) -> (Value, Option<String>) {
    let args = ShamArgs { text: text.to_owned(), state, as_user: Some(as_user) };
    let outcome = super::run(tools, &args);
    (serde_json::from_str(&outcome.output).unwrap(), outcome.state)
}
