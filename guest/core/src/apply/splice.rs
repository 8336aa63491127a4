//! Other bytes in the place of some bytes of an existing file.

use super::bytes::{hasher, read_all, write_all};
use crate::changes::Old;
use crate::error::Reason;
use crate::etag;
use crate::limits::CHUNK_BYTES;
use crate::resolve::Place;
use crate::volume::{Access, Fault, Kind, Stat, Volume};

pub(super) fn splice<V: Volume>(
    volume: &V,
    place: &Place<V>,
    seen: Stat,
    offset: u64,
    old: &Old,
    new: &[u8],
) -> Result<(), Reason> {
    let file = volume.open_file(place.directory(), place.name(), Access::Write).map_err(Fault::writing)?;
    let stat = volume.stat_file(&file).map_err(Fault::writing)?;
    let still = stat.kind == Kind::File
        && (stat.size, stat.modified) == (seen.size, seen.modified)
        && is_still(volume, &file, offset, old).map_err(Fault::writing)?;
    if !still {
        let now = hasher(volume, &file, 0, stat.size).map_err(Fault::writing)?;
        return Err(Reason::Stale(etag::strong(&now)));
    }
    if old.is_empty() && new.is_empty() {
        return Ok(());
    }
    let splice = Splice { volume, file: &file, size: stat.size, offset, old: old.len(), new };
    match splice.run() {
        Ok(()) => Ok(()),
        Err(Stopped { fault, clean: true }) => Err(fault.writing()),
        Err(Stopped { fault, .. }) => match old {
            // The old bytes are at hand, and nothing else was touched: put them back.
            Old::Bytes(old) if old.len() == new.len() && write_all(volume, &file, offset, old).is_ok() => {
                Err(fault.writing())
            }
            _ => Err(Reason::Unrecovered(Box::new(fault))),
        },
    }
}

/// True if the bytes that were seen still stand where they were.
fn is_still<V: Volume>(volume: &V, file: &V::File, offset: u64, old: &Old) -> Result<bool, Fault> {
    match old {
        Old::Bytes(bytes) => Ok(read_all(volume, file, offset, bytes.len())? == *bytes),
        Old::Digest { length, hash } => {
            Ok(hasher(volume, file, offset, offset + length)?.finalize() == *hash)
        }
    }
}

/// A splice that could not be finished.
struct Stopped {
    fault: Fault,
    /// The file is as it was.
    clean: bool,
}

/// A splice under way. All offsets are in the file.
struct Splice<'a, V: Volume> {
    volume: &'a V,
    file: &'a V::File,
    size: u64,
    offset: u64,
    old: u64,
    new: &'a [u8],
}

impl<V: Volume> Splice<'_, V> {
    fn run(&self) -> Result<(), Stopped> {
        let new = self.new.len() as u64;
        let size = self.size - self.old + new;
        if size > self.size {
            // What can run out of room comes first, while the old content is still whole.
            self.write(self.size, size, Direction::Up)
                .map_err(|Stopped { fault, clean }| Stopped { fault, clean: clean || self.cut_back() })?;
            self.write(self.offset, self.size, Direction::Down)
                .map_err(|Stopped { fault, clean }| Stopped { fault, clean: clean && self.cut_back() })
        } else if size < self.size {
            self.write(self.offset, size, Direction::Up)?;
            // Nothing was moved if the end of the file was cut out: then only this step changes it.
            let clean = size == self.offset;
            self.volume.set_size(self.file, size).map_err(|fault| Stopped { fault, clean })
        } else {
            self.write(self.offset, self.offset + new, Direction::Up)
        }
    }

    /// Takes the growth back. A file that somebody else has cut off meanwhile is not filled up with zeros.
    fn cut_back(&self) -> bool {
        self.volume.stat_file(self.file).is_ok_and(|stat| stat.size >= self.size)
            && self.volume.set_size(self.file, self.size).is_ok()
    }

    /// Writes the final bytes of `[from, to)`. The direction is the one in which no byte is overwritten
    /// before it has been moved.
    fn write(&self, from: u64, to: u64, direction: Direction) -> Result<(), Stopped> {
        let (mut from, mut to) = (from, to);
        let mut clean = true;
        while from < to {
            let length = (to - from).min(CHUNK_BYTES as u64);
            let at = match direction {
                Direction::Up => from,
                Direction::Down => to - length,
            };
            let bytes = self.final_bytes(at, length).map_err(|fault| Stopped { fault, clean })?;
            // The first write that fails with nothing written has changed nothing.
            write_all(self.volume, self.file, at, &bytes)
                .map_err(|(fault, written)| Stopped { fault, clean: clean && written == 0 })?;
            clean = false;
            match direction {
                Direction::Up => from += length,
                Direction::Down => to -= length,
            }
        }
        Ok(())
    }

    /// What stands at `[at, at + length)` after the splice, read from where it stands before.
    fn final_bytes(&self, at: u64, length: u64) -> Result<Vec<u8>, Fault> {
        let new_end = self.offset + self.new.len() as u64;
        let mut bytes = Vec::with_capacity(length as usize);
        if at < new_end {
            let from = (at - self.offset) as usize;
            let to = ((at + length).min(new_end) - self.offset) as usize;
            bytes.extend_from_slice(&self.new[from..to]);
        }
        let moved = length as usize - bytes.len();
        if moved > 0 {
            let from = at.max(new_end) - new_end + self.offset + self.old;
            let rest = read_all(self.volume, self.file, from, moved)?;
            if rest.len() != moved {
                return Err(Fault::Io("the file was cut off while it was written".to_owned()));
            }
            bytes.extend_from_slice(&rest);
        }
        Ok(bytes)
    }
}

#[derive(Clone, Copy)]
enum Direction {
    Up,
    Down,
}
