//! Edits of an open file: search, splice and diff.

pub mod diff;
pub mod lines;
pub mod search;
pub mod section;
pub mod splice;
