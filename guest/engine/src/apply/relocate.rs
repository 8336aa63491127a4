//! Moves files and directories.

use super::copy::Copy;
use super::create::{FileNames, publish};
use super::delete::not_kept;
use super::{ApplyRun, holding, is_still, journal, require, require_free, unrecorded};
use crate::changes::Keep;
use crate::notes::Copied;
use crate::resolve::Place;
use fsgate_contract::id::{Id, temporary};
use fsgate_error::{Failure, FaultAt, Reason};
use fsgate_journal::keep_copy;
use fsgate_journal::record::{Action, Move, Object, Replaced};
use fsgate_journal::state::State;
use fsgate_journal::tree_walk::copy::{Permissions, write_new};
use fsgate_journal::tree_walk::stream::{Side, Stream};
use fsgate_volume::Seen;
use fsgate_volume::answers::unless_gone;
use fsgate_volume::bytes::{hasher, sync_names};
use fsgate_volume::{Access, Fault, Kind, Volume};

enum Stuck {
    Failed(Failure),
    /// Another file system, or an unspecific fault.
    Elsewhere(Fault),
}

impl From<Failure> for Stuck {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl<'a, V: Volume> ApplyRun<'a, V> {
    /// Moves an object; `across` needs a copy.
    pub(super) fn relocate(
        &mut self,
        source: &Place<V>,
        seen: Seen,
        destination: &Place<V>,
        replaced: Option<Seen>,
        across: bool,
    ) -> Result<(), Failure> {
        let relocation = Relocation {
            from: self.writable(source)?,
            source,
            seen,
            to: self.writable(destination)?,
            destination,
            replaced,
            sync: self.transaction.syncs(),
        };
        let here = |fault: Fault| Reason::writing(fault).at(source.asked());
        let old = holding(relocation.from, source).map_err(here)?;
        require(relocation.from, &old, source.name(), &seen).map_err(|reason| reason.at(source.asked()))?;
        if across {
            return self.across(&relocation, &old);
        }
        let state = self.state(destination);
        if let Some(state) = state {
            self.record_move(state, &relocation)?;
        }
        let new = self
            .made
            .parents(relocation.to, destination, self.transaction.syncs())
            .writing_at(destination.asked())?;
        if let (Some(state), Some(_)) = (state, replaced) {
            self.keep_replaced(state, &relocation, &new)?;
        }
        match relocation.run(&old, &new) {
            Ok(()) => {
                sync_names(relocation.from, &old, relocation.sync).map_err(here)?;
                sync_names(relocation.to, &new, relocation.sync).map_err(here)?;
                if state.is_none() {
                    self.lasts("moved", 1);
                }
                Ok(())
            }
            Err(Stuck::Failed(failure)) => Err(failure),
            Err(Stuck::Elsewhere(Fault::CrossDevice | Fault::Io(_))) if seen.stat.kind == Kind::File => {
                if state.is_some() {
                    self.transaction.roll_back_last().map_err(journal)?;
                }
                self.across(&relocation, &old)
            }
            Err(Stuck::Elsewhere(Fault::CrossDevice)) => Err(Reason::OnlyFilesCross.at(source.asked())),
            Err(Stuck::Elsewhere(fault)) => Err(Reason::writing(fault).at(destination.asked())),
        }
    }

    fn record_move(&mut self, state: &'a State<V>, relocation: &Relocation<V>) -> Result<(), Failure> {
        let Relocation { source, destination, seen, replaced, .. } = relocation;
        let located = || {
            Ok(Move {
                from: source.location(self.namespace)?,
                to: destination.location(self.namespace)?,
                made: destination.missing(self.namespace)?,
                object: Object::of(&seen.stat),
                identity: Id(seen.identity),
                links: Some(seen.stat.names()),
                replaced: replaced.map(|replaced| Replaced {
                    object: Object::of(&replaced.stat),
                    identity: Id(replaced.identity),
                    links: Some(replaced.stat.names()),
                }),
            })
        };
        let moved = located().map_err(|fault: Fault| Reason::writing(fault).at(source.asked()))?;
        self.record(state, Action::Move(moved)).map(drop)
    }

    /// Keeps the replaced object in the trash as a second name or a copy.
    fn keep_replaced(
        &mut self,
        state: &'a State<V>,
        relocation: &Relocation<V>,
        new: &V::Directory,
    ) -> Result<(), Failure> {
        let Relocation { to, destination, replaced, .. } = relocation;
        let Some((id, replaced)) = self.transaction.last().zip(*replaced) else { return Ok(()) };
        require(*to, new, destination.name(), &replaced).map_err(|reason| reason.at(destination.asked()))?;
        let kept = match to.link_file(new, destination.name(), &state.trash, &id.to_string()) {
            Err(
                fault @ (Fault::CrossDevice
                | Fault::Io(_)
                | Fault::Unsupported
                | Fault::NotPermitted
                | Fault::Access),
            ) => {
                let kept = keep_copy(state, id, (*to, new, destination.name()), relocation.sync)
                    .map_err(|stopped| not_kept(stopped, destination))?;
                self.copies.kept(kept, Copied::after(&fault));
                Ok(())
            }
            kept => kept,
        };
        // The trash is synced before the move replaces the object.
        let kept = kept.and_then(|()| sync_names(&state.volume, &state.trash, relocation.sync));
        kept.map_err(|fault| Reason::NotKept(Box::new(fault)).at(destination.asked()))
    }

