//! Deletes files and directories.

use std::ops::ControlFlow;

use super::rollback_log::Aside;
use super::{ApplyRun, holding, require, unrecorded};
use crate::changes::{Change, Keep};
use crate::notes::Copied;
use crate::resolve::Place;
use fsgate_contract::id::{Id, is_temporary, temporary};
use fsgate_contract::path::below;
use fsgate_error::{Failure, FaultAt, Reason};
use fsgate_journal::namespace::Namespace;
use fsgate_journal::record::{Action, Kept, Object, Remove};
use fsgate_journal::state::State;
use fsgate_journal::tree_walk::copy::{copy_object, make_like};
use fsgate_journal::tree_walk::remove::Deleting;
use fsgate_journal::tree_walk::{
    Census, Stopped, TreePosition, TreeVisitor, VisitedDirectory, count_below, walk,
};
use fsgate_journal::{keep_copy, require_copyable};
use fsgate_volume::Seen;
use fsgate_volume::answers::{unless_gone, unless_there};
use fsgate_volume::bytes::sync_names;
use fsgate_volume::{Fault, Kind, Listed, Volume};

struct Doomed<'b, V: Volume> {
    place: &'b Place<V>,
    directory: V::Directory,
    object: Object,
    identity: Id,
}

impl<'a, V: Volume> ApplyRun<'a, V> {
    pub(super) fn delete(&mut self, place: &Place<V>, seen: Seen, keep: Keep) -> Result<(), Failure> {
        let here = |reason: Reason| reason.at(place.asked());
        let volume = self.writable(place)?;
        let directory = holding(volume, place).writing_at(place.asked())?;
        require(volume, &directory, place.name(), &seen).map_err(here)?;
        let object = Object::of(&seen.stat);
        let state = self.state(place);
        let keep = self.keeps(state, object, keep).writing_at(place.asked())?;
        self.is_lost |= !keep;
        match state {
            Some(state) if keep || self.transaction.is_group() => {
                let doomed = Doomed { place, directory, object, identity: Id(seen.identity) };
                self.take_away(state, volume, &doomed, keep, |directory, name| {
                    require(volume, directory, name, &seen)
                })
            }
            None if self.is_group => {
                let (holds, aside) = self.set_aside_unrecorded(volume, &directory, place, object)?;
                require(volume, &holds, &aside, &seen).map_err(here)
            }
            _ => {
                let removed = volume.remove_file(&directory, place.name());
                unless_gone(removed, volume, &directory, place.name()).writing_at(place.asked())?;
                self.made.keep(&self.moved_copies);
                self.lasts("deleted", 1);
                sync_names(volume, &directory, self.transaction.syncs()).writing_at(place.asked())
            }
        }
    }

    pub(super) fn delete_tree(
        &mut self,
        place: &Place<V>,
        handle: V::Directory,
        census: Census,
        keep: Keep,
    ) -> Result<(), Failure> {
        let here = |reason: Reason| reason.at(place.asked());
        let volume = self.writable(place)?;
        let directory = holding(volume, place).writing_at(place.asked())?;
        let identity = volume.directory_identity(&handle).writing_at(place.asked())?;
        let named = volume.identity_at(&directory, place.name());
        if named.writing_at(place.asked())? != identity {
            return Err(here(Reason::Changed));
        }
        let object = Object::tree(&census);
        let state = self.state(place);
        if object == Object::Directory && (state.is_some() || self.is_group) {
            // Before a record: recovery would find another directory than the recorded one.
            require_empty(volume, &handle).map_err(here)?;
        }
        let Some(state) = state else {
            if !self.is_group {
                return delete_unrecorded(volume, (&directory, place.name()), handle, object, place.asked());
            }
            if object != Object::Directory {
                require_emptiable(volume, &directory, place.name(), place.asked())?;
            }
            return self.set_aside_unrecorded(volume, &directory, place, object).map(drop);
        };
        let keep = self.keeps(Some(state), object, keep).writing_at(place.asked())?;
        self.is_lost |= !keep;
        let doomed = Doomed { place, directory, object, identity: Id(identity) };
        self.take_away(state, volume, &doomed, keep, |directory, name| {
            let there = volume.identity_at(directory, name).map_err(Reason::writing)?;
            if there != identity {
                return Err(Reason::Changed);
            }
            if object == Object::Directory {
                let inside = volume.open_directory(directory, name).map_err(Reason::writing)?;
                return require_empty(volume, &inside);
            }
            Ok(())
        })
    }

