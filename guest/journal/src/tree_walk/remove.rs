//! Removes the content of a directory.

use super::{TreeVisitor, VisitedDirectory, walk};
use fsgate_contract::limits::EMPTYING_FAILURES;
use fsgate_error::Reason;
use fsgate_volume::{Fault, Kind, Volume};

/// Removes everything that can be removed. Returns the first failure.
pub(crate) fn empty<V: Volume>(volume: &V, directory: &V::Directory, name: &str) -> Result<(), Reason> {
    let start = volume.open_directory_to_empty(directory, name).map_err(Reason::writing)?;
    let mut deleting = Deleting::new(volume, EMPTYING_FAILURES);
    walk(volume, start, &mut deleting).map_err(|stopped| stopped.reason)?;
    deleting.failed.map_or(Ok(()), Err)
}

/// Removes each visited name.
pub struct Deleting<'a, V> {
    volume: &'a V,
    /// The number of removed names.
    pub deleted: u64,
    spared: u32,
    pub(crate) failed: Option<Reason>,
}

impl<V: Volume> TreeVisitor<V> for Deleting<'_, V> {
    fn open(&self, volume: &V, here: &V::Directory, name: &str) -> Result<V::Directory, Fault> {
        volume.open_directory_to_empty(here, name)
    }

    fn unopened(&mut self, _: &str, fault: Fault) -> Result<(), Reason> {
        self.fail(Reason::reading(fault))
    }

    fn entry(&mut self, here: &VisitedDirectory<V>, name: &str, _: Kind) -> Result<(), Reason> {
        self.count(self.volume.remove_file(here.directory, name))
    }

    fn unreachable(&mut self, _: &VisitedDirectory<V>, count: u64) -> Result<(), Reason> {
        self.fail(Reason::Unreachable(count))
    }

    fn leave(&mut self, here: &VisitedDirectory<V>, name: &str) -> Result<(), Reason> {
        match self.volume.remove_directory(here.directory, name) {
            // It holds an entry that could not be removed.
            Err(Fault::NotEmpty) if self.failed.is_some() => Ok(()),
            removed => self.count(removed),
        }
    }
}

impl<'a, V: Volume> Deleting<'a, V> {
    /// Stops after more than `spared` failures.
    pub fn new(volume: &'a V, spared: u32) -> Self {
        Self { volume, deleted: 0, spared, failed: None }
    }

    fn count(&mut self, removed: Result<(), Fault>) -> Result<(), Reason> {
        match removed {
            Ok(()) => self.deleted += 1,
            // Another process was faster.
            Err(Fault::NotFound) => {}
            Err(fault) => return self.fail(Reason::writing(fault)),
        }
        Ok(())
    }

    fn fail(&mut self, reason: Reason) -> Result<(), Reason> {
        if self.spared == 0 || matches!(reason, Reason::Volume(Fault::Deadline, _)) {
            return Err(reason);
        }
        self.spared -= 1;
        self.failed.get_or_insert(reason);
        Ok(())
    }
}
