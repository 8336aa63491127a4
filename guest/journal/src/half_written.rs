//! Files with old and new content: a change in place is in progress, or an interrupted one is
//! pending.

use std::collections::BTreeMap;
use std::time::Duration;

use super::file::{Check, Stored};
use super::path_record::{PlaceLookup, RecordedPlace};
use super::record::{Action, Record, Splice};
use crate::namespace::Namespace;
use crate::state::State;
use fsgate_volume::answers::existing;
use fsgate_volume::{Fault, Volume};

/// Files by their identities, each with the time of its change. A file that is younger is another
/// one with the same number.
pub type HalfWrittenFiles = BTreeMap<u128, Duration>;

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

    /// The changes in place that are in progress or pending, by the last look at `control`. None if
    /// the records do not name the files.
    fn unfinished_splices(&self) -> Result<Option<Vec<(Duration, Splice)>>, Fault> {
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
        let splices = records.into_iter().filter_map(|record| match record.action {
            Action::Splice(splice) => Some((record.id.time(), splice)),
            _ => None,
        });
        Ok(Some(splices.collect()))
    }

    /// All files that can have old and new content. None if the records do not name them.
    pub fn half_written_files(&self) -> Result<Option<HalfWrittenFiles>, Fault> {
        let Some(splices) = self.unfinished_splices()? else { return Ok(None) };
        Ok(splices.iter().map(|(time, splice)| Some((self.identity_now(splice)?, *time))).collect())
    }

    /// Those of these files that no grant is known to hold at their places, so that no note names
    /// them. A grant can hold other hard links.
    pub fn half_written_elsewhere<G: Volume>(
        &self,
        namespace: &Namespace<G>,
    ) -> Result<HalfWrittenFiles, Fault> {
        let splices = self.unfinished_splices()?.unwrap_or_default();
        // A note names a place that is only out of reach now.
        let is_elsewhere = |splice: &Splice| {
            matches!(RecordedPlace::find_to_read(namespace, &splice.at), Ok(PlaceLookup::Elsewhere))
        };
        let splices = splices.iter().filter(|(_, splice)| is_elsewhere(splice));
        Ok(splices.filter_map(|(time, splice)| Some((self.identity_now(splice)?, *time))).collect())
    }

    /// The identity of a changed file, unless the numbers of devices have changed since.
    fn identity_now(&self, splice: &Splice) -> Option<u128> {
        (splice.state == Some(self.identity)).then_some(splice.identity.0)
    }
}
