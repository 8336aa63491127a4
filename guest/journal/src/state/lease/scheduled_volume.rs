//! A volume in memory for model tests, whose calls a schedule makes one at a time.
//!
//! A program on it is run again and again from its beginning. Earlier calls get the answers that
//! they got, some new ones are made, and all later ones fail, which ends the program. So programs
//! take turns without threads, and can stop after any call.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::rc::Rc;
use std::time::Duration;

use super::{IN_PLACE, LeaseLocks, unlocked};
use fsgate_volume::memory::{Directory, File, Item, Memory};
use fsgate_volume::{Abilities, Access, Fault, Kind, Listed, Stat, Volume};

pub(super) struct LeaseWorld {
    pub(super) memory: Memory,
    /// The time since [`LeaseWorld::DAY`] on the wall clock.
    pub(super) clock: Cell<Duration>,
    /// The part of it in which the machine was suspended.
    suspended: Cell<Duration>,
    pub(super) habits: Habits,
    drawn: Cell<u128>,
    modified: RefCell<BTreeMap<u128, Duration>>,
    /// Granted leases: the offset of the owner's clock, and the end.
    owners: RefCell<BTreeMap<u128, (Duration, Duration)>>,
    /// The owners whose leases were ever valid, and the newest one.
    entered: RefCell<BTreeSet<u128>>,
    newest: Cell<u128>,
    /// The owner of the operating system's lock.
    system: Cell<Option<u128>>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Habits {
    pub(super) links: bool,
    pub(super) bytes_at_once: usize,
    /// A listing takes two steps, so that it can be inconsistent.
    pub(super) listings_tear: bool,
    /// The time before the end of a lease at which its owner has to stop: as much as clocks may
    /// differ.
    pub(super) margin: Duration,
}

impl Habits {
    pub(super) const DISK: Self =
        Self { links: true, bytes_at_once: 1024, listings_tear: false, margin: Duration::ZERO };
}

impl LeaseWorld {
    pub(super) const DAY: Duration = Duration::from_secs(1_000_000_000);

    pub(super) fn new(habits: Habits) -> Self {
        let abilities = Abilities { links: habits.links, ..Memory::ABILITIES };
        let memory = Memory::default().with_abilities(abilities);
        memory.put(IN_PLACE, Item::File(unlocked().into_bytes()));
        Self {
            memory,
            clock: Cell::default(),
            suspended: Cell::default(),
            habits,
            drawn: Cell::default(),
            modified: RefCell::default(),
            owners: RefCell::default(),
            entered: RefCell::default(),
            newest: Cell::default(),
            system: Cell::default(),
        }
    }

    /// The end of a process. The next holder of the operating system's lock may begin at once.
    pub(super) fn end(&self, owner: u128) {
        if self.system.get() == Some(owner) {
            self.system.set(None);
            self.owners.borrow_mut().remove(&owner);
        }
    }

    pub(super) fn wait(&self, time: Duration) {
        self.clock.set(self.clock.get() + time);
    }

    /// Only the wall clock sees this time.
    pub(super) fn suspend(&self, time: Duration) {
        self.wait(time);
        self.suspended.set(self.suspended.get() + time);
    }

    pub(super) fn wall(&self) -> Duration {
        Self::DAY + self.clock.get()
    }

    /// Notes a lease until `end`, and checks that no other is valid. Returns false if it ended
    /// before it could be used.
    fn own(&self, owner: u128, ahead: Duration, end: Duration) -> bool {
        let mut owners = self.owners.borrow_mut();
        owners.insert(owner, (ahead, end));
        owners.retain(|_, (ahead, end)| self.wall() + *ahead + self.habits.margin < *end);
        assert!(owners.len() <= 1, "owners and their ends at {:?}: {owners:?}", self.wall());
        let is_valid = owners.contains_key(&owner);
        if is_valid {
            let is_first = self.entered.borrow_mut().insert(owner);
            assert!(is_first || self.newest.get() == owner, "another owner had the lease meanwhile");
            self.newest.set(owner);
        }
        is_valid
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StepFailure {
    Before,
    After,
}

pub(super) struct ScheduledVolume<'w> {
    pub(super) world: &'w LeaseWorld,
    pub(super) ahead: Duration,
    answers: RefCell<Vec<Rc<dyn Any>>>,
    position: Cell<usize>,
    allowed: Cell<usize>,
    stopped: Cell<bool>,
    fails: Box<dyn Fn() -> Option<StepFailure> + 'w>,
}

impl<'w> ScheduledVolume<'w> {
    pub(super) fn new(
        world: &'w LeaseWorld,
        ahead: Duration,
        fails: impl Fn() -> Option<StepFailure> + 'w,
    ) -> Self {
        Self {
            world,
            ahead,
            answers: RefCell::default(),
            position: Cell::default(),
            allowed: Cell::default(),
            stopped: Cell::default(),
            fails: Box::new(fails),
        }
    }

