//! Names less.

use super::{Run, holding, journal, require, temporary};
use crate::changes::{Keep, Seen};
use crate::descent::{Census, Here, Stopped, Visitor, count_below, walk};
use crate::error::{Failure, Reason};
use crate::journal::record::{Action, Kept, Object, Remove};
use crate::journal::{Id, Unkept, Writes, discard, keep_copy};
use crate::path::join;
use crate::resolve::Place;
use crate::state::State;
use crate::volume::answers::{unless_gone, unless_there};
use crate::volume::{Fault, Kind, Volume};

/// Something that is to lose its name.
struct Doomed<'b, V: Volume> {
    place: &'b Place<V>,
    directory: V::Directory,
    object: Object,
    identity: Id,
    /// The copy that has taken its place.
    moved_to: Option<&'b Place<V>>,
}

impl<'a, V: Volume> Run<'a, V> {
    /// Removes a name, if it stands for what was seen.
    pub(super) fn delete(&mut self, place: &Place<V>, seen: Seen, keep: Keep) -> Result<(), Failure> {
        self.delete_behind(place, seen, keep, None)
    }

    /// The same, where a copy may have taken its place.
    pub(super) fn delete_behind(
        &mut self,
        place: &Place<V>,
        seen: Seen,
        keep: Keep,
        moved_to: Option<&Place<V>>,
    ) -> Result<(), Failure> {
        let here = |reason: Reason| reason.at(place.asked());
        let volume = self.writable(place)?;
        let directory = holding(volume, place).map_err(|fault| here(fault.writing()))?;
        require(volume, &directory, place.name(), &seen).map_err(here)?;
        let object = Object::of(&seen.stat);
        let keep = keep != Keep::Never && object.bytes() <= self.ink.quota().bytes;
        self.is_lost |= !keep;
        match self.ink.state(place) {
            Some(state) if keep || self.ink.is_group() => {
                let doomed = Doomed { place, directory, object, identity: Id(seen.identity), moved_to };
                self.take_away(state, volume, &doomed, keep, |directory, name| {
                    require(volume, directory, name, &seen)
                })
            }
            _ => {
                let removed = volume.remove_file(&directory, place.name());
                unless_gone(removed, volume, &directory, place.name())
                    .map_err(|fault| here(fault.writing()))?;
                self.lasts("deleted", 1);
                if self.ink.syncs() {
                    volume.sync_directory(&directory).map_err(|fault| here(fault.writing()))?;
                }
                Ok(())
            }
        }
    }

    /// Removes a directory, and what is in it unless that has to be nothing.
    pub(super) fn delete_tree(
        &mut self,
        place: &Place<V>,
        handle: V::Directory,
        census: Census,
        keep: Keep,
    ) -> Result<(), Failure> {
        let here = |reason: Reason| reason.at(place.asked());
        let volume = self.writable(place)?;
        let directory = holding(volume, place).map_err(|fault| here(fault.writing()))?;
        let identity = volume.directory_identity(&handle).map_err(|fault| here(fault.writing()))?;
        let named = volume.identity_at(&directory, place.name());
        if named.map_err(|fault| here(fault.writing()))? != identity {
            return Err(here(Reason::Changed));
        }
        let object = Object::tree(&census);
        let Some(state) = self.ink.state(place) else {
            return delete_tree(volume, place, &directory, handle, object);
        };
        let keep = keep != Keep::Never && object.bytes() <= self.ink.quota().bytes;
        self.is_lost |= !keep;
        let doomed = Doomed { place, directory, object, identity: Id(identity), moved_to: None };
        self.take_away(state, volume, &doomed, keep, |directory, name| {
            let there = volume.identity_at(directory, name).map_err(Fault::writing)?;
            if there != identity {
                return Err(Reason::Changed);
            }
            if object == Object::Directory {
                let inside = volume.open_directory(directory, name).map_err(Fault::writing)?;
                let (names, _) = count_below(volume, inside).map_err(Fault::writing)?;
                if names > 0 {
                    return Err(Reason::NotEmpty(names));
                }
            }
            Ok(())
        })
    }

    /// Takes a name away, so that it can come back until the end of the call. `check` looks at what was taken.
    fn take_away(
        &mut self,
        state: &'a State<V>,
        volume: &'a V,
        doomed: &Doomed<V>,
        keep: bool,
        check: impl Fn(&V::Directory, &str) -> Result<(), Reason>,
    ) -> Result<(), Failure> {
        let Doomed { place, directory, .. } = doomed;
        let there = |fault: Fault| fault.writing().at(place.asked());
        if keep {
            let id = self.begin_remove(state, doomed, Kept::Moved)?.to_string();
            let moved = volume.rename(directory, place.name(), &state.trash, &id);
            match unless_there(moved, &state.volume, &state.trash, &id) {
                Ok(()) => {
                    // Behind the rename, because a look before it says nothing of what is moved then.
                    check_moved(state, &id, doomed, &check)?;
                    return self.sync_names(state, volume, directory).map_err(there);
                }
                Err(Fault::CrossDevice | Fault::Io(_)) => self.ink.drop_last(),
                Err(fault) => return Err(there(fault)),
            }
        }
        let kept = if keep { Kept::Copied } else { Kept::Not };
        let id = self.begin_remove(state, doomed, kept)?;
        if keep {
            let kept = keep_copy(state, id, volume, directory, place.name(), self.ink.syncs())
                .map_err(|unkept| not_kept(unkept, place))?;
            self.copies.kept(kept);
        }
        // Not beside it: the directory that holds it may go as well.
        let (aside, start) = (temporary(id), place.directory());
        volume.rename(directory, place.name(), start, &aside).map_err(there)?;
        check(start, &aside).map_err(|reason| reason.at(place.asked()))?;
        self.sync_names(state, volume, directory).map_err(there)?;
        if self.ink.syncs() {
            volume.sync_directory(start).map_err(there)?;
        }
        let syncs = self.ink.syncs();
        let removed = || {
            discard(volume, start, &aside)?;
            if syncs { volume.sync_directory(start) } else { Ok(()) }
        };
        // The name is gone. What cannot be removed for good is removed by a later call.
        if self.ink.is_group() || removed().is_err() {
            self.ink.finish_later();
        }
        Ok(())
    }