    /// Gives an object a temporary name without a record. The call deletes it at its end.
    fn set_aside_unrecorded(
        &mut self,
        volume: &'a V,
        directory: &V::Directory,
        place: &Place<V>,
        object: Object,
    ) -> Result<(V::Directory, String), Failure> {
        let name = temporary(unrecorded(volume));
        let holds = set_aside(volume, directory, place, &name).writing_at(place.asked())?;
        let aside =
            Aside { holds: holds.clone(), name: name.clone(), object, asked: place.asked().to_owned() };
        self.made.set_aside(volume, place, aside);
        Ok((holds, name))
    }

    /// Deletes for good what the call has set aside without a record.
    pub(super) fn delete_set_aside(&mut self) -> Result<(), Failure> {
        let (deleted, result) = self.made.delete_set_aside(|volume, aside| {
            let Aside { holds, name, object, asked } = aside;
            if !object.is_directory() {
                return unless_gone(volume.remove_file(holds, name), volume, holds, name).writing_at(asked);
            }
            let tree = volume.open_directory_to_empty(holds, name).writing_at(asked)?;
            delete_tree(volume, (holds, name), tree, *object, asked, &mut 0)
        });
        if deleted > 0 {
            self.made.keep(&self.moved_copies);
            self.lasts("deleted", deleted);
        }
        result
    }

    /// Whether the trash keeps an object. If it may be lost, it needs room beside pending entries.
    /// An undo was refused before if the history has no room.
    fn keeps(&self, state: Option<&State<V>>, object: Object, keep: Keep) -> Result<bool, Fault> {
        match keep {
            Keep::Never => Ok(false),
            Keep::IfRoom if self.transaction.undoes.is_none() => {
                let pending = state.map_or(Ok(0), State::pending_bytes)?;
                Ok(self.transaction.quota().refuses(object.bytes().saturating_add(pending)).is_none())
            }
            Keep::IfRoom | Keep::Always => Ok(true),
        }
    }

    /// Takes a name away; it can come back until the end of the call. `check` looks at the object
    /// after that.
    fn take_away(
        &mut self,
        state: &'a State<V>,
        volume: &'a V,
        doomed: &Doomed<V>,
        keep: bool,
        check: impl Fn(&V::Directory, &str) -> Result<(), Reason>,
    ) -> Result<(), Failure> {
        let Doomed { place, directory, .. } = doomed;
        let there = |fault: Fault| Reason::writing(fault).at(place.asked());
        let mut why = Copied::Elsewhere;
        if keep {
            let id = self.begin_remove(state, doomed, Kept::Moved)?.to_string();
            let moved = volume.rename(directory, place.name(), &state.trash, &id);
            match unless_there(moved, &state.volume, &state.trash, &id) {
                Ok(()) => {
                    // After the rename: a check before it could see another object.
                    check_moved(state, &id, doomed, &check)?;
                    return self.sync_names(state, volume, directory).map_err(there);
                }
                Err(Fault::CrossDevice | Fault::Io(_)) => self.transaction.drop_last(),
                // Moving a directory needs rights in it, removing an empty one does not.
                Err(fault) if fault.is_obstacle() && doomed.object == Object::Directory => {
                    self.transaction.drop_last();
                    why = Copied::after(&fault);
                }
                // The trash is gone, and not the object.
                Err(Fault::NotFound) if volume.stat(directory, place.name()).is_ok() => {
                    return Err(Reason::Journal(Box::new(Fault::NotFound)).at(place.asked()));
                }
                Err(fault) if fault.is_obstacle() && !state.takes_in() => {
                    self.transaction.drop_last();
                    return Err(Reason::Journal(Box::new(fault)).at(place.asked()));
                }
                Err(fault) => return Err(there(fault)),
            }
        }
        let kept = if keep { Kept::Copied } else { Kept::Not };
        let id = self.begin_remove(state, doomed, kept)?;
        // Nothing has moved yet.
        self.require_room()?;
        if let Object::Tree { .. } = doomed.object {
            require_emptiable(volume, directory, place.name(), place.asked())?;
        }
        if keep {
            let kept = keep_copy(state, id, (volume, directory, place.name()), self.transaction.syncs())
                .map_err(|stopped| not_kept(stopped, place))?;
            self.copies.kept(kept, why);
        }
        let aside = temporary(id);
        let holds = set_aside(volume, directory, place, &aside).map_err(there)?;
        check(&holds, &aside).map_err(|reason| reason.at(place.asked()))?;
        self.sync_names(state, volume, directory).map_err(there)?;
        sync_names(volume, &holds, self.transaction.syncs()).map_err(there)?;
        if self.transaction.is_group() {
            // Other changes of the call can still fail.
            self.transaction.finish_later();
            return Ok(());
        }
        self.remove_set_aside(state, volume, (id, &holds), kept, doomed)
    }

