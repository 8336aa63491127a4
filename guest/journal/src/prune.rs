//! Forgetting what is too old or too much.

use std::collections::BTreeSet;
use std::time::Duration;

use super::Id;
use super::file::{Check, Stored};
use super::forgetting::Cause;
use super::record::{Action, Kept};
use crate::state::State;
use fsgate_contract::limits::{PRUNE_ENTRIES_SHARE, PRUNE_EVERY, PRUNE_SHARE};
use fsgate_volume::settings::Quota;
use fsgate_volume::{Fault, Volume};

/// Bytes in the trash that belong to a change.
pub fn bytes_kept(action: &Action) -> u64 {
    match action {
        Action::Remove(remove) if remove.kept != Kept::Not => remove.object.bytes(),
        Action::Move(moved) => moved.replaced.as_ref().map_or(0, |replaced| replaced.object.bytes()),
        _ => 0,
    }
}

/// True after one change in many, and the sooner the more is kept: to look through all of the history costs more than a
/// change. The random half of the id decides, so that nothing has to be counted from call to call.
pub(super) fn is_time(id: Id, kept: u64, records: u64, quota: &Quota) -> bool {
    let random = id.0 as u64;
    random.is_multiple_of(PRUNE_EVERY)
        || random % quota.bytes.max(1) < kept.saturating_mul(PRUNE_SHARE)
        || random % quota.entries.max(1) < records.saturating_mul(PRUNE_ENTRIES_SHARE)
}

/// Removes the oldest records and what they keep, until the rest is within the quota. Whoever calls holds the lock.
pub(crate) fn prune<V: Volume>(state: &State<V>, quota: &Quota, now: Duration) -> Result<(), Fault> {
    state.empty_pending()?;
    let in_trash: BTreeSet<Id> = state.ids(&state.trash)?.into_iter().collect();
    let waits = awaited(state)?;
    let mut sizes = Vec::new();
    for name in state.files()?.iter() {
        let page = state.page(*name)?;
        for span in page.iter().flat_map(|page| &page.spans) {
            let kept = if in_trash.contains(&span.id) { state.done(span.id, Check::Header)? } else { None };
            sizes.push((span.id, span.bytes() + kept.map_or(0, |kept| bytes_kept(&kept.record.action))));
        }
    }
    let pending = state.pending_bytes()?;
    // No removal of records makes room then, and the newest call stays undoable.
    let newest = if pending > quota.bytes { newest_call(state, &sizes)? } else { None };
    let mut bytes = sizes.iter().map(|(_, size)| size).sum::<u64>() + pending;
    let mut entries = sizes.len() as u64;
    let (mut removed, mut group) = (BTreeSet::new(), None);
    for (id, size) in sizes {
        let too_much = bytes > quota.bytes || entries > quota.entries;
        let too_old = now.saturating_sub(id.time()) > quota.age;
        if !too_much && !too_old && group.is_none() {
            break;
        }
        let record = state.done(id, Check::Header)?.map(|stored| stored.record);
        let in_group = record.as_ref().and_then(|record| record.group).map(|member| member.id);
        if newest.is_some_and(|newest| id == newest || in_group == Some(newest)) {
            break;
        }
        // A group is forgotten as a whole.
        if !too_much && !too_old && in_group != group {
            break;
        }
        group = match record {
            Some(record) if record.action.is_group() => Some(id),
            _ => in_group,
        };
        bytes -= size;
        entries -= 1;
        // It takes no room from what is younger.
        if waits.contains(&id) || group.is_some_and(|group| waits.contains(&group)) {
            continue;
        }
        removed.insert(id);
    }
    if !removed.is_empty() {
        let kept = state.kept_for(removed.intersection(&in_trash))?;
        state.forget(&removed, &kept, Cause::Quota)?;
    }
    sweep(state, in_trash.difference(&removed))
}

/// The group of the newest record, or the record itself.
fn newest_call<V: Volume>(state: &State<V>, sizes: &[(Id, u64)]) -> Result<Option<Id>, Fault> {
    let Some((newest, _)) = sizes.last().copied() else { return Ok(None) };
    let record = state.done(newest, Check::Header)?.map(|stored| stored.record);
    Ok(Some(record.and_then(|record| record.group).map_or(newest, |group| group.id)))
}

/// The records that wait for their end, and [those that they need](Record::needs). They are not forgotten by themselves.
pub(super) fn awaited<V: Volume>(state: &State<V>) -> Result<BTreeSet<Id>, Fault> {
    let mut awaited = BTreeSet::new();
    for id in state.ids(&state.waiting)? {
        awaited.insert(id);
        let Ok(Some(waits)) = Stored::open(&state.volume, &state.waiting, &id.to_string(), Check::Header)
        else {
            continue;
        };
        for needed in waits.record.needs() {
            awaited.insert(needed);
            // A group is forgotten as a whole.
            let group = state.done(needed, Check::Header)?.and_then(|stored| stored.record.group);
            awaited.extend(group.map(|group| group.id));
        }
    }
    Ok(awaited)
}

/// Removes from the trash the entries that have no record and are not pending.
pub fn sweep<'a, V: Volume>(
    state: &State<V>,
    in_trash: impl IntoIterator<Item = &'a Id>,
) -> Result<(), Fault> {
    let mut stays = state.aside()?;
    stays.extend(state.pending_ids()?);
    for id in in_trash {
        if !stays.contains(id) && !state.is_done(*id)? {
            state.empty(*id, None)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_more_is_kept_the_sooner_it_is_time() {
        let quota = Quota { bytes: 1 << 20, entries: u64::MAX, age: Duration::MAX };
        let often = |kept| {
            let times = (0..10_000_u128).filter(|n| {
                is_time(Id(n.wrapping_mul(0x9E37_79B9_7F4A_7C15) & u128::from(u64::MAX)), kept, 0, &quota)
            });
            times.count()
        };
        assert!(often(0) < 20);
        assert!((200..1_500).contains(&often(1 << 10)), "{}", often(1 << 10));
        assert_eq!(often(1 << 14), 10_000);
        assert!(is_time(Id(1), 1, 0, &Quota { bytes: 0, ..quota }));
    }

    #[test]
    fn the_fewer_entries_are_kept_the_sooner_it_is_time() {
        let often = |records, entries| {
            let quota = Quota { bytes: u64::MAX, entries, age: Duration::MAX };
            let ids = (0..10_000_u128).map(|n| n.wrapping_mul(0x9E37_79B9_7F4A_7C15) & u128::from(u64::MAX));
            ids.filter(|id| is_time(Id(*id), 0, records, &quota)).count()
        };
        assert!(often(1, 10_000) < 40, "{}", often(1, 10_000));
        assert!((3_000..5_000).contains(&often(1, 10)), "{}", often(1, 10));
        assert_eq!(often(3, 10), 10_000);
        assert_eq!(often(1, 0), 10_000);
    }
}
