//! The format of a record in a file.
//!
//! Layout: magic (8 bytes), id (16, little-endian), length of the header (4), length of the body
//! (8), the header (JSON), a checksum (16: XXH3 of all so far), the body, a checksum (16: of all
//! before). The first checksum serves readers of the header alone. A truncated record, or one with
//! another checksum, was being written when its writer died; its change had not begun.
//!
//! Bytes that are needed only until commit follow the record, with a checksum of their own (16: of
//! the record's checksum, and of them). The next record overwrites them.

use std::ops::Range;
use std::rc::Rc;

use xxhash_rust::xxh3::{Xxh3Default as Hasher, xxh3_128};

use super::Id;
use super::record::Record;
use fsgate_contract::limits::{CHUNK_BYTES, RECORD_HEADER_BYTES};
use fsgate_volume::bytes::{read_all, sync_content, write_all};
use fsgate_volume::{Access, Fault, Kind, Volume};

const MAGIC: &[u8; 8] = b"fsgate\0\x03";
pub(super) const HEAD: usize = 8 + 16 + 4 + 8;
const SUM: usize = 16;
pub(super) const HEAD_AND_HEADER: usize = HEAD + RECORD_HEADER_BYTES + SUM;

/// Opens a regular file; none for any other kind. To open a FIFO would block.
pub(super) fn open_regular<V: Volume>(
    volume: &V,
    directory: &V::Directory,
    name: &str,
    access: Access,
) -> Result<Option<Rc<V::File>>, Fault> {
    match volume.stat(directory, name)?.kind {
        Kind::File => volume.open_file(directory, name, access).map(|file| Some(Rc::new(file))),
        _ => Ok(None),
    }
}

/// A record that is being written.
pub struct Writer<'a, V: Volume> {
    volume: &'a V,
    file: Rc<V::File>,
    /// Has hashed the written bytes. A small record is hashed at its end, all at once.
    hasher: Hasher,
    buffer: Vec<u8>,
    hashed: usize,
    at: u64,
    written: u64,
    body: u64,
    /// Bytes of the current part that are still missing.
    missing: u64,
    moved: u64,
    /// The end of the record, once the body is complete.
    sealed: Option<u64>,
}

impl<'a, V: Volume> Writer<'a, V> {
    /// Begins a record at an offset. Exactly `body` bytes have to follow.
    pub fn begin(
        volume: &'a V,
        file: Rc<V::File>,
        at: u64,
        record: &Record,
        body: u64,
    ) -> Result<Self, Fault> {
        let header = serde_json::to_vec(record).map_err(|error| Fault::Io(error.to_string()))?;
        if header.len() > RECORD_HEADER_BYTES {
            // Readers skip such a record.
            let length = header.len();
            let text =
                format!("a record of {length} bytes beside its content; one may have {RECORD_HEADER_BYTES}");
            return Err(Fault::Io(text));
        }
        let behind = HEAD + header.len() + SUM;
        let moved = record.action.moved();
        let small = usize::try_from(body.saturating_add(moved)).unwrap_or(CHUNK_BYTES).min(CHUNK_BYTES);
        let mut buffer = Vec::with_capacity(behind + small + 2 * SUM);
        buffer.extend_from_slice(MAGIC);
        buffer.extend_from_slice(&record.id.0.to_le_bytes());
        buffer.extend_from_slice(&(header.len() as u32).to_le_bytes());
        buffer.extend_from_slice(&body.to_le_bytes());
        buffer.extend_from_slice(&header);
        let sum = xxh3_128(&buffer);
        buffer.extend_from_slice(&sum.to_le_bytes());
        let (hasher, body_at) = (Hasher::new(), at + behind as u64);
        let (hashed, missing, sealed) = (0, body, None);
        Ok(Self {
            volume,
            file,
            hasher,
            buffer,
            hashed,
            at,
            written: at,
            body: body_at,
            missing,
            moved,
            sealed,
        })
    }

