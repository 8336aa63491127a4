//! `undo`: the last change, a certain one, or everything after a place in the history.

use std::collections::BTreeSet;

use crate::changes::{Change, Planned};
use crate::history::{
    self, Chosen, Entries, Entry, MissingPart, NetEffect, REDO, RESTORE, UNDO, UndoChanges, summary,
    undo_records,
};
use crate::view::View;
use fsgate_contract::history_types::{UndoArgs, UndoOutcome};
use fsgate_contract::id::{Id, IdRange};
use fsgate_contract::limits::HISTORY_LISTED;
use fsgate_error::{Failure, HistoryProblem};
use fsgate_journal::record::{Action, Kept, Remove};
use fsgate_volume::Volume;

/// Runs the operation.
pub fn run<V: Volume>(view: &View<V>, args: &UndoArgs) -> Planned<V, UndoOutcome> {
    let namespace = view.namespace();
    history::require(namespace)?;
    let mut entries = Entries::new(view)?;
    let any = args.any_session();
    let chosen = match (&args.id, &args.to) {
        (Some(_), Some(_)) => return Err(HistoryProblem::IdAndTo.into()),
        (Some(ids), None) if ids.is_empty() => return Err(HistoryProblem::NoId("id").into()),
        (Some(ids), None) => {
            let ids = ids.iter().map(|id| history::entry_id(view, "id", id));
            let ids: BTreeSet<Id> = ids.collect::<Result<_, _>>()?;
            match ids.first().filter(|_| ids.len() == 1) {
                Some(id) => return of_id(view, entries, *id, args),
                None => of_ids(view, &mut entries, &ids, any)?,
            }
        }
        (None, None) => {
            let is_last = |entries: &Entries<V>, entry: &Entry| {
                Ok(is_meant(view, entry, any)
                    && ![UNDO, REDO].contains(&entry.newest.tool.as_str())
                    && !is_checkpoint(entry)
                    && entries.any_in_effect(entry)
                    && !is_lost(entries, entry)?)
            };
            let calls = entries.until(is_last)?.ok_or(HistoryProblem::NothingToUndo { any })?;
            last_of(view, &entries, &calls, any)?
        }
        (None, Some(to)) => back_to(view, &mut entries, to, any)?,
    };
    let taken = undo_records(view, &entries, &chosen, args.diff())?;
    Ok(undone(chosen, taken))
}

fn undone<V: Volume>(chosen: Chosen, taken: UndoChanges<V>) -> (UndoOutcome, Vec<Change<V>>) {
    let outcome = UndoOutcome {
        undone: chosen.entries,
        paths: taken.paths,
        names: taken.names,
        etag: taken.etag,
        diff: taken.diff,
        notes: taken.notes,
        ..UndoOutcome::default()
    };
    (outcome, taken.changes)
}

/// Undoes one entry, unless `restore` has undone the rest of it.
fn of_id<V: Volume>(
    view: &View<V>,
    mut entries: Entries<V>,
    id: Id,
    args: &UndoArgs,
) -> Planned<V, UndoOutcome> {
    let calls = entries.until_id(id)?;
    let chosen = last_of(view, &entries, &calls, args.any_session())?;
    match undo_records(view, &entries, &chosen, args.diff()) {
        Ok(taken) => Ok(undone(chosen, taken)),
        Err(conflict) if conflict.is_undo_conflict() => {
            let restored = restored(&entries, &calls)?;
            let is_restored = chosen.left.iter().all(|left| restored.contains(&left.record.1));
            Err(if is_restored { HistoryProblem::UndoneAlready(id.to_string()).into() } else { conflict })
        }
        Err(failure) => Err(failure),
    }
}

/// The records that several entries leave.
fn of_ids<V: Volume>(
    view: &View<V>,
    entries: &mut Entries<V>,
    ids: &BTreeSet<Id>,
    any_session: bool,
) -> Result<Chosen, Failure> {
    let mut missing = ids.clone();
    let calls = entries.until(|_, entry| {
        missing.retain(|id| !entry.is(*id));
        Ok(missing.last().is_none_or(|id| entry.id < *id))
    })?;
    if let Some(id) = missing.last() {
        return Err(entries.no_entry(*id)?);
    }
    let calls = calls.unwrap_or_default();
    let is_meant = |call: usize| ids.iter().any(|id| calls[call].is(*id));
    for (number, entry) in calls.iter().enumerate().filter(|(number, _)| is_meant(*number)) {
        require_undoable(view, entries, entry, any_session)?;
        if !entries.any_in_effect(&calls[number]) {
            return Err(HistoryProblem::UndoneAlready(entry.id.to_string()).into());
        }
    }
    chosen(entries, &calls, is_meant, any_session)
}

