//! A raw text, unit by unit.

use encoding_rs::{DecoderResult, Encoding};

const LONGEST: usize = 4;

/// The escape unit of a byte: the surrogate U+DC00 plus the byte, which no UTF-8 has.
pub fn escape_unit(byte: u8) -> [u8; 3] {
    [0xED, 0xB0 | byte >> 6, 0x80 | byte & 0x3F]
}

/// The byte of an escape unit at the start of a text.
pub fn escaped_byte(text: &[u8]) -> Option<u8> {
    match text {
        [0xED, high @ 0xB0..=0xB3, low @ 0x80..=0xBF, ..] => Some((high & 3) << 6 | low & 0x3F),
        _ => None,
    }
}

/// `at`, or the start of the escape unit around it.
pub fn unit_start(text: &[u8], at: usize) -> usize {
    let is_inside = |start: &usize| escaped_byte(&text[*start..]).is_some();
    (at.saturating_sub(2)..at).find(is_inside).unwrap_or(at)
}

/// A decoded text with escape units turned back into bytes.
pub fn plain_bytes(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = memchr::memchr(0xED, rest) {
        out.extend_from_slice(&rest[..at]);
        let byte = escaped_byte(&rest[at..]);
        out.push(byte.unwrap_or(0xED));
        rest = &rest[at + if byte.is_some() { 3 } else { 1 }..];
    }
    out.extend_from_slice(rest);
    out
}

/// Decodes the first unit into `text` and returns its length. `raw` must not be empty.
pub(super) fn unit(encoding: &'static Encoding, raw: &[u8], text: &mut Vec<u8>) -> usize {
    let Some(first) = raw.first() else { return 0 };
    if first.is_ascii() && encoding.is_ascii_compatible() {
        text.push(*first);
        return 1;
    }
    // A truncated character is none; the shortest complete form counts.
    for length in 1..=LONGEST.min(raw.len()) {
        let mut decoder = encoding.new_decoder_without_bom_handling();
        let mut out = [0; 16];
        let (result, _, written) = decoder.decode_to_utf8_without_replacement(&raw[..length], &mut out, true);
        if result == DecoderResult::InputEmpty && written > 0 {
            text.extend_from_slice(&out[..written]);
            return length;
        }
    }
    // Half a surrogate pair takes two bytes, so the next unit stays aligned.
    let width = if encoding.is_ascii_compatible() { 1 } else { 2.min(raw.len()) };
    for byte in &raw[..width] {
        text.extend_from_slice(&escape_unit(*byte));
    }
    width
}

#[cfg(test)]
mod tests {
    use encoding_rs::{BIG5, EUC_JP, GB18030, SHIFT_JIS, UTF_16BE, UTF_16LE, WINDOWS_1252, WINDOWS_1253};

    use super::*;

    #[test]
    fn escape_units_are_no_utf_8_and_come_back() {
        for byte in 0..=255 {
            let unit = escape_unit(byte);
            assert!(std::str::from_utf8(&unit).is_err());
            assert_eq!(escaped_byte(&unit), Some(byte));
        }
        assert_eq!(escaped_byte("\u{D7FF}".as_bytes()), None);
        let text = [&b"a"[..], &escape_unit(0xE9), &escape_unit(0xE8), b"b"].concat();
        let starts: Vec<_> = (0..=text.len()).map(|at| unit_start(&text, at)).collect();
        assert_eq!(starts, [0, 1, 1, 1, 4, 4, 4, 7, 8]);
    }

    #[test]
    fn a_unit_is_a_character_or_a_byte_that_is_none() {
        let none = |bytes: &[u8]| bytes.iter().flat_map(|byte| escape_unit(*byte)).collect::<Vec<_>>();
        for (encoding, raw, text, length) in [
            (WINDOWS_1252, &b"\xE9a"[..], "é".into(), 1),
            (WINDOWS_1252, b"a", "a".into(), 1),
            (WINDOWS_1253, b"\xAA", none(b"\xAA"), 1),
            (SHIFT_JIS, b"\x83\x5Cx", "ソ".into(), 2),
            (SHIFT_JIS, b"\xB1x", "ｱ".into(), 1),
            (SHIFT_JIS, b"\x83", none(b"\x83"), 1),
            (SHIFT_JIS, b"\x83\"", none(b"\x83"), 1),
            (EUC_JP, b"\x8F\xB0\xA1", "丂".into(), 3),
            (GB18030, b"\x81\x30\x81\x30\x81", "\u{80}".into(), 4),
            (GB18030, b"\x81\x30\x81", none(b"\x81"), 1),
            (BIG5, b"\x88\x62", "Ê\u{304}".into(), 2),
            (UTF_16LE, b"a\0b\0", "a".into(), 2),
            (UTF_16LE, b"\x3D\xD8\x00\xDE", "😀".into(), 4),
            (UTF_16LE, b"\x3D\xD8a\0", none(b"\x3D\xD8"), 2),
            (UTF_16BE, b"\xDE\x00\0a", none(b"\xDE\x00"), 2),
            (UTF_16BE, b"a", none(b"a"), 1),
        ] {
            let mut found = Vec::new();
            let expected = (text, length);
            let length = unit(encoding, raw, &mut found);
            assert_eq!((found, length), expected, "{} {raw:?}", encoding.name());
        }
    }
}
