//! Sections: a heading of Markdown with what belongs to it, or what defines a name in code, with its block.
//!
//! What is no code (`mask`) is taken out first, so that names in strings and comments count for nothing. Nothing here is a
//! compiler: what a language allows and nobody writes may not be found, and then it is said that it is not.

pub mod lexis;

mod braces;
mod indentation;
mod layout;
mod markdown;
mod mask;
mod names;
#[cfg(test)]
mod tests;

use std::ops::Range;

use self::lexis::Lexis;
use self::names::{Names, Outcome};
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
    Braces(&'static Lexis),
    /// A name with a block that is indented deeper.
    Indentation(&'static Lexis),
}

/// Why there is no section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// Nothing is called like this, and what comes near it. The first so many names of the list were found.
    Missing {
        /// Names of the list before the one that is missing.
        found: usize,
        /// Names that may have been meant.
        near: Vec<String>,
    },
    /// How many there are, and the first lines of the first ones.
    Several {
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

/// The whole lines of the section that a list of names leads to, the outermost first.
pub fn find(text: &[u8], sections: Sections, wanted: &[String]) -> Result<Range<usize>, Problem> {
    let mut names = Names::new(wanted);
    look(text, sections, &mut names)?;
    match names.finish() {
        Outcome::Found(place, doubt) => {
            let section = whole_lines(text, &place);
            match doubt {
                Some(doubt) if !layout::shows(text, &section, sections) => {
                    Err(unclear(text, place.start, doubt))
                }
                _ => Ok(section),
            }
        }
        Outcome::Open(place, doubt) => Err(unclear(text, place.start, doubt)),
        Outcome::Lost(doubt) => Err(Problem::Lost(lines_of(text, std::iter::once(doubt))[0])),
        Outcome::Several(count, places) => {
            Err(Problem::Several { count, lines: lines_of(text, places.iter().map(|place| place.start)) })
        }
        Outcome::Missing(found) => {
            let mut names = Names::suggesting(wanted, found);
            look(text, sections, &mut names)?;
            Err(Problem::Missing { found, near: names.near() })
        }
    }
}

/// What is markup in a text of this kind, in order: text between the tags of elements in JavaScript, and
/// what is outside of `<?php … ?>`.
pub fn markup(text: &[u8], sections: Sections) -> Vec<Range<usize>> {
    match sections {
        Sections::Braces(lexis) => mask::masked(text, lexis).markup,
        _ => Vec::new(),
    }
}

fn look(text: &[u8], sections: Sections, names: &mut Names) -> Result<(), Problem> {
    match sections {
        Sections::Unknown => return Err(Problem::Unknown),
        Sections::Markdown => markdown::look(text, names),
        Sections::Braces(lexis) => braces::look(text, lexis, names),
        Sections::Indentation(lexis) => indentation::look(text, lexis, names),
    }
    Ok(())
}

fn unclear(text: &[u8], start: usize, doubt: usize) -> Problem {
    let line = |at: usize| lines_of(text, std::iter::once(at.min(text.len())))[0];
    Problem::Unclear { line: line(start), doubt: line(doubt) }
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
