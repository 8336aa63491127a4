//! The time of one answer of a walk.

use std::time::Duration;

use fsgate_contract::limits::WALK_NAMES_PER_LOOK;
use fsgate_journal::namespace::Namespace;
use fsgate_volume::Volume;

#[derive(Debug)]
pub(super) struct TimeBudget {
    limit: Option<Duration>,
    start: Duration,
    /// Extra time for work that each call repeats, such as reading a large directory: it would take
    /// most of the time.
    grace: Duration,
    unseen: u32,
}

impl TimeBudget {
    pub(super) fn new<V: Volume>(namespace: &Namespace<V>, limit: Option<Duration>) -> Self {
        let start = limit.map_or(Duration::ZERO, |_| namespace.now());
        Self { limit, start, grace: start, unseen: 0 }
    }

    pub(super) fn is_over<V: Volume>(&mut self, namespace: &Namespace<V>) -> bool {
        self.unseen = 0;
        self.limit.is_some_and(|limit| {
            let now = namespace.now();
            now.saturating_sub(self.start) >= limit && now >= self.grace
        })
    }

    pub(super) fn is_over_now_and_then<V: Volume>(&mut self, namespace: &Namespace<V>) -> bool {
        self.unseen += 1;
        self.unseen >= WALK_NAMES_PER_LOOK && self.is_over(namespace)
    }

    /// Runs work that each call repeats, and adds its time as grace.
    pub(super) fn graced<V: Volume, T>(&mut self, namespace: &Namespace<V>, run: impl FnOnce() -> T) -> T {
        if self.limit.is_none() {
            return run();
        }
        let before = namespace.now();
        let done = run();
        let after = namespace.now();
        self.grace = after + after.saturating_sub(before);
        done
    }

    pub(super) fn end_grace(&mut self) {
        self.grace = self.start;
    }
}
