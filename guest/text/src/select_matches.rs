//! The matches of a text or expression, and the result of replacing some. Each question scans
//! again, so memory follows the selection.

use std::collections::BTreeSet;
use std::ops::{ControlFlow, Range};

use memchr::memrchr2;

use super::encoding::{Edit, plain_bytes};
use super::excerpt::characters;
use super::find::{LineEnds, OccurrenceScan, ScanEvent};
use super::haystack::Haystack;
use super::line_end::{Replacement, Tally, kept_lines, replacement};
use super::match_count::MatchCount;
use super::pattern::{MatchReplacement, Pattern, PatternError};
use super::utf8::NotEncodable;
use fsgate_contract::limits::{CHUNK_BYTES, LINES_LISTED};

/// The searched text or expression.
#[derive(Clone, Copy)]
pub enum SearchTarget<'a> {
    /// A text; not empty.
    Text(&'a [u8]),
    /// An expression.
    Pattern(&'a Pattern),
}

/// A search and its replacement.
pub struct SelectionRequest<'a> {
    /// The searched text or expression.
    pub wanted: SearchTarget<'a>,
    /// The replacement.
    pub new: &'a str,
    /// The replacement as bytes.
    pub new_bytes: &'a [u8],
    /// Line ends match byte for byte.
    pub exact_line_ends: bool,
    /// The text was decoded; its encoding checks the replacement.
    pub is_decoded: bool,
    /// The encoding is known: no replacement is refused.
    pub is_known: bool,
}

/// The result of a counting scan.
pub struct CountedMatches {
    /// The number of matches and their surroundings.
    pub survey: MatchCount,
    line_ends: LineEnds,
    tally: Tally,
}

/// The place of a match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchPlace {
    /// Its bytes.
    pub range: Range<usize>,
    /// The line on which it begins.
    pub line: u64,
    /// The column in characters, from 1.
    pub column: u64,
    /// The start of that line.
    pub line_start: usize,
}

/// The edits for selected matches.
#[derive(Debug, PartialEq, Eq)]
pub struct SelectedEdits {
    /// The edits, in order.
    pub edits: Vec<Edit>,
    /// LF bytes before the first.
    pub newlines: u64,
    /// The first changed line of each; with an expression, its first line.
    pub lines: Vec<u32>,
    /// Line ends were adapted to the text.
    pub adapted: bool,
}

/// The reason why a selection is refused.
#[derive(Debug, PartialEq)]
pub enum SelectionError {
    /// No match begins here.
    NotThere(usize),
    /// The replacement and the text between are too large.
    TooMuch,
    /// The encoding may lack a character.
    NotEncodable(NotEncodable),
    /// The search exceeds its budget.
    Pattern(PatternError),
}

