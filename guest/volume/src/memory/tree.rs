//! The nodes of a volume in memory, and their names.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::{Fault, Kind, Stat, single};
use fsgate_contract::types::SpecialKind;

/// A node, like an inode on a disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Id(pub(super) usize);

pub(super) struct Tree {
    pub(super) nodes: BTreeMap<Id, Node>,
    next: usize,
    /// The number of changes: the clock of modification times.
    ticks: u64,
    pub(super) random: u64,
    /// The last time of the clock, and its step for each read.
    pub(super) clock: Duration,
    pub(super) clock_step: Duration,
    /// The wall clock at time zero of the other one.
    pub(super) wall: Duration,
    /// The limit for the bytes of all files.
    pub(super) capacity: u64,
    pub(super) ignores_case: bool,
    pub(super) hides_sizes: bool,
}

pub(super) struct Node {
    pub(super) content: Content,
    /// Its link count. Without names it exists for open handles.
    pub(super) links: u64,
    /// Its permission bits. They refuse nothing.
    pub(super) mode: u32,
}

pub(super) const PERMISSIONS: u32 = 0o777;

pub(super) const OWNERS: u32 = 0o700;

/// The modes of new files and directories on most machines.
const FILE_MODE: u32 = 0o644;
const DIRECTORY_MODE: u32 = 0o755;

pub(super) enum Content {
    File { bytes: Vec<u8>, modified: Duration },
    Directory { entries: BTreeMap<String, Id>, undecodable: usize },
    Link(String),
    Special(SpecialKind),
}

pub(super) const ROOT: Id = Id(0);

/// The wall clock of a new tree: a fixed day in 2001.
const WALL: Duration = Duration::from_secs(1_000_000_000);

/// As on Linux.
const NAME_BYTES: usize = 255;

/// A limit, so that a size for a sparse file does not take all memory.
pub(super) const FILE_BYTES: u64 = 4 << 30;

impl Default for Tree {
    fn default() -> Self {
        Self {
            nodes: BTreeMap::from([(
                ROOT,
                Node { content: Content::directory(), links: 1, mode: DIRECTORY_MODE },
            )]),
            next: 1,
            ticks: 0,
            random: 0,
            clock: Duration::ZERO,
            clock_step: Duration::ZERO,
            wall: WALL,
            capacity: u64::MAX,
            ignores_case: false,
            hides_sizes: false,
        }
    }
}

impl Content {
    pub(super) fn directory() -> Self {
        Self::Directory { entries: BTreeMap::new(), undecodable: 0 }
    }

    pub(super) fn kind(&self) -> Kind {
        match self {
            Self::File { .. } => Kind::File,
            Self::Directory { .. } => Kind::Directory,
            Self::Link(_) => Kind::Link,
            Self::Special(kind) => Kind::Special(*kind),
        }
    }
}

impl Tree {
    pub(super) fn tick(&mut self) -> Duration {
        self.ticks += 1;
        Duration::from_secs(self.ticks)
    }

    /// Adds a node without a name.
    pub(super) fn add(&mut self, content: Content) -> Id {
        let id = Id(self.next);
        self.next += 1;
        let mode = if content.kind() == Kind::Directory { DIRECTORY_MODE } else { FILE_MODE };
        self.nodes.insert(id, Node { content, links: 0, mode });
        id
    }

    pub(super) fn set_mode(&mut self, id: Id, mode: u32) {
        if let Some(node) = self.nodes.get_mut(&id) {
            node.mode = mode;
        }
    }

    pub(super) fn content(&self, id: Id) -> Result<&Content, Fault> {
        self.nodes.get(&id).map(|node| &node.content).ok_or(Fault::NotFound)
    }

    pub(super) fn entries(&self, id: Id) -> Result<&BTreeMap<String, Id>, Fault> {
        match self.content(id)? {
            Content::Directory { entries, .. } => Ok(entries),
            _ => Err(Fault::NotDirectory),
        }
    }

    pub(super) fn find(&self, directory: Id, name: &str) -> Result<Id, Fault> {
        single(name)?;
        if name.len() > NAME_BYTES {
            return Err(Fault::NameTooLong);
        }
        self.entries(directory)?.get(&self.spelling(directory, name)).copied().ok_or(Fault::NotFound)
    }

    /// The stored spelling of a name.
    pub(super) fn spelling(&self, directory: Id, name: &str) -> String {
        let known = self.entries(directory).ok().filter(|entries| !entries.contains_key(name));
        let known = known.filter(|_| self.ignores_case);
        let other = known.and_then(|entries| entries.keys().find(|known| known.eq_ignore_ascii_case(name)));
        other.map_or_else(|| name.to_owned(), Clone::clone)
    }

