//! The history: the committed records, and the changes that undo them.
//!
//! [`Entries`] returns the calls, the newest first, and knows which records are in effect.
//! [`inverse`] returns the changes that undo a record, and refuses if its result has changed.
//! Nothing here writes: tools return changes.

pub(crate) mod about;
mod completeness;
mod diff;
mod entries;
mod entry_id;
pub(crate) mod inverse;
mod later_moves;
mod net_effect;
mod paths;
mod record_stream;
mod summary;
mod trash_location;
mod undo;
mod undo_stack;
mod visibility;

pub(crate) use completeness::MissingPart;
pub(crate) use diff::EntryDiffs;
pub(crate) use entries::{Address, Entries, Entry};
pub(crate) use entry_id::entry_id;
pub(crate) use later_moves::LaterMoves;
pub(crate) use net_effect::NetEffect;
pub(crate) use paths::{Paths, is_below};
pub(crate) use summary::{summary, summary_of_record, time};
pub(crate) use trash_location::{is_whole, trash_entry};
pub(crate) use undo::{Chosen, Forced, UndoChanges, undo_records, undo_records_or};
pub(crate) use visibility::Visibility;

use fsgate_error::{Failure, HistoryProblem, Reason};
use fsgate_journal::namespace::Namespace;
use fsgate_journal::record::Record;
use fsgate_volume::Volume;

/// Undoes another change. Only `redo` undoes it without an id.
pub(crate) const UNDO: &str = "undo";
pub(crate) const REDO: &str = "redo";

pub(crate) const RESTORE: &str = "restore";

pub(crate) fn require<V: Volume>(namespace: &Namespace<V>) -> Result<(), Failure> {
    if namespace.start().is_none() {
        return Err(Reason::NotGranted(Vec::new()).into());
    }
    if namespace.states().next().is_none() { Err(HistoryProblem::NoHistory.into()) } else { Ok(()) }
}

/// The records of trash entries that could not be emptied, in all state directories.
pub(crate) fn pending<V: Volume>(namespace: &Namespace<V>) -> Result<Vec<Record>, Failure> {
    let mut pending = Vec::new();
    for state in namespace.states() {
        pending.extend(state.pending().map_err(entries::broken)?);
    }
    Ok(pending)
}

#[cfg(test)]
mod tests;