impl SelectionRequest<'_> {
    /// Counts the matches, with line ends as in a single replacement.
    pub fn survey(&self, text: &[u8]) -> Result<CountedMatches, PatternError> {
        Ok(match self.wanted {
            SearchTarget::Text(old) => {
                let found = self.pass(old, text, LineEnds::Exact);
                if !self.exact_line_ends && found.survey.calls_for_any_line_end(old) {
                    self.pass(old, text, LineEnds::Any)
                } else {
                    found
                }
            }
            SearchTarget::Pattern(pattern) => {
                let (mut survey, mut tally) = (self.empty_survey(), Tally::default());
                survey.see(&ScanEvent::Text(text));
                tally.feed(text);
                survey.count = pattern.matches(Haystack::whole(text)).count() as u64;
                pattern.require_all()?;
                CountedMatches { survey, line_ends: LineEnds::Exact, tally }
            }
        })
    }

    fn empty_survey(&self) -> MatchCount {
        MatchCount::new(if self.is_known { b"" } else { self.new_bytes }, LINES_LISTED)
    }

    fn pass(&self, old: &[u8], text: &[u8], line_ends: LineEnds) -> CountedMatches {
        let mut survey = self.empty_survey();
        let mut scan = OccurrenceScan::new(old, line_ends);
        let mut sink = |event: ScanEvent| survey.see(&event);
        // A scan copies each chunk.
        text.chunks(CHUNK_BYTES).for_each(|chunk| scan.feed(chunk, &mut sink));
        let tally = scan.finish(&mut sink);
        CountedMatches { survey, line_ends, tally }
    }

    /// Passes each place to `sink`, in order, until it breaks.
    pub fn each(
        &self,
        text: &[u8],
        found: &CountedMatches,
        mut sink: impl FnMut(MatchPlace) -> ControlFlow<()>,
    ) {
        let mut way = LineCounter::new(text, self.is_decoded);
        match self.wanted {
            SearchTarget::Pattern(pattern) => {
                let _ = pattern.matches(Haystack::whole(text)).try_for_each(|range| sink(way.place(range)));
            }
            SearchTarget::Text(old) => {
                let mut scan = OccurrenceScan::new(old, found.line_ends);
                let mut flow = ControlFlow::Continue(());
                let mut see = |event: ScanEvent| {
                    if let ScanEvent::Match { bytes, offset, .. } = event
                        && flow.is_continue()
                    {
                        // The text is in memory, so an offset fits.
                        let start = offset as usize;
                        flow = sink(way.place(start..start + bytes.len()));
                    }
                    flow.is_break()
                };
                for chunk in text.chunks(CHUNK_BYTES) {
                    let mut is_over = false;
                    scan.feed(chunk, |event| is_over = see(event));
                    if is_over {
                        return;
                    }
                }
                scan.finish(|event| {
                    see(event);
                });
            }
        }
    }

    /// Replaces the matches that begin at these places.
    pub fn replaced(
        &self,
        text: &[u8],
        found: &CountedMatches,
        chosen: &BTreeSet<usize>,
        ceiling: usize,
    ) -> Result<SelectedEdits, SelectionError> {
        let (mut places, mut left) = (Vec::new(), chosen.clone());
        self.each(text, found, |place| {
            if left.remove(&place.range.start) {
                places.push(place);
            }
            if left.is_empty() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        if let Some(missing) = left.first() {
            return Err(SelectionError::NotThere(*missing));
        }
        found.survey.require_encodable(self.new).map_err(SelectionError::NotEncodable)?;
        let region = match (places.first(), places.last()) {
            (Some(first), Some(last)) => first.range.start..last.range.end,
            _ => 0..0,
        };
        let (edits, adapted) = match self.wanted {
            SearchTarget::Text(old) => self.with_text(text, old, found, &places, ceiling),
            SearchTarget::Pattern(pattern) => {
                let edits = self.with_pattern(text, pattern, found, chosen, &region, ceiling);
                pattern.require_all().map_err(SelectionError::Pattern)?;
                edits
            }
        }
        .ok_or(SelectionError::TooMuch)?;
        let mut before = Tally::default();
        before.feed(&text[..region.start]);
        let of_text = match self.wanted {
            SearchTarget::Text(old) => {
                Some(kept_lines(old, self.new.as_bytes(), found.line_ends == LineEnds::Any))
            }
            SearchTarget::Pattern(_) => None,
        };
        let line = |(place, edit): (&MatchPlace, &Edit)| {
            let of_match = || kept_lines(&text[edit.range.clone()], &edit.new, false);
            u32::try_from(place.line).ok()?.checked_add(of_text.unwrap_or_else(of_match))
        };
        let lines = places.iter().zip(&edits).filter_map(line).collect();
        Ok(SelectedEdits { edits, newlines: before.newlines(), lines, adapted })
    }

    fn with_text(
        &self,
        text: &[u8],
        old: &[u8],
        found: &CountedMatches,
        places: &[MatchPlace],
        ceiling: usize,
    ) -> Option<(Vec<Edit>, bool)> {
        let any = found.line_ends == LineEnds::Any;
        let (mut edits, mut any_adapted, mut size, mut end) = (Vec::new(), false, 0, None);
        for MatchPlace { range, .. } in places {
            let Replacement { new, adapted } = replacement(
                old,
                self.new_bytes,
                &text[range.clone()],
                self.exact_line_ends,
                any,
                &found.tally,
            );
            size += new.len() + range.start - end.unwrap_or(range.start);
            if size > ceiling {
                return None;
            }
            end = Some(range.end);
            any_adapted |= adapted;
            edits.push(Edit { range: range.clone(), new });
        }
        Some((edits, any_adapted))
    }

    fn with_pattern(
        &self,
        text: &[u8],
        pattern: &Pattern,
        found: &CountedMatches,
        chosen: &BTreeSet<usize>,
        region: &Range<usize>,
        ceiling: usize,
    ) -> Option<(Vec<Edit>, bool)> {
        let majority = if self.exact_line_ends { None } else { found.tally.majority() };
        let put = MatchReplacement { new: self.new_bytes, majority, ceiling };
        let last = chosen.last().copied();
        let take = |range: &Range<usize>| (Some(range.start) <= last).then(|| chosen.contains(&range.start));
        let mut edits = Vec::new();
        let placed = |range, put: &[u8]| edits.push(Edit { range, new: put.to_vec() });
        let (_, adapted) = pattern.replaced(Haystack::whole(text), region.clone(), take, &put, placed)?;
        Some((edits, adapted))
    }
}

impl SelectedEdits {
    /// From the first edit to the last.
    pub fn range(&self) -> Range<usize> {
        match (self.edits.first(), self.edits.last()) {
            (Some(first), Some(last)) => first.range.start..last.range.end,
            _ => 0..0,
        }
    }

    /// The new text of that range.
    pub fn joined(&self, text: &[u8]) -> Vec<u8> {
        let (mut out, mut done) = (Vec::new(), self.range().start);
        for Edit { range, new } in &self.edits {
            out.extend_from_slice(&text[done..range.start]);
            out.extend_from_slice(new);
            done = range.end;
        }
        out
    }
}

struct LineCounter<'t> {
    text: &'t [u8],
    is_decoded: bool,
    tally: Tally,
    tallied: usize,
    counted: usize,
    characters: u64,
    line_start: usize,
}

