//! `restore`: what a path was before an entry of the history.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::changes::{Change, Keep, New, Old, Planned, Tags};
use crate::edit::diff::{self, ChangedBytes};
use crate::edit::splice::trim_common;
use crate::file::encoding::shown;
use crate::history::{
    self, Address, Chosen, Entries, Entry, Forced, LaterMoves, NetEffect, is_below, summary, undo_records,
    undo_records_or,
};
use crate::notes;
use crate::resolve::{LastLink, Target, resolve};
use crate::tools::undo::{is_meant, last_of};
use crate::view::View;
use fsgate_contract::history_types::{RestoreArgs, RestoreOutcome};
use fsgate_contract::limits::{PLACED_BYTES, SPAN_BYTES, STRONG_TAG_BYTES};
use fsgate_contract::types::Note;
use fsgate_error::{Conflict, Failure, HistoryProblem, Reason};
use fsgate_journal::record::{Action, Move, Splice};
use fsgate_journal::{Check, Stored};
use fsgate_policy::CONTENT_HEAD;
use fsgate_text::revert::{Window, taken_back};
use fsgate_volume::{Fault, Kind, Volume};

/// The prefix of an id in `backup`.
const PREFIX: &str = "history:";

/// Runs the operation.
pub fn run<V: Volume>(view: &View<V>, args: &RestoreArgs) -> Planned<V, RestoreOutcome> {
    let (mut outcome, changes) = planned(view, args)?;
    if changes.iter().any(is_new_file) {
        outcome.notes.push(notes::made_anew());
    }
    Ok((outcome, changes))
}

/// Records have content without permissions.
fn is_new_file<V: Volume>(change: &Change<V>) -> bool {
    match change {
        Change::Create { like, .. } => like.is_none(),
        Change::Undo { change, .. } => is_new_file(change),
        _ => false,
    }
}

fn planned<V: Volume>(view: &View<V>, args: &RestoreArgs) -> Planned<V, RestoreOutcome> {
    let namespace = view.namespace();
    history::require(namespace)?;
    let id = history::entry_id(view, "id", args.id.strip_prefix(PREFIX).unwrap_or(&args.id))?;
    let mut entries = Entries::new(view)?;
    if let Some(aside) = entries.set_aside(id)? {
        let mut later = LaterMoves::default();
        while let Some(entry) = entries.next()?.filter(|entry| entry.newest.id > id) {
            later.add(&entries, &entry)?;
        }
        return of_set_aside(view, args, (&entries, &later), aside);
    }
    let calls = entries.until_id(id)?;
    let mut later = LaterMoves::default();
    calls.iter().try_for_each(|entry| later.add(&entries, entry))?;
    let Some(entry) = calls.last() else { return Err(HistoryProblem::UnknownEntry(id.to_string()).into()) };
    if !args.any_session() && !view.is_own(&entry.newest) {
        return Err(HistoryProblem::OtherSession(entry.id.to_string()).into());
    }
    if entry.is_hidden {
        return Err(HistoryProblem::HiddenEntry(entry.id.to_string()).into());
    }
    let path = match &args.path {
        Some(path) => view.resolved(path)?,
        None if args.force() => return by_force(view, args, (&entries, &later), &calls),
        None => only_path(&entries, entry)?,
    };
    let (address, stored) = record(&entries, entry, &path)?;
    entries.require_shown(address, None, &stored.record)?;
    later.require_open(&entries, &stored.record, &path)?;
    let restoring = Restoring { view, entries: &entries, path: &path, address, is_entry: true };
    let mut outcome = RestoreOutcome { path: path.clone(), ..RestoreOutcome::default() };
    let forced = match &stored.record.action {
        _ if args.force() => restoring.forced(&stored, args.diff(), &mut outcome.notes)?,
        Action::Splice(splice) if splice.is_whole() => {
            Some(restoring.whole(splice, &stored, args.diff(), &mut outcome.notes)?)
        }
        _ => None,
    };
    if let Some(Forced { changes, diff }) = forced {
        outcome.diff = diff;
        return Ok((outcome, changes));
    }
    // Complete content is restored as it is; everything else undoes a part of the entry.
    entries.require_all(entry)?;
    // A directory comes back with the contents that the same entry removed.
    let is_inside = |about: &str| about != path && is_below(about, &path);
    let with_inside = entries.any_record(entry, |record| entries.paths().is_about(record, is_inside))?;
    if !with_inside && let Some(changes) = restoring.kept_in_trash(&stored)? {
        return Ok((outcome, changes));
    }
    let is_wanted = |about: &str| about == path || with_inside && is_inside(about);
    let chosen = since(view, &entries, &calls, &path, is_wanted, args.any_session())?;
    let taken = undo_records(view, &entries, &chosen, args.diff())?;
    outcome.undone = chosen.entries;
    outcome.diff = taken.diff;
    outcome.notes = taken.notes;
    Ok((outcome, taken.changes))
}

