//! Other bytes in the place of some bytes of an existing file.

use super::{Run, holding, journal};
use crate::changes::{New, Old, Tags};
use crate::resolve::Place;
use fsgate_contract::id::Id;
use fsgate_contract::limits::CHUNK_BYTES;
use fsgate_error::{Failure, Reason};
use fsgate_journal::record::{Action, Splice as Record};
use fsgate_journal::state::State;
use fsgate_journal::{Check, Stored, Writer, Writes};
use fsgate_volume::bytes::{hasher, read_all, write_all};
use fsgate_volume::etag;
use fsgate_volume::{Access, Fault, Kind, Stat, Volume};

impl<'a, V: Volume> Run<'a, V> {
    pub(super) fn splice(
        &mut self,
        place: &Place<V>,
        seen: Stat,
        offset: u64,
        old: &Old,
        new: &New,
        tags: &Tags,
    ) -> Result<(), Failure> {
        let here = |fault: Fault| Reason::writing(fault).at(place.asked());
        let volume = self.writable(place)?;
        // The directories in between may have been made for it by the change before.
        let directory = holding(volume, place).map_err(here)?;
        let file = volume.open_file(&directory, place.name(), Access::Write).map_err(here)?;
        let stat = volume.stat_file(&file).map_err(here)?;
        // Without a time of the last change, the bytes decide.
        let is_unchanged = stat.modified == seen.modified
            && (stat.modified.is_some() || has_tag(volume, &file, stat.size, tags).map_err(here)?);
        let is_current = is_unchanged || self.is_copy(volume, &file).map_err(here)?;
        let same = stat.kind == Kind::File && stat.size == seen.size && is_current;
        let state = self.state(place).filter(|_| same);
        let held = match state.map(|_| replaced(stat.size, offset, old.len(), new.len(), tags)) {
            Some((from, length)) if length <= CHUNK_BYTES as u64 => {
                Held::read(volume, &file, from, length).map_err(here)?
            }
            _ => Held::default(),
        };
        if !same || !is_still(volume, &file, &held, offset, old).map_err(here)? {
            let now = hasher(volume, &file, 0, stat.size).map_err(here)?;
            return Err(Reason::Stale(etag::strong(&now)).at(place.asked()));
        }
        // Taking something back is written down even so: it would be there to be taken back for ever.
        if old.is_empty() && new.is_empty() && self.ink.undoes.is_none() {
            return Ok(());
        }
        let stored;
        let new = match new {
            New::Bytes(bytes) => Bytes::Here(bytes),
            New::Recorded { state, record, at, length } => {
                let state = self.namespace.state(*state);
                stored = kept(state, *record).map_err(journal)?;
                Bytes::File {
                    volume: &state.volume,
                    file: &stored.file,
                    at: stored.body + at,
                    length: *length,
                }
            }
        };
        let splice =
            Splice { volume, file: &file, size: stat.size, offset, old: old.len(), new, held: &held };
        match state {
            None => {
                splice.unjournaled(old).map_err(|reason| reason.at(place.asked()))?;
                self.lasts("changed", 1);
                Ok(())
            }
            Some(state) => self.journaled(state, place, &splice, tags, || Ok(())),
        }
    }

    /// True for a copy that this call has made in the place of a file that it has moved. The time of
    /// the copy is not that of the file.
    fn is_copy(&self, volume: &V, file: &V::File) -> Result<bool, Fault> {
        if self.moved_copies.is_empty() {
            return Ok(false);
        }
        Ok(self.moved_copies.contains(&volume.identity(file)?))
    }

    /// Writes a splice down, and makes it. What it needs of the new bytes is in the record then. `check` is the last word
    /// before the file is touched.
    pub(super) fn journaled(
        &mut self,
        state: &'a State<V>,
        place: &Place<V>,
        splice: &Splice<V>,
        tags: &Tags,
        check: impl FnOnce() -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let here = |fault: Fault| Reason::writing(fault).at(place.asked());
        let &Splice { volume, file, size, offset, old, new, held } = splice;
        let (from, all) = replaced(size, offset, old, new.len(), tags);
        // Between records of a group there is nothing that the next one could be written over.
        let moved = if tags.whole || self.ink.is_group() { 0 } else { all - old };
        let kept = all - moved;
        let record = Record {
            at: place.location(self.namespace).map_err(here)?,
            identity: Id(volume.identity(file).map_err(here)?),
            size,
            offset,
            old,
            new: new.len(),
            from,
            kept,
            moved,
            etag_before: tags.before.clone(),
            etag: tags.after.clone(),
        };
        let stored = self
            .ink
            .begin(state, Action::Splice(record), kept + new.len(), Writes::InPlace, |writer| {
                let add = |writer: &mut Writer<'a, V>, from, length| match held.range(from, length) {
                    Some(bytes) => writer.add(bytes),
                    None => writer.add_file(volume, file, from, length),
                };
                add(writer, from, kept)?;
                match new {
                    Bytes::Here(bytes) => writer.add(bytes),
                    Bytes::File { volume, file, at, length } => writer.add_file(volume, file, at, length),
                }?;
                writer.seal()?;
                add(writer, from + kept, moved)
            })
            .map_err(|fault| match fault {
                // Nothing is asked where it is written down: what may not be read is the file.
                Fault::Denied(_) => Reason::reading(fault).at(place.asked()),
                fault => journal(fault).into(),
            })?;
        check()?;
        let new = match new {
            here @ Bytes::Here(_) => here,
            // What is in the record cannot change any more.
            Bytes::File { length, .. } => {
                Bytes::File { volume: &state.volume, file: &stored.file, at: stored.body + kept, length }
            }
        };
        self.ink.begin_in_place();
        Splice { new, ..*splice }.run().map_err(|stopped| here(stopped.fault))?;
        if self.ink.syncs() {
            volume.sync_file(file).map_err(here)?;
        }
        self.ink.end_in_place();
        Ok(())
    }
}

