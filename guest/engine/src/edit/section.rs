//! Sections of an open file: a heading with its content, or a definition with its block.

use std::ops::{Range, RangeInclusive};

use crate::file::OpenFile;
use fsgate_contract::limits::SECTION_BYTES;
use fsgate_error::{Failure, SectionProblem};
use fsgate_text::languages;
use fsgate_text::line_end::Tally;
use fsgate_text::outline::{self, OutlineProblem, Sections};
use fsgate_volume::Volume;

/// The kind of sections of a file. Refuses files without any, and large ones.
pub fn kind<V: Volume>(file: &OpenFile<V>) -> Result<Sections, SectionProblem> {
    let language = languages::of_file(file.name(), file.reader().head());
    match language.map_or(Sections::Unknown, |language| language.sections) {
        Sections::Unknown => Err(SectionProblem::Unknown),
        _ if file.size() > SECTION_BYTES => Err(SectionProblem::TooLarge(file.size())),
        sections => Ok(sections),
    }
}

/// The lines of a section.
pub struct FoundSection {
    /// Their numbers.
    pub lines: RangeInclusive<u64>,
    /// The first line of the comments and attributes directly above it, or its own.
    pub above: u64,
}

impl FoundSection {
    /// The lines with the comments and attributes directly above.
    pub fn with_lead(&self) -> RangeInclusive<u64> {
        self.above..=*self.lines.end()
    }
}

/// Finds a section and its lines.
pub fn lines<V: Volume>(file: &OpenFile<V>, section: &[String]) -> Result<FoundSection, Failure> {
    let range = range(file, Some(section))?;
    let start = file.text_start()?;
    let text = file.bytes(start..range.end)?;
    let sections = kind(file).map_err(|problem| file.refuse(problem))?;
    let begin = (range.start - start) as usize;
    let lead = outline::lead(&text, begin, sections);
    let mut tally = Tally::default();
    let mut counted = |part: Range<usize>| {
        tally.feed(&text[part]);
        tally.total()
    };
    let above = counted(0..lead) + 1;
    let first = counted(lead..begin) + 1;
    Ok(FoundSection { lines: first..=counted(begin..text.len()), above })
}

/// The range of a section, or of the whole text. Refuses an unexpected state first.
pub fn range<V: Volume>(file: &OpenFile<V>, section: Option<&[String]>) -> Result<Range<u64>, Failure> {
    let start = file.text_start()?;
    let Some(wanted) = section else { return Ok(start..file.size()) };
    let refuse = |problem| file.refuse(problem);
    if wanted.is_empty() || wanted.iter().any(|name| name.trim().is_empty()) {
        return Err(refuse(SectionProblem::Empty));
    }
    let sections = kind(file).map_err(refuse)?;
    file.require_expected_state()?;
    let text = file.bytes(start..file.size())?;
    outline::find(&text, sections, wanted)
        .map(|found| start + found.start as u64..start + found.end as u64)
        .map_err(|found| file.refuse(problem(found, wanted)))
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
