//! Files with old and new content: a change in place is in progress, or an interrupted one is
//! pending.

use std::collections::BTreeSet;

use super::file::{Check, Stored};
use super::record::{Action, Record, Splice};
use crate::state::State;
use fsgate_volume::answers::existing;
use fsgate_volume::{Fault, Volume};

impl<V: Volume> State<V> {
    /// The records in `waiting/`.
    pub fn waiting_records(&self) -> Result<Vec<Record>, Fault> {
        let mut records = Vec::new();
        for id in self.ids(&self.waiting)? {
            // Another process may have recovered it meanwhile.
            let stored = existing(Stored::open(&self.volume, &self.waiting, &id.to_string(), Check::Header))?;
            records.extend(stored.flatten().map(|stored| stored.record));
        }
        Ok(records)
    }

    /// The identities of all files that can have old and new content, by the last look at `control`.
    /// None if the records do not name them.
    pub fn half_written_files(&self) -> Result<Option<BTreeSet<u128>>, Fault> {
        let now = self.now();
        let mut records = Vec::new();
        if now.is_in_place() {
            records.extend(self.under_way()?.into_iter().map(|stored| stored.record));
            if records.is_empty() {
                return Ok(None);
            }
        }
        if now.is_in_place() || now.unsettled {
            records.extend(self.waiting_records()?);
        }
        let splices = records.iter().filter_map(|record| match &record.action {
            Action::Splice(splice) => Some(self.identity_now(splice)),
            _ => None,
        });
        Ok(splices.collect())
    }

    /// The identity of a changed file, unless the numbers of devices have changed since.
    pub fn identity_now(&self, splice: &Splice) -> Option<u128> {
        (splice.state == Some(self.identity)).then_some(splice.identity.0)
    }
}
