//! Sentences about a list of edits.

use super::sentences::{Sentence, say};
use super::{Code, Reason};
use fsgate_contract::limits::{COMPOSED_BYTES, ECHO_BYTES, EDITS_LOOK_BYTES, PLACED_BYTES};

/// A mistake in an edit, or between edits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each case has its sentence below")]
pub enum EditProblem {
    Nothing,
    /// A field, and the one that it requires.
    Needs(&'static str, &'static str),
    /// The first other edit of the same file.
    SameFile(usize),
    /// The edit that creates a file where this one needs a directory.
    InsideFile(usize),
    /// The size of the file.
    FileTooLarge(u64),
    GrowsTooLarge,
    TooMuchPlaced,
}

pub(super) fn too_laborious() -> Sentence {
    say(
        Code::Limit("work".to_owned()),
        format!(
            "the edits of this file look through more than {} MiB of text, one after the other",
            EDITS_LOOK_BYTES >> 20
        ),
        "make some of them in a call of their own, or give the numbers of lines to `replace_lines`",
    )
}

/// The mistake in one edit; [`in_edit`] adds its number.
pub(super) fn sentence(problem: EditProblem) -> Sentence {
    let field = |name: &str| Code::InvalidArgument(name.to_owned());
    match problem {
        EditProblem::Nothing => say(
            field(""),
            "there is nothing to do in it",
            "give `old` and `new`, or `content`, or set `delete`",
        ),
        EditProblem::Needs(one, other) => {
            say(field(other), format!("`{one}` needs `{other}` beside it"), format!("give `{other}`"))
        }
        EditProblem::SameFile(other) => say(
            field("path"),
            format!("edit {other} is about the same file, and `content` and `delete` stand alone"),
            "make one edit of them, or two calls",
        ),
        EditProblem::InsideFile(other) => say(
            field("path"),
            format!("edit {other} makes a file where this path has a directory, or the other way round"),
            "give another path",
        ),
        EditProblem::FileTooLarge(size) => say(
            Code::TooLarge(COMPOSED_BYTES),
            format!(
                "the file has {size} bytes; a list of edits replaces texts in files of at most {COMPOSED_BYTES}"
            ),
            "use `replace` or `replace_all`, which take files of any size",
        ),
        EditProblem::GrowsTooLarge => say(
            Code::TooLarge(COMPOSED_BYTES),
            format!(
                "the file would have more than {COMPOSED_BYTES} bytes, the most that a list of edits replaces texts in"
            ),
            "use `replace` or `replace_all`, which take files of any size",
        ),
        EditProblem::TooMuchPlaced => say(
            Code::TooLarge(PLACED_BYTES as u64),
            format!("the edits up to here put more than {PLACED_BYTES} bytes in place"),
            "make several calls",
        ),
    }
}

/// Added if earlier edits changed the file.
pub(super) const FOLLOWS: &str =
    "; the edits of this file before it count as made, although nothing was written";

pub(super) fn in_edit(number: usize, follows: bool, why: &Reason) -> Sentence {
    let Sentence { code, message, repair } = why.sentence();
    let code = match code {
        Code::InvalidArgument(field) => {
            let at = format!("edits[{}]", number.saturating_sub(1));
            Code::InvalidArgument(if field.is_empty() { at } else { format!("{at}.{field}") })
        }
        code => code,
    };
    let follows = if follows && matches!(code, Code::NoMatch(_) | Code::Ambiguous(_) | Code::OutOfRange(_)) {
        FOLLOWS
    } else {
        ""
    };
    say(code, format!("edit {number}: {message}"), format!("{repair}{follows}"))
}

pub(super) fn no_edits() -> Sentence {
    say(
        Code::InvalidArgument("edits".to_owned()),
        "there are neither `edits` nor a `patch`",
        "give a list such as [{\"path\": \"src/main.rs\", \"old\": \"one\", \"new\": \"two\"}]",
    )
}

pub(super) fn edits_and_patch() -> Sentence {
    say(
        Code::InvalidArgument("patch".to_owned()),
        "`edits` and `patch` exclude one another",
        "leave out one of them, or make two calls",
    )
}

pub(super) fn paths_too_long() -> Sentence {
    say(
        Code::TooLarge(ECHO_BYTES as u64),
        format!("the paths of the edits have more than {ECHO_BYTES} bytes together"),
        "make several calls",
    )
}
