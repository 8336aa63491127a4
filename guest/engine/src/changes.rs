//! Changes as values. A tool returns them, and only [`crate::apply`] carries them out, with all checks.

use crate::resolve::{Folder, Place};
use fsgate_contract::id::Id;
use fsgate_contract::limits::CHUNK_BYTES;
use fsgate_error::Failure;
use fsgate_journal::descent::Census;
use fsgate_journal::namespace::StateId;
use fsgate_journal::record::Object;
use fsgate_volume::{Seen, Stat, Volume};

/// An outcome and the changes that bring it about, or the reason to refuse the call.
pub type Planned<V, O> = Result<(O, Vec<Change<V>>), Failure>;

/// The plan of an operation. One that only reads returns its outcome alone, so it can plan no change.
pub trait Plan<V: Volume, O> {
    /// The outcome and the changes.
    fn into_parts(self) -> (O, Vec<Change<V>>);
}

impl<V: Volume, O> Plan<V, O> for O {
    fn into_parts(self) -> (O, Vec<Change<V>>) {
        (self, Vec::new())
    }
}

impl<V: Volume, O> Plan<V, O> for (O, Vec<Change<V>>) {
    fn into_parts(self) -> Self {
        self
    }
}

/// One change and its precondition.
pub enum Change<V: Volume> {
    /// A new file; nothing may have its name.
    Create {
        /// The name.
        place: Place<V>,
        /// Its content.
        content: Vec<u8>,
        /// The file that its content comes from, if any.
        like: Option<Like<V>>,
    },
    /// An object out of the trash; nothing may have its name.
    Return {
        /// The name.
        place: Place<V>,
        /// The kind and size.
        object: Object,
        /// The state directory, and the name in its trash.
        from: (StateId, Id),
    },
    /// New bytes in the place of a range of an existing file.
    Splice {
        /// The file.
        place: Place<V>,
        /// Its state when it was read, which must still hold.
        seen: Stat,
        /// The offset of the old bytes.
        offset: u64,
        /// The bytes that must still be there.
        old: Old,
        /// The new bytes.
        new: New,
        /// The tags before and after.
        tags: Tags,
    },
    /// A new directory; nothing may have its name.
    CreateDirectory {
        /// The name.
        place: Place<V>,
    },
    /// A copy of a file's content, under a free name or over another file.
    Copy {
        /// The file.
        source: Place<V>,
        /// Its state when it was looked at.
        seen: Seen,
        /// Its strong tag, if it was read.
        etag: Option<String>,
        /// The destination.
        destination: Place<V>,
        /// The file that is overwritten. Without one, the name must be free.
        overwritten: Option<Seen>,
    },
    /// A copy of a directory with its directories and files, under a free name.
    CopyTree {
        /// The directory.
        source: Folder<V>,
        /// Its contents when they were counted.
        census: Census,
        /// The destination.
        destination: Place<V>,
    },
    /// A rename.
    Move {
        /// The old name.
        source: Place<V>,
        /// Its state when it was looked at.
        seen: Seen,
        /// The new name.
        destination: Place<V>,
        /// The object that is replaced. Without one, the name must be free.
        replaced: Option<Seen>,
        /// True if the new name is in another grant, so that a copy takes it.
        across: bool,
    },
    /// A deletion of one name.
    Delete {
        /// The name.
        place: Place<V>,
        /// The object when it was looked at.
        seen: Seen,
        /// Whether the trash keeps it.
        keep: Keep,
    },
    /// A deletion of a directory with its contents.
    DeleteTree {
        /// Its name.
        place: Place<V>,
        /// The directory itself.
        directory: V::Directory,
        /// Its contents; none if it has to be empty.
        census: Census,
        /// Whether the trash keeps it.
        keep: Keep,
    },
    /// The inverse of a recorded change.
    TakeBack {
        /// The record.
        record: Id,
        /// The inverse.
        change: Box<Self>,
    },
    /// The same for a record whose inverse depends on the changes before this one.
    ThenTakeBack {
        /// The state directory that holds the record.
        state: StateId,
        /// The record.
        record: Id,
        /// The trash entry of the object that the record deleted, if its id is not the record's.
        lies: Option<(StateId, Id)>,
        /// The file that changes, if it is only one.
        file: Option<String>,
        /// Bytes that must be kept so that it can be undone itself.
        keeps: u64,
        /// The state directories that record it.
        into: Vec<StateId>,
    },
    /// A named place in the history.
    Checkpoint {
        /// The name.
        label: String,
    },
    /// A removal of records, with the content that they keep.
    Forget {
        /// The records, and their state directories.
        records: Vec<(StateId, Id)>,
    },
}

