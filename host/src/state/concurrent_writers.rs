//! What others have under way in directories of which this gate keeps no state: those that it may only read, and all of them where nothing is
//! journaled.
//!
//! Bytes that are being written in place, or that somebody who died has left half written, are not read as if they were whole. Roots that
//! are registered later than this was made are not known.

use std::collections::BTreeSet;
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use fsgate_contract::limits::{LOCK_PATIENCE, READ_PAUSE};

use super::control::Control;
use super::registry::Registry;
use crate::grant::{Access, Grant};
use crate::limits::Deadline;

/// State directories of others. They are open, so that a process that is shut in can go on looking.
#[derive(Debug, Default)]
pub(crate) struct Watch(Vec<Control>);

impl Watch {
    /// Looks for the state of these grants, as far as it is none of this gate's own. Nothing is made, and what cannot be had is not looked at.
    pub(crate) fn over(root: Option<&Path>, grants: &[Grant], is_journaled: bool) -> Self {
        let Some(root) = root else { return Self::default() };
        // Nothing is registered or forgotten by it.
        let registry = Registry::new(root, false, Duration::MAX);
        let is_own = |grant: &&Grant| is_journaled && grant.access == Access::Write;
        let states = |own: bool| -> BTreeSet<String> {
            let grants = grants.iter().filter(|grant| is_own(grant) == own);
            grants.flat_map(|grant| registry.seen(&grant.host)).collect()
        };
        let others = &states(false) - &states(true);
        Self(others.iter().filter_map(|state| Control::open(&registry.directory(state)).ok()).collect())
    }

    /// Waits until nothing is being written in place; a number that is another one after it was. None if that does not come.
    pub(crate) fn still(&self, deadline: Deadline, is_cancelled: &dyn Fn() -> bool) -> Option<u64> {
        let mut left = LOCK_PATIENCE;
        loop {
            if let Some(sequence) = self.sequence() {
                return Some(sequence);
            }
            if left.is_zero() || deadline.is_over() || is_cancelled() {
                return None;
            }
            sleep(READ_PAUSE);
            left = left.saturating_sub(READ_PAUSE);
        }
    }

    /// True if nothing was written in place since.
    pub(crate) fn is_still(&self, sequence: u64) -> bool {
        self.sequence() == Some(sequence)
    }

    fn sequence(&self) -> Option<u64> {
        // Of one that cannot be told nothing is known, as without it.
        let now = self.0.iter().filter_map(Control::read);
        now.map(|now| (!now.is_in_place()).then_some(now.sequence))
            .try_fold(0_u64, |all, one| Some(all.wrapping_add(one?)))
    }
}
