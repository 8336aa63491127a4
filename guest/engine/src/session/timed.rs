//! A volume that ends a call when its time is over, and keeps its leases until then.
//!
//! Whatever takes long asks a volume for something again and again. So the clock is looked at here, once in a while, and no
//! tool has to think of it. Where a change must not be cut in two, the clock is held. A lease that is lost ends a call in any case.

use std::ops::ControlFlow;
use std::rc::Rc;
use std::time::Duration;

use fsgate_journal::state::lease::Leases;
use fsgate_volume::clock::Clock;
use fsgate_volume::{Abilities, Access, Fault, Listed, Stat, Volume};

/// A volume, the clock of the calls on it, and their leases.
pub struct Timed<V: Volume> {
    pub(crate) volume: Rc<V>,
    pub(crate) clock: Rc<Clock>,
    pub(crate) leases: Rc<Leases<V>>,
}

impl<V: Volume> Timed<V> {
    fn step(&self) -> Result<(), Fault> {
        self.leases.keep()?;
        self.look()
    }

    fn look(&self) -> Result<(), Fault> {
        self.clock.step(|| self.volume.now())
    }
}

impl<V: Volume> Volume for Timed<V> {
    type Directory = V::Directory;
    type File = V::File;

    fn root(&self) -> Self::Directory {
        self.volume.root()
    }

    fn stat(&self, directory: &Self::Directory, name: &str) -> Result<Stat, Fault> {
        self.step()?;
        self.volume.stat(directory, name)
    }

    fn each_entry(
        &self,
        directory: &Self::Directory,
        sink: &mut dyn FnMut(Listed<'_>) -> ControlFlow<()>,
    ) -> Result<(), Fault> {
        self.step()?;
        let mut over = Ok(());
        self.volume.each_entry(directory, &mut |listed| {
            over = self.look();
            if over.is_err() { ControlFlow::Break(()) } else { sink(listed) }
        })?;
        over
    }

    fn open_directory(&self, directory: &Self::Directory, name: &str) -> Result<Self::Directory, Fault> {
        self.step()?;
        self.volume.open_directory(directory, name)
    }

    fn open_file(
        &self,
        directory: &Self::Directory,
        name: &str,
        access: Access,
    ) -> Result<Self::File, Fault> {
        self.step()?;
        self.volume.open_file(directory, name, access)
    }

    fn open_directory_to_empty(
        &self,
        directory: &Self::Directory,
        name: &str,
    ) -> Result<Self::Directory, Fault> {
        self.step()?;
        self.volume.open_directory_to_empty(directory, name)
    }

    fn create_file(&self, directory: &Self::Directory, name: &str) -> Result<Self::File, Fault> {
        self.step()?;
        self.volume.create_file(directory, name)
    }

    fn create_like(
        &self,
        directory: &Self::Directory,
        name: &str,
        source: &Self::File,
    ) -> Result<Self::File, Fault> {
        self.step()?;
        self.volume.create_like(directory, name, source)
    }

    fn create_directory(&self, directory: &Self::Directory, name: &str) -> Result<(), Fault> {
        self.step()?;
        self.volume.create_directory(directory, name)
    }

    fn create_directory_like(
        &self,
        directory: &Self::Directory,
        name: &str,
        source: &Self::Directory,
    ) -> Result<(), Fault> {
        self.step()?;
        self.volume.create_directory_like(directory, name, source)
    }

    fn read_link(&self, directory: &Self::Directory, name: &str) -> Result<String, Fault> {
        self.step()?;
        self.volume.read_link(directory, name)
    }

    fn link_file(
        &self,
        from: &Self::Directory,
        name: &str,
        to: &Self::Directory,
        new_name: &str,
    ) -> Result<(), Fault> {
        self.step()?;
        self.volume.link_file(from, name, to, new_name)
    }

    fn rename(
        &self,
        from: &Self::Directory,
        name: &str,
        to: &Self::Directory,
        new_name: &str,
    ) -> Result<(), Fault> {
        self.step()?;
        self.volume.rename(from, name, to, new_name)
    }

    fn remove_file(&self, directory: &Self::Directory, name: &str) -> Result<(), Fault> {
        self.step()?;
        self.volume.remove_file(directory, name)
    }

    fn remove_directory(&self, directory: &Self::Directory, name: &str) -> Result<(), Fault> {
        self.step()?;
        self.volume.remove_directory(directory, name)
    }

    fn stat_directory(&self, directory: &Self::Directory) -> Result<Stat, Fault> {
        self.step()?;
        self.volume.stat_directory(directory)
    }

    fn stat_file(&self, file: &Self::File) -> Result<Stat, Fault> {
        self.step()?;
        self.volume.stat_file(file)
    }

    fn read_at(&self, file: &Self::File, offset: u64, length: usize) -> Result<Vec<u8>, Fault> {
        self.step()?;
        self.volume.read_at(file, offset, length)
    }

    fn write_at(&self, file: &Self::File, offset: u64, bytes: &[u8]) -> Result<usize, Fault> {
        self.step()?;
        self.volume.write_at(file, offset, bytes)
    }

    fn set_size(&self, file: &Self::File, size: u64) -> Result<(), Fault> {
        self.step()?;
        self.volume.set_size(file, size)
    }

    fn sync_file(&self, file: &Self::File) -> Result<(), Fault> {
        self.step()?;
        self.volume.sync_file(file)
    }

    fn sync_directory(&self, directory: &Self::Directory) -> Result<(), Fault> {
        self.step()?;
        self.volume.sync_directory(directory)
    }

    fn identity(&self, file: &Self::File) -> Result<u128, Fault> {
        self.step()?;
        self.volume.identity(file)
    }

    fn identity_at(&self, directory: &Self::Directory, name: &str) -> Result<u128, Fault> {
        self.step()?;
        self.volume.identity_at(directory, name)
    }

    fn directory_identity(&self, directory: &Self::Directory) -> Result<u128, Fault> {
        self.step()?;
        self.volume.directory_identity(directory)
    }

    fn random(&self) -> u128 {
        self.volume.random()
    }

    fn now(&self) -> Duration {
        self.volume.now()
    }

    fn wall(&self) -> Duration {
        self.volume.wall()
    }

    fn pause(&self, time: Duration) {
        self.volume.pause(time);
    }

    fn abilities(&self) -> Abilities {
        self.volume.abilities()
    }
}
