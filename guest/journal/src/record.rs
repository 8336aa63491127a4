//! A journaled change, with the bytes that undo or complete it.

use serde::{Deserialize, Serialize};

use super::Id;
use super::scope::RecordScope;
use crate::tree_walk::Census;
use fsgate_contract::path::absolute;
use fsgate_volume::{Kind, Stat};

/// The header of a record, as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// Its id, stored before the header.
    #[serde(skip, default = "nobody")]
    pub id: Id,
    /// The group of the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<Member>,
    /// The session that made the change.
    pub session: Id,
    /// The operation.
    pub tool: String,
    /// The record that this one undoes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undoes: Option<Id>,
    /// The change had to survive a loss of power, so recovery takes the same care.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub power: bool,
    /// The rules and grants of the session. Records of state format 2 have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<RecordScope>,
    /// The change.
    pub action: Action,
}

fn nobody() -> Id {
    Id(0)
}

impl Record {
    pub(crate) fn lost(id: Id) -> Self {
        Self {
            id,
            group: None,
            session: Id(0),
            tool: String::new(),
            undoes: None,
            power: false,
            scope: None,
            action: Action::Remark,
        }
    }

    /// The ids of records that recovery needs for this one: that of its group, and that of its
    /// trash entry.
    pub fn needs(&self) -> impl Iterator<Item = Id> {
        let from = match &self.action {
            Action::Create(create) => create.from,
            _ => None,
        };
        self.group.map(|group| group.id).into_iter().chain(from)
    }
}

/// The group of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// The record of the group.
    pub id: Id,
    /// The identity of the state directory that holds it.
    pub state: Id,
}

/// A change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Action {
    /// Replaced bytes of an existing file.
    Splice(Splice),
    /// A new name.
    Create(Create),
    /// A removed name.
    Remove(Remove),
    /// A changed name.
    Move(Move),
    /// Several changes that commit together.
    Group {
        /// The state directories of its members: without all of them, the group is incomplete. Old
        /// records may not list them.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        states: Vec<Id>,
    },
    /// A named place in the history, without a change.
    Checkpoint {
        /// The name.
        label: String,
        /// The directories that the session was granted for writing.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        roots: Vec<Root>,
    },
    /// No change: a remark in a log of state format 2, or a lost record.
    #[serde(alias = "trace", alias = "pruned")]
    Remark,
}

/// A granted directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Root {
    /// Its name.
    pub grant: String,
    /// Its identity.
    pub identity: Id,
}

impl Action {
    pub(crate) fn moved(&self) -> u64 {
        if let Self::Splice(splice) = self { splice.moved } else { 0 }
    }

    /// True for a group.
    pub fn is_group(&self) -> bool {
        matches!(self, Self::Group { .. })
    }

    /// True for a change that creates a directory.
    pub fn makes_directory(&self) -> bool {
        matches!(self, Self::Create(create) if create.object.is_directory())
    }

    /// The old and the new path of an object that is moved, or copied in a group that removes the
    /// original.
    pub fn led(&self) -> Option<(&Location, &Location)> {
        match self {
            Self::Move(moved) => Some((&moved.from, &moved.to)),
            Self::Create(create) => create.source.as_ref().map(|source| (&source.at, &create.at)),
            _ => None,
        }
    }

    /// The path of the object that the change puts into the trash.
    pub fn trashed(&self) -> Option<&Location> {
        match self {
            Self::Remove(remove) => Some(&remove.at),
            Self::Move(moved) if moved.replaced.is_some() => Some(&moved.to),
            _ => None,
        }
    }

    /// The paths of the change.
    pub fn locations(&self) -> Vec<&Location> {
        match self {
            Self::Splice(splice) => vec![&splice.at],
            Self::Create(create) => vec![&create.at],
            Self::Remove(remove) => vec![&remove.at],
            Self::Move(moved) => vec![&moved.from, &moved.to],
            Self::Group { .. } | Self::Checkpoint { .. } | Self::Remark => Vec::new(),
        }
    }

