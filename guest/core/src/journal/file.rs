//! A record's file: written in one go, read with care.
//!
//! Layout: magic (8 bytes), length of the header (4, little-endian), length of the body (8), the header (JSON), the first
//! half of its checksum (16: of all so far), the body, the checksum (32: of all before). The first checksum is for those
//! who want no more than the header. A file that is cut off, or whose checksum is another, is no record: it was being
//! written when its writer died, and nothing had been changed yet.

use blake3::Hasher;

use super::record::Record;
use crate::limits::{CHUNK_BYTES, RECORD_HEADER_BYTES};
use crate::volume::bytes::{read_all, write_all};
use crate::volume::{Access, Fault, Kind, Volume};

const MAGIC: &[u8; 8] = b"fsgate\0\x01";
/// Before the header.
const HEAD: usize = 8 + 4 + 8;
/// Behind the header.
const SHORT_SUM: usize = 16;
/// Behind the body.
const SUM: usize = 32;

/// A record that is being written.
pub(crate) struct Writer<'a, V: Volume> {
    volume: &'a V,
    file: V::File,
    hasher: Hasher,
    /// Not yet written.
    buffer: Vec<u8>,
    written: u64,
    body: u64,
    /// Bytes of the body that are still to come.
    missing: u64,
}

impl<'a, V: Volume> Writer<'a, V> {
    /// Begins a record in a new file. Exactly `body` bytes have to follow.
    pub(crate) fn begin(
        volume: &'a V,
        directory: &V::Directory,
        record: &Record,
        body: u64,
    ) -> Result<Self, Fault> {
        let header = serde_json::to_vec(record).map_err(|error| Fault::Io(error.to_string()))?;
        let file = volume.create_file(directory, &record.id.to_string())?;
        let mut writer = Self {
            volume,
            file,
            hasher: Hasher::new(),
            buffer: Vec::with_capacity(HEAD + header.len() + SHORT_SUM + SUM),
            written: 0,
            body: (HEAD + header.len() + SHORT_SUM) as u64,
            missing: body,
        };
        writer.buffer.extend_from_slice(MAGIC);
        writer.buffer.extend_from_slice(&(header.len() as u32).to_le_bytes());
        writer.buffer.extend_from_slice(&body.to_le_bytes());
        writer.buffer.extend_from_slice(&header);
        writer.hasher.update(&writer.buffer);
        let sum = writer.hasher.finalize();
        writer.hasher.update(&sum.as_bytes()[..SHORT_SUM]);
        writer.buffer.extend_from_slice(&sum.as_bytes()[..SHORT_SUM]);
        Ok(writer)
    }

    /// More of the body.
    pub(crate) fn add(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        self.missing = self
            .missing
            .checked_sub(bytes.len() as u64)
            .ok_or_else(|| Fault::Io("a record became longer than was said".to_owned()))?;
        self.hasher.update(bytes);
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= CHUNK_BYTES { self.flush() } else { Ok(()) }
    }

    /// More of the body: bytes of an open file.
    pub(crate) fn add_file(
        &mut self,
        volume: &V,
        file: &V::File,
        mut from: u64,
        length: u64,
    ) -> Result<(), Fault> {
        let to = from.saturating_add(length);
        while from < to {
            let wanted = usize::try_from(to - from).unwrap_or(CHUNK_BYTES).min(CHUNK_BYTES);
            let chunk = read_all(volume, file, from, wanted)?;
            if chunk.is_empty() {
                return Err(Fault::Io("the file was cut off while it was read".to_owned()));
            }
            self.add(&chunk)?;
            from += chunk.len() as u64;
        }
        Ok(())
    }

    /// The end: from now on it is a record.
    pub(crate) fn end(mut self, sync: bool) -> Result<(V::File, u64), Fault> {
        if self.missing > 0 {
            return Err(Fault::Io("a record became shorter than was said".to_owned()));
        }
        let sum = self.hasher.finalize();
        self.buffer.extend_from_slice(sum.as_bytes());
        self.flush()?;
        if sync {
            self.volume.sync_file(&self.file)?;
        }
        Ok((self.file, self.body))
    }

    fn flush(&mut self) -> Result<(), Fault> {
        write_all(self.volume, &self.file, self.written, &self.buffer).map_err(|(fault, _)| fault)?;
        self.written += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }
}

/// A record that was read, with its file.
pub struct Stored<V: Volume> {
    /// What the header says.
    pub record: Record,
    pub(crate) file: V::File,
    /// Where in the file the body begins.
    pub(crate) body: u64,
    /// Bytes of the file.
    pub size: u64,
}

/// How much of a record is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    /// The header. The file has the right size.
    Header,
    /// Every byte.
    Whole,
}

impl<V: Volume> Stored<V> {
    /// One that was just written, with where its body begins and how long it is.
    pub(crate) fn written(record: Record, file: V::File, body: u64, length: u64) -> Self {
        Self { record, file, body, size: body + length + SUM as u64 }
    }

