//! A visited entry.

use super::Walk;
use super::frames::{At, Frame};
use crate::resolve::{Folder, Place};
use fsgate_contract::path::join;
use fsgate_volume::{Access, Fault, Kind, Stat, Volume};

/// An entry in its directory.
pub struct Visit<'w, V: Volume> {
    /// Its path, relative to the start.
    pub path: &'w str,
    /// Its name.
    pub name: &'w str,
    /// Its kind by the listing.
    pub kind: Kind,
    /// Its depth; 1 in the start.
    pub depth: u32,
    pub(super) walk: &'w Walk<'w, V>,
    pub(super) frame: &'w Frame<V>,
}

impl<'w, V: Volume> Visit<'w, V> {
    /// Its path in the namespace.
    pub fn shown(&self) -> String {
        join(&self.walk.shown, self.path)
    }

    /// True if it or a directory above it is ignored, if that matters.
    pub fn is_ignored(&self) -> bool {
        self.walk.is_ignored(self.frame, self.kind == Kind::Directory)
    }

    /// Its place; none for a directory that leads to grants, and for a grant in one.
    pub fn place(&self) -> Option<Place<V>> {
        let At::Inside(grant, Some(handle)) = &self.frame.at else { return None };
        let directory = self.walk.path.get(self.walk.base..self.frame.prefix)?.trim_end_matches('/');
        let below =
            |start: &str| if directory.is_empty() { start.to_owned() } else { join(start, directory) };
        let folder =
            Folder::walked(*grant, handle.clone(), below(&self.walk.shown), below(&self.walk.resolved));
        let folder = folder.seen_from(self.frame.requested.clone());
        folder.place(self.walk.namespace, self.name).ok()
    }

    /// Its volume and open directory; none without a place.
    pub fn parent(&self) -> Option<(&'w V, &'w V::Directory)> {
        match &self.frame.at {
            At::Inside(grant, Some(handle)) => Some((&self.walk.namespace.grant(*grant).volume, handle)),
            _ => None,
        }
    }

    /// Opens it as a regular file; refuses links.
    pub fn open(&self) -> Result<(&'w V, V::File), Fault> {
        let (volume, directory) = self.parent().ok_or(Fault::IsDirectory)?;
        self.require_open()?;
        volume.open_file(directory, self.name, Access::Read).map(|file| (volume, file))
    }

    /// Refuses a closed requested path; the volume enforces the resolved one.
    pub(super) fn require_open(&self) -> Result<(), Fault> {
        let guard = self.walk.namespace.guard();
        let ruling = self.frame.requested.as_ref().map(|at| at.ruling(guard.policy(), self.name, false));
        ruling.and_then(|ruling| ruling.denied).map_or(Ok(()), |rule| Err(guard.denied(rule)))
    }

    /// Its present description.
    pub fn stat(&self) -> Result<Stat, Fault> {
        let (volume, directory) = self.parent().ok_or(Fault::IsDirectory)?;
        volume.stat(directory, self.name)
    }
}
