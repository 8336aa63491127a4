//! `wasi:filesystem` by system calls on handles, one name at a time.

mod attributes;
mod beneath;
mod contents;
mod descriptor;
mod likeness;
mod linker;
mod listing;
mod names;
mod refusal;

pub use descriptor::Directories;
pub(crate) use likeness::Likeness;
pub use linker::add_to_linker;
