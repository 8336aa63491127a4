//! Completes or rolls back a change that has a record and is not committed.
//!
//! Each kind of change has one deciding step. A single change is complete once that step was made,
//! and is rolled back otherwise. A member of a group follows its group. Each step can be
//! interrupted and repeated: every state in between leads to the same outcome.

mod create;
mod relocate;
mod remove;
mod same;
mod second_name;
mod splice;

use super::file::Stored;
use super::location::{Found, Spot, identity};
use super::record::{Action, Location};
use crate::namespace::Namespace;
use crate::state::State;
use fsgate_volume::{Fault, Volume};

/// The outcome that a change has to get.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The outcome by its own deciding step.
    Own,
    /// Roll back.
    Back,
    /// Complete.
    Forward,
}

/// The outcome of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settled {
    /// The change is complete.
    Done,
    /// Everything is as before.
    Undone,
    /// Another process has changed the object. Nothing was touched.
    Foreign,
    /// The change is in a directory that the session cannot change.
    Waiting,
    /// The directory is not where it was: another process, or another pending change, has moved or
    /// removed it.
    Lost,
}

/// The progress of a change before it was interrupted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Came {
    /// The change has not created its name, so an object with that name belongs to another process.
    ToNoName,
    /// The change was complete.
    ToItsEnd,
    /// The change was the last one, and can have been interrupted between any two steps.
    Somewhere,
}

/// Completes a change or rolls it back.
pub fn settle<V: Volume>(
    namespace: &Namespace<V>,
    state: &State<V>,
    stored: &Stored<V>,
    verdict: Verdict,
    came: Came,
    sync: bool,
) -> Result<Settled, Fault> {
    let case = Case { state, stored, verdict, came, sync };
    // The policy was asked before, and a half-made change has to end.
    let _lifted = namespace.guard().lift();
    match case.settle(namespace) {
        // No volume has such names, and fsgate writes no such record.
        Err(Fault::NameTooLong | Fault::InvalidName) => Ok(Settled::Waiting),
        settled => settled,
    }
}

/// Leaves a change pending or in conflict: [`second_name::part`].
pub fn part<V: Volume>(
    namespace: &Namespace<V>,
    state: &State<V>,
    stored: &Stored<V>,
    came: Came,
    sync: bool,
) -> Result<Option<Settled>, Fault> {
    let case = Case { state, stored, verdict: Verdict::Back, came, sync };
    let _lifted = namespace.guard().lift();
    match second_name::part(&case, namespace) {
        Err(Fault::NameTooLong | Fault::InvalidName) => Ok(None),
        parted => parted,
    }
}

/// A record and the outcome that it has to get.
struct Case<'a, V: Volume> {
    state: &'a State<V>,
    stored: &'a Stored<V>,
    verdict: Verdict,
    came: Came,
    sync: bool,
}

impl<V: Volume> Case<'_, V> {
    fn settle(&self, namespace: &Namespace<V>) -> Result<Settled, Fault> {
        let find = |at: &Location| Spot::find(namespace, at);
        match &self.stored.record.action {
            Action::Splice(splice) => match find(&splice.at)? {
                Found::Here(spot) => splice::settle(self, splice, &spot),
                lost => Ok(self.lost(&lost)),
            },
            Action::Create(create) => match find(&create.at)? {
                Found::Here(spot) => {
                    // The copy must stay if it can be the only one left of a moved original.
                    let source = create.source.as_ref().filter(|_| self.verdict != Verdict::Forward);
                    let original = source.map(|source| find(&source.at)).transpose()?;
                    if matches!(original, Some(Found::Elsewhere)) {
                        return Ok(Settled::Waiting);
                    }
                    self.sync(create::settle(self, create, &spot, original.as_ref())?, &[&spot])
                }
                lost => Ok(self.lost(&lost)),
            },
            Action::Remove(remove) => match find(&remove.at)? {
                Found::Here(spot) => self.sync(remove::settle(self, remove, &spot)?, &[&spot]),
                lost => Ok(self.lost(&lost)),
            },
            Action::Move(moved) => match (find(&moved.from)?, find(&moved.to)?) {
                (Found::Here(from), Found::Here(to)) => {
                    self.sync(relocate::settle(self, moved, &from, &to)?, &[&to, &from])
                }
                (Found::Here(from), Found::Gone)
                    if self.verdict != Verdict::Forward && identity_of(&from)? == Some(moved.identity) =>
                {
                    second_name::forget_replaced(self, moved, None)?;
                    // The replaced object may exist in the trash only.
                    let is_left = moved.replaced.is_some() && self.is_kept()?;
                    self.sync(if is_left { Settled::Foreign } else { Settled::Undone }, &[&from])
                }
                (Found::Elsewhere, _) | (_, Found::Elsewhere) => Ok(Settled::Waiting),
                _ => Ok(self.lost(&Found::Gone)),
            },
            Action::Group { .. } | Action::Checkpoint { .. } | Action::Remark => {
                Ok(if self.verdict == Verdict::Back { Settled::Undone } else { Settled::Done })
            }
        }
    }

    /// The outcome if the directory is gone. A later change of the same group may have removed it;
    /// then a complete change has no step left.
    fn lost(&self, found: &Found<V>) -> Settled {
        match found {
            Found::Gone if self.verdict == Verdict::Forward => Settled::Done,
            Found::Gone => Settled::Lost,
            _ => Settled::Waiting,
        }
    }

    /// Syncs the names before the record goes.
    fn sync(&self, settled: Settled, spots: &[&Spot<V>]) -> Result<Settled, Fault> {
        if self.sync && matches!(settled, Settled::Done | Settled::Undone) {
            spots.iter().try_for_each(|spot| spot.sync())?;
            self.state.volume.sync_directory(&self.state.trash)?;
            self.state.volume.sync_directory(&self.state.tmp)?;
        }
        Ok(settled)
    }

    /// The name of the object in the trash.
    fn kept(&self) -> String {
        self.stored.record.id.to_string()
    }

    /// The temporary name of the object beside its place.
    fn temporary(&self) -> String {
        fsgate_contract::id::temporary(self.stored.record.id)
    }

    fn is_kept(&self) -> Result<bool, Fault> {
        self.state.is_kept(&self.kept())
    }
}

fn identity_of<V: Volume>(spot: &Spot<V>) -> Result<Option<super::Id>, Fault> {
    spot.directory()?.map_or(Ok(None), |directory| identity(spot.volume, &directory, &spot.name))
}
