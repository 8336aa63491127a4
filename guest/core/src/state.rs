//! A state directory: where records, the trash and locks are kept, outside of everything that tools can reach.

use std::cell::Cell;
use std::ops::ControlFlow;

use crate::journal::Id;
use crate::volume::bytes::{read_all, write_all};
use crate::volume::{Access, Fault, Kind, Listed, Volume};

pub mod lease;

/// What the file `format` says. Other words are another version's.
const FORMAT: &str = "fsgate state 1\n";

/// Files and directories of a state directory.
const FILES: [&str; 3] = ["format", "lock", "sequence"];
const DIRECTORIES: [&str; 6] = ["tmp", "pending", "done", "trash", "conflicts", "locks"];

/// A state directory, open.
pub struct State<V: Volume> {
    pub(crate) volume: V,
    pub(crate) identity: Id,
    pub(crate) pending: V::Directory,
    pub(crate) done: V::Directory,
    pub(crate) trash: V::Directory,
    pub(crate) tmp: V::Directory,
    pub(crate) conflicts: V::Directory,
    pub(crate) locks: V::Directory,
    sequence: V::File,
    /// The newest id that was written here by us: the next one is behind it, also on a clock that is set back.
    pub(crate) last: Cell<Option<Id>>,
    /// How many are writing in place: an undone change is taken back while its own writing still counts.
    writing: Cell<u32>,
    /// What the sequence is meanwhile.
    odd: Cell<u64>,
}

/// Why a directory is not used as a state directory.
#[derive(Debug, Clone, PartialEq)]
pub enum Unusable {
    /// It is another version's: what `format` says.
    Format(String),
    /// It has something in it that no state directory has.
    Foreign(String),
    /// One of its names stands for something else than it should.
    Damaged(&'static str),
    /// It cannot be used.
    Fault(Fault),
}

impl From<Fault> for Unusable {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl<V: Volume> State<V> {
    /// Opens a state directory. An empty directory becomes one.
    pub fn open(volume: V) -> Result<Self, Unusable> {
        let root = volume.root();
        match file(&volume, &root, "format", Access::Read)? {
            Some(format) => {
                let text = read_all(&volume, &format, 0, 100)?;
                // Its maker died before all of it was written.
                if text.len() < FORMAT.len() && FORMAT.as_bytes().starts_with(&text) {
                    drop(format);
                    volume.remove_file(&root, "format")?;
                    make(&volume, &root)?;
                } else if text != FORMAT.as_bytes() {
                    return Err(Unusable::Format(String::from_utf8_lossy(&text).trim_end().to_owned()));
                }
            }
            None => make(&volume, &root)?,
        }
        let directory = |name| match volume.open_directory(&root, name) {
            Ok(directory) => Ok(directory),
            Err(Fault::NotFound | Fault::Loop | Fault::NotDirectory) => Err(Unusable::Damaged(name)),
            Err(fault) => Err(Unusable::Fault(fault)),
        };
        let sequence =
            file(&volume, &root, "sequence", Access::Write)?.ok_or(Unusable::Damaged("sequence"))?;
        Ok(Self {
            identity: Id(volume.directory_identity(&root)?),
            pending: directory("pending")?,
            done: directory("done")?,
            trash: directory("trash")?,
            tmp: directory("tmp")?,
            conflicts: directory("conflicts")?,
            locks: directory("locks")?,
            sequence,
            last: Cell::new(None),
            writing: Cell::new(0),
            odd: Cell::new(1),
            volume,
        })
    }

    /// The ids in one of its directories, the smallest first. What has another name is none of ours.
    pub fn ids(&self, directory: &V::Directory) -> Result<Vec<Id>, Fault> {
        let mut ids = Vec::new();
        self.volume.each_entry(directory, &mut |listed| {
            if let Listed::Name(name, _) = listed
                && let Ok(id) = name.parse()
            {
                ids.push(id);
            }
            ControlFlow::Continue(())
        })?;
        ids.sort_unstable();
        Ok(ids)
    }

    /// True if something was begun and is not at its end: a change, or writing in place by one who died when all its
    /// changes were settled already.
    pub(crate) fn is_pending(&self) -> Result<bool, Fault> {
        let mut found = self.sequence()? % 2 == 1;
        self.volume.each_entry(&self.pending, &mut |_| {
            found = true;
            ControlFlow::Break(())
        })?;
        Ok(found)
    }

    /// A number that is odd while bytes of files are written in place, and another one afterwards.
    pub(crate) fn sequence(&self) -> Result<u64, Fault> {
        let bytes = read_all(&self.volume, &self.sequence, 0, 8)?;
        // A file that was cut off by a loss of power counts from anew.
        Ok(bytes.try_into().map_or(0, u64::from_le_bytes))
    }

    /// From now on bytes are written in place.
    pub(crate) fn begin_in_place(&self) -> Result<(), Fault> {
        if self.writing.get() == 0 {
            self.odd.set(self.sequence()? | 1);
            self.set_sequence(self.odd.get())?;
        }
        self.writing.set(self.writing.get() + 1);
        Ok(())
    }

