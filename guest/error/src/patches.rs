//! Sentences about patches.

use super::edits::{FOLLOWS, too_laborious};
use super::phrases::{counted, found, on_lines, place, where_to_look};
use super::sentences::{Sentence, say};
use super::{Code, EditProblem, Reason};
use fsgate_contract::limits::{PATCH_BYTES, PATCH_PARTS};
use fsgate_text::excerpt::quoted;
use fsgate_text::patch::hunk::HunkHeader;
use fsgate_text::patch::locate::{Anchor, HunkProblem};
use fsgate_text::patch::{InvalidPatch, PatchForm, PatchSyntaxProblem};

/// A part of a patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PatchPart {
    /// The form of the patch.
    pub form: PatchForm,
    /// Its number, from 1.
    pub number: usize,
    /// Its first line in the patch.
    pub line: u32,
}

/// A mistake in a patch or part.
#[derive(Debug, Clone, PartialEq)]
pub enum PatchProblem {
    /// A syntax error.
    Invalid(InvalidPatch),
    /// A hunk without a place.
    Hunk(HunkProblem),
    /// A file to delete has more than the patch removes.
    Left,
}

const MISSING: &str = "the lines that stay or go do not stand in the file in a row";
const HUNK_RESULT: &str = "its result";
const BLOCK_RESULT: &str = "its new text";
const COUNT: &str = "count its lines again: those that stay and go, and those that stay and come; or use `*** Begin Patch`, \
    where nothing is counted";
const SEVERAL: &str = "make several calls";

/// The mistake; [`in_patch`] names the part.
pub(super) fn sentence(problem: &PatchProblem) -> Sentence {
    match problem {
        PatchProblem::Invalid(invalid) => unreadable(invalid),
        PatchProblem::Hunk(why) => misplaced(why),
        PatchProblem::Left => say(
            Code::NoMatch(None),
            "the file has more in it than the patch removes",
            "read the file; delete it with `edits` if it is to go whatever is in it",
        ),
    }
}

fn misplaced(why: &HunkProblem) -> Sentence {
    match why {
        HunkProblem::Missing(traces) | HunkProblem::Unseparated(traces) => say(
            Code::NoMatch(traces.nearest.clone()),
            format!("{MISSING}{}", found(traces, "the hunk", HUNK_RESULT)),
            format!("read {}, and give the hunk the same lines, white space included", where_to_look(traces)),
        ),
        HunkProblem::PastEnd(after, lines) => say(
            Code::OutOfRange(u32::try_from(*lines).unwrap_or(u32::MAX)),
            format!(
                "the hunk puts lines behind line {after}, and the file has {}",
                counted(*lines, "line", "lines")
            ),
            match lines {
                0 => "begin the hunk with `@@ -0,0` for an empty file".to_owned(),
                _ => format!("give a line up to {lines}, or lines that stay before those that come"),
            },
        ),
        HunkProblem::Unended(line) => say(
            Code::NoMatch(None),
            format!("the hunk puts lines behind line {line}, which is the last one and has no line end"),
            "let that line go, with `\\ No newline at end of file` behind it, and come again before the others",
        ),
        HunkProblem::NoAnchor(anchor) => no_anchor(anchor),
        HunkProblem::Unmarked(nearest) => say(
            Code::NoMatch(nearest.clone()),
            "the last line of the file has no line end, and the hunk has one there",
            "put `\\ No newline at end of file` in a line of its own behind the last line that goes or stays, and \
             behind the last that comes if it is to have none either",
        ),
        HunkProblem::Overlapping(line) => say(
            Code::NoMatch(None),
            format!("its lines stand at line {line}, inside the hunk before it"),
            "make one hunk of both",
        ),
        HunkProblem::Disordered(line) => say(
            Code::NoMatch(None),
            format!("its lines stand at line {line}, and the hunk before it is behind that"),
            "put the hunks of a file in the order of its lines",
        ),
        HunkProblem::Ambiguous(lines, count) => say(
            Code::Ambiguous(lines.clone()),
            format!("its lines stand at {count} places, beginning on {}", on_lines(*count, lines)),
            "give the right line number in a diff, or more lines that stay around the change",
        ),
        HunkProblem::Laborious => too_laborious(),
    }
}

fn no_anchor(anchor: &Anchor) -> Sentence {
    let Anchor { text, follows, nearest } = anchor;
    let near = nearest.as_ref().map(|nearest| format!("; {}", place(nearest, "the `@@` line")));
    let near = near.unwrap_or_default();
    let behind = if *follows { " behind the lines before it in the patch" } else { "" };
    // With or without the second `@@`.
    let is_number = HunkHeader::parse(&format!("@@ {text} @@")).is_some();
    say(
        Code::NoMatch(nearest.clone()),
        format!("the file has no line {}{behind}{near}", quoted(text)),
        match is_number {
            true => {
                "leave out the numbers: an envelope has none, and behind `@@` is a whole line of the file"
            }
            false => {
                "give behind `@@` a whole line of the file as it is, blanks before it included, or more lines \
                 that stay"
            }
        },
    )
}

