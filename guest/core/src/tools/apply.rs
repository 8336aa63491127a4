//! `apply`: a list of edits in one or many files, all of them or none.
//!
//! What two edits do to one file has to be known before anything is planned, so every path is looked up first, and the
//! edits are put together by file. Then each file gets one change, whatever the number of its edits.

use std::ops::Range;

use super::by_file::{Asked, by_file};
use super::{count, delete, write};
use crate::changes::{Change, Changes, New, Old, Tags, splice_bytes_written};
use crate::content::BOM;
use crate::contract::edit_types::{AppliedFile, ApplyArgs, ApplyOutcome};
use crate::contract::manage_types::DeleteArgs;
use crate::contract::types::Note;
use crate::drawing::{self, Drawings, Drawn};
use crate::edits::Form;
use crate::error::{EditProblem, Failure, Reason};
use crate::etag::Subtrees;
use crate::limits::STRONG_TAG_BYTES;
use crate::limits::{APPLIED_LINES, COMPOSED_BYTES, DIFF_BYTES, ECHO_BYTES, PLACED_BYTES, PROBE_BYTES};
use crate::resolve::SharedHandles;
use crate::text::composed::Composed;
use crate::text::splice::difference;
use crate::text::utf8::looks_like_utf_16;
use crate::view::View;
use crate::volume::{Kind, Volume};
use crate::{etag, precondition};

/// Runs the operation.
pub fn run<V: Volume>(view: &View<V>, args: &ApplyArgs) -> Result<(ApplyOutcome, Changes<V>), Failure> {
    let edits = args.edits.as_deref().ok_or(Reason::NoEdits)?;
    if edits.iter().map(|edit| edit.path.len()).sum::<usize>() > ECHO_BYTES {
        return Err(Reason::EditPathsTooLong.into());
    }
    let asked: Vec<_> = edits
        .iter()
        .zip(1..)
        .map(|(edit, number)| Asked::new(edit, number, args))
        .collect::<Result<_, _>>()?;
    let mut plan = Plan::new(view, args);
    for edits in by_file(view, &asked)? {
        plan.file(&edits)?;
    }
    Ok(plan.finish())
}

/// What is to be done, as far as it is known.
struct Plan<'p, 'v, V: Volume> {
    view: &'p View<'v, V>,
    args: &'p ApplyArgs,
    changes: Vec<Change<V>>,
    files: Vec<AppliedFile>,
    notes: Vec<Note>,
    drawings: Drawings,
    handles: SharedHandles<V>,
    /// Bytes that all changes put in place.
    placed: usize,
    /// Lines that all files list.
    lines: usize,
}

/// What one file becomes.
struct Planned<V: Volume> {
    file: AppliedFile,
    change: Option<Change<V>>,
    diff: Option<String>,
    notes: Vec<Note>,
}

impl<'p, 'v, V: Volume> Plan<'p, 'v, V> {
    fn new(view: &'p View<'v, V>, args: &'p ApplyArgs) -> Self {
        Self {
            view,
            args,
            changes: Vec::new(),
            files: Vec::new(),
            notes: Vec::new(),
            drawings: Drawings::default(),
            handles: SharedHandles::default(),
            placed: 0,
            lines: 0,
        }
    }

