//! Which encoding a file's text is in: the one that the call names, or the one that its bytes look like; and what a text of a call is
//! in it.

use std::borrow::Cow;

use crate::changes::Old;
use crate::content::Content;
use crate::view::Source;
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

/// The encoding that a call names.
pub fn named(label: &str) -> Result<Encoding, Reason> {
    Encoding::labelled(label).ok_or_else(|| {
        let mut near = Suggestions::new(&label.to_ascii_lowercase());
        Encoding::labels().for_each(|known| near.consider(known));
        Reason::Encoding(EncodingProblem::Unknown { label: label.to_owned(), near: near.finish() })
    })
}

/// The encoding of a file in which a byte is no character, if it is one: in those a line cannot be found by its end.
pub fn utf_16<V: Volume>(content: &Content<V>) -> Option<Detected> {
    let head = content.head();
    let is_marked = head.starts_with(b"\xFF\xFE") || head.starts_with(b"\xFE\xFF");
    let may_be = is_marked || memchr::memchr(0, head).is_some();
    let found = may_be.then(|| detect(head, head.len() as u64 == content.size())).flatten();
    found.filter(|found| found.encoding.is_utf_16())
}

/// The name of the variant of UTF-32 that a file is in.
pub fn utf_32_of<V: Volume>(content: &Content<V>) -> Option<&'static str> {
    utf_32(content.head(), content.head().len() as u64 == content.size())
}

/// Refuses a file in UTF-32, and one that may be UTF-16 and does not say so: read as bytes, a line
/// or a change would begin inside a character.
pub fn admit<V: Volume>(source: &Source<V>) -> Result<(), Failure> {
    let head = source.content().head();
    let is_whole = head.len() as u64 == source.size();
    let problem = match utf_32_of(source.content()) {
        Some(name) => Some(EncodingProblem::Utf32(name)),
        None => may_be_utf_16(head, is_whole).map(|encoding| EncodingProblem::MayBeUtf16(encoding.name())),
    };
    problem.map_or(Ok(()), |problem| Err(source.refuse(Reason::Encoding(problem))))
}

/// The encoding of a file by its bytes: all of them, or, in a large one, those at its beginning. None: it is no text.
pub fn detected<V: Volume>(source: &Source<V>) -> Result<Option<Detected>, Failure> {
    detected_in(source.content()).map_err(|fault| source.refuse(Reason::reading(fault)))
}

fn detected_in<V: Volume>(content: &Content<V>) -> Result<Option<Detected>, Fault> {
    let size = content.size();
    let probed = if size <= STRONG_TAG_BYTES { size } else { DETECTED_BYTES };
    Ok(detect(&content.bytes(0..probed)?, probed == size))
}

/// The same for whoever looks into very many files: a closer look only at those in which the first that is not ASCII is not UTF-8
/// either. What is all ASCII may still be [`utf_16`].
pub fn suspected<V: Volume>(content: &Content<V>) -> Result<Option<Detected>, Fault> {
    let head = content.head();
    let blocks = head.chunks(ASCII_BLOCK);
    let Some(foreign) = blocks.enumerate().find_map(|(index, block)| (!is_ascii(block)).then_some(index))
    else {
        return Ok(None);
    };
    let start = foreign * ASCII_BLOCK;
    let window = &head[start..head.len().min(start + PROBE_BYTES as usize)];
    let ends_file = start + window.len() == head.len() && head.len() as u64 == content.size();
    match std::str::from_utf8(window) {
        Ok(_) => Ok(None),
        Err(error) if error.error_len().is_none() && !ends_file => Ok(None),
        // What has zeros is mostly no text, and need not be read for that.
        Err(_) if memchr::memchr(0, head).is_some() => Ok(utf_16(content)),
        Err(_) => detected_in(content),
    }
}