/// Undoes the last of some entries, even if its files have changed since.
fn by_force<'n, V: Volume>(
    view: &View<'n, V>,
    args: &RestoreArgs,
    (entries, later): (&Entries<'n, V>, &LaterMoves),
    calls: &[Entry],
) -> Planned<V, RestoreOutcome> {
    let chosen = last_of(view, entries, calls, args.any_session())?;
    let taken = undo_records_or(view, entries, &chosen, args.diff(), |address, stored, notes| {
        let [path] = &entries.paths().of(&stored.record)[..] else { return Ok(None) };
        // A link on the path leads to another file.
        if view.resolved(path).is_ok_and(|resolved| resolved != *path) {
            return Ok(None);
        }
        later.require_open(entries, &stored.record, path)?;
        let restoring = Restoring { view, entries, path, address, is_entry: true };
        if let Action::Remove(_) = &stored.record.action {
            let changes = restoring.kept_in_trash(stored)?;
            return Ok(changes.map(|changes| Forced { changes, diff: None }));
        }
        restoring.forced(stored, args.diff(), notes)
    })?;
    let mut outcome = RestoreOutcome {
        path: taken.paths.into_iter().next().unwrap_or_default(),
        ..RestoreOutcome::default()
    };
    outcome.undone = chosen.entries;
    outcome.diff = taken.diff;
    outcome.notes = taken.notes;
    Ok((outcome, taken.changes))
}

/// Restores the content before an interrupted change, which is no entry, completely or not at all.
fn of_set_aside<'n, V: Volume>(
    view: &View<'n, V>,
    args: &RestoreArgs,
    (entries, later): (&Entries<'n, V>, &LaterMoves),
    (address, stored): (Address, Stored<V>),
) -> Planned<V, RestoreOutcome> {
    let record = &stored.record;
    if !args.any_session() && !view.is_own(record) {
        return Err(HistoryProblem::OtherSession(record.id.to_string()).into());
    }
    let path = match (&args.path, &entries.paths().of(record)[..]) {
        (Some(path), _) => view.resolved(path)?,
        (None, [path]) => path.clone(),
        (None, paths) => return Err(HistoryProblem::NeedsPath(paths.to_vec()).into()),
    };
    if !entries.paths().is_about(record, |about| about == path) {
        return Err(HistoryProblem::NotInEntry.at(path));
    }
    entries.require_shown(address, None, record)?;
    later.require_open(entries, record, &path)?;
    let restoring = Restoring { view, entries, path: &path, address, is_entry: false };
    let mut outcome = RestoreOutcome { path: path.clone(), ..RestoreOutcome::default() };
    let changes = match &record.action {
        Action::Splice(splice) => {
            let old = restoring.old(splice)?;
            let diff = if args.diff() { restoring.drawn(&old, &mut outcome.notes)? } else { None };
            let changes = restoring.put(splice.size, Some(fsgate_volume::etag::of(&old)), New::Bytes(old))?;
            outcome.diff = diff.filter(|_| !changes.is_empty());
            changes
        }
        _ => restoring.kept_in_trash(&stored)?.ok_or_else(|| restoring.conflict(Conflict::Part))?,
    };
    Ok((outcome, changes))
}

