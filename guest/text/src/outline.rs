//! Sections: a Markdown heading with its content, a definition in code with its block, or a named
//! entry of a configuration file.
//!
//! Comments and strings do not count: code is stripped of them first (`strip_literals`), and the
//! readers of entries pass over them. Unusual text may not be recognised; then the answer says so.

pub mod lexer_rules;

mod braces;
mod entries;
mod indentation;
mod layout;
mod lead;
mod markdown;
mod name_path;
mod strip_literals;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::ops::{Range, RangeInclusive};

pub use self::entries::EntryFormat;
pub(super) use self::entries::escape_of_dockerfile;
pub use self::lead::lead;
pub use self::strip_literals::MarkupPart;

use self::lexer_rules::{DefinitionForm, LexerRules, Oddity};
use self::name_path::{Listed, NameOutcome, NameSearch};
use self::strip_literals::Masked;
use super::line_end::Tally;
use super::lines::{end_of_line, start_of_line};

/// The kind of sections in a language.
#[derive(Debug, Clone, Copy)]
pub enum Sections {
    /// Unknown.
    Unknown,
    /// Headings.
    Markdown,
    /// Names with a block in braces.
    Braces(&'static LexerRules),
    /// Names with an indented block.
    Indentation(&'static LexerRules),
    /// Tables, keys, targets or stages.
    Entries(EntryFormat),
}

/// The reason why no section is returned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OutlineProblem {
    /// A missing name.
    Missing {
        /// The names found before it.
        found: usize,
        /// Similar names.
        near: Vec<String>,
    },
    /// Several sections have the name.
    Several {
        /// The name without a number.
        name: String,
        /// Their number.
        count: u64,
        /// The first lines of some of them.
        lines: Vec<u32>,
    },
    /// A section whose end is uncertain.
    Unclear {
        /// Its first line.
        line: u32,
        /// The line of an ambiguous or unclosed construct.
        doubt: u32,
    },
    /// No section, but an unclosed construct in this line may hide one.
    Lost(u32),
    /// The file has no sections.
    Unknown,
}

/// The whole lines of a section at a path of names. `name#2` is the second of equal names, unless a
/// name is `name#2`.
pub fn find(text: &[u8], sections: Sections, wanted: &[String]) -> Result<Range<usize>, OutlineProblem> {
    let plain = found(text, sections, wanted, None);
    let at = match &plain {
        Err(OutlineProblem::Missing { found, .. }) => *found,
        // An unclosed construct may come after it.
        Err(OutlineProblem::Lost(_)) => wanted.len().saturating_sub(1),
        _ => return plain,
    };
    let Some((name, number)) = wanted.get(at).and_then(|name| numbered(name)) else { return plain };
    let mut names = wanted[..=at].to_vec();
    name.clone_into(&mut names[at]);
    let place = match found(text, sections, &names, Some(number)) {
        Err(OutlineProblem::Several { .. }) if matches!(plain, Err(OutlineProblem::Lost(_))) => return plain,
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

/// A heading, a definition or an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// Its most complete name, which [`find`] takes.
    pub name: String,
    /// The number of definitions around it.
    pub depth: usize,
    /// Its whole lines.
    pub place: Range<usize>,
    /// The numbers of its first and last line.
    pub lines: RangeInclusive<u32>,
}

/// All sections of a text, in the order in which they begin. The ends of some may be uncertain.
pub fn list(text: &[u8], sections: Sections) -> Result<Vec<Definition>, OutlineProblem> {
    let all = |sections| {
        let mut names = NameSearch::listing();
        look(text, sections, &mut names)?;
        let listed: Vec<_> =
            names.listed().filter_map(|Listed { name, depth, place }| Some((name, depth, place?))).collect();
        let ends = |place: &Range<usize>| [place.start, place.end.saturating_sub(1).max(place.start)];
        let mut offsets: Vec<_> = listed.iter().flat_map(|(.., place)| ends(place)).collect();
        offsets.sort_unstable();
        let lines = numbered_lines(text, &offsets);
        let line = |at: usize| &lines[offsets.partition_point(|offset| *offset < at)];
        let definition = |(name, depth, place): (String, usize, Range<usize>)| {
            let [first, last] = ends(&place).map(line);
            Definition { name, depth, place: first.0.start..last.0.end, lines: first.1..=last.1 }
        };
        Ok(numbered_apart(listed.into_iter().map(definition).collect::<Vec<_>>()))
    };
    let listed = all(sections)?;
    match sections {
        // Blocks may be indented only.
        Sections::Braces(lexis) if listed.is_empty() && lexis.forms.contains(&DefinitionForm::Offside) => {
            all(Sections::Indentation(lexis))
        }
        _ => Ok(listed),
    }
}

/// Whether whole lines hold one definition of code or one entry: no other begins, ends or lies in
/// its first or last line. Definitions inside of it do not count; braces around an entry do.
pub fn stands_alone(text: &[u8], sections: Sections, section: &Range<usize>) -> bool {
    match sections {
        Sections::Braces(_) => {}
        Sections::Entries(format) => return entries::stands_alone(text, format, section),
        Sections::Unknown | Sections::Markdown | Sections::Indentation(_) => return true,
    }
    let listed = list(text, sections).unwrap_or_default();
    let last = section.end.saturating_sub(1).max(section.start);
    let touched = [section.start, last].map(|at| start_of_line(text, at)..end_of_line(text, at).max(at + 1));
    let shares = |one: &Definition| {
        let inside = section.start <= one.place.start && one.place.end <= section.end;
        let ends = [one.place.start, one.place.end.saturating_sub(1)];
        !inside && touched.iter().any(|line| ends.iter().any(|end| line.contains(end)))
    };
    let equal = listed.iter().filter(|one| one.place == *section).count();
    equal <= 1 && !listed.iter().any(shares)
}

/// Numbers equal names in the same place.
fn numbered_apart(mut listed: Vec<Definition>) -> Vec<Definition> {
    let mut around: Vec<usize> = Vec::new();
    let mut equal: BTreeMap<(Option<usize>, &str), Vec<usize>> = BTreeMap::new();
    for (at, one) in listed.iter().enumerate() {
        around.truncate(one.depth);
        equal.entry((around.last().copied(), &one.name)).or_default().push(at);
        around.push(at);
    }
    let several: Vec<_> = equal.into_values().filter(|all| all.len() > 1).collect();
    for (at, number) in several.iter().flat_map(|all| all.iter().zip(1..)) {
        listed[*at].name += &format!("#{number}");
    }
    listed
}

const NUMBERS_SHOWN: usize = 3;

fn numbered(name: &str) -> Option<(&str, usize)> {
    let (name, digits) = name.rsplit_once('#')?;
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
    let number = digits.parse().ok().filter(|_| is_number)?;
    (!name.trim().is_empty()).then_some((name, number))
}

impl OutlineProblem {
    /// Shifts a problem of a part by names and lines before it.
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

fn found(
    text: &[u8],
    sections: Sections,
    wanted: &[String],
    number: Option<usize>,
) -> Result<Range<usize>, OutlineProblem> {
    let by_braces = found_in(text, sections, wanted, number);
    match (&by_braces, sections) {
        // Blocks may be indented only.
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

/// A text with its strings and comments told from its code.
pub struct Code {
    masked: Masked,
    /// The mask has all code, and not just that of blocks.
    is_complete: bool,
}

/// The reason why lines do not become comments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnreadComment {
    /// They open a string or a comment that goes on after them.
    Opens,
    /// A part of them stays code.
    StaysCode,
}

impl Code {
    /// The code of a text.
    pub fn of(text: &[u8], lexis: &LexerRules) -> Self {
        let is_partial = [Oddity::Shell, Oddity::Yaml].iter().any(|other| lexis.oddities.contains(other));
        Self { masked: strip_literals::masked(text, lexis), is_complete: !is_partial }
    }

    /// The code before an offset, if all of it is known.
    pub fn before(&self, end: usize) -> Option<&[u8]> {
        self.is_complete.then(|| &self.masked.code[..end])
    }

    /// Compares with the code after lines became comments, which end at `end` there: the lines hold
    /// no code, and all that follows is read as before.
    pub fn check(&self, lines: Range<usize>, commented: &Self, end: usize) -> Result<(), UnreadComment> {
        let Masked { lost, doubts, .. } = &self.masked;
        // Nothing is certain about such a text.
        if lost.iter().chain(doubts).any(|at| *at < lines.end) {
            return Ok(());
        }
        let is_read_alike = lost.is_some() == commented.masked.lost.is_some()
            && self.strings_after(lines.end) == commented.strings_after(end)
            && self.joints_after(lines.end).eq(commented.joints_after(end))
            && self.code_after(lines.end) == commented.code_after(end);
        if !is_read_alike {
            return Err(UnreadComment::Opens);
        }
        match commented.before(end).map(|code| code[lines.start..].trim_ascii()) {
            None | Some([]) => Ok(()),
            Some(_) => Err(UnreadComment::StaysCode),
        }
    }

    fn code_after(&self, offset: usize) -> &[u8] {
        if self.is_complete { &self.masked.code[offset..] } else { &[] }
    }

    /// The joints behind an offset, counted from there.
    fn joints_after(&self, offset: usize) -> impl Iterator<Item = usize> {
        self.masked.joints.iter().filter_map(move |joint| joint.checked_sub(offset))
    }

    /// The parts of strings behind an offset, counted from there.
    fn strings_after(&self, offset: usize) -> Vec<Range<usize>> {
        let behind = self.masked.strings.iter().filter(|string| string.end > offset);
        behind.map(|string| string.start.saturating_sub(offset)..string.end - offset).collect()
    }
}

/// Parts of a text in which a mark is content.
#[derive(Debug, Default)]
pub struct ContentRegions {
    /// Markup in order: text between JavaScript tags, and outside of `<?php … ?>`.
    pub markup: Vec<MarkupPart>,
    raw: Vec<(Range<usize>, &'static str)>,
    /// Nothing after it is certain.
    doubt: Option<usize>,
}

impl ContentRegions {
    /// The content regions of code: its strings.
    pub fn of(text: &[u8], lexis: &LexerRules) -> Self {
        let Masked { markup, strings, lost, doubts, .. } = strip_literals::masked(text, lexis);
        let what = match lexis.line_comments {
            [] => "a comment, a tag or a string",
            _ => "a string",
        };
        let raw = strings.into_iter().map(|string| (string.start + 1..string.end + 1, what)).collect();
        Self { markup, raw, doubt: lost.into_iter().chain(doubts).min() }.sorted()
    }

    /// The same in a Markdown text: also front matter, fenced code, and tags of HTML.
    pub fn in_markdown(mut self, text: &[u8]) -> Self {
        self.raw.extend(markdown::raw(text));
        Self { doubt: None, ..self }.sorted()
    }

    /// A region that is in another one goes on to its end.
    fn sorted(mut self) -> Self {
        self.raw.sort_by_key(|(place, _)| place.start);
        let mut end = 0;
        for (place, _) in &mut self.raw {
            end = end.max(place.end);
            place.end = end;
        }
        self
    }

    /// The content in which the line at `line` begins.
    pub fn at(&self, line: usize) -> Option<&'static str> {
        let before = self.raw.partition_point(|(place, _)| place.start <= line);
        let is_known = self.doubt.is_none_or(|doubt| line <= doubt);
        let (place, what) = self.raw[..before].last().filter(|_| is_known)?;
        (line < place.end).then_some(*what)
    }
}

fn look(text: &[u8], sections: Sections, names: &mut NameSearch) -> Result<(), OutlineProblem> {
    match sections {
        Sections::Unknown => return Err(OutlineProblem::Unknown),
        Sections::Markdown => markdown::look(text, names),
        Sections::Braces(lexis) => braces::look(text, lexis, names),
        Sections::Indentation(lexis) => indentation::look(text, lexis, names),
        Sections::Entries(format) => entries::look(text, format, names),
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

/// The places and numbers of the lines at sorted offsets. Each line is read once.
fn numbered_lines(text: &[u8], offsets: &[usize]) -> Vec<(Range<usize>, u32)> {
    let (mut line, mut number) = (0..end_of_line(text, 0), 1);
    let numbered = |at: &usize| {
        while line.end <= *at && line.end < text.len() {
            line = line.end..end_of_line(text, line.end);
            number += 1;
        }
        (line.clone(), number)
    };
    offsets.iter().map(numbered).collect()
}

fn lines_of(text: &[u8], places: impl Iterator<Item = usize>) -> Vec<u32> {
    let (mut tally, mut seen) = (Tally::default(), 0);
    let line = |at: usize| {
        tally.feed(&text[seen..at]);
        seen = at;
        u32::try_from(tally.line_of(&text[at..])).unwrap_or(u32::MAX)
    };
    places.map(line).collect()
}
