//! Real processes, real disks: hosts that are killed, disks that are full, many hosts at once, calls that end by force.
//!
//! What the tests of the core prove call by call on a machine in memory is tried here on the one at hand. What is tried
//! by default is a part of all; `FSGATE_SOAK=1` tries all of it.

#![cfg(target_os = "linux")]
#![expect(clippy::print_stderr, reason = "how much was tried is part of a run's result")]

mod ends;
mod full;
mod kills;
mod mount;
mod program;
mod races;
mod retired;
mod scratch;
mod script;
mod tree;

/// True if all is to be tried.
fn soak() -> bool {
    std::env::var_os("FSGATE_SOAK").is_some()
}

/// Numbers that look random and are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end
    }
}