/// The only path of an entry.
fn only_path<V: Volume>(entries: &Entries<V>, entry: &Entry) -> Result<String, Failure> {
    let mut found: Vec<String> = Vec::new();
    for address in &entry.records {
        let record = entries.record(*address)?;
        for path in record.map(|record| entries.paths().of(&record)).unwrap_or_default() {
            if !found.contains(&path) {
                found.push(path);
            }
        }
        if found.len() > 1 {
            return Err(HistoryProblem::NeedsPath(found).into());
        }
    }
    found.pop().ok_or_else(|| HistoryProblem::ChangesNothing(entry.id.to_string()).into())
}

/// The oldest record of an entry about a path.
fn record<V: Volume>(
    entries: &Entries<V>,
    entry: &Entry,
    path: &str,
) -> Result<(Address, Stored<V>), Failure> {
    for address in entry.records.iter().rev() {
        if let Some(stored) = entries.stored(*address)?
            && entries.paths().is_about(&stored.record, |about| about == path)
        {
            return Ok((*address, stored));
        }
    }
    Err(HistoryProblem::NotInEntry.at(path))
}

/// The standing changes of a path since the last of some entries, which are all from the newest on.
/// Without `any_session`, only those of this session.
fn since<V: Volume>(
    view: &View<V>,
    entries: &Entries<V>,
    calls: &[Entry],
    path: &str,
    is_wanted: impl Fn(&str) -> bool,
    any_session: bool,
) -> Result<Chosen, Failure> {
    let is_meant = |call: usize| is_meant(view, &calls[call], any_session);
    let mut chosen = Chosen::default();
    let mut undone = BTreeSet::new();
    for left in NetEffect::of(entries, calls, is_meant)?.all() {
        let record = entries.record(left.record)?;
        if record.is_some_and(|record| entries.paths().is_about(&record, &is_wanted)) {
            undone.insert(left.call);
            chosen.left.push(left);
        }
    }
    for call in undone {
        entries.require_all(&calls[call])?;
        chosen.entries.push(summary(entries, &calls[call])?);
    }
    match (chosen.left.is_empty(), calls.last()) {
        (true, Some(entry)) => Err(HistoryProblem::UndoneAlready(entry.id.to_string()).at(path)),
        _ => Ok(chosen),
    }
}

struct Restoring<'a, 'n, V: Volume> {
    view: &'a View<'n, V>,
    entries: &'a Entries<'n, V>,
    path: &'a str,
    address: Address,
    /// False for a change that was set aside.
    is_entry: bool,
}

impl<V: Volume> Restoring<'_, '_, V> {
    /// Restores from the trash. None if the trash has nothing of the record.
    fn kept_in_trash(&self, stored: &Stored<V>) -> Result<Option<Vec<Change<V>>>, Failure> {
        let (object, is_removal) = match &stored.record.action {
            Action::Remove(remove) => (remove.object, true),
            Action::Move(Move { to, replaced: Some(replaced), .. })
                if self.entries.paths().is_named(to, |path| path == self.path) =>
            {
                (replaced.object, false)
            }
            _ => return Ok(None),
        };
        let Some(from) = history::trash_entry(self.view.namespace(), self.address, None)? else {
            return Ok(None);
        };
        if !history::is_whole(self.view.namespace(), from, object)? {
            return Err(self.conflict(Conflict::Damaged));
        }
        let mut changes = self.make_way()?;
        let place = self.place_behind(changes.is_empty())?;
        let back = Change::Return { place, object, from };
        changes.push(match is_removal && self.is_entry {
            true => Change::undo(self.address.1, back),
            false => back,
        });
        Ok(Some(changes))
    }

    /// Undoes one record in a file changed since, and marks it. None for other records.
    fn forced(
        &self,
        stored: &Stored<V>,
        with_diff: bool,
        notes: &mut Vec<Note>,
    ) -> Result<Option<Forced<V>>, Failure> {
        let Some(Forced { mut changes, diff }) = self.without_record(stored, with_diff, notes)? else {
            return Ok(None);
        };
        if changes.is_empty() {
            changes.extend(self.unchanged()?);
        }
        let undo = |change| Change::undo(self.address.1, change);
        Ok(Some(Forced { changes: changes.into_iter().map(undo).collect(), diff }))
    }

