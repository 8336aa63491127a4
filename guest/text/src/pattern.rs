//! Regular expressions. One search is linear. Repeated searches have a budget, because each match
//! may scan to the end.

use std::cell::RefCell;
use std::convert::Infallible;
use std::ops::Range;

use regex_automata::PatternID;
use regex_automata::meta::{Config, Regex};
use regex_automata::util::captures::Captures;
use regex_automata::util::interpolate;
use regex_syntax::ParserBuilder;
use regex_syntax::ast::{Ast, ClassSetItem, Visitor, parse::Parser, visit};
use regex_syntax::hir::Hir;

use super::haystack::{EndAssertions, Haystack};
use super::line_end::{LineEnd, adapted};
use super::regex_dialects::repair;
use super::search_budget::SearchBudget;
use fsgate_contract::limits::{REGEX_COMPILED_BYTES, REGEX_GROUPS};

/// A replacement group in another engine's notation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ForeignGroup<'n> {
    /// Its full spelling.
    pub spelled: &'n str,
    /// The number or name of the group.
    pub name: &'n str,
    /// The expression has that group.
    pub is_known: bool,
}

/// A compiled expression. `^` and `$` match once on each line; `.` matches no line-end character.
/// After a final line end only `\z` matches.
pub struct Pattern {
    regex: Regex,
    effort: SearchBudget,
    ends: EndAssertions,
    /// It names line ends, so those of a replacement are literal.
    names_line_ends: bool,
}

/// An error of an expression or line pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatternError {
    /// An empty pattern.
    Empty,
    /// An inverted pattern for several lines.
    InvertsSeveralLines,
    /// An invalid expression.
    Invalid {
        /// The argument that holds it.
        field: &'static str,
        /// The offset of the error.
        position: u64,
        /// The parser's message.
        problem: String,
        /// The spelling that replaces another engine's.
        repair: Option<&'static str>,
    },
    /// The argument whose pattern needs too much memory or too many groups.
    TooLarge(&'static str),
    /// The bytes of too long a pattern.
    TooLong(usize),
    /// The argument whose matches take too long.
    TooLaborious(&'static str),
    /// The offset of a line end in a pattern for single lines.
    LineEnd(u64),
    /// A replacement names a group that the expression lacks.
    NoSuchGroup {
        /// Its name or number.
        name: String,
        /// An existing group, and characters that run into its number.
        runs_on: Option<(usize, String)>,
        /// The number of groups.
        groups: usize,
        /// The names of groups.
        names: Vec<String>,
    },
}

/// The replacement of each match.
pub struct MatchReplacement<'a> {
    /// The text, with groups `$1` and `${name}`.
    pub new: &'a [u8],
    /// The line end for its own ones; none keeps them.
    pub majority: Option<LineEnd>,
    /// The most bytes of the result.
    pub ceiling: usize,
}

impl Pattern {
    /// Compiles an expression.
    pub fn parse(pattern: &str) -> Result<Self, PatternError> {
        // This also refuses partial characters, such as `(?-u)\xC3`.
        let hir = parse(pattern, &ParserBuilder::new(), "old")?;
        let config = Config::new().utf8_empty(false).nfa_size_limit(Some(REGEX_COMPILED_BYTES));
        let regex = Regex::builder().configure(config).build_from_hir(&hir).ok();
        let regex = regex.filter(|regex| regex.group_info().group_len(PatternID::ZERO) <= REGEX_GROUPS);
        Ok(Self {
            regex: regex.ok_or(PatternError::TooLarge("old"))?,
            ends: EndAssertions::of(&hir),
            effort: SearchBudget::new(hir),
            names_line_ends: names_line_ends(pattern),
        })
    }

    fn groups(&self) -> usize {
        self.regex.group_info().group_len(PatternID::ZERO)
    }

    fn group_names(&self) -> impl Iterator<Item = Option<&str>> {
        self.regex.group_info().pattern_names(PatternID::ZERO)
    }

    fn group_named(&self, name: &str) -> Option<usize> {
        self.regex.group_info().to_index(PatternID::ZERO, name)
    }

