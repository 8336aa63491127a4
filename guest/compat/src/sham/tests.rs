//! Cases in the system's notation, rows, and laws.

mod cases;
mod catalogue;
mod forms;
mod lasting;
mod rows;
#[path = "../../../../tests/corpus/src/sham.rs"]
#[expect(unreachable_pub, reason = "the file is a module of another crate as well")]
mod sham_cases;
mod texts;

use std::collections::BTreeMap;

use serde_json::Value;

use super::print::printed;
use crate::Tools;
use crate::testing::front_end;
use fsgate_contract::front_ends_types::ShamArgs;
use fsgate_volume::memory::{Item, Memory};

/// The output of a text, and the state for the next one.
fn run(tools: &impl Tools, text: &str, state: Option<String>, as_user: bool) -> (Value, Option<String>) {
    let args = ShamArgs { text: text.to_owned(), state, as_user: Some(as_user) };
    let outcome = super::run(tools, &args);
    (serde_json::from_str(&outcome.output).unwrap(), outcome.state)
}

fn block(id: &str, values: &[(&str, &str)]) -> String {
    printed(id, values)
}

fn write(id: &str, path: &str, content: &str) -> String {
    block(id, &[("action", "file_write"), ("path", path), ("content", content)])
}

fn files(volume: &Memory) -> BTreeMap<String, String> {
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let file = |(path, item)| match item {
        Item::File(bytes) => Some((path, text(bytes))),
        _ => None,
    };
    volume.snapshot().into_iter().filter_map(file).collect()
}
