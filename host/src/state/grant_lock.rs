//! Locks of granted directories: programs of one user that may change the same files take turns,
//! wherever each of them keeps its state, and also where it keeps none.
//!
//! A lock file is named by the device and the inode of a directory. It lies in a place that follows
//! from the user alone, because two programs may differ in every variable and every flag. A gate
//! holds an exclusive lock for each directory that it may write to, and a shared lock for every
//! directory around it. So `/repo` and `/repo/src` exclude each other, in either order, and `/repo/a`
//! and `/repo/b` do not.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::lock::{Held, Lock, Locks, Mode, NotHeld, has_name};
use super::registry::around;
use super::root::{is_own, make_private};
use super::Problem;
use crate::grant::{Access, Grant, StartError};
use crate::limits::Deadline;

/// Directories of the machine that may hold the lock files. The first one counts that this user can
/// write to: a container may have the second one alone. No variable decides, because the environments
/// of two programs may differ.
const BASES: [&str; 2] = ["/tmp", "/dev/shm"];

/// Ends the name of the file on which waiting processes hold a lock.
const QUEUE: &str = ".queue";

/// Time for which an unused lock file stays. A gate makes the file anew when it is gone, so the value
/// only has to be long beside the life of most programs.
const KEPT: Duration = Duration::from_secs(24 * 60 * 60);

/// Files that are looked at for removal when a gate makes a new one: more than it makes, so that their
/// number stops growing, and few enough that the look takes less than a millisecond.
const SWEPT: usize = 64;

/// The locks of all directories that a gate may write to.
#[derive(Debug)]
pub(crate) struct GrantLocks {
    place: PathBuf,
    /// How each lock is held, by the name of its file. The names are the order, in every program.
    modes: BTreeMap<String, Mode>,
    open: Mutex<Locks>,
}

impl GrantLocks {
    /// Opens the locks of the grants for writing; none where no such grant exists.
    pub(crate) fn open(grants: &[Grant]) -> Result<Self, StartError> {
        let place = place(grants)?.unwrap_or_default();
        Self::open_in(place, grants).map_err(refusal)
    }

    fn open_in(place: PathBuf, grants: &[Grant]) -> Result<Self, Problem> {
        let mut modes = BTreeMap::new();
        for grant in writable(grants) {
            for (path, identity) in around(&grant.host) {
                let mode = if path == grant.host { Mode::Exclusive } else { Mode::Shared };
                let known = modes.entry(identity.name()).or_insert(mode);
                *known = mode.max(*known);
            }
        }
        let open = Mutex::new(open_all(&place, &modes)?);
        Ok(Self { place, modes, open })
    }

    /// Takes all of them, as [`Locks::hold`] does.
    pub(crate) fn hold(&self, deadline: Deadline, is_cancelled: &dyn Fn() -> bool) -> Result<Held, NotHeld> {
        // A panic leaves nothing wrong here.
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let held = open.hold(deadline, is_cancelled)?;
            if held.are_found().map_err(NotHeld::Failed)? {
                return Ok(held);
            }
            drop(held);
            if deadline.is_over() {
                return Err(NotHeld::Busy);
            }
            // Files for temporary use are removed by age. Another program makes them anew, and locks those.
            let again = self.open_again();
            *open = again.map_err(|problem| NotHeld::Failed(io::Error::other(problem.to_string())))?;
        }
    }

    fn open_again(&self) -> Result<Locks, Problem> {
        make(&self.place).map_err(Problem::of(&self.place))?;
        check(&self.place)?;
        open_all(&self.place, &self.modes)
    }
}

/// The directory of the lock files, made if it is not there; none where nothing is granted for writing.
pub(crate) fn place(grants: &[Grant]) -> Result<Option<PathBuf>, StartError> {
    if writable(grants).next().is_none() {
        return Ok(None);
    }
    place_of(places()).map_err(refusal)
}

fn place_of(places: Vec<PathBuf>) -> Result<Option<PathBuf>, Problem> {
    let mut first = None;
    for place in places {
        match make(&place) {
            Ok(()) => return check(&place).map(|()| Some(place)),
            // The same for every program of this user, so that all of them go on to the next one.
            Err(error) if is_unwritable(&error) => first = first.or(Some(Problem::of(&place)(error))),
            Err(error) => return Err(Problem::of(&place)(error)),
        }
    }
    first.map_or(Ok(None), Err)
}

