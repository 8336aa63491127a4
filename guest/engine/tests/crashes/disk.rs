//! A model of a disk that loses power: some or all of the unsynced changes are lost.
//!
//! Each name is lost alone, unless its directory was synced; a rename is lost as a whole. A file
//! loses any part of any unsynced write, and its growth can be zeros.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

use fsgate_volume::memory::{Directory, Memory};
use fsgate_volume::{Access, Fault, Kind, Volume};

pub(crate) struct Disk {
    memory: Memory,
    /// Everything that ever had a name, by identity: files as second names, directories only
    /// without another name.
    graveyard: Memory,
    log: RefCell<DiskLog>,
}

#[derive(Default)]
struct DiskLog {
    names: Vec<NameChange>,
    contents: BTreeMap<u128, ContentChange>,
    random: u64,
}

struct ContentChange {
    synced: Vec<u8>,
    since: Vec<DiskChange>,
}

pub(crate) enum DiskChange {
    Write(u64, Vec<u8>),
    Size(u64),
}

struct NameChange {
    who: u128,
    /// The lost name.
    from: Option<(Directory, String)>,
    /// The new name.
    to: Option<(Directory, String)>,
    /// The object that had that name before.
    replaced: Option<u128>,
    is_directory: bool,
    is_synced: bool,
}

