//! Restores objects from the trash.

use super::create::Origin;
use super::{ApplyRun, journal};
use crate::resolve::Place;
use fsgate_contract::id::{Id, temporary};
use fsgate_contract::limits::STRONG_TAG_BYTES;
use fsgate_error::{Failure, Reason};
use fsgate_journal::namespace::StateId;
use fsgate_journal::record::Object;
use fsgate_journal::state::State;
use fsgate_journal::{Taken, take_out};
use fsgate_volume::answers::unless;
use fsgate_volume::bytes::hasher;
use fsgate_volume::etag;
use fsgate_volume::{Access, Fault, Volume};

impl<V: Volume> ApplyRun<'_, V> {
    pub(super) fn restore(
        &mut self,
        place: &Place<V>,
        object: Object,
        (state, from): (StateId, Id),
    ) -> Result<(), Failure> {
        let volume = self.writable(place)?;
        let there = |fault: Fault| Reason::writing(fault).at(place.asked());
        let state = self.namespace.state(state);
        let kept = tag(state, object, from).map_err(journal)?;
        let own = self.state(place).filter(|own| own.identity == state.identity);
        // After a crash nothing else would lead to it.
        let own = own.ok_or_else(|| there(Fault::Unsupported))?;
        let id = self.record_create(own, place, object, kept, &Origin::Trash(from))?;
        let directory = self.made.parents(volume, place, self.transaction.syncs()).map_err(there)?;
        let to = (volume, &directory, place.name());
        match take_out(state, from, object, to, &temporary(id), self.transaction.syncs()) {
            Ok(taken) => {
                self.transaction.made();
                if let Taken::Copied(permissions) = taken {
                    self.copies.made(permissions);
                }
            }
            Err(Fault::Exists) => return Err(Reason::Exists.at(place.asked())),
            Err(fault) => {
                // It may have its name and only still be in the trash.
                self.transaction.made();
                return Err(there(fault));
            }
        }
        self.sync_names(state, volume, &directory).map_err(there)
    }
}

/// The strong tag of a small, readable file in the trash.
fn tag<V: Volume>(state: &State<V>, object: Object, id: Id) -> Result<Option<String>, Fault> {
    match object {
        Object::File { size } if size <= STRONG_TAG_BYTES => {
            let file = state.volume.open_file(&state.trash, &id.to_string(), Access::Read);
            // A rename does not need a mode for reading.
            let file = unless(file, |fault| *fault == Fault::Access)?;
            let Some(file) = file else { return Ok(None) };
            Ok(Some(etag::strong(&hasher(&state.volume, &file, 0, size)?)))
        }
        _ => Ok(None),
    }
}
