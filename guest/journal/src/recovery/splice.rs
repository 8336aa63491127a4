//! Replaced bytes. Recovery compares every byte that the change could write.

use std::ops::Range;

use blake3::Hasher;

use super::{Decision, Outcome, RecordedPlace, Resolution};
use crate::record::Splice;
use fsgate_contract::limits::CHUNK_BYTES;
use fsgate_volume::answers::existing;
use fsgate_volume::bytes::{hasher, read_all, write_all};
use fsgate_volume::etag;
use fsgate_volume::{Access, Fault, Kind, Volume};

pub(super) fn resolve<V: Volume>(
    resolution: &Resolution<V>,
    splice: &Splice,
    place: &RecordedPlace<V>,
) -> Result<Outcome, Fault> {
    if resolution.decision == Decision::Forward {
        return Ok(Outcome::RolledForward);
    }
    if !splice.is_sound(resolution.stored.length()) {
        return Ok(Outcome::Conflict);
    }
    let Some(directory) = place.directory()? else { return Ok(Outcome::Missing) };
    let volume = place.volume;
    // Checked before opening: opening a FIFO blocks.
    match existing(volume.stat(&directory, &place.name))? {
        Some(stat) if stat.kind == Kind::File => {}
        Some(_) => return Ok(Outcome::Conflict),
        None => return Ok(Outcome::Missing),
    }
    let open = |access| volume.open_file(&directory, &place.name, access);
    // A file that has its old or its new content needs no write.
    let (file, refused) = match open(Access::Write) {
        Err(fault) if fault.is_obstacle() => (open(Access::Read).map_err(|_| fault.clone())?, Some(fault)),
        opened => (opened?, None),
    };
    if volume.identity(&file)? != splice.identity.0 {
        return Ok(Outcome::Conflict);
    }
    let size = volume.stat_file(&file)?.size;
    let torn = TornFile { resolution, splice, volume, file: &file, size };
    let outcome = match (torn.look()?, resolution.decision) {
        (FileState::Foreign, _) => return Ok(Outcome::Conflict),
        (FileState::New, Decision::Own) => Outcome::RolledForward,
        (FileState::Old, _) => Outcome::RolledBack,
        (FileState::New | FileState::Torn, _) if !torn.would_be_old()? => return Ok(Outcome::Conflict),
        (FileState::New | FileState::Torn, _) => {
            refused.map_or(Ok(()), Err)?;
            torn.write_back()?;
            Outcome::RolledBack
        }
    };
    if resolution.sync {
        // The interrupted call may not have synced it.
        volume.sync_file(&file)?;
    }
    Ok(outcome)
}

enum FileState {
    Old,
    /// The new content, also where the change changes nothing.
    New,
    Torn,
    Foreign,
}

struct TornFile<'a, V: Volume> {
    resolution: &'a Resolution<'a, V>,
    splice: &'a Splice,
    volume: &'a V,
    file: &'a V::File,
    size: u64,
}

