//! What takes a record back.
//!
//! Only if what it left is still there: the content of a file by its strong tag, or, where none is known, by its size and
//! the bytes that were put there; something that was moved by who it is; a directory by what it holds; and where something
//! was taken away, nothing may have taken its name.

use std::ops::ControlFlow;

use blake3::Hasher;

use super::entries::{Address, broken};
use super::kept;
use super::paths::{Paths, is_below};
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
use fsgate_journal::descent::Census;
use fsgate_journal::namespace::Namespace;
use fsgate_journal::record::{Action, Create, Kept, Location, Move, Object, Record, Remove, Splice};
use fsgate_journal::{Check, Stored};
use fsgate_policy::{CONTENT_HEAD, Policy};
use fsgate_volume::etag;
use fsgate_volume::{Access, Kind, Listed, Stat, Volume};

/// The changes that take a record back, in order; refused if what it left is not there any more. What it has put into the trash
/// may lie there under another id by now: `lies` is asked first.
pub(crate) fn of<V: Volume>(
    namespace: &Namespace<V>,
    address: Address,
    lies: Option<Address>,
) -> Result<Vec<Change<V>>, Failure> {
    let (state, id) = address;
    let state = namespace.state(state);
    let stored = state.done(id, Check::Header).map_err(broken)?;
    let stored = stored.ok_or_else(|| HistoryProblem::UnknownEntry(id.to_string()))?;
    let paths = Paths::new(namespace)?;
    let view = View::new(namespace);
    let inverse = Inverse { namespace, view, address, lies, stored: &stored, paths: &paths };
    let changes = match &stored.record.action {
        Action::Splice(splice) => inverse.of_splice(splice)?,
        Action::Create(create) => inverse.of_create(create)?,
        Action::Remove(remove) => inverse.of_remove(remove)?,
        Action::Move(moved) => inverse.of_move(moved)?,
        Action::Group { .. } | Action::Checkpoint { .. } | Action::Remark => Vec::new(),
    };
    let take_back = |change| Change::TakeBack { record: id, change: Box::new(change) };
    Ok(changes.into_iter().map(take_back).collect())
}

/// The path of a location; none if it lies in no directory that is granted now.
pub(crate) fn path<V: Volume>(namespace: &Namespace<V>, at: &Location) -> Result<Option<String>, Failure> {
    Ok(Paths::new(namespace)?.path(at))
}

/// What taking a record back does to the content of a file, as a diff.
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
    // More is not drawn in any case.
    let length = length.min(DIFF_BYTES + 1);
    let new = stored.read(&namespace.state(state).volume, splice.replaced(), length).map_err(broken)?;
    if closes(namespace.guard().policy(), &source, splice, &new)? {
        return Ok(None);
    }
    let newlines = diff::newlines(&source, splice.offset)?;
    diff::changed(
        &source,
        &ChangedBytes { offset: splice.offset, newlines, old: splice.new, new: &new },
        notes,
    )
}

/// True if the policy of now would not let the file be read with the bytes that a change has taken out of it. When the file is
/// opened, only what stands there now is asked about.
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

/// True if a change is about what the policy looks at in a file.
fn is_about_head(policy: &Policy, splice: &Splice) -> bool {
    policy.judges_content() && splice.offset < CONTENT_HEAD as u64
}