    /// Number of names that the change makes, removes or moves, and 1 for a change of content.
    pub fn names(&self) -> u64 {
        match self {
            Self::Splice(_) => 1,
            Self::Create(create) => create.object.names(),
            Self::Remove(remove) => remove.object.names(),
            Self::Move(moved) => moved.object.names(),
            Self::Group { .. } | Self::Checkpoint { .. } | Self::Remark => 0,
        }
    }

    /// The first path of the change.
    pub fn path(&self) -> Option<String> {
        match self {
            Self::Splice(splice) => Some(splice.at.path()),
            Self::Create(create) => Some(create.at.path()),
            Self::Remove(remove) => Some(remove.at.path()),
            Self::Move(moved) => Some(moved.from.path()),
            Self::Group { .. } | Self::Checkpoint { .. } | Self::Remark => None,
        }
    }
}

impl Location {
    /// The absolute path.
    pub fn path(&self) -> String {
        let names = self.grant.split('/').filter(|name| !name.is_empty());
        let inside = self.above.iter().chain(&self.below).chain([&self.name]).map(String::as_str);
        absolute(names.chain(inside))
    }

    /// The number of names from the grant to a directory on the path, if its identity is known.
    pub(crate) fn depth_of(&self, directory: Id) -> Option<usize> {
        let last = self.above.len();
        let between = self.between.iter().copied().take(last.saturating_sub(1)).zip(1..);
        let inner = (last > 0).then_some((self.directory, last));
        between.chain(inner).find(|(id, _)| *id == directory).map(|(_, depth)| depth)
    }
}

/// A recorded path, with the identities that prove that its directories are still the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Location {
    /// The name of the grant.
    pub grant: String,
    /// The identity of the grant's directory.
    pub root: Id,
    /// The names from the grant to a directory that existed before the change.
    pub above: Vec<String>,
    /// The identities of the directories between, one fewer than the names. A session granted one
    /// of them finds the path by it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub between: Vec<Id>,
    /// The identity of that directory.
    pub directory: Id,
    /// Directories between it and the name. The change may have created them.
    pub below: Vec<String>,
    /// The last name.
    pub name: String,
}

/// Replaced bytes of an existing file.
///
/// The body has `kept` old bytes from `from` on, then `new` new bytes. If the length changes, the
/// bytes after the change move. They are needed until commit only, so `moved` of them follow the
/// record and the next record overwrites them. In a group, where the next record follows, they are
/// among the old bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Splice {
    /// The file.
    pub at: Location,
    /// The identity of the file.
    pub identity: Id,
    /// The identity of the state directory. After a change of device numbers it is another one, and
    /// no identity of this record names an object any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<Id>,
    /// The size before.
    pub size: u64,
    /// The offset of the replaced bytes.
    pub offset: u64,
    /// The number of replaced bytes.
    pub old: u64,
    /// The number of new bytes.
    pub new: u64,
    /// The offset of the kept bytes: `offset`, or 0 if the whole file is kept.
    pub from: u64,
    /// The number of kept bytes, at least the replaced ones.
    pub kept: u64,
    /// The number of moved bytes after the record.
    #[serde(default)]
    pub moved: u64,
    /// The strong tag before, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag_before: Option<String>,
    /// The tag after: a strong one, or that of the new bytes alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
    /// The new bytes with bytes around them: their numbers before and behind, and a hash of all.
    /// The widest comes first. They find the change again in a file that was changed since.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub around: Vec<(u64, u64, u64)>,
}

impl Splice {
    /// The size after.
    pub fn size_after(&self) -> u64 {
        self.size.saturating_sub(self.old).saturating_add(self.new)
    }

    /// The offset of the replaced bytes in the body.
    pub fn replaced(&self) -> u64 {
        self.offset.saturating_sub(self.from)
    }

