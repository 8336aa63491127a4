//! `wasi:filesystem` by system calls on handles, one name at a time.
//!
//! - `linker`: the functions of the interface.
//! - `descriptor`: open files and directories, and their rights.
//! - `names`: calls on a name in an open directory.
//! - `beneath`: opens one name.
//! - `likeness`: creates files with the permissions of others.
//! - `contents`: calls on an open file.
//! - `listing`: the names in a directory.
//! - `attributes`: metadata.
//! - `refusal`: errors.

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
#[cfg(feature = "native")]
pub(crate) use likeness::Likeness;
pub use linker::add_to_linker;
