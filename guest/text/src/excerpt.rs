//! Excerpts of a caller's text in a sentence.

use std::borrow::Cow;
use std::fmt::Write;
use std::ops::Range;

use super::char_unit::CharUnit;
use super::fold::is_ignorable;
use fsgate_contract::limits::QUOTED_CHARS;

/// The first `most` characters, with `…` if there are more.
pub fn cut(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// The text in backticks, cut, with invisible characters by number.
pub fn quoted(text: &str) -> String {
    let mut out = String::from("`");
    let mut shown = 0;
    for character in text.chars() {
        let number = if is_invisible(character) {
            format!("\\u{{{:X}}}", u32::from(character))
        } else {
            String::new()
        };
        shown += number.len().max(1);
        if shown > QUOTED_CHARS {
            out.push('…');
            break;
        }
        if number.is_empty() {
            out.push(character);
        }
        out.push_str(&number);
    }
    out.push('`');
    out
}

/// Whether a character is a control, blank glyph or bidirectional format, but no variation
/// selector.
pub fn is_invisible(character: char) -> bool {
    let is_selector = matches!(character, '\u{FE00}'..='\u{FE0F}');
    character.is_control()
        || (is_ignorable(character) && !is_selector)
        || matches!(character, '\u{2028}' | '\u{2029}' | '\u{2800}' | '\u{FFF9}'..='\u{FFFB}')
}

/// A name on one line with invisible characters by number, so it imitates no other line. In a name
/// of white space alone, all are invisible. A doubled backslash keeps names distinct.
pub fn shown(name: &str) -> String {
    let is_blank = name.chars().all(char::is_whitespace);
    let mut out = String::with_capacity(name.len());
    for character in name.chars() {
        match character {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if is_blank || is_invisible(c) => {
                let _ = write!(out, "\\u{{{:X}}}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

/// The parts of a sentence in backticks.
pub fn in_backticks(sentence: &str) -> impl Iterator<Item = &str> {
    sentence.split('`').skip(1).step_by(2)
}

/// The name that [`shown`] or JSON displays like this, unless it displays as itself.
pub fn unshown(name: &str) -> Option<String> {
    let mut out = String::with_capacity(name.len());
    let mut rest = name;
    while let Some((before, escape)) = rest.split_once('\\') {
        out.push_str(before);
        let (character, length) = match escape.as_bytes() {
            [b'\\', ..] => ('\\', 1),
            [b'n', ..] => ('\n', 1),
            [b't', ..] => ('\t', 1),
            [b'r', ..] => ('\r', 1),
            [b'u', b'{', ..] => {
                let digits = escape.get(2..)?.split('}').next()?;
                (number(digits)?, digits.len() + 3)
            }
            [b'u', ..] => (number(escape.get(1..5)?)?, 5),
            _ => return None,
        };
        out.push(character);
        rest = escape.get(length..)?;
    }
    out.push_str(rest);
    (out != name).then_some(out)
}

fn number(digits: &str) -> Option<char> {
    let digits = Some(digits).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))?;
    char::from_u32(u32::from_str_radix(digits, 16).ok()?)
}

/// At most `most` characters around `at`; a quarter of them before it.
pub fn around(text: &[u8], at: usize, most: usize) -> Range<usize> {
    if text.len() <= most || forward(text, 0, most) == text.len() {
        return 0..text.len();
    }
    let start = backward(text, at, most / 4);
    match forward(text, start, most) {
        end if end == text.len() => backward(text, end, most)..end,
        end => start..end,
    }
}

fn forward(text: &[u8], from: usize, most: usize) -> usize {
    let units = std::iter::successors(Some(from), |at| {
        text.get(*at..).and_then(CharUnit::first).map(|(_, length)| at + length)
    });
    units.take(most + 1).last().unwrap_or(from)
}

fn backward(text: &[u8], to: usize, most: usize) -> usize {
    let units = std::iter::successors(Some(to), |at| {
        text.get(..*at).and_then(CharUnit::last).map(|(_, length)| at - length)
    });
    units.take(most + 1).last().unwrap_or(to)
}

/// The number of characters; an undecodable byte counts as one.
pub fn characters(text: &[u8]) -> u64 {
    text.utf8_chunks().map(|chunk| (chunk.valid().chars().count() + chunk.invalid().len()) as u64).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_comes_back_from_what_is_shown() {
        for name in [" ", "zero\u{200B}width", "new\nline\ttab\r", "a\\b", "\\u{A}", "\u{E0041}"] {
            assert_eq!(unshown(&shown(name)).as_deref(), Some(name), "{name:?}");
        }
        assert_eq!(unshown("zero\\u200bwidth").as_deref(), Some("zero\u{200B}width"));
        for name in ["plain", "", "a\\", "a\\b", "\\u{}", "\\u{110000}", "\\u12", "\\u{12", "\\u{é}"] {
            assert_eq!(unshown(name), None, "{name:?}");
        }
    }

    #[test]
    fn cuts_at_characters() {
        assert_eq!(cut("häuser", 2), "hä…");
        assert_eq!(cut("hä", 2), "hä");
        assert_eq!(cut("", 0), "");
    }

    #[test]
    fn an_excerpt_lies_around_its_place() {
        for (text, at, most, expected) in [
            ("abcdefghij", 0, 20, "abcdefghij"),
            ("abcdefghij", 0, 4, "abcd"),
            ("abcdefghij", 5, 4, "efgh"),
            ("abcdefghij", 9, 4, "ghij"),
            ("ääääää", 6, 6, "ääääää"),
            ("aäbäcädä", 4, 4, "bäcä"),
            ("", 0, 4, ""),
        ] {
            assert_eq!(&text[around(text.as_bytes(), at, most)], expected, "{text} at {at}");
        }
        assert_eq!(around(b"\xE9\xE9\xE9\xE9\xE9\xE9", 3, 4), 2..6);
        assert_eq!(characters("aä\u{1F600}".as_bytes()), 3);
        assert_eq!(characters(b"\xE9\xC3\xA9\xF0\x9F"), 4);
    }

    #[test]
    fn quotes_make_the_invisible_visible() {
        assert_eq!(quoted("a\nb\u{202E}c é"), "`a\\u{A}b\\u{202E}c é`");
        assert_eq!(quoted(&"é".repeat(QUOTED_CHARS)), format!("`{}`", "é".repeat(QUOTED_CHARS)));
        assert_eq!(quoted(&"é".repeat(QUOTED_CHARS + 1)), format!("`{}…`", "é".repeat(QUOTED_CHARS)));
        assert_eq!(
            quoted(&"\u{1}".repeat(QUOTED_CHARS)),
            format!("`{}…`", "\\u{1}".repeat(QUOTED_CHARS / 5))
        );
    }

    #[test]
    fn names_stay_on_their_line() {
        for (name, expected) in [
            ("häuser.txt", "häuser.txt"),
            ("a b", "a b"),
            ("a\n-rw root", r"a\n-rw root"),
            ("\u{1b}[2J", r"\u{1B}[2J"),
            ("a\\nb", r"a\\nb"),
            ("\u{202e}txt.exe", r"\u{202E}txt.exe"),
            ("a\u{a0}b", "a\u{a0}b"),
            (" \u{a0}", r"\u{20}\u{A0}"),
            ("\u{3000}", r"\u{3000}"),
        ] {
            assert_eq!(shown(name), expected);
        }
    }
}
