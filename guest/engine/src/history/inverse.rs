//! The changes that undo a record.
//!
//! The result of the record must be unchanged: a file by its strong tag or, without one, by its
//! size and the written bytes; a moved object by its identity; a directory by its content. A
//! removed name must be free.

use std::ops::ControlFlow;

use blake3::Hasher;

use super::entries::{Address, Entries, broken};
use super::later_moves::LaterMoves;
use super::paths::{Paths, is_below};
use super::trash_location;
use super::{REDO, RESTORE, UNDO};
use crate::changes::{Change, Keep, New, Old, Tags};
use crate::edit::diff::{self, ChangedBytes};
use crate::file::OpenFile;
use crate::resolve::{Folder, LastLink, Place, Target, resolve};
use crate::view::{VIRTUAL, View};
use fsgate_contract::limits::{CHUNK_BYTES, DIFF_BYTES, STRONG_TAG_BYTES};
use fsgate_contract::path::PathProblem;
use fsgate_contract::types::Note;
use fsgate_error::{Conflict, Denial, Failure, HistoryProblem, Reason};
use fsgate_journal::namespace::Namespace;
use fsgate_journal::record::{Action, Create, Kept, Location, Move, Object, Record, Remove, Splice};
use fsgate_journal::tree_walk::Census;
use fsgate_journal::{Check, Stored};
use fsgate_policy::{CONTENT_HEAD, Policy};
use fsgate_volume::etag;
use fsgate_volume::{Access, Kind, Listed, Stat, Volume};

/// The changes that undo a record, in order. `trash_entry` may be the id of its object in the
/// trash.
pub(crate) fn of<V: Volume>(
    namespace: &Namespace<V>,
    address: Address,
    trash_entry: Option<Address>,
) -> Result<Vec<Change<V>>, Failure> {
    let (state, id) = address;
    let state = namespace.state(state);
    let stored = state.done(id, Check::Header).map_err(broken)?;
    let stored = stored.ok_or_else(|| HistoryProblem::UnknownEntry(id.to_string()))?;
    let paths = Paths::new(namespace)?;
    let view = View::new(namespace);
    let inverse = Inverse { namespace, view, address, trash_entry, stored: &stored, paths: &paths };
    let changes = match &stored.record.action {
        Action::Splice(splice) => inverse.of_splice(splice)?,
        Action::Create(create) => inverse.of_create(create)?,
        Action::Remove(remove) => inverse.of_remove(remove)?,
        Action::Move(moved) => inverse.of_move(moved)?,
        Action::Group { .. } | Action::Checkpoint { .. } | Action::Remark => Vec::new(),
    };
    Ok(changes.into_iter().map(|change| Change::undo(id, change)).collect())
}

pub(crate) fn path<V: Volume>(namespace: &Namespace<V>, at: &Location) -> Result<Option<String>, Failure> {
    Ok(Paths::new(namespace)?.path(at))
}

pub(crate) fn diff<V: Volume>(
    view: &View<V>,
    stored: &Stored<V>,
    (state, _): Address,
    notes: &mut Vec<Note>,
) -> Result<Option<String>, Failure> {
    let Action::Splice(splice) = &stored.record.action else { return Ok(None) };
    let namespace = view.namespace();
    let Some(path) = path(namespace, &splice.at)? else { return Ok(None) };
    let source = view.open(&path)?;
    if source.size() > STRONG_TAG_BYTES {
        notes.push(diff::left_out_of_large_file());
        return Ok(None);
    }
    let Ok(length) = usize::try_from(splice.old) else { return Ok(None) };
    // A longer diff is never shown.
    let length = length.min(DIFF_BYTES + 1);
    let new = stored.read(&namespace.state(state).volume, splice.replaced(), length).map_err(broken)?;
    if closes(namespace.guard().policy(), &source, splice, &new)? {
        return Ok(None);
    }
    let newlines = diff::newlines(&source, splice.offset)?;
    let change = ChangedBytes { offset: splice.offset, newlines, old: splice.new, new: &new };
    diff::legible_past(&source, &change, notes)
}

