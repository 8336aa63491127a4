//! `restore`: what a path was before an entry of the history.

use std::collections::BTreeSet;

use crate::changes::{Change, Changes, Keep, New, Old, Tags};
use crate::contract::history_types::{RestoreArgs, RestoreOutcome};
use crate::contract::types::Note;
use crate::drawing::{self, Drawn};
use crate::error::{Conflict, Failure, Past, Reason};
use crate::history::{self, Address, Entries, Entry, Paths, Whole, summary, take_back};
use crate::journal::record::{Action, Splice};
use crate::journal::{Id, Stored};
use crate::limits::{PLACED_BYTES, SPAN_BYTES, STRONG_TAG_BYTES};
use crate::policy::CONTENT_HEAD;
use crate::resolve::{LastLink, Target, resolve};
use crate::span::{self, Span};
use crate::tools::write;
use crate::view::View;
use crate::volume::{Kind, Volume};

/// What stands before an id where `backup` gives it.
const PREFIX: &str = "history:";

/// Runs the operation.
pub fn run<V: Volume>(view: &View<V>, args: &RestoreArgs) -> Result<(RestoreOutcome, Changes<V>), Failure> {
    let namespace = view.namespace();
    history::require(namespace)?;
    let id = history::parse("id", args.id.strip_prefix(PREFIX).unwrap_or(&args.id))?;
    let paths = Paths::new(namespace)?;
    let mut entries = Entries::new(namespace)?;
    let unknown = || Past::UnknownEntry(id.to_string());
    let entry = entries.find(id)?.ok_or_else(unknown)?;
    if !args.any_session() && !view.is_own(&entry.newest) {
        return Err(Past::OtherSession(entry.id.to_string()).into());
    }
    let path = match &args.path {
        Some(path) => view.resolved(path)?,
        None => only_path(&entries, &paths, &entry)?,
    };
    let (address, stored) = record(&entries, &paths, &entry, &path)?;
    let restoring = Restoring { view, entries: &entries, paths: &paths, path: &path, address };
    let mut outcome = RestoreOutcome {
        path: path.clone(),
        undone: Vec::new(),
        undo_id: None,
        diff: None,
        notes: Vec::new(),
    };
    if let Action::Splice(splice) = &stored.record.action
        && splice.is_whole()
    {
        let changes = restoring.content(splice, &stored)?;
        if args.diff() && !changes.is_empty() {
            outcome.diff = restoring.drawn(splice, &stored, &mut outcome.notes)?;
        }
        return Ok((outcome, Changes(changes)));
    }
    // What was kept whole comes back as it is; everything else takes back a part of the entry.
    Whole::new(namespace, &paths).require_entry(&entry)?;
    if let Some(changes) = restoring.kept_in_trash(&stored)? {
        return Ok((outcome, Changes(changes)));
    }
    let (chain, undone) = since(view, &paths, entry.id, &path, args.any_session())?;
    let taken = take_back(view, &entries, chain, args.diff())?;
    outcome.undone = undone;
    outcome.diff = taken.diff;
    outcome.notes = taken.notes;
    Ok((outcome, taken.changes))
}

/// The path of an entry that has only one.
fn only_path<V: Volume>(entries: &Entries<V>, paths: &Paths<V>, entry: &Entry) -> Result<String, Failure> {
    let mut found: Vec<String> = Vec::new();
    for address in &entry.records {
        let record = entries.record(*address)?;
        for path in record.map(|record| paths.of(&record)).unwrap_or_default() {
            if !found.contains(&path) {
                found.push(path);
            }
        }
        if found.len() > 1 {
            return Err(Past::NeedsPath(found).into());
        }
    }
    found.pop().ok_or_else(|| Past::ChangesNothing(entry.id.to_string()).into())
}

/// The oldest record of an entry that is about a path.
fn record<V: Volume>(
    entries: &Entries<V>,
    paths: &Paths<V>,
    entry: &Entry,
    path: &str,
) -> Result<(Address, Stored<V>), Failure> {
    for address in entry.records.iter().rev() {
        if let Some(stored) = entries.stored(*address)?
            && paths.is_about(&stored.record, |about| about == path)
        {
            return Ok((*address, stored));
        }
    }
    Err(Past::NotInEntry.at(path))
}

/// Everything that stands and has changed a path since an entry, that one included; of this session alone, if it is not
/// said that what others did is meant as well.
fn since<V: Volume>(
    view: &View<V>,
    paths: &Paths<V>,
    id: Id,
    path: &str,
    any_session: bool,
) -> Result<(Vec<Address>, Vec<crate::contract::history_types::LogSummary>), Failure> {
    let mut entries = Entries::new(view.namespace())?;
    let (mut records, mut undone) = (Vec::new(), Vec::new());
    let mut whole = Whole::new(view.namespace(), paths);
    let (mut since, mut meant) = (Vec::new(), BTreeSet::new());
    while let Some(entry) = entries.next()? {
        if entry.id < id {
            break;
        }
        let is_last = entry.id == id;
        if any_session || view.is_own(&entry.newest) {
            let mut about = Vec::new();
            for address in &entry.records {
                let record = entries.record(*address)?;
                if record.is_some_and(|record| paths.is_about(&record, |about| about == path)) {
                    about.push(*address);
                }
            }
            meant.extend(entry.records.iter().map(|(_, id)| *id));
            since.push((entry, about));
        }
        if is_last {
            break;
        }
    }
    for (entry, about) in since {
        let before = records.len();
        for address in about {
            // What takes back something since then goes with that, if that is meant as well.
            if entries.undoes(&entry, address)?.is_none_or(|undoes| !meant.contains(&undoes)) {
                records.extend(entries.heads(address));
            }
        }
        if records.len() > before {
            whole.require_entry(&entry)?;
            undone.push(summary(&entries, paths, &entry)?);
        }
    }
    if records.is_empty() {
        return Err(Past::UndoneAlready(id.to_string()).at(path));
    }
    Ok((records, undone))
}

