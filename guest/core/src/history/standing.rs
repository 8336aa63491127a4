//! What stands and what was taken back.

use std::collections::BTreeMap;

use super::entries::Address;
use super::{RESTORE, UNDO};
use crate::journal::Id;

/// What the records that were looked at say of older ones. A record that takes back another one is newer, so it has been
/// looked at before.
#[derive(Default)]
pub(super) struct Standing {
    taken: BTreeMap<Id, Taken>,
}

/// A record that something takes back.
struct Taken {
    /// How often it was taken back and brought back: odd, and it does not stand.
    turns: u32,
    /// The records that did so last.
    heads: Vec<Address>,
    /// How many more calls have gone on from it than have gone back.
    ahead: i64,
}

impl Standing {
    /// `by` takes `record` back, in a call of `tool`.
    pub(super) fn takes_back(&mut self, by: Address, record: Id, tool: &str) {
        let step = if tool == UNDO { -1 } else { 1 };
        let (turns, heads, ahead) = match self.taken.get(&by.1) {
            Some(taken) => (taken.turns + 1, taken.heads.clone(), taken.ahead + step),
            None => (1, vec![by], step),
        };
        let taken = self.taken.entry(record).or_insert(Taken { turns, heads: Vec::new(), ahead });
        taken.heads.extend(heads);
    }

    pub(super) fn stands(&self, record: Id) -> bool {
        self.taken.get(&record).is_none_or(|taken| taken.turns % 2 == 0)
    }

    /// The same for what has itself taken back something else, in a call of `tool`: where that was undone as well, or redone, step
    /// by step, it stands only because it has come out even.
    pub(super) fn stands_by_itself(&self, record: Id, tool: &str) -> bool {
        let ahead = self.taken.get(&record).map_or(0, |taken| taken.ahead);
        let is_passed = match tool {
            RESTORE => ahead < 0,
            UNDO => ahead > 0,
            _ => false,
        };
        self.stands(record) && !is_passed
    }

    pub(super) fn heads(&self, address: Address) -> Vec<Address> {
        self.taken.get(&address.1).map_or_else(|| vec![address], |taken| taken.heads.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::REDO;
    use crate::namespace::StateId;

    fn at(id: u128) -> Address {
        (StateId(0), Id(id))
    }

    #[test]
    fn what_was_taken_back_and_brought_back_stands_in_what_brought_it_back() {
        // 1 was taken back by 2 and 3, which 4 and 5 took back again: the newest is looked at first.
        let mut standing = Standing::default();
        standing.takes_back(at(5), Id(2), REDO);
        standing.takes_back(at(4), Id(3), REDO);
        assert!(!standing.stands(Id(2)) && !standing.stands(Id(3)));
        standing.takes_back(at(3), Id(1), UNDO);
        standing.takes_back(at(2), Id(1), UNDO);
        assert!(standing.stands(Id(1)));
        let mut heads = standing.heads(at(1));
        heads.sort();
        assert_eq!(heads, [at(4), at(5)]);
        assert!(standing.stands(Id(9)));
        assert_eq!(standing.heads(at(9)), [at(9)]);
    }

    #[test]
    fn what_has_taken_back_something_that_was_undone_later_does_not_stand_by_itself() {
        // 2 brought back what was before 1; 3 undid that, and 4 undid 1.
        let mut standing = Standing::default();
        standing.takes_back(at(4), Id(3), UNDO);
        standing.takes_back(at(3), Id(2), UNDO);
        standing.takes_back(at(2), Id(1), RESTORE);
        assert!(standing.stands(Id(2)) && !standing.stands_by_itself(Id(2), RESTORE));
        assert!(!standing.stands(Id(1)));
        // 4 redid 2 instead.
        let mut standing = Standing::default();
        standing.takes_back(at(4), Id(3), REDO);
        standing.takes_back(at(3), Id(2), UNDO);
        assert!(standing.stands_by_itself(Id(2), RESTORE));
    }
}
