//! Detection of an encoding from bytes.
//!
//! A byte order mark decides. A UTF-16 or UTF-32 mark before many code units that no text contains
//! makes the file binary.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use unicode_normalization::char::is_combining_mark;

use super::Encoding;
use crate::utf8::Validator;
use fsgate_contract::limits::{MARKED_STRANGE, MARKED_STRANGE_IN};

/// The reason for an encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Certainty {
    /// The caller names it.
    Named,
    /// A byte order mark.
    Mark,
    /// Valid text, which rules out others.
    Valid,
    /// The most likely one.
    Likely,
}

/// A detected encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Detected {
    /// The encoding.
    pub encoding: Encoding,
    /// The reason for it.
    pub certainty: Certainty,
}

/// A file's encoding by its start, all of it with `is_whole`; none for a binary file.
pub fn detect(probe: &[u8], is_whole: bool) -> Option<Detected> {
    let detected = |encoding, certainty| Some(Detected { encoding, certainty });
    if utf_32(probe, is_whole).is_some() {
        return None;
    }
    for label in ["utf-8", "utf-16le", "utf-16be"] {
        let Some(encoding) = Encoding::labelled(label) else { continue };
        let Some(text) = probe.strip_prefix(encoding.mark()) else { continue };
        let characters = char::decode_utf16(units(encoding, text)).map(Result::ok);
        if encoding.is_utf_8() || !is_binary(characters) {
            return detected(encoding, Certainty::Mark);
        }
    }
    // Such text is often valid UTF-8 with as many zeros.
    for label in ["utf-16le", "utf-16be"] {
        let Some(encoding) = Encoding::labelled(label) else { continue };
        if probe.contains(&0) && is_unmarked_utf_16(encoding, probe) {
            return detected(encoding, Certainty::Likely);
        }
    }
    if is_utf_8(probe, is_whole) {
        return detected(Encoding::UTF_8, Certainty::Valid);
    }
    if probe.contains(&0) {
        return None;
    }
    if is_mostly_utf_8(probe) {
        return detected(Encoding::UTF_8, Certainty::Likely);
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(probe, is_whole);
    let found = detector.guess(None, Utf8Detection::Deny);
    detected(Encoding::labelled(found.name())?, Certainty::Likely)
}

fn is_utf_8(probe: &[u8], is_whole: bool) -> bool {
    let mut validator = Validator::default();
    validator.feed(probe);
    match validator.finish() {
        None => true,
        Some(offset) => !is_whole && is_cut_short(probe, offset),
    }
}

fn is_cut_short(probe: &[u8], offset: u64) -> bool {
    let rest = usize::try_from(offset).ok().and_then(|offset| probe.get(offset..)).unwrap_or_default();
    std::str::from_utf8(rest).is_err_and(|error| error.valid_up_to() == 0 && error.error_len().is_none())
}

/// Whether a fair part of these code units is in no text.
fn is_binary(units: impl Iterator<Item = Option<char>>) -> bool {
    let (mut count, mut strange) = (0_usize, 0);
    for unit in units {
        count += 1;
        let is_text = |c| matches!(c, '\t' | '\n' | '\r' | ' ') || is_common(c);
        strange += usize::from(!unit.is_some_and(is_text));
    }
    strange >= MARKED_STRANGE && strange * MARKED_STRANGE_IN > count
}

fn units(encoding: Encoding, text: &[u8]) -> impl Iterator<Item = u16> {
    let is_little = encoding.mark().starts_with(b"\xFF");
    text.chunks_exact(2).map(move |pair| {
        let pair = [pair[0], pair[1]];
        if is_little { u16::from_le_bytes(pair) } else { u16::from_be_bytes(pair) }
    })
}

/// Whether nearly every other byte is zero, as in UTF-16 without a mark.
fn is_unmarked_utf_16(encoding: Encoding, probe: &[u8]) -> bool {
    let count = probe.len() / 2;
    let ascii =
        units(encoding, probe).filter(|unit| matches!(unit, 0x09 | 0x0A | 0x0D | 0x20..=0x7E)).count();
    count >= 8 && ascii * 10 >= count * 9
}

/// UTF-16 without a mark in an unknown script, if possible: zeros, lines or spaces in step, and
/// nearly only printable characters. ASCII with zeros does not count.
pub fn may_be_utf_16(probe: &[u8], is_whole: bool) -> Option<Encoding> {
    if !probe.contains(&0) || is_whole && !probe.len().is_multiple_of(2) || is_ascii_with_zeros(probe) {
        return None;
    }
    ["utf-16le", "utf-16be"].into_iter().filter_map(Encoding::labelled).find(|encoding| {
        let (mut count, mut strange, mut breaks) = (0, 0, 0);
        for character in char::decode_utf16(units(*encoding, probe)) {
            count += 1;
            match character {
                Ok('\0') => return false,
                Ok('\n' | '\r' | ' ') => breaks += 1,
                Ok(character) if is_common(character) => {}
                _ => strange += 1,
            }
        }
        breaks > 0 && strange * 50 <= count && is_in_step(*encoding, probe)
    })
}

/// Whether bytes are arranged so. Valid UTF-8 counts only if full of controls or with one sign in
/// every other place. Other files' line-end bytes are rarely two-byte line ends.
fn is_in_step(encoding: Encoding, probe: &[u8]) -> bool {
    const FEW: usize = 6;
    let is_utf_8 = str::from_utf8(probe).map_or_else(|error| error.error_len().is_none(), |_| true);
    if is_utf_8 {
        let is_control = |byte: &&u8| matches!(byte, 1..=8 | 0x0B | 0x0E..=0x1A | 0x1C..=0x1F);
        return is_page(probe) || probe.iter().filter(is_control).count() * 5 >= probe.len();
    }
    let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
    let halves = probe.iter().filter(|byte| is_end(byte)).count();
    let whole = units(encoding, probe).filter(|unit| matches!(unit, 0x0A | 0x0D)).count();
    units(encoding, probe).count() >= FEW && whole * 2 >= halves
}

fn is_page(probe: &[u8]) -> bool {
    [0, 1].into_iter().any(|at| {
        let page = || probe.iter().skip(at).step_by(2).filter(|byte| **byte != 0);
        page().count() > 1 && [b'0', b'\t'].into_iter().any(|number| page().all(|byte| *byte == number))
    })
}

/// The UTF-32 variant of a text. Without a mark, all units must be complete and common characters.
pub fn utf_32(probe: &[u8], is_whole: bool) -> Option<&'static str> {
    const UNIT: usize = 4;
    const FEW: usize = 2;
    type Number = fn([u8; UNIT]) -> u32;
    let variants = [
        ("UTF-32LE", *b"\xFF\xFE\0\0", u32::from_le_bytes as Number),
        ("UTF-32BE", *b"\0\0\xFE\xFF", u32::from_be_bytes as Number),
    ];
    let variant = variants.into_iter().find(|(_, mark, number)| {
        let marked = probe.strip_prefix(mark);
        let units = marked.unwrap_or(probe).chunks_exact(UNIT);
        let is_even = !is_whole || units.remainder().is_empty();
        let is_enough = is_even && units.len() >= FEW && probe.contains(&0);
        let mut characters = units.map(|unit| unit.try_into().ok().map(number).and_then(char::from_u32));
        let is_text = |c: char| matches!(c, '\t' | '\n' | '\r' | ' ') || is_common(c);
        match marked {
            Some(_) => !is_binary(characters),
            None => is_enough && characters.all(|c| c.is_some_and(is_text)),
        }
    });
    variant.map(|(name, ..)| name)
}

