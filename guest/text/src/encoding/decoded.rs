//! A decoded file in memory, with a mapping from text to bytes.

use std::ops::Range;

use super::Encoding;
use super::units::{escaped_byte, unit};

/// Bytes between two mapped places. Decoding again finds the places between.
const BLOCK: usize = 1024;

/// A decoded text and its bytes.
#[derive(Debug, Clone)]
pub struct Decoded {
    encoding: Encoding,
    raw: Vec<u8>,
    text: Vec<u8>,
    blocks: Vec<(usize, usize)>,
    is_damaged: bool,
}

/// One replacement in a decoded text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The replaced part, between two units of the text.
    pub range: Range<usize>,
    /// The new decoded text.
    pub new: Vec<u8>,
}

/// A character that the encoding lacks or that would become another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unencodable {
    /// The character; none if a byte is the problem.
    pub character: Option<char>,
    /// The index of its edit.
    pub edit: usize,
}

impl Decoded {
    /// Decodes bytes, a byte order mark included.
    pub fn new(encoding: Encoding, raw: Vec<u8>) -> Self {
        let mut decoded = Self { encoding, raw, text: Vec::new(), blocks: Vec::new(), is_damaged: false };
        decoded.text.reserve(decoded.raw.len());
        let mut at = 0;
        while at < decoded.raw.len() {
            decoded.blocks.push((at, decoded.text.len()));
            at = decoded.block(at);
        }
        decoded
    }

    /// Decodes a block or more from `at` to a unit's end. Returns that end.
    fn block(&mut self, at: usize) -> usize {
        let end = self.raw.len().min(at + BLOCK);
        let mut offset = at;
        while offset < end {
            let known = self.text.len();
            offset += unit(self.encoding.0, &self.raw[offset..], &mut self.text);
            self.is_damaged |= escaped_byte(&self.text[known..]).is_some();
        }
        offset
    }

    /// The decoded text.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// The bytes of the file.
    pub fn raw(&self) -> &[u8] {
        &self.raw
    }

    /// The encoding.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Whether some byte is undecodable.
    pub fn is_damaged(&self) -> bool {
        self.is_damaged
    }

    /// The file's offset of the unit here in the text.
    pub fn raw_offset(&self, text: usize) -> usize {
        self.near(|block| block.1 <= text, |at| at.1 <= text).0
    }

    /// The text's offset of the unit here in the file.
    pub fn text_offset(&self, raw: usize) -> usize {
        self.near(|block| block.0 <= raw, |at| at.0 <= raw).1
    }

    fn place_behind(&self, at: (usize, usize), text: usize) -> (usize, usize) {
        let block = self.blocks.partition_point(|block| block.1 <= text).checked_sub(1);
        let block = block.and_then(|index| self.blocks.get(index)).copied().unwrap_or_default();
        self.walk(block.max(at), |next| next.1 <= text)
    }

    /// The last unit start, in file and text, with `is_before`; `is_block_before` is the same of
    /// blocks.
    fn near(
        &self,
        is_block_before: impl Fn(&(usize, usize)) -> bool,
        is_before: impl Fn((usize, usize)) -> bool,
    ) -> (usize, usize) {
        let index = self.blocks.partition_point(is_block_before);
        let block = index.checked_sub(1).and_then(|index| self.blocks.get(index)).copied();
        self.walk(block.unwrap_or_default(), is_before)
    }

    fn walk(&self, mut at: (usize, usize), is_before: impl Fn((usize, usize)) -> bool) -> (usize, usize) {
        let mut unit_text = Vec::new();
        while at.0 < self.raw.len() {
            unit_text.clear();
            let length = unit(self.encoding.0, &self.raw[at.0..], &mut unit_text);
            let next = (at.0 + length, at.1 + unit_text.len());
            if !is_before(next) {
                break;
            }
            at = next;
        }
        at
    }

    /// The file's bytes after these ordered, disjoint edits.
    ///
    /// Decoding the result must give the intended text. It fails if the encoding lacks a character
    /// or adjacent bytes merge.
    pub fn edited(&self, edits: &[Edit]) -> Result<Vec<u8>, Unencodable> {
        let mut raw = Vec::with_capacity(self.raw.len());
        let mut meant = Vec::with_capacity(self.text.len());
        let (mut done, mut shown) = (0, 0);
        let mut at = (0, 0);
        for (number, edit) in edits.iter().enumerate() {
            let start = self.place_behind(at, edit.range.start);
            at = self.place_behind(start, edit.range.end);
            let range = start.0..at.0;
            raw.extend_from_slice(&self.raw[done..range.start]);
            meant.extend_from_slice(&self.text[shown..edit.range.start]);
            encode(self.encoding, &edit.new, &mut raw)
                .map_err(|character| Unencodable { character: Some(character), edit: number })?;
            meant.extend_from_slice(&edit.new);
            (done, shown) = (range.end, edit.range.end);
        }
        raw.extend_from_slice(&self.raw[done..]);
        meant.extend_from_slice(&self.text[shown..]);
        let became = Self::new(self.encoding, raw);
        if became.text == meant {
            return Ok(became.raw);
        }
        let differs = became.text.iter().zip(&meant).take_while(|(a, b)| a == b).count();
        Err(self.culprit(edits, differs))
    }

