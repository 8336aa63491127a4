//! Names less.

use super::{holding, require};
use crate::changes::Seen;
use crate::descent::{Here, Stopped, Visitor, walk};
use crate::error::{Failure, Reason};
use crate::path::join;
use crate::resolve::Place;
use crate::volume::{Fault, Kind, Volume};

/// Removes a name, if it stands for what was seen.
pub(super) fn delete<V: Volume>(volume: &V, place: &Place<V>, seen: Seen) -> Result<(), Reason> {
    let directory = holding(volume, place).map_err(Fault::writing)?;
    require(volume, &directory, place.name(), &seen)?;
    volume.remove_file(&directory, place.name()).map_err(Fault::writing)
}

/// Removes a directory, and what is in it unless that has to be nothing.
pub(super) fn delete_tree<V: Volume>(
    volume: &V,
    place: &Place<V>,
    directory: V::Directory,
    has_to_be_empty: bool,
) -> Result<(), Failure> {
    let here = |reason: Reason| reason.at(place.asked());
    let ours = volume.directory_identity(&directory).map_err(|fault| here(fault.writing()))?;
    let named = volume.identity_at(place.directory(), place.name());
    if named.map_err(|fault| here(fault.writing()))? != ours {
        return Err(here(Reason::Changed));
    }
    let mut deleting = Deleting { volume, deleted: 0 };
    let emptied = if has_to_be_empty { Ok(()) } else { walk(volume, directory, &mut deleting) };
    let removed = match emptied {
        Ok(()) => {
            volume.remove_directory(place.directory(), place.name()).map_err(|fault| here(fault.writing()))
        }
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
pub(super) fn empty<V: Volume>(volume: &V, directory: &V::Directory, name: &str) -> Result<(), Reason> {
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
