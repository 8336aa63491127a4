//! A pattern searched in lines. Within lines the search is linear. Across lines it has a budget,
//! because a match may scan to the end.
//!
//! Without `multi_line` the pattern is rewritten: it matches no line-end character, and text
//! anchors become line anchors. One search over many lines then equals a search of each.

use std::ops::Range;

use regex_automata::Input;
use regex_automata::meta::{Config, Regex};
use regex_automata::nfa::thompson::WhichCaptures;
use regex_automata::util::captures::Captures;
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{
    Class, ClassBytes, ClassBytesRange, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Look, Repetition,
};

use super::haystack::{EndAssertions, Haystack};
use super::line_end::as_lf;
use super::lines::{end_of_line, start_of_line};
use super::pattern::{PatternError, parse};
use super::search_budget::SearchBudget;
use fsgate_contract::limits::{PATTERN_BYTES, REGEX_COMPILED_BYTES};

/// A query.
#[derive(Debug, Clone, Copy, Default)]
pub struct LineQuery<'a> {
    /// A text or regular expression.
    pub pattern: &'a str,
    /// The pattern is a regular expression.
    pub regex: bool,
    /// Case is ignored.
    pub ignore_case: bool,
    /// No word character may be next to a match.
    pub word: bool,
    /// Matches may span lines.
    pub multi_line: bool,
    /// Lines without a match are wanted.
    pub invert: bool,
}

/// A compiled pattern.
pub struct LinePattern {
    regex: Regex,
    effort: Option<SearchBudget>,
    ends: EndAssertions,
    asks_for_bytes: bool,
    spans_lines: bool,
    invert: bool,
}

/// Lines with a match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchedLines {
    /// The lines, with their ends.
    pub lines: Range<usize>,
    /// The first match in them.
    pub first: Range<usize>,
}

impl LinePattern {
    /// Compiles a pattern.
    pub fn compile(wanted: &LineQuery) -> Result<Self, PatternError> {
        if wanted.pattern.is_empty() {
            return Err(PatternError::Empty);
        }
        if wanted.invert && wanted.multi_line {
            return Err(PatternError::InvertsSeveralLines);
        }
        if wanted.pattern.len() > PATTERN_BYTES {
            return Err(PatternError::TooLong(wanted.pattern.len()));
        }
        let hir = if wanted.regex { expression(wanted)? } else { literal(wanted)? };
        let asks_for_bytes = !hir.properties().is_utf8();
        let spans_lines =
            wanted.regex && wanted.multi_line && within_a_line(hir.clone()).as_ref() != Some(&hir);
        let hir = if wanted.word {
            let (start, end) = (Look::WordStartHalfUnicode, Look::WordEndHalfUnicode);
            Hir::concat(vec![Hir::look(start), hir, Hir::look(end)])
        } else {
            hir
        };
        let config = Config::new()
            .utf8_empty(false)
            .which_captures(WhichCaptures::Implicit)
            .nfa_size_limit(Some(REGEX_COMPILED_BYTES));
        let regex = Regex::builder().configure(config).build_from_hir(&hir);
        let regex = regex.map_err(|_| PatternError::TooLarge("pattern"))?;
        let ends = EndAssertions::of(&hir);
        let effort = wanted.multi_line.then(|| SearchBudget::new(hir));
        Ok(Self { regex, effort, ends, asks_for_bytes, spans_lines, invert: wanted.invert })
    }

    /// Whether it may match undecodable bytes, like `(?-u:\xE9)`.
    pub fn asks_for_bytes(&self) -> bool {
        self.asks_for_bytes
    }

    /// Whether matches may span lines: the text must be complete.
    pub fn is_for_several_lines(&self) -> bool {
        self.effort.is_some()
    }

    /// Begins a new text, with a fresh budget.
    pub fn begin(&self, text: &[u8]) {
        if let Some(effort) = &self.effort {
            effort.begin(text);
        }
    }

    /// Whether the budget ended this text's search.
    pub fn is_spent(&self) -> bool {
        self.effort.as_ref().is_some_and(SearchBudget::is_spent)
    }

    /// The first lines with a match at or after `from`, a line start.
    pub fn find(&self, text: &[u8], from: usize) -> Option<MatchedLines> {
        if from >= text.len() {
            return None;
        }
        if self.invert {
            return self.without(text, from);
        }
        let first = self.next(text, from)?;
        let mut lines = lines_of(text, &first);
        if self.effort.is_some() {
            lines.end = self.end_of_meeting(text, &first, lines.end);
        }
        Some(MatchedLines { lines, first })
    }

