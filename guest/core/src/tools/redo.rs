//! `redo`: takes back an `undo`.

use super::undo::one;
use crate::changes::Changes;
use crate::contract::history_types::{RedoArgs, RedoOutcome};
use crate::error::{Failure, Past};
use crate::history::{self, Entries, Paths, UNDO, take_back};
use crate::view::View;
use crate::volume::Volume;

/// Runs the operation.
pub fn run<V: Volume>(view: &View<V>, args: &RedoArgs) -> Result<(RedoOutcome, Changes<V>), Failure> {
    let namespace = view.namespace();
    history::require(namespace)?;
    let mut entries = Entries::new(namespace)?;
    let paths = Paths::new(namespace)?;
    let any = args.any_session();
    let entry = match &args.id {
        Some(id) => {
            let id = history::parse("id", id)?;
            let entry = entries.find(id)?.ok_or_else(|| Past::UnknownEntry(id.to_string()))?;
            if entry.newest.tool != UNDO {
                return Err(Past::NoUndo(id.to_string()).into());
            }
            entry
        }
        None => loop {
            let entry = entries.next()?.ok_or(Past::NothingToRedo { any })?;
            if entry.newest.tool == UNDO && (any || view.is_own(&entry.newest)) && entries.any_stands(&entry)
            {
                break entry;
            }
        },
    };
    let chosen = one(view, &entries, &paths, &entry, any)?;
    let taken = take_back(view, &entries, chosen.records, args.diff())?;
    let outcome = RedoOutcome {
        redone: chosen.entries,
        paths: taken.paths,
        undo_id: None,
        diff: taken.diff,
        notes: taken.notes,
    };
    Ok((outcome, taken.changes))
}
