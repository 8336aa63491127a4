//! A text to find in a file, and the text that takes its place.

use std::borrow::Cow;
use std::ops::{ControlFlow, Range};

use super::splice::{self, SplicePlan};
use crate::file::encoding::{self, TextFormat};
use crate::file::{OpenFile, TaggedFile};
use fsgate_contract::limits::{AMBIGUOUS_LINES, LINES_LISTED, NEAREST_BYTES, SECTION_BYTES};
use fsgate_error::{Failure, Reason, SectionProblem};
use fsgate_text::find::{LineEnds, OccurrenceScan, ScanEvent};
use fsgate_text::languages;
use fsgate_text::line_end::{Replacement, Tally, kept_lines, replacement};
use fsgate_text::match_count::MatchCount;
use fsgate_text::nearest::{self, Probe, Traces};
use fsgate_text::outline::{self, OutlineProblem, Sections};
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

/// The search of a text in the content of a file, and its occurrences.
pub struct Found<'a> {
    /// The text to find, in the encoding of the file.
    pub old: Cow<'a, [u8]>,
    /// The text that takes its place, in the same way.
    pub new: Cow<'a, [u8]>,
    exact_line_ends: bool,
    /// The range that is searched: all of the text, or whole lines of it.
    pub within: Range<u64>,
    /// Number and lines of the occurrences.
    pub survey: MatchCount,
    /// The comparison of line ends that found them.
    pub line_ends: LineEnds,
    /// The occurrence that was to be remembered.
    pub at: Option<Occurrence>,
    /// Line ends of the whole file, if `new` takes its own from there.
    pub tally: Tally,
    /// Have seen the whole content.
    subtrees: Subtrees,
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

/// Plans to replace one occurrence of a text: the one of that number, or the only one. Returns also
/// the first line that changes, and whether line ends of the call were taken as those of the file.
pub fn replace<V: Volume>(
    file: OpenFile<V>,
    edit: &TextEdit,
    occurrence: Option<u32>,
    with_diff: bool,
) -> Result<(SplicePlan<V>, u64, bool), Failure> {
    require_text(&file, edit.old)?;
    let number = occurrence.unwrap_or(1);
    let (tagged, mut found) = find(file, edit, u64::from(number), 0)?;
    let refuse = |reason| Err(tagged.file.refuse(reason));
    let count = found.survey.count;
    let at = match (found.at.take(), occurrence) {
        (Some(_), None) if count > 1 => {
            // The search counts no lines, because only this error lists them.
            let (_, lines) = found.lines(&tagged.file, found.within.clone(), AMBIGUOUS_LINES)?;
            return refuse(Reason::Ambiguous { count, lines });
        }
        (Some(at), _) => at,
        (None, _) if count == 0 => return refuse(found.no_match(&tagged.file, edit.section)?),
        (None, _) => return refuse(Reason::NoSuchOccurrence { asked: number, count }),
    };
    found.survey.require_encodable(edit.new).map_err(|error| tagged.file.refuse(error))?;
    let Replacement { new, adapted } = found.replacement(&at.bytes);
    // The text may begin with lines that stay as they are.
    let kept = kept_lines(&at.bytes, &new, found.line_ends == LineEnds::Any);
    let line = at.before.line_of(&at.bytes) + u64::from(kept);
    let range = at.offset..at.offset + at.bytes.len() as u64;
    let plan = splice::plan(tagged, range, at.before.newlines(), new, None, with_diff)?;
    Ok((plan, line, adapted))
}

/// Refuses a text that cannot be found.
pub fn require_text<V: Volume>(file: &OpenFile<V>, old: &str) -> Result<(), Failure> {
    if old.is_empty() { Err(file.refuse(Reason::EmptyArgument("old"))) } else { Ok(()) }
}

/// Finds a text in the bytes of a file, or in the text that it encodes, if an occurrence in the
/// bytes may be a part of a character. Remembers the occurrence of this number, counted from 1, and
/// lists the lines of the first ones.
pub fn find<'f, 'a, V: Volume>(
    file: OpenFile<'f, V>,
    edit: &TextEdit<'a>,
    number: u64,
    listed: usize,
) -> Result<(TaggedFile<'f, V>, Found<'a>), Failure> {
    let mut file = encoding::as_text(file, &edit.format, &[edit.old, edit.new])?;
    let mut found = Found {
        old: edit.format.bytes(&file, edit.old),
        new: edit.format.bytes(&file, edit.new),
        exact_line_ends: edit.exact_line_ends,
        within: range(&file, edit.section)?,
        survey: MatchCount::new(b"", 0),
        line_ends: LineEnds::Exact,
        at: None,
        tally: Tally::default(),
        subtrees: Subtrees::default(),
    };
    found.search(&file, number, listed)?;
    let is_named = edit.format.label.is_some();
    if found.survey.follows_high_byte && !is_named && file.decoded().is_none() {
        let is_other;
        (file, is_other) = encoding::reconsidered(file)?;
        if is_other {
            found.within = range(&file, edit.section)?;
            found.search(&file, number, listed)?;
        }
    }
    let tagged = TaggedFile::new(file, std::mem::take(&mut found.subtrees))?;
    Ok((tagged, found))
}

