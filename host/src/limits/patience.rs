//! The wait of a call for other calls and other hosts.

use std::sync::{Condvar, MutexGuard, PoisonError};
use std::time::Duration;

use super::Deadline;
use crate::cancel::CancelToken;

/// The interval of checks for cancellation.
const LOOK: Duration = Duration::from_millis(10);

#[derive(Debug, Clone, Copy)]
pub(crate) struct Patience<'a> {
    until: Deadline,
    token: &'a CancelToken,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GaveUp {
    Late,
    Cancelled,
}

impl<'a> Patience<'a> {
    pub(crate) fn new(until: Deadline, token: &'a CancelToken) -> Self {
        Self { until, token }
    }

    pub(crate) fn until(&self) -> Deadline {
        self.until
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.token.is_cancelled()
    }

    /// Waits until `is_ready`. Changes that can make it true are notified on `changed`.
    pub(crate) fn wait<'g, T>(
        &self,
        mut state: MutexGuard<'g, T>,
        changed: &Condvar,
        is_ready: impl Fn(&T) -> bool,
    ) -> (MutexGuard<'g, T>, Result<(), GaveUp>) {
        loop {
            if is_ready(&state) {
                return (state, Ok(()));
            }
            if self.is_cancelled() {
                return (state, Err(GaveUp::Cancelled));
            }
            let left = self.until.left().unwrap_or(LOOK);
            if left.is_zero() {
                return (state, Err(GaveUp::Late));
            }
            let woken = changed.wait_timeout(state, left.min(LOOK));
            state = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}
