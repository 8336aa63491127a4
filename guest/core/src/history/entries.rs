//! The calls that have changed something, the newest first.
//!
//! Records are named by their time, so none is opened that is not needed. The members of a group follow it: nobody else
//! writes while a call does. The newest one tells which group it is, and the rest of them need not be opened for that.

use super::kept;
use super::paths::Paths;
use super::standing::Standing;
use super::{REDO, RESTORE, UNDO};
use crate::error::Failure;
use crate::journal::record::{Action, Record};
use crate::journal::{Check, Id, Stored};
use crate::namespace::{Namespace, StateId};
use crate::state::State;
use crate::volume::{Fault, Volume};

/// A record: the state directory that holds it, and its id.
pub(crate) type Address = (StateId, Id);

/// One call: its changes seen as one.
pub(crate) struct Entry {
    /// The id of its group, or of its only record.
    pub(crate) id: Id,
    /// Its newest record.
    pub(crate) newest: Record,
    /// All of them, the newest first. The group's own is none of them.
    pub(crate) records: Vec<Address>,
    /// Where the group's own record is.
    pub(crate) group: Option<StateId>,
}

/// All of them, from the newest on.
pub(crate) struct Entries<'a, V: Volume> {
    namespace: &'a Namespace<V>,
    lanes: Vec<Lane<'a, V>>,
    standing: Standing,
    paths: Paths<'a, V>,
}

/// What one state directory holds.
struct Lane<'a, V: Volume> {
    id: StateId,
    state: &'a State<V>,
    /// Files of the log that were not yet looked into, the newest last.
    files: Vec<Id>,
    /// Records that were not yet looked at, the newest last.
    ids: Vec<Id>,
    /// The newest record that was not given out.
    head: Option<Record>,
}

impl<'a, V: Volume> Entries<'a, V> {
    pub(crate) fn new(namespace: &'a Namespace<V>) -> Result<Self, Failure> {
        let mut lanes = Vec::new();
        for (id, state) in namespace.state_ids() {
            let files = state.files().map_err(broken)?.to_vec();
            lanes.push(Lane { id, state, files, ids: Vec::new(), head: None });
        }
        Ok(Self { namespace, lanes, standing: Standing::default(), paths: Paths::new(namespace)? })
    }

