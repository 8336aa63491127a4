//! A state directory: records, trash and locks, out of reach of all tools.

use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;

use self::control::Control;
use self::reading::LogCache;
use crate::record::Record;
use fsgate_contract::id::Id;
use fsgate_volume::answers::existing;
use fsgate_volume::bytes::{read_all, write_all};
use fsgate_volume::settings::Unusable;
use fsgate_volume::{Access, Fault, Kind, Listed, Volume};

pub mod control;
pub mod lease;
pub(crate) mod reading;

/// The content of the file `format`. Other versions have another one.
pub const FORMAT: &str = "fsgate state 3\n";

/// The content before records had a scope. The log is the same otherwise.
pub const FORMAT_2: &str = "fsgate state 2\n";

const FILES: [&str; 4] = ["format", "lock", lease::IN_PLACE, "control"];

/// The directories of a state directory.
pub const DIRECTORIES: [&str; 6] = ["tmp", "log", "waiting", "trash", "conflicts", "locks"];

/// The files of a new state directory, in the order in which a host makes them. `format` comes
/// last: without it the directory is no state directory.
pub fn new_files() -> [(&'static str, &'static str, Vec<u8>); 5] {
    let unlocked = || lease::unlocked().into_bytes();
    [
        ("", "lock", Vec::new()),
        ("", lease::IN_PLACE, unlocked()),
        ("locks", lease::FIRST, unlocked()),
        ("", "control", Control::first().to_vec()),
        ("", "format", FORMAT.as_bytes().to_vec()),
    ]
}

/// The suffix of files in `waiting/` for a trash entry whose record is gone, or whose content has
/// left the trash.
pub(crate) const PENDING: &str = ".forgotten";

/// The suffix of files in `waiting/` for a trash entry whose record is about to go. While the
/// record is there, such a file means nothing.
pub(crate) const PREPARED: &str = ".forgetting";

/// The id in the name of a file with one of these suffixes.
pub fn pending_id(name: &str) -> Option<&str> {
    name.strip_suffix(PENDING).or_else(|| name.strip_suffix(PREPARED))
}

/// An open state directory.
pub struct State<V: Volume> {
    /// The volume of the state directory.
    pub volume: V,
    /// The identity of the state directory.
    pub identity: Id,
    /// The directory `log`.
    pub log: V::Directory,
    /// The directory `waiting`, with records of pending changes.
    pub waiting: V::Directory,
    /// The directory `trash`.
    pub trash: V::Directory,
    /// The directory `tmp`.
    pub tmp: V::Directory,
    /// The directory `conflicts`.
    pub conflicts: V::Directory,
    /// The directory `locks`.
    pub locks: V::Directory,
    control: V::File,
    /// The last control that was read or written, and its bytes.
    now: Cell<Control>,
    read: Cell<Option<[u8; control::BYTES]>>,
    failed: Cell<u64>,
    is_sure: Cell<bool>,
    syncs: Cell<bool>,
    pub(crate) reading: RefCell<LogCache<V>>,
    /// Records of pending trash entries that this call has emptied.
    pub(crate) emptied: RefCell<Vec<Record>>,
}

impl<V: Volume> State<V> {
    /// Opens a state directory, and creates it in an empty one.
    pub fn open(volume: V) -> Result<Self, Unusable> {
        let root = volume.root();
        match file(&volume, &root, "format", Access::Read)? {
            Some(format) => {
                let text = read_all(&volume, &format, 0, 100)?;
                if text.len() < FORMAT.len() && FORMAT.as_bytes().starts_with(&text) {
                    drop(format);
                    volume.remove_file(&root, "format")?;
                    make(&volume, &root)?;
                } else if text == FORMAT_2.as_bytes() {
                    drop(format);
                    // One byte differs, so the file has one content or the other.
                    let format = volume.open_file(&root, "format", Access::Write)?;
                    write_all(&volume, &format, 0, FORMAT.as_bytes()).map_err(|(fault, _)| fault)?;
                } else if text != FORMAT.as_bytes() {
                    return Err(Unusable::Format(String::from_utf8_lossy(&text).trim_end().to_owned()));
                }
            }
            None => make(&volume, &root)?,
        }
        // Another program has removed a missing directory. Its entries are gone, and later ones are
        // kept again.
        let is_missing = |name| Ok::<_, Fault>(existing(volume.stat(&root, name))?.is_none());
        let had_locks = !is_missing("locks")?;
        for name in DIRECTORIES {
            if is_missing(name)? {
                make_directory(&volume, &root, name)?;
            }
        }
        // A missing file was removed, or the directory is older than this kind of file.
        if file(&volume, &root, lease::IN_PLACE, Access::Read)?.is_none() {
            complete(&volume, &root, lease::IN_PLACE, lease::unlocked().as_bytes())?;
        }
        if !had_locks {
            let locks = volume.open_directory(&root, "locks")?;
            complete(&volume, &locks, lease::FIRST, lease::unlocked().as_bytes())?;
        }
        Self::open_parts(volume, Access::Write)
    }

