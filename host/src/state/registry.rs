//! The registered roots on this disk: facts and entries for the choice of
//! [`fsgate_journal::registry`]. Files that this code would not write are ignored.

mod forget;

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use fsgate_journal::registry::{
    Around, DirectoryIdentity, Facts, Found, Registration, RootEntry, known, register,
};

use super::root::{ROOTS, STATES, is_open_to_others, is_own};
use super::{Problem, directory, lock};

/// Longest wait for another registration, which takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(5);

/// Largest entry of a root: a path and some numbers.
const ENTRY_BYTES: u64 = 64 << 10;

/// The type that `statfs` gives for overlayfs.
#[cfg(target_os = "linux")]
const OVERLAYFS: i64 = 0x794c_7630;

pub(super) struct Registry {
    root: PathBuf,
    /// Whether entries survive a power loss.
    durable: bool,
    /// The time for which history is kept.
    keep: Duration,
}

/// The identity of the directory at a path.
fn identity_of(path: &Path) -> Option<DirectoryIdentity> {
    // The path was canonical, but a link may have replaced it.
    let found = fs::symlink_metadata(path).ok().filter(fs::Metadata::is_dir)?;
    let (device, inode) = numbers(&found)?;
    let born = found.created().ok().map(nanoseconds);
    Some(DirectoryIdentity { device, inode, born })
}

/// The entries of this disk, all read once.
struct Disk<'a> {
    registry: &'a Registry,
    all: Vec<RootEntry>,
}

impl Facts for Disk<'_> {
    fn entry(&self, name: &str) -> Option<RootEntry> {
        self.registry.read(name)
    }

    fn entries(&self) -> Vec<RootEntry> {
        self.all.clone()
    }

    fn identity(&self, path: &Path) -> Option<DirectoryIdentity> {
        identity_of(path)
    }
}

#[cfg(unix)]
fn numbers(found: &fs::Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((found.dev(), found.ino()))
}

/// Without these numbers, roots cannot be identified.
#[cfg(not(unix))]
fn numbers(_: &fs::Metadata) -> Option<(u64, u64)> {
    None
}

impl Registry {
    pub(super) fn new(root: &Path, durable: bool, keep: Duration) -> Self {
        Self { root: root.to_owned(), durable, keep }
    }

    pub(super) fn directory(&self, state: &str) -> PathBuf {
        self.root.join(STATES).join(state)
    }

    /// The state of a directory with this canonical path. Registers it if no root contains it.
    pub(super) fn state_of(&self, grant: &Path) -> Result<Found, Problem> {
        let around = around(grant);
        // Entries appear complete, so reading needs no lock.
        if let Some((found, None)) = known(&around, &self.disk(Vec::new())) {
            return Ok(found);
        }
        let _lock = self.lock()?;
        match known(&around, &self.disk(Vec::new())) {
            Some((found, None)) => Ok(found),
            Some((found, Some(moved))) => {
                self.write(&moved)?;
                Ok(found)
            }
            None => self.register(grant, &settled(grant, around)),
        }
    }

    /// The states of all registered roots around a directory and inside of it. Registers nothing.
    pub(super) fn states_near(&self, grant: &Path) -> BTreeSet<String> {
        let disk = self.disk(Vec::new());
        let at = |identity: &DirectoryIdentity| {
            self.read(&identity.name()).filter(|entry| entry.identity.is(identity))
        };
        let around = around(grant).into_iter().filter_map(|(_, identity)| at(&identity));
        let inside = self.entries().unwrap_or_default();
        let inside = inside.into_iter().filter(|entry| entry.lies_in(grant, &disk));
        around.chain(inside).flat_map(|entry| [vec![entry.state], entry.retired].concat()).collect()
    }

    /// The nearest registered root at or around a canonical path. Registers nothing.
    pub(super) fn nearest(&self, directory: &Path) -> Option<PathBuf> {
        let all = self.entries().unwrap_or_default();
        let is_registered = |(path, identity): &(PathBuf, DirectoryIdentity)| {
            all.iter().any(|entry| entry.identity.is(identity) || entry.is_renumbered(path, identity))
        };
        around(directory).into_iter().rev().find(is_registered).map(|(path, _)| path)
    }

