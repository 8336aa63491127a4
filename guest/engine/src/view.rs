//! The grants as a tool sees them: files, directories, and places for changes. Nothing here writes.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::time::Duration;

use crate::file::{ChunkReader, OpenFile};
use crate::pager::cursor::WalkPosition;
use crate::resolve::{Folder, LastLink, Place, Target, resolve, resolve_to_tell};
use crate::walk::{IgnoredNames, Scope, Walk};
use fsgate_contract::id::Id;
use fsgate_contract::limits::{SUGGESTED_GRANTS, SUGGESTED_MISSES, SUGGESTION_NAMES, SUGGESTIONS};
use fsgate_contract::path::PathProblem;
use fsgate_contract::path::{self, join, spelling};
use fsgate_contract::time::rfc3339;
use fsgate_contract::types::{Entry, Kind as EntryKind, SpecialKind};
use fsgate_error::{Failure, FaultAt, Reason};
use fsgate_journal::RecoveryReport;
use fsgate_journal::namespace::{Namespace, NodeId};
use fsgate_journal::record::Record;
use fsgate_text::similar::Suggestions;
use fsgate_volume::{Access, Fault, Kind, Listed, Stat, Volume};

mod endpoints;
mod file_identity;
mod matches;
mod patterns;

pub use endpoints::{Owned, Vacancy};
pub use file_identity::FileIdentity;
pub use matches::{Choice, Matches};
pub use patterns::{Lead, Reach};

/// A read-only view of the grants.
pub struct View<'a, V: Volume> {
    namespace: &'a Namespace<V>,
    /// Missing paths that still get suggestions.
    suggesting: Cell<u32>,
    session: Id,
    /// The operator sees the history of every session.
    is_operator: bool,
    recovered: RecoveryReport,
    /// The identities of files that a write in place is changing.
    torn: BTreeSet<u128>,
}

/// The target of a write.
pub enum Slot<'a, V: Volume> {
    /// An existing file.
    File(OpenFile<'a, V>),
    /// A free place.
    Absent(Place<V>),
}

/// The object of a path.
pub enum PathObject<'a, V: Volume> {
    /// A directory of a grant.
    Directory(Directory<'a, V>),
    /// A directory above grants.
    Virtual(Virtual),
    /// Anything else.
    Named(Place<V>, Stat),
    /// Nothing, with the absolute path.
    Nothing(String),
}

/// A directory above grants.
pub struct Virtual {
    /// Its path.
    pub path: String,
    /// Its names.
    pub names: Vec<String>,
    node: NodeId,
}

/// An existing directory.
pub struct Directory<'a, V: Volume> {
    namespace: &'a Namespace<V>,
    folder: Folder<V>,
    asked: String,
}

impl<'a, V: Volume> View<'a, V> {
    /// A view of these grants.
    pub fn new(namespace: &'a Namespace<V>) -> Self {
        let (session, recovered) = (Id(0), RecoveryReport::default());
        let suggesting = Cell::new(SUGGESTED_MISSES);
        Self { namespace, suggesting, session, is_operator: false, recovered, torn: BTreeSet::new() }
    }

    /// Sets the session.
    #[must_use]
    pub fn of_session(self, session: Id, is_operator: bool) -> Self {
        Self { session, is_operator, ..self }
    }

    /// Sets the recovery before this call.
    #[must_use]
    pub fn after(self, recovered: RecoveryReport) -> Self {
        Self { recovered, ..self }
    }

    /// Refuses to open files with these identities.
    #[must_use]
    pub fn without(self, torn: BTreeSet<u128>) -> Self {
        Self { torn, ..self }
    }

    pub(crate) fn caller(&self) -> (Id, bool) {
        (self.session, self.is_operator)
    }

    pub(crate) fn is_own(&self, record: &Record) -> bool {
        record.session == self.session
    }

    pub(crate) fn recovered(&self) -> &RecoveryReport {
        &self.recovered
    }