/// The tag of a file before a change of its content, unless the policy of now denies that content.
pub(crate) fn old_tag<V: Volume>(
    view: &View<V>,
    stored: &Stored<V>,
    (state, _): Address,
) -> Result<Option<String>, Failure> {
    let Action::Splice(splice) = &stored.record.action else { return Ok(None) };
    let namespace = view.namespace();
    let Some(path) = path(namespace, &splice.at)? else { return Ok(None) };
    let Ok(source) = view.open(&path) else { return Ok(None) };
    let policy = namespace.guard().policy();
    if policy.limits().max_file_size.is_some_and(|most| splice.size > most) {
        return Ok(None);
    }
    let length = usize::try_from(splice.old).unwrap_or(usize::MAX).min(CONTENT_HEAD);
    let old = stored.read(&namespace.state(state).volume, splice.replaced(), length).map_err(broken)?;
    let is_closed = closes(policy, &source, splice, &old)?;
    Ok(splice.etag_before.clone().filter(|_| !is_closed))
}

/// True if the policy of now denies the file with the old bytes of a change. Opening it checks the
/// present bytes only.
fn closes<V: Volume>(
    policy: &Policy,
    source: &OpenFile<V>,
    splice: &Splice,
    old: &[u8],
) -> Result<bool, Failure> {
    if !is_about_head(policy, splice) {
        return Ok(false);
    }
    let part =
        |from: u64| source.bytes(from.min(source.size())..(from + CONTENT_HEAD as u64).min(source.size()));
    let mut head = source.bytes(0..splice.offset.min(source.size()))?;
    head.extend(old.iter().take(CONTENT_HEAD));
    head.extend(part(splice.offset + splice.new)?);
    head.truncate(CONTENT_HEAD);
    Ok(policy.content(&head).is_some())
}

/// True if a change touches the bytes that the policy judges.
fn is_about_head(policy: &Policy, splice: &Splice) -> bool {
    policy.judges_content() && splice.offset < CONTENT_HEAD as u64
}

/// True if nothing about the content before and after a change may be shown, not even a tag,
/// because the policy of now denies it.
pub(crate) fn is_closed<V: Volume>(
    view: &View<V>,
    (entries, later): (&Entries<V>, &LaterMoves),
    stored: &Stored<V>,
    (state, _): Address,
) -> Result<bool, Failure> {
    let (namespace, paths) = (view.namespace(), entries.paths());
    let policy = namespace.guard().policy();
    let (at, before, after, tag) = match &stored.record.action {
        Action::Splice(splice) => (&splice.at, splice.size, splice.size_after(), &splice.etag),
        Action::Create(create) => (&create.at, 0, create.object.bytes(), &create.etag),
        _ => return Ok(false),
    };
    // Denied content is not read to find out.
    let is_over = policy.limits().max_file_size.is_some_and(|most| before.max(after) > most);
    if !later.is_open(entries, &stored.record, at) || is_over {
        return Ok(true);
    }
    // A session knows the content that it has written, but not the content that it has restored.
    let brings_back = [UNDO, REDO, RESTORE].contains(&&stored.record.tool[..]);
    if !policy.judges_content() || view.is_own(&stored.record) && !brings_back {
        return Ok(false);
    }
    // The old content is unknown: another file may have the name now.
    let Some(path) = paths.path(at) else { return Ok(true) };
    let Ok(source) = view.open(&path) else { return Ok(true) };
    if source.size() != after || after > STRONG_TAG_BYTES {
        return Ok(true);
    }
    if tag.as_deref() != Some(&etag::strong(&source.hasher(0..after)?)) {
        return Ok(true);
    }
    let Action::Splice(splice) = &stored.record.action else { return Ok(false) };
    let length = usize::try_from(splice.old).unwrap_or(usize::MAX).min(CONTENT_HEAD);
    let old = stored.read(&namespace.state(state).volume, splice.replaced(), length).map_err(broken)?;
    closes(policy, &source, splice, &old)
}

/// Maps a changed or ungranted object to none. A fault of the volume stays.
fn unless_other<T>(found: Result<T, Failure>) -> Result<Option<T>, Failure> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(failure) if matches!(failure.reason, Reason::Volume(..)) => Err(failure),
        Err(_) => Ok(None),
    }
}

struct Inverse<'a, V: Volume> {
    namespace: &'a Namespace<V>,
    view: View<'a, V>,
    address: Address,
    trash_entry: Option<Address>,
    stored: &'a Stored<V>,
    paths: &'a Paths<'a, V>,
}

