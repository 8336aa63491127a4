//! The search for the text that an edit replaces.

use std::borrow::Cow;
use std::ops::Range;

use super::section;
use crate::file::encoding::TextFormat;
use crate::file::{OpenFile, TaggedFile};
use fsgate_contract::edit_types::ReplaceArgs;
use fsgate_contract::limits::{LINES_LISTED, NEAREST_BYTES};
use fsgate_error::{Failure, Reason, SectionProblem};
use fsgate_text::find::{LineEnds, OccurrenceScan, ScanEvent};
use fsgate_text::line_end::{Replacement, Tally, replacement};
use fsgate_text::match_count::MatchCount;
use fsgate_text::nearest::{self, Probe, Traces};
use fsgate_volume::Volume;
use fsgate_volume::etag::Subtrees;

/// The occurrences of a text in a file.
pub struct Occurrences<'a> {
    args: &'a ReplaceArgs,
    /// The text to find, in the file's encoding.
    pub old: Cow<'a, [u8]>,
    /// The text that replaces it, in the same encoding.
    pub new: Cow<'a, [u8]>,
    /// The searched range: the text, or a section of it.
    pub section: Range<u64>,
    /// Their number and lines.
    pub survey: MatchCount,
    /// The comparison of line ends that found them.
    pub line_ends: LineEnds,
    /// The occurrence with the asked number.
    pub occurrence: Option<Occurrence>,
    /// The file's line ends, if `new` takes its own from them.
    pub tally: Tally,
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

/// Refuses an empty text.
pub fn require_text<V: Volume>(file: &OpenFile<V>, old: &str) -> Result<(), Failure> {
    if old.is_empty() { Err(file.refuse(Reason::EmptyArgument("old"))) } else { Ok(()) }
}

/// Finds `old` in the bytes, or in decoded text if a match may be a part of a character. Lists the
/// first lines.
pub fn find<'f, 'a, V: Volume>(
    file: OpenFile<'f, V>,
    args: &'a ReplaceArgs,
    listed: usize,
) -> Result<(TaggedFile<'f, V>, Occurrences<'a>), Failure> {
    let format = TextFormat { encoding: args.encoding.as_deref(), escaped: args.escaped() };
    let mut file = file.as_text(&format, &[&args.old, &args.new])?;
    let mut found = Occurrences {
        args,
        old: format.bytes(file.reader(), &args.old),
        new: format.bytes(file.reader(), &args.new),
        section: section::range(&file, args.section.as_deref())?,
        survey: MatchCount::new(b"", 0),
        line_ends: LineEnds::Exact,
        occurrence: None,
        tally: Tally::default(),
        subtrees: Subtrees::default(),
    };
    found.search(&file, listed)?;
    if found.survey.follows_high_byte {
        let is_other;
        (file, is_other) = file.reconsidered()?;
        if is_other {
            found.section = section::range(&file, args.section.as_deref())?;
            found.search(&file, listed)?;
        }
    }
    let tagged = file.tagged(std::mem::take(&mut found.subtrees))?;
    Ok((tagged, found))
}

