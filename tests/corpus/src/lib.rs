//! The case corpus: a case is written once and runs everywhere.
//!
//! `tests/cases/README.md` describes the notation of a case. This crate reads it, and knows nothing
//! of WebAssembly:
//!
//! - [`case`]: case files, parsed strictly.
//! - [`section`]: the block of a case, and the definitions of a file.
//! - [`tree`]: the notation of a tree, before and after a call.
//! - [`placeholder`]: tags, times and repetitions in the strings of a case.
//! - [`snapshot`]: a tree as it is found on a disk or in memory.
//! - [`memory`]: trees in the memory volume.
//! - [`calls`]: the calls of a case.
//! - [`codes`]: the codes of errors that each operation has.
//! - [`verdict`]: the comparison of an answer and a tree with those of a case.
//! - [`trials`]: a test for each case, for every runner.
//! - [`front_end`], [`sham`]: the cases of front ends.
//! - [`compile`]: the corpus as JSON lines, for the runners of the packages.
//! - [`report`]: the cases that a runner leaves out, and the reasons.
//!
//! Tags, lines and trees are worked out anew here, without the code that is tested.

pub mod calls;
pub mod case;
pub mod codes;
pub mod compile;
pub mod front_end;
pub mod memory;
pub mod placeholder;
pub mod report;
pub mod section;
pub mod sham;
pub mod snapshot;
pub mod tree;
pub mod trials;
pub mod verdict;
