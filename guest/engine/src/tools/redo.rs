//! `redo`: reverses an `undo`.

use super::undo::{is_meant, last_of};
use crate::changes::Planned;
use crate::history::{self, Entries, Entry, UNDO, undo_records};
use crate::view::View;
use fsgate_contract::history_types::{RedoArgs, RedoOutcome};
use fsgate_error::HistoryProblem;
use fsgate_volume::Volume;

/// Runs the operation.
pub fn run<V: Volume>(view: &View<V>, args: &RedoArgs) -> Planned<V, RedoOutcome> {
    let namespace = view.namespace();
    history::require(namespace)?;
    let mut entries = Entries::new(view)?;
    let any = args.any_session();
    let calls = match &args.id {
        Some(id) => {
            let id = history::entry_id(view, "id", id)?;
            let calls = entries.until_id(id)?;
            match calls.last() {
                Some(entry) if !entry.is_hidden && entry.newest.tool != UNDO => {
                    return Err(HistoryProblem::NoUndo(id.to_string()).into());
                }
                _ => calls,
            }
        }
        None => {
            let is_last = |entries: &Entries<V>, entry: &Entry| {
                Ok(entry.newest.tool == UNDO && is_meant(view, entry, any) && entries.any_in_effect(entry))
            };
            entries.until(is_last)?.ok_or(HistoryProblem::NothingToRedo { any })?
        }
    };
    let chosen = last_of(view, &entries, &calls, any)?;
    let taken = undo_records(view, &entries, &chosen, args.diff())?;
    let outcome = RedoOutcome {
        redone: chosen.entries,
        paths: taken.paths,
        names: taken.names,
        etag: taken.etag,
        undo_id: None,
        diff: taken.diff,
        notes: taken.notes,
    };
    Ok((outcome, taken.changes))
}
