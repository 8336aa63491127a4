//! `wasi:filesystem` by system calls on handles, one name at a time.
//!
//! - `linker`: every function of the interface, and who answers it.
//! - `descriptor`: what the component holds, and what may be done with it.
//! - `names`: calls that name something in an open directory.
//! - `beneath`: opening one name.
//! - `likeness`: new files and directories with the permissions of others.
//! - `contents`: calls about the bytes of an open file.
//! - `listing`: the names in a directory.
//! - `attributes`: what is known about a file without opening it.
//! - `refusal`: why a call is refused.

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