/// Whether the trash keeps an object that loses its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// It is lost.
    Never,
    /// The trash keeps it if it has room.
    IfRoom,
    /// The trash keeps it, or the change is refused: the call did not name this object.
    Always,
}

impl Keep {
    /// [`Keep::IfRoom`] if the call wants it.
    pub fn if_wanted(wanted: bool) -> Self {
        if wanted { Self::IfRoom } else { Self::Never }
    }
}

/// The new bytes of a splice.
pub enum New {
    /// Bytes in memory.
    Bytes(Vec<u8>),
    /// Bytes that a record keeps.
    Recorded {
        /// Its state directory.
        state: StateId,
        /// The record.
        record: Id,
        /// Their offset in its body.
        at: u64,
        /// Their number.
        length: u64,
    },
}

impl New {
    /// Number of bytes.
    pub fn len(&self) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::Recorded { length, .. } => *length,
        }
    }

    /// True if the splice only removes bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The states of a file before and after a splice.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tags {
    /// The strong tag before, if it is known.
    pub before: Option<String>,
    /// The tag after: a strong one, or that of the new bytes.
    pub after: Option<String>,
    /// True if the history must keep all of the old content.
    pub whole: bool,
}

impl<V: Volume> Change<V> {
    /// The place that it changes, if that is known.
    pub fn place_mut(&mut self) -> Option<&mut Place<V>> {
        match self {
            Self::Create { place, .. }
            | Self::Return { place, .. }
            | Self::Splice { place, .. }
            | Self::CreateDirectory { place }
            | Self::Copy { destination: place, .. }
            | Self::CopyTree { destination: place, .. }
            | Self::Move { destination: place, .. }
            | Self::Delete { place, .. }
            | Self::DeleteTree { place, .. } => Some(place),
            Self::TakeBack { change, .. } => change.place_mut(),
            Self::ThenTakeBack { .. } | Self::Checkpoint { .. } | Self::Forget { .. } => None,
        }
    }
}

/// A file whose permissions a new file gets.
pub struct Like<V: Volume> {
    /// Its place.
    pub place: Place<V>,
    /// Its state when its content was read.
    pub seen: Seen,
    /// True if the new file takes its place.
    pub is_moved: bool,
}

/// The bytes that a splice replaces, as the tool has read them.
pub enum Old {
    /// A few bytes.
    Bytes(Vec<u8>),
    /// The hash of many.
    Digest {
        /// Their number.
        length: u64,
        /// Their hash.
        hash: blake3::Hash,
    },
}

impl Old {
    /// These bytes, or the hash of many.
    pub fn of(bytes: &[u8]) -> Self {
        if bytes.len() <= CHUNK_BYTES {
            Self::Bytes(bytes.to_vec())
        } else {
            Self::Digest { length: bytes.len() as u64, hash: blake3::hash(bytes) }
        }
    }

    /// Number of bytes.
    pub fn len(&self) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::Digest { length, .. } => *length,
        }
    }

    /// True if the splice only inserts bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The bytes that a splice writes: the new ones, and all after them if the length changes.
pub fn splice_bytes_written(size: u64, offset: u64, old: u64, new: u64) -> u64 {
    if old == new { new } else { size - offset - old + new }
}
