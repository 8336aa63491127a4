//! Copies the bytes of one file into another, chunk by chunk.

use blake3::Hasher;

use fsgate_contract::limits::CHUNK_BYTES;
use fsgate_error::Reason;
use fsgate_volume::Seen;
use fsgate_volume::bytes::write_all;
use fsgate_volume::etag;
use fsgate_volume::{Fault, Volume};

/// A file to be copied.
pub struct Stream<'a, V: Volume> {
    /// The volume of the file.
    pub from: &'a V,
    /// The file.
    pub file: V::File,
    /// The state that the file has to keep to the end.
    pub seen: Seen,
    /// The strong tag, if the tool has read the whole file.
    pub etag: Option<&'a str>,
}

/// The side that failed.
pub enum Side {
    /// The source.
    Source(Reason),
    /// The destination.
    Destination(Reason),
}

impl From<Reason> for Side {
    fn from(reason: Reason) -> Self {
        Self::Destination(reason)
    }
}

impl Side {
    /// The reason, of either side.
    pub fn reason(self) -> Reason {
        let (Self::Source(reason) | Self::Destination(reason)) = self;
        reason
    }
}

impl<V: Volume> Stream<'_, V> {
    /// The size of the file.
    pub fn size(&self) -> u64 {
        self.seen.stat.size
    }

    /// Copies into a new, empty file.
    pub fn fill(&self, to: &V, file: &V::File) -> Result<(), Side> {
        let seen = self.pour(to, file, 0, self.size(), true)?;
        to.set_size(file, self.size()).map_err(|fault| Side::Destination(Reason::writing(fault)))?;
        if self.etag.is_some_and(|etag| etag::strong(&seen) != etag) {
            return Err(Side::Source(Reason::Changed));
        }
        self.check()
    }

    /// Refuses a file whose content does not match its size, as in `/proc`.
    pub fn require_size(&self) -> Result<(), Reason> {
        let byte = |offset| self.from.read_at(&self.file, offset, 1).map_err(Reason::reading);
        let ends_early =
            self.size().checked_sub(1).map(byte).transpose()?.is_some_and(|last| last.is_empty());
        let is_made_up = ends_early || (self.size() == 0 && !byte(0)?.is_empty());
        if is_made_up && self.check().is_ok() { Err(Reason::Unsized) } else { Ok(()) }
    }

    /// Refuses if the source has changed.
    pub fn check(&self) -> Result<(), Side> {
        let here = |fault: Fault| Side::Source(Reason::reading(fault));
        let stat = self.from.stat_file(&self.file).map_err(here)?;
        let identity = self.from.identity(&self.file).map_err(here)?;
        if self.seen.is_still(&stat, identity) { Ok(()) } else { Err(Side::Source(Reason::Changed)) }
    }

    /// Writes the bytes of `[from, to)` to the same offsets; `holes` skips zeros.
    pub fn pour(&self, volume: &V, file: &V::File, from: u64, to: u64, holes: bool) -> Result<Hasher, Side> {
        let mut hasher = Hasher::new();
        let mut offset = from;
        while offset < to {
            let wanted = usize::try_from(to - offset).unwrap_or(CHUNK_BYTES).min(CHUNK_BYTES);
            let chunk = self
                .from
                .read_at(&self.file, offset, wanted)
                .map_err(|fault| Side::Source(Reason::reading(fault)))?;
            if chunk.is_empty() {
                return Err(Side::Source(Reason::Changed));
            }
            if self.etag.is_some() {
                hasher.update(&chunk);
            }
            if !holes || !is_zeros(&chunk) {
                write_all(volume, file, offset, &chunk)
                    .map_err(|(fault, _)| Side::Destination(Reason::writing(fault)))?;
            }
            offset += chunk.len() as u64;
        }
        Ok(hasher)
    }
}

fn is_zeros(bytes: &[u8]) -> bool {
    const BLOCK: usize = 1024;
    bytes.chunks(BLOCK).all(|block| block.iter().fold(0, |all, byte| all | byte) == 0)
}
