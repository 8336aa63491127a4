//! The commit path carries out all changes of all tools.
//!
//! [`apply`] checks again what the tool has seen, asks the policy ([`crate::authorize`]), and
//! journals each change ([`fsgate_journal`]) before making it. An existing file is changed in
//! place: a renamed copy would lose its mode, owner, inode and hard links.
//!
//! Each kind of change has its own file and one deciding step. A failure before that step rolls
//! back; after it the change is complete. With a journal, several changes commit together.

mod copy;
mod copy_tree;
mod create;
pub(crate) mod delete;
mod permissions;
mod relocate;
mod restore;
mod rollback_log;
mod splice;

use std::collections::BTreeSet;

use self::permissions::Copies;
use self::rollback_log::RollbackLog;
use crate::authorize::{ChangedFiles, permit};
use crate::changes::{Change, Keep, Tags};
use crate::history::{Paths, about, inverse};
use crate::notes::{self, Copied};
use crate::resolve::Place;
use fsgate_contract::id::Id;
use fsgate_contract::types::Note;
use fsgate_contract::{Applied, Pending};
use fsgate_error::{Failure, HistoryProblem, NamedEntry, Reason};
use fsgate_journal::namespace::{Namespace, StateId};
use fsgate_journal::record::{Action, Object, Record};
use fsgate_journal::state::State;
use fsgate_journal::tree_walk;
use fsgate_journal::tree_walk::copy::Permissions;
use fsgate_journal::{Call, RemovalCause, Transaction, Writes, bytes_kept, sweep};
use fsgate_volume::Seen;
use fsgate_volume::settings::{Durability, Quota, Settings};
use fsgate_volume::{Access, Fault, Volume};

/// Carries out the changes of one call, all or none. Without a journal, a part can stay after a
/// failure.
pub fn apply<V: Volume>(
    namespace: &Namespace<V>,
    call: Call,
    changes: Vec<Change<V>>,
) -> Result<Applied, Failure> {
    let mut counted = ChangedFiles::default();
    permit(namespace, &changes, call.confirmed, &mut counted)?;
    let _making = namespace.guard().make();
    let transaction = Transaction::new(namespace, call);
    let mut run = ApplyRun {
        namespace,
        call,
        transaction,
        counted,
        made: RollbackLog::default(),
        lasting: None,
        is_group: changes.len() > 1,
        is_lost: false,
        is_stuck: false,
        copies: Copies::default(),
        moved_copies: Vec::new(),
        kept: None,
        notes: Vec::new(),
        pending: Pending::default(),
        emptied: Pending::default(),
    };
    let is_journaled = changes.iter().filter_map(place).all(|place| run.state(place).is_some());
    // Without a journal, an interrupted change could not be rolled back.
    if !is_journaled {
        namespace.clock().hold();
    }
    let is_lost = !is_journaled && !changes.is_empty();
    let applied = run.all(changes);
    // Only `forget` counts them, in its own call.
    namespace.states().for_each(|state| drop(state.take_emptied()));
    namespace.clock().hold();
    match applied {
        Ok(undo_id) => {
            let undo_id = undo_id.filter(|_| !run.is_stuck);
            let mut notes: Vec<_> = run.copies.note(undo_id.is_some()).into_iter().collect();
            notes.extend(no_undo(is_lost || run.is_lost, run.is_stuck));
            notes.extend(run.notes);
            let undo_id = undo_id.map(|id| id.to_string());
            Ok(Applied { notes, undo_id, pending: run.pending, emptied: run.emptied })
        }
        Err(failure) => Err(run.roll_back(failure)),
    }
}

struct ApplyRun<'a, V: Volume> {
    namespace: &'a Namespace<V>,
    call: Call<'a>,
    transaction: Transaction<'a, V>,
    counted: ChangedFiles,
    made: RollbackLog<'a, V>,
    lasting: Option<(&'static str, u64)>,
    /// True if the call has several changes.
    is_group: bool,
    /// True if replaced or deleted content is not kept.
    is_lost: bool,
    /// True if the history could not keep new content, so an undo would be refused.
    is_stuck: bool,
    copies: Copies,
    moved_copies: Vec<u128>,
    /// The first path whose old content has to be kept, and the entry that the call undoes there.
    kept: Option<(String, Option<NamedEntry>)>,
    notes: Vec<Note>,
    pending: Pending,
    emptied: Pending,
}