impl Found<'_> {
    /// The bytes that take the place of an occurrence.
    pub fn replacement(&self, occurrence: &[u8]) -> Replacement {
        let is_any = self.line_ends == LineEnds::Any;
        replacement(&self.old, &self.new, occurrence, self.exact_line_ends, is_any, &self.tally)
    }

    /// The reason that nothing was found.
    pub fn no_match<V: Volume>(
        &self,
        file: &OpenFile<V>,
        section: Option<&[String]>,
    ) -> Result<Reason, Failure> {
        let traces = self.traces(file)?;
        no_match(section, traces, || self.lines(file, file.text_start()?..file.size(), LINES_LISTED))
    }

    /// The number of occurrences in a range, and the lines of the first ones.
    fn lines<V: Volume>(
        &self,
        file: &OpenFile<V>,
        within: Range<u64>,
        listed: usize,
    ) -> Result<(u64, Vec<u32>), Failure> {
        let mut again = Found {
            old: Cow::Borrowed(&self.old),
            new: Cow::Borrowed(&self.new),
            within,
            survey: MatchCount::new(b"", 0),
            at: None,
            subtrees: Subtrees::default(),
            ..*self
        };
        again.search(file, 1, listed)?;
        Ok((again.survey.count, again.survey.lines))
    }

    /// The traces of a text that does not occur, as far as the file is searched for them.
    fn traces<V: Volume>(&self, file: &OpenFile<V>) -> Result<Traces, Failure> {
        let within = &self.within;
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

    /// Finds the text byte for byte. If it does not occur, or its LF is one of a CRLF, a second
    /// pass takes any line ends for its own.
    fn search<V: Volume>(&mut self, file: &OpenFile<V>, number: u64, listed: usize) -> Result<(), Failure> {
        self.pass(file, number, listed, LineEnds::Exact)?;
        if !self.exact_line_ends && self.survey.calls_for_any_line_end(&self.old) {
            self.pass(file, number, listed, LineEnds::Any)?;
        }
        Ok(())
    }

    fn pass<V: Volume>(
        &mut self,
        file: &OpenFile<V>,
        number: u64,
        listed: usize,
        line_ends: LineEnds,
    ) -> Result<(), Failure> {
        let takes_line_ends = !self.exact_line_ends && memchr::memchr2(b'\n', b'\r', &self.new).is_some();
        let counted = if takes_line_ends { u64::MAX } else { number.max(listed as u64) };
        let mut scan = OccurrenceScan::new(&self.old, line_ends).counting_until(counted);
        let text = file.text_start()?;
        // The bytes of the file decide whether it can hold the new text.
        let asked = if file.has_known_encoding() { &b""[..] } else { &self.new };
        let (mut survey, mut at) = (MatchCount::new(asked, listed), None);
        // The search gives its text in smaller pieces, which would leave lanes of the hash idle.
        let mut subtrees = Subtrees::default();
        let mut sink = |event: ScanEvent| {
            survey.see(&event);
            if let ScanEvent::Match { bytes, offset, before } = event
                && survey.count == number
            {
                at = Some(Occurrence { offset: text + offset, bytes: bytes.to_vec(), before });
            }
        };
        let mark = file.bytes(0..text)?;
        subtrees.update(&mark);
        sink(ScanEvent::Text(&mark));
        file.each_chunk(text..self.within.start, |chunk| {
            subtrees.update(chunk);
            scan.pass_over(chunk, &mut sink);
            ControlFlow::Continue(())
        })?;
        file.each_chunk(self.within.clone(), |chunk| {
            subtrees.update(chunk);
            scan.feed(chunk, &mut sink);
            ControlFlow::Continue(())
        })?;
        let mut tally = scan.finish(&mut sink);
        file.each_chunk(self.within.end..file.size(), |chunk| {
            subtrees.update(chunk);
            if takes_line_ends {
                tally.feed(chunk);
            }
            sink(ScanEvent::Text(chunk));
            ControlFlow::Continue(())
        })?;
        (self.survey, self.at, self.line_ends) = (survey, at, line_ends);
        (self.tally, self.subtrees) = (tally, subtrees);
        Ok(())
    }
}

/// The reason that a text is not found: it is nowhere, or not in the section. Only in the second
/// case the rest of the file is searched.
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

/// The range of a section, which has whole lines; without one, the range of all of the text. A file
/// in another state than the call expects is refused before the section is looked for.
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
    outline::find(&text, sections, wanted)
        .map(|found| start + found.start as u64..start + found.end as u64)
        .map_err(|problem| {
            refuse(match problem {
                OutlineProblem::Unknown => SectionProblem::Unknown,
                OutlineProblem::Several { name, count, lines } => {
                    SectionProblem::Several { name, count, lines }
                }
                OutlineProblem::Unclear { line, doubt } => {
                    SectionProblem::Unclear { name: last(), line, doubt }
                }
                OutlineProblem::Lost(line) => SectionProblem::Lost { name: last(), line },
                OutlineProblem::Missing { found, near } => {
                    let name = wanted.get(found).cloned().unwrap_or_default();
                    let inside = found.checked_sub(1).and_then(|before| wanted.get(before)).cloned();
                    SectionProblem::Missing { name, inside, near }
                }
            })
        })
}
