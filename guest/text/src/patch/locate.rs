//! Finds hunks in a text and applies them.
//!
//! Old lines must match exactly. A hunk of a unified diff belongs at its header's line, else at the
//! only other match: people and models miscount lines. A hunk of an envelope has one place after
//! its anchors. Hunks come in file order.
//!
//! Lines end in LF, as in every diff. A diff without a match may match with other line ends; in an
//! envelope they never distinguish places. New lines take the line ends of replaced lines, of
//! neighbours, or of most lines.

mod lines;

use self::lines::{LineEndRule, LineSearch, TextLine, WantedLine, first_line, wanted};
use std::cell::Cell;
use std::ops::Range;

use super::hunk::{self, Hunk, HunkPlace, LineMark};
use crate::encoding::Spelling;
use crate::find;
use crate::line_end::{LineEnd, Tally};
use crate::nearest::{self, Probe, Traces};
use fsgate_contract::limits::{EDITS_LOOK_BYTES, NEAREST_BYTES};
use fsgate_contract::types::Candidate;

/// The result of hunks.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct AppliedHunks {
    /// The new text.
    pub text: Vec<u8>,
    /// The first changed old line of each hunk.
    pub lines: Vec<u64>,
    /// Line ends of the hunks were adapted to the text.
    pub adapted: bool,
    /// Hunks found at other lines than they say.
    pub moved: Vec<MovedHunk>,
    /// Changed old parts in order, with new lengths.
    pub parts: Vec<(Range<usize>, usize)>,
}

/// A hunk at another line than it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MovedHunk {
    /// Its number, from 1.
    pub number: usize,
    /// The line that it says.
    pub says: u64,
    /// Its actual line.
    pub line: u64,
}

/// A hunk without a place.
#[derive(Debug, PartialEq)]
pub struct MisplacedHunk {
    /// Its index.
    pub hunk: usize,
    /// The reason.
    pub why: HunkProblem,
}

/// The reason why a hunk has no place.
#[derive(Debug, Clone, PartialEq)]
pub enum HunkProblem {
    /// Its old lines are missing; their traces.
    Missing(Traces),
    /// The same for a block with a line number but no hyphens.
    Unseparated(Traces),
    /// It belongs after this line, of only so many.
    PastEnd(u64, u64),
    /// It belongs after this line, which has no line end.
    Unended(u64),
    /// An anchor line is missing.
    NoAnchor(Anchor),
    /// Its last line differs only in having a line end.
    Unmarked(Option<Candidate>),
    /// It would begin at this line, inside the previous hunk.
    Overlapping(u64),
    /// It would begin at this line, before the previous hunk's end.
    Disordered(u64),
    /// Several places: the first lines and the number.
    Ambiguous(Vec<u32>, u64),
    /// The hunks scan too much text.
    Laborious,
}

/// A missing anchor line of a hunk.
#[derive(Debug, Clone, PartialEq)]
pub struct Anchor {
    /// The line.
    pub text: String,
    /// It must follow a hunk or anchor.
    pub follows: bool,
    /// The nearest line of the file.
    pub nearest: Option<Candidate>,
}

/// Applies all hunks. Adds the scanned bytes to `looked`.
pub fn apply(
    text: &[u8],
    hunks: &[Hunk],
    spelling: Spelling,
    exact_line_ends: bool,
    looked: &mut u64,
) -> Result<AppliedHunks, MisplacedHunk> {
    let mut run =
        HunkRun { text, spelling, exact_line_ends, looked: Cell::new(*looked), ..HunkRun::default() };
    for (number, hunk) in hunks.iter().enumerate() {
        let made = if run.looked.get() > EDITS_LOOK_BYTES {
            Err(HunkProblem::Laborious)
        } else {
            run.hunk(number, hunk)
        };
        made.map_err(|why| match why {
            HunkProblem::Missing(traces) if hunk.has_number() => HunkProblem::Unseparated(traces),
            why => why,
        })
        .map_err(|why| MisplacedHunk { hunk: number, why })?;
    }
    *looked = run.looked.get();
    run.done.text.extend_from_slice(&text[run.at..]);
    Ok(run.done)
}

struct LocatedHunk<'h> {
    at: usize,
    ends: LineEndRule,
    lines: Vec<WantedLine<'h>>,
    /// An open last line matches one with a line end.
    is_loose: bool,
}

