//! What the tests of all front ends begin with.

use std::time::{Duration, Instant};

use proptest::prelude::Strategy;
use proptest::test_runner::{Config, TestRunner};

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

/// Tries a law on some thousand inputs; for as many seconds as `FSGATE_FUZZ_SECONDS` says, if it says so, and tells how many
/// they were.
#[expect(clippy::print_stderr, reason = "somebody waits for it, and asked")]
pub(super) fn fuzz<S: Strategy>(name: &str, inputs: S, law: impl Fn(S::Value)) {
    const CASES: u32 = 3_000;
    let config = Config { cases: CASES, failure_persistence: None, ..Config::default() };
    let seconds = std::env::var("FSGATE_FUZZ_SECONDS").ok().map(|text| text.parse().unwrap());
    let (start, mut tried) = (Instant::now(), 0_u64);
    loop {
        let tries = TestRunner::new(config.clone()).run(&inputs, |input| {
            law(input);
            Ok(())
        });
        tries.unwrap_or_else(|failed| panic!("{name}: {failed}"));
        tried += u64::from(CASES);
        if seconds.is_none_or(|seconds| start.elapsed() >= Duration::from_secs(seconds)) {
            break;
        }
    }
    if seconds.is_some() {
        eprintln!("{name}: {tried} inputs");
    }
}
