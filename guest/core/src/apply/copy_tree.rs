//! A directory and everything in it under another name.
//!
//! The copy is made under a temporary name and gets its own at the end, at once: nobody sees half a tree.

use super::create::write_new;
use super::delete::empty;
use super::made::Made;
use super::stream::{Side, Stream};
use super::{require_free, temporary};
use crate::changes::Seen;
use crate::descent::{Census, Descent, Here, Stopped, Visitor, walk};
use crate::error::{Failure, Reason};
use crate::path::join;
use crate::resolve::{Folder, Place};
use crate::volume::{Access, Fault, Kind, Volume};

pub(super) fn copy_tree<'a, V: Volume>(
    from: &V,
    source: &Folder<V>,
    census: Census,
    to: &'a V,
    made: &mut Made<'a, V>,
    destination: &Place<V>,
) -> Result<(), Failure> {
    let there = |reason: Reason| reason.at(destination.asked());
    let directory = made.parents(to, destination).map_err(|fault| there(fault.writing()))?;
    let temporary = temporary(to);
    to.create_directory(&directory, &temporary).map_err(|fault| there(fault.writing()))?;
    let copied = (|| {
        let start = to.open_directory(&directory, &temporary).map_err(|fault| there(fault.writing()))?;
        let mut copying =
            Copying { from, to, descent: Descent::new(to, start), found: Census::default(), wrote: false };
        walk(from, source.handle().clone(), &mut copying).map_err(|Stopped { reason, path }| {
            let base = if copying.wrote { destination.asked() } else { source.shown() };
            reason.at(if path.is_empty() { base.to_owned() } else { join(base, &path) })
        })?;
        if copying.found != census {
            return Err(Reason::Changed.at(source.shown()));
        }
        require_free(to, &directory, destination.name()).map_err(there)?;
        to.rename(&directory, &temporary, &directory, destination.name())
            .map_err(|fault| there(fault.writing()))
    })();
    copied.inspect_err(|_| {
        let _ = empty(to, &directory, &temporary);
        let _ = to.remove_directory(&directory, &temporary);
    })
}

/// Makes of everything that is walked the same on the other side.
struct Copying<'a, V: Volume> {
    from: &'a V,
    to: &'a V,
    descent: Descent<'a, V>,
    found: Census,
    /// What fails fails on the other side.
    wrote: bool,
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
    fn enter(&mut self, _: &Here<V>, name: &str) -> Result<(), Reason> {
        self.found.count(Kind::Directory);
        let made = self.descent.here().and_then(|here| self.to.create_directory(&here, name));
        self.there(made)?;
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
        let directory = self.descent.here();
        let directory = self.there(directory)?;
        write_new(self.to, &directory, name, |new| stream.fill(self.to, new)).map_err(|side| match side {
            Side::Source(reason) => reason,
            Side::Destination(reason) => {
                self.wrote = true;
                reason
            }
        })
    }

    fn unreachable(&mut self, _: &Here<V>, count: u64) -> Result<(), Reason> {
        Err(Reason::Unreachable(count))
    }

    fn leave(&mut self, _: &Here<V>, _: &str) -> Result<(), Reason> {
        let left = self.descent.up();
        self.there(left).map(drop)
    }
}
