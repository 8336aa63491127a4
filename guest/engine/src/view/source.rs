//! A file that is open for reading.

use std::ops::{ControlFlow, Range};

use blake3::{Hash, Hasher};

use crate::changes::Old;
use crate::content::Content;
use crate::resolve::Place;
use fsgate_contract::limits::CHUNK_BYTES;
use fsgate_contract::time::rfc3339;
use fsgate_error::{Failure, Reason};
use fsgate_text::encoding::{Decoded, Detected};
use fsgate_volume::Seen;
use fsgate_volume::etag::{self, Subtrees};
use fsgate_volume::{Stat, Volume};

/// An existing regular file, open for reading.
pub struct Source<'a, V: Volume> {
    pub(super) place: Place<V>,
    pub(super) stat: Stat,
    pub(super) content: Content<'a, V>,
    pub(super) is_told: bool,
}

impl<'a, V: Volume> Source<'a, V> {
    /// The path as it was asked for, absolute.
    pub fn path(&self) -> &str {
        self.place.shown()
    }

    /// The last segment of that path.
    pub fn name(&self) -> &str {
        self.path().rsplit('/').next().unwrap_or_default()
    }

    /// Size in bytes when it was opened; of its text, if that is what is given out.
    pub fn size(&self) -> u64 {
        self.content.size()
    }

    /// The same file, whose bytes are taken as they are, because the call names UTF-8.
    pub fn told(self) -> Self {
        Self { is_told: true, ..self }
    }

    /// True if the call names UTF-8.
    pub fn is_told(&self) -> bool {
        self.is_told
    }

    /// True if the call or the bytes tell for certain how a new text is written in it.
    pub fn is_known(&self) -> bool {
        self.is_told || self.decoded().is_some()
    }

    /// The same file, but what is given out from now on is this text of it.
    pub fn decoded_as(self, decoded: Decoded, detected: Detected) -> Self {
        Self { content: self.content.decoded_as(decoded, detected), ..self }
    }

    /// The file as bytes and as text, if its text is what is given out.
    pub fn decoded(&self) -> Option<&Decoded> {
        self.content.decoded().map(|(decoded, _)| decoded)
    }

    /// Last change of the content.
    pub fn modified(&self) -> Option<String> {
        self.stat.modified.map(rfc3339)
    }

    /// What kind of data it holds.
    pub fn media_type(&self) -> &'static str {
        fsgate_contract::media_type::media_type(self.place.name(), self.content.head())
    }

    /// The tag of all its bytes, which are read for it.
    pub fn strong_tag(&self) -> Result<String, Failure> {
        match self.decoded() {
            Some(decoded) => Ok(etag::of(decoded.raw())),
            None => self.hasher(0..self.size()).map(|hasher| etag::strong(&hasher)),
        }
    }

    /// The same, where its parts are known if what is given out is the file itself.
    pub fn tag(&self, subtrees: &Subtrees) -> Result<String, Failure> {
        match self.decoded() {
            Some(_) => self.strong_tag(),
            None => Ok(etag::from(&subtrees.hash())),
        }
    }

    /// A hasher that has seen the bytes of a range.
    pub fn hasher(&self, range: Range<u64>) -> Result<Hasher, Failure> {
        let mut hasher = Hasher::new();
        self.each_chunk(range, |chunk| {
            hasher.update(chunk);
            ControlFlow::Continue(())
        })?;
        Ok(hasher)
    }

    /// The same, with its parts remembered.
    pub fn subtrees(&self) -> Result<Subtrees, Failure> {
        let mut subtrees = Subtrees::default();
        self.each_chunk(0..self.size(), |chunk| {
            subtrees.update(chunk);
            ControlFlow::Continue(())
        })?;
        Ok(subtrees)
    }

    /// The hash of the file with `new` in the place of `old` bytes from `offset` on. Only what is near them is read again,
    /// or, where the length changes, what comes behind.
    pub fn hash_spliced(
        &self,
        subtrees: &Subtrees,
        offset: u64,
        old: u64,
        new: &[u8],
    ) -> Result<Hash, Failure> {
        subtrees.spliced(offset, old, new, |range, sink| {
            self.each_chunk(range, |chunk| {
                sink(chunk);
                ControlFlow::Continue(())
            })
        })
    }

    /// Bytes of a range that are to be replaced: themselves, or, where there are many, their hash.
    pub fn old(&self, range: Range<u64>) -> Result<Old, Failure> {
        let length = range.end - range.start;
        match length <= CHUNK_BYTES as u64 {
            true => self.bytes(range).map(Old::Bytes),
            false => Ok(Old::Digest { length, hash: self.hasher(range)?.finalize() }),
        }
    }

    /// What it was when it was opened, to notice a change by somebody else.
    pub fn stat(&self) -> Stat {
        self.stat
    }

    /// The same, and who it is.
    pub fn seen(&self) -> Result<Seen, Failure> {
        let identity = self.content.identity().map_err(|fault| self.refuse(Reason::reading(fault)))?;
        Ok(Seen { stat: self.stat, identity })
    }

    /// Gives the bytes of a range to `sink`, chunk by chunk, until it breaks off or the file ends.
    pub fn each_chunk(
        &self,
        range: Range<u64>,
        sink: impl FnMut(&[u8]) -> ControlFlow<()>,
    ) -> Result<(), Failure> {
        self.content.each_chunk(range, sink).map_err(|fault| self.refuse(Reason::reading(fault)))
    }

    /// The same of the file's own bytes, whatever is given out otherwise.
    pub fn each_chunk_of_file(
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

    /// The bytes of a range; fewer at the end of the file.
    pub fn bytes(&self, range: Range<u64>) -> Result<Vec<u8>, Failure> {
        self.content.bytes(range).map_err(|fault| self.refuse(Reason::reading(fault)))
    }

    /// Where the text begins: after the byte order mark, if there is one.
    pub fn text_start(&self) -> Result<u64, Failure> {
        self.content.text_start().map_err(|fault| self.refuse(Reason::reading(fault)))
    }

    /// Its bytes.
    pub fn content(&self) -> &Content<'a, V> {
        &self.content
    }

    /// The same, when nothing else of it is needed.
    pub fn into_content(self) -> Content<'a, V> {
        self.content
    }

    /// This reason, about this file.
    pub fn refuse(&self, reason: impl Into<Reason>) -> Failure {
        let reason = reason.into();
        let failure = reason.at(self.place.asked());
        match self.content.decoded() {
            Some((_, detected)) => failure.guessed(*detected),
            None => failure,
        }
    }

    /// The place of this file, for a change.
    pub fn into_place(self) -> Place<V> {
        self.place
    }
}
