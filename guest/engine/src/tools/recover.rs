//! `recover`: completes or rolls back interrupted changes, as every changing call does first.

use crate::history::{self, Entries, summary_of_record};
use crate::view::View;
use fsgate_contract::history_types::{LogSummary, RecoverArgs, RecoverOutcome};
use fsgate_contract::limits::HISTORY_LISTED;
use fsgate_error::Failure;
use fsgate_journal::record::Record;
use fsgate_volume::Volume;

/// Runs the operation.
pub fn run<V: Volume>(view: &View<V>, args: &RecoverArgs) -> Result<RecoverOutcome, Failure> {
    let namespace = view.namespace();
    history::require(namespace)?;
    let entries = Entries::new(view)?;
    let paths = entries.paths();
    let report = view.recovered();
    let listed = |records: &[Record]| -> Vec<LogSummary> {
        let is_told =
            |record: &&Record| !record.action.is_group() && !paths.is_absent(record) && entries.shows(record);
        let changes = records.iter().filter(is_told);
        changes.take(HISTORY_LISTED).map(|record| summary_of_record(paths, record)).collect()
    };
    // Pending changes outside of the writable grants belong to other sessions.
    let waiting: Vec<_> = report.waiting.iter().filter(|record| paths.is_in_reach(record)).cloned().collect();
    let known;
    let conflicts = if args.all() {
        known = entries.conflicts(HISTORY_LISTED)?;
        &known
    } else {
        &report.conflicts
    };
    Ok(RecoverOutcome {
        finished: listed(&report.finished),
        rolled_back: listed(&report.rolled_back),
        waiting: listed(&waiting),
        conflicts: listed(conflicts),
        notes: history::about::pending(namespace, view.caller(), &history::pending(namespace)?)
            .into_iter()
            .collect(),
    })
}
