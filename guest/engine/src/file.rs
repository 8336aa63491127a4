//! An open file and its text.

pub mod encoding;
pub mod precondition;
mod reader;

use std::ops::{ControlFlow, Range};

use blake3::Hasher;

use crate::changes::Old;
use crate::resolve::Place;
use fsgate_contract::limits::{CHUNK_BYTES, DECODED_BYTES};
use fsgate_contract::time::rfc3339;
use fsgate_contract::types::Note;
use fsgate_error::{EncodingProblem, Failure, FaultAt, Reason};
use fsgate_text::encoding::{Decoded, Detected};
use fsgate_volume::Seen;
use fsgate_volume::etag::{self, Subtrees};
use fsgate_volume::{Stat, Volume};

use encoding::TextFormat;
pub use reader::{BOM, ChunkReader};

/// An open file. Its content is its bytes or their decoded text.
pub struct OpenFile<'a, V: Volume> {
    place: Place<V>,
    stat: Stat,
    reader: ChunkReader<'a, V>,
    is_named_utf_8: bool,
    if_match: Option<String>,
}

/// A file in the expected state, with its tag.
pub struct TaggedFile<'a, V: Volume> {
    /// The file.
    pub file: OpenFile<'a, V>,
    /// The hash tree of its content.
    pub subtrees: Subtrees,
    /// Its strong tag.
    pub etag: String,
}

impl<'a, V: Volume> OpenFile<'a, V> {
    /// A file at a place.
    pub fn new(place: Place<V>, stat: Stat, reader: ChunkReader<'a, V>) -> Self {
        Self { place, stat, reader, is_named_utf_8: false, if_match: None }
    }

    /// Expects the file to be in this state.
    pub fn expected(self, if_match: Option<&str>) -> Self {
        Self { if_match: if_match.map(str::to_owned), ..self }
    }

    /// The path of the call, absolute.
    pub fn path(&self) -> &str {
        self.place.shown()
    }

    /// The last segment of the path.
    pub fn name(&self) -> &str {
        self.path().rsplit('/').next().unwrap_or_default()
    }

    /// The size of the content when the file was opened.
    pub fn size(&self) -> u64 {
        self.reader.size()
    }

    /// Takes the bytes as UTF-8.
    pub fn as_utf_8(self) -> Self {
        Self { is_named_utf_8: true, ..self }
    }

    /// True after [`OpenFile::as_utf_8`].
    pub fn is_named_utf_8(&self) -> bool {
        self.is_named_utf_8
    }

    /// True if the encoding is known.
    pub fn has_known_encoding(&self) -> bool {
        self.is_named_utf_8 || self.decoded().is_some()
    }

    /// The file for an edit with these texts. The bytes stay the content in UTF-8, and for texts in
    /// ASCII unless the file is UTF-16.
    pub fn as_text(self, format: &TextFormat, texts: &[&str]) -> Result<Self, Failure> {
        match encoding::foreign(&self.reader, format, texts).map_err(|reason| self.refuse(reason))? {
            Some(found) => self.decoded_as(found),
            None if format.encoding.is_some() => Ok(self.as_utf_8()),
            None => Ok(self),
        }
    }

    /// The same for an edit that depends on every character.
    pub fn as_whole_text(self, format: &TextFormat) -> Result<Self, Failure> {
        self.as_text(&TextFormat { escaped: true, ..*format }, &[])
    }

    /// The decoded file, if its encoding was unknown and is not UTF-8, and whether it is.
    pub fn reconsidered(self) -> Result<(Self, bool), Failure> {
        let found = if self.has_known_encoding() { None } else { self.detected()? };
        match found.filter(|found| !found.encoding.is_utf_8()) {
            Some(found) => Ok((self.decoded_as(found)?, true)),
            None => Ok((self, false)),
        }
    }

    /// The encoding shown by the bytes. None if it is no text.
    pub fn detected(&self) -> Result<Option<Detected>, Failure> {
        encoding::detected(&self.reader).map_err(|fault| self.refuse(Reason::reading(fault)))
    }

    /// True if the bytes are UTF-16.
    pub fn is_utf_16(&self) -> bool {
        encoding::utf_16(&self.reader).is_some()
    }

    /// Takes decoded text as the content, except of a large file.
    fn decoded_as(self, found: Detected) -> Result<Self, Failure> {
        let (size, encoding) = (self.size(), found.encoding.name());
        if size > DECODED_BYTES {
            return Err(self.refuse(EncodingProblem::TooLargeToDecode { size, encoding }));
        }
        let at = self.place.asked().to_owned();
        let reader = self.reader.decoded_as(found).reading_at(at)?;
        Ok(Self { reader, ..self })
    }

    /// Bytes and text, if the text is the content.
    pub fn decoded(&self) -> Option<&Decoded> {
        self.reader.decoded().map(|(decoded, _)| decoded)
    }

    /// The note about a guessed encoding.
    pub fn encoding_note(&self) -> Option<Note> {
        self.reader.decoded().and_then(|(_, detected)| encoding::note(*detected))
    }

    /// The time of the last change.
    pub fn modified(&self) -> Option<String> {
        self.stat.modified.map(rfc3339)
    }

