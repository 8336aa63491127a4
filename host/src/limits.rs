//! The limits of a session and of its calls, and their meters.

mod admission;
mod patience;
mod rate;

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use wasmtime::{EngineWeak, ResourceLimiter, Result};

pub(crate) use admission::{Admission, Admitted};
pub(crate) use patience::{GaveUp, Patience};

/// The limits of a session and of each of its calls. `docs/limits.md` lists their errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Time of a call, from its turn to its answer. A change over time ends by itself, or by force
    /// after twice the time; a read ends by force at once. A call waits as long again for its turn
    /// and for other hosts, counted from its arrival.
    pub deadline: Duration,
    /// Bytes of the component's own memory.
    pub memory: usize,
    /// Bytes that the component can make the host hold in one step, for a write or an answer.
    pub host_memory: usize,
    /// Files, directories and streams that the component has open at once.
    pub handles: usize,
    /// Bytes of an answer in JSON.
    pub result: usize,
    /// Calls per second in the whole session; `None` is unlimited.
    pub calls_per_second: Option<u32>,
    /// Calls that wait for the running ones.
    pub waiting: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            // Longer than clients wait.
            deadline: Duration::from_secs(30),
            // The largest answer has 1 MiB, and the arguments of an edit exist a few times in
            // memory.
            memory: 256 << 20,
            // Twice the largest text that an edit inserts.
            host_memory: 64 << 20,
            // A path takes at most 128, and a call walks a few at once.
            handles: 4096,
            // 1 MiB of content has six times that in JSON if every byte is escaped.
            result: 8 << 20,
            // Usage differs too much for a default.
            calls_per_second: None,
            // As many as the MCP server queues.
            waiting: 256,
        }
    }
}

/// Extra wait beyond the deadline, so that a call that began just before it has ended.
const WAIT_GRACE: Duration = Duration::from_millis(200);

impl Limits {
    pub(crate) fn patience(&self) -> Deadline {
        Deadline::after(self.deadline.saturating_add(WAIT_GRACE))
    }

    /// The limits of recovery: no deadline, and at least the default limits. An interrupted
    /// recovery would never finish, however often it is tried.
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

/// Limits the memory of an instance, and records a trap for it.
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

#[derive(Debug, thiserror::Error)]
#[error("the component cannot begin with the memory that it may have")]
pub(crate) struct NoRoom;

/// Tables hold functions only, in a number that the build fixes.
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

/// The interval of deadline checks.
const TICK: Duration = Duration::from_millis(10);

/// Advances the engine's epoch while calls run.
pub(crate) struct Watchdog {
    shared: Arc<WatchdogShared>,
}

#[derive(Default)]
struct WatchdogShared {
    state: Mutex<WatchdogState>,
    changed: Condvar,
}

#[derive(Default)]
struct WatchdogState {
    running: usize,
    closed: bool,
}

impl WatchdogShared {
    fn lock(&self) -> MutexGuard<'_, WatchdogState> {
        // A panic cannot leave two numbers inconsistent.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watchdog {
    pub(crate) fn start(engine: EngineWeak) -> std::io::Result<Self> {
        let shared = Arc::new(WatchdogShared::default());
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

    pub(crate) fn watch(&self) -> WatchGuard<'_> {
        self.shared.lock().running += 1;
        self.shared.changed.notify_one();
        WatchGuard { watchdog: self }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.shared.lock().closed = true;
        self.shared.changed.notify_one();
    }
}

pub(crate) struct WatchGuard<'a> {
    watchdog: &'a Watchdog,
}

impl Drop for WatchGuard<'_> {
    fn drop(&mut self) {
        self.watchdog.shared.lock().running -= 1;
    }
}

/// The end of a call, if any.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deadline(Option<Instant>);

impl Deadline {
    pub(crate) fn after(time: Duration) -> Self {
        Self(Instant::now().checked_add(time))
    }

    pub(crate) fn is_over(self) -> bool {
        self.left().is_some_and(|left| left.is_zero())
    }

    /// The time left, or `None` without an end.
    pub(crate) fn left(self) -> Option<Duration> {
        self.0.map(|end| end.saturating_duration_since(Instant::now()))
    }
}
