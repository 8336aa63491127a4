//! A patch as a list of edits.

use super::request::Form;
use crate::resolve::LastLink;
use crate::view::{PathObject, View};
use fsgate_contract::edit_types::Edit;
use fsgate_contract::limits::{ECHO_BYTES, MOVED_HUNKS_NAMED};
use fsgate_contract::types::Note;
use fsgate_error::{Failure, PatchPart, PatchProblem, Reason};
use fsgate_text::edit_sequence::{EditRequest, OccurrenceChoice};
use fsgate_text::excerpt::quoted;
use fsgate_text::patch::hunk::Hunk;
use fsgate_text::patch::locate::MovedHunk;
use fsgate_text::patch::{self, FilePatch, Patch, PatchAction, PatchPath};
use fsgate_volume::Volume;

pub(super) struct Patched<'a> {
    patch: Patch<'a>,
    edits: Vec<Edit>,
    to: Vec<Option<String>>,
}

impl<'a> Patched<'a> {
    pub(super) fn read<V: Volume>(view: &View<V>, text: &'a str) -> Result<Self, Failure> {
        let patch = patch::parse(text).map_err(PatchProblem::Invalid)?;
        let (mut edits, mut to) = (Vec::new(), Vec::new());
        for part in &patch.parts {
            edits.push(Edit { path: located(view, &part.path), ..Edit::default() });
            to.push(match &part.action {
                PatchAction::Move(name, _) | PatchAction::Copy(name, _) => Some(located(view, name)),
                _ => None,
            });
        }
        let paths = edits.iter().map(|edit| &edit.path).chain(to.iter().flatten());
        if paths.map(String::len).sum::<usize>() > ECHO_BYTES {
            return Err(Reason::EditPathsTooLong.into());
        }
        Ok(Self { patch, edits, to })
    }

    pub(super) fn parts(&self, exact_line_ends: bool) -> impl Iterator<Item = (&Edit, Form<'_>, PatchPart)> {
        let all = self.patch.parts.iter().zip(&self.edits).zip(&self.to).zip(1..);
        all.map(move |(((FilePatch { line, action, .. }, edit), to), number)| {
            let to = to.as_deref().unwrap_or_default();
            let form = match action {
                PatchAction::Create(content) => Form::Create(content),
                PatchAction::Write(content) => Form::Content(content),
                PatchAction::Delete(None) => Form::Delete,
                PatchAction::Delete(Some(hunks)) => Form::DeleteLines(hunks),
                PatchAction::Change(hunks) => Form::Hunks(hunks),
                PatchAction::Move(_, hunks) => Form::Move(to, hunks),
                PatchAction::Copy(_, hunks) => Form::Copy(to, hunks),
                PatchAction::Replace { old, new } => {
                    Form::Block(EditRequest { old, new, which: OccurrenceChoice::Only, exact_line_ends })
                }
            };
            (edit, form, PatchPart { form: self.patch.form, number, line: *line })
        })
    }

    pub(super) fn modes(&self) -> Option<Note> {
        let (first, mode) = self.patch.modes.first()?;
        let others = match self.patch.modes.len() {
            1 => String::new(),
            count => format!(", and those of {} more", count - 1),
        };
        let text = format!(
            "the mode {} of {}{others} is not set: a component cannot set modes",
            quoted(mode),
            quoted(&first.text)
        );
        Some(Note { kind: "mode".to_owned(), text })
    }
}

/// The path of a name. After `a/` and `b/`, fsgate writes absolute paths, git paths in the
/// repository.
fn located<V: Volume>(view: &View<V>, PatchPath { text, is_bare }: &PatchPath) -> String {
    let absolute = format!("/{text}");
    let is_granted = |grant: &String| {
        let below = absolute.strip_prefix(&**grant);
        grant.len() > 1 && below.is_some_and(|below| below.is_empty() || below.starts_with('/'))
    };
    if *is_bare && !text.starts_with('/') && view.namespace().grant_names().iter().any(is_granted) {
        let first = text.split('/').next().unwrap_or_default();
        if matches!(view.look(first, LastLink::Own), Ok(PathObject::Nothing(_)) | Err(_)) {
            return absolute;
        }
    }
    text.clone()
}

pub(super) fn moved_hunks(path: &str, moved: &[MovedHunk]) -> Option<Note> {
    let named = |MovedHunk { number, says, line }: &MovedHunk| {
        format!("hunk {number} at line {line} instead of {says}")
    };
    let named: Vec<_> = moved.iter().take(MOVED_HUNKS_NAMED).map(named).collect();
    let more = match moved.len().saturating_sub(MOVED_HUNKS_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let text = format!(
        "{} was changed at other lines than the patch says: {}{more}",
        quoted(path),
        named.join(", ")
    );
    (!moved.is_empty()).then(|| Note { kind: "moved_hunks".to_owned(), text })
}

/// The content of a file that a diff makes without saying that it is new.
pub(super) fn whole_content(hunks: &[Hunk]) -> Option<String> {
    let [hunk] = hunks else { return None };
    if hunk.stands != patch::hunk::HunkPlace::After(0) || hunk.lines.iter().any(patch::hunk::HunkLine::is_old)
    {
        return None;
    }
    let line = |line: &patch::hunk::HunkLine| [line.text, if line.is_ended { "\n" } else { "" }].concat();
    Some(hunk.lines.iter().map(line).collect())
}
