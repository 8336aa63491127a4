//! Completes or rolls back a change that has a record and is not committed.
//!
//! Each kind of change has one deciding step. A single change is complete once that step was made,
//! and is rolled back otherwise. A member of a group follows its group. Each step can be
//! interrupted and repeated: every state in between leads to the same outcome.

mod compare;
mod create;
mod relocate;
mod remove;
mod second_name;
mod splice;

use super::file::Stored;
use super::path_record::{PlaceLookup, RecordedPlace, identity};
use super::record::{Action, Location, Record};
use crate::namespace::Namespace;
use crate::state::State;
use fsgate_contract::id::temporary;
use fsgate_volume::{Fault, Volume};

/// The outcome that a change has to get.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// The outcome by its own deciding step.
    Own,
    /// Roll back.
    Back,
    /// Complete.
    Forward,
}

/// The outcome of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The change is complete.
    RolledForward,
    /// Everything is as before.
    RolledBack,
    /// Another process has changed the object. Nothing was touched.
    Conflict,
    /// The change is in a directory that the session cannot change.
    Pending,
    /// The directory is not where it was: another process, or another pending change, has moved or
    /// removed it.
    Missing,
}

/// The progress of a change before it was interrupted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// The change has not created its name, so an object with that name belongs to another process.
    NameMissing,
    /// The change was complete.
    Complete,
    /// The change was the last one, and can have been interrupted between any two steps.
    Unknown,
}

/// Completes a change or rolls it back.
pub fn resolve<V: Volume>(
    namespace: &Namespace<V>,
    state: &State<V>,
    stored: &Stored<V>,
    decision: Decision,
    progress: Progress,
    sync: bool,
) -> Result<Outcome, Fault> {
    let resolution = Resolution { state, stored, decision, progress, sync };
    // The policy was asked before, and a half-made change has to end.
    let _lifted = namespace.guard().lift();
    match resolution.resolve(namespace) {
        // No volume has such names, and fsgate writes no such record.
        Err(Fault::NameTooLong | Fault::InvalidName) => Ok(Outcome::Pending),
        outcome => outcome,
    }
}

/// Leaves a change pending or in conflict: [`second_name::part`].
pub fn part<V: Volume>(
    namespace: &Namespace<V>,
    state: &State<V>,
    stored: &Stored<V>,
    progress: Progress,
    sync: bool,
) -> Result<Option<Outcome>, Fault> {
    let resolution = Resolution { state, stored, decision: Decision::Back, progress, sync };
    let _lifted = namespace.guard().lift();
    match second_name::part(&resolution, namespace) {
        Err(Fault::NameTooLong | Fault::InvalidName) => Ok(None),
        parted => parted,
    }
}

/// True if an interrupted removal has left its object under the temporary name.
pub fn has_rest<V: Volume>(namespace: &Namespace<V>, record: &Record) -> Result<bool, Fault> {
    let Action::Remove(remove) = &record.action else { return Ok(false) };
    let _lifted = namespace.guard().lift();
    remove::has_rest(namespace, remove, &temporary(record.id))
}

struct Resolution<'a, V: Volume> {
    state: &'a State<V>,
    stored: &'a Stored<V>,
    decision: Decision,
    progress: Progress,
    sync: bool,
}

impl<V: Volume> Resolution<'_, V> {
    fn resolve(&self, namespace: &Namespace<V>) -> Result<Outcome, Fault> {
        let find = |at: &Location| RecordedPlace::find(namespace, at);
        match &self.stored.record.action {
            Action::Splice(splice) => match find(&splice.at)? {
                PlaceLookup::Here(place) => splice::resolve(self, splice, &place),
                missing => Ok(self.missing(&missing)),
            },
            Action::Create(create) => match find(&create.at)? {
                PlaceLookup::Here(place) => {
                    // The copy must stay if it can be the only one left of a moved original.
                    let source = create.source.as_ref().filter(|_| self.decision != Decision::Forward);
                    let original = source.map(|source| find(&source.at)).transpose()?;
                    if matches!(original, Some(PlaceLookup::Elsewhere)) {
                        return Ok(Outcome::Pending);
                    }
                    self.sync(create::resolve(self, create, &place, original.as_ref())?, &[&place])
                }
                missing => Ok(self.missing(&missing)),
            },
            Action::Remove(remove) => match find(&remove.at)? {
                PlaceLookup::Here(place) => self.sync(remove::resolve(self, remove, &place)?, &[&place]),
                missing => Ok(self.missing(&missing)),
            },
            Action::Move(moved) => match (find(&moved.from)?, find(&moved.to)?) {
                (PlaceLookup::Here(from), PlaceLookup::Here(to)) => {
                    self.sync(relocate::resolve(self, moved, &from, &to)?, &[&to, &from])
                }
                (PlaceLookup::Here(from), PlaceLookup::Gone)
                    if self.decision != Decision::Forward && identity_of(&from)? == Some(moved.identity) =>
                {
                    second_name::forget_replaced(self, moved, None)?;
                    // The replaced object may exist in the trash only.
                    let is_left = moved.replaced.is_some() && self.is_kept()?;
                    self.sync(if is_left { Outcome::Conflict } else { Outcome::RolledBack }, &[&from])
                }
                (PlaceLookup::Elsewhere, _) | (_, PlaceLookup::Elsewhere) => Ok(Outcome::Pending),
                _ => Ok(self.missing(&PlaceLookup::Gone)),
            },
            Action::Group { .. } | Action::Checkpoint { .. } | Action::Remark => {
                Ok(if self.decision == Decision::Back { Outcome::RolledBack } else { Outcome::RolledForward })
            }
        }
    }

    /// The outcome if the directory is gone. A later change of the same group may have removed it;
    /// then a complete change has no step left.
    fn missing(&self, found: &PlaceLookup<V>) -> Outcome {
        match found {
            PlaceLookup::Gone if self.decision == Decision::Forward => Outcome::RolledForward,
            PlaceLookup::Gone => Outcome::Missing,
            _ => Outcome::Pending,
        }
    }

    fn sync(&self, outcome: Outcome, places: &[&RecordedPlace<V>]) -> Result<Outcome, Fault> {
        if self.sync && matches!(outcome, Outcome::RolledForward | Outcome::RolledBack) {
            places.iter().try_for_each(|place| place.sync())?;
            self.state.volume.sync_directory(&self.state.trash)?;
            self.state.volume.sync_directory(&self.state.tmp)?;
        }
        Ok(outcome)
    }

    fn kept(&self) -> String {
        self.stored.record.id.to_string()
    }

    fn temporary(&self) -> String {
        temporary(self.stored.record.id)
    }

    fn is_kept(&self) -> Result<bool, Fault> {
        self.state.is_kept(&self.kept())
    }
}

fn identity_of<V: Volume>(place: &RecordedPlace<V>) -> Result<Option<super::Id>, Fault> {
    place.directory()?.map_or(Ok(None), |directory| identity(place.volume, &directory, &place.name))
}