    fn across(&mut self, relocation: &Relocation<'a, '_, V>, old: &V::Directory) -> Result<(), Failure> {
        let &Relocation { from, source, seen, to, destination, replaced, .. } = relocation;
        let states: Vec<_> =
            [source, destination].into_iter().filter_map(|place| self.state(place)).collect();
        if states.is_empty() {
            let new = self.made.parents(to, destination, false).writing_at(destination.asked())?;
            self.copies.moved(relocation.across(old, &new)?);
            self.moved_copies.extend(relocation.arrived_as(&new));
            self.lasts("moved", 1);
            return Ok(());
        }
        if !self.transaction.is_group() {
            self.transaction.begin_group(&states).map_err(journal)?;
        }
        if let Some(replaced) = replaced {
            self.delete(destination, replaced, Keep::IfRoom)?;
        }
        let copy = Copy { from, source, seen, etag: None, is_moved: true };
        let permissions =
            self.copy_new(&copy, destination, false, |stream, file| compare(to, stream, file))?;
        self.copies.moved(permissions);
        let new = holding(to, destination).writing_at(destination.asked())?;
        self.moved_copies.extend(relocation.arrived_as(&new));
        self.delete(source, seen, Keep::IfRoom)
    }
}

struct Relocation<'a, 'b, V: Volume> {
    from: &'a V,
    source: &'b Place<V>,
    seen: Seen,
    to: &'a V,
    destination: &'b Place<V>,
    replaced: Option<Seen>,
    sync: bool,
}

impl<V: Volume> Relocation<'_, '_, V> {
    fn run(&self, old: &V::Directory, new: &V::Directory) -> Result<(), Stuck> {
        match (self.seen.stat.kind, self.replaced) {
            (Kind::Directory, _) => self.rename_directory(old, new),
            (_, Some(replaced)) => {
                require(self.to, new, self.destination.name(), &replaced)
                    .map_err(|reason| self.there(reason))?;
                self.rename(old, new)
            }
            (_, None) => self.link(old, new),
        }
    }

    fn stuck(&self, old: &V::Directory, new: &V::Directory, fault: Fault) -> Stuck {
        match fault {
            fault @ (Fault::CrossDevice | Fault::Io(_)) => Stuck::Elsewhere(fault),
            fault
                if fault.is_obstacle()
                    && self.source_is_stuck(old, new)
                    && !self.replaced_is_stuck(old, new) =>
            {
                Stuck::Failed(self.here(Reason::writing(fault)))
            }
            fault => Stuck::Failed(self.there(Reason::writing(fault))),
        }
    }

    /// Whether the source is the cause of a refusal: the destination directory is the same one, or
    /// it can be changed.
    fn source_is_stuck(&self, old: &V::Directory, new: &V::Directory) -> bool {
        let is_same = || self.from.directory_identity(old) == self.to.directory_identity(new);
        is_same() || self.to.open_directory_to_empty(new, ".").is_ok()
    }

    /// Whether the replaced file is the cause of a refusal: it is protected against changes, and
    /// the source is not.
    fn replaced_is_stuck(&self, old: &V::Directory, new: &V::Directory) -> bool {
        let opened = |volume: &V, directory: &V::Directory, name: &str| {
            volume.open_file(directory, name, Access::Write).map(drop)
        };
        self.replaced.is_some()
            && opened(self.to, new, self.destination.name()).is_err_and(|fault| fault.is_obstacle())
            && opened(self.from, old, self.source.name()).is_ok()
    }

    /// Adds the new name, then removes the old one: of several callers exactly one succeeds.
    fn link(&self, old: &V::Directory, new: &V::Directory) -> Result<(), Stuck> {
        let (name, new_name) = (self.source.name(), self.destination.name());
        match self.from.link_file(old, name, new, new_name) {
            Ok(()) => {}
            Err(Fault::Unsupported | Fault::NotPermitted | Fault::Access) => {
                require_free(self.to, new, new_name).map_err(|reason| self.there(reason))?;
                return self.rename(old, new);
            }
            Err(fault) => return Err(self.stuck(old, new, fault)),
        }
        // The object may have changed since the check. The old name goes after the new one is
        // durable.
        let synced =
            || sync_names(self.to, new, self.sync).map_err(|fault| self.there(Reason::writing(fault)));
        let arrived = self.arrived(new).and_then(|()| synced());
        let removed = match arrived {
            Ok(()) => unless_gone(self.from.remove_file(old, name), self.from, old, name)
                .map_err(|fault| self.here(Reason::writing(fault))),
            failed => failed,
        };
        Ok(removed.map_err(|failure| self.or_torn(failure, self.to.remove_file(new, new_name).is_ok()))?)
    }

