//! Cases in the system's own notation, rows, and laws.

mod cases;
mod forms;
mod rows;
mod texts;

use serde_json::Value;

use crate::contract::front_ends_types::ShamArgs;
use crate::namespace::Grant;
use crate::session::Session;
use crate::volume::Access;
use crate::volume::memory::Memory;

/// A session over `/tmp`, with a history.
fn session(volume: &Memory) -> Session<Memory> {
    let grant = |name: &str, volume: Memory| Grant { name: name.to_owned(), volume, access: Access::Write };
    let state = Memory::default();
    Session::open_or_refuse(
        vec![grant("/tmp", volume.clone()), grant("/.fsgate", state)],
        [("FSGATE_LOCK", "host")],
    )
}

/// What a text comes to, and what the next one has to bring along.
fn run(
    session: &Session<Memory>,
    text: &str,
    state: Option<String>,
    as_user: bool,
) -> (Value, Option<String>) {
    let args = ShamArgs { text: text.to_owned(), state, as_user: Some(as_user) };
    let outcome = super::run(session, &args);
    (serde_json::from_str(&outcome.output).unwrap(), outcome.state)
}
