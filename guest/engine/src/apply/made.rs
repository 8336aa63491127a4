//! The rollback log of a call without a journal.

use crate::resolve::Place;
use fsgate_journal::descent;
use fsgate_volume::{Fault, Volume};

/// The new objects, in the order of their creation.
pub(super) struct Made<'a, V: Volume>(Vec<Thing<'a, V>>);

/// A new object. Its directory is opened again for the rollback, so that a large call holds few
/// handles.
struct Thing<'a, V: Volume> {
    volume: &'a V,
    start: V::Directory,
    below: Vec<String>,
    name: String,
    kind: Kind,
}

enum Kind {
    Directory,
    /// The identity distinguishes it from a later file of another process.
    File(Option<u128>),
}

impl<V: Volume> Default for Made<'_, V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'a, V: Volume> Made<'a, V> {
    /// Creates the missing directories of a place, synced on demand. Returns the directory of its
    /// name.
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
                // It existed, or another process has created it.
                Err(Fault::Exists) => {}
                Err(fault) => return Err(fault),
            }
            directory = volume.open_directory(&directory, name)?;
        }
        Ok(directory)
    }

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

    /// Removes the objects that are unchanged.
    pub(super) fn take_back(&mut self) {
        while let Some(Thing { volume, start, below, name, kind }) = self.0.pop() {
            let Ok(directory) = descent::open(volume, &start, &below) else { continue };
            match kind {
                // Not empty: another process uses it now.
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
