//! A volume in memory.

mod tree;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::rc::Rc;
use std::time::Duration;

use crate::{Abilities, Access, Fault, Listed, Stat, Volume};
use fsgate_contract::types::SpecialKind;
use tree::{FILE_BYTES, MemoryNode, NodeContent, NodeNumber, OWNERS, PERMISSIONS, ROOT, Tree};

/// A tree in memory. Clones share it; [`Memory::at`] starts at another directory.
#[derive(Clone)]
pub struct Memory {
    tree: Rc<RefCell<Tree>>,
    root: NodeNumber,
    abilities: Abilities,
}

/// An open directory and its tree.
#[derive(Clone)]
pub struct Directory {
    tree: Rc<RefCell<Tree>>,
    id: NodeNumber,
}

/// An open file and its tree.
pub struct File {
    tree: Rc<RefCell<Tree>>,
    id: NodeNumber,
    access: Access,
}

/// An object at a path, for tests that compare trees.
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

impl Default for Memory {
    fn default() -> Self {
        Self { tree: Rc::new(RefCell::new(Tree::default())), root: ROOT, abilities: Self::ABILITIES }
    }
}

impl Memory {
    /// The abilities of a tree in memory. Nothing can be synced.
    pub const ABILITIES: Abilities = Abilities {
        backslash_separates: false,
        links: true,
        moves_across: true,
        sync: false,
        stable_identity: true,
        keeps_modes: true,
    };

    /// The same tree from the directory at `path`, which is created if it is missing.
    pub fn at(&self, path: &str) -> Self {
        Self { root: self.directory(path), ..self.clone() }
    }

    /// The same tree with other abilities. It refuses links and permissions that it lacks; the
    /// other abilities are only reported.
    pub fn with_abilities(&self, abilities: Abilities) -> Self {
        Self { abilities, ..self.clone() }
    }

    /// Limits the bytes of all files together.
    pub fn set_capacity(&self, bytes: u64) {
        self.tree.borrow_mut().capacity = bytes;
    }

    /// Makes names case-insensitive from now on, as on the disks of some systems.
    pub fn ignore_case(&self) {
        self.tree.borrow_mut().ignores_case = true;
    }

    /// Makes every file report the size 0 from now on, as in `/proc`.
    pub fn hide_sizes(&self) {
        self.tree.borrow_mut().hides_sizes = true;
    }

    /// Sets the step of the clock for each read. Without it the clock does not move.
    pub fn set_clock_step(&self, step: Duration) {
        self.tree.borrow_mut().clock_step = step;
    }

    /// Sets the wall clock, which goes on with the other one.
    pub fn set_wall(&self, time: Duration) {
        let mut tree = self.tree.borrow_mut();
        tree.wall = time.saturating_sub(tree.clock);
    }

    /// Puts an item at a path. Creates its parents, and replaces an existing object.
    pub fn put(&self, path: &str, item: Item) {
        let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
        let parent = self.directory(parent);
        let mut tree = self.tree.borrow_mut();
        let modified = tree.tick();
        let content = match item {
            Item::File(bytes) => NodeContent::File { bytes, modified },
            Item::Directory => NodeContent::directory(),
            Item::Link(target) => NodeContent::Link(target),
            Item::Special(kind) => NodeContent::Special(kind),
        };
        tree.detach(parent, name);
        let id = tree.add(content);
        tree.attach(parent, name, id);
    }

    /// Adds a name that is not UTF-8 to the directory at `path`, which is created if it is missing.
    pub fn put_undecodable(&self, path: &str) {
        let id = self.directory(path);
        if let Some(MemoryNode { content: NodeContent::Directory { undecodable, .. }, .. }) =
            self.tree.borrow_mut().nodes.get_mut(&id)
        {
            *undecodable += 1;
        }
    }

    /// Sets the permission bits at a path.
    pub fn set_mode(&self, path: &str, mode: u32) {
        if let Some(id) = self.find(path) {
            self.tree.borrow_mut().set_mode(id, mode);
        }
    }