    /// Runs the program with so many new calls; none if it needs more.
    pub(super) fn run<T>(&self, calls: usize, program: impl FnOnce(&Self) -> T) -> Option<T> {
        self.position.set(0);
        self.allowed.set(calls);
        self.stopped.set(false);
        let result = program(self);
        Some(result).filter(|_| !self.stopped.get())
    }

    pub(super) fn own(&self, owner: u128, end: Duration) -> bool {
        self.step(false, || self.world.own(owner, self.ahead, end))
    }

    pub(super) fn leave(&self, owner: u128) {
        self.step((), || {
            self.world.owners.borrow_mut().remove(&owner);
            self.world.entered.borrow_mut().remove(&owner);
        });
    }

    /// Takes the operating system's lock.
    pub(super) fn lock(&self, owner: u128) -> bool {
        self.step(false, || {
            let is_free = self.world.system.get().is_none_or(|holder| holder == owner);
            if is_free {
                self.world.system.set(Some(owner));
            }
            is_free
        })
    }

    pub(super) fn unlock(&self, owner: u128) {
        self.step((), || self.world.end(owner));
    }

    /// The locks in the root directory.
    pub(super) fn locks(&self) -> LeaseLocks<&Self> {
        LeaseLocks::new(self, self.root(), self.root())
    }

    fn step<T: Clone + 'static>(&self, stopped: T, call: impl FnOnce() -> T) -> T {
        let position = self.position.replace(self.position.get() + 1);
        let known = self.answers.borrow().get(position).cloned();
        if let Some(known) = known {
            let known: &T = known.downcast_ref().expect("the same call as before");
            return known.clone();
        }
        let Some(left) = self.allowed.get().checked_sub(1) else {
            self.stopped.set(true);
            return stopped;
        };
        self.allowed.set(left);
        let answer = call();
        self.answers.borrow_mut().push(Rc::new(answer.clone()));
        answer
    }

    fn fallible<T: Clone + 'static>(&self, call: impl FnOnce() -> Result<T, Fault>) -> Result<T, Fault> {
        let fault = |text: &str| Err(Fault::Io(text.to_owned()));
        self.step(fault("stopped"), || match (self.fails)() {
            None => call(),
            Some(StepFailure::Before) => fault("before"),
            Some(StepFailure::After) => {
                let _ = call();
                fault("after")
            }
        })
    }

    fn changed(&self, file: &File) -> Result<(), Fault> {
        let identity = self.world.memory.identity(file)?;
        self.world.modified.borrow_mut().insert(identity, self.world.wall());
        Ok(())
    }
}

fn never() -> Fault {
    unreachable!("a lease has no use for it")
}

