//! What a path is about, told so that two paths of one file are seen to be of one.

use super::View;
use crate::permission::Wanted;
use crate::resolve::{LastLink, Place, SharedHandles, Target, resolve};
use fsgate_error::{Failure, Reason};
use fsgate_volume::Volume;

/// A file, or a name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Subject {
    /// Something that is there, by who it is, whatever it is called.
    Thing(u128),
    /// A name, or a path of names that are not there yet, in the directory with this identity.
    Name(u128, String),
}

impl<V: Volume> View<'_, V> {
    /// The file at a path that is to be changed, or the place where it would be made. Links are followed.
    pub fn subject(&self, path: &str) -> Result<Subject, Failure> {
        match resolve(self.namespace, path, LastLink::Follow)? {
            Target::Virtual(..) => Err(self.not_granted(path)),
            Target::Directory(_) => Err(Reason::IsDirectory.at(path)),
            Target::Entry(place, stat) => {
                self.require_write(&place)?;
                // Before anybody is told what else is the same file.
                self.permit(&place, stat.kind, Wanted::Read)?;
                Ok(Subject::Thing(self.seen(&place, stat)?.identity))
            }
            Target::Absent(place) => self.named(&place),
        }
    }

    /// What a path names itself, and its name: a link is not followed. None if there is nothing that has or could have one.
    pub fn own_subjects(&self, path: &str) -> Vec<Subject> {
        let (place, stat) = match resolve(self.namespace, path, LastLink::Own) {
            Ok(Target::Entry(place, stat)) => (place, Some(stat)),
            Ok(Target::Absent(place)) => (place, None),
            _ => return Vec::new(),
        };
        // What may not be read is refused for that, and nothing is told of it.
        let stat = stat.filter(|stat| self.permit(&place, stat.kind, Wanted::Read).is_ok());
        let thing =
            stat.and_then(|stat| self.seen(&place, stat).ok()).map(|seen| Subject::Thing(seen.identity));
        thing.into_iter().chain(self.named(&place).ok()).collect()
    }

    fn named(&self, place: &Place<V>) -> Result<Subject, Failure> {
        let volume = place.volume(self.namespace);
        let directory = volume.directory_identity(place.directory());
        let directory = directory.map_err(|fault| Reason::reading(fault).at(place.asked()))?;
        let names: Vec<_> = place.parents().iter().map(String::as_str).chain([place.name()]).collect();
        Ok(Subject::Name(directory, names.join("/")))
    }

    /// Lets a place hold its directory together with others of the call.
    pub fn share_handle(&self, place: &mut Place<V>, shared: &mut SharedHandles<V>) -> Result<(), Failure> {
        let done = place.share_handle(self.namespace, shared);
        done.map_err(|fault| Reason::reading(fault).at(place.asked()))
    }
}
