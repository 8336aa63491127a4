//! Locks of granted directories: one user's programs take turns to change the same files, with any
//! state root, and without one too.
//!
//! A lock file is named by device and inode of a directory. Its place depends on the user alone,
//! because two programs may differ in every variable and flag. A gate holds an exclusive lock for
//! each writable grant, and a shared lock for every directory around it. So `/repo` and `/repo/src`
//! exclude each other in either order, and `/repo/a` and `/repo/b` do not.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::Problem;
use super::lock::{HeldLocks, Lock, Locks, Mode, NotHeld, has_name};
use super::registry::around;
use super::root::{is_own, make_private};
use crate::grant::{Access, Grant, StartError};
use crate::limits::Deadline;

/// Directories that may hold the lock files. The first one counts that this user can write to; some
/// containers have the second one only. No variable decides, because the environments of two
/// programs may differ.
#[cfg(unix)]
const BASES: [&str; 2] = ["/tmp", "/dev/shm"];

/// Suffix of the file that waiting processes lock.
const QUEUE: &str = ".queue";

/// Time for which an unused lock file stays. Gates recreate missing files, so it only has to exceed
/// the life of most programs.
const UNUSED_TIME: Duration = Duration::from_secs(24 * 60 * 60);

/// Files checked for removal when a gate makes a new one: more than it makes, so their number stops
/// growing, and few enough to take less than a millisecond.
const SWEPT: usize = 64;

#[derive(Debug)]
pub(crate) struct GrantLocks {
    place: PathBuf,
    /// The mode of each lock by the name of its file. Every program locks in the order of the
    /// names.
    modes: BTreeMap<String, Mode>,
    open: Mutex<OpenLocks>,
}

#[derive(Debug)]
struct OpenLocks {
    locks: Locks,
    /// The directory of the files, locked shared: systemd-tmpfiles removes nothing from a locked
    /// directory. A confined process could not recreate it.
    _place: Option<File>,
}

