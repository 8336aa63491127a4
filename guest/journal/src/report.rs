//! The outcome of a recovery.

use super::record::Record;

/// The changes that a recovery has found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecoveryReport {
    /// Completed changes.
    pub finished: Vec<Record>,
    /// Changes that were rolled back.
    pub rolled_back: Vec<Record>,
    /// Changes of files that other programs have changed or that the policy protects now. They stay
    /// as they are.
    pub conflicts: Vec<Record>,
    /// Changes in directories that are not granted for writing now, or that cannot be entered.
    pub waiting: Vec<Record>,
}