impl Disk {
    pub(crate) fn new(memory: &Memory, seed: u64) -> Self {
        // Decorrelates consecutive seeds.
        let mixed = (seed + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mixed = (mixed ^ mixed >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        let log = DiskLog { random: (mixed ^ mixed >> 32) | 1, ..DiskLog::default() };
        Self { memory: memory.clone(), graveyard: memory.at("graveyard"), log: RefCell::new(log) }
    }

    fn who(&self, directory: &Directory, name: &str) -> Option<u128> {
        self.memory.identity_at(directory, name).ok()
    }

    fn is_directory(&self, directory: &Directory, name: &str) -> bool {
        self.memory.stat(directory, name).is_ok_and(|stat| stat.kind == Kind::Directory)
    }

    fn is_empty(&self, directory: &Directory, name: &str) -> bool {
        let mut is_empty = true;
        if let Ok(inside) = self.memory.open_directory(directory, name) {
            let _ = self.memory.each_entry(&inside, &mut |_| {
                is_empty = false;
                ControlFlow::Break(())
            });
        }
        is_empty
    }

    /// Gives a file a name in the graveyard.
    fn bury(&self, directory: &Directory, name: &str) {
        if let Some(who) = self.who(directory, name)
            && !self.is_directory(directory, name)
        {
            let _ = self.memory.link_file(directory, name, &self.graveyard.root(), &who.to_string());
        }
    }

    fn step(
        &self,
        who: u128,
        from: Option<(&Directory, &str)>,
        to: Option<(&Directory, &str)>,
        replaced: Option<u128>,
        is_directory: bool,
    ) {
        let own = |at: Option<(&Directory, &str)>| at.map(|(at, name)| (at.clone(), name.to_owned()));
        let step = NameChange { who, from: own(from), to: own(to), replaced, is_directory, is_synced: false };
        self.log.borrow_mut().names.push(step);
    }

    /// True if a file has one name that only the disk knows.
    pub(crate) fn remembers(&self, directory: &Directory, name: &str) -> bool {
        let who = self.who(directory, name).map(|who| who.to_string());
        who.is_some_and(|who| {
            !self.is_directory(directory, name) && self.memory.stat(&self.graveyard.root(), &who).is_ok()
        })
    }

    pub(crate) fn made(&self, directory: &Directory, name: &str) {
        let Some(who) = self.who(directory, name) else { return };
        let is_directory = self.is_directory(directory, name);
        self.bury(directory, name);
        self.step(who, None, Some((directory, name)), None, is_directory);
    }

    pub(crate) fn remove_file(&self, directory: &Directory, name: &str) -> Result<(), Fault> {
        self.bury(directory, name);
        let who = self.who(directory, name);
        self.memory.remove_file(directory, name)?;
        self.step(who.unwrap_or_default(), Some((directory, name)), None, None, false);
        Ok(())
    }

    pub(crate) fn remove_directory(&self, directory: &Directory, name: &str) -> Result<(), Fault> {
        self.memory.open_directory(directory, name)?;
        if !self.is_empty(directory, name) {
            return Err(Fault::NotEmpty);
        }
        let who = self.memory.identity_at(directory, name)?;
        self.memory.rename(directory, name, &self.graveyard.root(), &who.to_string())?;
        self.step(who, Some((directory, name)), None, None, true);
        Ok(())
    }

    pub(crate) fn rename(
        &self,
        from: &Directory,
        name: &str,
        to: &Directory,
        new_name: &str,
    ) -> Result<(), Fault> {
        self.bury(from, name);
        self.bury(to, new_name);
        let (who, replaced) = (self.who(from, name), self.who(to, new_name));
        let is_directory = self.is_directory(from, name);
        self.memory.rename(from, name, to, new_name)?;
        if who != replaced {
            self.step(
                who.unwrap_or_default(),
                Some((from, name)),
                Some((to, new_name)),
                replaced,
                is_directory,
            );
        }
        Ok(())
    }

    /// Called before a file's content changes.
    pub(crate) fn change(&self, file: u128, now: impl FnOnce() -> Vec<u8>, change: DiskChange) {
        let mut log = self.log.borrow_mut();
        let content =
            log.contents.entry(file).or_insert_with(|| ContentChange { synced: now(), since: Vec::new() });
        content.since.push(change);
    }

    pub(crate) fn sync_file(&self, file: u128) {
        self.log.borrow_mut().contents.remove(&file);
    }

    pub(crate) fn sync_directory(&self, directory: &Directory) {
        let identity = |at: &Directory| self.memory.directory_identity(at).ok();
        let wanted = identity(directory);
        for step in &mut self.log.borrow_mut().names {
            let mut ends = [&step.from, &step.to].into_iter().flatten();
            step.is_synced |= ends.any(|(at, _)| identity(at) == wanted);
        }
    }

    pub(crate) fn crash(&self) {
        let mut log = self.log.take();
        let steps = std::mem::take(&mut log.names);
        let first = steps.iter().position(|step| !step.is_synced).unwrap_or(steps.len());
        let late = &steps[first..];
        for step in late.iter().rev() {
            self.undo(step);
        }
        for step in late {
            if step.is_synced || log.coin() {
                self.redo(step);
            }
        }
        for (who, content) in std::mem::take(&mut log.contents) {
            self.forget(&mut log, who, content);
        }
        *self.log.borrow_mut() = log;
    }

    fn undo(&self, step: &NameChange) {
        let yard = self.graveyard.root();
        let grave = step.who.to_string();
        if let Some((to, name)) = &step.to {
            if step.is_directory {
                self.memory.rename(to, name, &yard, &grave).unwrap();
            } else {
                self.memory.remove_file(to, name).unwrap();
            }
            if let Some(replaced) = step.replaced {
                self.memory.link_file(&yard, &replaced.to_string(), to, name).unwrap();
            }
        }
        if let Some((from, name)) = &step.from {
            self.rise(step, from, name);
        }
    }

    /// Gives an object in the graveyard a name.
    fn rise(&self, step: &NameChange, at: &Directory, name: &str) {
        let (yard, grave) = (self.graveyard.root(), step.who.to_string());
        if step.is_directory {
            let _ = self.memory.rename(&yard, &grave, at, name);
        } else {
            let _ = self.memory.link_file(&yard, &grave, at, name);
        }
    }

    fn redo(&self, step: &NameChange) {
        let yard = self.graveyard.root();
        let has_from = step.from.as_ref().is_none_or(|(from, name)| self.who(from, name) == Some(step.who));
        match (&step.from, &step.to) {
            (Some((from, name)), None) if has_from => {
                if step.is_directory {
                    // It is gone with its content, or not empty yet.
                    if step.is_synced || self.is_empty(from, name) {
                        self.memory.rename(from, name, &yard, &step.who.to_string()).unwrap();
                    }
                } else {
                    self.memory.remove_file(from, name).unwrap();
                }
            }
            (from, Some((to, name))) if has_from || step.is_synced => {
                let there = self.who(to, name);
                if there.is_some() && there != step.replaced {
                    return;
                }
                if there.is_some() {
                    self.memory.remove_file(to, name).unwrap();
                }
                if step.is_directory
                    && let Some((from, name)) = from.as_ref().filter(|_| has_from)
                {
                    let _ = self.memory.rename(from, name, &yard, &step.who.to_string());
                }
                self.rise(step, to, name);
                if !step.is_directory
                    && let Some((from, name)) = from.as_ref().filter(|_| has_from)
                {
                    self.memory.remove_file(from, name).unwrap();
                }
            }
            _ => {}
        }
    }

    fn forget(&self, log: &mut DiskLog, who: u128, content: ContentChange) {
        let yard = self.graveyard.root();
        let Ok(file) = self.memory.open_file(&yard, &who.to_string(), Access::Write) else { return };
        let mut bytes = content.synced;
        for change in content.since {
            match change {
                DiskChange::Size(size) if log.coin() => bytes.resize(size as usize, 0),
                DiskChange::Size(_) => {}
                DiskChange::Write(at, new) => {
                    let (at, end) = (at as usize, at as usize + new.len());
                    if bytes.len() < end && log.coin() {
                        // The size survives, and so may the bytes.
                        bytes.resize(end, 0);
                    }
                    let (a, b) = (log.below(new.len() + 1), log.below(new.len() + 1));
                    let (mut first, mut last) = (a.min(b), a.max(b));
                    if log.coin() {
                        (first, last) = if log.coin() { (0, new.len()) } else { (0, 0) };
                    }
                    last = last.min(bytes.len().saturating_sub(at));
                    if first < last {
                        bytes[at + first..at + last].copy_from_slice(&new[first..last]);
                    }
                }
            }
        }
        self.memory.set_size(&file, bytes.len() as u64).unwrap();
        if !bytes.is_empty() {
            self.memory.write_at(&file, 0, &bytes).unwrap();
        }
    }

    /// A file that is opened for writing can be found again.
    pub(crate) fn opened(&self, directory: &Directory, name: &str) {
        self.bury(directory, name);
    }
}

impl DiskLog {
    fn next(&mut self) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random
    }

    fn coin(&mut self) -> bool {
        self.next() >> 32 & 1 == 1
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() >> 20) as usize % end
    }
}
