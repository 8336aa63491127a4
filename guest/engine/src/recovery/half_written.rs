//! Files with old and new content: a change in place is in progress, or an interrupted one is
//! pending.

use std::collections::BTreeSet;

use fsgate_journal::namespace::Namespace;
use fsgate_journal::record::{Action, Location, Record};
use fsgate_journal::{PlaceLookup, RecordedPlace};
use fsgate_volume::{Access, Fault, Kind, Volume};

/// The reason why a change in place is not complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wait {
    /// The system refuses to write the file.
    Refused,
    /// No recovery has completed it so far.
    Tried,
    /// The change is in progress, or its program has died.
    UnderWay,
    /// The file or its directory is not at its place.
    Away,
}

/// The identities of files that a call does not open, by the last look at each history: those that
/// writes in place may be changing, and half-written ones that no note can name. None if a history
/// does not name them.
pub(crate) fn torn<V: Volume>(namespace: &Namespace<V>) -> Result<Option<BTreeSet<u128>>, Fault> {
    let mut torn = BTreeSet::new();
    for state in namespace.states() {
        if state.now().is_in_place() {
            let Some(files) = state.half_written_files()? else { return Ok(None) };
            torn.extend(files.into_keys());
        } else if state.now().unsettled {
            torn.extend(state.half_written_elsewhere(namespace)?.into_keys());
        }
    }
    Ok(Some(torn))
}

/// The changes in place that are in progress, by the last look at each history. Their files can
/// have old and new content.
pub(crate) fn under_way<V: Volume>(namespace: &Namespace<V>) -> Vec<(Record, Wait)> {
    let states = namespace.states().filter(|state| state.now().is_in_place());
    let records = states.flat_map(|state| state.under_way().unwrap_or_default());
    let splices = records.filter(|stored| matches!(stored.record.action, Action::Splice(_)));
    splices.map(|stored| (stored.record, Wait::UnderWay)).collect()
}

/// The identity of the object at a recorded place, if this session finds one.
fn identity_at<V: Volume>(namespace: &Namespace<V>, at: &Location) -> Option<u128> {
    let PlaceLookup::Here(place) = RecordedPlace::find_to_read(namespace, at).ok()? else { return None };
    let directory = place.directory().ok()??;
    place.volume.identity_at(&directory, &place.name).ok()
}

/// The pending changes in place that cannot be completed now, so that their files have old and new
/// content. The caller has refreshed the states in this call.
pub(crate) fn half_written<V: Volume>(namespace: &Namespace<V>) -> Result<Vec<(Record, Wait)>, Fault> {
    let mut records = Vec::new();
    for state in namespace.states() {
        if !state.now().unsettled {
            continue;
        }
        records.extend(state.waiting_records()?);
    }
    let with_wait = |record| wait_of(namespace, &record).map(|wait| (record, wait));
    Ok(records.into_iter().filter_map(with_wait).collect())
}

/// The reason why a change in place is not complete; none for other changes, and for one whose file
/// was replaced.
pub(super) fn wait_of<V: Volume>(namespace: &Namespace<V>, record: &Record) -> Option<Wait> {
    let Action::Splice(splice) = &record.action else { return None };
    let is_at_its_place = || {
        let place = match RecordedPlace::find(namespace, &splice.at)? {
            PlaceLookup::Here(place) => place,
            PlaceLookup::Gone => return Err(Fault::NotFound),
            // This session can only read it.
            PlaceLookup::Elsewhere => {
                return Ok(identity_at(namespace, &splice.at) == Some(splice.identity.0));
            }
        };
        let directory = place.directory()?.ok_or(Fault::NotFound)?;
        // Checked before opening: opening a FIFO blocks.
        if place.volume.stat(&directory, &place.name)?.kind != Kind::File {
            return Ok(false);
        }
        let file = place.volume.open_file(&directory, &place.name, Access::Write)?;
        Ok(place.volume.identity(&file)? == splice.identity.0)
    };
    match is_at_its_place() {
        Ok(true) => Some(Wait::Tried),
        Err(fault) if fault.is_obstacle() => Some(Wait::Refused),
        Err(Fault::NotFound) => Some(Wait::Away),
        // The policy of this session protects it, and not that of the change.
        Err(Fault::Denied(_)) => Some(Wait::Tried),
        Ok(false) | Err(_) => None,
    }
}