impl<'a, V: Volume> ApplyRun<'a, V> {
    fn all(&mut self, changes: Vec<Change<V>>) -> Result<Option<Id>, Failure> {
        if changes.len() > 1 {
            let states: Vec<_> = changes.iter().flat_map(|change| self.states(change)).collect();
            self.transaction.begin_group(&states).map_err(journal)?;
        }
        for change in changes {
            self.with_room(change)?;
        }
        self.delete_set_aside()?;
        self.require_room()?;
        self.is_lost |= self.transaction.too_much().is_some();
        Ok(self.transaction.commit().map_err(journal)?)
    }

    /// Refuses a call whose old content has to be kept, and is too much for the history.
    fn require_room(&self) -> Result<(), Failure> {
        match (self.transaction.too_much(), &self.kept) {
            (Some(too_much), Some((path, entry))) => {
                Err(HistoryProblem::NoRoom(too_much).at(path.as_str()).of_entry(|| entry.clone()))
            }
            _ => Ok(()),
        }
    }

    fn states(&self, change: &Change<V>) -> Vec<&'a State<V>> {
        match change {
            Change::ThenUndo { into, .. } => into.iter().map(|state| self.namespace.state(*state)).collect(),
            Change::Move { source, destination, across: true, .. } => {
                [source, destination].into_iter().filter_map(|place| self.state(place)).collect()
            }
            Change::Undo { change, .. } => self.states(change),
            _ => place(change).and_then(|place| self.state(place)).into_iter().collect(),
        }
    }

    /// Carries out a change if the history has room for its old content.
    fn with_room(&mut self, change: Change<V>) -> Result<(), Failure> {
        if let Some(state) = place(&change).and_then(|place| self.state(place)) {
            if must_be_kept(&change).is_some() {
                let kept = kept(&change, self.transaction.is_group());
                let needed = kept.saturating_add(pending_beside(Some(state), &change));
                require_kept(&change, needed, self.transaction.quota())?;
            }
            self.is_stuck |= outgrows(&change, self.transaction.quota());
            self.kept = self.kept.take().or_else(|| must_be_kept(&change).map(|place| named(place, &change)));
        }
        self.carry_out(change)
    }

    fn roll_back(mut self, failure: Failure) -> Failure {
        // The old objects come back whatever they are.
        let _lifted = self.namespace.guard().lift();
        let rolled_back = self.transaction.roll_back();
        self.made.roll_back();
        match (rolled_back, self.lasting) {
            (Err(fault), _) => Failure { reason: Reason::Unrecovered(Box::new(fault)), path: failure.path },
            (Ok(()), None) => failure,
            (Ok(()), Some((done, count))) => {
                let why = Box::new(failure.reason);
                Failure { reason: Reason::Partly { done, count, why }, path: failure.path }
            }
        }
    }

    fn carry_out(&mut self, change: Change<V>) -> Result<(), Failure> {
        match change {
            Change::Create { place, content, like } => self.create(&place, &content, like.as_ref()),
            Change::Return { place, object, from } => self.restore(&place, object, from),
            Change::Splice { place, seen, offset, old, new, tags } => {
                self.splice(&place, seen, offset, &old, &new, &tags)
            }
            Change::CreateDirectory { place } => self.create_directory(&place),
            Change::Copy { source, seen, etag, destination, overwritten, with_directories } => {
                self.copy(&source, seen, etag.as_deref(), &destination, overwritten, with_directories)
            }
            Change::CopyTree { source, census, destination } => self.copy_tree(&source, census, &destination),
            Change::Move { source, seen, destination, replaced, across } => {
                self.relocate(&source, seen, &destination, replaced, across)
            }
            Change::Delete { place, seen, keep } => self.delete(&place, seen, keep),
            Change::DeleteTree { place, directory, census, keep } => {
                self.delete_tree(&place, directory, census, keep)
            }
            Change::Undo { record, change, entry } => {
                self.transaction.undoes = Some(record);
                let carried_out = self.carry_out(*change);
                self.transaction.undoes = None;
                carried_out.map_err(|failure| failure.of_entry(|| entry))
            }
            Change::ThenUndo { state, record, trash_entry, entry, .. } => {
                let changes = inverse::of(self.namespace, (state, record), trash_entry).and_then(|changes| {
                    permit(self.namespace, &changes, None, &mut self.counted)?;
                    Ok(changes)
                });
                let undone = changes
                    .and_then(|changes| changes.into_iter().try_for_each(|change| self.with_room(change)));
                undone.map_err(|failure| failure.of_entry(|| entry))
            }
            Change::Checkpoint { label } => self.checkpoint(label),
            Change::Forget { records } => self.forget(&records),
        }
    }

    /// Removes entries, one file of the log after the other. After a failure, removed records stay
    /// so, and their trash entries are pending.
    fn forget(&mut self, records: &[(StateId, Id)]) -> Result<(), Failure> {
        let of = |number| -> BTreeSet<Id> {
            records.iter().filter(|(of, _)| *of == number).map(|(_, id)| *id).collect()
        };
        let mut states: Vec<_> =
            self.namespace.state_ids().map(|(number, state)| (of(number), state)).collect();
        // States that lose no record come first, while the call can still be refused.
        states.sort_by_key(|(ids, _)| !ids.is_empty());
        let paths = Paths::new(self.namespace)?;
        let mut gone = 0;
        for (ids, state) in states {
            let kept = state.kept_for(&ids).map_err(journal)?;
            let forget = || {
                state.forget(&ids, &kept, RemovalCause::Requested)?;
                state.empty_pending()?;
                // The content of lost records.
                sweep(state, &state.ids(&state.trash)?)
            };
            if let Err(fault) = forget() {
                // The answer reports the progress, also after the deadline.
                self.namespace.clock().hold();
                let left = state.remaining(&ids).map_err(|fault| Reason::Unrecovered(Box::new(fault)))?;
                // A call whose records are gone has not failed by the time for the trash.
                if left > 0 || ids.is_empty() && fault != Fault::Deadline {
                    gone += ids.len() - left;
                    let why = journal(fault);
                    let is_partly = gone > 0;
                    return Err(match is_partly {
                        true => Reason::Partly { done: "forgotten", count: gone as u64, why: Box::new(why) },
                        false => why,
                    }
                    .into());
                }
                // Otherwise the next call finds them.
                let _ = state.set_all_pending(&kept);
            }
            gone += ids.len();
            let pending = state.pending().unwrap_or_default();
            // The count says nothing about hidden entries.
            let emptied = state.take_emptied();
            add(&mut self.emptied, emptied.iter().filter(|record| !paths.is_absent(record)));
            add(&mut self.pending, pending.iter().filter(|record| ids.contains(&record.id)));
            let Call { session, settings, .. } = self.call;
            self.notes.extend(about::pending(self.namespace, (session, settings.operator), &pending));
        }
        Ok(())
    }

    /// Records a change of names before it happens.
    fn record(&mut self, state: &'a State<V>, action: Action) -> Result<Id, Failure> {
        let stored = self.transaction.begin(state, action, 0, Writes::Names, |_| Ok(())).map_err(journal)?;
        Ok(stored.record.id)
    }

    /// The state directory of a place, if it has a journal.
    fn state(&self, place: &Place<V>) -> Option<&'a State<V>> {
        if self.transaction.is_on() { place.state(self.namespace) } else { None }
    }

    fn lasts(&mut self, done: &'static str, count: u64) {
        let (before, so_far) = self.lasting.unwrap_or((done, 0));
        self.lasting = Some((if before == done { done } else { "changed" }, so_far + count));
    }

    fn writable(&self, place: &Place<V>) -> Result<&'a V, Failure> {
        match place.access(self.namespace) {
            Access::Write => Ok(place.volume(self.namespace)),
            Access::Read => Err(Reason::ReadOnlyGrant.at(place.asked())),
        }
    }
}

