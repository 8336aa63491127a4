//! Sessions for the tests of all front ends.

pub(super) mod corpus;
#[path = "../../../tests/corpus/src/front_end.rs"]
#[expect(unreachable_pub, reason = "the file is a module of another crate as well")]
pub(super) mod front_end;

use fsgate_contract::agent_types::CallArgs;
use fsgate_engine::agent;
use fsgate_engine::session::Session;
use fsgate_volume::Access;
use fsgate_volume::grant::Grant;
use fsgate_volume::memory::Memory;

/// A session over `/tmp`, with a history.
pub(super) fn session(volume: &Memory) -> Session<Memory> {
    sharing(volume, &Memory::default(), Access::Write)
}

/// A session with this history, which others may share, and this access.
pub(super) fn sharing(volume: &Memory, state: &Memory, access: Access) -> Session<Memory> {
    let grant =
        |name: &str, volume: &Memory, access| Grant { name: name.to_owned(), volume: volume.clone(), access };
    Session::open_or_refuse(
        vec![grant("/tmp", volume, access), grant("/.fsgate", state, Access::Write)],
        [("FSGATE_LOCK", "host")],
    )
}

/// A session's calls by name in JSON, as a host makes them.
pub(super) fn from_outside(session: &Session<Memory>) -> impl Fn(&str, &str) -> Result<String, String> {
    move |tool, arguments| {
        let args = CallArgs { tool: tool.to_owned(), arguments: arguments.to_owned() };
        agent::call(session, &args).map(|outcome| outcome.outcome).map_err(|refused| refused.error)
    }
}
