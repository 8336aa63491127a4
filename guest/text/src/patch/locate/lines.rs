//! Lines of a text and of a hunk.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::ops::ControlFlow;

use memchr::{memchr, memchr2};

use super::super::hunk::{self, LineMark};
use super::BOM;
use crate::borders::borders;
use crate::encoding::Spelling;
use crate::line_end::LineEnd;
use fsgate_contract::limits::AMBIGUOUS_LINES;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineEndRule {
    /// LF only, as in every diff: a CR belongs to the line.
    Lf,
    /// LF, CRLF or CR.
    Any,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WantedLine<'h> {
    pub(super) mark: LineMark,
    pub(super) text: Cow<'h, [u8]>,
    pub(super) is_ended: bool,
}

impl WantedLine<'_> {
    pub(super) fn is_old(&self) -> bool {
        self.mark != LineMark::Add
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TextLine {
    pub(super) start: usize,
    /// The length of a byte order mark at its start.
    pub(super) mark: usize,
    pub(super) body_end: usize,
    pub(super) end: usize,
}

pub(super) fn first_line(text: &[u8], start: usize, ends: LineEndRule) -> Option<TextLine> {
    let rest = text.get(start..).filter(|rest| !rest.is_empty())?;
    let mark = if start == 0 && rest.starts_with(BOM) { BOM.len() } else { 0 };
    let body = match ends {
        LineEndRule::Lf => memchr(b'\n', rest),
        LineEndRule::Any => memchr2(b'\n', b'\r', rest),
    };
    let Some(body) = body else {
        return Some(TextLine { start, mark, body_end: text.len(), end: text.len() });
    };
    let length = if rest[body] == b'\r' && rest.get(body + 1) == Some(&b'\n') { 2 } else { 1 };
    Some(TextLine { start, mark, body_end: start + body, end: start + body + length })
}

impl TextLine {
    pub(super) fn is_ended(&self) -> bool {
        self.end > self.body_end
    }

    pub(super) fn kind(&self, text: &[u8]) -> Option<LineEnd> {
        match &text[self.body_end..self.end] {
            b"\n" => Some(LineEnd::Lf),
            b"\r\n" => Some(LineEnd::CrLf),
            b"\r" => Some(LineEnd::Cr),
            _ => None,
        }
    }

    /// Whether it is the wanted line. A byte order mark counts only if wanted; an open last line
    /// differs unless `is_loose`.
    pub(super) fn is(&self, text: &[u8], wanted: &WantedLine, is_loose: bool) -> bool {
        let body = &text[self.start + self.mark..self.body_end];
        let bare = |text: &[u8]| text.strip_prefix(BOM).is_some_and(|text| text == body);
        (&*wanted.text == body || self.mark > 0 && bare(&wanted.text))
            && (wanted.is_ended == self.is_ended() || is_loose && !self.is_ended())
    }
}

pub(super) fn wanted<'h>(
    lines: &[hunk::HunkLine<'h>],
    spelling: Spelling,
    ends: LineEndRule,
) -> Vec<WantedLine<'h>> {
    let mut out = Vec::with_capacity(lines.len());
    for hunk::HunkLine { mark, text, is_ended } in lines {
        let mark = *mark;
        if ends == LineEndRule::Lf || !text.contains('\r') {
            out.push(WantedLine { mark, text: spelling.inside(text), is_ended: *is_ended });
            continue;
        }
        // The CR of a CRLF belongs to its LF.
        let body = if *is_ended { text.strip_suffix('\r').unwrap_or(text) } else { text };
        let mut parts = body.split('\r').peekable();
        while let Some(part) = parts.next() {
            let is_ended = *is_ended || parts.peek().is_some();
            if is_ended || !part.is_empty() {
                out.push(WantedLine { mark, text: spelling.inside(part), is_ended });
            }
        }
    }
    out
}

/// A search that reads each line once (Knuth, Morris and Pratt over lines).
pub(super) struct LineSearch<'w, 'h> {
    lines: Vec<&'w WantedLine<'h>>,
    /// The longest border for each matched length.
    borders: Vec<usize>,
    is_loose: bool,
}

/// Offsets of lines and the lines before them; perhaps not all.
#[derive(Debug, Default)]
pub(super) struct LinePlaces {
    pub(super) found: Vec<(usize, u64)>,
    pub(super) count: u64,
}

impl<'w, 'h> LineSearch<'w, 'h> {
    /// Prepares the old lines, at least one.
    pub(super) fn new(lines: &'w [WantedLine<'h>], is_loose: bool) -> Self {
        let lines: Vec<_> = lines.iter().filter(|line| line.mark != LineMark::Add).collect();
        let same = |one: usize, other: usize| {
            let (one, other): (&WantedLine, &WantedLine) = (lines[one], lines[other]);
            (&one.text, one.is_ended) == (&other.text, other.is_ended)
        };
        let borders = borders(lines.len(), same);
        Self { lines, borders, is_loose }
    }

    pub(super) fn first(&self, text: &[u8], from: usize, ends: LineEndRule) -> Option<(usize, u64)> {
        let mut first = None;
        self.search(text, from, ends, |place, _| {
            first = Some(place);
            ControlFlow::Break(())
        });
        first
    }

    pub(super) fn places(&self, text: &[u8], from: usize, ends: LineEndRule, at_end: bool) -> LinePlaces {
        let mut places = LinePlaces::default();
        self.search(text, from, ends, |place, end| {
            if !at_end || end == text.len() {
                places.count += 1;
                if places.found.len() < AMBIGUOUS_LINES {
                    places.found.push(place);
                }
            }
            ControlFlow::Continue(())
        });
        places
    }

    fn search(
        &self,
        text: &[u8],
        from: usize,
        ends: LineEndRule,
        mut tell: impl FnMut((usize, u64), usize) -> ControlFlow<()>,
    ) {
        let (mut starts, mut agree) = (VecDeque::new(), 0);
        let (mut at, mut number) = (from, lines_before(text, from, ends));
        while let Some(line) = first_line(text, at, ends) {
            if starts.len() == self.lines.len() {
                starts.pop_front();
            }
            starts.push_back((at, number));
            while agree > 0 && !line.is(text, self.lines[agree], self.is_loose) {
                agree = self.borders[agree];
            }
            agree += usize::from(line.is(text, self.lines[agree], self.is_loose));
            if agree == self.lines.len() {
                if starts.front().is_some_and(|place| tell(*place, line.end).is_break()) {
                    break;
                }
                agree = self.borders[agree];
            }
            at = line.end;
            number += 1;
        }
    }
}

fn lines_before(text: &[u8], at: usize, ends: LineEndRule) -> u64 {
    let mut tally = crate::line_end::Tally::default();
    tally.feed(&text[..at]);
    match ends {
        LineEndRule::Lf => tally.newlines(),
        LineEndRule::Any => tally.lines(),
    }
}
