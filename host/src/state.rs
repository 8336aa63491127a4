//! The journals of changes: the state root, and in it a state directory for each grant.
//!
//! - `root`: the state root, and the rights to it.
//! - `registry`: maps granted directories to state directories.
//! - `directory`: makes a state directory.
//! - `lock`: locks on files.
//! - `grant_lock`: one host at a time per granted directory, with any state root.
//! - `control`: unfinished changes.
//! - `concurrent_writers`: unfinished changes of other processes.
//! ```text
//! <state root>/lock               held while a root is registered
//!              roots/<device>-<inode>   what is known of a root: where it was, and its state
//!              states/<id>/       a state directory: handed in, never part of what tools see
//!              states/<id>/sham-<session>.json   what a session of `fsgate sham` goes on with
//! /tmp/fsgate-<user>/<device>-<inode>   held while something in that directory is changed
//! ```

mod concurrent_writers;
mod control;
mod directory;
mod grant_lock;
mod lock;
mod registry;
mod root;

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use std::{fmt, fs, io};

pub(crate) use fsgate_journal::registry::preopen_name;

use crate::grant::{Access, Grant, StartError};
use crate::settings::{Durability, HistoryLimits};
pub(crate) use concurrent_writers::{ClosedFiles, ConcurrentWriters, Own, UnfinishedWrites};
use control::Control;
pub(crate) use grant_lock::{GrantLocks, directories as lock_directories, place as lock_place};
pub(crate) use lock::{Locks, NotHeld, take as take_lock};
use registry::Registry;
pub(crate) use registry::random;
pub(crate) use root::{find as find_root, is_open_to_others, is_own_or_roots, make_private};

/// The state of the directories that a gate may change.
pub(crate) struct State {
    /// State directories with the names that the component gets: those of grants, then those of
    /// roots that have become parts of larger ones. The latter get no new records.
    pub(crate) preopens: Vec<(String, PathBuf)>,
    pub(crate) locks: Locks,
    /// The control files of all of them.
    controls: Vec<Control>,
}

/// Records that recovery left pending, because their directories are not granted here.
#[derive(Default)]
pub(crate) struct PendingRecords(Mutex<BTreeSet<PathBuf>>);

#[derive(Debug)]
pub(crate) struct Problem {
    at: PathBuf,
    what: String,
}

impl Problem {
    fn new(at: &Path, what: impl fmt::Display) -> Self {
        Self { at: at.to_owned(), what: what.to_string() }
    }

    fn refusal(&self, root: &Path) -> StartError {
        StartError::State { root: root.to_owned(), problem: self.to_string() }
    }

    /// Wraps an error of the system about a path.
    fn of(at: &Path) -> impl FnOnce(io::Error) -> Self {
        let at = at.to_owned();
        |error| Self { at, what: error.to_string() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "`{}`: {}", self.at.display(), self.what)
    }
}

impl State {
    /// Finds the state of every writable grant, and makes missing parts.
    pub(crate) fn open(
        root: &Path,
        grants: &[Grant],
        durability: Durability,
        history: &HistoryLimits,
    ) -> Result<Self, StartError> {
        let keep = Duration::from_secs(history.days.saturating_mul(24 * 60 * 60));
        Self::find(&Registry::new(root, durability == Durability::Power, keep), root, grants)
            .map_err(|problem| problem.refusal(root))
    }

    fn find(registry: &Registry, root: &Path, grants: &[Grant]) -> Result<Self, Problem> {
        root::make(root)?;
        let (mut preopens, mut used, mut retired) = (Vec::new(), Vec::new(), Vec::new());
        for grant in grants.iter().filter(|grant| grant.access == Access::Write) {
            let found = registry.state_of(&grant.host)?;
            preopens.push((preopen_name(&grant.name), registry.directory(&found.state)));
            used.push(found.state);
            retired.extend(found.retired);
        }
        retired.sort_unstable();
        retired.dedup();
        retired.retain(|state| !used.contains(state));
        let names = (0..).map(|number| format!("{RETIRED}{number}"));
        preopens.extend(names.zip(retired.iter().map(|state| registry.directory(state))));
        let mut all: Vec<_> = used.iter().chain(&retired).map(|state| registry.directory(state)).collect();
        all.sort_unstable();
        all.dedup();
        all.iter().try_for_each(|state| directory::check(state))?;
        Ok(Self {
            controls: all.iter().map(|state| Control::open(state)).collect::<Result<_, _>>()?,
            locks: Locks::open(all.into_iter())?,
            preopens,
        })
    }

    pub(crate) fn of(&self, grant: &str) -> Option<&Path> {
        let name = preopen_name(grant);
        self.preopens.iter().find(|(known, _)| *known == name).map(|(_, path)| path.as_path())
    }

