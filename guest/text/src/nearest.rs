//! The place most similar to a missing text, and the first difference.
//!
//! A place that differs in confusable characters only goes first ([`confusable`]). Otherwise one
//! pass counts shared n-grams and yields a few windows. The window nearest by alignment is taken
//! ([`FuzzyPlace`]), then compared exactly.

mod confusable;

use std::ops::Range;

use memchr::{memchr2, memmem, memrchr2};

use super::char_unit::{ABOVE_CHARACTERS, CharUnit, name};
use super::distance::{Begin, DistancePattern};
use super::find::LineEnds;
use super::fuzzy_window::{FuzzyPlace, REGION_BYTES, SURE};
use super::line_end::{LineEnd, Tally};
use super::lines::end_of_line;
use fsgate_contract::limits::{NAMED_CHARS, NEAREST_ALIKE, NEAREST_CHARS, NEAREST_OLD_BYTES};
use fsgate_contract::types::Candidate;

/// The searched text.
#[derive(Debug, Clone, Copy)]
pub struct Probe<'a> {
    /// Whole lines, or the start of a very long one.
    pub text: &'a [u8],
    /// The number of its first line in the file, from 1.
    pub first_line: u64,
    /// The file ends where `text` ends.
    pub ends_file: bool,
}

/// Traces of a missing text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Traces {
    /// The nearest place, if it is near enough to show.
    pub nearest: Option<Candidate>,
    /// The line there on which the new text begins: the change may exist.
    pub made: Option<u32>,
}

/// Traces of `old`, to be replaced by `new`. The first of equally near places counts.
pub fn traces(old: &[u8], new: &[u8], probe: Probe, line_ends: LineEnds) -> Traces {
    let pair = Pair { old, text: probe.text, line_ends };
    let nearest = candidate(&pair, probe, |start| pair.difference(start));
    // A removal's rest is there in any case.
    let is_rest = memmem::find(old, new).is_some();
    let made = if is_rest { None } else { made(new, probe, line_ends, nearest.as_ref()) };
    Traces { nearest, made }
}

/// Traces of whole lines.
pub fn traces_of_lines(old: &[u8], new: &[u8], probe: Probe, line_ends: LineEnds, at_end: bool) -> Traces {
    let nearest = nearest_lines(old, probe, line_ends, at_end);
    Traces { made: made(new, probe, line_ends, nearest.as_ref()), nearest }
}

/// The line on which `new` begins at the nearest place, or else anywhere.
fn made(new: &[u8], probe: Probe, line_ends: LineEnds, nearest: Option<&Candidate>) -> Option<u32> {
    let visible = new.iter().filter(|byte| !byte.is_ascii_whitespace()).count();
    if visible < SURE {
        return None;
    }
    let with_returns = || new.split(|byte| *byte == b'\n').collect::<Vec<_>>().join(&b"\r\n"[..]);
    let spellings = [Some(new.to_vec()), (line_ends == LineEnds::Any).then(with_returns)];
    spellings.into_iter().flatten().find_map(|new| {
        memmem::find_iter(probe.text, &new).take(MADE_PLACES).find_map(|at| {
            let first = number(probe.line(at));
            let last = number(probe.line(at + new.len() - 1));
            let is_near = |near: &Candidate| first <= near.last_line && near.first_line <= last;
            nearest.is_none_or(is_near).then_some(first)
        })
    })
}

/// The place nearest to whole lines. With `at_end` it must end the file, else that is the
/// difference. An open last line matches one with a line end.
pub fn nearest_lines(old: &[u8], probe: Probe, line_ends: LineEnds, at_end: bool) -> Option<Candidate> {
    let pair = Pair { old, text: probe.text, line_ends };
    let is_open = |&(at, from): &(usize, usize)| {
        probe.ends_file && at == pair.text.len() && matches!(&old[from..], b"\n" | b"\r" | b"\r\n")
    };
    candidate(&pair, probe, |start| {
        let found = pair.difference(start);
        let closed = |found: Option<(usize, usize)>| found.filter(|place| !is_open(place));
        closed(found)
            .or_else(|| closed(pair.difference(line_start(pair.text, start))))
            .or_else(|| pair.goes_on(start).filter(|_| at_end))
            .or(found)
    })
}

