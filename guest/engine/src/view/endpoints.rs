//! Sources and destinations of copies, moves and deletions.

use std::ops::ControlFlow;

use super::View;
use crate::authorize::{NameUse, permit_name};
use crate::file::precondition;
use crate::notes;
use crate::resolve::{Folder, LastLink, Place, Target, resolve};
use fsgate_contract::limits::TWIN_NAMES;
use fsgate_contract::path::PathProblem;
use fsgate_contract::path::spelling::{beginning, below_own_name};
use fsgate_contract::path::{Segments, below, join};
use fsgate_contract::types::Note;
use fsgate_error::{Failure, FaultAt, Reason};
use fsgate_journal::tree_walk::{self, Census, PathRoom, Stopped, TreeVisitor, VisitedDirectory, walk};
use fsgate_text::similar::is_twin;
use fsgate_volume::Seen;
use fsgate_volume::answers::existing;
use fsgate_volume::{Access, Fault, Kind, Listed, Stat, Volume};

/// The object of a name. A link is itself.
pub enum Owned<V: Volume> {
    /// A directory.
    Directory(Folder<V>),
    /// Anything else.
    Name(Place<V>, Stat),
}

/// A destination.
pub enum Vacancy<V: Volume> {
    /// A free place.
    Free(Place<V>),
    /// An existing object, which is no directory.
    Taken(Place<V>, Stat),
}

