//! What a tool needs of a file system, in handles and single names.
//!
//! A volume never sees a path: only a directory handle that it gave out itself and one name in that
//! directory. Links are never followed. [`crate::resolve`] is built from these pieces, so no host is
//! trusted to keep a path inside its grant.

use std::fmt::Debug;
use std::time::Duration;

use crate::contract::types::SpecialKind;

pub mod memory;

/// A file system behind handles.
pub trait Volume {
    /// An open directory.
    type Directory: Clone;
    /// An open regular file.
    type File;

    /// The directory that was granted.
    fn root(&self) -> Self::Directory;

    /// What a name stands for; a link is described itself.
    fn stat(&self, directory: &Self::Directory, name: &str) -> Result<Stat, Fault>;

    /// Opens a directory; a link is refused.
    fn open_directory(&self, directory: &Self::Directory, name: &str) -> Result<Self::Directory, Fault>;

    /// Opens an existing regular file; a link is refused.
    fn open_file(&self, directory: &Self::Directory, name: &str, access: Access)
    -> Result<Self::File, Fault>;

    /// Creates a file that must not exist yet, open for writing.
    fn create_file(&self, directory: &Self::Directory, name: &str) -> Result<Self::File, Fault>;

    /// Creates a directory that must not exist yet.
    fn create_directory(&self, directory: &Self::Directory, name: &str) -> Result<(), Fault>;

    /// Where a link points, as it was written.
    fn read_link(&self, directory: &Self::Directory, name: &str) -> Result<String, Fault>;

    /// Gives a file a second name, which must not exist yet. [`Fault::Unsupported`] where the volume has no such thing.
    fn link_file(&self, directory: &Self::Directory, name: &str, new_name: &str) -> Result<(), Fault>;

    /// Removes a name that is not a directory.
    fn remove_file(&self, directory: &Self::Directory, name: &str) -> Result<(), Fault>;

    /// Removes an empty directory.
    fn remove_directory(&self, directory: &Self::Directory, name: &str) -> Result<(), Fault>;

    /// What an open file is now.
    fn stat_file(&self, file: &Self::File) -> Result<Stat, Fault>;

    /// Reads at most `length` bytes; an empty answer is the end of the file.
    fn read_at(&self, file: &Self::File, offset: u64, length: usize) -> Result<Vec<u8>, Fault>;

    /// Writes some of `bytes`, at least one, and says how many.
    fn write_at(&self, file: &Self::File, offset: u64, bytes: &[u8]) -> Result<usize, Fault>;

    /// Cuts a file off, or fills it up with zeros.
    fn set_size(&self, file: &Self::File, size: u64) -> Result<(), Fault>;

    /// 128 bits that nobody can predict.
    fn random(&self) -> u128;

    /// What this volume can and cannot do.
    fn abilities(&self) -> Abilities;
}

/// What a grant allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Looking only.
    Read,
    /// Looking and changing.
    Write,
}

/// What volumes differ in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Abilities {
    /// The host takes `\` inside a name for a separator, so such names are refused.
    pub backslash_separates: bool,
}

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    /// File, directory, link or something else.
    pub kind: Kind,
    /// Size in bytes.
    pub size: u64,
    /// Last change of the content, since 1970.
    pub modified: Duration,
}

/// What a name can stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// A device, FIFO or socket.
    Special(SpecialKind),
}

/// Why a volume could not do something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// There is no such name.
    NotFound,
    /// The name is taken.
    Exists,
    /// It is a directory.
    IsDirectory,
    /// It is not a directory.
    NotDirectory,
    /// The directory is not empty.
    NotEmpty,
    /// It is a link.
    Loop,
    /// The volume refuses on principle: the operation, or where it would lead.
    NotPermitted,
    /// The operating system denies access.
    Access,
    /// It cannot be written.
    ReadOnly,
    /// The disk is full.
    NoSpace,
    /// A quota is used up.
    Quota,
    /// The file would be larger than the file system allows.
    FileTooLarge,
    /// The name is too long.
    NameTooLong,
    /// It is in use.
    Busy,
    /// The two names are on different devices.
    CrossDevice,
    /// The name is not one that this volume can hold.
    InvalidName,
    /// The volume cannot do this at all.
    Unsupported,
    /// Anything else, in the host's words.
    Io(String),
}
