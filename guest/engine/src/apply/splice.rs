//! Replaces bytes of an existing file in place.

use super::{ApplyRun, holding, journal};
use crate::changes::{New, Old, Tags};
use crate::resolve::Place;
use fsgate_contract::id::Id;
use fsgate_contract::limits::CHUNK_BYTES;
use fsgate_error::{Failure, Reason};
use fsgate_journal::record::{Action, Splice as Record};
use fsgate_journal::state::State;
use fsgate_journal::{Check, Stored, Writer, Writes};
use fsgate_text::revert::{WINDOW_BYTES, Window, windows};
use fsgate_volume::bytes::{hasher, read_all, sync_content, write_all};
use fsgate_volume::etag;
use fsgate_volume::{Access, Fault, Kind, Stat, Volume};

impl<'a, V: Volume> ApplyRun<'a, V> {
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
        // An earlier change of the call may have made the directories between.
        let directory = holding(volume, place).map_err(here)?;
        let file = volume.open_file(&directory, place.name(), Access::Write).map_err(here)?;
        let stat = volume.stat_file(&file).map_err(here)?;
        // Without a modification time the bytes decide.
        let is_unchanged = stat.modified == seen.modified
            && (stat.modified.is_some() || has_tag(volume, &file, stat.size, tags).map_err(here)?);
        let is_current = is_unchanged || self.is_copy(volume, &file).map_err(here)?;
        let same = stat.kind == Kind::File && stat.size == seen.size && is_current;
        let state = self.state(place).filter(|_| same);
        let held = match state.map(|_| replaced(stat.size, offset, old.len(), new.len(), tags)) {
            Some(_) if stat.size <= CHUNK_BYTES as u64 => {
                HeldBytes::read(volume, &file, 0, stat.size).map_err(here)?
            }
            Some((from, length)) if length <= CHUNK_BYTES as u64 => {
                HeldBytes::read(volume, &file, from, length).map_err(here)?
            }
            _ => HeldBytes::default(),
        };
        if !same || !is_still(volume, &file, &held, offset, old).map_err(here)? {
            let now = hasher(volume, &file, 0, stat.size).map_err(here)?;
            return Err(Reason::Stale(etag::strong(&now)).at(place.asked()));
        }
        // An undo is recorded even without bytes, or its entry could be undone forever.
        if old.is_empty() && new.is_empty() && self.transaction.undoes.is_none() {
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

    /// Whether a copy of this call replaces a moved file: its time is new.
    fn is_copy(&self, volume: &V, file: &V::File) -> Result<bool, Fault> {
        if self.moved_copies.is_empty() {
            return Ok(false);
        }
        Ok(self.moved_copies.contains(&volume.identity(file)?))
    }

    /// Records a splice and makes it; the record then has the new bytes. `check` runs last before
    /// the file changes.
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
        // The records of a group follow each other, so moved bytes cannot be between them.
        let moved = if tags.whole || self.transaction.is_group() { 0 } else { all - old };
        let kept = all - moved;
        let record = Record {
            at: place.location(self.namespace).map_err(here)?,
            identity: Id(volume.identity(file).map_err(here)?),
            state: Some(state.identity),
            size,
            offset,
            old,
            new: new.len(),
            from,
            kept,
            moved,
            etag_before: tags.before.clone(),
            etag: tags.after.clone(),
            around: splice.around().map_err(here)?,
        };
        let stored = self
            .transaction
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
                // The state directory has no policy, so the denied file is the source.
                Fault::Denied(_) => Reason::reading(fault).at(place.asked()),
                fault => journal(fault).into(),
            })?;
        check()?;
        let new = match new {
            here @ Bytes::Here(_) => here,
            // The record's bytes cannot change any more.
            Bytes::File { length, .. } => {
                Bytes::File { volume: &state.volume, file: &stored.file, at: stored.body + kept, length }
            }
        };
        self.transaction.begin_in_place();
        Splice { new, ..*splice }.run().map_err(|stopped| here(stopped.fault))?;
        sync_content(volume, file, self.transaction.syncs()).map_err(here)?;
        self.transaction.end_in_place();
        Ok(())
    }
}

fn has_tag<V: Volume>(volume: &V, file: &V::File, size: u64, tags: &Tags) -> Result<bool, Fault> {
    match &tags.before {
        Some(tag) => Ok(etag::strong(&hasher(volume, file, 0, size)?) == *tag),
        None => Ok(true),
    }
}

fn kept<V: Volume>(state: &State<V>, id: Id) -> Result<Stored<V>, Fault> {
    state.done(id, Check::Whole)?.ok_or_else(|| Fault::Io("a record is damaged".to_owned()))
}

