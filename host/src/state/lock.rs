//! One host at a time: locks of the operating system on state directories, which end with the process that holds them.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
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

/// The locks of several state directories, always taken in the same order.
pub(crate) struct Locks(Vec<Lock>);

#[derive(Debug)]
struct Lock {
    file: File,
    /// The directory itself: whoever waits holds a shared lock on it, so that others can see that.
    queue: File,
    /// The same file once more, to see whether anybody holds the lock, this process among them.
    seen: File,
    released: Mutex<Option<Instant>>,
}

/// All locks, until it is dropped.
#[derive(Debug)]
pub(crate) struct Held<'a>(Vec<HeldLock<'a>>);

#[derive(Debug)]
struct HeldLock<'a>(&'a Lock);

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
        directories.iter().map(|directory| Lock::open(directory)).collect::<Result<_, _>>().map(Self)
    }

    /// Takes all of them. Only one thread at a time may do this: to the system the locks are the process's.
    pub(crate) fn hold(
        &self,
        deadline: Deadline,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<Held<'_>, NotHeld> {
        let mut held = Held(Vec::with_capacity(self.0.len()));
        for lock in &self.0 {
            lock.hold(deadline, is_cancelled)?;
            held.0.push(HeldLock(lock));
        }
        Ok(held)
    }

    /// True if nobody holds any of them, in any process.
    pub(crate) fn are_free(&self) -> bool {
        self.0.iter().all(Lock::is_free)
    }
}

impl Lock {
    fn is_free(&self) -> bool {
        let is_free = self.seen.try_lock_shared().is_ok();
        if is_free {
            let _ = self.seen.unlock();
        }
        is_free
    }

    fn open(directory: &Path) -> Result<Self, Problem> {
        let path = directory.join(directory::LOCK);
        let file = OpenOptions::new().read(true).write(true).open(&path).map_err(Problem::of(&path))?;
        let seen = File::open(&path).map_err(Problem::of(&path))?;
        let queue = File::open(directory).map_err(Problem::of(directory))?;
        Ok(Self { file, queue, seen, released: Mutex::default() })
    }

    fn hold(&self, deadline: Deadline, is_cancelled: &dyn Fn() -> bool) -> Result<(), NotHeld> {
        let just_had_it = self.released().is_some_and(|at| at.elapsed() < COURTESY);
        if just_had_it && self.somebody_waits() {
            sleep(COURTESY);
        }
        if attempt(&self.file).map_err(NotHeld::Failed)? {
            return Ok(());
        }
        // Where this cannot be said, one has to do without the courtesy of others.
        let _ = self.queue.try_lock_shared();
        let taken = wait(&self.file, || match () {
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

impl Drop for HeldLock<'_> {
    fn drop(&mut self) {
        // The end of the process would do it too.
        let _ = self.0.file.unlock();
        *self.0.released.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        while self.0.pop().is_some() {}
    }
}

/// Locks a file, waiting so long at most; false if that was not long enough.
pub(crate) fn take(file: &File, most: Duration) -> io::Result<bool> {
    let deadline = Deadline::after(most);
    match wait(file, || deadline.is_over().then_some(NotHeld::Busy)) {
        Ok(()) => Ok(true),
        Err(NotHeld::Failed(error)) => Err(error),
        Err(NotHeld::Busy | NotHeld::Cancelled) => Ok(false),
    }
}

fn wait(file: &File, over: impl Fn() -> Option<NotHeld>) -> Result<(), NotHeld> {
    let mut pause = FIRST_PAUSE;
    loop {
        if attempt(file).map_err(NotHeld::Failed)? {
            return Ok(());
        }
        if let Some(over) = over() {
            return Err(over);
        }
        sleep(pause);
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

fn attempt(file: &File) -> io::Result<bool> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        // A signal: nothing was decided.
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Interrupted => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

#[cfg(all(test, unix))]
mod tests {
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