    /// An empty change, so that the history can record what it undoes.
    fn unchanged(&self) -> Result<Option<Change<V>>, Failure> {
        let Target::Entry(place, stat) = resolve(self.view.namespace(), self.path, LastLink::Keep)? else {
            return Ok(None);
        };
        if stat.kind != Kind::File {
            return Ok(None);
        }
        self.view.require_writable(&place)?;
        let source = self.view.open_at(place, stat)?;
        let tag = Some(source.strong_tag()?);
        Ok(Some(Change::Splice {
            seen: source.stat(),
            offset: 0,
            old: Old::Bytes(Vec::new()),
            new: New::Bytes(Vec::new()),
            tags: Tags { before: tag.clone(), after: tag, whole: false },
            place: source.into_place(),
        }))
    }

    /// Plans to remove the effect of one record from a file.
    fn without_record(
        &self,
        stored: &Stored<V>,
        with_diff: bool,
        notes: &mut Vec<Note>,
    ) -> Result<Option<Forced<V>>, Failure> {
        match &stored.record.action {
            Action::Create(create) if !create.object.is_directory() => {
                Ok(Some(Forced { changes: self.make_way()?, diff: None }))
            }
            Action::Splice(splice) => {
                let content = self.without(splice, stored)?;
                let content = content.ok_or_else(|| self.conflict(Conflict::Overwritten))?;
                let diff = if with_diff { self.drawn(&content, notes)? } else { None };
                let etag = fsgate_volume::etag::of(&content);
                let changes = self.put(content.len() as u64, Some(etag), New::Bytes(content))?;
                Ok(Some(Forced { changes, diff }))
            }
            _ => Ok(None),
        }
    }

    /// The present content with the old bytes of a change for its new ones, if they are at one
    /// place.
    fn without(&self, splice: &Splice, stored: &Stored<V>) -> Result<Option<Vec<u8>>, Failure> {
        let source = match resolve(self.view.namespace(), self.path, LastLink::Keep)? {
            Target::Entry(place, stat) if stat.kind == Kind::File => self.view.open_at(place, stat)?,
            Target::Absent(_) => return Err(self.conflict(Conflict::Gone)),
            _ => return Err(self.conflict(Conflict::Other)),
        };
        let largest = source.size().max(splice.size).max(splice.size_after());
        if largest > PLACED_BYTES as u64 {
            return Err(Reason::PlacedTooLarge.at(self.path));
        }
        let volume = &self.view.namespace().state(self.address.0).volume;
        let part = |from: u64, length: u64| -> Result<Vec<u8>, Failure> {
            let bytes = stored.read(volume, from, length as usize).map_err(Reason::reading)?;
            if bytes.len() as u64 == length { Ok(bytes) } else { Err(self.conflict(Conflict::Damaged)) }
        };
        let (old, new) = (part(splice.replaced(), splice.old)?, part(splice.kept, splice.new)?);
        let now = source.bytes(0..source.size())?;
        let tag = Some(fsgate_volume::etag::of(&now));
        if tag == splice.etag_before {
            return Ok(Some(now));
        }
        let from = splice.offset as usize;
        let ends = now.get(..from).zip(now.get(from.saturating_add(new.len())..));
        if let Some((before, behind)) = ends.filter(|_| tag == splice.etag) {
            return Ok(Some([before, &old, behind].concat()));
        }
        // Windows are lines of bytes, and a line end in UTF-16 has a NUL.
        if now.contains(&0) {
            return Ok(None);
        }
        let window = |&(before, behind, hash): &(u64, u64, u64)| Window {
            before: before as usize,
            behind: behind as usize,
            hash,
        };
        let windows: Vec<_> = splice.around.iter().map(window).collect();
        let is_last = splice.offset.saturating_add(splice.new) == splice.size_after();
        Ok(taken_back(&now, &windows, &old, &new, is_last))
    }