fn unreadable(invalid: &InvalidPatch) -> Sentence {
    let InvalidPatch { position, line, problem } = invalid;
    let malformed = |message: String, repair: &str| {
        say(Code::Malformed(*position), format!("line {line} of the patch: {message}"), repair)
    };
    match problem {
        PatchSyntaxProblem::Expected(what) => {
            malformed(format!("expected {what}"), "repair the patch, or say the same with `edits`")
        }
        PatchSyntaxProblem::Counts { header, old: 0, new: 0 } => {
            malformed(format!("the hunk of line {header} has more lines than its header says"), COUNT)
        }
        PatchSyntaxProblem::Counts { header, old, new } => malformed(
            format!(
                "the header of the hunk of line {header} says {old} more old and {new} more new lines, each with a space, \
                 `-` or `+` before it"
            ),
            COUNT,
        ),
        PatchSyntaxProblem::Unsupported(what) => say(
            Code::Unsupported,
            format!("line {line} of the patch: {what} cannot be applied"),
            "leave it out of the patch; `write_bytes` writes a file of any kind",
        ),
        PatchSyntaxProblem::TooLarge => say(
            Code::TooLarge(PATCH_BYTES as u64),
            format!("the patch has more than {PATCH_BYTES} bytes"),
            SEVERAL,
        ),
        PatchSyntaxProblem::TooMany => say(
            Code::TooLarge(PATCH_PARTS as u64),
            format!("the patch has more than {PATCH_PARTS} files or blocks"),
            SEVERAL,
        ),
    }
}

pub(super) fn in_patch(part: PatchPart, follows: bool, hunk: Option<(usize, u32)>, why: &Reason) -> Sentence {
    let PatchPart { form, number, line } = part;
    let is_block = matches!(form, PatchForm::Blocks | PatchForm::Marked);
    let word = if is_block { "block" } else { "file" };
    let Sentence { code, message, repair } = if is_block { block(why) } else { part_of(why, word) };
    let depends = matches!(code, Code::NoMatch(_) | Code::Ambiguous(_) | Code::OutOfRange(_));
    let follows = if follows && depends { FOLLOWS } else { "" };
    let at = match hunk {
        Some((hunk, line)) if !is_block => {
            format!("file {number} of the patch, hunk {hunk} (line {line})")
        }
        _ => format!("{word} {number} of the patch (line {line})"),
    };
    say(code, format!("{at}: {message}"), format!("{repair}{follows}"))
}

fn part_of(why: &Reason, word: &str) -> Sentence {
    let patch = || Code::InvalidArgument("patch".to_owned());
    match why {
        Reason::InvalidEdit(EditProblem::SameFile(other)) => say(
            patch(),
            format!("{word} {other} is about the same file, and this {word} cannot follow it"),
            "make one of both, or two calls",
        ),
        Reason::InvalidEdit(EditProblem::InsideFile(other)) => say(
            patch(),
            format!("{word} {other} makes a file where this one has a directory, or the other way round"),
            "make two calls",
        ),
        why => why.sentence(),
    }
}

/// The sentence about a block, which has no `old`.
fn block(why: &Reason) -> Sentence {
    let copy = "copy the text exactly, white space included";
    match why {
        Reason::Patch(problem) => match &**problem {
            PatchProblem::Hunk(HunkProblem::Missing(traces)) => say(
                Code::NoMatch(traces.nearest.clone()),
                format!(
                    "its old lines are not lines of the file in a row{}",
                    found(traces, "the block", BLOCK_RESULT)
                ),
                format!(
                    "read {}, and give the block the same whole lines, white space included",
                    where_to_look(traces)
                ),
            ),
            PatchProblem::Hunk(HunkProblem::Unseparated(traces)) => say(
                Code::NoMatch(traces.nearest.clone()),
                "its old lines are not lines of the file in a row; the first one is `:start_line:`",
                "put a line `-------` behind the line number: without it that is one of the old lines",
            ),
            PatchProblem::Hunk(HunkProblem::Ambiguous(lines, count)) => several(*count, lines),
            _ => part_of(why, "block"),
        },
        Reason::NoMatch(traces) => say(
            Code::NoMatch(traces.nearest.clone()),
            format!("its old text does not occur in the file{}", found(traces, "the block", BLOCK_RESULT)),
            format!("read {} and {copy}", where_to_look(traces)),
        ),
        Reason::Ambiguous { count, lines } => several(*count, lines),
        why => part_of(why, "block"),
    }
}

fn several(count: u64, lines: &[u32]) -> Sentence {
    say(
        Code::Ambiguous(lines.to_vec()),
        format!("its old text occurs {count} times, beginning on {}", on_lines(count, lines)),
        "add surrounding lines to both texts of the block",
    )
}
