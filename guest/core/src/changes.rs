//! Changes as values: what a tool wants written, and the state that it has seen.
//!
//! A tool returns them; only [`crate::apply`] carries them out. So a call without `apply` is a dry run, and
//! no tool can forget a check that stands there.

use crate::descent::Census;
use crate::resolve::{Folder, Place};
use crate::volume::{Kind, Stat, Volume};

/// The changes of one call, in order.
pub struct Changes<V: Volume>(pub Vec<Change<V>>);

/// One change and its precondition.
pub enum Change<V: Volume> {
    /// A new file; nothing may have its name.
    Create {
        /// Where.
        place: Place<V>,
        /// Its content.
        content: Vec<u8>,
    },
    /// Other bytes in the place of some bytes of an existing file.
    Splice {
        /// Which file.
        place: Place<V>,
        /// What it was when it was read. It must still be that.
        seen: Stat,
        /// Where the old bytes begin.
        offset: u64,
        /// What was read there. It must still be there.
        old: Old,
        /// The bytes to put in their place.
        new: Vec<u8>,
    },
    /// A new directory; nothing may have its name.
    CreateDirectory {
        /// Where.
        place: Place<V>,
    },
    /// A file's content under another name, or in the place of another file's.
    Copy {
        /// The file.
        source: Place<V>,
        /// What it was.
        seen: Seen,
        /// Its strong tag, if all of it was read.
        etag: Option<String>,
        /// Where its content goes.
        destination: Place<V>,
        /// The file that is overwritten; nothing may have the name if there is none.
        overwritten: Option<Seen>,
    },
    /// A directory and everything in it under another name, but for links and special files.
    CopyTree {
        /// The directory.
        source: Folder<V>,
        /// What it held.
        census: Census,
        /// Where it goes. Nothing may have the name.
        destination: Place<V>,
    },
    /// Another name.
    Move {
        /// What is moved.
        source: Place<V>,
        /// What it was.
        seen: Seen,
        /// The new name.
        destination: Place<V>,
        /// What is replaced; nothing may have the name if there is none.
        replaced: Option<Seen>,
        /// The new name is in another grant, so a copy takes it. That has been said.
        across: bool,
    },
    /// A name less.
    Delete {
        /// Which.
        place: Place<V>,
        /// What it stood for.
        seen: Seen,
    },
    /// A directory less, and all that is in it.
    DeleteTree {
        /// Its name.
        place: Place<V>,
        /// The directory itself.
        directory: V::Directory,
        /// It has to be empty.
        empty: bool,
    },
}

/// What a name stood for when it was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    /// Its kind, its size, its last change.
    pub stat: Stat,
    /// Who it was.
    pub identity: u128,
}

impl Seen {
    /// True if nothing tells that it is another one, or that its content has changed. Names may have come and gone.
    pub fn is_still(&self, stat: &Stat, identity: u128) -> bool {
        let content = |stat: &Stat| (stat.kind, stat.size, stat.modified);
        self.identity == identity
            && match self.stat.kind {
                // What a directory says of itself changes with every name in it.
                Kind::Directory => stat.kind == Kind::Directory,
                _ => content(&self.stat) == content(stat),
            }
    }
}

/// Bytes of a file that are to be replaced, as they were seen.
pub enum Old {
    /// The bytes themselves: a few.
    Bytes(Vec<u8>),
    /// Too many to be held.
    Digest {
        /// How many.
        length: u64,
        /// Their hash.
        hash: blake3::Hash,
    },
}

impl Old {
    /// Number of bytes.
    pub fn len(&self) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::Digest { length, .. } => *length,
        }
    }

    /// There are none: bytes are put in between.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<V: Volume> Changes<V> {
    /// A tool that only looks.
    pub fn none() -> Self {
        Self(Vec::new())
    }
}

impl<V: Volume> From<Change<V>> for Changes<V> {
    fn from(change: Change<V>) -> Self {
        Self(vec![change])
    }
}

/// The bytes that writing a splice writes: those put in place, and, if the length changes, all that move.
pub fn splice_bytes_written(size: u64, offset: u64, old: u64, new: u64) -> u64 {
    if old == new { new } else { size - offset - old + new }
}