    /// Registers a directory without a registered root around it. Needs the lock.
    fn register(&self, grant: &Path, around: &Around) -> Result<Found, Problem> {
        let unknown = || Problem::new(grant, "this system does not tell one directory from another");
        if around.last().is_none_or(|(path, _)| path != grant) {
            return Err(unknown());
        }
        let disk = self.disk(self.entries()?);
        self.forget_gone(&disk.all);
        let id = random().map_err(Problem::of(&self.root))?;
        let registered = nanoseconds(SystemTime::now());
        let chosen = register(around, &disk, format!("{id:032x}"), registered);
        let Registration { found, is_new, write, remove } = chosen.ok_or_else(unknown)?;
        if is_new {
            self.make_state(&found.state)?;
        }
        write.iter().try_for_each(|entry| self.write(entry))?;
        if let Some(name) = remove {
            let _ = fs::remove_file(self.roots().join(name));
        }
        Ok(found)
    }

    fn disk(&self, all: Vec<RootEntry>) -> Disk<'_> {
        Disk { registry: self, all }
    }

    fn roots(&self) -> PathBuf {
        self.root.join(ROOTS)
    }

    fn read(&self, name: &str) -> Option<RootEntry> {
        let path = self.roots().join(name);
        let found = fs::symlink_metadata(&path).ok()?;
        if !found.is_file() || !is_own(&found) || is_open_to_others(&found) {
            return None;
        }
        let mut text = Vec::new();
        File::open(&path).ok()?.take(ENTRY_BYTES).read_to_end(&mut text).ok()?;
        let entry = RootEntry::parse(name, &text)?;
        let all_sound = entry.states().all(|state| directory::is_sound(&self.directory(state)));
        all_sound.then_some(entry)
    }

    fn entries(&self) -> Result<Vec<RootEntry>, Problem> {
        let roots = self.roots();
        let names = fs::read_dir(&roots).map_err(Problem::of(&roots))?;
        let names = names.filter_map(|name| name.ok()?.file_name().into_string().ok());
        Ok(names.filter_map(|name| self.read(&name)).collect())
    }

    fn write(&self, entry: &RootEntry) -> Result<(), Problem> {
        let (path, new) = (self.roots().join(entry.identity.name()), self.roots().join(directory::NEW));
        let write = || {
            // The remains of a dead process: the lock excludes living ones.
            match fs::remove_file(&new) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            let mut file = directory::private_file(&new)?;
            file.write_all(entry.text().as_bytes())?;
            if self.durable {
                file.sync_all()?;
            }
            fs::rename(&new, &path)?;
            if self.durable {
                File::open(self.roots())?.sync_all()?;
            }
            Ok(())
        };
        write().map_err(Problem::of(&path))
    }

    fn make_state(&self, id: &str) -> Result<(), Problem> {
        let states = self.root.join(STATES);
        let make = || {
            directory::make(&states, id)?;
            if self.durable { File::open(&states)?.sync_all() } else { Ok(()) }
        };
        make().map_err(Problem::of(&states))
    }

    fn lock(&self) -> Result<File, Problem> {
        let path = self.root.join("lock");
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&path).map_err(Problem::of(&path))?;
        match lock::take(&file, PATIENCE) {
            Ok(true) => Ok(file),
            Ok(false) => Err(Problem::new(&path, "another fsgate has held it for too long")),
            Err(error) => Err(Problem::of(&path)(error)),
        }
    }
}

/// The same, where nothing later changes the identity of the directory. On overlayfs its time of
/// birth changes with the first change in it, which copies it to the upper layer. Setting its mode
/// to what it is copies it now. Without the right to do that, its birth does not count.
fn settled(grant: &Path, around: Vec<(PathBuf, DirectoryIdentity)>) -> Vec<(PathBuf, DirectoryIdentity)> {
    #[cfg(target_os = "linux")]
    if rustix::fs::statfs(grant).is_ok_and(|found| found.f_type == OVERLAYFS) {
        let mode = fs::symlink_metadata(grant).map(|found| found.permissions());
        let is_copied = mode.and_then(|mode| fs::set_permissions(grant, mode)).is_ok();
        let mut around = self::around(grant);
        if let Some((_, identity)) = around.last_mut().filter(|_| !is_copied) {
            identity.born = None;
        }
        return around;
    }
    let _ = grant;
    around
}

/// A directory and its ancestors, the outermost first.
pub(super) fn around(directory: &Path) -> Vec<(PathBuf, DirectoryIdentity)> {
    let mut around: Vec<_> = directory
        .ancestors()
        .filter_map(|path| identity_of(path).map(|identity| (path.to_owned(), identity)))
        .collect();
    around.reverse();
    around
}

/// 128 random bits.
pub(crate) fn random() -> io::Result<u128> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(u128::from_le_bytes(bytes))
}

/// Nanoseconds since 1970: enough until the year 2554.
fn nanoseconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| u64::try_from(since.as_nanos()).unwrap_or(u64::MAX))
}

#[cfg(all(test, unix))]
mod tests;