fn is_ascii_with_zeros(probe: &[u8]) -> bool {
    let is_plain = |byte: &u8| matches!(byte, 0 | b'\t' | b'\n' | b'\x0C' | b'\r' | b' '..=b'~');
    probe.iter().all(is_plain) && !is_page(probe)
}

fn is_common(character: char) -> bool {
    let is_sign = matches!(
        u32::from(character),
        0x09 | 0x0C | 0x20..=0x7E | 0xA0..=0xBF | 0xD7 | 0xF7 | 0x37E | 0x387 | 0x55A..=0x55F | 0x589 | 0x58A | 0x5BE | 0x5F3 | 0x5F4
            | 0x60C | 0x61B | 0x61F | 0x640 | 0x66A..=0x66D | 0x6D4 | 0x964 | 0x965 | 0xE3F | 0xE4F | 0xE5A | 0xE5B
            | 0x200B..=0x205E | 0x20A0..=0x20BF | 0x2100..=0x23FF | 0x2500..=0x27BF | 0x3000..=0x303F | 0x30FB
            | 0xFE30..=0xFE4F | 0xFEFF | 0xFF01..=0xFFEE | 0x1_F000..=0x1_FAFF
    );
    is_sign || character.is_alphanumeric() || is_combining_mark(character)
}

