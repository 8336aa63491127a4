//! A volume in memory that writes down what was done on it.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::rc::Rc;
use std::time::Duration;

use fsgate_volume::memory::{Directory, File, Memory};
use fsgate_volume::{Abilities, Access, Fault, Listed, Stat, Volume};

/// What was done, apart from looking at names.
#[derive(Clone, Default)]
pub(super) struct Recorder {
    inner: Memory,
    reads: Rc<RefCell<Vec<String>>>,
    writes: Rc<RefCell<Vec<String>>>,
}

impl Recorder {
    pub(super) fn new(inner: Memory, log: &Self) -> Self {
        Self { inner, reads: log.reads.clone(), writes: log.writes.clone() }
    }

    /// What was opened, read or followed.
    pub(super) fn reads(&self) -> Vec<String> {
        self.reads.borrow().clone()
    }

    /// What was changed, or opened for that.
    pub(super) fn writes(&self) -> Vec<String> {
        self.writes.borrow().clone()
    }

    fn read(&self, what: &str, name: &str) {
        self.reads.borrow_mut().push(format!("{what} {name}"));
    }

    fn write(&self, what: &str, name: &str) {
        self.writes.borrow_mut().push(format!("{what} {name}"));
    }
}

impl Volume for Recorder {
    type Directory = Directory;
    type File = File;

    fn root(&self) -> Directory {
        self.inner.root()
    }

    fn stat(&self, directory: &Directory, name: &str) -> Result<Stat, Fault> {
        self.inner.stat(directory, name)
    }

    fn each_entry(
        &self,
        directory: &Directory,
        sink: &mut dyn FnMut(Listed<'_>) -> ControlFlow<()>,
    ) -> Result<(), Fault> {
        self.inner.each_entry(directory, sink)
    }

    fn open_directory(&self, directory: &Directory, name: &str) -> Result<Directory, Fault> {
        self.read("open_directory", name);
        self.inner.open_directory(directory, name)
    }

    fn open_file(&self, directory: &Directory, name: &str, access: Access) -> Result<File, Fault> {
        match access {
            Access::Read => self.read("open_file", name),
            Access::Write => self.write("open_file", name),
        }
        self.inner.open_file(directory, name, access)
    }

    fn create_file(&self, directory: &Directory, name: &str) -> Result<File, Fault> {
        self.write("create_file", name);
        self.inner.create_file(directory, name)
    }

    fn create_like(&self, directory: &Directory, name: &str, source: &File) -> Result<File, Fault> {
        self.write("create_file", name);
        self.inner.create_like(directory, name, source)
    }

    fn create_directory(&self, directory: &Directory, name: &str) -> Result<(), Fault> {
        self.write("create_directory", name);
        self.inner.create_directory(directory, name)
    }

    fn create_directory_like(
        &self,
        directory: &Directory,
        name: &str,
        source: &Directory,
    ) -> Result<(), Fault> {
        self.write("create_directory", name);
        self.inner.create_directory_like(directory, name, source)
    }

    fn read_link(&self, directory: &Directory, name: &str) -> Result<String, Fault> {
        self.read("read_link", name);
        self.inner.read_link(directory, name)
    }

    fn link_file(&self, from: &Directory, name: &str, to: &Directory, new_name: &str) -> Result<(), Fault> {
        self.write("link_file", name);
        self.inner.link_file(from, name, to, new_name)
    }

    fn rename(&self, from: &Directory, name: &str, to: &Directory, new_name: &str) -> Result<(), Fault> {
        self.write("rename", name);
        self.inner.rename(from, name, to, new_name)
    }

    fn remove_file(&self, directory: &Directory, name: &str) -> Result<(), Fault> {
        self.write("remove_file", name);
        self.inner.remove_file(directory, name)
    }

    fn remove_directory(&self, directory: &Directory, name: &str) -> Result<(), Fault> {
        self.write("remove_directory", name);
        self.inner.remove_directory(directory, name)
    }

    fn stat_directory(&self, directory: &Directory) -> Result<Stat, Fault> {
        self.inner.stat_directory(directory)
    }

    fn stat_file(&self, file: &File) -> Result<Stat, Fault> {
        self.inner.stat_file(file)
    }

    fn read_at(&self, file: &File, offset: u64, length: usize) -> Result<Vec<u8>, Fault> {
        self.read("read_at", "an open file");
        self.inner.read_at(file, offset, length)
    }

    fn write_at(&self, file: &File, offset: u64, bytes: &[u8]) -> Result<usize, Fault> {
        self.write("write_at", "an open file");
        self.inner.write_at(file, offset, bytes)
    }

    fn set_size(&self, file: &File, size: u64) -> Result<(), Fault> {
        self.write("set_size", "an open file");
        self.inner.set_size(file, size)
    }

    fn sync_file(&self, file: &File) -> Result<(), Fault> {
        self.inner.sync_file(file)
    }

    fn sync_directory(&self, directory: &Directory) -> Result<(), Fault> {
        self.inner.sync_directory(directory)
    }

    fn identity(&self, file: &File) -> Result<u128, Fault> {
        self.inner.identity(file)
    }

    fn identity_at(&self, directory: &Directory, name: &str) -> Result<u128, Fault> {
        self.inner.identity_at(directory, name)
    }

    fn directory_identity(&self, directory: &Directory) -> Result<u128, Fault> {
        self.inner.directory_identity(directory)
    }

    fn random(&self) -> u128 {
        self.inner.random()
    }

    fn now(&self) -> Duration {
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