    /// Restores the complete old content of the record.
    fn whole(
        &self,
        splice: &Splice,
        stored: &Stored<V>,
        with_diff: bool,
        notes: &mut Vec<Note>,
    ) -> Result<Forced<V>, Failure> {
        let changes = self.content(splice, stored)?;
        let is_drawn = with_diff && !changes.is_empty();
        let diff = if is_drawn { self.drawn_of_entry(splice, stored, notes)? } else { None };
        Ok(Forced { changes, diff })
    }

    fn content(&self, splice: &Splice, stored: &Stored<V>) -> Result<Vec<Change<V>>, Failure> {
        let (state, record) = self.address;
        let new = New::Recorded { state, record, at: 0, length: splice.size };
        self.put_of(splice.size, splice.etag_before.clone(), new, || {
            let length = usize::try_from(splice.size).ok().filter(|length| *length <= PLACED_BYTES);
            let length = length.ok_or_else(|| Reason::PlacedTooLarge.at(self.path))?;
            self.entries.read(self.address, stored, length)
        })
    }

    /// The complete old content, from the record and the present file.
    fn old(&self, splice: &Splice) -> Result<Vec<u8>, Failure> {
        let namespace = self.view.namespace();
        let (state, id) = (namespace.state(self.address.0), self.address.1.to_string());
        let broken = |fault: Fault| Failure::from(Reason::reading(fault));
        // This checks every byte.
        let stored = Stored::open(&state.volume, &state.conflicts, &id, Check::UnderWay).map_err(broken)?;
        let stored = stored.filter(|stored| splice.is_sound(stored.length()));
        let stored = stored.ok_or_else(|| self.conflict(Conflict::Damaged))?;
        if splice.size > PLACED_BYTES as u64 {
            return Err(Reason::PlacedTooLarge.at(self.path));
        }
        let source = match resolve(namespace, self.path, LastLink::Keep)? {
            Target::Entry(place, stat) if stat.kind == Kind::File => Some(self.view.open_at(place, stat)?),
            _ => None,
        };
        let now = |range: Range<u64>| match &source {
            Some(source) if range.start < range.end.min(source.size()) => {
                source.bytes(range.start..range.end.min(source.size()))
            }
            _ => Ok(Vec::new()),
        };
        let kept_end = splice.from + splice.kept;
        let mut old = now(0..splice.from)?;
        old.extend(stored.read(&state.volume, 0, splice.kept as usize).map_err(broken)?);
        old.extend(stored.read_behind(&state.volume, 0, splice.moved as usize).map_err(broken)?);
        old.extend(now(kept_end + splice.moved..splice.size)?);
        let is_kept_whole = splice.from == 0 && kept_end + splice.moved == splice.size;
        let is_old = match &splice.etag_before {
            Some(tag) => fsgate_volume::etag::of(&old) == *tag,
            None => is_kept_whole && old.len() as u64 == splice.size,
        };
        if is_old { Ok(old) } else { Err(self.conflict(Conflict::Part)) }
    }

    /// Writes this content over any present one.
    fn put(&self, size: u64, etag: Option<String>, new: New) -> Result<Vec<Change<V>>, Failure> {
        let bytes = if let New::Bytes(bytes) = &new { bytes.clone() } else { Vec::new() };
        self.put_of(size, etag, new, || Ok(bytes))
    }

    /// The same. `content` is for a missing file.
    fn put_of(
        &self,
        size: u64,
        etag: Option<String>,
        new: New,
        content: impl FnOnce() -> Result<Vec<u8>, Failure>,
    ) -> Result<Vec<Change<V>>, Failure> {
        if size > SPAN_BYTES {
            return Err(Reason::SpanTooLarge(size).at(self.path));
        }
        match resolve(self.view.namespace(), self.path, LastLink::Keep)? {
            Target::Absent(place) => {
                self.view.require_writable(&place)?;
                Ok(vec![Change::Create { place, content: content()?, like: None }])
            }
            Target::Entry(place, stat) if stat.kind == Kind::File => {
                self.view.require_writable(&place)?;
                let source = self.view.open_at(place, stat)?;
                let hasher = source.hasher(0..source.size())?;
                let before = fsgate_volume::etag::strong(&hasher);
                if etag.as_ref() == Some(&before) {
                    return Ok(Vec::new());
                }
                if source.size() > SPAN_BYTES {
                    return Err(source.refuse(Reason::SpanTooLarge(source.size())));
                }
                Ok(vec![Change::Splice {
                    seen: source.stat(),
                    offset: 0,
                    old: Old::Digest { length: source.size(), hash: hasher.finalize() },
                    new,
                    // Keep the present content, which may be another program's.
                    tags: Tags { before: Some(before), after: etag, whole: true },
                    place: source.into_place(),
                }])
            }
            Target::Virtual(..) => Err(self.conflict(Conflict::Other)),
            _ => Err(self.conflict(Conflict::Other)),
        }
    }

