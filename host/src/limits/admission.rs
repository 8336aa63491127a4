//! Which calls of a session may begin: not too many at once, and not too many in a second.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use fsgate_error::{Exceeded, Interruption, Reason, Standing};

use super::Limits;
use super::rate::Rate;

/// How often whoever waits for its second looks whether it was taken back.
const LOOK: Duration = Duration::from_millis(10);

/// The calls of a session.
#[derive(Debug)]
pub(crate) struct Admission {
    running: usize,
    waiting: usize,
    /// Calls that have come and are not answered.
    under_way: AtomicUsize,
    /// Calls a second, if there is a limit.
    rate: Option<(u32, Mutex<Rate>)>,
    deadline: Duration,
}

/// A place among the calls of a session, until it is dropped.
#[derive(Debug)]
pub(crate) struct Admitted(Arc<Admission>);

impl Admission {
    /// Of a session in which so many calls run at once.
    pub(crate) fn new(limits: &Limits, running: usize) -> Self {
        let rate = |calls| (calls, Mutex::new(Rate::new(calls, Instant::now())));
        let rate = limits.calls_per_second.map(rate);
        let (waiting, deadline) = (limits.waiting, limits.deadline);
        Self { running, waiting, under_way: AtomicUsize::new(0), rate, deadline }
    }

    /// Takes a place for a call that comes now.
    pub(crate) fn enter(self: &Arc<Self>) -> Result<Admitted, Exceeded> {
        let most = self.running.saturating_add(self.waiting);
        if self.under_way.fetch_add(1, Ordering::Relaxed) >= most {
            self.under_way.fetch_sub(1, Ordering::Relaxed);
            return Err(Exceeded::Concurrent(self.running, self.waiting));
        }
        Ok(Admitted(self.clone()))
    }
}

impl Admitted {
    /// Waits until the session may make one more call.
    pub(crate) fn wait(&self, is_cancelled: &dyn Fn() -> bool) -> Result<(), Reason> {
        let Some((calls, rate)) = &self.0.rate else { return Ok(()) };
        let taken = {
            // One moment: there is no state in which a panic could have left it wrong.
            let mut rate = rate.lock().unwrap_or_else(PoisonError::into_inner);
            rate.take(Instant::now(), self.0.deadline)
        };
        let wait = taken.map_err(|wait| Reason::Exceeded(Exceeded::Calls(*calls, wait)))?;
        let begun = Instant::now();
        while let Some(left) = wait.checked_sub(begun.elapsed()).filter(|left| !left.is_zero()) {
            if is_cancelled() {
                return Err(Reason::Stopped(Interruption::Cancelled, Standing::Untouched));
            }
            sleep(left.min(LOOK));
        }
        Ok(())
    }
}

impl Drop for Admitted {
    fn drop(&mut self) {
        self.0.under_way.fetch_sub(1, Ordering::Relaxed);
    }
}
