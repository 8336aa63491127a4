//! A tree as it is found.

use std::collections::BTreeMap;
use std::time::SystemTime;

/// Everything below the root of a case, by path.
pub type Snapshot = BTreeMap<String, Seen>;

/// What stands at one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// What it is.
    pub what: What,
    /// Who it is; on a disk only.
    pub identity: Option<Identity>,
}

/// What a name stands for.
#[derive(Clone, PartialEq, Eq)]
pub enum What {
    /// A file and its content.
    File(Vec<u8>),
    /// A link and its target.
    Link(String),
    /// A directory.
    Directory,
    /// Anything else.
    Special,
}

/// What a change may not touch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// Number of the inode.
    pub inode: u64,
    /// Permission bits.
    pub mode: u32,
    /// Number of names.
    pub links: u64,
    /// Last change of the content.
    pub modified: SystemTime,
}

impl std::fmt::Debug for What {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        /// Longer content is cut off: a test's output is read by people.
        const SHOWN: usize = 400;
        match self {
            Self::File(bytes) if bytes.len() > SHOWN => {
                write!(f, "file of {} bytes, \"{}\"…", bytes.len(), bytes[..SHOWN].escape_ascii())
            }
            Self::File(bytes) => write!(f, "file \"{}\"", bytes.escape_ascii()),
            Self::Link(target) => write!(f, "link -> {target:?}"),
            Self::Directory => f.write_str("directory"),
            Self::Special => f.write_str("special file"),
        }
    }
}
