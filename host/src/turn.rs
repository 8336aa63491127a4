//! The turns of calls: reads run in parallel, a change runs alone.
//!
//! Calls run in the order of asking, so endless reads do not block a change, nor the reverse.

use std::collections::BTreeSet;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::limits::{GaveUp, Patience};

#[derive(Debug, Default)]
pub(crate) struct Turns {
    state: Mutex<TurnState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct TurnState {
    waiting: BTreeSet<u64>,
    next: u64,
    reading: usize,
    changing: bool,
}

#[derive(Debug)]
pub(crate) struct Turn<'a> {
    turns: &'a Turns,
    alone: bool,
}

impl TurnState {
    fn is_turn_of(&self, number: u64, alone: bool) -> bool {
        self.waiting.first() == Some(&number) && !self.changing && (!alone || self.reading == 0)
    }
}

impl Turns {
    pub(crate) fn shared(&self, patience: &Patience) -> Result<Turn<'_>, GaveUp> {
        self.take(false, patience)
    }

    pub(crate) fn alone(&self, patience: &Patience) -> Result<Turn<'_>, GaveUp> {
        self.take(true, patience)
    }

    fn take(&self, alone: bool, patience: &Patience) -> Result<Turn<'_>, GaveUp> {
        let mut state = self.lock();
        let number = state.next;
        state.next += 1;
        state.waiting.insert(number);
        let (mut state, waited) =
            patience.wait(state, &self.changed, |state| state.is_turn_of(number, alone));
        state.waiting.remove(&number);
        if waited.is_ok() {
            state.changing = alone;
            state.reading += usize::from(!alone);
        }
        drop(state);
        // The next call may also read now, or is now the first.
        self.changed.notify_all();
        waited.map(|()| Turn { turns: self, alone })
    }

    fn lock(&self) -> MutexGuard<'_, TurnState> {
        // No code under this lock can panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut state = self.turns.lock();
        match self.alone {
            true => state.changing = false,
            false => state.reading -= 1,
        }
        drop(state);
        self.turns.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::thread;
    use std::time::Duration;

    use super::*;
    use crate::cancel::CancelToken;
    use crate::limits::Deadline;

    const NEVER: Duration = Duration::MAX;

    fn get(turns: &Turns, alone: bool, patience: Duration) -> Result<Turn<'_>, GaveUp> {
        let token = CancelToken::new();
        turns.take(alone, &Patience::new(Deadline::after(patience), &token))
    }

    #[test]
    fn readers_share_and_a_change_is_alone() {
        for (held, asked, is_had) in
            [(false, false, true), (false, true, false), (true, false, false), (true, true, false)]
        {
            let turns = Turns::default();
            let holder = get(&turns, held, Duration::ZERO).expect("nothing else has a turn");
            let second = get(&turns, asked, Duration::ZERO);
            assert_eq!(second.is_ok(), is_had, "{held} {asked}");
            assert!(is_had || second.as_ref().err() == Some(&GaveUp::Late));
            drop((holder, second));
            assert!(get(&turns, true, Duration::ZERO).is_ok(), "{held} {asked}");
        }
    }

    #[test]
    fn a_cancelled_call_waits_no_longer() {
        let turns = Turns::default();
        let _held = get(&turns, true, NEVER);
        let token = CancelToken::new();
        token.cancel();
        let refused = turns.shared(&Patience::new(Deadline::after(NEVER), &token));
        assert_eq!(refused.err(), Some(GaveUp::Cancelled));
    }

    #[test]
    fn turns_come_in_the_order_in_which_they_were_asked_for() {
        let turns = Turns::default();
        let (sender, order) = channel();
        let waiting = |count| {
            while turns.lock().waiting.len() < count {
                thread::yield_now();
            }
        };
        thread::scope(|scope| {
            let first = get(&turns, false, NEVER);
            for (name, alone) in [("change", true), ("reader", false), ("other change", true)] {
                let (turns, sender) = (&turns, sender.clone());
                let before = turns.lock().waiting.len();
                scope.spawn(move || {
                    let _turn = get(turns, alone, NEVER);
                    sender.send(name).unwrap();
                });
                waiting(before + 1);
            }
            drop(first);
        });
        drop(sender);
        assert_eq!(order.iter().collect::<Vec<_>>(), ["change", "reader", "other change"]);
    }

    #[test]
    fn a_change_that_gives_up_lets_readers_pass() {
        let turns = Turns::default();
        let _reader = get(&turns, false, NEVER);
        assert_eq!(get(&turns, true, Duration::from_millis(1)).err(), Some(GaveUp::Late));
        assert!(get(&turns, false, Duration::ZERO).is_ok());
    }
}
