//! Sentences about sections.

use super::Code;
use super::sentences::{alternatives, on_lines, say};
use crate::limits::SECTION_BYTES;
use crate::text::excerpt::quoted;
use crate::text::languages::with_sections;

/// Why there is no section to look into.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "each case is told by its sentence below")]
pub enum SectionProblem {
    /// A name in the list is empty, or the list is.
    Empty,
    /// `lines` was given as well.
    WithLines,
    /// Of a file that has none that are known.
    Unknown,
    /// The size of the file.
    TooLarge(u64),
    /// The name, what it was looked for in, and names that may have been meant.
    Missing { name: String, inside: Option<String>, near: Vec<String> },
    /// How many there are, and the first lines of the first ones.
    Several { name: String, count: u64, lines: Vec<u32> },
}

/// What is wrong, and what to do about it.
pub(super) fn sentence(problem: &SectionProblem) -> (Code, String, Option<String>) {
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
        SectionProblem::Unknown => (
            argument(),
            "no sections are known in this kind of file".to_owned(),
            Some(format!(
                "leave out `section`; it works in {}",
                with_sections().collect::<Vec<_>>().join(", ")
            )),
        ),
        SectionProblem::TooLarge(size) => (
            Code::TooLarge(SECTION_BYTES),
            format!("the file has {size} bytes; sections are looked for in files of at most {SECTION_BYTES}"),
            Some("leave out `section`".to_owned()),
        ),
        SectionProblem::Missing { name, inside, near } => {
            let place = inside.as_ref().map_or("the file".to_owned(), |inside| quoted(inside));
            let repair = match &near[..] {
                [] => "name a heading, or what is defined in code, the outermost name first".to_owned(),
                near => format!("did you mean {}?", alternatives(near)),
            };
            (Code::NoMatch(None), format!("`section`: {place} has no {}", quoted(name)), Some(repair))
        }
        SectionProblem::Several { name, count, lines } => (
            Code::Ambiguous(lines.clone()),
            format!(
                "`section`: {} is there {count} times, beginning on {}",
                quoted(name),
                on_lines(*count, lines)
            ),
            Some("put the name of what is around it before it in the list".to_owned()),
        ),
    }
}
