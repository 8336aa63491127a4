//! The file system interface of the tools: handles and single names.
//!
//! A volume gets one of its directory handles and one name in it, never a path. It follows no link,
//! and refuses any other name with [`Fault::InvalidName`]. Path resolution uses these calls, so no
//! host is trusted to keep a path inside its grant. The feature `testing` has `laws`, tests for
//! every volume.

#![forbid(unsafe_code)]

use std::fmt::Debug;
use std::ops::ControlFlow;
use std::time::Duration;

use fsgate_contract::types::SpecialKind;
use fsgate_policy::PolicyPosition;
use fsgate_policy::RuleId;

pub mod answers;
pub mod bytes;
pub mod clock;
pub mod etag;
pub mod grant;
pub mod policy_guard;
mod seen;
pub mod settings;
#[cfg(any(test, feature = "testing"))]
mod testing;

pub use fsgate_policy::start::Access;
pub use seen::Seen;
#[cfg(any(test, feature = "testing"))]
#[doc(hidden)]
pub use testing::{laws, memory};

/// The preopened directory of fsgate's host for [`Volume::create_like`], a name that no grant can
/// have. It is empty: a link into it of an open object gives the next new object its permissions.
pub const LIKENESS: &str = "/.fsgate/.fsgate/likeness";

/// A file system behind handles.
pub trait Volume {
    /// An open directory.
    type Directory: Clone;
    /// An open regular file.
    type File;

    /// The granted directory.
    fn root(&self) -> Self::Directory;

    /// Describes a name, a link itself.
    fn stat(&self, directory: &Self::Directory, name: &str) -> Result<Stat, Fault>;

    /// Gives `sink` every name, unordered, without `.` and `..`, until it stops. An entry's fault
    /// is returned after all other entries.
    fn each_entry(
        &self,
        directory: &Self::Directory,
        sink: &mut dyn FnMut(Listed<'_>) -> ControlFlow<()>,
    ) -> Result<(), Fault>;

    /// Opens a directory; refuses links.
    fn open_directory(&self, directory: &Self::Directory, name: &str) -> Result<Self::Directory, Fault>;

    /// Opens a regular file; refuses links.
    fn open_file(&self, directory: &Self::Directory, name: &str, access: Access)
    -> Result<Self::File, Fault>;

    /// Opens a directory to empty it. A volume that can tell refuses with [`Fault::Access`] if its
    /// names are fixed.
    fn open_directory_to_empty(
        &self,
        directory: &Self::Directory,
        name: &str,
    ) -> Result<Self::Directory, Fault> {
        self.open_directory(directory, name)
    }

    /// Creates a new file, open for writing.
    fn create_file(&self, directory: &Self::Directory, name: &str) -> Result<Self::File, Fault>;

    /// Creates a file with the permissions of `source`, never wider. [`Fault::Unsupported`] if the
    /// volume cannot.
    fn create_like(
        &self,
        directory: &Self::Directory,
        name: &str,
        source: &Self::File,
    ) -> Result<Self::File, Fault>;

    /// Creates a new directory.
    fn create_directory(&self, directory: &Self::Directory, name: &str) -> Result<(), Fault>;

    /// Creates a directory with the permissions of `source`, but full ones for its owner.
    /// [`Fault::Unsupported`] as for files.
    fn create_directory_like(
        &self,
        directory: &Self::Directory,
        name: &str,
        source: &Self::Directory,
    ) -> Result<(), Fault>;

    /// The target of a link as written. [`Fault::Unsupported`] for others.
    fn read_link(&self, directory: &Self::Directory, name: &str) -> Result<String, Fault>;

    /// Gives a file a second, new name. [`Fault::Unsupported`] without links.
    fn link_file(
        &self,
        from: &Self::Directory,
        name: &str,
        to: &Self::Directory,
        new_name: &str,
    ) -> Result<(), Fault>;

    /// Renames atomically. Replaces a file by a file, an empty directory by a directory.
    /// [`Fault::IntoItself`] for a directory into itself.
    fn rename(
        &self,
        from: &Self::Directory,
        name: &str,
        to: &Self::Directory,
        new_name: &str,
    ) -> Result<(), Fault>;

    /// Removes a name other than a directory's.
    fn remove_file(&self, directory: &Self::Directory, name: &str) -> Result<(), Fault>;

    /// Removes an empty directory.
    fn remove_directory(&self, directory: &Self::Directory, name: &str) -> Result<(), Fault>;

    /// Describes an open directory.
    fn stat_directory(&self, directory: &Self::Directory) -> Result<Stat, Fault>;

    /// Describes an open file.
    fn stat_file(&self, file: &Self::File) -> Result<Stat, Fault>;

    /// Reads at most `length` bytes; none at the file's end.
    fn read_at(&self, file: &Self::File, offset: u64, length: usize) -> Result<Vec<u8>, Fault>;

    /// Writes at least one of `bytes`. Returns the number.
    fn write_at(&self, file: &Self::File, offset: u64, bytes: &[u8]) -> Result<usize, Fault>;

    /// Truncates a file, or extends it with zeros.
    fn set_size(&self, file: &Self::File, size: u64) -> Result<(), Fault>;

    /// Makes a file's content survive a loss of power.
    fn sync_file(&self, file: &Self::File) -> Result<(), Fault>;

    /// Makes a directory's names survive a loss of power.
    fn sync_directory(&self, directory: &Self::Directory) -> Result<(), Fault>;

    /// A number that open files share exactly if they are one file.
    fn identity(&self, file: &Self::File) -> Result<u128, Fault>;

    /// The same for an unopened name; a link has its own.
    fn identity_at(&self, directory: &Self::Directory, name: &str) -> Result<u128, Fault>;

    /// The same for an open directory.
    fn directory_identity(&self, directory: &Self::Directory) -> Result<u128, Fault>;

    /// An open directory's position in the policy, if any.
    fn standpoint(&self, _directory: &Self::Directory) -> Option<PolicyPosition> {
        None
    }

    /// The rule that bars a new name because of the directory's content.
    fn kept_apart(&self, _directory: &Self::Directory, _name: &str) -> Result<Option<RuleId>, Fault> {
        Ok(None)
    }

    /// 128 unpredictable bits.
    fn random(&self) -> u128;

    /// A monotonic clock with an arbitrary start.
    fn now(&self) -> Duration;

    /// The time since 1970, shared by a machine's programs; it can be set.
    fn wall(&self) -> Duration;

    /// Waits, by [`Volume::now`].
    fn pause(&self, time: Duration);

    /// The abilities of this volume.
    fn abilities(&self) -> Abilities;
}

/// The differences between volumes. The file system may still return [`Fault::Unsupported`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Abilities {
    /// The host splits names at `\`, so such names are refused.
    pub backslash_separates: bool,
    /// A file can have a second name.
    pub links: bool,
    /// A rename between grants can work.
    pub moves_across: bool,
    /// Syncing has an effect.
    pub sync: bool,
    /// A handle keeps its object under other names.
    pub stable_identity: bool,
    /// A new object can have another's permissions.
    pub keeps_modes: bool,
}

