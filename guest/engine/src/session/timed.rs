//! A volume that ends a call with its time or its lease.
//!
//! Only this file checks the clock. An indivisible change holds the clock, but a lost lease ends
//! it.

use std::ops::ControlFlow;
use std::rc::Rc;
use std::time::Duration;

use fsgate_journal::state::lease::Leases;
use fsgate_volume::clock::Clock;
use fsgate_volume::{Abilities, Access, Fault, Listed, Stat, Volume};

/// A volume with the clock and the leases of its calls.
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

/// Functions that check lease and clock first.
macro_rules! stepped {
    ($(fn $function:ident($($name:ident: $type:ty),*) -> $done:ty;)*) => {
        $(fn $function(&self, $($name: $type),*) -> Result<$done, Fault> {
            self.step()?;
            self.volume.$function($($name),*)
        })*
    };
}

impl<V: Volume> Volume for Timed<V> {
    type Directory = V::Directory;
    type File = V::File;

    stepped! {
        fn stat(directory: &V::Directory, name: &str) -> Stat;
        fn open_directory(directory: &V::Directory, name: &str) -> V::Directory;
        fn open_file(directory: &V::Directory, name: &str, access: Access) -> V::File;
        fn open_directory_to_empty(directory: &V::Directory, name: &str) -> V::Directory;
        fn create_file(directory: &V::Directory, name: &str) -> V::File;
        fn create_like(directory: &V::Directory, name: &str, source: &V::File) -> V::File;
        fn create_directory(directory: &V::Directory, name: &str) -> ();
        fn create_directory_like(directory: &V::Directory, name: &str, source: &V::Directory) -> ();
        fn read_link(directory: &V::Directory, name: &str) -> String;
        fn link_file(from: &V::Directory, name: &str, to: &V::Directory, new_name: &str) -> ();
        fn rename(from: &V::Directory, name: &str, to: &V::Directory, new_name: &str) -> ();
        fn remove_file(directory: &V::Directory, name: &str) -> ();
        fn remove_directory(directory: &V::Directory, name: &str) -> ();
        fn stat_directory(directory: &V::Directory) -> Stat;
        fn stat_file(file: &V::File) -> Stat;
        fn read_at(file: &V::File, offset: u64, length: usize) -> Vec<u8>;
        fn write_at(file: &V::File, offset: u64, bytes: &[u8]) -> usize;
        fn set_size(file: &V::File, size: u64) -> ();
        fn sync_file(file: &V::File) -> ();
        fn sync_directory(directory: &V::Directory) -> ();
        fn identity(file: &V::File) -> u128;
        fn identity_at(directory: &V::Directory, name: &str) -> u128;
        fn directory_identity(directory: &V::Directory) -> u128;
    }

    fn root(&self) -> V::Directory {
        self.volume.root()
    }

    fn each_entry(
        &self,
        directory: &V::Directory,
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
