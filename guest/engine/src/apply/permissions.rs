//! The permissions of copies.

use crate::changes::Change;
use crate::notes::{self, Copied};
use crate::resolve::Place;
use fsgate_contract::types::Note;
use fsgate_journal::namespace::Namespace;
use fsgate_journal::tree_walk::copy::Permissions;
use fsgate_volume::Volume;

/// The least permissions of each kind of copy.
#[derive(Debug, Default)]
pub(super) struct Copies {
    /// Requested copies, and copies out of the trash.
    made: Option<Permissions>,
    moved: Option<Permissions>,
    kept: Option<(Permissions, Copied)>,
}

impl Copies {
    pub(super) fn made(&mut self, permissions: Permissions) {
        self.made = self.made.max(Some(permissions));
    }

    pub(super) fn moved(&mut self, permissions: Permissions) {
        self.moved = self.moved.max(Some(permissions));
    }

    pub(super) fn kept(&mut self, permissions: Permissions, why: Copied) {
        let least = self.kept.map_or(permissions, |(kept, _)| kept.max(permissions));
        self.kept = Some((least, why));
    }

    pub(super) fn expect<V: Volume>(&mut self, namespace: &Namespace<V>, change: &Change<V>) {
        let expected = |place: &Place<V>| Permissions::expected(place.volume(namespace));
        match change {
            Change::Create { place, like: Some(like), .. } if like.is_moved => self.moved(expected(place)),
            Change::Copy { destination: place, overwritten: None, .. }
            | Change::Create { place, like: Some(_), .. }
            | Change::CopyTree { destination: place, .. } => {
                self.made(expected(place));
            }
            Change::Move { destination, across: true, .. } => self.moved(expected(destination)),
            Change::Undo { change, .. } => self.expect(namespace, change),
            _ => {}
        }
    }

    /// A note on attributes that copies lack. Copies in the trash count if they can come back.
    pub(super) fn note(&self, can_come_back: bool) -> Option<Note> {
        let kept = self.kept.filter(|_| can_come_back);
        // A requested copy is expected to have a new file's owner and time.
        let made = self.made.filter(|permissions| *permissions == Permissions::New);
        match (made.max(self.moved), kept) {
            (Some(least), _) => Some(notes::new_file(kept.map_or(least, |(kept, _)| kept.max(least)))),
            (None, Some((kept, why))) => Some(notes::kept_as_copy(kept, why)),
            (None, None) => None,
        }
    }
}