    fn file(&mut self, edits: &[Asked]) -> Result<(), Failure> {
        let Some(first) = edits.first() else { return Ok(()) };
        let Planned { mut file, change, diff, notes } = match first.form {
            Form::Replace(_) => self.replace(first, edits)?,
            Form::Content(content) => self.write(first, content).map_err(|failure| first.refused(failure))?,
            Form::Delete => self.delete(first).map_err(|failure| first.refused(failure))?,
        };
        if let Some(mut change) = change {
            self.placed += placed(&change);
            if self.placed > PLACED_BYTES {
                return Err(first.refuse(Reason::InvalidEdit(EditProblem::TooMuchPlaced)));
            }
            if let Some(place) = change.place_mut() {
                self.view.share_handle(place, &mut self.handles)?;
            }
            self.changes.push(change);
        }
        file.lines.truncate(APPLIED_LINES - self.lines);
        self.lines += file.lines.len();
        self.files.push(file);
        if self.args.diff() {
            self.drawings.add(diff.as_deref());
        }
        for note in notes {
            // What is left out of the diff is said once for all files.
            if note.kind != "diff" && !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
        Ok(())
    }

    /// A diff is asked for, and there is room for one.
    fn draws(&self) -> bool {
        self.args.diff() && self.drawings.have_room()
    }

    fn replace(&self, first: &Asked, edits: &[Asked]) -> Result<Planned<V>, Failure> {
        let refused = |failure| first.refused(failure);
        let source = self.view.open_for_change(&first.edit.path).map_err(refused)?;
        if source.size() > COMPOSED_BYTES {
            return Err(first.refuse(Reason::InvalidEdit(EditProblem::FileTooLarge(source.size()))));
        }
        let before = source.bytes(0..source.size()).map_err(refused)?;
        if looks_like_utf_16(&before[..before.len().min(PROBE_BYTES as usize)]) {
            return Err(first.refuse(Reason::NotText(0)));
        }
        let mut subtrees = Subtrees::default();
        subtrees.update(&before);
        let etag_before = etag::from(&subtrees.hash());
        let start = if before.starts_with(BOM) { BOM.len() } else { 0 };
        let mut composed = Composed::new(before.clone(), start);
        for one in edits {
            let wanted = one.edit.if_match.as_deref();
            precondition::check(&source, wanted, || Ok(etag_before.clone()))
                .map_err(|failure| one.refuse(failure.reason))?;
        }
        for one in edits {
            if let Form::Replace(request) = &one.form {
                composed.replace(request).map_err(|reason| one.refuse(reason))?;
            }
        }
        let mut file = AppliedFile {
            path: source.path().to_owned(),
            etag_before: Some(etag_before),
            etag: None,
            bytes_written: 0,
            created: false,
            deleted: false,
            replacements: count(composed.replacements).unwrap_or(u32::MAX),
            lines: std::mem::take(&mut composed.lines),
            line_ends_adapted: composed.adapted,
        };
        let after = composed.into_bytes();
        let (from, to) = difference(&before, &after);
        let offset = from.start as u64;
        let hash = subtrees.spliced_in(&[&before], offset, from.len() as u64, &after[to.clone()]);
        file.etag = Some(etag::from(&hash));
        file.bytes_written =
            splice_bytes_written(before.len() as u64, offset, from.len() as u64, to.len() as u64);
        let mut notes = Vec::new();
        let diff = if self.draws() {
            let newlines = memchr::memchr_iter(b'\n', &before[..from.start]).count() as u64;
            let drawn = Drawn { offset, newlines, old: from.len() as u64, new: &after[to.clone()] };
            drawing::changed(&source, &drawn, &mut notes).map_err(refused)?
        } else {
            None
        };
        // No more is held of what goes than of what comes.
        let old = if from.len() <= to.len() {
            Old::Bytes(part(before, from))
        } else {
            let old = &before[from];
            Old::Digest { length: old.len() as u64, hash: blake3::hash(old) }
        };
        let (seen, new) = (source.stat(), New::Bytes(part(after, to)));
        let tags = Tags { before: file.etag_before.clone(), after: file.etag.clone(), whole: false };
        let change = Change::Splice { place: source.into_place(), seen, offset, old, new, tags };
        Ok(Planned { file, change: Some(change), diff, notes })
    }

    fn write(&self, one: &Asked, content: &str) -> Result<Planned<V>, Failure> {
        let request = write::Request {
            path: &one.edit.path,
            content: content.as_bytes(),
            keep_mark: true,
            parents: true,
            overwrite: true,
            if_match: one.edit.if_match.as_deref(),
            if_none_match: one.edit.if_none_match.as_deref(),
            diff: self.draws(),
            backup: false,
        };
        let (outcome, changes) = write::write(self.view, &request)?;
        let file = AppliedFile {
            path: outcome.path,
            etag_before: outcome.etag_before,
            etag: Some(outcome.etag),
            bytes_written: outcome.bytes_written,
            created: outcome.created,
            deleted: false,
            replacements: 0,
            lines: Vec::new(),
            line_ends_adapted: false,
        };
        Ok(Planned { file, change: changes.0.into_iter().next(), diff: outcome.diff, notes: outcome.notes })
    }

    fn delete(&self, one: &Asked) -> Result<Planned<V>, Failure> {
        let args = DeleteArgs {
            path: one.edit.path.clone(),
            if_match: one.edit.if_match.clone(),
            ..DeleteArgs::default()
        };
        let (outcome, changes) = delete::run(self.view, &args)?;
        let change = changes.0.into_iter().next();
        let size = match &change {
            Some(Change::Delete { seen, .. }) if seen.stat.kind == Kind::File => Some(seen.stat.size),
            _ => None,
        };
        let mut notes = outcome.notes;
        let source = match size {
            // Deleting asks for no right to read.
            Some(size) if size <= STRONG_TAG_BYTES => self.view.open(&one.edit.path).ok(),
            _ => None,
        };
        let diff = match &source {
            Some(source) if self.draws() && source.size() <= DIFF_BYTES as u64 => {
                drawing::deleted(source.path(), &source.bytes(0..source.size())?, &mut notes)
            }
            // There is nothing in it that a diff could show.
            None if size.is_none() => Some(String::new()),
            _ => None,
        };
        let file = AppliedFile {
            path: outcome.path,
            etag_before: source.and_then(|source| source.strong_tag().ok()),
            etag: None,
            bytes_written: 0,
            created: false,
            deleted: true,
            replacements: 0,
            lines: Vec::new(),
            line_ends_adapted: false,
        };
        Ok(Planned { file, change, diff, notes })
    }

    fn finish(mut self) -> (ApplyOutcome, Changes<V>) {
        let diff = if self.args.diff() { self.drawings.finish(&mut self.notes) } else { None };
        (ApplyOutcome { files: self.files, undo_id: None, diff, notes: self.notes }, Changes(self.changes))
    }
}

/// A part of a text that is needed no more, without a second copy of it.
fn part(mut bytes: Vec<u8>, range: Range<usize>) -> Vec<u8> {
    bytes.truncate(range.end);
    bytes.drain(..range.start);
    bytes.shrink_to_fit();
    bytes
}

/// Bytes that a change holds to put them in place.
fn placed<V: Volume>(change: &Change<V>) -> usize {
    match change {
        Change::Create { content, .. } => content.len(),
        Change::Splice { new, .. } => new.len() as usize,
        _ => 0,
    }
}