fn is_mostly_utf_8(probe: &[u8]) -> bool {
    let (mut valid, mut invalid) = (0, 0);
    for chunk in probe.utf8_chunks() {
        valid += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        invalid += usize::from(!chunk.invalid().is_empty());
    }
    valid > 2 * invalid
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_taken_for_what_they_are() {
        use Certainty::{Likely, Mark, Valid};
        let in_encoding = |label: &str, text: &str| {
            let encoding = encoding_rs::Encoding::for_label(label.as_bytes()).unwrap();
            encoding.encode(text).0.into_owned()
        };
        let utf_16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
        let russian = "Съешь же ещё этих мягких французских булок, да выпей чаю.\n";
        let japanese = "いろはにほへと ちりぬるを わかよたれそ つねならむ\n";
        let german = "Der Bär und die Füchse hören schöne Übungen über dem Fluß.\n";
        let chinese = "天地玄黄，宇宙洪荒。日月盈昃，辰宿列张。寒来暑往，秋收冬藏。\n";
        let traditional = "天地玄黃，宇宙洪荒。日月盈昃，辰宿列張。寒來暑往，秋收冬藏。\n";
        let korean = "모든 국민은 법 앞에 평등하다. 누구든지 차별을 받지 아니한다.\n";
        let greek = "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία με τον καφέ.\n";
        let polish = "Zażółć gęślą jaźń, a potem pójdź kińże tę chmurność w głąb flaszy.\n";
        for (bytes, expected) in [
            (b"plain".to_vec(), Some(("UTF-8", Valid))),
            (b"".to_vec(), Some(("UTF-8", Valid))),
            (german.as_bytes().to_vec(), Some(("UTF-8", Valid))),
            (b"\xEF\xBB\xBFa\xFF".to_vec(), Some(("UTF-8", Mark))),
            ([german.as_bytes(), b"\xFF"].concat(), Some(("UTF-8", Likely))),
            ([b"\xFF\xFE", &utf_16(german)[..]].concat(), Some(("UTF-16LE", Mark))),
            ([b"\xFF\xFE", &utf_16(japanese)[..]].concat(), Some(("UTF-16LE", Mark))),
            (b"\xFE\xFF\0a".to_vec(), Some(("UTF-16BE", Mark))),
            (utf_16("one\r\ntwo\r\n"), Some(("UTF-16LE", Likely))),
            (b"\x89PNG\r\n\x1A\n\0\0\0\rIHDR".to_vec(), None),
            (b"a\0b\xFFc".to_vec(), None),
            (in_encoding("windows-1252", german), Some(("windows-1252", Likely))),
            (in_encoding("windows-1251", russian), Some(("windows-1251", Likely))),
            (in_encoding("koi8-u", russian), Some(("KOI8-U", Likely))),
            (in_encoding("shift_jis", japanese), Some(("Shift_JIS", Likely))),
            (in_encoding("euc-jp", japanese), Some(("EUC-JP", Likely))),
            (in_encoding("gbk", chinese), Some(("GBK", Likely))),
            (in_encoding("big5", traditional), Some(("Big5", Likely))),
            (in_encoding("euc-kr", korean), Some(("EUC-KR", Likely))),
            (in_encoding("windows-1253", greek), Some(("windows-1253", Likely))),
            (in_encoding("iso-8859-2", polish), Some(("ISO-8859-2", Likely))),
        ] {
            let found = detect(&bytes, true).map(|found| (found.encoding.name(), found.certainty));
            assert_eq!(found, expected, "{}", String::from_utf8_lossy(&bytes));
        }
    }

    #[test]
    fn a_character_that_the_probe_cuts_is_none_that_is_wrong() {
        let probe = &"é".as_bytes()[..1];
        assert_eq!(detect(probe, false).unwrap().encoding, Encoding::UTF_8);
        assert_ne!(detect(probe, true).unwrap().encoding, Encoding::UTF_8);
        assert_ne!(detect(b"\xC3 a", false).unwrap().encoding, Encoding::UTF_8);
    }

    #[test]
    fn a_mark_decides_whatever_follows() {
        let texts = [
            "",
            "日",
            "中国",
            "日本語",
            "한국어",
            "いろはにほへと、ちりぬるを。",
            "中国平等모든국민",
            "\u{E123}天地玄黄",
            "\u{FEFF}天地",
            "慢扡硸潮潮潮",
            "a\0b",
            "Der Bär\n",
        ];
        for text in texts {
            for (label, bytes) in
                [("UTF-16LE", u16::to_le_bytes as fn(u16) -> [u8; 2]), ("UTF-16BE", u16::to_be_bytes)]
            {
                let found = |file: &[u8], is_whole| {
                    detect(file, is_whole).map(|found| (found.encoding.name(), found.certainty))
                };
                let lone = [0xD800];
                let units = || "\u{FEFF}".encode_utf16().chain(text.encode_utf16());
                let mut file: Vec<_> = units().flat_map(bytes).collect();
                let damaged: Vec<_> =
                    units().chain(lone).chain(text.encode_utf16()).flat_map(bytes).collect();
                assert_eq!(found(&file, true), Some((label, Certainty::Mark)), "{text}");
                assert_eq!(found(&file, false), Some((label, Certainty::Mark)), "the beginning of {text}");
                assert_eq!(found(&damaged, true), Some((label, Certainty::Mark)), "{text}, damaged");
                file.push(0xE9);
                assert_eq!(found(&file, true), Some((label, Certainty::Mark)), "{text}, cut");
            }
        }
    }

    #[test]
    fn bytes_that_are_no_characters_are_binary_behind_a_mark() {
        let numbers: Vec<u8> = (1..64_u32).flat_map(|number| (number * 3).to_le_bytes()).collect();
        let halves = [0xD8; 16];
        for bytes in [&numbers[..], &halves[..]] {
            for mark in [b"\xFF\xFE", b"\xFE\xFF"] {
                let found = detect(&[&mark[..], bytes].concat(), true);
                assert!(found.is_none_or(|found| found.certainty != Certainty::Mark), "{found:?}");
            }
        }
    }

    #[test]
    fn a_mark_of_utf_32_decides_as_well() {
        let le = |units: &[u32]| units.iter().flat_map(|unit| unit.to_le_bytes()).collect::<Vec<u8>>();
        let be = |units: &[u32]| units.iter().flat_map(|unit| unit.to_be_bytes()).collect::<Vec<u8>>();
        for units in
            [&[0xFEFF][..], &[0xFEFF, 0x61, 0x0A], &[0xFEFF, 0x61, 0xD800, 0x62], &[0xFEFF, 0x110000]]
        {
            for (name, mut bytes) in [("UTF-32LE", le(units)), ("UTF-32BE", be(units))] {
                assert_eq!(utf_32(&bytes, true), Some(name), "{units:?}");
                bytes.extend([0x61, 0]);
                assert_eq!(utf_32(&bytes, true), Some(name), "{units:?}, cut");
                assert_eq!(detect(&bytes, true), None, "{units:?}");
            }
        }
        assert_eq!(utf_32(&le(&[0x61, 0x62, 0x0A]), true), Some("UTF-32LE"));
        assert_eq!(utf_32(&[&le(&[0x61, 0x62])[..], b"a"].concat(), true), None);
        assert_eq!(utf_32(&le(&[0xFEFF, 0x110000, 0x110000, 0x110000, 0x110000]), true), None);
        assert_eq!(utf_32(b"abcdefgh", true), None);
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_something_or_nothing(bytes: Vec<u8>, is_whole: bool) {
            let _ = detect(&bytes, is_whole);
        }
    }

    #[test]
    fn what_may_be_utf_16_without_a_mark_is_suspected_in_any_script() {
        let le = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
        let be = |text: &str| text.encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<_>>();
        for text in [
            "日本\n二行\n三\n",
            "Привет, мир\r\nещё строка\r\n",
            "مرحبا بالعالم\n",
            "สวัสดีชาวโลก\nบรรทัด\n",
            "नमस्ते दुनिया\n",
            "これはテストです\nあいう\n",
            "あいうえお\n",
            "안녕하세요 세계\n",
            "naïve café 日本\nx",
            "「はい」、😀\r\n",
        ] {
            let found = |bytes: &[u8]| may_be_utf_16(bytes, true).map(Encoding::name);
            assert_eq!(found(&le(text)), Some("UTF-16LE"), "{text}");
            assert_eq!(found(&be(text)), Some("UTF-16BE"), "{text}");
        }
        for bytes in [
            &b""[..],
            b"one\ntwo\n",
            b"a\0b\ntwo\nc\0\n",
            b"ab\n\0",
            b"one\n\0\ntwo\n\0",
            b"one two\0three four\0\n\0",
            "日本\0二行\n\0".as_bytes(),
            "Привет\0мир\n".as_bytes(),
            b"\x7FELF\x02\x01\x01\0\0\0\0\0\x03\0>\0\x01\0\0\0 \0\n\0",
            b"\x89PNG\r\n\x1A\n\0\0\0\rIHDR\0\0\0 \0\0\0 ",
        ] {
            assert_eq!(may_be_utf_16(bytes, true), None, "{bytes:?}");
        }
    }
}
