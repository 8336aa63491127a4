//! The likely place of a missing text, by visible characters.
//!
//! Quotes are equal here, as are letters of either case. Most missing texts differ in white space,
//! some in these.

use std::ops::Range;

use super::char_unit::{ABOVE_CHARACTERS, CharUnit};
use super::distance::{Begin, DistancePattern};
use fsgate_contract::limits::{NEAREST_CHARS, NEAREST_PLACES, NEAREST_STEPS};

/// Equal characters in a row that are hardly a coincidence.
pub const SURE: usize = 4;

/// A visible character, with quotes and case normalised.
#[derive(Debug, Clone, Copy)]
struct VisibleChar {
    value: u32,
    from: usize,
    to: usize,
}

struct VisibleChars<'a> {
    text: &'a [u8],
    at: usize,
}

const FOLDED: [u8; 128] = {
    let mut table = [0; 128];
    let mut byte = b'!';
    while byte < 0x7F {
        table[byte as usize] = match byte {
            b'\'' | b'`' => b'"',
            byte => byte.to_ascii_lowercase(),
        };
        byte += 1;
    }
    table
};

impl Iterator for VisibleChars<'_> {
    type Item = VisibleChar;

    fn next(&mut self) -> Option<VisibleChar> {
        loop {
            let from = self.at;
            let byte = *self.text.get(from)?;
            let value = if let Some(value) = FOLDED.get(usize::from(byte)) {
                self.at += 1;
                u32::from(*value)
            } else {
                let (unit, length) = CharUnit::first(&self.text[from..])?;
                self.at += length;
                folded(unit)
            };
            if value != 0 {
                return Some(VisibleChar { value, from, to: self.at });
            }
        }
    }
}

fn folded(unit: CharUnit) -> u32 {
    match unit {
        CharUnit::Char('‘'..='‟' | '«' | '»' | '´' | '‹' | '›') => u32::from('"'),
        CharUnit::Char('‐'..='―' | '−') => u32::from('-'),
        CharUnit::Char(c) if !unit.is_unseen() => u32::from(c),
        CharUnit::Byte(byte) => ABOVE_CHARACTERS + u32::from(byte),
        _ => 0,
    }
}

#[derive(Debug)]
struct CandidateWindow {
    shared: usize,
    index: usize,
    first: usize,
    last: usize,
}

struct Groups {
    hash: u32,
    bits: u32,
}

impl Groups {
    const COUNT: usize = 1 << 16;

    /// Bigrams for a short text, where a change breaks longer ones. Otherwise 4-grams: pairs occur
    /// everywhere.
    fn new(length: usize) -> (Self, usize) {
        let size = if length < 16 { 2 } else { 4 };
        (Self { hash: 0, bits: 32 / size }, (length + 1).saturating_sub(size as usize))
    }

    fn push(&mut self, value: u32) -> usize {
        let mixed = value.wrapping_mul(0x9E37_79B1) >> (32 - self.bits);
        self.hash = self.hash << self.bits | mixed;
        (self.hash.wrapping_mul(0x85EB_CA6B) >> 16) as usize
    }
}

struct SlidingWindow {
    groups: Groups,
    /// For each n-gram, the surplus in the text over the window.
    missing: Vec<i32>,
    /// The n-grams of the window and their ends, a ring.
    held: Vec<(usize, usize)>,
    oldest: usize,
    width: usize,
    shared: usize,
}

impl SlidingWindow {
    fn new(wanted: &[VisibleChar]) -> Self {
        let (mut groups, width) = Groups::new(wanted.len());
        let mut missing = vec![0; Groups::COUNT];
        for (index, fold) in wanted.iter().enumerate() {
            let group = groups.push(fold.value);
            missing[group] += i32::from(index >= wanted.len() - width);
        }
        Self { groups, missing, held: Vec::with_capacity(width), oldest: 0, width, shared: 0 }
    }

    fn push(&mut self, fold: VisibleChar) {
        let group = self.groups.push(fold.value);
        if self.held.len() < self.width {
            self.held.push((group, fold.from));
        } else {
            let (gone, _) = std::mem::replace(&mut self.held[self.oldest], (group, fold.from));
            self.oldest = if self.oldest + 1 == self.width { 0 } else { self.oldest + 1 };
            self.missing[gone] += 1;
            self.shared -= usize::from(self.missing[gone] > 0);
        }
        self.shared += usize::from(self.missing[group] > 0);
        self.missing[group] -= 1;
    }

