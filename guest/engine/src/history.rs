//! What was changed, read from the records that are done, and how it is taken back.
//!
//! [`Entries`] goes through the calls that have changed something, the newest first, and knows of each record whether it
//! stands. [`inverse`] says what takes one record back, and refuses where what it left is not there any more. Nothing here
//! writes: the tools return changes as every tool does.

pub(crate) mod about;
mod drawn;
mod entries;
pub(crate) mod inverse;
mod kept;
mod lane;
mod paths;
mod remains;
mod shown;
mod standing;
mod taking_back;
mod visibility;
mod whole;

pub(crate) use drawn::Drawer;
pub(crate) use entries::{Address, Entries, Entry};
pub(crate) use kept::{is_whole, lies};
pub(crate) use paths::{Paths, is_below};
pub(crate) use remains::Remains;
pub(crate) use shown::{summary, summary_of_record, time};
pub(crate) use taking_back::{Chosen, Forced, TakenBack, take_back, take_back_or};
pub(crate) use visibility::Visibility;
pub(crate) use whole::Lack;

use fsgate_contract::id::Id;
use fsgate_error::{Failure, HistoryProblem, Reason};
use fsgate_journal::namespace::Namespace;
use fsgate_journal::record::Record;
use fsgate_volume::Volume;

/// What takes back another change: only `redo` takes it back by itself.
pub(crate) const UNDO: &str = "undo";
/// What takes back an `undo`.
pub(crate) const REDO: &str = "redo";

/// What brings back a path.
pub(crate) const RESTORE: &str = "restore";

/// Refuses where there is no history.
pub(crate) fn require<V: Volume>(namespace: &Namespace<V>) -> Result<(), Failure> {
    if namespace.start().is_none() {
        return Err(Reason::NotGranted(Vec::new()).into());
    }
    if namespace.states().next().is_none() { Err(HistoryProblem::NoHistory.into()) } else { Ok(()) }
}

/// An id as a caller gives it.
pub(crate) fn parse(field: &'static str, text: &str) -> Result<Id, Failure> {
    text.parse().map_err(|_| HistoryProblem::NoId(field).into())
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
