//! Completes or rolls back interrupted and pending changes before a call makes new ones.

mod authorize;
mod half_written;

use std::collections::BTreeSet;

pub(crate) use self::authorize::forbids;
use self::authorize::forbids_names;
use self::half_written::wait_of;
pub(crate) use self::half_written::{Wait, half_written, torn, under_way};
use fsgate_contract::id::Id;
use fsgate_contract::limits::EMPTYING_SHARE;
use fsgate_journal::namespace::Namespace;
use fsgate_journal::record::{Action, Kept, Location, Member, Record};
use fsgate_journal::recovery::{Decision, Outcome, Progress, has_rest, part, resolve};
use fsgate_journal::state::control::Control;
use fsgate_journal::state::{State, pending_id};
use fsgate_journal::{Check, PlaceLookup, RecordedPlace, RecoveryReport, RootMap, Stored, discard, sweep};
use fsgate_volume::answers::{existing, unless};
use fsgate_volume::bytes::sync_names;
use fsgate_volume::{Access, Fault, Volume};

/// The occasion of a recovery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Occasion {
    /// A call that changes something. Its answer names the conflicts.
    Change,
    /// A call that only reads. Its answer names no conflict, so conflicts stay pending.
    Read,
    /// `recover`, which ends the wait for files that are away.
    Asked,
}

struct UnfinishedRecord<'a, V: Volume> {
    state: &'a State<V>,
    stored: Stored<V>,
    progress: Progress,
    /// It is in `waiting/`, not in the log.
    waited: bool,
    /// It stays in the log: its change is committed.
    is_committed: bool,
    /// It goes into the log, where it was not.
    comes_in: bool,
    /// Its file cannot be written now. The record is not checked, and the change stays pending.
    obstructed: bool,
}

