//! `undo`: the last change, a certain one, or everything after a place in the history.

use std::collections::BTreeSet;

use crate::changes::Changes;
use crate::contract::history_types::{UndoArgs, UndoOutcome};
use crate::error::{Failure, Past};
use crate::history::{self, Chosen, Entries, Entry, Lack, Paths, REDO, UNDO, Whole, summary, take_back};
use crate::journal::Id;
use crate::journal::record::{Action, Kept, Record, Remove};
use crate::limits::HISTORY_LISTED;
use crate::view::View;
use crate::volume::Volume;

/// Runs the operation.
pub fn run<V: Volume>(view: &View<V>, args: &UndoArgs) -> Result<(UndoOutcome, Changes<V>), Failure> {
    let namespace = view.namespace();
    history::require(namespace)?;
    let mut entries = Entries::new(namespace)?;
    let paths = Paths::new(namespace)?;
    let any = args.any_session();
    let chosen = match (&args.id, &args.to) {
        (Some(_), Some(_)) => return Err(Past::IdAndTo.into()),
        (Some(id), None) => {
            let id = history::parse("id", id)?;
            let entry = entries.find(id)?.ok_or_else(|| Past::UnknownEntry(id.to_string()))?;
            one(view, &entries, &paths, &entry, any)?
        }
        (None, None) => {
            let is_last = |entries: &Entries<V>, entry: &Entry| {
                (any || view.is_own(&entry.newest))
                    && ![UNDO, REDO].contains(&entry.newest.tool.as_str())
                    && !matches!(entry.newest.action, Action::Checkpoint { .. })
                    && entries.any_stands(entry)
            };
            let mut whole = Whole::new(namespace, &paths);
            loop {
                let entry = entries.next()?.ok_or(Past::NothingToUndo { any })?;
                if is_last(&entries, &entry) && !is_lost(&entries, &mut whole, &entry)? {
                    break one(view, &entries, &paths, &entry, any)?;
                }
            }
        }
        (None, Some(to)) => back_to(view, &mut entries, &paths, to, any)?,
    };
    let taken = take_back(view, &entries, chosen.records, args.diff())?;
    let outcome = UndoOutcome {
        undone: chosen.entries,
        paths: taken.paths,
        undo_id: None,
        diff: taken.diff,
        notes: taken.notes,
    };
    Ok((outcome, taken.changes))
}

/// True for an entry of which something was not kept: it is in the way of nothing that was done before.
fn is_lost<V: Volume>(entries: &Entries<V>, whole: &mut Whole<V>, entry: &Entry) -> Result<bool, Failure> {
    if whole.lacks(entry)? == Some(Lack::Forgotten) {
        return Ok(true);
    }
    for address in &entry.records {
        let record = entries.record(*address)?;
        if matches!(record, Some(Record { action: Action::Remove(Remove { kept: Kept::Not, .. }), .. })) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// What stands of one entry.
pub(super) fn one<V: Volume>(
    view: &View<V>,
    entries: &Entries<V>,
    paths: &Paths<V>,
    entry: &Entry,
    any_session: bool,
) -> Result<Chosen, Failure> {
    let id = || entry.id.to_string();
    if !any_session && !view.is_own(&entry.newest) {
        return Err(Past::OtherSession(id()).into());
    }
    Whole::new(view.namespace(), paths).require_entry(entry)?;
    let records: Vec<_> = entry.records.iter().flat_map(|address| entries.heads(*address)).collect();
    if records.is_empty() {
        return Err(Past::UndoneAlready(id()).into());
    }
    if matches!(entry.newest.action, Action::Checkpoint { .. }) {
        return Err(Past::ChangesNothing(id()).into());
    }
    Ok(Chosen { records, entries: vec![summary(entries, paths, entry)?] })
}

/// Everything that stands and came after a place in the history.
fn back_to<V: Volume>(
    view: &View<V>,
    entries: &mut Entries<V>,
    paths: &Paths<V>,
    to: &str,
    any_session: bool,
) -> Result<Chosen, Failure> {
    let id: Option<Id> = to.parse().ok();
    let mut after = Vec::new();
    loop {
        let Some(entry) = entries.next()? else { return Err(Past::UnknownPlace(to.to_owned()).into()) };
        let is_it = match (&entry.newest.action, id) {
            (_, Some(id)) if entry.id == id || entry.records.iter().any(|(_, record)| *record == id) => true,
            (Action::Checkpoint { label, .. }, _) => {
                label == to && (any_session || view.is_own(&entry.newest))
            }
            _ => false,
        };
        if is_it {
            break;
        }
        if any_session || view.is_own(&entry.newest) {
            after.push(entry);
        }
    }
    let meant: BTreeSet<Id> = after.iter().flat_map(|entry| &entry.records).map(|(_, id)| *id).collect();
    let mut chosen = Chosen::default();
    let mut whole = Whole::new(view.namespace(), paths);
    for entry in &after {
        let before = chosen.records.len();
        for address in &entry.records {
            // What takes back something that is taken back as well goes with that.
            let undoes = entries.undoes(entry, *address)?;
            if undoes.is_none_or(|undoes| !meant.contains(&undoes)) && !is_checkpoint(entry) {
                chosen.records.extend(entries.heads(*address));
            }
        }
        if chosen.records.len() == before {
            continue;
        }
        whole.require_entry(entry)?;
        if chosen.entries.len() < HISTORY_LISTED {
            chosen.entries.push(summary(entries, paths, entry)?);
        }
    }
    if chosen.records.is_empty() {
        return Err(Past::NothingToUndo { any: any_session }.into());
    }
    Ok(chosen)
}

fn is_checkpoint(entry: &Entry) -> bool {
    matches!(entry.newest.action, Action::Checkpoint { .. })
}
