//! The history: the committed records, and the changes that undo them.
//!
//! [`Entries`] returns the calls, the newest first, and knows which records are in effect.
//! [`inverse`] returns the changes that undo a record, and refuses if its result has changed.
//! Nothing here writes: tools return changes.

pub(crate) mod about;
mod drawn;
mod entries;
pub(crate) mod inverse;
mod kept;
mod lane;
mod later_moves;
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
pub(crate) use later_moves::LaterMoves;
pub(crate) use paths::{Paths, is_below};
pub(crate) use remains::Remains;
pub(crate) use shown::{summary, summary_of_record, time};
pub(crate) use taking_back::{Chosen, Forced, TakenBack, take_back, take_back_or};
pub(crate) use visibility::Visibility;
pub(crate) use whole::Lack;

use fsgate_contract::id::Id;
use fsgate_error::{Failure, Past, Reason};
use fsgate_journal::namespace::Namespace;
use fsgate_journal::record::Record;
use fsgate_volume::Volume;

/// Undoes another change. Only `redo` undoes it without an id.
pub(crate) const UNDO: &str = "undo";
/// Undoes an `undo`.
pub(crate) const REDO: &str = "redo";

/// Restores a path.
pub(crate) const RESTORE: &str = "restore";

/// Refuses without a history.
pub(crate) fn require<V: Volume>(namespace: &Namespace<V>) -> Result<(), Failure> {
    if namespace.start().is_none() {
        return Err(Reason::NotGranted(Vec::new()).into());
    }
    if namespace.states().next().is_none() { Err(Past::NoHistory.into()) } else { Ok(()) }
}

pub(crate) fn parse(field: &'static str, text: &str) -> Result<Id, Failure> {
    text.parse().map_err(|_| Past::NoId(field).into())
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
