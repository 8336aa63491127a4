//! Every line of a text that a pattern matches, with the lines around it. The text comes in blocks
//! of whole lines.
//!
//! No line is shown twice: the lines after a hit end at the next one, and the lines before a hit
//! begin after all that was shown. A search can end between two hits, or where nothing was found,
//! and go on from a position later; together its parts show what one search would have shown.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::ops::{ControlFlow, Range};

use fsgate_contract::limits::{SHOWN_LINE_CHARS, SHOWN_LINES_CHARS};
use fsgate_text::encoding::{Decoded, escaped_byte, unit_start};
use fsgate_text::excerpt::{around, characters};
use fsgate_text::line_end::count_lines;
use fsgate_text::line_pattern::{LinePattern, MatchedLines};
use fsgate_text::lines::{content, end_of_line, start_of_line};
use fsgate_text::window::Position;
use fsgate_volume::etag;

/// The form of the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Detail {
    /// The lines, with so many around each.
    Lines {
        /// Lines before it.
        before: usize,
        /// Lines after it.
        after: usize,
        /// The tag of its bytes.
        with_etag: bool,
    },
    /// How many there are.
    Count,
    /// Only whether a line matches.
    Any,
}

/// A line that matches; with a pattern for several lines, all the lines that a match touches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hit {
    /// The beginning of the first line that it shows.
    pub(super) begin: Position,
    /// The end of the last line that it shows.
    pub(super) end: Position,
    /// Number of its first line.
    pub(super) line: u64,
    /// The place of the first match in that line, in characters from 1.
    pub(super) column: u64,
    /// The line without its end, or what is shown of it.
    pub(super) text: Vec<u8>,
    /// The lines before it, in the same way.
    pub(super) before: Vec<Vec<u8>>,
    /// The lines after it.
    pub(super) after: Vec<Vec<u8>>,
    /// A line is longer than what is shown of it.
    pub(super) cut: bool,
    /// The tag of the line without its end.
    pub(super) etag: Option<String>,
}

/// The decision about a hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is taken, and so may be the next one.
    Taken,
    /// It is taken, and no other one will be.
    Last,
    /// There is no room for it.
    Refused,
}

/// A search under way.
pub(super) struct Scan<'a> {
    pub(super) pattern: &'a LinePattern,
    detail: Detail,
    /// The beginning of the next block.
    at: Position,
    /// The offset of the first line that was not shown.
    unshown: u64,
    /// The last lines before `at` that were not shown: as many as a hit shows before it.
    recent: VecDeque<Line>,
    /// A hit that may still be followed by lines.
    open: Option<Hit>,
    pub(super) count: u64,
    /// The file, if what is searched is its text.
    decoded: Option<&'a Decoded>,
    /// A NUL byte is as good as any other.
    pub(super) takes_nul: bool,
    /// Nothing was found, and would be if CRLF were LF.
    pub(super) wants_lf: bool,
}

/// A line that the next hit may show before it.
struct Line {
    place: Position,
    shown: Vec<u8>,
    cut: bool,
}

impl<'a> Scan<'a> {
    /// A search from a position on, where a line begins. `count` lines were found before it.
    pub(super) fn new(pattern: &'a LinePattern, detail: Detail, at: Position, count: u64) -> Self {
        let (recent, open) = (VecDeque::new(), None);
        let (unshown, decoded, takes_nul, wants_lf) = (at.offset, None, false, false);
        Self { pattern, detail, at, unshown, recent, open, count, decoded, takes_nul, wants_lf }
    }

    /// The same in the text of this file: tags are about its bytes.
    pub(super) fn of(self, decoded: Option<&'a Decoded>) -> Self {
        Self { decoded, ..self }
    }

    /// The same, where a NUL byte does not end the search.
    pub(super) fn through_nul(self, takes_nul: bool) -> Self {
        Self { takes_nul, ..self }
    }

    /// Number of hits so far.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// True if nothing was found in the lines of a file that end in CRLF, and the pattern takes LF.
    pub(super) fn wants_lf(&self) -> bool {
        self.wants_lf
    }

    /// Searches the next block, which holds whole lines; what stands before `from` was searched
    /// already. `is_last`: no other one follows. Breaks off with the position to go on from.
    pub(super) fn block(
        &mut self,
        text: &[u8],
        from: usize,
        is_last: bool,
        sink: &mut dyn FnMut(Hit) -> Verdict,
    ) -> ControlFlow<Position> {
        let Detail::Lines { before, after, with_etag } = self.detail else {
            return self.count_hits(text, from);
        };
        let base = self.at.offset - from as u64;
        let mut done = from;
        while let Some(MatchedLines { lines, first }) = self.pattern.find(text, done) {
            self.follow(&text[done..lines.start], after);
            self.close(sink)?;
            self.count += 1;
            let line = self.at.line + count_lines(&text[done..lines.start]);
            let context = self.context(text, base, from..lines.start, line, before);
            let whole = content(&text[lines.clone()]);
            let most = if count_lines(whole) > 1 { SHOWN_LINES_CHARS } else { SHOWN_LINE_CHARS };
            let shown =
                self.whole_units(whole, around(whole, (first.start - lines.start).min(whole.len()), most));
            let place = Position { offset: base + lines.start as u64, line, column: 0 };
            self.at = Position {
                offset: base + lines.end as u64,
                line: line + count_lines(&text[lines.clone()]),
                column: 0,
            };
            self.open = Some(Hit {
                begin: context.first().map_or(place, |line| line.place),
                end: self.at,
                line,
                column: self.characters(&text[lines.start..first.start]) + 1,
                cut: shown.len() < whole.len() || context.iter().any(|line| line.cut),
                text: whole[shown].to_vec(),
                before: context.into_iter().map(|line| line.shown).collect(),
                after: Vec::new(),
                etag: with_etag.then(|| self.tag(place.offset, whole)),
            });
            done = lines.end;
        }
        let rest = &text[done..];
        self.follow(rest, after);
        if self.open.as_ref().is_some_and(|hit| is_last || hit.after.len() >= after) {
            self.close(sink)?;
        }
        if !is_last {
            let end = self.at.line + count_lines(rest);
            let context = self.context(text, base, from..text.len(), end, before);
            self.recent = context.into();
            self.at = Position { offset: base + text.len() as u64, line: end, column: 0 };
        }
        ControlFlow::Continue(())
    }

