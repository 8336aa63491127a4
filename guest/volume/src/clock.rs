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
