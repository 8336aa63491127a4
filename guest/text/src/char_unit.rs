//! Text in units: a character, a line end or an undecodable byte.

use super::encoding::escaped_byte;
use super::excerpt::is_invisible;
use super::find::LineEnds;
use super::line_end::LineEnd;
use fsgate_contract::limits::NAMED_CHARS;

/// The first number above all characters.
pub const ABOVE_CHARACTERS: u32 = 0x11_0000;

/// A unit of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CharUnit {
    /// A character inside a line.
    Char(char),
    /// A line end.
    End(LineEnd),
    /// A byte that is not UTF-8, or the escape unit for one.
    Byte(u8),
}

impl CharUnit {
    /// The first unit and its length.
    pub fn first(text: &[u8]) -> Option<(Self, usize)> {
        let byte = *text.first()?;
        Some(match byte {
            b'\n' => (Self::End(LineEnd::Lf), 1),
            b'\r' if text.get(1) == Some(&b'\n') => (Self::End(LineEnd::CrLf), 2),
            b'\r' => (Self::End(LineEnd::Cr), 1),
            0..=0x7F => (Self::Char(char::from(byte)), 1),
            _ => {
                let length = match byte {
                    0xC2..=0xDF => 2,
                    0xE0..=0xEF => 3,
                    0xF0..=0xF4 => 4,
                    _ => return Some((Self::Byte(byte), 1)),
                };
                match (character(text.get(..length)), escaped_byte(text)) {
                    (Some(character), _) => (Self::Char(character), length),
                    (None, Some(byte)) => (Self::Byte(byte), length),
                    (None, None) => (Self::Byte(byte), 1),
                }
            }
        })
    }

    /// The last unit and its length.
    pub fn last(text: &[u8]) -> Option<(Self, usize)> {
        let byte = *text.last()?;
        Some(match byte {
            b'\n' if text.ends_with(b"\r\n") => (Self::End(LineEnd::CrLf), 2),
            b'\n' => (Self::End(LineEnd::Lf), 1),
            b'\r' => (Self::End(LineEnd::Cr), 1),
            0..=0x7F => (Self::Char(char::from(byte)), 1),
            _ => (2..=4.min(text.len()))
                .find_map(|length| Some((Self::Char(character(text.get(text.len() - length..))?), length)))
                .or_else(|| Some((Self::Byte(escaped_byte(text.last_chunk::<3>()?)?), 3)))
                .unwrap_or((Self::Byte(byte), 1)),
        })
    }

    /// Whether both units are equal, with these line ends.
    pub fn equals(self, other: Self, line_ends: LineEnds) -> bool {
        self == other || (line_ends == LineEnds::Any && self.is_end() && other.is_end())
    }

    /// Whether it is a line end.
    pub fn is_end(self) -> bool {
        matches!(self, Self::End(_))
    }

    /// Whether it is white space inside a line.
    pub fn is_blank(self) -> bool {
        matches!(self, Self::Char(c) if c.is_whitespace())
    }

    /// Whether it is invisible: white space, control or formatting character.
    pub fn is_unseen(self) -> bool {
        match self {
            Self::Char(c) => c.is_whitespace() || is_invisible(c),
            Self::End(_) => true,
            Self::Byte(_) => false,
        }
    }
}

fn character(bytes: Option<&[u8]>) -> Option<char> {
    let mut characters = std::str::from_utf8(bytes?).ok()?.chars();
    characters.next().filter(|_| characters.as_str().is_empty())
}

/// The name of the start of `text`: a run of one blank, a word, or a unit. Different first units
/// have different names.
pub fn name(text: &[u8]) -> String {
    let Some((unit, _)) = CharUnit::first(text) else { return "nothing".to_owned() };
    let drawn = |shown: String, rest: &[u8]| match CharUnit::first(rest) {
        Some((CharUnit::Char(c), _)) if is_combining(c) => format!("{shown} with U+{:04X}", u32::from(c)),
        _ => shown,
    };
    match unit {
        CharUnit::End(LineEnd::Lf) => "LF".to_owned(),
        CharUnit::End(LineEnd::CrLf) => "CRLF".to_owned(),
        CharUnit::End(LineEnd::Cr) => "CR".to_owned(),
        CharUnit::Byte(byte) => format!("\\x{{{byte:02X}}}"),
        CharUnit::Char(c) if unit.is_blank() => blanks(c, run(text, unit)),
        CharUnit::Char(c) if is_invisible(c) || is_combining(c) => format!("U+{:04X}", u32::from(c)),
        CharUnit::Char(c) if c.is_ascii() => {
            let word = word(text);
            drawn(format!("\"{word}\""), &text[word.len()..])
        }
        CharUnit::Char(c) => drawn(format!("\"{c}\" (U+{:04X})", u32::from(c)), &text[c.len_utf8()..]),
    }
}

