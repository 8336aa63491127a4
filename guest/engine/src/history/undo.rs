//! The changes that undo chosen records, and their outcome.

use std::collections::{BTreeMap, BTreeSet};

use super::entries::{Address, Entries};
use super::inverse;
use super::net_effect::RemainingRecord;
use super::paths::{Paths, near};
use crate::changes::Change;
use crate::notes;
use crate::view::View;
use fsgate_contract::history_types::LogSummary;
use fsgate_contract::limits::HISTORY_LISTED;
use fsgate_contract::types::Note;
use fsgate_error::{Failure, HistoryProblem, NamedEntry, Reason};
use fsgate_journal::Stored;
use fsgate_journal::record::{Action, Location, Move, Object};
use fsgate_volume::Volume;

#[derive(Default)]
pub(crate) struct Chosen {
    /// The remaining records, the newest first.
    pub(crate) left: Vec<RemainingRecord>,
    /// The entries, the newest first.
    pub(crate) entries: Vec<LogSummary>,
}

impl Chosen {
    fn entry(&self, call: usize) -> Option<&LogSummary> {
        let calls: BTreeSet<_> = self.left.iter().map(|left| left.call).collect();
        match &self.entries[..] {
            // A later call may have restored a part of it under another number.
            [only] => Some(only),
            all => all.get(calls.into_iter().position(|one| one == call)?),
        }
    }

    fn named(&self, call: usize) -> Option<NamedEntry> {
        let LogSummary { undo_id, tool, time, .. } = self.entry(call)?;
        Some(NamedEntry { id: undo_id.clone(), tool: tool.clone(), time: time.clone() })
    }
}

pub(crate) struct UndoChanges<V: Volume> {
    pub(crate) changes: Vec<Change<V>>,
    pub(crate) paths: Vec<String>,
    /// Number of names that are changed.
    pub(crate) names: u64,
    /// The new tag, if the content of one file comes back.
    pub(crate) etag: Option<String>,
    pub(crate) diff: Option<String>,
    pub(crate) notes: Vec<Note>,
}

/// Changes that undo a record although another program has changed its file, with their diff.
pub(crate) struct Forced<V: Volume> {
    pub(crate) changes: Vec<Change<V>>,
    pub(crate) diff: Option<String>,
}

/// The changes that undo records, the newest first. A file may exist only after later records are
/// undone; then it is checked at that time.
pub(crate) fn undo_records<V: Volume>(
    view: &View<V>,
    entries: &Entries<V>,
    chosen: &Chosen,
    with_diff: bool,
) -> Result<UndoChanges<V>, Failure> {
    undo_records_or(view, entries, chosen, with_diff, |_, _, _| Ok(None))
}

/// The same. In a conflict, `force` may give other changes for the record.
pub(crate) fn undo_records_or<V: Volume>(
    view: &View<V>,
    entries: &Entries<V>,
    chosen: &Chosen,
    with_diff: bool,
    force: impl Fn(Address, &Stored<V>, &mut Vec<Note>) -> Result<Option<Forced<V>>, Failure>,
) -> Result<UndoChanges<V>, Failure> {
    let left = &chosen.left;
    let (namespace, paths) = (view.namespace(), entries.paths());
    let (mut changes, mut touched) = (Vec::new(), BTreeMap::new());
    let mut etag = None;
    let (mut diffs, mut all_notes, mut unchecked) = (Vec::new(), Vec::new(), 0_u64);
    // First, because a comparison with a file reveals something of a record's content.
    for RemainingRecord { record, trash_entry, call } in left {
        if let Some(stored) = entries.record(*record)? {
            let shown = entries.require_shown(*record, *trash_entry, &stored);
            shown.map_err(|failure| failure.of_entry(|| chosen.named(*call)))?;
        }
    }
    for RemainingRecord { record: address, trash_entry, call } in left {
        let of_entry = |failure: Failure| failure.of_entry(|| chosen.named(*call));
        let gone = || HistoryProblem::UnknownEntry(address.1.to_string());
        let stored = entries.stored(*address)?.ok_or_else(gone)?;
        entries.require_whole(&stored.record).map_err(of_entry)?;
        // The refusal names no path outside the grants.
        if paths.is_outside(&stored.record) {
            let path = chosen.entry(*call).and_then(|entry| entry.paths.first().cloned());
            let reason = Reason::NotGranted(namespace.grant_names());
            return Err(of_entry(Failure { reason, path }));
        }
        let about = paths.touched(&stored.record);
        let is_first = changes.is_empty();
        let mut is_forced = false;
        let is_touched = about.iter().any(|path| near(&touched, path).next().is_some());
        if is_touched {
            unchecked += 1;
        } else {
            match inverse::of(namespace, *address, *trash_entry) {
                Ok(inverse) => {
                    if left.len() == 1 {
                        etag = inverse::old_tag(view, &stored, *address)?;
                    }
                    if with_diff {
                        diffs.extend(inverse::diff(view, &stored, *address, &mut all_notes)?);
                    }
                    if is_first {
                        let entry = chosen.named(*call);
                        changes.extend(inverse.into_iter().map(|change| change.of_entry(entry.clone())));
                    }
                }
                Err(failure) => {
                    let is_conflict = failure.is_undo_conflict();
                    let forced =
                        if is_conflict { force(*address, &stored, &mut all_notes) } else { Ok(None) };
                    let Some(forced) = forced.map_err(of_entry)? else { return Err(of_entry(failure)) };
                    let entry = chosen.named(*call);
                    changes.extend(forced.changes.into_iter().map(|change| change.of_entry(entry.clone())));
                    diffs.extend(forced.diff);
                    is_forced = true;
                }
            }
        }
        if is_touched || !is_first && !is_forced {
            let later = later(paths, *address, *trash_entry, &stored.record.action);
            changes.push(later.of_entry(chosen.named(*call)));
        }
        // Each name counts once: a move has two paths, and some directories are made on the way.
        let mut names = Some(stored.record.action.names());
        for path in about {
            let counted: &mut u64 = touched.entry(path).or_default();
            *counted = names.take().unwrap_or_default().max(*counted);
        }
    }
    if with_diff && unchecked > 0 {
        all_notes.push(notes::diff_of_first());
    }
    let names = touched.values().sum();
    let paths = touched.into_keys().take(HISTORY_LISTED).collect();
    let diff = (!diffs.is_empty()).then(|| diffs.concat());
    Ok(UndoChanges { changes, paths, names, etag, diff, notes: all_notes })
}

/// The change that undoes a record at its turn, with everything that [`inverse::of`] needs later.
fn later<V: Volume>(
    paths: &Paths<V>,
    (state, record): Address,
    trash_entry: Option<Address>,
    action: &Action,
) -> Change<V> {
    let of_file = |at: &Location, object: Object| if object.is_directory() { None } else { paths.path(at) };
    let (file, keeps) = match action {
        Action::Splice(splice) => (paths.path(&splice.at), splice.old.saturating_add(splice.new)),
        Action::Create(create) => (of_file(&create.at, create.object), create.object.bytes()),
        Action::Remove(remove) => (of_file(&remove.at, remove.object), 0),
        Action::Move(moved) => (of_file(&moved.from, moved.object), 0),
        Action::Group { .. } | Action::Checkpoint { .. } | Action::Remark => (None, 0),
    };
    let about = match action {
        // A return to its old name is recorded there.
        Action::Move(Move { from, made: 0, replaced: None, .. }) => vec![from],
        action => action.locations(),
    };
    let into = about.into_iter().filter_map(|at| paths.state(at)).collect();
    Change::ThenUndo { state, record, trash_entry, file, keeps, into, entry: None }
}