/// The net effect of some entries.
fn chosen<V: Volume>(
    entries: &Entries<V>,
    calls: &[Entry],
    is_meant: impl Fn(usize) -> bool,
    any_session: bool,
) -> Result<Chosen, Failure> {
    let left = NetEffect::of(entries, calls, is_meant)?.all();
    if left.is_empty() {
        return Err(HistoryProblem::NothingToUndo { any: any_session }.into());
    }
    let undone: BTreeSet<usize> = left.iter().map(|left| left.call).collect();
    let mut chosen = Chosen { left, entries: Vec::new() };
    for call in undone {
        entries.require_all(&calls[call])?;
        if chosen.entries.len() < HISTORY_LISTED {
            chosen.entries.push(summary(entries, &calls[call])?);
        }
    }
    Ok(chosen)
}

/// The records that `restore` calls in some entries have undone.
fn restored<V: Volume>(entries: &Entries<V>, calls: &[Entry]) -> Result<BTreeSet<Id>, Failure> {
    let mut restored = BTreeSet::new();
    for call in calls.iter().filter(|call| call.newest.tool == RESTORE && entries.any_in_effect(call)) {
        for address in &call.records {
            restored.extend(entries.record(*address)?.and_then(|record| record.undoes));
        }
    }
    Ok(restored)
}

/// True for an entry without all of its content: it does not block older entries.
fn is_lost<V: Volume>(entries: &Entries<V>, entry: &Entry) -> Result<bool, Failure> {
    if entries.lacks(entry)? == Some(MissingPart::Forgotten) {
        return Ok(true);
    }
    entries
        .any_record(entry, |record| matches!(record.action, Action::Remove(Remove { kept: Kept::Not, .. })))
}

/// The remaining part of the last of some entries, which are all from the newest on.
pub(super) fn last_of<V: Volume>(
    view: &View<V>,
    entries: &Entries<V>,
    calls: &[Entry],
    any_session: bool,
) -> Result<Chosen, Failure> {
    let Some(entry) = calls.last() else { return Ok(Chosen::default()) };
    require_undoable(view, entries, entry, any_session)?;
    let left = if entries.any_in_effect(entry) { entries.standing(calls)? } else { Vec::new() };
    if left.is_empty() {
        return Err(HistoryProblem::UndoneAlready(entry.id.to_string()).into());
    }
    Ok(Chosen { left, entries: vec![summary(entries, entry)?] })
}

/// Refuses an entry that the session may not undo, or whose content is incomplete.
fn require_undoable<V: Volume>(
    view: &View<V>,
    entries: &Entries<V>,
    entry: &Entry,
    any_session: bool,
) -> Result<(), Failure> {
    let id = || entry.id.to_string();
    if !any_session && !view.is_own(&entry.newest) {
        return Err(HistoryProblem::OtherSession(id()).into());
    }
    if entry.is_hidden {
        return Err(HistoryProblem::HiddenEntry(id()).into());
    }
    entries.require_all(entry)?;
    if is_checkpoint(entry) { Err(HistoryProblem::ChangesNothing(id()).into()) } else { Ok(()) }
}

/// True for an entry that a call without an id means.
pub(super) fn is_meant<V: Volume>(view: &View<V>, entry: &Entry, any_session: bool) -> bool {
    view.is_own(&entry.newest) || any_session && !entry.is_hidden
}

fn back_to<'a, V: Volume>(
    view: &View<'a, V>,
    entries: &mut Entries<'a, V>,
    to: &str,
    any_session: bool,
) -> Result<Chosen, Failure> {
    let is_ours = |entry: &Entry| is_meant(view, entry, any_session);
    let found = |entries: &mut Entries<'a, V>, id: Option<Id>| {
        entries.until(|_, entry| {
            let is_label = match &entry.newest.action {
                Action::Checkpoint { label, .. } => label == to && is_ours(entry),
                _ => false,
            };
            Ok(is_label || id.is_some_and(|id| entry.is(id)))
        })
    };
    let mut id: Option<Id> = to.parse().ok();
    let mut calls = found(entries, id)?;
    // A label precedes the beginning of an id.
    if calls.is_none() && id.is_none() && to.parse::<IdRange>().is_ok() {
        id = Some(history::entry_id(view, "to", to)?);
        *entries = Entries::new(view)?;
        calls = found(entries, id)?;
    }
    let Some(mut calls) = calls else {
        let left_aside = id.map(|id| entries.left_aside(id)).transpose()?.flatten();
        return Err(left_aside.unwrap_or_else(|| HistoryProblem::UnknownPlace(to.to_owned()).into()));
    };
    calls.pop();
    let is_meant = |call: usize| is_ours(&calls[call]) && !is_checkpoint(&calls[call]);
    chosen(entries, &calls, is_meant, any_session)
}

fn is_checkpoint(entry: &Entry) -> bool {
    matches!(entry.newest.action, Action::Checkpoint { .. })
}
