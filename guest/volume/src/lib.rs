//! The file system that a tool needs, in handles and single names.
//!
//! A volume never sees a path. It sees a directory handle that it gave out itself, and one name in
//! that directory. It follows no link. The resolution of paths is built from these pieces, so no
//! host is trusted to keep a path inside its grant. Every volume refuses a name that is no single
//! name, with [`Fault::InvalidName`]. `laws.rs` tries on each volume what all of them have in
//! common.

#![forbid(unsafe_code)]

use std::fmt::Debug;
use std::ops::ControlFlow;
use std::time::Duration;

use fsgate_contract::types::SpecialKind;
use fsgate_policy::RuleId;
use fsgate_policy::Standpoint;

pub mod answers;
pub mod bytes;
pub mod clock;
pub mod etag;
pub mod grant;
pub mod guard;
#[doc(hidden)]
pub mod laws;
pub mod memory;
mod seen;
pub mod settings;

pub use fsgate_policy::start::Access;
pub use seen::Seen;

/// The name of the preopened directory that fsgate's own host hands in for [`Volume::create_like`]. No grant and no state
/// directory can have it. It holds nothing: to link something open into it gives the next new thing its permissions.
pub const LIKENESS: &str = "/.fsgate/.fsgate/likeness";

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

    /// Tells `sink` every name in a directory, in no particular order, until it breaks off. `.` and `..` are not among
    /// them. An entry that cannot be looked at hides no other one: its fault is the answer after all others were told.
    fn each_entry(
        &self,
        directory: &Self::Directory,
        sink: &mut dyn FnMut(Listed<'_>) -> ControlFlow<()>,
    ) -> Result<(), Fault>;

    /// Opens a directory; a link is refused.
    fn open_directory(&self, directory: &Self::Directory, name: &str) -> Result<Self::Directory, Fault>;

    /// Opens an existing regular file; a link is refused.
    fn open_file(&self, directory: &Self::Directory, name: &str, access: Access)
    -> Result<Self::File, Fault>;

    /// Opens a directory to remove what is in it. A volume that can tell refuses with
    /// [`Fault::Access`] a directory whose names may not be changed.
    fn open_directory_to_empty(
        &self,
        directory: &Self::Directory,
        name: &str,
    ) -> Result<Self::Directory, Fault> {
        self.open_directory(directory, name)
    }

    /// Creates a file that must not exist yet, open for writing.
    fn create_file(&self, directory: &Self::Directory, name: &str) -> Result<Self::File, Fault>;

    /// Creates a file that must not exist yet, open for writing, with the permissions of `source`. They are never wider,
    /// not even for a moment. [`Fault::Unsupported`] where the volume cannot do that; then nothing is created.
    fn create_like(
        &self,
        directory: &Self::Directory,
        name: &str,
        source: &Self::File,
    ) -> Result<Self::File, Fault>;

    /// Creates a directory that must not exist yet.
    fn create_directory(&self, directory: &Self::Directory, name: &str) -> Result<(), Fault>;

    /// Creates a directory that must not exist yet, with the permissions of `source`. Its owner can always list, enter and
    /// change it, so that it can be filled and removed again. [`Fault::Unsupported`] as for files.
    fn create_directory_like(
        &self,
        directory: &Self::Directory,
        name: &str,
        source: &Self::Directory,
    ) -> Result<(), Fault>;

    /// Where a link points, as it was written. [`Fault::Unsupported`] for what is no link.
    fn read_link(&self, directory: &Self::Directory, name: &str) -> Result<String, Fault>;

    /// Gives a file a second name, which must not exist yet. [`Fault::Unsupported`] where the volume has no such thing.
    fn link_file(
        &self,
        from: &Self::Directory,
        name: &str,
        to: &Self::Directory,
        new_name: &str,
    ) -> Result<(), Fault>;

    /// Gives what has a name another one instead, at once. What the new name stood for is replaced: a file by a file,
    /// an empty directory by a directory. [`Fault::IntoItself`] for a directory that would move into itself.
    fn rename(
        &self,
        from: &Self::Directory,
        name: &str,
        to: &Self::Directory,
        new_name: &str,
    ) -> Result<(), Fault>;

    /// Removes a name that is not a directory.
    fn remove_file(&self, directory: &Self::Directory, name: &str) -> Result<(), Fault>;

    /// Removes an empty directory.
    fn remove_directory(&self, directory: &Self::Directory, name: &str) -> Result<(), Fault>;

    /// What an open directory is now.
    fn stat_directory(&self, directory: &Self::Directory) -> Result<Stat, Fault>;

    /// What an open file is now.
    fn stat_file(&self, file: &Self::File) -> Result<Stat, Fault>;

    /// Reads at most `length` bytes; an empty answer is the end of the file.
    fn read_at(&self, file: &Self::File, offset: u64, length: usize) -> Result<Vec<u8>, Fault>;

    /// Writes some of `bytes`, at least one, and says how many.
    fn write_at(&self, file: &Self::File, offset: u64, bytes: &[u8]) -> Result<usize, Fault>;

    /// Cuts a file off, or fills it up with zeros.
    fn set_size(&self, file: &Self::File, size: u64) -> Result<(), Fault>;

    /// Returns when a file's content will survive a loss of power.
    fn sync_file(&self, file: &Self::File) -> Result<(), Fault>;

    /// Returns when the names in a directory will survive a loss of power.
    fn sync_directory(&self, directory: &Self::Directory) -> Result<(), Fault>;

    /// A number that two open files share exactly if they are the same file.
    fn identity(&self, file: &Self::File) -> Result<u128, Fault>;

    /// The same of what a name stands for, without opening it; a link has one of its own.
    fn identity_at(&self, directory: &Self::Directory, name: &str) -> Result<u128, Fault>;

    /// The same of an open directory.
    fn directory_identity(&self, directory: &Self::Directory) -> Result<u128, Fault>;

    /// Where an open directory lies, as a policy sees it; none where there is no policy to be asked.
    fn standpoint(&self, _directory: &Self::Directory) -> Option<Standpoint> {
        None
    }

    /// The policy's rule that keeps a new name out of a directory because of what the directory has
    /// already.
    fn kept_apart(&self, _directory: &Self::Directory, _name: &str) -> Result<Option<RuleId>, Fault> {
        Ok(None)
    }

    /// 128 bits that nobody can predict.
    fn random(&self) -> u128;

    /// A clock that never goes back, from an arbitrary start.
    fn now(&self) -> Duration;

    /// The time of day, since 1970. It is the same for all programs of a machine, and may be set while they run.
    fn wall(&self) -> Duration;

    /// Returns when some time has passed, by [`Volume::now`].
    fn pause(&self, time: Duration);

    /// What this volume can and cannot do.
    fn abilities(&self) -> Abilities;
}