    /// The path after links, except the last one.
    pub(crate) fn resolved(&self, path: &str) -> Result<String, Failure> {
        match resolve(self.namespace, path, LastLink::Own) {
            Ok(Target::Directory(folder)) => Ok(folder.resolved().to_owned()),
            Ok(Target::Entry(place, _) | Target::Absent(place)) => Ok(place.resolved().to_owned()),
            Ok(Target::Virtual(path, _)) => Ok(path),
            // Another object is on the path now.
            Err(Failure { reason: Reason::NotDirectory, .. }) => Ok(self.absolute(path)),
            Err(failure) => Err(failure),
        }
    }

    pub(crate) fn namespace(&self) -> &'a Namespace<V> {
        self.namespace
    }

    /// Opens an existing regular file.
    pub fn open(&self, path: &str) -> Result<OpenFile<'a, V>, Failure> {
        self.existing(path).and_then(|(place, stat)| self.open_at(place, stat))
    }

    /// Opens a file for a part or a hash, which may exceed the policy's size limit.
    pub fn open_part(&self, path: &str) -> Result<OpenFile<'a, V>, Failure> {
        let _part = self.namespace.guard().part();
        self.open(path)
    }

    /// Opens a file to change, in the expected state.
    pub fn open_for_change(&self, path: &str, if_match: Option<&str>) -> Result<OpenFile<'a, V>, Failure> {
        let (place, stat) = self.existing(path)?;
        self.require_write(&place)?;
        let file = self.open_at(place, stat)?;
        // The kernel generates its content.
        if file.stat().size == 0 && file.size() > 0 {
            return Err(file.refuse(Reason::SpecialFile(SpecialKind::Other)));
        }
        Ok(file.expected(if_match))
    }

    /// A free place. Without `parents`, its directory must exist.
    pub fn absent(&self, path: &str, parents: bool) -> Result<Place<V>, Failure> {
        match resolve(self.namespace, path, LastLink::Keep)? {
            Target::Virtual(..) => Err(self.not_granted(path)),
            Target::Directory(_) | Target::Entry(..) => Err(Reason::Exists.at(path)),
            Target::Absent(place) => self.free(place, path, parents),
        }
    }

    /// The target of a write. Links are followed.
    pub fn slot(&self, path: &str, parents: bool) -> Result<Slot<'a, V>, Failure> {
        match resolve(self.namespace, path, LastLink::Follow)? {
            Target::Virtual(..) => Err(self.not_granted(path)),
            Target::Directory(_) => Err(Reason::IsDirectory.at(path)),
            Target::Absent(place) => self.free(place, path, parents).map(Slot::Absent),
            Target::Entry(place, stat) => {
                self.require_write(&place)?;
                self.open_at(place, stat).map(Slot::File)
            }
        }
    }

    /// A directory, or one above grants.
    pub fn directory(&self, path: &str) -> Result<Result<Directory<'a, V>, Virtual>, Failure> {
        match self.look(path, LastLink::Follow)? {
            PathObject::Directory(directory) => Ok(Ok(directory)),
            PathObject::Virtual(only) => Ok(Err(only)),
            PathObject::Named(..) => Err(Reason::NotDirectory.at(path)),
            PathObject::Nothing(_) => Err(self.missing(path)),
        }
    }

    /// The names in a directory that ignore files name.
    pub fn ignored_names(&self, directory: &Directory<V>) -> IgnoredNames {
        IgnoredNames::in_folder(self.namespace, &directory.folder)
    }

    /// A walk through a directory, from its beginning or a cursor.
    pub fn walk(
        &self,
        path: &str,
        scope: Scope,
        from: Option<&WalkPosition>,
    ) -> Result<Walk<'a, V>, Failure> {
        let walk = match self.directory(path)? {
            Ok(directory) => Walk::new(self.namespace, &directory.folder, scope, from),
            Err(only) => Walk::of_virtual(self.namespace, only.node, scope, from),
        };
        walk.reading_at(path)
    }

    /// The maximum number of listed items.
    pub fn most_listed(&self, asked: u32) -> u32 {
        let most = self.namespace.guard().policy().limits().max_files;
        most.and_then(|(most, _)| u32::try_from(most).ok()).map_or(asked, |most| asked.min(most.max(1)))
    }

    /// The monotonic time.
    pub fn now(&self) -> Duration {
        self.namespace.now()
    }

    /// The object of a path.
    pub fn look(&self, path: &str, last: LastLink) -> Result<PathObject<'a, V>, Failure> {
        resolve(self.namespace, path, last).map(|target| self.thing(path, target))
    }

    /// The same for a call without content: a denied directory exists.
    pub fn tell(&self, path: &str, last: LastLink) -> Result<PathObject<'a, V>, Failure> {
        resolve_to_tell(self.namespace, path, last).map(|target| self.thing(path, target))
    }

    fn thing(&self, path: &str, target: Target<V>) -> PathObject<'a, V> {
        match target {
            Target::Virtual(path, node) => {
                PathObject::Virtual(Virtual { path, names: self.namespace.children(node), node })
            }
            Target::Directory(folder) => {
                PathObject::Directory(Directory { namespace: self.namespace, folder, asked: path.to_owned() })
            }
            Target::Entry(place, stat) => PathObject::Named(place, stat),
            Target::Absent(place) => PathObject::Nothing(place.shown().to_owned()),
        }
    }

    /// The entry of a place. `look_into` opens a file.
    pub fn entry(
        &self,
        place: Place<V>,
        stat: Stat,
        look_into: bool,
    ) -> Result<(Entry, Option<OpenFile<'a, V>>), Failure> {
        let mut entry = named(place.shown(), &stat);
        if stat.kind == Kind::Link {
            entry.target = self.target(&place);
            entry.escapes = entry.target.is_none().then_some(true);
        }
        if stat.kind != Kind::File || !look_into {
            return Ok((entry, None));
        }
        let source = self.open_at(place, stat)?;
        entry.media_type = Some(source.media_type().to_owned());
        Ok((entry, Some(source)))
    }

    /// The same for a listing, which includes unopenable files.
    pub fn listed(&self, place: Place<V>, stat: Stat, with_etag: bool) -> Entry {
        let plain = named(place.shown(), &stat);
        let Ok((mut entry, source)) = self.entry(place, stat, with_etag) else { return plain };
        entry.etag = source.and_then(|source| source.strong_tag().ok());
        entry
    }

    /// The target of a link, if it is inside the grant.
    pub fn target(&self, place: &Place<V>) -> Option<String> {
        let follow = || resolve_to_tell(self.namespace, place.shown(), LastLink::Follow);
        let inside = |target: &str| match self.namespace.guard().hides_in(follow) {
            _ if place.names_hidden(self.namespace, target) => false,
            _ if place.require_open(self.namespace).is_err() => false,
            // The target may name something hidden.
            (true, _) => false,
            (false, Ok(Target::Entry(there, _) | Target::Absent(there))) => !there.is_hidden(self.namespace),
            (false, Ok(_)) => true,
            (false, Err(failure)) => match failure.reason {
                // Only its words count.
                Reason::LinkLoop | Reason::NotFound(_) | Reason::NotDirectory => {
                    place.keeps_inside(self.namespace, target)
                }
                _ => false,
            },
        };
        let target = place.volume(self.namespace).read_link(place.directory(), place.name()).ok()?;
        Some(place.named_inside(self.namespace, target)).filter(|target| inside(target))
    }

    /// The absolute path of a missing object.
    pub fn absolute(&self, path: &str) -> String {
        let path = &*spelling::decoded(path).unwrap_or(path.into());
        let start = self.namespace.start().filter(|_| !path.starts_with('/'));
        let base = start
            .map_or_else(Vec::new, |start| [self.namespace.names(start.node), start.below.clone()].concat());
        let names = path.split('/').filter(|name| !matches!(*name, "" | "."));
        path::absolute(base.iter().map(String::as_str).chain(names))
    }

    fn free(&self, place: Place<V>, path: &str, parents: bool) -> Result<Place<V>, Failure> {
        if place.directory_required() {
            return Err(Reason::InvalidPath(PathProblem::NamesDirectory).at(path));
        }
        self.room(place, parents)
    }

    fn existing(&self, path: &str) -> Result<(Place<V>, Stat), Failure> {
        match resolve(self.namespace, path, LastLink::Follow)? {
            Target::Virtual(..) => Err(self.not_granted(path)),
            Target::Directory(_) => Err(Reason::IsDirectory.at(path)),
            Target::Absent(place) => Err(self.not_found(&place)),
            Target::Entry(place, stat) => Ok((place, stat)),
        }
    }

    /// The error for a missing path, with suggestions.
    pub fn missing(&self, path: &str) -> Failure {
        match resolve(self.namespace, path, LastLink::Follow) {
            Ok(Target::Absent(place)) => self.not_found(&place),
            _ => Reason::NotFound(Vec::new()).at(path),
        }
    }

    fn not_found(&self, place: &Place<V>) -> Failure {
        let Some(left) = self.suggesting.get().checked_sub(1) else {
            return Reason::NotFound(Vec::new()).at(place.asked());
        };
        self.suggesting.set(left);
        // The name itself is a link.
        if let Ok(Target::Entry(link, Stat { kind: Kind::Link, .. })) =
            resolve_to_tell(self.namespace, place.asked(), LastLink::Keep)
        {
            return Reason::Dangling(self.target(&link)).at(place.asked());
        }
        let other = self.respelled(place.asked());
        if !other.is_empty() {
            return Reason::NotFound(other).at(place.asked());
        }
        // Wildcards in the directories that exist belong to their names.
        let names = place.parents().iter().map(String::as_str).chain([place.name()]);
        let is_wild = spelling::has_wildcards(&names.collect::<Vec<_>>().join("/"));
        let missing = place.parents().first().map_or(place.name(), String::as_str);
        let mut suggestions = Suggestions::new(missing);
        let mut looked_at = 0;
        // An unlistable directory has no suggestions.
        let _ = place.volume(self.namespace).each_entry(place.directory(), &mut |listed| {
            if let Listed::Name(name, _) = listed
                && (!is_wild || spelling::has_wildcards(name))
            {
                suggestions.consider(name);
            }
            looked_at += 1;
            if looked_at < SUGGESTION_NAMES { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        let base = place.directory_path();
        let paths: Vec<_> = suggestions.finish().into_iter().map(|name| join(base, &name)).collect();
        let reason = if is_wild && paths.is_empty() { Reason::WildPath } else { Reason::NotFound(paths) };
        reason.at(place.asked())
    }

    fn respelled(&self, path: &str) -> Vec<String> {
        let mut spellings = spelling::respelled(path);
        spellings.extend(spelling::below_own_name(&self.absolute(""), path));
        for grant in self.namespace.grant_names().into_iter().skip(1).take(SUGGESTED_GRANTS) {
            spellings.extend(spelling::below_own_name(&grant, path));
            if !path.starts_with('/') {
                spellings.push(join(&grant, path));
            }
        }
        let found = |path: &String| match resolve_to_tell(self.namespace, path, LastLink::Keep) {
            Ok(Target::Entry(place, _)) => Some(place.shown().to_owned()),
            Ok(Target::Directory(folder)) => Some(folder.shown().to_owned()),
            Ok(Target::Virtual(..) | Target::Absent(_)) | Err(_) => None,
        };
        spellings.iter().filter_map(found).take(SUGGESTIONS).collect()
    }

    fn not_granted(&self, path: &str) -> Failure {
        Reason::NotGranted(self.namespace.grant_names()).at(path)
    }

    pub(crate) fn open_at(&self, place: Place<V>, stat: Stat) -> Result<OpenFile<'a, V>, Failure> {
        let regular = |stat: Stat| match stat.kind {
            Kind::File => Ok(stat),
            Kind::Directory => Err(Reason::IsDirectory.at(place.asked())),
            Kind::Link => Err(Reason::PathEscape.at(place.asked())),
            Kind::Special(kind) => Err(Reason::SpecialFile(kind).at(place.asked())),
        };
        // Checked before, because opening a FIFO waits for its writer, and after, because another
        // file may be there.
        regular(stat)?;
        place.require_open(self.namespace).map_err(|reason| reason.at(place.asked()))?;
        let volume = place.volume(self.namespace);
        let fault = |fault: Fault| Reason::reading(fault).at(place.asked());
        let file = volume.open_file(place.directory(), place.name(), Access::Read).map_err(fault)?;
        let stat = regular(volume.stat_file(&file).map_err(fault)?)?;
        if !self.torn.is_empty() && self.torn.contains(&volume.identity(&file).map_err(fault)?) {
            return Err(Reason::HalfWritten.at(place.asked()));
        }
        let reader = ChunkReader::new(volume, file, stat.size).map_err(fault)?;
        Ok(OpenFile::new(place, stat, reader))
    }

    fn require_write(&self, place: &Place<V>) -> Result<(), Failure> {
        match place.access(self.namespace) {
            Access::Write => Ok(()),
            Access::Read => Err(Reason::ReadOnlyGrant.at(place.asked())),
        }
    }
}

impl<V: Volume> Directory<'_, V> {
    /// The path of the call, absolute.
    pub fn path(&self) -> &str {
        self.folder.shown()
    }

    /// The entry of the directory.
    pub fn entry(&self) -> Result<Entry, Failure> {
        let stat = self
            .volume()
            .stat_directory(self.folder.handle())
            .map_err(|fault| self.refuse(Reason::reading(fault)))?;
        Ok(named(self.path(), &stat))
    }

    /// Gives all names to `sink`, unsorted, with those of nested grants.
    pub fn each_name(&self, mut sink: impl FnMut(Listed)) -> Result<(), Failure> {
        let is_hidden =
            |name: &str, kind: Kind| self.folder.hides(self.namespace, name, kind == Kind::Directory);
        let nodes = self.folder.shown_nodes(self.namespace);
        for node in &nodes {
            sink(Listed::Name(node, Kind::Directory));
        }
        self.volume()
            .each_entry(self.folder.handle(), &mut |listed| {
                let covered = matches!(listed, Listed::Name(name, kind)
                    if nodes.iter().any(|node| node == name) || is_hidden(name, kind));
                if !covered {
                    sink(listed);
                }
                ControlFlow::Continue(())
            })
            .map_err(|fault| self.refuse(Reason::reading(fault)))
    }

    /// A name in it, if it still exists.
    pub fn find(&self, name: &str) -> Option<(Place<V>, Stat)> {
        let place = self.folder.place(self.namespace, name).ok()?;
        let stat = if self.folder.nodes(self.namespace).iter().any(|node| node == name) {
            VIRTUAL
        } else {
            self.volume().stat(self.folder.handle(), name).ok()?
        };
        Some((place, stat))
    }

    fn volume(&self) -> &V {
        self.folder.volume(self.namespace)
    }

    fn refuse(&self, reason: Reason) -> Failure {
        reason.at(&*self.asked)
    }
}

/// The entry of a path and its stat.
pub fn named(path: &str, stat: &Stat) -> Entry {
    let name = path.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or("/");
    Entry {
        path: path.to_owned(),
        name: name.to_owned(),
        kind: kind(stat.kind),
        size: if stat.kind == Kind::File { stat.size } else { 0 },
        modified: stat.modified.map(rfc3339),
        media_type: None,
        etag: None,
        checksum: None,
        target: None,
        escapes: None,
        links: (stat.kind == Kind::File && stat.links > 1).then_some(stat.links),
        hidden: name.starts_with('.'),
        ignored: None,
        depth: None,
    }
}

/// The kind in the contract.
pub fn kind(kind: Kind) -> EntryKind {
    match kind {
        Kind::File => EntryKind::File,
        Kind::Directory => EntryKind::Directory,
        Kind::Link => EntryKind::Link,
        Kind::Special(_) => EntryKind::Special,
    }
}

/// The stat of a directory above grants.
pub const VIRTUAL: Stat = Stat { kind: Kind::Directory, size: 0, modified: None, links: 1 };
