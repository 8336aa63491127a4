//! The rollback log of a call without a journal.

use crate::resolve::Place;
use fsgate_journal::record::Object;
use fsgate_journal::tree_walk;
use fsgate_journal::tree_walk::copy::make_like;
use fsgate_volume::answers::unless;
use fsgate_volume::bytes::sync_names;
use fsgate_volume::{Fault, Volume};

pub(super) struct RollbackLog<'a, V: Volume>(Vec<Step<'a, V>>);

/// A new object, or one under a temporary name. The rollback opens its directory again, so that a
/// large call holds few handles.
struct Step<'a, V: Volume> {
    volume: &'a V,
    start: V::Directory,
    below: Vec<String>,
    name: String,
    kind: StepKind<V>,
}

enum StepKind<V: Volume> {
    Directory,
    /// The identity distinguishes it from a later file of another process.
    File(Option<u128>),
    /// An object to delete at the end of the call.
    Aside(Aside<V>),
}

/// An object under a temporary name.
pub(super) struct Aside<V: Volume> {
    pub(super) holds: V::Directory,
    pub(super) name: String,
    pub(super) object: Object,
    /// The path of the call.
    pub(super) asked: String,
}

/// The directory around a source with so many directories between them; none above its folder.
fn around<V: Volume>(from: &V, source: &Place<V>, to_end: usize) -> Option<Result<V::Directory, Fault>> {
    let depth = source.parents().len().checked_sub(to_end)?;
    Some(tree_walk::open(from, source.directory(), &source.parents()[..depth]))
}

impl<V: Volume> Default for RollbackLog<'_, V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'a, V: Volume> RollbackLog<'a, V> {
    /// Creates the missing directories of a place, synced on demand, and returns the last one.
    pub(super) fn parents(
        &mut self,
        volume: &'a V,
        place: &Place<V>,
        sync: bool,
    ) -> Result<V::Directory, Fault> {
        self.parents_like(volume, place, None, sync)
    }

    /// The same. The last directories get the permissions of those around `source`, each of the one
    /// as near to the end.
    pub(super) fn parents_like(
        &mut self,
        volume: &'a V,
        place: &Place<V>,
        source: Option<(&V, &Place<V>)>,
        sync: bool,
    ) -> Result<V::Directory, Fault> {
        let mut directory = place.directory().clone();
        for (number, name) in place.parents().iter().enumerate() {
            let to_end = place.parents().len() - number - 1;
            let created = match source.and_then(|(from, source)| around(from, source, to_end)) {
                Some(_) if volume.stat(&directory, name).is_ok() => Err(Fault::Exists),
                Some(like) => make_like(volume, &directory, name, &like?).map(drop),
                None => volume.create_directory(&directory, name),
            };
            // It may have existed, or another process may have created it.
            if unless(created, |fault| *fault == Fault::Exists)?.is_some() {
                self.add(volume, place, &place.parents()[..number], name, StepKind::Directory);
                sync_names(volume, &directory, sync)?;
            }
            directory = volume.open_directory(&directory, name)?;
        }
        Ok(directory)
    }

    pub(super) fn file(&mut self, volume: &'a V, directory: &V::Directory, place: &Place<V>) {
        let identity = volume.identity_at(directory, place.name()).ok();
        self.add(volume, place, place.parents(), place.name(), StepKind::File(identity));
    }

    pub(super) fn set_aside(&mut self, volume: &'a V, place: &Place<V>, aside: Aside<V>) {
        self.add(volume, place, place.parents(), place.name(), StepKind::Aside(aside));
    }

    /// Deletes the objects under temporary names for good, and returns their number. One that
    /// `delete` refuses stays, and so do those after it.
    pub(super) fn delete_set_aside<E>(
        &mut self,
        mut delete: impl FnMut(&'a V, &Aside<V>) -> Result<(), E>,
    ) -> (u64, Result<(), E>) {
        let (mut deleted, mut result) = (0, Ok(()));
        self.0.retain(|step| match &step.kind {
            StepKind::Aside(aside) if result.is_ok() => {
                result = delete(step.volume, aside);
                deleted += u64::from(result.is_ok());
                result.is_err()
            }
            _ => true,
        });
        (deleted, result)
    }

    pub(super) fn keep(&mut self, copies: &[u128]) {
        self.0.retain(|thing| !matches!(thing.kind, StepKind::File(Some(ours)) if copies.contains(&ours)));
    }

    fn add(&mut self, volume: &'a V, place: &Place<V>, below: &[String], name: &str, kind: StepKind<V>) {
        let (start, name) = (place.directory().clone(), name.to_owned());
        self.0.push(Step { volume, start, below: below.to_vec(), name, kind });
    }

    pub(super) fn roll_back(&mut self) {
        while let Some(Step { volume, start, below, name, kind }) = self.0.pop() {
            let Ok(directory) = tree_walk::open(volume, &start, &below) else { continue };
            match kind {
                // Not empty: another process uses it now.
                StepKind::Directory => drop(volume.remove_directory(&directory, &name)),
                StepKind::Aside(aside) => {
                    // A name that another process has taken stays.
                    if volume.stat(&directory, &name).is_err() {
                        let _ = volume.rename(&aside.holds, &aside.name, &directory, &name);
                    }
                }
                StepKind::File(ours) => {
                    if ours.is_some() && volume.identity_at(&directory, &name).ok() == ours {
                        let _ = volume.remove_file(&directory, &name);
                    }
                }
            }
        }
    }
}