    /// Refuses a replacement with a missing group, which would become nothing.
    pub fn admit(&self, new: &[u8]) -> Result<(), PatternError> {
        let known = self.groups();
        let missing = RefCell::new(None);
        // Too large a number counts as a name.
        let number = |index: usize, _: &mut Vec<u8>| {
            if index >= known {
                missing.borrow_mut().get_or_insert_with(|| index.to_string());
            }
        };
        let named = |name: &str| {
            let found = self.group_named(name);
            if found.is_none() {
                missing.borrow_mut().get_or_insert_with(|| name.to_owned());
            }
            found
        };
        interpolate::bytes(new, number, named, &mut Vec::new());
        let Some(name) = missing.into_inner() else { return Ok(()) };
        let behind = name.trim_start_matches(|c: char| c.is_ascii_digit());
        let number = name[..name.len() - behind.len()].parse::<usize>().ok();
        let number = number.filter(|number| *number < known && !behind.is_empty());
        let runs_on = number.map(|number| (number, behind.to_owned()));
        let names = self.group_names().flatten().map(str::to_owned).collect();
        Err(PatternError::NoSuchGroup { name, runs_on, groups: known - 1, names })
    }

    /// The first group in another notation, literal here: `\1` or `\g<name>`. Existing groups go
    /// first.
    pub fn foreign_group<'n>(&self, new: &'n str) -> Option<ForeignGroup<'n>> {
        let groups = new.match_indices('\\').filter_map(|(at, _)| {
            let behind = &new[at + 1..];
            let (name, length) = match behind.strip_prefix(['g', 'k']) {
                Some(rest) => {
                    let close = if rest.starts_with('<') { '>' } else { '}' };
                    let name = rest.strip_prefix(['<', '{'])?.split_once(close)?.0;
                    (name, name.len() + 3)
                }
                None => (behind.get(..1).filter(|digit| ("0"..="9").contains(digit))?, 1),
            };
            let number = name.parse::<usize>();
            let is_known = match &number {
                Ok(number) => *number < self.groups(),
                Err(_) => self.group_named(name).is_some(),
            };
            let group = ForeignGroup { spelled: &new[at..at + 1 + length], name, is_known };
            (is_known || number.is_ok()).then_some(group)
        });
        groups.min_by_key(|group| !group.is_known)
    }

    /// An escape that is literal here: `\n`, `\t`, `$&`, or `\U` before a group.
    pub fn foreign_escape(new: &str) -> Option<&str> {
        let mut from = 0;
        while let Some(at) = new[from..].find(['\\', '$']).map(|at| from + at) {
            let spelled = new.get(at..at + 2)?;
            let is_foreign = match spelled {
                "\\n" | "\\t" | "\\r" | "$&" => true,
                "\\U" | "\\L" | "\\u" | "\\l" => new[at + 2..].starts_with('$'),
                _ => false,
            };
            if is_foreign {
                return Some(spelled);
            }
            // A doubled sign stands for itself.
            from = at + if matches!(spelled, "\\\\" | "$$") { 2 } else { 1 };
        }
        None
    }

    /// Whether it names line ends itself.
    pub fn names_line_ends(&self) -> bool {
        self.names_line_ends
    }

    /// Refuses a text whose search exceeded its budget.
    pub fn require_all(&self) -> Result<(), PatternError> {
        if self.effort.is_spent() { Err(PatternError::TooLaborious("old")) } else { Ok(()) }
    }

    /// The matches, without overlaps, up to the budget ([`Pattern::require_all`]).
    pub fn matches<'a>(&'a self, text: Haystack<'a>) -> impl Iterator<Item = Range<usize>> + 'a {
        let mut captures = Captures::matches(self.regex.group_info().clone());
        let mut row = MatchRow::default();
        self.effort.begin(text.bytes);
        std::iter::from_fn(move || self.next(text, &mut row, &mut captures).map(|(range, _)| range))
    }

    /// The next match within the budget, and the shift of its group offsets.
    fn next(
        &self,
        text: Haystack,
        row: &mut MatchRow,
        captures: &mut Captures,
    ) -> Option<(Range<usize>, usize)> {
        loop {
            if row.from > text.bytes.len() || !self.effort.allows(text.bytes, row.from) {
                return None;
            }
            let (found, less) = self.ends.search(&self.regex, text, row.from, captures)?;
            let is_again = found.is_empty() && row.last == Some(found.end);
            row.from = found.end + usize::from(is_again);
            row.last = Some(found.end);
            if !is_again && self.is_place(text, &found) {
                return Some((found, less));
            }
        }
    }

    /// Whether an empty match is allowed: on a line, outside of characters and CRLF.
    fn is_place(&self, Haystack { bytes, goes_on }: Haystack, range: &Range<usize>) -> bool {
        let is_on_line = || {
            range.start < bytes.len()
                || !matches!(bytes.last(), None | Some(b'\n' | b'\r'))
                || self.ends.of_text && !goes_on
        };
        !range.is_empty() || (is_on_line() && !splits(bytes, range))
    }

    /// The content of `region` with matches replaced, and whether line ends adapted; none above the
    /// ceiling. `region` spans the selected matches. `take` selects until it returns nothing.
    /// `placed` gets each match and its replacement.
    pub fn replaced(
        &self,
        text: Haystack,
        region: Range<usize>,
        mut take: impl FnMut(&Range<usize>) -> Option<bool>,
        put: &MatchReplacement,
        mut placed: impl FnMut(Range<usize>, &[u8]),
    ) -> Option<(Vec<u8>, bool)> {
        // Only the caller's line ends: a group holds the file's.
        let MatchReplacement { new, ceiling, .. } = *put;
        let majority = put.majority.filter(|_| !self.names_line_ends);
        let template = adapted(new, b"", majority);
        let mut out = Vec::new();
        let mut from = region.start;
        let (mut captures, mut row) = (self.regex.create_captures(), MatchRow::default());
        self.effort.begin(text.bytes);
        let bytes = text.bytes;
        while let Some((found, less)) = self.next(text, &mut row, &mut captures) {
            match take(&found) {
                None => break,
                Some(false) => continue,
                Some(true) => {}
            }
            out.extend_from_slice(&bytes[from..found.start]);
            let begin = out.len();
            // `captures.expand` with a ceiling: a few groups may expand to gigabytes.
            let group = |index: usize, out: &mut Vec<u8>| {
                let group = captures.get_group(index);
                let group = group.map_or(&b""[..], |group| &bytes[group.start + less..group.end + less]);
                let kept = group.len().min((ceiling + 1).saturating_sub(out.len()));
                out.extend_from_slice(&group[..kept]);
            };
            interpolate::bytes(&template, group, |name| self.group_named(name), &mut out);
            from = found.end;
            if out.len() > ceiling {
                return None;
            }
            placed(found, &out[begin..]);
        }
        out.extend_from_slice(&bytes[from..region.end]);
        (out.len() <= ceiling).then(|| (out, template != new))
    }
}

