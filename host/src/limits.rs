//! What a session and each of its calls may use, and the meters that notice when they want more.

mod admission;
mod patience;
mod rate;

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use wasmtime::{EngineWeak, ResourceLimiter, Result};

pub(crate) use admission::{Admission, Admitted};
pub(crate) use patience::{GaveUp, Patience};

/// What a session and each of its calls may use. `docs/limits.md` has what is said when it is not enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Time of a call, from its turn to its answer. A call that changes something looks at the
    /// clock and ends by itself; one that does not is ended by force after twice this time. A call
    /// that only reads is ended by force as soon as its time is over. A call waits as long again
    /// for its turn, from its arrival on, waiting for other hosts included.
    pub deadline: Duration,
    /// Bytes of the component's own memory.
    pub memory: usize,
    /// Bytes that the component can make the host hold for it in one step: what it writes at once, an answer.
    pub host_memory: usize,
    /// Files, directories and streams that the component has open at once.
    pub handles: usize,
    /// Bytes of an answer in JSON.
    pub result: usize,
    /// Calls that the whole session may make in a second; none is any number.
    pub calls_per_second: Option<u32>,
    /// Calls that wait for those that run.
    pub waiting: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            // Longer than any client waits.
            deadline: Duration::from_secs(30),
            // The largest answer is 1 MiB, and the arguments of an edit stand in memory a few times over.
            memory: 256 << 20,
            // Twice what the largest edit puts in its place at once.
            host_memory: 64 << 20,
            // A path takes 128 at most, and a call walks a few of them at once.
            handles: 4096,
            // Content of 1 MiB has six times that in JSON, if every byte of it needs an escape.
            result: 8 << 20,
            // How much work somebody has is for them to say.
            calls_per_second: None,
            // As many as the MCP server holds at once.
            waiting: 256,
        }
    }
}

/// How much longer than its deadline a call waits for others: one that came just before it is ended
/// by then, and makes room for it.
const WAIT_GRACE: Duration = Duration::from_millis(200);

impl Limits {
    /// The end of the time that a call waits for others which arrives now.
    pub(crate) fn patience(&self) -> Deadline {
        Deadline::after(self.deadline.saturating_add(WAIT_GRACE))
    }

    /// What putting right may use of what a call has left behind. Cut off as well it would not come to an end, however often it
    /// is tried: it is given as much time as it takes, and no less than any call is given by default.
    pub(crate) fn of_recovery(&self) -> Self {
        let usual = Self::default();
        Self {
            deadline: Duration::MAX,
            memory: self.memory.max(usual.memory),
            host_memory: self.host_memory.max(usual.host_memory),
            handles: self.handles.max(usual.handles),
            ..*self
        }
    }
}

/// Bounds one instance's memory, and remembers whether it was the reason for a trap.
#[derive(Debug)]
pub(crate) struct MemoryMeter {
    limit: usize,
    pub(crate) exceeded: bool,
}

impl MemoryMeter {
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, exceeded: false }
    }
}

/// A component that needs more memory to begin with than it may have.
#[derive(Debug, thiserror::Error)]
#[error("the component cannot begin with the memory that it may have")]
pub(crate) struct NoRoom;

/// Tables hold functions only, and the component knows their number when it is built.
const TABLE_ELEMENTS: usize = 100_000;

impl ResourceLimiter for MemoryMeter {
    fn memory_growing(&mut self, _current: usize, desired: usize, _maximum: Option<usize>) -> Result<bool> {
        self.exceeded |= desired > self.limit;
        Ok(!self.exceeded)
    }

    fn table_growing(&mut self, _current: usize, desired: usize, _maximum: Option<usize>) -> Result<bool> {
        Ok(desired <= TABLE_ELEMENTS)
    }
}

/// How often a running call's clock is looked at.
const TICK: Duration = Duration::from_millis(10);

/// Ticks the engine's epoch while a call runs; sleeps while none does.
pub(crate) struct Watchdog {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    running: usize,
    closed: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // Two numbers: there is no state in which a panic could have left them wrong.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watchdog {
    pub(crate) fn start(engine: EngineWeak) -> std::io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let watched = shared.clone();
        std::thread::Builder::new().name("fsgate-watchdog".to_owned()).spawn(move || {
            loop {
                let mut state = watched.lock();
                while state.running == 0 && !state.closed {
                    state = watched.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                }
                if state.closed {
                    return;
                }
                drop(state);
                std::thread::sleep(TICK);
                if let Some(engine) = engine.upgrade() {
                    engine.increment_epoch();
                }
            }
        })?;
        Ok(Self { shared })
    }

    /// Watches until the guard is dropped.
    pub(crate) fn watch(&self) -> Watch<'_> {
        self.shared.lock().running += 1;
        self.shared.changed.notify_one();
        Watch { watchdog: self }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.shared.lock().closed = true;
        self.shared.changed.notify_one();
    }
}

/// A call under watch.
pub(crate) struct Watch<'a> {
    watchdog: &'a Watchdog,
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        self.watchdog.shared.lock().running -= 1;
    }
}

/// When a call has to end; none is never.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deadline(Option<Instant>);

impl Deadline {
    /// From now on.
    pub(crate) fn after(time: Duration) -> Self {
        Self(Instant::now().checked_add(time))
    }

    pub(crate) fn is_over(self) -> bool {
        self.left().is_some_and(|left| left.is_zero())
    }

    /// The time that is left; none if there is no end.
    pub(crate) fn left(self) -> Option<Duration> {
        self.0.map(|end| end.saturating_duration_since(Instant::now()))
    }
}
