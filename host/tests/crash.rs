//! Real processes, real disks: hosts that are killed, disks that are full, many hosts at once, calls that end by force.
//!
//! The tests of the engine prove the same call by call, on a machine in memory. By default a part of
//! all runs; `FSGATE_SOAK=1` runs all of it. Root runs it once more as a user without privileges, whom
//! permissions stop.

#![cfg(target_os = "linux")]
#![expect(clippy::print_stderr, reason = "how much was tried is part of a run's result")]

mod ends;
mod full;
mod inside;
mod kills;
mod mount;
mod obstacle;
mod permissions;
mod program;
mod races;
mod retired;
mod scratch;
mod script;
mod tree;
mod user;

use fsgate_tests::random::Random;

/// True if all is to be tried.
fn soak() -> bool {
    std::env::var_os("FSGATE_SOAK").is_some()
}
