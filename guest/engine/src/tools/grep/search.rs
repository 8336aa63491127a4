//! Every line of a text that a pattern matches, with context lines. The text comes in blocks of
//! whole lines.
//!
//! No line is shown twice: context ends at the next hit, and begins after all shown lines. A search
//! can end between two hits, or where nothing was found, and resume later; the parts together show
//! the same as one search.

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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Detail {
    /// The lines, with context.
    Lines {
        before: usize,
        after: usize,
        /// The tag of its bytes.
        with_etag: bool,
    },
    Count,
    Any,
}

/// All lines that a match touches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hit {
    pub(super) begin: Position,
    pub(super) end: Position,
    pub(super) line: u64,
    /// The place of the first match in that line, in characters from 1.
    pub(super) column: u64,
    /// The line without its end, or its shown part.
    pub(super) text: Vec<u8>,
    /// The lines before it, in the same form.
    pub(super) before: Vec<Vec<u8>>,
    pub(super) after: Vec<Vec<u8>>,
    /// A line is longer than its shown part.
    pub(super) cut: bool,
    pub(super) etag: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is taken, and the next one may be.
    Taken,
    /// It is taken as the last one.
    Last,
    Refused,
}

pub(super) struct Scan<'a> {
    pub(super) pattern: &'a LinePattern,
    detail: Detail,
    at: Position,
    unshown: u64,
    /// The last unshown lines before `at`: as many as a hit shows.
    recent: VecDeque<Line>,
    /// A hit whose context may go on.
    open: Option<Hit>,
    pub(super) count: u64,
    /// The decoded file, if its text is searched.
    decoded: Option<&'a Decoded>,
    /// A NUL byte does not end the search.
    pub(super) takes_nul: bool,
    /// Nothing was found, but would be with LF in place of CRLF.
    pub(super) wants_lf: bool,
}

struct Line {
    place: Position,
    shown: Vec<u8>,
    cut: bool,
}

impl<'a> Scan<'a> {
    /// A search from the beginning of a line, after `count` found lines.
    pub(super) fn new(pattern: &'a LinePattern, detail: Detail, at: Position, count: u64) -> Self {
        let (recent, open) = (VecDeque::new(), None);
        let (unshown, decoded, takes_nul, wants_lf) = (at.offset, None, false, false);
        Self { pattern, detail, at, unshown, recent, open, count, decoded, takes_nul, wants_lf }
    }

    /// The same in decoded text: tags are about the bytes.
    pub(super) fn of(self, decoded: Option<&'a Decoded>) -> Self {
        Self { decoded, ..self }
    }

    pub(super) fn through_nul(self, takes_nul: bool) -> Self {
        Self { takes_nul, ..self }
    }

    pub(super) fn count(&self) -> u64 {
        self.count
    }

    pub(super) fn wants_lf(&self) -> bool {
        self.wants_lf
    }

    /// Searches the next block of whole lines; the bytes before `from` are searched already.
    /// `is_last`: no other one follows. Breaks off with the position to go on from.
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

    fn tag(&self, offset: u64, line: &[u8]) -> String {
        let Some(decoded) = self.decoded else {
            return etag::range(offset, line.len() as u64, blake3::Hasher::new().update(line));
        };
        // A decoded text is in memory, so its offsets fit.
        let start = decoded.raw_offset(offset as usize);
        let raw = &decoded.raw()[start..decoded.raw_offset(offset as usize + line.len())];
        etag::range(start as u64, raw.len() as u64, blake3::Hasher::new().update(raw))
    }

    /// Characters in a part of a line; an invalid byte is one.
    fn characters(&self, text: &[u8]) -> u64 {
        let units = if self.decoded.is_some() { units(text) } else { 0 };
        // Each unit is three bytes that no character has.
        characters(text) - 2 * units
    }

    /// A part of a line that cuts no unit.
    fn whole_units(&self, line: &[u8], part: Range<usize>) -> Range<usize> {
        match self.decoded {
            Some(_) => unit_start(line, part.start)..unit_start(line, part.end),
            None => part,
        }
    }

    /// The shown part of a context line, and whether it is cut.
    fn beginning(&self, line: &[u8]) -> (Vec<u8>, bool) {
        let line = content(line);
        let shown = self.whole_units(line, around(line, 0, SHOWN_LINE_CHARS));
        let cut = shown.len() < line.len();
        (line[shown].to_vec(), cut)
    }

    pub(super) fn finish(&mut self, sink: &mut dyn FnMut(Hit) -> Verdict) -> ControlFlow<Position> {
        self.close(sink)
    }

    /// The position if the search ends between two blocks: early enough for the next hit's context.
    /// None while a hit waits for its context.
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

    /// Adds the following lines to the open hit.
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

    fn close(&mut self, sink: &mut dyn FnMut(Hit) -> Verdict) -> ControlFlow<Position> {
        let Some(hit) = self.open.take() else { return ControlFlow::Continue(()) };
        let (begin, end) = (hit.begin, hit.end);
        match sink(hit) {
            Verdict::Taken => ControlFlow::Continue(()),
            Verdict::Last => ControlFlow::Break(end),
            Verdict::Refused => ControlFlow::Break(begin),
        }
    }

    /// The last unshown lines of a range, at most `most`; `line` is the number of the line after
    /// them.
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
        // Then lines of earlier blocks.
        while lines.len() < most
            && let Some(earlier) = self.recent.pop_back().filter(|line| line.place.offset >= self.unshown)
        {
            lines.push(earlier);
        }
        lines.reverse();
        lines
    }
}

/// Units of a decoded text for invalid bytes.
fn units(text: &[u8]) -> u64 {
    memchr::memchr_iter(0xED, text).filter(|at| escaped_byte(&text[*at..]).is_some()).count() as u64
}