/// True if nothing is told of what a file was before a change or behind it, not even its tag: the policy of now would not let it be read.
pub(crate) fn is_closed<V: Volume>(
    view: &View<V>,
    paths: &Paths<V>,
    stored: &Stored<V>,
    (state, _): Address,
) -> Result<bool, Failure> {
    let namespace = view.namespace();
    let policy = namespace.guard().policy();
    let (at, before, after, tag) = match &stored.record.action {
        Action::Splice(splice) => (&splice.at, splice.size, splice.size_after(), &splice.etag),
        Action::Create(create) => (&create.at, 0, create.object.bytes(), &create.etag),
        _ => return Ok(false),
    };
    // What may not be read is not even looked for.
    let is_over = policy.limits().max_file_size.is_some_and(|most| before.max(after) > most);
    if !paths.is_open(at) || is_over {
        return Ok(true);
    }
    // What a session has written itself it knows, but not what it has brought back.
    let brings_back = [UNDO, REDO, RESTORE].contains(&&stored.record.tool[..]);
    if !policy.judges_content() || view.is_own(&stored.record) && !brings_back {
        return Ok(false);
    }
    // What is not there any more may have been anything. Somebody else may have its name by now.
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

/// Something, unless it is something else by now, or not ours. What cannot be looked at is a failure.
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
    lies: Option<Address>,
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

    /// The hash of some bytes of the record's body.
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
                let census = self.view.census_to_take_back(&folder, &path)?;
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
        let lies = match remove.kept {
            Kept::Not => None,
            Kept::Moved | Kept::Copied => kept::lies(self.namespace, self.address, self.lies)?,
        };
        if remove.object == Object::Directory && lies.is_none() {
            return Ok(vec![Change::CreateDirectory { place }]);
        }
        let lack = if remove.kept == Kept::Not { Conflict::GivenUp } else { Conflict::NotKept };
        Ok(vec![self.give_back(place, remove.object, lies.ok_or(lack))?])
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
                let lies = kept::lies(self.namespace, self.address, self.lies)?.ok_or(Conflict::NotKept);
                changes.push(self.give_back(place.ok_or_else(other)?, replaced.object, lies)?);
            }
            None => changes.extend(self.unmade(&moved.to, moved.made)?),
        }
        Ok(changes)
    }

    /// Something out of the trash, if it lies there.
    fn give_back(
        &self,
        place: Place<V>,
        object: Object,
        lies: Result<Address, Conflict>,
    ) -> Result<Change<V>, Failure> {
        let what = match lies {
            Ok(from) if kept::is_whole(self.namespace, from, object)? => {
                return Ok(Change::Return { place, object, from });
            }
            Ok(_) => Conflict::Damaged,
            Err(lack) => lack,
        };
        Err(HistoryProblem::UndoConflict(place.shown().to_owned(), what).at(place.asked()))
    }

    /// True if a later change of ours has put there what has a path now: where the trash is on another file system, what
    /// comes out of it is a copy, and somebody else than before.
    fn came_back(&self, path: &str, identity: u128) -> Result<bool, Failure> {
        let state = self.namespace.state(self.address.0);
        // Where it was before the later changes that have been looked at, the last one first.
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
        kept::each_since(state, self.address.1, |record| {
            came_back = is_it(record);
            if came_back { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        Ok(came_back)
    }

    /// Where in a path the part begins that is below a place; none if it is not there or below.
    fn holds(&self, at: &Location, path: &str) -> Option<usize> {
        self.paths.path(at).filter(|above| is_below(path, above)).map(|above| above.len())
    }

    /// Directories that were made for something, as far as nothing else is in them: the innermost first.
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

    /// What is hidden counts as well, and is not told: the directory stays as if something else were in it.
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

    /// The same place, reached from the directory of its grant: what is set aside there is in nobody's way when the
    /// directories in between are taken back as well.
    fn rooted(&self, place: &Place<V>) -> Result<Place<V>, Failure> {
        let at = place.location(self.namespace).map_err(|fault| Reason::reading(fault).at(place.asked()))?;
        let names: Vec<_> = at.above.iter().chain(&at.below).chain([&at.name]).map(String::as_str).collect();
        match self.target(&at.grant)? {
            Target::Directory(folder) => self.view.place_below(&folder, &at.grant, &names.join("/")),
            _ => Err(Reason::NotGranted(self.namespace.grant_names()).at(place.asked())),
        }
    }

    /// The path of a location, which has to be granted for writing now.
    fn path(&self, at: &Location) -> Result<String, Failure> {
        // Its path is not told.
        if let Some(rule) = self.paths.hides(at) {
            return Err(Reason::Denied(rule, Denial::Open).into());
        }
        // Neither is that of what lies elsewhere.
        self.paths.path(at).ok_or_else(|| Reason::NotGranted(self.namespace.grant_names()).into())
    }

    /// A regular file.
    fn file(&self, at: &Location) -> Result<OpenFile<'a, V>, Failure> {
        let path = self.path(at)?;
        let (place, stat) = self.entry(&path)?;
        if stat.kind != Kind::File {
            return Err(HistoryProblem::UndoConflict(path.clone(), Conflict::Other).at(path));
        }
        self.view.open_at(place, stat)
    }

    /// Something that is no directory.
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

    /// A name that nothing has.
    fn free(&self, at: &Location) -> Result<Place<V>, Failure> {
        let path = self.path(at)?;
        match self.target(&path)? {
            Target::Absent(place) => Ok(place),
            _ => Err(HistoryProblem::UndoConflict(path.clone(), Conflict::Taken).at(path)),
        }
    }

    /// What a path stands for. No link may have come into the way, and it has to be granted for writing.
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
