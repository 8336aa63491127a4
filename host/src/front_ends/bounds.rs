//! The limits of a whole text: several times those of a call.

use std::cell::OnceCell;
use std::time::{Duration, Instant};

use fsgate_compat::bounds::Bounds;
use fsgate_error::Interruption;

use crate::cancel::CancelToken;
use crate::limits::Limits;

/// Factor over the largest answer of a call: the largest readable file takes several calls.
const ANSWERS: usize = 3;

/// Deadlines of a call for a text: far more than quick calls need, and few enough to end a text of
/// days.
const DEADLINES: u32 = 10;

/// The limits of a text from its first call on.
pub(crate) struct OfText {
    room: usize,
    time: Duration,
    begun: OnceCell<Instant>,
    token: CancelToken,
}

impl OfText {
    pub(crate) fn new(limits: Limits, token: &CancelToken) -> Self {
        Self {
            room: limits.result.saturating_mul(ANSWERS),
            time: limits.deadline.saturating_mul(DEADLINES),
            begun: OnceCell::new(),
            token: token.clone(),
        }
    }
}

impl Bounds for OfText {
    fn room(&self) -> usize {
        self.room
    }

    fn ended(&self) -> Option<Interruption> {
        if self.token.is_cancelled() {
            return Some(Interruption::Cancelled);
        }
        let is_over = self.begun.get_or_init(Instant::now).elapsed() >= self.time;
        is_over.then_some(Interruption::TextDeadline(self.time))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_may_use_several_times_what_a_call_may() {
        let limits = |deadline| Limits { deadline, result: 1000, ..Limits::default() };
        let token = CancelToken::new();
        let endless = OfText::new(limits(Duration::MAX), &token);
        assert_eq!((endless.room(), endless.ended()), (3000, None));
        let none = OfText::new(limits(Duration::ZERO), &token);
        assert_eq!(none.ended(), Some(Interruption::TextDeadline(Duration::ZERO)));
        let some = OfText::new(limits(Duration::from_secs(3600)), &token);
        assert_eq!((some.ended(), some.time), (None, Duration::from_secs(36_000)));
        token.cancel();
        assert_eq!(some.ended(), Some(Interruption::Cancelled));
    }
}