impl<'t> LineCounter<'t> {
    fn new(text: &'t [u8], is_decoded: bool) -> Self {
        let tally = Tally::default();
        Self { text, is_decoded, tally, tallied: 0, counted: 0, characters: 0, line_start: 0 }
    }

    fn place(&mut self, range: Range<usize>) -> MatchPlace {
        let Self { text, tally, .. } = self;
        tally.feed(&text[self.tallied..range.start]);
        self.tallied = range.start;
        let next = &text[range.start..];
        // The LF of a CRLF belongs to its line.
        let inside = tally.is_inside_crlf(next);
        let end = range.start - usize::from(inside);
        let passed = &text[self.counted..end];
        let fresh = match memrchr2(b'\n', b'\r', passed) {
            Some(at) => {
                self.line_start = self.counted + at + 1;
                self.characters = 0;
                &passed[at + 1..]
            }
            None => passed,
        };
        self.characters += if self.is_decoded { characters(&plain_bytes(fresh)) } else { characters(fresh) };
        self.counted = end;
        MatchPlace {
            line: self.tally.line_of(next),
            column: self.characters + 1 + u64::from(inside),
            line_start: self.line_start,
            range,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line_end::normalised;

    fn request<'a>(wanted: SearchTarget<'a>, new: &'a str) -> SelectionRequest<'a> {
        SelectionRequest {
            wanted,
            new,
            new_bytes: new.as_bytes(),
            exact_line_ends: false,
            is_decoded: false,
            is_known: false,
        }
    }

    fn places(request: &SelectionRequest, text: &[u8]) -> Vec<(usize, u64, u64)> {
        let mut places = Vec::new();
        request.each(text, &request.survey(text).unwrap(), |MatchPlace { range, line, column, .. }| {
            places.push((range.start, line, column));
            ControlFlow::Continue(())
        });
        places
    }

    fn replaced(
        request: &SelectionRequest,
        text: &[u8],
        chosen: &[usize],
    ) -> Result<(Vec<u8>, Vec<u32>, bool), SelectionError> {
        let found = request.survey(text).unwrap();
        let done = request.replaced(text, &found, &chosen.iter().copied().collect(), 1 << 20)?;
        let range = done.range();
        let out = [&text[..range.start], &done.joined(text), &text[range.end..]].concat();
        Ok((out, done.lines, done.adapted))
    }

    #[test]
    fn every_place_is_told_with_its_line_and_column() {
        for (old, text, expected) in [
            ("a", &b"a b\na\n"[..], &[(0, 1, 1), (4, 2, 1)][..]),
            ("b", b"a b\r\nab b", &[(2, 1, 3), (6, 2, 2), (8, 2, 4)]),
            ("aa", b"aaaaa", &[(0, 1, 1), (2, 1, 3)]),
            ("x", "äx\u{1F600}x".as_bytes(), &[(2, 1, 2), (7, 1, 4)]),
            ("x", b"\xE9x", &[(1, 1, 2)]),
            ("\n", b"a\r\nb\r\n", &[(1, 1, 2), (4, 2, 2)]),
            ("b\nc", b"a\r\nb\r\nc", &[(3, 2, 1)]),
            ("b", b"a\rb\r\rb", &[(2, 2, 1), (5, 4, 1)]),
            ("c", b"ab", &[]),
        ] {
            assert_eq!(places(&request(SearchTarget::Text(old.as_bytes()), ""), text), expected, "{old:?}");
        }
        let exact = SelectionRequest { exact_line_ends: true, ..request(SearchTarget::Text(b"\n"), "") };
        assert_eq!(places(&exact, b"a\r\nb\n\nc"), [(2, 1, 3), (4, 2, 2), (5, 3, 1)]);
        let pattern = Pattern::parse("^\\w").unwrap();
        assert_eq!(
            places(&request(SearchTarget::Pattern(&pattern), ""), b"a b\r\nc"),
            [(0, 1, 1), (5, 2, 1)]
        );
    }

    #[test]
    fn the_chosen_ones_are_replaced_and_no_others() {
        for (old, new, text, chosen, expected, lines, adapted) in [
            ("a", "b", "a a a", &[0, 4][..], "b a b", &[1, 1][..], false),
            ("a", "", "a a a", &[2], "a  a", &[1], false),
            ("aa", "b", "aaaaa", &[2], "aaba", &[1], false),
            ("a\n", "b\nc\n", "a\r\na\r\n", &[3], "a\r\nb\r\nc\r\n", &[2], true),
            ("a", "a\nb", "a\r\na\r\n", &[0], "a\r\nb\r\na\r\n", &[1], true),
            ("a", "b", "a", &[], "a", &[], false),
        ] {
            let request = request(SearchTarget::Text(old.as_bytes()), new);
            let (out, told, any_adapted) = replaced(&request, text.as_bytes(), chosen).unwrap();
            assert_eq!(String::from_utf8(out).unwrap(), expected, "{old:?} in {text:?}");
            assert_eq!((&told[..], any_adapted), (lines, adapted), "{old:?} in {text:?}");
        }
        for (pattern, new, text, chosen, expected) in [
            ("(\\w)=", "$1: ", "a= b= c=", &[3][..], "a= b:  c="),
            ("^", "> ", "a\nb\nc", &[0, 4], "> a\nb\n> c"),
            ("a+", "x", "aaa a aa", &[4, 6], "aaa x x"),
            ("a", "b\n", "a\r\na", &[3], "a\r\nb\r\n"),
        ] {
            let pattern = Pattern::parse(pattern).unwrap();
            let (out, ..) =
                replaced(&request(SearchTarget::Pattern(&pattern), new), text.as_bytes(), chosen).unwrap();
            assert_eq!(String::from_utf8(out).unwrap(), expected, "{text:?}");
        }
    }

    #[test]
    fn what_is_not_there_is_not_replaced() {
        let by_text = request(SearchTarget::Text(b"aa"), "b");
        for (chosen, missing) in [(&[1][..], 1), (&[0, 4], 4), (&[0, 2, 99], 99)] {
            assert_eq!(replaced(&by_text, b"aaaa a", chosen).unwrap_err(), SelectionError::NotThere(missing));
        }
        let pattern = Pattern::parse("a+").unwrap();
        let by_pattern = request(SearchTarget::Pattern(&pattern), "b");
        assert_eq!(replaced(&by_pattern, b"aaaa a", &[1]).unwrap_err(), SelectionError::NotThere(1));
        let refused = NotEncodable { character: 'é', offset: 0 };
        assert_eq!(
            replaced(&request(SearchTarget::Text(b"a"), "é"), b"\xE9a", &[1]).unwrap_err(),
            SelectionError::NotEncodable(refused)
        );
    }

    #[test]
    fn a_ceiling_is_kept() {
        let text = b"a".repeat(100);
        let all = (0..100).collect();
        let pattern = Pattern::parse("a").unwrap();
        for wanted in [SearchTarget::Text(b"a"), SearchTarget::Pattern(&pattern)] {
            let request = request(wanted, "0123456789");
            let found = request.survey(&text).unwrap();
            assert_eq!(request.replaced(&text, &found, &all, 999).unwrap_err(), SelectionError::TooMuch);
            assert!(request.replaced(&text, &found, &all, 1000).is_ok());
            let ends = [0, 99].into();
            assert_eq!(request.replaced(&text, &found, &ends, 117).unwrap_err(), SelectionError::TooMuch);
            assert!(request.replaced(&text, &found, &ends, 118).is_ok(), "what lies between counts");
        }
    }

    #[test]
    fn all_of_them_are_what_replacing_all_makes() {
        use proptest::prelude::*;
        let bytes = |most| {
            proptest::collection::vec(prop_oneof![Just(b'a'), Just(b'b'), Just(b'\r'), Just(b'\n')], 1..most)
        };
        proptest!(|(text in bytes(60), old in bytes(4), new in "[ab\r\n]{0,4}")| {
            let request = request(SearchTarget::Text(&old), &new);
            let found = request.survey(&text).unwrap();
            let all: Vec<_> = places(&request, &text).iter().map(|(start, ..)| *start).collect();
            prop_assert_eq!(all.len() as u64, found.survey.count);
            let mut composed = crate::edit_sequence::EditedText::new(text.clone(), 0);
            let old = std::str::from_utf8(&old).unwrap();
            let which = crate::edit_sequence::OccurrenceChoice::All;
            let done = composed.replace(&crate::edit_sequence::EditRequest {
                old, new: &new, which, exact_line_ends: false,
            });
            let (out, lines, adapted) = replaced(&request, &text, &all).unwrap();
            prop_assert_eq!(done.is_ok(), !all.is_empty());
            prop_assert_eq!(lines, composed.lines.clone());
            prop_assert_eq!(adapted, composed.adapted);
            prop_assert_eq!(out, composed.into_bytes());
            for (start, line, _) in places(&request, &text) {
                let before = normalised(&text[..start]);
                let cut = text[..start].ends_with(b"\r") && text[start..].starts_with(b"\n");
                let ends = memchr::memchr_iter(b'\n', &before).count() as u64;
                prop_assert_eq!(line, ends + 1 - u64::from(cut));
            }
        });
    }
}