    /// Opens a record; none if the file is no whole one.
    pub fn open(
        volume: &V,
        directory: &V::Directory,
        name: &str,
        check: Check,
    ) -> Result<Option<Self>, Fault> {
        // Looked at before it is opened: opening a FIFO waits for its writer.
        if volume.stat(directory, name)?.kind != Kind::File {
            return Ok(None);
        }
        let file = volume.open_file(directory, name, Access::Read)?;
        let size = volume.stat_file(&file)?.size;
        let start =
            read_all(volume, &file, 0, usize::try_from(size).unwrap_or(CHUNK_BYTES).min(CHUNK_BYTES))?;
        let Some((header, body)) = lengths(&start) else { return Ok(None) };
        let behind = (HEAD + header + SHORT_SUM) as u64;
        if header > RECORD_HEADER_BYTES
            || behind.checked_add(body).and_then(|to| to.checked_add(SUM as u64)) != Some(size)
        {
            return Ok(None);
        }
        let start =
            if start.len() < behind as usize { read_all(volume, &file, 0, behind as usize)? } else { start };
        let (Some(head), Some(sum)) = (start.get(..HEAD + header), start.get(HEAD + header..behind as usize))
        else {
            return Ok(None);
        };
        let mut hasher = Hasher::new();
        hasher.update(head);
        if hasher.finalize().as_bytes()[..SHORT_SUM] != *sum {
            return Ok(None);
        }
        let Ok(record) = serde_json::from_slice::<Record>(&head[HEAD..]) else { return Ok(None) };
        // A record under another name was put there by somebody else.
        if record.id.to_string() != name {
            return Ok(None);
        }
        let stored = Self { record, file, body: behind, size };
        if check == Check::Whole {
            hasher.update(sum);
            if !stored.ends_well(volume, hasher, body)? {
                return Ok(None);
            }
        }
        Ok(Some(stored))
    }

    fn ends_well(&self, volume: &V, mut hasher: Hasher, body: u64) -> Result<bool, Fault> {
        let end = self.body + body;
        let mut at = self.body;
        while at < end {
            let wanted = usize::try_from(end - at).unwrap_or(CHUNK_BYTES).min(CHUNK_BYTES);
            let chunk = read_all(volume, &self.file, at, wanted)?;
            if chunk.is_empty() {
                return Ok(false);
            }
            hasher.update(&chunk);
            at += chunk.len() as u64;
        }
        Ok(read_all(volume, &self.file, end, SUM)? == hasher.finalize().as_bytes())
    }

    /// How many bytes the body has.
    pub(crate) fn length(&self) -> u64 {
        self.size.saturating_sub(self.body + SUM as u64)
    }

    /// Bytes of the body.
    pub fn read(&self, volume: &V, at: u64, length: usize) -> Result<Vec<u8>, Fault> {
        read_all(volume, &self.file, self.body + at, length)
    }
}

/// Lengths of header and body.
fn lengths(start: &[u8]) -> Option<(usize, u64)> {
    let rest = start.strip_prefix(MAGIC)?;
    let header = u32::from_le_bytes(rest.get(..4)?.try_into().ok()?);
    let body = u64::from_le_bytes(rest.get(4..12)?.try_into().ok()?);
    Some((header as usize, body))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::Id;
    use crate::journal::record::Action;
    use crate::volume::memory::{Item, Memory};

    fn record() -> Record {
        Record {
            id: Id(7),
            group: None,
            session: Id(8),
            tool: "checkpoint".to_owned(),
            undoes: None,
            action: Action::Checkpoint { label: "before".to_owned() },
        }
    }

    fn written(body: &[u8]) -> (Memory, String, Vec<u8>) {
        let volume = Memory::default();
        let mut writer = Writer::begin(&volume, &volume.root(), &record(), body.len() as u64).unwrap();
        writer.add(body).unwrap();
        writer.end(true).unwrap();
        let name = record().id.to_string();
        let Some(Item::File(bytes)) = volume.snapshot().remove(&name) else { panic!("no file") };
        (volume, name, bytes)
    }

    #[test]
    fn what_was_written_is_read_again() {
        for length in [0, 1, CHUNK_BYTES - 100, CHUNK_BYTES, 3 * CHUNK_BYTES + 5] {
            let body: Vec<u8> = (0..length).map(|n| n as u8).collect();
            let (volume, name, bytes) = written(&body);
            for check in [Check::Header, Check::Whole] {
                let stored = Stored::open(&volume, &volume.root(), &name, check).unwrap().unwrap();
                assert_eq!(stored.record, record());
                assert_eq!(stored.size, bytes.len() as u64);
                assert_eq!(stored.read(&volume, 0, length + 1000).unwrap()[..length], body);
            }
        }
    }

    #[test]
    fn what_is_cut_off_or_changed_is_no_record() {
        let (volume, name, bytes) = written(b"some bytes");
        let open = |bytes: &[u8], check| {
            volume.put(&name, Item::File(bytes.to_vec()));
            Stored::open(&volume, &volume.root(), &name, check).unwrap()
        };
        for length in 0..bytes.len() {
            assert!(open(&bytes[..length], Check::Header).is_none(), "{length} bytes");
        }
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x20;
            assert!(open(&damaged, Check::Whole).is_none(), "byte {at}");
        }
        assert!(open(&bytes, Check::Whole).is_some());
        let other = Id(9).to_string();
        volume.put(&other, Item::File(bytes));
        assert!(Stored::open(&volume, &volume.root(), &other, Check::Whole).unwrap().is_none());
    }
}