    /// The node with a name, if any.
    pub(super) fn target(&self, directory: Id, name: &str) -> Result<Option<Id>, Fault> {
        match self.find(directory, name) {
            Ok(id) => Ok(Some(id)),
            // A removed directory takes no new names.
            Err(Fault::NotFound) if self.nodes[&directory].links > 0 => Ok(None),
            Err(fault) => Err(fault),
        }
    }

    /// Refuses a name that is taken.
    pub(super) fn free(&self, directory: Id, name: &str) -> Result<(), Fault> {
        self.target(directory, name)?.map_or(Ok(()), |_| Err(Fault::Exists))
    }

    pub(super) fn attach(&mut self, directory: Id, name: &str, id: Id) {
        if let Some(Node { content: Content::Directory { entries, .. }, .. }) = self.nodes.get_mut(&directory)
            && entries.insert(name.to_owned(), id).is_none()
            && let Some(node) = self.nodes.get_mut(&id)
        {
            node.links += 1;
        }
    }

    pub(super) fn detach(&mut self, directory: Id, name: &str) {
        let name = &self.spelling(directory, name);
        if let Some(Node { content: Content::Directory { entries, .. }, .. }) = self.nodes.get_mut(&directory)
            && let Some(id) = entries.remove(name)
            && let Some(node) = self.nodes.get_mut(&id)
        {
            node.links -= 1;
        }
    }

    pub(super) fn is_empty(&self, directory: Id) -> bool {
        match &self.nodes[&directory].content {
            Content::Directory { entries, undecodable } => entries.is_empty() && *undecodable == 0,
            _ => false,
        }
    }

    /// True if `inner` is `outer` or below it.
    pub(super) fn contains(&self, outer: Id, inner: Id) -> bool {
        outer == inner
            || self
                .entries(outer)
                .is_ok_and(|entries| entries.values().any(|child| self.contains(*child, inner)))
    }

    pub(super) fn rename(&mut self, from: Id, name: &str, to: Id, new_name: &str) -> Result<(), Fault> {
        let id = self.find(from, name)?;
        let replaced = self.target(to, new_name)?;
        if replaced == Some(id) {
            // Two names of one file, or one name: nothing to do, as on a disk.
            return Ok(());
        }
        let moves_directory = self.content(id)?.kind() == Kind::Directory;
        if moves_directory && self.contains(id, to) {
            return Err(Fault::IntoItself);
        }
        if let Some(replaced) = replaced {
            match (moves_directory, self.content(replaced)?.kind() == Kind::Directory) {
                (true, false) => return Err(Fault::NotDirectory),
                (false, true) => return Err(Fault::IsDirectory),
                (true, true) if !self.is_empty(replaced) => return Err(Fault::NotEmpty),
                _ => self.detach(to, new_name),
            }
        }
        self.detach(from, name);
        self.attach(to, new_name, id);
        Ok(())
    }

    pub(super) fn stat(&self, id: Id) -> Result<Stat, Fault> {
        let content = self.content(id)?;
        let (size, modified) = match content {
            Content::File { modified, .. } if self.hides_sizes => (0, Some(*modified)),
            Content::File { bytes, modified } => (bytes.len() as u64, Some(*modified)),
            Content::Directory { .. } | Content::Special(_) => (0, None),
            Content::Link(target) => (target.len() as u64, None),
        };
        Ok(Stat { kind: content.kind(), size, modified, links: self.nodes[&id].links })
    }

    /// Runs `change` on a file's bytes if the limit allows `size` bytes.
    pub(super) fn change<T>(
        &mut self,
        id: Id,
        size: u64,
        change: impl FnOnce(&mut Vec<u8>) -> T,
    ) -> Result<T, Fault> {
        let used: u64 = self
            .nodes
            .iter()
            .filter(|(other, node)| **other != id && node.links > 0)
            .map(
                |(_, node)| {
                    if let Content::File { bytes, .. } = &node.content { bytes.len() as u64 } else { 0 }
                },
            )
            .sum();
        let tick = self.tick();
        match self.nodes.get_mut(&id).map(|node| &mut node.content) {
            Some(Content::File { bytes, modified }) => {
                if size > bytes.len() as u64 && used.saturating_add(size) > self.capacity {
                    return Err(Fault::NoSpace);
                }
                *modified = tick;
                Ok(change(bytes))
            }
            _ => Err(Fault::NotFound),
        }
    }
}