/// The notes of a dry run: attributes that copies lack, and missing undo. Refuses content without
/// room in the history, and sources that cannot be copied.
pub(crate) fn foretold<V: Volume>(
    namespace: &Namespace<V>,
    settings: &Settings,
    changes: &[Change<V>],
) -> Result<Vec<Note>, Failure> {
    let is_group = changes.len() > 1;
    let (mut bytes, mut is_recorded, mut in_any_case) = (0_u64, false, None);
    let (mut is_lost, mut is_stuck) = (false, false);
    let mut pending = 0;
    let mut copies = Copies::default();
    let journaled =
        |place: &Place<V>| settings.durability != Durability::None && place.state(namespace).is_some();
    for change in changes {
        copies.expect(namespace, change);
        copy::require_source(namespace, change)?;
        if let Change::ThenUndo { file, keeps, .. } = change {
            // The number of moved bytes is unknown until then.
            bytes = bytes.saturating_add(*keeps);
            is_recorded = true;
            in_any_case = in_any_case.or_else(|| Some((file.clone(), entry(change).cloned())));
        }
        let Some(place) = place(change) else { continue };
        is_lost |= !journaled(place) || keeps_nothing(change);
        if let Change::DeleteTree { census, keep, .. } = change {
            let beside = pending_beside(place.state(namespace), change);
            let bytes = Object::tree(census).bytes().saturating_add(beside);
            let has_room = settings.history.refuses(bytes).is_none();
            if !has_room || *keep == Keep::Never || !journaled(place) {
                delete::require_removable(namespace, place, census)?;
            }
        }
        if !journaled(place) {
            continue;
        }
        is_stuck |= outgrows(change, &settings.history);
        let kept = kept(change, is_group);
        // A rename that replaces an object keeps it in any case, to roll back after a crash.
        let is_rename = matches!(change, Change::Move { across: false, .. });
        let is_kept = is_rename || settings.history.refuses(kept).is_none();
        if is_kept && delete::require_keepable(namespace, change)? {
            copies.kept(Permissions::expected(place.volume(namespace)), Copied::Elsewhere);
        }
        pending = pending.max(pending_beside(place.state(namespace), change));
        require_kept(change, kept.saturating_add(pending), &settings.history)?;
        in_any_case = in_any_case.or_else(|| {
            let (path, entry) = named(must_be_kept(change)?, change);
            Some((Some(path), entry))
        });
        bytes = bytes.saturating_add(kept);
        is_recorded = true;
    }
    let is_too_much = settings.history.refuses(bytes.saturating_add(pending)).filter(|_| is_recorded);
    match (is_too_much, in_any_case) {
        (Some(too_much), Some((path, entry))) => {
            let failure = Failure { reason: HistoryProblem::NoRoom(too_much).into(), path };
            Err(failure.of_entry(|| entry))
        }
        (is_too_much, _) => {
            let no_undo = no_undo(is_lost || is_too_much.is_some(), is_stuck);
            let can_come_back = is_recorded && no_undo.is_none();
            Ok(copies.note(can_come_back).into_iter().chain(no_undo).collect())
        }
    }
}

