//! The ids that arguments give.

use super::entries::Entries;
use crate::view::View;
use fsgate_contract::id::{Id, IdRange};
use fsgate_error::{Failure, HistoryProblem};
use fsgate_volume::Volume;

/// The id of the entry that an argument names by its id, or by the beginning of it.
pub(crate) fn entry_id<V: Volume>(view: &View<V>, field: &'static str, text: &str) -> Result<Id, Failure> {
    let range: IdRange = text.parse().map_err(|_| HistoryProblem::NoId(field))?;
    if let Some(id) = range.only() {
        return Ok(id);
    }
    let mut entries = Entries::new(view)?;
    let mut found = entries.all_set_aside(range)?;
    while let Some(entry) = entries.next()?.filter(|entry| found.len() < 2 && entry.id >= range.first()) {
        found.extend(Some(entry.id).filter(|id| range.contains(*id)));
    }
    match found[..] {
        [] => Err(HistoryProblem::UnknownEntry(text.to_owned()).into()),
        [id] => Ok(id),
        [one, other, ..] => Err(HistoryProblem::SeveralEntries(field, [one, other]).into()),
    }
}