    /// Ends the body. Further bytes follow the record.
    pub fn seal(&mut self) -> Result<(), Fault> {
        if self.missing > 0 {
            return Err(Fault::Io("a record became shorter than was said".to_owned()));
        }
        self.push_sum();
        self.sealed = Some(self.written + self.buffer.len() as u64);
        self.missing = self.moved;
        Ok(())
    }

    fn push_sum(&mut self) {
        self.hasher.update(&self.buffer[self.hashed..]);
        self.hashed = self.buffer.len();
        self.buffer.extend_from_slice(&self.hasher.digest128().to_le_bytes());
        self.hasher = Hasher::new();
    }

    /// Adds bytes to the body, or after the record.
    pub fn add(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        self.missing = self
            .missing
            .checked_sub(bytes.len() as u64)
            .ok_or_else(|| Fault::Io("a record became longer than was said".to_owned()))?;
        if self.buffer.len() + bytes.len() < CHUNK_BYTES {
            self.buffer.extend_from_slice(bytes);
            return Ok(());
        }
        // Large parts skip the buffer.
        self.flush()?;
        self.hasher.update(bytes);
        self.write(bytes)
    }

    /// Adds bytes of an open file to the body.
    pub fn add_file(&mut self, volume: &V, file: &V::File, mut from: u64, length: u64) -> Result<(), Fault> {
        let to = from.saturating_add(length);
        while from < to {
            let wanted = usize::try_from(to - from).unwrap_or(CHUNK_BYTES).min(CHUNK_BYTES);
            let chunk = volume.read_at(file, from, wanted)?;
            if chunk.is_empty() {
                return Err(Fault::Io("the file was cut off while it was read".to_owned()));
            }
            self.add(&chunk)?;
            from += chunk.len() as u64;
        }
        Ok(())
    }

    /// Ends the record, which is valid from now on.
    pub fn end(mut self, record: Record, sync: bool) -> Result<Stored<V>, Fault> {
        let sealed = match self.sealed {
            None => {
                self.seal()?;
                self.written + self.buffer.len() as u64
            }
            Some(sealed) => {
                self.push_sum();
                sealed
            }
        };
        if self.missing > 0 {
            return Err(Fault::Io("there is less behind a record than was said".to_owned()));
        }
        let rest = std::mem::take(&mut self.buffer);
        self.write(&rest)?;
        sync_content(self.volume, &self.file, sync)?;
        let Self { file, at, body, .. } = self;
        Ok(Stored { record, file, at, body, size: sealed - at })
    }

    fn flush(&mut self) -> Result<(), Fault> {
        let mut buffer = std::mem::take(&mut self.buffer);
        self.hasher.update(&buffer[self.hashed..]);
        self.hashed = 0;
        self.write(&buffer)?;
        buffer.clear();
        self.buffer = buffer;
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        write_all(self.volume, &self.file, self.written, bytes).map_err(|(fault, _)| fault)?;
        self.written += bytes.len() as u64;
        Ok(())
    }
}

/// A record that was read, with its file.
pub struct Stored<V: Volume> {
    /// The header.
    pub record: Record,
    /// The file of the log that has the record.
    pub file: Rc<V::File>,
    /// The offset of the record.
    pub at: u64,
    /// The offset of the body.
    pub body: u64,
    /// Its bytes, without those after it.
    pub size: u64,
}

/// The part of a record that a reader checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    /// The header, and the size of the rest.
    Header,
    /// Every byte.
    Whole,
    /// Every byte, and those that are needed until commit.
    UnderWay,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) id: Id,
    header: u64,
    body: u64,
}

