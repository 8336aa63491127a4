//! Forgetting what is too old or too much.

use std::collections::BTreeSet;
use std::time::Duration;

use super::Id;
use super::file::{Check, Stored};
use super::record::{Action, Kept};
use super::trash::discard;
use crate::limits::{PRUNE_EVERY, PRUNE_SHARE};
use crate::settings::Quota;
use crate::state::State;
use crate::volume::{Fault, Volume};

/// Bytes in the trash that belong to a change.
pub(super) fn bytes_kept(action: &Action) -> u64 {
    match action {
        Action::Remove(remove) if remove.kept != Kept::Not => remove.object.bytes(),
        Action::Move(moved) => moved.replaced.as_ref().map_or(0, |replaced| replaced.object.bytes()),
        _ => 0,
    }
}

/// True after one change in many, and the sooner the more is kept: to look through all of the history costs more than a
/// change. The random half of the id decides, so that nothing has to be counted from call to call.
pub(super) fn is_time(id: Id, kept: u64, quota: &Quota) -> bool {
    let random = id.0 as u64;
    random.is_multiple_of(PRUNE_EVERY) || random % quota.bytes.max(1) < kept.saturating_mul(PRUNE_SHARE)
}

/// Removes the oldest records and what they keep, until the rest is within the quota. Whoever calls holds the lock.
pub(crate) fn prune<V: Volume>(state: &State<V>, quota: &Quota, now: Duration) -> Result<u64, Fault> {
    let ids = state.ids(&state.done)?;
    let mut sizes = Vec::with_capacity(ids.len());
    for id in &ids {
        sizes.push(size(state, *id)?);
    }
    let (mut bytes, mut entries) = (sizes.iter().sum::<u64>(), ids.len() as u64);
    let mut removed = 0;
    let mut group = None;
    for (id, size) in ids.iter().zip(sizes) {
        let too_much = bytes > quota.bytes || entries > quota.entries;
        let too_old = now.saturating_sub(id.time()) > quota.age;
        let stored = Stored::open(&state.volume, &state.done, &id.to_string(), Check::Header)?;
        let record = stored.map(|stored| stored.record);
        let in_group = record.as_ref().and_then(|record| record.group).map(|member| member.id);
        // A group is forgotten as a whole.
        if !too_much && !too_old && (group.is_none() || in_group != group) {
            break;
        }
        group = match record {
            Some(record) if record.action == Action::Group => Some(*id),
            _ => in_group,
        };
        state.forget(*id)?;
        bytes -= size;
        entries -= 1;
        removed += 1;
    }
    sweep(state)?;
    Ok(removed)
}

/// What a record and its part of the trash take. Of a tree only the record knows.
fn size<V: Volume>(state: &State<V>, id: Id) -> Result<u64, Fault> {
    let name = id.to_string();
    let record = state.volume.stat(&state.done, &name)?.size;
    match state.volume.stat(&state.trash, &name) {
        Err(Fault::NotFound) => Ok(record),
        Err(fault) => Err(fault),
        Ok(_) => {
            let stored = Stored::open(&state.volume, &state.done, &name, Check::Header)?;
            Ok(record + stored.map_or(0, |stored| bytes_kept(&stored.record.action)))
        }
    }
}

/// Removes from the trash what no record speaks of.
fn sweep<V: Volume>(state: &State<V>) -> Result<(), Fault> {
    let known = [&state.done, &state.pending, &state.conflicts];
    let mut ids = BTreeSet::new();
    for directory in known {
        ids.extend(state.ids(directory)?);
    }
    for id in state.ids(&state.trash)? {
        if !ids.contains(&id) {
            discard(&state.volume, &state.trash, &id.to_string())?;
        }
    }
    Ok(())
}

impl<V: Volume> State<V> {
    /// Removes a record, and what it keeps: one that is done, or, where that is asked for, one that never will be.
    pub(crate) fn forget(&self, id: Id) -> Result<(), Fault> {
        let name = id.to_string();
        for directory in [&self.done, &self.conflicts, &self.pending] {
            match self.volume.remove_file(directory, &name) {
                Err(Fault::NotFound) => {}
                removed => {
                    removed?;
                    break;
                }
            }
        }
        discard(&self.volume, &self.trash, &name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_more_is_kept_the_sooner_it_is_time() {
        let quota = Quota { bytes: 1 << 20, entries: 10, age: Duration::MAX };
        let often = |kept| {
            let times = (0..10_000_u128).filter(|n| {
                is_time(Id(n.wrapping_mul(0x9E37_79B9_7F4A_7C15) & u128::from(u64::MAX)), kept, &quota)
            });
            times.count()
        };
        assert!(often(0) < 20);
        assert!((200..1_500).contains(&often(1 << 10)), "{}", often(1 << 10));
        assert_eq!(often(1 << 14), 10_000);
        assert!(is_time(Id(1), 1, &Quota { bytes: 0, ..quota }));
    }
}
