//! A volume in memory on a machine that can be stopped, made to fail or slowed down.

use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;
use std::rc::Rc;
use std::time::Duration;

use fsgate_volume::memory::{self, Memory};

use super::disk::{Disk, DiskChange};
use super::rights::Rights;
use fsgate_volume::{Abilities, Access, Fault, Listed, Stat, Volume};

#[derive(Debug, Clone, Default)]
pub(crate) enum FaultPlan {
    #[default]
    Well,
    /// Refuses that call and every later one, as after a death. If it is a write, so many bytes are
    /// written.
    Stop(u64, usize),
    /// Refuses that one call.
    Fail(u64, Fault),
    /// The same, with a death at a later call.
    FailAndStop(u64, Fault, u64),
    /// Refuses every change from that call on.
    FailFrom(u64, Fault),
    /// Answers that one call wrongly.
    WrongAnswer(u64, WrongAnswer),
}

/// A wrong answer, as of a remote file system or a worn disk.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum WrongAnswer {
    /// The call is done, and answered with a fault.
    Fault(Fault),
    /// The call is done and repeated, and the second answer returned.
    Again,
    /// A part of a write is done, and answered with a fault.
    Part(usize, Fault),
    /// A write is done, and answered as a shorter one.
    Fewer(usize),
}

type Other = Box<dyn Fn()>;

#[derive(Default)]
pub(crate) struct Machine {
    calls: Cell<u64>,
    plan: RefCell<FaultPlan>,
    /// The most bytes in one read or write.
    at_once: Cell<Option<usize>>,
    writes: RefCell<Vec<(u64, usize)>>,
    changes: RefCell<Vec<u64>>,
    trace: RefCell<Option<Vec<String>>>,
    /// Another process acts just before that call.
    other: RefCell<Option<(u64, Other)>>,
    /// The same at the first look at a clock after so many calls.
    stall: RefCell<Option<(u64, Other)>>,
    /// A rename or link to another file system is refused without a reason.
    is_dumb: Cell<bool>,
    /// A directory that cannot be entered.
    closed: RefCell<Option<&'static str>>,
    pub(crate) rights: Rights,
}

impl Machine {
    pub(crate) fn set(&self, plan: FaultPlan) {
        self.calls.set(0);
        self.writes.borrow_mut().clear();
        self.changes.borrow_mut().clear();
        *self.plan.borrow_mut() = plan;
    }

    pub(crate) fn meanwhile(&self, at: u64, other: impl Fn() + 'static) {
        *self.other.borrow_mut() = Some((at, Box::new(other)));
    }

    /// A process sleeps after so many calls: another one acts before its next look at a clock.
    pub(crate) fn stall(&self, behind: u64, other: impl Fn() + 'static) {
        *self.stall.borrow_mut() = Some((behind, Box::new(other)));
    }

    pub(crate) fn has_stalled(&self) -> bool {
        self.stall.borrow().is_none()
    }

    fn look(&self) {
        let calls = self.calls.get();
        let now = self.stall.borrow_mut().take_if(|(behind, _)| *behind <= calls);
        if let Some((_, other)) = now {
            other();
        }
    }

    pub(crate) fn be_dumb(&self) {
        self.is_dumb.set(true);
    }

    pub(crate) fn close(&self, directory: Option<&'static str>) {
        *self.closed.borrow_mut() = directory;
    }

    pub(crate) fn at_once(&self, bytes: Option<usize>) {
        self.at_once.set(bytes);
    }

    pub(crate) fn calls(&self) -> u64 {
        self.calls.get()
    }

    pub(crate) fn writes(&self) -> Vec<(u64, usize)> {
        self.writes.borrow().clone()
    }

    pub(crate) fn changes(&self) -> Vec<u64> {
        self.changes.borrow().clone()
    }

    pub(crate) fn record(&self) {
        *self.trace.borrow_mut() = Some(Vec::new());
    }