/// The bytes as text in this encoding, for a search; none if that is too much of it. What is in ASCII is the same text as it is; so is,
/// for want of anything better, what is only most like text in another encoding and too large.
pub fn searchable<V: Volume>(
    content: Content<'_, V>,
    found: Detected,
) -> Result<Option<Content<'_, V>>, Fault> {
    let (size, encoding) = (content.size(), found.encoding);
    let is_all_ascii = content.head().len() as u64 == size && is_ascii(content.head());
    if encoding.is_utf_8() || (is_all_ascii && !encoding.is_utf_16()) {
        return Ok(Some(content));
    }
    if size > DECODED_BYTES {
        let is_like_bytes = found.certainty == Certainty::Likely && !encoding.is_utf_16();
        return Ok(is_like_bytes.then_some(content));
    }
    let decoded = Decoded::new(encoding, content.bytes(0..size)?);
    Ok(Some(content.decoded_as(decoded, found)))
}

/// What a call says of the texts that it puts or looks for.
#[derive(Clone, Copy)]
pub struct Wanted<'a> {
    /// The encoding of the file.
    pub label: Option<&'a str>,
    /// Bytes stand in them by their numbers.
    pub escaped: bool,
}

/// A text of a call as bytes of a file.
pub struct Encoded<'t> {
    /// The bytes.
    pub bytes: Cow<'t, [u8]>,
    /// What they are text in.
    pub encoding: Encoding,
}

impl Wanted<'_> {
    /// One of these texts as what the file gives out.
    pub fn bytes<'t, V: Volume>(&self, source: &Source<V>, text: &'t str) -> Cow<'t, [u8]> {
        self.spelled(source).inside(text)
    }

    fn inside<'t>(&self, encoding: Encoding, text: &'t str) -> Cow<'t, [u8]> {
        self.spelling(encoding).inside(text)
    }

    fn spelling(&self, encoding: Encoding) -> Spelling {
        if self.escaped { Spelling::Escaped(encoding) } else { Spelling::Plain }
    }

    /// How these texts are written for what the file gives out.
    pub fn spelled<V: Volume>(&self, source: &Source<V>) -> Spelling {
        self.spelling(source.decoded().map_or(Encoding::UTF_8, Decoded::encoding))
    }

    /// A file that is nothing but this text: in UTF-8, unless the call names another encoding.
    pub fn encoded<'t>(&self, text: &'t str) -> Result<Encoded<'t>, Reason> {
        let encoding = self.label.map(named).transpose()?.unwrap_or(Encoding::UTF_8);
        let bytes = behind(Vec::new(), encoding, self.inside(encoding, text))?;
        Ok(Encoded { bytes, encoding })
    }

    /// What these texts are at the end of this file, whatever its size, and why it is taken to be in that encoding.
    pub fn at_end<V: Volume>(
        &self,
        source: &Source<V>,
        texts: &[&str],
    ) -> Result<(Encoded<'static>, Option<Detected>), Failure> {
        let found = foreign(source, self, texts)?;
        let encoding = found.map_or(Encoding::UTF_8, |found| found.encoding);
        let before = if encoding.is_utf_8() { Vec::new() } else { tail(source, encoding)? };
        let new: Vec<_> = texts.iter().map(|text| self.inside(encoding, text)).collect();
        let bytes = behind(before, encoding, new.concat().into()).map_err(|reason| {
            let failure = source.refuse(reason);
            match found {
                Some(found) => failure.guessed(found),
                None => failure,
            }
        })?;
        Ok((Encoded { bytes, encoding }, found))
    }
}

/// What a text inside is behind these bytes, so that they stay what they are.
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

/// The last bytes of a file, from a place on where a character begins.
fn tail<V: Volume>(source: &Source<V>, encoding: Encoding) -> Result<Vec<u8>, Failure> {
    // Even, because of UTF-16.
    let start = source.size().saturating_sub(CHUNK_BYTES as u64) & !1;
    let mut tail = source.bytes(start..source.size())?;
    if start > 0 && !encoding.is_utf_16() {
        // No character but these themselves has a byte below the digits, in any encoding.
        let begin = tail.iter().rposition(|byte| *byte < b'0').map_or(0, |at| at + 1);
        tail.drain(..begin);
    }
    Ok(tail)
}

/// The bytes of a file after edits of its text.
pub fn edited(decoded: &Decoded, edits: &[Edit]) -> Result<Vec<u8>, Reason> {
    let encoding = decoded.encoding().name();
    decoded.edited(edits).map_err(|Unencodable { character, .. }| match character {
        Some(character) => Reason::Encoding(EncodingProblem::NotInEncoding { character, encoding }),
        None => Reason::Encoding(EncodingProblem::JoinsCharacters { encoding }),
    })
}