    /// The approximate start of the window.
    fn first(&self) -> usize {
        self.held[self.oldest].1
    }
}

fn windows(wanted: &[VisibleChar], text: &[u8]) -> Vec<CandidateWindow> {
    let mut moving = SlidingWindow::new(wanted);
    // At most one of so many successive windows is chosen.
    let stride = moving.width.max(8);
    let mut chosen = Vec::new();
    let mut best: Option<CandidateWindow> = None;
    let mut left = stride;
    for (index, fold) in (VisibleChars { text, at: 0 }).enumerate() {
        moving.push(fold);
        if moving.shared > best.as_ref().map_or(0, |best| best.shared) {
            best =
                Some(CandidateWindow { shared: moving.shared, index, first: moving.first(), last: fold.to });
        }
        left -= 1;
        if left == 0 {
            left = stride;
            choose(&mut chosen, best.take(), stride);
        }
    }
    choose(&mut chosen, best, stride);
    chosen
}

fn choose(chosen: &mut Vec<CandidateWindow>, window: Option<CandidateWindow>, stride: usize) {
    let Some(window) = window else { return };
    if chosen.len() == NEAREST_PLACES && chosen.last().is_some_and(|last| last.shared >= window.shared) {
        return;
    }
    if let Some(same) = chosen.iter().position(|other| window.index - other.index < stride) {
        if chosen[same].shared >= window.shared {
            return;
        }
        chosen.remove(same);
    }
    let at = chosen.partition_point(|other| other.shared >= window.shared);
    chosen.insert(at, window);
    chosen.truncate(NEAREST_PLACES);
}

/// A text prepared for alignment: whole, or head and tail.
struct PreparedText {
    head: DistancePattern,
    head_reversed: DistancePattern,
    tail: Option<DistancePattern>,
    length: usize,
}

/// The characters around a window's start, and for a long text around its end.
struct Regions {
    head: Vec<VisibleChar>,
    tail: Option<Vec<VisibleChar>>,
}

/// Characters up to the end of an aligned text, in each region.
struct Alignment {
    regions: Regions,
    head: usize,
    tail: usize,
    distance: usize,
    shared: usize,
}

impl PreparedText {
    fn new(wanted: &[VisibleChar]) -> Self {
        let length = if wanted.len() > NEAREST_CHARS { NEAREST_CHARS / 2 } else { wanted.len() };
        let head = wanted[..length].iter().map(|fold| fold.value);
        let tail = wanted[wanted.len() - length..].iter().map(|fold| fold.value);
        Self {
            head: DistancePattern::new(head.clone()),
            head_reversed: DistancePattern::new(head.rev()),
            tail: (length < wanted.len()).then(|| DistancePattern::new(tail)),
            length,
        }
    }

    fn compared(&self) -> usize {
        if self.tail.is_some() { 2 * self.length } else { self.length }
    }

    fn regions(&self, text: &[u8], window: &CandidateWindow) -> Regions {
        let (near, far) = (self.length + SLACK, 2 * self.length + SLACK);
        Regions {
            head: around(text, window.first, near, far),
            tail: self.tail.as_ref().map(|_| around(text, window.last, far, near)),
        }
    }

    fn steps(&self, regions: &Regions) -> usize {
        let tail = self.tail.as_ref().zip(regions.tail.as_ref());
        self.head.steps(regions.head.len()) + tail.map_or(0, |(tail, region)| tail.steps(region.len()))
    }

    fn fit(&self, regions: Regions, shared: usize) -> Option<Alignment> {
        let (mut distance, head) = nearest_end(&self.head, &regions.head)?;
        let mut tail = head;
        if let (Some(pattern), Some(region)) = (&self.tail, &regions.tail) {
            let (more, count) = nearest_end(pattern, region)?;
            distance += more;
            tail = count;
        }
        Some(Alignment { regions, head, tail, distance, shared })
    }

    /// The first aligned character, counted from the end.
    fn first(&self, found: &Alignment) -> Option<usize> {
        let region: Vec<_> = found.before_end().iter().rev().take(2 * self.length + SLACK).collect();
        let distances = self.head_reversed.distances(region.iter().map(|fold| fold.value), Begin::First);
        Some(found.head - least(&distances, |count| region[count].to == region[count - 1].from)?)
    }
}