    pub(crate) fn recorded(&self) -> Vec<String> {
        self.trace.borrow_mut().take().unwrap_or_default()
    }

    /// Counts a call, and refuses it by the plan. Names are formatted on demand.
    fn call(&self, verb: &str, names: impl Fn() -> Rc<str>) -> Result<(), Fault> {
        let what = || format!("{verb} {}", names());
        let now = self.calls.get();
        self.calls.set(now + 1);
        let other = self.other.take().filter(|(at, other)| {
            if *at == now {
                other();
            }
            *at > now
        });
        *self.other.borrow_mut() = other;
        if let Some(trace) = &mut *self.trace.borrow_mut() {
            trace.push(what());
        }
        let is_change = !is_look(verb);
        if is_change {
            self.changes.borrow_mut().push(now);
        }
        match &*self.plan.borrow() {
            FaultPlan::Stop(at, _) if now >= *at => Err(dead()),
            FaultPlan::Fail(at, fault) | FaultPlan::FailAndStop(at, fault, _) if now == *at => {
                Err(fault.clone())
            }
            FaultPlan::FailAndStop(_, _, at) if now >= *at => Err(dead()),
            FaultPlan::FailFrom(at, fault) if now >= *at && is_change => Err(fault.clone()),
            _ => match *self.closed.borrow() {
                Some(closed) if enters(&what(), closed) => Err(Fault::Access),
                _ => Ok(()),
            },
        }
    }

    fn part(&self) -> Option<usize> {
        match *self.plan.borrow() {
            FaultPlan::Stop(at, part) if at + 1 == self.calls.get() => Some(part),
            _ => None,
        }
    }

    /// The answer to a completed call; for a repeated one, `again`.
    fn answer<T>(&self, done: Result<T, Fault>, again: Option<Fault>) -> Result<T, Fault> {
        match (&*self.plan.borrow(), done) {
            (FaultPlan::WrongAnswer(at, WrongAnswer::Fault(fault)), Ok(_)) if at + 1 == self.calls.get() => {
                Err(fault.clone())
            }
            (FaultPlan::WrongAnswer(at, WrongAnswer::Again), Ok(done)) if at + 1 == self.calls.get() => {
                again.map_or(Ok(done), Err)
            }
            (_, done) => done,
        }
    }

    /// The number of bytes that a write writes, and its answer.
    fn lie(&self, bytes: usize) -> (usize, Option<Result<usize, Fault>>) {
        match &*self.plan.borrow() {
            FaultPlan::WrongAnswer(at, lie) if at + 1 == self.calls.get() => match lie {
                WrongAnswer::Fault(fault) => (bytes, Some(Err(fault.clone()))),
                // Written twice, without a visible effect.
                WrongAnswer::Again => (bytes, None),
                WrongAnswer::Part(part, fault) => (bytes.min(*part), Some(Err(fault.clone()))),
                WrongAnswer::Fewer(part) => (bytes, Some(Ok(bytes.min(*part)))),
            },
            _ => (bytes, None),
        }
    }

    fn some(&self, bytes: usize) -> usize {
        self.at_once.get().map_or(bytes, |most| most.min(bytes))
    }
}

pub(crate) fn is_look(call: &str) -> bool {
    let verb = call.split(' ').next();
    verb.is_some_and(|verb| ["stat", "list", "open", "read", "identity"].contains(&verb))
}

/// True for a call that needs the right to enter a directory.
fn enters(call: &str, directory: &str) -> bool {
    call.split(' ').any(|word| word.strip_prefix(directory).is_some_and(|rest| rest.starts_with('/')))
        || ["open ", "list "].iter().any(|verb| call.strip_prefix(verb) == Some(directory))
}

fn dead() -> Fault {
    Fault::Io("dead".to_owned())
}