    /// The next older entry. Those that are about nothing but what is hidden, or lies in no directory that is
    /// granted now, are not there.
    pub(crate) fn next(&mut self) -> Result<Option<Entry>, Failure> {
        loop {
            for lane in &mut self.lanes {
                lane.fill().map_err(broken)?;
            }
            let heads = self.lanes.iter().filter_map(|lane| lane.head.as_ref());
            let Some(id) = heads.map(entry_of).max() else { return Ok(None) };
            let (mut newest, mut records, mut group) = (None, Vec::new(), None);
            for lane in &mut self.lanes {
                if lane.head.as_ref().is_none_or(|head| entry_of(head) != id) {
                    continue;
                }
                let Some(head) = lane.head.take() else { continue };
                records.extend(lane.take(&head, id).map_err(broken)?);
                if lane.newest().map_err(broken)? == Some(id) {
                    lane.ids.pop();
                    group = Some(lane.id);
                }
                if head.action.is_group() {
                    group = Some(lane.id);
                } else if newest.as_ref().is_none_or(|newest: &Record| newest.id < head.id) {
                    newest = Some(head);
                }
            }
            // A group whose members are kept where we cannot look.
            let Some(newest) = newest else { continue };
            records.sort_unstable_by_key(|(_, id)| std::cmp::Reverse(*id));
            if takes_back(&newest) {
                for address in &records {
                    let undoes = match address.1 == newest.id {
                        true => newest.undoes,
                        false => self.record(*address)?.and_then(|record| record.undoes),
                    };
                    if let Some(undoes) = undoes {
                        self.standing.takes_back(*address, undoes, &newest.tool);
                    }
                }
            }
            let entry = Entry { id, newest, records, group };
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

    /// The entry with this id, which may be that of one of its records. Everything newer has been looked at then.
    pub(crate) fn find(&mut self, id: Id) -> Result<Option<Entry>, Failure> {
        while let Some(entry) = self.next()? {
            if entry.id == id || entry.records.iter().any(|(_, record)| *record == id) {
                return Ok(Some(entry));
            }
            if entry.id < id {
                break;
            }
        }
        Ok(None)
    }

    /// A record; none if it is gone.
    pub(crate) fn record(&self, address: Address) -> Result<Option<Record>, Failure> {
        Ok(self.stored(address)?.map(|stored| stored.record))
    }

    /// The same with its file.
    pub(crate) fn stored(&self, (state, id): Address) -> Result<Option<Stored<V>>, Failure> {
        self.namespace.state(state).done(id, Check::Header).map_err(broken)
    }

    /// True if a record of an entry that was given out stands: it was not taken back, or that was taken back.
    pub(crate) fn stands(&self, record: Id) -> bool {
        self.standing.stands(record)
    }

    /// True if something of an entry stands.
    pub(crate) fn any_stands(&self, entry: &Entry) -> bool {
        let tool = &entry.newest.tool;
        entry.records.iter().any(|(_, id)| self.standing.stands_by_itself(*id, tool))
    }

    /// The records that have to be taken back so that what stands of a record does not stand any more: itself, or those
    /// that brought it back last.
    pub(crate) fn heads(&self, address: Address) -> Vec<Address> {
        if self.stands(address.1) { self.standing.heads(address) } else { Vec::new() }
    }

    /// What a record of an entry takes back.
    pub(crate) fn undoes(&self, entry: &Entry, address: Address) -> Result<Option<Id>, Failure> {
        match takes_back(&entry.newest) {
            true => Ok(self.record(address)?.and_then(|record| record.undoes)),
            false => Ok(None),
        }
    }

    /// The entry that a record belongs to: it may be gone.
    pub(crate) fn entry_of(&self, record: Id) -> Result<Id, Failure> {
        for (state, _) in self.namespace.state_ids() {
            if let Some(record) = self.record((state, record))? {
                return Ok(entry_of(&record));
            }
        }
        Ok(record)
    }

    /// True if the trash has what a record put there, under its id.
    pub(crate) fn is_in_trash(&self, (state, id): Address) -> Result<bool, Failure> {
        kept::is_in_trash(self.namespace.state(state), id)
    }

    /// Bytes that are kept for a record.
    pub(crate) fn bytes(&self, address: Address, stored: &Stored<V>) -> Result<u64, Failure> {
        let in_trash = match &stored.record.action {
            Action::Remove(remove) => remove.object.bytes(),
            Action::Move(moved) => moved.replaced.as_ref().map_or(0, |replaced| replaced.object.bytes()),
            _ => 0,
        };
        let kept = if in_trash > 0 && self.is_in_trash(address)? { in_trash } else { 0 };
        Ok(stored.size + kept)
    }

    /// The beginning of a record's body.
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

    /// The records that are in `conflicts/` and there for whoever asks, the newest first.
    pub(crate) fn conflicts(&self, most: usize) -> Result<Vec<Record>, Failure> {
        let mut records = Vec::new();
        for lane in &self.lanes {
            let ids = lane.state.ids(&lane.state.conflicts).map_err(broken)?;
            let mut room = most;
            for id in ids.iter().rev() {
                if room == 0 {
                    break;
                }
                let name = id.to_string();
                match Stored::open(&lane.state.volume, &lane.state.conflicts, &name, Check::Header) {
                    Ok(Some(stored)) if !self.paths.is_absent(&stored.record) => {
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

impl<V: Volume> Lane<'_, V> {
    /// Opens the newest record.
    fn fill(&mut self) -> Result<(), Fault> {
        while self.head.is_none() {
            let Some(id) = self.newest()? else { break };
            self.ids.pop();
            self.head = self.state.done(id, Check::Header)?.map(|stored| stored.record);
        }
        Ok(())
    }

    /// The newest record that was not yet looked at.
    fn newest(&mut self) -> Result<Option<Id>, Fault> {
        while self.ids.is_empty() {
            let Some(name) = self.files.pop() else { return Ok(None) };
            let page = self.state.page(name)?;
            self.ids = page.iter().flat_map(|page| page.spans.iter().map(|span| span.id)).collect();
        }
        Ok(self.ids.last().copied())
    }

    /// The records of the entry that `head` belongs to.
    fn take(&mut self, head: &Record, entry: Id) -> Result<Vec<Address>, Fault> {
        if head.action.is_group() {
            return Ok(Vec::new());
        }
        let mut records = vec![(self.id, head.id)];
        if head.group.is_some() {
            while let Some(id) = self.newest()?.filter(|id| *id > entry) {
                self.ids.pop();
                records.push((self.id, id));
            }
        }
        Ok(records)
    }
}

/// True for what may take back other records.
fn takes_back(newest: &Record) -> bool {
    [UNDO, REDO, RESTORE].contains(&newest.tool.as_str())
}

/// The entry that a record belongs to.
pub(super) fn entry_of(record: &Record) -> Id {
    record.group.map_or(record.id, |group| group.id)
}

/// The history itself cannot be read.
pub(super) fn broken(fault: Fault) -> Failure {
    Failure::from(fault.reading())
}
