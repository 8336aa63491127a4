//! The nodes of a volume in memory, and their names.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::{Fault, Kind, Stat, single};
use fsgate_contract::types::SpecialKind;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct NodeNumber(pub(super) usize);

pub(super) struct Tree {
    pub(super) nodes: BTreeMap<NodeNumber, MemoryNode>,
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

pub(super) struct MemoryNode {
    pub(super) content: NodeContent,
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

pub(super) enum NodeContent {
    File { bytes: Vec<u8>, modified: Duration },
    Directory { entries: BTreeMap<String, NodeNumber>, undecodable: usize },
    Link(String),
    Special(SpecialKind),
}

pub(super) const ROOT: NodeNumber = NodeNumber(0);

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
                MemoryNode { content: NodeContent::directory(), links: 1, mode: DIRECTORY_MODE },
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

impl NodeContent {
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

    pub(super) fn add(&mut self, content: NodeContent) -> NodeNumber {
        let id = NodeNumber(self.next);
        self.next += 1;
        let mode = if content.kind() == Kind::Directory { DIRECTORY_MODE } else { FILE_MODE };
        self.nodes.insert(id, MemoryNode { content, links: 0, mode });
        id
    }

    pub(super) fn set_mode(&mut self, id: NodeNumber, mode: u32) {
        if let Some(node) = self.nodes.get_mut(&id) {
            node.mode = mode;
        }
    }

    pub(super) fn content(&self, id: NodeNumber) -> Result<&NodeContent, Fault> {
        self.nodes.get(&id).map(|node| &node.content).ok_or(Fault::NotFound)
    }

    pub(super) fn entries(&self, id: NodeNumber) -> Result<&BTreeMap<String, NodeNumber>, Fault> {
        match self.content(id)? {
            NodeContent::Directory { entries, .. } => Ok(entries),
            _ => Err(Fault::NotDirectory),
        }
    }

    pub(super) fn find(&self, directory: NodeNumber, name: &str) -> Result<NodeNumber, Fault> {
        single(name)?;
        if name.len() > NAME_BYTES {
            return Err(Fault::NameTooLong);
        }
        self.entries(directory)?.get(&self.spelling(directory, name)).copied().ok_or(Fault::NotFound)
    }

    pub(super) fn spelling(&self, directory: NodeNumber, name: &str) -> String {
        let known = self.entries(directory).ok().filter(|entries| !entries.contains_key(name));
        let known = known.filter(|_| self.ignores_case);
        let other = known.and_then(|entries| entries.keys().find(|known| known.eq_ignore_ascii_case(name)));
        other.map_or_else(|| name.to_owned(), Clone::clone)
    }

    pub(super) fn target(&self, directory: NodeNumber, name: &str) -> Result<Option<NodeNumber>, Fault> {
        match self.find(directory, name) {
            Ok(id) => Ok(Some(id)),
            // A removed directory takes no new names.
            Err(Fault::NotFound) if self.nodes[&directory].links > 0 => Ok(None),
            Err(fault) => Err(fault),
        }
    }

    pub(super) fn free(&self, directory: NodeNumber, name: &str) -> Result<(), Fault> {
        self.target(directory, name)?.map_or(Ok(()), |_| Err(Fault::Exists))
    }

    pub(super) fn attach(&mut self, directory: NodeNumber, name: &str, id: NodeNumber) {
        if let Some(MemoryNode { content: NodeContent::Directory { entries, .. }, .. }) =
            self.nodes.get_mut(&directory)
            && entries.insert(name.to_owned(), id).is_none()
            && let Some(node) = self.nodes.get_mut(&id)
        {
            node.links += 1;
        }
    }

    pub(super) fn detach(&mut self, directory: NodeNumber, name: &str) {
        let name = &self.spelling(directory, name);
        if let Some(MemoryNode { content: NodeContent::Directory { entries, .. }, .. }) =
            self.nodes.get_mut(&directory)
            && let Some(id) = entries.remove(name)
            && let Some(node) = self.nodes.get_mut(&id)
        {
            node.links -= 1;
        }
    }

    pub(super) fn is_empty(&self, directory: NodeNumber) -> bool {
        match &self.nodes[&directory].content {
            NodeContent::Directory { entries, undecodable } => entries.is_empty() && *undecodable == 0,
            _ => false,
        }
    }

    pub(super) fn contains(&self, outer: NodeNumber, inner: NodeNumber) -> bool {
        outer == inner
            || self
                .entries(outer)
                .is_ok_and(|entries| entries.values().any(|child| self.contains(*child, inner)))
    }

    pub(super) fn rename(
        &mut self,
        from: NodeNumber,
        name: &str,
        to: NodeNumber,
        new_name: &str,
    ) -> Result<(), Fault> {
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

    pub(super) fn stat(&self, id: NodeNumber) -> Result<Stat, Fault> {
        let content = self.content(id)?;
        let (size, modified) = match content {
            NodeContent::File { modified, .. } if self.hides_sizes => (0, Some(*modified)),
            NodeContent::File { bytes, modified } => (bytes.len() as u64, Some(*modified)),
            NodeContent::Directory { .. } | NodeContent::Special(_) => (0, None),
            NodeContent::Link(target) => (target.len() as u64, None),
        };
        Ok(Stat { kind: content.kind(), size, modified, links: self.nodes[&id].links })
    }

    /// Runs `change` on a file's bytes if the limit allows `size` bytes.
    pub(super) fn change<T>(
        &mut self,
        id: NodeNumber,
        size: u64,
        change: impl FnOnce(&mut Vec<u8>) -> T,
    ) -> Result<T, Fault> {
        let used: u64 = self
            .nodes
            .iter()
            .filter(|(other, node)| **other != id && node.links > 0)
            .map(
                |(_, node)| {
                    if let NodeContent::File { bytes, .. } = &node.content { bytes.len() as u64 } else { 0 }
                },
            )
            .sum();
        let tick = self.tick();
        match self.nodes.get_mut(&id).map(|node| &mut node.content) {
            Some(NodeContent::File { bytes, modified }) => {
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
