//! `forget`: removes entries and their content.

use std::collections::BTreeSet;
use std::time::{Duration, UNIX_EPOCH};

use crate::changes::{Change, Planned};
use crate::history::{self, Address, Entries, Entry, MissingPart, Paths, about, is_below};
use crate::notes;
use crate::recovery::{forbids, leaves_rest};
use crate::view::View;
use fsgate_contract::history_types::{ForgetArgs, ForgetOutcome};
use fsgate_contract::id::Id;
use fsgate_error::{Failure, HistoryProblem, Reason};
use fsgate_journal::namespace::{Namespace, StateId};
use fsgate_journal::record::{Action, Move, Record};
use fsgate_journal::state::State;
use fsgate_journal::{Check, Stored};
use fsgate_volume::{Fault, Volume};

/// The entries to forget.
enum What {
    Entry(Id),
    Below(String),
    Before(Duration),
    Everything,
}

impl What {
    /// True for a record to forget alone. A path does not mean records of hidden entries, because
    /// the answer would reveal them.
    fn means<V: Volume>(&self, entries: &Entries<V>, record: &Record) -> bool {
        let paths = entries.paths();
        !paths.is_absent(record)
            && match self {
                Self::Entry(id) => record.id == *id,
                Self::Below(above) => entries.shows(record) && is_about(paths, record, above),
                Self::Before(moment) => record.id.time() < *moment,
                Self::Everything => !record.action.locations().is_empty(),
            }
    }
}

/// Runs the operation.
pub fn run<V: Volume>(view: &View<V>, args: &ForgetArgs) -> Planned<V, ForgetOutcome> {
    let namespace = view.namespace();
    history::require(namespace)?;
    let what = match (&args.id, &args.path, &args.before, args.everything()) {
        (Some(id), None, None, false) => What::Entry(history::entry_id(view, "id", id)?),
        (None, Some(path), None, false) => What::Below(view.resolved(path)?),
        (None, None, Some(time), false) => What::Before(moment(time)?),
        (None, None, None, true) => What::Everything,
        _ => return Err(HistoryProblem::ForgetsOne.into()),
    };
    let mut entries = Entries::new(view)?;
    // Pending changes need their entry.
    let waiting = set_aside(namespace, |state| &state.waiting)?;
    let awaited: BTreeSet<Id> = waiting.iter().flat_map(|(_, stored)| stored.record.needs()).collect();
    let (mut records, mut forgotten, mut bytes) = (Vec::new(), 0_u64, 0);
    let (mut is_known, mut stays, mut waits) = (false, false, false);
    let mut left_behind = Vec::new();
    // Records that forgotten entries undo. They would seem to stand, and could be neither undone
    // nor redone.
    let mut taken_back: BTreeSet<Id> = BTreeSet::new();
    while let Some(entry) = entries.next()? {
        let is_meant = match &what {
            What::Entry(id) => entry.id == *id || entry.records.iter().any(|(_, record)| record == id),
            What::Below(above) => {
                !entry.is_hidden
                    && entries.any_record(&entry, |record| is_about(entries.paths(), record, above))?
            }
            What::Before(moment) => entry.id.time() < *moment,
            What::Everything => true,
        };
        let goes_with_it = entry.records.iter().filter(|(_, record)| taken_back.remove(record)).count() > 0;
        if !is_meant && !goes_with_it {
            continue;
        }
        is_known |= is_meant;
        let ids = entry.records.iter().map(|(_, record)| record);
        if ids.chain([&entry.id]).any(|id| awaited.contains(id)) {
            waits = true;
            continue;
        }
        match size(&entries, &entry)? {
            Some(size) => {
                forgotten += 1;
                bytes += size;
                for address in entry.records.iter().filter(|(_, record)| entries.is_in_effect(*record)) {
                    let record = entries.record(*address)?;
                    taken_back.extend(record.and_then(|record| entries.undoes(&entry, &record)));
                }
                records.extend(&entry.records);
                records.extend(entry.group.map(|state| (state, entry.id)));
            }
            None => stays = true,
        }
        if is_known && taken_back.is_empty() && matches!(what, What::Entry(_)) {
            break;
        }
    }
    if !matches!(what, What::Entry(_)) {
        for (address, stored) in set_aside(namespace, |state| &state.conflicts)? {
            if !what.means(&entries, &stored.record) {
                continue;
            }
            if awaited.contains(&address.1) {
                waits = true;
            } else if may_go(&entries, address.0, &stored.record) {
                forgotten += 1;
                bytes += entries.bytes(address, &stored)?;
                records.push(address);
                if leaves_rest(namespace, &stored.record) {
                    left_behind.push(stored.record);
                }
            } else {
                stays = true;
            }
        }
        // A pending change needs its content.
        waits |= waiting.iter().any(|(_, stored)| what.means(&entries, &stored.record));
    }
    if let (What::Entry(id), false) = (&what, is_known) {
        match unfinished(&entries, *id)? {
            Unfinished::Goes(..) if awaited.contains(id) => waits = true,
            Unfinished::Goes(address, stored) => {
                records.push(address);
                (forgotten, bytes) = (1, stored.size);
                if leaves_rest(namespace, &stored.record) {
                    left_behind.push(stored.record);
                }
            }
            Unfinished::Stays => stays = true,
            Unfinished::Waits => waits = true,
            // Every `forget` tries to empty it, and counts it then.
            Unfinished::Pending => {}
        }
    }
    let (_, is_operator) = view.caller();
    if is_operator && matches!(what, What::Everything) {
        records.extend(lost(namespace).map_err(Reason::reading)?);
    }
    let stays = stays.then(notes::not_forgotten);
    let left_behind = about::left_behind(view, &left_behind);
    let notes = stays.into_iter().chain(waits.then(notes::not_at_its_end)).chain(left_behind).collect();
    let outcome = ForgetOutcome { forgotten: super::count(forgotten).unwrap_or(u32::MAX), bytes, notes };
    // Even without records: this removes the rest after the last one.
    Ok((outcome, vec![Change::Forget { records }]))
}

