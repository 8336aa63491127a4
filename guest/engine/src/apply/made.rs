//! What a call has made so far, so that it can be taken back.

use crate::resolve::Place;
use fsgate_journal::descent;
use fsgate_volume::{Fault, Volume};

/// Everything new, in the order in which it came.
pub(super) struct Made<'a, V: Volume>(Vec<Thing<'a, V>>);

/// Something new. Its directory is opened again to take it back: a call that makes much holds few handles.
struct Thing<'a, V: Volume> {
    volume: &'a V,
    start: V::Directory,
    below: Vec<String>,
    name: String,
    kind: Kind,
}

enum Kind {
    Directory,
    /// With what tells it from a file that somebody else has put there since.
    File(Option<u128>),
}

impl<V: Volume> Default for Made<'_, V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'a, V: Volume> Made<'a, V> {
    /// Makes the missing directories above a place, so that they survive a loss of power if that is wanted. The directory
    /// that is to hold its name.
    pub(super) fn parents(
        &mut self,
        volume: &'a V,
        place: &Place<V>,
        sync: bool,
    ) -> Result<V::Directory, Fault> {
        let mut directory = place.directory().clone();
        for (number, name) in place.parents().iter().enumerate() {
            match volume.create_directory(&directory, name) {
                Ok(()) => {
                    self.add(volume, place, &place.parents()[..number], name, Kind::Directory);
                    if sync {
                        volume.sync_directory(&directory)?;
                    }
                }
                // It was there, or somebody else made it in the meantime: good.
                Err(Fault::Exists) => {}
                Err(fault) => return Err(fault),
            }
            directory = volume.open_directory(&directory, name)?;
        }
        Ok(directory)
    }

    /// Remembers a file.
    pub(super) fn file(&mut self, volume: &'a V, directory: &V::Directory, place: &Place<V>) {
        let identity = volume.identity_at(directory, place.name()).ok();
        self.add(volume, place, place.parents(), place.name(), Kind::File(identity));
    }

    /// Keeps copies whose originals are gone.
    pub(super) fn keep(&mut self, copies: &[u128]) {
        self.0.retain(|thing| !matches!(thing.kind, Kind::File(Some(ours)) if copies.contains(&ours)));
    }

    fn add(&mut self, volume: &'a V, place: &Place<V>, below: &[String], name: &str, kind: Kind) {
        let (start, name) = (place.directory().clone(), name.to_owned());
        self.0.push(Thing { volume, start, below: below.to_vec(), name, kind });
    }

    /// Takes back what is still as it was made.
    pub(super) fn take_back(&mut self) {
        while let Some(Thing { volume, start, below, name, kind }) = self.0.pop() {
            let Ok(directory) = descent::open(volume, &start, &below) else { continue };
            match kind {
                // Not empty: somebody else uses it by now, and it is theirs.
                Kind::Directory => drop(volume.remove_directory(&directory, &name)),
                Kind::File(ours) => {
                    if ours.is_some() && volume.identity_at(&directory, &name).ok() == ours {
                        let _ = volume.remove_file(&directory, &name);
                    }
                }
            }
        }
    }
}
