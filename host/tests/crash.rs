//! Real processes and disks: killed hosts, full disks, many hosts, forced ends.
//!
//! The engine's tests prove the same call by call, on a machine in memory. A usual run does a part
//! of it, `FSGATE_SOAK=1` all. Root also runs it as a user without privileges, whom permissions
//! stop.

#![cfg(target_os = "linux")]
#![expect(clippy::print_stderr, reason = "how much was tried is part of a run's result")]

mod ends;
mod full;
mod inside;
mod kills;
pub(crate) mod mount;
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

/// Whether to run everything.
fn soak() -> bool {
    std::env::var_os("FSGATE_SOAK").is_some()
}