/// Bytes as the text that a diff shows.
pub fn shown(encoding: Encoding, bytes: &[u8]) -> Cow<'_, [u8]> {
    if encoding.is_utf_8() {
        Cow::Borrowed(bytes)
    } else {
        Cow::Owned(plain_bytes(Decoded::new(encoding, bytes.to_vec()).text()))
    }
}

/// The file as the text that it holds, for an edit which puts or looks for `texts`: itself if that is UTF-8, or if it does not
/// matter, because a byte of ASCII is the same character in all encodings but UTF-16.
pub fn as_text<'a, V: Volume>(
    source: Source<'a, V>,
    wanted: &Wanted,
    texts: &[&str],
) -> Result<Source<'a, V>, Failure> {
    match foreign(&source, wanted, texts)? {
        Some(found) => decoded(source, found),
        None if wanted.label.is_some() => Ok(source.told()),
        None => Ok(source),
    }
}

/// The encoding of a file, if an edit with these texts has to know it, and it is not UTF-8.
fn foreign<V: Volume>(
    source: &Source<V>,
    wanted: &Wanted,
    texts: &[&str],
) -> Result<Option<Detected>, Failure> {
    let found = match wanted.label.map(named).transpose().map_err(|reason| source.refuse(reason))? {
        Some(encoding) => Some(Detected { encoding, certainty: Certainty::Named }),
        None => match utf_16(source.content()) {
            None if source.decoded().is_none() && admit(source).map(|()| false)? => None,
            None if !wanted.escaped && texts.iter().all(|text| text.is_ascii()) => None,
            None => detected(source)?,
            found => found,
        },
    };
    Ok(found.filter(|found| !found.encoding.is_utf_8()))
}

/// The file as the text that it holds, if its bytes show that it is in another encoding than UTF-8; and whether it is.
pub fn reconsidered<V: Volume>(source: Source<'_, V>) -> Result<(Source<'_, V>, bool), Failure> {
    match detected(&source)?.filter(|found| !found.encoding.is_utf_8()) {
        Some(found) => Ok((decoded(source, found)?, true)),
        None => Ok((source, false)),
    }
}

/// The file as the text that it holds, for an edit to which every character matters.
pub fn decoded_for<'a, V: Volume>(source: Source<'a, V>, wanted: &Wanted) -> Result<Source<'a, V>, Failure> {
    as_text(source, &Wanted { escaped: true, ..*wanted }, &[])
}

/// The file as text in this encoding.
pub fn decoded<V: Volume>(source: Source<'_, V>, found: Detected) -> Result<Source<'_, V>, Failure> {
    let (size, encoding) = (source.size(), found.encoding);
    if size > DECODED_BYTES {
        return Err(source.refuse(Reason::Encoding(EncodingProblem::TooLargeToDecode {
            size,
            encoding: encoding.name(),
        })));
    }
    let decoded = Decoded::new(encoding, source.bytes(0..size)?);
    Ok(source.decoded_as(decoded, found))
}

/// This failure, of a file whose encoding may be a guess.
pub fn guessed<V: Volume>(source: &Source<V>, failure: Failure) -> Failure {
    match source.content().decoded() {
        Some((_, found)) => failure.guessed(*found),
        None => failure,
    }
}

/// Bytes that go, or, where there are many, what stands for them.
pub fn old(bytes: &[u8]) -> Old {
    if bytes.len() <= CHUNK_BYTES {
        Old::Bytes(bytes.to_vec())
    } else {
        Old::Digest { length: bytes.len() as u64, hash: blake3::hash(bytes) }
    }
}

/// A note about one of several files.
pub fn about(path: &str, note: Note) -> Note {
    Note { text: format!("{}: {}", quoted(path), note.text), ..note }
}

/// What is worth knowing of a guess.
pub fn note(detected: Detected) -> Option<Note> {
    if matches!(detected.certainty, Certainty::Named | Certainty::Mark | Certainty::Valid) {
        return None;
    }
    let name = detected.encoding.name();
    let text =
        format!("the bytes are most like text in {name}; name another with `encoding` if it reads wrong");
    Some(Note { kind: "encoding".to_owned(), text })
}
