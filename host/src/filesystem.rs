//! The component's `wasi:filesystem`: the second wall.
//!
//! The first wall, in the component, opens one name at a time and follows no links. This one
//! demands the same of every component, also a faulty or foreign one. A call names one entry of an
//! open directory, opens only regular files and directories, and does not change a read-only grant.
//!
//! On Linux it uses system calls on handles (`own`). Elsewhere it is `wasmtime-wasi` (`stock`),
//! which resolves paths below a directory.

#[cfg(target_os = "linux")]
mod own;
#[cfg(not(target_os = "linux"))]
mod stock;

#[cfg(unix)]
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};

use fsgate_volume::Access;
#[cfg(target_os = "linux")]
use own as system;
#[cfg(not(target_os = "linux"))]
use stock as system;
#[cfg(target_os = "linux")]
pub(crate) use system::Likeness;
pub use system::{Directories, add_to_linker};
use wasmtime::component::ResourceTable;

/// A directory to open.
#[derive(Debug, Clone, Copy)]
pub struct Preopen<'a> {
    /// Its path on this machine.
    pub host: &'a Path,
    /// Its name in the component.
    pub name: &'a str,
    /// The access to it.
    pub access: Access,
    /// Whether it is a state directory, which only the tools use.
    pub is_state: bool,
}

/// A directory that could not be opened.
#[derive(Debug)]
pub struct Unopened {
    /// Its path.
    pub host: PathBuf,
    /// The system's error.
    pub error: io::Error,
}

/// The state of a store with directories.
pub trait Holder: Send + 'static {
    /// The component's resources, and the preopened directories.
    fn files(&mut self) -> (&mut ResourceTable, &mut Directories);
}

/// The identity of a file, computed as `wasmtime` does: stored values hold in every host. The first
/// number is the lower half.
#[cfg(unix)]
pub(crate) fn identity(device: u64, inode: u64) -> [u64; 2] {
    let mut hasher = DefaultHasher::new();
    (device, inode).hash(&mut hasher);
    let lower = hasher.finish();
    [lower, lower ^ UPPER_HALF]
}

/// Derives the upper half from the lower one, as in `wasmtime`.
#[cfg(unix)]
const UPPER_HALF: u64 = 4_614_256_656_552_045_848;
