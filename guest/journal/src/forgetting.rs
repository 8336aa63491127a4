//! Records less: what goes with them, and what the log says of that afterwards.

use std::collections::{BTreeMap, BTreeSet};

use super::Id;
use super::file::{Check, Stored};
use super::log::Piece;
use super::record::{Action, Create, Location, Record};
use crate::namespace::{Namespace, StateId};
use crate::state::State;
use crate::state::reading::Reading;
use fsgate_volume::{Fault, Volume};

/// What has come out of the trash, by groups of which all is forgotten.
pub(crate) type Returned = BTreeMap<Id, Vec<Location>>;

/// A trash entry and its record, unless that is damaged.
pub(crate) type TrashEntry = (Id, Option<Record>);

/// Which records are forgotten.
#[derive(Clone, Copy)]
pub enum Forgetting<'a> {
    /// The oldest ones.
    Oldest,
    /// Any.
    Any(&'a Returned),
}

/// What has come out of the trash, by each of the groups of which all is among some records.
pub fn returned<V: Volume>(namespace: &Namespace<V>, records: &[(StateId, Id)]) -> Result<Returned, Fault> {
    let (mut groups, mut returned) = (BTreeMap::new(), Returned::new());
    let mut parts: BTreeMap<Id, BTreeSet<Id>> = BTreeMap::new();
    for (number, id) in records {
        let state = namespace.state(*number);
        let Some(Stored { record, .. }) = state.done(*id, Check::Header)? else { continue };
        if let Some(group) = record.group {
            parts.entry(group.id).or_default().insert(state.identity);
            if let Action::Create(Create { at, from: Some(_), .. }) = record.action {
                returned.entry(group.id).or_default().push(at);
            }
        } else if let Action::Group { states } = record.action {
            groups.insert(record.id, states);
        }
    }
    for (id, members) in parts {
        let all = groups.remove(&id).unwrap_or_default();
        if all.is_empty() || !all.iter().all(|part| members.contains(part)) {
            returned.remove(&id);
        } else {
            returned.entry(id).or_default();
        }
    }
    Ok(returned)
}

