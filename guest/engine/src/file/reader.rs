//! The bytes of an open file, chunk by chunk.

use std::ops::{ControlFlow, Range};

use fsgate_contract::limits::{CHUNK_BYTES, UNSIZED_BYTES};
use fsgate_text::encoding::{Decoded, Detected};
use fsgate_volume::{Fault, Volume};

/// Reads an open file. Its first bytes are read when it is opened, so that a small file is read
/// once.
pub struct ChunkReader<'a, V: Volume> {
    volume: &'a V,
    file: V::File,
    size: u64,
    head: Vec<u8>,
    /// The file as bytes and as text, if the text is the content.
    decoded: Option<Box<(Decoded, Detected)>>,
}

impl<'a, V: Volume> ChunkReader<'a, V> {
    /// A reader of a file that was opened for reading, with its size.
    pub fn new(volume: &'a V, file: V::File, size: u64) -> Result<Self, Fault> {
        let wanted = usize::try_from(size).unwrap_or(CHUNK_BYTES).min(CHUNK_BYTES);
        let wanted = if wanted == 0 { CHUNK_BYTES } else { wanted };
        let head = volume.read_at(&file, 0, wanted)?;
        let read = head.len() as u64;
        let reader = Self { volume, file, size, head, decoded: None };
        // The kernel reports no size of a file that it makes up, or that of a page: all of it is
        // read.
        let size = match size {
            0 if read > 0 => reader.readable(read)?,
            _ if read < wanted as u64 && reader.volume.read_at(&reader.file, read, 1)?.is_empty() => read,
            size => size,
        };
        Ok(Self { size, ..reader })
    }

    /// Number of bytes that can be read, of which the first `read` are known.
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

    /// The same file, with this text of it as the content.
    pub fn decoded_as(self, decoded: Decoded, detected: Detected) -> Self {
        let text = decoded.text();
        let (size, head) = (text.len() as u64, text[..text.len().min(CHUNK_BYTES)].to_vec());
        Self { size, head, decoded: Some(Box::new((decoded, detected))), ..self }
    }

    /// The file as bytes and as text, if the text is the content, and how its encoding was found.
    pub fn decoded(&self) -> Option<&(Decoded, Detected)> {
        self.decoded.as_deref()
    }

    /// Bytes of the content when the file was opened.
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

    /// Gives a range of the content to `sink`, chunk by chunk, until it breaks off or the file
    /// ends.
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
                    // A text is in memory, so its offsets are numbers of bytes there.
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

    /// A range of the content; less at the end of the file.
    pub fn bytes(&self, range: Range<u64>) -> Result<Vec<u8>, Fault> {
        let mut bytes = Vec::new();
        self.each_chunk(range, |chunk| {
            bytes.extend_from_slice(chunk);
            ControlFlow::Continue(())
        })?;
        Ok(bytes)
    }

    /// The offset of the text: after the byte order mark, if there is one.
    pub fn text_start(&self) -> Result<u64, Fault> {
        let mark = BOM.len() as u64;
        Ok(if self.bytes(0..mark.min(self.size))? == BOM { mark } else { 0 })
    }
}

/// UTF-8's byte order mark.
pub const BOM: &[u8] = "\u{FEFF}".as_bytes();