impl<V: Volume> View<'_, V> {
    /// Checks `if_match` of the object of a path, which may have no content.
    pub fn require_state(&self, path: &str, stat: &Stat, if_match: Option<&str>) -> Result<(), Failure> {
        match if_match {
            Some(wanted) if stat.kind == Kind::File && wanted != "*" => {
                self.open(path)?.expected(if_match).require_expected_state()
            }
            _ => precondition::check_no_file(path, if_match),
        }
    }

    /// The object to move or delete.
    pub fn own(&self, path: &str) -> Result<Owned<V>, Failure> {
        match resolve(self.namespace, path, LastLink::Own)? {
            Target::Virtual(..) => Err(self.not_granted(path)),
            Target::Absent(place) => Err(self.not_found(&place)),
            Target::Directory(folder) => Ok(Owned::Directory(folder)),
            Target::Entry(place, stat) => Ok(Owned::Name(place, stat)),
        }
    }

    /// The directory to copy or search, after links. None for other objects.
    pub fn folder(&self, path: &str) -> Result<Option<Folder<V>>, Failure> {
        match resolve(self.namespace, path, LastLink::Follow)? {
            Target::Virtual(..) => Err(self.not_granted(path)),
            Target::Directory(folder) => Ok(Some(folder)),
            Target::Entry(..) => Ok(None),
            Target::Absent(place) => Err(self.not_found(&place)),
        }
    }

    /// The destination for an object with this name. Refuses a directory or a link to one. `last`
    /// is for other links.
    pub fn vacancy(
        &self,
        path: &str,
        last: LastLink,
        parents: bool,
        name: &str,
    ) -> Result<Vacancy<V>, Failure> {
        let target = resolve(self.namespace, path, last);
        let is_link = match &target {
            Ok(Target::Entry(_, stat)) => stat.kind == Kind::Link,
            Ok(_) => false,
            Err(failure) => matches!(failure.reason, Reason::InvalidPath(PathProblem::SlashBehindLink)),
        };
        let followed = if is_link { resolve(self.namespace, path, LastLink::Follow).ok() } else { None };
        match (target, followed) {
            (Ok(Target::Directory(_)), _) | (_, Some(Target::Directory(_))) => {
                Err(Reason::DestinationIsDirectory { meant: below(path, name), refused: None }.at(path))
            }
            (Ok(Target::Virtual(..)), _) => Err(self.not_granted(path)),
            (Ok(Target::Entry(place, stat)), _) => {
                self.require_write(&place)?;
                Ok(Vacancy::Taken(place, stat))
            }
            (Ok(Target::Absent(place)), _) => self.room(place, parents).map(Vacancy::Free),
            (Err(failure), _) => Err(failure),
        }
    }

    /// True for the path of this directory, or inside of it: it cannot go there.
    pub fn is_within(&self, path: &str, directory: u128) -> Result<bool, Failure> {
        match resolve(self.namespace, path, LastLink::Own) {
            Ok(Target::Directory(there)) => {
                let is_it = self.identity_of(&there, path)? == directory;
                Ok(is_it || there.own().map_or(Ok(false), |own| self.passes(own, directory))?)
            }
            Ok(Target::Absent(place)) => self.passes(&place, directory),
            Ok(Target::Virtual(..) | Target::Entry(..)) | Err(_) => Ok(false),
        }
    }

    /// The identity of an open directory.
    pub fn identity_of(&self, folder: &Folder<V>, asked: &str) -> Result<u128, Failure> {
        let identity = folder.volume(self.namespace).directory_identity(folder.handle());
        identity.reading_at(asked)
    }

    /// The directory for files, or its free place.
    pub fn destination(&self, path: &str, parents: bool) -> Result<Result<Folder<V>, Place<V>>, Failure> {
        match resolve(self.namespace, path, LastLink::Follow)? {
            Target::Virtual(..) => Err(self.not_granted(path)),
            Target::Entry(..) => Err(Reason::NotDirectory.at(path)),
            Target::Directory(folder) => match folder.access(self.namespace) {
                Access::Write => Ok(Ok(folder)),
                Access::Read => Err(Reason::ReadOnlyGrant.at(path)),
            },
            Target::Absent(place) => self.room(place, parents).map(Err),
        }
    }

    /// The path of an existing directory, or its free place.
    pub fn new_directory(&self, path: &str, parents: bool) -> Result<Result<String, Place<V>>, Failure> {
        match resolve(self.namespace, path, LastLink::Keep)? {
            Target::Virtual(..) => Err(self.not_granted(path)),
            Target::Directory(folder) => Ok(Ok(folder.shown().to_owned())),
            Target::Absent(place) => self.room(place, parents).map(Err),
            // A link to a directory counts as one.
            Target::Entry(link, stat) if stat.kind == Kind::Link => {
                match resolve(self.namespace, path, LastLink::Follow)? {
                    Target::Directory(folder) => Ok(Ok(folder.shown().to_owned())),
                    Target::Absent(_) => Err(Reason::LinkInTheWay(self.target(&link)).at(path)),
                    _ => Err(Reason::FileInTheWay.at(path)),
                }
            }
            Target::Entry(..) => Err(Reason::FileInTheWay.at(path)),
        }
    }

    pub(super) fn room(&self, place: Place<V>, parents: bool) -> Result<Place<V>, Failure> {
        self.require_literal(&place)?;
        if !parents && !place.parents().is_empty() {
            return Err(self.not_found(&place));
        }
        self.require_write(&place)?;
        Ok(place)
    }

    /// Refuses a new path that begins as a shell writes one.
    fn require_literal(&self, place: &Place<V>) -> Result<(), Failure> {
        let Some((beginning, meant)) = beginning(place.asked()) else { return Ok(()) };
        let is_first = |asked: Segments| asked.names.len() == place.parents().len() + 1;
        if !Segments::parse(place.asked()).is_ok_and(is_first) {
            return Ok(());
        }
        let (meant, start) = (meant.into_owned(), self.absolute(""));
        Err(Reason::NotLiteral { beginning, meant, start }.at(place.asked()))
    }

    /// Refuses a path that names a directory.
    pub fn require_file(&self, place: &Place<V>) -> Result<(), Failure> {
        if place.directory_required() {
            return Err(Reason::InvalidPath(PathProblem::NamesDirectory).at(place.asked()));
        }
        Ok(())
    }

    /// Refuses a read-only grant.
    pub fn require_writable(&self, place: &Place<V>) -> Result<(), Failure> {
        self.require_write(place)
    }

    /// Refuses a denied access, where no change asks for it.
    pub(crate) fn permit(&self, place: &Place<V>, kind: Kind, wanted: NameUse) -> Result<(), Failure> {
        permit_name(self.namespace, place, kind == Kind::Directory, wanted)
    }

    /// Refuses a read-only grant.
    pub fn require_writable_folder(&self, folder: &Folder<V>, asked: &str) -> Result<(), Failure> {
        match folder.access(self.namespace) {
            Access::Write => Ok(()),
            Access::Read => Err(Reason::ReadOnlyGrant.at(asked)),
        }
    }

    /// True if two places are the same name.
    pub fn shares_grant(&self, one: &Place<V>, other: &Place<V>) -> Result<bool, Failure> {
        one.shares_grant(self.namespace, other).reading_at(one.asked())
    }

    /// True if a place is below the directory with this identity.
    pub fn passes(&self, place: &Place<V>, identity: u128) -> Result<bool, Failure> {
        place.passes(self.namespace, identity).reading_at(place.asked())
    }

    /// True if two places are one and the same name.
    pub fn is_one_name(&self, one: &Place<V>, other: &Place<V>) -> Result<bool, Failure> {
        let directory = |place: &Place<V>| {
            let volume = place.volume(self.namespace);
            let directory = volume.directory_identity(place.directory());
            directory.reading_at(place.asked())
        };
        Ok(one.name() == other.name() && directory(one)? == directory(other)?)
    }

    /// The note about a probable mistake in a new name. `but` is a path that goes away.
    pub fn unlikely_name(&self, place: &Place<V>, but: Option<&str>) -> Option<Note> {
        match self.twin(place).filter(|twin| Some(&**twin) != but) {
            Some(twin) => Some(notes::twin(&twin)),
            None => self.below_grant(place).map(|meant| notes::name_of_grant(&meant)),
        }
    }

    fn below_grant(&self, place: &Place<V>) -> Option<String> {
        let grants = self.namespace.grant_names();
        if !grants.iter().any(|grant| grant == place.directory_path()) {
            return None;
        }
        let meant = grants.iter().find_map(|grant| below_own_name(grant, place.asked()));
        meant.filter(|meant| meant != place.shown())
    }

    /// The path of a similar existing name, among a limited number of names.
    fn twin(&self, place: &Place<V>) -> Option<String> {
        let new = place.parents().first().map_or(place.name(), String::as_str);
        let (mut twin, mut looked_at) = (None, 0);
        let listed = place.volume(self.namespace).each_entry(place.directory(), &mut |entry| {
            if let Listed::Name(name, _) = entry
                && is_twin(name, new)
            {
                twin = Some(name.to_owned());
            }
            looked_at += 1;
            let goes_on = twin.is_none() && looked_at < TWIN_NAMES;
            if goes_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        // An unlistable directory has no similar names.
        listed.ok().and(twin).map(|name| join(place.directory_path(), &name))
    }

    /// True if the directory lists exactly this spelling.
    pub fn is_listed(&self, place: &Place<V>) -> Result<bool, Failure> {
        let mut listed = false;
        place
            .volume(self.namespace)
            .each_entry(place.directory(), &mut |entry| match entry {
                Listed::Name(name, _) if name == place.name() => {
                    listed = true;
                    ControlFlow::Break(())
                }
                _ => ControlFlow::Continue(()),
            })
            .reading_at(place.asked())?;
        Ok(listed)
    }

    /// The number of names in a directory.
    pub fn entries_in(&self, folder: &Folder<V>, asked: &str) -> Result<u64, Failure> {
        let mut entries = 0;
        folder
            .volume(self.namespace)
            .each_entry(folder.handle(), &mut |_| {
                entries += 1;
                ControlFlow::Continue(())
            })
            .reading_at(asked)?;
        Ok(entries)
    }

    /// The identity of the object at a place.
    pub fn seen(&self, place: &Place<V>, stat: Stat) -> Result<Seen, Failure> {
        let volume = place.volume(self.namespace);
        let identity = tree_walk::open(volume, place.directory(), place.parents())
            .and_then(|directory| volume.identity_at(&directory, place.name()))
            .reading_at(place.asked())?;
        Ok(Seen { stat, identity })
    }

    /// The object at a place below a folder, if all directories on the path are plain.
    pub fn below(&self, place: &Place<V>) -> Result<Option<Stat>, Failure> {
        // Refuse a hidden name like a new one, so that it stays unknown.
        if place.is_hidden(self.namespace) {
            return Ok(None);
        }
        let volume = place.volume(self.namespace);
        let there = |fault: Fault| Reason::reading(fault).at(place.asked());
        let mut directory = place.directory().clone();
        for name in place.parents() {
            match volume.stat(&directory, name) {
                Err(Fault::NotFound) => return Ok(None),
                Err(fault) => return Err(there(fault)),
                Ok(Stat { kind: Kind::Directory, .. }) => {}
                Ok(Stat { kind: Kind::Link, .. }) => return Err(Reason::PathEscape.at(place.asked())),
                Ok(_) => return Err(Reason::NotDirectory.at(place.asked())),
            }
            directory = volume.open_directory(&directory, name).map_err(there)?;
        }
        existing(volume.stat(&directory, place.name())).map_err(there)
    }

    /// The place of a path below a folder.
    pub fn place_below(&self, folder: &Folder<V>, asked: &str, path: &str) -> Result<Place<V>, Failure> {
        let first = path.split('/').next().unwrap_or(path);
        if folder.shown_nodes(self.namespace).iter().any(|node| node == first) {
            return Err(Reason::InvalidPath(PathProblem::HoldsGrant).at(asked));
        }
        folder.below(self.namespace, asked, path).map_err(|reason| reason.at(asked))
    }

    /// The same below a free place for a directory.
    pub fn place_below_new(&self, place: &Place<V>, path: &str) -> Result<Place<V>, Failure> {
        place.below(self.namespace, path).map_err(|reason| reason.at(place.asked()))
    }

    /// The name of a directory to move or delete. Refuses a grant's directory, and one above a
    /// grant.
    pub fn movable<'f>(&self, folder: &'f Folder<V>, asked: &str) -> Result<&'f Place<V>, Failure> {
        let refused = |problem| Reason::InvalidPath(problem).at(asked);
        let own = folder.own().ok_or_else(|| refused(PathProblem::GrantItself))?;
        self.require_write(own)?;
        if !folder.nodes(self.namespace).is_empty() {
            return Err(refused(PathProblem::HoldsGrant));
        }
        let roots = self.roots().reading_at(asked)?;
        if roots.contains(&self.identity_of(folder, asked)?) {
            return Err(refused(PathProblem::GrantItself));
        }
        Ok(own)
    }

    /// The identities of all grants: one may be inside of another.
    fn roots(&self) -> Result<Vec<u128>, Fault> {
        self.namespace.roots().map(|(volume, root)| volume.directory_identity(root)).collect()
    }

    /// Counts a directory to delete with its contents.
    pub fn census_to_delete(&self, folder: &Folder<V>, asked: &str) -> Result<Census, Failure> {
        let roots = self.roots().reading_at(asked)?;
        let room = PathRoom::below(folder.resolved());
        self.census(folder, asked, room, &roots, PathProblem::HoldsGrant)
    }

    /// The same with file sizes, to undo the creation of a directory.
    pub(crate) fn census_to_undo(&self, folder: &Folder<V>, asked: &str) -> Result<Census, Failure> {
        self.movable(folder, asked)?;
        let roots = self.roots().reading_at(asked)?;
        let room = PathRoom::below(folder.resolved());
        self.census(folder, asked, room, &roots, PathProblem::HoldsGrant)
    }

    /// Counts a directory to copy, which must not contain the destination.
    pub fn census_to_copy(
        &self,
        folder: &Folder<V>,
        asked: &str,
        destination: &Place<V>,
    ) -> Result<Census, Failure> {
        let room = PathRoom::below(folder.resolved()).and(PathRoom::below(destination.resolved()));
        let into = destination.volume(self.namespace).directory_identity(destination.directory());
        let into = into.reading_at(destination.asked())?;
        self.census(folder, asked, room, &[into], PathProblem::GrantItself).map_err(|failure| {
            match failure.reason {
                // Only the destination's directory is refused.
                Reason::InvalidPath(PathProblem::GrantItself) => Reason::IntoItself.at(destination.asked()),
                _ => failure,
            }
        })
    }

    fn census(
        &self,
        folder: &Folder<V>,
        asked: &str,
        room: PathRoom,
        refused: &[u128],
        problem: PathProblem,
    ) -> Result<Census, Failure> {
        let volume = folder.volume(self.namespace);
        let mut looking = CensusVisitor { volume, room, refused, problem, census: Census::default() };
        walk(volume, folder.handle().clone(), &mut looking)
            .map_err(|Stopped { reason, path }| reason.at(below(asked, &path)))?;
        Ok(looking.census)
    }
}

struct CensusVisitor<'a, V> {
    volume: &'a V,
    room: PathRoom,
    refused: &'a [u128],
    problem: PathProblem,
    census: Census,
}

impl<V: Volume> TreeVisitor<V> for CensusVisitor<'_, V> {
    fn enter(&mut self, here: &VisitedDirectory<V>, _: &str) -> Result<(), Reason> {
        self.room.holds(here.path)?;
        self.census.count(Kind::Directory);
        let identity = self.volume.directory_identity(here.directory).map_err(Reason::reading)?;
        if self.refused.contains(&identity) { Err(Reason::InvalidPath(self.problem)) } else { Ok(()) }
    }

    fn entry(&mut self, here: &VisitedDirectory<V>, name: &str, kind: Kind) -> Result<(), Reason> {
        self.room.holds(&here.path_of(name))?;
        self.census.count(kind);
        if kind == Kind::File {
            self.census.bytes += self.volume.stat(here.directory, name).map_err(Reason::reading)?.size;
        }
        Ok(())
    }

    fn unreachable(&mut self, _: &VisitedDirectory<V>, count: u64) -> Result<(), Reason> {
        Err(Reason::Unreachable(count))
    }
}