    /// Opens the state directory of another session, and changes nothing in it.
    pub fn open_to_read(volume: V) -> Result<Self, Unusable> {
        let format = file(&volume, &volume.root(), "format", Access::Read)?;
        let format = format.ok_or(Unusable::Damaged("format"))?;
        let text = read_all(&volume, &format, 0, 100)?;
        if text != FORMAT.as_bytes() && text != FORMAT_2.as_bytes() {
            return Err(Unusable::Format(String::from_utf8_lossy(&text).trim_end().to_owned()));
        }
        Self::open_parts(volume, Access::Read)
    }

    /// Opens the parts, which exist.
    fn open_parts(volume: V, access: Access) -> Result<Self, Unusable> {
        let root = volume.root();
        let directory = |name| match volume.open_directory(&root, name) {
            Ok(directory) => Ok(directory),
            Err(Fault::NotFound | Fault::Loop | Fault::NotDirectory) => Err(Unusable::Damaged(name)),
            Err(fault) => Err(Unusable::Fault(fault)),
        };
        let control = file(&volume, &root, "control", access)?.ok_or(Unusable::Damaged("control"))?;
        let state = Self {
            identity: Id(volume.directory_identity(&root)?),
            log: directory("log")?,
            waiting: directory("waiting")?,
            trash: directory("trash")?,
            tmp: directory("tmp")?,
            conflicts: directory("conflicts")?,
            locks: directory("locks")?,
            control,
            now: Cell::new(Control::NEW),
            read: Cell::new(None),
            failed: Cell::new(0),
            is_sure: Cell::new(false),
            syncs: Cell::new(false),
            reading: RefCell::default(),
            emptied: RefCell::default(),
            volume,
        };
        match state.look()? {
            Some(_) => Ok(state),
            None => Err(Unusable::Damaged("control")),
        }
    }

    /// Sets whether changes have to survive a loss of power.
    #[must_use]
    pub fn synced(self, syncs: bool) -> Self {
        Self { syncs: Cell::new(syncs), ..self }
    }

    /// True if changes have to survive a loss of power.
    pub fn syncs(&self) -> bool {
        self.syncs.get()
    }

    /// Syncs until the answer is dropped, whatever the session asked for.
    #[must_use]
    pub fn sync_meanwhile(&self) -> impl Drop {
        Meanwhile { syncs: &self.syncs, before: self.syncs.replace(true) }
    }

    /// The ids in one of its directories, the smallest first. Other names are skipped.
    pub fn ids(&self, directory: &V::Directory) -> Result<Vec<Id>, Fault> {
        let mut ids = Vec::new();
        self.each_name(directory, |name| ids.extend(name.parse::<Id>()))?;
        ids.sort_unstable();
        Ok(ids)
    }

    /// Gives `sink` the names in one of its directories.
    pub fn each_name(&self, directory: &V::Directory, mut sink: impl FnMut(&str)) -> Result<(), Fault> {
        self.volume.each_entry(directory, &mut |listed| {
            if let Listed::Name(name, _) = listed {
                sink(name);
            }
            ControlFlow::Continue(())
        })
    }

