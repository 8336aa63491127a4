//! A journaled change: what it is, and the bytes that take it back or finish it.

use serde::{Deserialize, Serialize};

use super::Id;
use super::scope::Scope;
use crate::descent::Census;
use fsgate_contract::path::absolute;
use fsgate_volume::{Kind, Stat};

/// What stands at the head of a record's file, as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// Who it is. It stands before the header.
    #[serde(skip, default = "nobody")]
    pub id: Id,
    /// The group that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<Member>,
    /// The session that made the change.
    pub session: Id,
    /// The operation that was called.
    pub tool: String,
    /// The record of the change that this one takes back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undoes: Option<Id>,
    /// It was to survive a loss of power: whoever finds it half done knows then what that leaves, and takes as much care.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub power: bool,
    /// The rules and grants of the session. Records of state format 2 have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// The change.
    pub action: Action,
}

/// No id is that one.
fn nobody() -> Id {
    Id(0)
}

impl Record {
    /// Stands for a record that is lost.
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

    /// Whose records tell how it comes to its end: that of its group, and the one under whose id it lay in the trash.
    pub fn needs(&self) -> impl Iterator<Item = Id> {
        let from = match &self.action {
            Action::Create(create) => create.from,
            _ => None,
        };
        self.group.map(|group| group.id).into_iter().chain(from)
    }
}

/// Which group a record belongs to.
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
    /// Other bytes in the place of some bytes of an existing file.
    Splice(Splice),
    /// A name more.
    Create(Create),
    /// A name less.
    Remove(Remove),
    /// Another name.
    Move(Move),
    /// Several changes that are one. It is in `done/` as soon as all of them are to stand.
    Group {
        /// The state directories that hold its members: who has not all of them open has not all of it. Of a group that does
        /// not say so nobody knows where all of it is.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        states: Vec<Id>,
    },
    /// No change: a place in the history that has a name.
    Checkpoint {
        /// The name.
        label: String,
        /// The directories that were granted for writing to whoever gave it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        roots: Vec<Root>,
    },
    /// No change: a remark that logs of state format 2 have, or a record that is lost.
    #[serde(alias = "trace", alias = "pruned")]
    Remark,
}

/// A granted directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Root {
    /// Its name.
    pub grant: String,
    /// Who it is.
    pub identity: Id,
}

impl Action {
    /// Bytes that stand behind the record until the change does.
    pub(crate) fn moved(&self) -> u64 {
        if let Self::Splice(splice) = self { splice.moved } else { 0 }
    }

    /// True for what holds several changes together.
    pub fn is_group(&self) -> bool {
        matches!(self, Self::Group { .. })
    }

    /// True for a change that makes a directory.
    pub fn makes_directory(&self) -> bool {
        matches!(self, Self::Create(create) if create.object.is_directory())
    }

    /// The old and the new location of something that gets another name, or is copied in a group
    /// that removes the original.
    pub fn led(&self) -> Option<(&Location, &Location)> {
        match self {
            Self::Move(moved) => Some((&moved.from, &moved.to)),
            Self::Create(create) => create.source.as_ref().map(|source| (&source.at, &create.at)),
            _ => None,
        }
    }

    /// Where that lay which it has put into the trash.
    pub fn put_away(&self) -> Option<&Location> {
        match self {
            Self::Remove(remove) => Some(&remove.at),
            Self::Move(moved) if moved.replaced.is_some() => Some(&moved.to),
            _ => None,
        }
    }

    /// Where names and contents are changed.
    pub fn locations(&self) -> Vec<&Location> {
        match self {
            Self::Splice(splice) => vec![&splice.at],
            Self::Create(create) => vec![&create.at],
            Self::Remove(remove) => vec![&remove.at],
            Self::Move(moved) => vec![&moved.from, &moved.to],
            Self::Group { .. } | Self::Checkpoint { .. } | Self::Remark => Vec::new(),
        }
    }

    /// The path that it is about, or the first one.
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
    /// The path, absolute.
    pub fn path(&self) -> String {
        let names = self.grant.split('/').filter(|name| !name.is_empty());
        let inside = self.above.iter().chain(&self.below).chain([&self.name]).map(String::as_str);
        absolute(names.chain(inside))
    }

    /// The number of names that lead from the grant to a directory on the path; none if no
    /// directory on the path is known to be that one.
    pub(crate) fn depth_of(&self, directory: Id) -> Option<usize> {
        let last = self.above.len();
        let between = self.between.iter().copied().take(last.saturating_sub(1)).zip(1..);
        let inner = (last > 0).then_some((self.directory, last));
        between.chain(inner).find(|(id, _)| *id == directory).map(|(_, depth)| depth)
    }
}

