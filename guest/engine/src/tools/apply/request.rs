//! The edits of a call: items of its list, or parts of its patch.

use fsgate_contract::edit_types::{ApplyArgs, Edit};
use fsgate_error::{EditProblem, Failure, PatchPart, Reason};
use fsgate_text::edit_sequence::{EditRequest, OccurrenceChoice};
use fsgate_text::patch::hunk::{Hunk, HunkLine, LineMark};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form<'a> {
    Replace(EditRequest<'a>),
    Content(&'a str),
    Delete,
    Block(EditRequest<'a>),
    Hunks(&'a [Hunk<'a>]),
    Create(&'a str),
    /// Deletes the file if the hunks remove all lines.
    DeleteLines(&'a [Hunk<'a>]),
    Move(&'a str, &'a [Hunk<'a>]),
    Copy(&'a str, &'a [Hunk<'a>]),
}

impl Form<'_> {
    pub(super) fn is_replacement(&self) -> bool {
        matches!(self, Self::Replace(_) | Self::Block(_) | Self::Hunks(_))
    }

    pub(super) fn texts(&self) -> Vec<&str> {
        match self {
            Self::Replace(request) | Self::Block(request) => vec![request.old, request.new],
            Self::Hunks(hunks) | Self::DeleteLines(hunks) | Self::Move(_, hunks) | Self::Copy(_, hunks) => {
                hunks.iter().flat_map(|hunk| &hunk.lines).map(|line| line.text).collect()
            }
            Self::Content(_) | Self::Create(_) | Self::Delete => Vec::new(),
        }
    }

    /// The hunk, if any, of a form that puts this character.
    pub(super) fn puts(&self, character: char) -> Option<Option<usize>> {
        let comes = |line: &HunkLine| line.mark == LineMark::Add && line.text.contains(character);
        match self {
            Self::Replace(request) | Self::Block(request) => request.new.contains(character).then_some(None),
            Self::Hunks(hunks) | Self::DeleteLines(hunks) | Self::Move(_, hunks) | Self::Copy(_, hunks) => {
                hunks.iter().position(|hunk| hunk.lines.iter().any(comes)).map(Some)
            }
            Self::Content(_) | Self::Create(_) | Self::Delete => None,
        }
    }

    pub(super) fn takes_name(&self) -> bool {
        matches!(self, Self::Delete | Self::DeleteLines(_) | Self::Move(..))
    }
}

fn form(edit: &Edit, exact_line_ends: bool) -> Result<Form<'_>, Reason> {
    let refused = |problem| Err(Reason::InvalidEdit(problem));
    let replaces = [
        ("old", edit.old.is_some()),
        ("new", edit.new.is_some()),
        ("occurrence", edit.occurrence.is_some()),
        ("all", edit.all()),
    ];
    let replaces = replaces.into_iter().find_map(|(name, given)| given.then_some(name));
    let form = match (replaces, edit.content.as_deref(), edit.delete()) {
        (None, None, false) => return refused(EditProblem::Nothing),
        (_, Some(_), true) => return Err(Reason::Both("content", "delete")),
        (Some(name @ ("occurrence" | "all")), ..) => return Err(Reason::OnlyWith(name, "old")),
        (Some(name), Some(_), _) => return Err(Reason::Both(name, "content")),
        (Some(name), _, true) => return Err(Reason::Both(name, "delete")),
        (None, Some(content), false) => Form::Content(content),
        (None, None, true) => Form::Delete,
        (Some(_), None, false) => match (edit.old.as_deref(), edit.new.as_deref()) {
            (None, _) => return refused(EditProblem::Needs("new", "old")),
            (_, None) => return refused(EditProblem::Needs("old", "new")),
            (Some(""), _) => return Err(Reason::EmptyArgument("old")),
            (Some(old), Some(new)) => {
                let which = match (edit.occurrence, edit.all()) {
                    (Some(_), true) => return Err(Reason::Both("occurrence", "all")),
                    (Some(number), false) => OccurrenceChoice::Nth(number),
                    (None, true) => OccurrenceChoice::All,
                    (None, false) => OccurrenceChoice::Only,
                };
                Form::Replace(EditRequest { old, new, which, exact_line_ends })
            }
        },
    };
    if edit.if_none_match.is_some() && !matches!(form, Form::Content(_)) {
        return Err(Reason::OnlyWith("if_none_match", "content"));
    }
    Ok(form)
}

#[derive(Clone, Copy)]
pub(super) struct Requested<'a> {
    pub(super) edit: &'a Edit,
    pub(super) form: Form<'a>,
    /// Counted from 1.
    pub(super) number: usize,
    part: Option<PatchPart>,
    /// After other edits of the same file.
    follows: bool,
}

impl<'a> Requested<'a> {
    pub(super) fn new(edit: &'a Edit, number: usize, args: &ApplyArgs) -> Result<Self, Failure> {
        let form = form(edit, args.exact_line_ends());
        let form = form.map_err(|reason| reason.at(&*edit.path).in_edit(number, false))?;
        Ok(Self { edit, form, number, part: None, follows: false })
    }

    pub(super) fn of_patch(edit: &'a Edit, form: Form<'a>, part: PatchPart) -> Self {
        Self { edit, form, number: part.number, part: Some(part), follows: false }
    }

    pub(super) fn following(self) -> Self {
        Self { follows: true, ..self }
    }

    /// True if it may follow these edits of its file. Only a patch may follow a creation with
    /// changes, changes with a deletion or move, and a deletion with a creation.
    pub(super) fn may_follow(&self, before: &[Self]) -> bool {
        let is_patch = self.part.is_some();
        let is_made = before.iter().any(|one| !one.form.is_replacement());
        match before.last().map(|last| last.form) {
            None => true,
            Some(Form::Replace(_) | Form::Block(_) | Form::Hunks(_)) => match self.form {
                Form::DeleteLines(_) | Form::Move(..) => is_patch && !is_made,
                form => form.is_replacement(),
            },
            Some(Form::Create(_) | Form::Move(..) | Form::Copy(..)) => {
                is_patch && matches!(self.form, Form::Hunks(_))
            }
            Some(Form::Delete | Form::DeleteLines(_)) => is_patch && matches!(self.form, Form::Create(_)),
            Some(Form::Content(_)) => false,
        }
    }

    pub(super) fn keeps_text(&self) -> bool {
        match self.form {
            Form::Replace(_) | Form::Block(_) => false,
            _ => self.hunks().is_empty(),
        }
    }

    fn hunks(&self) -> &'a [Hunk<'a>] {
        match self.form {
            Form::Hunks(hunks) | Form::DeleteLines(hunks) | Form::Move(_, hunks) | Form::Copy(_, hunks) => {
                hunks
            }
            _ => &[],
        }
    }

    pub(super) fn refuse(&self, reason: impl Into<Reason>) -> Failure {
        self.refused(reason.into().at(&*self.edit.path))
    }

    pub(super) fn refused(&self, failure: Failure) -> Failure {
        match self.part {
            Some(part) => failure.in_patch(part, self.follows, None),
            None => failure.in_edit(self.number, self.follows),
        }
    }

    /// A failure in a hunk, counted from 0.
    pub(super) fn refuse_in(&self, hunk: Option<usize>, reason: Reason) -> Failure {
        let failure = reason.at(&*self.edit.path);
        let hunk = hunk.and_then(|index| Some((index + 1, self.hunks().get(index)?.line)));
        match self.part {
            Some(part) => failure.in_patch(part, self.follows, hunk),
            None => self.refused(failure),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn judged(fields: &Value) -> Result<&'static str, Reason> {
        let mut edit = json!({"path": "a"});
        edit.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        let edit: Edit = serde_json::from_value(edit).unwrap();
        form(&edit, false).map(|form| match form {
            Form::Replace(EditRequest { which: OccurrenceChoice::Only, .. }) => "the only one",
            Form::Replace(EditRequest { which: OccurrenceChoice::Nth(_), .. }) => "one",
            Form::Replace(EditRequest { which: OccurrenceChoice::All, .. }) => "all",
            Form::Content(_) => "content",
            Form::Delete => "delete",
            other => panic!("{other:?}"),
        })
    }

    #[test]
    fn an_edit_asks_for_exactly_one_thing() {
        use EditProblem::{Needs, Nothing};
        let refused = |problem| Err(Reason::InvalidEdit(problem));
        for (fields, expected) in [
            (json!({"old": "a", "new": "b"}), Ok("the only one")),
            (json!({"old": "a", "new": "", "occurrence": 2}), Ok("one")),
            (json!({"old": "a", "new": "b", "all": true}), Ok("all")),
            (json!({"old": "a", "new": "b", "all": false, "occurrence": 1, "delete": false}), Ok("one")),
            (json!({"content": ""}), Ok("content")),
            (json!({"content": "", "if_none_match": "*", "if_match": "*"}), Ok("content")),
            (json!({"delete": true, "if_match": "*"}), Ok("delete")),
            (json!({}), refused(Nothing)),
            (json!({"delete": false, "all": false, "if_match": "*"}), refused(Nothing)),
            (json!({"content": "", "delete": true}), Err(Reason::Both("content", "delete"))),
            (json!({"old": "a", "new": "b", "content": ""}), Err(Reason::Both("old", "content"))),
            (json!({"new": "b", "content": ""}), Err(Reason::Both("new", "content"))),
            (json!({"old": "a", "delete": true}), Err(Reason::Both("old", "delete"))),
            (json!({"old": "a"}), refused(Needs("old", "new"))),
            (json!({"new": "b"}), refused(Needs("new", "old"))),
            (json!({"old": "", "new": "b"}), Err(Reason::EmptyArgument("old"))),
            (
                json!({"old": "a", "new": "b", "all": true, "occurrence": 1}),
                Err(Reason::Both("occurrence", "all")),
            ),
            (json!({"content": "", "occurrence": 1}), Err(Reason::OnlyWith("occurrence", "old"))),
            (json!({"delete": true, "all": true}), Err(Reason::OnlyWith("all", "old"))),
            (
                json!({"old": "a", "new": "b", "if_none_match": "*"}),
                Err(Reason::OnlyWith("if_none_match", "content")),
            ),
            (
                json!({"delete": true, "if_none_match": "*"}),
                Err(Reason::OnlyWith("if_none_match", "content")),
            ),
        ] {
            assert_eq!(judged(&fields), expected, "{fields}");
        }
    }
}
