//! Sections of an open file: a heading with its content, or a definition with its block.

use std::ops::{Range, RangeInclusive};

use crate::file::{ChunkReader, OpenFile};
use fsgate_contract::limits::SECTION_BYTES;
use fsgate_error::{Failure, Reason, SectionProblem};
use fsgate_text::languages;
use fsgate_text::line_end::Tally;
use fsgate_text::lines::{content, end_of_line, start_of_line};
use fsgate_text::outline::{self, OutlineProblem, Sections};
use fsgate_volume::Volume;

/// The kind of sections of a file. Refuses files without any, and large ones.
pub fn kind<V: Volume>(file: &OpenFile<V>) -> Result<Sections, SectionProblem> {
    kind_of(file.name(), file.reader())
}

fn kind_of<V: Volume>(name: &str, reader: &ChunkReader<V>) -> Result<Sections, SectionProblem> {
    match languages::sections_of_file(name, reader.head()) {
        Sections::Unknown => Err(SectionProblem::Unknown),
        _ if reader.size() > SECTION_BYTES => Err(SectionProblem::TooLarge(reader.size())),
        sections => Ok(sections),
    }
}

/// The lines of a section.
pub struct FoundSection {
    /// Their numbers.
    pub lines: RangeInclusive<u64>,
    /// The first line of the comments and attributes directly above it, or its own.
    pub above: u64,
    /// Blank lines directly above those, and directly below it.
    blank: [u64; 2],
    /// Blank lines at its own end, as a heading's part has them.
    blank_inside: u64,
    /// Whether its parent, or the text, ends directly below it.
    is_last: bool,
}

impl FoundSection {
    /// The line below which a text is inserted: above the section's last blank lines, unless the
    /// text ends with one itself and begins with none.
    pub fn to_append(&self, text: &str) -> u64 {
        let is_blank = |line: Option<&str>| line.is_some_and(|line| line.trim().is_empty());
        let brings_its_own = !is_blank(text.lines().next()) && is_blank(text.lines().next_back());
        self.lines.end() - if brings_its_own { 0 } else { self.blank_inside }
    }

    /// The lines with the comments and attributes directly above, and the blank lines of one side.
    pub fn to_delete(&self) -> RangeInclusive<u64> {
        let last = *self.lines.end();
        match self.blank {
            [above, 0] if self.is_last => self.above - above..=last,
            [0, _] if self.above > 1 => self.above..=last,
            [_, below] => self.above..=last + below,
        }
    }
}

/// Finds the lines of a section for a change. Refuses one that shares a line with another
/// definition.
pub fn lines_alone<V: Volume>(file: &OpenFile<V>, section: &[String]) -> Result<FoundSection, Failure> {
    let (found, stands_alone) = located(file, section, true)?;
    if stands_alone {
        return Ok(found);
    }
    let name = section.last().cloned().unwrap_or_default();
    let line = u32::try_from(*found.lines.start()).unwrap_or(u32::MAX);
    Err(file.refuse(SectionProblem::Shared { name, line }))
}

/// Finds a section and its lines.
pub fn lines<V: Volume>(file: &OpenFile<V>, section: &[String]) -> Result<FoundSection, Failure> {
    located(file, section, false).map(|(found, _)| found)
}

/// A section, and whether it shares no line with another definition, if `compares` asks for that.
fn located<V: Volume>(
    file: &OpenFile<V>,
    section: &[String],
    compares: bool,
) -> Result<(FoundSection, bool), Failure> {
    let range = range(file, Some(section))?;
    let start = file.text_start()?;
    let text = file.bytes(start..file.size())?;
    let sections = kind(file).map_err(|problem| file.refuse(problem))?;
    let (begin, end) = ((range.start - start) as usize, (range.end - start) as usize);
    let lead = outline::lead(&text, begin, sections);
    let blank = [blank_at_end(&text[..lead]), blank_at_start(&text[end..])];
    let mut tally = Tally::default();
    let mut counted = |part: Range<usize>| {
        tally.feed(&text[part]);
        tally.total()
    };
    let above = counted(0..lead) + 1;
    let first = counted(lead..begin) + 1;
    let (is_last, blank_inside) = (is_last(&text[begin..end], &text[end..]), blank_at_end(&text[begin..end]));
    let found = FoundSection { lines: first..=counted(begin..end), above, blank, blank_inside, is_last };
    Ok((found, !compares || outline::stands_alone(&text, sections, &(begin..end))))
}

/// Whether the line below a section closes what is around it: it is indented less, or begins with a
/// bracket.
fn is_last(section: &[u8], below: &[u8]) -> bool {
    let indentation = |text: &[u8]| text.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let indented = indentation(below);
    below.get(indented).is_none_or(|first| b"})]".contains(first)) || indented < indentation(section)
}

/// Blank lines at the end of whole lines.
fn blank_at_end(text: &[u8]) -> u64 {
    let mut end = text.len();
    let mut count = 0;
    while end > 0 {
        let start = start_of_line(text, end - 1);
        if !content(&text[start..end]).trim_ascii().is_empty() {
            break;
        }
        (end, count) = (start, count + 1);
    }
    count
}

fn blank_at_start(text: &[u8]) -> u64 {
    let (mut start, mut count) = (0, 0);
    while start < text.len() {
        let end = end_of_line(text, start);
        if !content(&text[start..end]).trim_ascii().is_empty() {
            break;
        }
        (start, count) = (end, count + 1);
    }
    count
}

/// The range of a section, or of the whole text. Refuses an unexpected state first.
pub fn range<V: Volume>(file: &OpenFile<V>, section: Option<&[String]>) -> Result<Range<u64>, Failure> {
    let Some(wanted) = section else { return Ok(file.text_start()?..file.size()) };
    file.require_expected_state()?;
    find(file.name(), file.reader(), wanted).map_err(|reason| file.refuse(reason))
}

/// Finds a section in the content of a file with this name.
pub fn find<V: Volume>(name: &str, reader: &ChunkReader<V>, wanted: &[String]) -> Result<Range<u64>, Reason> {
    if wanted.is_empty() || wanted.iter().any(|name| name.trim().is_empty()) {
        return Err(SectionProblem::Empty.into());
    }
    let sections = kind_of(name, reader)?;
    let start = reader.text_start().map_err(Reason::reading)?;
    let text = reader.bytes(start..reader.size()).map_err(Reason::reading)?;
    let found = outline::find(&text, sections, wanted).map_err(|found| problem(found, wanted))?;
    Ok(start + found.start as u64..start + found.end as u64)
}

fn problem(found: OutlineProblem, wanted: &[String]) -> SectionProblem {
    let last = || wanted.last().cloned().unwrap_or_default();
    match found {
        OutlineProblem::Unknown => SectionProblem::Unknown,
        OutlineProblem::Several { name, count, lines } => SectionProblem::Several { name, count, lines },
        OutlineProblem::Unclear { line, doubt } => SectionProblem::Unclear { name: last(), line, doubt },
        OutlineProblem::Lost(line) => SectionProblem::Lost { name: last(), line },
        OutlineProblem::Missing { found, near } => {
            let name = wanted.get(found).cloned().unwrap_or_default();
            let inside = found.checked_sub(1).and_then(|before| wanted.get(before)).cloned();
            SectionProblem::Missing { name, inside, near }
        }
    }
}