impl Alignment {
    fn before_end(&self) -> &[VisibleChar] {
        &self.regions.head[..self.head]
    }

    fn last_region(&self) -> &[VisibleChar] {
        self.regions.tail.as_ref().unwrap_or(&self.regions.head)
    }

    fn order(&self) -> (usize, usize) {
        (self.distance, self.regions.head[self.head - 1].from)
    }
}

/// The place of a text by visible characters.
pub struct FuzzyPlace {
    /// The text from its first to its last visible character.
    pub core: Range<usize>,
    /// The similar place in the file.
    pub place: Range<usize>,
    /// The nearest earlier place that begins like the text. A skip of the beginning may be cheaper.
    pub other_start: Option<usize>,
    /// The nearest later place that ends like the text.
    pub other_end: Option<usize>,
    /// The rough similarity in percent.
    pub alike: usize,
}

impl FuzzyPlace {
    /// The most similar candidate window.
    pub fn find(old: &[u8], text: &[u8]) -> Option<Self> {
        let folds: Vec<_> = VisibleChars { text: old, at: 0 }.collect();
        // A single character is similar to every place.
        let [first, .., last] = &folds[..] else { return None };
        let wanted = PreparedText::new(&folds);
        let mut steps = NEAREST_STEPS;
        let mut best: Option<Alignment> = None;
        for window in windows(&folds, text) {
            let regions = wanted.regions(text, &window);
            let Some(left) = steps.checked_sub(wanted.steps(&regions)) else { break };
            steps = left;
            if let Some(found) = wanted.fit(regions, window.shared)
                && best.as_ref().is_none_or(|best| found.order() < best.order())
            {
                best = Some(found);
            }
        }
        let best = best?;
        let begin = wanted.first(&best)?;
        let (head, tail) = (best.before_end(), best.last_region());
        let place = head[begin].from..tail[best.tail - 1].to;
        let sure = SURE.min(folds.len());
        let starts_alike = |at: &usize| is_same(&folds[..sure], &head[*at..*at + sure]);
        let ends_alike = |count: &usize| is_same(&folds[folds.len() - sure..], &tail[count - sure..*count]);
        let compared = wanted.compared();
        Some(Self {
            core: first.from..last.to,
            other_start: (0..begin.min((head.len() + 1).saturating_sub(sure)))
                .rev()
                .find(starts_alike)
                .map(|at| head[at].from),
            other_end: (sure.max(best.tail + 1)..=tail.len())
                .find(ends_alike)
                .map(|count| tail[count - 1].to),
            alike: ((compared - best.distance) * 100 / compared)
                .min(best.shared * 100 / Groups::new(folds.len()).1),
            place,
        })
        .filter(|likely| !likely.place.is_empty())
    }
}

fn is_same(one: &[VisibleChar], other: &[VisibleChar]) -> bool {
    one.iter().map(|fold| fold.value).eq(other.iter().map(|fold| fold.value))
}

/// Extra characters compared on each side.
pub const SLACK: usize = 16;

/// Bytes searched for those characters, as white space is unbounded.
pub const REGION_BYTES: usize = 64 << 10;

fn around(text: &[u8], at: usize, before: usize, after: usize) -> Vec<VisibleChar> {
    let mut low = at.saturating_sub(REGION_BYTES);
    while low < at && text[low] & 0xC0 == 0x80 {
        low += 1;
    }
    let high = text.len().min(at + REGION_BYTES);
    let mut region: Vec<_> = VisibleChars { text: &text[..at], at: low }.collect();
    region.drain(..region.len().saturating_sub(before));
    region.extend((VisibleChars { text: &text[..high], at }).take(after));
    region
}

fn nearest_end(pattern: &DistancePattern, region: &[VisibleChar]) -> Option<(usize, usize)> {
    let distances = pattern.distances(region.iter().map(|fold| fold.value), Begin::Anywhere);
    let count = least(&distances, |count| region[count].from == region[count - 1].to)?;
    Some((distances[count], count))
}

/// The number of characters with the least distance. Changing an adjacent character precedes
/// skipping one.
fn least(distances: &[usize], is_beside: impl Fn(usize) -> bool) -> Option<usize> {
    let (mut count, least) = distances.iter().enumerate().min_by_key(|(_, distance)| **distance)?;
    if count == 0 {
        return None;
    }
    while distances.get(count + 1) == Some(least) && is_beside(count) {
        count += 1;
    }
    Some(count)
}