    /// No more.
    pub(crate) fn end_in_place(&self) -> Result<(), Fault> {
        self.writing.set(self.writing.get().saturating_sub(1));
        // Nobody else has changed it meanwhile: that takes the lock.
        if self.writing.get() == 0 { self.set_sequence(self.odd.get().wrapping_add(1)) } else { Ok(()) }
    }

    /// What was begun stays as it is until the next call.
    pub(crate) fn leave_in_place(&self) {
        self.writing.set(0);
    }

    fn set_sequence(&self, sequence: u64) -> Result<(), Fault> {
        write_all(&self.volume, &self.sequence, 0, &sequence.to_le_bytes()).map_err(|(fault, _)| fault)
    }
}

/// Opens a file of a state directory, if it is there.
fn file<V: Volume>(
    volume: &V,
    root: &V::Directory,
    name: &'static str,
    access: Access,
) -> Result<Option<V::File>, Unusable> {
    match volume.stat(root, name) {
        // Looked at before it is opened: opening a FIFO waits for its writer.
        Ok(stat) if stat.kind == Kind::File => Ok(Some(volume.open_file(root, name, access)?)),
        Ok(_) => Err(Unusable::Damaged(name)),
        Err(Fault::NotFound) => Ok(None),
        Err(fault) => Err(fault.into()),
    }
}

/// Makes what is missing. `format` comes last: before, it is not a state directory.
fn make<V: Volume>(volume: &V, root: &V::Directory) -> Result<(), Unusable> {
    let mut foreign = None;
    volume.each_entry(root, &mut |listed| {
        match listed {
            Listed::Name(name, _) if FILES.contains(&name) || DIRECTORIES.contains(&name) => {
                return ControlFlow::Continue(());
            }
            Listed::Name(name, _) => foreign = Some(name.to_owned()),
            Listed::Undecodable => foreign = Some("a name that is not UTF-8".to_owned()),
        }
        ControlFlow::Break(())
    })?;
    if let Some(name) = foreign {
        return Err(Unusable::Foreign(name));
    }
    for name in DIRECTORIES {
        match volume.create_directory(root, name) {
            Ok(()) | Err(Fault::Exists) => {}
            Err(fault) => return Err(fault.into()),
        }
    }
    for (name, content) in [("lock", ""), ("sequence", "\0\0\0\0\0\0\0\0"), ("format", FORMAT)] {
        match volume.create_file(root, name) {
            Ok(file) => {
                write_all(volume, &file, 0, content.as_bytes()).map_err(|(fault, _)| fault)?;
                volume.sync_file(&file)?;
            }
            // Somebody else is making it at the same time, with the same content.
            Err(Fault::Exists) => {}
            Err(fault) => return Err(fault.into()),
        }
    }
    // It is made once: for whoever wants to survive a loss of power, a record in a directory that is lost is none.
    volume.sync_directory(root)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::volume::memory::{Item, Memory};

    #[test]
    fn an_empty_directory_becomes_one_and_is_one_then() {
        let volume = Memory::default();
        let state = State::open(volume.clone()).ok().unwrap();
        assert_eq!(volume.snapshot().len(), FILES.len() + DIRECTORIES.len());
        assert_eq!(state.sequence(), Ok(0));
        state.begin_in_place().unwrap();
        assert_eq!(State::open(volume).ok().unwrap().sequence(), Ok(1));
        state.end_in_place().unwrap();
        assert_eq!(state.sequence(), Ok(2));
    }

    #[test]
    fn what_is_none_is_never_used() {
        for (path, item, expected) in [
            (
                "format",
                Item::File(b"fsgate state 2\n".to_vec()),
                Unusable::Format("fsgate state 2".to_owned()),
            ),
            ("format", Item::Directory, Unusable::Damaged("format")),
            ("format", Item::Link("lock".to_owned()), Unusable::Damaged("format")),
            ("main.rs", Item::File(Vec::new()), Unusable::Foreign("main.rs".to_owned())),
            ("pending", Item::Link("..".to_owned()), Unusable::Damaged("pending")),
            ("done", Item::File(Vec::new()), Unusable::Damaged("done")),
            ("sequence", Item::Directory, Unusable::Damaged("sequence")),
        ] {
            let volume = Memory::default();
            volume.put(path, item);
            assert_eq!(State::open(volume).err(), Some(expected), "{path}");
        }
    }

    #[test]
    fn only_ids_are_listed() {
        let volume = Memory::default();
        let state = State::open(volume.clone()).ok().unwrap();
        for name in [&Id(3).to_string(), &Id(1).to_string(), "README", "1"] {
            volume.put(&format!("done/{name}"), Item::File(Vec::new()));
        }
        assert_eq!(state.ids(&state.done), Ok(vec![Id(1), Id(3)]));
    }
}