impl<'a, V: Volume> Inverse<'a, V> {
    fn of_splice(&self, splice: &Splice) -> Result<Vec<Change<V>>, Failure> {
        let source = self.file(&splice.at)?;
        let path = source.path().to_owned();
        let changed = || HistoryProblem::UndoConflict(path.clone(), Conflict::Content).at(&*path);
        if source.size() != splice.size_after() {
            return Err(changed());
        }
        let hash = source.hasher(splice.offset..splice.offset + splice.new)?.finalize();
        let strong = splice.etag.as_deref().filter(|tag| etag::is_strong(tag));
        let same = match strong {
            Some(tag) => source.strong_tag()? == tag,
            None => hash == self.recorded(splice.kept, splice.new)?,
        };
        if !same {
            return Err(changed());
        }
        let new = New::Recorded {
            state: self.address.0,
            record: self.address.1,
            at: splice.replaced(),
            length: splice.old,
        };
        Ok(vec![Change::Splice {
            seen: source.stat(),
            offset: splice.offset,
            old: Old::Digest { length: splice.new, hash },
            new,
            tags: Tags { before: splice.etag.clone(), after: splice.etag_before.clone(), whole: false },
            place: source.into_place(),
        }])
    }

    fn recorded(&self, from: u64, length: u64) -> Result<blake3::Hash, Failure> {
        let volume = &self.namespace.state(self.address.0).volume;
        let mut hasher = Hasher::new();
        let (mut at, end) = (from, from + length);
        while at < end {
            let wanted = usize::try_from(end - at).unwrap_or(usize::MAX).min(CHUNK_BYTES);
            let chunk = self.stored.read(volume, at, wanted).map_err(broken)?;
            if chunk.is_empty() {
                break;
            }
            at += chunk.len() as u64;
            hasher.update(&chunk);
        }
        Ok(hasher.finalize())
    }

    fn of_create(&self, create: &Create) -> Result<Vec<Change<V>>, Failure> {
        let path = self.path(&create.at)?;
        let conflict = |what| HistoryProblem::UndoConflict(path.clone(), what).at(&*path);
        let rooted = |place: &Place<V>| self.rooted(place);
        let delete = match create.object {
            object if object.is_directory() => {
                let folder = self.folder(&path)?;
                let census = self.view.census_to_undo(&folder, &path)?;
                if Object::tree(&census) != object {
                    return Err(conflict(Conflict::Entries));
                }
                let Some((place, directory)) = folder.into_own() else {
                    return Err(Reason::InvalidPath(PathProblem::GrantItself).at(&*path));
                };
                Change::DeleteTree { place: rooted(&place)?, directory, census, keep: Keep::IfRoom }
            }
            object => {
                let (place, stat) = self.entry(&path)?;
                let seen = self.view.seen(&place, stat)?;
                let same = match (&create.etag, stat.kind) {
                    _ if Object::of(&stat) != object => false,
                    (Some(tag), Kind::File) => self.view.open_at(place, stat)?.strong_tag()? == *tag,
                    _ => true,
                };
                if !same {
                    return Err(conflict(Conflict::Content));
                }
                Change::Delete { place: rooted(&self.entry(&path)?.0)?, seen, keep: Keep::IfRoom }
            }
        };
        let mut changes = vec![delete];
        changes.extend(self.unmade(&create.at, create.made)?);
        Ok(changes)
    }

    fn of_remove(&self, remove: &Remove) -> Result<Vec<Change<V>>, Failure> {
        let place = self.free(&remove.at)?;
        let trash_entry = match remove.kept {
            Kept::Not => None,
            Kept::Moved | Kept::Copied => {
                trash_location::trash_entry(self.namespace, self.address, self.trash_entry)?
            }
        };
        if remove.object == Object::Directory && trash_entry.is_none() {
            return Ok(vec![Change::CreateDirectory { place }]);
        }
        let lack = if remove.kept == Kept::Not { Conflict::GivenUp } else { Conflict::NotKept };
        Ok(vec![self.restore(place, remove.object, trash_entry.ok_or(lack))?])
    }

