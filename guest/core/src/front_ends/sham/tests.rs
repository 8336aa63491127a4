//! Cases in the system's own notation, rows, and laws.

mod cases;
mod forms;
mod rows;
mod texts;

use serde_json::Value;

use crate::agent;
use crate::contract::agent_types::CallArgs;
use crate::contract::front_ends_types::ShamArgs;
use crate::front_ends::Tools;
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

/// Calls of a session by name and in JSON, as everybody has them who is outside.
fn from_outside(session: &Session<Memory>) -> impl Fn(&str, &str) -> Result<String, String> {
    move |tool, arguments| {
        let args = CallArgs { tool: tool.to_owned(), arguments: arguments.to_owned() };
        agent::call(session, &args).map(|outcome| outcome.outcome).map_err(|refused| refused.error)
    }
}

/// What a text comes to, and what the next one has to bring along.
fn run(tools: &impl Tools, text: &str, state: Option<String>, as_user: bool) -> (Value, Option<String>) {
    let args = ShamArgs { text: text.to_owned(), state, as_user: Some(as_user) };
    let outcome = super::run(tools, &args);
    (serde_json::from_str(&outcome.output).unwrap(), outcome.state)
}
