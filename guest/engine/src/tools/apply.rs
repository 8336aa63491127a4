//! `apply`: a list of edits, or a patch, in one or many files: all of it or nothing.
//!
//! Edits are grouped by file, because two may be about one file. Each file gets one change.

mod group_by_file;
mod patch;
mod request;
mod text;

use std::collections::HashSet;

use group_by_file::group_by_file;
use patch::Patched;
use request::{Form, Requested};
use text::{Spliced, Text};

use super::multi_file::{Batch, Gathered, PlannedFile};
use super::{delete, r#move, write};
use crate::authorize;
use crate::changes::{Change, Keep, Like, Planned};
use crate::edit::diff::{self, ChangedBytes};
use crate::file::encoding::{self, EncodedText, TextFormat};
use crate::file::{BOM, OpenFile};
use crate::resolve::LastLink;
use crate::view::{Owned, PathObject, Vacancy, View};
use fsgate_contract::edit_types::{AppliedFile, ApplyArgs, ApplyOutcome, WriteArgs};
use fsgate_contract::limits::{DIFF_BYTES, ECHO_BYTES, STRONG_TAG_BYTES};
use fsgate_contract::manage_types::{DeleteArgs, MoveArgs};
use fsgate_contract::types::Note;
use fsgate_error::{EditProblem, Failure, PatchProblem, Reason};
use fsgate_text::diff::moved;
use fsgate_text::edit_sequence::EditedText;
use fsgate_text::encoding::{Decoded, Encoding};
use fsgate_text::patch::hunk::Hunk;
use fsgate_text::patch::locate::MovedHunk;
use fsgate_volume::{Kind, Volume};

/// Runs the operation.
pub fn run<V: Volume>(view: &View<V>, args: &ApplyArgs) -> Planned<V, ApplyOutcome> {
    let mut plan = ApplyPlan::new(view, args);
    // This concerns the whole call.
    args.encoding.as_deref().map(encoding::named).transpose()?;
    match (args.edits.as_deref(), args.patch.as_deref()) {
        (None, None) => return Err(Reason::NoEdits.into()),
        (Some(_), Some(_)) => return Err(Reason::EditsAndPatch.into()),
        (Some(edits), None) => {
            if edits.iter().map(|edit| edit.path.len()).sum::<usize>() > ECHO_BYTES {
                return Err(Reason::EditPathsTooLong.into());
            }
            let asked = edits.iter().zip(1..).map(|(edit, number)| Requested::new(edit, number, args));
            plan.all(&asked.collect::<Result<Vec<_>, _>>()?)?;
        }
        (None, Some(patch)) => {
            let patched = Patched::read(view, patch)?;
            plan.batch.note(patched.modes());
            let parts = patched.parts(args.exact_line_ends());
            let asked: Vec<_> =
                parts.map(|(edit, form, part)| Requested::of_patch(edit, form, part)).collect();
            plan.all(&asked)?;
        }
    }
    Ok(plan.finish())
}

struct ApplyPlan<'p, 'v, V: Volume> {
    view: &'p View<'v, V>,
    args: &'p ApplyArgs,
    batch: Batch<V>,
}

impl<'p, 'v, V: Volume> ApplyPlan<'p, 'v, V> {
    fn new(view: &'p View<'v, V>, args: &'p ApplyArgs) -> Self {
        Self { view, args, batch: Batch::new(args.diff()) }
    }

    fn all(&mut self, asked: &[Requested]) -> Result<(), Failure> {
        group_by_file(self.view, asked)?.iter().try_for_each(|edits| self.file(edits))
    }

    fn file(&mut self, edits: &[Requested]) -> Result<(), Failure> {
        let (Some(first), Some(last)) = (edits.first(), edits.last()) else { return Ok(()) };
        let made = edits.iter().position(|one| matches!(one.form, Form::Create(_)));
        let named = edits.iter().find(|one| matches!(one.form, Form::Move(..) | Form::Copy(..)));
        let planned = match (made, named.map(|one| (one, one.form)), last.form) {
            (Some(at), ..) => self.create(&edits[..at], &edits[at..])?,
            (_, Some((one, Form::Move(to, _))), _) => self.relocate(one, to, edits)?,
            (_, Some((one, Form::Copy(to, _))), _) => self.copy(one, to, edits)?,
            (.., Form::DeleteLines(_)) => {
                self.require_all(last, edits)?;
                self.delete(last).map_err(|failure| last.refused(failure))?
            }
            (.., Form::Delete) => self.delete(last).map_err(|failure| last.refused(failure))?,
            (.., Form::Content(content)) => {
                self.write(last, content, true).map_err(|failure| last.refused(failure))?
            }
            (.., Form::Hunks(hunks)) if edits.len() == 1 && self.is_missing(first) && is_whole(hunks) => {
                let content = patch::whole_content(hunks).unwrap_or_default();
                self.write(first, &content, false).map_err(|failure| first.refused(failure))?
            }
            _ => self.replace(first, edits)?,
        };
        let too_much = || first.refuse(EditProblem::TooMuchPlaced);
        self.batch.add(self.view, planned, too_much)
    }

    /// Plans a file that a part makes and later parts change. It replaces one that earlier parts
    /// delete.
    fn create(&self, gone: &[Requested], made: &[Requested]) -> Result<PlannedFile<V>, Failure> {
        let [one, changes @ ..] = made else { return Err(Reason::NoEdits.into()) };
        let Form::Create(content) = one.form else { return Err(Reason::NoEdits.into()) };
        if let Some(last) = gone.last() {
            self.require_all(last, gone)?;
        }
        let mut composed = EditedText::new(content.as_bytes().to_vec(), 0);
        text::make(&mut composed, changes, self.args.exact_line_ends())?;
        let bytes = composed.into_bytes();
        self.write(one, &String::from_utf8_lossy(&bytes), !gone.is_empty())
            .map_err(|failure| one.refused(failure))
    }

    fn draws(&self) -> bool {
        self.batch.draws()
    }

    fn replace(&self, first: &Requested, edits: &[Requested]) -> Result<PlannedFile<V>, Failure> {
        let refused = |failure| first.refused(failure);
        let source = self.view.open_for_change(&first.edit.path, None).map_err(refused)?;
        let (source, text) = self.read(source, edits)?;
        for one in edits {
            let wanted = one.edit.if_match.as_deref();
            source
                .require_state(wanted, || Ok(text.etag.clone()))
                .map_err(|failure| one.refuse(failure.reason))?;
        }
        let (source, mut text, moved) = self.make(source, text, edits)?;
        let mut file = text.file(source.path());
        let spliced = text.spliced(&source, edits)?;
        file.etag = Some(spliced.etag.clone());
        file.bytes_written = spliced.bytes_written;
        let mut notes = notes(&source, source.path(), &moved);
        let diff = self.drawn(&source, &spliced, &mut notes).map_err(refused)?;
        let seen = source.stat();
        let change = spliced.change(source.into_place(), seen);
        self.permit_other_names(&change, edits)?;
        let changes = vec![change];
        Ok(PlannedFile { file, changes, diff, notes })
    }

    fn permit_other_names(&self, change: &Change<V>, edits: &[Requested]) -> Result<(), Failure> {
        let Change::Splice { seen, offset, old, .. } = change else { return Ok(()) };
        let wanted = authorize::NameUse::of_splice(seen.size, *offset, old);
        let mut asked: HashSet<_> = edits.iter().take(1).map(|one| &one.edit.path).collect();
        for one in edits {
            if !asked.insert(&one.edit.path) {
                continue;
            }
            let other =
                self.view.open_for_change(&one.edit.path, None).map_err(|failure| one.refused(failure))?;
            let place = other.into_place();
            self.view.permit(&place, Kind::File, wanted).map_err(|failure| one.refused(failure))?;
        }
        Ok(())
    }

    fn read<'s>(
        &self,
        source: OpenFile<'s, V>,
        edits: &[Requested],
    ) -> Result<(OpenFile<'s, V>, Text), Failure> {
        let Some(first) = edits.first() else { return Err(Reason::NoEdits.into()) };
        let texts: Vec<_> = edits.iter().flat_map(|one| one.form.texts()).collect();
        let source = source.as_text(&self.format(), &texts).map_err(|failure| first.refused(failure))?;
        let text = Text::read(&source, &self.format(), first)?;
        Ok((source, text))
    }

    /// Makes the edits, in decoded text if a match may be a part of a character.
    fn make<'s>(
        &self,
        mut source: OpenFile<'s, V>,
        mut text: Text,
        edits: &[Requested],
    ) -> Result<(OpenFile<'s, V>, Text, Vec<MovedHunk>), Failure> {
        let Some(first) = edits.first() else { return Err(Reason::NoEdits.into()) };
        let exact_line_ends = self.args.exact_line_ends();
        let mut done = text.make(edits, exact_line_ends);
        if text.composed.follows_high_byte {
            let is_other;
            (source, is_other) = source.reconsidered().map_err(|failure| first.refused(failure))?;
            if is_other {
                text = Text::read(&source, &self.format(), first)?;
                done = text.make(edits, exact_line_ends);
            }
        }
        let moved = done.map_err(|failure| source.guessed(failure))?;
        Ok((source, text, moved))
    }

    fn format(&self) -> TextFormat<'p> {
        TextFormat { encoding: self.args.encoding.as_deref(), escaped: self.args.escaped() }
    }

    fn drawn(
        &self,
        source: &OpenFile<V>,
        spliced: &Spliced,
        notes: &mut Vec<Note>,
    ) -> Result<Option<String>, Failure> {
        if !self.draws() {
            return Ok(None);
        }
        if let Some(decoded) = source.decoded() {
            return Ok(diff::edits(source.path(), decoded, &spliced.in_text, notes));
        }
        let Spliced { before, after, from, to, .. } = spliced;
        let newlines = memchr::memchr_iter(b'\n', &before[..from.start]).count() as u64;
        let drawn = ChangedBytes {
            offset: from.start as u64,
            newlines,
            old: from.len() as u64,
            new: &after[to.clone()],
        };
        let mut found = Vec::new();
        let diff = diff::legible(source, &drawn, &mut found)?;
        notes.extend(found.into_iter().map(|note| about(source.path(), note)));
        Ok(diff)
    }

    fn relocate(&self, one: &Requested, to: &str, edits: &[Requested]) -> Result<PlannedFile<V>, Failure> {
        let refused = |failure| one.refused(failure);
        let args = MoveArgs {
            source: one.edit.path.clone(),
            destination: to.to_owned(),
            overwrite: Some(false),
            ..MoveArgs::default()
        };
        let (outcome, mut changes) = r#move::run(self.view, &args).map_err(refused)?;
        let mut file = AppliedFile {
            path: outcome.destination,
            moved_from: Some(outcome.source),
            etag_before: outcome.etag.clone(),
            etag: outcome.etag,
            ..AppliedFile::default()
        };
        let (mut notes, mut diff) = (outcome.notes, None);
        if let (false, Some(Change::Move { across, seen, .. })) =
            (edits.iter().all(Requested::keeps_text), changes.first())
        {
            let (across, seen) = (*across, *seen);
            let Owned::Name(place, stat) = self.view.own(&one.edit.path).map_err(refused)? else {
                return Err(one.refuse(Reason::IsDirectory));
            };
            let source = self.view.open_at(place, stat).map_err(refused)?;
            let (source, text) = self.read(source, edits)?;
            let (source, mut text, moved) = self.make(source, text, edits)?;
            let edited = text.file(&file.path);
            let spliced = text.spliced(&source, edits)?;
            notes.extend(self::notes(&source, &file.path, &moved));
            diff = self.drawn(&source, &spliced, &mut notes).map_err(refused)?;
            let destination =
                match self.view.vacancy(to, LastLink::Own, true, source.name()).map_err(refused)? {
                    Vacancy::Free(place) => place,
                    Vacancy::Taken(..) => return Err(refused(Reason::Exists.at(to))),
                };
            file = AppliedFile {
                moved_from: file.moved_from,
                etag: Some(spliced.etag.clone()),
                bytes_written: spliced.bytes_written,
                ..edited
            };
            if across {
                // The new file holds the whole content.
                file.bytes_written = spliced.after.len() as u64;
                let place = source.into_place();
                let like = Like { place: place.clone(), seen, is_moved: true };
                let create = Change::Create { place: destination, content: spliced.after, like: Some(like) };
                changes = vec![create, Change::Delete { place, seen, keep: Keep::IfRoom }];
            } else {
                changes.push(spliced.change(destination, source.stat()));
            }
        } else if self.draws() {
            diff = Some(String::new());
        }
        let from = file.moved_from.as_deref().unwrap_or_default();
        let diff = diff.map(|changed| moved(from, &file.path, &changed));
        Ok(PlannedFile { file, changes, diff, notes })
    }

    fn copy(&self, one: &Requested, to: &str, edits: &[Requested]) -> Result<PlannedFile<V>, Failure> {
        let source = self.view.open(&one.edit.path).map_err(|failure| one.refused(failure))?;
        let (mut source, mut text) = self.read(source, edits)?;
        let mut moved = Vec::new();
        if !edits.iter().all(Requested::keeps_text) {
            (source, text, moved) = self.make(source, text, edits)?;
        }
        let edited = text.file("");
        let encoding = source.decoded().map_or(Encoding::UTF_8, Decoded::encoding);
        let bytes = text.after(&source, edits)?.into();
        let content = EncodedText { bytes, encoding };
        let mut planned = self.put(one, to, &content, false).map_err(|failure| one.refused(failure))?;
        planned.notes.extend(notes(&source, &planned.file.path, &moved));
        let seen = source.seen().map_err(|failure| one.refused(failure))?;
        let original = source.into_place();
        for change in &mut planned.changes {
            if let Change::Create { like, .. } = change {
                *like = Some(Like { place: original.clone(), seen, is_moved: false });
            }
        }
        let AppliedFile { path, etag, bytes_written, created, .. } = planned.file;
        planned.file = AppliedFile { path, etag, bytes_written, created, etag_before: None, ..edited };
        Ok(planned)
    }

    /// Refuses to delete lines that these edits keep; a plain deletion removes anything.
    fn require_all(&self, last: &Requested, edits: &[Requested]) -> Result<(), Failure> {
        let refused = |failure| last.refused(failure);
        let Owned::Name(place, stat) = self.view.own(&last.edit.path).map_err(refused)? else {
            return Err(last.refuse(Reason::DeletesDirectory));
        };
        let source = self.view.open_at(place, stat).map_err(refused)?;
        if matches!(last.form, Form::Delete) {
            return Ok(());
        }
        let (source, mut text) = self.read(source, edits)?;
        if !edits.iter().all(Requested::keeps_text) {
            (_, text, _) = self.make(source, text, edits)?;
        }
        match &text.composed.into_bytes()[..] {
            b"" => Ok(()),
            left if left == BOM => Ok(()),
            _ => Err(last.refuse(PatchProblem::Left)),
        }
    }

    fn is_missing(&self, one: &Requested) -> bool {
        matches!(self.view.look(&one.edit.path, LastLink::Follow), Ok(PathObject::Nothing(_)))
    }

    fn write(&self, one: &Requested, content: &str, overwrite: bool) -> Result<PlannedFile<V>, Failure> {
        let content = self.format().encoded(content).map_err(|reason| reason.at(&*one.edit.path))?;
        self.put(one, &one.edit.path, &content, overwrite)
    }

    fn put(
        &self,
        one: &Requested,
        path: &str,
        content: &EncodedText,
        overwrite: bool,
    ) -> Result<PlannedFile<V>, Failure> {
        let write = WriteArgs {
            path: path.to_owned(),
            encoding: self.args.encoding.clone(),
            overwrite: Some(overwrite),
            if_match: one.edit.if_match.clone(),
            if_none_match: one.edit.if_none_match.clone(),
            diff: Some(self.draws()),
            ..WriteArgs::default()
        };
        let (outcome, changes) = write::write(self.view, &write, &content.bytes, Some(content.encoding))?;
        let file = AppliedFile {
            path: outcome.path,
            etag_before: outcome.etag_before,
            etag: Some(outcome.etag),
            bytes_written: outcome.bytes_written,
            created: outcome.created,
            ..AppliedFile::default()
        };
        let notes = outcome.notes.into_iter().map(|note| about(&file.path, note)).collect();
        Ok(PlannedFile { file, changes, diff: outcome.diff, notes })
    }

    fn delete(&self, one: &Requested) -> Result<PlannedFile<V>, Failure> {
        let args = DeleteArgs {
            path: one.edit.path.clone(),
            if_match: one.edit.if_match.clone(),
            ..DeleteArgs::default()
        };
        let (outcome, changes) = delete::run(self.view, &args)?;
        let size = match changes.first() {
            Some(Change::Delete { seen, .. }) if seen.stat.kind == Kind::File => Some(seen.stat.size),
            _ => None,
        };
        let mut notes = outcome.notes;
        let source = match size {
            // Deleting needs no right to read.
            Some(size) if size <= STRONG_TAG_BYTES => self.view.open(&one.edit.path).ok(),
            _ => None,
        };
        let diff = match &source {
            Some(source) if self.draws() && source.size() <= DIFF_BYTES as u64 => {
                let content = source.bytes(0..source.size())?;
                let found = source.detected()?;
                let encoding = found.map_or(Encoding::UTF_8, |found| found.encoding);
                notes.extend(found.and_then(encoding::note).map(|note| about(source.path(), note)));
                let shown = encoding::shown(encoding, &content);
                diff::deleted(source.path(), (encoding, &shown), &mut notes)
            }
            None if size.is_none() => Some(String::new()),
            _ => None,
        };
        let file = AppliedFile {
            path: outcome.path,
            etag_before: source.and_then(|source| source.strong_tag().ok()),
            deleted: true,
            ..AppliedFile::default()
        };
        Ok(PlannedFile { file, changes, diff, notes })
    }

    fn finish(self) -> (ApplyOutcome, Vec<Change<V>>) {
        let Gathered { files, diff, notes, mut changes } = self.batch.finish();
        // Copies come first: they take files as the call has found them.
        changes.sort_by_key(|change| !is_copy(change));
        (ApplyOutcome { files, undo_id: None, diff, notes }, changes)
    }
}

/// Adds the path to a note about the text of a file.
fn about(path: &str, note: Note) -> Note {
    if matches!(&note.kind[..], "encoding" | "line_ends") { encoding::about(path, note) } else { note }
}

fn notes<V: Volume>(source: &OpenFile<V>, path: &str, moved: &[MovedHunk]) -> Vec<Note> {
    let guess = source.encoding_note();
    let guess = guess.map(|note| about(path, note));
    guess.into_iter().chain(patch::moved_hunks(path, moved)).collect()
}

fn is_copy<V: Volume>(change: &Change<V>) -> bool {
    matches!(change, Change::Create { like: Some(like), .. } if !like.is_moved)
}

fn is_whole(hunks: &[Hunk]) -> bool {
    patch::whole_content(hunks).is_some()
}
