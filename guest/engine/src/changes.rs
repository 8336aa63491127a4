//! Changes as values: what a tool wants written, and the state that it has seen.
//!
//! A tool returns them; only [`crate::apply`] carries them out. So a call without `apply` is a dry run, and
//! no tool can forget a check that stands there.

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
        /// Where.
        place: Place<V>,
        /// Its content.
        content: Vec<u8>,
        /// The file that its content comes from, if there is one.
        like: Option<Like<V>>,
    },
    /// Something out of the trash; nothing may have its name.
    Return {
        /// Where.
        place: Place<V>,
        /// What it is.
        object: Object,
        /// The state directory that it lies in, and its name there.
        from: (StateId, Id),
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
        new: New,
        /// The states before and after.
        tags: Tags,
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
        /// Whether it goes to the trash, as far as there is one.
        keep: Keep,
    },
    /// A directory less, and all that is in it.
    DeleteTree {
        /// Its name.
        place: Place<V>,
        /// The directory itself.
        directory: V::Directory,
        /// What is in it: nothing, if it has to be empty.
        census: Census,
        /// Whether it goes to the trash, as far as there is one.
        keep: Keep,
    },
    /// A change that takes back another one.
    TakeBack {
        /// The record of the other one.
        record: Id,
        /// The change.
        change: Box<Self>,
    },
    /// The same for a record whose own look is only possible when the changes before this one stand.
    ThenTakeBack {
        /// The state directory that holds the record.
        state: StateId,
        /// The record.
        record: Id,
        /// Where that may lie in the trash which the record has put there, if not under its own id.
        lies: Option<(StateId, Id)>,
        /// The file that comes to be different, unless it is more than one.
        file: Option<String>,
        /// Bytes that have to be kept so that it can be taken back itself.
        keeps: u64,
        /// The state directories that it is written down in.
        into: Vec<StateId>,
    },
    /// A place in the history that has a name.
    Checkpoint {
        /// The name.
        label: String,
    },
    /// Records less, with what they keep.
    Forget {
        /// Which, and where.
        records: Vec<(StateId, Id)>,
    },
}

/// What becomes of something that loses its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// It is gone for good.
    Never,
    /// It goes to the trash, if there is one that has room for it.
    IfRoom,
    /// It goes to the trash, or stays where it is: nobody has said that just this may go.
    Always,
}

impl Keep {
    /// As far as there is room, if that is wanted.
    pub fn if_wanted(wanted: bool) -> Self {
        if wanted { Self::IfRoom } else { Self::Never }
    }
}

/// Bytes that are put in the place of others.
pub enum New {
    /// These.
    Bytes(Vec<u8>),
    /// Some that a record keeps.
    Recorded {
        /// The state directory that holds it.
        state: StateId,
        /// The record.
        record: Id,
        /// Where in its body they begin.
        at: u64,
        /// How many they are.
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

    /// There are none: bytes are taken out.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// What a splice makes of a file's state.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tags {
    /// The strong tag before, where it is known.
    pub before: Option<String>,
    /// The tag after: a strong one, or that of the new bytes.
    pub after: Option<String>,
    /// All of the old content is to be kept, not only what is needed to take the change back, and in any case.
    pub whole: bool,
}

impl<V: Volume> Change<V> {
    /// The place that it changes, if it changes one that is known already.
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
    /// The new file takes its place.
    pub is_moved: bool,
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
    /// These bytes, or, where there are many, their hash.
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

    /// There are none: bytes are put in between.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The bytes that writing a splice writes: those put in place, and, if the length changes, all that move.
pub fn splice_bytes_written(size: u64, offset: u64, old: u64, new: u64) -> u64 {
    if old == new { new } else { size - offset - old + new }
}
