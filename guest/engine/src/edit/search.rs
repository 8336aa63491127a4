//! A text to find in a file, and the text that takes its place.

use std::borrow::Cow;
use std::ops::{ControlFlow, Range};

use super::splice::{self, SplicePlan};
use crate::file::encoding::{self, TextFormat};
use crate::file::{OpenFile, TaggedFile};
use fsgate_contract::limits::{AMBIGUOUS_LINES, LINES_LISTED, NEAREST_BYTES, SECTION_BYTES};
use fsgate_error::{Failure, Reason, SectionProblem};
use fsgate_text::find::{Event, LineEnds, Scan};
use fsgate_text::languages;
use fsgate_text::line_end::{Replacement, Tally, kept_lines, replacement};
use fsgate_text::nearest::{self, Probe, Traces};
use fsgate_text::section::{self, Problem, Sections};
use fsgate_text::survey::Survey;
use fsgate_volume::Volume;
use fsgate_volume::etag::Subtrees;

/// A text to find, and the text that takes its place.
pub struct TextEdit<'a> {
    /// The text to find.
    pub old: &'a str,
    /// The text that takes its place.
    pub new: &'a str,
    /// The form of both texts.
    pub format: TextFormat<'a>,
    /// Line ends are compared byte for byte only.
    pub exact_line_ends: bool,
    /// The section of the file that is searched, if not all of it.
    pub section: Option<&'a [String]>,
}

/// A text that was found in a file.
pub struct Found<'f, 'a, V: Volume> {
    /// The file that was searched.
    pub tagged: TaggedFile<'f, V>,
    /// The text to find, in the encoding of the file.
    pub old: Cow<'a, [u8]>,
    /// The text that takes its place, in the same way.
    pub new: Cow<'a, [u8]>,
    /// The range of the file that was searched.
    pub within: Range<u64>,
    /// Number and lines of the occurrences.
    pub survey: Survey,
    /// The comparison of line ends that found them.
    pub line_ends: LineEnds,
    /// The occurrence that was to be remembered.
    pub chosen: Option<Occurrence>,
    /// Line ends of the whole file, if `new` takes its own from there.
    pub tally: Tally,
    exact_line_ends: bool,
}

/// One occurrence.
pub struct Occurrence {
    /// Its offset in the file.
    pub offset: u64,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Line ends before it.
    pub before: Tally,
}

/// One occurrence that is replaced.
pub struct Replaced<V: Volume> {
    /// The splice of the file.
    pub plan: SplicePlan<V>,
    /// The first line that changes.
    pub line: u64,
    /// Line ends of the call were taken as those of the file.
    pub adapted: bool,
}

/// Replaces one occurrence of a text: the one of that number, or the only one.
pub fn replace<V: Volume>(
    file: OpenFile<V>,
    edit: &TextEdit,
    occurrence: Option<u32>,
    with_diff: bool,
) -> Result<Replaced<V>, Failure> {
    require_text(&file, edit.old)?;
    let number = occurrence.unwrap_or(1);
    let mut found = find(file, edit, u64::from(number), 0)?;
    let count = found.survey.count;
    let at = match (found.chosen.take(), occurrence) {
        (Some(_), None) if count > 1 => {
            // The search counts no lines, because only this error lists them.
            let (_, lines) = found.lines(found.within.clone(), AMBIGUOUS_LINES)?;
            return Err(found.refuse(Reason::Ambiguous { count, lines }));
        }
        (Some(at), _) => at,
        (None, _) if count == 0 => return Err(found.refuse(found.no_match(edit.section)?)),
        (None, _) => return Err(found.refuse(Reason::NoSuchOccurrence { asked: number, count })),
    };
    found.require_encodable(edit.new)?;
    let Replacement { new, adapted } = found.replacement(&at.bytes);
    // The text may begin with lines that stay as they are.
    let kept = kept_lines(&at.bytes, &new, found.line_ends == LineEnds::Any);
    let line = at.before.line_of(&at.bytes) + u64::from(kept);
    let range = at.offset..at.offset + at.bytes.len() as u64;
    let plan = splice::plan(found.tagged, range, at.before.newlines(), new, None, with_diff)?;
    Ok(Replaced { plan, line, adapted })
}

/// Refuses a text that cannot be found.
pub fn require_text<V: Volume>(file: &OpenFile<V>, old: &str) -> Result<(), Failure> {
    if old.is_empty() { Err(file.refuse(Reason::EmptyArgument("old"))) } else { Ok(()) }
}

