//! The permissions of copies.

use crate::changes::Change;
use crate::notes::{self, Copied};
use crate::resolve::Place;
use fsgate_contract::types::Note;
use fsgate_journal::descent::copy::Permissions;
use fsgate_journal::namespace::Namespace;
use fsgate_volume::Volume;

/// The copies of one call, each kind with the least that one of them has of its original.
#[derive(Debug, Default)]
pub(super) struct Copies {
    /// Copies that were asked for, and copies that came out of the trash.
    made: Option<Permissions>,
    /// Copies in the place of what was moved.
    moved: Option<Permissions>,
    /// Copies in the trash, and why the last one is there.
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

    /// The copies that a change is expected to make.
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
            Change::TakeBack { change, .. } => self.expect(namespace, change),
            _ => {}
        }
    }

    /// A note on what the copies do not have of their originals. Copies in the trash count if they can come back.
    pub(super) fn note(&self, can_come_back: bool) -> Option<Note> {
        let kept = self.kept.filter(|_| can_come_back);
        // A copy that was asked for is expected to have the owner and the time of a new file.
        let made = self.made.filter(|permissions| *permissions == Permissions::New);
        match (made.max(self.moved), kept) {
            (Some(least), _) => Some(notes::new_file(kept.map_or(least, |(kept, _)| kept.max(least)))),
            (None, Some((kept, why))) => Some(notes::kept_as_copy(kept, why)),
            (None, None) => None,
        }
    }
}
