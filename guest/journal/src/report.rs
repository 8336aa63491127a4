//! The outcome of a recovery.

use super::record::Record;

/// The changes that a recovery has met.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// Changes that stand now.
    pub finished: Vec<Record>,
    /// Changes that were taken back.
    pub rolled_back: Vec<Record>,
    /// Changes of files that other programs have changed since, or that the policy protects now. They stay as
    /// they are.
    pub conflicts: Vec<Record>,
    /// Changes in directories that are not granted for writing now, or not to be entered.
    pub waiting: Vec<Record>,
}