/// The description of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    /// File, directory, link or another kind.
    pub kind: Kind,
    /// Size in bytes.
    pub size: u64,
    /// Last change of the content since 1970, if known.
    pub modified: Option<Duration>,
    /// A file's link count; 1 if unknown. Without meaning for a directory.
    pub links: u64,
}

impl Stat {
    /// The link count, at least 1.
    pub fn names(&self) -> u64 {
        if self.kind == Kind::Directory { 1 } else { self.links }
    }
}

/// An entry of a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listed<'a> {
    /// A name and its kind.
    Name(&'a str, Kind),
    /// A name that is not UTF-8, unreachable for all calls.
    Undecodable,
}

/// The kind of an object.
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

/// The failure of a volume.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// The name does not exist.
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
    /// The volume refuses this on principle.
    NotPermitted,
    /// The directory would move into itself.
    IntoItself,
    /// The operating system denies access.
    Access,
    /// It cannot be written.
    ReadOnly,
    /// The disk is full.
    NoSpace,
    /// A quota is used up.
    Quota,
    /// The file would be too large for the file system.
    FileTooLarge,
    /// The name is too long.
    NameTooLong,
    /// It is in use.
    Busy,
    /// The call's time is over.
    Deadline,
    /// The names are on different devices.
    CrossDevice,
    /// The volume cannot hold this name.
    InvalidName,
    /// The volume cannot do this.
    Unsupported,
    /// The rule of this name forbids it.
    Denied(String),
    /// The file exceeds this limit of the policy, or would.
    OverLimit(u64),
    /// Any other failure, in the host's words.
    Io(String),
}

impl Fault {
    /// Whether a refusal can end: permissions, another owner, a read-only mount, a mount over a
    /// directory, another program.
    pub fn is_obstacle(&self) -> bool {
        matches!(self, Self::Access | Self::NotPermitted | Self::ReadOnly | Self::CrossDevice | Self::Busy)
    }

    /// Whether room is missing: on the disk, in a quota, or below the limit on file sizes. A
    /// deletion can make room.
    pub fn is_lack(&self) -> bool {
        matches!(self, Self::NoSpace | Self::Quota | Self::FileTooLarge)
    }

    /// Whether the name does not or cannot exist.
    pub fn is_absence(&self) -> bool {
        matches!(self, Self::NotFound | Self::NameTooLong | Self::InvalidName)
    }
}

/// Refuses a name that is not single.
pub fn single(name: &str) -> Result<(), Fault> {
    let is_single = !matches!(name, "" | "." | "..") && !name.contains(['/', '\0']);
    if is_single { Ok(()) } else { Err(Fault::InvalidName) }
}
