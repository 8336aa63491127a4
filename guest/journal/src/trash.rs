//! Moves objects into the trash and out of it.

use super::Id;
use super::file::{Check, Stored};
use super::path_record::identity;
use super::record::{Object, Record};
use crate::state::State;
use crate::tree_walk::copy::{Permissions, copy_object, open_stream};
use crate::tree_walk::remove::empty;
use crate::tree_walk::{Stopped, TreeVisitor, VisitedDirectory, walk};
use fsgate_error::Reason;
use fsgate_volume::answers::{NamedObject, existing, unless_gone, unless_linked};
use fsgate_volume::bytes::sync_names;
use fsgate_volume::{Access, Fault, Kind, Volume};

impl<V: Volume> State<V> {
    /// True if the trash has an entry with this name.
    pub fn is_kept(&self, name: &str) -> Result<bool, Fault> {
        Ok(existing(self.volume.stat(&self.trash, name))?.is_some())
    }

    /// False if the system refuses to write in the trash.
    pub fn takes_in(&self) -> bool {
        let opened = self.volume.open_directory_to_empty(&self.volume.root(), "trash");
        !opened.is_err_and(|fault| fault.is_obstacle())
    }

    /// True if a file system says that the trash is on another one than a directory. A rename of a
    /// name that does not exist asks for it, and changes nothing.
    pub fn is_elsewhere(&self, volume: &V, directory: &V::Directory) -> bool {
        let free = Id::new(self.volume.wall(), self.volume.random(), None).to_string();
        volume.rename(directory, &free, &self.trash, &free) == Err(Fault::CrossDevice)
    }

    /// The record of a trash entry, committed or set aside.
    pub fn keeper(&self, id: Id) -> Result<Option<Record>, Fault> {
        let stored = match self.done(id, Check::Header)? {
            Some(stored) => Some(stored),
            None => {
                let stored = Stored::open(&self.volume, &self.conflicts, &id.to_string(), Check::Header);
                existing(stored)?.flatten()
            }
        };
        Ok(stored.map(|stored| stored.record))
    }
}

/// Puts a complete copy of an object into the trash, or nothing.
pub fn keep_copy<V: Volume>(
    state: &State<V>,
    id: Id,
    object: NamedObject<V>,
    sync: bool,
) -> Result<Permissions, Stopped> {
    require_copyable(object)?;
    let id = id.to_string();
    let copied = copy_object(object, (&state.volume, &state.tmp, &id), None, sync).and_then(|permissions| {
        state.volume.rename(&state.tmp, &id, &state.trash, &id)?;
        sync_names(&state.volume, &state.trash, sync).map(|()| permissions)
    });
    copied.map_err(|fault| {
        drop(discard(&state.volume, &state.tmp, &id));
        at_top(Reason::reading(fault))
    })
}

/// Refuses a file that cannot be read, and a tree with links or special files, before anything is
/// copied.
pub fn require_copyable<V: Volume>((volume, directory, name): NamedObject<V>) -> Result<(), Stopped> {
    let failed = |fault| at_top(Reason::reading(fault));
    match volume.stat(directory, name).map_err(failed)?.kind {
        Kind::File => volume.open_file(directory, name, Access::Read).map(drop).map_err(failed),
        Kind::Directory => {
            let tree = volume.open_directory(directory, name).map_err(failed)?;
            walk(volume, tree, &mut Copyable(volume))
        }
        kind => Err(at_top(Reason::NoCopy(kind))),
    }
}

fn at_top(reason: Reason) -> Stopped {
    Stopped { reason, path: String::new() }
}

struct Copyable<'a, V>(&'a V);

impl<V: Volume> TreeVisitor<V> for Copyable<'_, V> {
    fn entry(&mut self, here: &VisitedDirectory<V>, name: &str, kind: Kind) -> Result<(), Reason> {
        match kind {
            Kind::File => open_stream(self.0, here, name).map(drop),
            kind => Err(Reason::NoCopy(kind)),
        }
    }

    fn unreachable(&mut self, _: &VisitedDirectory<V>, count: u64) -> Result<(), Reason> {
        Err(Reason::Unreachable(count))
    }
}

