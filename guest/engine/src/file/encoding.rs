//! The encoding of a file, and the call's texts in it.

use std::borrow::Cow;

use super::{ChunkReader, OpenFile};
use fsgate_contract::limits::{
    ASCII_BLOCK, CHUNK_BYTES, DECODED_BYTES, DETECTED_BYTES, PROBE_BYTES, STRONG_TAG_BYTES,
};
use fsgate_contract::types::Note;
use fsgate_error::{EncodingProblem, Failure, Reason};
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
pub fn admit<V: Volume>(file: &OpenFile<V>) -> Result<(), Failure> {
    let head = file.reader().head();
    let is_whole = head.len() as u64 == file.size();
    let problem = match utf_32_of(file.reader()) {
        Some(name) => Some(EncodingProblem::Utf32(name)),
        None => may_be_utf_16(head, is_whole).map(|encoding| EncodingProblem::MayBeUtf16(encoding.name())),
    };
    problem.map_or(Ok(()), |problem| Err(file.refuse(Reason::Encoding(problem))))
}

/// The encoding shown by the bytes, or by the first ones of a large file. None if it is no text.
pub fn detected<V: Volume>(file: &OpenFile<V>) -> Result<Option<Detected>, Failure> {
    detected_in(file.reader()).map_err(|fault| file.refuse(Reason::reading(fault)))
}

fn detected_in<V: Volume>(reader: &ChunkReader<V>) -> Result<Option<Detected>, Fault> {
    let size = reader.size();
    let probed = if size <= STRONG_TAG_BYTES { size } else { DETECTED_BYTES };
    Ok(detect(&reader.bytes(0..probed)?, probed == size))
}

/// The same for a search in many files, which reads more only after bytes that are not UTF-8. A
/// file in ASCII may still be [`utf_16`].
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
        Err(_) => detected_in(reader),
    }
}

/// The encoding of a file that a text replaces. All of UTF-16 counts, even without a mark.
pub fn before<V: Volume>(reader: &ChunkReader<V>) -> Result<Option<Detected>, Fault> {
    let is_whole = reader.head().len() as u64 == reader.size();
    let likely = |encoding| Detected { encoding, certainty: Certainty::Likely };
    let unmarked = || may_be_utf_16(reader.head(), is_whole).map(likely);
    utf_16(reader).or_else(unmarked).map_or_else(|| suspected(reader), |found| Ok(Some(found)))
}

/// The decoded file for a search, or none if it is too large. The bytes stay the content in ASCII,
/// and in a large file with a likely encoding.
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
    let decoded = Decoded::new(encoding, reader.bytes(0..size)?);
    Ok(Some(reader.decoded_as(decoded, found)))
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
    pub fn bytes<'t, V: Volume>(&self, file: &OpenFile<V>, text: &'t str) -> Cow<'t, [u8]> {
        self.spelled(file).inside(text)
    }

    fn inside<'t>(&self, encoding: Encoding, text: &'t str) -> Cow<'t, [u8]> {
        self.spelling(encoding).inside(text)
    }

    fn spelling(&self, encoding: Encoding) -> Spelling {
        if self.escaped { Spelling::Escaped(encoding) } else { Spelling::Plain }
    }

    /// The spelling of texts in the file.
    pub fn spelled<V: Volume>(&self, file: &OpenFile<V>) -> Spelling {
        self.spelling(file.decoded().map_or(Encoding::UTF_8, Decoded::encoding))
    }

    /// A new file of this text.
    pub fn encoded<'t>(&self, text: &'t str) -> Result<EncodedText<'t>, Reason> {
        let encoding = self.encoding.map(named).transpose()?.unwrap_or(Encoding::UTF_8);
        let bytes = behind(Vec::new(), encoding, self.inside(encoding, text))?;
        Ok(EncodedText { bytes, encoding })
    }

    /// These texts at the end of a file, with the file's encoding.
    pub fn at_end<V: Volume>(
        &self,
        file: &OpenFile<V>,
        texts: &[&str],
    ) -> Result<(EncodedText<'static>, Option<Detected>), Failure> {
        let found = foreign(file, self, texts)?;
        let encoding = found.map_or(Encoding::UTF_8, |found| found.encoding);
        let before = if encoding.is_utf_8() { Vec::new() } else { tail(file, encoding)? };
        let new: Vec<_> = texts.iter().map(|text| self.inside(encoding, text)).collect();
        let bytes = behind(before, encoding, new.concat().into()).map_err(|reason| {
            let failure = file.refuse(reason);
            match found {
                Some(found) => failure.guessed(found),
                None => failure,
            }
        })?;
        Ok((EncodedText { bytes, encoding }, found))
    }
}

/// The bytes of a text after others.
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

/// The last bytes of a file, from the start of a character.
fn tail<V: Volume>(file: &OpenFile<V>, encoding: Encoding) -> Result<Vec<u8>, Failure> {
    // Even, for UTF-16.
    let start = file.size().saturating_sub(CHUNK_BYTES as u64) & !1;
    let mut tail = file.bytes(start..file.size())?;
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

/// The decoded file for an edit with these texts. The bytes stay the content in UTF-8, and for
/// texts in ASCII unless the file is UTF-16.
pub fn as_text<'a, V: Volume>(
    file: OpenFile<'a, V>,
    format: &TextFormat,
    texts: &[&str],
) -> Result<OpenFile<'a, V>, Failure> {
    match foreign(&file, format, texts)? {
        Some(found) => decoded(file, found),
        None if format.encoding.is_some() => Ok(file.as_utf_8()),
        None => Ok(file),
    }
}

/// The encoding, if an edit depends on it.
fn foreign<V: Volume>(
    file: &OpenFile<V>,
    format: &TextFormat,
    texts: &[&str],
) -> Result<Option<Detected>, Failure> {
    let found = match format.encoding.map(named).transpose().map_err(|reason| file.refuse(reason))? {
        Some(encoding) => Some(Detected { encoding, certainty: Certainty::Named }),
        None => match utf_16(file.reader()) {
            None if file.decoded().is_none() && admit(file).map(|()| false)? => None,
            None if !format.escaped && texts.iter().all(|text| text.is_ascii()) => None,
            None => detected(file)?,
            found => found,
        },
    };
    Ok(found.filter(|found| !found.encoding.is_utf_8()))
}

/// The decoded file, if its bytes show another encoding than UTF-8, and whether they do.
pub fn reconsidered<V: Volume>(file: OpenFile<'_, V>) -> Result<(OpenFile<'_, V>, bool), Failure> {
    match detected(&file)?.filter(|found| !found.encoding.is_utf_8()) {
        Some(found) => Ok((decoded(file, found)?, true)),
        None => Ok((file, false)),
    }
}

/// [`as_text`] for an edit that depends on every character.
pub fn decoded_for<'a, V: Volume>(
    file: OpenFile<'a, V>,
    format: &TextFormat,
) -> Result<OpenFile<'a, V>, Failure> {
    as_text(file, &TextFormat { escaped: true, ..*format }, &[])
}

/// The decoded file. Refuses a large one.
pub fn decoded<V: Volume>(file: OpenFile<'_, V>, found: Detected) -> Result<OpenFile<'_, V>, Failure> {
    let (size, encoding) = (file.size(), found.encoding);
    if size > DECODED_BYTES {
        return Err(file.refuse(Reason::Encoding(EncodingProblem::TooLargeToDecode {
            size,
            encoding: encoding.name(),
        })));
    }
    let decoded = Decoded::new(encoding, file.bytes(0..size)?);
    Ok(file.decoded_as(decoded, found))
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
