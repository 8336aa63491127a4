//! Ignore rules for the names in one directory, without a walk.

use super::ignore_stack::{self, IgnoreStack, LevelDirectory};
use super::{Scope, Walk};
use crate::resolve::Folder;
use fsgate_contract::types::Note;
use fsgate_journal::namespace::Namespace;
use fsgate_volume::Volume;

/// The ignore rules for one directory.
pub struct IgnoredNames {
    levels: IgnoreStack,
    /// The path of the directory from the outermost level on.
    base: String,
    notes: Vec<Note>,
}

impl IgnoredNames {
    pub(crate) fn in_folder<V: Volume>(namespace: &Namespace<V>, folder: &Folder<V>) -> Self {
        let mut walk = Walk::empty(namespace, folder.shown(), folder.resolved(), Scope::default());
        let above = walk.levels_above(folder);
        let volume = folder.volume(namespace);
        let landmarks = ignore_stack::landmarks(volume, folder.handle());
        let at = LevelDirectory { namespace, volume, directory: folder.handle(), path: folder.resolved() };
        let read = ignore_stack::read(&at, landmarks, walk.base, &above);
        walk.leave_out(&read.left_out);
        Self { notes: walk.notes(), levels: read.levels, base: walk.path }
    }

    /// True if a name in the directory is ignored.
    pub fn contains(&self, name: &str, is_directory: bool) -> bool {
        !self.levels.is_empty()
            && ignore_stack::ignored(&self.levels, &format!("{}{name}", self.base), is_directory)
    }

    /// Notes on the ignore files.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }
}
