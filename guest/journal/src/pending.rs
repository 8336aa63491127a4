//! Trash entries that still exist although their records are gone.
//!
//! The operating system can refuse to empty a directory, for example because another user owns it.
//! The record goes all the same, and its trash entry is pending until a later call empties it. A
//! file in `waiting/`, named after the entry with the suffix [`PENDING`], keeps the header of the
//! record: the quota counts the entry by it, and a note names its path. `forget` writes that file
//! before the record goes, with the suffix [`PREPARED`]; the entry is pending as soon as the record
//! is gone.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::Id;
use super::file::{Check, Stored, Writer, open_regular};
use super::prune::bytes_kept;
use super::record::{Action, Record};
use super::remove::TrashEntry;
use super::trash::discard;
use crate::state::{PENDING, PREPARED, State, pending_id};
use crate::tree_walk::count_below;
use fsgate_volume::answers::existing;
use fsgate_volume::bytes::sync_names;
use fsgate_volume::{Access, Fault, Kind, Volume};

impl<V: Volume> State<V> {
    /// Removes the trash entry of a record that is gone. Returns false if the entry is pending now.
    pub fn empty(&self, id: Id, record: Option<&Record>) -> Result<bool, Fault> {
        match discard(&self.volume, &self.trash, &id.to_string()) {
            Ok(()) => Ok(true),
            // The next call continues.
            Err(Fault::Deadline) => Err(Fault::Deadline),
            Err(_) => self.set_pending(id, record).map(|()| false),
        }
    }

    /// Tries again to empty the pending entries.
    pub fn empty_pending(&self) -> Result<(), Fault> {
        let mut is_less = false;
        for id in self.pending_ids()? {
            let record = self.pending_record(id).unwrap_or_else(|_| Record::lost(id));
            match discard(&self.volume, &self.trash, &id.to_string()) {
                Ok(()) => self.end_pending(id)?,
                Err(Fault::Deadline) => return Err(Fault::Deadline),
                Err(_) => continue,
            }
            self.emptied.borrow_mut().push(record);
            is_less = true;
        }
        sync_names(&self.volume, &self.trash, is_less && self.syncs())?;
        sync_names(&self.volume, &self.waiting, is_less && self.syncs())
    }

    /// The records of the pending trash entries. An entry that a crash has left without its record
    /// has one without a path.
    pub fn pending(&self) -> Result<Vec<Record>, Fault> {
        self.pending_ids()?.into_iter().map(|id| self.pending_record(id)).collect()
    }

    fn pending_record(&self, id: Id) -> Result<Record, Fault> {
        let open = |suffix| {
            let file = open_regular(&self.volume, &self.waiting, &name(id, suffix), Access::Read);
            existing(file).map(Option::flatten)
        };
        let file = match open(PENDING)? {
            None => open(PREPARED)?,
            file => file,
        };
        let Some(file) = file else { return Ok(Record::lost(id)) };
        let size = self.volume.stat_file(&file)?.size;
        let stored = Stored::read_at(&self.volume, &file, 0, size, Check::Header)?;
        Ok(stored.map_or_else(|| Record::lost(id), |stored| stored.record))
    }

    /// The records of the pending entries, and of those that this call has emptied.
    pub fn pending_before(&self) -> Result<Vec<Record>, Fault> {
        let mut records = self.pending()?;
        records.extend(self.emptied.borrow().iter().cloned());
        Ok(records)
    }

    /// Takes the records of the pending entries that this call has emptied.
    pub fn take_emptied(&self) -> Vec<Record> {
        self.emptied.take()
    }

    /// Bytes that pending entries take from the quota.
    pub fn pending_bytes(&self) -> Result<u64, Fault> {
        let mut bytes = 0_u64;
        for record in self.pending()? {
            bytes = bytes.saturating_add(match record.action {
                Action::Remark => self.measured(record.id).unwrap_or(0),
                action => bytes_kept(&action),
            });
        }
        Ok(bytes)
    }

    pub(super) fn pending_ids(&self) -> Result<Vec<Id>, Fault> {
        Ok(self.pending_files()?.0)
    }

