//! The bytes of one file on their way into another, piece by piece.

use blake3::Hasher;

use crate::error::Reason;
use crate::etag;
use crate::limits::CHUNK_BYTES;
use crate::volume::Seen;
use crate::volume::bytes::write_all;
use crate::volume::{Fault, Volume};

/// A file whose content is wanted elsewhere.
pub(crate) struct Stream<'a, V: Volume> {
    pub(crate) from: &'a V,
    pub(crate) file: V::File,
    /// What it was when it was looked at, and has to be to the end.
    pub(crate) seen: Seen,
    /// Its strong tag, where the tool has read all of it.
    pub(crate) etag: Option<&'a str>,
}

/// On which side something failed.
pub(crate) enum Side {
    Source(Reason),
    Destination(Reason),
}

impl From<Reason> for Side {
    fn from(reason: Reason) -> Self {
        Self::Destination(reason)
    }
}

impl Side {
    pub(crate) fn reason(self) -> Reason {
        let (Self::Source(reason) | Self::Destination(reason)) = self;
        reason
    }
}

impl<V: Volume> Stream<'_, V> {
    pub(crate) fn size(&self) -> u64 {
        self.seen.stat.size
    }

    /// Into a file that is new and empty.
    pub(crate) fn fill(&self, to: &V, file: &V::File) -> Result<(), Side> {
        let seen = self.pour(to, file, 0, self.size(), true)?;
        to.set_size(file, self.size()).map_err(|fault| Side::Destination(fault.writing()))?;
        if self.etag.is_some_and(|etag| etag::strong(&seen) != etag) {
            return Err(Side::Source(Reason::Changed));
        }
        self.check()
    }

    /// Refuses a file with another content than its size says, as kernels make them up.
    pub(crate) fn require_size(&self) -> Result<(), Reason> {
        let byte = |offset| self.from.read_at(&self.file, offset, 1).map_err(Fault::reading);
        let ends_early =
            self.size().checked_sub(1).map(byte).transpose()?.is_some_and(|last| last.is_empty());
        let is_made_up = ends_early || (self.size() == 0 && !byte(0)?.is_empty());
        if is_made_up && self.check().is_ok() { Err(Reason::Unsized) } else { Ok(()) }
    }

    /// The source is still what it was.
    pub(crate) fn check(&self) -> Result<(), Side> {
        let here = |fault: Fault| Side::Source(fault.reading());
        let stat = self.from.stat_file(&self.file).map_err(here)?;
        let identity = self.from.identity(&self.file).map_err(here)?;
        if self.seen.is_still(&stat, identity) { Ok(()) } else { Err(Side::Source(Reason::Changed)) }
    }

    /// Writes the bytes of `[from, to)` to the same offsets; with `holes`, zeros are left to the file system.
    pub(crate) fn pour(
        &self,
        volume: &V,
        file: &V::File,
        from: u64,
        to: u64,
        holes: bool,
    ) -> Result<Hasher, Side> {
        let mut hasher = Hasher::new();
        let mut offset = from;
        while offset < to {
            let wanted = usize::try_from(to - offset).unwrap_or(CHUNK_BYTES).min(CHUNK_BYTES);
            let chunk = self
                .from
                .read_at(&self.file, offset, wanted)
                .map_err(|fault| Side::Source(fault.reading()))?;
            if chunk.is_empty() {
                return Err(Side::Source(Reason::Changed));
            }
            if self.etag.is_some() {
                hasher.update(&chunk);
            }
            if !holes || !is_zeros(&chunk) {
                write_all(volume, file, offset, &chunk)
                    .map_err(|(fault, _)| Side::Destination(fault.writing()))?;
            }
            offset += chunk.len() as u64;
        }
        Ok(hasher)
    }
}

/// True if there is nothing but zeros. Block by block, because all bytes of a block are looked at together.
fn is_zeros(bytes: &[u8]) -> bool {
    const BLOCK: usize = 1024;
    bytes.chunks(BLOCK).all(|block| block.iter().fold(0, |all, byte| all | byte) == 0)
}
