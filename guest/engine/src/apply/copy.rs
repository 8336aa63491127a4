//! Copies content to a new or an existing file.

use super::create::{FileNames, Origin, publish};
use super::splice::{Bytes, HeldBytes, Splice};
use super::{ApplyRun, holding, require};
use crate::changes::{Change, Like, Tags};
use crate::resolve::Place;
use fsgate_contract::id::temporary;
use fsgate_contract::limits::STRONG_TAG_BYTES;
use fsgate_contract::path::below;
use fsgate_error::{Failure, FaultAt, Reason};
use fsgate_journal::namespace::Namespace;
use fsgate_journal::record::Object;
use fsgate_journal::tree_walk::Stopped;
use fsgate_journal::tree_walk::copy::{Permissions, require_copyable};
use fsgate_journal::tree_walk::stream::{Side, Stream};
use fsgate_volume::Seen;
use fsgate_volume::bytes::hasher;
use fsgate_volume::etag;
use fsgate_volume::{Access, Fault, Stat, Volume};

pub(super) struct Copy<'a, V: Volume> {
    pub(super) from: &'a V,
    pub(super) source: &'a Place<V>,
    pub(super) seen: Seen,
    pub(super) etag: Option<&'a str>,
    pub(super) is_moved: bool,
}

impl<V: Volume> ApplyRun<'_, V> {
    pub(super) fn copy(
        &mut self,
        source: &Place<V>,
        seen: Seen,
        etag: Option<&str>,
        destination: &Place<V>,
        overwritten: Option<Seen>,
        with_directories: bool,
    ) -> Result<(), Failure> {
        let copy = Copy { from: source.volume(self.namespace), source, seen, etag, is_moved: false };
        match overwritten {
            None => {
                let permissions = self.copy_new(&copy, destination, with_directories, |_, _| Ok(()))?;
                self.copies.made(permissions);
                Ok(())
            }
            Some(seen) => self.copy_over(&copy, destination, seen),
        }
    }

    /// Copies to a new name, completely or not at all. With `with_directories`, missing directories
    /// are copies too. `check` runs last before the copy gets its name.
    pub(super) fn copy_new(
        &mut self,
        copy: &Copy<V>,
        destination: &Place<V>,
        with_directories: bool,
        check: impl Fn(&Stream<V>, &V::File) -> Result<(), Side>,
    ) -> Result<Permissions, Failure> {
        let to = self.writable(destination)?;
        let mut source = copy.open()?;
        let etag = match copy.etag {
            None if self.state(destination).is_some() => copy.tag(&source)?,
            etag => etag.map(str::to_owned),
        };
        source.etag = etag.as_deref();
        let object = Object::File { size: source.size() };
        let origin =
            if copy.is_moved { Origin::Moved(copy.source, copy.seen.identity) } else { Origin::Here };
        let id = self.begin_create(destination, object, &origin, || etag.clone())?;
        let like = with_directories.then_some((copy.from, copy.source));
        let directory = self
            .made
            .parents_like(to, destination, like, self.transaction.syncs())
            .writing_at(destination.asked())?;
        let fill = |file: &V::File| {
            source.fill(to, file)?;
            check(&source, file)
        };
        let names = FileNames { directory: &directory, name: destination.name(), temporary: &temporary(id) };
        let published = publish(to, &names, Some(&source.file), self.transaction.syncs(), fill)
            .map_err(|side| copy.failure(side, destination))?;
        self.published(to, &directory, published.is_clean).writing_at(destination.asked())?;
        if self.state(destination).is_none() {
            self.made.file(to, &directory, destination);
        }
        Ok(published.permissions)
    }

    /// Overwrites a file, which keeps its inode.
    fn copy_over(&mut self, copy: &Copy<V>, destination: &Place<V>, seen: Seen) -> Result<(), Failure> {
        let to = self.writable(destination)?;
        let Some(state) = self.state(destination) else {
            copy.overwrite(to, destination, seen)?;
            self.lasts("overwritten", 1);
            return Ok(());
        };
        let (source, file, stat) = copy.open_both(to, destination, seen)?;
        let new = Bytes::File { volume: copy.from, file: &source.file, at: 0, length: source.size() };
        let held = &HeldBytes::default();
        let splice =
            Splice { volume: to, file: &file, size: stat.size, offset: 0, old: stat.size, new, held };
        let tags = Tags { before: None, after: copy.etag.map(str::to_owned), whole: false };
        // The record has all of it before anything is overwritten.
        self.journaled(state, destination, &splice, &tags, || {
            source.check().map_err(|side| copy.failure(side, destination))
        })
    }
}

