//! Operating-system locks on files. They end with their process.

use std::fs::{File, TryLockError};
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::{Problem, directory};
use crate::limits::Deadline;

/// First pause before a lock is tried again, then doubled: the time of a small change.
const FIRST_PAUSE: Duration = Duration::from_micros(50);

/// Longest pause between tries.
const LONGEST_PAUSE: Duration = Duration::from_millis(1);

/// Pause of a former holder while others wait: long enough for each of them to try once. Without it
/// a busy host would take the lock again before the others wake up.
const COURTESY: Duration = Duration::from_millis(2);

/// Several locks, always taken in the same order.
#[derive(Debug, Default)]
pub(crate) struct Locks {
    all: Vec<Arc<Lock>>,
    /// The lock files, opened again to see whether any process holds one, this one included.
    probes: Vec<File>,
}

/// The holders that a lock excludes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Mode {
    /// The exclusive ones.
    Shared,
    /// All.
    Exclusive,
}

#[derive(Debug)]
pub(super) struct Lock {
    mode: Mode,
    file: File,
    /// Another file, locked shared while this process waits, to show that to others.
    queue: File,
    released: Mutex<Option<Instant>>,
}

/// Several held locks, released on drop.
#[derive(Debug)]
pub(crate) struct HeldLocks(Vec<HeldLock>);

#[derive(Debug)]
struct HeldLock(Arc<Lock>);

#[derive(Debug)]
pub(crate) enum NotHeld {
    /// Another process held one for too long.
    Busy,
    Cancelled,
    Failed(io::Error),
}

impl Locks {
    /// Opens the locks of state directories. Every host takes them in the order of the directories'
    /// names.
    pub(super) fn open(directories: impl Iterator<Item = PathBuf>) -> Result<Self, Problem> {
        let mut directories: Vec<_> = directories.collect();
        directories.sort_unstable();
        directories.dedup();
        let (mut all, mut probes) = (Vec::new(), Vec::new());
        for directory in &directories {
            let path = directory.join(directory::LOCK);
            let file = File::options().read(true).write(true).open(&path).map_err(Problem::of(&path))?;
            let queue = File::open(directory).map_err(Problem::of(directory))?;
            all.push(Lock::new(Mode::Exclusive, file, queue));
            probes.push(File::open(&path).map_err(Problem::of(&path))?);
        }
        Ok(Self { all: all.into_iter().map(Arc::new).collect(), probes })
    }

    /// Collects locks in the order of taking. [`Locks::are_free`] ignores them.
    pub(super) fn of(locks: Vec<Lock>) -> Self {
        Self { all: locks.into_iter().map(Arc::new).collect(), probes: Vec::new() }
    }

