//! Changes as values. Tools return them; only [`crate::apply`] carries them out.

use crate::resolve::{Folder, Place};
use fsgate_contract::id::Id;
use fsgate_contract::limits::CHUNK_BYTES;
use fsgate_error::{Failure, NamedEntry};
use fsgate_journal::namespace::StateId;
use fsgate_journal::record::Object;
use fsgate_journal::tree_walk::Census;
use fsgate_volume::{Seen, Stat, Volume};

pub(crate) type Planned<V, O> = Result<(O, Vec<Change<V>>), Failure>;

/// The plan of an operation. A reading one returns its outcome alone and can plan no change.
pub trait Plan<V: Volume, O> {
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
    /// A new file under a free name.
    Create {
        place: Place<V>,
        content: Vec<u8>,
        /// The file that its content comes from, if any.
        like: Option<Like<V>>,
    },
    /// An object from the trash, under a free name.
    Return {
        place: Place<V>,
        object: Object,
        /// The state directory, and the name in its trash.
        from: (StateId, Id),
    },
    /// New bytes for a range of a file.
    Splice {
        place: Place<V>,
        /// The state that must still hold.
        seen: Stat,
        offset: u64,
        /// The bytes that must still exist.
        old: Old,
        new: New,
        tags: Tags,
    },
    /// A new directory under a free name.
    CreateDirectory { place: Place<V> },
    /// A copy of a file, under a free name or over another file.
    Copy {
        source: Place<V>,
        seen: Seen,
        etag: Option<String>,
        destination: Place<V>,
        /// The overwritten file, if the name is not free.
        overwritten: Option<Seen>,
        /// True if missing directories get the permissions of those around the source.
        with_directories: bool,
    },
    /// A copy of a directory tree under a free name, without links and special files.
    CopyTree { source: Folder<V>, census: Census, destination: Place<V> },
    /// A rename.
    Move {
        source: Place<V>,
        seen: Seen,
        destination: Place<V>,
        /// The replaced object, if the name is not free.
        replaced: Option<Seen>,
        /// True if a copy takes the new name, in another grant.
        across: bool,
    },
    /// A deletion of one name.
    Delete { place: Place<V>, seen: Seen, keep: Keep },
    /// A deletion of a directory with its contents.
    DeleteTree {
        place: Place<V>,
        directory: V::Directory,
        /// Its contents; none if it has to be empty.
        census: Census,
        keep: Keep,
    },
    /// The inverse of a recorded change.
    Undo {
        record: Id,
        change: Box<Self>,
        /// The entry that a refusal names.
        entry: Option<NamedEntry>,
    },
    /// The same for a record whose inverse depends on earlier changes of this call.
    ThenUndo {
        state: StateId,
        record: Id,
        /// The trash entry of the deleted object, if not under the record's id.
        trash_entry: Option<(StateId, Id)>,
        /// The only file that changes.
        file: Option<String>,
        /// Bytes to keep for another undo.
        keeps: u64,
        /// The state directories that record it.
        into: Vec<StateId>,
        /// The entry that a refusal names.
        entry: Option<NamedEntry>,
    },
    /// A named place in the history.
    Checkpoint { label: String },
    /// A removal of records and their content.
    Forget { records: Vec<(StateId, Id)> },
}

/// The use of the trash for an object that loses its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// It is lost.
    Never,
    /// The trash keeps it if it has room.
    IfRoom,
    /// The trash must keep it: the call did not name this object.
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
    Bytes(Vec<u8>),
    /// Bytes that a record keeps.
    Recorded {
        state: StateId,
        record: Id,
        /// Their offset in its body.
        at: u64,
        length: u64,
    },
}

impl New {
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
    /// The strong tag after, or the tag of the new bytes.
    pub after: Option<String>,
    /// True if the history must keep all of the old content.
    pub whole: bool,
}

impl<V: Volume> Change<V> {
    /// The change that undoes a record.
    pub fn undo(record: Id, change: Self) -> Self {
        Self::Undo { record, change: Box::new(change), entry: None }
    }

    /// The same change, whose refusal names an entry.
    pub fn of_entry(mut self, named: Option<NamedEntry>) -> Self {
        if let Self::Undo { entry, .. } | Self::ThenUndo { entry, .. } = &mut self {
            *entry = named;
        }
        self
    }

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
            Self::Undo { change, .. } => change.place_mut(),
            Self::ThenUndo { .. } | Self::Checkpoint { .. } | Self::Forget { .. } => None,
        }
    }
}

/// A file whose permissions a new file gets.
pub struct Like<V: Volume> {
    pub place: Place<V>,
    pub seen: Seen,
    /// True if the new file takes its place.
    pub is_moved: bool,
}

/// The replaced bytes, as the tool has read them.
pub enum Old {
    Bytes(Vec<u8>),
    /// The hash of many.
    Digest {
        length: u64,
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

/// The written bytes: the new ones, and all after them if the length changes.
pub(crate) fn splice_bytes_written(size: u64, offset: u64, old: u64, new: u64) -> u64 {
    if old == new { new } else { size - offset - old + new }
}
