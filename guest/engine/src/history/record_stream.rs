//! The records of one state directory, the newest first, opened on demand.

use super::entries::{Address, broken};
use fsgate_contract::id::Id;
use fsgate_error::Failure;
use fsgate_journal::Check;
use fsgate_journal::namespace::{Namespace, StateId};
use fsgate_journal::record::Record;
use fsgate_journal::state::State;
use fsgate_volume::{Fault, Volume};

pub(super) struct RecordStream<'a, V: Volume> {
    pub(super) id: StateId,
    pub(super) state: &'a State<V>,
    /// Unread files of the log, the newest last.
    files: Vec<Id>,
    /// Unread records, the newest last.
    ids: Vec<Id>,
    /// The newest record that was not returned.
    pub(super) head: Option<Record>,
}

pub(super) fn streams<V: Volume>(namespace: &Namespace<V>) -> Result<Vec<RecordStream<'_, V>>, Failure> {
    let mut streams = Vec::new();
    for (id, state) in namespace.state_ids() {
        let files = state.files().map_err(broken)?.to_vec();
        streams.push(RecordStream { id, state, files, ids: Vec::new(), head: None });
    }
    Ok(streams)
}

impl<V: Volume> RecordStream<'_, V> {
    pub(super) fn fill(&mut self) -> Result<(), Fault> {
        while self.head.is_none() {
            let Some(id) = self.newest()? else { break };
            self.pop();
            self.head = self.state.done(id, Check::Header)?.map(|stored| stored.record);
        }
        Ok(())
    }

    pub(super) fn newest(&mut self) -> Result<Option<Id>, Fault> {
        while self.ids.is_empty() {
            let Some(name) = self.files.pop() else { return Ok(None) };
            let page = self.state.page(name)?;
            self.ids = page.iter().flat_map(|page| page.spans.iter().map(|span| span.id)).collect();
        }
        Ok(self.ids.last().copied())
    }

    pub(super) fn pop(&mut self) {
        self.ids.pop();
    }

    pub(super) fn take(&mut self, head: &Record, entry: Id) -> Result<Vec<Address>, Fault> {
        if head.action.is_group() {
            return Ok(Vec::new());
        }
        let mut records = vec![(self.id, head.id)];
        if head.group.is_some() {
            while let Some(id) = self.newest()?.filter(|id| *id > entry) {
                self.pop();
                records.push((self.id, id));
            }
        }
        Ok(records)
    }
}