#[derive(Clone)]
pub(crate) struct Faulty {
    pub(crate) inner: Memory,
    pub(crate) machine: Rc<Machine>,
    pub(crate) label: Rc<str>,
    /// Loses unsynced changes with the power.
    pub(crate) disk: Option<Rc<Disk>>,
}

#[derive(Clone)]
pub(crate) struct Directory {
    inner: memory::Directory,
    label: Rc<str>,
}

pub(crate) struct File {
    inner: memory::File,
    label: Rc<str>,
}

impl Directory {
    fn of(&self, name: &str) -> Rc<str> {
        format!("{}/{name}", self.label).into()
    }
}

impl Faulty {
    fn made(&self, directory: &Directory, name: &str) {
        if let Some(disk) = &self.disk {
            disk.made(&directory.inner, name);
        }
    }

    fn changes(&self, file: &File, change: impl FnOnce() -> DiskChange) {
        let Some(disk) = &self.disk else { return };
        let Ok(who) = self.inner.identity(&file.inner) else { return };
        let now = || self.inner.read_at(&file.inner, 0, 1 << 20).unwrap_or_default();
        disk.change(who, now, change());
    }

    fn elsewhere(&self, done: Result<(), Fault>) -> Result<(), Fault> {
        match done {
            Err(Fault::CrossDevice) if self.machine.is_dumb.get() => Err(Fault::Io("no words".to_owned())),
            done => done,
        }
    }
}

impl Volume for Faulty {
    type Directory = Directory;
    type File = File;

    fn root(&self) -> Directory {
        Directory { inner: self.inner.root(), label: self.label.clone() }
    }

    fn stat(&self, directory: &Directory, name: &str) -> Result<Stat, Fault> {
        self.machine.call("stat", || directory.of(name))?;
        self.machine.rights.search(&self.inner, &directory.inner)?;
        let mut stat = self.inner.stat(&directory.inner, name)?;
        if let Some(disk) = &self.disk {
            stat.links -= u64::from(disk.remembers(&directory.inner, name));
        }
        Ok(stat)
    }

