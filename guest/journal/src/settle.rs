//! What becomes of a change that is written down and not at its end.
//!
//! Every kind has one step that decides. A change that stands alone is at its end if that step was made, else it is taken
//! back. One of a group goes with the group. Whatever is done here can be cut short and done again: every state on the
//! way is one that the next look takes for the same.

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

/// What is to become of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// What its own step has decided.
    Own,
    /// It is taken back.
    Back,
    /// It stands: what is left to do is done.
    Forward,
}

/// What has become of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settled {
    /// The change stands.
    Done,
    /// Everything is as before.
    Undone,
    /// Somebody else has been there: nothing was touched.
    Foreign,
    /// It lies in no directory that we can change.
    Waiting,
    /// Its directory is not where it was: somebody else has moved it or taken it away, or a change of ours that waits.
    Lost,
}

/// How far a change had come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Came {
    /// A name that was to be made is known not to have been made: whatever has it is somebody else's.
    ToNoName,
    /// To its end.
    ToItsEnd,
    /// It was the last one, and may have been cut short between any two steps.
    Somewhere,
}

/// Finishes a change or takes it back.
pub fn settle<V: Volume>(
    namespace: &Namespace<V>,
    state: &State<V>,
    stored: &Stored<V>,
    verdict: Verdict,
    came: Came,
    sync: bool,
) -> Result<Settled, Fault> {
    let case = Case { state, stored, verdict, came, sync };
    // Whether it may be done was asked before, and what is half done has to come to an end.
    let _lifted = namespace.guard().lift();
    match case.settle(namespace) {
        // No volume of ours has such names, and no record of ours.
        Err(Fault::NameTooLong | Fault::InvalidName) => Ok(Settled::Waiting),
        settled => settled,
    }
}

/// Where a change is left as it is for now, or for good: [`second_name::part`].
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

/// A record and what is to become of it.
struct Case<'a, V: Volume> {
    state: &'a State<V>,
    stored: &'a Stored<V>,
    verdict: Verdict,
    came: Came,
    /// A loss of power is to be survived.
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
                    // Nothing is to be taken away that may be all there is of what was to be moved.
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
                // It was taken back, and what was made for it as well.
                (Found::Here(from), Found::Gone)
                    if self.verdict != Verdict::Forward && identity_of(&from)? == Some(moved.identity) =>
                {
                    second_name::forget_replaced(self, moved, None)?;
                    // What was replaced may be nowhere else any more.
                    let is_left = moved.replaced.is_some() && self.is_kept()?;
                    self.sync(if is_left { Settled::Foreign } else { Settled::Undone }, &[&from])
                }
                (Found::Elsewhere, _) | (_, Found::Elsewhere) => Ok(Settled::Waiting),
                _ => Ok(self.lost(&Found::Gone)),
            },
            // It changes nothing by itself.
            Action::Group { .. } | Action::Checkpoint { .. } | Action::Remark => {
                Ok(if self.verdict == Verdict::Back { Settled::Undone } else { Settled::Done })
            }
        }
    }

    /// Without its place. What stands may have been made in a directory that a later change of the same group has removed:
    /// then there is nothing left to be done.
    fn lost(&self, found: &Found<V>) -> Settled {
        match found {
            Found::Gone if self.verdict == Verdict::Forward => Settled::Done,
            Found::Gone => Settled::Lost,
            _ => Settled::Waiting,
        }
    }

    /// What has become of names survives a loss of power before the record goes.
    fn sync(&self, settled: Settled, spots: &[&Spot<V>]) -> Result<Settled, Fault> {
        if self.sync && matches!(settled, Settled::Done | Settled::Undone) {
            spots.iter().try_for_each(|spot| spot.sync())?;
            self.state.volume.sync_directory(&self.state.trash)?;
            self.state.volume.sync_directory(&self.state.tmp)?;
        }
        Ok(settled)
    }

    /// Under this name it lies in the trash.
    fn kept(&self) -> String {
        self.stored.record.id.to_string()
    }

    /// Under this name it stands beside its place for a while.
    fn temporary(&self) -> String {
        fsgate_contract::id::temporary(self.stored.record.id)
    }

    /// True if the trash has something of this change.
    fn is_kept(&self) -> Result<bool, Fault> {
        self.state.is_kept(&self.kept())
    }
}

/// Who has the name of a spot, if anybody.
fn identity_of<V: Volume>(spot: &Spot<V>) -> Result<Option<super::Id>, Fault> {
    spot.directory()?.map_or(Ok(None), |directory| identity(spot.volume, &directory, &spot.name))
}
