//! After a death: what is under way or waits is finished or taken back, before anything else is changed.

mod authorize;

use std::collections::BTreeSet;
use std::ops::ControlFlow;

pub(crate) use self::authorize::forbids;
use self::authorize::forbids_names;
use fsgate_contract::id::Id;
use fsgate_journal::namespace::Namespace;
use fsgate_journal::record::{Action, Location, Member, Record};
use fsgate_journal::settle::{Came, Settled, Verdict, part, settle};
use fsgate_journal::state::control::Control;
use fsgate_journal::state::{PENDING, State};
use fsgate_journal::{Check, Found, Grounds, Report, Spot, Stored, discard, sweep};
use fsgate_volume::{Access, Fault, Kind, Listed, Volume};

/// A record that is not at its end.
struct Left<'a, V: Volume> {
    state: &'a State<V>,
    stored: Stored<V>,
    came: Came,
    /// It is in `waiting/`, not in the log.
    waited: bool,
    /// It stays in the log: its change stands.
    stands: bool,
    /// It comes into the log, where it was not.
    comes_in: bool,
    /// Its file may not be written now. The record is not checked, and the change stays pending.
    obstructed: bool,
}

/// Completes or rolls back each unfinished record whose places lie in grants of this session. The
/// caller holds the lock. `is_last_look` ends the wait of changes whose directories are gone.
pub(crate) fn recover<V: Volume>(
    namespace: &Namespace<V>,
    sync: bool,
    is_last_look: bool,
) -> Result<Report, Fault> {
    let mut report = Report::default();
    let (mut left, mut is_unknown) = (Vec::new(), false);
    for state in namespace.states() {
        state.refresh()?;
        let under_way = state.under_way()?;
        let known: BTreeSet<Id> = under_way.iter().map(|stored| stored.record.id).collect();
        // What is not written down any more may have been anything, and so may what was being forgotten.
        is_unknown |= state.now().unsettled || state.now().is_unfinished() && under_way.is_empty();
        let stands = state.now().stands;
        let last = under_way.iter().map(|stored| stored.record.id).max();
        left.extend(under_way.into_iter().map(|stored| Left {
            state,
            came: if Some(stored.record.id) == last { Came::Somewhere } else { Came::ToItsEnd },
            stored,
            waited: false,
            stands,
            comes_in: false,
            obstructed: false,
        }));
        for (stored, obstructed) in waiting(namespace, state, &known)? {
            // Whatever was half of a step then is not any more, and who knows what has been given more names since.
            let came = Came::ToItsEnd;
            left.push(Left { state, came, stored, waited: true, stands: false, comes_in: false, obstructed });
        }
    }
    // What has to survive a loss of power has to survive this, in every history: one tells what becomes of a part in another one.
    let sync = sync || is_unknown || left.iter().any(|left| left.stored.record.power);
    let _meanwhile: Vec<_> = namespace.states().filter(|_| sync).map(State::sync_meanwhile).collect();
    for state in namespace.states() {
        if sync {
            // What was decided is not to be undecided once it is acted on.
            state.make_sure()?;
            make_names_sure(state)?;
        }
        state.begin_in_place()?;
    }
    // The last one first: what is taken back has the state before it then that it left.
    left.sort_by_key(|left| std::cmp::Reverse(left.stored.record.id));
    // Groups of which something waits: what else they have changed may depend on that.
    let mut unsettled: BTreeSet<Id> = BTreeSet::new();
    // Groups whose earlier changes wait as well: a later one has moved something away and waits, or
    // waits behind an obstacle. The later one knows the state that the earlier ones have left.
    let mut held: BTreeSet<Id> = BTreeSet::new();
    // Those of which the policy of now forbids a part are taken back by who may take back all of it: else that would be half. So are those
    // that have brought something from where nobody can look now: what was changed in it since would be as it was there.
    let mut forbidden: BTreeSet<Id> = BTreeSet::new();
    for left in left.iter().filter(|left| !left.stored.record.action.is_group()) {
        if let Some(group) = left.stored.record.group
            // By its names alone: what they stand for is half done.
            && !forbidden.contains(&group.id)
            && (left.is_forbidden(namespace)? || left.comes_from_elsewhere(namespace)?)
        {
            forbidden.insert(group.id);
        }
    }
    for left in left.iter_mut().filter(|left| !left.stored.record.action.is_group()) {
        let group = left.stored.record.group.map(|group| group.id);
        let stays = group.is_some_and(|group| forbidden.contains(&group) || held.contains(&group));
        let verdict = left.verdict(namespace)?.filter(|verdict| !stays || *verdict != Verdict::Back);
        let settled = left.settle_or_part(namespace, verdict, sync)?;
        left.stands = verdict == Some(Verdict::Forward) || settled == Settled::Done;
        let is_obstructed = settled == Settled::Waiting && left.is_in_reach(namespace)?;
        let settled = match settled {
            Settled::Lost if group.is_some_and(|group| unsettled.contains(&group)) => Settled::Waiting,
            // Another change of its group is pending in the directory that it made.
            Settled::Foreign
                if left.stored.record.action.makes_directory()
                    && group.is_some_and(|group| unsettled.contains(&group)) =>
            {
                Settled::Waiting
            }
            // A directory that was moved away or deleted can come back, until the caller asks for the end.
            Settled::Lost
                if !is_last_look && left.waited && matches!(left.stored.record.action, Action::Splice(_)) =>
            {
                Settled::Waiting
            }
            // Its place is unknown, and no later look would find it.
            Settled::Lost => Settled::Foreign,
            settled => settled,
        };
        left.put(settled)?;
        left.comes_in = left.waited && settled == Settled::Done;
        let record = left.stored.record.clone();
        match settled {
            Settled::Done => report.finished.push(record),
            Settled::Undone => report.rolled_back.push(record),
            Settled::Waiting => {
                unsettled.extend(group);
                if is_obstructed || left.leads_away(namespace)? {
                    held.extend(group);
                }
                report.waiting.push(record);
            }
            Settled::Foreign | Settled::Lost => report.conflicts.push(record),
        }
    }
    for state in namespace.states() {
        clear(state)?;
        if sync {
            // Nobody looks there again while nothing is under way.
            state.volume.sync_directory(&state.tmp)?;
        }
        let now = state.now();
        let stands = |left: &&Left<V>| !left.waited && left.stands && left.state.identity == state.identity;
        let end = left.iter().filter(stands).map(|left| left.stored.end()).max().unwrap_or(now.end);
        let last = left.iter().map(|left| left.stored.record.id).chain([now.last]).max().unwrap_or(now.last);
        let sequence = now.sequence.wrapping_add(now.sequence % 2);
        let unsettled = has_waiting(state)? || now.unsettled;
        state.set(Control { begun: None, stands: false, sequence, end, last, unsettled, ..now })?;
        // The log may be written anew for that: what stands behind its end would go.
        for left in left.iter().filter(|left| left.comes_in && left.state.identity == state.identity) {
            left.put_in()?;
        }
        state.empty_pending()?;
        let waits = has_waiting(state)?;
        if unsettled && !waits {
            // Who died while records were forgotten may not have come to what was kept for them.
            sweep(state, &state.ids(&state.trash)?)?;
            if sync {
                state.volume.sync_directory(&state.trash)?;
            }
            state.set(Control { unsettled: false, ..state.now() })?;
        }
    }
    Ok(report)
}

