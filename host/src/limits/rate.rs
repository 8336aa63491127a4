//! The rate of calls in a session.

use std::time::{Duration, Instant};

/// A rate limiter that allows bursts of one second. It stores the time of the next call if all came
/// evenly.
#[derive(Debug)]
pub(super) struct Rate {
    interval: Duration,
    next: Instant,
}

impl Rate {
    pub(super) fn new(calls_per_second: u32, now: Instant) -> Self {
        Self { interval: Duration::from_secs(1) / calls_per_second.max(1), next: now }
    }

    /// Takes the next place and returns the wait for it, unless that exceeds `most`.
    pub(super) fn take(&mut self, now: Instant, most: Duration) -> Result<Duration, Duration> {
        let due = self.next.max(now);
        let ahead = due.duration_since(now);
        let at_once = Duration::from_secs(1).saturating_sub(self.interval);
        let wait = ahead.saturating_sub(at_once);
        if wait > most {
            return Err(wait);
        }
        self.next = due + self.interval;
        Ok(wait)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn millis(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn a_second_has_so_many_calls() {
        let begin = Instant::now();
        let mut rate = Rate::new(4, begin);
        // Arrival and wait: four at once, then one per quarter of a second.
        for (at, wait) in [
            (0, 0),
            (0, 0),
            (0, 0),
            (0, 0),
            (0, 250),
            (0, 500),
            (100, 650),
            (1_000, 0),
            (1_000, 250),
            (10_000, 0),
            (10_000, 0),
            (10_000, 0),
            (10_000, 0),
            (10_100, 150),
        ] {
            assert_eq!(rate.take(begin + millis(at), millis(10_000)), Ok(millis(wait)), "{at}");
        }
    }

    #[test]
    fn who_would_wait_too_long_takes_no_place() {
        let begin = Instant::now();
        let mut rate = Rate::new(1, begin);
        assert_eq!(rate.take(begin, millis(0)), Ok(millis(0)));
        for _ in 0..3 {
            assert_eq!(rate.take(begin, millis(999)), Err(millis(1000)));
        }
        assert_eq!(rate.take(begin, millis(1000)), Ok(millis(1000)));
        assert_eq!(rate.take(begin + millis(2500), millis(0)), Ok(millis(0)));
    }
}
