//! The encoding of a file, and the call's texts in it.

use std::borrow::Cow;

use super::ChunkReader;
use fsgate_contract::limits::{
    ASCII_BLOCK, CHUNK_BYTES, DECODED_BYTES, DETECTED_BYTES, PROBE_BYTES, STRONG_TAG_BYTES,
};
use fsgate_contract::types::Note;
use fsgate_error::{EncodingProblem, Reason};
use fsgate_text::ascii::is_ascii;
use fsgate_text::encoding::{
    Certainty, Decoded, Detected, Edit, Encoding, Spelling, Unencodable, detect, may_be_utf_16, plain_bytes,
    utf_32,
};
use fsgate_text::excerpt::quoted;
use fsgate_text::similar::Suggestions;
use fsgate_volume::{Fault, Volume};

/// The encoding with this label.
pub fn named(label: &str) -> Result<Encoding, Reason> {
    Encoding::labelled(label).ok_or_else(|| {
        let mut near = Suggestions::new(&label.to_ascii_lowercase());
        Encoding::labels().for_each(|known| near.consider(known));
        Reason::Encoding(EncodingProblem::Unknown { label: label.to_owned(), near: near.finish() })
    })
}

/// The file's UTF-16.
pub fn utf_16<V: Volume>(reader: &ChunkReader<V>) -> Option<Detected> {
    let head = reader.head();
    let is_marked = head.starts_with(b"\xFF\xFE") || head.starts_with(b"\xFE\xFF");
    let may_be = is_marked || memchr::memchr(0, head).is_some();
    let found = may_be.then(|| detect(head, head.len() as u64 == reader.size())).flatten();
    found.filter(|found| found.encoding.is_utf_16())
}

/// The name of the file's UTF-32.
pub fn utf_32_of<V: Volume>(reader: &ChunkReader<V>) -> Option<&'static str> {
    utf_32(reader.head(), reader.head().len() as u64 == reader.size())
}

/// Refuses UTF-32, and text that may be UTF-16 without a mark: a change could begin inside a
/// character.
pub fn admit<V: Volume>(reader: &ChunkReader<V>) -> Result<(), Reason> {
    let is_whole = reader.head().len() as u64 == reader.size();
    let problem = match utf_32_of(reader) {
        Some(name) => Some(EncodingProblem::Utf32(name)),
        None => may_be_utf_16(reader.head(), is_whole).map(|found| EncodingProblem::MayBeUtf16(found.name())),
    };
    problem.map_or(Ok(()), |problem| Err(Reason::Encoding(problem)))
}

/// The encoding, if an edit with these texts depends on it.
pub fn foreign<V: Volume>(
    reader: &ChunkReader<V>,
    format: &TextFormat,
    texts: &[&str],
) -> Result<Option<Detected>, Reason> {
    let found = match (format.encoding.map(named).transpose()?, utf_16(reader)) {
        (Some(encoding), _) => Some(Detected { encoding, certainty: Certainty::Named }),
        (None, None) => {
            if reader.decoded().is_none() {
                admit(reader)?;
            }
            let is_same = !format.escaped && texts.iter().all(|text| text.is_ascii());
            if is_same { None } else { detected(reader).map_err(Reason::reading)? }
        }
        (None, found) => found,
    };
    Ok(found.filter(|found| !found.encoding.is_utf_8()))
}

/// The encoding shown by the bytes, or by the first ones of a large file. None if it is no text.
pub fn detected<V: Volume>(reader: &ChunkReader<V>) -> Result<Option<Detected>, Fault> {
    let size = reader.size();
    let probed = if size <= STRONG_TAG_BYTES { size } else { DETECTED_BYTES };
    Ok(detect(&reader.bytes(0..probed)?, probed == size))
}

/// The same for a search in many files: reads more only after bytes that are not UTF-8. A file in
/// ASCII may still be [`utf_16`].
pub fn suspected<V: Volume>(reader: &ChunkReader<V>) -> Result<Option<Detected>, Fault> {
    let head = reader.head();
    let blocks = head.chunks(ASCII_BLOCK);
    let Some(foreign) = blocks.enumerate().find_map(|(index, block)| (!is_ascii(block)).then_some(index))
    else {
        return Ok(None);
    };
    let start = foreign * ASCII_BLOCK;
    let window = &head[start..head.len().min(start + PROBE_BYTES as usize)];
    let ends_file = start + window.len() == head.len() && head.len() as u64 == reader.size();
    match std::str::from_utf8(window) {
        Ok(_) => Ok(None),
        Err(error) if error.error_len().is_none() && !ends_file => Ok(None),
        // Zeros are rarely text.
        Err(_) if memchr::memchr(0, head).is_some() => Ok(utf_16(reader)),
        Err(_) => detected(reader),
    }
}

/// The encoding of a file that a text replaces. All of UTF-16 counts, even without a mark.
pub fn before<V: Volume>(reader: &ChunkReader<V>) -> Result<Option<Detected>, Fault> {
    let is_whole = reader.head().len() as u64 == reader.size();
    let likely = |encoding| Detected { encoding, certainty: Certainty::Likely };
    let unmarked = || may_be_utf_16(reader.head(), is_whole).map(likely);
    utf_16(reader).or_else(unmarked).map_or_else(|| suspected(reader), |found| Ok(Some(found)))
}