impl<'a, V: Volume> Copy<'a, V> {
    /// The source of a new file's permissions.
    pub(super) fn like(namespace: &'a Namespace<V>, like: &'a Like<V>) -> Self {
        let Like { place, seen, is_moved } = like;
        Self { from: place.volume(namespace), source: place, seen: *seen, etag: None, is_moved: *is_moved }
    }

    pub(super) fn overwrite(&self, to: &V, destination: &Place<V>, seen: Seen) -> Result<(), Failure> {
        let (source, file, stat) = self.open_both(to, destination, seen)?;
        let (old, new) = (stat.size, source.size());
        // Steps that can run out of space come first, while the old content is complete.
        if let Err(side) = source.pour(to, &file, old.min(new), new, false) {
            let whole =
                to.stat_file(&file).is_ok_and(|now| now.size >= old) && to.set_size(&file, old).is_ok();
            return Err(if whole { self.failure(side, destination) } else { torn(side, destination) });
        }
        let poured = source.pour(to, &file, 0, old.min(new), false).and_then(|_| {
            if new < old {
                to.set_size(&file, new).map_err(Reason::writing)?;
            }
            source.check()
        });
        poured.map_err(|side| torn(side, destination))
    }

    fn open_both(
        &self,
        to: &V,
        destination: &Place<V>,
        seen: Seen,
    ) -> Result<(Stream<'a, V>, V::File, Stat), Failure> {
        let there = |fault: Fault| Reason::writing(fault).at(destination.asked());
        let source = self.open()?;
        let directory = holding(to, destination).map_err(there)?;
        let file = to.open_file(&directory, destination.name(), Access::Write).map_err(there)?;
        let (stat, identity) = (to.stat_file(&file).map_err(there)?, to.identity(&file).map_err(there)?);
        if !seen.is_still(&stat, identity) {
            return Err(Reason::Changed.at(destination.asked()));
        }
        // The whole source is read first, because overwriting cannot be rolled back.
        if let Some(etag) = self.etag {
            let now = hasher(self.from, &source.file, 0, source.size()).reading_at(self.source.asked())?;
            if etag::strong(&now) != etag {
                return Err(Reason::Changed.at(self.source.asked()));
            }
        }
        Ok((source, file, stat))
    }

    pub(super) fn open(&self) -> Result<Stream<'a, V>, Failure> {
        let here = |reason: Reason| reason.at(self.source.asked());
        let directory = holding(self.from, self.source).reading_at(self.source.asked())?;
        // Checked before opening: opening a FIFO blocks.
        require(self.from, &directory, self.source.name(), &self.seen).map_err(here)?;
        let file = self
            .from
            .open_file(&directory, self.source.name(), Access::Read)
            .reading_at(self.source.asked())?;
        let stream = Stream { from: self.from, file, seen: self.seen, etag: self.etag };
        stream.check().map_err(|side| here(side.reason()))?;
        stream.require_size().map_err(here)?;
        Ok(stream)
    }

    /// The strong tag of a file that is not too large, to identify the copy later.
    fn tag(&self, source: &Stream<V>) -> Result<Option<String>, Failure> {
        if source.size() > STRONG_TAG_BYTES {
            return Ok(None);
        }
        let hash = hasher(self.from, &source.file, 0, source.size());
        Ok(Some(etag::strong(&hash.reading_at(self.source.asked())?)))
    }

    pub(super) fn failure(&self, side: Side, destination: &Place<V>) -> Failure {
        match side {
            Side::Source(reason) => reason.at(self.source.asked()),
            Side::Destination(reason) => reason.at(destination.asked()),
        }
    }
}

/// Refuses an unreadable source, or one with another size.
pub(super) fn require_source<V: Volume>(namespace: &Namespace<V>, change: &Change<V>) -> Result<(), Failure> {
    match change {
        Change::Copy { source, seen, .. } => {
            let from = source.volume(namespace);
            Copy { from, source, seen: *seen, etag: None, is_moved: false }.open().map(drop)
        }
        Change::CopyTree { source, .. } => {
            require_copyable(source.volume(namespace), source.handle().clone())
                .map_err(|Stopped { reason, path }| reason.at(below(source.shown(), &path)))
        }
        _ => Ok(()),
    }
}

fn torn<V: Volume>(side: Side, destination: &Place<V>) -> Failure {
    let fault = match side.reason() {
        Reason::Volume(fault, _) => fault,
        _ => Fault::Io("the source has changed meanwhile".to_owned()),
    };
    Reason::Unrecovered(Box::new(fault)).at(destination.asked())
}