    /// Removes an object under its temporary name. After a refusal by the operating system, the
    /// caller rolls back, and the rest gets its name back.
    fn remove_set_aside(
        &mut self,
        state: &State<V>,
        volume: &V,
        (id, start): (Id, &V::Directory),
        kept: Kept,
        doomed: &Doomed<V>,
    ) -> Result<(), Failure> {
        let Doomed { place, object, .. } = doomed;
        let aside = temporary(id);
        let there = |fault: Fault| Reason::writing(fault).at(place.asked());
        // The deadline does not end it halfway.
        self.namespace.clock().hold();
        let mut deleted = 0;
        let mut remove = || match object.is_directory() {
            true => {
                let tree = volume.open_directory_to_empty(start, &aside).map_err(there)?;
                delete_tree(volume, (start, &aside), tree, *object, place.asked(), &mut deleted)
            }
            false => unless_gone(volume.remove_file(start, &aside), volume, start, &aside).map_err(there),
        };
        // Some refusals pass.
        let removed = remove().or_else(|_| remove());
        self.namespace.clock().let_go();
        let Err(failure) = removed else {
            if sync_names(volume, start, self.transaction.syncs()).is_err() {
                self.transaction.finish_later();
            }
            return Ok(());
        };
        if !is_obstacle(&failure.reason) {
            // The name is gone; the next call removes the rest.
            self.transaction.finish_later();
            return Ok(());
        }
        Err(match kept {
            Kept::Copied if deleted > 0 => match self.put_back_missing(state, id, volume, start) {
                Ok(()) => failure,
                Err(fault) => Failure { reason: Reason::Unrecovered(Box::new(fault)), ..failure },
            },
            _ => partly(deleted, failure),
        })
    }

    /// Copies lost names of a set-aside tree back from the trash.
    fn put_back_missing(
        &self,
        state: &State<V>,
        id: Id,
        volume: &V,
        start: &V::Directory,
    ) -> Result<(), Fault> {
        let kept = state.volume.open_directory(&state.trash, &id.to_string())?;
        let start = volume.open_directory(start, &temporary(id))?;
        let position = TreePosition::new(volume, start);
        let mut returning =
            Returning { from: &state.volume, to: volume, position, sync: self.transaction.syncs() };
        walk(&state.volume, kept, &mut returning).map_err(|stopped| stopped.reason.into_fault())
    }

    fn begin_remove(&mut self, state: &'a State<V>, doomed: &Doomed<V>, kept: Kept) -> Result<Id, Failure> {
        let Doomed { place, object, identity, .. } = doomed;
        let located = || {
            let at = place.location(self.namespace)?;
            Ok(Remove { at, object: *object, identity: *identity, kept })
        };
        let remove = located().map_err(|fault: Fault| Reason::writing(fault).at(place.asked()))?;
        self.record(state, Action::Remove(remove))
    }

    pub(super) fn sync_names(
        &self,
        state: &State<V>,
        volume: &V,
        directory: &V::Directory,
    ) -> Result<(), Fault> {
        sync_names(volume, directory, self.transaction.syncs())?;
        sync_names(&state.volume, &state.trash, self.transaction.syncs())
    }
}

/// Gives an object a temporary name, and returns its directory. That is as near to the start of the
/// path as the file system reaches: the same call may remove the directories between.
fn set_aside<V: Volume>(
    volume: &V,
    holding: &V::Directory,
    place: &Place<V>,
    aside: &str,
) -> Result<V::Directory, Fault> {
    let mut directory = place.directory().clone();
    let mut below = place.parents().iter();
    loop {
        match (volume.rename(holding, place.name(), &directory, aside), below.next()) {
            // A directory without rights cannot change its parent.
            (Err(fault), Some(name)) if fault.is_obstacle() => {
                directory = volume.open_directory(&directory, name)?;
            }
            (renamed, _) => return renamed.map(|()| directory),
        }
    }
}

