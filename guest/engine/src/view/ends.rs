//! What is copied, moved and deleted, and where it may go.

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
use fsgate_error::{Failure, Reason};
use fsgate_journal::tree_walk::{self, Census, PathRoom, Stopped, TreeVisitor, VisitedDirectory, walk};
use fsgate_text::similar::is_twin;
use fsgate_volume::Seen;
use fsgate_volume::{Access, Fault, Kind, Listed, Stat, Volume};

/// Something that a name stands for; a link is itself.
pub enum Owned<V: Volume> {
    /// A directory.
    Directory(Folder<V>),
    /// Anything else.
    Name(Place<V>, Stat),
}

/// Where something may go.
pub enum Vacancy<V: Volume> {
    /// Nothing is there yet.
    Free(Place<V>),
    /// In the place of this, which is no directory.
    Taken(Place<V>, Stat),
}

impl<V: Volume> View<'_, V> {
    /// Checks `if_match` of the thing that a path names itself: a file, or something without content.
    pub fn require_state(&self, path: &str, stat: &Stat, if_match: Option<&str>) -> Result<(), Failure> {
        match if_match {
            Some(wanted) if stat.kind == Kind::File && wanted != "*" => {
                let file = self.open(path)?;
                precondition::check(&file, if_match, || file.strong_tag())
            }
            _ => precondition::check_no_file(path, if_match),
        }
    }

    /// What a path stands for, to be moved or deleted.
    pub fn own(&self, path: &str) -> Result<Owned<V>, Failure> {
        match resolve(self.namespace, path, LastLink::Own)? {
            Target::Virtual(..) => Err(self.not_granted(path)),
            Target::Absent(place) => Err(self.not_found(&place)),
            Target::Directory(folder) => Ok(Owned::Directory(folder)),
            Target::Entry(place, stat) => Ok(Owned::Name(place, stat)),
        }
    }

    /// A directory to be copied or looked through. A link is followed.
    pub fn folder(&self, path: &str) -> Result<Option<Folder<V>>, Failure> {
        match resolve(self.namespace, path, LastLink::Follow)? {
            Target::Virtual(..) => Err(self.not_granted(path)),
            Target::Directory(folder) => Ok(Some(folder)),
            Target::Entry(..) => Ok(None),
            Target::Absent(place) => Err(self.not_found(&place)),
        }
    }

    /// A place for something with this name. A directory that is there already, or a link to one,
    /// is refused and not gone into. `last` says what any other link means.
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

    /// True for the path of this directory, of one in it, or of a free place in it. The directory
    /// can go to none of them.
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
        identity.map_err(|fault| Reason::reading(fault).at(asked))
    }

    /// A directory to put files into, or the place for it.
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

    /// A directory, or the place for it: none if it is there.
    pub fn new_directory(&self, path: &str, parents: bool) -> Result<Result<String, Place<V>>, Failure> {
        match resolve(self.namespace, path, LastLink::Keep)? {
            Target::Virtual(..) => Err(self.not_granted(path)),
            Target::Directory(folder) => Ok(Ok(folder.shown().to_owned())),
            Target::Absent(place) => self.room(place, parents).map(Err),
            // A link to a directory is as good as one.
            Target::Entry(_, stat) if stat.kind == Kind::Link => {
                match resolve(self.namespace, path, LastLink::Follow)? {
                    Target::Directory(folder) => Ok(Ok(folder.shown().to_owned())),
                    _ => Err(Reason::FileInTheWay.at(path)),
                }
            }
            Target::Entry(..) => Err(Reason::FileInTheWay.at(path)),
        }
    }

    /// A place where something can be made; a directory as well as a file.
    pub(super) fn room(&self, place: Place<V>, parents: bool) -> Result<Place<V>, Failure> {
        self.require_literal(&place)?;
        if !parents && !place.parents().is_empty() {
            return Err(self.not_found(&place));
        }
        self.require_write(&place)?;
        Ok(place)
    }

    /// Refuses a new place whose path begins as a shell writes one: nothing has its first name.
    fn require_literal(&self, place: &Place<V>) -> Result<(), Failure> {
        let Some((beginning, meant)) = beginning(place.asked()) else { return Ok(()) };
        let is_first = |asked: Segments| asked.names.len() == place.parents().len() + 1;
        if !Segments::parse(place.asked()).is_ok_and(is_first) {
            return Ok(());
        }
        let (meant, start) = (meant.into_owned(), self.absolute(""));
        Err(Reason::NotLiteral { beginning, meant, start }.at(place.asked()))
    }

    /// Refuses a place that can only be a directory's.
    pub fn require_file(&self, place: &Place<V>) -> Result<(), Failure> {
        if place.directory_required() {
            return Err(Reason::InvalidPath(PathProblem::NamesDirectory).at(place.asked()));
        }
        Ok(())
    }

    /// Refuses a place that is granted for reading only.
    pub fn require_writable(&self, place: &Place<V>) -> Result<(), Failure> {
        self.require_write(place)
    }

    /// Refuses what the policy does not let be done with a name, for whoever says something of it that no plan says.
    pub(crate) fn permit(&self, place: &Place<V>, kind: Kind, wanted: NameUse) -> Result<(), Failure> {
        permit_name(self.namespace, place, kind == Kind::Directory, wanted)
    }

    /// Refuses a directory that is granted for reading only.
    pub fn require_writable_folder(&self, folder: &Folder<V>, asked: &str) -> Result<(), Failure> {
        match folder.access(self.namespace) {
            Access::Write => Ok(()),
            Access::Read => Err(Reason::ReadOnlyGrant.at(asked)),
        }
    }

    /// True if two places lie in one grant, or in two of one directory.
    pub fn shares_grant(&self, one: &Place<V>, other: &Place<V>) -> Result<bool, Failure> {
        one.shares_grant(self.namespace, other).map_err(|fault| Reason::reading(fault).at(one.asked()))
    }

    /// True if the way to a place leads through the directory with this identity.
    pub fn passes(&self, place: &Place<V>, identity: u128) -> Result<bool, Failure> {
        place.passes(self.namespace, identity).map_err(|fault| Reason::reading(fault).at(place.asked()))
    }

    /// True if two places are one and the same name.
    pub fn is_one_name(&self, one: &Place<V>, other: &Place<V>) -> Result<bool, Failure> {
        let directory = |place: &Place<V>| {
            let volume = place.volume(self.namespace);
            let directory = volume.directory_identity(place.directory());
            directory.map_err(|fault| Reason::reading(fault).at(place.asked()))
        };
        Ok(one.name() == other.name() && directory(one)? == directory(other)?)
    }

    /// The note about a new name that is hardly meant: one beside it differs in letter case or
    /// normal form alone, or a grant has it. `but` is the path of a name that goes.
    pub fn unlikely_name(&self, place: &Place<V>, but: Option<&str>) -> Option<Note> {
        match self.twin(place).filter(|twin| Some(&**twin) != but) {
            Some(twin) => Some(notes::twin(&twin)),
            None => self.below_grant(place).map(|meant| notes::name_of_grant(&meant)),
        }
    }

    /// The path in a grant that a new path means which repeats the name of the grant.
    fn below_grant(&self, place: &Place<V>) -> Option<String> {
        let grants = self.namespace.grant_names();
        if !grants.iter().any(|grant| grant == place.directory_path()) {
            return None;
        }
        let meant = grants.iter().find_map(|grant| below_own_name(grant, place.asked()));
        meant.filter(|meant| meant != place.shown())
    }

    /// The path of a name beside a new one that differs in letter case or normal form alone. The new
    /// name is that of the first directory that is missing, if there is one. Only the first names of a
    /// large directory are compared.
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
        // A directory that cannot be listed tells nothing.
        listed.ok().and(twin).map(|name| join(place.directory_path(), &name))
    }

    /// True if a directory has exactly this name in it, not only another spelling of it.
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
            .map_err(|fault| Reason::reading(fault).at(place.asked()))?;
        Ok(listed)
    }

    /// Number of names in a directory.
    pub fn entries_in(&self, folder: &Folder<V>, asked: &str) -> Result<u64, Failure> {
        let mut entries = 0;
        folder
            .volume(self.namespace)
            .each_entry(folder.handle(), &mut |_| {
                entries += 1;
                ControlFlow::Continue(())
            })
            .map_err(|fault| Reason::reading(fault).at(asked))?;
        Ok(entries)
    }

    /// Who stands at a place.
    pub fn seen(&self, place: &Place<V>, stat: Stat) -> Result<Seen, Failure> {
        let volume = place.volume(self.namespace);
        let identity = tree_walk::open(volume, place.directory(), place.parents())
            .and_then(|directory| volume.identity_at(&directory, place.name()))
            .map_err(|fault| Reason::reading(fault).at(place.asked()))?;
        Ok(Seen { stat, identity })
    }

    /// What stands at a place below a folder, on plain directories all the way; none if nothing does.
    pub fn below(&self, place: &Place<V>) -> Result<Option<Stat>, Failure> {
        // What is in the way of something hidden is not told: it is refused like a new one.
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
        match volume.stat(&directory, place.name()) {
            Err(Fault::NotFound) => Ok(None),
            found => found.map(Some).map_err(there),
        }
    }

    /// The place of a path below a folder that was asked for as `asked`.
    pub fn place_below(&self, folder: &Folder<V>, asked: &str, path: &str) -> Result<Place<V>, Failure> {
        let first = path.split('/').next().unwrap_or(path);
        if folder.shown_nodes(self.namespace).iter().any(|node| node == first) {
            return Err(Reason::InvalidPath(PathProblem::HoldsGrant).at(asked));
        }
        folder.below(self.namespace, asked, path).map_err(|reason| reason.at(asked))
    }

    /// The same below a place where a directory is to be made.
    pub fn place_below_new(&self, place: &Place<V>, path: &str) -> Result<Place<V>, Failure> {
        place.below(self.namespace, path).map_err(|reason| reason.at(place.asked()))
    }

    /// The own name of a directory that is to be moved or deleted: not a grant's directory, nor one that holds one.
    pub fn movable<'f>(&self, folder: &'f Folder<V>, asked: &str) -> Result<&'f Place<V>, Failure> {
        let refused = |problem| Reason::InvalidPath(problem).at(asked);
        let own = folder.own().ok_or_else(|| refused(PathProblem::GrantItself))?;
        self.require_write(own)?;
        if !folder.nodes(self.namespace).is_empty() {
            return Err(refused(PathProblem::HoldsGrant));
        }
        let roots = self.roots().map_err(|fault| Reason::reading(fault).at(asked))?;
        if roots.contains(&self.identity_of(folder, asked)?) {
            return Err(refused(PathProblem::GrantItself));
        }
        Ok(own)
    }

    /// Who the granted directories are: one may lie in another, under a name that does not tell.
    fn roots(&self) -> Result<Vec<u128>, Fault> {
        self.namespace.roots().map(|(volume, root)| volume.directory_identity(root)).collect()
    }

    /// Looks through a directory that is to be deleted with everything in it.
    pub fn census_to_delete(&self, folder: &Folder<V>, asked: &str) -> Result<Census, Failure> {
        let roots = self.roots().map_err(|fault| Reason::reading(fault).at(asked))?;
        let room = PathRoom::below(folder.resolved());
        self.census(folder, asked, room, &roots, PathProblem::HoldsGrant)
    }

    /// The same with the sizes of the files, for a directory that was made and is to be there no more.
    pub(crate) fn census_to_undo(&self, folder: &Folder<V>, asked: &str) -> Result<Census, Failure> {
        self.movable(folder, asked)?;
        let roots = self.roots().map_err(|fault| Reason::reading(fault).at(asked))?;
        let room = PathRoom::below(folder.resolved());
        self.census(folder, asked, room, &roots, PathProblem::HoldsGrant)
    }

    /// Looks through a directory that is to be copied to a place. A walk that meets the directory
    /// of this place refuses it, also if another grant leads there.
    pub fn census_to_copy(
        &self,
        folder: &Folder<V>,
        asked: &str,
        destination: &Place<V>,
    ) -> Result<Census, Failure> {
        let room = PathRoom::below(folder.resolved()).and(PathRoom::below(destination.resolved()));
        let into = destination.volume(self.namespace).directory_identity(destination.directory());
        let into = into.map_err(|fault| Reason::reading(fault).at(destination.asked()))?;
        self.census(folder, asked, room, &[into], PathProblem::GrantItself).map_err(|failure| {
            match failure.reason {
                // The only directory that is refused is the one that holds the destination.
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
        let mut looking = Looking { volume, room, refused, problem, census: Census::default() };
        walk(volume, folder.handle().clone(), &mut looking)
            .map_err(|Stopped { reason, path }| reason.at(below(asked, &path)))?;
        Ok(looking.census)
    }
}

/// Counts what is in a tree, and finds what is in the way.
struct Looking<'a, V> {
    volume: &'a V,
    room: PathRoom,
    /// Directories that must not be met, and what is wrong if they are.
    refused: &'a [u128],
    problem: PathProblem,
    census: Census,
}

impl<V: Volume> TreeVisitor<V> for Looking<'_, V> {
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