/// Adds records to a count of entries.
fn add<'r>(count: &mut Pending, records: impl Iterator<Item = &'r Record>) {
    let mut entries = BTreeSet::new();
    for record in records {
        entries.insert(record.group.map_or(record.id, |group| group.id));
        count.bytes += bytes_kept(&record.action);
    }
    count.entries += u32::try_from(entries.len()).unwrap_or(u32::MAX);
}

fn no_undo(is_lost: bool, is_stuck: bool) -> Option<Note> {
    match (is_lost, is_stuck) {
        (true, _) => Some(notes::no_undo()),
        (false, true) => Some(notes::outgrows_history()),
        (false, false) => None,
    }
}

/// True if the history could not keep the content of a new name. An undo, which has to keep it, is
/// refused.
fn outgrows<V: Volume>(change: &Change<V>, history: &Quota) -> bool {
    let new = match change {
        Change::Create { content, .. } => content.len() as u64,
        Change::Copy { seen, overwritten: None, .. } => seen.stat.size,
        Change::CopyTree { census, .. } => Object::copied(census).bytes(),
        _ => 0,
    };
    new > history.bytes
}

/// Bytes of pending trash entries, which an object that may be lost finds taken.
fn pending_beside<V: Volume>(state: Option<&State<V>>, change: &Change<V>) -> u64 {
    match (state, change) {
        (
            Some(state),
            Change::Delete { keep: Keep::IfRoom, .. } | Change::DeleteTree { keep: Keep::IfRoom, .. },
        ) => state.pending_bytes().unwrap_or(0),
        // `undo` and `restore` keep content even beside entries that cannot be removed.
        _ => 0,
    }
}

fn require_kept<V: Volume>(change: &Change<V>, bytes: u64, history: &Quota) -> Result<(), Failure> {
    match (must_be_kept(change), history.refuses(bytes)) {
        (Some(place), Some(too_much)) => {
            let failure = HistoryProblem::NoRoom(too_much).at(place.asked());
            Err(failure.of_entry(|| entry(change).cloned()))
        }
        _ => Ok(()),
    }
}

