//! Locks of the operating system on files: they end with the process that holds them.

use std::fs::{File, TryLockError};
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::{Problem, directory};
use crate::limits::Deadline;

/// The first pause before a lock is tried again, which then doubles: a small change takes about as long.
const FIRST_PAUSE: Duration = Duration::from_micros(50);

/// The longest pause: everybody who waits looks this often.
const LONGEST_PAUSE: Duration = Duration::from_millis(1);

/// Time in which whoever has had the lock does not take it again while somebody waits: long enough for all that wait to
/// look once. Without it a busy host would take the lock again before anybody else wakes up.
const COURTESY: Duration = Duration::from_millis(2);

/// Several locks, always taken in the same order.
#[derive(Debug, Default)]
pub(crate) struct Locks {
    all: Vec<Arc<Lock>>,
    /// Files of the locks, opened once more to see whether any process holds one, this process
    /// included.
    seen: Vec<File>,
}

/// Which holders a lock shuts out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Mode {
    /// Those that hold it exclusively.
    Shared,
    /// All of them.
    Exclusive,
}

#[derive(Debug)]
pub(super) struct Lock {
    mode: Mode,
    file: File,
    /// Another file, on which a waiting process holds a shared lock: others see by it that it waits.
    queue: File,
    released: Mutex<Option<Instant>>,
}

/// Several locks, held until this value is dropped.
#[derive(Debug)]
pub(crate) struct Held(Vec<HeldLock>);

#[derive(Debug)]
struct HeldLock(Arc<Lock>);

/// Why locks are not held.
#[derive(Debug)]
pub(crate) enum NotHeld {
    /// Somebody else has held one for as long as there was time.
    Busy,
    /// The call was taken back.
    Cancelled,
    /// The system cannot lock.
    Failed(io::Error),
}

impl Locks {
    /// Opens the locks of these state directories. Names of directories are their order, on every host.
    pub(super) fn open(directories: impl Iterator<Item = PathBuf>) -> Result<Self, Problem> {
        let mut directories: Vec<_> = directories.collect();
        directories.sort_unstable();
        directories.dedup();
        let (mut all, mut seen) = (Vec::new(), Vec::new());
        for directory in &directories {
            let path = directory.join(directory::LOCK);
            let file = File::options().read(true).write(true).open(&path).map_err(Problem::of(&path))?;
            let queue = File::open(directory).map_err(Problem::of(directory))?;
            all.push(Lock::new(Mode::Exclusive, file, queue));
            seen.push(File::open(&path).map_err(Problem::of(&path))?);
        }
        Ok(Self { all: all.into_iter().map(Arc::new).collect(), seen })
    }

    /// Collects locks in the order in which they are taken. [`Locks::are_free`] knows none of them.
    pub(super) fn of(locks: Vec<Lock>) -> Self {
        Self { all: locks.into_iter().map(Arc::new).collect(), seen: Vec::new() }
    }

    /// Takes all of them. Only one thread at a time may do this: to the system the locks are the process's.
    pub(crate) fn hold(&self, deadline: Deadline, is_cancelled: &dyn Fn() -> bool) -> Result<Held, NotHeld> {
        let mut held = Held(Vec::with_capacity(self.all.len()));
        for lock in &self.all {
            lock.hold(deadline, is_cancelled)?;
            held.0.push(HeldLock(lock.clone()));
        }
        Ok(held)
    }

    /// True if no process holds any of them.
    pub(crate) fn are_free(&self) -> bool {
        self.seen.iter().all(is_free)
    }
}

impl Held {
    /// True if the file of each lock still has a name, by which other processes find it.
    pub(super) fn are_found(&self) -> io::Result<bool> {
        for HeldLock(lock) in &self.0 {
            if !has_name(&lock.file)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// True unless the file was removed.
#[cfg(unix)]
pub(super) fn has_name(file: &File) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    Ok(file.metadata()?.nlink() > 0)
}

/// An open file is not removed elsewhere.
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
        if just_had_it && self.somebody_waits() {
            sleep(COURTESY);
        }
        if attempt(&self.file, self.mode).map_err(NotHeld::Failed)? {
            return Ok(());
        }
        // Where this cannot be said, one has to do without the courtesy of others.
        let _ = self.queue.try_lock_shared();
        let taken = wait(&self.file, self.mode, || match () {
            () if is_cancelled() => Some(NotHeld::Cancelled),
            () => deadline.is_over().then_some(NotHeld::Busy),
        });
        let _ = self.queue.unlock();
        taken
    }

    /// True if another open file has a lock on the queue.
    fn somebody_waits(&self) -> bool {
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
        // The end of the process would do it too.
        let _ = self.0.file.unlock();
        *self.0.released.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        while self.0.pop().is_some() {}
    }
}

/// Locks a file, waiting so long at most; false if that was not long enough.
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
        // A signal: nothing was decided.
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
            // Until each one has had it, which takes some milliseconds if all are treated alike.
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