/// The offset and number of overwritten old bytes: those after the replaced ones too, if the length
/// changes.
fn replaced(size: u64, offset: u64, old: u64, new: u64, tags: &Tags) -> (u64, u64) {
    match tags.whole {
        true => (0, size),
        false if old == new => (offset, old),
        // Another process may have truncated it; the comparison with what was seen detects that.
        false => (offset, size.saturating_sub(offset)),
    }
}

/// The old bytes of a small splice, read once to be compared, recorded and moved.
#[derive(Default)]
pub(super) struct HeldBytes {
    from: u64,
    bytes: Vec<u8>,
}

impl HeldBytes {
    fn read<V: Volume>(volume: &V, file: &V::File, from: u64, length: u64) -> Result<Self, Fault> {
        Ok(Self { from, bytes: read_all(volume, file, from, length as usize)? })
    }

    fn range(&self, from: u64, length: u64) -> Option<&[u8]> {
        let from = usize::try_from(from.checked_sub(self.from)?).ok()?;
        self.bytes.get(from..from.checked_add(usize::try_from(length).ok()?)?)
    }
}

fn is_still<V: Volume>(
    volume: &V,
    file: &V::File,
    held: &HeldBytes,
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

struct Stopped {
    fault: Fault,
    clean: bool,
}

/// A splice in progress, with offsets in the file.
pub(super) struct Splice<'a, V: Volume> {
    pub(super) volume: &'a V,
    pub(super) file: &'a V::File,
    pub(super) size: u64,
    pub(super) offset: u64,
    pub(super) old: u64,
    pub(super) new: Bytes<'a, V>,
    pub(super) held: &'a HeldBytes,
}

pub(super) enum Bytes<'a, V: Volume> {
    Here(&'a [u8]),
    /// A part of an open file.
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
    /// The new bytes and those around them, as recorded; none of large new bytes.
    fn around(&self) -> Result<Vec<(u64, u64, u64)>, Fault> {
        let Self { size, offset, old, new, .. } = *self;
        if new.len() > CHUNK_BYTES as u64 || old + new.len() == 0 {
            return Ok(Vec::new());
        }
        let is_part = size > CHUNK_BYTES as u64;
        let (from, to) = match is_part {
            true => {
                (offset.saturating_sub(WINDOW_BYTES as u64 + 1), size.min(offset + old + WINDOW_BYTES as u64))
            }
            false => (0, size),
        };
        let part = |from: u64, to: u64| match self.held.range(from, to - from) {
            Some(bytes) => Ok(bytes.to_vec()),
            None => read_all(self.volume, self.file, from, (to - from) as usize),
        };
        let mut text = part(from, offset)?;
        let start = text.len();
        text.extend(new.read(0, new.len())?);
        let end = text.len();
        text.extend(part(offset + old, to)?);
        let numbers = |window: Window| (window.before as u64, window.behind as u64, window.hash);
        Ok(windows(&text, start..end, is_part).into_iter().map(numbers).collect())
    }

    fn unjournaled(&self, old: &Old) -> Result<(), Reason> {
        match self.run() {
            Ok(()) => Ok(()),
            Err(Stopped { fault, clean: true }) => Err(Reason::writing(fault)),
            Err(Stopped { fault, .. }) => match old {
                // The old bytes are in memory, and nothing else changed: put them back.
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
            // Steps that can run out of space come first, while the old content is complete.
            self.write(self.size, size, Direction::Up)
                .map_err(|Stopped { fault, clean }| Stopped { fault, clean: clean || self.cut_back() })?;
            self.write(self.offset, self.size, Direction::Down)
                .map_err(|Stopped { fault, clean }| Stopped { fault, clean: clean && self.cut_back() })
        } else if size < self.size {
            self.write(self.offset, size, Direction::Up)?;
            // If the end was cut out, nothing has moved, and only this step changes the file.
            let clean = size == self.offset;
            self.volume.set_size(self.file, size).map_err(|fault| Stopped { fault, clean })
        } else {
            self.write(self.offset, self.offset + new, Direction::Up)
        }
    }

    /// Undoes the growth, unless another process has truncated the file meanwhile.
    fn cut_back(&self) -> bool {
        self.volume.stat_file(self.file).is_ok_and(|stat| stat.size >= self.size)
            && self.volume.set_size(self.file, self.size).is_ok()
    }

    /// Writes the final bytes of `[from, to)`, in the direction that overwrites no unmoved byte.
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
            // A first write that wrote nothing has changed nothing.
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

    /// Bytes of the result, read from their old offsets.
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
