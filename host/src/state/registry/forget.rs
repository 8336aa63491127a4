//! Removes states of vanished roots that have nothing left to keep.
//!
//! Agents work in many directories that exist for a day. Without this, each would be remembered
//! forever, and read at every registration.

use std::fs::{self, File};
use std::path::Path;
use std::time::SystemTime;

use super::super::control::{CONTROL, Control, WAITING};
use super::super::directory::{LOCK, NEW};
use super::{Registry, RootEntry};

impl Registry {
    /// Removes such states and their entries, under the lock. A failure is left to the next
    /// registration.
    pub(super) fn forget_gone(&self, all: &[RootEntry]) {
        let is_gone =
            |entry: &RootEntry| fs::symlink_metadata(&entry.path).is_err_and(|error| is_missing(&error));
        let (gone, live): (Vec<_>, Vec<_>) = all.iter().partition(|entry| is_gone(entry));
        let Ok(states) = fs::read_dir(self.root.join("states")) else { return };
        for state in states.filter_map(|state| state.ok()?.file_name().into_string().ok()) {
            let directory = self.directory(&state);
            if state.starts_with(NEW) {
                // Its maker died before it was complete.
                let _ = fs::remove_dir_all(directory);
            } else if !live.iter().any(|entry| names(entry, &state)) && self.is_idle(&directory) {
                for entry in gone.iter().filter(|entry| names(entry, &state)) {
                    let _ = fs::remove_file(self.roots().join(entry.identity.name()));
                }
                let _ = fs::remove_dir_all(directory);
            }
        }
    }

    /// Whether a state directory has no pending record and no user, and its last change is older
    /// than the limit.
    fn is_idle(&self, directory: &Path) -> bool {
        let is_empty =
            |name| fs::read_dir(directory.join(name)).is_ok_and(|mut entries| entries.next().is_none());
        let changed = fs::metadata(directory.join(CONTROL)).and_then(|control| control.modified());
        let age = changed.ok().and_then(|changed| SystemTime::now().duration_since(changed).ok());
        let control = Control::open(directory).ok().and_then(|control| control.read());
        control.is_some_and(|now| !now.is_unfinished())
            && is_empty(WAITING)
            && is_empty("conflicts")
            && age.is_some_and(|age| age > self.keep)
            && File::open(directory.join(LOCK)).is_ok_and(|lock| lock.try_lock().is_ok())
    }
}

fn names(entry: &RootEntry, state: &str) -> bool {
    entry.states().any(|known| known == state)
}

fn is_missing(error: &std::io::Error) -> bool {
    use std::io::ErrorKind;
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}
