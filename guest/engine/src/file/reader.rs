//! Reads open files in chunks.

use std::ops::{ControlFlow, Range};

use fsgate_contract::limits::{CHUNK_BYTES, UNSIZED_BYTES};
use fsgate_text::encoding::{Decoded, Detected};
use fsgate_volume::{Fault, Volume};

/// The reader of an open file. It reads the first chunk at once, so that a small file is read once.
pub struct ChunkReader<'a, V: Volume> {
    volume: &'a V,
    file: V::File,
    size: u64,
    head: Vec<u8>,
    decoded: Option<Box<(Decoded, Detected)>>,
}

impl<'a, V: Volume> ChunkReader<'a, V> {
    /// A reader of a file with this size.
    pub fn new(volume: &'a V, file: V::File, size: u64) -> Result<Self, Fault> {
        let wanted = usize::try_from(size).unwrap_or(CHUNK_BYTES).min(CHUNK_BYTES);
        let wanted = if wanted == 0 { CHUNK_BYTES } else { wanted };
        let head = volume.read_at(&file, 0, wanted)?;
        let read = head.len() as u64;
        let reader = Self { volume, file, size, head, decoded: None };
        // The kernel reports no size, or a page, for a file that it generates.
        let size = match size {
            0 if read > 0 => reader.readable(read)?,
            _ if read < wanted as u64 && reader.volume.read_at(&reader.file, read, 1)?.is_empty() => read,
            size => size,
        };
        Ok(Self { size, ..reader })
    }

    fn readable(&self, read: u64) -> Result<u64, Fault> {
        let mut end = read;
        while end < UNSIZED_BYTES {
            match self.volume.read_at(&self.file, end, CHUNK_BYTES)?.len() {
                0 => break,
                more => end += more as u64,
            }
        }
        Ok(end)
    }

    /// Decodes the file and takes its text as the content.
    pub fn decoded_as(self, detected: Detected) -> Result<Self, Fault> {
        let decoded = Decoded::new(detected.encoding, self.bytes(0..self.size)?);
        let text = decoded.text();
        let (size, head) = (text.len() as u64, text[..text.len().min(CHUNK_BYTES)].to_vec());
        Ok(Self { size, head, decoded: Some(Box::new((decoded, detected))), ..self })
    }

    /// Bytes and text, if the text is the content, with its encoding.
    pub fn decoded(&self) -> Option<&(Decoded, Detected)> {
        self.decoded.as_deref()
    }

    /// The size of the content when the file was opened.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The same content up to this offset.
    pub fn ending_at(self, end: u64) -> Self {
        let size = self.size.min(end);
        Self { size, ..self }
    }

    /// The identity of the file.
    pub fn identity(&self) -> Result<u128, Fault> {
        self.volume.identity(&self.file)
    }

    /// The first chunk.
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// Gives a range of the content to `sink`, chunk by chunk, until `sink` or the file ends.
    pub fn each_chunk(
        &self,
        range: Range<u64>,
        mut sink: impl FnMut(&[u8]) -> ControlFlow<()>,
    ) -> Result<(), Fault> {
        let mut offset = range.start;
        let end = if self.decoded.is_some() { range.end.min(self.size) } else { range.end };
        while offset < end {
            let wanted = usize::try_from(end - offset).unwrap_or(CHUNK_BYTES).min(CHUNK_BYTES);
            let known = usize::try_from(offset).ok().and_then(|offset| self.head.get(offset..));
            let read;
            let chunk = match known.filter(|known| !known.is_empty()) {
                Some(known) => &known[..wanted.min(known.len())],
                None => match self.decoded() {
                    Some((decoded, _)) => &decoded.text()[offset as usize..offset as usize + wanted],
                    None => {
                        read = self.volume.read_at(&self.file, offset, wanted)?;
                        &read[..]
                    }
                },
            };
            if chunk.is_empty() || sink(chunk).is_break() {
                break;
            }
            offset += chunk.len() as u64;
        }
        Ok(())
    }

    /// A range of the content, shorter at the end of the file.
    pub fn bytes(&self, range: Range<u64>) -> Result<Vec<u8>, Fault> {
        let mut bytes = Vec::new();
        self.each_chunk(range, |chunk| {
            bytes.extend_from_slice(chunk);
            ControlFlow::Continue(())
        })?;
        Ok(bytes)
    }

    /// The offset of the text, after a byte order mark.
    pub fn text_start(&self) -> Result<u64, Fault> {
        let mark = BOM.len() as u64;
        Ok(if self.bytes(0..mark.min(self.size))? == BOM { mark } else { 0 })
    }
}

/// UTF-8's byte order mark.
pub const BOM: &[u8] = "\u{FEFF}".as_bytes();
