//! Admits calls: limits those at once, and those per second.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use fsgate_error::{ChangeState, Exceeded, Interruption, Reason};

use super::Limits;
use super::rate::Rate;

/// The interval of checks for cancellation.
const LOOK: Duration = Duration::from_millis(10);

#[derive(Debug)]
pub(crate) struct Admission {
    running: usize,
    waiting: usize,
    unanswered: AtomicUsize,
    rate: Option<(u32, Mutex<Rate>)>,
    deadline: Duration,
}

/// The place of an admitted call, released on drop.
#[derive(Debug)]
pub(crate) struct Admitted(Arc<Admission>);

impl Admission {
    /// `running` calls run at once.
    pub(crate) fn new(limits: &Limits, running: usize) -> Self {
        let rate = |calls| (calls, Mutex::new(Rate::new(calls, Instant::now())));
        let rate = limits.calls_per_second.map(rate);
        let (waiting, deadline) = (limits.waiting, limits.deadline);
        Self { running, waiting, unanswered: AtomicUsize::new(0), rate, deadline }
    }

    pub(crate) fn enter(self: &Arc<Self>) -> Result<Admitted, Exceeded> {
        let most = self.running.saturating_add(self.waiting);
        if self.unanswered.fetch_add(1, Ordering::Relaxed) >= most {
            self.unanswered.fetch_sub(1, Ordering::Relaxed);
            return Err(Exceeded::Concurrent(self.running, self.waiting));
        }
        Ok(Admitted(self.clone()))
    }
}

impl Admitted {
    pub(crate) fn wait(&self, is_cancelled: &dyn Fn() -> bool) -> Result<(), Reason> {
        let Some((calls, rate)) = &self.0.rate else { return Ok(()) };
        let taken = {
            // A panic cannot leave a single moment inconsistent.
            let mut rate = rate.lock().unwrap_or_else(PoisonError::into_inner);
            rate.take(Instant::now(), self.0.deadline)
        };
        let wait = taken.map_err(|wait| Reason::Exceeded(Exceeded::Calls(*calls, wait)))?;
        let begun = Instant::now();
        while let Some(left) = wait.checked_sub(begun.elapsed()).filter(|left| !left.is_zero()) {
            if is_cancelled() {
                return Err(Reason::Stopped(Interruption::Cancelled, ChangeState::Untouched));
            }
            sleep(left.min(LOOK));
        }
        Ok(())
    }
}

impl Drop for Admitted {
    fn drop(&mut self) {
        self.0.unanswered.fetch_sub(1, Ordering::Relaxed);
    }
}
