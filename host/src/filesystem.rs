//! `wasi:filesystem` as the component is given it: the second wall.
//!
//! The first one stands in the component, which opens one name after the other and follows no link. Here the same is
//! demanded again, of any component: every call names one thing in one open directory, links are never followed, nothing
//! but regular files and directories is opened, and what was granted for reading is not changed. So a component that
//! is wrong, or another one, gets no further than ours.
//!
//! On Linux all of it is made of system calls on handles (`own`). Elsewhere it is what `wasmtime-wasi` has (`stock`),
//! which finds its way along paths beneath a directory.

#[cfg(target_os = "linux")]
mod own;
#[cfg(not(target_os = "linux"))]
mod stock;

use std::io;
use std::path::{Path, PathBuf};

use fsgate_volume::Access;
#[cfg(target_os = "linux")]
use own as system;
#[cfg(not(target_os = "linux"))]
use stock as system;
#[cfg(all(target_os = "linux", feature = "native"))]
pub(crate) use system::Likeness;
pub use system::{Directories, add_to_linker};
use wasmtime::component::ResourceTable;

/// A directory to be opened.
#[derive(Debug, Clone, Copy)]
pub struct Preopen<'a> {
    /// Where it is.
    pub host: &'a Path,
    /// Its name for the component.
    pub name: &'a str,
    /// What may be done in it.
    pub access: Access,
    /// It is a state directory: what lies below it belongs to the tools alone.
    pub is_state: bool,
}

/// A directory that could not be opened.
#[derive(Debug)]
pub struct Unopened {
    /// Where it was looked for.
    pub host: PathBuf,
    /// What the system says.
    pub error: io::Error,
}

/// The state of a store that has directories.
pub trait Holder: Send + 'static {
    /// What the component holds, and what it was handed in.
    fn files(&mut self) -> (&mut ResourceTable, &mut Directories);
}
