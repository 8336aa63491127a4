//! The time that one answer of a walk may take.

use std::time::Duration;

use fsgate_contract::limits::WALK_NAMES_PER_LOOK;
use fsgate_journal::namespace::Namespace;
use fsgate_volume::Volume;

/// Looks at the clock now and then.
#[derive(Debug)]
pub(super) struct Watch {
    limit: Option<Duration>,
    start: Duration,
    /// Until then it goes on all the same. What a call has to do again before it can go on, such as reading a large
    /// directory, would otherwise be most of what each call does.
    grace: Duration,
    unseen: u32,
}

impl Watch {
    pub(super) fn new<V: Volume>(namespace: &Namespace<V>, limit: Option<Duration>) -> Self {
        let start = limit.map_or(Duration::ZERO, |_| namespace.now());
        Self { limit, start, grace: start, unseen: 0 }
    }

    /// The time is over; looks at the clock.
    pub(super) fn is_over<V: Volume>(&mut self, namespace: &Namespace<V>) -> bool {
        self.unseen = 0;
        self.limit.is_some_and(|limit| {
            let now = namespace.now();
            now.saturating_sub(self.start) >= limit && now >= self.grace
        })
    }

    /// The same, once for a number of names.
    pub(super) fn is_over_now_and_then<V: Volume>(&mut self, namespace: &Namespace<V>) -> bool {
        self.unseen += 1;
        self.unseen >= WALK_NAMES_PER_LOOK && self.is_over(namespace)
    }

    /// Runs something that would have to be done again, and grants as much time as it took.
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

    /// What was granted is over.
    pub(super) fn end_grace(&mut self) {
        self.grace = self.start;
    }
}
