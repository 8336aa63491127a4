//! The laws of every volume.
//!
//! The tools are tested on a tree in memory and work on disks, so both have to behave alike.
//! [`check`] runs every law, one file for each kind, in a fresh directory. [`PREPARED`] lists
//! objects that a volume cannot create.

mod content;
mod grants;
mod identity;
mod likeness;
mod links;
mod listing;
mod names;
mod renaming;
mod second_names;

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::ops::ControlFlow;
use std::panic::Location;

use crate::{Access, Fault, Kind, Listed, Stat, Volume};

/// The directory in the first volume's root for [`PREPARED`].
pub const PREPARED_DIRECTORY: &str = "prepared";

/// The objects in [`PREPARED_DIRECTORY`] before the laws run.
pub const PREPARED: &[Prepared] = &[
    Prepared::File("file", b"content"),
    Prepared::Directory("directory"),
    Prepared::Link("to-file", "file"),
    Prepared::Link("to-directory", "directory"),
    Prepared::Link("dangling", "nowhere"),
    Prepared::Link("verbatim", "./a//b/../\u{fc} %2e"),
    Prepared::Link("outwards", "../../outside"),
    Prepared::Link("absolute", "/etc/passwd"),
    Prepared::Link("to-be-moved", "../prepared/file"),
    Prepared::Fifo("fifo"),
    Prepared::Undecodable("", b"\xff"),
    Prepared::Undecodable("", b"m\xff"),
    Prepared::Undecodable("", b"z\xff"),
    Prepared::Directory("unreachable"),
    Prepared::Undecodable("unreachable", b"\xff"),
];

/// An object in [`PREPARED_DIRECTORY`].
#[derive(Debug, Clone, Copy)]
pub enum Prepared {
    /// A file and its content.
    File(&'static str, &'static [u8]),
    /// An empty directory.
    Directory(&'static str),
    /// A symbolic link and its target.
    Link(&'static str, &'static str),
    /// A FIFO.
    Fifo(&'static str),
    /// An empty file whose name is not UTF-8, in this directory, if any.
    Undecodable(&'static str, &'static [u8]),
}

/// The outcome.
#[derive(Debug)]
pub struct LawReport {
    /// The number of laws.
    pub laws: usize,
    /// The broken laws, with reasons.
    pub broken: Vec<String>,
}

/// Runs all laws on two volumes of one kind, like two grants. Both are empty, except for the
/// prepared directory in the first.
pub fn check<V: Volume>(volume: &V, second: &V) -> LawReport {
    let laws = [
        content::laws::<V>(),
        names::laws::<V>(),
        likeness::laws::<V>(),
        links::laws::<V>(),
        second_names::laws::<V>(),
        renaming::laws::<V>(),
        listing::laws::<V>(),
        identity::laws::<V>(),
        grants::laws::<V>(),
    ]
    .concat();
    let broken = laws.iter().enumerate().filter_map(|(number, (law, holds))| {
        let ground = LawGround::new(volume, second, &format!("{number}"));
        let BrokenLaw(how) = ground.and_then(|ground| holds(&ground)).err()?;
        Some(format!("{law}, {how}"))
    });
    LawReport { laws: laws.len(), broken: broken.collect() }
}

struct LawGround<'a, V: Volume> {
    volume: &'a V,
    here: V::Directory,
    prepared: V::Directory,
    second: &'a V,
    /// An empty directory in the second volume.
    there: V::Directory,
}

struct BrokenLaw(String);

type LawResult = Result<(), BrokenLaw>;

/// The kind and count of every name, and the number of undecodable names.
type LawListing = (BTreeMap<String, (Kind, usize)>, usize);

type Law<V> = (&'static str, fn(&LawGround<'_, V>) -> LawResult);

