//! A volume in memory. The native tests run on it; where there is no disk it is one.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use super::{Abilities, Access, Fault, Kind, Stat, Volume};
use crate::contract::types::SpecialKind;

/// A tree in memory. Clones share the tree; [`Memory::at`] looks at it from another directory.
#[derive(Clone)]
pub struct Memory {
    tree: Rc<RefCell<Tree>>,
    root: Id,
    abilities: Abilities,
}

/// A node of the tree: what an inode is on a disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Id(usize);

struct Tree {
    nodes: BTreeMap<Id, Node>,
    next: usize,
    /// Counts changes: the clock of this volume.
    ticks: u64,
    random: u64,
    /// Bytes that all files together may have.
    capacity: u64,
}

#[derive(Debug, Clone)]
enum Node {
    File { bytes: Vec<u8>, modified: Duration },
    Directory(BTreeMap<String, Id>),
    Link(String),
    Special(SpecialKind),
}

/// What stands at a path, for tests that compare trees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// A file and its content.
    File(Vec<u8>),
    /// A directory.
    Directory,
    /// A link and its target.
    Link(String),
    /// A special file.
    Special(SpecialKind),
}

const ROOT: Id = Id(0);

/// Longest name, as on Linux.
const NAME_BYTES: usize = 255;

impl Default for Memory {
    fn default() -> Self {
        let nodes = BTreeMap::from([(ROOT, Node::Directory(BTreeMap::new()))]);
        let tree = Tree { nodes, next: 1, ticks: 0, random: 0, capacity: u64::MAX };
        Self { tree: Rc::new(RefCell::new(tree)), root: ROOT, abilities: Abilities::default() }
    }
}

impl Memory {
    /// The same tree, seen from the directory at `path`, which is made if it is missing.
    pub fn at(&self, path: &str) -> Self {
        Self { root: self.directory(path), ..self.clone() }
    }

    /// The same tree with other abilities.
    pub fn with_abilities(&self, abilities: Abilities) -> Self {
        Self { abilities, ..self.clone() }
    }

    /// Bounds the bytes that all files together may have.
    pub fn set_capacity(&self, bytes: u64) {
        self.tree.borrow_mut().capacity = bytes;
    }

    /// Puts an item at a path, making its parents and replacing what is there.
    pub fn put(&self, path: &str, item: Item) {
        let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
        let parent = self.directory(parent);
        let mut tree = self.tree.borrow_mut();
        let modified = tree.tick();
        let node = match item {
            Item::File(bytes) => Node::File { bytes, modified },
            Item::Directory => Node::Directory(BTreeMap::new()),
            Item::Link(target) => Node::Link(target),
            Item::Special(kind) => Node::Special(kind),
        };
        let id = tree.add(node);
        if let Ok(entries) = tree.entries(parent) {
            entries.insert(name.to_owned(), id);
        }
    }

    /// Everything below this volume's root, by path.
    pub fn snapshot(&self) -> BTreeMap<String, Item> {
        fn walk(tree: &Tree, id: Id, path: &str, items: &mut BTreeMap<String, Item>) {
            let Some(Node::Directory(entries)) = tree.nodes.get(&id) else { return };
            for (name, id) in entries {
                let path = if path.is_empty() { name.clone() } else { format!("{path}/{name}") };
                let item = match &tree.nodes[id] {
                    Node::File { bytes, .. } => Item::File(bytes.clone()),
                    Node::Directory(_) => Item::Directory,
                    Node::Link(target) => Item::Link(target.clone()),
                    Node::Special(kind) => Item::Special(*kind),
                };
                items.insert(path.clone(), item);
                walk(tree, *id, &path, items);
            }
        }
        let mut items = BTreeMap::new();
        walk(&self.tree.borrow(), self.root, "", &mut items);
        items
    }

