//! Detects writes of other processes in directories without own state: read-only grants, or all
//! grants without a journal.
//!
//! It keeps readers from taking half-written bytes for complete, whether the writer still runs or
//! has died. Roots that are registered after the start are not covered.

use std::collections::BTreeSet;
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use fsgate_contract::limits::{LOCK_PATIENCE, READ_PAUSE};

use super::control::Control;
use super::registry::Registry;
use crate::grant::{Access, Grant};
use crate::limits::Deadline;

/// Open control files of other state directories. A confined process could not open them later.
#[derive(Debug, Default)]
pub(crate) struct ConcurrentWriters(Vec<Control>);

impl ConcurrentWriters {
    /// Finds the state of these grants, except the gate's own. It makes nothing, and ignores state
    /// that it cannot open.
    pub(crate) fn over(root: Option<&Path>, grants: &[Grant], is_journaled: bool) -> Self {
        let Some(root) = root else { return Self::default() };
        // This registry only reads.
        let registry = Registry::new(root, false, Duration::MAX);
        let is_own = |grant: &&Grant| is_journaled && grant.access == Access::Write;
        let states = |own: bool| -> BTreeSet<String> {
            let grants = grants.iter().filter(|grant| is_own(grant) == own);
            grants.flat_map(|grant| registry.states_near(&grant.host)).collect()
        };
        let others = &states(false) - &states(true);
        Self(others.iter().filter_map(|state| Control::open(&registry.directory(state)).ok()).collect())
    }

    /// Waits until no write is in progress. Returns a number that changes with every later write,
    /// or `None` if the wait fails.
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

    /// Whether nothing was written since.
    pub(crate) fn is_still(&self, sequence: u64) -> bool {
        self.sequence() == Some(sequence)
    }

    fn sequence(&self) -> Option<u64> {
        // Unreadable control files are ignored, as if they were missing.
        let now = self.0.iter().filter_map(Control::read);
        now.map(|now| (!now.is_in_place()).then_some(now.sequence))
            .try_fold(0_u64, |all, one| Some(all.wrapping_add(one?)))
    }
}
