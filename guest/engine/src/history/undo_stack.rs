//! Decides which records are in effect.

use std::collections::{BTreeMap, BTreeSet};

use fsgate_contract::id::Id;

/// The effect of the records read so far on older ones. A record that undoes another one is newer,
/// so it has been read before, and so has one that undoes it.
///
/// A change can be undone and redone many times, as a whole or through its redo. It is in effect if
/// all later steps on it cancel out. A step is in effect if all steps since cancel out.
#[derive(Default)]
pub(super) struct UndoStack {
    turns: BTreeMap<Id, UndoTurn>,
    /// The steps on a change that do not cancel out, the oldest first.
    done: BTreeMap<Id, Vec<UndoStep>>,
    /// Records of an undo or redo that are not in effect.
    passed: BTreeSet<Id>,
}

#[derive(Debug, Clone, Copy)]
struct UndoTurn {
    /// The changed record.
    change: Id,
    step: UndoStep,
}

/// A change is undone by a call, the undo is undone, and so on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct UndoStep {
    /// The call that undid the change itself.
    call: Id,
    /// True for that undo, and for each repetition.
    is_back: bool,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct UndoLink {
    pub(super) by: Id,
    pub(super) call: Id,
    pub(super) record: Id,
}

impl UndoStack {
    /// Adds a call that undoes records. Each chain starts at one of its records, followed by the
    /// record that this one undoes, and so on, up to a known one.
    pub(super) fn undoes_records(&mut self, call: &[Vec<UndoLink>]) {
        let mut steps: BTreeMap<Id, Vec<(Id, UndoStep)>> = BTreeMap::new();
        for chain in call {
            for undo_link in chain.iter().rev() {
                let turn = match self.turns.get(&undo_link.record) {
                    Some(UndoTurn { change, step }) => {
                        UndoTurn { change: *change, step: UndoStep { is_back: !step.is_back, ..*step } }
                    }
                    None => UndoTurn {
                        change: undo_link.record,
                        step: UndoStep { call: undo_link.call, is_back: true },
                    },
                };
                self.turns.entry(undo_link.by).or_insert(turn);
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
            // Several records of a call can undo several steps of another call on one change.
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

    pub(super) fn knows(&self, record: Id) -> bool {
        self.turns.contains_key(&record)
    }

    pub(super) fn is_in_effect(&self, record: Id) -> bool {
        match self.turns.contains_key(&record) {
            true => !self.passed.contains(&record),
            false => self.done.get(&record).is_none_or(Vec::is_empty),
        }
    }

    /// True for a record that was undone at least once.
    pub(super) fn was_undone(&self, record: Id) -> bool {
        self.turns.contains_key(&record) || self.done.contains_key(&record)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_as_it_was_left_stands() {
        // Pairs of undo, the oldest first, and the records in effect.
        for (undone, in_effect) in [
            (&[][..], &[1][..]),
            (&[(2, 1)], &[2]),
            (&[(2, 1), (3, 2)], &[3, 1]),
            // Undone again after a redo: by itself, and through the redo.
            (&[(2, 1), (3, 2), (4, 1)], &[4]),
            (&[(2, 1), (3, 2), (4, 3)], &[4, 2]),
            (&[(2, 1), (3, 2), (4, 1), (5, 4)], &[5, 3, 1]),
            (&[(2, 1), (3, 2), (4, 1), (5, 4), (6, 3)], &[6, 2]),
            (&[(2, 1), (3, 2), (4, 3), (5, 4), (6, 3)], &[6, 4, 2]),
        ] {
            let mut all = UndoStack::default();
            for (by, record) in undone.iter().rev() {
                let next = |undo_link: &UndoLink| {
                    let found = undone.iter().find(|(by, _)| Id(*by) == undo_link.record);
                    found.map(|(by, record)| UndoLink { by: Id(*by), call: Id(*by), record: Id(*record) })
                };
                let first = UndoLink { by: Id(*by), call: Id(*by), record: Id(*record) };
                all.undoes_records(&[std::iter::successors(Some(first), next).collect()]);
            }
            let newest = undone.last().map_or(1, |(by, _)| *by);
            let found: Vec<u128> = (1..=newest).rev().filter(|id| all.is_in_effect(Id(*id))).collect();
            assert_eq!(found, in_effect, "{undone:?}");
        }
    }
}
