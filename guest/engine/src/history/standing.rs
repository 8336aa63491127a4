//! What stands and what was taken back.

use std::collections::{BTreeMap, BTreeSet};

use fsgate_contract::id::Id;

/// What the records that were looked at say of older ones. A record that takes back another one is newer, so it has been
/// looked at before, and what takes back that one.
///
/// A change may be taken back and brought back many times: as a whole, or by taking back what has brought it back. It stands if all
/// that was done with it comes to nothing; and what was done with it is as some record left it if all comes to nothing that was done
/// since.
#[derive(Default)]
pub(super) struct Standing {
    turns: BTreeMap<Id, Turn>,
    /// What has been done with a change since the record that was looked at last, the oldest first, as far as it does not come to
    /// nothing.
    done: BTreeMap<Id, Vec<Step>>,
    /// What takes something back and is not as it left that.
    passed: BTreeSet<Id>,
}

/// What a record does that takes back another one.
#[derive(Debug, Clone, Copy)]
struct Turn {
    /// The change that it is done with.
    change: Id,
    step: Step,
}

/// A change is taken back in a call; that is taken back; and so on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Step {
    /// The call that has taken back the change itself.
    call: Id,
    /// True for that, and whatever does so once more.
    is_back: bool,
}

/// A record that takes back another one, and the call that it belongs to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Taking {
    pub(super) by: Id,
    pub(super) call: Id,
    pub(super) record: Id,
}

impl Standing {
    /// A call takes back something. Each of its records comes with those that it goes back to: one that takes back some record, that
    /// which it takes back, and so on. Only the first one need be there if it is known already.
    pub(super) fn takes_back(&mut self, call: &[Vec<Taking>]) {
        let mut steps: BTreeMap<Id, Vec<(Id, Step)>> = BTreeMap::new();
        for chain in call {
            for taking in chain.iter().rev() {
                let turn = match self.turns.get(&taking.record) {
                    Some(Turn { change, step }) => {
                        Turn { change: *change, step: Step { is_back: !step.is_back, ..*step } }
                    }
                    None => Turn { change: taking.record, step: Step { call: taking.call, is_back: true } },
                };
                self.turns.entry(taking.by).or_insert(turn);
            }
            if let Some((by, turn)) =
                chain.first().and_then(|first| Some((first.by, self.turns.get(&first.by)?)))
            {
                steps.entry(turn.change).or_default().push((by, turn.step));
            }
        }
        for (change, steps) in steps {
            let done = self.done.entry(change).or_default();
            if !done.is_empty() {
                self.passed.extend(steps.iter().map(|(by, _)| *by));
            }
            // Several records of a call may take back what several of another one did with one change.
            for step in steps.into_iter().map(|(_, step)| step).collect::<BTreeSet<_>>() {
                let is_nothing =
                    done.first().is_some_and(|next| next.call == step.call && next.is_back != step.is_back);
                if is_nothing {
                    done.remove(0);
                } else {
                    done.insert(0, step);
                }
            }
        }
    }

    /// True if it is known already what a record takes back, and so on.
    pub(super) fn knows(&self, record: Id) -> bool {
        self.turns.contains_key(&record)
    }

    pub(super) fn stands(&self, record: Id) -> bool {
        match self.turns.contains_key(&record) {
            true => !self.passed.contains(&record),
            false => self.done.get(&record).is_none_or(Vec::is_empty),
        }
    }

    /// True for what something has taken back at least once.
    pub(super) fn was_taken_back(&self, record: Id) -> bool {
        self.turns.contains_key(&record) || self.done.contains_key(&record)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_as_it_was_left_stands() {
        // Who takes back whom, the oldest first; and what stands then.
        for (taken_back, standing) in [
            (&[][..], &[1][..]),
            (&[(2, 1)], &[2]),
            (&[(2, 1), (3, 2)], &[3, 1]),
            // Taken back again after it was brought back: by itself, and through what brought it back.
            (&[(2, 1), (3, 2), (4, 1)], &[4]),
            (&[(2, 1), (3, 2), (4, 3)], &[4, 2]),
            (&[(2, 1), (3, 2), (4, 1), (5, 4)], &[5, 3, 1]),
            (&[(2, 1), (3, 2), (4, 1), (5, 4), (6, 3)], &[6, 2]),
            (&[(2, 1), (3, 2), (4, 3), (5, 4), (6, 3)], &[6, 4, 2]),
        ] {
            let mut all = Standing::default();
            for (by, record) in taken_back.iter().rev() {
                let next = |taking: &Taking| {
                    let found = taken_back.iter().find(|(by, _)| Id(*by) == taking.record);
                    found.map(|(by, record)| Taking { by: Id(*by), call: Id(*by), record: Id(*record) })
                };
                let first = Taking { by: Id(*by), call: Id(*by), record: Id(*record) };
                all.takes_back(&[std::iter::successors(Some(first), next).collect()]);
            }
            let newest = taken_back.last().map_or(1, |(by, _)| *by);
            let found: Vec<u128> = (1..=newest).rev().filter(|id| all.stands(Id(*id))).collect();
            assert_eq!(found, standing, "{taken_back:?}");
        }
    }
}
