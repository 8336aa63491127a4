//! Comments out lines and reverses that exactly.

use super::languages::{CommentDelimiters, CommentMark};
use super::lines::{content, end_of_line};

/// Lines with a mark added or removed.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct MarkedLines {
    /// The new text.
    pub text: Vec<u8>,
    /// The number of changed lines.
    pub changed: u64,
    /// The changed lines, counted from 0.
    pub lines: Vec<u64>,
}

/// A line that cannot become a comment.
#[derive(Debug, PartialEq, Eq)]
pub struct UncommentableLine {
    /// The line, counted from 0.
    pub line: u64,
    /// The offending content.
    pub holds: &'static str,
}

/// Comments out lines. The mark and one space go at the least indentation; blank lines stay. A line
/// that would end its own comment is refused.
pub fn commented(text: &[u8], mark: CommentMark, most: usize) -> Result<MarkedLines, UncommentableLine> {
    let depth = common_indentation(text);
    let (open, close) = match mark {
        CommentMark::Line(open) => (open, String::new()),
        CommentMark::Around(around) => (around.open, format!(" {}", around.close)),
    };
    let mut marked = MarkedLines::default();
    for (number, line) in (0..).zip(lines(text)) {
        let content = content(line);
        if is_blank(content) {
            marked.text.extend_from_slice(line);
            continue;
        }
        let (before, after) = content.split_at(depth);
        if let CommentMark::Around(around) = mark
            && let Some(holds) = unfit(after, &around)
        {
            return Err(UncommentableLine { line: number, holds });
        }
        let line_end = &line[content.len()..];
        let parts = [before, open.as_bytes(), b" ", after, close.as_bytes(), line_end];
        marked.text.extend(parts.concat());
        marked.note(number, most);
    }
    Ok(marked)
}

/// Removes one of `marks` and one space where a line begins with one. Refuses a mark that is
/// content; `is_content` gets its line's offset.
pub fn uncommented(
    text: &[u8],
    marks: &[CommentMark],
    most: usize,
    is_content: impl Fn(usize) -> bool,
) -> Result<MarkedLines, u64> {
    let (mut marked, mut begin) = (MarkedLines::default(), 0);
    for (number, line) in (0..).zip(lines(text)) {
        let content = content(line);
        let (before, after) = content.split_at(indentation(content));
        match marks.iter().find_map(|mark| bare(after, *mark)) {
            Some(_) if is_content(begin) => return Err(number),
            Some((inner, behind)) => {
                marked.text.extend([before, inner, behind, &line[content.len()..]].concat());
                marked.note(number, most);
            }
            None => marked.text.extend_from_slice(line),
        }
        begin += line.len();
    }
    Ok(marked)
}

/// Whether the next line with text is indented deeper than the mark before `text`.
pub fn is_deeper(text: &[u8], after: &[u8]) -> bool {
    let mut with_text = lines(after).map(content).filter(|line| !is_blank(line));
    !lines(text).map(content).all(is_blank)
        && with_text.next().is_some_and(|line| indentation(line) > common_indentation(text))
}

impl MarkedLines {
    fn note(&mut self, line: u64, most: usize) {
        self.changed += 1;
        if self.lines.len() < most {
            self.lines.push(line);
        }
    }
}

/// Marks, and text after them that makes something else of them: the program of a script,
/// documentation, a comment over several lines.
const OTHERS: &[(&str, &[&str])] = &[("#", &["!"]), ("//", &["/", "!"]), ("--", &["[[", "[="])];

fn bare(line: &[u8], mark: CommentMark) -> Option<(&[u8], &[u8])> {
    match mark {
        CommentMark::Line(open) => {
            let after = strip_prefix(line, open)?;
            let is_other = |(mark, starts): &(&str, &[&str])| {
                *mark == open && starts.iter().any(|start| after.starts_with(start.as_bytes()))
            };
            if OTHERS.iter().any(is_other) {
                return None;
            }
            // Other words may begin with a mark such as `REM`.
            let is_word = open.ends_with(|last: char| last.is_ascii_alphanumeric());
            if is_word && after.first().is_some_and(|next| !matches!(next, b' ' | b'\t')) {
                return None;
            }
            Some((after.strip_prefix(b" ").unwrap_or(after), &[]))
        }
        CommentMark::Around(around) => {
            let plain = line.trim_ascii_end();
            let behind = &line[plain.len()..];
            let inner = strip_prefix(plain, around.open)?.strip_suffix(around.close.as_bytes())?;
            if unfit(inner, &around).is_some() {
                return None;
            }
            let inner = inner.strip_prefix(b" ").unwrap_or(inner);
            Some((inner.strip_suffix(b" ").unwrap_or(inner), behind))
        }
    }
}