    /// The permission bits at a path, if it exists.
    pub fn mode(&self, path: &str) -> Option<u32> {
        self.find(path).map(|id| self.tree.borrow().nodes[&id].mode)
    }

    fn find(&self, path: &str) -> Option<NodeNumber> {
        let tree = self.tree.borrow();
        path.split('/').try_fold(self.root, |id, name| tree.find(id, name).ok())
    }

    fn likeness(&self, (tree, id): (&RefCell<Tree>, NodeNumber)) -> Result<u32, Fault> {
        if !self.abilities.keeps_modes {
            return Err(Fault::Unsupported);
        }
        let tree = tree.borrow();
        let node = tree.nodes.get(&id).ok_or(Fault::NotFound)?;
        Ok(node.mode & PERMISSIONS)
    }

    /// Everything below this volume's root, by path.
    pub fn snapshot(&self) -> BTreeMap<String, Item> {
        fn walk(tree: &Tree, id: NodeNumber, path: &str, items: &mut BTreeMap<String, Item>) {
            let Ok(entries) = tree.entries(id) else { return };
            for (name, id) in entries {
                let path = if path.is_empty() { name.clone() } else { format!("{path}/{name}") };
                let item = match &tree.nodes[id].content {
                    NodeContent::File { bytes, .. } => Item::File(bytes.clone()),
                    NodeContent::Directory { .. } => Item::Directory,
                    NodeContent::Link(target) => Item::Link(target.clone()),
                    NodeContent::Special(kind) => Item::Special(*kind),
                };
                items.insert(path.clone(), item);
                walk(tree, *id, &path, items);
            }
        }
        let mut items = BTreeMap::new();
        walk(&self.tree.borrow(), self.root, "", &mut items);
        items
    }

    fn directory(&self, path: &str) -> NodeNumber {
        let mut tree = self.tree.borrow_mut();
        let mut id = self.root;
        for name in path.split('/').filter(|name| !name.is_empty()) {
            id = match tree.find(id, name) {
                Ok(id) => id,
                Err(_) => {
                    let child = tree.add(NodeContent::directory());
                    tree.attach(id, name, child);
                    child
                }
            };
        }
        id
    }
}

impl File {
    fn writable(&self) -> Result<(), Fault> {
        match self.access {
            Access::Write => Ok(()),
            Access::Read => Err(Fault::Io("the file is open for reading only".to_owned())),
        }
    }
}

/// The address of the tree distinguishes nodes of different trees.
fn identity(tree: &Rc<RefCell<Tree>>, id: NodeNumber) -> u128 {
    (Rc::as_ptr(tree).addr() as u128) << 64 | id.0 as u128
}

impl Volume for Memory {
    type Directory = Directory;
    type File = File;

    fn root(&self) -> Directory {
        Directory { tree: self.tree.clone(), id: self.root }
    }

    fn stat(&self, directory: &Directory, name: &str) -> Result<Stat, Fault> {
        let tree = directory.tree.borrow();
        tree.stat(tree.find(directory.id, name)?)
    }