impl GrantLocks {
    /// Opens the locks of the writable grants; none if there are none.
    pub(crate) fn open(grants: &[Grant]) -> Result<Self, StartError> {
        let place = place(grants)?.unwrap_or_default();
        Self::open_in(place, grants).map_err(|problem| refusal(&problem))
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

    /// Takes all locks, as [`Locks::hold`] does.
    pub(crate) fn hold(
        &self,
        deadline: Deadline,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<HeldLocks, NotHeld> {
        // A panic cannot leave the files inconsistent.
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let held = open.locks.hold(deadline, is_cancelled)?;
            if held.are_found().map_err(NotHeld::Failed)? {
                return Ok(held);
            }
            drop(held);
            if deadline.is_over() {
                return Err(NotHeld::Busy);
            }
            // Temporary files are removed by age. Another program then recreates them, and locks
            // the new ones.
            let again = self.open_again();
            *open = again.map_err(|problem| NotHeld::Failed(io::Error::other(problem.to_string())))?;
        }
    }

    fn open_again(&self) -> Result<OpenLocks, Problem> {
        make(&self.place).map_err(Problem::of(&self.place))?;
        check(&self.place)?;
        open_all(&self.place, &self.modes)
    }
}

/// The directory of the lock files, made if it is missing; `None` without a writable grant.
pub(crate) fn place(grants: &[Grant]) -> Result<Option<PathBuf>, StartError> {
    if writable(grants).next().is_none() {
        return Ok(None);
    }
    place_of(places()).map_err(|problem| refusal(&problem))
}

fn place_of(places: Vec<PathBuf>) -> Result<Option<PathBuf>, Problem> {
    let mut first = None;
    for place in places {
        match make(&place) {
            Ok(()) => return check(&place).map(|()| Some(place)),
            // All programs of this user get the same error, so all of them use the next place.
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

/// Every place of this user's lock files.
#[cfg(unix)]
pub(crate) fn places() -> Vec<PathBuf> {
    let name = format!("fsgate-{}", rustix::process::geteuid().as_raw());
    BASES.iter().map(|base| Path::new(base).join(&name)).collect()
}

/// The places, except links: lock files are never behind another user's link.
pub(crate) fn directories() -> impl Iterator<Item = PathBuf> {
    unlinked(places())
}

fn unlinked(places: Vec<PathBuf>) -> impl Iterator<Item = PathBuf> {
    places.into_iter().filter(|place| !place.is_symlink())
}

/// None: this system does not identify directories.
#[cfg(not(unix))]
pub(crate) fn places() -> Vec<PathBuf> {
    Vec::new()
}

fn refusal(problem: &Problem) -> StartError {
    StartError::Unlockable { problem: problem.to_string() }
}

fn writable(grants: &[Grant]) -> impl Iterator<Item = &Grant> {
    grants.iter().filter(|grant| grant.access == Access::Write)
}

fn make(place: &Path) -> io::Result<()> {
    match make_private(place, false) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => made,
    }
}

/// Refuses a directory that other users can enter: they could hold a lock forever.
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

fn open_all(place: &Path, modes: &BTreeMap<String, Mode>) -> Result<OpenLocks, Problem> {
    let directory = if modes.is_empty() { None } else { File::open(place).ok() };
    // Without this lock the files are only recreated more often.
    let _ = directory.as_ref().map(File::try_lock_shared);
    let (mut locks, mut is_new) = (Vec::new(), false);
    for (name, mode) in modes {
        let (file, is_made) = open(&place.join(name))?;
        let (queue, _) = open(&place.join(format!("{name}{QUEUE}")))?;
        is_new |= is_made;
        locks.push(Lock::new(*mode, file, queue));
    }
    if is_new {
        sweep(place, UNUSED_TIME);
    }
    Ok(OpenLocks { locks: Locks::of(locks), _place: directory })
}

/// Opens or makes a file, and returns whether it is new.
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

/// Removes some old lock files that no program holds. A program with an open one notices that when
/// it takes the lock.
fn sweep(place: &Path, unused_time: Duration) {
    for entry in fs::read_dir(place).into_iter().flatten().take(SWEPT).flatten() {
        let path = entry.path();
        let Some(name) = entry.file_name().to_str().map(str::to_owned) else { continue };
        let made = entry.metadata().and_then(|found| found.modified());
        let is_old = made.is_ok_and(|at| at.elapsed().is_ok_and(|age| age >= unused_time));
        if name.ends_with(QUEUE) || !is_old {
            continue;
        }
        if let Ok(file) = File::open(&path)
            && file.try_lock().is_ok()
            // Otherwise another program has recreated it, and may hold it.
            && has_name(&file).unwrap_or(false)
        {
            // Remove the lock file last: while it exists, its queue file is found here.
            let _ = fs::remove_file(place.join(format!("{name}{QUEUE}")));
            let _ = fs::remove_file(&path);
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::thread;
    use std::time::Instant;

    use super::*;

    struct Scratch(tempfile::TempDir);

    impl Scratch {
        fn new() -> Self {
            let scratch = Self(tempfile::tempdir().unwrap());
            make(&scratch.at("place")).unwrap();
            for directory in ["r/a/deep", "r/b", "x"] {
                fs::create_dir_all(scratch.at(directory)).unwrap();
            }
            scratch
        }

        fn at(&self, name: &str) -> PathBuf {
            self.0.path().canonicalize().unwrap().join(name)
        }

        /// Locks of these directories; a name with `:ro` is a read-only grant.
        fn locks(&self, names: &[&str]) -> GrantLocks {
            let grants = names.iter().map(|name| {
                let (name, access) = match name.strip_suffix(":ro") {
                    Some(name) => (name, Access::Read),
                    None => (*name, Access::Write),
                };
                Grant { host: self.at(name), name: name.to_owned(), access }
            });
            let locks = GrantLocks::open_in(self.at("place"), &grants.collect::<Vec<_>>());
            locks.unwrap_or_else(|problem| panic!("{problem}"))
        }

        fn files(&self) -> Vec<PathBuf> {
            fs::read_dir(self.at("place")).unwrap().map(|entry| entry.unwrap().path()).collect()
        }
    }

    fn soon() -> Deadline {
        Deadline::after(Duration::from_millis(20))
    }

    #[test]
    fn directories_that_contain_one_another_exclude_each_other() {
        let scratch = Scratch::new();
        for (one, other, is_free) in [
            (&["r"][..], &["r"][..], false),
            (&["r"], &["r/a"], false),
            (&["r"], &["r/a/deep"], false),
            (&["r/a"], &["r/b"], true),
            (&["r"], &["x"], true),
            (&["r", "x"], &["x", "r"], false),
            (&["r/a", "x"], &["r/b", "x"], false),
            (&["r", "r/a"], &["r/a/deep"], false),
            (&["r:ro"], &["r"], true),
            (&["r/a", "x:ro"], &["r/b", "x"], true),
            (&[], &["r"], true),
        ] {
            for (one, other) in [(one, other), (other, one)] {
                let (one_locks, other_locks) = (scratch.locks(one), scratch.locks(other));
                let held = one_locks.hold(soon(), &|| false).expect("no other program has it");
                let second = other_locks.hold(soon(), &|| false);
                assert_eq!(second.is_ok(), is_free, "{one:?} {other:?}");
                assert!(is_free || matches!(second, Err(NotHeld::Busy)));
                drop((held, second));
                assert!(other_locks.hold(soon(), &|| false).is_ok(), "{one:?} {other:?}");
            }
        }
    }

    #[test]
    fn grants_for_reading_need_no_place() {
        let grant = |access| Grant { host: "/".into(), name: "/".to_owned(), access };
        assert!(place(&[grant(Access::Read)]).unwrap().is_none());
        assert!(place(&[grant(Access::Write)]).unwrap().is_some());
        let scratch = Scratch::new();
        assert!(scratch.locks(&["r:ro", "x:ro"]).hold(soon(), &|| false).is_ok());
        assert!(scratch.files().is_empty());
    }

    #[test]
    fn lock_files_that_are_removed_are_made_anew() {
        let scratch = Scratch::new();
        let (one, other) = (scratch.locks(&["r"]), scratch.locks(&["r/a"]));
        for remove_all in [false, true] {
            scratch.files().iter().for_each(|file| fs::remove_file(file).unwrap());
            if remove_all {
                fs::remove_dir(scratch.at("place")).unwrap();
            }
            let held = one.hold(soon(), &|| false).unwrap();
            assert!(matches!(other.hold(soon(), &|| false), Err(NotHeld::Busy)));
            drop(held);
            other.hold(soon(), &|| false).unwrap();
        }
        fs::remove_dir_all(scratch.at("place")).unwrap();
        fs::write(scratch.at("place"), "").unwrap();
        let Err(NotHeld::Failed(error)) = one.hold(soon(), &|| false) else { panic!("it has no place") };
        assert!(error.to_string().contains("not a directory"), "{error}");
    }

    #[test]
    fn old_lock_files_go_if_no_program_holds_them() {
        let scratch = Scratch::new();
        let (held, idle) = (scratch.locks(&["x"]), scratch.locks(&["r/a"]));
        let _held = held.hold(soon(), &|| false).unwrap();
        // A program that removes old files takes this lock first.
        assert!(File::open(scratch.at("place")).unwrap().try_lock().is_err());
        let before = scratch.files().len();
        sweep(&scratch.at("place"), UNUSED_TIME);
        assert_eq!(scratch.files().len(), before, "none is old enough");
        sweep(&scratch.at("place"), Duration::ZERO);
        assert_eq!(scratch.files().len(), 2 * held.modes.len());
        assert!(matches!(scratch.locks(&["x"]).hold(soon(), &|| false), Err(NotHeld::Busy)));
        // An older gate excludes a new one.
        let idle = idle.hold(soon(), &|| false).unwrap();
        assert!(matches!(scratch.locks(&["r"]).hold(soon(), &|| false), Err(NotHeld::Busy)));
        drop(idle);
    }

    #[test]
    fn a_place_is_this_users_alone_or_refused() {
        let scratch = Scratch::new();
        let at = |name: &str| scratch.at(name);
        for (name, mode) in [("wide", 0o777), ("readable", 0o755), ("entered", 0o701)] {
            fs::create_dir(at(name)).unwrap();
            fs::set_permissions(at(name), fs::Permissions::from_mode(mode)).unwrap();
        }
        fs::write(at("file"), "").unwrap();
        symlink(at("place"), at("link")).unwrap();
        let unlinked: Vec<_> = unlinked(["place", "link", "new"].map(at).into()).collect();
        assert_eq!(unlinked, [at("place"), at("new")]);
        let foreign = if rustix::process::geteuid().is_root() {
            fs::create_dir(at("foreign")).unwrap();
            std::os::unix::fs::chown(at("foreign"), Some(1), None).unwrap();
            at("foreign")
        } else {
            "/usr".into()
        };
        for (place, problem) in [
            (at("new"), None),
            (at("place"), None),
            (at("wide"), Some("chmod go-rwx")),
            (at("readable"), Some("chmod go-rwx")),
            (at("entered"), Some("chmod go-rwx")),
            (at("file"), Some("not a directory")),
            (at("link"), Some("not a directory")),
            (foreign, Some("belongs to another user")),
        ] {
            // A wrong place is not skipped: another program may have found it right.
            let found = place_of(vec![place.clone(), at("next")]).map_err(|problem| problem.to_string());
            match problem {
                None => assert_eq!(found, Ok(Some(place))),
                Some(problem) => assert!(found.is_err_and(|text| text.contains(problem)), "{place:?}"),
            }
        }
        assert!(!at("next").exists());
        for none in ["none/place", "file/place"] {
            let next = place_of(vec![at(none), at("next")]).map_err(|problem| problem.to_string());
            assert_eq!(next, Ok(Some(at("next"))), "{none}");
            assert!(place_of(vec![at(none)]).is_err_and(|problem| problem.to_string().contains(none)));
        }
    }

    #[test]
    fn a_directory_and_its_parts_each_get_their_turn() {
        let scratch = Scratch::new();
        let hosts = [&["r"][..], &["r"], &["r/a"], &["r/a"], &["r/b"], &["r/a/deep"]];
        // Hosts that work in the whole directory, and in its parts.
        let (whole, parts, stop) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicBool::new(false));
        let counts: Vec<AtomicUsize> = hosts.iter().map(|_| AtomicUsize::new(0)).collect();
        thread::scope(|scope| {
            for (names, count) in hosts.iter().zip(&counts) {
                let host = scratch.locks(names);
                let (whole, parts, stop) = (&whole, &parts, &stop);
                let own = if names == &["r"] { whole } else { parts };
                scope.spawn(move || {
                    while !stop.load(Ordering::Relaxed) {
                        let held = host.hold(Deadline::after(Duration::from_secs(60)), &|| false);
                        own.fetch_add(1, Ordering::SeqCst);
                        let (whole, parts) = (whole.load(Ordering::SeqCst), parts.load(Ordering::SeqCst));
                        assert!(whole == 0 || (whole, parts) == (1, 0), "{whole} and {parts} at once");
                        thread::sleep(Duration::from_micros(500));
                        own.fetch_sub(1, Ordering::SeqCst);
                        drop(held.expect("a minute is long enough"));
                        count.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
            let begun = Instant::now();
            while counts.iter().any(|count| count.load(Ordering::Relaxed) < 5)
                && begun.elapsed() < Duration::from_secs(30)
            {
                thread::sleep(Duration::from_millis(5));
            }
            stop.store(true, Ordering::Relaxed);
        });
        let counts: Vec<_> = counts.into_iter().map(AtomicUsize::into_inner).collect();
        assert!(counts.iter().all(|count| *count >= 5), "{counts:?}");
    }
}
