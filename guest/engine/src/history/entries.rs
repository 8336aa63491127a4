//! The calls with changes, the newest first.
//!
//! Records are named after their time, so only the needed ones are opened. The members of a group
//! follow it, because no other call writes meanwhile. The newest one names the group, so the others
//! need not be opened to find it.

use std::cell::RefCell;

use super::completeness::{Completeness, MissingPart};
use super::net_effect::{NetEffect, RemainingRecord};
use super::paths::Paths;
use super::record_stream::{RecordStream, streams};
use super::summary;
use super::trash_location;
use super::undo_stack::{UndoLink, UndoStack};
use super::visibility::Visibility;
use super::{REDO, UNDO};
use crate::view::View;
use fsgate_contract::id::{Id, IdRange};
use fsgate_error::{Failure, HistoryProblem, Reason};
use fsgate_journal::namespace::{Namespace, StateId};
use fsgate_journal::record::{Action, Record};
use fsgate_journal::{Check, Stored};
use fsgate_volume::{Fault, Volume};

pub(crate) type Address = (StateId, Id);

pub(crate) struct Entry {
    /// The id of its group, or of its only record.
    pub(crate) id: Id,
    pub(crate) newest: Record,
    /// All of them, the newest first, without the group's own.
    pub(crate) records: Vec<Address>,
    /// The state directory of the group's own record.
    pub(crate) group: Option<StateId>,
    /// The session may know only its id and its time.
    pub(crate) is_hidden: bool,
}

impl Entry {
    /// True for its own id or that of one of its records.
    pub(crate) fn is(&self, id: Id) -> bool {
        self.id == id || self.records.iter().any(|(_, record)| *record == id)
    }
}

pub(crate) struct Entries<'a, V: Volume> {
    namespace: &'a Namespace<V>,
    streams: Vec<RecordStream<'a, V>>,
    standing: UndoStack,
    paths: Paths<'a, V>,
    visibility: Visibility<'a, V>,
    completeness: RefCell<Completeness<'a, V>>,
}

impl<'a, V: Volume> Entries<'a, V> {
    pub(crate) fn new(view: &View<'a, V>) -> Result<Self, Failure> {
        let namespace = view.namespace();
        let (paths, visibility) = (Paths::new(namespace)?, Visibility::new(namespace, view.caller())?);
        let (streams, standing) = (streams(namespace)?, UndoStack::default());
        let completeness = RefCell::new(Completeness::new(namespace));
        Ok(Self { namespace, streams, standing, paths, visibility, completeness })
    }

