//! The queue of calls, in the order of their arrival.
//!
//! A client gets the same answers whether it waits for each or not. Changes run in their order and
//! one at a time, and a later call begins after them. Calls that change nothing run in parallel. A
//! change waits for earlier calls to begin, but not for a long search to end. A separate thread
//! answers calls that have waited too long.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crate::limits::Deadline;

/// The work of a call, in its turn or too late.
type Work = Box<dyn FnOnce(Result<(), Late>) + Send>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Late;

/// The queue and its threads; clones share it.
#[derive(Clone)]
pub(super) struct Calls(Arc<QueueShared>);

struct QueueShared {
    most_threads: usize,
    state: Mutex<QueueState>,
    changed: Condvar,
}

#[derive(Default)]
struct QueueState {
    /// Calls by arrival. A call that is still being read has no work.
    places: BTreeMap<u64, Option<Job>>,
    next: u64,
    changing: bool,
    threads: usize,
    idle: usize,
    working: usize,
    is_timed: bool,
    closed: bool,
}

struct Job {
    changes: bool,
    until: Deadline,
    work: Work,
}

/// A place in the queue. Dropping it without work gives it up.
pub(super) struct Ticket {
    calls: Calls,
    number: u64,
}

impl Calls {
    /// A queue with at most that many threads, started on demand.
    pub(super) fn new(most_threads: usize) -> Self {
        Self(Arc::new(QueueShared { most_threads, state: Mutex::default(), changed: Condvar::new() }))
    }

    pub(super) fn ticket(&self) -> Ticket {
        let mut state = self.lock();
        let number = state.next;
        state.next += 1;
        state.places.insert(number, None);
        Ticket { calls: self.clone(), number }
    }

    /// Drops waiting calls, and waits for a change that has begun.
    pub(super) fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        let dropped = std::mem::take(&mut state.places);
        self.0.changed.notify_all();
        while state.changing {
            state = self.wait(state);
        }
        drop(state);
        // Outside of the lock, because dropping a call answers its client.
        drop(dropped);
    }

    fn submit(&self, number: u64, job: Job) {
        let mut state = self.lock();
        if state.closed {
            return;
        }
        state.places.insert(number, Some(job));
        if state.idle == 0 && state.threads < self.0.most_threads {
            let calls = self.clone();
            let thread = thread::Builder::new().name("fsgate-call".to_owned());
            if thread.spawn(move || calls.work()).is_ok() {
                state.threads += 1;
            } else if state.threads == 0 {
                state.places.remove(&number);
            }
        }
        if !state.is_timed {
            let calls = self.clone();
            let thread = thread::Builder::new().name("fsgate-late".to_owned());
            // Without this thread, calls wait without limit.
            state.is_timed = thread.spawn(move || calls.answer_late()).is_ok();
        }
        drop(state);
        self.0.changed.notify_all();
    }

    fn work(&self) {
        let mut state = self.lock();
        loop {
            if state.closed {
                state.threads -= 1;
                return;
            }
            let Some(Job { changes, work, .. }) = state.take() else {
                state.idle += 1;
                state = self.wait(state);
                state.idle -= 1;
                continue;
            };
            state.changing = changes;
            state.working += 1;
            drop(state);
            run(work, Ok(()));
            state = self.lock();
            state.working -= 1;
            if changes {
                state.changing = false;
                self.0.changed.notify_all();
            }
        }
    }

    fn answer_late(&self) {
        let mut state = self.lock();
        while !state.closed {
            state = match state.next_late() {
                None => self.wait(state),
                Some((_, left)) if !left.is_zero() => {
                    let woken = self.0.changed.wait_timeout(state, left);
                    woken.unwrap_or_else(PoisonError::into_inner).0
                }
                Some((number, _)) => {
                    let late = state.places.remove(&number).flatten();
                    drop(state);
                    // The next call may begin now.
                    self.0.changed.notify_all();
                    if let Some(Job { work, .. }) = late {
                        run(work, Err(Late));
                    }
                    self.lock()
                }
            };
        }
    }

    fn lock(&self) -> MutexGuard<'_, QueueState> {
        // No code under this lock can panic.
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, QueueState>) -> MutexGuard<'a, QueueState> {
        self.0.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }
}

impl QueueState {
    /// The first call, if it may begin: only a change can block it.
    fn take(&mut self) -> Option<Job> {
        if self.changing {
            return None;
        }
        let first = self.places.first_entry()?;
        first.get().is_some().then(|| first.remove()).flatten()
    }

    /// The next call to leave the queue, and the time until then. A call that can begin now stays.
    fn next_late(&self) -> Option<(u64, Duration)> {
        let can_begin = usize::from(!self.changing && self.working < self.threads);
        let waiting = self.places.iter().skip(can_begin);
        let times = waiting.filter_map(|(number, job)| Some((*number, job.as_ref()?.until.left()?)));
        times.min_by_key(|(_, left)| *left)
    }
}

/// The caller of a panicking call gets no answer; other calls go on.
fn run(work: Work, turn: Result<(), Late>) {
    let _ = catch_unwind(AssertUnwindSafe(|| work(turn)));
}