    fn of_move(&self, moved: &Move) -> Result<Vec<Change<V>>, Failure> {
        let path = self.path(&moved.to)?;
        let other = || HistoryProblem::UndoConflict(path.clone(), Conflict::Other).at(&*path);
        let (source, stat) = if moved.object.is_directory() {
            let folder = self.folder(&path)?;
            let stat = VIRTUAL;
            let Some((place, _)) = folder.into_own() else {
                return Err(Reason::InvalidPath(PathProblem::GrantItself).at(&*path));
            };
            (place, stat)
        } else {
            self.entry(&path)?
        };
        let seen = self.view.seen(&source, stat)?;
        let is_it = seen.identity == moved.identity.0
            || Object::of(&stat) == moved.object && self.came_back(&path, seen.identity)?;
        if !is_it {
            return Err(other());
        }
        let destination = self.free(&moved.from)?;
        let mut changes = vec![Change::Move { source, seen, destination, replaced: None, across: false }];
        match &moved.replaced {
            Some(replaced) => {
                let place = if moved.object.is_directory() { None } else { Some(self.entry(&path)?.0) };
                let trash_entry =
                    trash_location::trash_entry(self.namespace, self.address, self.trash_entry)?
                        .ok_or(Conflict::NotKept);
                changes.push(self.restore(place.ok_or_else(other)?, replaced.object, trash_entry)?);
            }
            None => changes.extend(self.unmade(&moved.to, moved.made)?),
        }
        Ok(changes)
    }

    fn restore(
        &self,
        place: Place<V>,
        object: Object,
        trash_entry: Result<Address, Conflict>,
    ) -> Result<Change<V>, Failure> {
        let what = match trash_entry {
            Ok(from) if trash_location::is_whole(self.namespace, from, object)? => {
                return Ok(Change::Return { place, object, from });
            }
            Ok(_) => Conflict::Damaged,
            Err(lack) => lack,
        };
        Err(HistoryProblem::UndoConflict(place.shown().to_owned(), what).at(place.asked()))
    }