    /// Takes all locks. One thread at a time only: for the system the locks belong to the process.
    pub(crate) fn hold(
        &self,
        deadline: Deadline,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<HeldLocks, NotHeld> {
        let mut held = HeldLocks(Vec::with_capacity(self.all.len()));
        for lock in &self.all {
            lock.hold(deadline, is_cancelled)?;
            held.0.push(HeldLock(lock.clone()));
        }
        Ok(held)
    }

    /// Whether no process holds any of them.
    pub(crate) fn are_free(&self) -> bool {
        self.probes.iter().all(is_free)
    }
}

impl HeldLocks {
    /// Whether every lock file still has a name, by which other processes find it.
    pub(super) fn are_found(&self) -> io::Result<bool> {
        for HeldLock(lock) in &self.0 {
            if !has_name(&lock.file)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Whether the file was not removed.
#[cfg(unix)]
pub(super) fn has_name(file: &File) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    Ok(file.metadata()?.nlink() > 0)
}

/// Other systems do not remove open files.
#[cfg(not(unix))]
pub(super) fn has_name(_: &File) -> io::Result<bool> {
    Ok(true)
}

fn is_free(file: &File) -> bool {
    let is_free = file.try_lock_shared().is_ok();
    if is_free {
        let _ = file.unlock();
    }
    is_free
}

impl Lock {
    pub(super) fn new(mode: Mode, file: File, queue: File) -> Self {
        Self { mode, file, queue, released: Mutex::default() }
    }

    fn hold(&self, deadline: Deadline, is_cancelled: &dyn Fn() -> bool) -> Result<(), NotHeld> {
        let just_had_it = self.released().is_some_and(|at| at.elapsed() < COURTESY);
        if just_had_it && self.others_wait() {
            sleep(COURTESY);
        }
        if attempt(&self.file, self.mode).map_err(NotHeld::Failed)? {
            return Ok(());
        }
        // If this fails, others do not yield to this process.
        let _ = self.queue.try_lock_shared();
        let taken = wait(&self.file, self.mode, || match () {
            () if is_cancelled() => Some(NotHeld::Cancelled),
            () => deadline.is_over().then_some(NotHeld::Busy),
        });
        let _ = self.queue.unlock();
        taken
    }

    /// Whether another process has a lock on the queue file.
    fn others_wait(&self) -> bool {
        let is_free = self.queue.try_lock().is_ok();
        if is_free {
            let _ = self.queue.unlock();
        }
        !is_free
    }

    fn released(&self) -> Option<Instant> {
        *self.released.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for HeldLock {
    fn drop(&mut self) {
        // The end of the process would also release it.
        let _ = self.0.file.unlock();
        *self.0.released.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }
}

impl Drop for HeldLocks {
    fn drop(&mut self) {
        while self.0.pop().is_some() {}
    }
}

/// Locks a file, and returns false if that takes longer than `most`.
pub(crate) fn take(file: &File, most: Duration) -> io::Result<bool> {
    let deadline = Deadline::after(most);
    match wait(file, Mode::Exclusive, || deadline.is_over().then_some(NotHeld::Busy)) {
        Ok(()) => Ok(true),
        Err(NotHeld::Failed(error)) => Err(error),
        Err(NotHeld::Busy | NotHeld::Cancelled) => Ok(false),
    }
}

fn wait(file: &File, mode: Mode, over: impl Fn() -> Option<NotHeld>) -> Result<(), NotHeld> {
    let mut pause = FIRST_PAUSE;
    loop {
        if attempt(file, mode).map_err(NotHeld::Failed)? {
            return Ok(());
        }
        if let Some(over) = over() {
            return Err(over);
        }
        sleep(pause);
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

fn attempt(file: &File, mode: Mode) -> io::Result<bool> {
    let attempted = match mode {
        Mode::Shared => file.try_lock_shared(),
        Mode::Exclusive => file.try_lock(),
    };
    match attempted {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        // A signal interrupted the call.
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Interrupted => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::path::Path;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::thread;

    use super::*;

    fn state(scratch: &Path, name: &str) -> PathBuf {
        if !scratch.join(name).exists() {
            directory::make(scratch, name).unwrap();
        }
        scratch.join(name)
    }

    fn locks(scratch: &Path, names: &[&str]) -> Locks {
        Locks::open(names.iter().map(|name| state(scratch, name)))
            .unwrap_or_else(|problem| panic!("{problem}"))
    }

    fn soon() -> Deadline {
        Deadline::after(Duration::from_millis(20))
    }

    #[test]
    fn what_one_holds_another_waits_for_in_vain() {
        let scratch = tempfile::tempdir().unwrap();
        for (one, other, is_free) in [
            (&["a"][..], &["a"][..], false),
            (&["a"], &["b"], true),
            (&["a", "b"], &["b", "c"], false),
            (&["b", "a", "a"], &["c"], true),
            (&[], &["a"], true),
        ] {
            let (one_locks, other_locks) = (locks(scratch.path(), one), locks(scratch.path(), other));
            let held = one_locks.hold(soon(), &|| false).expect("nobody has it");
            let begun = Instant::now();
            let second = other_locks.hold(soon(), &|| false);
            assert_eq!(second.is_ok(), is_free, "{one:?} {other:?}");
            assert!(is_free || matches!(second, Err(NotHeld::Busy)));
            assert!(begun.elapsed() < Duration::from_secs(2));
            drop((held, second));
            assert!(other_locks.hold(soon(), &|| false).is_ok(), "{one:?} {other:?}");
        }
    }

    #[test]
    fn nobody_waits_for_a_call_that_was_taken_back() {
        let scratch = tempfile::tempdir().unwrap();
        let (one, other) = (locks(scratch.path(), &["a"]), locks(scratch.path(), &["a"]));
        let _held = one.hold(soon(), &|| false);
        let never = Deadline::after(Duration::MAX);
        assert!(matches!(other.hold(never, &|| true), Err(NotHeld::Cancelled)));
    }

    #[test]
    fn of_eight_that_want_it_all_the_time_each_gets_it() {
        const HOSTS: usize = 8;
        let scratch = tempfile::tempdir().unwrap();
        state(scratch.path(), "a");
        let (inside, stop) = (AtomicBool::new(false), AtomicBool::new(false));
        let counts: Vec<AtomicUsize> = (0..HOSTS).map(|_| AtomicUsize::new(0)).collect();
        thread::scope(|scope| {
            for count in &counts {
                let host = locks(scratch.path(), &["a"]);
                let (inside, stop) = (&inside, &stop);
                scope.spawn(move || {
                    while !stop.load(Ordering::Relaxed) {
                        let held = host.hold(Deadline::after(Duration::from_secs(60)), &|| false);
                        assert!(!inside.swap(true, Ordering::SeqCst), "two at once");
                        sleep(Duration::from_micros(500));
                        inside.store(false, Ordering::SeqCst);
                        drop(held.expect("a minute is long enough"));
                        count.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
            // Until each one has had it: some milliseconds, if the lock is fair.
            let begun = Instant::now();
            while counts.iter().any(|count| count.load(Ordering::Relaxed) < 5)
                && begun.elapsed() < Duration::from_secs(30)
            {
                sleep(Duration::from_millis(5));
            }
            stop.store(true, Ordering::Relaxed);
        });
        let counts: Vec<_> = counts.into_iter().map(AtomicUsize::into_inner).collect();
        assert!(counts.iter().all(|count| *count >= 5), "{counts:?}");
    }
}
