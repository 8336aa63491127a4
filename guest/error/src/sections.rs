//! Sentences about sections.

use super::Code;
use super::phrases::{alternatives, on_lines, place};
use super::sentences::{Sentence, say};
use fsgate_contract::limits::SECTION_BYTES;
use fsgate_contract::types::Candidate;
use fsgate_text::excerpt::quoted;
use fsgate_text::languages::with_sections;

/// The reason why there is no section.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "each case has its sentence below")]
pub enum SectionProblem {
    /// The list or a name in it is empty.
    Empty,
    /// `lines` was given as well.
    WithLines,
    /// The path is a directory.
    OfDirectory,
    Unknown,
    TooLarge(u64),
    /// Neither this argument nor `section` was given.
    NoPlace(&'static str),
    /// A file whose kind has no outline.
    NoOutline,
    /// A file too large for an outline.
    OutlineTooLarge(u64),
    /// The name, its parent, and similar names.
    Missing {
        name: String,
        inside: Option<String>,
        near: Vec<String>,
    },
    /// The number of sections, and the lines of some.
    Several {
        name: String,
        count: u64,
        lines: Vec<u32>,
    },
    /// The name, its line, and the line of a doubtful construct.
    Unclear {
        name: String,
        line: u32,
        doubt: u32,
    },
    /// The name, and a line that belongs to another definition too.
    Shared {
        name: String,
        line: u32,
    },
    /// The name, and the unclosed construct's line that may hide it.
    Lost {
        name: String,
        line: u32,
    },
    /// A text missing in the section: the section's name, the nearest place, and matches elsewhere.
    Without {
        name: String,
        nearest: Option<Box<Candidate>>,
        count: u64,
        lines: Vec<u32>,
    },
}

const NAMED: &str = "name a heading, a table, key, target or stage or, in code, a type or a function, the outermost \
                     name first; constants, fields and variables have names in some languages only";

const NAMELESS: &str =
    "leave out `section`, and give more of the text around what is meant, or the numbers of its lines";

fn addresses(name: &str, count: u64, lines: &[u32]) -> String {
    const SHOWN: usize = 8;
    let shown: Vec<_> = (1..)
        .zip(lines.iter().take(SHOWN))
        .map(|(number, line)| format!("{} on line {line}", quoted(&format!("{name}#{number}"))))
        .collect();
    match count.saturating_sub(shown.len() as u64) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

pub(super) fn sentence(problem: &SectionProblem) -> Sentence {
    let argument = || Code::InvalidArgument("section".to_owned());
    match problem {
        SectionProblem::Empty => {
            say(argument(), "`section` has an empty name", "give the names, the outermost one first")
        }
        SectionProblem::WithLines => say(
            argument(),
            "`lines` and `section` exclude one another",
            "leave out `lines` to see the whole section with its line numbers",
        ),
        SectionProblem::OfDirectory => say(
            argument(),
            "`section` is a part of one file, and the path is a directory",
            "give the `path` of one file, or leave out `section`",
        ),
        SectionProblem::Unknown => say(
            argument(),
            "no sections are known in this kind of file",
            format!("leave out `section`; it works in {}", with_sections().collect::<Vec<_>>().join(", ")),
        ),
        SectionProblem::TooLarge(size) => say(
            Code::TooLarge(SECTION_BYTES),
            format!("the file has {size} bytes; sections are looked for in files of at most {SECTION_BYTES}"),
            "leave out `section`",
        ),
        SectionProblem::NoPlace(lines) => say(
            Code::InvalidArgument((*lines).to_owned()),
            format!("neither `{lines}` nor `section` says where"),
            format!("give one of them: `{lines}` by number, or `section` by name"),
        ),
        SectionProblem::NoOutline => say(
            Code::InvalidArgument("path".to_owned()),
            "no sections are known in this kind of file",
            format!("read or search it; outlines are of {}", with_sections().collect::<Vec<_>>().join(", ")),
        ),
        SectionProblem::OutlineTooLarge(size) => say(
            Code::TooLarge(SECTION_BYTES),
            format!("the file has {size} bytes; outlines are of files of at most {SECTION_BYTES}"),
            "search it for the definitions",
        ),
        SectionProblem::Missing { name, inside, near } => {
            let place = inside.as_ref().map_or("the file".to_owned(), |inside| quoted(inside));
            let repair = match &near[..] {
                [] => NAMED.to_owned(),
                near => format!("did you mean {}?", alternatives(near)),
            };
            say(Code::NoMatch(None), format!("`section`: {place} has no {}", quoted(name)), repair)
        }
        SectionProblem::Several { name, count, lines } => say(
            Code::Ambiguous(lines.clone()),
            format!("`section`: {} is there {count} times: {}", quoted(name), addresses(name, *count, lines)),
            "give the one that is meant with its number, or put the name of what is around it before it in the list",
        ),
        SectionProblem::Unclear { name, line, doubt } => {
            let name = quoted(name);
            let message = if line == doubt {
                format!("`section`: {name} begins on line {line}, and where it ends cannot be told")
            } else {
                format!(
                    "`section`: {name} begins on line {line}, and where it ends cannot be told: what begins on line {doubt} \
                     is not closed, or may be read in several ways"
                )
            };
            let mut lines = vec![*line, *doubt];
            lines.dedup();
            say(Code::Ambiguous(lines), message, NAMELESS)
        }
        SectionProblem::Shared { name, line } => say(
            Code::Ambiguous(vec![*line]),
            format!(
                "`section`: {} on line {line} shares a line with another definition or a brace",
                quoted(name)
            ),
            "change its text instead of whole lines",
        ),
        SectionProblem::Lost { name, line } => say(
            Code::Ambiguous(vec![*line]),
            format!(
                "`section`: there is no {} before line {line}, and what begins there is not closed",
                quoted(name)
            ),
            NAMELESS,
        ),
        SectionProblem::Without { name, nearest, count, lines } => {
            let nearest = nearest.as_deref();
            let mut message = format!("`old` does not occur in the section {}", quoted(name));
            let repair = if *count > 0 {
                message += &match count {
                    1 => format!("; in the file it occurs once, beginning on {}", on_lines(*count, lines)),
                    _ => format!(
                        "; in the file it occurs {count} times, beginning on {}",
                        on_lines(*count, lines)
                    ),
                };
                "leave out `section`, or give the names of the one that is meant"
            } else {
                "read the section and copy the text exactly, white space included"
            };
            if let Some(nearest) = nearest {
                message += &format!("; in the section, {}", place(nearest, "`old`"));
            }
            say(Code::NoMatch(nearest.cloned()), message, repair)
        }
    }
}
