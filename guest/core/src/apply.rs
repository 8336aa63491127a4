//! The only writer.
//!
//! Every change of every tool comes through [`apply`]. It checks again what the tool has seen, and it is
//! where a lock is taken, a policy is asked and a journal is written. An existing file is changed in place:
//! a renamed copy would lose its mode, owner, inode and hard links.

use crate::changes::{Change, Changes, Old};
use crate::error::{Failure, Reason};
use crate::etag;
use crate::limits::CHUNK_BYTES;
use crate::namespace::Namespace;
use crate::resolve::Place;
use crate::volume::{Access, Fault, Kind, Stat, Volume};

/// Carries out the changes of one call.
pub fn apply<V: Volume>(namespace: &Namespace<V>, changes: Changes<V>) -> Result<(), Failure> {
    for change in changes.0 {
        match change {
            Change::Create { place, content } => {
                let volume = writable(namespace, &place)?;
                create(volume, &place, &content).map_err(|reason| reason.at(place.asked()))?;
            }
            Change::Splice { place, seen, offset, old, new } => {
                let volume = writable(namespace, &place)?;
                splice(volume, &place, seen, offset, &old, &new)
                    .map_err(|reason| reason.at(place.asked()))?;
            }
        }
    }
    Ok(())
}

fn writable<'a, V: Volume>(namespace: &'a Namespace<V>, place: &Place<V>) -> Result<&'a V, Failure> {
    match place.access(namespace) {
        Access::Write => Ok(place.volume(namespace)),
        Access::Read => Err(Reason::ReadOnlyGrant.at(place.asked())),
    }
}

/// Makes the missing parents and the file. If anything fails, what was made is taken back.
fn create<V: Volume>(volume: &V, place: &Place<V>, content: &[u8]) -> Result<(), Reason> {
    let mut made = Vec::new();
    let mut directory = place.directory().clone();
    let result = (|| {
        for name in place.parents() {
            match volume.create_directory(&directory, name) {
                Ok(()) => made.push((directory.clone(), name)),
                // Somebody else made it in the meantime: good.
                Err(Fault::Exists) => {}
                Err(fault) => return Err(fault.writing()),
            }
            directory = volume.open_directory(&directory, name).map_err(Fault::writing)?;
        }
        publish(volume, &directory, place.name(), content)
    })();
    if result.is_err() {
        for (directory, name) in made.iter().rev() {
            // Not empty: somebody else uses it by now, and it is theirs.
            let _ = volume.remove_directory(directory, name);
        }
    }
    result
}

/// Makes a file with its whole content appear under its name at once, or not at all.
fn publish<V: Volume>(
    volume: &V,
    directory: &V::Directory,
    name: &str,
    content: &[u8],
) -> Result<(), Reason> {
    let temporary = format!(".fsgate-{:032x}", volume.random());
    write_new(volume, directory, &temporary, content)?;
    let linked = volume.link_file(directory, &temporary, directory, name);
    // The link decides. A temporary name that cannot be removed is litter, not a failed call.
    let _ = volume.remove_file(directory, &temporary);
    match linked {
        Ok(()) => Ok(()),
        // No links on this file system: the name itself is made exclusively, and taken back if writing fails.
        Err(Fault::Unsupported | Fault::NotPermitted | Fault::Access) => {
            write_new(volume, directory, name, content)
        }
        Err(fault) => Err(fault.writing()),
    }
}

fn write_new<V: Volume>(
    volume: &V,
    directory: &V::Directory,
    name: &str,
    content: &[u8],
) -> Result<(), Reason> {
    let file = volume.create_file(directory, name).map_err(Fault::writing)?;
    write_all(volume, &file, 0, content).map_err(|(fault, _)| {
        let _ = volume.remove_file(directory, name);
        fault.writing()
    })
}

fn splice<V: Volume>(
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

/// Writes all of `bytes`, or says how many were written before it failed.
fn write_all<V: Volume>(volume: &V, file: &V::File, offset: u64, bytes: &[u8]) -> Result<(), (Fault, usize)> {
    let mut done = 0;
    while let Some(rest) = bytes.get(done..).filter(|rest| !rest.is_empty()) {
        match volume.write_at(file, offset + done as u64, rest) {
            Ok(0) => return Err((Fault::Io("nothing was written".to_owned()), done)),
            Ok(written) => done += written,
            Err(fault) => return Err((fault, done)),
        }
    }
    Ok(())
}

/// Up to `length` bytes; fewer only at the end of the file.
fn read_all<V: Volume>(volume: &V, file: &V::File, offset: u64, length: usize) -> Result<Vec<u8>, Fault> {
    let mut bytes = Vec::with_capacity(length);
    while bytes.len() < length {
        let wanted = (length - bytes.len()).min(CHUNK_BYTES);
        let chunk = volume.read_at(file, offset + bytes.len() as u64, wanted)?;
        if chunk.is_empty() {
            break;
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

/// A hasher that has seen the bytes of `[offset, end)`, as far as the file has them.
fn hasher<V: Volume>(volume: &V, file: &V::File, mut offset: u64, end: u64) -> Result<blake3::Hasher, Fault> {
    let mut hasher = blake3::Hasher::new();
    while offset < end {
        let wanted = usize::try_from(end - offset).unwrap_or(CHUNK_BYTES).min(CHUNK_BYTES);
        let chunk = volume.read_at(file, offset, wanted)?;
        if chunk.is_empty() {
            break;
        }
        hasher.update(&chunk);
        offset += chunk.len() as u64;
    }
    Ok(hasher)
}