macro_rules! laws {
    ($($law:ident)*) => {
        pub(super) fn laws<V: Volume>() -> Vec<Law<V>> {
            vec![$((stringify!($law), $law::<V> as fn(&super::LawGround<'_, V>) -> super::LawResult)),*]
        }
    };
}
use laws;

impl<'a, V: Volume> LawGround<'a, V> {
    fn new(volume: &'a V, second: &'a V, name: &str) -> Result<Self, BrokenLaw> {
        let fresh = |volume: &V| {
            volume.create_directory(&volume.root(), name)?;
            volume.open_directory(&volume.root(), name)
        };
        let prepared = volume.open_directory(&volume.root(), PREPARED_DIRECTORY)?;
        Ok(Self { volume, here: fresh(volume)?, prepared, second, there: fresh(second)? })
    }

    fn file(&self, directory: &V::Directory, name: &str, content: &[u8]) -> Result<V::File, Fault> {
        let file = self.volume.create_file(directory, name)?;
        self.write(&file, 0, content)?;
        Ok(file)
    }

    fn directory(&self, name: &str) -> Result<V::Directory, Fault> {
        self.volume.create_directory(&self.here, name)?;
        self.volume.open_directory(&self.here, name)
    }

    fn write(&self, file: &V::File, offset: u64, content: &[u8]) -> Result<(), Fault> {
        let mut done = 0;
        while done < content.len() {
            match self.volume.write_at(file, offset + done as u64, &content[done..])? {
                0 => return Err(Fault::Io("nothing was written".to_owned())),
                written => done += written,
            }
        }
        Ok(())
    }

    fn content(&self, file: &V::File) -> Result<Vec<u8>, Fault> {
        let mut content = Vec::new();
        loop {
            match self.volume.read_at(file, content.len() as u64, 1 << 20)? {
                chunk if chunk.is_empty() => return Ok(content),
                chunk => content.extend(chunk),
            }
        }
    }

    fn read(&self, directory: &V::Directory, name: &str) -> Result<Vec<u8>, Fault> {
        self.content(&self.volume.open_file(directory, name, Access::Read)?)
    }

    fn stat(&self, name: &str) -> Result<Stat, Fault> {
        self.volume.stat(&self.here, name)
    }

    fn rename(&self, name: &str, new_name: &str) -> Result<(), Fault> {
        self.volume.rename(&self.here, name, &self.here, new_name)
    }

    /// Gives a file a second name; `None` on a volume that correctly refuses.
    fn link(&self, name: &str, to: &V::Directory, new_name: &str) -> Result<Option<()>, Fault> {
        match self.volume.link_file(&self.here, name, to, new_name) {
            Err(Fault::Unsupported) if !self.volume.abilities().links => Ok(None),
            Ok(()) if !self.volume.abilities().links => {
                Err(Fault::Io("linked, without the ability".to_owned()))
            }
            linked => linked.map(Some),
        }
    }

    fn list(&self, directory: &V::Directory) -> Result<LawListing, Fault> {
        let (mut names, mut undecodable) = (BTreeMap::new(), 0);
        self.volume.each_entry(directory, &mut |entry| {
            match entry {
                Listed::Name(name, kind) => names.entry(name.to_owned()).or_insert((kind, 0)).1 += 1,
                Listed::Undecodable => undecodable += 1,
            }
            ControlFlow::Continue(())
        })?;
        Ok((names, undecodable))
    }

    fn names(&self, directory: &V::Directory) -> Result<Vec<String>, Fault> {
        Ok(self.list(directory)?.0.into_keys().collect())
    }

    /// Makes every call on an existing name, and gives its fault to `judge`.
    fn every_use(&self, name: &str, judge: impl Fn(&str, Option<Fault>) -> LawResult) -> LawResult {
        let (v, here) = (self.volume, &self.here);
        judge("stat", v.stat(here, name).err())?;
        judge("identity_at", v.identity_at(here, name).err())?;
        judge("open_directory", v.open_directory(here, name).err())?;
        judge("open_directory_to_empty", v.open_directory_to_empty(here, name).err())?;
        judge("open_file", v.open_file(here, name, Access::Read).err())?;
        judge("open_file for writing", v.open_file(here, name, Access::Write).err())?;
        judge("read_link", v.read_link(here, name).err())?;
        if v.abilities().links {
            judge("link_file", v.link_file(here, name, here, "new").err())?;
        }
        judge("rename", v.rename(here, name, here, "new").err())?;
        judge("remove_file", v.remove_file(here, name).err())?;
        judge("remove_directory", v.remove_directory(here, name).err())
    }

    /// Makes every call that creates a name, and gives its fault to `judge`. Needs a file `file`.
    fn every_making(&self, name: &str, judge: impl Fn(&str, Option<Fault>) -> LawResult) -> LawResult {
        let (v, here) = (self.volume, &self.here);
        judge("create_file", v.create_file(here, name).err())?;
        judge("create_directory", v.create_directory(here, name).err())?;
        if v.abilities().keeps_modes {
            let source = v.open_file(here, "file", Access::Read)?;
            judge("create_like", v.create_like(here, name, &source).err())?;
            judge("create_directory_like", v.create_directory_like(here, name, here).err())?;
        }
        if v.abilities().links {
            judge("link_file to", v.link_file(here, "file", here, name).err())?;
        }
        Ok(())
    }
}

impl From<Fault> for BrokenLaw {
    #[track_caller]
    fn from(fault: Fault) -> Self {
        Self::here(&format!("{fault:?}"))
    }
}

impl BrokenLaw {
    #[track_caller]
    fn here(how: &str) -> Self {
        Self(format!("{}: {how}", Location::caller()))
    }
}

#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "a law reads better without references")]
fn same<T: PartialEq + Debug>(found: T, wanted: T) -> LawResult {
    if found == wanted { Ok(()) } else { Err(BrokenLaw::here(&format!("{found:?} instead of {wanted:?}"))) }
}

#[track_caller]
fn refused<T>(result: Result<T, Fault>, wanted: Fault) -> LawResult {
    same(result.err(), Some(wanted))
}

#[track_caller]
fn holds(condition: bool, what: &str) -> LawResult {
    if condition { Ok(()) } else { Err(BrokenLaw::here(what)) }
}

fn always(wanted: Fault) -> impl Fn(&str, Option<Fault>) -> LawResult {
    move |call, found| {
        if found.as_ref() == Some(&wanted) {
            return Ok(());
        }
        Err(BrokenLaw(format!("{call}: {found:?} instead of {wanted:?}")))
    }
}
