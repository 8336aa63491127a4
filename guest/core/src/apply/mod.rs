//! The only writer.
//!
//! Every change of every tool comes through [`apply`]. It checks again what the tool has seen, and it is
//! where a lock is taken, a policy is asked and a journal is written. An existing file is changed in place:
//! a renamed copy would lose its mode, owner, inode and hard links.
//!
//! Each kind of change has a file of its own and one step that decides: before it, what was made is taken back if
//! anything fails; behind it, the change stands.

mod bytes;
mod copy;
mod copy_tree;
mod create;
mod delete;
mod made;
mod relocate;
mod splice;
mod stream;

use self::made::Made;
use crate::changes::{Change, Changes, Seen};
use crate::contract::types::Note;
use crate::descent;
use crate::error::{Failure, Reason};
use crate::namespace::Namespace;
use crate::resolve::Place;
use crate::volume::{Access, Fault, Volume};

/// Carries out the changes of one call: all of them, or, as far as that can be, none. What only shows meanwhile comes
/// back as notes.
pub fn apply<V: Volume>(namespace: &Namespace<V>, changes: Changes<V>) -> Result<Vec<Note>, Failure> {
    let mut run = Run { namespace, made: Made::default(), lasting: None, notes: Vec::new() };
    for change in changes.0 {
        if let Err(failure) = run.carry_out(change) {
            run.made.take_back();
            return Err(match run.lasting {
                None => failure,
                Some((done, count)) => {
                    let why = Box::new(failure.reason);
                    Failure { reason: Reason::Partly { done, count, why }, path: failure.path }
                }
            });
        }
    }
    Ok(run.notes)
}

/// The changes of one call, as far as they have come.
struct Run<'a, V: Volume> {
    namespace: &'a Namespace<V>,
    /// What can be taken back.
    made: Made<'a, V>,
    /// What was done to files that cannot be taken back, and how often.
    lasting: Option<(&'static str, u64)>,
    notes: Vec<Note>,
}

impl<'a, V: Volume> Run<'a, V> {
    fn carry_out(&mut self, change: Change<V>) -> Result<(), Failure> {
        match change {
            Change::Create { place, content } => {
                let volume = self.writable(&place)?;
                create::create(volume, &mut self.made, &place, &content)
                    .map_err(|reason| reason.at(place.asked()))
            }
            Change::Splice { place, seen, offset, old, new } => {
                let volume = self.writable(&place)?;
                splice::splice(volume, &place, seen, offset, &old, &new)
                    .map_err(|reason| reason.at(place.asked()))
            }
            Change::CreateDirectory { place } => {
                let volume = self.writable(&place)?;
                create::create_directory(volume, &mut self.made, &place)
                    .map_err(|reason| reason.at(place.asked()))
            }
            Change::Copy { source, seen, etag, destination, overwritten } => {
                let from = source.volume(self.namespace);
                let to = self.writable(&destination)?;
                let copy = copy::Copy { from, source: &source, seen, etag: etag.as_deref() };
                match overwritten {
                    None => copy.create(to, &mut self.made, &destination),
                    Some(seen) => {
                        copy.overwrite(to, &destination, seen)?;
                        self.lasts("overwritten", 1);
                        Ok(())
                    }
                }
            }
            Change::CopyTree { source, census, destination } => {
                let from = source.volume(self.namespace);
                let to = self.writable(&destination)?;
                copy_tree::copy_tree(from, &source, census, to, &mut self.made, &destination)
            }
            Change::Move { source, seen, destination, replaced, across } => {
                let from = self.writable(&source)?;
                let to = self.writable(&destination)?;
                let relocation = relocate::Relocation {
                    from,
                    source: &source,
                    seen,
                    to,
                    destination: &destination,
                    replaced,
                };
                let note = relocation.run(&mut self.made, across)?;
                self.notes.extend(note);
                Ok(())
            }
            Change::Delete { place, seen } => {
                let volume = self.writable(&place)?;
                delete::delete(volume, &place, seen).map_err(|reason| reason.at(place.asked()))?;
                self.lasts("deleted", 1);
                Ok(())
            }
            Change::DeleteTree { place, directory, empty } => {
                let volume = self.writable(&place)?;
                delete::delete_tree(volume, &place, directory, empty)
            }
        }
    }

    fn lasts(&mut self, done: &'static str, count: u64) {
        let (_, so_far) = self.lasting.unwrap_or((done, 0));
        self.lasting = Some((done, so_far + count));
    }

    fn writable(&self, place: &Place<V>) -> Result<&'a V, Failure> {
        match place.access(self.namespace) {
            Access::Write => Ok(place.volume(self.namespace)),
            Access::Read => Err(Reason::ReadOnlyGrant.at(place.asked())),
        }
    }
}

/// The directory that holds the name of a place that is there.
fn holding<V: Volume>(volume: &V, place: &Place<V>) -> Result<V::Directory, Fault> {
    descent::open(volume, place.directory(), place.parents())
}

/// Refuses a name that stands for something else than it did.
fn require<V: Volume>(volume: &V, directory: &V::Directory, name: &str, seen: &Seen) -> Result<(), Reason> {
    if is_still(volume, directory, name, seen)? { Ok(()) } else { Err(Reason::Changed) }
}

/// True if a name stands for what it did.
fn is_still<V: Volume>(
    volume: &V,
    directory: &V::Directory,
    name: &str,
    seen: &Seen,
) -> Result<bool, Reason> {
    match (volume.stat(directory, name), volume.identity_at(directory, name)) {
        (Ok(stat), Ok(identity)) => Ok(seen.is_still(&stat, identity)),
        (Err(Fault::NotFound), _) | (_, Err(Fault::NotFound)) => Ok(false),
        (Err(fault), _) | (_, Err(fault)) => Err(fault.writing()),
    }
}

/// Refuses a name that stands for something.
fn require_free<V: Volume>(volume: &V, directory: &V::Directory, name: &str) -> Result<(), Reason> {
    match volume.stat(directory, name) {
        Err(Fault::NotFound) => Ok(()),
        Ok(_) => Err(Reason::Exists),
        Err(fault) => Err(fault.writing()),
    }
}

/// A name that nobody else has.
fn temporary<V: Volume>(volume: &V) -> String {
    format!(".fsgate-{:032x}", volume.random())
}