impl Head {
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        let rest = bytes.strip_prefix(MAGIC)?;
        let id = Id(u128::from_le_bytes(rest.get(..16)?.try_into().ok()?));
        let header = u32::from_le_bytes(rest.get(16..20)?.try_into().ok()?);
        let body = u64::from_le_bytes(rest.get(20..28)?.try_into().ok()?);
        Some(Self { id, header: header.into(), body })
            .filter(|head| head.header <= RECORD_HEADER_BYTES as u64)
    }

    /// The original head if one bit has flipped, by the header's checksum. A record copied into the
    /// body of another one is not accepted.
    pub(super) fn mended(bytes: &[u8]) -> Option<Self> {
        let mut bytes = bytes.to_vec();
        (0..HEAD * 8).find_map(|bit| {
            *bytes.get_mut(bit / 8)? ^= 1 << (bit % 8);
            let head = Self::parse(&bytes).filter(|head| {
                let behind = HEAD + head.header as usize;
                let sum = bytes.get(behind..behind + SUM);
                sum.is_some_and(|sum| xxh3_128(&bytes[..behind]).to_le_bytes() == *sum)
            });
            bytes[bit / 8] ^= 1 << (bit % 8);
            head
        })
    }

    fn behind(&self, at: u64) -> Option<u64> {
        at.checked_add(HEAD as u64 + self.header + SUM as u64)
    }

    pub(super) fn end(&self, at: u64) -> Option<u64> {
        self.behind(at)?.checked_add(self.body)?.checked_add(SUM as u64)
    }
}

impl<V: Volume> Stored<V> {
    /// Opens a record that is a file by itself; none if the file is no complete record.
    pub fn open(
        volume: &V,
        directory: &V::Directory,
        name: &str,
        check: Check,
    ) -> Result<Option<Self>, Fault> {
        let Some(file) = open_regular(volume, directory, name, Access::Read)? else { return Ok(None) };
        let size = volume.stat_file(&file)?.size;
        let stored = Self::read_at(volume, &file, 0, size, check)?;
        // Another program has put a record under this name.
        let is_all = |stored: &Self| [stored.size, stored.end_of_all()].contains(&size);
        Ok(stored.filter(|stored| is_all(stored) && stored.record.id.to_string() == name))
    }

    pub(crate) fn read_at(
        volume: &V,
        file: &Rc<V::File>,
        at: u64,
        end: u64,
        check: Check,
    ) -> Result<Option<Self>, Fault> {
        // Most records fit into this.
        const FIRST: usize = 2048;
        let wanted = |most: u64| usize::try_from(end.saturating_sub(at).min(most)).unwrap_or(usize::MAX);
        let start = read_all(volume, file, at, wanted(FIRST as u64))?;
        let Some(head) = Head::parse(&start) else { return Ok(None) };
        let (Some(body), Some(ends)) = (head.behind(at), head.end(at)) else { return Ok(None) };
        if ends > end {
            return Ok(None);
        }
        let length = (body - at) as usize;
        let start = if start.len() < length { read_all(volume, file, at, length)? } else { start };
        let Some((head_and_header, sum)) = start.get(..length).and_then(|all| all.split_last_chunk::<SUM>())
        else {
            return Ok(None);
        };
        let mut hasher = Hasher::new();
        hasher.update(head_and_header);
        if hasher.digest128().to_le_bytes() != *sum {
            return Ok(None);
        }
        let Ok(record) = serde_json::from_slice::<Record>(&head_and_header[HEAD..]) else { return Ok(None) };
        let record = Record { id: head.id, ..record };
        let stored = Self { record, file: file.clone(), at, body, size: ends - at };
        if check != Check::Header {
            hasher.update(sum);
            if !stored.matches(volume, hasher, stored.body..ends - SUM as u64)? {
                return Ok(None);
            }
        }
        let all = stored.end_of_all();
        if check == Check::UnderWay && all > ends {
            let behind = ends - SUM as u64..all - SUM as u64;
            if all > end || !stored.matches(volume, Hasher::new(), behind)? {
                return Ok(None);
            }
        }
        Ok(Some(stored))
    }

