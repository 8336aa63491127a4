//! Permissions of a volume in memory: the operating system's checks for a user without privileges.
//!
//! The user owns every file. Modes, immutable files and mounts belong to the file, not to its name,
//! and follow it through every rename. The checks and their order are those of Linux.

use std::cell::RefCell;
use std::collections::BTreeMap;

use fsgate_volume::memory::{Directory, Item, Memory};
use fsgate_volume::{Fault, Kind, Volume};

use super::fixture::holding;

/// A reason for the operating system to refuse a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Obstacle {
    /// The owner's three bits of a mode: 4 to read, 2 to write, 1 to search.
    Mode(u8),
    /// The file has the attribute of `chattr +i`.
    Immutable,
    /// The directory and everything below it is mounted for reading only.
    ReadOnlyMount,
    /// A running program keeps its file from being opened for writing.
    Busy,
}

pub(crate) const FILES: [Obstacle; 5] =
    [Obstacle::Mode(0), Obstacle::Mode(2), Obstacle::Mode(4), Obstacle::Immutable, Obstacle::Busy];

pub(crate) const DIRECTORIES: [Obstacle; 6] = [
    Obstacle::Mode(0),
    Obstacle::Mode(3),
    Obstacle::Mode(4),
    Obstacle::Mode(5),
    Obstacle::Immutable,
    Obstacle::ReadOnlyMount,
];

const READ: u8 = 4;
const WRITE: u8 = 2;
const SEARCH: u8 = 1;

/// The place of an obstacle, and true for the root of a mount.
#[derive(Debug, Clone, Copy)]
struct ObstacleMark {
    obstacle: Obstacle,
    is_mounted_here: bool,
}

/// The obstacles of all volumes of a machine, by identity.
#[derive(Default)]
pub(crate) struct Rights(RefCell<BTreeMap<u128, ObstacleMark>>);

impl Rights {
    /// Puts an obstacle at a path until [`Rights::clear`].
    pub(crate) fn put(&self, volume: &Memory, path: &str, obstacle: Obstacle) {
        let mark = |path: &str, is_mounted_here| {
            let identity = match path {
                "" => volume.directory_identity(&volume.root()),
                _ => holding(volume, path).and_then(|(above, name)| volume.identity_at(&above, name)),
            };
            self.0.borrow_mut().insert(identity.unwrap(), ObstacleMark { obstacle, is_mounted_here });
        };
        mark(path, true);
        if obstacle == Obstacle::ReadOnlyMount {
            let inside = if path.is_empty() { String::new() } else { format!("{path}/") };
            for below in volume.snapshot().keys().filter(|below| below.starts_with(&inside)) {
                mark(below, false);
            }
        }
    }

    pub(crate) fn clear(&self) {
        self.0.borrow_mut().clear();
    }

    fn is_clear(&self) -> bool {
        self.0.borrow().is_empty()
    }

    fn mark(&self, identity: Result<u128, Fault>) -> Option<ObstacleMark> {
        self.0.borrow().get(&identity.ok()?).copied()
    }

    fn of(&self, volume: &Memory, directory: &Directory) -> Option<Obstacle> {
        self.mark(volume.directory_identity(directory)).map(|mark| mark.obstacle)
    }

    fn at(&self, volume: &Memory, directory: &Directory, name: &str) -> Option<ObstacleMark> {
        self.mark(volume.identity_at(directory, name))
    }

    pub(crate) fn search(&self, volume: &Memory, directory: &Directory) -> Result<(), Fault> {
        if self.is_clear() { Ok(()) } else { allows(self.of(volume, directory), SEARCH) }
    }

    pub(crate) fn list(&self, volume: &Memory, directory: &Directory) -> Result<(), Fault> {
        if self.is_clear() { Ok(()) } else { allows(self.of(volume, directory), READ | SEARCH) }
    }

    pub(crate) fn open(
        &self,
        volume: &Memory,
        directory: &Directory,
        name: &str,
        writes: bool,
    ) -> Result<(), Fault> {
        if self.is_clear() {
            return Ok(());
        }
        self.search(volume, directory)?;
        match self.at(volume, directory, name).map(|mark| mark.obstacle) {
            Some(Obstacle::Immutable) if writes => Err(Fault::NotPermitted),
            Some(Obstacle::ReadOnlyMount) if writes => Err(Fault::ReadOnly),
            Some(Obstacle::Busy) if writes => Err(Fault::Busy),
            obstacle => allows(obstacle, if writes { READ | WRITE } else { READ }),
        }
    }