/// The entry that a change undoes.
fn entry<V: Volume>(change: &Change<V>) -> Option<&NamedEntry> {
    match change {
        Change::Undo { entry, .. } | Change::ThenUndo { entry, .. } => entry.as_ref(),
        _ => None,
    }
}

fn named<V: Volume>(place: &Place<V>, change: &Change<V>) -> (String, Option<NamedEntry>) {
    (place.asked().to_owned(), entry(change).cloned())
}

fn must_be_kept<V: Volume>(change: &Change<V>) -> Option<&Place<V>> {
    match change {
        Change::Splice { place, tags: Tags { whole: true, .. }, .. }
        | Change::Delete { place, keep: Keep::Always, .. }
        | Change::DeleteTree { place, keep: Keep::Always, .. } => Some(place),
        // The present content may be another process's, and no caller was asked.
        Change::Undo { change, .. } => self::place(change),
        _ => None,
    }
}

fn keeps_nothing<V: Volume>(change: &Change<V>) -> bool {
    matches!(change, Change::Delete { keep: Keep::Never, .. } | Change::DeleteTree { keep: Keep::Never, .. })
}

fn kept<V: Volume>(change: &Change<V>, is_group: bool) -> u64 {
    let object = |seen: &Seen| Object::of(&seen.stat).bytes();
    match change {
        Change::Splice { seen, offset, old, new, tags, .. } => {
            let kept = match tags.whole {
                true => seen.size,
                // Only a group keeps the moved bytes between its records.
                false if is_group && old.len() != new.len() => seen.size.saturating_sub(*offset),
                false => old.len(),
            };
            kept + new.len()
        }
        Change::Delete { keep: Keep::Never, .. } | Change::DeleteTree { keep: Keep::Never, .. } => 0,
        Change::Delete { seen, .. } => object(seen),
        Change::DeleteTree { census, .. } => Object::tree(census).bytes(),
        Change::Move { seen, replaced, across, .. } => {
            replaced.as_ref().map_or(0, object) + if *across { object(seen) } else { 0 }
        }
        Change::Copy { seen, overwritten: Some(overwritten), .. } => overwritten.stat.size + seen.stat.size,
        Change::Undo { change, .. } => kept(change, is_group),
        _ => 0,
    }
}

fn place<V: Volume>(change: &Change<V>) -> Option<&Place<V>> {
    match change {
        Change::Create { place, .. }
        | Change::Return { place, .. }
        | Change::Splice { place, .. }
        | Change::CreateDirectory { place }
        | Change::Delete { place, .. }
        | Change::DeleteTree { place, .. } => Some(place),
        Change::Copy { destination, .. }
        | Change::CopyTree { destination, .. }
        | Change::Move { destination, .. } => Some(destination),
        Change::Undo { change, .. } => self::place(change),
        Change::ThenUndo { .. } | Change::Checkpoint { .. } | Change::Forget { .. } => None,
    }
}

/// The failure of a change whose record could not be written.
fn journal(fault: Fault) -> Reason {
    Reason::Journal(Box::new(fault))
}

fn holding<V: Volume>(volume: &V, place: &Place<V>) -> Result<V::Directory, Fault> {
    tree_walk::open(volume, place.directory(), place.parents())
}

fn require<V: Volume>(volume: &V, directory: &V::Directory, name: &str, seen: &Seen) -> Result<(), Reason> {
    if is_still(volume, directory, name, seen)? { Ok(()) } else { Err(Reason::Changed) }
}

fn is_still<V: Volume>(
    volume: &V,
    directory: &V::Directory,
    name: &str,
    seen: &Seen,
) -> Result<bool, Reason> {
    match (volume.stat(directory, name), volume.identity_at(directory, name)) {
        (Ok(stat), Ok(identity)) => Ok(seen.is_still(&stat, identity)),
        (Err(Fault::NotFound), _) | (_, Err(Fault::NotFound)) => Ok(false),
        (Err(fault), _) | (_, Err(fault)) => Err(Reason::writing(fault)),
    }
}

fn require_free<V: Volume>(volume: &V, directory: &V::Directory, name: &str) -> Result<(), Reason> {
    match volume.stat(directory, name) {
        Err(Fault::NotFound) => Ok(()),
        Ok(_) => Err(Reason::Exists),
        Err(fault) => Err(Reason::writing(fault)),
    }
}

fn unrecorded<V: Volume>(volume: &V) -> Id {
    Id(volume.random())
}