/// Refuses a directory with entries. If all of them have temporary names, the call could not move
/// them out of the directory.
fn require_empty<V: Volume>(volume: &V, directory: &V::Directory) -> Result<(), Reason> {
    let (names, _) = count_below(volume, directory.clone()).map_err(Reason::writing)?;
    if names == 0 {
        return Ok(());
    }
    let mut is_stuck = true;
    let mut look = |listed: Listed| {
        is_stuck &= matches!(listed, Listed::Name(name, _) if is_temporary(name));
        ControlFlow::Continue(())
    };
    volume.each_entry(directory, &mut look).map_err(Reason::writing)?;
    Err(if is_stuck { Reason::writing(Fault::Access) } else { Reason::NotEmpty(names) })
}

struct Returning<'a, V: Volume> {
    from: &'a V,
    to: &'a V,
    position: TreePosition<'a, V>,
    sync: bool,
}

impl<V: Volume> TreeVisitor<V> for Returning<'_, V> {
    fn enter(&mut self, here: &VisitedDirectory<V>, name: &str) -> Result<(), Reason> {
        let there = self.position.here();
        let entered = there.and_then(|there| match make_like(self.to, &there, name, here.directory) {
            Ok(_) | Err(Fault::Exists) => self.position.down(name),
            Err(fault) => Err(fault),
        });
        entered.map_err(Reason::writing)
    }

    fn entry(&mut self, here: &VisitedDirectory<V>, name: &str, _: Kind) -> Result<(), Reason> {
        let copied = self.position.here().and_then(|there| match self.to.stat(&there, name) {
            Ok(_) => Ok(()),
            Err(Fault::NotFound) => {
                let (from, to) = ((self.from, here.directory, name), (self.to, &there, name));
                copy_object(from, to, None, self.sync).map(drop)
            }
            Err(fault) => Err(fault),
        });
        copied.map_err(Reason::writing)
    }

    fn unreachable(&mut self, _: &VisitedDirectory<V>, count: u64) -> Result<(), Reason> {
        Err(Reason::Unreachable(count))
    }

    fn leave(&mut self, _: &VisitedDirectory<V>, _: &str) -> Result<(), Reason> {
        self.position.up().map(drop).map_err(Reason::writing)
    }
}

/// The failure of an object that the trash cannot keep, with the path that stopped its copy.
pub(super) fn not_kept<V: Volume>(Stopped { reason, path }: Stopped, place: &Place<V>) -> Failure {
    let reason = match reason {
        Reason::NoCopy(kind) => Reason::NoCopy(kind),
        reason => Reason::NotKept(Box::new(reason.into_fault())),
    };
    reason.at(below(place.asked(), &path))
}

fn check_moved<V: Volume>(
    state: &State<V>,
    id: &str,
    doomed: &Doomed<V>,
    check: impl Fn(&V::Directory, &str) -> Result<(), Reason>,
) -> Result<(), Failure> {
    check(&state.trash, id).map_err(|reason| reason.at(doomed.place.asked()))
}

/// Refuses a tree that nothing keeps where [`ApplyRun::delete_tree`] would refuse it.
pub(super) fn require_removable<V: Volume>(
    namespace: &Namespace<V>,
    place: &Place<V>,
    census: &Census,
) -> Result<(), Failure> {
    if Object::tree(census) == Object::Directory {
        return Ok(());
    }
    let volume = place.volume(namespace);
    let directory = holding(volume, place).writing_at(place.asked())?;
    require_emptiable(volume, &directory, place.name(), place.asked())
}