fn candidate(
    pair: &Pair,
    probe: Probe,
    difference: impl Fn(usize) -> Option<(usize, usize)>,
) -> Option<Candidate> {
    let old = pair.old;
    if old.len() > NEAREST_OLD_BYTES {
        return None;
    }
    let twin = |old: &[u8]| {
        let place = confusable::find(old, pair.text)?;
        Some((difference(place.start)?, place, 100))
    };
    let likely = || {
        let likely = FuzzyPlace::find(old, pair.text)?;
        let (place, measured) = pair.widened(&likely);
        Some((difference(place.start)?, place, measured.unwrap_or(likely.alike)))
    };
    let found = twin(old).or_else(likely).filter(|(_, _, alike)| *alike >= NEAREST_ALIKE);
    let found = found.or_else(|| unnumbered(old).iter().find_map(|bare| twin(bare)));
    let ((at, from), Range { start, end }, alike) = found?;
    if !probe.ends_file && probe.text.len() < end.max(at) + CUT {
        return None;
    }
    let alike = alike.min(99);
    let line = probe.line(at);
    let is_line = at < probe.text.len() || !ends_line(probe.text);
    let name = |text: &[u8]| if text.is_empty() { "end of file".to_owned() } else { name(text) };
    Some(Candidate {
        first_line: number(probe.line(start).min(line)),
        last_line: number(probe.line(end.saturating_sub(1).max(start)).max(if is_line { line } else { 0 })),
        alike: number(alike as u64),
        line: number(line),
        column: number(probe.column(at)),
        in_file: name(&probe.text[at..]),
        in_request: name(&old[from..]),
    })
}

fn without_blank(text: &[u8]) -> &[u8] {
    text.strip_prefix(b" ").unwrap_or(text)
}

/// A text without a listing's line numbers, with and without the blank after them. Nothing if a
/// line lacks a number.
fn unnumbered(old: &[u8]) -> Vec<Vec<u8>> {
    const SIGNS: &[&str] = &["\t", ":", "|", "→", "-", ".", ")"];
    let bare = |with_blank: bool| {
        let (mut bare, mut rest) = (Vec::new(), old);
        while !rest.is_empty() {
            let (line, after) = rest.split_at(end_of_line(rest, 0));
            let number = line.trim_ascii_start();
            let digits = number.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let behind = without_blank(&number[digits..]);
            let text = SIGNS.iter().find_map(|sign| behind.strip_prefix(sign.as_bytes()));
            let text = text.filter(|_| digits > 0)?;
            bare.extend_from_slice(if with_blank { text } else { without_blank(text) });
            rest = after;
        }
        (bare.trim_ascii().len() >= SURE).then_some(bare)
    };
    [bare(false), bare(true)].into_iter().flatten().collect()
}

/// Places at which a new text is searched; each scans the lines before it.
const MADE_PLACES: usize = 16;

/// Unjudged bytes at the end of a continuing text, perhaps a cut word.
const CUT: usize = 256;

fn number(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn ends_line(text: &[u8]) -> bool {
    text.ends_with(b"\n") || text.ends_with(b"\r")
}

impl Probe<'_> {
    fn line(&self, at: usize) -> u64 {
        let (before, rest) = self.text.split_at(at);
        let mut tally = Tally::default();
        tally.feed(before);
        self.first_line + tally.line_of(rest) - 1
    }

    fn column(&self, at: usize) -> u64 {
        let before = &self.text[line_start(self.text, at)..at];
        forwards(before).count() as u64 + 1
    }
}

fn line_start(text: &[u8], at: usize) -> usize {
    memrchr2(b'\n', b'\r', &text[..at]).map_or(0, |end| end + 1)
}

struct Pair<'a> {
    old: &'a [u8],
    text: &'a [u8],
    line_ends: LineEnds,
}

const BYTES: u32 = ABOVE_CHARACTERS;
const CRLF: u32 = BYTES + 0x100;
const BLANKS: u32 = 1 << 31;

