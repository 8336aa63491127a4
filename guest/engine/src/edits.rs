//! What each edit of a list asks for.

use fsgate_contract::edit_types::Edit;
use fsgate_error::{EditProblem, Reason};
use fsgate_text::composed::{Request, Which};
use fsgate_text::patch::hunk::{Hunk, Line, Mark};

/// What an edit does to its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form<'a> {
    /// Replaces a text.
    Replace(Request<'a>),
    /// Writes the whole file.
    Content(&'a str),
    /// Deletes it.
    Delete,
    /// Replaces the text of a block of a patch.
    Block(Request<'a>),
    /// Changes lines.
    Hunks(&'a [Hunk<'a>]),
    /// Makes the file, which must not be there.
    Create(&'a str),
    /// Deletes the file, all of which the hunks remove.
    DeleteLines(&'a [Hunk<'a>]),
    /// Gives the file another name, and changes lines.
    Move(&'a str, &'a [Hunk<'a>]),
    /// Makes another file of it, and changes lines there.
    Copy(&'a str, &'a [Hunk<'a>]),
}

impl Form<'_> {
    /// Others of its kind may be about the same file.
    pub fn is_replacement(&self) -> bool {
        matches!(self, Self::Replace(_) | Self::Block(_) | Self::Hunks(_))
    }

    /// What it looks for and puts in place in the text of a file.
    pub fn texts(&self) -> Vec<&str> {
        match self {
            Self::Replace(request) | Self::Block(request) => vec![request.old, request.new],
            Self::Hunks(hunks) | Self::DeleteLines(hunks) | Self::Move(_, hunks) | Self::Copy(_, hunks) => {
                hunks.iter().flat_map(|hunk| &hunk.lines).map(|line| line.text).collect()
            }
            Self::Content(_) | Self::Create(_) | Self::Delete => Vec::new(),
        }
    }

    /// It puts this character in place; in which of its hunks, if there are some.
    pub fn puts(&self, character: char) -> Option<Option<usize>> {
        let comes = |line: &Line| line.mark == Mark::Add && line.text.contains(character);
        match self {
            Self::Replace(request) | Self::Block(request) => request.new.contains(character).then_some(None),
            Self::Hunks(hunks) | Self::DeleteLines(hunks) | Self::Move(_, hunks) | Self::Copy(_, hunks) => {
                hunks.iter().position(|hunk| hunk.lines.iter().any(comes)).map(Some)
            }
            Self::Content(_) | Self::Create(_) | Self::Delete => None,
        }
    }

    /// It is about what has the name itself, be it a link, and takes the name away.
    pub fn takes_name(&self) -> bool {
        matches!(self, Self::Delete | Self::DeleteLines(_) | Self::Move(..))
    }
}

/// The one thing that an edit asks for.
pub fn form(edit: &Edit, exact_line_ends: bool) -> Result<Form<'_>, Reason> {
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
        (_, Some(_), true) => return refused(EditProblem::Both("content", "delete")),
        (Some(name @ ("occurrence" | "all")), ..) => return refused(EditProblem::OnlyWith(name, "old")),
        (Some(name), Some(_), _) => return refused(EditProblem::Both(name, "content")),
        (Some(name), _, true) => return refused(EditProblem::Both(name, "delete")),
        (None, Some(content), false) => Form::Content(content),
        (None, None, true) => Form::Delete,
        (Some(_), None, false) => match (edit.old.as_deref(), edit.new.as_deref()) {
            (None, _) => return refused(EditProblem::Needs("new", "old")),
            (_, None) => return refused(EditProblem::Needs("old", "new")),
            (Some(""), _) => return Err(Reason::EmptyArgument("old")),
            (Some(old), Some(new)) => {
                let which = match (edit.occurrence, edit.all()) {
                    (Some(_), true) => return refused(EditProblem::Both("occurrence", "all")),
                    (Some(number), false) => Which::Nth(number),
                    (None, true) => Which::All,
                    (None, false) => Which::Only,
                };
                Form::Replace(Request { old, new, which, exact_line_ends })
            }
        },
    };
    if edit.if_none_match.is_some() && !matches!(form, Form::Content(_)) {
        return refused(EditProblem::OnlyWith("if_none_match", "content"));
    }
    Ok(form)
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
            Form::Replace(Request { which: Which::Only, .. }) => "the only one",
            Form::Replace(Request { which: Which::Nth(_), .. }) => "one",
            Form::Replace(Request { which: Which::All, .. }) => "all",
            Form::Content(_) => "content",
            Form::Delete => "delete",
            other => panic!("{other:?}"),
        })
    }

    #[test]
    fn an_edit_asks_for_exactly_one_thing() {
        use EditProblem::{Both, Needs, Nothing, OnlyWith};
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
            (json!({"content": "", "delete": true}), refused(Both("content", "delete"))),
            (json!({"old": "a", "new": "b", "content": ""}), refused(Both("old", "content"))),
            (json!({"new": "b", "content": ""}), refused(Both("new", "content"))),
            (json!({"old": "a", "delete": true}), refused(Both("old", "delete"))),
            (json!({"old": "a"}), refused(Needs("old", "new"))),
            (json!({"new": "b"}), refused(Needs("new", "old"))),
            (json!({"old": "", "new": "b"}), Err(Reason::EmptyArgument("old"))),
            (
                json!({"old": "a", "new": "b", "all": true, "occurrence": 1}),
                refused(Both("occurrence", "all")),
            ),
            (json!({"content": "", "occurrence": 1}), refused(OnlyWith("occurrence", "old"))),
            (json!({"delete": true, "all": true}), refused(OnlyWith("all", "old"))),
            (
                json!({"old": "a", "new": "b", "if_none_match": "*"}),
                refused(OnlyWith("if_none_match", "content")),
            ),
            (json!({"delete": true, "if_none_match": "*"}), refused(OnlyWith("if_none_match", "content"))),
        ] {
            assert_eq!(judged(&fields), expected, "{fields}");
        }
    }
}