    fn culprit(&self, edits: &[Edit], differs: usize) -> Unencodable {
        let mut grown = 0_isize;
        let mut culprit = Unencodable { character: None, edit: 0 };
        for (number, edit) in edits.iter().enumerate() {
            let begins = edit.range.start.saturating_add_signed(grown);
            if begins > differs {
                break;
            }
            let put = String::from_utf8_lossy(&edit.new);
            culprit = Unencodable { character: put.chars().find(|c| !c.is_ascii()), edit: number };
            grown += edit.new.len() as isize - edit.range.len() as isize;
        }
        culprit
    }
}

pub(super) fn encode(encoding: Encoding, text: &[u8], out: &mut Vec<u8>) -> Result<(), char> {
    let mut rest = text;
    while !rest.is_empty() {
        if let Some(byte) = escaped_byte(rest) {
            out.push(byte);
            rest = &rest[3..];
            continue;
        }
        let valid = match std::str::from_utf8(rest) {
            Ok(valid) => valid,
            Err(error) => std::str::from_utf8(&rest[..error.valid_up_to()]).unwrap_or_default(),
        };
        if valid.is_empty() {
            // In UTF-8 a stray byte is written as it is.
            out.push(rest[0]);
            rest = &rest[1..];
            continue;
        }
        encode_str(encoding, valid, out)?;
        rest = &rest[valid.len()..];
    }
    Ok(())
}