    fn each_entry(
        &self,
        directory: &Directory,
        sink: &mut dyn FnMut(Listed<'_>) -> ControlFlow<()>,
    ) -> Result<(), Fault> {
        self.machine.call("list", || directory.label.clone())?;
        self.machine.rights.list(&self.inner, &directory.inner)?;
        // Copied first, so that the receiver can make changes.
        let mut names = Vec::new();
        self.inner.each_entry(&directory.inner, &mut |listed| {
            names.push(match listed {
                Listed::Name(name, kind) => Some((name.to_owned(), kind)),
                Listed::Undecodable => None,
            });
            ControlFlow::Continue(())
        })?;
        for name in &names {
            let listed = match name {
                Some((name, kind)) => Listed::Name(name, *kind),
                None => Listed::Undecodable,
            };
            if sink(listed).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn open_directory(&self, directory: &Directory, name: &str) -> Result<Directory, Fault> {
        self.machine.call("open", || directory.of(name))?;
        self.machine.rights.open(&self.inner, &directory.inner, name, false)?;
        Ok(Directory { inner: self.inner.open_directory(&directory.inner, name)?, label: directory.of(name) })
    }

    fn open_directory_to_empty(&self, directory: &Directory, name: &str) -> Result<Directory, Fault> {
        self.machine.call("open", || directory.of(name))?;
        self.machine.rights.open_to_empty(&self.inner, &directory.inner, name)?;
        Ok(Directory { inner: self.inner.open_directory(&directory.inner, name)?, label: directory.of(name) })
    }

    fn open_file(&self, directory: &Directory, name: &str, access: Access) -> Result<File, Fault> {
        self.machine.call("open", || directory.of(name))?;
        self.machine.rights.open(&self.inner, &directory.inner, name, access == Access::Write)?;
        let file =
            File { inner: self.inner.open_file(&directory.inner, name, access)?, label: directory.of(name) };
        if let Some(disk) = self.disk.as_ref().filter(|_| access == Access::Write) {
            disk.opened(&directory.inner, name);
        }
        Ok(file)
    }

    fn create_file(&self, directory: &Directory, name: &str) -> Result<File, Fault> {
        self.machine.call("create", || directory.of(name))?;
        self.machine.rights.make(&self.inner, &directory.inner)?;
        let file = File { inner: self.inner.create_file(&directory.inner, name)?, label: directory.of(name) };
        self.made(directory, name);
        // A repeated creation succeeds on this file system.
        self.machine.answer(Ok(file), None)
    }

    fn create_like(&self, directory: &Directory, name: &str, source: &File) -> Result<File, Fault> {
        self.machine.call("create", || directory.of(name))?;
        self.machine.rights.make(&self.inner, &directory.inner)?;
        let inner = self.inner.create_like(&directory.inner, name, &source.inner)?;
        let file = File { inner, label: directory.of(name) };
        self.made(directory, name);
        self.machine.answer(Ok(file), None)
    }

    fn create_directory(&self, directory: &Directory, name: &str) -> Result<(), Fault> {
        self.machine.call("create directory", || directory.of(name))?;
        self.machine.rights.make(&self.inner, &directory.inner)?;
        self.inner.create_directory(&directory.inner, name)?;
        self.made(directory, name);
        self.machine.answer(Ok(()), Some(Fault::Exists))
    }

    fn create_directory_like(
        &self,
        directory: &Directory,
        name: &str,
        source: &Directory,
    ) -> Result<(), Fault> {
        self.machine.call("create directory", || directory.of(name))?;
        self.machine.rights.make(&self.inner, &directory.inner)?;
        self.inner.create_directory_like(&directory.inner, name, &source.inner)?;
        self.made(directory, name);
        self.machine.answer(Ok(()), Some(Fault::Exists))
    }

    fn read_link(&self, directory: &Directory, name: &str) -> Result<String, Fault> {
        self.machine.call("read link", || directory.of(name))?;
        self.machine.rights.search(&self.inner, &directory.inner)?;
        self.inner.read_link(&directory.inner, name)
    }

    fn link_file(&self, from: &Directory, name: &str, to: &Directory, new_name: &str) -> Result<(), Fault> {
        self.machine.call("link", || format!("{} to {}", from.of(name), to.of(new_name)).into())?;
        self.machine.rights.link(&self.inner, (&from.inner, name), &to.inner)?;
        self.elsewhere(self.inner.link_file(&from.inner, name, &to.inner, new_name))?;
        self.made(to, new_name);
        self.machine.answer(Ok(()), Some(Fault::Exists))
    }

    fn rename(&self, from: &Directory, name: &str, to: &Directory, new_name: &str) -> Result<(), Fault> {
        self.machine.call("rename", || format!("{} to {}", from.of(name), to.of(new_name)).into())?;
        self.machine.rights.rename(&self.inner, (&from.inner, name), (&to.inner, new_name))?;
        let done = match &self.disk {
            Some(disk) => disk.rename(&from.inner, name, &to.inner, new_name),
            None => self.elsewhere(self.inner.rename(&from.inner, name, &to.inner, new_name)),
        };
        self.machine.answer(done, Some(Fault::NotFound))
    }

    fn remove_file(&self, directory: &Directory, name: &str) -> Result<(), Fault> {
        self.machine.call("remove", || directory.of(name))?;
        self.machine.rights.remove(&self.inner, &directory.inner, name)?;
        let done = match &self.disk {
            Some(disk) => disk.remove_file(&directory.inner, name),
            None => self.inner.remove_file(&directory.inner, name),
        };
        self.machine.answer(done, Some(Fault::NotFound))
    }

    fn remove_directory(&self, directory: &Directory, name: &str) -> Result<(), Fault> {
        self.machine.call("remove directory", || directory.of(name))?;
        self.machine.rights.remove(&self.inner, &directory.inner, name)?;
        let done = match &self.disk {
            Some(disk) => disk.remove_directory(&directory.inner, name),
            None => self.inner.remove_directory(&directory.inner, name),
        };
        self.machine.answer(done, Some(Fault::NotFound))
    }

    fn stat_directory(&self, directory: &Directory) -> Result<Stat, Fault> {
        self.machine.call("stat", || directory.label.clone())?;
        self.inner.stat_directory(&directory.inner)
    }

    fn stat_file(&self, file: &File) -> Result<Stat, Fault> {
        self.machine.call("stat", || file.label.clone())?;
        self.inner.stat_file(&file.inner)
    }

    fn read_at(&self, file: &File, offset: u64, length: usize) -> Result<Vec<u8>, Fault> {
        self.machine.call("read", || file.label.clone())?;
        self.inner.read_at(&file.inner, offset, self.machine.some(length))
    }

    fn write_at(&self, file: &File, offset: u64, bytes: &[u8]) -> Result<usize, Fault> {
        let some = &bytes[..self.machine.some(bytes.len())];
        self.machine.writes.borrow_mut().push((self.machine.calls.get(), some.len()));
        if let Err(fault) = self.machine.call("write", || file.label.clone()) {
            // All bytes would equal a death at the next call.
            let most = some.len().saturating_sub(1);
            if let Some(part) = self.machine.part().map(|part| part.min(most)).filter(|part| *part > 0) {
                self.changes(file, || DiskChange::Write(offset, some[..part].to_vec()));
                let _ = self.inner.write_at(&file.inner, offset, &some[..part]);
            }
            return Err(fault);
        }
        let (part, answer) = self.machine.lie(some.len());
        self.changes(file, || DiskChange::Write(offset, some[..part].to_vec()));
        let written = self.inner.write_at(&file.inner, offset, &some[..part])?;
        answer.unwrap_or(Ok(written))
    }

    fn set_size(&self, file: &File, size: u64) -> Result<(), Fault> {
        self.machine.call("set size", || file.label.clone())?;
        self.changes(file, || DiskChange::Size(size));
        let done = self.inner.set_size(&file.inner, size);
        self.machine.answer(done, None)
    }

    fn sync_file(&self, file: &File) -> Result<(), Fault> {
        self.machine.call("sync", || file.label.clone())?;
        if let (Some(disk), Ok(who)) = (&self.disk, self.inner.identity(&file.inner)) {
            disk.sync_file(who);
        }
        self.inner.sync_file(&file.inner)
    }

    fn sync_directory(&self, directory: &Directory) -> Result<(), Fault> {
        self.machine.call("sync names", || directory.label.clone())?;
        if let Some(disk) = &self.disk {
            disk.sync_directory(&directory.inner);
        }
        self.inner.sync_directory(&directory.inner)
    }

    fn identity(&self, file: &File) -> Result<u128, Fault> {
        self.machine.call("identity", || file.label.clone())?;
        self.inner.identity(&file.inner)
    }

    fn identity_at(&self, directory: &Directory, name: &str) -> Result<u128, Fault> {
        self.machine.call("identity", || directory.of(name))?;
        self.machine.rights.search(&self.inner, &directory.inner)?;
        self.inner.identity_at(&directory.inner, name)
    }

    fn directory_identity(&self, directory: &Directory) -> Result<u128, Fault> {
        self.machine.call("identity", || directory.label.clone())?;
        self.inner.directory_identity(&directory.inner)
    }

    fn random(&self) -> u128 {
        self.inner.random()
    }

    fn now(&self) -> Duration {
        self.machine.look();
        self.inner.now()
    }

    fn wall(&self) -> Duration {
        self.inner.wall()
    }

    fn pause(&self, time: Duration) {
        self.inner.pause(time);
    }

    fn abilities(&self) -> Abilities {
        self.inner.abilities()
    }
}