    /// Whether [`Self::find`] finds lines, without their other matches.
    pub fn is_found(&self, text: &[u8], from: usize) -> bool {
        match self.invert {
            true => self.find(text, from).is_some(),
            false => from < text.len() && self.next(text, from).is_some(),
        }
    }

    /// Whether a pattern missing in the text occurs once each CRLF is LF.
    pub fn wants_lf(&self, text: &[u8]) -> bool {
        let as_lf = if self.spans_lines { as_lf(text) } else { None };
        as_lf.is_some_and(|text| {
            self.begin(&text);
            self.is_found(&text, 0)
        })
    }

    /// Every match in one line, for highlighting.
    pub fn all_in(&self, line: &[u8]) -> Vec<Range<usize>> {
        let (mut all, mut from) = (Vec::new(), 0);
        // Beyond the line the same empty match would repeat forever.
        while from <= line.len()
            && let Some(found) = self.next(line, from).filter(|_| !self.invert)
        {
            from = found.end + usize::from(found.is_empty());
            all.push(found);
        }
        all
    }

    /// The first line without a match. Each line is searched alone: a longer search would repeat.
    fn without(&self, text: &[u8], from: usize) -> Option<MatchedLines> {
        let mut start = from;
        while start < text.len() {
            let lines = start..end_of_line(text, start);
            if !self.is_in(text, lines.clone()) {
                return Some(MatchedLines { first: lines.start..lines.start, lines });
            }
            start = lines.end;
        }
        None
    }

    fn is_in(&self, text: &[u8], line: Range<usize>) -> bool {
        let mut at = line.start;
        while let Some(found) = self.regex.find(Input::new(text).range(at..line.end)) {
            let found = found.range();
            let begins_next = found.is_empty() && found.start == line.end && line.end < text.len();
            let is_outside = found.is_empty() && is_outside_of_lines(text, found.start);
            if !begins_next && !is_outside {
                return true;
            }
            at = found.start + 1;
            if at > line.end {
                break;
            }
        }
        false
    }

    /// The end of the lines that `first` touches, extended by every match that begins on them.
    fn end_of_meeting(&self, text: &[u8], first: &Range<usize>, mut end: usize) -> usize {
        let mut after = first.end + usize::from(first.is_empty());
        while let Some(next) = self.next(text, after).filter(|next| next.start < end) {
            // One line may have a million matches: only longer ones are measured.
            if next.end > end {
                end = end_of_line(text, next.end - 1);
            }
            after = next.end + usize::from(next.is_empty());
        }
        end
    }

    fn next(&self, text: &[u8], from: usize) -> Option<Range<usize>> {
        let mut at = from;
        loop {
            if self.effort.as_ref().is_some_and(|effort| !effort.allows(text, at)) {
                return None;
            }
            let at_most = at.min(text.len());
            let found = if self.effort.is_some() {
                let mut captures = Captures::matches(self.regex.group_info().clone());
                self.ends.search(&self.regex, Haystack::whole(text), at_most, &mut captures)?.0
            } else {
                self.regex.find(Input::new(text).range(at_most..))?.range()
            };
            if !(found.is_empty() && is_outside_of_lines(text, found.start)) {
                return Some(found);
            }
            at = found.start + 1;
            if at > text.len() {
                return None;
            }
        }
    }
}

fn is_outside_of_lines(text: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| text.get(before));
    match text.get(at) {
        None => matches!(before, None | Some(b'\n' | b'\r')),
        Some(next) => *next == b'\n' && before == Some(&b'\r'),
    }
}

fn lines_of(text: &[u8], found: &Range<usize>) -> Range<usize> {
    let last = if found.is_empty() { found.end } else { found.end - 1 };
    start_of_line(text, found.start)..end_of_line(text, last)
}

fn expression(wanted: &LineQuery) -> Result<Hir, PatternError> {
    // An expression may match single bytes.
    let mut parser = ParserBuilder::new();
    parser.utf8(false).case_insensitive(wanted.ignore_case);
    let hir = parse(wanted.pattern, &parser, "pattern")?;
    if wanted.multi_line {
        return Ok(hir);
    }
    let place = || ["\n", "\r", "\\n", "\\r"].iter().filter_map(|end| wanted.pattern.find(end)).min();
    within_a_line(hir).ok_or_else(|| PatternError::LineEnd(place().unwrap_or_default() as u64))
}