    /// True if a later change has put the object at a path: from a trash on another file system
    /// comes a copy with another identity.
    fn came_back(&self, path: &str, identity: u128) -> Result<bool, Failure> {
        let state = self.namespace.state(self.address.0);
        // The path before the later changes that were looked at, the last one first.
        let mut path = path.to_owned();
        let mut is_it = |record: Record| match record.action {
            Action::Create(create) if create.from.is_some() => self.holds(&create.at, &path).is_some(),
            Action::Move(moved) => match self.holds(&moved.to, &path) {
                Some(_) if moved.identity.0 == identity => true,
                Some(below) => {
                    if let Some(from) = self.paths.path(&moved.from) {
                        path = from + &path[below..];
                    }
                    false
                }
                None => false,
            },
            _ => false,
        };
        let mut came_back = false;
        trash_location::each_since(state, self.address.1, |record| {
            came_back = is_it(record);
            if came_back { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        Ok(came_back)
    }

    /// The length of the path of a recorded place, if `path` is at or below it.
    fn holds(&self, at: &Location, path: &str) -> Option<usize> {
        self.paths.path(at).filter(|above| is_below(path, above)).map(|above| above.len())
    }

    /// Removals of the created directories that have nothing else in them, the innermost first.
    fn unmade(&self, at: &Location, made: u32) -> Result<Vec<Change<V>>, Failure> {
        let mut changes = Vec::new();
        let first = at.below.len().saturating_sub(made as usize);
        let mut inside = at.name.as_str();
        for number in (first..at.below.len()).rev() {
            let parent =
                Location { below: at.below[..number].to_vec(), name: at.below[number].clone(), ..at.clone() };
            let path = self.path(&parent)?;
            let Some(folder) = unless_other(self.folder(&path))? else { break };
            let is_free = unless_other(self.view.movable(&folder, &path))?.is_some();
            if !is_free || !self.holds_only(&folder, inside)? {
                break;
            }
            let Some((place, directory)) = folder.into_own() else { break };
            let census = Census::default();
            changes.push(Change::DeleteTree {
                place: self.rooted(&place)?,
                directory,
                census,
                keep: Keep::IfRoom,
            });
            inside = &at.below[number];
        }
        Ok(changes)
    }

    /// Hidden names count as well: the directory stays, as with a visible one.
    fn holds_only(&self, folder: &Folder<V>, inside: &str) -> Result<bool, Failure> {
        let _lifted = self.namespace.guard().lift();
        let mut only = true;
        let listed = folder.volume(self.namespace).each_entry(folder.handle(), &mut |listed| {
            only = matches!(listed, Listed::Name(name, _) if name == inside);
            if only { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        listed.map_err(|fault| Reason::reading(fault).at(folder.shown()))?;
        Ok(only)
    }

    /// The same place from its grant's directory, so that its set-aside object does not block the
    /// removal of the directories between.
    fn rooted(&self, place: &Place<V>) -> Result<Place<V>, Failure> {
        let at = place.location(self.namespace).map_err(|fault| Reason::reading(fault).at(place.asked()))?;
        let names: Vec<_> = at.above.iter().chain(&at.below).chain([&at.name]).map(String::as_str).collect();
        match self.target(&at.grant)? {
            Target::Directory(folder) => self.view.place_below(&folder, &at.grant, &names.join("/")),
            _ => Err(Reason::NotGranted(self.namespace.grant_names()).at(place.asked())),
        }
    }

    /// The path of a recorded place, which has to be granted for writing.
    fn path(&self, at: &Location) -> Result<String, Failure> {
        // The refusal names no path.
        if let Some(rule) = self.paths.hides(at) {
            return Err(Reason::Denied(rule, Denial::Open).into());
        }
        // As above.
        self.paths.path(at).ok_or_else(|| Reason::NotGranted(self.namespace.grant_names()).into())
    }

    fn file(&self, at: &Location) -> Result<OpenFile<'a, V>, Failure> {
        let path = self.path(at)?;
        let (place, stat) = self.entry(&path)?;
        if stat.kind != Kind::File {
            return Err(HistoryProblem::UndoConflict(path.clone(), Conflict::Other).at(path));
        }
        self.view.open_at(place, stat)
    }

    fn entry(&self, path: &str) -> Result<(Place<V>, Stat), Failure> {
        match self.target(path)? {
            Target::Entry(place, stat) => Ok((place, stat)),
            Target::Absent(_) => Err(HistoryProblem::UndoConflict(path.to_owned(), Conflict::Gone).at(path)),
            _ => Err(HistoryProblem::UndoConflict(path.to_owned(), Conflict::Other).at(path)),
        }
    }

    fn folder(&self, path: &str) -> Result<Folder<V>, Failure> {
        match self.target(path)? {
            Target::Directory(folder) => Ok(folder),
            Target::Absent(_) => Err(HistoryProblem::UndoConflict(path.to_owned(), Conflict::Gone).at(path)),
            _ => Err(HistoryProblem::UndoConflict(path.to_owned(), Conflict::Other).at(path)),
        }
    }

    fn free(&self, at: &Location) -> Result<Place<V>, Failure> {
        let path = self.path(at)?;
        match self.target(&path)? {
            Target::Absent(place) => Ok(place),
            _ => Err(HistoryProblem::UndoConflict(path.clone(), Conflict::Taken).at(path)),
        }
    }

    /// The target of a path without links, in a grant for writing.
    fn target(&self, path: &str) -> Result<Target<V>, Failure> {
        let target = match resolve(self.namespace, path, LastLink::Own) {
            Err(Failure {
                reason: Reason::NotDirectory | Reason::PathEscape | Reason::AbsoluteLink | Reason::LinkLoop,
                ..
            }) => {
                return Err(HistoryProblem::UndoConflict(path.to_owned(), Conflict::Other).at(path));
            }
            target => target?,
        };
        let (resolved, access) = match &target {
            Target::Entry(place, _) | Target::Absent(place) => {
                (place.resolved(), place.access(self.namespace))
            }
            Target::Directory(folder) => (folder.resolved(), folder.access(self.namespace)),
            Target::Virtual(..) => return Err(Reason::NotGranted(self.namespace.grant_names()).at(path)),
        };
        if resolved != path {
            return Err(HistoryProblem::UndoConflict(path.to_owned(), Conflict::Other).at(path));
        }
        match access {
            Access::Write => Ok(target),
            Access::Read => Err(Reason::ReadOnlyGrant.at(path)),
        }
    }
}