impl<V: Volume> State<V> {
    /// Removes records and their trash entries, those that [`State::kept_for`] has found. A record
    /// leaves [a trace](Record::trace), unless nothing is older: then the log says that there was
    /// more.
    pub fn forget(&self, ids: &BTreeSet<Id>, kept: &[TrashEntry], how: Forgetting) -> Result<(), Fault> {
        // Behind the last record may be bytes that moved, and those of a change that was not kept.
        match self.cut_off(self.now().end) {
            // Somebody has taken the file away.
            Ok(()) | Err(Fault::NotFound) => {}
            Err(fault) => return Err(fault),
        }
        if ids.is_empty() {
            return self.without(ids, how);
        }
        // A trash entry is of no use without its record, and goes after it. If that is cut short,
        // the next call looks for it.
        self.unsettled(|| {
            self.without(ids, how)?;
            // What is not at its end, or was set aside, does not go by itself.
            let stays = match how {
                Forgetting::Oldest => self.aside()?,
                Forgetting::Any(_) => BTreeSet::new(),
            };
            let forgotten: Vec<_> = ids.difference(&stays).map(Id::to_string).collect();
            for name in &forgotten {
                for directory in [&self.conflicts, &self.waiting] {
                    self.leave_trace(directory, name)?;
                    match self.volume.remove_file(directory, name) {
                        Ok(()) | Err(Fault::NotFound) => {}
                        Err(fault) => return Err(fault),
                    }
                }
            }
            if self.syncs() {
                // One that comes back would come back to a part of what was kept.
                self.volume.sync_directory(&self.conflicts)?;
                self.volume.sync_directory(&self.waiting)?;
            }
            for (id, record) in kept.iter().filter(|(id, _)| !stays.contains(id)) {
                self.empty(*id, record.as_ref())?;
            }
            if self.syncs() { self.volume.sync_directory(&self.trash) } else { Ok(()) }
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

    /// The records that are not at their end, or were set aside.
    pub(super) fn aside(&self) -> Result<BTreeSet<Id>, Fault> {
        Ok(self.ids(&self.waiting)?.into_iter().chain(self.ids(&self.conflicts)?).collect())
    }

    /// True if there is a record of this id, done or not: what it keeps can be found.
    pub(super) fn knows(&self, id: Id) -> Result<bool, Fault> {
        Ok(self.is_done(id)?
            || self.aside()?.contains(&id)
            || self.under_way()?.iter().any(|stored| stored.record.id == id))
    }

    /// How many of some records are still there, behind a forgetting that has failed.
    pub fn remaining(&self, ids: &BTreeSet<Id>) -> Result<usize, Fault> {
        // What was looked at before is what was there before.
        *self.reading.borrow_mut() = Reading::default();
        let there = self.aside()?;
        let mut remaining = 0;
        for id in ids {
            remaining += usize::from(there.contains(id) || self.is_done(*id)?);
        }
        Ok(remaining)
    }

    /// Writes the files of the log anew that have some of these records.
    fn without(&self, ids: &BTreeSet<Id>, how: Forgetting) -> Result<(), Fault> {
        // The newest first: what says up to where is written before anything is gone, whenever this is cut short.
        for name in self.files()?.iter().rev() {
            let Some(page) = self.page(*name)? else { continue };
            let (mut left, mut is_less) = (Vec::new(), false);
            for span in &page.spans {
                if !ids.contains(&span.id) {
                    left.push(Piece::Copied(&page.file, *span));
                    continue;
                }
                is_less = true;
                left.extend(match how {
                    Forgetting::Oldest if ids.last() != Some(&span.id) => None,
                    Forgetting::Oldest => Some(Piece::New(Box::new(Record::remark(span.id, Action::Pruned)))),
                    Forgetting::Any(returned) => {
                        let (file, check) = (&page.file, Check::Header);
                        let stored = Stored::read_at(&self.volume, file, span.at, span.end, check)?;
                        let trace = stored.and_then(|Stored { record, .. }| {
                            let group = record.group.and_then(|group| returned.get(&group.id));
                            record.trace(group.map(|all| &all[..]))
                        });
                        trace.map(Box::new).map(Piece::New)
                    }
                });
            }
            // One in which nothing can be read is of no use to anybody.
            let is_empty = page.spans.is_empty() && self.now().file != Some(*name);
            if is_less || is_empty {
                self.rewrite(*name, left)?;
            }
        }
        Ok(())
    }

    /// Writes down what stays of a record that did not come to its end: it may have been made, wholly or in part.
    fn leave_trace(&self, directory: &V::Directory, name: &str) -> Result<(), Fault> {
        let stored = match Stored::open(&self.volume, directory, name, Check::Header) {
            Ok(stored) => stored,
            Err(Fault::NotFound) => None,
            Err(fault) => return Err(fault),
        };
        match stored.and_then(|stored| stored.record.trace(None)) {
            Some(trace) if !self.is_done(trace.id)? => self.put_in(trace.id, Piece::New(Box::new(trace))),
            _ => Ok(()),
        }
    }

    /// The newest record that was too much, or too old, as far as that is known: there may have been more before it.
    pub fn pruned(&self) -> Result<Option<Id>, Fault> {
        for name in self.files()?.iter().rev() {
            let page = self.page(*name)?;
            let spans = page.iter().flat_map(|page| page.spans.iter().rev());
            // There are older ones where somebody died over pruning, or where something came to its end that was older still.
            for span in spans.filter(|span| span.id.is_last_of_its_moment()) {
                let stored = self.done(span.id, Check::Header)?;
                if stored.is_some_and(|stored| stored.record.action == Action::Pruned) {
                    return Ok(Some(span.id));
                }
            }
        }
        Ok(None)
    }
}