/// What volumes differ in. These are claims: the file system below may still refuse with [`Fault::Unsupported`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Abilities {
    /// The host takes `\` inside a name for a separator, so such names are refused.
    pub backslash_separates: bool,
    /// A file can have a second name.
    pub links: bool,
    /// A rename from one grant to another can work, where both are volumes of this kind.
    pub moves_across: bool,
    /// What was synced is on the disk; otherwise syncing does nothing.
    pub sync: bool,
    /// A handle stays with what it was opened for, whatever happens to names.
    pub stable_identity: bool,
    /// A new file or directory can have the permissions of another one.
    pub keeps_modes: bool,
}

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    /// File, directory, link or something else.
    pub kind: Kind,
    /// Size in bytes.
    pub size: u64,
    /// Last change of the content, since 1970; none where the volume does not say.
    pub modified: Option<Duration>,
    /// How many names a file has; 1 where the volume cannot tell. Of a directory it says nothing.
    pub links: u64,
}

impl Stat {
    /// How many names it has, as far as that is known.
    pub fn names(&self) -> u64 {
        if self.kind == Kind::Directory { 1 } else { self.links }
    }
}

/// An entry of a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listed<'a> {
    /// A name and what it stands for; a link is told itself.
    Name(&'a str, Kind),
    /// A name that is not UTF-8, so that no call can reach it.
    Undecodable,
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
    /// The file would be larger than the file system allows.
    FileTooLarge,
    /// The name is too long.
    NameTooLong,
    /// It is in use.
    Busy,
    /// The time for the call is over.
    Deadline,
    /// The two names are on different devices.
    CrossDevice,
    /// The name is not one that this volume can hold.
    InvalidName,
    /// The volume cannot do this at all.
    Unsupported,
    /// The rule of this name forbids it.
    Denied(String),
    /// The file is larger than the policy allows, or would be: the most that it may have.
    OverLimit(u64),
    /// Anything else, in the host's words.
    Io(String),
}

impl Fault {
    /// Something outside refuses the change and may stop doing so: permissions, another owner, a
    /// read-only mount, a mount over a directory, another program.
    pub fn is_obstacle(&self) -> bool {
        matches!(self, Self::Access | Self::NotPermitted | Self::ReadOnly | Self::CrossDevice | Self::Busy)
    }

    /// Nothing has the name: nothing can have it, or nothing does.
    pub fn is_absence(&self) -> bool {
        matches!(self, Self::NotFound | Self::NameTooLong | Self::InvalidName)
    }
}

/// Refuses what is not one name in a directory: every volume begins with it.
pub fn single(name: &str) -> Result<(), Fault> {
    let is_single = !matches!(name, "" | "." | "..") && !name.contains(['/', '\0']);
    if is_single { Ok(()) } else { Err(Fault::InvalidName) }
}