    fn rename(&self, old: &V::Directory, new: &V::Directory) -> Result<(), Stuck> {
        self.from
            .rename(old, self.source.name(), new, self.destination.name())
            .map_err(|fault| self.stuck(old, new, fault))
    }

    fn rename_directory(&self, old: &V::Directory, new: &V::Directory) -> Result<(), Stuck> {
        let (name, new_name) = (self.source.name(), self.destination.name());
        require_free(self.to, new, new_name).map_err(|reason| self.there(reason))?;
        self.from.rename(old, name, new, new_name).map_err(|fault| match fault {
            Fault::IntoItself => Stuck::Failed(self.there(Reason::IntoItself)),
            fault => self.stuck(old, new, fault),
        })?;
        Ok(self
            .arrived(new)
            .map_err(|failure| self.or_torn(failure, self.to.rename(new, new_name, old, name).is_ok()))?)
    }

    fn arrived(&self, new: &V::Directory) -> Result<(), Failure> {
        match is_still(self.to, new, self.destination.name(), &self.seen) {
            Ok(true) => Ok(()),
            Ok(false) => Err(self.here(Reason::Changed)),
            Err(reason) => Err(self.there(reason)),
        }
    }

    fn across(&self, old: &V::Directory, new: &V::Directory) -> Result<Permissions, Failure> {
        let name = self.destination.name();
        let copy = Copy { from: self.from, source: self.source, seen: self.seen, etag: None, is_moved: true };
        let source = copy.open()?;
        let fill = |file: &V::File| {
            source.fill(self.to, file)?;
            compare(self.to, &source, file)
        };
        let aside = temporary(unrecorded(self.to));
        let failure = |side: Side| copy.failure(side, self.destination);
        let like = Some(&source.file);
        let permissions = if let Some(replaced) = self.replaced {
            let permissions = write_new(self.to, new, &aside, like, false, fill).map_err(failure)?;
            let replaced = require(self.to, new, name, &replaced)
                .map_err(Side::Destination)
                .and_then(|()| source.check())
                .and_then(|()| {
                    self.to
                        .rename(new, &aside, new, name)
                        .map_err(|fault| Side::Destination(Reason::writing(fault)))
                });
            replaced.map_err(|side| {
                let _ = self.to.remove_file(new, &aside);
                failure(side)
            })?;
            permissions
        } else {
            let names = FileNames { directory: new, name, temporary: &aside };
            publish(self.to, &names, like, false, fill).map_err(failure)?.permissions
        };
        let source_name = self.source.name();
        let removed = require(self.from, old, source_name, &self.seen).and_then(|()| {
            let removed = self.from.remove_file(old, source_name);
            unless_gone(removed, self.from, old, source_name).map_err(Reason::writing)
        });
        removed.map_err(|reason| {
            let failure = self.here(reason);
            // If an object was replaced, both copies stay and none is lost.
            let rolled_back = self.replaced.is_none() && self.to.remove_file(new, name).is_ok();
            self.or_torn(failure, rolled_back)
        })?;
        Ok(permissions)
    }

    /// The new object's identity, without which the move is complete too.
    fn arrived_as(&self, new: &V::Directory) -> Option<u128> {
        self.to.identity_at(new, self.destination.name()).ok()
    }

    fn or_torn(&self, failure: Failure, rolled_back: bool) -> Failure {
        if rolled_back {
            return failure;
        }
        let why = Box::new(failure.reason);
        self.there(Reason::Partly { done: "copied and not deleted", count: 1, why })
    }

    fn here(&self, reason: Reason) -> Failure {
        reason.at(self.source.asked())
    }

    fn there(&self, reason: Reason) -> Failure {
        reason.at(self.destination.asked())
    }
}

fn compare<V: Volume>(to: &V, source: &Stream<V>, file: &V::File) -> Result<(), Side> {
    let size = source.size();
    let ours = hasher(to, file, 0, size).map_err(|fault| Side::Destination(Reason::reading(fault)))?;
    let theirs =
        hasher(source.from, &source.file, 0, size).map_err(|fault| Side::Source(Reason::reading(fault)))?;
    if ours.finalize() == theirs.finalize() { Ok(()) } else { Err(Side::Source(Reason::Changed)) }
}