#[derive(Default)]
struct HunkRun<'t> {
    text: &'t [u8],
    spelling: Spelling,
    exact_line_ends: bool,
    at: usize,
    last: usize,
    tally: Tally,
    majority: Option<LineEnd>,
    done: AppliedHunks,
    looked: Cell<u64>,
}

impl HunkRun<'_> {
    fn hunk(&mut self, number: usize, hunk: &Hunk) -> Result<(), HunkProblem> {
        let found = match &hunk.stands {
            HunkPlace::After(before) => self.counted(number, hunk, *before)?,
            HunkPlace::Behind { line, anchors, at_end } => self.anchored(hunk, *line, anchors, *at_end)?,
        };
        self.pass(found.at);
        self.last = found.at;
        let unchanged = found.lines.iter().take_while(|line| line.mark == LineMark::Keep).count() as u64;
        // Also after an open last line.
        let before = if found.at == self.text.len() { self.tally.total() } else { self.tally.lines() };
        self.done.lines.push(before + 1 + unchanged);
        self.make(&found);
        Ok(())
    }

    fn looks(&self, from: usize, to: usize) {
        self.looked.set(self.looked.get() + to.saturating_sub(from) as u64);
    }

    fn pass(&mut self, to: usize) {
        let passed = &self.text[self.at..to];
        self.tally.feed(passed);
        self.done.text.extend_from_slice(passed);
        self.at = to;
    }

    fn kinds(&self) -> &'static [LineEndRule] {
        if self.exact_line_ends { &[LineEndRule::Lf] } else { &[LineEndRule::Lf, LineEndRule::Any] }
    }

    fn counted<'h>(
        &mut self,
        number: usize,
        hunk: &Hunk<'h>,
        before: u64,
    ) -> Result<LocatedHunk<'h>, HunkProblem> {
        let found = |at, ends, lines| LocatedHunk { at, ends, lines, is_loose: false };
        let kinds: Vec<_> =
            self.kinds().iter().map(|ends| (*ends, wanted(&hunk.lines, self.spelling, *ends))).collect();
        if !hunk.lines.iter().any(hunk::HunkLine::is_old) {
            let mut places =
                kinds.into_iter().map(|(ends, lines)| (self.line_after(before, ends), ends, lines));
            let place = places.find_map(|(at, ends, lines)| Some((at?, ends, lines)));
            let (at, ends, lines) = place.ok_or_else(|| self.no_line(before))?;
            // The text starts after its mark.
            let at = at.max(first_line(self.text, 0, LineEndRule::Lf).map_or(0, |first| first.mark));
            return Ok(found(at, ends, lines));
        }
        for (ends, lines) in &kinds {
            if let Some(at) = self.line_after(before, *ends)
                && self.fits(at, lines, *ends, false)
            {
                return Ok(found(at, *ends, lines.clone()));
            }
        }
        // An open last line is no place, but makes another uncertain.
        let fits_unended = |(ends, lines): &(LineEndRule, Vec<WantedLine>)| {
            self.line_after(before, *ends).is_some_and(|at| self.fits(at, lines, *ends, true))
        };
        if kinds.iter().any(fits_unended) {
            return Err(HunkProblem::Unmarked(self.traces(hunk, false).nearest));
        }
        let mut is_unmarked = false;
        for (ends, lines) in kinds {
            self.looks(0, self.text.len());
            let places = LineSearch::new(&lines, true).places(self.text, 0, ends, false);
            let Some((at, line)) = self.only(&places)? else { continue };
            if self.fits(at, &lines, ends, false) {
                self.done.moved.push(MovedHunk { number: number + 1, says: before + 1, line: line + 1 });
                return Ok(found(at, ends, lines));
            }
            is_unmarked = true;
        }
        let traces = self.traces(hunk, false);
        Err(if is_unmarked { HunkProblem::Unmarked(traces.nearest) } else { HunkProblem::Missing(traces) })
    }

    fn anchored<'h>(
        &self,
        hunk: &Hunk<'h>,
        line: Option<u64>,
        anchors: &[&'h str],
        at_end: bool,
    ) -> Result<LocatedHunk<'h>, HunkProblem> {
        let ends = if self.exact_line_ends { LineEndRule::Lf } else { LineEndRule::Any };
        let lines = wanted(&hunk.lines, self.spelling, ends);
        let (mut from, mut anchored) = (self.aligned(ends), None);
        for told in anchors {
            let text = self.spelling.inside(told);
            let anchor = [WantedLine { mark: LineMark::Keep, text, is_ended: true }];
            let first = LineSearch::new(&anchor, true).first(self.text, from, ends);
            self.looks(from, first.map_or(self.text.len(), |(at, _)| at));
            let Some((at, _)) = first else { return Err(self.no_anchor(told, from > 0)) };
            anchored = Some((from, anchor));
            from = first_line(self.text, at, ends).map_or(self.text.len(), |line| line.end);
        }
        if !lines.iter().any(WantedLine::is_old) {
            if let Some((begin, anchor)) = anchored.filter(|_| !at_end) {
                self.looks(begin, self.text.len());
                self.only(&LineSearch::new(&anchor, true).places(self.text, begin, ends, false))?;
            } else {
                from = self.text.len();
            }
            return Ok(self.found(hunk, from, ends, lines));
        }
        let wanted = LineSearch::new(&lines, true);
        self.looks(from, self.text.len());
        let places = wanted.places(self.text, from, ends, at_end);
        let is_told = |(_, before): &&(usize, u64)| Some(before + 1) == line;
        let place = match places.found.iter().find(is_told) {
            Some(place) => Some(*place),
            None => self.only(&places)?,
        };
        if let Some((at, _)) = place {
            return Ok(self.found(hunk, at, ends, lines));
        }
        if self.at > 0 {
            self.looks(0, self.text.len());
            let places = wanted.places(self.text, 0, ends, at_end);
            if let Some(why) = places.found.iter().rev().find_map(|place| self.passed(*place)) {
                return Err(why);
            }
        }
        Err(HunkProblem::Missing(self.traces(hunk, at_end)))
    }

    /// A hunk's place with any line ends; an exact match goes first.
    fn found<'h>(
        &self,
        hunk: &Hunk<'h>,
        at: usize,
        ends: LineEndRule,
        lines: Vec<WantedLine<'h>>,
    ) -> LocatedHunk<'h> {
        let as_it_is = wanted(&hunk.lines, self.spelling, LineEndRule::Lf);
        let is_begin = at == 0 || at == self.text.len() || self.text[at - 1] == b'\n';
        let (ends, lines) = match is_begin && self.fits(at, &as_it_is, LineEndRule::Lf, true) {
            true => (LineEndRule::Lf, as_it_is),
            false => (ends, lines),
        };
        LocatedHunk { at, ends, lines, is_loose: true }
    }

    fn no_anchor(&self, text: &str, follows: bool) -> HunkProblem {
        let line = format!("{text}\n");
        let nearest = self.searched(|probe, line_ends| {
            nearest::nearest_lines(&self.spelling.inside(&line), probe, line_ends, false)
        });
        HunkProblem::NoAnchor(Anchor { text: text.to_owned(), follows, nearest })
    }

    fn only(&self, places: &lines::LinePlaces) -> Result<Option<(usize, u64)>, HunkProblem> {
        match places.found[..] {
            [] => Ok(None),
            [place] => self.passed(place).map_or(Ok(Some(place)), Err),
            _ => {
                let lines = places.found.iter();
                let lines = lines.filter_map(|(_, line)| u32::try_from(line + 1).ok()).collect();
                Err(HunkProblem::Ambiguous(lines, places.count))
            }
        }
    }

    /// The reason why a hunk cannot begin before the last one's end.
    fn passed(&self, (at, line): (usize, u64)) -> Option<HunkProblem> {
        let why = if at < self.last { HunkProblem::Disordered } else { HunkProblem::Overlapping };
        (at < self.at).then(|| why(line + 1))
    }

    /// The next line start: a hunk may end inside a line under other rules.
    fn aligned(&self, ends: LineEndRule) -> usize {
        let is_begin = self.at == 0 || ends == LineEndRule::Any || self.text[self.at - 1] == b'\n';
        let from = self.at - usize::from(!is_begin);
        if is_begin {
            self.at
        } else {
            first_line(self.text, from, ends).map_or(self.text.len(), |line| line.end)
        }
    }

    /// The start of the line after `before` lines; none if missing or passed.
    fn line_after(&self, before: u64, ends: LineEndRule) -> Option<usize> {
        let mut at = self.aligned(ends);
        let mut tally = self.tally;
        tally.feed(&self.text[self.at..at]);
        let mut line = match ends {
            LineEndRule::Lf => tally.newlines(),
            LineEndRule::Any => tally.lines(),
        };
        while line < before {
            let Some(next) = first_line(self.text, at, ends).filter(TextLine::is_ended) else {
                self.looks(self.at, self.text.len());
                return None;
            };
            at = next.end;
            line += 1;
        }
        self.looks(self.at, at);
        (line == before
            && (at == 0 || at < self.text.len() || matches!(self.text.last(), Some(b'\n' | b'\r'))))
        .then_some(at)
    }

    fn fits(&self, mut at: usize, lines: &[WantedLine], ends: LineEndRule, is_loose: bool) -> bool {
        lines.iter().filter(|line| line.is_old()).all(|wanted| {
            let Some(line) = first_line(self.text, at, ends) else { return false };
            at = line.end;
            line.is(self.text, wanted, is_loose)
        })
    }

    fn no_line(&self, before: u64) -> HunkProblem {
        let mut tally = self.tally;
        tally.feed(&self.text[self.at..]);
        let (ended, lines) = match self.exact_line_ends {
            true => (tally.newlines(), tally.newlines() + tally.total() - tally.lines()),
            false => (tally.lines(), tally.total()),
        };
        if before > lines {
            HunkProblem::PastEnd(before, lines)
        } else if before > ended {
            HunkProblem::Unended(before)
        } else {
            let mut tally = Tally::default();
            tally.feed(&self.text[..self.last]);
            let is_inside = before > if self.exact_line_ends { tally.newlines() } else { tally.lines() };
            if is_inside { HunkProblem::Overlapping(before + 1) } else { HunkProblem::Disordered(before + 1) }
        }
    }

    fn traces(&self, hunk: &Hunk, at_end: bool) -> Traces {
        let (old, new) = (hunk.old(), hunk.result());
        let at_end = at_end || !old.ends_with('\n');
        self.searched(|probe, line_ends| {
            let [old, new] = [&old, &new].map(|lines| self.spelling.inside(lines));
            nearest::traces_of_lines(&old, &new, probe, line_ends, at_end)
        })
    }

    fn searched<T>(&self, nearest: impl FnOnce(Probe, find::LineEnds) -> T) -> T {
        let start = first_line(self.text, 0, LineEndRule::Lf).map_or(0, |line| line.mark);
        let text = &self.text[start..];
        let searched = text.len().min(usize::try_from(NEAREST_BYTES).unwrap_or(usize::MAX));
        let probe = Probe { text: &text[..searched], first_line: 1, ends_file: searched == text.len() };
        nearest(probe, if self.exact_line_ends { find::LineEnds::Exact } else { find::LineEnds::Any })
    }

    fn make(&mut self, found: &LocatedHunk) {
        let LocatedHunk { ends, lines, is_loose, .. } = found;
        let adapts = !self.exact_line_ends && (*ends == LineEndRule::Any || !self.has_end(found));
        let is_insertion = !lines.iter().any(WantedLine::is_old);
        let mut pieces: Vec<PlacedLine> = Vec::with_capacity(lines.len() + 1);
        let mut at = self.at;
        // The byte order mark stays unless named.
        if let Some(line) = first_line(self.text, at, *ends).filter(|line| line.mark > 0)
            && lines.iter().find(|line| line.is_old()).is_none_or(|first| !first.text.starts_with(BOM))
        {
            pieces.push(PlacedLine { body: &self.text[..line.mark], end: None, from: Some(0) });
            at = line.mark;
        }
        let mut rest = &lines[..];
        while let Some(line) = rest.first() {
            if line.mark == LineMark::Keep {
                let Some(kept) = first_line(self.text, at, *ends) else { break };
                let (body, end) = (&self.text[at..kept.body_end], kept.kind(self.text));
                pieces.push(PlacedLine { body, end, from: Some(at) });
                (at, rest) = (kept.end, &rest[1..]);
                continue;
            }
            let run = rest.iter().take_while(|line| line.mark != LineMark::Keep).count();
            let before = LineEnd::all(&self.text[at.saturating_sub(2)..at]).last();
            let mut removed = Vec::new();
            for _ in rest[..run].iter().filter(|line| line.is_old()) {
                let Some(gone) = first_line(self.text, at, *ends) else { break };
                removed.extend(gone.kind(self.text).filter(|_| gone.is_ended()));
                at = gone.end;
            }
            let added: Vec<_> = rest[..run].iter().filter(|line| !line.is_old()).collect();
            let fallback = if adapts {
                let next =
                    || first_line(self.text, at, LineEndRule::Any).and_then(|line| line.kind(self.text));
                let beside = || if is_insertion { None } else { before.or_else(next) };
                removed.first().copied().or_else(beside).or_else(|| self.majority())
            } else {
                None
            };
            for (index, line) in added.into_iter().enumerate() {
                // A CR before LF is literal, as in `diff`.
                let is_meant = *ends == LineEndRule::Lf && line.text.ends_with(b"\r");
                let own = if adapts && !is_meant { removed.get(index).copied().or(fallback) } else { None };
                let end = line.is_ended.then(|| own.unwrap_or(LineEnd::Lf));
                self.done.adapted |= adapts && end.is_some_and(|end| end != LineEnd::Lf);
                pieces.push(PlacedLine { body: &line.text, end, from: None });
            }
            rest = &rest[run..];
        }
        self.done.adapted |= *ends == LineEndRule::Any;
        if *is_loose && at == self.text.len() && !matches!(self.text.last(), None | Some(b'\n' | b'\r')) {
            self.end_as_before(&mut pieces);
        }
        let mut changed = ChangedParts { parts: &mut self.done.parts, at: self.at, put: 0 };
        for PlacedLine { body, end, from } in pieces {
            let end = end.map_or(&b""[..], LineEnd::bytes);
            let kept = from.map_or(0, |from| from + body.len());
            match from {
                Some(from) => changed.keep(from..kept),
                None => changed.put += body.len(),
            }
            // A context line may get another line end, or none.
            match from {
                Some(_) if self.text[kept..].starts_with(end) => changed.keep(kept..kept + end.len()),
                _ => changed.put += end.len(),
            }
            self.done.text.extend_from_slice(body);
            self.done.text.extend_from_slice(end);
        }
        changed.up_to(at);
        self.tally.feed(&self.text[self.at..at]);
        self.at = at;
    }

    fn has_end(&self, found: &LocatedHunk) -> bool {
        let mut at = found.at;
        found.lines.iter().filter(|line| line.is_old()).any(|_| {
            let Some(line) = first_line(self.text, at, found.ends) else { return false };
            let all = &self.text[at..line.end];
            at = line.end;
            memchr::memchr2(b'\n', b'\r', all).is_some()
        })
    }

    /// Keeps an open end open; a former last line gets a line end.
    fn end_as_before(&mut self, pieces: &mut Vec<PlacedLine>) {
        let kind = self.majority().unwrap_or(LineEnd::Lf);
        if self.at == self.text.len() {
            pieces.insert(0, PlacedLine { body: b"", end: Some(kind), from: None });
        }
        if let Some((last, others)) = pieces.split_last_mut() {
            for piece in others {
                // A byte order mark is no line.
                if piece.end.is_none() && piece.body != BOM {
                    piece.end = Some(kind);
                }
            }
            last.end = None;
        }
    }

    fn majority(&mut self) -> Option<LineEnd> {
        if self.majority.is_none() {
            let mut tally = Tally::default();
            tally.feed(self.text);
            self.majority = tally.majority();
        }
        self.majority
    }
}

struct PlacedLine<'a> {
    body: &'a [u8],
    end: Option<LineEnd>,
    /// Its place in the old text, if kept.
    from: Option<usize>,
}

struct ChangedParts<'a> {
    parts: &'a mut Vec<(Range<usize>, usize)>,
    at: usize,
    put: usize,
}

impl ChangedParts<'_> {
    fn keep(&mut self, range: Range<usize>) {
        self.up_to(range.start);
        self.at = range.end;
    }

    /// Removes the text before `end` unless kept.
    fn up_to(&mut self, end: usize) {
        if end > self.at || self.put > 0 {
            self.parts.push((self.at..end, std::mem::take(&mut self.put)));
            self.at = end;
        }
    }
}

const BOM: &[u8] = "\u{FEFF}".as_bytes();

#[cfg(test)]
mod tests;