    fn begin_remove(&mut self, state: &'a State<V>, doomed: &Doomed<V>, kept: Kept) -> Result<Id, Failure> {
        let Doomed { place, object, identity, moved_to, .. } = doomed;
        let located = || {
            let moved_to = moved_to.map(|to| to.location(self.namespace)).transpose()?;
            let at = place.location(self.namespace)?;
            Ok(Remove { at, object: *object, identity: *identity, kept, moved_to })
        };
        let remove = located().map_err(|fault: Fault| fault.writing().at(place.asked()))?;
        let stored =
            self.ink.begin(state, Action::Remove(remove), 0, Writes::Names, |_| Ok(())).map_err(journal)?;
        Ok(stored.record.id)
    }

    fn sync_names(&self, state: &State<V>, volume: &V, directory: &V::Directory) -> Result<(), Fault> {
        if !self.ink.syncs() {
            return Ok(());
        }
        volume.sync_directory(directory)?;
        state.volume.sync_directory(&state.trash)
    }
}

/// The refusal to take away something of which no copy could be kept.
pub(super) fn not_kept<V: Volume>(unkept: Unkept, place: &Place<V>) -> Failure {
    match unkept {
        Unkept::NoCopy { kind, path } => {
            let asked = place.asked().trim_end_matches('/');
            Reason::NoCopy(kind).at(if path.is_empty() { asked.to_owned() } else { join(asked, &path) })
        }
        Unkept::Fault(fault) => Reason::NotKept(Box::new(fault)).at(place.asked()),
    }
}

fn check_moved<V: Volume>(
    state: &State<V>,
    id: &str,
    doomed: &Doomed<V>,
    check: impl Fn(&V::Directory, &str) -> Result<(), Reason>,
) -> Result<(), Failure> {
    check(&state.trash, id).map_err(|reason| reason.at(doomed.place.asked()))
}

/// Removes a directory, and what is in it unless that has to be nothing.
fn delete_tree<V: Volume>(
    volume: &V,
    place: &Place<V>,
    holding: &V::Directory,
    directory: V::Directory,
    object: Object,
) -> Result<(), Failure> {
    let here = |reason: Reason| reason.at(place.asked());
    let mut deleting = Deleting { volume, deleted: 0 };
    let emptied = if object == Object::Directory { Ok(()) } else { walk(volume, directory, &mut deleting) };
    let removed = match emptied {
        Ok(()) => volume.remove_directory(holding, place.name()).map_err(|fault| here(fault.writing())),
        Err(Stopped { reason, path }) => {
            let asked = place.asked().trim_end_matches('/');
            Err(reason.at(if path.is_empty() { asked.to_owned() } else { join(asked, &path) }))
        }
    };
    removed.map_err(|failure| match deleting.deleted {
        0 => failure,
        count => {
            let why = Box::new(failure.reason);
            Failure { reason: Reason::Partly { done: "deleted", count, why }, path: failure.path }
        }
    })
}

/// Removes everything in a directory, as far as that is possible.
pub(crate) fn empty<V: Volume>(volume: &V, directory: &V::Directory, name: &str) -> Result<(), Reason> {
    let start = volume.open_directory(directory, name).map_err(Fault::writing)?;
    walk(volume, start, &mut Deleting { volume, deleted: 0 }).map_err(|stopped| stopped.reason)
}

struct Deleting<'a, V> {
    volume: &'a V,
    deleted: u64,
}

impl<V: Volume> Visitor<V> for Deleting<'_, V> {
    fn entry(&mut self, here: &Here<V>, name: &str, _: Kind) -> Result<(), Reason> {
        self.count(self.volume.remove_file(here.directory, name))
    }

    fn unreachable(&mut self, _: &Here<V>, count: u64) -> Result<(), Reason> {
        Err(Reason::Unreachable(count))
    }

    fn leave(&mut self, here: &Here<V>, name: &str) -> Result<(), Reason> {
        self.count(self.volume.remove_directory(here.directory, name))
    }
}

impl<V> Deleting<'_, V> {
    fn count(&mut self, removed: Result<(), Fault>) -> Result<(), Reason> {
        match removed {
            Ok(()) => self.deleted += 1,
            // Somebody else was faster.
            Err(Fault::NotFound) => {}
            Err(fault) => return Err(fault.writing()),
        }
        Ok(())
    }
}
