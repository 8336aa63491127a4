//! Another name for what has one.

use super::bytes::hasher;
use super::copy::Copy;
use super::create::{publish, write_new};
use super::made::Made;
use super::stream::{Side, Stream};
use super::{holding, is_still, require, require_free, temporary};
use crate::changes::Seen;
use crate::contract::types::Note;
use crate::error::{Failure, Reason};
use crate::resolve::Place;
use crate::tools::notes;
use crate::volume::{Fault, Kind, Volume};

/// A name that was not given.
enum Stuck {
    Failed(Failure),
    /// The two names are on different file systems, or the host has no word for why.
    Elsewhere(Fault),
}

impl From<Failure> for Stuck {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// Something that is to have another name.
pub(super) struct Relocation<'a, 'b, V: Volume> {
    pub(super) from: &'a V,
    pub(super) source: &'b Place<V>,
    pub(super) seen: Seen,
    pub(super) to: &'a V,
    pub(super) destination: &'b Place<V>,
    /// What is replaced.
    pub(super) replaced: Option<Seen>,
}

impl<'a, V: Volume> Relocation<'a, '_, V> {
    /// Moves it; `across` if it is known that a copy has to take its place. A note, if that shows only now.
    pub(super) fn run(&self, made: &mut Made<'a, V>, across: bool) -> Result<Option<Note>, Failure> {
        let old = holding(self.from, self.source).map_err(|fault| self.here(fault.writing()))?;
        require(self.from, &old, self.source.name(), &self.seen).map_err(|reason| self.here(reason))?;
        let new = made.parents(self.to, self.destination).map_err(|fault| self.there(fault.writing()))?;
        if across {
            return self.across(&old, &new).map(|()| None);
        }
        let moved = match (self.seen.stat.kind, self.replaced) {
            (Kind::Directory, _) => self.rename_directory(&old, &new),
            (_, Some(replaced)) => {
                require(self.to, &new, self.destination.name(), &replaced)
                    .map_err(|reason| self.there(reason))?;
                self.rename(&old, &new)
            }
            (_, None) => self.link(&old, &new),
        };
        match moved {
            Ok(()) => Ok(None),
            Err(Stuck::Failed(failure)) => Err(failure),
            Err(Stuck::Elsewhere(Fault::CrossDevice | Fault::Io(_))) if self.seen.stat.kind == Kind::File => {
                self.across(&old, &new).map(|()| Some(notes::new_file()))
            }
            Err(Stuck::Elsewhere(Fault::CrossDevice)) => Err(self.here(Reason::OnlyFilesCross)),
            Err(Stuck::Elsewhere(fault)) => Err(self.there(fault.writing())),
        }
    }

    /// A fault of the step that would have been the move.
    fn stuck(&self, fault: Fault) -> Stuck {
        match fault {
            fault @ (Fault::CrossDevice | Fault::Io(_)) => Stuck::Elsewhere(fault),
            fault => Stuck::Failed(self.there(fault.writing())),
        }
    }

    /// A second name, and then one less: of several callers exactly one gets the name.
    fn link(&self, old: &V::Directory, new: &V::Directory) -> Result<(), Stuck> {
        let (name, new_name) = (self.source.name(), self.destination.name());
        match self.from.link_file(old, name, new, new_name) {
            Ok(()) => {}
            Err(Fault::Unsupported | Fault::NotPermitted | Fault::Access) => {
                require_free(self.to, new, new_name).map_err(|reason| self.there(reason))?;
                return self.rename(old, new);
            }
            Err(fault) => return Err(self.stuck(fault)),
        }
        // What has arrived may be another one than was looked at.
        let removed = match self.arrived(new) {
            Ok(()) => self.from.remove_file(old, name).map_err(|fault| self.here(fault.writing())),
            failed => failed,
        };
        Ok(removed.map_err(|failure| self.or_torn(failure, self.to.remove_file(new, new_name).is_ok()))?)
    }

    fn rename(&self, old: &V::Directory, new: &V::Directory) -> Result<(), Stuck> {
        self.from
            .rename(old, self.source.name(), new, self.destination.name())
            .map_err(|fault| self.stuck(fault))
    }

    fn rename_directory(&self, old: &V::Directory, new: &V::Directory) -> Result<(), Stuck> {
        let (name, new_name) = (self.source.name(), self.destination.name());
        require_free(self.to, new, new_name).map_err(|reason| self.there(reason))?;
        self.from.rename(old, name, new, new_name).map_err(|fault| match fault {
            Fault::NotPermitted => Stuck::Failed(self.there(Reason::IntoItself)),
            fault => self.stuck(fault),
        })?;
        Ok(self
            .arrived(new)
            .map_err(|failure| self.or_torn(failure, self.to.rename(new, new_name, old, name).is_ok()))?)
    }

    /// The new name stands for what was looked at.
    fn arrived(&self, new: &V::Directory) -> Result<(), Failure> {
        match is_still(self.to, new, self.destination.name(), &self.seen) {
            Ok(true) => Ok(()),
            Ok(false) => Err(self.here(Reason::Changed)),
            Err(reason) => Err(self.there(reason)),
        }
    }

    /// A copy, compared with what it was made from, which is deleted then.
    fn across(&self, old: &V::Directory, new: &V::Directory) -> Result<(), Failure> {
        let name = self.destination.name();
        let copy = Copy { from: self.from, source: self.source, seen: self.seen, etag: None };
        let source = copy.open()?;
        let fill = |file: &V::File| {
            source.fill(self.to, file)?;
            self.compare(&source, file)
        };
        let told = |side: Side| copy.told(side, self.destination);
        if let Some(replaced) = self.replaced {
            let temporary = temporary(self.to);
            write_new(self.to, new, &temporary, fill).map_err(told)?;
            let replaced = require(self.to, new, name, &replaced)
                .map_err(Side::Destination)
                .and_then(|()| source.check())
                .and_then(|()| {
                    self.to
                        .rename(new, &temporary, new, name)
                        .map_err(|fault| Side::Destination(fault.writing()))
                });
            replaced.map_err(|side| {
                let _ = self.to.remove_file(new, &temporary);
                told(side)
            })?;
        } else {
            publish(self.to, new, name, fill).map_err(told)?;
        }
        let removed = require(self.from, old, self.source.name(), &self.seen)
            .and_then(|()| self.from.remove_file(old, self.source.name()).map_err(Fault::writing));
        removed.map_err(|reason| {
            let failure = self.here(reason);
            // What was replaced cannot come back: then there are two of it, and none is lost.
            let taken_back = self.replaced.is_none() && self.to.remove_file(new, name).is_ok();
            self.or_torn(failure, taken_back)
        })
    }

    /// Both files have the same bytes.
    fn compare(&self, source: &Stream<V>, file: &V::File) -> Result<(), Side> {
        let size = source.size();
        let ours = hasher(self.to, file, 0, size).map_err(|fault| Side::Destination(fault.reading()))?;
        let theirs =
            hasher(self.from, &source.file, 0, size).map_err(|fault| Side::Source(fault.reading()))?;
        if ours.finalize() == theirs.finalize() { Ok(()) } else { Err(Side::Source(Reason::Changed)) }
    }

    /// The failure, if what was done could be taken back.
    fn or_torn(&self, failure: Failure, taken_back: bool) -> Failure {
        if taken_back {
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