/// The decoded file for a search, unless it is too large. The bytes stay the content in ASCII, and
/// in a large file with a likely encoding.
pub fn searchable<V: Volume>(
    reader: ChunkReader<'_, V>,
    found: Detected,
) -> Result<Option<ChunkReader<'_, V>>, Fault> {
    let (size, encoding) = (reader.size(), found.encoding);
    let is_all_ascii = reader.head().len() as u64 == size && is_ascii(reader.head());
    if encoding.is_utf_8() || (is_all_ascii && !encoding.is_utf_16()) {
        return Ok(Some(reader));
    }
    if size > DECODED_BYTES {
        let is_like_bytes = found.certainty == Certainty::Likely && !encoding.is_utf_16();
        return Ok(is_like_bytes.then_some(reader));
    }
    reader.decoded_as(found).map(Some)
}

/// The format of a call's texts.
#[derive(Clone, Copy)]
pub struct TextFormat<'a> {
    /// Label of the file's encoding, if the call names it.
    pub encoding: Option<&'a str>,
    /// True if the texts write bytes by their numbers.
    pub escaped: bool,
}

/// A text in the encoding of a file.
pub struct EncodedText<'t> {
    /// Its bytes.
    pub bytes: Cow<'t, [u8]>,
    /// The encoding.
    pub encoding: Encoding,
}

impl TextFormat<'_> {
    /// A text as content of the file.
    pub fn bytes<'t, V: Volume>(&self, reader: &ChunkReader<V>, text: &'t str) -> Cow<'t, [u8]> {
        self.spelled(reader).inside(text)
    }

    fn inside<'t>(&self, encoding: Encoding, text: &'t str) -> Cow<'t, [u8]> {
        self.spelling(encoding).inside(text)
    }

    fn spelling(&self, encoding: Encoding) -> Spelling {
        if self.escaped { Spelling::Escaped(encoding) } else { Spelling::Plain }
    }

    /// The spelling of texts in the file.
    pub fn spelled<V: Volume>(&self, reader: &ChunkReader<V>) -> Spelling {
        self.spelling(reader.decoded().map_or(Encoding::UTF_8, |(decoded, _)| decoded.encoding()))
    }

    /// A new file of this text.
    pub fn encoded<'t>(&self, text: &'t str) -> Result<EncodedText<'t>, Reason> {
        let encoding = self.encoding.map(named).transpose()?.unwrap_or(Encoding::UTF_8);
        let bytes = behind(Vec::new(), encoding, self.inside(encoding, text))?;
        Ok(EncodedText { bytes, encoding })
    }

    /// These texts at the end of a file in this encoding.
    pub fn at_end<V: Volume>(
        &self,
        reader: &ChunkReader<V>,
        encoding: Encoding,
        texts: &[&str],
    ) -> Result<Vec<u8>, Reason> {
        let is_alone = encoding.is_utf_8();
        let before = if is_alone { Vec::new() } else { tail(reader, encoding).map_err(Reason::reading)? };
        let new: Vec<_> = texts.iter().map(|text| self.inside(encoding, text)).collect();
        behind(before, encoding, new.concat().into()).map(Cow::into_owned)
    }
}

fn behind(before: Vec<u8>, encoding: Encoding, new: Cow<[u8]>) -> Result<Cow<[u8]>, Reason> {
    if encoding.is_utf_8() {
        return Ok(new);
    }
    let size = new.len() as u64;
    if size > DECODED_BYTES {
        return Err(Reason::Encoding(EncodingProblem::TooLargeToDecode { size, encoding: encoding.name() }));
    }
    let decoded = Decoded::new(encoding, before);
    let end = decoded.text().len();
    let edited = edited(&decoded, &[Edit { range: end..end, new: new.into_owned() }])?;
    Ok(Cow::Owned(edited[decoded.raw().len()..].to_vec()))
}

fn tail<V: Volume>(reader: &ChunkReader<V>, encoding: Encoding) -> Result<Vec<u8>, Fault> {
    // Even, for UTF-16.
    let start = reader.size().saturating_sub(CHUNK_BYTES as u64) & !1;
    let mut tail = reader.bytes(start..reader.size())?;
    if start > 0 && !encoding.is_utf_16() {
        // A byte below the digits is a whole character in every encoding.
        let begin = tail.iter().rposition(|byte| *byte < b'0').map_or(0, |at| at + 1);
        tail.drain(..begin);
    }
    Ok(tail)
}

/// The bytes after edits of the text.
pub fn edited(decoded: &Decoded, edits: &[Edit]) -> Result<Vec<u8>, Reason> {
    let encoding = decoded.encoding().name();
    decoded.edited(edits).map_err(|Unencodable { character, .. }| match character {
        Some(character) => Reason::Encoding(EncodingProblem::NotInEncoding { character, encoding }),
        None => Reason::Encoding(EncodingProblem::JoinsCharacters { encoding }),
    })
}

/// Bytes as shown text.
pub fn shown(encoding: Encoding, bytes: &[u8]) -> Cow<'_, [u8]> {
    if encoding.is_utf_8() {
        Cow::Borrowed(bytes)
    } else {
        Cow::Owned(plain_bytes(Decoded::new(encoding, bytes.to_vec()).text()))
    }
}

/// Adds a path to a note.
pub fn about(path: &str, note: Note) -> Note {
    Note { text: format!("{}: {}", quoted(path), note.text), ..note }
}

/// The note about a guessed encoding.
pub fn note(detected: Detected) -> Option<Note> {
    if matches!(detected.certainty, Certainty::Named | Certainty::Mark | Certainty::Valid) {
        return None;
    }
    let name = detected.encoding.name();
    let text =
        format!("the bytes are most like text in {name}; name another with `encoding` if it reads wrong");
    Some(Note { kind: "encoding".to_owned(), text })
}