    fn each_entry(
        &self,
        directory: &Directory,
        sink: &mut dyn FnMut(Listed<'_>) -> ControlFlow<()>,
    ) -> Result<(), Fault> {
        // Copied first: the sink may call this volume.
        let tree = directory.tree.borrow();
        let NodeContent::Directory { entries, undecodable } = tree.content(directory.id)? else {
            return Err(Fault::NotDirectory);
        };
        let undecodable = *undecodable;
        let names: Vec<_> =
            entries.iter().map(|(name, id)| (name.clone(), tree.nodes[id].content.kind())).collect();
        drop(tree);
        let unreachable = std::iter::repeat_n(Listed::Undecodable, undecodable);
        let named = names.iter().map(|(name, kind)| Listed::Name(name, *kind));
        // The sink may stop: no fault.
        let _ = unreachable.chain(named).try_for_each(sink);
        Ok(())
    }

    fn open_directory(&self, directory: &Directory, name: &str) -> Result<Directory, Fault> {
        let tree = directory.tree.borrow();
        let id = tree.find(directory.id, name)?;
        match tree.content(id)? {
            NodeContent::Directory { .. } => Ok(Directory { tree: directory.tree.clone(), id }),
            NodeContent::Link(_) => Err(Fault::Loop),
            _ => Err(Fault::NotDirectory),
        }
    }

    fn open_file(&self, directory: &Directory, name: &str, access: Access) -> Result<File, Fault> {
        let tree = directory.tree.borrow();
        let id = tree.find(directory.id, name)?;
        match tree.content(id)? {
            NodeContent::File { .. } => Ok(File { tree: directory.tree.clone(), id, access }),
            NodeContent::Directory { .. } => Err(Fault::IsDirectory),
            NodeContent::Link(_) => Err(Fault::Loop),
            NodeContent::Special(_) => Err(Fault::NotPermitted),
        }
    }

    fn create_file(&self, directory: &Directory, name: &str) -> Result<File, Fault> {
        let mut tree = directory.tree.borrow_mut();
        tree.free(directory.id, name)?;
        let modified = tree.tick();
        let id = tree.add(NodeContent::File { bytes: Vec::new(), modified });
        tree.attach(directory.id, name, id);
        Ok(File { tree: directory.tree.clone(), id, access: Access::Write })
    }

    fn create_like(&self, directory: &Directory, name: &str, source: &File) -> Result<File, Fault> {
        let mode = self.likeness((&source.tree, source.id))?;
        let file = self.create_file(directory, name)?;
        file.tree.borrow_mut().set_mode(file.id, mode);
        Ok(file)
    }

    fn create_directory(&self, directory: &Directory, name: &str) -> Result<(), Fault> {
        let mut tree = directory.tree.borrow_mut();
        tree.free(directory.id, name)?;
        let id = tree.add(NodeContent::directory());
        tree.attach(directory.id, name, id);
        Ok(())
    }

    fn create_directory_like(
        &self,
        directory: &Directory,
        name: &str,
        source: &Directory,
    ) -> Result<(), Fault> {
        let mode = self.likeness((&source.tree, source.id))?;
        self.create_directory(directory, name)?;
        let made = self.open_directory(directory, name)?;
        made.tree.borrow_mut().set_mode(made.id, mode | OWNERS);
        Ok(())
    }

    fn read_link(&self, directory: &Directory, name: &str) -> Result<String, Fault> {
        let tree = directory.tree.borrow();
        match tree.content(tree.find(directory.id, name)?)? {
            NodeContent::Link(target) => Ok(target.clone()),
            _ => Err(Fault::Unsupported),
        }
    }

    fn link_file(&self, from: &Directory, name: &str, to: &Directory, new_name: &str) -> Result<(), Fault> {
        if !self.abilities.links {
            return Err(Fault::Unsupported);
        }
        if !Rc::ptr_eq(&from.tree, &to.tree) {
            return Err(Fault::CrossDevice);
        }
        let mut tree = from.tree.borrow_mut();
        let id = tree.find(from.id, name)?;
        tree.free(to.id, new_name)?;
        if let NodeContent::Directory { .. } = tree.content(id)? {
            return Err(Fault::NotPermitted);
        }
        tree.attach(to.id, new_name, id);
        Ok(())
    }

    fn rename(&self, from: &Directory, name: &str, to: &Directory, new_name: &str) -> Result<(), Fault> {
        if !Rc::ptr_eq(&from.tree, &to.tree) {
            return Err(Fault::CrossDevice);
        }
        from.tree.borrow_mut().rename(from.id, name, to.id, new_name)
    }

    fn remove_file(&self, directory: &Directory, name: &str) -> Result<(), Fault> {
        let mut tree = directory.tree.borrow_mut();
        let id = tree.find(directory.id, name)?;
        if let NodeContent::Directory { .. } = tree.content(id)? {
            return Err(Fault::IsDirectory);
        }
        tree.detach(directory.id, name);
        Ok(())
    }

    fn remove_directory(&self, directory: &Directory, name: &str) -> Result<(), Fault> {
        let mut tree = directory.tree.borrow_mut();
        let id = tree.find(directory.id, name)?;
        tree.entries(id)?;
        if !tree.is_empty(id) {
            return Err(Fault::NotEmpty);
        }
        tree.detach(directory.id, name);
        Ok(())
    }

    fn stat_directory(&self, directory: &Directory) -> Result<Stat, Fault> {
        directory.tree.borrow().stat(directory.id)
    }

    fn stat_file(&self, file: &File) -> Result<Stat, Fault> {
        file.tree.borrow().stat(file.id)
    }

    fn read_at(&self, file: &File, offset: u64, length: usize) -> Result<Vec<u8>, Fault> {
        match file.tree.borrow().content(file.id)? {
            NodeContent::File { bytes, .. } => {
                let start = usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
                let end = start.saturating_add(length).min(bytes.len());
                Ok(bytes[start..end].to_vec())
            }
            _ => Err(Fault::IsDirectory),
        }
    }

    fn write_at(&self, file: &File, offset: u64, new: &[u8]) -> Result<usize, Fault> {
        file.writable()?;
        let start = usize::try_from(offset).map_err(|_| Fault::FileTooLarge)?;
        let end = start
            .checked_add(new.len())
            .filter(|end| *end as u64 <= FILE_BYTES)
            .ok_or(Fault::FileTooLarge)?;
        file.tree.borrow_mut().change(file.id, end as u64, |bytes| {
            if bytes.len() < end {
                bytes.resize(end, 0);
            }
            bytes[start..end].copy_from_slice(new);
            new.len()
        })
    }

    fn set_size(&self, file: &File, size: u64) -> Result<(), Fault> {
        file.writable()?;
        let length = usize::try_from(size).ok().filter(|_| size <= FILE_BYTES).ok_or(Fault::FileTooLarge)?;
        file.tree.borrow_mut().change(file.id, size, |bytes| bytes.resize(length, 0))
    }

    fn sync_file(&self, _file: &File) -> Result<(), Fault> {
        Ok(())
    }

    fn sync_directory(&self, _directory: &Directory) -> Result<(), Fault> {
        Ok(())
    }

    fn identity(&self, file: &File) -> Result<u128, Fault> {
        Ok(identity(&file.tree, file.id))
    }

    fn identity_at(&self, directory: &Directory, name: &str) -> Result<u128, Fault> {
        Ok(identity(&directory.tree, directory.tree.borrow().find(directory.id, name)?))
    }

    fn directory_identity(&self, directory: &Directory) -> Result<u128, Fault> {
        Ok(identity(&directory.tree, directory.id))
    }

    fn random(&self) -> u128 {
        // Distinct values are enough.
        let mut tree = self.tree.borrow_mut();
        tree.random += 1;
        u128::from(tree.random)
    }

    fn now(&self) -> Duration {
        let mut tree = self.tree.borrow_mut();
        let step = tree.clock_step;
        tree.clock += step;
        tree.clock
    }

    fn wall(&self) -> Duration {
        let clock = self.now();
        let mut tree = self.tree.borrow_mut();
        // No two reads give the same time.
        tree.wall = tree.wall.saturating_add(Duration::from_nanos(1));
        tree.wall.saturating_add(clock)
    }

    fn pause(&self, time: Duration) {
        let mut tree = self.tree.borrow_mut();
        tree.clock = tree.clock.saturating_add(time);
    }

    fn abilities(&self) -> Abilities {
        self.abilities
    }
}