/// Completes or rolls back each unfinished record whose paths are in grants of this session. Needs
/// the lock.
pub(crate) fn recover<V: Volume>(
    namespace: &Namespace<V>,
    sync: bool,
    occasion: Occasion,
) -> Result<RecoveryReport, Fault> {
    let mut report = RecoveryReport::default();
    let (mut left, mut is_unknown) = (Vec::new(), false);
    for state in namespace.states() {
        state.refresh()?;
        let under_way = state.under_way()?;
        let known: BTreeSet<Id> = under_way.iter().map(|stored| stored.record.id).collect();
        // The durability of a lost record, or of one that was being removed, is unknown.
        is_unknown |= state.now().unsettled || state.now().is_unfinished() && under_way.is_empty();
        let is_committed = state.now().is_committed;
        let last = under_way.iter().map(|stored| stored.record.id).max();
        left.extend(under_way.into_iter().map(|stored| UnfinishedRecord {
            state,
            progress: if Some(stored.record.id) == last { Progress::Unknown } else { Progress::Complete },
            stored,
            waited: false,
            is_committed,
            comes_in: false,
            obstructed: false,
        }));
        for (stored, obstructed) in waiting(namespace, state, &known)? {
            // An older change is no longer between two steps, and other links to its file may exist
            // by now.
            let progress = Progress::Complete;
            left.push(UnfinishedRecord {
                state,
                progress,
                stored,
                waited: true,
                is_committed: false,
                comes_in: false,
                obstructed,
            });
        }
    }
    // If one change has to survive a loss of power, recovery syncs in every history: one can hold
    // the outcome of a part in another.
    let sync = sync || is_unknown || left.iter().any(|left| left.stored.record.power);
    let _meanwhile: Vec<_> = namespace.states().filter(|_| sync).map(State::sync_meanwhile).collect();
    for state in namespace.states() {
        if sync {
            // The decision is synced before a step relies on it.
            state.make_sure()?;
            make_names_sure(state)?;
        }
        state.begin_in_place()?;
    }
    // The last one first: each rollback then finds the state that its change left.
    left.sort_by_key(|left| std::cmp::Reverse(left.stored.record.id));
    // Groups with a pending member. Their other changes can depend on it.
    let mut unsettled: BTreeSet<Id> = BTreeSet::new();
    // Groups whose earlier changes stay pending because a later member does: the later one expects
    // the state that they left.
    let mut held: BTreeSet<Id> = BTreeSet::new();
    // If the policy forbids one change of a group, only a session that may roll back all of it
    // does. The same holds for a group with an object from outside the grants, which may have been
    // changed since.
    let mut forbidden: BTreeSet<Id> = BTreeSet::new();
    for left in left.iter().filter(|left| !left.stored.record.action.is_group()) {
        if let Some(group) = left.stored.record.group
            // By its names alone, because its objects are half changed.
            && !forbidden.contains(&group.id)
            && (left.is_forbidden(namespace)? || left.comes_from_elsewhere(namespace)?)
        {
            forbidden.insert(group.id);
        }
    }
    for left in left.iter_mut().filter(|left| !left.stored.record.action.is_group()) {
        let group = left.stored.record.group.map(|group| group.id);
        let stays = group.is_some_and(|group| forbidden.contains(&group) || held.contains(&group));
        let decision = left.decision(namespace)?.filter(|decision| !stays || *decision != Decision::Back);
        let outcome = left.resolve_or_part(namespace, decision, sync)?;
        left.is_committed = decision == Some(Decision::Forward) || outcome == Outcome::RolledForward;
        let is_obstructed = outcome == Outcome::Pending && left.is_in_reach(namespace)?;
        let outcome = match outcome {
            Outcome::Missing if group.is_some_and(|group| unsettled.contains(&group)) => Outcome::Pending,
            // Another change of its group is pending in the directory that it made.
            Outcome::Conflict
                if left.stored.record.action.makes_directory()
                    && group.is_some_and(|group| unsettled.contains(&group)) =>
            {
                Outcome::Pending
            }
            // A moved or removed directory can come back until the caller ends the wait.
            Outcome::Missing if occasion != Occasion::Asked && left.has_rest() => Outcome::Pending,
            Outcome::Conflict | Outcome::Missing if occasion == Occasion::Read => Outcome::Pending,
            // Its place is unknown, and no later recovery would find it.
            Outcome::Missing => Outcome::Conflict,
            outcome => outcome,
        };
        left.put(outcome)?;
        left.comes_in = left.waited && outcome == Outcome::RolledForward;
        let record = left.stored.record.clone();
        match outcome {
            Outcome::RolledForward => report.finished.push(record),
            Outcome::RolledBack => report.rolled_back.push(record),
            Outcome::Pending => {
                unsettled.extend(group);
                if is_obstructed || left.leads_away(namespace)? {
                    held.extend(group);
                }
                report.waiting.push(record);
            }
            Outcome::Conflict | Outcome::Missing => report.conflicts.push(record),
        }
    }
    for state in namespace.states() {
        clear(state)?;
        // No later call looks there while nothing is in progress.
        sync_names(&state.volume, &state.tmp, sync)?;
        let now = state.now();
        let is_committed = |left: &&UnfinishedRecord<V>| {
            !left.waited && left.is_committed && left.state.identity == state.identity
        };
        let end = left.iter().filter(is_committed).map(|left| left.stored.end()).max().unwrap_or(now.end);
        let last = left.iter().map(|left| left.stored.record.id).chain([now.last]).max().unwrap_or(now.last);
        let sequence = now.sequence.wrapping_add(now.sequence % 2);
        let unsettled = has_waiting(state)? || now.unsettled;
        state.set(Control { begun: None, is_committed: false, sequence, end, last, unsettled, ..now })?;
        // This can rewrite the log, which drops bytes after its end.
        for left in left.iter().filter(|left| left.comes_in && left.state.identity == state.identity) {
            left.put_in()?;
        }
        if occasion == Occasion::Asked {
            state.empty_pending()?;
        }
        let waits = has_waiting(state)?;
        if unsettled && !waits {
            // An interrupted removal of records can have left their trash entries.
            sweep(state, &state.ids(&state.trash)?)?;
            sync_names(&state.volume, &state.trash, sync)?;
            state.set(Control { unsettled: false, ..state.now() })?;
        }
    }
    if occasion != Occasion::Asked {
        empty_pending(namespace);
    }
    Ok(report)
}

/// Makes interrupted deletions pending again that were set aside while their directories were away.
/// Returns true if there are any.
pub(crate) fn reopen<V: Volume>(namespace: &Namespace<V>) -> Result<bool, Fault> {
    let mut has_reopened = false;
    for state in namespace.states() {
        state.refresh()?;
        for id in state.ids(&state.conflicts)? {
            let stored = Stored::open(&state.volume, &state.conflicts, &id.to_string(), Check::Header);
            let Ok(Some(stored)) = stored else { continue };
            if unless(has_rest(namespace, &stored.record), Fault::is_obstacle)? == Some(true) {
                state.set(Control { unsettled: true, ..state.now() })?;
                move_record(state, id, &state.conflicts, &state.waiting)?;
                has_reopened = true;
            }
        }
    }
    Ok(has_reopened)
}