impl Pair<'_> {
    /// The place of all of `old` around its visible core, and the similarity.
    fn widened(&self, likely: &FuzzyPlace) -> (Range<usize>, Option<usize>) {
        let FuzzyPlace { core, place: Range { start: first, end: last }, .. } = likely;
        let (lead, trail) = (&self.old[..core.start], &self.old[core.end..]);
        let whole = |start, end| self.before(start, lead)..self.after(end, trail);
        let (start, end) = self.completed(&self.old[core.clone()], *first, *last);
        let mut place = whole(start, end);
        let mut alike = self.alike(&place);
        // A completed line's rest does not reduce the similarity.
        if (start, end) != (*first, *last) {
            alike = alike.max(self.alike(&whole(*first, *last)));
        }
        if let Some(start) = likely.other_start {
            let other = self.before(start, lead)..place.end;
            self.choose(&mut place, &mut alike, other);
        }
        if let Some(end) = likely.other_end {
            let other = place.start..self.after(end, trail);
            self.choose(&mut place, &mut alike, other);
        }
        (place, alike)
    }

    fn choose(&self, place: &mut Range<usize>, alike: &mut Option<usize>, other: Range<usize>) {
        let measured = self.alike(&other);
        if measured > *alike {
            (*place, *alike) = (other, measured);
        }
    }

    /// Extends a place by words and lines where an end differs.
    fn completed(&self, core: &[u8], mut start: usize, mut end: usize) -> (usize, usize) {
        let lines = LineEnd::all(core).count();
        let missing = |start, end| lines.saturating_sub(LineEnd::all(&self.text[start..end]).count());
        if !self.is_sure(forwards(core), forwards(&self.text[start..])) {
            start = if lines == 0 {
                self.word_start(start)
            } else {
                self.visible_start(start, missing(start, end))
            };
        }
        if lines > 0 && !self.is_sure(backwards(core), backwards(&self.text[..end])) {
            end = self.visible_end(end, missing(start, end));
        }
        (start, end)
    }

    fn is_sure(&self, one: impl Iterator<Item = CharUnit>, other: impl Iterator<Item = CharUnit>) -> bool {
        for (one, other) in one.zip(other).take(SURE) {
            if !one.equals(other, self.line_ends) {
                return false;
            }
            if one.is_end() {
                return true;
            }
        }
        true
    }

    fn word_start(&self, at: usize) -> usize {
        let is_in_word =
            |unit: CharUnit| matches!(unit, CharUnit::Char(c) if c.is_alphanumeric() || c == '_');
        if !CharUnit::first(&self.text[at..]).is_some_and(|(unit, _)| is_in_word(unit)) {
            return at;
        }
        let mut start = at;
        for _ in 0..NAMED_CHARS {
            match CharUnit::last(&self.text[..start]) {
                Some((unit, length)) if is_in_word(unit) => start -= length,
                _ => break,
            }
        }
        start
    }

    fn visible_start(&self, at: usize, lines: usize) -> usize {
        let mut start = line_start(self.text, at);
        for _ in 0..lines {
            let Some((_, length)) = CharUnit::last(&self.text[..start]) else { break };
            start = line_start(self.text, start - length);
        }
        while let Some((unit, length)) = CharUnit::first(&self.text[start..])
            && unit.is_unseen()
            && !unit.is_end()
        {
            start += length;
        }
        start
    }

    fn visible_end(&self, at: usize, lines: usize) -> usize {
        let line_end =
            |at: usize| memchr2(b'\n', b'\r', &self.text[at..]).map_or(self.text.len(), |to| at + to);
        let mut end = line_end(at);
        for _ in 0..lines {
            let Some((_, length)) = CharUnit::first(&self.text[end..]) else { break };
            end = line_end(end + length);
        }
        while let Some((unit, length)) = CharUnit::last(&self.text[at..end])
            && unit.is_unseen()
            && !unit.is_end()
        {
            end -= length;
        }
        end
    }

    fn before(&self, at: usize, lead: &[u8]) -> usize {
        if self.text[..at].ends_with(lead) {
            return at - lead.len();
        }
        let (mut start, mut lead) = (at, lead);
        let last = |start| CharUnit::last(&self.text[..start]);
        while let (Some((wanted, length)), Some((unit, bytes))) = (CharUnit::last(lead), last(start))
            && wanted.equals(unit, self.line_ends)
        {
            lead = &lead[..lead.len() - length];
            start -= bytes;
        }
        let mut lines = LineEnd::all(lead).count();
        let begins_blank = CharUnit::first(lead).is_some_and(|(unit, _)| !unit.is_end());
        while let Some((unit, length)) = last(start)
            && unit.is_unseen()
            && if unit.is_end() { lines > 0 } else { lines > 0 || begins_blank }
        {
            lines -= usize::from(unit.is_end());
            start -= length;
        }
        start
    }

    fn after(&self, at: usize, trail: &[u8]) -> usize {
        at + self.agreement(trail, &self.text[at..]).1
    }

    fn agreement(&self, one: &[u8], other: &[u8]) -> (usize, usize) {
        let (mut from, mut at) = (0, 0);
        while let (Some((wanted, length)), Some((unit, bytes))) =
            (CharUnit::first(&one[from..]), CharUnit::first(&other[at..]))
            && wanted.equals(unit, self.line_ends)
        {
            from += length;
            at += bytes;
        }
        (from, at)
    }

    /// The first difference from `old` at `start`. A run of blanks differs as a whole.
    fn difference(&self, start: usize) -> Option<(usize, usize)> {
        let (mut from, at) = self.agreement(self.old, &self.text[start..]);
        let mut at = start + at;
        let wanted = CharUnit::first(&self.old[from..])?;
        let next = [Some(wanted), CharUnit::first(&self.text[at..])];
        if let Some(blank) = CharUnit::last(&self.old[..from])
            && blank.0.is_blank()
            && next.contains(&Some(blank))
        {
            while CharUnit::last(&self.old[..from]) == Some(blank) {
                from -= blank.1;
                at -= blank.1;
            }
        }
        Some((at, from))
    }

    fn goes_on(&self, start: usize) -> Option<(usize, usize)> {
        let (from, at) = self.agreement(self.old, &self.text[start..]);
        (from == self.old.len() && start + at < self.text.len()).then_some((start + at, from))
    }

    /// The percentage of characters shared with `old`, a run of blanks as one; nothing for too
    /// many.
    fn alike(&self, place: &Range<usize>) -> Option<usize> {
        let one = self.measured(self.old)?;
        let other = self.measured(&self.text[place.clone()])?;
        let most = one.len().max(other.len());
        let distance =
            *DistancePattern::new(one.iter().copied()).distances(other.into_iter(), Begin::First).last()?;
        Some((most - distance) * 100 / most)
    }

    fn measured(&self, text: &[u8]) -> Option<Vec<u32>> {
        if text.len() > REGION_BYTES {
            return None;
        }
        let mut out: Vec<u32> = Vec::new();
        let mut in_blanks = false;
        for unit in forwards(text) {
            let value = match unit {
                CharUnit::Char(c) if unit.is_blank() => {
                    let run = if in_blanks { out.pop().unwrap_or_default() } else { 0 };
                    BLANKS | (run ^ u32::from(c)).wrapping_mul(0x0100_0193).wrapping_add(1)
                }
                CharUnit::Char(c) => u32::from(c),
                CharUnit::Byte(byte) => BYTES + u32::from(byte),
                CharUnit::End(LineEnd::CrLf) if self.line_ends == LineEnds::Exact => CRLF,
                CharUnit::End(LineEnd::Cr) if self.line_ends == LineEnds::Exact => u32::from('\r'),
                CharUnit::End(_) => u32::from('\n'),
            };
            in_blanks = unit.is_blank();
            out.push(value);
            if out.len() > 2 * NEAREST_CHARS {
                return None;
            }
        }
        Some(out)
    }
}

fn forwards(text: &[u8]) -> impl Iterator<Item = CharUnit> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (unit, length) = CharUnit::first(rest)?;
        rest = &rest[length..];
        Some(unit)
    })
}

fn backwards(text: &[u8]) -> impl Iterator<Item = CharUnit> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (unit, length) = CharUnit::last(rest)?;
        rest = &rest[..rest.len() - length];
        Some(unit)
    })
}

#[cfg(test)]
mod tests;
