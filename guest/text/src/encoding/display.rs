//! A decoded text for display, cut at a budget.

use std::fmt::Write;
use std::ops::ControlFlow;

use super::escaped_byte;
use crate::escape;
use crate::lines::{LinePiece, Splitter};
use crate::number::width;

/// Displayed text.
#[derive(Debug, PartialEq, Eq)]
pub struct Displayed {
    /// The text.
    pub text: String,
    /// Some bytes are written by number.
    pub escaped: bool,
    /// Displayed bytes of the decoded text.
    pub used: usize,
}

/// The whole lines that fit, or characters of the first; none if not one fits. `numbered`: the
/// first line's number, and the bytes between number and line.
pub fn shown(inside: &[u8], budget: usize, numbered: Option<(u64, usize)>) -> Option<Displayed> {
    let escapes = is_damaged(inside);
    let mut shown = Displayed { text: String::with_capacity(inside.len()), escaped: escapes, used: 0 };
    // Displayed bytes without line ends, and lines.
    let (mut length, mut lines) = (0, 0);
    let mut splitter = Splitter::default();
    let mut add = |piece: LinePiece| {
        let end = piece.end.map_or(0, |end| end.bytes().len());
        let (content, end) = piece.bytes.split_at(piece.bytes.len() - end);
        let before = shown.text.len();
        render(content, escapes, usize::MAX, &mut shown.text);
        let added = shown.text.len() - before;
        let needed = match numbered {
            None => before + added + end.len(),
            Some((first, delimiter)) => {
                length + added + (lines + 1) * (width(first + lines as u64) + delimiter) + lines
            }
        };
        if needed <= budget {
            shown.text.push_str(std::str::from_utf8(end).unwrap_or_default());
            shown.used += piece.bytes.len();
            length += added;
            lines += 1;
            return ControlFlow::Continue(());
        }
        shown.text.truncate(before);
        if lines == 0 {
            let number = numbered.map_or(0, |(first, delimiter)| width(first) + delimiter);
            shown.used += render(content, escapes, budget.saturating_sub(number), &mut shown.text);
        }
        ControlFlow::Break(())
    };
    if splitter.feed(inside, &mut add).is_continue() {
        let _ = splitter.finish(&mut add);
    }
    (shown.used > 0 || inside.is_empty()).then_some(shown)
}

/// Whether some byte is undecodable.
pub fn is_damaged(inside: &[u8]) -> bool {
    memchr::memchr_iter(0xED, inside).any(|at| escaped_byte(&inside[at..]).is_some())
}

/// A text with bytes by number, next to a damaged one.
pub fn escaped(inside: &[u8]) -> String {
    let mut out = String::with_capacity(inside.len());
    render(inside, true, usize::MAX, &mut out);
    out
}

/// Appends units while at most `room` bytes come. Returns the bytes used.
fn render(inside: &[u8], escapes: bool, room: usize, out: &mut String) -> usize {
    let limit = out.len().saturating_add(room);
    let mut at = 0;
    while at < inside.len() {
        let (before, rest) = (out.len(), &inside[at..]);
        if let Some(byte) = escaped_byte(rest) {
            let _ = write!(out, "\\x{{{byte:02X}}}");
            at += 3;
            if out.len() > limit {
                out.truncate(before);
                return at - 3;
            }
            continue;
        }
        let mut some = up_to(plain(rest), limit - before);
        while !some.is_empty() {
            if escapes {
                escape::marked(some, &rest[some.len()..], out);
            } else {
                out.push_str(some);
            }
            if out.len() <= limit {
                break;
            }
            // Marks made it longer than allowed.
            out.truncate(before);
            some = up_to(some, some.len() / 2);
        }
        if some.is_empty() {
            break;
        }
        at += some.len();
    }
    at
}

fn plain(inside: &[u8]) -> &str {
    match std::str::from_utf8(inside) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&inside[..error.valid_up_to()]).unwrap_or_default(),
    }
}

fn up_to(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

#[cfg(test)]
mod tests {
    use proptest::strategy::Strategy as _;

    use super::super::escape_unit;
    use super::*;

    fn text(inside: &[u8], budget: usize, numbered: Option<(u64, usize)>) -> Option<(String, bool, usize)> {
        shown(inside, budget, numbered).map(|shown| (shown.text, shown.escaped, shown.used))
    }

    #[test]
    fn whole_lines_are_shown_and_bytes_that_are_none_by_their_numbers() {
        let damaged = [&b"a"[..], &escape_unit(0xE9), b"\r\n\\x{ b\n"].concat();
        for (inside, budget, numbered, expected) in [
            (&damaged[..], 100, None, Some(("a\\x{E9}\r\n\\x{5C}x{ b\n", true, 12))),
            (&damaged, 10, None, Some(("a\\x{E9}\r\n", true, 6))),
            (&damaged, 8, None, Some(("a\\x{E9}", true, 4))),
            (&damaged, 6, None, Some(("a", true, 1))),
            (&damaged, 0, None, None),
            (b"\\x{E9}", 9, None, Some(("\\x{E9}", false, 6))),
            ("日本\n".as_bytes(), 5, None, Some(("日", false, 3))),
            ("日本\n".as_bytes(), 2, None, None),
            (b"a\nb\n", 7, Some((9, 2)), Some(("a\n", false, 2))),
            (b"a\nb\n", 10, Some((9, 2)), Some(("a\n", false, 2))),
            (b"a\nb\n", 11, Some((9, 2)), Some(("a\nb\n", false, 4))),
            (b"", 0, None, Some(("", false, 0))),
        ] {
            let expected =
                expected.map(|(text, escaped, used): (&str, _, _)| (text.to_owned(), escaped, used));
            assert_eq!(text(inside, budget, numbered), expected, "{inside:?} in {budget}");
        }
    }

    proptest::proptest! {
        #[test]
        fn what_is_shown_in_parts_is_all_of_it(parts in proptest::collection::vec(
            proptest::prop_oneof!["[a-z\\\\x{é日\n\r]{0,6}".prop_map(String::into_bytes), proptest::prelude::any::<u8>().prop_map(|byte| escape_unit(byte).to_vec())],
            0..20,
        ), budget in 8usize..40) {
            let inside = parts.concat();
            let (mut at, mut all) = (0, Vec::new());
            while at < inside.len() {
                let shown = shown(&inside[at..], budget, None).unwrap();
                proptest::prop_assert!(shown.text.len() <= budget);
                let bytes = if shown.escaped { escape::unescaped(&shown.text) } else { shown.text.into_bytes() };
                all.extend_from_slice(&bytes);
                at += shown.used;
            }
            let mut plain = Vec::new();
            let mut rest = &inside[..];
            while let Some(first) = rest.first() {
                let byte = escaped_byte(rest);
                plain.push(byte.unwrap_or(*first));
                rest = &rest[if byte.is_some() { 3 } else { 1 }..];
            }
            proptest::prop_assert_eq!(all, plain);
        }
    }
}
