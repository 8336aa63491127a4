//! A directory and everything in it under another name.
//!
//! The copy is made under a temporary name and gets its own at the end, at once: nobody sees half a tree.

use super::create::{Origin, write_new};
use super::permissions::{Permissions, or_new};
use super::stream::{Side, Stream};
use super::{Run, require_free, temporary};
use crate::changes::Seen;
use crate::descent::{Census, Descent, Here, Stopped, Visitor, walk};
use crate::error::{Failure, Reason};
use crate::journal::discard;
use crate::journal::record::Object;
use crate::path::join;
use crate::resolve::{Folder, Place};
use crate::volume::answers::unless_gone;
use crate::volume::{Access, Fault, Kind, Volume};

impl<V: Volume> Run<'_, V> {
    pub(super) fn copy_tree(
        &mut self,
        source: &Folder<V>,
        census: Census,
        destination: &Place<V>,
    ) -> Result<(), Failure> {
        let there = |reason: Reason| reason.at(destination.asked());
        let from = source.volume(self.namespace);
        let to = self.writable(destination)?;
        let id = self.begin_create(destination, Object::copied(&census), &Origin::Here, || None)?;
        let directory =
            self.made.parents(to, destination, self.ink.syncs()).map_err(|fault| there(fault.writing()))?;
        let temporary = temporary(id);
        let permissions =
            make_like(to, &directory, &temporary, source.handle()).map_err(|fault| there(fault.writing()))?;
        let copied = (|| {
            let start = to.open_directory(&directory, &temporary).map_err(|fault| there(fault.writing()))?;
            let mut copying = Copying {
                from,
                to,
                descent: Descent::new(to, start),
                found: Census::default(),
                permissions,
                wrote: false,
                sync: self.ink.syncs(),
            };
            let start = copying.descent.here().map_err(|fault| there(fault.writing()))?;
            walk(from, source.handle().clone(), &mut copying).map_err(|Stopped { reason, path }| {
                let base = if copying.wrote { destination.asked() } else { source.shown() };
                reason.at(if path.is_empty() { base.to_owned() } else { join(base, &path) })
            })?;
            if copying.found != census {
                return Err(Reason::Changed.at(source.shown()));
            }
            if self.ink.syncs() {
                to.sync_directory(&start).map_err(|fault| there(fault.writing()))?;
            }
            require_free(to, &directory, destination.name()).map_err(there)?;
            let renamed = to.rename(&directory, &temporary, &directory, destination.name());
            unless_gone(renamed, to, &directory, &temporary)
                .and_then(|()| self.published(to, &directory, true))
                .map_err(|fault| there(fault.writing()))?;
            Ok(copying.permissions)
        })();
        let permissions = copied.inspect_err(|_| drop(discard(to, &directory, &temporary)))?;
        self.copies.made(permissions);
        Ok(())
    }
}

/// Copies a file, or a directory with all that is in it. A link or a special file cannot be copied, nor what holds one.
pub(crate) fn copy_object<V: Volume>(
    from: &V,
    directory: &V::Directory,
    name: &str,
    to: &V,
    to_directory: &V::Directory,
    to_name: &str,
    sync: bool,
) -> Result<Permissions, Fault> {
    let stat = from.stat(directory, name)?;
    match stat.kind {
        Kind::File => {
            let file = from.open_file(directory, name, Access::Read)?;
            let stream =
                Stream { from, seen: Seen { stat, identity: from.identity(&file)? }, file, etag: None };
            let like = Some(&stream.file);
            let permissions = write_new(to, to_directory, to_name, like, sync, |new| stream.fill(to, new))
                .map_err(|side| side.reason().into_fault())?;
            if sync {
                to.sync_directory(to_directory)?;
            }
            Ok(permissions)
        }
        Kind::Directory => {
            let source = from.open_directory(directory, name)?;
            let permissions = make_like(to, to_directory, to_name, &source)?;
            let start = to.open_directory(to_directory, to_name)?;
            let descent = Descent::new(to, start.clone());
            let found = Census::default();
            let mut copying = Copying { from, to, descent, found, permissions, wrote: false, sync };
            walk(from, source, &mut copying).map_err(|stopped| stopped.reason.into_fault())?;
            if copying.found.links + copying.found.special > 0 {
                return Err(Fault::Unsupported);
            }
            if sync {
                to.sync_directory(&start)?;
                to.sync_directory(to_directory)?;
            }
            Ok(copying.permissions)
        }
        Kind::Link | Kind::Special(_) => Err(Fault::Unsupported),
    }
}

/// Makes a directory with the permissions of another one, as far as the volume can do that.
pub(super) fn make_like<V: Volume>(
    to: &V,
    directory: &V::Directory,
    name: &str,
    source: &V::Directory,
) -> Result<Permissions, Fault> {
    let created = to.create_directory_like(directory, name, source).map(|()| ((), Permissions::Kept));
    or_new(created, || to.create_directory(directory, name)).map(|((), permissions)| permissions)
}

/// Makes of everything that is walked the same on the other side.
struct Copying<'a, V: Volume> {
    from: &'a V,
    to: &'a V,
    descent: Descent<'a, V>,
    found: Census,
    /// The least that a copy so far has of its original.
    permissions: Permissions,
    /// What fails fails on the other side.
    wrote: bool,
    /// A loss of power is to be survived.
    sync: bool,
}

impl<V: Volume> Copying<'_, V> {
    fn there<T>(&mut self, done: Result<T, Fault>) -> Result<T, Reason> {
        done.map_err(|fault| {
            self.wrote = true;
            fault.writing()
        })
    }
}

impl<V: Volume> Visitor<V> for Copying<'_, V> {
    fn enter(&mut self, here: &Here<V>, name: &str) -> Result<(), Reason> {
        self.found.count(Kind::Directory);
        let made = self.descent.here().and_then(|above| make_like(self.to, &above, name, here.directory));
        let permissions = self.there(made)?;
        self.permissions = self.permissions.max(permissions);
        let entered = self.descent.down(name);
        self.there(entered)
    }

    fn entry(&mut self, here: &Here<V>, name: &str, kind: Kind) -> Result<(), Reason> {
        self.found.count(kind);
        if kind != Kind::File {
            return Ok(());
        }
        let stat = self.from.stat(here.directory, name).map_err(Fault::reading)?;
        if stat.kind != Kind::File {
            return Err(Reason::Changed);
        }
        self.found.bytes += stat.size;
        let open = || {
            let file = self.from.open_file(here.directory, name, Access::Read)?;
            Ok((self.from.identity(&file)?, file))
        };
        let (identity, file) = open().map_err(Fault::reading)?;
        let stream = Stream { from: self.from, file, seen: Seen { stat, identity }, etag: None };
        stream.require_size()?;
        let directory = self.descent.here();
        let directory = self.there(directory)?;
        let like = Some(&stream.file);
        let made = write_new(self.to, &directory, name, like, self.sync, |new| stream.fill(self.to, new));
        let permissions = made.map_err(|side| match side {
            Side::Source(reason) => reason,
            Side::Destination(reason) => {
                self.wrote = true;
                reason
            }
        })?;
        self.permissions = self.permissions.max(permissions);
        Ok(())
    }

    fn unreachable(&mut self, _: &Here<V>, count: u64) -> Result<(), Reason> {
        Err(Reason::Unreachable(count))
    }

    fn leave(&mut self, _: &Here<V>, _: &str) -> Result<(), Reason> {
        if self.sync {
            let synced = self.descent.here().and_then(|here| self.to.sync_directory(&here));
            self.there(synced)?;
        }
        let left = self.descent.up();
        self.there(left).map(drop)
    }
}