/// Refuses a removal whose object a trash on another file system could not keep. Returns true if
/// the trash keeps a copy. The later members of an undone group are unknown until their turn.
pub(super) fn require_keepable<V: Volume>(
    namespace: &Namespace<V>,
    change: &Change<V>,
) -> Result<bool, Failure> {
    let (place, census) = match change {
        Change::Delete { place, keep, .. } if *keep != Keep::Never => (place, None),
        Change::DeleteTree { place, census, keep, .. } if *keep != Keep::Never => (place, Some(census)),
        Change::Move { destination, replaced: Some(_), .. } => (destination, None),
        Change::Undo { change, .. } => return require_keepable(namespace, change),
        _ => return Ok(false),
    };
    let Some(state) = place.state(namespace) else { return Ok(false) };
    let volume = place.volume(namespace);
    let directory = holding(volume, place).writing_at(place.asked())?;
    // A rename keeps the replaced object as a second name.
    let is_linked = !matches!(change, Change::Move { .. }) || volume.abilities().links;
    if is_linked && !state.is_elsewhere(volume, &directory) {
        return Ok(false);
    }
    require_copyable((volume, &directory, place.name())).map_err(|stopped| not_kept(stopped, place))?;
    census.map_or(Ok(()), |census| require_removable(namespace, place, census)).map(|()| true)
}

/// Removes a directory without a record. A tree gets a temporary name first, so nothing in it is
/// removed if its name cannot be. After a failure the rest gets its name back.
fn delete_unrecorded<V: Volume>(
    volume: &V,
    (holding, name): (&V::Directory, &str),
    directory: V::Directory,
    object: Object,
    asked: &str,
) -> Result<(), Failure> {
    let mut deleted = 0;
    if object == Object::Directory {
        return delete_tree(volume, (holding, name), directory, object, asked, &mut deleted);
    }
    require_emptiable(volume, holding, name, asked)?;
    let aside = temporary(unrecorded(volume));
    let there = |fault: Fault| Reason::writing(fault).at(asked);
    volume.rename(holding, name, holding, &aside).map_err(there)?;
    delete_tree(volume, (holding, &aside), directory, object, asked, &mut deleted).map_err(|failure| {
        match volume.rename(holding, &aside, holding, name) {
            Ok(()) => partly(deleted, failure),
            Err(fault) => Failure { reason: Reason::Unrecovered(Box::new(fault)), ..failure },
        }
    })
}

/// Removes a directory and, if allowed, its content. Stops at the first failure, and adds the
/// removed names to `deleted`.
fn delete_tree<V: Volume>(
    volume: &V,
    (holding, name): (&V::Directory, &str),
    directory: V::Directory,
    object: Object,
    asked: &str,
    deleted: &mut u64,
) -> Result<(), Failure> {
    let mut deleting = Deleting::new(volume, 0);
    let emptied = if object == Object::Directory { Ok(()) } else { walk(volume, directory, &mut deleting) };
    *deleted += deleting.deleted;
    emptied.map_err(|stopped| stopped_below(stopped, asked))?;
    let removed = volume.remove_directory(holding, name);
    unless_gone(removed, volume, holding, name).writing_at(asked)
}

fn partly(count: u64, failure: Failure) -> Failure {
    if count == 0 {
        return failure;
    }
    let why = Box::new(failure.reason);
    Failure { reason: Reason::Partly { done: "deleted", count, why }, ..failure }
}

fn is_obstacle(reason: &Reason) -> bool {
    matches!(reason, Reason::Volume(fault, _) if fault.is_obstacle())
}

fn stopped_below(Stopped { reason, path }: Stopped, asked: &str) -> Failure {
    reason.at(below(asked, &path))
}

fn require_emptiable<V: Volume>(
    volume: &V,
    holding: &V::Directory,
    name: &str,
    asked: &str,
) -> Result<(), Failure> {
    struct Asking;
    impl<V: Volume> TreeVisitor<V> for Asking {
        fn open(&self, volume: &V, here: &V::Directory, name: &str) -> Result<V::Directory, Fault> {
            volume.open_directory_to_empty(here, name)
        }

        fn unopened(&mut self, _: &str, fault: Fault) -> Result<(), Reason> {
            Err(Reason::writing(fault))
        }

        fn entry(&mut self, _: &VisitedDirectory<V>, _: &str, _: Kind) -> Result<(), Reason> {
            Ok(())
        }

        fn unreachable(&mut self, _: &VisitedDirectory<V>, count: u64) -> Result<(), Reason> {
            Err(Reason::Unreachable(count))
        }
    }
    let tree = volume.open_directory_to_empty(holding, name).writing_at(asked)?;
    walk(volume, tree, &mut Asking).map_err(|stopped| stopped_below(stopped, asked))
}
