//! Pieces of a caller's text inside a sentence: short, on one line, nothing invisible.

use std::borrow::Cow;
use std::fmt::Write;

use crate::limits::QUOTED_CHARS;

/// The first `most` characters, with `…` if there are more.
pub fn cut(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// The text in backticks, cut, with everything invisible by its number.
pub fn quoted(text: &str) -> String {
    let mut out = String::from("`");
    for character in cut(text, QUOTED_CHARS).chars() {
        if is_invisible(character) {
            let _ = write!(out, "\\u{{{:X}}}", u32::from(character));
        } else {
            out.push(character);
        }
    }
    out.push('`');
    out
}

/// Control characters, and those that change how their neighbours are shown.
pub fn is_invisible(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{AD}' | '\u{61C}' | '\u{115F}' | '\u{180E}' | '\u{3164}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}')
}

/// Bytes as text: what is not UTF-8 as `\x{E9}`, and whether there was any.
pub fn escaped(bytes: &[u8]) -> (String, bool) {
    let mut out = String::with_capacity(bytes.len());
    let mut any = false;
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        for byte in chunk.invalid() {
            any = true;
            let _ = write!(out, "\\x{{{byte:02X}}}");
        }
    }
    (out, any)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_at_characters() {
        assert_eq!(cut("häuser", 2), "hä…");
        assert_eq!(cut("hä", 2), "hä");
        assert_eq!(cut("", 0), "");
    }

    #[test]
    fn quotes_make_the_invisible_visible() {
        assert_eq!(quoted("a\nb\u{202E}c é"), "`a\\u{A}b\\u{202E}c é`");
    }

    #[test]
    fn escapes_only_what_does_not_decode() {
        assert_eq!(escaped(b"caf\xE9 \xC3\xA9"), ("caf\\x{E9} é".to_owned(), true));
        assert_eq!(escaped("é\u{FFFD}".as_bytes()), ("é\u{FFFD}".to_owned(), false));
    }
}