fn literal(wanted: &LineQuery) -> Result<Hir, PatternError> {
    let ends = wanted.pattern.find(['\n', '\r']);
    match ends {
        Some(at) if !wanted.multi_line => return Err(PatternError::LineEnd(at as u64)),
        None if !wanted.ignore_case => return Ok(Hir::literal(wanted.pattern.as_bytes())),
        _ => {}
    }
    let unified = wanted.pattern.replace("\r\n", "\n").replace('\r', "\n");
    let lines: Vec<_> = unified.split('\n').map(regex_syntax::escape).collect();
    let mut parser = ParserBuilder::new();
    parser.case_insensitive(wanted.ignore_case);
    parse(&lines.join("(?:\r\n|\n|\r)"), &parser, "pattern")
}

/// The expression without line-end characters, with text anchors as line anchors. None if a part
/// matches only line ends.
fn within_a_line(hir: Hir) -> Option<Hir> {
    let all = |parts: Vec<Hir>| parts.into_iter().map(within_a_line).collect::<Option<Vec<_>>>();
    Some(match hir.into_kind() {
        HirKind::Empty => Hir::empty(),
        HirKind::Literal(literal) => {
            let ends_a_line = literal.0.iter().any(|byte| matches!(byte, b'\n' | b'\r'));
            return (!ends_a_line).then(|| Hir::literal(literal.0));
        }
        HirKind::Class(class) => Hir::class(without_line_ends(class)?),
        HirKind::Look(Look::Start | Look::StartLF) => Hir::look(Look::StartCRLF),
        HirKind::Look(Look::End | Look::EndLF) => Hir::look(Look::EndCRLF),
        HirKind::Look(look) => Hir::look(look),
        HirKind::Repetition(Repetition { min, max, greedy, sub }) => {
            Hir::repetition(Repetition { min, max, greedy, sub: Box::new(within_a_line(*sub)?) })
        }
        HirKind::Capture(capture) => within_a_line(*capture.sub)?,
        HirKind::Concat(parts) => Hir::concat(all(parts)?),
        HirKind::Alternation(parts) => Hir::alternation(all(parts)?),
    })
}

