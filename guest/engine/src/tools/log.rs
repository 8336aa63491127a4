//! `log`: the changes, newest first.

use crate::history::{
    self, Entries, Entry, EntryDiffs, LaterMoves, inverse, is_below, summary_of_record, time,
};
use crate::view::View;
use fsgate_contract::history_types::{LogArgs, LogEntry, LogOutcome};
use fsgate_contract::id::Id;
use fsgate_contract::limits::{DIFF_BYTES, HISTORY_LISTED, HISTORY_LOOK, HISTORY_PATHS};
use fsgate_contract::types::Left;
use fsgate_error::{Failure, Reason};
use fsgate_journal::record::Action;
use fsgate_volume::Volume;

/// Runs the operation.
pub fn run<V: Volume>(view: &View<V>, args: &LogArgs) -> Result<LogOutcome, Failure> {
    let namespace = view.namespace();
    history::require(namespace)?;
    let below = args.path.as_deref().map(|path| view.resolved(path)).transpose()?;
    let from = args.cursor.as_deref().map(cursor).transpose()?;
    let until = view.now() + HISTORY_LOOK;
    let mut entries = Entries::new(view)?;
    let drawer = args.diff().then(|| EntryDiffs::new(view, until));
    let mut shown = Showing { view, below, drawer, later: LaterMoves::default() };
    let (mut drawn, mut listed, mut next_cursor, mut last) = (0, Vec::<LogEntry>::new(), None, None);
    while let Some(entry) = entries.next()? {
        shown.later.add(&entries, &entry)?;
        if from.is_some_and(|from| entry.id >= from) {
            shown.pass(&entries, &entry)?;
            continue;
        }
        let is_full = listed.len() >= args.max_items() as usize || drawn >= DIFF_BYTES || view.now() >= until;
        if let Some(last) = last.filter(|_| is_full) {
            next_cursor = Some(after(last));
            break;
        }
        last = Some(entry.id);
        let is_meant = args.any_session() || view.is_own(&entry.newest);
        let line = match is_meant {
            true if !entry.is_hidden => shown.entry(&entries, &entry)?,
            true if shown.below.is_none() => {
                shown.pass(&entries, &entry)?;
                Some(hidden(&entry))
            }
            _ => None,
        };
        match line {
            Some(entry) => {
                drawn += entry.diff.as_ref().map_or(0, String::len);
                listed.push(entry);
            }
            None => shown.pass(&entries, &entry)?,
        }
    }
    let conflicts = match from {
        None => entries.conflicts(HISTORY_PATHS)?,
        Some(_) => Vec::new(),
    };
    let conflicts =
        conflicts.iter().take(HISTORY_LISTED).map(|record| summary_of_record(entries.paths(), record));
    Ok(LogOutcome {
        entries: listed,
        left: next_cursor.as_ref().map(|_| Left { count: 1, exact: false }),
        next_cursor,
        conflicts: conflicts.filter(|conflict| !conflict.paths.is_empty()).collect(),
        notes: shown.drawer.map(EntryDiffs::notes).unwrap_or_default(),
    })
}

fn after(entry: Id) -> String {
    format!("before:{entry}")
}

fn cursor(text: &str) -> Result<Id, Failure> {
    let id = text.strip_prefix("before:").and_then(|id| id.parse().ok());
    id.ok_or_else(|| Reason::InvalidCursor.into())
}

fn hidden(entry: &Entry) -> LogEntry {
    let (undo_id, time) = (entry.id.to_string(), time(entry.id));
    LogEntry { undo_id, time, hidden: Some(true), ..LogEntry::default() }
}

struct Showing<'a, V: Volume> {
    view: &'a View<'a, V>,
    below: Option<String>,
    drawer: Option<EntryDiffs<'a, V>>,
    later: LaterMoves,
}

impl<V: Volume> Showing<'_, V> {
    fn entry(&mut self, entries: &Entries<V>, entry: &Entry) -> Result<Option<LogEntry>, Failure> {
        let (mut first, mut bytes, mut wanted, mut undoes) = (Vec::<String>::new(), 0, false, None);
        let (mut absent, mut is_closed, paths) = (0, false, entries.paths());
        for address in entry.records.iter().rev() {
            let Some(stored) = entries.stored(*address)? else { continue };
            if paths.is_absent(&stored.record) {
                absent += 1;
                continue;
            }
            let is_below = |path: &str| self.below.as_deref().is_none_or(|below| is_below(path, below));
            wanted |= paths.is_about(&stored.record, is_below);
            for path in paths.of(&stored.record) {
                if first.len() < HISTORY_PATHS && !first.contains(&path) {
                    first.push(path);
                }
            }
            is_closed = is_closed
                || entry.records.len() == 1
                    && inverse::is_closed(self.view, (entries, &self.later), &stored, *address)?;
            // The kept bytes reveal the size.
            let is_open = |at| self.later.is_open(entries, &stored.record, at);
            if stored.record.action.locations().into_iter().all(is_open) {
                bytes += entries.bytes(*address, &stored)?;
            }
            undoes = stored.record.undoes.or(undoes);
        }
        let label = match &entry.newest.action {
            Action::Checkpoint { label, .. } => Some(label.clone()),
            _ => None,
        };
        if !wanted && (label.is_none() || self.below.is_some()) {
            return Ok(None);
        }
        // A tag lets a caller verify a guess of the content.
        let (etag_before, etag) = match (&entry.newest.action, entry.records.len()) {
            _ if is_closed => (None, None),
            (Action::Splice(splice), 1) => (splice.etag_before.clone(), splice.etag.clone()),
            (Action::Create(create), 1) => (None, create.etag.clone()),
            _ => (None, None),
        };
        let undone = label.is_none() && !entries.any_in_effect(entry);
        let diff = if undone {
            self.pass(entries, entry)?;
            None
        } else {
            self.diff(entries, entry)?
        };
        Ok(Some(LogEntry {
            undo_id: entry.id.to_string(),
            time: time(entry.id),
            tool: entry.newest.tool.clone(),
            own: self.view.is_own(&entry.newest),
            paths: first,
            changes: super::count((entry.records.len() - absent) as u64).unwrap_or(u32::MAX),
            bytes,
            label,
            undone,
            undoes: undoes.map(|undoes| entries.entry_of(undoes)).transpose()?.map(|id| id.to_string()),
            etag_before,
            etag,
            diff,
            hidden: None,
        }))
    }

    fn diff(&mut self, entries: &Entries<V>, entry: &Entry) -> Result<Option<String>, Failure> {
        let (Some(drawer), below) = (&mut self.drawer, self.below.as_deref()) else { return Ok(None) };
        drawer.draw((entries, &self.later), entry, |path| below.is_none_or(|below| is_below(path, below)))
    }

    /// Accounts for an unlisted entry in later diffs.
    fn pass(&mut self, entries: &Entries<V>, entry: &Entry) -> Result<(), Failure> {
        self.drawer.as_mut().map_or(Ok(()), |drawer| drawer.pass((entries, &self.later), entry))
    }
}
