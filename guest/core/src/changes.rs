//! Changes as values: what a tool wants written, and the state that it has seen.
//!
//! A tool returns them; only [`crate::apply`] carries them out. So a call without `apply` is a dry run, and
//! no tool can forget a check that stands there.

use crate::resolve::Place;
use crate::volume::{Stat, Volume};

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
