//! The file system interface of the tools: handles and single names.
//!
//! A volume gets a directory handle that it returned before, and one name in that directory, never
//! a path. It follows no link and refuses a name that is not single with [`Fault::InvalidName`].
//! Path resolution is built from these calls, so no host is trusted to keep a path inside its
//! grant. With the feature `testing`, `laws` has the tests that every volume passes.

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

/// The name of the preopened directory for [`Volume::create_like`] that fsgate's host hands in. No
/// grant and no state directory can have it. It is empty: a link into it of an open object gives
/// the next new object its permissions.
pub const LIKENESS: &str = "/.fsgate/.fsgate/likeness";

/// A file system behind handles.
pub trait Volume {
    /// An open directory.
    type Directory: Clone;
    /// An open regular file.
    type File;

    /// The granted directory.
    fn root(&self) -> Self::Directory;

    /// Describes a name; a link itself, not its target.
    fn stat(&self, directory: &Self::Directory, name: &str) -> Result<Stat, Fault>;

    /// Gives `sink` every name in a directory, unordered and without `.` and `..`, until it stops.
    /// A fault of one entry is returned after all other entries.
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
    /// names may not be changed.
    fn open_directory_to_empty(
        &self,
        directory: &Self::Directory,
        name: &str,
    ) -> Result<Self::Directory, Fault> {
        self.open_directory(directory, name)
    }

    /// Creates a new file, open for writing.
    fn create_file(&self, directory: &Self::Directory, name: &str) -> Result<Self::File, Fault>;

    /// Creates a new file with the permissions of `source`, at no moment wider. Returns
    /// [`Fault::Unsupported`], and creates nothing, if the volume cannot.
    fn create_like(
        &self,
        directory: &Self::Directory,
        name: &str,
        source: &Self::File,
    ) -> Result<Self::File, Fault>;

    /// Creates a new directory.
    fn create_directory(&self, directory: &Self::Directory, name: &str) -> Result<(), Fault>;

    /// Creates a new directory with the permissions of `source`, but always full ones for its
    /// owner, so that it can be filled and removed. [`Fault::Unsupported`] as for files.
    fn create_directory_like(
        &self,
        directory: &Self::Directory,
        name: &str,
        source: &Self::Directory,
    ) -> Result<(), Fault>;

    /// The target of a link, as it was written. [`Fault::Unsupported`] for other objects.
    fn read_link(&self, directory: &Self::Directory, name: &str) -> Result<String, Fault>;

    /// Gives a file a second, new name. [`Fault::Unsupported`] without links.
    fn link_file(
        &self,
        from: &Self::Directory,
        name: &str,
        to: &Self::Directory,
        new_name: &str,
    ) -> Result<(), Fault>;

    /// Renames atomically. Replaces a file by a file, and an empty directory by a directory.
    /// [`Fault::IntoItself`] for a directory that would move into itself.
    fn rename(
        &self,
        from: &Self::Directory,
        name: &str,
        to: &Self::Directory,
        new_name: &str,
    ) -> Result<(), Fault>;

    /// Removes a name of no directory.
    fn remove_file(&self, directory: &Self::Directory, name: &str) -> Result<(), Fault>;

    /// Removes an empty directory.
    fn remove_directory(&self, directory: &Self::Directory, name: &str) -> Result<(), Fault>;

    /// Describes an open directory.
    fn stat_directory(&self, directory: &Self::Directory) -> Result<Stat, Fault>;

    /// Describes an open file.
    fn stat_file(&self, file: &Self::File) -> Result<Stat, Fault>;

    /// Reads at most `length` bytes; none at the end of the file.
    fn read_at(&self, file: &Self::File, offset: u64, length: usize) -> Result<Vec<u8>, Fault>;

    /// Writes at least one of `bytes`. Returns the number.
    fn write_at(&self, file: &Self::File, offset: u64, bytes: &[u8]) -> Result<usize, Fault>;

    /// Truncates a file, or extends it with zeros.
    fn set_size(&self, file: &Self::File, size: u64) -> Result<(), Fault>;

    /// Makes the content of a file survive a loss of power.
    fn sync_file(&self, file: &Self::File) -> Result<(), Fault>;

    /// Makes the names in a directory survive a loss of power.
    fn sync_directory(&self, directory: &Self::Directory) -> Result<(), Fault>;

    /// A number that two open files share exactly if they are one file.
    fn identity(&self, file: &Self::File) -> Result<u128, Fault>;

    /// The same of a name, without opening it; a link has its own.
    fn identity_at(&self, directory: &Self::Directory, name: &str) -> Result<u128, Fault>;

    /// The same of an open directory.
    fn directory_identity(&self, directory: &Self::Directory) -> Result<u128, Fault>;

    /// The position of an open directory in the policy; none without a policy.
    fn standpoint(&self, _directory: &Self::Directory) -> Option<PolicyPosition> {
        None
    }

    /// The rule that keeps a new name out of a directory because of the directory's content.
    fn kept_apart(&self, _directory: &Self::Directory, _name: &str) -> Result<Option<RuleId>, Fault> {
        Ok(None)
    }

    /// 128 unpredictable bits.
    fn random(&self) -> u128;

    /// A monotonic clock with an arbitrary start.
    fn now(&self) -> Duration;

    /// The time since 1970. All programs of a machine share it, and it can be set.
    fn wall(&self) -> Duration;

    /// Waits, by [`Volume::now`].
    fn pause(&self, time: Duration);

    /// The abilities of this volume.
    fn abilities(&self) -> Abilities;
}

/// The differences between volumes. The file system below may still refuse with
/// [`Fault::Unsupported`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Abilities {
    /// The host takes `\` in a name for a separator, so such names are refused.
    pub backslash_separates: bool,
    /// A file can have a second name.
    pub links: bool,
    /// A rename between two grants can work.
    pub moves_across: bool,
    /// Syncing has an effect.
    pub sync: bool,
    /// A handle keeps its object when names change.
    pub stable_identity: bool,
    /// A new object can have the permissions of another one.
    pub keeps_modes: bool,
}

/// The description of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    /// File, directory, link or another kind.
    pub kind: Kind,
    /// Size in bytes.
    pub size: u64,
    /// Last change of the content since 1970, if the volume knows it.
    pub modified: Option<Duration>,
    /// The link count of a file; 1 if unknown. Without meaning for a directory.
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
    /// A name and its kind; a link itself.
    Name(&'a str, Kind),
    /// A name that is not UTF-8, out of reach of all calls.
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
    /// The volume refuses the operation or its target on principle.
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
    /// The file exceeds this size limit of the policy, or would.
    OverLimit(u64),
    /// Any other failure, in the host's words.
    Io(String),
}

impl Fault {
    /// True for a refusal that can end: permissions, another owner, a read-only mount, a mount over
    /// a directory, another program.
    pub fn is_obstacle(&self) -> bool {
        matches!(self, Self::Access | Self::NotPermitted | Self::ReadOnly | Self::CrossDevice | Self::Busy)
    }

    /// True if the name does not or cannot exist.
    pub fn is_absence(&self) -> bool {
        matches!(self, Self::NotFound | Self::NameTooLong | Self::InvalidName)
    }
}

/// Refuses a name that is not single.
pub fn single(name: &str) -> Result<(), Fault> {
    let is_single = !matches!(name, "" | "." | "..") && !name.contains(['/', '\0']);
    if is_single { Ok(()) } else { Err(Fault::InvalidName) }
}
