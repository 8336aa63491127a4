//! What the tests of all front ends begin with.

pub(super) mod corpus;
#[path = "../../../../tests/corpus/src/front_end.rs"]
#[expect(unreachable_pub, reason = "the file is a module of another crate as well")]
pub(super) mod front_end;

use std::time::{Duration, Instant};

use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use crate::agent;
use crate::contract::agent_types::CallArgs;
use crate::session::Session;
use crate::volume::Access;
use crate::volume::grant::Grant;
use crate::volume::memory::Memory;

/// A session over `/tmp`, with a history.
pub(super) fn session(volume: &Memory) -> Session<Memory> {
    sharing(volume, &Memory::default(), Access::Write)
}

/// The same with this history, which others may have as well, and with this access.
pub(super) fn sharing(volume: &Memory, state: &Memory, access: Access) -> Session<Memory> {
    let grant =
        |name: &str, volume: &Memory, access| Grant { name: name.to_owned(), volume: volume.clone(), access };
    Session::open_or_refuse(
        vec![grant("/tmp", volume, access), grant("/.fsgate", state, Access::Write)],
        [("FSGATE_LOCK", "host")],
    )
}

/// Calls of a session by name and in JSON, as everybody has them who is outside.
pub(super) fn from_outside(session: &Session<Memory>) -> impl Fn(&str, &str) -> Result<String, String> {
    move |tool, arguments| {
        let args = CallArgs { tool: tool.to_owned(), arguments: arguments.to_owned() };
        agent::call(session, &args).map(|outcome| outcome.outcome).map_err(|refused| refused.error)
    }
}

/// Inputs that are tried at once.
const ROUND: u32 = 2_000;

/// Tries a law on a few thousand inputs; with `FSGATE_FUZZ_SECONDS`, on others for so long, and tells how many there were.
#[expect(clippy::print_stderr, reason = "whoever asks for so many seconds is told what became of them")]
pub(crate) fn fuzz<S: Strategy>(inputs: S, law: impl Fn(S::Value)) {
    let seconds = std::env::var("FSGATE_FUZZ_SECONDS").ok();
    let seconds: Option<u64> = seconds.map(|seconds| seconds.parse().expect("a number of seconds"));
    let end = Instant::now() + Duration::from_secs(seconds.unwrap_or_default());
    let config = ProptestConfig { cases: ROUND, failure_persistence: None, ..ProptestConfig::default() };
    let mut tried = 0_u64;
    loop {
        let round = TestRunner::new(config.clone()).run(&inputs, |input| {
            law(input);
            Ok(())
        });
        round.unwrap_or_else(|failed| panic!("{failed}"));
        tried += u64::from(ROUND);
        if Instant::now() >= end {
            break;
        }
    }
    if seconds.is_some() {
        eprintln!("{}: {tried} inputs tried", std::thread::current().name().unwrap_or_default());
    }
}
