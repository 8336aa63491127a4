//! A volume that fails where a test wants it to.

use std::ops::ControlFlow;
use std::rc::Rc;
use std::time::Duration;

use fsgate_volume::memory::{Directory, File, Memory};
use fsgate_volume::{Abilities, Access, Fault, Listed, Stat, Volume};

/// A call to a volume.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Stat,
    EachEntry,
    OpenDirectory,
    OpenFile(Access),
    CreateFile,
    CreateDirectory,
    ReadLink,
    LinkFile,
    Rename,
    RemoveFile,
    RemoveDirectory,
    StatDirectory,
    StatFile,
    ReadAt,
    WriteAt,
    SetSize,
    SyncFile,
    SyncDirectory,
    Identity,
}

/// A volume in memory that asks before every step whether it is to fail. It moves few bytes at once, as
/// volumes may, so that there are many steps.
#[derive(Clone)]
pub(super) struct Faulty {
    pub(super) inner: Memory,
    pub(super) before: Rc<dyn Fn(Step) -> Option<Fault>>,
}

const BYTES_AT_ONCE: usize = 7;

impl Faulty {
    fn step(&self, step: Step) -> Result<(), Fault> {
        (self.before)(step).map_or(Ok(()), Err)
    }
}

impl Volume for Faulty {
    type Directory = Directory;
    type File = File;

    fn root(&self) -> Directory {
        self.inner.root()
    }

    fn stat(&self, directory: &Directory, name: &str) -> Result<Stat, Fault> {
        self.step(Step::Stat).and_then(|()| self.inner.stat(directory, name))
    }

    fn each_entry(
        &self,
        directory: &Directory,
        sink: &mut dyn FnMut(Listed<'_>) -> ControlFlow<()>,
    ) -> Result<(), Fault> {
        self.step(Step::EachEntry).and_then(|()| self.inner.each_entry(directory, sink))
    }

    fn open_directory(&self, directory: &Directory, name: &str) -> Result<Directory, Fault> {
        self.step(Step::OpenDirectory).and_then(|()| self.inner.open_directory(directory, name))
    }

    fn open_file(&self, directory: &Directory, name: &str, access: Access) -> Result<File, Fault> {
        self.step(Step::OpenFile(access)).and_then(|()| self.inner.open_file(directory, name, access))
    }

    fn create_file(&self, directory: &Directory, name: &str) -> Result<File, Fault> {
        self.step(Step::CreateFile).and_then(|()| self.inner.create_file(directory, name))
    }

    fn create_like(&self, directory: &Directory, name: &str, source: &File) -> Result<File, Fault> {
        self.step(Step::CreateFile).and_then(|()| self.inner.create_like(directory, name, source))
    }

    fn create_directory(&self, directory: &Directory, name: &str) -> Result<(), Fault> {
        self.step(Step::CreateDirectory).and_then(|()| self.inner.create_directory(directory, name))
    }

    fn create_directory_like(
        &self,
        directory: &Directory,
        name: &str,
        source: &Directory,
    ) -> Result<(), Fault> {
        self.step(Step::CreateDirectory)
            .and_then(|()| self.inner.create_directory_like(directory, name, source))
    }

    fn read_link(&self, directory: &Directory, name: &str) -> Result<String, Fault> {
        self.step(Step::ReadLink).and_then(|()| self.inner.read_link(directory, name))
    }

    fn link_file(&self, from: &Directory, name: &str, to: &Directory, new_name: &str) -> Result<(), Fault> {
        self.step(Step::LinkFile).and_then(|()| self.inner.link_file(from, name, to, new_name))
    }

    fn rename(&self, from: &Directory, name: &str, to: &Directory, new_name: &str) -> Result<(), Fault> {
        self.step(Step::Rename).and_then(|()| self.inner.rename(from, name, to, new_name))
    }

    fn remove_file(&self, directory: &Directory, name: &str) -> Result<(), Fault> {
        self.step(Step::RemoveFile).and_then(|()| self.inner.remove_file(directory, name))
    }

    fn remove_directory(&self, directory: &Directory, name: &str) -> Result<(), Fault> {
        self.step(Step::RemoveDirectory).and_then(|()| self.inner.remove_directory(directory, name))
    }

    fn stat_directory(&self, directory: &Directory) -> Result<Stat, Fault> {
        self.step(Step::StatDirectory).and_then(|()| self.inner.stat_directory(directory))
    }

    fn stat_file(&self, file: &File) -> Result<Stat, Fault> {
        self.step(Step::StatFile).and_then(|()| self.inner.stat_file(file))
    }

    fn read_at(&self, file: &File, offset: u64, length: usize) -> Result<Vec<u8>, Fault> {
        self.step(Step::ReadAt).and_then(|()| self.inner.read_at(file, offset, length.min(BYTES_AT_ONCE)))
    }

    fn write_at(&self, file: &File, offset: u64, bytes: &[u8]) -> Result<usize, Fault> {
        let some = &bytes[..bytes.len().min(BYTES_AT_ONCE)];
        self.step(Step::WriteAt).and_then(|()| self.inner.write_at(file, offset, some))
    }

    fn set_size(&self, file: &File, size: u64) -> Result<(), Fault> {
        self.step(Step::SetSize).and_then(|()| self.inner.set_size(file, size))
    }

    fn sync_file(&self, file: &File) -> Result<(), Fault> {
        self.step(Step::SyncFile).and_then(|()| self.inner.sync_file(file))
    }

    fn sync_directory(&self, directory: &Directory) -> Result<(), Fault> {
        self.step(Step::SyncDirectory).and_then(|()| self.inner.sync_directory(directory))
    }

    fn identity(&self, file: &File) -> Result<u128, Fault> {
        self.step(Step::Identity).and_then(|()| self.inner.identity(file))
    }

    fn identity_at(&self, directory: &Directory, name: &str) -> Result<u128, Fault> {
        self.step(Step::Identity).and_then(|()| self.inner.identity_at(directory, name))
    }

    fn directory_identity(&self, directory: &Directory) -> Result<u128, Fault> {
        self.step(Step::Identity).and_then(|()| self.inner.directory_identity(directory))
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
