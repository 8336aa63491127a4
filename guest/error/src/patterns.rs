//! Sentences about patterns.

use super::phrases::listed;
use super::sentences::{Sentence, say};
use super::{Code, Reason};
use fsgate_contract::limits::{ERROR_PATH_CHARS, ERROR_TEXT_CHARS, IGNORE_FILE_BYTES, PATTERN_BYTES};
use fsgate_text::excerpt::{cut, quoted};
use fsgate_text::glob::{GlobProblem, InvalidGlob};
use fsgate_text::pattern::PatternError;

pub(super) fn sentence(field: &str, invalid: &InvalidGlob) -> Sentence {
    let repair = match invalid.problem {
        GlobProblem::Empty => "give a pattern such as `**/*.rs`",
        GlobProblem::TooLong => "give a shorter pattern, or several calls",
        GlobProblem::UnclosedClass => "close it with `]`, or write `\\[` for the character itself",
        GlobProblem::BackwardsRange => "write the smaller character first, as in `a-z`",
        GlobProblem::UnclosedBraces => "close it with `}`, or write `\\{` for the character itself",
        GlobProblem::UnopenedBraces => {
            "open it with a `{` that has no backslash before it, or write `\\}` for the character itself"
        }
        GlobProblem::NestedTooDeep => "give a plainer pattern, or several calls",
        GlobProblem::DanglingEscape => "write `\\\\` for a backslash",
        GlobProblem::Parent => "give the directory as `path`, and a pattern relative to it",
        GlobProblem::Nul => "leave it out: no name has one",
    };
    say(Code::InvalidPattern(invalid.position as u64), invalid.message(field), repair)
}

/// The reason why an ignore file is not applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IgnoreProblem {
    /// Too many bytes or rules.
    TooLarge,
    /// Unreadable.
    Unreadable,
}

impl IgnoreProblem {
    /// The cause, for a note or an error.
    pub fn cause(self) -> String {
        match self {
            Self::TooLarge => format!(
                "an ignore file may have {} KiB and some 1,500 patterns, and all that hold in a directory twice as many",
                IGNORE_FILE_BYTES >> 10
            ),
            Self::Unreadable => "it cannot be read".to_owned(),
        }
    }
}

pub(super) fn ignore_file(file: &str, why: IgnoreProblem) -> Sentence {
    let (code, mend) = match why {
        IgnoreProblem::TooLarge => (Code::TooLarge(IGNORE_FILE_BYTES), "shorten that file"),
        IgnoreProblem::Unreadable => (Code::Io("ignore file".to_owned()), "make that file readable"),
    };
    let file = quoted(&cut(file, ERROR_PATH_CHARS));
    say(
        code,
        format!("{file} cannot be applied, so the names that it protects are unknown: {}", why.cause()),
        format!("{mend}, or set `respect_ignore` to false with a `glob` that names only what may be gone"),
    )
}

pub(super) fn expression(error: &PatternError) -> Sentence {
    match error {
        PatternError::Empty => Reason::EmptyArgument("pattern").sentence(),
        PatternError::InvertsSeveralLines => Reason::Excluding("invert", "multi_line").sentence(),
        PatternError::Invalid { field, position, problem, repair } => say(
            Code::InvalidPattern(*position),
            format!("`{field}` is no regular expression: {}", cut(problem, ERROR_TEXT_CHARS)),
            repair.unwrap_or("correct it at that position, or leave `regex` out to find the text as it is"),
        ),
        PatternError::TooLaborious(field) => too_laborious(field),
        PatternError::TooLarge(field) => say(
            Code::InvalidPattern(0),
            format!("`{field}` is a pattern that takes too much memory or has too many groups"),
            "repeat less in it, and use `(?:…)` where no group is needed",
        ),
        PatternError::TooLong(bytes) => say(
            Code::TooLarge(PATTERN_BYTES as u64),
            format!("`pattern` has {bytes} bytes, and may have {PATTERN_BYTES}"),
            "look for a part of it",
        ),
        PatternError::LineEnd(position) => say(
            Code::InvalidPattern(*position),
            "`pattern` has a line end, and every line is searched for itself, without its end",
            "set `multi_line` to find what goes over several lines; `^` and `$` match where lines begin and end",
        ),
        PatternError::NoSuchGroup { name, runs_on, groups, names } => {
            no_such_group(name, runs_on.as_ref(), *groups, names)
        }
    }
}

fn too_laborious(field: &str) -> Sentence {
    say(
        Code::Limit("work".to_owned()),
        format!(
            "the matches of `{field}` take too long to be found: each search looks through much of the rest of the text"
        ),
        "let it match less, with `[^x]*` or `.{0,200}` in place of `(?s:.*)`, or search one line at a time",
    )
}

fn no_such_group(name: &str, runs_on: Option<&(usize, String)>, groups: usize, names: &[String]) -> Sentence {
    let has = match (groups, names.len()) {
        (0, _) => "which has no groups".to_owned(),
        (1, 0) => "which has one group".to_owned(),
        (1, _) => format!("whose only group is {}", quoted(&names[0])),
        (_, 0) => format!("which has {groups} groups"),
        (_, 1) => format!("which has {groups} groups, one of them {}", quoted(&names[0])),
        (_, _) => format!("which has {groups} groups, among them {}", listed(names)),
    };
    let message = format!("`new` names the group {}, and there is none in `old`, {has}", quoted(name));
    let repair = match runs_on {
        Some((number, behind)) => format!(
            "write {} if the group {number} is meant with {} behind it, or `$$` for a dollar sign",
            quoted(&format!("${{{number}}}{behind}")),
            quoted(behind)
        ),
        None if groups == 0 => {
            "put parentheses in `old` around what `$1` is to be, or write `$$` for a dollar sign".to_owned()
        }
        None => {
            "write `$$` for a dollar sign, or name a group that is there: `$1` or `${1}` is the first one"
                .to_owned()
        }
    };
    say(Code::InvalidArgument("new".to_owned()), message, repair)
}