fn without_line_ends(class: Class) -> Option<Class> {
    match class {
        Class::Unicode(mut class) => {
            let was_empty = class.ranges().is_empty();
            class.difference(&ClassUnicode::new(['\n', '\r'].map(|c| ClassUnicodeRange::new(c, c))));
            (was_empty || !class.ranges().is_empty()).then_some(Class::Unicode(class))
        }
        Class::Bytes(mut class) => {
            let was_empty = class.ranges().is_empty();
            class.difference(&ClassBytes::new([b'\n', b'\r'].map(|b| ClassBytesRange::new(b, b))));
            (was_empty || !class.ranges().is_empty()).then_some(Class::Bytes(class))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_match_takes_no_look_at_the_others() {
        // After each `a` the search for a `b` runs to the end.
        let text = "a".repeat(100_000);
        let wanted = |pattern| LineQuery { pattern, regex: true, multi_line: true, ..LineQuery::default() };
        for (pattern, is_found) in [("(?s)(a.*b|a)", true), ("(?s)c.*b", false)] {
            let pattern = LinePattern::compile(&wanted(pattern)).unwrap();
            pattern.begin(text.as_bytes());
            assert_eq!(pattern.is_found(text.as_bytes(), 0), is_found);
            assert!(!pattern.is_spent());
            assert!(!pattern.is_found(text.as_bytes(), text.len()));
        }
        let pattern = LinePattern::compile(&wanted("(?s)(a.*b|a)")).unwrap();
        pattern.begin(text.as_bytes());
        let _ = pattern.find(text.as_bytes(), 0);
        assert!(pattern.is_spent());
    }

    #[test]
    fn an_expression_for_lf_is_told_from_one_that_is_not_there() {
        for (pattern, text, wants_lf) in [
            ("a\\nb", "a\r\nb\r\n", true),
            ("a\nb", "a\r\nb\r\n", true),
            ("a\\x0Ab", "a\r\nb", true),
            ("a\\sb", "a\r\nb", true),
            ("(?s)a.b", "a\r\nb", true),
            ("(a)[^x]b", "a\r\nb", true),
            ("a\\nc", "a\r\nb\r\n", false),
            ("a\\nb", "a\rb\r", false),
            ("a\\nb", "x\n", false),
            ("a.b", "a\r\nb", false),
            ("^b$", "a\r\nc", false),
        ] {
            let wanted = LineQuery { pattern, regex: true, multi_line: true, ..LineQuery::default() };
            let compiled = LinePattern::compile(&wanted).unwrap();
            assert_eq!(compiled.wants_lf(text.as_bytes()), wants_lf, "{pattern:?} {text:?}");
        }
    }

    fn found(wanted: &LineQuery, text: &str) -> Vec<(String, usize)> {
        let pattern = LinePattern::compile(wanted).unwrap();
        let (mut all, mut from) = (Vec::new(), 0);
        while let Some(MatchedLines { lines, first }) = pattern.find(text.as_bytes(), from) {
            all.push((text[lines.clone()].to_owned(), first.start - lines.start));
            from = lines.end;
        }
        all
    }

    fn check(wanted: &LineQuery, text: &str, expected: &[(&str, usize)]) {
        let expected: Vec<_> = expected.iter().map(|(line, at)| ((*line).to_owned(), *at)).collect();
        assert_eq!(found(wanted, text), expected, "{wanted:?} in {text:?}");
    }

    #[test]
    fn each_line_is_searched_for_itself() {
        let regex = |pattern| LineQuery { pattern, regex: true, ..LineQuery::default() };
        for (pattern, text, expected) in [
            ("b+", "abb\nb b\n\nc", &[("abb\n", 1), ("b b\n", 0)][..]),
            ("^b", "a\rb\r\nb\nab", &[("b\r\n", 0), ("b\n", 0)]),
            ("b$", "ab\rb\r\nb\nbc\nb", &[("ab\r", 1), ("b\r\n", 0), ("b\n", 0), ("b", 0)]),
            ("\\Ab\\z", "b\r\nab\nb", &[("b\r\n", 0), ("b", 0)]),
            ("(?-R)b$", "b\r\n", &[("b\r\n", 0)]),
            ("(?-m)^b$", "a\nb\n", &[("b\n", 0)]),
            ("a\\s*b", "a\nb\na b", &[("a b", 0)]),
            ("a[^x]b", "a\rb\na-b", &[("a-b", 0)]),
            ("(?s)a.b", "a\nb\na.b", &[("a.b", 0)]),
            ("(?-u)a\\sb", "a\rb\na\tb", &[("a\tb", 0)]),
            ("x*", "\r\n\ra\n", &[("\r\n", 0), ("\r", 0), ("a\n", 0)]),
            ("^$", "a\r\n\r\nb\n\n", &[("\r\n", 0), ("\n", 0)]),
            ("", "", &[]),
            ("x*", "", &[]),
            ("[a&&b]|c", "a\nc", &[("c", 0)]),
            ("\\bö", "ö\raö\r-ö", &[("ö\r", 0), ("-ö", 1)]),
        ] {
            if pattern.is_empty() {
                assert!(LinePattern::compile(&regex(pattern)).is_err());
            } else {
                check(&regex(pattern), text, expected);
            }
        }
    }

    #[test]
    fn every_match_in_a_line_is_listed_once() {
        for (pattern, line, expected) in [
            ("a+", "baab a", &[(1, 3), (5, 6)][..]),
            ("a*", "xa", &[(0, 0), (1, 2), (2, 2)]),
            ("x*", "a", &[(0, 0), (1, 1)]),
            ("x*", "", &[]),
            ("none", "a", &[]),
        ] {
            let wanted = LineQuery { pattern, regex: true, ..LineQuery::default() };
            let found = LinePattern::compile(&wanted).unwrap().all_in(line.as_bytes());
            let found: Vec<_> = found.into_iter().map(|range| (range.start, range.end)).collect();
            assert_eq!(found, expected, "{pattern} in {line:?}");
        }
    }

    #[test]
    fn lines_without_a_match_are_those_that_are_not_found() {
        let regex = |pattern| LineQuery { pattern, regex: true, ..LineQuery::default() };
        let plain = |pattern| LineQuery { pattern, ..LineQuery::default() };
        for wanted in [
            plain("b"),
            LineQuery { word: true, ..plain("b") },
            LineQuery { ignore_case: true, ..plain("B") },
            regex("^$"),
            regex("x*"),
            regex("b$"),
            regex("^b"),
            regex("\\bb"),
            regex("[^b]$"),
            regex("none"),
        ] {
            for text in ["", "b", "a\nb\r\n\r\nab\rb\n\n", "b\n", "\r\n", "a\n\rab\n b", "ab\r\nb a"] {
                let starts = |wanted: &LineQuery| {
                    let pattern = LinePattern::compile(wanted).unwrap();
                    let (mut starts, mut from) = (Vec::new(), 0);
                    while let Some(MatchedLines { lines, .. }) = pattern.find(text.as_bytes(), from) {
                        starts.push(lines.start);
                        from = lines.end;
                    }
                    starts
                };
                let mut both = [starts(&wanted), starts(&LineQuery { invert: true, ..wanted })].concat();
                both.sort_unstable();
                let (mut all, mut at) = (Vec::new(), 0);
                while at < text.len() {
                    all.push(at);
                    at = end_of_line(text.as_bytes(), at);
                }
                assert_eq!(both, all, "{wanted:?} in {text:?}");
            }
        }
    }

    #[test]
    fn a_text_is_found_as_it_is() {
        let plain = |pattern| LineQuery { pattern, ..LineQuery::default() };
        let any_case = |pattern| LineQuery { ignore_case: true, ..plain(pattern) };
        let word = |pattern| LineQuery { word: true, ..plain(pattern) };
        for (wanted, text, expected) in [
            (plain("a.b("), "a.b(\naxb(", &[("a.b(\n", 0)][..]),
            (plain("--pre=sh"), "x --pre=sh", &[("x --pre=sh", 2)]),
            (plain("Ä"), "ä\nÄ", &[("Ä", 0)]),
            (any_case("straße(x"), "STRAßE(X\nstrasse(x", &[("STRAßE(X\n", 0)]),
            (any_case("ÄΣ"), "äς\näs", &[("äς\n", 0)]),
            (word("set"), "reset\nset_a\na set.\nset", &[("a set.\n", 2), ("set", 0)]),
            (word("foo("), "foo(a)\nfoo(-)\nxfoo(", &[("foo(-)\n", 0)]),
            (LineQuery { ignore_case: true, ..word("é") }, "é1\n É ", &[(" É ", 1)]),
        ] {
            check(&wanted, text, expected);
        }
    }

    #[test]
    fn a_match_may_go_over_lines_if_it_is_allowed_to() {
        let plain = |pattern| LineQuery { pattern, multi_line: true, ..LineQuery::default() };
        let regex = |pattern| LineQuery { regex: true, ..plain(pattern) };
        for (wanted, text, expected) in [
            (
                plain("a\nb"),
                "xa\nbx\na\r\nb\na\rb\nab",
                &[("xa\nbx\n", 1), ("a\r\nb\n", 0), ("a\rb\n", 0)][..],
            ),
            (plain("a\r\nb"), "a\nb", &[("a\nb", 0)]),
            (plain("a\n"), "a\nb", &[("a\n", 0)]),
            (regex("a\\nb"), "a\nb a\nb\nc", &[("a\nb a\nb\n", 0)]),
            (regex("(?s)a.*b"), "a\n\nb\nc\n", &[("a\n\nb\n", 0)]),
            (regex("a.b"), "a\nb", &[]),
            (regex("^a$"), "b\r\na\r\n", &[("a\r\n", 0)]),
            (regex("\\Aa"), "a\na", &[("a\n", 0)]),
            (regex("a|a\\n"), "a a\nb\na", &[("a a\n", 0), ("a", 0)]),
            (regex("\\n"), "a\r\nb", &[("a\r\n", 2)]),
            (regex("x*"), "a\r\nb\n", &[("a\r\n", 0), ("b\n", 0)]),
        ] {
            check(&wanted, text, expected);
        }
    }

    #[test]
    fn what_cannot_be_searched_for_is_refused() {
        let plain = LineQuery { pattern: "a\nb", ..LineQuery::default() };
        let regex = |pattern| LineQuery { pattern, regex: true, ..LineQuery::default() };
        let long = "x".repeat(PATTERN_BYTES + 1);
        let nested = format!("{}a{}", "(".repeat(10_000), ")".repeat(10_000));
        let problem = "unclosed group".to_owned();
        for (wanted, expected) in [
            (plain, PatternError::LineEnd(1)),
            (regex("ab\\n"), PatternError::LineEnd(2)),
            (regex("[\\r\\n]"), PatternError::LineEnd(1)),
            (regex("a\\x0A"), PatternError::LineEnd(0)),
            (regex(""), PatternError::Empty),
            (LineQuery { pattern: &long, ..plain }, PatternError::TooLong(PATTERN_BYTES + 1)),
            (regex("f("), PatternError::Invalid { field: "pattern", position: 1, problem, repair: None }),
            (regex("(\\w{1000}){1000}"), PatternError::TooLarge("pattern")),
        ] {
            assert_eq!(LinePattern::compile(&wanted).err(), Some(expected), "{}", wanted.pattern.len());
        }
        let refused = LinePattern::compile(&regex(&nested)).err();
        assert!(matches!(refused, Some(PatternError::Invalid { .. })), "{refused:?}");
    }
}
