//! Removes records from the log, with their trash entries.

use std::collections::BTreeSet;

use super::Id;
use super::file::Check;
use super::prune::awaited;
use super::record::{Action, Record};
use crate::state::State;
use crate::state::control::Control;
use crate::state::reading::LogCache;
use fsgate_volume::answers::existing;
use fsgate_volume::bytes::sync_names;
use fsgate_volume::{Fault, Volume};

/// A trash entry and its record, unless the record is damaged.
pub(crate) type TrashEntry = (Id, Option<Record>);

/// The cause of a removal.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum RemovalCause {
    /// The quota. Changes that are pending or set aside stay.
    Quota,
    /// A call of `forget`.
    Requested,
}

impl<V: Volume> State<V> {
    /// Removes records and their trash entries, which [`State::kept_for`] has found.
    pub fn forget(&self, ids: &BTreeSet<Id>, kept: &[TrashEntry], cause: RemovalCause) -> Result<(), Fault> {
        // After the last record the file can have bytes that only an uncommitted change needed.
        // Another program may have removed the file.
        existing(self.cut_off(self.now().end))?;
        if ids.is_empty() {
            return self.without(ids, cause);
        }
        if cause == RemovalCause::Quota && !self.now().pruned {
            self.set(Control { pruned: true, ..self.now() })?;
        }
        // A trash entry is useless without its record, and goes after it. After a crash the next
        // call looks for such entries.
        self.unsettled(|| {
            let prepared = self.prepare_pending(kept)?;
            self.without(ids, cause)?;
            let stays = match cause {
                RemovalCause::Quota => self.aside()?,
                RemovalCause::Requested => BTreeSet::new(),
            };
            let forgotten: Vec<_> = ids.difference(&stays).map(Id::to_string).collect();
            for name in &forgotten {
                for directory in [&self.conflicts, &self.waiting] {
                    existing(self.volume.remove_file(directory, name))?;
                }
            }
            // A record that a loss of power brings back would have lost a part of its data.
            sync_names(&self.volume, &self.conflicts, self.syncs())?;
            sync_names(&self.volume, &self.waiting, self.syncs())?;
            for (id, record) in kept.iter().filter(|(id, _)| !stays.contains(id)) {
                if self.empty(*id, record.as_ref())? && prepared.contains(id) {
                    self.end_pending(*id)?;
                }
            }
            sync_names(&self.volume, &self.trash, self.syncs())
        })
    }

    /// The trash entries of records, with the records.
    pub fn kept_for<'i>(&self, ids: impl IntoIterator<Item = &'i Id>) -> Result<Vec<TrashEntry>, Fault> {
        let mut kept = Vec::new();
        for id in ids {
            if self.is_kept(&id.to_string())? {
                kept.push((*id, self.keeper(*id)?));
            }
        }
        Ok(kept)
    }

    pub(super) fn aside(&self) -> Result<BTreeSet<Id>, Fault> {
        Ok(self.ids(&self.waiting)?.into_iter().chain(self.ids(&self.conflicts)?).collect())
    }

    /// True if any record has this id, so that its trash entry is in use.
    pub(super) fn knows(&self, id: Id) -> Result<bool, Fault> {
        Ok(self.is_done(id)?
            || self.aside()?.contains(&id)
            || self.under_way()?.iter().any(|stored| stored.record.id == id))
    }

    /// The number of these records that a failed removal has left.
    pub fn remaining(&self, ids: &BTreeSet<Id>) -> Result<usize, Fault> {
        // The cached pages are from before the removal.
        *self.reading.borrow_mut() = LogCache::default();
        let there = self.aside()?;
        let mut remaining = 0;
        for id in ids {
            remaining += usize::from(there.contains(id) || self.is_done(*id)?);
        }
        Ok(remaining)
    }

    /// Rewrites the files of the log without these records. After a crash, the quota has removed
    /// the oldest of them ([`State::may_have_pruned`]), and `forget` the newest, so that no undo
    /// stays without its entry.
    fn without(&self, ids: &BTreeSet<Id>, cause: RemovalCause) -> Result<(), Fault> {
        let mut files = self.files()?.to_vec();
        if cause == RemovalCause::Requested {
            files.reverse();
        }
        for name in &files {
            let Some(page) = self.page(*name)? else { continue };
            let left: Vec<_> = page
                .spans
                .iter()
                .filter(|span| !ids.contains(&span.id))
                .map(|span| (&page.file, *span))
                .collect();
            let is_less = left.len() < page.spans.len();
            let is_empty = page.spans.is_empty() && self.now().file != Some(*name);
            if is_less || is_empty {
                self.rewrite(*name, left)?;
            }
        }
        Ok(())
    }

    /// True if the quota may have removed the record of an id: it has removed records before, and
    /// every older record left is one that a pending change needs.
    pub fn may_have_pruned(&self, id: Id) -> Result<bool, Fault> {
        let awaited = awaited(self)?;
        for name in self.files()?.iter() {
            let page = self.page(*name)?;
            for oldest in page.iter().flat_map(|page| &page.spans).map(|span| span.id) {
                let record = self.done(oldest, Check::Header)?.map(|stored| stored.record);
                let group = record.as_ref().and_then(|record| record.group).map(|group| group.id);
                if awaited.contains(&oldest) || group.is_some_and(|group| awaited.contains(&group)) {
                    continue;
                }
                // State format 2 marks the newest removed record with a remark.
                let is_remark = record.is_some_and(|record| record.action == Action::Remark);
                return Ok(oldest > id && (self.now().pruned || is_remark));
            }
        }
        Ok(self.now().pruned)
    }
}