    /// The diff of restoring content from an entry.
    fn drawn_of_entry(
        &self,
        splice: &Splice,
        stored: &Stored<V>,
        notes: &mut Vec<Note>,
    ) -> Result<Option<String>, Failure> {
        if splice.size > STRONG_TAG_BYTES {
            notes.push(diff::left_out_of_large_file());
            return Ok(None);
        }
        self.drawn(&self.entries.read(self.address, stored, splice.size as usize)?, notes)
    }

    /// The diff of restoring a content, unless the policy hides it.
    fn drawn(&self, new: &[u8], notes: &mut Vec<Note>) -> Result<Option<String>, Failure> {
        let large = |size: u64| size > STRONG_TAG_BYTES;
        let source = match resolve(self.view.namespace(), self.path, LastLink::Keep)? {
            Target::Entry(place, stat) => Some(self.view.open_at(place, stat)?),
            _ => None,
        };
        if large(new.len() as u64) || source.as_ref().is_some_and(|source| large(source.size())) {
            notes.push(diff::left_out_of_large_file());
            return Ok(None);
        }
        let head = &new[..new.len().min(CONTENT_HEAD)];
        if self.view.namespace().guard().policy().content(head).is_some() {
            return Ok(None);
        }
        let Some(source) = source else {
            let encoding = diff::encoding_of(new);
            return Ok(diff::created(self.path, (encoding, &shown(encoding, new)), notes));
        };
        let (from, to) = trim_common(&source, 0..source.size(), new)?;
        let (offset, old) = (from.start, from.end - from.start);
        let newlines = diff::newlines(&source, offset)?;
        diff::legible_past(&source, &ChangedBytes { offset, newlines, old, new: &new[to] }, notes)
    }

    /// Deletes the present object, and keeps it in any case.
    fn make_way(&self) -> Result<Vec<Change<V>>, Failure> {
        match resolve(self.view.namespace(), self.path, LastLink::Own)? {
            Target::Absent(place) => {
                self.view.require_writable(&place)?;
                Ok(Vec::new())
            }
            Target::Entry(place, stat) => {
                self.view.require_writable(&place)?;
                let seen = self.view.seen(&place, stat)?;
                Ok(vec![Change::Delete { place, seen, keep: Keep::Always }])
            }
            Target::Directory(folder) => {
                let census = self.view.census_to_undo(&folder, self.path)?;
                match folder.into_own() {
                    Some((place, directory)) => {
                        Ok(vec![Change::DeleteTree { place, directory, census, keep: Keep::Always }])
                    }
                    None => Err(self.conflict(Conflict::Other)),
                }
            }
            Target::Virtual(..) => Err(self.conflict(Conflict::Other)),
        }
    }

    /// The name after that.
    fn place_behind(&self, is_free: bool) -> Result<crate::resolve::Place<V>, Failure> {
        match resolve(self.view.namespace(), self.path, LastLink::Own)? {
            Target::Absent(place) if is_free => Ok(place),
            Target::Entry(place, _) => Ok(place),
            Target::Directory(folder) => {
                folder.into_own().map(|(place, _)| place).ok_or_else(|| self.conflict(Conflict::Other))
            }
            _ => Err(self.conflict(Conflict::Other)),
        }
    }

    fn conflict(&self, what: Conflict) -> Failure {
        HistoryProblem::UndoConflict(self.path.to_owned(), what).at(self.path)
    }
}