/// True if a file still has the strong tag that it had when it was read, if it had one.
fn has_tag<V: Volume>(volume: &V, file: &V::File, size: u64, tags: &Tags) -> Result<bool, Fault> {
    match &tags.before {
        Some(tag) => Ok(etag::strong(&hasher(volume, file, 0, size)?) == *tag),
        None => Ok(true),
    }
}

/// A record that is done.
fn kept<V: Volume>(state: &State<V>, id: Id) -> Result<Stored<V>, Fault> {
    state.done(id, Check::Whole)?.ok_or_else(|| Fault::Io("a record is damaged".to_owned()))
}

/// The old bytes that a change writes over, where they begin and how many: those that are replaced and, if the length changes, all
/// that move.
fn replaced(size: u64, offset: u64, old: u64, new: u64, tags: &Tags) -> (u64, u64) {
    match tags.whole {
        true => (0, size),
        false if old == new => (offset, old),
        // Somebody may have cut it off: that is noticed as soon as what was seen is looked for.
        false => (offset, size.saturating_sub(offset)),
    }
}

/// Old bytes of a small change: they are compared, written down and moved, and read only once.
#[derive(Default)]
pub(super) struct Held {
    from: u64,
    bytes: Vec<u8>,
}

impl Held {
    fn read<V: Volume>(volume: &V, file: &V::File, from: u64, length: u64) -> Result<Self, Fault> {
        Ok(Self { from, bytes: read_all(volume, file, from, length as usize)? })
    }

    /// Those of a range, if all of it is held.
    fn range(&self, from: u64, length: u64) -> Option<&[u8]> {
        let from = usize::try_from(from.checked_sub(self.from)?).ok()?;
        self.bytes.get(from..from.checked_add(usize::try_from(length).ok()?)?)
    }
}

/// True if the bytes that were seen still stand where they were.
fn is_still<V: Volume>(
    volume: &V,
    file: &V::File,
    held: &Held,
    offset: u64,
    old: &Old,
) -> Result<bool, Fault> {
    if let (Old::Bytes(bytes), Some(now)) = (old, held.range(offset, old.len())) {
        return Ok(now == *bytes);
    }
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
pub(super) struct Splice<'a, V: Volume> {
    pub(super) volume: &'a V,
    pub(super) file: &'a V::File,
    pub(super) size: u64,
    pub(super) offset: u64,
    pub(super) old: u64,
    pub(super) new: Bytes<'a, V>,
    /// What of the old bytes was read already.
    pub(super) held: &'a Held,
}

/// New bytes.
pub(super) enum Bytes<'a, V: Volume> {
    Here(&'a [u8]),
    /// Some of an open file.
    File {
        volume: &'a V,
        file: &'a V::File,
        at: u64,
        length: u64,
    },
}

impl<V: Volume> Clone for Bytes<'_, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<V: Volume> Copy for Bytes<'_, V> {}

impl<V: Volume> Bytes<'_, V> {
    fn len(&self) -> u64 {
        match self {
            Self::Here(bytes) => bytes.len() as u64,
            Self::File { length, .. } => *length,
        }
    }

    /// Those of a range.
    fn read(&self, from: u64, to: u64) -> Result<Vec<u8>, Fault> {
        let length = (to - from) as usize;
        let bytes = match self {
            Self::Here(bytes) => bytes[from as usize..to as usize].to_vec(),
            Self::File { volume, file, at, .. } => read_all(*volume, file, at + from, length)?,
        };
        if bytes.len() == length { Ok(bytes) } else { Err(Fault::Io("bytes are missing".to_owned())) }
    }
}

impl<V: Volume> Splice<'_, V> {
    fn unjournaled(&self, old: &Old) -> Result<(), Reason> {
        match self.run() {
            Ok(()) => Ok(()),
            Err(Stopped { fault, clean: true }) => Err(Reason::writing(fault)),
            Err(Stopped { fault, .. }) => match old {
                // The old bytes are at hand, and nothing else was touched: put them back.
                Old::Bytes(old)
                    if old.len() as u64 == self.new.len()
                        && write_all(self.volume, self.file, self.offset, old).is_ok() =>
                {
                    Err(Reason::writing(fault))
                }
                _ => Err(Reason::Unrecovered(Box::new(fault))),
            },
        }
    }

    fn run(&self) -> Result<(), Stopped> {
        let new = self.new.len();
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
        let new_end = self.offset + self.new.len();
        let mut bytes = match at < new_end {
            true => self.new.read(at - self.offset, (at + length).min(new_end) - self.offset)?,
            false => Vec::new(),
        };
        let moved = length as usize - bytes.len();
        if moved > 0 {
            let from = at.max(new_end) - new_end + self.offset + self.old;
            if let Some(held) = self.held.range(from, moved as u64) {
                bytes.extend_from_slice(held);
                return Ok(bytes);
            }
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