/// The way in which an object came out of the trash.
pub enum Taken {
    /// It is the same file or directory.
    Itself,
    /// It is a copy.
    Copied(Permissions),
}

/// Gives a trash entry a free name. `temporary` is a name in the same directory for a copy, needed
/// if the trash is on another file system. Can be interrupted and repeated.
pub fn take_out<V: Volume>(
    state: &State<V>,
    id: Id,
    object: Object,
    here: NamedObject<V>,
    temporary: &str,
    sync: bool,
) -> Result<Taken, Fault> {
    let (volume, directory, name) = here;
    // One name goes only after the other is durable.
    let synced = || sync_names(volume, directory, sync);
    let kept = id.to_string();
    if let Some(there) = identity(volume, directory, name)? {
        // It has both names if it was about to leave the trash.
        return match identity(&state.volume, &state.trash, &kept)? == Some(there) {
            true => {
                synced().and_then(|()| state.volume.remove_file(&state.trash, &kept)).map(|()| Taken::Itself)
            }
            false => Err(Fault::Exists),
        };
    }
    discard(volume, directory, temporary)?;
    let trash = (&state.volume, &state.trash, &kept[..]);
    let moved = if object.is_directory() {
        let renamed = state.volume.rename(&state.trash, &kept, directory, name);
        unless_gone(renamed, &state.volume, &state.trash, &kept)
    } else {
        match unless_linked(state.volume.link_file(&state.trash, &kept, directory, name), trash, here) {
            // It has its name, so no later failure needs a copy.
            Ok(()) => {
                synced()?;
                return state.volume.remove_file(&state.trash, &kept).map(|()| Taken::Itself);
            }
            Err(Fault::Unsupported | Fault::NotPermitted | Fault::Access) => {
                state.volume.rename(&state.trash, &kept, directory, name)
            }
            Err(fault) => Err(fault),
        }
    };
    match moved {
        Err(fault @ (Fault::CrossDevice | Fault::Io(_))) => {
            let named = || match object.is_directory() {
                true => volume.rename(directory, temporary, directory, name),
                false => match unless_linked(
                    volume.link_file(directory, temporary, directory, name),
                    (volume, directory, temporary),
                    here,
                ) {
                    Ok(()) => volume.remove_file(directory, temporary),
                    Err(Fault::Unsupported | Fault::NotPermitted | Fault::Access) => {
                        volume.rename(directory, temporary, directory, name)
                    }
                    Err(fault) => Err(fault),
                },
            };
            let copied = copy_object(trash, (volume, directory, temporary), Some(directory), sync)
                .and_then(|permissions| named().map(|()| permissions));
            let copied = copied.inspect_err(|_| drop(discard(volume, directory, temporary)));
            let permissions = copied.map_err(|copied| match copied {
                // A link cannot be copied: it stays in the trash while it is on another file
                // system.
                Fault::Unsupported => fault,
                copied => copied,
            })?;
            synced()?;
            discard(&state.volume, &state.trash, &kept)?;
            Ok(Taken::Copied(permissions))
        }
        done => done.map(|()| Taken::Itself),
    }
}

pub(crate) fn forget_kept<V: Volume>(state: &State<V>, id: Id) -> Result<(), Fault> {
    discard(&state.volume, &state.tmp, &id.to_string())?;
    state.empty(id, None).map(drop)
}

/// Removes a name with everything in it.
pub fn discard<V: Volume>(volume: &V, directory: &V::Directory, name: &str) -> Result<(), Fault> {
    match existing(volume.stat(directory, name))? {
        Some(stat) if stat.kind == Kind::Directory => {
            empty(volume, directory, name).map_err(Reason::into_fault)?;
            volume.remove_directory(directory, name)
        }
        Some(_) => volume.remove_file(directory, name),
        None => Ok(()),
    }
}