impl Occurrences<'_> {
    /// The bytes that replace an occurrence.
    pub fn replacement(&self, occurrence: &[u8]) -> Replacement {
        let is_any = self.line_ends == LineEnds::Any;
        let is_exact = self.args.exact_line_ends();
        replacement(&self.old, &self.new, occurrence, is_exact, is_any, &self.tally)
    }

    /// Refuses a new text that the file may not be able to hold; unless the encoding is known, the
    /// bytes decide.
    pub fn require_encodable<V: Volume>(&self, file: &OpenFile<V>) -> Result<(), Failure> {
        if file.has_known_encoding() {
            return Ok(());
        }
        self.survey.require_encodable(&self.args.new).map_err(|error| file.refuse(error))
    }

    /// The reason that nothing was found.
    pub fn no_match<V: Volume>(&self, file: &OpenFile<V>) -> Result<Reason, Failure> {
        let traces = self.traces(file)?;
        let elsewhere = || self.lines(file, file.text_start()?..file.size(), LINES_LISTED);
        no_match(self.args.section.as_deref(), traces, elsewhere)
    }

    /// The number of occurrences in a range, and the lines of the first ones.
    pub fn lines<V: Volume>(
        &self,
        file: &OpenFile<V>,
        section: Range<u64>,
        listed: usize,
    ) -> Result<(u64, Vec<u32>), Failure> {
        let mut again = Occurrences {
            old: Cow::Borrowed(&self.old),
            new: Cow::Borrowed(&self.new),
            section,
            survey: MatchCount::new(b"", 0),
            occurrence: None,
            subtrees: Subtrees::default(),
            ..*self
        };
        again.search(file, listed)?;
        Ok((again.survey.count, again.survey.lines))
    }

    fn traces<V: Volume>(&self, file: &OpenFile<V>) -> Result<Traces, Failure> {
        let section = &self.section;
        let end = section.end.min(section.start + NEAREST_BYTES);
        let text = file.bytes(section.start..end)?;
        let mut before = Tally::default();
        file.feed(file.text_start()?..section.start, |chunk| before.feed(chunk))?;
        let first_line = before.lines() + 1;
        let probe = Probe { text: &text, first_line, ends_file: end == section.end };
        let line_ends = if self.args.exact_line_ends() { LineEnds::Exact } else { LineEnds::Any };
        Ok(nearest::traces(&self.old, &self.new, probe, line_ends))
    }

    /// Finds the text byte for byte. A second pass accepts any line ends if it does not occur, or
    /// its LF ends a CRLF.
    fn search<V: Volume>(&mut self, file: &OpenFile<V>, listed: usize) -> Result<(), Failure> {
        self.pass(file, listed, LineEnds::Exact)?;
        if !self.args.exact_line_ends() && self.survey.calls_for_any_line_end(&self.old) {
            self.pass(file, listed, LineEnds::Any)?;
        }
        Ok(())
    }

    fn pass<V: Volume>(
        &mut self,
        file: &OpenFile<V>,
        listed: usize,
        line_ends: LineEnds,
    ) -> Result<(), Failure> {
        let number = u64::from(self.args.occurrence.unwrap_or(1));
        let takes_line_ends =
            !self.args.exact_line_ends() && memchr::memchr2(b'\n', b'\r', &self.new).is_some();
        let counted = if takes_line_ends { u64::MAX } else { number.max(listed as u64) };
        let mut scan = OccurrenceScan::new(&self.old, line_ends).counting_until(counted);
        let text = file.text_start()?;
        let (mut survey, mut occurrence) = (MatchCount::new(&self.new, listed), None);
        // Hash whole chunks: search output is in smaller pieces, which would leave SIMD lanes idle.
        let mut subtrees = Subtrees::default();
        let mut sink = |event: ScanEvent| {
            survey.see(&event);
            if let ScanEvent::Match { bytes, offset, before } = event
                && survey.count == number
            {
                occurrence = Some(Occurrence { offset: text + offset, bytes: bytes.to_vec(), before });
            }
        };
        let mark = file.bytes(0..text)?;
        subtrees.update(&mark);
        sink(ScanEvent::Text(&mark));
        file.feed(text..self.section.start, |chunk| {
            subtrees.update(chunk);
            scan.pass_over(chunk, &mut sink);
        })?;
        file.feed(self.section.clone(), |chunk| {
            subtrees.update(chunk);
            scan.feed(chunk, &mut sink);
        })?;
        let mut tally = scan.finish(&mut sink);
        file.feed(self.section.end..file.size(), |chunk| {
            subtrees.update(chunk);
            if takes_line_ends {
                tally.feed(chunk);
            }
            sink(ScanEvent::Text(chunk));
        })?;
        (self.survey, self.occurrence, self.line_ends) = (survey, occurrence, line_ends);
        (self.tally, self.subtrees) = (tally, subtrees);
        Ok(())
    }
}

/// The reason that a text is not found. `elsewhere` searches outside of a section.
pub fn no_match(
    section: Option<&[String]>,
    traces: Traces,
    elsewhere: impl FnOnce() -> Result<(u64, Vec<u32>), Failure>,
) -> Result<Reason, Failure> {
    let Some(name) = section.and_then(<[String]>::last) else { return Ok(Reason::NoMatch(traces)) };
    let (count, lines) = elsewhere()?;
    let (name, nearest) = (name.clone(), traces.nearest.map(Box::new));
    Ok(SectionProblem::Without { name, nearest, count, lines }.into())
}
