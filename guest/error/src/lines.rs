//! Sentences about lines.

use super::Code;
use super::phrases::alternatives;
use super::sentences::{Sentence, say};
use fsgate_contract::limits::PLACED_BYTES;
use fsgate_text::excerpt::quoted;

/// A mistake about lines to change.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "each case has its sentence below")]
pub enum LineProblem {
    /// The last requested line, and the number of lines.
    NotThere {
        asked: u64,
        total: u64,
    },
    NothingToInsert,
    /// The bytes of the lines or of their replacement.
    TooLarge(u64),
    UnknownFile,
    UnknownSyntax {
        syntax: String,
        near: Vec<String>,
    },
    /// The language of the lines' block.
    NoComments(&'static str),
    /// The lines cross markup and code, or elements.
    AcrossMarkup,
    /// A line begins in content, where a mark is content.
    Content {
        line: u64,
        what: &'static str,
    },
    /// The line's backslash would continue its comment.
    Joined(u64),
    /// The end of this line joins the next line to it.
    Continued {
        line: u64,
        end: &'static str,
    },
    /// The lines up to this one open something that goes on after it.
    Opens {
        line: u64,
        what: &'static str,
    },
    /// These lines would stay code behind their marks.
    StaysCode(u64),
    /// The line's comment would hold the deeper lines after it.
    Deeper(u64),
    /// A line would end its own comment or leave it open.
    Closes {
        line: u64,
        holds: &'static str,
    },
}

pub(super) fn sentence(problem: &LineProblem) -> Sentence {
    match problem {
        LineProblem::NotThere { asked, total } => {
            let code = Code::OutOfRange(u32::try_from(*total).unwrap_or(u32::MAX));
            let there = match total {
                0 => "no lines".to_owned(),
                1 => "1 line".to_owned(),
                _ => format!("{total} lines"),
            };
            let repair = match total {
                0 => "fill an empty file with `insert_lines` and `after` 0, or with `write`".to_owned(),
                _ => format!("name lines up to {total}; `read_numbered` shows them"),
            };
            // A larger number, with the same meaning.
            let asked =
                if *asked == u64::MAX { "a line far behind".to_owned() } else { format!("line {asked}") };
            say(code, format!("the file has {there}, so {asked} is not there"), repair)
        }
        LineProblem::NothingToInsert => say(
            Code::InvalidArgument("content".to_owned()),
            "`content` is empty",
            "give a line end for an empty line",
        ),
        LineProblem::TooLarge(bytes) => say(
            Code::TooLarge(PLACED_BYTES as u64),
            format!("the lines have {bytes} bytes; at most {PLACED_BYTES} are put in place at once"),
            "make several calls, each with fewer lines",
        ),
        LineProblem::UnknownFile => say(
            Code::InvalidArgument("syntax".to_owned()),
            "neither the name of the file nor its first line tells how a line is commented out in it",
            "say what kind of file it is with `syntax`: a name such as `python`, or an extension such as `py`",
        ),
        LineProblem::UnknownSyntax { syntax, near } => say(
            Code::InvalidArgument("syntax".to_owned()),
            format!("no kind of file is known as {}", quoted(syntax)),
            match &near[..] {
                [] => "give a name such as `python`, or an extension such as `py`".to_owned(),
                near => format!("did you mean {}?", alternatives(near)),
            },
        ),
        LineProblem::NoComments(what) => say(
            Code::InvalidArgument("lines".to_owned()),
            format!("the lines stand in a block of {what}, which has no comments"),
            "change them with `replace_lines`, or take in the tags of the block to make all of it a comment",
        ),
        LineProblem::AcrossMarkup => say(
            Code::InvalidArgument("lines".to_owned()),
            "the lines begin in one element and end in another one, or one end of them is in markup and one in code",
            "take whole elements, or lines of only one of both",
        ),
        LineProblem::Content { line, what } => say(
            Code::InvalidArgument("lines".to_owned()),
            format!("line {line} begins in {what}, where the mark of a comment is content"),
            "take lines that begin outside of it, change the lines with `replace_lines`, or say with \
             `syntax` what they are written in",
        ),
        LineProblem::Joined(line) => say(
            Code::InvalidArgument("lines".to_owned()),
            format!("line {line} ends with a backslash, so its comment would go on in the next line"),
            "take the lines up to the one that ends without a backslash, or change the lines with `replace_lines`",
        ),
        LineProblem::Continued { line, end } => say(
            Code::InvalidArgument("lines".to_owned()),
            format!("line {line} ends with {}, which joins the next line to it", quoted(end)),
            "take all the lines that are joined, or change the lines with `replace_lines`",
        ),
        LineProblem::Opens { line, what } => say(
            Code::InvalidArgument("lines".to_owned()),
            format!("the lines open {what} that goes on after line {line}"),
            "take the lines up to its end, or change the lines with `replace_lines`",
        ),
        LineProblem::StaysCode(line) => say(
            Code::InvalidArgument("lines".to_owned()),
            format!("a part of the lines from line {line} on would be code behind the mark of a comment"),
            "take the lines from the start of the comment or string, or change them with `replace_lines`",
        ),
        LineProblem::Deeper(line) => say(
            Code::InvalidArgument("lines".to_owned()),
            format!(
                "the lines after line {line} are indented deeper, so they would be a part of its comment"
            ),
            "take the deeper lines too, or change the lines with `replace_lines`",
        ),
        LineProblem::Closes { line, holds } => say(
            Code::InvalidArgument("lines".to_owned()),
            format!("line {line} holds `{holds}`, so it cannot be a comment"),
            "leave the line out, or change it with `replace_lines`",
        ),
    }
}