struct Restoring<'a, V: Volume> {
    view: &'a View<'a, V>,
    entries: &'a Entries<'a, V>,
    paths: &'a Paths<'a, V>,
    path: &'a str,
    address: Address,
}

impl<V: Volume> Restoring<'_, V> {
    /// The changes that bring back what lies in the trash; none if nothing of that record does.
    fn kept_in_trash(&self, stored: &Stored<V>) -> Result<Option<Vec<Change<V>>>, Failure> {
        match &stored.record.action {
            Action::Remove(remove) if self.entries.is_in_trash(self.address)? => {
                let mut changes = self.make_way()?;
                let place = self.place_behind(changes.is_empty())?;
                let back = Change::Return { place, object: remove.object, from: self.address };
                changes.push(Change::TakeBack { record: self.address.1, change: Box::new(back) });
                Ok(Some(changes))
            }
            Action::Move(moved) => match &moved.replaced {
                Some(replaced) if self.paths.is_named(&moved.to, |path| path == self.path) => {
                    let Some(from) = history::lies(self.view.namespace(), self.address)? else {
                        return Ok(None);
                    };
                    let mut changes = self.make_way()?;
                    let place = self.place_behind(changes.is_empty())?;
                    changes.push(Change::Return { place, object: replaced.object, from });
                    Ok(Some(changes))
                }
                _ => Ok(None),
            },
            _ => Ok(None),
        }
    }

    fn content(&self, splice: &Splice, stored: &Stored<V>) -> Result<Vec<Change<V>>, Failure> {
        if splice.size > SPAN_BYTES {
            return Err(Reason::SpanTooLarge(splice.size).at(self.path));
        }
        match resolve(self.view.namespace(), self.path, LastLink::Keep)? {
            Target::Absent(place) => {
                self.view.require_writable(&place)?;
                let length = usize::try_from(splice.size).ok().filter(|length| *length <= PLACED_BYTES);
                let length = length.ok_or_else(|| Reason::PlacedTooLarge.at(self.path))?;
                let content = self.entries.read(self.address, stored, length)?;
                Ok(vec![Change::Create { place, content }])
            }
            Target::Entry(place, stat) if stat.kind == Kind::File => {
                self.view.require_writable(&place)?;
                let source = self.view.source(place, stat)?;
                let hasher = source.hasher(0..source.size())?;
                let before = crate::etag::strong(&hasher);
                if splice.etag_before.as_ref() == Some(&before) {
                    return Ok(Vec::new());
                }
                if source.size() > SPAN_BYTES {
                    return Err(source.refuse(Reason::SpanTooLarge(source.size())));
                }
                let (state, record) = self.address;
                Ok(vec![Change::Splice {
                    seen: source.stat(),
                    offset: 0,
                    old: Old::Digest { length: source.size(), hash: hasher.finalize() },
                    new: New::Recorded { state, record, at: 0, length: splice.size },
                    // What is in it now may be somebody else's: it is kept, or stays.
                    tags: Tags { before: Some(before), after: splice.etag_before.clone(), whole: true },
                    place: source.into_place(),
                }])
            }
            Target::Virtual(..) => Err(self.conflict(Conflict::Other)),
            _ => Err(self.conflict(Conflict::Other)),
        }
    }

    /// What bringing a content back does to the file, as a diff; none of what may not be read.
    fn drawn(
        &self,
        splice: &Splice,
        stored: &Stored<V>,
        notes: &mut Vec<Note>,
    ) -> Result<Option<String>, Failure> {
        let large = |size: u64| size > STRONG_TAG_BYTES;
        let source = match resolve(self.view.namespace(), self.path, LastLink::Keep)? {
            Target::Entry(place, stat) => Some(self.view.source(place, stat)?),
            _ => None,
        };
        if large(splice.size) || source.as_ref().is_some_and(|source| large(source.size())) {
            notes.push(drawing::left_out_of_large_file());
            return Ok(None);
        }
        let new = self.entries.read(self.address, stored, splice.size as usize)?;
        let head = &new[..new.len().min(CONTENT_HEAD)];
        if self.view.namespace().guard().policy().content(head).is_some() {
            return Ok(None);
        }
        let Some(source) = source else { return Ok(drawing::created(self.path, &new, notes)) };
        let Span { offset, old, new: part } = span::smallest(&source, 0..source.size(), &new)?;
        let newlines = write::newlines(&source, offset)?;
        drawing::changed(&source, &Drawn { offset, newlines, old, new: &new[part] }, notes)
    }

    /// Takes away what has the name now. It is kept, too: whatever that is, nobody has been asked about it.
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
                let census = self.view.census_to_take_back(&folder, self.path)?;
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

    /// The name, which is free then.
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
        Past::UndoConflict(self.path.to_owned(), what).at(self.path)
    }
}