    fn directory(&self, path: &str) -> Id {
        let mut tree = self.tree.borrow_mut();
        let mut id = self.root;
        for name in path.split('/').filter(|name| !name.is_empty()) {
            id = match tree.find(id, name) {
                Ok(id) => id,
                Err(_) => {
                    let child = tree.add(Node::Directory(BTreeMap::new()));
                    if let Ok(entries) = tree.entries(id) {
                        entries.insert(name.to_owned(), child);
                    }
                    child
                }
            };
        }
        id
    }
}

impl Tree {
    fn tick(&mut self) -> Duration {
        self.ticks += 1;
        Duration::from_secs(self.ticks)
    }

    fn add(&mut self, node: Node) -> Id {
        let id = Id(self.next);
        self.next += 1;
        self.nodes.insert(id, node);
        id
    }

    fn entries(&mut self, id: Id) -> Result<&mut BTreeMap<String, Id>, Fault> {
        match self.nodes.get_mut(&id) {
            Some(Node::Directory(entries)) => Ok(entries),
            Some(_) => Err(Fault::NotDirectory),
            None => Err(Fault::NotFound),
        }
    }

    fn find(&mut self, directory: Id, name: &str) -> Result<Id, Fault> {
        if name.len() > NAME_BYTES {
            return Err(Fault::NameTooLong);
        }
        self.entries(directory)?.get(name).copied().ok_or(Fault::NotFound)
    }

    /// Adds a node under a name that must be free.
    fn insert(&mut self, directory: Id, name: &str, id: Id) -> Result<(), Fault> {
        if self.find(directory, name).is_ok() {
            return Err(Fault::Exists);
        }
        if name.len() > NAME_BYTES {
            return Err(Fault::NameTooLong);
        }
        self.entries(directory)?.insert(name.to_owned(), id);
        Ok(())
    }

    fn stat(&self, id: Id) -> Result<Stat, Fault> {
        let (kind, size, modified) = match self.nodes.get(&id).ok_or(Fault::NotFound)? {
            Node::File { bytes, modified } => (Kind::File, bytes.len() as u64, *modified),
            Node::Directory(_) => (Kind::Directory, 0, Duration::ZERO),
            Node::Link(target) => (Kind::Link, target.len() as u64, Duration::ZERO),
            Node::Special(kind) => (Kind::Special(*kind), 0, Duration::ZERO),
        };
        Ok(Stat { kind, size, modified })
    }

    /// Runs `change` on a file's bytes, if there is room for `grown` more.
    fn change<T>(&mut self, id: Id, size: u64, change: impl FnOnce(&mut Vec<u8>) -> T) -> Result<T, Fault> {
        let used: u64 = self
            .nodes
            .iter()
            .filter(|(other, _)| **other != id)
            .map(|(_, node)| if let Node::File { bytes, .. } = node { bytes.len() as u64 } else { 0 })
            .sum();
        let tick = self.tick();
        match self.nodes.get_mut(&id) {
            Some(Node::File { bytes, modified }) => {
                if used + size > self.capacity && size > bytes.len() as u64 {
                    return Err(Fault::NoSpace);
                }
                *modified = tick;
                Ok(change(bytes))
            }
            _ => Err(Fault::NotFound),
        }
    }
}

impl Volume for Memory {
    type Directory = Id;
    type File = Id;

    fn root(&self) -> Id {
        self.root
    }

    fn stat(&self, directory: &Id, name: &str) -> Result<Stat, Fault> {
        let mut tree = self.tree.borrow_mut();
        let id = tree.find(*directory, name)?;
        tree.stat(id)
    }

    fn open_directory(&self, directory: &Id, name: &str) -> Result<Id, Fault> {
        let mut tree = self.tree.borrow_mut();
        let id = tree.find(*directory, name)?;
        match tree.nodes[&id] {
            Node::Directory(_) => Ok(id),
            Node::Link(_) => Err(Fault::Loop),
            _ => Err(Fault::NotDirectory),
        }
    }

