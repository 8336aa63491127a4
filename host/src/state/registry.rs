//! Maps granted directories to state directories.
//!
//! A root is identified by device, inode and time of birth. Its path only serves to find roots
//! inside of a directory that is granted later. A grant uses the state of the outermost registered
//! root around it, else of the first registered root inside of it, else a new one. So `/repo` and
//! `/repo/src` share one state, in either order. Entries that this code would not write are
//! ignored.

mod forget;

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::root::{ROOTS, STATES, is_open_to_others, is_own};
use super::{Problem, directory, lock};

/// Longest wait for another registration, which takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(5);

/// Largest entry of a root: a path and some numbers.
const ENTRY_BYTES: u64 = 64 << 10;

pub(super) struct Registry {
    root: PathBuf,
    /// Whether entries survive a power loss.
    durable: bool,
    /// The time for which history is kept.
    keep: Duration,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) state: String,
    /// States of other roots inside or around it, which were registered before a root contained
    /// both.
    pub(super) retired: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct DirectoryIdentity {
    device: u64,
    inode: u64,
    /// Nanoseconds since 1970, if the file system has the time: inodes are reused.
    born: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct RootEntry {
    /// Its last known path.
    path: String,
    #[serde(flatten)]
    identity: DirectoryIdentity,
    state: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    retired: Vec<String>,
    /// Nanoseconds since 1970.
    registered: u64,
}

impl DirectoryIdentity {
    fn of(path: &Path) -> Option<Self> {
        // The path was canonical, but a link may have replaced it.
        let found = fs::symlink_metadata(path).ok().filter(fs::Metadata::is_dir)?;
        let (device, inode) = numbers(&found)?;
        let born = found.created().ok().map(nanoseconds);
        Some(Self { device, inode, born })
    }

    fn is(&self, other: &Self) -> bool {
        self.device == other.device && self.inode == other.inode && !self.is_younger(other)
    }

    /// Some file systems get another device number at every boot.
    fn is_on_renumbered_device(&self, other: &Self) -> bool {
        self.inode == other.inode && self.born.is_some() && self.born == other.born
    }

    fn is_younger(&self, other: &Self) -> bool {
        matches!((self.born, other.born), (Some(one), Some(other)) if one != other)
    }

    pub(super) fn name(&self) -> String {
        format!("{:x}-{:x}", self.device, self.inode)
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
        if let Some((found, None)) = self.known(&around) {
            return Ok(found);
        }
        let _lock = self.lock()?;
        match self.known(&around) {
            Some((found, None)) => Ok(found),
            Some((found, Some(moved))) => {
                self.write(&moved)?;
                Ok(found)
            }
            None => self.register(grant, &around),
        }
    }

    /// The states of all registered roots around a directory and inside of it. Registers nothing.
    pub(super) fn states_near(&self, grant: &Path) -> BTreeSet<String> {
        let around = around(grant).into_iter().filter_map(|(_, identity)| self.read_for(&identity));
        let inside = self.entries().unwrap_or_default().into_iter().filter(|entry| entry.lies_in(grant));
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

    /// The state by the registered roots around a directory, and the outermost root's entry if its
    /// path has changed.
    fn known(&self, around: &[(PathBuf, DirectoryIdentity)]) -> Option<(Found, Option<RootEntry>)> {
        let mut roots = around.iter().filter_map(|(path, identity)| Some((path, self.read_for(identity)?)));
        let (path, outermost) = roots.next()?;
        let mut retired = outermost.retired.clone();
        for (_, inner) in roots {
            retired.push(inner.state);
            retired.extend(inner.retired);
        }
        retired.retain(|state| *state != outermost.state);
        let found = Found { state: outermost.state.clone(), retired };
        let path = path.to_string_lossy();
        let moved = (outermost.path != path).then(|| RootEntry { path: path.into_owned(), ..outermost });
        Some((found, moved))
    }

    /// Registers a directory without a registered root around it, or corrects a changed device
    /// number.
    fn register(&self, grant: &Path, around: &[(PathBuf, DirectoryIdentity)]) -> Result<Found, Problem> {
        let Some((_, identity)) = around.last().filter(|(path, _)| path == grant) else {
            return Err(Problem::new(grant, "this system does not tell one directory from another"));
        };
        let all = self.entries()?;
        let renumbered = around.iter().find_map(|(path, identity)| {
            all.iter().find(|entry| entry.is_renumbered(path, identity)).map(|entry| (entry, *identity))
        });
        if let Some((entry, identity)) = renumbered {
            self.write(&RootEntry { identity, ..entry.clone() })?;
            // The old number leads nowhere, or to another directory.
            let _ = fs::remove_file(self.roots().join(entry.identity.name()));
            if let Some((found, _)) = self.known(around) {
                return Ok(found);
            }
        }
        self.forget_gone(&all);
        let mut inside: Vec<_> = all.into_iter().filter(|entry| entry.lies_in(grant)).collect();
        inside.sort_by_key(|entry| entry.registered);
        let mut states = inside.into_iter().flat_map(|entry| [vec![entry.state], entry.retired].concat());
        let (state, mut retired) = match states.next() {
            Some(first) => (first, states.collect::<Vec<_>>()),
            None => (self.new_state()?, Vec::new()),
        };
        retired.sort_unstable();
        retired.dedup();
        retired.retain(|other| *other != state);
        let found = Found { state: state.clone(), retired: retired.clone() };
        let registered = nanoseconds(SystemTime::now());
        let path = grant.to_string_lossy().into_owned();
        self.write(&RootEntry { path, identity: *identity, state, retired, registered })?;
        Ok(found)
    }

    fn roots(&self) -> PathBuf {
        self.root.join(ROOTS)
    }

    /// The valid entry of this directory, if there is one.
    fn read_for(&self, identity: &DirectoryIdentity) -> Option<RootEntry> {
        self.read(&identity.name()).filter(|entry| entry.identity.is(identity))
    }

    fn read(&self, name: &str) -> Option<RootEntry> {
        let path = self.roots().join(name);
        let found = fs::symlink_metadata(&path).ok()?;
        if !found.is_file() || !is_own(&found) || is_open_to_others(&found) {
            return None;
        }
        let mut text = Vec::new();
        File::open(&path).ok()?.take(ENTRY_BYTES).read_to_end(&mut text).ok()?;
        let entry: RootEntry = serde_json::from_slice(&text).ok()?;
        let is_sound = |state: &String| is_id(state) && directory::is_sound(&self.directory(state));
        let all_sound = is_sound(&entry.state) && entry.retired.iter().all(is_sound);
        (entry.identity.name() == name && all_sound).then_some(entry)
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
            file.write_all(&serde_json::to_vec(entry)?)?;
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

    fn new_state(&self) -> Result<String, Problem> {
        let states = self.root.join(STATES);
        let make = || {
            let id = format!("{:032x}", random()?);
            directory::make(&states, &id)?;
            if self.durable {
                File::open(&states)?.sync_all()?;
            }
            Ok(id)
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

impl RootEntry {
    /// Whether the root is still at this path, on a device with another number.
    fn is_renumbered(&self, path: &Path, identity: &DirectoryIdentity) -> bool {
        Path::new(&self.path) == path && self.identity.is_on_renumbered_device(identity)
    }

    /// Whether the root is still at its last path, and that is inside of `directory`.
    fn lies_in(&self, directory: &Path) -> bool {
        let path = Path::new(&self.path);
        path.starts_with(directory)
            && DirectoryIdentity::of(path).is_some_and(|found| {
                self.identity.is(&found) || self.identity.is_on_renumbered_device(&found)
            })
    }
}

/// A directory and its ancestors, the outermost first.
pub(super) fn around(directory: &Path) -> Vec<(PathBuf, DirectoryIdentity)> {
    let mut around: Vec<_> = directory
        .ancestors()
        .filter_map(|path| DirectoryIdentity::of(path).map(|identity| (path.to_owned(), identity)))
        .collect();
    around.reverse();
    around
}

fn is_id(state: &str) -> bool {
    state.len() == 32 && state.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
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
