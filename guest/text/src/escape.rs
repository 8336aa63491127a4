//! Lossless text for bytes that are not UTF-8.
//!
//! An undecodable byte is `\x{E9}`. A backslash before `x{` is `\x{5C}`, so no text looks like an
//! escape.

use std::fmt::Write;

/// The text, if every byte decodes.
pub fn plain(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

/// The bytes as text.
pub fn escaped(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        marked(chunk.valid(), b"", &mut out);
        for byte in chunk.invalid() {
            let _ = write!(out, "\\x{{{byte:02X}}}");
        }
    }
    out
}

/// Appends decodable text; `after` follows it.
pub fn marked(text: &str, after: &[u8], out: &mut String) {
    let mut rest = text;
    while let Some(at) = rest.find(MARK) {
        out.push_str(&rest[..at]);
        out.push_str("\\x{5C}");
        rest = &rest[at + 1..];
    }
    let is_cut =
        (1..MARK.len()).any(|cut| rest.ends_with(&MARK[..cut]) && after.starts_with(&MARK.as_bytes()[cut..]));
    if is_cut && let Some(at) = rest.rfind('\\') {
        out.push_str(&rest[..at]);
        out.push_str("\\x{5C}");
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
}

/// The bytes for which [`escaped`] writes this text. Other spellings stay.
pub fn unescaped(text: &str) -> Vec<u8> {
    unescaped_by(text, |byte, _, out| out.push(byte))
}

/// Like [`unescaped`], where `put` appends an escaped byte, given the text after it.
pub fn unescaped_by(text: &str, put: impl Fn(u8, &str, &mut Vec<u8>)) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(MARK) {
        let (before, escape) = rest.split_at(at);
        out.extend_from_slice(before.as_bytes());
        let digits = escape.get(MARK.len()..MARK.len() + 2).filter(|digits| digits.bytes().all(is_digit));
        let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        rest = match byte.zip(escape.get(MARK.len() + 2..).and_then(|rest| rest.strip_prefix('}'))) {
            Some((byte, after)) => {
                put(byte, after, &mut out);
                after
            }
            None => {
                out.push(b'\\');
                &escape[1..]
            }
        };
    }
    out.extend_from_slice(rest.as_bytes());
    out
}

const MARK: &str = "\\x{";

fn is_digit(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'A'..=b'F')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_does_not_decode_is_written_as_its_number() {
        for (bytes, expected) in [
            (&b"caf\xE9 \xC3\xA9"[..], "caf\\x{E9} é"),
            (b"\\x{E9}", "\\x{5C}x{E9}"),
            (b"\\y \\", "\\y \\"),
            (b"\\\\x{", "\\\\x{5C}x{"),
            (b"\xF0\x9F", "\\x{F0}\\x{9F}"),
            (b"", ""),
        ] {
            assert_eq!(escaped(bytes), expected);
            assert_eq!(unescaped(expected), bytes);
        }
        assert_eq!(unescaped("\\x{e9} \\x{E} \\x{100}"), b"\\x{e9} \\x{E} \\x{100}");
    }

    proptest! {
        #[test]
        fn every_text_comes_back(parts in proptest::collection::vec(prop_oneof![
            any::<u8>().prop_map(|byte| vec![byte]),
            "[\\\\x{}5CÉ]{0,6}".prop_map(String::into_bytes),
        ], 0..12)) {
            let bytes = parts.concat();
            prop_assert_eq!(unescaped(&escaped(&bytes)), bytes);
        }
    }
}