    /// The media type.
    pub fn media_type(&self) -> &'static str {
        fsgate_contract::media_type::media_type(self.place.name(), self.reader.head())
    }

    /// Reads the file for its strong tag.
    pub fn strong_tag(&self) -> Result<String, Failure> {
        match self.decoded() {
            Some(decoded) => Ok(etag::of(decoded.raw())),
            None => self.hasher(0..self.size()).map(|hasher| etag::strong(&hasher)),
        }
    }

    /// Adds the strong tag from the hashed content, and refuses an unexpected state.
    pub fn tagged(self, subtrees: Subtrees) -> Result<TaggedFile<'a, V>, Failure> {
        let etag = self.tag(&subtrees)?;
        self.require_state(self.if_match.as_deref(), || Ok(etag.clone()))?;
        Ok(TaggedFile { file: self, subtrees, etag })
    }

    /// Refuses an unexpected state. Reads the file if needed.
    pub fn require_expected_state(&self) -> Result<(), Failure> {
        self.require_state(self.if_match.as_deref(), || self.strong_tag())
    }

    /// Refuses any state but this one. `strong` returns the strong tag.
    pub fn require_state(
        &self,
        if_match: Option<&str>,
        strong: impl FnOnce() -> Result<String, Failure>,
    ) -> Result<(), Failure> {
        let Some(wanted) = if_match.filter(|wanted| *wanted != "*") else { return Ok(()) };
        let found = match etag::parse_range(wanted) {
            _ if etag::is_strong(wanted) => Some(strong()?),
            Some((offset, length)) if length > 0 => {
                let (mut hasher, mut seen) = (Hasher::new(), 0);
                self.feed_undecoded(offset..offset.saturating_add(length), |chunk| {
                    hasher.update(chunk);
                    seen += chunk.len() as u64;
                })?;
                Some(etag::range(offset, seen, &hasher))
            }
            // No file has a malformed tag, and every file has the hash of no bytes.
            _ => None,
        };
        if found.as_deref() == Some(wanted) {
            return Ok(());
        }
        let (wanted, found) = (wanted.to_owned(), found.unwrap_or_default());
        Err(self.refuse(Reason::NotInState { wanted, found }))
    }

    /// The strong tag from the hashed content.
    pub fn tag(&self, subtrees: &Subtrees) -> Result<String, Failure> {
        match self.decoded() {
            Some(_) => self.strong_tag(),
            None => Ok(etag::from(&subtrees.hash())),
        }
    }

    /// A hasher after a range of the content.
    pub fn hasher(&self, range: Range<u64>) -> Result<Hasher, Failure> {
        let mut hasher = Hasher::new();
        self.feed(range, |chunk| {
            hasher.update(chunk);
        })?;
        Ok(hasher)
    }

    /// The bytes of a range, or the hash of many.
    pub fn old(&self, range: Range<u64>) -> Result<Old, Failure> {
        let length = range.end - range.start;
        match length <= CHUNK_BYTES as u64 {
            true => self.bytes(range).map(Old::Bytes),
            false => Ok(Old::Digest { length, hash: self.hasher(range)?.finalize() }),
        }
    }

    /// The state when the file was opened.
    pub fn stat(&self) -> Stat {
        self.stat
    }

    /// The same with its identity.
    pub fn seen(&self) -> Result<Seen, Failure> {
        let identity = self.reader.identity().map_err(|fault| self.refuse(Reason::reading(fault)))?;
        Ok(Seen { stat: self.stat, identity })
    }

    /// Gives a range to `sink` in chunks, until `sink` or the file ends.
    pub fn each_chunk(
        &self,
        range: Range<u64>,
        sink: impl FnMut(&[u8]) -> ControlFlow<()>,
    ) -> Result<(), Failure> {
        self.reader.each_chunk(range, sink).map_err(|fault| self.refuse(Reason::reading(fault)))
    }

    /// Gives all of a range to `sink`, in chunks.
    pub fn feed(&self, range: Range<u64>, mut sink: impl FnMut(&[u8])) -> Result<(), Failure> {
        self.each_chunk(range, |chunk| {
            sink(chunk);
            ControlFlow::Continue(())
        })
    }

    fn feed_undecoded(&self, range: Range<u64>, mut sink: impl FnMut(&[u8])) -> Result<(), Failure> {
        let Some(decoded) = self.decoded() else {
            return self.feed(range.start..range.end.min(self.size()), sink);
        };
        let place = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX).min(decoded.raw().len());
        sink(&decoded.raw()[place(range.start)..place(range.end)]);
        Ok(())
    }

    /// A range, shorter at the end of the file.
    pub fn bytes(&self, range: Range<u64>) -> Result<Vec<u8>, Failure> {
        self.reader.bytes(range).map_err(|fault| self.refuse(Reason::reading(fault)))
    }

    /// The offset of the text, after a byte order mark.
    pub fn text_start(&self) -> Result<u64, Failure> {
        self.reader.text_start().map_err(|fault| self.refuse(Reason::reading(fault)))
    }

    /// The reader of the content.
    pub fn reader(&self) -> &ChunkReader<'a, V> {
        &self.reader
    }

    /// Converts it to the reader.
    pub fn into_reader(self) -> ChunkReader<'a, V> {
        self.reader
    }

    /// A failure of this file for this reason.
    pub fn refuse(&self, reason: impl Into<Reason>) -> Failure {
        let reason = reason.into();
        self.guessed(reason.at(self.place.asked()))
    }

    /// Marks a failure if the encoding is a guess.
    pub fn guessed(&self, failure: Failure) -> Failure {
        match self.reader.decoded() {
            Some((_, detected)) => failure.guessed(*detected),
            None => failure,
        }
    }

    /// The place, for a change.
    pub fn into_place(self) -> Place<V> {
        self.place
    }
}
