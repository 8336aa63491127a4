//! Cancelled calls, and the clock that tells a component.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use wasmtime_wasi::clocks::{HostMonotonicClock, MonotonicClock};

/// Cancels a call while it runs. A clone is the same token.
///
/// A call that has changed nothing yet ends with the code `cancelled`. A call whose change is made
/// answers as usual.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let directory = std::env::temp_dir().join("fsgate-doc-cancel");
/// # std::fs::create_dir_all(&directory)?;
/// use fsgate::{CancelToken, Gate};
///
/// let gate = Gate::builder().read_only_dir(&directory).build()?;
/// let token = CancelToken::new();
/// // Another thread does this while the call runs.
/// token.clone().cancel();
/// let refused = gate.call_cancellable("grep", r#"{"pattern": "x"}"#, &token).unwrap_err();
/// assert!(refused.contains(r#""code":"cancelled""#));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct CancelToken(Arc<dyn Fn() -> bool + Send + Sync>, Arc<AtomicBool>);

impl CancelToken {
    /// A new token.
    pub fn new() -> Self {
        Self::when(|| false)
    }

    /// A token that also counts as cancelled once `is_cancelled` returns true. That function runs
    /// very often and has to be quick.
    pub fn when(is_cancelled: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(is_cancelled), Arc::default())
    }

    /// Cancels the call.
    pub fn cancel(&self) {
        self.1.store(true, Ordering::Relaxed);
    }

    /// Whether the call was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.1.load(Ordering::Relaxed) || (self.0)()
    }
}

impl Default for CancelToken {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for CancelToken {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.debug_struct("CancelToken").field("is_cancelled", &self.is_cancelled()).finish()
    }
}

#[derive(Clone, Default)]
pub(crate) struct Current(Arc<Mutex<Option<CancelToken>>>, Arc<AtomicBool>);

impl Current {
    pub(crate) fn set(&self, token: &CancelToken) {
        *self.lock() = Some(token.clone());
        self.1.store(false, Ordering::Relaxed);
    }

    fn begins(&self) -> bool {
        !self.1.swap(true, Ordering::Relaxed)
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.lock().as_ref().is_some_and(CancelToken::is_cancelled)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<CancelToken>> {
        // A panic cannot leave the token inconsistent.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The jump of the clock, beyond any deadline.
const AHEAD: u64 = 1 << 62;

/// The clock of an instance. A cancelled call makes it jump, so that the component's own deadline
/// checks end the call. The first reading of a call is true: the deadline is computed from it.
pub(crate) struct Clock {
    begun: Instant,
    current: Current,
}

impl Clock {
    pub(crate) fn new(current: Current) -> Self {
        Self { begun: Instant::now(), current }
    }
}

impl HostMonotonicClock for Clock {
    fn resolution(&self) -> u64 {
        MonotonicClock::new().resolution()
    }

    fn now(&self) -> u64 {
        let now = u64::try_from(self.begun.elapsed().as_nanos()).unwrap_or(AHEAD);
        let is_first = self.current.begins();
        if !is_first && self.current.is_cancelled() { now.saturating_add(AHEAD) } else { now }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_is_far_ahead_once_its_call_is_taken_back() {
        let (current, token, other) = (Current::default(), CancelToken::new(), CancelToken::new());
        let clock = Clock::new(current.clone());
        other.cancel();
        assert!(clock.now() < AHEAD, "there is no call");
        current.set(&token);
        let before = clock.now();
        assert!(before < AHEAD);
        token.clone().cancel();
        assert!(clock.now() - before >= AHEAD);
        current.set(&token);
        assert!(clock.now() < AHEAD, "it was taken back before it began");
        assert!(clock.now() >= AHEAD);
    }

    #[test]
    fn somebody_else_may_know_it() {
        let gone = Arc::new(AtomicBool::new(false));
        let is_gone = gone.clone();
        let token = CancelToken::when(move || is_gone.load(Ordering::Relaxed));
        assert!(!token.is_cancelled());
        gone.store(true, Ordering::Relaxed);
        assert!(token.is_cancelled());
    }
}