    /// Reads the control file; none if it is damaged.
    pub fn look(&self) -> Result<Option<Control>, Fault> {
        let mut read = [0; control::BYTES];
        let bytes = read_all(&self.volume, &self.control, 0, control::BYTES)?;
        read[..bytes.len()].copy_from_slice(&bytes);
        if self.read.get() != Some(read) {
            let Some(now) = Control::parse(&read) else { return Ok(None) };
            self.now.set(now);
            self.read.set(Some(read));
            self.failed.set(0);
            self.is_sure.set(false);
        }
        Ok(Some(self.now.get()))
    }

    /// Reads the control file for a change. Damage is a fault.
    pub fn refresh(&self) -> Result<Control, Fault> {
        let now = self.look()?;
        let now = now.ok_or_else(|| Fault::Io("`control` in the state directory is damaged".to_owned()))?;
        if self.syncs() {
            self.make_sure()?;
        }
        Ok(now)
    }

    /// The control as it was read last. Needs the lock.
    pub fn now(&self) -> Control {
        self.now.get()
    }

    /// Syncs the control file before a reader relies on it: its writer may have died before the
    /// sync.
    pub fn make_sure(&self) -> Result<(), Fault> {
        if !self.is_sure.get() {
            self.volume.sync_file(&self.control)?;
            self.is_sure.set(true);
        }
        Ok(())
    }

    /// Writes the control file.
    pub fn set(&self, now: Control) -> Result<(), Fault> {
        let failed = self.failed.get();
        // Counts as failed until the write is known to be complete.
        self.failed.set(failed + 1);
        let next = now.next(failed);
        let (at, slot) = next.slot();
        self.is_sure.set(false);
        write_all(&self.volume, &self.control, at, &slot).map_err(|(fault, _)| fault)?;
        if self.syncs() {
            // The second slot stays untouched until this one is durable.
            self.make_sure()?;
        }
        let mut read = self.read.get().unwrap_or([0; control::BYTES]);
        read[at as usize..][..slot.len()].copy_from_slice(&slot);
        self.read.set(Some(read));
        self.failed.set(0);
        self.now.set(next);
        Ok(())
    }

    /// Marks the beginning of a write in place.
    pub fn begin_in_place(&self) -> Result<(), Fault> {
        let now = self.now();
        if now.is_in_place() { Ok(()) } else { self.set(Control { sequence: now.sequence | 1, ..now }) }
    }
}

struct Meanwhile<'a> {
    syncs: &'a Cell<bool>,
    before: bool,
}

impl Drop for Meanwhile<'_> {
    fn drop(&mut self) {
        self.syncs.set(self.before);
    }
}

fn file<V: Volume>(
    volume: &V,
    root: &V::Directory,
    name: &'static str,
    access: Access,
) -> Result<Option<V::File>, Unusable> {
    match existing(volume.stat(root, name))? {
        // Checked before opening: opening a FIFO blocks.
        Some(stat) if stat.kind == Kind::File => Ok(Some(volume.open_file(root, name, access)?)),
        Some(_) => Err(Unusable::Damaged(name)),
        None => Ok(None),
    }
}

/// Creates missing parts.
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
        make_directory(volume, root, name)?;
    }
    let locks = volume.open_directory(root, "locks")?;
    for (directory, name, content) in new_files() {
        complete(volume, if directory.is_empty() { root } else { &locks }, name, &content)?;
    }
    // Always synced: a record in a lost directory is lost as well.
    volume.sync_directory(&locks)?;
    volume.sync_directory(root)?;
    Ok(())
}

/// Creates a directory, unless another process has just created it.
fn make_directory<V: Volume>(volume: &V, root: &V::Directory, name: &str) -> Result<(), Unusable> {
    match volume.create_directory(root, name) {
        Ok(()) | Err(Fault::Exists) => Ok(()),
        Err(fault) => Err(fault.into()),
    }
}

/// Creates a file, or writes one that is not complete.
fn complete<V: Volume>(
    volume: &V,
    directory: &V::Directory,
    name: &'static str,
    content: &[u8],
) -> Result<(), Unusable> {
    let made = match volume.create_file(directory, name) {
        Ok(made) => made,
        // Another process creates it at the same time, or died before it was complete.
        Err(Fault::Exists) => {
            let found = file(volume, directory, name, Access::Write)?.ok_or(Unusable::Damaged(name))?;
            if is_complete(name, &read_all(volume, &found, 0, control::BYTES)?) {
                return Ok(());
            }
            found
        }
        Err(fault) => return Err(fault.into()),
    };
    write_all(volume, &made, 0, content).map_err(|(fault, _)| fault)?;
    volume.sync_file(&made)?;
    Ok(())
}