impl<V: Volume> TornFile<'_, V> {
    fn old_end(&self) -> u64 {
        self.splice.from + self.splice.kept + self.splice.moved
    }

    /// The end of the bytes that the record knows: those that the change writes and the kept ones
    /// after them.
    fn new_end(&self) -> u64 {
        if self.splice.old == self.splice.new { self.old_end() } else { self.splice.size_after() }
    }

    fn old_bytes(&self, range: Range<u64>) -> Result<Vec<u8>, Fault> {
        let (state, stored) = (&self.resolution.state.volume, self.resolution.stored);
        let kept_end = self.splice.from + self.splice.kept;
        let length = range.end.min(kept_end).saturating_sub(range.start) as usize;
        let mut bytes = stored.read(state, range.start - self.splice.from, length)?;
        let behind = range.start.max(kept_end)..range.end.min(self.old_end());
        if let Some(length) = behind.end.checked_sub(behind.start).filter(|length| *length > 0) {
            bytes.extend(stored.read_behind(state, behind.start - kept_end, length as usize)?);
        }
        Ok(bytes)
    }

    fn new_bytes(&self, range: Range<u64>) -> Result<Vec<u8>, Fault> {
        let Splice { offset, old, new, kept, .. } = *self.splice;
        let end = range.end.min(self.new_end());
        let state = &self.resolution.state.volume;
        let middle = range.start..end.min(offset + new);
        let mut bytes = match middle.end.checked_sub(middle.start) {
            Some(length) => {
                self.resolution.stored.read(state, kept + middle.start - offset, length as usize)?
            }
            None => Vec::new(),
        };
        let rest = range.start.max(offset + new)..end;
        if let Some(length) = rest.end.checked_sub(rest.start).filter(|length| *length > 0) {
            let at = rest.start - (offset + new) + offset + old;
            bytes.extend(self.old_bytes(at..at + length)?);
        }
        Ok(bytes)
    }

    fn look(&self) -> Result<FileState, Fault> {
        let sizes = (self.splice.size, self.splice.size_after());
        if self.size < sizes.0.min(sizes.1) || self.size > sizes.0.max(sizes.1) {
            return Ok(FileState::Foreign);
        }
        let (mut is_old, mut is_new) = (self.size == sizes.0, self.size == sizes.1);
        let end = self.old_end().max(self.new_end()).min(self.size);
        let mut at = self.splice.offset;
        while at < end {
            let range = at..end.min(at + CHUNK_BYTES as u64);
            let now = read_all(self.volume, self.file, range.start, (range.end - range.start) as usize)?;
            if now.is_empty() {
                return Ok(FileState::Foreign);
            }
            let (old, new) = (self.old_bytes(range.clone())?, self.new_bytes(range)?);
            for (index, byte) in now.iter().enumerate() {
                let (old, new) = (old.get(index) == Some(byte), new.get(index) == Some(byte));
                // After a loss of power, grown parts of a file can be zeros, from the change or
                // from its rollback.
                let grown = self.resolution.sync && *byte == 0 && at + index as u64 >= sizes.0.min(sizes.1);
                if !old && !new && !grown {
                    return Ok(FileState::Foreign);
                }
                is_old &= old;
                is_new &= new;
            }
            at += now.len() as u64;
        }
        Ok(match (is_old, is_new) {
            (true, _) => FileState::Old,
            (_, true) => FileState::New,
            _ => FileState::Torn,
        })
    }

    fn would_be_old(&self) -> Result<bool, Fault> {
        let Some(etag) = &self.splice.etag_before else { return Ok(true) };
        let mut hash = hasher(self.volume, self.file, 0, self.splice.offset)?;
        let mut at = self.splice.offset;
        while at < self.old_end() {
            let bytes = self.old_bytes(at..self.old_end().min(at + CHUNK_BYTES as u64))?;
            if bytes.is_empty() {
                return Ok(false);
            }
            hash.update(&bytes);
            at += bytes.len() as u64;
        }
        self.add_rest(&mut hash)?;
        Ok(etag::strong(&hash) == *etag)
    }

    fn add_rest(&self, hash: &mut Hasher) -> Result<(), Fault> {
        let mut at = self.old_end();
        while at < self.splice.size {
            let wanted = (self.splice.size - at).min(CHUNK_BYTES as u64) as usize;
            let bytes = read_all(self.volume, self.file, at, wanted)?;
            if bytes.is_empty() {
                break;
            }
            hash.update(&bytes);
            at += bytes.len() as u64;
        }
        Ok(())
    }

    fn write_back(&self) -> Result<(), Fault> {
        let mut at = self.splice.offset;
        while at < self.old_end() {
            let bytes = self.old_bytes(at..self.old_end().min(at + CHUNK_BYTES as u64))?;
            if bytes.is_empty() {
                return Err(Fault::Io("a record lacks bytes".to_owned()));
            }
            write_all(self.volume, self.file, at, &bytes).map_err(|(fault, _)| fault)?;
            at += bytes.len() as u64;
        }
        if self.splice.size != self.splice.size_after() {
            self.volume.set_size(self.file, self.splice.size)?;
        }
        Ok(())
    }
}
