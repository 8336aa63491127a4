//! Laws tried on random inputs.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use proptest::test_runner::TestRunner;

/// Inputs that are tried at once.
const ROUND: u32 = 2_000;

/// Tries a law on a few thousand inputs. With `FSGATE_FUZZ_SECONDS`, tries others for so long, and
/// prints their number.
#[expect(clippy::print_stderr, reason = "the seconds are asked for, and their result has to be seen")]
pub fn fuzz<S: Strategy>(inputs: S, law: impl Fn(S::Value)) {
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
