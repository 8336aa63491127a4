//! Removes the oldest records when a limit of the history is exceeded.

use std::collections::BTreeSet;
use std::ops::Range;
use std::time::Duration;

use super::Id;
use super::file::{Check, Stored};
use super::record::{Action, Kept};
use super::remove::RemovalCause;
use crate::state::State;
use fsgate_contract::limits::{PRUNE_EVERY, PRUNE_SHARE};
use fsgate_volume::bytes::sync_names;
use fsgate_volume::settings::Quota;
use fsgate_volume::{Fault, Volume};

/// Turns of a control file that a change takes: one to begin and one to end.
const TURNS_OF_CHANGE: u64 = 2;

/// Bytes in the trash that belong to a change.
pub fn bytes_kept(action: &Action) -> u64 {
    match action {
        Action::Remove(remove) if remove.kept != Kept::Not => remove.object.bytes(),
        Action::Move(moved) => moved.replaced.as_ref().map_or(0, |replaced| replaced.object.bytes()),
        _ => 0,
    }
}

/// True if a call has to prune. Each write of the control file counts a turn, so the same calls
/// prune in every run.
pub(super) fn is_due(turns: Range<u64>, kept: u64, records: u64, quota: &Quota) -> bool {
    let is_large = |part: u64, limit: u64| part.saturating_mul(PRUNE_SHARE) >= limit;
    let interval = PRUNE_EVERY * TURNS_OF_CHANGE;
    turns.start / interval != turns.end / interval
        || is_large(kept, quota.bytes)
        || is_large(records, quota.entries)
}

/// Removes the oldest records and their trash entries until the rest is within the quota. The
/// newest call stays if its content is. Needs the lock.
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
    let mut bytes = sizes.iter().map(|(_, size)| size).sum::<u64>() + state.pending_bytes()?;
    let mut entries = sizes.len() as u64;
    let is_over = |bytes: u64, entries: u64| bytes > quota.bytes || entries > quota.entries;
    // The answer of the newest call has said that it can be undone.
    let newest = if is_over(bytes, entries) { newest_call(state, &sizes)? } else { None };
    let newest = newest.filter(|(_, content)| quota.refuses(*content).is_none()).map(|(id, _)| id);
    let (mut removed, mut group) = (BTreeSet::new(), None);
    for (id, size) in sizes {
        let too_much = is_over(bytes, entries);
        let too_old = now.saturating_sub(id.time()) > quota.age;
        if !too_much && !too_old && group.is_none() {
            break;
        }
        let record = state.done(id, Check::Header)?.map(|stored| stored.record);
        let in_group = record.as_ref().and_then(|record| record.group).map(|member| member.id);
        if !too_old && newest.is_some_and(|newest| id == newest || in_group == Some(newest)) {
            break;
        }
        if !too_much && !too_old && in_group != group {
            break;
        }
        group = match record {
            Some(record) if record.action.is_group() => Some(id),
            _ => in_group,
        };
        bytes -= size;
        entries -= 1;
        // Its bytes do not count against younger records.
        if waits.contains(&id) || group.is_some_and(|group| waits.contains(&group)) {
            continue;
        }
        removed.insert(id);
    }
    if !removed.is_empty() {
        let kept = state.kept_for(removed.intersection(&in_trash))?;
        state.forget(&removed, &kept, RemovalCause::Quota)?;
    }
    sweep(state, in_trash.difference(&removed))
}

/// The id of the newest call, and its bytes of content.
fn newest_call<V: Volume>(state: &State<V>, sizes: &[(Id, u64)]) -> Result<Option<(Id, u64)>, Fault> {
    let (mut newest, mut content) = (None, 0);
    for (id, _) in sizes.iter().rev() {
        let stored = state.done(*id, Check::Header)?;
        let group = stored.as_ref().and_then(|stored| stored.record.group);
        let call = group.map_or(*id, |group| group.id);
        if *newest.get_or_insert(call) != call {
            break;
        }
        content += stored.map_or(0, |stored| stored.length() + bytes_kept(&stored.record.action));
    }
    Ok(newest.map(|newest| (newest, content)))
}

/// The pending records and [the records that they need](Record::needs). The quota keeps them.
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
            let group = state.done(needed, Check::Header)?.and_then(|stored| stored.record.group);
            awaited.extend(group.map(|group| group.id));
        }
    }
    Ok(awaited)
}

/// Removes trash entries that have no record and are not pending, and pending files that have one.
pub fn sweep<'a, V: Volume>(
    state: &State<V>,
    in_trash: impl IntoIterator<Item = &'a Id>,
) -> Result<(), Fault> {
    state.drop_unused_pending()?;
    let mut stays = state.aside()?;
    stays.extend(state.pending_ids()?);
    let mut is_less = false;
    for id in in_trash {
        if !stays.contains(id) && !state.is_done(*id)? {
            is_less |= state.empty(*id, None)?;
        }
    }
    sync_names(&state.volume, &state.trash, is_less && state.syncs())
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUOTA: Quota = Quota { bytes: 1 << 20, entries: 10_000, age: Duration::MAX };

    #[test]
    fn small_changes_prune_once_in_so_many() {
        let is_due = |change: u64| is_due(change * 2 + 1..change * 2 + 3, 1, 1, &QUOTA);
        let due: Vec<_> = (0..1_000).filter(|change| is_due(*change)).collect();
        assert_eq!(due, (1..=7).map(|number| number * PRUNE_EVERY - 1).collect::<Vec<_>>());
    }

    #[test]
    fn a_change_that_takes_a_large_part_of_a_limit_prunes() {
        for (kept, records, expected) in
            [(2_047, 1, false), (2_048, 1, true), (0, 19, false), (0, 20, true), (u64::MAX, 1, true)]
        {
            assert_eq!(is_due(1..3, kept, records, &QUOTA), expected, "{kept} {records}");
        }
        assert!(is_due(1..3, 0, 1, &Quota { bytes: 0, ..QUOTA }));
        assert!(is_due(1..3, 0, 1, &Quota { entries: 512, ..QUOTA }));
    }
}
