//! Crashes, faults and stalls at every call of every change: a tree is as before or as after, never
//! in between.
//!
//! The trees are in memory, on a machine that can be stopped at any call to a volume. By default a
//! small part of the cases runs. `FSGATE_SOAK=1` to `12` run a twelfth of them each.

#![expect(clippy::print_stderr, reason = "how much was tried is part of a run's result")]

mod cases;
mod damaged;
mod disk;
mod dry_runs;
mod external_edits;
mod fails;
mod fixture;
mod forged;
mod hung_process;
mod lying_volume;
mod nested;
mod order;
mod others;
mod permissions;
mod policy;
mod power;
mod quota;
mod replaced;
mod rights;
mod second_names;
mod set_aside;
mod splices;
mod states;
mod stops;
mod stuck_trash;
mod volume;

/// Rounds of a soak. Each has a twelfth of the cases, so that a part takes at most 40 minutes on a
/// busy machine.
const SOAK_ROUNDS: usize = 12;

fn soak() -> bool {
    soak_round().is_some()
}

/// A step over deaths: a default run tries one in so many, a soak all of them.
fn every(count: usize) -> usize {
    if soak() { 1 } else { count }
}

/// The round of a soak; none in a default run.
fn soak_round() -> Option<usize> {
    let told = std::env::var("FSGATE_SOAK").ok()?;
    Some(told.parse().unwrap_or(1))
}
