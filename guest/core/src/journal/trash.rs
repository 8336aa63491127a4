//! Into the trash and out of it.

use super::Id;
use super::file::{Check, Stored};
use super::location::identity;
use super::record::{Location, Object, Record};
use crate::apply::copy_object;
use crate::error::Reason;
use crate::state::State;
use crate::volume::answers::{unless_gone, unless_linked};
use crate::volume::{Fault, Kind, Volume};

impl<V: Volume> State<V> {
    /// True if the trash has something under a name.
    pub(super) fn is_kept(&self, name: &str) -> Result<bool, Fault> {
        match self.volume.stat(&self.trash, name) {
            Ok(_) => Ok(true),
            Err(Fault::NotFound) => Ok(false),
            Err(fault) => Err(fault),
        }
    }

    /// The change that keeps something in the trash, or has kept it: it is done, or was set aside.
    pub(crate) fn keeper(&self, id: Id) -> Result<Option<Record>, Fault> {
        let stored = match self.done(id, Check::Header)? {
            Some(stored) => Some(stored),
            None => match Stored::open(&self.volume, &self.conflicts, &id.to_string(), Check::Header) {
                Err(Fault::NotFound) => None,
                stored => stored?,
            },
        };
        Ok(stored.map(|stored| stored.record))
    }

    /// Where something lay that is in the trash; none if who put it there is gone.
    pub(crate) fn lay_at(&self, id: Id) -> Result<Option<Location>, Fault> {
        Ok(self.keeper(id)?.and_then(|record| record.action.put_away().cloned()))
    }
}

/// Puts a copy of something into the trash, whole or not at all.
pub(crate) fn keep_copy<V: Volume>(
    state: &State<V>,
    id: Id,
    volume: &V,
    directory: &V::Directory,
    name: &str,
    sync: bool,
) -> Result<(), Fault> {
    let id = id.to_string();
    let copied = copy_object(volume, directory, name, &state.volume, &state.tmp, &id, sync)
        .and_then(|()| state.volume.rename(&state.tmp, &id, &state.trash, &id))
        .and_then(|()| if sync { state.volume.sync_directory(&state.trash) } else { Ok(()) });
    copied.inspect_err(|_| drop(discard(&state.volume, &state.tmp, &id)))
}

/// Gives something out of the trash a name, which nothing else may have. `temporary` is a name in the same directory for a
/// copy that has to be made where the trash is on another file system. It can be cut short and done again.
#[expect(
    clippy::too_many_arguments,
    reason = "from where, to where and how: none of them goes with another one"
)]
pub(crate) fn take_out<V: Volume>(
    state: &State<V>,
    id: Id,
    object: Object,
    volume: &V,
    directory: &V::Directory,
    name: &str,
    temporary: &str,
    sync: bool,
) -> Result<(), Fault> {
    // It must not lose the one name before the other one is sure.
    let synced = || if sync { volume.sync_directory(directory) } else { Ok(()) };
    let kept = id.to_string();
    if let Some(there) = identity(volume, directory, name)? {
        // It has both names if the trash was about to lose it.
        return match identity(&state.volume, &state.trash, &kept)? == Some(there) {
            true => synced().and_then(|()| state.volume.remove_file(&state.trash, &kept)),
            false => Err(Fault::Exists),
        };
    }
    discard(volume, directory, temporary)?;
    let (trash, here) = ((&state.volume, &state.trash, &kept[..]), (volume, directory, name));
    let moved = if object.is_directory() {
        let renamed = state.volume.rename(&state.trash, &kept, directory, name);
        unless_gone(renamed, &state.volume, &state.trash, &kept)
    } else {
        match unless_linked(state.volume.link_file(&state.trash, &kept, directory, name), trash, here) {
            // It has its name: whatever fails now, there is no need for a copy.
            Ok(()) => return synced().and_then(|()| state.volume.remove_file(&state.trash, &kept)),
            Err(Fault::Unsupported | Fault::NotPermitted | Fault::Access) => {
                state.volume.rename(&state.trash, &kept, directory, name)
            }
            Err(fault) => Err(fault),
        }
    };
    match moved {
        Err(Fault::CrossDevice | Fault::Io(_)) => {
            let copied = copy_object(&state.volume, &state.trash, &kept, volume, directory, temporary, sync)
                .and_then(|()| match object.is_directory() {
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
                });
            copied.inspect_err(|_| drop(discard(volume, directory, temporary)))?;
            synced()?;
            discard(&state.volume, &state.trash, &kept)
        }
        done => done,
    }
}

/// Removes the trash entry of a change, and a copy of it that is not complete.
pub(crate) fn forget_kept<V: Volume>(state: &State<V>, id: Id) -> Result<(), Fault> {
    discard(&state.volume, &state.tmp, &id.to_string())?;
    state.empty(id, None).map(drop)
}

/// Removes whatever has a name, with all that is in it.
pub(crate) fn discard<V: Volume>(volume: &V, directory: &V::Directory, name: &str) -> Result<(), Fault> {
    match volume.stat(directory, name) {
        Ok(stat) if stat.kind == Kind::Directory => {
            crate::apply::delete::empty(volume, directory, name).map_err(Reason::into_fault)?;
            volume.remove_directory(directory, name)
        }
        Ok(_) => volume.remove_file(directory, name),
        Err(Fault::NotFound) => Ok(()),
        Err(fault) => Err(fault),
    }
}
