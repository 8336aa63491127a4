//! Changes of several files in one call.

use crate::changes::{Change, Like};
use crate::edit::diff::Diffs;
use crate::resolve::SharedHandles;
use crate::view::View;
use fsgate_contract::edit_types::AppliedFile;
use fsgate_contract::limits::{APPLIED_LINES, PLACED_BYTES};
use fsgate_contract::types::Note;
use fsgate_error::Failure;
use fsgate_volume::Volume;

pub(super) struct Batch<V: Volume> {
    with_diff: bool,
    changes: Vec<Change<V>>,
    files: Vec<AppliedFile>,
    notes: Vec<Note>,
    diffs: Diffs,
    handles: SharedHandles<V>,
    placed: usize,
    lines: usize,
}

pub(super) struct PlannedFile<V: Volume> {
    pub(super) file: AppliedFile,
    pub(super) changes: Vec<Change<V>>,
    pub(super) diff: Option<String>,
    pub(super) notes: Vec<Note>,
}

pub(super) struct Gathered<V: Volume> {
    pub(super) files: Vec<AppliedFile>,
    pub(super) diff: Option<String>,
    pub(super) notes: Vec<Note>,
    pub(super) changes: Vec<Change<V>>,
}

impl<V: Volume> Batch<V> {
    pub(super) fn new(with_diff: bool) -> Self {
        Self {
            with_diff,
            changes: Vec::new(),
            files: Vec::new(),
            notes: Vec::new(),
            diffs: Diffs::default(),
            handles: SharedHandles::default(),
            placed: 0,
            lines: 0,
        }
    }

    /// True if the next diff is wanted and may fit.
    pub(super) fn draws(&self) -> bool {
        self.with_diff && self.diffs.have_room()
    }

    pub(super) fn note(&mut self, notes: impl IntoIterator<Item = Note>) {
        self.notes.extend(notes);
    }

    /// Adds a file, or refuses it with `too_much`.
    pub(super) fn add(
        &mut self,
        view: &View<V>,
        planned: PlannedFile<V>,
        too_much: impl Fn() -> Failure,
    ) -> Result<(), Failure> {
        let PlannedFile { mut file, changes, diff, notes } = planned;
        for mut change in changes {
            self.placed += placed(&change);
            if self.placed > PLACED_BYTES {
                return Err(too_much());
            }
            match &mut change {
                Change::Move { source: place, .. }
                | Change::Create { like: Some(Like { place, .. }), .. } => {
                    view.share_handle(place, &mut self.handles)?;
                }
                _ => {}
            }
            if let Some(place) = change.place_mut() {
                view.share_handle(place, &mut self.handles)?;
            }
            self.changes.push(change);
        }
        file.lines.truncate(APPLIED_LINES - self.lines);
        self.lines += file.lines.len();
        self.files.push(file);
        if self.with_diff {
            self.diffs.add(diff.as_deref());
        }
        for note in notes {
            // One note for all files reports missing diffs.
            if note.kind != "diff" && !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> Gathered<V> {
        let diff = if self.with_diff { self.diffs.finish(&mut self.notes) } else { None };
        Gathered { files: self.files, diff, notes: self.notes, changes: self.changes }
    }
}

fn placed<V: Volume>(change: &Change<V>) -> usize {
    match change {
        Change::Create { content, .. } => content.len(),
        Change::Splice { new, .. } => new.len() as usize,
        _ => 0,
    }
}