    /// The range tag of a line of the file.
    fn tag(&self, offset: u64, line: &[u8]) -> String {
        let Some(decoded) = self.decoded else {
            return etag::range(offset, line.len() as u64, blake3::Hasher::new().update(line));
        };
        // A text is in memory, so its offsets are numbers of bytes there.
        let start = decoded.raw_offset(offset as usize);
        let raw = &decoded.raw()[start..decoded.raw_offset(offset as usize + line.len())];
        etag::range(start as u64, raw.len() as u64, blake3::Hasher::new().update(raw))
    }

    /// Characters in a part of a line; a byte that is none is one.
    fn characters(&self, text: &[u8]) -> u64 {
        let units = if self.decoded.is_some() { units(text) } else { 0 };
        // Each one is three bytes that no character has.
        characters(text) - 2 * units
    }

    /// A part of a line that cuts nothing in two.
    fn whole_units(&self, line: &[u8], part: Range<usize>) -> Range<usize> {
        match self.decoded {
            Some(_) => unit_start(line, part.start)..unit_start(line, part.end),
            None => part,
        }
    }

    /// The part of a line that is shown beside a hit, and whether it is less than all of it.
    fn beginning(&self, line: &[u8]) -> (Vec<u8>, bool) {
        let line = content(line);
        let shown = self.whole_units(line, around(line, 0, SHOWN_LINE_CHARS));
        let cut = shown.len() < line.len();
        (line[shown].to_vec(), cut)
    }

    /// The text is over.
    pub(super) fn finish(&mut self, sink: &mut dyn FnMut(Hit) -> Verdict) -> ControlFlow<Position> {
        self.close(sink)
    }

    /// Where to go on if the search ends between two blocks: early enough for the lines before the
    /// next hit. None while a hit waits for the lines after it.
    pub(super) fn pause(&self) -> Option<Position> {
        let place = self.recent.front().map_or(self.at, |line| line.place);
        Some(place).filter(|_| self.open.is_none())
    }

    fn count_hits(&mut self, text: &[u8], from: usize) -> ControlFlow<Position> {
        let end = self.at.offset - from as u64 + text.len() as u64;
        if self.detail == Detail::Any {
            if self.pattern.is_found(text, from) {
                self.count += 1;
                return ControlFlow::Break(self.at);
            }
        } else {
            let mut done = from;
            while let Some(found) = self.pattern.find(text, done) {
                self.count += 1;
                done = found.lines.end;
            }
        }
        self.at.offset = end;
        ControlFlow::Continue(())
    }

    /// Gives the open hit the lines that follow it.
    fn follow(&mut self, text: &[u8], most: usize) {
        let Some(mut hit) = self.open.take() else { return };
        let mut from = 0;
        while hit.after.len() < most && from < text.len() {
            let end = end_of_line(text, from);
            let (shown, cut) = self.beginning(&text[from..end]);
            hit.after.push(shown);
            hit.cut |= cut;
            hit.end.offset += (end - from) as u64;
            hit.end.line += 1;
            from = end;
        }
        self.unshown = hit.end.offset;
        self.open = Some(hit);
    }

    /// Gives the open hit away.
    fn close(&mut self, sink: &mut dyn FnMut(Hit) -> Verdict) -> ControlFlow<Position> {
        let Some(hit) = self.open.take() else { return ControlFlow::Continue(()) };
        let (begin, end) = (hit.begin, hit.end);
        match sink(hit) {
            Verdict::Taken => ControlFlow::Continue(()),
            Verdict::Last => ControlFlow::Break(end),
            Verdict::Refused => ControlFlow::Break(begin),
        }
    }

    /// The last lines of a range that were not shown, at most `most`; `line` is the number of the
    /// line after them.
    fn context(&mut self, text: &[u8], base: u64, range: Range<usize>, line: u64, most: usize) -> Vec<Line> {
        let floor = usize::try_from(self.unshown.saturating_sub(base)).unwrap_or(usize::MAX).max(range.start);
        let mut lines = Vec::new();
        let mut end = range.end;
        while lines.len() < most && end > floor {
            let start = start_of_line(text, end - 1).max(floor);
            let (shown, cut) = self.beginning(&text[start..end]);
            let place =
                Position { offset: base + start as u64, line: line - lines.len() as u64 - 1, column: 0 };
            lines.push(Line { place, shown, cut });
            end = start;
        }
        // Then lines of the blocks before.
        while lines.len() < most
            && let Some(earlier) = self.recent.pop_back().filter(|line| line.place.offset >= self.unshown)
        {
            lines.push(earlier);
        }
        lines.reverse();
        lines
    }
}

/// Units of a decoded text that stand for a byte.
fn units(text: &[u8]) -> u64 {
    memchr::memchr_iter(0xED, text).filter(|at| escaped_byte(&text[*at..]).is_some()).count() as u64
}
