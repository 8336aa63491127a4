//! What the tests of all front ends begin with.

use crate::agent;
use crate::contract::agent_types::CallArgs;
use crate::namespace::Grant;
use crate::session::Session;
use crate::volume::Access;
use crate::volume::memory::Memory;

/// A session over `/tmp`, with a history.
pub fn session(volume: &Memory) -> Session<Memory> {
    let grant = |name: &str, volume: Memory| Grant { name: name.to_owned(), volume, access: Access::Write };
    let state = Memory::default();
    Session::open_or_refuse(
        vec![grant("/tmp", volume.clone()), grant("/.fsgate", state)],
        [("FSGATE_LOCK", "host")],
    )
}

/// Calls of a session by name and in JSON, as everybody has them who is outside.
pub fn from_outside(session: &Session<Memory>) -> impl Fn(&str, &str) -> Result<String, String> {
    move |tool, arguments| {
        let args = CallArgs { tool: tool.to_owned(), arguments: arguments.to_owned() };
        agent::call(session, &args).map(|outcome| outcome.outcome).map_err(|refused| refused.error)
    }
}