fn encode_str(encoding: Encoding, text: &str, out: &mut Vec<u8>) -> Result<(), char> {
    if encoding.is_utf_8() {
        out.extend_from_slice(text.as_bytes());
    } else if encoding.is_utf_16() {
        let is_little = encoding.mark().starts_with(b"\xFF");
        for unit in text.encode_utf16() {
            out.extend(if is_little { unit.to_le_bytes() } else { unit.to_be_bytes() });
        }
    } else {
        let mut bytes = [0; 8];
        for character in text.chars() {
            let mut utf_8 = [0; 4];
            let source = character.encode_utf8(&mut utf_8);
            let mut encoder = encoding.0.new_encoder();
            let (result, _, written) = encoder.encode_from_utf8_without_replacement(source, &mut bytes, true);
            // The standard replaces some characters by similar ones.
            let mut back = Vec::new();
            unit(encoding.0, &bytes[..written], &mut back);
            if result != encoding_rs::EncoderResult::InputEmpty || back != source.as_bytes() {
                return Err(character);
            }
            out.extend_from_slice(&bytes[..written]);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::escape_unit;
    use super::*;

    const ALL: &[&str] = &[
        "utf-16le",
        "utf-16be",
        "windows-1252",
        "windows-1253",
        "windows-1251",
        "iso-8859-2",
        "koi8-r",
        "shift_jis",
        "euc-jp",
        "euc-kr",
        "gbk",
        "gb18030",
        "big5",
    ];

    fn encoding(label: &str) -> Encoding {
        Encoding::labelled(label).unwrap()
    }

    #[test]
    fn edits_change_what_they_are_about() {
        for (label, raw, old, new, expected) in [
            ("windows-1252", &b"caf\xE9 noir"[..], "noir", "cr\u{E8}me", Ok(&b"caf\xE9 cr\xE8me"[..])),
            ("windows-1252", b"caf\xE9", "é", "日", Err(Some('日'))),
            ("utf-16le", b"\xFF\xFEa\0\r\0\n\0", "a", "ä😀", Ok(b"\xFF\xFE\xE4\0\x3D\xD8\x00\xDE\r\0\n\0")),
            // 0x5C is the second byte of a character, not a backslash.
            ("shift_jis", b"\x83\x5C\x5C", "\\", "/", Ok(b"\x83\x5C/")),
            // The standard writes a yen sign as a backslash.
            ("shift_jis", b"a", "a", "¥", Err(Some('¥'))),
            // The original of two encodings of one character stays.
            ("shift_jis", b"\x87\x9Aa\x81\xE6", "a", "b", Ok(b"\x87\x9Ab\x81\xE6")),
            // A stray lead byte would merge with the new letter.
            ("shift_jis", b"\x83\"", "\"", "A", Err(None)),
            ("euc-kr", b"\xB0\xA1", "가", "나", Ok(b"\xB3\xAA")),
            ("gb18030", b"a", "a", "😀", Ok(b"\x94\x39\xFC\x36")),
        ] {
            let decoded = Decoded::new(encoding(label), raw.to_vec());
            let at = memchr::memmem::find(decoded.text(), old.as_bytes()).unwrap();
            let edit = Edit { range: at..at + old.len(), new: new.into() };
            let found = decoded.edited(&[edit]).map_err(|refused| refused.character);
            assert_eq!(found, expected.map(<[u8]>::to_vec), "{label} {old:?}");
        }
    }

    #[test]
    fn text_goes_on_where_blocks_meet() {
        let text = "ソa".repeat(2000);
        let (raw, ..) = encoding_rs::SHIFT_JIS.encode(&text);
        let decoded = Decoded::new(encoding("shift_jis"), raw.to_vec());
        assert_eq!(decoded.text(), text.as_bytes());
        for index in [0, 1, 341, 342, 1023, 1999] {
            assert_eq!(decoded.raw_offset(index * 4), index * 3);
            assert_eq!(decoded.text_offset(index * 3), index * 4);
            assert_eq!(decoded.raw_offset(index * 4 + 3), index * 3 + 2);
        }
        assert_eq!(decoded.raw_offset(text.len()), raw.len());
    }

    fn bytes() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop_oneof![
            any::<u8>().prop_map(|byte| vec![byte]),
            "[ -~]{0,8}\r?\n?".prop_map(String::into_bytes),
            any::<[u8; 2]>().prop_map(Vec::from),
        ];
        proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn nothing_changes_without_an_edit(label in proptest::sample::select(ALL), raw in bytes()) {
            let decoded = Decoded::new(encoding(label), raw.clone());
            prop_assert_eq!(decoded.edited(&[]), Ok(raw.clone()));
            let mut back = Vec::new();
            // Another encoding of a character may merge with a stray byte before it.
            if !decoded.is_damaged() && encode(encoding(label), decoded.text(), &mut back).is_ok() {
                let back = Decoded::new(encoding(label), back);
                prop_assert_eq!(back.text(), decoded.text());
            }
        }

        #[test]
        fn bytes_outside_of_an_edit_stay(
            label in proptest::sample::select(ALL), raw in bytes(), from in any::<prop::sample::Index>(),
            to in any::<prop::sample::Index>(), new in "[a-zé日¥я가😀]{0,6}", byte in proptest::option::of(any::<u8>()),
        ) {
            let decoded = Decoded::new(encoding(label), raw.clone());
            let place = |index: &prop::sample::Index| {
                decoded.text_offset(index.index(raw.len() + 1))
            };
            let (a, b) = (place(&from), place(&to));
            let range = a.min(b)..a.max(b);
            let new: Vec<u8> = new.into_bytes().into_iter().chain(byte.into_iter().flat_map(escape_unit)).collect();
            let (start, end) = (decoded.raw_offset(range.start), decoded.raw_offset(range.end));
            let meant = [&decoded.text()[..range.start], &new, &decoded.text()[range.end..]].concat();
            match decoded.edited(&[Edit { range, new }]) {
                Ok(edited) => {
                    prop_assert_eq!(&edited[..start], &raw[..start]);
                    prop_assert!(edited.ends_with(&raw[end..]));
                    let edited = Decoded::new(encoding(label), edited);
                    prop_assert_eq!(edited.text(), &meant[..]);
                }
                Err(refused) => prop_assert_eq!(refused.edit, 0),
            }
        }

        #[test]
        fn what_an_encoding_holds_can_be_put_anywhere_in_sound_text(
            label in proptest::sample::select(ALL), before in "[a-z\n]{0,20}", new in "[a-z]{1,6}", after in "[a-z\n]{0,20}",
        ) {
            let mut raw = Vec::new();
            encode(encoding(label), format!("{before}?{after}").as_bytes(), &mut raw).unwrap();
            let decoded = Decoded::new(encoding(label), raw);
            let edit = Edit { range: before.len()..before.len() + 1, new: new.clone().into_bytes() };
            let mut expected = Vec::new();
            encode(encoding(label), format!("{before}{new}{after}").as_bytes(), &mut expected).unwrap();
            prop_assert_eq!(decoded.edited(&[edit]), Ok(expected));
        }
    }
}