    pub(crate) fn namespace(&self) -> &'a Namespace<V> {
        self.namespace
    }

    /// True if the session sees the entry of a record.
    pub(crate) fn shows(&self, record: &Record) -> bool {
        self.visibility.shows(&self.paths, record)
    }

    /// Refuses to undo a record whose entry the session does not see. `trash_entry` is the record
    /// that put its object into the trash last, if it is known.
    pub(crate) fn require_shown(
        &self,
        address: Address,
        trash_entry: Option<Address>,
        record: &Record,
    ) -> Result<(), Failure> {
        self.visibility.require(&self.paths, address, trash_entry, record)
    }

    pub(crate) fn paths(&self) -> &Paths<'a, V> {
        &self.paths
    }

    /// The next older entry. Entries about nothing but hidden paths or paths outside the grants do
    /// not exist.
    pub(crate) fn next(&mut self) -> Result<Option<Entry>, Failure> {
        loop {
            for stream in &mut self.streams {
                stream.fill().map_err(broken)?;
            }
            let heads = self.streams.iter().filter_map(|stream| stream.head.as_ref());
            let Some(id) = heads.map(entry_of).max() else { return Ok(None) };
            let (mut newest, mut records, mut group) = (None, Vec::new(), None);
            for stream in &mut self.streams {
                if stream.head.as_ref().is_none_or(|head| entry_of(head) != id) {
                    continue;
                }
                let Some(head) = stream.head.take() else { continue };
                records.extend(stream.take(&head, id).map_err(broken)?);
                if stream.newest().map_err(broken)? == Some(id) {
                    stream.pop();
                    group = Some(stream.id);
                }
                if head.action.is_group() {
                    group = Some(stream.id);
                } else if newest.as_ref().is_none_or(|newest: &Record| newest.id < head.id) {
                    newest = Some(head);
                }
            }
            // The members of this group are in unavailable directories.
            let Some(newest) = newest else { continue };
            records.sort_unstable_by_key(|(_, id)| std::cmp::Reverse(*id));
            if undoes_records(&newest) {
                let mut chains = Vec::new();
                for address in &records {
                    let read = if address.1 == newest.id { None } else { self.record(*address)? };
                    chains
                        .extend(undo_link(read.as_ref().unwrap_or(&newest)).map(|undo_link| vec![undo_link]));
                }
                self.go_back(&mut chains)?;
                self.standing.undoes_records(&chains);
            }
            let is_hidden = !self.shows(&newest);
            let entry = Entry { id, newest, records, group, is_hidden };
            if !self.is_absent(&entry)? {
                return Ok(Some(entry));
            }
        }
    }

    fn is_absent(&self, entry: &Entry) -> Result<bool, Failure> {
        if !self.paths.is_absent(&entry.newest) {
            return Ok(false);
        }
        for address in entry.records.iter().filter(|(_, id)| *id != entry.newest.id) {
            if self.record(*address)?.is_some_and(|record| !self.paths.is_absent(&record)) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The entries from the next one to the first wanted one, if any.
    pub(crate) fn until(
        &mut self,
        mut is_wanted: impl FnMut(&Self, &Entry) -> Result<bool, Failure>,
    ) -> Result<Option<Vec<Entry>>, Failure> {
        let mut calls = Vec::new();
        while let Some(entry) = self.next()? {
            let is_last = is_wanted(self, &entry)?;
            calls.push(entry);
            if is_last {
                return Ok(Some(calls));
            }
        }
        Ok(None)
    }

    /// The entries from the next one to the one with this id or with a record of this id.
    pub(crate) fn until_id(&mut self, id: Id) -> Result<Vec<Entry>, Failure> {
        let calls = self.until(|_, entry| Ok(entry.is(id) || entry.id < id))?.unwrap_or_default();
        match calls.last() {
            Some(last) if last.is(id) => Ok(calls),
            _ => Err(self.no_entry(id)?),
        }
    }

    pub(crate) fn no_entry(&self, id: Id) -> Result<Failure, Failure> {
        Ok(self.left_aside(id)?.unwrap_or_else(|| HistoryProblem::UnknownEntry(id.to_string()).into()))
    }

    /// The refusal of an interrupted change that recovery has set aside.
    pub(crate) fn left_aside(&self, id: Id) -> Result<Option<Failure>, Failure> {
        let path =
            self.set_aside(id)?.and_then(|(_, stored)| self.paths.of(&stored.record).into_iter().next());
        Ok(path.map(|path| HistoryProblem::SetAside(path.clone(), id.to_string()).at(path)))
    }

    /// The set-aside record of this id, if the session sees it.
    pub(crate) fn set_aside(&self, id: Id) -> Result<Option<(Address, Stored<V>)>, Failure> {
        let name = id.to_string();
        for RecordStream { id: number, state, .. } in &self.streams {
            match Stored::open(&state.volume, &state.conflicts, &name, Check::Header) {
                Ok(Some(stored))
                    if self.shows(&stored.record) && !self.paths.of(&stored.record).is_empty() =>
                {
                    return Ok(Some(((*number, id), stored)));
                }
                Ok(_) | Err(Fault::NotFound) => {}
                Err(fault) => return Err(broken(fault)),
            }
        }
        Ok(None)
    }

    /// The ids in a range of the set-aside records that the session sees.
    pub(super) fn all_set_aside(&self, range: IdRange) -> Result<Vec<Id>, Failure> {
        let mut ids = Vec::new();
        for stream in &self.streams {
            ids.extend(stream.state.ids(&stream.state.conflicts).map_err(broken)?.iter());
        }
        ids.retain(|id| range.contains(*id));
        let mut seen = Vec::new();
        for id in ids {
            seen.extend(self.set_aside(id)?.map(|_| id));
        }
        Ok(seen)
    }

    pub(crate) fn record(&self, address: Address) -> Result<Option<Record>, Failure> {
        Ok(self.stored(address)?.map(|stored| stored.record))
    }

    pub(crate) fn any_record(
        &self,
        entry: &Entry,
        is_wanted: impl Fn(&Record) -> bool,
    ) -> Result<bool, Failure> {
        for address in &entry.records {
            if self.record(*address)?.is_some_and(|record| is_wanted(&record)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    pub(crate) fn stored(&self, (state, id): Address) -> Result<Option<Stored<V>>, Failure> {
        self.namespace.state(state).done(id, Check::Header).map_err(broken)
    }

    /// True if a returned record is in effect: its result is as it left it.
    pub(crate) fn is_in_effect(&self, record: Id) -> bool {
        self.standing.is_in_effect(record)
    }

    /// True if some record of an entry is in effect.
    pub(crate) fn any_in_effect(&self, entry: &Entry) -> bool {
        entry.records.iter().any(|(_, id)| self.standing.is_in_effect(*id))
    }

    /// Extends each chain with the undone record of its last one, and so on, until a record is
    /// known. All chains advance together, because the records of one call are close to each other
    /// in the log.
    fn go_back(&self, chains: &mut [Vec<UndoLink>]) -> Result<(), Failure> {
        let mut open: Vec<usize> = (0..chains.len()).collect();
        while !open.is_empty() {
            let mut next = Vec::new();
            for number in open {
                let Some(last) = chains[number].last().filter(|last| !self.standing.knows(last.record))
                else {
                    continue;
                };
                let found = self.found(last.record)?.filter(undoes_records);
                if let Some(undo_link) = found.as_ref().and_then(undo_link) {
                    chains[number].push(undo_link);
                    next.push(number);
                }
            }
            open = next;
        }
        Ok(())
    }

    /// The records to undo, the newest first, so that nothing of the last entry stays in effect.
    /// The others are all that were returned before it.
    pub(crate) fn standing(&self, calls: &[Entry]) -> Result<Vec<RemainingRecord>, Failure> {
        let Some(last) = calls.last() else { return Ok(Vec::new()) };
        let number = calls.len() - 1;
        if !last.records.iter().any(|(_, id)| self.standing.was_undone(*id)) {
            let left =
                |record: &Address| RemainingRecord { record: *record, trash_entry: None, call: number };
            return Ok(last.records.iter().map(left).collect());
        }
        Ok(NetEffect::of(self, calls, |_| true)?.standing(self, number))
    }

    pub(crate) fn require_whole(&self, record: &Record) -> Result<(), Failure> {
        self.completeness.borrow_mut().require(record, &self.paths)
    }

    pub(crate) fn require_all(&self, entry: &Entry) -> Result<(), Failure> {
        let complete = self.completeness.borrow_mut().require_entry(entry, &self.paths);
        complete.map_err(|failure| failure.of_entry(|| Some(summary::named(entry))))
    }

    pub(crate) fn lacks(&self, entry: &Entry) -> Result<Option<MissingPart>, Failure> {
        self.completeness.borrow_mut().lacks(entry)
    }

    /// The record that a record of an undo or redo undoes.
    pub(crate) fn undoes(&self, entry: &Entry, record: &Record) -> Option<Id> {
        record.undoes.filter(|_| undoes_records(&entry.newest))
    }

    /// The id of a record's entry. The record may be gone.
    pub(crate) fn entry_of(&self, record: Id) -> Result<Id, Failure> {
        Ok(self.found(record)?.map_or(record, |record| entry_of(&record)))
    }

    pub(crate) fn found(&self, id: Id) -> Result<Option<Record>, Failure> {
        for (state, _) in self.namespace.state_ids() {
            if let Some(record) = self.record((state, id))? {
                return Ok(Some(record));
            }
        }
        Ok(None)
    }

    pub(crate) fn is_in_trash(&self, (state, id): Address) -> Result<bool, Failure> {
        trash_location::is_in_trash(self.namespace.state(state), id)
    }

    pub(crate) fn bytes(&self, address: Address, stored: &Stored<V>) -> Result<u64, Failure> {
        let in_trash = match &stored.record.action {
            Action::Remove(remove) => remove.object.bytes(),
            Action::Move(moved) => moved.replaced.as_ref().map_or(0, |replaced| replaced.object.bytes()),
            _ => 0,
        };
        let kept = if in_trash > 0 && self.is_in_trash(address)? { in_trash } else { 0 };
        Ok(stored.size + kept)
    }

    pub(crate) fn read(
        &self,
        (state, _): Address,
        stored: &Stored<V>,
        length: usize,
    ) -> Result<Vec<u8>, Failure> {
        let bytes = stored.read(&self.namespace.state(state).volume, 0, length).map_err(broken)?;
        if bytes.len() == length {
            Ok(bytes)
        } else {
            Err(broken(Fault::Io("a record is damaged".to_owned())))
        }
    }

    pub(crate) fn conflicts(&self, most: usize) -> Result<Vec<Record>, Failure> {
        let mut records = Vec::new();
        for stream in &self.streams {
            let ids = stream.state.ids(&stream.state.conflicts).map_err(broken)?;
            let mut room = most;
            for id in ids.iter().rev() {
                if room == 0 {
                    break;
                }
                let name = id.to_string();
                match Stored::open(&stream.state.volume, &stream.state.conflicts, &name, Check::Header) {
                    Ok(Some(stored))
                        if self.shows(&stored.record) && !self.paths.is_absent(&stored.record) =>
                    {
                        records.push(stored.record);
                        room -= 1;
                    }
                    Ok(_) => {}
                    Err(Fault::NotFound) => {}
                    Err(fault) => return Err(broken(fault)),
                }
            }
        }
        records.sort_unstable_by_key(|record| std::cmp::Reverse(record.id));
        records.truncate(most);
        Ok(records)
    }
}

/// True for an undo or a redo. A restore is a change of its own: it may remove other objects, and
/// its result need not be an earlier state.
fn undoes_records(newest: &Record) -> bool {
    [UNDO, REDO].contains(&newest.tool.as_str())
}

fn undo_link(record: &Record) -> Option<UndoLink> {
    record.undoes.map(|undoes| UndoLink { by: record.id, call: entry_of(record), record: undoes })
}

pub(super) fn entry_of(record: &Record) -> Id {
    record.group.map_or(record.id, |group| group.id)
}

pub(super) fn broken(fault: Fault) -> Failure {
    Failure::from(Reason::reading(fault))
}