    fn open_file(&self, directory: &Id, name: &str, _access: Access) -> Result<Id, Fault> {
        let mut tree = self.tree.borrow_mut();
        let id = tree.find(*directory, name)?;
        match tree.nodes[&id] {
            Node::File { .. } => Ok(id),
            Node::Directory(_) => Err(Fault::IsDirectory),
            Node::Link(_) => Err(Fault::Loop),
            Node::Special(_) => Err(Fault::NotPermitted),
        }
    }

    fn create_file(&self, directory: &Id, name: &str) -> Result<Id, Fault> {
        let mut tree = self.tree.borrow_mut();
        let modified = tree.tick();
        let id = tree.add(Node::File { bytes: Vec::new(), modified });
        tree.insert(*directory, name, id).map(|()| id)
    }

    fn create_directory(&self, directory: &Id, name: &str) -> Result<(), Fault> {
        let mut tree = self.tree.borrow_mut();
        let id = tree.add(Node::Directory(BTreeMap::new()));
        tree.insert(*directory, name, id)
    }

    fn read_link(&self, directory: &Id, name: &str) -> Result<String, Fault> {
        let mut tree = self.tree.borrow_mut();
        let id = tree.find(*directory, name)?;
        match &tree.nodes[&id] {
            Node::Link(target) => Ok(target.clone()),
            _ => Err(Fault::Unsupported),
        }
    }

    fn link_file(&self, directory: &Id, name: &str, new_name: &str) -> Result<(), Fault> {
        let mut tree = self.tree.borrow_mut();
        let id = tree.find(*directory, name)?;
        tree.insert(*directory, new_name, id)
    }

    fn remove_file(&self, directory: &Id, name: &str) -> Result<(), Fault> {
        let mut tree = self.tree.borrow_mut();
        let id = tree.find(*directory, name)?;
        if let Node::Directory(_) = tree.nodes[&id] {
            return Err(Fault::IsDirectory);
        }
        tree.entries(*directory)?.remove(name);
        Ok(())
    }

    fn remove_directory(&self, directory: &Id, name: &str) -> Result<(), Fault> {
        let mut tree = self.tree.borrow_mut();
        let id = tree.find(*directory, name)?;
        if !tree.entries(id)?.is_empty() {
            return Err(Fault::NotEmpty);
        }
        tree.entries(*directory)?.remove(name);
        Ok(())
    }

    fn stat_file(&self, file: &Id) -> Result<Stat, Fault> {
        self.tree.borrow().stat(*file)
    }

    fn read_at(&self, file: &Id, offset: u64, length: usize) -> Result<Vec<u8>, Fault> {
        match &self.tree.borrow().nodes[file] {
            Node::File { bytes, .. } => {
                let start = usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
                let end = start.saturating_add(length).min(bytes.len());
                Ok(bytes[start..end].to_vec())
            }
            _ => Err(Fault::IsDirectory),
        }
    }

    fn write_at(&self, file: &Id, offset: u64, new: &[u8]) -> Result<usize, Fault> {
        let start = usize::try_from(offset).map_err(|_| Fault::FileTooLarge)?;
        let end = start + new.len();
        self.tree.borrow_mut().change(*file, end as u64, |bytes| {
            if bytes.len() < end {
                bytes.resize(end, 0);
            }
            bytes[start..end].copy_from_slice(new);
            new.len()
        })
    }

    fn set_size(&self, file: &Id, size: u64) -> Result<(), Fault> {
        let length = usize::try_from(size).map_err(|_| Fault::FileTooLarge)?;
        self.tree.borrow_mut().change(*file, size, |bytes| bytes.resize(length, 0))
    }

    fn random(&self) -> u128 {
        // Distinct is all that a tree in memory needs.
        let mut tree = self.tree.borrow_mut();
        tree.random += 1;
        u128::from(tree.random)
    }

    fn abilities(&self) -> Abilities {
        self.abilities
    }
}