/// True for an interrupted deletion whose directory is away, so that the rest of its object stays
/// there.
pub(crate) fn leaves_rest<V: Volume>(namespace: &Namespace<V>, record: &Record) -> bool {
    let Action::Remove(remove) = &record.action else { return false };
    let directory = || match RecordedPlace::find(namespace, &remove.at)? {
        PlaceLookup::Here(place) => place.directory(),
        PlaceLookup::Gone | PlaceLookup::Elsewhere => Ok(None),
    };
    remove.kept != Kept::Moved && !matches!(directory(), Ok(Some(_)))
}

/// Tries again to empty pending trash entries, in a part of the time of the call. A failure refuses
/// nothing.
pub(crate) fn empty_pending<V: Volume>(namespace: &Namespace<V>) {
    let (clock, now) = (namespace.clock(), namespace.now());
    let empty = || namespace.states().for_each(|state| drop(state.empty_pending()));
    match clock.left(now) {
        Some(left) => clock.within(now + left / EMPTYING_SHARE, empty),
        None => empty(),
    }
}

/// The records in `waiting/` that are not `known`, with true for each whose file cannot be written
/// now.
fn waiting<V: Volume>(
    namespace: &Namespace<V>,
    state: &State<V>,
    known: &BTreeSet<Id>,
) -> Result<Vec<(Stored<V>, bool)>, Fault> {
    let mut records = Vec::new();
    for name in names(state, &state.waiting)?.into_iter().filter(|name| pending_id(name).is_none()) {
        let stored = match name.parse::<Id>() {
            // A crash has left the record in both places.
            Ok(id) if known.contains(&id) => {
                discard(&state.volume, &state.waiting, &name)?;
                continue;
            }
            // Checking all of a large record for each change would cost more than the changes.
            Ok(_) => match Stored::open(&state.volume, &state.waiting, &name, Check::Header) {
                Ok(Some(stored)) if is_obstructed(namespace, &stored.record) => {
                    records.push((stored, true));
                    continue;
                }
                Ok(_) => Stored::open(&state.volume, &state.waiting, &name, Check::UnderWay),
                unread => unread,
            },
            Err(_) => Ok(None),
        };
        match stored {
            Ok(Some(stored)) if !stored.record.action.is_group() => records.push((stored, false)),
            // The record is damaged, and its trash entry may be the only copy.
            Ok(None) if state.is_kept(&name)? => {
                state.volume.rename(&state.waiting, &name, &state.conflicts, &name)?;
            }
            Ok(_) | Err(Fault::IsDirectory | Fault::Loop | Fault::NotPermitted) => {
                discard(&state.volume, &state.waiting, &name)?;
            }
            Err(fault) => return Err(fault),
        }
    }
    Ok(records)
}

/// True for a change in place of a file that cannot be written now.
fn is_obstructed<V: Volume>(namespace: &Namespace<V>, record: &Record) -> bool {
    wait_of(namespace, record) == Some(Wait::Refused)
}

