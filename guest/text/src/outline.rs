//! Sections: a heading of Markdown with what belongs to it, or what defines a name in code, with its block.
//!
//! What is no code (`mask`) is taken out first, so that names in strings and comments count for nothing. Nothing here is a
//! compiler: what a language allows and nobody writes may not be found, and then it is said that it is not.

pub mod lexer_rules;

mod braces;
mod indentation;
mod layout;
mod markdown;
mod name_path;
mod strip_literals;
#[cfg(test)]
mod tests;

use std::ops::Range;

pub use self::strip_literals::MarkupPart;

use self::lexer_rules::{DefinitionForm, LexerRules};
use self::name_path::{NameOutcome, NameSearch};
use self::strip_literals::Masked;
use super::line_end::Tally;
use super::lines::{end_of_line, start_of_line};

/// What is a section in a kind of file.
#[derive(Debug, Clone, Copy)]
pub enum Sections {
    /// Nobody knows.
    Unknown,
    /// A heading.
    Markdown,
    /// A name with a block in braces.
    Braces(&'static LexerRules),
    /// A name with a block that is indented deeper.
    Indentation(&'static LexerRules),
}

/// Why there is no section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OutlineProblem {
    /// Nothing is called like this, and what comes near it. The first so many names of the list were found.
    Missing {
        /// Names of the list before the one that is missing.
        found: usize,
        /// Names that may have been meant.
        near: Vec<String>,
    },
    /// The name that several have, how many there are, and the first lines of the first ones.
    Several {
        /// The name without a number.
        name: String,
        /// How many.
        count: u64,
        /// Where.
        lines: Vec<u32>,
    },
    /// There is one, but where it ends cannot be told.
    Unclear {
        /// Where it begins.
        line: u32,
        /// Where something begins that does not end, or may be read in another way.
        doubt: u32,
    },
    /// There is none, but something begins in this line that does not end: it may be in there.
    Lost(u32),
    /// A kind of file without sections.
    Unknown,
}

/// The whole lines of the section that a list of names leads to, the outermost first. `name#2` is
/// the second of several that have the name at the same place, if nothing is called `name#2`
/// itself.
pub fn find(text: &[u8], sections: Sections, wanted: &[String]) -> Result<Range<usize>, OutlineProblem> {
    let plain = found(text, sections, wanted, None);
    let Err(OutlineProblem::Missing { found: at, .. }) = plain else { return plain };
    let Some((name, number)) = wanted.get(at).and_then(|name| numbered(name)) else { return plain };
    let mut names = wanted[..=at].to_vec();
    name.clone_into(&mut names[at]);
    let place = match found(text, sections, &names, Some(number)) {
        Err(OutlineProblem::Several { count, .. }) => {
            let near = (1..=count).take(NUMBERS_SHOWN).map(|number| format!("{name}#{number}")).collect();
            return Err(OutlineProblem::Missing { found: at, near });
        }
        place => place?,
    };
    if at + 1 == wanted.len() {
        return Ok(place);
    }
    let inside: Vec<_> = names.drain(at..).chain(wanted[at + 1..].iter().cloned()).collect();
    let mut before = Tally::default();
    before.feed(&text[..place.start]);
    let lines = u32::try_from(before.lines()).unwrap_or(u32::MAX);
    match find(&text[place.clone()], sections, &inside) {
        Ok(found) => Ok(place.start + found.start..place.start + found.end),
        Err(problem) => Err(problem.behind(at, lines)),
    }
}

/// Numbers that a wrong one is answered with.
const NUMBERS_SHOWN: usize = 3;

/// `name` and 2 of `name#2`.
fn numbered(name: &str) -> Option<(&str, usize)> {
    let (name, digits) = name.rsplit_once('#')?;
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
    let number = digits.parse().ok().filter(|_| is_number)?;
    (!name.trim().is_empty()).then_some((name, number))
}

impl OutlineProblem {
    /// The same problem in a part of a text, behind so many names of the list and so many lines.
    fn behind(self, names: usize, before: u32) -> Self {
        match self {
            Self::Missing { found, near } => Self::Missing { found: found + names, near },
            Self::Several { name, count, lines } => {
                Self::Several { name, count, lines: lines.into_iter().map(|line| line + before).collect() }
            }
            Self::Unclear { line, doubt } => Self::Unclear { line: line + before, doubt: doubt + before },
            Self::Lost(line) => Self::Lost(line + before),
            Self::Unknown => Self::Unknown,
        }
    }
}

/// The same without numbers in the list, but for one that says which of several it is.
fn found(
    text: &[u8],
    sections: Sections,
    wanted: &[String],
    number: Option<usize>,
) -> Result<Range<usize>, OutlineProblem> {
    let by_braces = found_in(text, sections, wanted, number);
    match (&by_braces, sections) {
        // Blocks may be only indented.
        (Err(OutlineProblem::Missing { .. }), Sections::Braces(lexis))
            if lexis.forms.contains(&DefinitionForm::Offside) =>
        {
            let by_indentation = found_in(text, Sections::Indentation(lexis), wanted, number);
            if matches!(by_indentation, Err(OutlineProblem::Missing { .. })) {
                by_braces
            } else {
                by_indentation
            }
        }
        _ => by_braces,
    }
}

fn found_in(
    text: &[u8],
    sections: Sections,
    wanted: &[String],
    number: Option<usize>,
) -> Result<Range<usize>, OutlineProblem> {
    let mut names =
        number.map_or_else(|| NameSearch::new(wanted), |number| NameSearch::numbered(wanted, number));
    look(text, sections, &mut names)?;
    match names.finish() {
        NameOutcome::Found(place, doubt) => {
            let section = whole_lines(text, &place);
            match doubt {
                Some(doubt) if !layout::shows(text, &section, sections) => {
                    Err(unclear(text, place.start, doubt))
                }
                _ => Ok(section),
            }
        }
        NameOutcome::Open(place, doubt) => Err(unclear(text, place.start, doubt)),
        NameOutcome::Lost(doubt) => Err(OutlineProblem::Lost(lines_of(text, std::iter::once(doubt))[0])),
        NameOutcome::Several(count, places) => {
            let name = wanted.last().cloned().unwrap_or_default();
            Err(OutlineProblem::Several {
                name,
                count,
                lines: lines_of(text, places.iter().map(|place| place.start)),
            })
        }
        NameOutcome::Missing(found) => {
            let mut names = NameSearch::suggesting(wanted, found);
            look(text, sections, &mut names)?;
            Err(OutlineProblem::Missing { found, near: names.near() })
        }
    }
}

/// The parts of a text in which a comment of code is none.
#[derive(Debug, Default)]
pub struct ContentRegions {
    /// Markup in order: text between the tags of elements in JavaScript, and what is outside of
    /// `<?php … ?>`.
    pub markup: Vec<MarkupPart>,
    /// Where lines begin that are content, in order.
    raw: Vec<Range<usize>>,
    /// Nothing behind this place is known for certain.
    doubt: Option<usize>,
}

impl ContentRegions {
    /// The contents of code of this kind: its strings.
    pub fn of(text: &[u8], sections: Sections) -> Self {
        let (Sections::Braces(lexis) | Sections::Indentation(lexis)) = sections else {
            return Self::default();
        };
        let Masked { markup, mut strings, lost, doubts, .. } = strip_literals::masked(text, lexis);
        strings.sort_unstable_by_key(|string| string.start);
        let raw = strings.into_iter().map(|string| string.start + 1..string.end + 1).collect();
        Self { markup, raw, doubt: lost.into_iter().chain(doubts).min() }
    }

