//! Regular expressions. One search is linear in the text whatever the expression is; going on from match to match can be
//! quadratic, if every search looks far ahead.

use std::ops::Range;

use regex::bytes::{Regex, RegexBuilder};
use regex_automata::util::interpolate;
use regex_syntax::ParserBuilder;
use regex_syntax::hir::Hir;

use super::line_end::{LineEnd, adapted};
use crate::error::Reason;
use crate::limits::{REGEX_COMPILED_BYTES, REGEX_GROUPS};

/// A compiled expression. `^` and `$` match at every line end, and `.` matches none of their characters.
pub struct Pattern(Regex);

/// What is put in the place of each match.
pub struct Put<'a> {
    /// The text, in which `$1` and `${name}` stand for groups.
    pub new: &'a [u8],
    /// The line end that its own ones become, if they do.
    pub majority: Option<LineEnd>,
    /// Bytes that all of it may have.
    pub ceiling: usize,
}

impl Pattern {
    /// Compiles an expression.
    pub fn parse(pattern: &str) -> Result<Self, Reason> {
        // It also refuses what would match a part of a character, such as `(?-u)\xC3`.
        parse(pattern, &ParserBuilder::new(), "old")?;
        RegexBuilder::new(pattern)
            .multi_line(true)
            .crlf(true)
            .size_limit(REGEX_COMPILED_BYTES)
            .build()
            .ok()
            .filter(|regex| regex.captures_len() <= REGEX_GROUPS)
            .map(Self)
            .ok_or(Reason::PatternTooLarge("old"))
    }

    /// Where it matches, without overlaps.
    pub fn matches<'a>(&'a self, text: &'a [u8]) -> impl Iterator<Item = Range<usize>> + 'a {
        self.0.find_iter(text).map(|found| found.range()).filter(|range| !splits(text, range))
    }

    /// What stands in `region` when those matches are replaced that `take` says, until it says nothing any more, and whether
    /// line ends of the new text were taken as the file's. None if it has too many bytes. `region` goes from the first of
    /// these matches to the end of the last. Into `parts`, if they are wanted, goes where each of them is in the text, and
    /// where in the result what has taken its place.
    pub fn replaced(
        &self,
        text: &[u8],
        region: Range<usize>,
        mut take: impl FnMut(&Range<usize>) -> Option<bool>,
        put: &Put,
        parts: &mut Option<Vec<(Range<usize>, Range<usize>)>>,
    ) -> Option<(Vec<u8>, bool)> {
        // Only the line ends that the caller has written: what a group stands for is the file's own text.
        let Put { new, majority, ceiling } = *put;
        let template = adapted(new, b"", majority);
        let mut out = Vec::new();
        let mut from = region.start;
        let all = self.0.captures_iter(text).filter_map(|captures| Some((captures.get(0)?, captures)));
        let whole = all.filter(|(found, _)| !splits(text, &found.range()));
        for (found, captures) in whole {
            match take(&found.range()) {
                None => break,
                Some(false) => continue,
                Some(true) => {}
            }
            out.extend_from_slice(&text[from..found.start()]);
            let begin = out.len();
            // As `captures.expand` does it, but no further than the ceiling: a few groups may stand for gigabytes.
            let group = |index: usize, out: &mut Vec<u8>| {
                let group = captures.get(index).map_or(&b""[..], |group| group.as_bytes());
                let kept = group.len().min((ceiling + 1).saturating_sub(out.len()));
                out.extend_from_slice(&group[..kept]);
            };
            let named = |name: &str| self.0.capture_names().position(|other| other == Some(name));
            interpolate::bytes(&template, group, named, &mut out);
            from = found.end();
            if let Some(parts) = parts {
                parts.push((found.range(), begin..out.len()));
            }
            if out.len() > ceiling {
                return None;
            }
        }
        out.extend_from_slice(&text[from..region.end]);
        (out.len() <= ceiling).then(|| (out, template != new))
    }
}

/// Takes the first so many matches.
pub fn first(most: u64) -> impl FnMut(&Range<usize>) -> Option<bool> {
    let mut left = most;
    move |_| {
        left = left.checked_sub(1)?;
        Some(true)
    }
}

/// Parses an expression, which the argument `field` holds: `^` and `$` match at every line end, and `.` none of their
/// characters. The compiler does not tell where it stumbles; the parser that it uses does.
pub(super) fn parse(pattern: &str, parser: &ParserBuilder, field: &'static str) -> Result<Hir, Reason> {
    parser.clone().multi_line(true).crlf(true).build().parse(pattern).map_err(|error| {
        let (position, problem) = match &error {
            regex_syntax::Error::Parse(error) => (error.span().start.offset, error.kind().to_string()),
            regex_syntax::Error::Translate(error) => (error.span().start.offset, error.kind().to_string()),
            other => (0, other.to_string()),
        };
        Reason::InvalidPattern { field, position: position as u64, problem }
    })
}

