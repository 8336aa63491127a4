//! The tests of fsgate from outside, and their shared parts.
//!
//! The cases and their notation are in [`fsgate_corpus`]. Here are the parts that know the host:
//!
//! - [`reference`]: the pages about tools, made from the contract and from cases.
//! - [`disk`]: trees on a disk.
//! - [`open`]: gates with a state directory of their own.
//! - [`program`]: the program `fsgate`, and its end.
//! - [`runner`]: the runners of the cases on a disk.
//! - [`random`]: numbers that are the same in every run.
//! - [`systems`]: the page about the promises of other systems, made from statements and their proofs.
//! - [`sources`]: real source trees, for comparisons with other programs and for the bench.

pub mod disk;
pub mod open;
pub mod program;
pub mod random;
pub mod reference;
pub mod runner;
pub mod sources;
pub mod systems;

pub use fsgate_corpus::{case, memory, placeholder, report, snapshot, tree, verdict};
