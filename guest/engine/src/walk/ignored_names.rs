//! Ignore rules for the names in one directory, without a walk.

use super::levels::{self, In, Levels};
use super::{Scope, Walk};
use crate::resolve::Folder;
use fsgate_contract::types::Note;
use fsgate_journal::namespace::Namespace;
use fsgate_volume::Volume;

/// The ignore rules for one directory.
pub struct IgnoredNames {
    levels: Levels,
    /// The path of the directory from the outermost level on.
    base: String,
    notes: Vec<Note>,
}

impl IgnoredNames {
    pub(crate) fn in_folder<V: Volume>(namespace: &Namespace<V>, folder: &Folder<V>) -> Self {
        let mut walk = Walk::empty(namespace, folder.shown(), folder.resolved(), Scope::default());
        let above = walk.levels_above(folder);
        let volume = folder.volume(namespace);
        let landmarks = levels::landmarks(volume, folder.handle());
        let at = In { namespace, volume, directory: folder.handle(), path: folder.resolved() };
        let read = levels::read(&at, landmarks, walk.base, &above);
        walk.leave_out(&read.left_out);
        Self { notes: walk.notes(), levels: read.levels, base: walk.path }
    }

    /// True if a name in the directory is ignored.
    pub fn contains(&self, name: &str, is_directory: bool) -> bool {
        !self.levels.is_empty()
            && levels::ignored(&self.levels, &format!("{}{name}", self.base), is_directory)
    }

    /// Notes on the ignore files.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }
}
