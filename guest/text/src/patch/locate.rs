//! Hunks in a text: where they stand, and what they make of it.
//!
//! Every old line of a hunk has to be there exactly; nothing is fuzzy. A hunk of a unified diff
//! stands at the line that its header says. If it does not, it may stand anywhere else, but at one
//! place only: a person or a model that counts wrong mostly counts the lines. A hunk of an envelope
//! stands once behind the lines before it. Hunks come in the order of the file.
//!
//! Lines end in LF here, as in every diff. A diff whose old lines do not stand there so may have
//! other line ends than the text. A hunk of an envelope may have others from the start: the line
//! ends decide nothing between two places. Where they are others, new lines take those of the lines
//! that they replace, or of their neighbours. Where no old line has a line end, new lines take that
//! of most lines of the text.

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

/// What hunks have made of a text.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct AppliedHunks {
    /// The new text.
    pub text: Vec<u8>,
    /// For each hunk the line of the old text on which it begins to change something.
    pub lines: Vec<u64>,
    /// Line ends of the hunks were taken as the text's.
    pub adapted: bool,
    /// Hunks that stand at other lines than they say.
    pub moved: Vec<MovedHunk>,
    /// Parts of the old text, in order, and the length of what each one has become. All else is as it was.
    pub parts: Vec<(Range<usize>, usize)>,
}

/// A hunk that stands at another line than it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MovedHunk {
    /// Its number, counted from 1.
    pub number: usize,
    /// Where it says that it stands.
    pub says: u64,
    /// Where it does.
    pub line: u64,
}

/// A hunk that has no place.
#[derive(Debug, PartialEq)]
pub struct MisplacedHunk {
    /// Which one, counted from 0.
    pub hunk: usize,
    /// Why.
    pub why: HunkProblem,
}

/// Why a hunk has no place.
#[derive(Debug, Clone, PartialEq)]
pub enum HunkProblem {
    /// Its old lines are not there; their traces.
    Missing(Traces),
    /// The same, of a block that begins with a line number and no line of hyphens behind it.
    Unseparated(Traces),
    /// It puts lines behind this one, and the file has only so many.
    PastEnd(u64, u64),
    /// It puts lines behind this one, the file's last, which has no line end.
    Unended(u64),
    /// A line that is to come before it is not there.
    NoAnchor(Anchor),
    /// Its last line has a line end and the file's last line has none, which is the only
    /// difference.
    Unmarked(Option<Candidate>),
    /// It would stand at this line, inside the hunk before it.
    Overlapping(u64),
    /// It would stand at this line, before the end of the hunk before it.
    Disordered(u64),
    /// It could stand at several lines: the first ones, and how many there are.
    Ambiguous(Vec<u32>, u64),
    /// The hunks look through too much of the text, one after the other.
    Laborious,
}

/// A line that is to come before a hunk, and that the file does not have there.
#[derive(Debug, Clone, PartialEq)]
pub struct Anchor {
    /// The line.
    pub text: String,
    /// It has to come behind another hunk, or behind another of these lines.
    pub follows: bool,
    /// The line of the file that is nearest to it.
    pub nearest: Option<Candidate>,
}

/// Makes the changes of all hunks, whose lines are written so. Adds to `looked` how many bytes of text
/// are looked through for them.
pub fn apply(
    text: &[u8],
    hunks: &[Hunk],
    spelling: Spelling,
    exact_line_ends: bool,
    looked: &mut u64,
) -> Result<AppliedHunks, MisplacedHunk> {
    let mut run = HunkRun {
        text,
        spelling,
        exact_line_ends,
        at: 0,
        last: 0,
        tally: Tally::default(),
        majority: None,
        done: AppliedHunks::default(),
        looked: Cell::new(*looked),
    };
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

/// Where a hunk stands.
struct LocatedHunk<'h> {
    at: usize,
    ends: LineEndRule,
    lines: Vec<WantedLine<'h>>,
    /// A last line without a line end is as good as one with it.
    is_loose: bool,
}