/// True for a match of nothing inside a character or a CRLF: to put something there would break it.
fn splits(text: &[u8], range: &Range<usize>) -> bool {
    let inside = |next: u8| {
        next & 0xC0 == 0x80 || (next == b'\n' && range.start > 0 && text[range.start - 1] == b'\r')
    };
    range.is_empty() && text.get(range.start).is_some_and(|next| inside(*next))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replace(pattern: &str, text: &str, most: u64, new: &str, majority: Option<LineEnd>) -> (String, bool) {
        let pattern = Pattern::parse(pattern).unwrap();
        let ranges: Vec<_> = pattern.matches(text.as_bytes()).zip(0..most).map(|(range, _)| range).collect();
        let region = ranges[0].start..ranges[ranges.len() - 1].end;
        let (put, adapted) = pattern
            .replaced(
                text.as_bytes(),
                region.clone(),
                first(most),
                &Put { new: new.as_bytes(), majority, ceiling: 1 << 20 },
                &mut None,
            )
            .unwrap();
        let put = String::from_utf8(put).unwrap();
        (format!("{}{put}{}", &text[..region.start], &text[region.end..]), adapted)
    }

    #[test]
    fn replaces_matches_and_keeps_the_rest() {
        for (pattern, text, new, expected) in [
            ("a+", "baab a", "x", "bxb x"),
            ("(\\w+) (\\w+)", "one two three four", "$2 $1", "two one four three"),
            ("(?<k>\\w)=", "a=1 b=2", "${k}: ", "a: 1 b: 2"),
            ("a", "a", "$$1", "$1"),
            ("^", "one\ntwo", "> ", "> one\n> two"),
            ("$", "one\r\ntwo", ";", "one;\r\ntwo;"),
            ("^b$", "a\r\nb\r\nc", "B", "a\r\nB\r\nc"),
            (".+", "a\rb", "x", "x\rx"),
            ("a.b", "a\nb", "x", "a\nb"),
            ("a\\s+b", "a\r\n b", "x", "x"),
            ("(?i)ä", "Ä", "x", "x"),
            ("x*", "é", "-", "-é-"),
            ("x*", "a\r\n", "-", "-a-\r\n-"),
        ] {
            if expected == text {
                assert_eq!(Pattern::parse(pattern).unwrap().matches(text.as_bytes()).count(), 0);
            } else {
                assert_eq!(replace(pattern, text, u64::MAX, new, None).0, expected, "{pattern} in {text:?}");
            }
        }
        assert_eq!(replace("a", "aaa", 2, "b", None).0, "bba");
        assert_eq!(replace("a", "a\r\n", 9, "b\nc", Some(LineEnd::CrLf)), ("b\r\nc\r\n".to_owned(), true));
        assert_eq!(replace("(a\n)", "a\n\r\n", 9, "$1", Some(LineEnd::CrLf)), ("a\n\r\n".to_owned(), false));
    }

    #[test]
    fn what_does_not_parse_is_told_with_its_place() {
        for (pattern, expected) in [
            ("(", 0),
            ("ab[", 2),
            ("a{2", 1),
            ("\\p{Nope}", 0),
            ("a(?-u)\\xC3", 6),
            ("a**?+(", 5),
            ("(?P<n>a)(?P<n>b)", 12),
        ] {
            let Err(Reason::InvalidPattern { position, problem, .. }) = Pattern::parse(pattern) else {
                panic!("{pattern} parses")
            };
            assert_eq!(position, expected, "{pattern}: {problem}");
        }
        assert!(matches!(Pattern::parse("(\\w{1000}){1000}"), Err(Reason::PatternTooLarge(_))));
        assert!(matches!(Pattern::parse(&"(a?)".repeat(101)), Err(Reason::PatternTooLarge(_))));
        assert!(Pattern::parse(&"(a?)".repeat(100)).is_ok());
    }

    #[test]
    fn a_ceiling_is_kept() {
        let pattern = Pattern::parse("a").unwrap();
        let text = b"a".repeat(1000);
        for (ceiling, fits) in [(9_999, false), (10_000, true)] {
            let put = Put { new: b"0123456789", majority: None, ceiling };
            assert_eq!(pattern.replaced(&text, 0..1000, first(u64::MAX), &put, &mut None).is_some(), fits);
        }
    }
}
