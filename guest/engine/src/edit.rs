//! Changes of the text in an open file: the search for the place, the splice, and its diff.

pub mod diff;
pub mod lines;
pub mod search;
pub mod splice;
