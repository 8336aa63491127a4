//! A file that is open for reading, and the text that it holds.

pub mod encoding;
pub mod precondition;
mod reader;

use std::ops::{ControlFlow, Range};

use blake3::Hasher;

use crate::changes::Old;
use crate::resolve::Place;
use fsgate_contract::limits::CHUNK_BYTES;
use fsgate_contract::time::rfc3339;
use fsgate_contract::types::Note;
use fsgate_error::{Failure, Reason};
use fsgate_text::encoding::{Decoded, Detected};
use fsgate_volume::Seen;
use fsgate_volume::etag::{self, Subtrees};
use fsgate_volume::{Stat, Volume};

pub use precondition::TaggedFile;
pub use reader::{BOM, ChunkReader};

/// An existing regular file, open for reading. Its content is its bytes, or the text that they
/// encode.
pub struct OpenFile<'a, V: Volume> {
    place: Place<V>,
    stat: Stat,
    reader: ChunkReader<'a, V>,
    /// The call names UTF-8 as the encoding.
    is_named_utf_8: bool,
    /// The state that the call expects: `if_match`.
    expected: Option<String>,
}

impl<'a, V: Volume> OpenFile<'a, V> {
    /// The file at a place, with its state when it was opened.
    pub fn new(place: Place<V>, stat: Stat, reader: ChunkReader<'a, V>) -> Self {
        Self { place, stat, reader, is_named_utf_8: false, expected: None }
    }

    /// The same file, which the call expects to be in this state.
    pub fn expected(self, if_match: Option<&str>) -> Self {
        Self { expected: if_match.map(str::to_owned), ..self }
    }

    /// The path of the call, absolute.
    pub fn path(&self) -> &str {
        self.place.shown()
    }

    /// The last segment of that path.
    pub fn name(&self) -> &str {
        self.path().rsplit('/').next().unwrap_or_default()
    }

    /// Bytes of the content when the file was opened.
    pub fn size(&self) -> u64 {
        self.reader.size()
    }

    /// The same file, whose bytes are UTF-8 because the call names that.
    pub fn as_utf_8(self) -> Self {
        Self { is_named_utf_8: true, ..self }
    }

    /// True if the call names UTF-8.
    pub fn is_named_utf_8(&self) -> bool {
        self.is_named_utf_8
    }

    /// True if the call or the bytes decide how a new text is encoded in it.
    pub fn has_known_encoding(&self) -> bool {
        self.is_named_utf_8 || self.decoded().is_some()
    }

    /// The same file, with this text of it as the content.
    fn decoded_as(self, decoded: Decoded, detected: Detected) -> Self {
        Self { reader: self.reader.decoded_as(decoded, detected), ..self }
    }

    /// The file as bytes and as text, if the text is the content.
    pub fn decoded(&self) -> Option<&Decoded> {
        self.reader.decoded().map(|(decoded, _)| decoded)
    }

    /// A note about an encoding that was guessed.
    pub fn encoding_note(&self) -> Option<Note> {
        self.reader.decoded().and_then(|(_, detected)| encoding::note(*detected))
    }

    /// Last change of the content.
    pub fn modified(&self) -> Option<String> {
        self.stat.modified.map(rfc3339)
    }

    /// The kind of data that it holds.
    pub fn media_type(&self) -> &'static str {
        fsgate_contract::media_type::media_type(self.place.name(), self.reader.head())
    }

    /// The strong tag of the file, which is read for it.
    pub fn strong_tag(&self) -> Result<String, Failure> {
        match self.decoded() {
            Some(decoded) => Ok(etag::of(decoded.raw())),
            None => self.hasher(0..self.size()).map(|hasher| etag::strong(&hasher)),
        }
    }

    /// The strong tag of a file whose content these subtrees have seen.
    pub fn tag(&self, subtrees: &Subtrees) -> Result<String, Failure> {
        match self.decoded() {
            Some(_) => self.strong_tag(),
            None => Ok(etag::from(&subtrees.hash())),
        }
    }

    /// A hasher that has seen a range of the content.
    pub fn hasher(&self, range: Range<u64>) -> Result<Hasher, Failure> {
        let mut hasher = Hasher::new();
        self.each_chunk(range, |chunk| {
            hasher.update(chunk);
            ControlFlow::Continue(())
        })?;
        Ok(hasher)
    }

    /// Bytes of a range that are to be replaced, or, where there are many, their hash.
    pub fn old(&self, range: Range<u64>) -> Result<Old, Failure> {
        let length = range.end - range.start;
        match length <= CHUNK_BYTES as u64 {
            true => self.bytes(range).map(Old::Bytes),
            false => Ok(Old::Digest { length, hash: self.hasher(range)?.finalize() }),
        }
    }

    /// The state of the file when it was opened, which shows a change by another program.
    pub fn stat(&self) -> Stat {
        self.stat
    }

    /// The same with the identity of the file.
    pub fn seen(&self) -> Result<Seen, Failure> {
        let identity = self.reader.identity().map_err(|fault| self.refuse(Reason::reading(fault)))?;
        Ok(Seen { stat: self.stat, identity })
    }

    /// Gives a range of the content to `sink`, chunk by chunk, until it breaks off or the file
    /// ends.
    pub fn each_chunk(
        &self,
        range: Range<u64>,
        sink: impl FnMut(&[u8]) -> ControlFlow<()>,
    ) -> Result<(), Failure> {
        self.reader.each_chunk(range, sink).map_err(|fault| self.refuse(Reason::reading(fault)))
    }

    /// The same of the bytes of the file, also where its text is the content.
    fn each_chunk_of_file(
        &self,
        range: Range<u64>,
        mut sink: impl FnMut(&[u8]) -> ControlFlow<()>,
    ) -> Result<(), Failure> {
        let Some(decoded) = self.decoded() else {
            return self.each_chunk(range.start..range.end.min(self.size()), sink);
        };
        let place = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX).min(decoded.raw().len());
        let _ = sink(&decoded.raw()[place(range.start)..place(range.end)]);
        Ok(())
    }

    /// A range of the content; less at the end of the file.
    pub fn bytes(&self, range: Range<u64>) -> Result<Vec<u8>, Failure> {
        self.reader.bytes(range).map_err(|fault| self.refuse(Reason::reading(fault)))
    }

    /// The offset of the text: after the byte order mark, if there is one.
    pub fn text_start(&self) -> Result<u64, Failure> {
        self.reader.text_start().map_err(|fault| self.refuse(Reason::reading(fault)))
    }

    /// The reader of its content.
    pub fn reader(&self) -> &ChunkReader<'a, V> {
        &self.reader
    }

    /// The same without the rest of the file.
    pub fn into_reader(self) -> ChunkReader<'a, V> {
        self.reader
    }

    /// This reason, about this file.
    pub fn refuse(&self, reason: impl Into<Reason>) -> Failure {
        let reason = reason.into();
        self.guessed(reason.at(self.place.asked()))
    }

    /// This failure of this file, whose encoding may be a guess.
    pub fn guessed(&self, failure: Failure) -> Failure {
        match self.reader.decoded() {
            Some((_, detected)) => failure.guessed(*detected),
            None => failure,
        }
    }

    /// The place of this file, for a change.
    pub fn into_place(self) -> Place<V> {
        self.place
    }
}