/// Strips a mark; a mark that is a word matches in any case.
fn strip_prefix<'a>(line: &'a [u8], mark: &str) -> Option<&'a [u8]> {
    let (first, rest) = line.split_at_checked(mark.len())?;
    first.eq_ignore_ascii_case(mark.as_bytes()).then_some(rest)
}

/// The part of a text that ends its comment early or leaves it open.
fn unfit(text: &[u8], around: &CommentDelimiters) -> Option<&'static str> {
    let finds = |held: &&&str| memchr::memmem::find(text, held.as_bytes()).is_some();
    if let Some(held) = around.not_inside.iter().find(finds) {
        return Some(held);
    }
    if !around.nests {
        return None;
    }
    let (mut depth, mut at) = (0_usize, 0);
    while at < text.len() {
        if text[at..].starts_with(around.open.as_bytes()) {
            depth += 1;
            at += around.open.len();
        } else if text[at..].starts_with(around.close.as_bytes()) {
            match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => return Some(around.close),
            }
            at += around.close.len();
        } else {
            at += 1;
        }
    }
    (depth > 0).then_some(around.open)
}

fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (line, after) = rest.split_at((!rest.is_empty()).then(|| end_of_line(rest, 0))?);
        rest = after;
        Some(line)
    })
}

fn is_blank(content: &[u8]) -> bool {
    indentation(content) == content.len()
}

