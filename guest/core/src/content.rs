//! The bytes of an open file, chunk by chunk.

use std::ops::{ControlFlow, Range};

use crate::limits::CHUNK_BYTES;
use crate::volume::{Fault, Volume};

/// An open file. Its first bytes are read when it is opened: small files are read once, however often they are looked
/// at.
pub struct Content<'a, V: Volume> {
    volume: &'a V,
    file: V::File,
    size: u64,
    head: Vec<u8>,
}

impl<'a, V: Volume> Content<'a, V> {
    /// A file that was opened for reading, and its size.
    pub fn new(volume: &'a V, file: V::File, size: u64) -> Result<Self, Fault> {
        let wanted = usize::try_from(size).unwrap_or(CHUNK_BYTES).min(CHUNK_BYTES);
        let head = if wanted == 0 { Vec::new() } else { volume.read_at(&file, 0, wanted)? };
        Ok(Self { volume, file, size, head })
    }

    /// Size in bytes when it was opened.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// A number that two open files share exactly if they are the same file.
    pub fn identity(&self) -> Result<u128, Fault> {
        self.volume.identity(&self.file)
    }

    /// The first bytes: all of them, if they fit into one chunk.
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// Gives the bytes of a range to `sink`, chunk by chunk, until it breaks off or the file ends.
    pub fn each_chunk(
        &self,
        range: Range<u64>,
        mut sink: impl FnMut(&[u8]) -> ControlFlow<()>,
    ) -> Result<(), Fault> {
        let mut offset = range.start;
        while offset < range.end {
            let wanted = usize::try_from(range.end - offset).unwrap_or(CHUNK_BYTES).min(CHUNK_BYTES);
            let known = usize::try_from(offset).ok().and_then(|offset| self.head.get(offset..));
            let read;
            let chunk = match known.filter(|known| !known.is_empty()) {
                Some(known) => &known[..wanted.min(known.len())],
                None => {
                    read = self.volume.read_at(&self.file, offset, wanted)?;
                    &read[..]
                }
            };
            if chunk.is_empty() || sink(chunk).is_break() {
                break;
            }
            offset += chunk.len() as u64;
        }
        Ok(())
    }

    /// The bytes of a range; fewer at the end of the file.
    pub fn bytes(&self, range: Range<u64>) -> Result<Vec<u8>, Fault> {
        let mut bytes = Vec::new();
        self.each_chunk(range, |chunk| {
            bytes.extend_from_slice(chunk);
            ControlFlow::Continue(())
        })?;
        Ok(bytes)
    }

    /// Where the text begins: after the byte order mark, if there is one.
    pub fn text_start(&self) -> Result<u64, Fault> {
        let mark = BOM.len() as u64;
        Ok(if self.bytes(0..mark.min(self.size))? == BOM { mark } else { 0 })
    }
}

/// UTF-8's byte order mark.
pub const BOM: &[u8] = "\u{FEFF}".as_bytes();
