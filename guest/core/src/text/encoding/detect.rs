//! Which encoding a text is in.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};

use super::Encoding;
use crate::text::utf8::Validator;

/// Why a text is taken to be in an encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Certainty {
    /// Somebody says so.
    Named,
    /// A byte order mark says so.
    Mark,
    /// It is valid, and no other text would be.
    Valid,
    /// Its bytes are most like text in this one. A short text may be one in another as well.
    Likely,
}

/// What a text is taken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Detected {
    /// The encoding.
    pub encoding: Encoding,
    /// Why.
    pub certainty: Certainty,
}

/// What the beginning of a file is text of; none if it is no text. `is_whole`: it is all of the file.
pub fn detect(probe: &[u8], is_whole: bool) -> Option<Detected> {
    let detected = |encoding, certainty| Some(Detected { encoding, certainty });
    for label in ["utf-8", "utf-16le", "utf-16be"] {
        let Some(encoding) = Encoding::labelled(label) else { continue };
        if probe.starts_with(encoding.mark()) && (encoding.is_utf_8() || is_utf_16(encoding, probe)) {
            return detected(encoding, Certainty::Mark);
        }
    }
    // Much of it is also UTF-8, with as many zeros.
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

/// Valid, but for a character that the end of the probe cuts in two.
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

/// Two bytes may begin a file of anything: text behind them has a zero in most of its characters, or decodes.
fn is_utf_16(encoding: Encoding, probe: &[u8]) -> bool {
    let text = &probe[encoding.mark().len()..];
    let even = &text[..text.len() & !1];
    units(encoding, even).zip(units(encoding, even).skip(1)).all(|(unit, next)| {
        let pairs = matches!(unit, 0xD800..=0xDBFF) == matches!(next, 0xDC00..=0xDFFF);
        pairs && !matches!(unit, 0xFFFE | 0xFFFF)
    })
}

fn units(encoding: Encoding, text: &[u8]) -> impl Iterator<Item = u16> {
    let is_little = encoding.mark().starts_with(b"\xFF");
    text.chunks_exact(2).map(move |pair| {
        let pair = [pair[0], pair[1]];
        if is_little { u16::from_le_bytes(pair) } else { u16::from_be_bytes(pair) }
    })
}

/// Without a mark: nearly every other byte is zero. A few zeros may stand in any text.
fn is_unmarked_utf_16(encoding: Encoding, probe: &[u8]) -> bool {
    let count = probe.len() / 2;
    let ascii =
        units(encoding, probe).filter(|unit| matches!(unit, 0x09 | 0x0A | 0x0D | 0x20..=0x7E)).count();
    count >= 8 && ascii * 10 >= count * 9
}

/// Text in UTF-8 with some bytes that are none: there is more of what only UTF-8 has.
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

    proptest::proptest! {
        #[test]
        fn any_bytes_are_something_or_nothing(bytes: Vec<u8>, is_whole: bool) {
            let _ = detect(&bytes, is_whole);
        }
    }
}