    /// The contents of Markdown: its settings, and its code between two fences.
    pub fn of_markdown(text: &[u8]) -> Self {
        Self { raw: markdown::raw(text), ..Self::default() }
    }

    /// True if the line that begins here begins in content.
    pub fn has(&self, line: usize) -> bool {
        let before = self.raw.partition_point(|raw| raw.start <= line);
        let is_known = self.doubt.is_none_or(|doubt| line <= doubt);
        is_known && self.raw[..before].last().is_some_and(|raw| line < raw.end)
    }
}

fn look(text: &[u8], sections: Sections, names: &mut NameSearch) -> Result<(), OutlineProblem> {
    match sections {
        Sections::Unknown => return Err(OutlineProblem::Unknown),
        Sections::Markdown => markdown::look(text, names),
        Sections::Braces(lexis) => braces::look(text, lexis, names),
        Sections::Indentation(lexis) => indentation::look(text, lexis, names),
    }
    Ok(())
}

fn unclear(text: &[u8], start: usize, doubt: usize) -> OutlineProblem {
    let line = |at: usize| lines_of(text, std::iter::once(at.min(text.len())))[0];
    OutlineProblem::Unclear { line: line(start), doubt: line(doubt) }
}

fn whole_lines(text: &[u8], place: &Range<usize>) -> Range<usize> {
    let start = start_of_line(text, place.start);
    let end = match place.end.checked_sub(1) {
        Some(last) if last >= start => end_of_line(text, last),
        _ => start,
    };
    start..end
}

/// The lines of places, which are in order.
fn lines_of(text: &[u8], places: impl Iterator<Item = usize>) -> Vec<u32> {
    let (mut tally, mut seen) = (Tally::default(), 0);
    let line = |at: usize| {
        tally.feed(&text[seen..at]);
        seen = at;
        u32::try_from(tally.line_of(&text[at..])).unwrap_or(u32::MAX)
    };
    places.map(line).collect()
}
