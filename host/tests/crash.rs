//! Real processes, real disks: hosts that are killed, disks that are full, many hosts at once, calls that end by force.
//!
//! What the tests of the engine prove call by call on a machine in memory is tried here on the one at hand. What is tried
//! by default is a part of all; `FSGATE_SOAK=1` tries all of it. Root tries it as a user without privileges as well, whom
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