fn indentation(content: &[u8]) -> usize {
    content.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

fn common_indentation(text: &[u8]) -> usize {
    let mut common: Option<&[u8]> = None;
    for line in lines(text).map(content).filter(|line| !is_blank(line)) {
        let blanks = &line[..indentation(line)];
        common = Some(match common {
            None => blanks,
            Some(before) => &before[..before.iter().zip(blanks).take_while(|(a, b)| a == b).count()],
        });
    }
    common.map_or(0, <[u8]>::len)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::languages::{LANGUAGES, named};

    fn mark(syntax: &str) -> CommentMark {
        named(syntax).unwrap().mark
    }

    #[test]
    fn marks_go_where_the_line_begins_that_is_indented_least() {
        for (syntax, text, expected, changed) in [
            ("rust", "a\n", "// a\n", &[0][..]),
            ("rust", "    a\n      b\n    c", "    // a\n    //   b\n    // c", &[0, 1, 2]),
            ("rust", "  a\n\n   \n  b\r\n\tc\r", "//   a\n\n   \n//   b\r\n// \tc\r", &[0, 3, 4]),
            ("python", "\ta\n\t\tb\n", "\t# a\n\t# \tb\n", &[0, 1]),
            ("rust", "// a\nb\n", "// // a\n// b\n", &[0, 1]),
            ("html", "  <p>\n  </p>\n", "  <!-- <p> -->\n  <!-- </p> -->\n", &[0, 1]),
            ("css", "a { }\r\n", "/* a { } */\r\n", &[0]),
            ("batch", "echo\n", "REM echo\n", &[0]),
            ("ocaml", "(* a *)\n", "(* (* a *) *)\n", &[0]),
            ("rust", " \n\t\n", " \n\t\n", &[]),
            ("rust", "", "", &[]),
            ("rust", "\u{c}\n", "// \u{c}\n", &[0]),
        ] {
            let marked = commented(text.as_bytes(), mark(syntax), 100).unwrap();
            assert_eq!(String::from_utf8(marked.text).unwrap(), expected, "{syntax} {text:?}");
            assert_eq!(
                (&marked.lines[..], marked.changed),
                (changed, changed.len() as u64),
                "{syntax} {text:?}"
            );
        }
        assert_eq!(commented(b"a\na\na\n", mark("rust"), 2).unwrap().lines, [0, 1]);
    }

    #[test]
    fn one_mark_goes_and_one_space_behind_it() {
        for (syntax, text, expected, changed) in [
            ("rust", "// a\n", "a\n", &[0][..]),
            ("rust", "//a\n  //  b\nc // d\n", "a\n   b\nc // d\n", &[0, 1]),
            ("rust", "// // a", "// a", &[0]),
            ("rust", "/// a\n//! b\n//// c\n", "/// a\n//! b\n//// c\n", &[]),
            ("shell", "#!/bin/sh\n#a\n## b\n", "#!/bin/sh\na\n# b\n", &[1, 2]),
            ("lua", "--[[ a\n--[=[ b\n-- [[ c\n", "--[[ a\n--[=[ b\n[[ c\n", &[2]),
            ("rust", "//", "", &[0]),
            ("rust", "/ / a\n/* a */\n", "/ / a\n/* a */\n", &[]),
            ("batch", "REMOVE x\nrem a\nREM\n", "REMOVE x\na\n\n", &[1, 2]),
            ("html", "<!-- <p> -->  \n<!--a-->\n", "<p>  \na\n", &[0, 1]),
            ("html", "<!-- a --> b <!-- c -->\n<!-- a\n-->\n", "<!-- a --> b <!-- c -->\n<!-- a\n-->\n", &[]),
            ("css", "/*/\n/**/\n/* */\n", "/*/\n\n\n", &[1, 2]),
            ("ocaml", "(* (* a *) *)\n(* a *) (* b *)\n", "(* a *)\n(* a *) (* b *)\n", &[0]),
        ] {
            let marked = uncommented(text.as_bytes(), &[mark(syntax)], 100, |_| false).unwrap();
            assert_eq!(String::from_utf8(marked.text).unwrap(), expected, "{syntax} {text:?}");
            assert_eq!(marked.lines, changed, "{syntax} {text:?}");
        }
    }

    #[test]
    fn the_next_line_may_be_deeper_than_the_mark() {
        for (text, after, expected) in [
            ("p\n", "  a\n", true),
            ("p\n", "\n \n  a\n", true),
            ("p\n  a\n", "  b\n", true),
            ("p\n", "b\n  a\n", false),
            ("  a\n", "  b\n", false),
            ("  a\n", "b\n", false),
            ("  a\n", "", false),
            ("\n", "  b\n", false),
        ] {
            assert_eq!(is_deeper(text.as_bytes(), after.as_bytes()), expected, "{text:?} {after:?}");
        }
    }

    #[test]
    fn a_mark_that_is_content_refuses_its_line() {
        let text = b"// a\nb\n// c\n";
        for (content, expected) in [(0, Err(0)), (5, Ok(2)), (7, Err(2)), (100, Ok(2))] {
            let marked = uncommented(text, &[mark("rust")], 100, |begin| begin == content);
            assert_eq!(marked.map(|marked| marked.changed), expected, "{content}");
        }
    }

    #[test]
    fn a_line_that_would_end_its_comment_is_none() {
        for (syntax, text, line, holds) in [
            ("css", "a\n/* b */\n", 1, "*/"),
            ("html", "<p> <!-- x --> </p>", 0, "-->"),
            ("xml", "<a>--</a>", 0, "--"),
            ("ocaml", "a *) b (* c", 0, "*)"),
            ("ocaml", "(* a", 0, "(*"),
        ] {
            let refused = commented(text.as_bytes(), mark(syntax), 100);
            assert_eq!(refused, Err(UncommentableLine { line, holds }), "{syntax} {text:?}");
        }
    }

    fn text() -> impl Strategy<Value = Vec<u8>> {
        let marks: Vec<&[u8]> = LANGUAGES
            .iter()
            .flat_map(|language| match language.mark {
                CommentMark::Line(mark) => vec![mark.as_bytes()],
                CommentMark::Around(around) => vec![around.open.as_bytes(), around.close.as_bytes()],
            })
            .collect();
        let plain: Vec<&[u8]> = vec![
            b" ", b" ", b"\t", b"\n", b"\n", b"\r", b"\r\n", b"a", b"-", b"/", b"*", b"\xE9", b"\x0C", b">",
            b"rem",
        ];
        let piece = prop_oneof![3 => prop::sample::select(plain), 1 => prop::sample::select(marks)];
        proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn uncommenting_is_the_inverse_of_commenting(text in text(), language in prop::sample::select(LANGUAGES)) {
            if let Ok(marked) = commented(&text, language.mark, 100) {
                let back = uncommented(&marked.text, &[language.mark], 100, |_| false).unwrap();
                let mut rest = marked.text.iter();
                prop_assert!(text.iter().all(|byte| rest.any(|other| other == byte)), "{}", language.name);
                prop_assert_eq!(lines(&marked.text).count(), lines(&text).count(), "{}", language.name);
                let changed = lines(&text).filter(|line| !is_blank(content(line))).count() as u64;
                prop_assert_eq!(marked.changed, changed);
                prop_assert_eq!(back, MarkedLines { text, ..marked }, "{}", language.name);
            }
        }

        #[test]
        fn uncommenting_takes_away_marks_and_nothing_else(
            text in text(), language in prop::sample::select(LANGUAGES),
        ) {
            let marked = uncommented(&text, &[language.mark], 100, |_| false).unwrap();
            let mut rest = text.iter();
            prop_assert!(marked.text.iter().all(|byte| rest.any(|other| other == byte)), "{}", language.name);
        }
    }
}