impl Volume for ScheduledVolume<'_> {
    type Directory = Directory;
    type File = Rc<File>;

    fn root(&self) -> Directory {
        self.world.memory.root()
    }

    fn each_entry(
        &self,
        directory: &Directory,
        sink: &mut dyn FnMut(Listed<'_>) -> ControlFlow<()>,
    ) -> Result<(), Fault> {
        let names = |part: Option<u32>| {
            let mut names: Vec<(String, Kind)> = Vec::new();
            self.world.memory.each_entry(directory, &mut |entry| {
                if let Listed::Name(name, kind) = entry
                    && part.is_none_or(|part| name.bytes().map(u32::from).sum::<u32>() % 2 == part)
                {
                    names.push((name.to_owned(), kind));
                }
                ControlFlow::Continue(())
            })?;
            Ok(Rc::new(names))
        };
        let parts = if self.world.habits.listings_tear { vec![Some(0), Some(1)] } else { vec![None] };
        for part in parts {
            for (name, kind) in self.fallible(|| names(part))?.iter() {
                if sink(Listed::Name(name, *kind)).is_break() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn open_file(&self, directory: &Directory, name: &str, access: Access) -> Result<Rc<File>, Fault> {
        self.fallible(|| self.world.memory.open_file(directory, name, access).map(Rc::new))
    }

    fn create_file(&self, directory: &Directory, name: &str) -> Result<Rc<File>, Fault> {
        self.fallible(|| {
            let file = self.world.memory.create_file(directory, name)?;
            self.changed(&file)?;
            Ok(Rc::new(file))
        })
    }

    fn link_file(&self, from: &Directory, name: &str, to: &Directory, new_name: &str) -> Result<(), Fault> {
        self.fallible(|| self.world.memory.link_file(from, name, to, new_name))
    }

    fn remove_file(&self, directory: &Directory, name: &str) -> Result<(), Fault> {
        self.fallible(|| self.world.memory.remove_file(directory, name))
    }

    fn stat_file(&self, file: &Rc<File>) -> Result<Stat, Fault> {
        self.fallible(|| {
            let stat = self.world.memory.stat_file(file)?;
            let identity = self.world.memory.identity(file)?;
            let modified = self.world.modified.borrow().get(&identity).copied();
            Ok(Stat { modified: modified.or(stat.modified), ..stat })
        })
    }

    fn read_at(&self, file: &Rc<File>, offset: u64, length: usize) -> Result<Vec<u8>, Fault> {
        self.fallible(|| self.world.memory.read_at(file, offset, length))
    }

    fn write_at(&self, file: &Rc<File>, offset: u64, bytes: &[u8]) -> Result<usize, Fault> {
        self.fallible(|| {
            let some = &bytes[..bytes.len().min(self.world.habits.bytes_at_once)];
            let written = self.world.memory.write_at(file, offset, some)?;
            self.changed(file)?;
            Ok(written)
        })
    }

    fn random(&self) -> u128 {
        self.step(0, || {
            self.world.drawn.set(self.world.drawn.get() + 1);
            self.world.drawn.get()
        })
    }

    fn now(&self) -> Duration {
        self.step(Duration::ZERO, || self.world.clock.get() - self.world.suspended.get())
    }

    fn wall(&self) -> Duration {
        self.step(Duration::ZERO, || self.world.wall() + self.ahead)
    }

    fn pause(&self, _time: Duration) {
        // The schedule decides how much time passes.
        self.step((), || ());
    }

    fn abilities(&self) -> Abilities {
        self.world.memory.abilities()
    }

    fn stat(&self, _: &Directory, _: &str) -> Result<Stat, Fault> {
        Err(never())
    }

    fn open_directory(&self, _: &Directory, _: &str) -> Result<Directory, Fault> {
        Err(never())
    }

    fn create_like(&self, _: &Directory, _: &str, _: &Rc<File>) -> Result<Rc<File>, Fault> {
        Err(never())
    }

    fn create_directory(&self, _: &Directory, _: &str) -> Result<(), Fault> {
        Err(never())
    }

    fn create_directory_like(&self, _: &Directory, _: &str, _: &Directory) -> Result<(), Fault> {
        Err(never())
    }

    fn read_link(&self, _: &Directory, _: &str) -> Result<String, Fault> {
        Err(never())
    }

    fn rename(&self, _: &Directory, _: &str, _: &Directory, _: &str) -> Result<(), Fault> {
        Err(never())
    }

    fn remove_directory(&self, _: &Directory, _: &str) -> Result<(), Fault> {
        Err(never())
    }

    fn stat_directory(&self, _: &Directory) -> Result<Stat, Fault> {
        Err(never())
    }

    fn set_size(&self, _: &Rc<File>, _: u64) -> Result<(), Fault> {
        Err(never())
    }

    fn sync_file(&self, _: &Rc<File>) -> Result<(), Fault> {
        Err(never())
    }

    fn sync_directory(&self, _: &Directory) -> Result<(), Fault> {
        Err(never())
    }

    fn identity(&self, _: &Rc<File>) -> Result<u128, Fault> {
        Err(never())
    }

    fn identity_at(&self, _: &Directory, _: &str) -> Result<u128, Fault> {
        Err(never())
    }

    fn directory_identity(&self, _: &Directory) -> Result<u128, Fault> {
        Err(never())
    }
}