    /// Reads a file that the host keeps in the first state directory, if it exists.
    pub(crate) fn load_file(&self, name: &str) -> io::Result<Option<String>> {
        let Some((_, directory)) = self.preopens.first() else { return Ok(None) };
        match fs::read_to_string(directory.join(name)) {
            Ok(content) => Ok(Some(content)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Writes a host's file there, or removes it. It gets its name only when it is complete.
    pub(crate) fn save_file(&self, name: &str, content: Option<&str>) -> io::Result<()> {
        let Some((_, directory)) = self.preopens.first() else { return Ok(()) };
        let path = directory.join(name);
        let Some(content) = content else {
            return match fs::remove_file(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            };
        };
        let new = directory.join(format!("{}{:032x}", directory::NEW, random()?));
        let written = directory::private_file(&new)
            .and_then(|mut file| file.write_all(content.as_bytes()))
            .and_then(|()| fs::rename(&new, path));
        if written.is_err() {
            // Report the first error only.
            let _ = fs::remove_file(&new);
        }
        written
    }

    /// Whether a dead process left a change unfinished that recovery can complete now.
    pub(crate) fn is_left(&self, waiting: &PendingRecords) -> bool {
        // With the lock held, its owner is alive and completes it.
        self.controls.iter().any(|control| waiting.has_news(control)) && self.locks.are_free()
    }

    /// The places of trash entries whose records are gone.
    pub(crate) fn pending(&self) -> Vec<PathBuf> {
        self.controls.iter().flat_map(Control::pending).collect()
    }

    /// State directories of no grant, which have records about parts of one.
    pub(crate) fn retired(&self) -> impl Iterator<Item = &(String, PathBuf)> {
        self.preopens.iter().filter(|(name, _)| name.starts_with(RETIRED))
    }

    /// Remembers the records that recovery has left pending.
    pub(crate) fn leave(&self, waiting: &PendingRecords) {
        *waiting.lock() = self.controls.iter().flat_map(Control::waiting).collect();
    }
}

impl PendingRecords {
    fn has_news(&self, control: &Control) -> bool {
        let Some(now) = control.read() else { return false };
        now.is_unfinished()
            || now.unsettled && {
                let known = self.lock();
                control.waiting().any(|record| !known.contains(&record))
            }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeSet<PathBuf>> {
        // A panic cannot leave this set inconsistent.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the nearest directory at or around `directory` with a history in this state root, or in
/// the user's. Changes nothing.
pub fn nearest_root(directory: &Path, state_root: Option<&Path>) -> Option<PathBuf> {
    let registry = Registry::new(&find_root(state_root)?, false, Duration::MAX);
    registry.nearest(&directory.canonicalize().ok()?)
}

pub(crate) fn make_root(root: &Path) -> Result<(), StartError> {
    root::make(root).map_err(|problem| problem.refusal(root))
}

/// Prefix of the names of state directories without a grant; no grant has such a name.
const RETIRED: &str = "/.fsgate/.fsgate/";

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(unix)]
    use crate::limits::Deadline;

    #[test]
    fn no_name_of_a_grant_leads_out_of_the_names_of_states() {
        for (grant, expected) in [
            ("/home/me/repo", "/.fsgate/home/me/repo"),
            ("w", "/.fsgate/w"),
            ("../x", "/.fsgate/x"),
            ("/", "/.fsgate/"),
        ] {
            assert_eq!(preopen_name(grant), expected);
        }
    }

    #[cfg(unix)]
    #[test]
    fn roots_with_a_state_each_are_locked_and_recovered_together() {
        let scratch = tempfile::tempdir().unwrap();
        let open = |names: &[&str]| {
            let grants = names.iter().map(|name| {
                let host = scratch.path().canonicalize().unwrap().join(name);
                fs::create_dir_all(&host).unwrap();
                Grant { host, name: (*name).to_owned(), access: Access::Write }
            });
            let (root, durability) = (scratch.path().join("state"), Durability::Process);
            State::open(&root, &grants.collect::<Vec<_>>(), durability, &HistoryLimits::default()).unwrap()
        };
        let (a, b) = (open(&["w/r/a"]), open(&["w/r/b"]));
        let both = open(&["w/r", "w/r/b"]);
        assert_eq!(both.preopens[0], ("/.fsgate/w/r".to_owned(), a.preopens[0].1.clone()));
        assert_eq!(both.preopens[1], ("/.fsgate/w/r/b".to_owned(), a.preopens[0].1.clone()));
        let retired = ("/.fsgate/.fsgate/0".to_owned(), b.preopens[0].1.clone());
        assert_eq!(both.preopens[2..], *std::slice::from_ref(&retired));
        assert_eq!(both.retired().collect::<Vec<_>>(), [&retired]);
        let waiting = PendingRecords::default();
        assert!(!both.is_left(&waiting));
        control::tests::wait(&b.preopens[0].1, "1");
        assert!(both.is_left(&waiting));
        // Sessions that started earlier still exclude each other.
        let never = || false;
        let held = both.locks.hold(Deadline::after(Duration::from_secs(9)), &never).unwrap();
        for before in [&a, &b] {
            assert!(matches!(before.locks.hold(Deadline::after(Duration::ZERO), &never), Err(NotHeld::Busy)));
        }
        assert!(!both.is_left(&waiting), "somebody is at it");
        both.leave(&waiting);
        drop(held);
        assert!(!both.is_left(&waiting), "it waits");
        control::tests::wait(&a.preopens[0].1, "2");
        assert!(both.is_left(&waiting));
        both.leave(&waiting);
        assert!(!both.is_left(&waiting));
        control::tests::begin(&b.preopens[0].1);
        assert!(both.is_left(&waiting));
    }
}
