//! What the tests of all front ends begin with.

use std::fmt::Debug;
use std::time::{Duration, Instant};

use proptest::prelude::{ProptestConfig, Strategy};
use proptest::test_runner::TestRunner;

use crate::agent;
use crate::contract::agent_types::CallArgs;
use crate::namespace::Grant;
use crate::session::Session;
use crate::volume::Access;
use crate::volume::memory::Memory;

/// A session over `/tmp`, with a history.
pub(super) fn session(volume: &Memory) -> Session<Memory> {
    let grant = |name: &str, volume: Memory| Grant { name: name.to_owned(), volume, access: Access::Write };
    let state = Memory::default();
    Session::open_or_refuse(
        vec![grant("/tmp", volume.clone()), grant("/.fsgate", state)],
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

/// Checks a few thousand inputs; with `FSGATE_FUZZ_SECONDS`, others for so many seconds, and prints how many they were.
#[expect(clippy::print_stderr, reason = "whoever asks for so many seconds is told what they were good for")]
pub(crate) fn fuzz<T: Debug>(strategy: impl Strategy<Value = T>, check: impl Fn(T)) {
    const ROUND: u32 = 3_000;
    let config = ProptestConfig { cases: ROUND, failure_persistence: None, ..ProptestConfig::default() };
    let seconds = std::env::var("FSGATE_FUZZ_SECONDS").ok().map(|text| text.parse().unwrap());
    let end = Instant::now() + Duration::from_secs(seconds.unwrap_or_default());
    let mut tried = 0_u64;
    loop {
        let checked = TestRunner::new(config.clone()).run(&strategy, |input| {
            check(input);
            Ok(())
        });
        checked.unwrap_or_else(|failed| panic!("{failed}"));
        tried += u64::from(ROUND);
        if Instant::now() >= end {
            break;
        }
    }
    if seconds.is_some() {
        eprintln!("{tried} inputs");
    }
}