impl<V: Volume> UnfinishedRecord<'_, V> {
    /// The outcome that the change has to get; none if an unavailable directory holds it.
    fn decision(&self, namespace: &Namespace<V>) -> Result<Option<Decision>, Fault> {
        match self.stored.record.group {
            // A committed change in `waiting/` has something left to remove.
            None if self.waited && self.state.is_done(self.stored.record.id)? => Ok(Some(Decision::Forward)),
            None => Ok(Some(Decision::Own)),
            Some(member) => of_group(namespace, member),
        }
    }

    /// Recovers the change. If it stays as it is, its object loses a second name at least.
    fn resolve_or_part(
        &self,
        namespace: &Namespace<V>,
        decision: Option<Decision>,
        sync: bool,
    ) -> Result<Outcome, Fault> {
        if self.obstructed && decision != Some(Decision::Forward) {
            return Ok(Outcome::Pending);
        }
        let outcome = self.resolve(namespace, decision, sync)?;
        if decision == Some(Decision::Forward)
            || matches!(outcome, Outcome::RolledForward | Outcome::RolledBack)
        {
            return Ok(outcome);
        }
        let parted = part(namespace, self.state, &self.stored, self.progress, sync);
        Ok(unless(parted, Fault::is_obstacle)?.flatten().unwrap_or(outcome))
    }

    fn resolve(
        &self,
        namespace: &Namespace<V>,
        decision: Option<Decision>,
        sync: bool,
    ) -> Result<Outcome, Fault> {
        let Some(decision) = decision else { return Ok(Outcome::Pending) };
        // The policy does not apply to records in directories outside the grants.
        if unless(self.is_elsewhere(namespace), Fault::is_obstacle)? != Some(false) {
            return Ok(Outcome::Pending);
        }
        if self.is_forgotten(namespace)? {
            return Ok(Outcome::Conflict);
        }
        let outcome = || match forbids(namespace, self.state, &self.stored.record)? {
            // The policy has changed since, so a person has to decide.
            true => Ok(Outcome::Conflict),
            false => resolve(namespace, self.state, &self.stored, decision, self.progress, sync),
        };
        // Other changes go on, and each tries this one again.
        let can_pass = |fault: &Fault| fault.is_obstacle() || fault.is_lack();
        Ok(unless(outcome(), can_pass)?.unwrap_or(Outcome::Pending))
    }

    /// True if the policy forbids the change by its names. It says nothing about paths outside the
    /// grants.
    fn is_forbidden(&self, namespace: &Namespace<V>) -> Result<bool, Fault> {
        let is_elsewhere = unless(self.is_elsewhere(namespace), Fault::is_obstacle)?;
        Ok(is_elsewhere == Some(false) && forbids_names(namespace, &self.stored.record))
    }

    /// True if the change moves an object into a grant for writing, but not from one.
    fn comes_from_elsewhere(&self, namespace: &Namespace<V>) -> Result<bool, Fault> {
        let Some((from, to)) = self.stored.record.action.led() else { return Ok(false) };
        Ok(is_here(namespace, to)? && !is_here(namespace, from)?)
    }

    /// True if the change moves an object out of a grant for writing.
    fn leads_away(&self, namespace: &Namespace<V>) -> Result<bool, Fault> {
        match &self.stored.record.action {
            Action::Move(moved) => is_here(namespace, &moved.from),
            _ => Ok(false),
        }
    }

    /// True if the group's record is gone, so that the decision is unknown and left to a person.
    fn is_forgotten(&self, namespace: &Namespace<V>) -> Result<bool, Fault> {
        let Some(group) = self.stored.record.group else { return Ok(false) };
        match home(namespace, group) {
            // The quota keeps records that pending ones need, so this group was never committed.
            Some(home) if home.identity == self.state.identity => Ok(false),
            Some(home) if is_committed(home, group)?.is_none() => home.may_have_pruned(group.id),
            _ => Ok(false),
        }
    }

    /// True if all its paths are in grants for writing, so that only an obstacle can make it
    /// pending.
    fn is_in_reach(&self, namespace: &Namespace<V>) -> Result<bool, Fault> {
        Ok(unless(self.is_elsewhere(namespace), Fault::is_obstacle)? != Some(true))
    }

    /// True if one of its paths is in no grant for writing.
    fn is_elsewhere(&self, namespace: &Namespace<V>) -> Result<bool, Fault> {
        let roots = RootMap::new(namespace)?;
        for at in self.stored.record.action.locations() {
            if roots.find(at, Some(Access::Write))?.is_none() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// True if the change can leave half-written content or a part of a deleted object in a granted
    /// directory.
    fn has_rest(&self) -> bool {
        matches!(self.stored.record.action, Action::Splice(_) | Action::Remove(_))
    }

    fn put_in(&self) -> Result<(), Fault> {
        let Self { state, stored, .. } = self;
        let id = stored.record.id;
        if !state.is_done(id)? {
            state.insert(stored)?;
        }
        self.waits_no_more()
    }

    /// Removes the pending record durably: if it came back, a later recovery would complete it
    /// again.
    fn waits_no_more(&self) -> Result<(), Fault> {
        let Self { state, stored, .. } = self;
        discard(&state.volume, &state.waiting, &stored.record.id.to_string())?;
        sync_names(&state.volume, &state.waiting, state.syncs())
    }

    fn put(&self, outcome: Outcome) -> Result<(), Fault> {
        let Self { state, stored, waited, is_committed, .. } = self;
        if *waited {
            return match outcome {
                // It is inserted into the log once nothing is in progress.
                Outcome::Pending | Outcome::RolledForward => Ok(()),
                Outcome::Conflict | Outcome::Missing => {
                    move_record(state, stored.record.id, &state.waiting, &state.conflicts)
                }
                Outcome::RolledBack => self.waits_no_more(),
            };
        }
        let aside = match outcome {
            Outcome::Pending => Some(&state.waiting),
            Outcome::Conflict | Outcome::Missing => Some(&state.conflicts),
            Outcome::RolledForward | Outcome::RolledBack => None,
        };
        match aside {
            Some(aside) if *is_committed => state.set_aside(stored, aside),
            Some(aside) => state.take_aside(stored, aside),
            None if *is_committed => Ok(()),
            // A record that outlives the rollback of earlier ones would not find the state that it
            // describes.
            None => state.cut_off(stored.at),
        }
    }
}

/// Moves the file of a record that is not in the log, and replaces one that exists.
fn move_record<V: Volume>(
    state: &State<V>,
    id: Id,
    from: &V::Directory,
    to: &V::Directory,
) -> Result<(), Fault> {
    let (volume, name) = (&state.volume, id.to_string());
    discard(volume, to, &name)?;
    volume.rename(from, &name, to, &name)?;
    sync_names(volume, to, state.syncs())?;
    sync_names(volume, from, state.syncs())
}

/// True if a path is in a grant for writing.
fn is_here<V: Volume>(namespace: &Namespace<V>, at: &Location) -> Result<bool, Fault> {
    let found = RootMap::new(namespace)?.find(at, Some(Access::Write));
    Ok(unless(found.map(|found| found.is_some()), Fault::is_obstacle)? == Some(true))
}

/// The outcome that the members of a group have to get; none if an unavailable directory holds it.
fn of_group<V: Volume>(namespace: &Namespace<V>, group: Member) -> Result<Option<Decision>, Fault> {
    let Some(home) = home(namespace, group) else { return Ok(None) };
    Ok(Some(if is_committed(home, group)? == Some(true) { Decision::Forward } else { Decision::Back }))
}

fn home<V: Volume>(namespace: &Namespace<V>, group: Member) -> Option<&State<V>> {
    namespace.states().find(|state| state.identity == group.state)
}

fn is_committed<V: Volume>(home: &State<V>, group: Member) -> Result<Option<bool>, Fault> {
    let now = home.now();
    Ok(if now.begun == Some(group.id) {
        Some(now.is_committed)
    } else {
        home.is_done(group.id)?.then_some(true)
    })
}

/// Syncs the state directories: a crash may have left changes unsynced, and recovery relies on
/// them.
fn make_names_sure<V: Volume>(state: &State<V>) -> Result<(), Fault> {
    for directory in [&state.log, &state.tmp, &state.trash, &state.waiting, &state.conflicts] {
        state.volume.sync_directory(directory)?;
    }
    let file = state.now().file.map(|name| existing(state.current(name))).transpose()?.flatten();
    file.map_or(Ok(()), |file| state.volume.sync_file(&file))
}

/// Removes the files and copies that a crash has left incomplete. One that cannot be removed goes
/// to the trash, where it is pending.
fn clear<V: Volume>(state: &State<V>) -> Result<(), Fault> {
    for name in names(state, &state.tmp)? {
        let Err(fault) = discard(&state.volume, &state.tmp, &name) else { continue };
        match name.parse::<Id>() {
            Ok(id) if !state.is_kept(&name)? => {
                state.volume.rename(&state.tmp, &name, &state.trash, &name)?;
                state.empty(id, None)?;
            }
            _ => return Err(fault),
        }
    }
    Ok(())
}

fn names<V: Volume>(state: &State<V>, directory: &V::Directory) -> Result<Vec<String>, Fault> {
    let mut names = Vec::new();
    state.each_name(directory, |name| names.push(name.to_owned()))?;
    Ok(names)
}

/// True if a record is pending. Pending trash entries hold up nothing.
fn has_waiting<V: Volume>(state: &State<V>) -> Result<bool, Fault> {
    Ok(names(state, &state.waiting)?.iter().any(|name| pending_id(name).is_none()))
}