fn is_complete(name: &str, bytes: &[u8]) -> bool {
    match name {
        "control" => Control::parse(bytes).is_some(),
        lease::FIRST => lease::is_record(bytes),
        lease::IN_PLACE => !bytes.is_empty(),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsgate_volume::memory::{Item, Memory};

    #[test]
    fn an_empty_directory_becomes_one_and_is_one_then() {
        let volume = Memory::default();
        let state = State::open(volume.clone()).ok().unwrap();
        assert_eq!(volume.snapshot().len(), FILES.len() + DIRECTORIES.len() + 1, "and the first number");
        assert_eq!(state.look(), Ok(Some(Control::NEW)));
        state.begin_in_place().unwrap();
        let other = State::open(volume).ok().unwrap();
        assert_eq!(other.now(), state.now());
        assert!(other.now().is_in_place());
        state.set(Control { sequence: 2, ..state.now() }).unwrap();
        assert!(!other.look().unwrap().unwrap().is_in_place());
        assert_eq!(other.now().sequence, 2);
    }

    #[test]
    fn a_lease_that_was_removed_is_made_again_beside_files_of_a_host() {
        let volume = Memory::default();
        State::open(volume.clone()).ok().unwrap();
        volume.put("sham-1.json", Item::File(Vec::new()));
        volume.remove_file(&volume.root(), lease::IN_PLACE).unwrap();
        assert!(State::open(volume.clone()).is_ok());
        assert!(volume.snapshot().contains_key(lease::IN_PLACE));
    }

    #[test]
    fn a_directory_that_was_removed_is_made_again() {
        for name in DIRECTORIES {
            let volume = Memory::default();
            State::open(volume.clone()).ok().unwrap();
            let whole = volume.snapshot();
            if name == "locks" {
                let locks = volume.open_directory(&volume.root(), name).unwrap();
                volume.remove_file(&locks, lease::FIRST).unwrap();
            }
            volume.remove_directory(&volume.root(), name).unwrap();
            assert!(State::open(volume.clone()).is_ok(), "{name}");
            assert_eq!(volume.snapshot(), whole, "{name}");
        }
    }

    #[test]
    fn what_is_none_is_never_used() {
        for (path, item, expected) in [
            (
                "format",
                Item::File(b"fsgate state 1\n".to_vec()),
                Unusable::Format("fsgate state 1".to_owned()),
            ),
            ("format", Item::Directory, Unusable::Damaged("format")),
            ("format", Item::Link("lock".to_owned()), Unusable::Damaged("format")),
            ("main.rs", Item::File(Vec::new()), Unusable::Foreign("main.rs".to_owned())),
            ("waiting", Item::Link("..".to_owned()), Unusable::Damaged("waiting")),
            ("log", Item::File(Vec::new()), Unusable::Damaged("log")),
            ("control", Item::Directory, Unusable::Damaged("control")),
        ] {
            let volume = Memory::default();
            volume.put(path, item);
            assert_eq!(State::open(volume).err(), Some(expected), "{path}");
        }
    }

    #[test]
    fn what_is_under_way_is_never_guessed() {
        let volume = Memory::default();
        State::open(volume.clone()).ok().unwrap();
        volume.put("control", Item::File(vec![1; control::BYTES]));
        assert_eq!(State::open(volume.clone()).err(), Some(Unusable::Damaged("control")));
        assert!(volume.remove_file(&volume.root(), "format").is_ok());
        assert!(State::open(volume).is_ok());
    }

    #[test]
    fn only_ids_are_listed() {
        let volume = Memory::default();
        let state = State::open(volume.clone()).ok().unwrap();
        for name in [&Id(3).to_string(), &Id(1).to_string(), "README", "1"] {
            volume.put(&format!("conflicts/{name}"), Item::File(Vec::new()));
        }
        assert_eq!(state.ids(&state.conflicts), Ok(vec![Id(1), Id(3)]));
    }
}
