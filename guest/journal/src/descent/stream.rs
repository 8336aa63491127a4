//! The bytes of one file on their way into another, piece by piece.

use blake3::Hasher;

use fsgate_contract::limits::CHUNK_BYTES;
use fsgate_error::Reason;
use fsgate_volume::Seen;
use fsgate_volume::bytes::write_all;
use fsgate_volume::etag;
use fsgate_volume::{Fault, Volume};

/// A file whose content is wanted elsewhere.
pub struct Stream<'a, V: Volume> {
    /// The volume that the file lies in.
    pub from: &'a V,
    /// The file.
    pub file: V::File,
    /// What it was when it was looked at, and has to be to the end.
    pub seen: Seen,
    /// Its strong tag, where the tool has read all of it.
    pub etag: Option<&'a str>,
}

/// On which side something failed.
pub enum Side {
    /// The file that is read.
    Source(Reason),
    /// The file that is written.
    Destination(Reason),
}

impl From<Reason> for Side {
    fn from(reason: Reason) -> Self {
        Self::Destination(reason)
    }
}

impl Side {
    /// The reason, whichever side it is about.
    pub fn reason(self) -> Reason {
        let (Self::Source(reason) | Self::Destination(reason)) = self;
        reason
    }
}

impl<V: Volume> Stream<'_, V> {
    /// Bytes of the file.
    pub fn size(&self) -> u64 {
        self.seen.stat.size
    }

    /// Into a file that is new and empty.
    pub fn fill(&self, to: &V, file: &V::File) -> Result<(), Side> {
        let seen = self.pour(to, file, 0, self.size(), true)?;
        to.set_size(file, self.size()).map_err(|fault| Side::Destination(Reason::writing(fault)))?;
        if self.etag.is_some_and(|etag| etag::strong(&seen) != etag) {
            return Err(Side::Source(Reason::Changed));
        }
        self.check()
    }

    /// Refuses a file with another content than its size says, as kernels make them up.
    pub fn require_size(&self) -> Result<(), Reason> {
        let byte = |offset| self.from.read_at(&self.file, offset, 1).map_err(Reason::reading);
        let ends_early =
            self.size().checked_sub(1).map(byte).transpose()?.is_some_and(|last| last.is_empty());
        let is_made_up = ends_early || (self.size() == 0 && !byte(0)?.is_empty());
        if is_made_up && self.check().is_ok() { Err(Reason::Unsized) } else { Ok(()) }
    }

    /// The source is still what it was.
    pub fn check(&self) -> Result<(), Side> {
        let here = |fault: Fault| Side::Source(Reason::reading(fault));
        let stat = self.from.stat_file(&self.file).map_err(here)?;
        let identity = self.from.identity(&self.file).map_err(here)?;
        if self.seen.is_still(&stat, identity) { Ok(()) } else { Err(Side::Source(Reason::Changed)) }
    }

    /// Writes the bytes of `[from, to)` to the same offsets; with `holes`, zeros are left to the file system.
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

/// True if there is nothing but zeros. Block by block, because all bytes of a block are looked at together.
fn is_zeros(bytes: &[u8]) -> bool {
    const BLOCK: usize = 1024;
    bytes.chunks(BLOCK).all(|block| block.iter().fold(0, |all, byte| all | byte) == 0)
}