struct HunkRun<'t> {
    text: &'t [u8],
    /// How the lines of hunks are written.
    spelling: Spelling,
    exact_line_ends: bool,
    /// The end of what is done.
    at: usize,
    /// Where the last hunk began.
    last: usize,
    /// Line ends before that.
    tally: Tally,
    /// The line end that most lines have, if that was needed.
    majority: Option<LineEnd>,
    done: AppliedHunks,
    /// Bytes of text that were looked through.
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
        // Behind a last line that is not ended, too.
        let before = if found.at == self.text.len() { self.tally.total() } else { self.tally.lines() };
        self.done.lines.push(before + 1 + unchanged);
        self.make(&found);
        Ok(())
    }

    /// Counts what lies between two places of the text as looked through.
    fn looks(&self, from: usize, to: usize) {
        self.looked.set(self.looked.get() + to.saturating_sub(from) as u64);
    }

    /// Everything up to here stays.
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
            // In front of the text is behind its mark.
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
        // A last line without a line end is no place, but another place is not meant for certain.
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

    /// The place of a hunk whose line ends may be any. Where its old lines stand as they are, those
    /// line ends are meant.
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

    /// The only place, none, or a refusal.
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

    /// Why a hunk cannot stand at a place before the end of the last one.
    fn passed(&self, (at, line): (usize, u64)) -> Option<HunkProblem> {
        let why = if at < self.last { HunkProblem::Disordered } else { HunkProblem::Overlapping };
        (at < self.at).then(|| why(line + 1))
    }

    /// The next place where a line begins. The last hunk may have ended in the middle of one, if
    /// lines end otherwise here.
    fn aligned(&self, ends: LineEndRule) -> usize {
        let is_begin = self.at == 0 || ends == LineEndRule::Any || self.text[self.at - 1] == b'\n';
        let from = self.at - usize::from(!is_begin);
        if is_begin {
            self.at
        } else {
            first_line(self.text, from, ends).map_or(self.text.len(), |line| line.end)
        }
    }

    /// Where the line begins that has so many before it; none if there are fewer, or it is done already.
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

    /// True if the old lines stand at a place. With `is_loose` a last line without a line end is as
    /// good as one with it.
    fn fits(&self, mut at: usize, lines: &[WantedLine], ends: LineEndRule, is_loose: bool) -> bool {
        lines.iter().filter(|line| line.is_old()).all(|wanted| {
            let Some(line) = first_line(self.text, at, ends) else { return false };
            at = line.end;
            line.is(self.text, wanted, is_loose)
        })
    }

    /// Why nothing can be put behind so many lines.
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

    /// The traces of the old lines of a hunk, which may have to be the last ones.
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

    /// Puts the lines of a hunk in their place.
    fn make(&mut self, found: &LocatedHunk) {
        let LocatedHunk { ends, lines, is_loose, .. } = found;
        let adapts = !self.exact_line_ends && (*ends == LineEndRule::Any || !self.has_end(found));
        let is_insertion = !lines.iter().any(WantedLine::is_old);
        let mut pieces: Vec<PlacedLine> = Vec::with_capacity(lines.len() + 1);
        let mut at = self.at;
        // The mark of the text stays, unless a line is meant with it.
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
                // A CR in front of the LF is as it is meant, as `diff` writes it.
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
            // A line that stays may get another end, or none.
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

    /// True if there is a line end in the lines that a hunk has found.
    fn has_end(&self, found: &LocatedHunk) -> bool {
        let mut at = found.at;
        found.lines.iter().filter(|line| line.is_old()).any(|_| {
            let Some(line) = first_line(self.text, at, found.ends) else { return false };
            let all = &self.text[at..line.end];
            at = line.end;
            memchr::memchr2(b'\n', b'\r', all).is_some()
        })
    }

    /// The text has no line end at its end, and gets none. What was its last line gets one if others come behind it.
    fn end_as_before(&mut self, pieces: &mut Vec<PlacedLine>) {
        let kind = self.majority().unwrap_or(LineEnd::Lf);
        if self.at == self.text.len() {
            pieces.insert(0, PlacedLine { body: b"", end: Some(kind), from: None });
        }
        if let Some((last, others)) = pieces.split_last_mut() {
            for piece in others {
                // A mark is no line.
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

/// A line that is put in place, or a part of one.
struct PlacedLine<'a> {
    body: &'a [u8],
    end: Option<LineEnd>,
    /// Where the body stands in the old text, if it stays.
    from: Option<usize>,
}

/// Gathers the parts of a text that become others.
struct ChangedParts<'a> {
    parts: &'a mut Vec<(Range<usize>, usize)>,
    /// Up to where it is known.
    at: usize,
    /// Bytes that come there.
    put: usize,
}

impl ChangedParts<'_> {
    fn keep(&mut self, range: Range<usize>) {
        self.up_to(range.start);
        self.at = range.end;
    }

    /// What stands before this goes, unless it was kept.
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