    fn matches(&self, volume: &V, mut hasher: Hasher, bytes: Range<u64>) -> Result<bool, Fault> {
        let Range { start: mut at, end } = bytes;
        while at < end {
            let wanted = usize::try_from(end - at).unwrap_or(CHUNK_BYTES).min(CHUNK_BYTES);
            let chunk = volume.read_at(&self.file, at, wanted)?;
            if chunk.is_empty() {
                return Ok(false);
            }
            hasher.update(&chunk);
            at += chunk.len() as u64;
        }
        Ok(read_all(volume, &self.file, end, SUM)? == hasher.digest128().to_le_bytes())
    }

    /// The length of the body.
    pub fn length(&self) -> u64 {
        (self.end() - SUM as u64).saturating_sub(self.body)
    }

    /// The end of the record in its file.
    pub fn end(&self) -> u64 {
        self.at + self.size
    }

    pub(crate) fn end_of_all(&self) -> u64 {
        match self.record.action.moved() {
            0 => self.end(),
            moved => self.end().saturating_add(moved).saturating_add(SUM as u64),
        }
    }

    /// Bytes after the record.
    pub fn read_behind(&self, volume: &V, at: u64, length: usize) -> Result<Vec<u8>, Fault> {
        let rest = usize::try_from(self.record.action.moved().saturating_sub(at)).unwrap_or(usize::MAX);
        read_all(volume, &self.file, self.end() + at, length.min(rest))
    }

    /// Bytes of the body.
    pub fn read(&self, volume: &V, at: u64, length: usize) -> Result<Vec<u8>, Fault> {
        let rest = usize::try_from(self.length().saturating_sub(at)).unwrap_or(usize::MAX);
        read_all(volume, &self.file, self.body + at, length.min(rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Action;
    use fsgate_volume::memory::{Item, Memory};

    fn record() -> Record {
        Record {
            id: Id(7),
            group: None,
            session: Id(8),
            tool: "checkpoint".to_owned(),
            undoes: None,
            power: false,
            scope: None,
            action: Action::Checkpoint { label: "before".to_owned(), roots: Vec::new() },
        }
    }

    fn written(at: u64, body: &[u8]) -> (Memory, String, Vec<u8>) {
        let volume = Memory::default();
        let name = record().id.to_string();
        let file = Rc::new(volume.create_file(&volume.root(), &name).unwrap());
        let mut writer = Writer::begin(&volume, file, at, &record(), body.len() as u64).unwrap();
        writer.add(body).unwrap();
        writer.end(record(), true).unwrap();
        let Some(Item::File(bytes)) = volume.snapshot().remove(&name) else { panic!("no file") };
        (volume, name, bytes)
    }

    #[test]
    fn what_was_written_is_read_again() {
        for length in [0, 1, 3000, CHUNK_BYTES - 100, CHUNK_BYTES, 3 * CHUNK_BYTES + 5] {
            let body: Vec<u8> = (0..length).map(|n| n as u8).collect();
            for at in [0, 5, 70_000] {
                let (volume, name, bytes) = written(at, &body);
                let file = Rc::new(volume.open_file(&volume.root(), &name, Access::Read).unwrap());
                for check in [Check::Header, Check::Whole] {
                    let end = bytes.len() as u64;
                    let stored = Stored::read_at(&volume, &file, at, end, check).unwrap().unwrap();
                    assert_eq!(stored.record, record());
                    assert_eq!((stored.at, stored.end(), stored.length()), (at, end, length as u64));
                    assert_eq!(stored.read(&volume, 0, length + 1000).unwrap(), body);
                    assert!(Stored::read_at(&volume, &file, at, end - 1, check).unwrap().is_none());
                    assert_eq!(
                        Stored::open(&volume, &volume.root(), &name, check).unwrap().is_some(),
                        at == 0
                    );
                }
            }
        }
    }

    #[test]
    fn what_is_cut_off_or_changed_is_no_record() {
        let (volume, name, bytes) = written(0, b"some bytes");
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
