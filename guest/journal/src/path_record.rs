//! The path from a record back to its place.

use super::Id;
use super::record::Location;
use super::root_map::RootMap;
use crate::namespace::Namespace;
use crate::tree_walk;
use fsgate_volume::answers::unless;
use fsgate_volume::{Access, Fault, Volume};

/// A name below an open directory.
pub struct RecordedPlace<'a, V: Volume> {
    /// The volume of the grant.
    pub volume: &'a V,
    /// The directory that the names start from.
    pub start: V::Directory,
    pub(crate) below: Vec<String>,
    /// The last name.
    pub name: String,
}

/// The present state of a recorded path.
pub enum PlaceLookup<'a, V: Volume> {
    /// The directory is where it was.
    Here(RecordedPlace<'a, V>),
    /// The directory was moved or removed.
    Gone,
    /// No grant with the access is known to hold the path.
    Elsewhere,
}

impl<'a, V: Volume> RecordedPlace<'a, V> {
    /// Opens the recorded directory again, name by name: a link on the path is another directory.
    pub fn find(namespace: &'a Namespace<V>, at: &Location) -> Result<PlaceLookup<'a, V>, Fault> {
        Self::find_in(namespace, at, Some(Access::Write))
    }

    /// The same in a grant with any access.
    pub fn find_to_read(namespace: &'a Namespace<V>, at: &Location) -> Result<PlaceLookup<'a, V>, Fault> {
        Self::find_in(namespace, at, None)
    }

    fn find_in(
        namespace: &'a Namespace<V>,
        at: &Location,
        access: Option<Access>,
    ) -> Result<PlaceLookup<'a, V>, Fault> {
        let Some(mapped) = RootMap::new(namespace)?.find(at, access)? else {
            return Ok(PlaceLookup::Elsewhere);
        };
        let volume = &mapped.held.volume;
        match unless(tree_walk::open(volume, &mapped.held.root, &mapped.route), is_none)? {
            Some(start) => Self::at(volume, start, at),
            None => Ok(PlaceLookup::Gone),
        }
    }

    fn at(volume: &'a V, start: V::Directory, at: &Location) -> Result<PlaceLookup<'a, V>, Fault> {
        if volume.directory_identity(&start)? != at.directory.0 {
            return Ok(PlaceLookup::Gone);
        }
        Ok(PlaceLookup::Here(Self { volume, start, below: at.below.clone(), name: at.name.clone() }))
    }

    /// The directory that holds the name, if it exists.
    pub fn directory(&self) -> Result<Option<V::Directory>, Fault> {
        unless(tree_walk::open(self.volume, &self.start, &self.below), is_none)
    }

    /// Syncs the existing directories on the path, so that their names survive a loss of power.
    pub(crate) fn sync(&self) -> Result<(), Fault> {
        let mut directory = self.start.clone();
        self.volume.sync_directory(&directory)?;
        for name in &self.below {
            let below = unless(self.volume.open_directory(&directory, name), is_none)?;
            let Some(below) = below else { break };
            self.volume.sync_directory(&below)?;
            directory = below;
        }
        Ok(())
    }

    pub(crate) fn unmake(&self, made: u32) -> Result<(), Fault> {
        let first = self.below.len().saturating_sub(made as usize);
        for number in (first..self.below.len()).rev() {
            let name = &self.below[number];
            let removed =
                tree_walk::open(self.volume, &self.start, &self.below[..number]).and_then(|above| {
                    // A read-only disk refuses to remove a name even if it does not exist.
                    self.volume.remove_directory(&above, name).or_else(|fault| {
                        let is_there = self.volume.stat(&above, name).is_ok();
                        if is_there { Err(fault) } else { Ok(()) }
                    })
                });
            unless(removed, |fault| is_none(fault) || *fault == Fault::NotEmpty)?;
        }
        Ok(())
    }
}

pub(crate) fn is_none(fault: &Fault) -> bool {
    matches!(
        fault,
        Fault::NotFound | Fault::NotDirectory | Fault::Loop | Fault::NameTooLong | Fault::InvalidName
    )
}

pub(crate) fn identity<V: Volume>(
    volume: &V,
    directory: &V::Directory,
    name: &str,
) -> Result<Option<Id>, Fault> {
    Ok(unless(volume.identity_at(directory, name), Fault::is_absence)?.map(Id))
}
