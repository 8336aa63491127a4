//! The control file of a state directory: its unfinished changes. Every read checks it first, so
//! that takes one system call.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use fsgate_journal::state::control::{self, BYTES};
use fsgate_journal::state::pending_id;

use super::Problem;

pub(super) const CONTROL: &str = "control";

/// The directory of pending records.
pub(super) const WAITING: &str = "waiting";

/// The directory of deleted files.
const TRASH: &str = "trash";

#[derive(Debug)]
pub(super) struct Control {
    pub(super) state: PathBuf,
    file: File,
}

impl Control {
    pub(super) fn open(state: &Path) -> Result<Self, Problem> {
        let path = state.join(CONTROL);
        let file = File::open(&path).map_err(Problem::of(&path))?;
        Ok(Self { state: state.to_owned(), file })
    }

    /// The present control data, or `None` if it is invalid; then the tools handle it.
    pub(super) fn read(&self) -> Option<control::Control> {
        let mut bytes = [0; BYTES];
        read(&self.file, &mut bytes);
        control::Control::parse(&bytes)
    }

    /// Pending records, and marker files of pending trash entries.
    pub(super) fn waiting(&self) -> impl Iterator<Item = PathBuf> + use<> {
        let entries = fs::read_dir(self.state.join(WAITING)).into_iter().flatten();
        entries.filter_map(|entry| Some(entry.ok()?.path()))
    }

    /// The places of pending trash entries.
    pub(super) fn pending(&self) -> impl Iterator<Item = PathBuf> + use<> {
        let trash = self.state.join(TRASH);
        self.waiting().filter_map(move |file| Some(trash.join(pending_id(file.file_name()?.to_str()?)?)))
    }
}

/// Reads as many bytes as there are; an error leaves zeros.
#[cfg(unix)]
fn read(file: &File, bytes: &mut [u8; BYTES]) {
    use std::os::unix::fs::FileExt;
    let _ = file.read_at(bytes, 0);
}

#[cfg(not(unix))]
fn read(mut file: &File, bytes: &mut [u8; BYTES]) {
    use std::io::{Read, Seek};
    if file.rewind().is_ok() {
        let _ = file.read(bytes);
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::io::Write;

    use super::*;

    fn say(state: &Path, now: control::Control) {
        let (_, slot) = now.slot();
        let mut file = File::create(state.join(CONTROL)).unwrap();
        file.write_all(&slot).unwrap();
    }

    /// Makes a record pending.
    pub(in super::super) fn wait(state: &Path, name: &str) {
        fs::write(state.join(WAITING).join(name), "").unwrap();
        say(state, control::Control { unsettled: true, ..control::Control::NEW });
    }

    pub(in super::super) fn begin(state: &Path) {
        say(state, control::Control { begun: Some(fsgate_contract::id::Id(1)), ..control::Control::NEW });
    }
}