#[derive(Default)]
struct MatchRow {
    from: usize,
    /// The end of the last match, where no empty one counts.
    last: Option<usize>,
}

/// Selects the first `most` matches.
pub fn first(most: u64) -> impl FnMut(&Range<usize>) -> Option<bool> {
    let mut left = most;
    move |_| {
        left = left.checked_sub(1)?;
        Some(true)
    }
}

/// Parses the expression in the argument `field`. `^` and `$` match at every line end, `.` no
/// line-end character. Only the parser reports positions.
pub(super) fn parse(pattern: &str, parser: &ParserBuilder, field: &'static str) -> Result<Hir, PatternError> {
    parser.clone().multi_line(true).crlf(true).build().parse(pattern).map_err(|error| {
        let (position, problem) = match &error {
            regex_syntax::Error::Parse(error) => (error.span().start.offset, error.kind().to_string()),
            regex_syntax::Error::Translate(error) => (error.span().start.offset, error.kind().to_string()),
            other => (0, other.to_string()),
        };
        let repair = repair(pattern, position);
        PatternError::Invalid { field, position: position as u64, problem, repair }
    })
}

/// An expression that matches this text alone.
pub fn literal(text: &str) -> String {
    regex_syntax::escape(text)
}

/// Whether an expression names CR or LF: literally, escaped or in a class, but not as `\s` or a
/// negated class.
pub fn names_line_ends(pattern: &str) -> bool {
    struct Search {
        found: bool,
        negated: usize,
    }
    impl Search {
        fn literal(&mut self, character: char) {
            self.found |= self.negated == 0 && matches!(character, '\r' | '\n');
        }
    }
    impl Visitor for Search {
        type Output = bool;
        type Err = Infallible;

        fn finish(self) -> Result<bool, Infallible> {
            Ok(self.found)
        }

        fn visit_pre(&mut self, ast: &Ast) -> Result<(), Infallible> {
            match ast {
                Ast::Literal(literal) => self.literal(literal.c),
                Ast::ClassBracketed(class) => self.negated += usize::from(class.negated),
                _ => {}
            }
            Ok(())
        }

        fn visit_post(&mut self, ast: &Ast) -> Result<(), Infallible> {
            if let Ast::ClassBracketed(class) = ast {
                self.negated -= usize::from(class.negated);
            }
            Ok(())
        }

        fn visit_class_set_item_pre(&mut self, item: &ClassSetItem) -> Result<(), Infallible> {
            match item {
                ClassSetItem::Literal(literal) => self.literal(literal.c),
                ClassSetItem::Bracketed(class) => self.negated += usize::from(class.negated),
                _ => {}
            }
            Ok(())
        }

        fn visit_class_set_item_post(&mut self, item: &ClassSetItem) -> Result<(), Infallible> {
            if let ClassSetItem::Bracketed(class) = item {
                self.negated -= usize::from(class.negated);
            }
            Ok(())
        }
    }
    let Ok(ast) = Parser::new().parse(pattern) else { return false };
    visit(&ast, Search { found: false, negated: 0 }).unwrap_or(false)
}

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
        let whole = Haystack::whole(text.as_bytes());
        let ranges: Vec<_> = pattern.matches(whole).zip(0..most).map(|(range, _)| range).collect();
        let region = ranges[0].start..ranges[ranges.len() - 1].end;
        let (put, adapted) = pattern
            .replaced(
                whole,
                region.clone(),
                first(most),
                &MatchReplacement { new: new.as_bytes(), majority, ceiling: 1 << 20 },
                |_, _| {},
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
            ("x*", "a\r\n", "-", "-a-\r\n"),
            ("^", "a\nb\n", "# ", "# a\n# b\n"),
            ("$", "a\nb\n", ";", "a;\nb;\n"),
            ("$", "a\r\nb\r\n", ";", "a;\r\nb;\r\n"),
            ("$", "a\rb\r", ";", "a;\rb;\r"),
            ("^$", "\n\n", "x", "x\nx\n"),
            ("^", "", "x", ""),
            ("\\s+$", "a\nb\n", "", "a\nb\n"),
            ("\\s+$", "a \nb\t\r\n", "", "a\nb\r\n"),
            ("\\s*$", "a \n\n\n", ";", "a;\n"),
            ("(?s)a.*$", "a\nb\n", "x", "x\n"),
            ("\\n+$", "a\n\n\n", "", "a\n"),
            ("(\\w)\\s*$", "é\n", "[$1]", "[é]\n"),
            ("\\n", "a\nb\n", ";", "a;b;"),
            ("\\s+\\z", "a\n\n", "", "a"),
            ("\\b", "é\n", "|", "|é|\n"),
            ("\\z", "a\n", "b\n", "a\nb\n"),
            ("(?-m:$)", "a\n", "b\n", "a\nb\n"),
            ("\\A\\z", "", "x", "x"),
        ] {
            if expected == text {
                let whole = Haystack::whole(text.as_bytes());
                assert_eq!(Pattern::parse(pattern).unwrap().matches(whole).count(), 0, "{pattern}");
            } else {
                assert_eq!(replace(pattern, text, u64::MAX, new, None).0, expected, "{pattern} in {text:?}");
            }
        }
        assert_eq!(replace("a", "aaa", 2, "b", None).0, "bba");
        assert_eq!(replace("a", "a\r\n", 9, "b\nc", Some(LineEnd::CrLf)), ("b\r\nc\r\n".to_owned(), true));
        assert_eq!(replace("(a\n)", "a\n\r\n", 9, "$1", Some(LineEnd::CrLf)), ("a\n\r\n".to_owned(), false));
    }

    #[test]
    fn the_end_of_a_section_is_not_that_of_the_text() {
        for (pattern, expected) in [
            ("\\s+$", vec![]),
            ("\\z", vec![]),
            ("\\s+\\z", vec![]),
            ("$", vec![3, 5]),
            ("\\A#", vec![0]),
            ("\\n", vec![3, 5]),
        ] {
            let section = Haystack { bytes: b"# A\na\n", goes_on: true };
            let pattern = Pattern::parse(pattern).unwrap();
            let starts: Vec<_> = pattern.matches(section).map(|range| range.start).collect();
            assert_eq!(starts, expected);
        }
    }

    #[test]
    fn line_ends_that_an_expression_names_are_meant_as_they_are() {
        let (lf, crlf) = (Some(LineEnd::Lf), Some(LineEnd::CrLf));
        for (pattern, text, new, majority, expected) in [
            ("\\r\\n", "a\r\nb\r\n", "\n", crlf, "a\nb\n"),
            ("\\r?\\n", "a\r\nb\r\n", "\n", crlf, "a\nb\n"),
            ("\r\n", "a\r\n", "\n", crlf, "a\n"),
            ("\\x0D\\x{A}", "a\r\n", "\n", crlf, "a\n"),
            ("\\n", "a\nb\n", "\r\n", lf, "a\r\nb\r\n"),
            ("[\\r\\n]+", "a\r\n\r\nb", "\n", crlf, "a\nb"),
            ("([;[\\r]]\n)", "a\r\nb", "\n", crlf, "a\nb"),
            ("(a)\\r\\n", "a\r\nb\r\n", "$1\n-", crlf, "a\n-b\r\n"),
            ("\\s+b", "a\r\n b\r\n", "\nb", crlf, "a\r\nb\r\n"),
            ("[^a-z]b", "a\r\n;b\r\n", "\n", crlf, "a\r\n\r\n\r\n"),
            ("[^\\r\\n]b", "a\r\n;b\r\n", "\n", crlf, "a\r\n\r\n\r\n"),
            ("[;&&[^\\r\\n]]b", "a\r\n;b\r\n", "\n", crlf, "a\r\n\r\n\r\n"),
            ("b$", "a\r\nb\r\n", "\n", crlf, "a\r\n\r\n\r\n"),
        ] {
            assert_eq!(replace(pattern, text, u64::MAX, new, majority).0, expected, "{pattern} in {text:?}");
        }
    }

    #[test]
    fn groups_as_other_languages_write_them_are_found() {
        for (pattern, new, expected) in [
            ("(a)", "\\1x", Some(("\\1", "1", true))),
            ("(a)(b)", "x \\2", Some(("\\2", "2", true))),
            ("(?<n>a)", "\\g<n>-\\1", Some(("\\g<n>", "n", true))),
            ("(?P<n>a)", "\\g{n}", Some(("\\g{n}", "n", true))),
            ("(?<n>a)", "\\k<n>", Some(("\\k<n>", "n", true))),
            ("(a)", "\\g<1>", Some(("\\g<1>", "1", true))),
            ("a", "[\\g<0>]", Some(("\\g<0>", "0", true))),
            ("a", "[\\0]", Some(("\\0", "0", true))),
            ("a", "\\1", Some(("\\1", "1", false))),
            ("(a)", "\\2 \\1", Some(("\\1", "1", true))),
            ("(a)", "\\3 \\2", Some(("\\3", "3", false))),
            ("(?<n>a)", "\\g<m> \\g<2>", Some(("\\g<2>", "2", false))),
            ("(?<n>a)", "\\g<m> \\g<n \\gn", None),
            ("(a)", "\\n \\ \\é", None),
            ("(a)", "$1", None),
        ] {
            let pattern = Pattern::parse(pattern).unwrap();
            let found = pattern.foreign_group(new).map(|group| (group.spelled, group.name, group.is_known));
            assert_eq!(found, expected, "{new}");
        }
    }

    #[test]
    fn an_escape_of_another_language_is_found() {
        for (new, expected) in [
            ("a\\nb", Some("\\n")),
            ("\\t", Some("\\t")),
            ("é\\x\\r", Some("\\r")),
            ("[$&]", Some("$&")),
            ("\\U$1", Some("\\U")),
            ("$1\\l${n}", Some("\\l")),
            ("C:\\Users", None),
            ("\\\\n", None),
            ("$$&", None),
            ("a\nb\t$1 \\é \\", None),
            ("$", None),
        ] {
            assert_eq!(Pattern::foreign_escape(new), expected, "{new:?}");
        }
    }

    #[test]
    fn groups_that_are_not_there_are_refused() {
        for (pattern, new, expected) in [
            ("(a)", "$1", None),
            ("(a)", "${1}_name $0", None),
            ("(?<k>a)", "$k ${k}x $1", None),
            ("(a)", "$$1_name $$$$ $", None),
            ("(a)", "$ 5 $- ${ \\2", None),
            ("(a)?b", "[$1]", None),
            ("(a)", "$1_name", Some(("1_name", Some((1, "_name"))))),
            ("(a)", "$1x", Some(("1x", Some((1, "x"))))),
            ("(a)", "${1x}", Some(("1x", Some((1, "x"))))),
            ("(a)", "$2x", Some(("2x", None))),
            ("(a)", "$2", Some(("2", None))),
            ("a", "$1", Some(("1", None))),
            ("(a)", "${nope}", Some(("nope", None))),
            ("(?<k>a)", "$key", Some(("key", None))),
            ("(a)", "${}", Some(("", None))),
            ("(a)", "$99999999999999999999999", Some(("99999999999999999999999", None))),
            ("(a)", "$$$2", Some(("2", None))),
            ("(a)", "$1 $3 $2", Some(("3", None))),
        ] {
            let found = match Pattern::parse(pattern).unwrap().admit(new.as_bytes()) {
                Ok(()) => None,
                Err(PatternError::NoSuchGroup { name, runs_on, .. }) => Some((name, runs_on)),
                Err(other) => panic!("{new}: {other:?}"),
            };
            let owned = |(number, behind): (usize, &str)| (number, behind.to_owned());
            let expected = expected.map(|(name, runs_on)| (name.to_owned(), runs_on.map(owned)));
            assert_eq!(found, expected, "{new} for {pattern}");
        }
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
            let Err(PatternError::Invalid { position, problem, .. }) = Pattern::parse(pattern) else {
                panic!("{pattern} parses")
            };
            assert_eq!(position, expected, "{pattern}: {problem}");
        }
        assert!(matches!(Pattern::parse("(\\w{1000}){1000}"), Err(PatternError::TooLarge(_))));
        assert!(matches!(Pattern::parse(&"(a?)".repeat(101)), Err(PatternError::TooLarge(_))));
        assert!(Pattern::parse(&"(a?)".repeat(100)).is_ok());
    }

    #[test]
    fn a_ceiling_is_kept() {
        let pattern = Pattern::parse("a").unwrap();
        let text = b"a".repeat(1000);
        for (ceiling, fits) in [(9_999, false), (10_000, true)] {
            let put = MatchReplacement { new: b"0123456789", majority: None, ceiling };
            assert_eq!(
                pattern.replaced(Haystack::whole(&text), 0..1000, first(u64::MAX), &put, |_, _| {}).is_some(),
                fits
            );
        }
    }
}
