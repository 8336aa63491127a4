//! Sentences about occurrences in many files.

use super::Code;
use super::sentences::{Sentence, say};
use fsgate_contract::limits::{CHANGED_FILES, ECHO_BYTES, PLACED_BYTES, REPLACED_OCCURRENCES};
use fsgate_text::excerpt::quoted;

/// A mistake in showing or replacing occurrences.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "each case has its sentence below")]
pub enum OccurrenceProblem {
    NoFiles,
    /// The expected number and the actual one.
    Count {
        wanted: u32,
        found: u64,
    },
    Unknown(String),
    /// An id of another search.
    OtherSearch(String),
    /// An id of another state of its file, and the present tag.
    Stale(String, String),
    TooManyFiles(usize),
    /// More than one call replaces without a preview.
    TooMany,
    PathsTooLong,
    TooMuchPlaced,
}

pub(super) fn sentence(problem: &OccurrenceProblem) -> Sentence {
    match problem {
        OccurrenceProblem::NoFiles => say(
            Code::InvalidArgument("glob".to_owned()),
            "there are neither `paths` nor a `glob`",
            "give files with `paths`, or a pattern such as `*.rs` with `glob`; `*` is every file below `path`",
        ),
        OccurrenceProblem::Count { wanted, found } => say(
            Code::CountMismatch(u32::try_from(*found).unwrap_or(u32::MAX)),
            match found {
                0 => format!("`old` does not occur in the files; `count` is {wanted}"),
                1 => format!("`old` occurs once in all the files; `count` is {wanted}"),
                found => format!("`old` occurs {found} times in all the files; `count` is {wanted}"),
            },
            match found {
                0 => "read a file and copy the text exactly, white space included",
                _ => "leave out `count` and `ids` to see where, then choose again",
            },
        ),
        OccurrenceProblem::Unknown(id) => say(
            Code::UnknownId,
            format!("no occurrence in these files has the id {}", quoted(id)),
            "leave out `ids` to see the occurrences, and give ids as they are shown there",
        ),
        OccurrenceProblem::OtherSearch(id) => say(
            Code::UnknownId,
            format!(
                "a preview gave {} for something else: for another `old`, or with another `regex`, `exact_line_ends`, \
                 `escaped` or `encoding`",
                quoted(id)
            ),
            "leave out `ids` to see the occurrences of this `old`, and give ids as they are shown there",
        ),
        OccurrenceProblem::Stale(id, tag) => say(
            Code::Stale(tag.clone()),
            format!(
                "the file has changed since a preview gave {} for it: its tag is now `{tag}`",
                quoted(id)
            ),
            "leave out `ids` to see its occurrences again",
        ),
        OccurrenceProblem::TooMany => say(
            Code::TooLarge(REPLACED_OCCURRENCES),
            format!("`old` occurs more than {REPLACED_OCCURRENCES} times"),
            "make `old` longer, or search fewer files with `glob`",
        ),
        OccurrenceProblem::TooManyFiles(files) => say(
            Code::TooLarge(CHANGED_FILES as u64),
            format!("the change is about {files} files, and at most {CHANGED_FILES} are changed at once"),
            "give the ids of fewer files, and make several calls",
        ),
        OccurrenceProblem::PathsTooLong => say(
            Code::TooLarge(ECHO_BYTES as u64),
            format!("the paths of the files have more than {ECHO_BYTES} bytes together"),
            "give the ids of fewer files, and make several calls",
        ),
        OccurrenceProblem::TooMuchPlaced => say(
            Code::TooLarge(PLACED_BYTES as u64),
            format!(
                "the replacements, with what lies between those of one file, have more than {PLACED_BYTES} bytes"
            ),
            "give fewer ids, and make several calls",
        ),
    }
}
