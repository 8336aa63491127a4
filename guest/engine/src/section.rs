//! The part of a file that `section` names.

use std::ops::Range;

use crate::file::{OpenFile, precondition};
use fsgate_contract::limits::SECTION_BYTES;
use fsgate_error::{Failure, Reason, SectionProblem};
use fsgate_text::languages;
use fsgate_text::nearest::Traces;
use fsgate_text::section::{Problem, Sections, find};
use fsgate_volume::Volume;

/// The whole lines of the section, as offsets in the file; all of the text without one. A file that is not in the state that
/// was expected is told before, as everywhere.
pub fn range<V: Volume>(
    source: &OpenFile<V>,
    section: Option<&[String]>,
    if_match: Option<&str>,
) -> Result<Range<u64>, Failure> {
    let start = source.text_start()?;
    let Some(wanted) = section else { return Ok(start..source.size()) };
    let refuse = |problem| source.refuse(Reason::Section(problem));
    if wanted.is_empty() || wanted.iter().any(|name| name.trim().is_empty()) {
        return Err(refuse(SectionProblem::Empty));
    }
    let language = languages::of_file(source.name(), source.reader().head());
    let sections = language.map_or(Sections::Unknown, |language| language.sections);
    if matches!(sections, Sections::Unknown) {
        return Err(refuse(SectionProblem::Unknown));
    }
    if source.size() > SECTION_BYTES {
        return Err(refuse(SectionProblem::TooLarge(source.size())));
    }
    precondition::check(source, if_match, || source.strong_tag())?;
    let text = source.bytes(start..source.size())?;
    match find(&text, sections, wanted) {
        Ok(found) => Ok(start + found.start as u64..start + found.end as u64),
        Err(Problem::Unknown) => Err(refuse(SectionProblem::Unknown)),
        Err(Problem::Several { name, count, lines }) => {
            Err(refuse(SectionProblem::Several { name, count, lines }))
        }
        Err(Problem::Unclear { line, doubt }) => {
            let name = wanted.last().cloned().unwrap_or_default();
            Err(refuse(SectionProblem::Unclear { name, line, doubt }))
        }
        Err(Problem::Lost(line)) => {
            let name = wanted.last().cloned().unwrap_or_default();
            Err(refuse(SectionProblem::Lost { name, line }))
        }
        Err(Problem::Missing { found, near }) => {
            let name = wanted.get(found).cloned().unwrap_or_default();
            let inside = found.checked_sub(1).and_then(|before| wanted.get(before)).cloned();
            Err(refuse(SectionProblem::Missing { name, inside, near }))
        }
    }
}

/// The reason that a text is not found: it is nowhere, or not in the section. Only in the second case
/// the rest of the file is searched.
pub fn no_match(
    section: Option<&[String]>,
    traces: Traces,
    elsewhere: impl FnOnce() -> Result<(u64, Vec<u32>), Failure>,
) -> Result<Reason, Failure> {
    let Some(name) = section.and_then(<[String]>::last) else { return Ok(Reason::NoMatch(traces)) };
    let (count, lines) = elsewhere()?;
    let (name, nearest) = (name.clone(), traces.nearest.map(Box::new));
    Ok(Reason::Section(SectionProblem::Without { name, nearest, count, lines }))
}