/// The committed records that cannot be read. They are no entries, and the trash can have content
/// of them.
fn lost<V: Volume>(namespace: &Namespace<V>) -> Result<Vec<Address>, Fault> {
    let mut lost = Vec::new();
    for (number, state) in namespace.state_ids() {
        for name in state.files()?.iter() {
            for span in state.page(*name)?.iter().flat_map(|page| &page.spans) {
                if state.done(span.id, Check::Header)?.is_none() {
                    lost.push((number, span.id));
                }
            }
        }
    }
    Ok(lost)
}

/// The kept bytes of an entry, if the caller may forget it.
fn size<V: Volume>(entries: &Entries<V>, entry: &Entry) -> Result<Option<u64>, Failure> {
    if entries.lacks(entry)? == Some(MissingPart::Elsewhere) {
        return Ok(None);
    }
    let mut bytes = 0;
    for address in &entry.records {
        if let Some(stored) = entries.stored(*address)? {
            // A hidden entry stays, and so does the entry that undoes it.
            let undoes = entries.undoes(entry, &stored.record);
            let takes_back = undoes.map(|id| entries.found(id)).transpose()?.flatten();
            if !may_go(entries, address.0, &stored.record)
                || takes_back.is_some_and(|record| !entries.shows(&record))
            {
                return Ok(None);
            }
            bytes += entries.bytes(*address, &stored)?;
        }
    }
    Ok(Some(bytes))
}

/// True for a visible record whose places are granted for writing and allowed by the policy.
fn may_go<V: Volume>(entries: &Entries<V>, state: StateId, record: &Record) -> bool {
    let namespace = entries.namespace();
    entries.shows(record)
        && entries.paths().is_ours(record)
        && forbids(namespace, namespace.state(state), record) == Ok(false)
}

/// The result for an interrupted record.
enum Unfinished<V: Volume> {
    /// It was set aside.
    Goes(Address, Box<Stored<V>>),
    Stays,
    /// Its content is needed.
    Waits,
    /// Its record is gone, and the trash has a rest of its content, or had one before this call.
    Pending,
}

/// Finds such a record by its own id.
fn unfinished<V: Volume>(entries: &Entries<V>, id: Id) -> Result<Unfinished<V>, Failure> {
    let unknown = || HistoryProblem::UnknownEntry(id.to_string()).into();
    for (number, state) in entries.namespace().state_ids() {
        for (directory, is_waiting) in [(&state.conflicts, false), (&state.waiting, true)] {
            let stored = Stored::open(&state.volume, directory, &id.to_string(), Check::Header);
            let Ok(Some(stored)) = stored else { continue };
            // Never reveal a hidden or foreign record.
            if stored.record.action.locations().is_empty() || entries.paths().is_absent(&stored.record) {
                return Err(unknown());
            }
            let address = (number, id);
            return Ok(match may_go(entries, number, &stored.record) {
                false => Unfinished::Stays,
                true if is_waiting => Unfinished::Waits,
                true => Unfinished::Goes(address, Box::new(stored)),
            });
        }
        let pending = state.pending_before().map_err(Reason::reading)?;
        let is_it = |record: &Record| record.id == id || record.group.is_some_and(|group| group.id == id);
        if pending.iter().any(|record| is_it(record) && may_go(entries, number, record)) {
            return Ok(Unfinished::Pending);
        }
    }
    Err(unknown())
}

/// True for a record about a path or something below it, and for the removal of a directory above
/// it.
fn is_about<V: Volume>(paths: &Paths<V>, record: &Record, above: &str) -> bool {
    let held = match &record.action {
        Action::Remove(remove) if remove.object.is_directory() => Some(&remove.at),
        Action::Move(Move { to, replaced: Some(replaced), .. }) if replaced.object.is_directory() => Some(to),
        _ => None,
    };
    paths.is_about(record, |path| is_below(path, above))
        || held.is_some_and(|at| paths.is_named(at, |path| is_below(above, path)))
}

/// The interrupted records in one directory.
fn set_aside<V: Volume>(
    namespace: &Namespace<V>,
    directory: impl Fn(&State<V>) -> &V::Directory,
) -> Result<Vec<(Address, Stored<V>)>, Failure> {
    let mut records = Vec::new();
    for (number, state) in namespace.state_ids() {
        let directory = directory(state);
        for id in state.ids(directory).map_err(Reason::reading)? {
            if let Ok(Some(stored)) = Stored::open(&state.volume, directory, &id.to_string(), Check::Header) {
                records.push(((number, id), stored));
            }
        }
    }
    Ok(records)
}

/// A time since 1970, as the contract writes it.
fn moment(text: &str) -> Result<Duration, Failure> {
    let time = humantime::parse_rfc3339(text).map_err(|_| Failure::from(HistoryProblem::NoTime("before")))?;
    Ok(time.duration_since(UNIX_EPOCH).unwrap_or_default())
}