    /// Removes the prepared files of records that have not gone: a crash has left them.
    pub(super) fn drop_unused_pending(&self) -> Result<(), Fault> {
        let (_, unused) = self.pending_files()?;
        for id in &unused {
            existing(self.volume.remove_file(&self.waiting, &name(*id, PREPARED)))?;
        }
        sync_names(&self.volume, &self.waiting, !unused.is_empty() && self.syncs())
    }

    /// The ids of the pending entries, and those of prepared files whose records are there.
    fn pending_files(&self) -> Result<(Vec<Id>, Vec<Id>), Fault> {
        let (mut pending, mut prepared, mut unused) = (Vec::new(), Vec::new(), Vec::new());
        self.each_name(&self.waiting, |name| {
            let ids = if name.ends_with(PREPARED) { &mut prepared } else { &mut pending };
            ids.extend(pending_id(name).and_then(|id| id.parse::<Id>().ok()));
        })?;
        let aside = if prepared.is_empty() { BTreeSet::new() } else { self.aside()? };
        for id in prepared {
            let is_recorded = aside.contains(&id) || self.is_done(id)?;
            if is_recorded { unused.push(id) } else { pending.push(id) }
        }
        pending.sort_unstable();
        pending.dedup();
        Ok((pending, unused))
    }

    /// Writes the files that make trash entries pending as soon as their records go, and returns
    /// the ids. Only directories take long enough to empty for a crash in between to matter. A full
    /// state directory has no room for these files, and still forgets.
    pub(super) fn prepare_pending(&self, kept: &[TrashEntry]) -> Result<BTreeSet<Id>, Fault> {
        let mut prepared = BTreeSet::new();
        for (id, record) in kept {
            let stat = existing(self.volume.stat(&self.trash, &id.to_string()))?;
            if !stat.is_some_and(|stat| stat.kind == Kind::Directory) {
                continue;
            }
            match self.note_pending(*id, record.as_ref(), PREPARED) {
                Ok(()) => prepared.insert(*id),
                Err(Fault::Deadline) => return Err(Fault::Deadline),
                Err(_) => {
                    discard(&self.volume, &self.tmp, &name(*id, PREPARED))?;
                    break;
                }
            };
        }
        Ok(prepared)
    }

    /// Removes the files of an entry that is pending no longer.
    pub(super) fn end_pending(&self, id: Id) -> Result<(), Fault> {
        for suffix in [PENDING, PREPARED] {
            existing(self.volume.remove_file(&self.waiting, &name(id, suffix)))?;
        }
        Ok(())
    }

    /// Makes the trash entries pending that still exist.
    pub fn set_all_pending(&self, kept: &[TrashEntry]) -> Result<(), Fault> {
        for (id, record) in kept {
            if self.is_kept(&id.to_string())? {
                self.set_pending(*id, record.as_ref())?;
            }
        }
        Ok(())
    }

    fn set_pending(&self, id: Id, record: Option<&Record>) -> Result<(), Fault> {
        if self.has_note(id, PREPARED)? && !self.is_done(id)? {
            return Ok(());
        }
        self.note_pending(id, record, PENDING)
    }

    fn has_note(&self, id: Id, suffix: &str) -> Result<bool, Fault> {
        Ok(existing(self.volume.stat(&self.waiting, &name(id, suffix)))?.is_some())
    }

    fn note_pending(&self, id: Id, record: Option<&Record>, suffix: &str) -> Result<(), Fault> {
        if self.has_note(id, suffix)? {
            return Ok(());
        }
        let name = name(id, suffix);
        let record = record.cloned().unwrap_or_else(|| Record::lost(id));
        discard(&self.volume, &self.tmp, &name)?;
        let file = Rc::new(self.volume.create_file(&self.tmp, &name)?);
        // Records with a trash entry have no body.
        Writer::begin(&self.volume, file.clone(), 0, &record, 0)?.end(record, false)?;
        self.bring(file, &name, &self.waiting)
    }

    fn measured(&self, id: Id) -> Result<u64, Fault> {
        let name = id.to_string();
        let stat = self.volume.stat(&self.trash, &name)?;
        match stat.kind {
            Kind::Directory => {
                Ok(count_below(&self.volume, self.volume.open_directory(&self.trash, &name)?)?.1)
            }
            _ => Ok(stat.size),
        }
    }
}

fn name(id: Id, suffix: &str) -> String {
    format!("{id}{suffix}")
}