impl Ticket {
    /// Sets the work of this place; it waits until `until` at most.
    pub(super) fn submit(
        &self,
        changes: bool,
        until: Deadline,
        work: impl FnOnce(Result<(), Late>) + Send + 'static,
    ) {
        self.calls.submit(self.number, Job { changes, until, work: Box::new(work) });
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let mut state = self.calls.lock();
        if state.places.get(&self.number).is_some_and(Option::is_none) {
            state.places.remove(&self.number);
            drop(state);
            self.calls.0.changed.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, Sender, channel};

    use super::*;

    fn never() -> Deadline {
        Deadline::after(Duration::MAX)
    }

    /// Calls that report their begin, and end on demand.
    struct Bench {
        calls: Calls,
        begun: (Sender<u32>, Receiver<u32>),
    }

    impl Bench {
        fn new(threads: usize) -> Self {
            Self { calls: Calls::new(threads), begun: channel() }
        }

        fn submit(&self, ticket: &Ticket, name: u32, changes: bool) -> Sender<()> {
            let (end, ended) = channel();
            let begun = self.begun.0.clone();
            ticket.submit(changes, never(), move |turn| {
                assert_eq!(turn, Ok(()));
                begun.send(name).unwrap();
                let _ = ended.recv();
            });
            end
        }

        /// A call that does not wait; its result is sent to the receiver.
        fn impatient(&self, changes: bool) -> Receiver<Result<(), Late>> {
            let (sender, turn) = channel();
            let over = Deadline::after(Duration::ZERO);
            self.calls.ticket().submit(changes, over, move |turn| sender.send(turn).unwrap());
            turn
        }

        fn call(&self, name: u32, changes: bool) -> Sender<()> {
            self.submit(&self.calls.ticket(), name, changes)
        }

        /// The calls that begin now.
        fn begun(&self, count: usize) -> Vec<u32> {
            let mut begun: Vec<_> =
                (0..count).map(|_| self.begun.1.recv_timeout(Duration::from_secs(10)).unwrap()).collect();
            assert!(self.begun.1.recv_timeout(Duration::from_millis(50)).is_err(), "too many began");
            begun.sort_unstable();
            begun
        }
    }

    #[test]
    fn changes_are_alone_among_themselves_and_before_what_came_later() {
        let bench = Bench::new(4);
        let first = bench.call(1, false);
        let change = bench.call(2, true);
        let other = bench.call(3, true);
        let last = bench.call(4, false);
        assert_eq!(bench.begun(2), [1, 2]);
        drop(change);
        assert_eq!(bench.begun(1), [3]);
        drop(other);
        assert_eq!(bench.begun(1), [4]);
        drop((first, last));
    }

    #[test]
    fn no_more_run_than_there_are_threads() {
        let bench = Bench::new(2);
        let mut ends: Vec<_> = (0..4).map(|name| bench.call(name, false)).collect();
        assert_eq!(bench.begun(2), [0, 1]);
        ends.remove(0);
        assert_eq!(bench.begun(1), [2]);
    }

    #[test]
    fn a_place_counts_from_the_moment_it_is_taken() {
        let bench = Bench::new(4);
        let (first, given_up) = (bench.calls.ticket(), bench.calls.ticket());
        let second = bench.call(2, false);
        assert!(bench.begun(0).is_empty());
        let end = bench.submit(&first, 1, true);
        assert_eq!(bench.begun(1), [1]);
        drop(end);
        assert!(bench.begun(0).is_empty());
        drop(given_up);
        assert_eq!(bench.begun(1), [2]);
        drop(second);
    }

    #[test]
    fn a_call_that_has_waited_for_too_long_is_answered_and_gives_up_its_place() {
        let bench = Bench::new(1);
        let first = bench.call(1, false);
        assert_eq!(bench.begun(1), [1]);
        for changes in [false, true] {
            let turn = bench.impatient(changes).recv_timeout(Duration::from_secs(10));
            assert_eq!(turn, Ok(Err(Late)), "{changes}");
        }
        let second = bench.call(2, true);
        assert!(bench.begun(0).is_empty());
        drop(first);
        assert_eq!(bench.begun(1), [2]);
        let late = bench.impatient(false).recv_timeout(Duration::from_secs(10));
        assert_eq!(late, Ok(Err(Late)), "behind a change");
        drop(second);
    }

    #[test]
    fn a_panic_stops_nobody_else() {
        let calls = Calls::new(1);
        calls.ticket().submit(true, never(), |_| std::panic::resume_unwind(Box::new(())));
        let (send, receive) = channel();
        calls.ticket().submit(true, never(), move |_| send.send(()).unwrap());
        receive.recv_timeout(Duration::from_secs(10)).unwrap();
    }

    #[test]
    fn closing_waits_for_a_change_and_drops_the_rest() {
        let bench = Bench::new(2);
        let change = bench.call(1, true);
        let _dropped = bench.call(2, true);
        assert_eq!(bench.begun(1), [1]);
        let calls = bench.calls.clone();
        let closing = thread::spawn(move || calls.close());
        thread::sleep(Duration::from_millis(50));
        assert!(!closing.is_finished());
        drop(change);
        closing.join().unwrap();
        assert!(bench.begun(0).is_empty());
        let _late = bench.call(3, false);
        assert!(bench.begun(0).is_empty());
    }
}
