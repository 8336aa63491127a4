//! Deadlines of calls.

use std::cell::Cell;
use std::time::Duration;

use super::Fault;
use fsgate_contract::limits::STEPS_PER_LOOK;

/// The deadline of a call.
#[derive(Debug, Default)]
pub struct Clock {
    end: Cell<Option<Duration>>,
    steps: Cell<u32>,
    held: Cell<u32>,
    struck: Cell<bool>,
}

impl Clock {
    /// Begins a call with this deadline.
    pub fn begin(&self, end: Option<Duration>) {
        self.end.set(end);
        self.steps.set(0);
        self.held.set(0);
        self.struck.set(false);
    }

    /// The remaining time, if there is a deadline.
    pub fn left(&self, now: Duration) -> Option<Duration> {
        self.end.get().map(|end| end.saturating_sub(now))
    }

    /// Whether a step returned [`Fault::Deadline`].
    pub fn has_struck(&self) -> bool {
        self.struck.get()
    }

    /// Suspends the deadline, for work to be completed.
    pub fn hold(&self) {
        self.held.set(self.held.get() + 1);
    }

    /// Ends [`Self::hold`].
    pub fn let_go(&self) {
        self.held.set(self.held.get().saturating_sub(1));
    }

    /// Runs work with a deadline of its own, which says nothing about the call.
    pub fn within<T>(&self, end: Duration, work: impl FnOnce() -> T) -> T {
        let (before, held, struck) = (self.end.replace(Some(end)), self.held.replace(0), self.struck.get());
        let done = work();
        self.end.set(before);
        self.held.set(held);
        self.struck.set(struck);
        done
    }

    /// Counts a step and sometimes reads the clock. Returns [`Fault::Deadline`] after the deadline.
    pub fn step(&self, now: impl FnOnce() -> Duration) -> Result<(), Fault> {
        if self.held.get() > 0 || self.end.get().is_none() {
            return Ok(());
        }
        self.steps.set(self.steps.get() + 1);
        if self.steps.get() >= STEPS_PER_LOOK {
            self.steps.set(0);
            if self.end.get().is_some_and(|end| now() >= end) {
                self.struck.set(true);
            }
        }
        if self.struck.get() { Err(Fault::Deadline) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The answers of as many steps as read the clock once.
    fn steps(clock: &Clock, now: u64) -> Result<(), Fault> {
        (0..STEPS_PER_LOOK).try_for_each(|_| clock.step(|| Duration::from_secs(now)))
    }

    #[test]
    fn a_part_that_takes_too_long_leaves_the_call_its_time() {
        let clock = Clock::default();
        clock.begin(Some(Duration::from_secs(9)));
        clock.hold();
        let part = clock.within(Duration::from_secs(2), || (steps(&clock, 1), steps(&clock, 3)));
        assert_eq!(part, (Ok(()), Err(Fault::Deadline)));
        assert_eq!(steps(&clock, 10), Ok(()), "the deadline is held");
        clock.let_go();
        assert_eq!((steps(&clock, 4), clock.has_struck()), (Ok(()), false));
        assert_eq!((steps(&clock, 9), clock.has_struck()), (Err(Fault::Deadline), true));
    }
}