fn is_unwritable(error: &io::Error) -> bool {
    use io::ErrorKind::{NotADirectory, NotFound, PermissionDenied, ReadOnlyFilesystem};
    matches!(error.kind(), NotFound | NotADirectory | PermissionDenied | ReadOnlyFilesystem)
}

/// Every directory in which this user's lock files may lie.
#[cfg(unix)]
pub(crate) fn places() -> Vec<PathBuf> {
    let name = format!("fsgate-{}", rustix::process::geteuid().as_raw());
    BASES.iter().map(|base| Path::new(base).join(&name)).collect()
}

/// None: this system does not tell one directory from another.
#[cfg(not(unix))]
pub(crate) fn places() -> Vec<PathBuf> {
    Vec::new()
}

fn refusal(problem: Problem) -> StartError {
    StartError::Unlockable { problem: problem.to_string() }
}

fn writable(grants: &[Grant]) -> impl Iterator<Item = &Grant> {
    grants.iter().filter(|grant| grant.access == Access::Write)
}

/// Makes the directory, unless it is there.
fn make(place: &Path) -> io::Result<()> {
    match make_private(place, false) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => made,
    }
}

/// Refuses a directory that is not this user's alone: another user in it could hold a lock for ever.
fn check(place: &Path) -> Result<(), Problem> {
    let found = fs::symlink_metadata(place).map_err(Problem::of(place))?;
    let what = if !is_own(&found) {
        "it belongs to another user; have that user or root remove it"
    } else if !found.is_dir() {
        "it is not a directory; remove it"
    } else if is_entered_by_others(&found) {
        "other users can use it; take that right away with `chmod go-rwx`"
    } else {
        return Ok(());
    };
    Err(Problem::new(place, what))
}

#[cfg(unix)]
fn is_entered_by_others(found: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    found.mode() & 0o077 != 0
}

#[cfg(not(unix))]
fn is_entered_by_others(_: &fs::Metadata) -> bool {
    false
}

fn open_all(place: &Path, modes: &BTreeMap<String, Mode>) -> Result<Locks, Problem> {
    let (mut locks, mut is_new) = (Vec::new(), false);
    for (name, mode) in modes {
        let (file, is_made) = open(&place.join(name))?;
        let (queue, _) = open(&place.join(format!("{name}{QUEUE}")))?;
        is_new |= is_made;
        locks.push(Lock::new(*mode, file, queue));
    }
    if is_new {
        sweep(place, KEPT);
    }
    Ok(Locks::of(locks))
}

/// Opens a file, and makes it if it is not there; true if it was not.
fn open(path: &Path) -> Result<(File, bool), Problem> {
    let mut options = File::options();
    options.read(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let opened = match options.open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            options.create(true).truncate(false).open(path).map(|file| (file, true))
        }
        found => found.map(|file| (file, false)),
    };
    opened.map_err(Problem::of(path))
}

/// Removes some lock files that are older and that no program holds. A program that has one open finds
/// that it is gone when it takes the lock.
fn sweep(place: &Path, kept: Duration) {
    for entry in fs::read_dir(place).into_iter().flatten().take(SWEPT).flatten() {
        let path = entry.path();
        let Some(name) = entry.file_name().to_str().map(str::to_owned) else { continue };
        let made = entry.metadata().and_then(|found| found.modified());
        let is_old = made.is_ok_and(|at| at.elapsed().is_ok_and(|age| age >= kept));
        if name.ends_with(QUEUE) || !is_old {
            continue;
        }
        if let Ok(file) = File::open(&path)
            && file.try_lock().is_ok()
            // Otherwise another program has made it anew, and may hold it.
            && has_name(&file).unwrap_or(false)
        {
            // The file of the lock last: as long as it is there, its queue is found here.
            let _ = fs::remove_file(place.join(format!("{name}{QUEUE}")));
            let _ = fs::remove_file(&path);
        }
    }
}