fn run(text: &[u8], unit: CharUnit) -> usize {
    let mut rest = text;
    let mut count = 0;
    while let Some((_, length)) = CharUnit::first(rest).filter(|(first, _)| *first == unit) {
        rest = &rest[length..];
        count += 1;
    }
    count
}

fn blanks(blank: char, count: usize) -> String {
    let (name, plural) = match blank {
        ' ' => ("space".to_owned(), "s"),
        '\t' => ("TAB".to_owned(), "s"),
        other => (format!("U+{:04X}", u32::from(other)), ""),
    };
    if count == 1 { name } else { format!("{count} {name}{plural}") }
}

fn word(text: &[u8]) -> String {
    let mut rest = text;
    let mut out = String::new();
    let is_in_word = |c: char| c.is_alphanumeric() || c == '_';
    for _ in 0..NAMED_CHARS {
        let Some((CharUnit::Char(c), length)) = CharUnit::first(rest) else { break };
        let goes_on = match out.chars().next() {
            None => true,
            Some(first) if is_in_word(first) => is_in_word(c),
            Some(_) => c.is_ascii_punctuation() && !is_in_word(c),
        };
        if !goes_on {
            break;
        }
        out.push(c);
        rest = &rest[length..];
    }
    out
}

fn is_combining(character: char) -> bool {
    matches!(character, '\u{300}'..='\u{36F}' | '\u{FE00}'..='\u{FE0F}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_what_stands_at_a_place() {
        for (text, expected) in [
            (&b"\tx"[..], "TAB"),
            (b"\t\t x", "2 TABs"),
            (b" x", "space"),
            (b"    \t", "4 spaces"),
            (b"\n\n", "LF"),
            (b"\r\n", "CRLF"),
            (b"\r\r\n", "CR"),
            ("\u{A0}x".as_bytes(), "U+00A0"),
            ("\u{A0}\u{A0}x".as_bytes(), "2 U+00A0"),
            ("\u{3000}".as_bytes(), "U+3000"),
            ("\u{200B}x".as_bytes(), "U+200B"),
            ("\u{FEFF}".as_bytes(), "U+FEFF"),
            ("\u{AD}x".as_bytes(), "U+00AD"),
            ("\u{301}x".as_bytes(), "U+0301"),
            ("“x”".as_bytes(), "\"“\" (U+201C)"),
            ("é".as_bytes(), "\"é\" (U+00E9)"),
            (b"\0", "U+0000"),
            (b"\xE9a", "\\x{E9}"),
            (b"\xC3", "\\x{C3}"),
            (b"\xED\xB3\xA9a", "\\x{E9}"),
            (b"\xED\xB3", "\\x{ED}"),
            ("e\u{301}x".as_bytes(), "\"e\" with U+0301"),
            ("\u{E9}\u{301}".as_bytes(), "\"\u{E9}\" (U+00E9) with U+0301"),
            (b"limit = 5", "\"limit\""),
            ("maß\u{A0}".as_bytes(), "\"maß\""),
            (b"snake_case2(", "\"snake_case2\""),
            (b"));\n", "\"));\""),
            (b"->x", "\"->\""),
            (b"\"a", "\"\"\""),
            (b"abcdefghijklmnopqrstuvwxyz", "\"abcdefghijklmnopqrst\""),
        ] {
            assert_eq!(name(text), expected, "{text:?}");
        }
    }

    #[test]
    fn units_are_the_same_from_either_end() {
        use proptest::prelude::*;
        let bytes = prop_oneof![
            any::<u8>().prop_map(|byte| vec![byte]),
            prop_oneof![Just('\r'), Just('\n'), any::<char>()].prop_map(|c| c.to_string().into_bytes()),
            any::<u8>().prop_map(|byte| crate::encoding::escape_unit(byte).to_vec()),
        ];
        proptest!(|(text in proptest::collection::vec(bytes, 0..20))| {
            let text = text.concat();
            let (mut forward, mut rest) = (Vec::new(), &text[..]);
            while let Some((unit, length)) = CharUnit::first(rest) {
                forward.push(unit);
                rest = &rest[length..];
            }
            let (mut backward, mut rest) = (Vec::new(), &text[..]);
            while let Some((unit, length)) = CharUnit::last(rest) {
                backward.push(unit);
                rest = &rest[..rest.len() - length];
            }
            backward.reverse();
            prop_assert_eq!(forward, backward);
        });
    }
}