/// Finds a text in the bytes of a file, or in the text that it encodes, if an occurrence in the bytes
/// may be a part of a character. Remembers the occurrence with the number `chosen`, counted from 1,
/// and lists the lines of the first ones.
pub fn find<'f, 'a, V: Volume>(
    file: OpenFile<'f, V>,
    edit: &TextEdit<'a>,
    chosen: u64,
    listed: usize,
) -> Result<Found<'f, 'a, V>, Failure> {
    let mut file = encoding::as_text(file, &edit.format, &[edit.old, edit.new])?;
    let (old, new) = (edit.format.bytes(&file, edit.old), edit.format.bytes(&file, edit.new));
    let search = |file: &OpenFile<V>| {
        let within = range(file, edit.section)?;
        let exact_line_ends = edit.exact_line_ends;
        let request = Request { old: &old, new: &new, exact_line_ends, chosen, listed, within };
        passes(file, &request).map(|passed| (passed, request.within))
    };
    let (mut passed, mut within) = search(&file)?;
    let is_named = edit.format.label.is_some();
    if passed.survey.follows_high_byte && !is_named && file.decoded().is_none() {
        let is_other;
        (file, is_other) = encoding::reconsidered(file)?;
        if is_other {
            (passed, within) = search(&file)?;
        }
    }
    let Passed { survey, line_ends, chosen, tally, subtrees } = passed;
    let exact_line_ends = edit.exact_line_ends;
    let tagged = TaggedFile::new(file, subtrees)?;
    Ok(Found { tagged, old, new, within, survey, line_ends, chosen, tally, exact_line_ends })
}

impl<V: Volume> Found<'_, '_, V> {
    /// This reason, about the file that was searched.
    pub fn refuse(&self, reason: impl Into<Reason>) -> Failure {
        self.tagged.file.refuse(reason)
    }

    /// Refuses a new text that the encoding of the file may not have.
    pub fn require_encodable(&self, new: &str) -> Result<(), Failure> {
        self.survey.require_encodable(new).map_err(|reason| self.refuse(reason))
    }

    /// The bytes that take the place of an occurrence.
    pub fn replacement(&self, occurrence: &[u8]) -> Replacement {
        let is_any = self.line_ends == LineEnds::Any;
        replacement(&self.old, &self.new, occurrence, self.exact_line_ends, is_any, &self.tally)
    }

    /// The reason that nothing was found.
    pub fn no_match(&self, section: Option<&[String]>) -> Result<Reason, Failure> {
        let file = &self.tagged.file;
        let traces = self.traces()?;
        no_match(section, traces, || self.lines(file.text_start()?..file.size(), LINES_LISTED))
    }

    /// The number of occurrences in a range, and the lines of the first ones.
    fn lines(&self, within: Range<u64>, listed: usize) -> Result<(u64, Vec<u32>), Failure> {
        let (old, new, exact_line_ends) = (&self.old[..], &self.new[..], self.exact_line_ends);
        let request = Request { old, new, exact_line_ends, chosen: 1, listed, within };
        let passed = passes(&self.tagged.file, &request)?;
        Ok((passed.survey.count, passed.survey.lines))
    }