    /// Opens a directory to empty it; the host refuses without the rights.
    pub(crate) fn open_to_empty(
        &self,
        volume: &Memory,
        directory: &Directory,
        name: &str,
    ) -> Result<(), Fault> {
        if self.is_clear() {
            return Ok(());
        }
        self.open(volume, directory, name, false)?;
        match self.at(volume, directory, name).map(|mark| mark.obstacle) {
            Some(Obstacle::Immutable | Obstacle::ReadOnlyMount) => Err(Fault::Access),
            obstacle => allows(obstacle, READ | WRITE | SEARCH),
        }
    }

    pub(crate) fn make(&self, volume: &Memory, directory: &Directory) -> Result<(), Fault> {
        if self.is_clear() {
            return Ok(());
        }
        match self.of(volume, directory) {
            Some(Obstacle::ReadOnlyMount) => Err(Fault::ReadOnly),
            Some(Obstacle::Immutable) => Err(Fault::NotPermitted),
            obstacle => allows(obstacle, WRITE | SEARCH),
        }
    }

    pub(crate) fn remove(&self, volume: &Memory, directory: &Directory, name: &str) -> Result<(), Fault> {
        if self.is_clear() {
            return Ok(());
        }
        self.make(volume, directory)?;
        match self.at(volume, directory, name) {
            Some(ObstacleMark { obstacle: Obstacle::Immutable, .. }) => Err(Fault::NotPermitted),
            Some(ObstacleMark { obstacle: Obstacle::ReadOnlyMount, is_mounted_here: true }) => {
                Err(Fault::Busy)
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn link(
        &self,
        volume: &Memory,
        (from, name): (&Directory, &str),
        to: &Directory,
    ) -> Result<(), Fault> {
        if self.is_clear() {
            return Ok(());
        }
        self.search(volume, from)?;
        self.one_mount(volume, from, to)?;
        self.make(volume, to)?;
        match self.at(volume, from, name).map(|mark| mark.obstacle) {
            Some(Obstacle::Immutable) => Err(Fault::NotPermitted),
            _ => Ok(()),
        }
    }

    pub(crate) fn rename(
        &self,
        volume: &Memory,
        (from, name): (&Directory, &str),
        (to, new_name): (&Directory, &str),
    ) -> Result<(), Fault> {
        if self.is_clear() {
            return Ok(());
        }
        self.one_mount(volume, from, to)?;
        self.remove(volume, from, name)?;
        self.make(volume, to)?;
        if volume.stat(to, new_name).is_ok() {
            self.remove(volume, to, new_name)?;
        }
        // A directory contains `..`, which changes with its parent.
        let is_directory = volume.stat(from, name).is_ok_and(|stat| stat.kind == Kind::Directory);
        let stays = volume.directory_identity(from) == volume.directory_identity(to);
        match self.at(volume, from, name) {
            Some(mark) if is_directory && !stays => allows(Some(mark.obstacle), WRITE),
            _ => Ok(()),
        }
    }

    fn one_mount(&self, volume: &Memory, from: &Directory, to: &Directory) -> Result<(), Fault> {
        let is_mounted = |directory| self.of(volume, directory) == Some(Obstacle::ReadOnlyMount);
        if is_mounted(from) == is_mounted(to) { Ok(()) } else { Err(Fault::CrossDevice) }
    }
}

fn allows(obstacle: Option<Obstacle>, bits: u8) -> Result<(), Fault> {
    match obstacle {
        Some(Obstacle::Mode(mode)) if mode & bits != bits => Err(Fault::Access),
        _ => Ok(()),
    }
}

pub(crate) fn of_item(item: &Item) -> &'static [Obstacle] {
    match item {
        Item::File(_) => &FILES,
        Item::Directory => &DIRECTORIES,
        Item::Link(_) | Item::Special(_) => &[Obstacle::Immutable],
    }
}