/// Where a name is: enough to find it again, and to notice that it is another place by now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Location {
    /// The name of the grant.
    pub grant: String,
    /// The identity of the grant's directory.
    pub root: Id,
    /// The names from there to a directory that was there before the change.
    pub above: Vec<String>,
    /// The identities of those in between, in the same order: one less than there are names. A gate to one of them knows by it
    /// that the location lies in what is granted there, and by which names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub between: Vec<Id>,
    /// The identity of that directory.
    pub directory: Id,
    /// Directories between it and the name. The change may have made them.
    pub below: Vec<String>,
    /// The name itself.
    pub name: String,
}

/// Other bytes in the place of some bytes of an existing file. The record's body is first the old bytes, from `from` on
/// and `kept` long, then the new ones, `new` long. Where the length changes, what stands behind the old bytes moves: it is needed until that is done and
/// not afterwards, so it stands behind the record, `moved` long, where the next record is written over it. In a group, whose records follow one another,
/// it is among the old bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Splice {
    /// The file.
    pub at: Location,
    /// Which file it is.
    pub identity: Id,
    /// Its size before.
    pub size: u64,
    /// Where the bytes that are replaced begin.
    pub offset: u64,
    /// How many they are.
    pub old: u64,
    /// How many come instead.
    pub new: u64,
    /// Where the old bytes of the body begin: at `offset`, or at 0 where all of the file is kept.
    pub from: u64,
    /// How many old bytes there are: at least those that are replaced.
    pub kept: u64,
    /// How many bytes behind these move, and stand behind the record until that is done.
    #[serde(default)]
    pub moved: u64,
    /// The strong tag before, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag_before: Option<String>,
    /// The tag after: a strong one, or that of the new bytes alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
}

impl Splice {
    /// The size after.
    pub fn size_after(&self) -> u64 {
        self.size.saturating_sub(self.old).saturating_add(self.new)
    }

    /// Where in the body the bytes begin that are replaced.
    pub fn replaced(&self) -> u64 {
        self.offset.saturating_sub(self.from)
    }

    /// True if the numbers fit together, with a body of that length. Those of no record of ours do not.
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

    /// True if all of the old content is kept.
    pub fn is_whole(&self) -> bool {
        self.from == 0 && self.kept == self.size
    }
}

/// A name more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Create {
    /// The name. The directories `below` were made if they were missing.
    pub at: Location,
    /// How many of these directories were missing.
    pub made: u32,
    /// What it stands for.
    pub object: Object,
    /// The strong tag of a file, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
    /// It comes out of the trash, where it lies under this id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Id>,
    /// How many names it had there, as of what a [`Move`] moves, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub links: Option<u64>,
    /// It is a copy of what is taken away by the same group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
}

/// What a copy was made of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Its name.
    pub at: Location,
    /// Who it is.
    pub identity: Id,
}

/// A name less.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remove {
    /// The name.
    pub at: Location,
    /// What it stood for.
    pub object: Object,
    /// Who that was.
    pub identity: Id,
    /// How it is kept, in the trash under the record's id.
    pub kept: Kept,
}

/// Another name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Move {
    /// The old name.
    pub from: Location,
    /// The new name. The directories `below` were made if they were missing.
    pub to: Location,
    /// How many of these directories were missing.
    pub made: u32,
    /// What is moved.
    pub object: Object,
    /// Who that is.
    pub identity: Id,
    /// How many names that had before it was given one more, for as long as it takes to take the old one away, if that is known. By
    /// that is told whether it has it still, whatever it is called by then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub links: Option<u64>,
    /// What had the new name before, kept in the trash under the record's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaced: Option<Replaced>,
}

/// What was replaced by a move.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replaced {
    /// What it is.
    pub object: Object,
    /// Who it is.
    pub identity: Id,
    /// How many names it had, before that in the trash, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub links: Option<u64>,
}

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Object {
    /// A file.
    File {
        /// Its size in bytes.
        size: u64,
    },
    /// A directory without anything in it.
    Directory,
    /// A directory with something in it.
    Tree {
        /// Names in it.
        names: u64,
        /// Bytes of its files.
        bytes: u64,
    },
    /// A link.
    Link,
    /// Anything else.
    Special,
}

impl Object {
    /// What a name stands for that is no directory with something in it.
    pub fn of(stat: &Stat) -> Self {
        match stat.kind {
            Kind::File => Self::File { size: stat.size },
            Kind::Directory => Self::Directory,
            Kind::Link => Self::Link,
            Kind::Special(_) => Self::Special,
        }
    }

    /// A directory with so much in it.
    pub fn tree(census: &Census) -> Self {
        match census.names() {
            0 => Self::Directory,
            names => Self::Tree { names, bytes: census.bytes },
        }
    }

    /// The copy of such a directory: links and special files are not copied.
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

    /// True for a directory of either kind.
    pub fn is_directory(self) -> bool {
        matches!(self, Self::Directory | Self::Tree { .. })
    }
}

/// How something that has lost its name is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kept {
    /// It was moved to the trash itself.
    Moved,
    /// A copy of it was made: the trash is on another file system.
    Copied,
    /// It is not kept.
    Not,
}