    /// The traces of a text that does not occur, as far as the file is searched for them.
    fn traces(&self) -> Result<Traces, Failure> {
        let (file, within) = (&self.tagged.file, &self.within);
        let end = within.end.min(within.start + NEAREST_BYTES);
        let text = file.bytes(within.start..end)?;
        let mut before = Tally::default();
        file.each_chunk(file.text_start()?..within.start, |chunk| {
            before.feed(chunk);
            ControlFlow::Continue(())
        })?;
        let first_line = before.lines() + 1;
        let probe = Probe { text: &text, first_line, ends_file: end == within.end };
        let line_ends = if self.exact_line_ends { LineEnds::Exact } else { LineEnds::Any };
        Ok(nearest::traces(&self.old, &self.new, probe, line_ends))
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

/// The range of a section, which has whole lines; without one, the range of all of the text. A file in
/// another state than the call expects is refused before the section is looked for.
pub fn range<V: Volume>(file: &OpenFile<V>, section: Option<&[String]>) -> Result<Range<u64>, Failure> {
    let start = file.text_start()?;
    let Some(wanted) = section else { return Ok(start..file.size()) };
    let refuse = |problem| file.refuse(Reason::Section(problem));
    if wanted.is_empty() || wanted.iter().any(|name| name.trim().is_empty()) {
        return Err(refuse(SectionProblem::Empty));
    }
    let language = languages::of_file(file.name(), file.reader().head());
    let sections = language.map_or(Sections::Unknown, |language| language.sections);
    if matches!(sections, Sections::Unknown) {
        return Err(refuse(SectionProblem::Unknown));
    }
    if file.size() > SECTION_BYTES {
        return Err(refuse(SectionProblem::TooLarge(file.size())));
    }
    file.require_expected_state()?;
    let text = file.bytes(start..file.size())?;
    let last = || wanted.last().cloned().unwrap_or_default();
    section::find(&text, sections, wanted)
        .map(|found| start + found.start as u64..start + found.end as u64)
        .map_err(|problem| {
            refuse(match problem {
                Problem::Unknown => SectionProblem::Unknown,
                Problem::Several { name, count, lines } => SectionProblem::Several { name, count, lines },
                Problem::Unclear { line, doubt } => SectionProblem::Unclear { name: last(), line, doubt },
                Problem::Lost(line) => SectionProblem::Lost { name: last(), line },
                Problem::Missing { found, near } => {
                    let name = wanted.get(found).cloned().unwrap_or_default();
                    let inside = found.checked_sub(1).and_then(|before| wanted.get(before)).cloned();
                    SectionProblem::Missing { name, inside, near }
                }
            })
        })
}

/// A text to find in one or two passes over a file.
struct Request<'r> {
    old: &'r [u8],
    /// The text that takes its place: the passes show whether the file can hold it.
    new: &'r [u8],
    exact_line_ends: bool,
    /// The occurrence to remember, counted from 1.
    chosen: u64,
    /// The number of occurrences whose lines are listed.
    listed: usize,
    /// Occurrences have to be in this range of the file: all of the text, or whole lines of it.
    within: Range<u64>,
}

/// The results of a pass over a file.
struct Passed {
    survey: Survey,
    line_ends: LineEnds,
    chosen: Option<Occurrence>,
    tally: Tally,
    /// Have seen the whole file.
    subtrees: Subtrees,
}

/// Finds a text byte for byte. If it does not occur, or its LF is one of a CRLF, a second pass takes
/// any line ends for its own.
fn passes<V: Volume>(file: &OpenFile<V>, request: &Request) -> Result<Passed, Failure> {
    let passed = pass(file, request, LineEnds::Exact)?;
    if !request.exact_line_ends && passed.survey.calls_for_any_line_end(request.old) {
        pass(file, request, LineEnds::Any)
    } else {
        Ok(passed)
    }
}

fn pass<V: Volume>(file: &OpenFile<V>, request: &Request, line_ends: LineEnds) -> Result<Passed, Failure> {
    let takes_line_ends = !request.exact_line_ends && memchr::memchr2(b'\n', b'\r', request.new).is_some();
    let counted = if takes_line_ends { u64::MAX } else { request.chosen.max(request.listed as u64) };
    let mut scan = Scan::new(request.old, line_ends).counting_until(counted);
    let text = file.text_start()?;
    let asked = if file.has_known_encoding() { &b""[..] } else { request.new };
    let (mut survey, mut chosen) = (Survey::new(asked, request.listed), None);
    // The search gives its text in smaller pieces, which would leave lanes of the hash idle.
    let mut subtrees = Subtrees::default();
    let mut sink = |event: Event| {
        survey.see(&event);
        if let Event::Match { bytes, offset, before } = event
            && survey.count == request.chosen
        {
            chosen = Some(Occurrence { offset: text + offset, bytes: bytes.to_vec(), before });
        }
    };
    let mark = file.bytes(0..text)?;
    subtrees.update(&mark);
    sink(Event::Text(&mark));
    file.each_chunk(text..request.within.start, |chunk| {
        subtrees.update(chunk);
        scan.pass_over(chunk, &mut sink);
        ControlFlow::Continue(())
    })?;
    file.each_chunk(request.within.clone(), |chunk| {
        subtrees.update(chunk);
        scan.feed(chunk, &mut sink);
        ControlFlow::Continue(())
    })?;
    let mut tally = scan.finish(&mut sink);
    file.each_chunk(request.within.end..file.size(), |chunk| {
        subtrees.update(chunk);
        if takes_line_ends {
            tally.feed(chunk);
        }
        sink(Event::Text(chunk));
        ControlFlow::Continue(())
    })?;
    Ok(Passed { survey, line_ends, chosen, tally, subtrees })
}
