//! The identity of the file that a path names, equal for all of its paths.

use super::View;
use crate::authorize::NameUse;
use crate::resolve::{LastLink, Place, SharedHandles, Target, resolve};
use fsgate_error::{Failure, FaultAt, Reason};
use fsgate_volume::Volume;

/// The file or free name of a path.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileIdentity {
    /// The identity of an existing object.
    Object(u128),
    /// A missing path in the directory with this identity.
    Name(u128, String),
}

impl<V: Volume> View<'_, V> {
    /// The file to change, or the place to make it. Links are followed.
    pub fn file_identity(&self, path: &str) -> Result<FileIdentity, Failure> {
        match resolve(self.namespace, path, LastLink::Follow)? {
            Target::Virtual(..) => Err(self.not_granted(path)),
            Target::Directory(_) => Err(Reason::IsDirectory.at(path)),
            Target::Entry(place, stat) => {
                self.require_write(&place)?;
                // Check before the answer reveals another name of the file.
                self.permit(&place, stat.kind, NameUse::Read)?;
                Ok(FileIdentity::Object(self.seen(&place, stat)?.identity))
            }
            Target::Absent(place) => self.named(&place),
        }
    }

    /// The object of a path, and its name. Links are not followed.
    pub fn own_identities(&self, path: &str) -> Vec<FileIdentity> {
        let (place, stat) = match resolve(self.namespace, path, LastLink::Own) {
            Ok(Target::Entry(place, stat)) => (place, Some(stat)),
            Ok(Target::Absent(place)) => (place, None),
            _ => return Vec::new(),
        };
        // The call refuses an unreadable object later.
        let stat = stat.filter(|stat| self.permit(&place, stat.kind, NameUse::Read).is_ok());
        let thing = stat
            .and_then(|stat| self.seen(&place, stat).ok())
            .map(|seen| FileIdentity::Object(seen.identity));
        thing.into_iter().chain(self.named(&place).ok()).collect()
    }

    fn named(&self, place: &Place<V>) -> Result<FileIdentity, Failure> {
        let volume = place.volume(self.namespace);
        let directory = volume.directory_identity(place.directory());
        let directory = directory.reading_at(place.asked())?;
        let names: Vec<_> = place.parents().iter().map(String::as_str).chain([place.name()]).collect();
        Ok(FileIdentity::Name(directory, names.join("/")))
    }

    /// Shares the directory handle of a place with other places of the call.
    pub fn share_handle(&self, place: &mut Place<V>, shared: &mut SharedHandles<V>) -> Result<(), Failure> {
        let done = place.share_handle(self.namespace, shared);
        done.reading_at(place.asked())
    }
}
