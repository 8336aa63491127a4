//! From a record back to the place that it is about.

use super::Id;
use super::grounds::Grounds;
use super::record::Location;
use crate::descent;
use crate::namespace::Namespace;
use fsgate_volume::{Access, Fault, Volume};

/// A name below an open directory.
pub struct Spot<'a, V: Volume> {
    /// The volume of the grant.
    pub volume: &'a V,
    /// The directory that the names begin at.
    pub start: V::Directory,
    pub(crate) below: Vec<String>,
    /// The last name.
    pub name: String,
}

/// What has become of a location.
pub enum Found<'a, V: Volume> {
    /// It is there.
    Here(Spot<'a, V>),
    /// Its directory is not where it was: somebody has removed or moved it.
    Gone,
    /// It is not known to lie in a grant of ours for writing.
    Elsewhere,
}

impl<'a, V: Volume> Spot<'a, V> {
    /// Finds a location again. Names only, one by one: a link on the way is another directory.
    pub fn find(namespace: &'a Namespace<V>, at: &Location) -> Result<Found<'a, V>, Fault> {
        let Some(ground) = Grounds::new(namespace)?.find(at, Some(Access::Write))? else {
            return Ok(Found::Elsewhere);
        };
        let volume = &ground.held.volume;
        match descent::open(volume, &ground.held.root, &ground.way) {
            Ok(start) => Self::at(volume, start, at),
            Err(fault) if is_none(&fault) => Ok(Found::Gone),
            Err(fault) => Err(fault),
        }
    }

    fn at(volume: &'a V, start: V::Directory, at: &Location) -> Result<Found<'a, V>, Fault> {
        if volume.directory_identity(&start)? != at.directory.0 {
            return Ok(Found::Gone);
        }
        Ok(Found::Here(Self { volume, start, below: at.below.clone(), name: at.name.clone() }))
    }

    /// The directory that holds the name; none if it is not there.
    pub fn directory(&self) -> Result<Option<V::Directory>, Fault> {
        match descent::open(self.volume, &self.start, &self.below) {
            Ok(directory) => Ok(Some(directory)),
            Err(fault) if is_none(&fault) => Ok(None),
            Err(fault) => Err(fault),
        }
    }

    /// Names in the directories on the way survive a loss of power, as far as these are there.
    pub(crate) fn sync(&self) -> Result<(), Fault> {
        let mut directory = self.start.clone();
        self.volume.sync_directory(&directory)?;
        for name in &self.below {
            directory = match self.volume.open_directory(&directory, name) {
                Ok(directory) => directory,
                Err(fault) if is_none(&fault) => break,
                Err(fault) => return Err(fault),
            };
            self.volume.sync_directory(&directory)?;
        }
        Ok(())
    }

    /// Removes the last `made` of the directories on the way, as far as they are there and empty.
    pub(crate) fn unmake(&self, made: u32) -> Result<(), Fault> {
        let first = self.below.len().saturating_sub(made as usize);
        for number in (first..self.below.len()).rev() {
            let name = &self.below[number];
            let removed = descent::open(self.volume, &self.start, &self.below[..number]).and_then(|above| {
                // A disk that cannot be written says so also of what is not there.
                self.volume.remove_directory(&above, name).or_else(|fault| {
                    let is_there = self.volume.stat(&above, name).is_ok();
                    if is_there { Err(fault) } else { Ok(()) }
                })
            });
            match removed {
                // Not empty, or no directory: somebody else uses it by now, and it is theirs.
                Ok(()) | Err(Fault::NotEmpty | Fault::NotDirectory | Fault::Loop) => {}
                Err(fault) if fault.is_absence() => {}
                Err(fault) => return Err(fault),
            }
        }
        Ok(())
    }
}

/// True if there is no such directory, and none that could be it.
pub(crate) fn is_none(fault: &Fault) -> bool {
    matches!(
        fault,
        Fault::NotFound | Fault::NotDirectory | Fault::Loop | Fault::NameTooLong | Fault::InvalidName
    )
}

/// Who has a name in a directory, if anybody.
pub(crate) fn identity<V: Volume>(
    volume: &V,
    directory: &V::Directory,
    name: &str,
) -> Result<Option<Id>, Fault> {
    match volume.identity_at(directory, name) {
        Ok(identity) => Ok(Some(Id(identity))),
        Err(fault) if fault.is_absence() => Ok(None),
        Err(fault) => Err(fault),
    }
}
