//! The case corpus of fsgate: one case is written once and runs everywhere.
//!
//! `cases/README.md` describes how a case is written. Here is what reads and runs it:
//!
//! - [`case`]: case files, parsed strictly.
//! - [`tree`]: the notation of a tree, before and after a call.
//! - [`placeholder`]: what strings of a case stand for: tags, times, repetitions.
//! - [`reference`]: the pages about tools, made from the contract and from cases.
//! - [`snapshot`]: a tree as it is found on a disk or in memory.
//! - [`disk`] and [`memory`]: where a tree is set up.
//! - [`open`]: gates whose state is nobody else's.
//! - [`program`]: the program `fsgate`, and how it has ended.
//! - [`report`]: which cases run where, and why not the others.
//! - [`runner`]: the ways to make a call, and the verdict.
//! - [`random`]: numbers that are the same in every run.
//! - [`systems`]: the page about what other systems promise, made from statements and held against what proves them.
//! - [`sham_cases`]: the cases of a front end in the notation of its system, for all who run them.
//! - [`sources`]: real source trees, for what is no case: comparisons with other programs, and the bench.
//!
//! Nothing here uses what it tests: tags, lines and trees are worked out anew.

pub mod case;
pub mod disk;
pub mod memory;
pub mod open;
pub mod placeholder;
pub mod program;
pub mod random;
pub mod reference;
pub mod report;
pub mod runner;
pub mod sham_cases;
pub mod snapshot;
pub mod sources;
pub mod systems;
pub mod tree;
pub mod verdict;