    /// True if the numbers fit together and with a body of that length.
    pub fn is_sound(&self, body: u64) -> bool {
        let sound = || {
            let old_end = self.offset.checked_add(self.old)?;
            let kept_end = self.from.checked_add(self.kept)?;
            let after = self.size.checked_sub(self.old)?.checked_add(self.new)?;
            let is_enough = match self.old == self.new {
                true => kept_end >= old_end && self.moved == 0,
                false => kept_end >= old_end && kept_end.checked_add(self.moved)? == self.size,
            };
            let fits = old_end <= self.size && kept_end <= self.size && self.from <= self.offset;
            Some(fits && is_enough && after < u64::MAX && self.kept.checked_add(self.new)? == body)
        };
        sound().unwrap_or(false)
    }

    /// True if the whole old content is kept.
    pub fn is_whole(&self) -> bool {
        self.from == 0 && self.kept == self.size
    }
}

/// A new name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Create {
    /// The name. Missing directories of `below` were created.
    pub at: Location,
    /// The number of created directories.
    pub made: u32,
    /// The object.
    pub object: Object,
    /// The strong tag of a file, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
    /// The id of the trash entry that the object comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Id>,
    /// Its link count in the trash, as in [`Move`], if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub links: Option<u64>,
    /// The original, if the same group removes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
}

/// The original of a copy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Its name.
    pub at: Location,
    /// Its identity.
    pub identity: Id,
}

/// A removed name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remove {
    /// The name.
    pub at: Location,
    /// The object.
    pub object: Object,
    /// Its identity.
    pub identity: Id,
    /// The way in which the trash keeps it, under the record's id.
    pub kept: Kept,
}

/// A changed name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Move {
    /// The old name.
    pub from: Location,
    /// The new name. Missing directories of `below` were created.
    pub to: Location,
    /// The number of created directories.
    pub made: u32,
    /// The object.
    pub object: Object,
    /// Its identity.
    pub identity: Id,
    /// Its link count before the move, if known. A move adds a link for a moment; the count tells
    /// whether an invisible one is left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub links: Option<u64>,
    /// The replaced object, in the trash under the record's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaced: Option<Replaced>,
}

/// An object that a move replaces.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replaced {
    /// The object.
    pub object: Object,
    /// Its identity.
    pub identity: Id,
    /// Its link count before it went to the trash, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub links: Option<u64>,
}

/// The kind and size of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Object {
    /// A file.
    File {
        /// Its size in bytes.
        size: u64,
    },
    /// An empty directory.
    Directory,
    /// A directory with content.
    Tree {
        /// Names in it.
        names: u64,
        /// Bytes of its files.
        bytes: u64,
    },
    /// A link.
    Link,
    /// Any other kind.
    Special,
}

impl Object {
    /// The object by its metadata; a directory counts as empty.
    pub fn of(stat: &Stat) -> Self {
        match stat.kind {
            Kind::File => Self::File { size: stat.size },
            Kind::Directory => Self::Directory,
            Kind::Link => Self::Link,
            Kind::Special(_) => Self::Special,
        }
    }

    /// A directory with this content.
    pub fn tree(census: &Census) -> Self {
        match census.names() {
            0 => Self::Directory,
            names => Self::Tree { names, bytes: census.bytes },
        }
    }

    /// Its copy, without links and special files.
    pub fn copied(census: &Census) -> Self {
        Self::tree(&Census { links: 0, special: 0, ..*census })
    }

    /// Bytes that it takes in the trash.
    pub fn bytes(self) -> u64 {
        match self {
            Self::File { size } => size,
            Self::Tree { bytes, .. } => bytes,
            Self::Directory | Self::Link | Self::Special => 0,
        }
    }

    /// Number of names that it has, with its own.
    pub fn names(self) -> u64 {
        match self {
            Self::Tree { names, .. } => names.saturating_add(1),
            Self::File { .. } | Self::Directory | Self::Link | Self::Special => 1,
        }
    }

    /// True for a directory of either kind.
    pub fn is_directory(self) -> bool {
        matches!(self, Self::Directory | Self::Tree { .. })
    }
}

/// The way in which the trash keeps a removed object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kept {
    /// Moved there.
    Moved,
    /// Copied there, because the trash is on another file system.
    Copied,
    /// Not kept.
    Not,
}
