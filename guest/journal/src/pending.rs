//! Trash entries that still exist although their records are gone.
//!
//! The operating system can refuse to empty a directory, for example because another user owns it.
//! The record goes all the same, and its trash entry is pending until a later call empties it. A
//! file in `waiting/`, named after the entry with the suffix [`PENDING`], keeps the header of the
//! record: the quota counts the entry by it, and a note names its path. `forget` writes that file
//! before the record goes, and the entry is pending from the moment when it has gone.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::Id;
use super::file::{Check, Stored, Writer, open_regular};
use super::prune::bytes_kept;
use super::record::{Action, Record};
use super::remove::TrashEntry;
use super::trash::discard;
use crate::state::{PENDING, State};
use crate::tree_walk::count_below;
use fsgate_volume::answers::existing;
use fsgate_volume::bytes::sync_names;
use fsgate_volume::{Access, Fault, Kind, Volume};

impl<V: Volume> State<V> {
    /// Removes the trash entry of a record that is gone. Returns false if the entry is pending now.
    pub fn empty(&self, id: Id, record: Option<&Record>) -> Result<bool, Fault> {
        match discard(&self.volume, &self.trash, &id.to_string()) {
            Ok(()) => existing(self.volume.remove_file(&self.waiting, &name(id))).map(|_| true),
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
                Ok(()) => self.volume.remove_file(&self.waiting, &name(id))?,
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
        let file = open_regular(&self.volume, &self.waiting, &name(id), Access::Read)?;
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
        let mut ids = Vec::new();
        self.each_name(&self.waiting, |name| {
            ids.extend(name.strip_suffix(PENDING).and_then(|id| id.parse::<Id>().ok()));
        })?;
        ids.sort_unstable();
        // A crash before the record went has left the file.
        let aside = if ids.is_empty() { BTreeSet::new() } else { self.aside()? };
        let mut pending = Vec::new();
        for id in ids {
            if !aside.contains(&id) && !self.is_done(id)? {
                pending.push(id);
            }
        }
        Ok(pending)
    }

    /// Writes the files that make trash entries pending as soon as their records go. Only
    /// directories take long enough to empty for a crash in between to matter. A full state
    /// directory has no room for these files, and still forgets.
    pub(super) fn prepare_pending(&self, kept: &[TrashEntry]) -> Result<(), Fault> {
        for (id, record) in kept {
            let stat = existing(self.volume.stat(&self.trash, &id.to_string()))?;
            if !stat.is_some_and(|stat| stat.kind == Kind::Directory) {
                continue;
            }
            match self.set_pending(*id, record.as_ref()) {
                Err(Fault::Deadline) => return Err(Fault::Deadline),
                Err(_) => return discard(&self.volume, &self.tmp, &name(*id)),
                Ok(()) => {}
            }
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
        let name = name(id);
        if existing(self.volume.stat(&self.waiting, &name))?.is_some() {
            return Ok(());
        }
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

fn name(id: Id) -> String {
    format!("{id}{PENDING}")
}