/// The records in `waiting/`, but for those that are known from elsewhere; true for one whose file
/// may not be written now.
fn waiting<V: Volume>(
    namespace: &Namespace<V>,
    state: &State<V>,
    known: &BTreeSet<Id>,
) -> Result<Vec<(Stored<V>, bool)>, Fault> {
    let mut records = Vec::new();
    for name in names(state, &state.waiting)?.into_iter().filter(|name| !name.ends_with(PENDING)) {
        let stored = match name.parse::<Id>() {
            // Whoever was putting it there died before it was taken from where it was.
            Ok(id) if known.contains(&id) => {
                discard(&state.volume, &state.waiting, &name)?;
                continue;
            }
            // To read all of a large record for each change would cost more than the changes.
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
            // It is damaged. What is kept for it is all there is of something, perhaps.
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

/// Why a change of a file in place is pending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wait {
    /// The system refuses to write the file.
    Refused,
    /// The file, or its directory, is not at its place.
    Away,
}

/// The pending changes in place that cannot be completed now: each of these files is partly old and
/// partly new. The caller has looked at the states since the call began.
pub(crate) fn half_written<V: Volume>(namespace: &Namespace<V>) -> Result<Vec<(Record, Wait)>, Fault> {
    let mut records = Vec::new();
    for state in namespace.states() {
        if !state.now().unsettled {
            continue;
        }
        for name in names(state, &state.waiting)?.iter().filter(|name| name.parse::<Id>().is_ok()) {
            match Stored::open(&state.volume, &state.waiting, name, Check::Header) {
                Ok(stored) => records.extend(stored.map(|stored| stored.record)),
                // Another process has settled it meanwhile.
                Err(Fault::NotFound) => {}
                Err(fault) => return Err(fault),
            }
        }
    }
    let with_wait = |record| wait_of(namespace, &record).map(|wait| (record, wait));
    Ok(records.into_iter().filter_map(with_wait).collect())
}

/// True for a change in place of a file that may not be written now.
fn is_obstructed<V: Volume>(namespace: &Namespace<V>, record: &Record) -> bool {
    wait_of(namespace, record) == Some(Wait::Refused)
}

/// Why a change of a file in place cannot be completed now. None if it can, and for any other
/// change.
fn wait_of<V: Volume>(namespace: &Namespace<V>, record: &Record) -> Option<Wait> {
    let Action::Splice(splice) = &record.action else { return None };
    let open = || {
        let spot = match Spot::find(namespace, &splice.at)? {
            Found::Here(spot) => spot,
            Found::Gone => return Err(Fault::NotFound),
            Found::Elsewhere => return Ok(()),
        };
        let directory = spot.directory()?.ok_or(Fault::NotFound)?;
        // A look comes first: to open a FIFO waits for its writer.
        if spot.volume.stat(&directory, &spot.name)?.kind == Kind::File {
            spot.volume.open_file(&directory, &spot.name, Access::Write)?;
        }
        Ok(())
    };
    match open() {
        Err(fault) if fault.is_obstacle() => Some(Wait::Refused),
        Err(Fault::NotFound) => Some(Wait::Away),
        _ => None,
    }
}

impl<V: Volume> Left<'_, V> {
    /// What is to become of it; none if that is written where we cannot look.
    fn verdict(&self, namespace: &Namespace<V>) -> Result<Option<Verdict>, Fault> {
        match self.stored.record.group {
            // What waits and is done has something left to be removed.
            None if self.waited && self.state.is_done(self.stored.record.id)? => Ok(Some(Verdict::Forward)),
            None => Ok(Some(Verdict::Own)),
            Some(member) => of_group(namespace, member),
        }
    }

    /// Settles it; where it stays as it is, at least nothing has two names because of it.
    fn settle_or_part(
        &self,
        namespace: &Namespace<V>,
        verdict: Option<Verdict>,
        sync: bool,
    ) -> Result<Settled, Fault> {
        if self.obstructed && verdict != Some(Verdict::Forward) {
            return Ok(Settled::Waiting);
        }
        let settled = self.settle(namespace, verdict, sync)?;
        if verdict == Some(Verdict::Forward) || matches!(settled, Settled::Done | Settled::Undone) {
            return Ok(settled);
        }
        match part(namespace, self.state, &self.stored, self.came, sync) {
            Err(fault) if fault.is_obstacle() => Ok(settled),
            parted => Ok(parted?.unwrap_or(settled)),
        }
    }

    fn settle(
        &self,
        namespace: &Namespace<V>,
        verdict: Option<Verdict>,
        sync: bool,
    ) -> Result<Settled, Fault> {
        let Some(verdict) = verdict else { return Ok(Settled::Waiting) };
        // Whose directory is not ours is nobody for our policy to judge.
        match self.is_elsewhere(namespace) {
            Ok(false) => {}
            Ok(true) => return Ok(Settled::Waiting),
            Err(fault) if fault.is_obstacle() => return Ok(Settled::Waiting),
            Err(fault) => return Err(fault),
        }
        if self.is_forgotten(namespace)? {
            return Ok(Settled::Foreign);
        }
        let settled = match forbids(namespace, self.state, &self.stored.record) {
            // The policy has been changed since it was begun: it is for a person to look at.
            Ok(true) => Ok(Settled::Foreign),
            Ok(false) => settle(namespace, self.state, &self.stored, verdict, self.came, sync),
            Err(fault) => Err(fault),
        };
        match settled {
            // Other changes go on meanwhile, and each of them tries this one again.
            Err(fault) if fault.is_obstacle() => Ok(Settled::Waiting),
            settled => settled,
        }
    }

    /// True if the policy forbids to bring it to its end, by its names. Of what lies elsewhere, or cannot be looked at, it says nothing.
    fn is_forbidden(&self, namespace: &Namespace<V>) -> Result<bool, Fault> {
        match self.is_elsewhere(namespace) {
            Ok(is_elsewhere) => Ok(!is_elsewhere && forbids_names(namespace, &self.stored.record)),
            Err(fault) if fault.is_obstacle() => Ok(false),
            Err(fault) => Err(fault),
        }
    }

    /// True if something has come into a grant of ours for writing by it, or was to come, and not from one.
    fn comes_from_elsewhere(&self, namespace: &Namespace<V>) -> Result<bool, Fault> {
        let Some((from, to)) = self.stored.record.action.led() else { return Ok(false) };
        Ok(is_here(namespace, to)? && !is_here(namespace, from)?)
    }

    /// True if something has lost a name in a grant of ours for writing by it, or was to lose it.
    fn leads_away(&self, namespace: &Namespace<V>) -> Result<bool, Fault> {
        match &self.stored.record.action {
            Action::Move(moved) => is_here(namespace, &moved.from),
            _ => Ok(false),
        }
    }

    /// True if what it belongs to is forgotten: nobody knows any more whether that was decided, so it is for a person to look at.
    fn is_forgotten(&self, namespace: &Namespace<V>) -> Result<bool, Fault> {
        let Some(group) = self.stored.record.group else { return Ok(false) };
        match home(namespace, group) {
            // What is needed by what waits beside it is not forgotten by itself: it was never decided.
            Some(home) if home.identity == self.state.identity => Ok(false),
            Some(home) if stands(home, group)?.is_none() => home.may_have_pruned(group.id),
            _ => Ok(false),
        }
    }

    /// True if all its locations lie in grants for writing, so that a wait of it is due to an obstacle.
    fn is_in_reach(&self, namespace: &Namespace<V>) -> Result<bool, Fault> {
        match self.is_elsewhere(namespace) {
            Ok(is_elsewhere) => Ok(!is_elsewhere),
            Err(fault) if fault.is_obstacle() => Ok(true),
            Err(fault) => Err(fault),
        }
    }

    /// True if it is about something that lies in no grant of ours for writing.
    fn is_elsewhere(&self, namespace: &Namespace<V>) -> Result<bool, Fault> {
        let grounds = Grounds::new(namespace)?;
        for at in self.stored.record.action.locations() {
            if grounds.find(at, Some(Access::Write))?.is_none() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Puts a record that has waited among those that are done.
    fn put_in(&self) -> Result<(), Fault> {
        let Self { state, stored, .. } = self;
        let id = stored.record.id;
        if !state.is_done(id)? {
            state.insert(stored)?;
        }
        self.waits_no_more()
    }

    /// For good: what comes back would be brought to its end once more, whatever has its name by then.
    fn waits_no_more(&self) -> Result<(), Fault> {
        let Self { state, stored, .. } = self;
        discard(&state.volume, &state.waiting, &stored.record.id.to_string())?;
        if state.syncs() { state.volume.sync_directory(&state.waiting) } else { Ok(()) }
    }

    /// Puts the record where it belongs now.
    fn put(&self, settled: Settled) -> Result<(), Fault> {
        let Self { state, stored, waited, stands, .. } = self;
        match settled {
            Settled::Waiting if !waited => state.put_aside(stored, &state.waiting)?,
            Settled::Foreign | Settled::Lost => state.put_aside(stored, &state.conflicts)?,
            _ => {}
        }
        if *waited {
            return match settled {
                // It is put among those that are done as soon as nothing is under way.
                Settled::Waiting | Settled::Done => Ok(()),
                _ => self.waits_no_more(),
            };
        }
        // One that is there still when those before it are settled would find nothing of what it knows.
        if *stands { Ok(()) } else { state.cut_off(stored.at) }
    }
}

/// True if a location lies in a grant of ours for writing, as far as it can be looked at.
fn is_here<V: Volume>(namespace: &Namespace<V>, at: &Location) -> Result<bool, Fault> {
    match Grounds::new(namespace)?.find(at, Some(Access::Write)) {
        Ok(found) => Ok(found.is_some()),
        Err(fault) if fault.is_obstacle() => Ok(false),
        Err(fault) => Err(fault),
    }
}

/// What is to become of the members of a group; none if that is written where we cannot look.
fn of_group<V: Volume>(namespace: &Namespace<V>, group: Member) -> Result<Option<Verdict>, Fault> {
    let Some(home) = home(namespace, group) else { return Ok(None) };
    Ok(Some(if stands(home, group)? == Some(true) { Verdict::Forward } else { Verdict::Back }))
}

/// Where the record of a group is, or was.
fn home<V: Volume>(namespace: &Namespace<V>, group: Member) -> Option<&State<V>> {
    namespace.states().find(|state| state.identity == group.state)
}

/// Whether a group is to stand, if its record is there.
fn stands<V: Volume>(home: &State<V>, group: Member) -> Result<Option<bool>, Fault> {
    let now = home.now();
    Ok(if now.begun == Some(group.id) { Some(now.stands) } else { home.is_done(group.id)?.then_some(true) })
}

/// What somebody has done in a state directory and not synced who died over it is there, and is not to be relied on before it is.
fn make_names_sure<V: Volume>(state: &State<V>) -> Result<(), Fault> {
    for directory in [&state.log, &state.tmp, &state.trash, &state.waiting, &state.conflicts] {
        state.volume.sync_directory(directory)?;
    }
    match state.now().file.map(|name| state.current(name)) {
        Some(Ok(file)) => state.volume.sync_file(&file),
        None | Some(Err(Fault::NotFound)) => Ok(()),
        Some(Err(fault)) => Err(fault),
    }
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
    state.volume.each_entry(directory, &mut |listed| {
        if let Listed::Name(name, _) = listed {
            names.push(name.to_owned());
        }
        ControlFlow::Continue(())
    })?;
    Ok(names)
}

/// True if a record waits to be completed. Pending trash entries hold up nothing.
fn has_waiting<V: Volume>(state: &State<V>) -> Result<bool, Fault> {
    Ok(names(state, &state.waiting)?.iter().any(|name| !name.ends_with(PENDING)))
}
