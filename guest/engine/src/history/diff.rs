//! The diffs of entries.
//!
//! Entries come the newest first. The content of a file after an entry is its present content with
//! all later records reversed in memory. The strong tag of the record proves the result, so the
//! content may come from the file's present path, from the trash or from a record that keeps it
//! whole. Content that the policy of now denies is not shown.

use std::collections::BTreeMap;
use std::time::Duration;

use super::entries::{Address, Entries, Entry, broken};
use super::later_moves::LaterMoves;
use super::trash_location;
use crate::edit::diff::{self, ChangedBytes, DIFF, Diffs};
use crate::file::encoding::shown;
use crate::notes;
use crate::view::View;
use fsgate_contract::id::Id;
use fsgate_contract::limits::{DIFF_BYTES, HISTORY_HELD_BYTES, STRONG_TAG_BYTES};
use fsgate_contract::types::Note;
use fsgate_error::{Failure, Reason};
use fsgate_journal::Stored;
use fsgate_journal::record::{Action, Create, Location, Object, Remove, Splice};
use fsgate_policy::CONTENT_HEAD;
use fsgate_volume::bytes::read_all;
use fsgate_volume::etag;
use fsgate_volume::{Access, Fault, Kind, Volume};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum NoDiff {
    Changed,
    Closed,
    Unreadable,
    Large,
    Tree,
    Size,
    Effort,
}

impl NoDiff {
    fn words(self) -> String {
        match self {
            Self::Changed => {
                "what it left is not there any more, and what is kept does not lead back to it".to_owned()
            }
            Self::Closed => "the policy does not let it be read".to_owned(),
            Self::Unreadable => "the operating system does not let it be read".to_owned(),
            Self::Large => format!("the file is larger than {STRONG_TAG_BYTES} bytes"),
            Self::Tree => "what is in a whole directory is not drawn".to_owned(),
            Self::Size => format!("it is larger than {DIFF_BYTES} bytes"),
            Self::Effort => "to find it would take too much time or memory; ask for one `path`".to_owned(),
        }
    }
}

/// The contents of a file before and after a change.
type BeforeAfter = (Vec<u8>, Vec<u8>);

enum ContentSource {
    /// A present path.
    At(String),
    /// A trash entry.
    Trash(Address),
    Content(Vec<u8>),
    Lost(NoDiff),
}

struct PastFile {
    base: ContentSource,
    /// Its records since that, the newest first.
    later: Vec<Address>,
}

/// The entries, and their changes of names down to the current one.
type History<'h, 'a, V> = (&'h Entries<'a, V>, &'h LaterMoves);

pub(crate) struct EntryDiffs<'a, V: Volume> {
    view: &'a View<'a, V>,
    until: Duration,
    files: BTreeMap<String, PastFile>,
    /// The last drawn record is reversed in the known content of its file.
    is_back: bool,
    left_out: BTreeMap<NoDiff, Vec<Id>>,
    /// The notes on the drawn text.
    notes: Vec<Note>,
}

impl<'a, V: Volume> EntryDiffs<'a, V> {
    pub(crate) fn new(view: &'a View<'a, V>, until: Duration) -> Self {
        Self {
            view,
            until,
            files: BTreeMap::new(),
            is_back: false,
            left_out: BTreeMap::new(),
            notes: Vec::new(),
        }
    }

    pub(crate) fn pass(&mut self, history: History<'_, '_, V>, entry: &Entry) -> Result<(), Failure> {
        self.go_back(history, entry, |_| false).map(drop)
    }

    /// Goes back past an entry. Returns its diff for the wanted paths, as far as the session may
    /// read it.
    pub(crate) fn draw(
        &mut self,
        history: History<'_, '_, V>,
        entry: &Entry,
        is_wanted: impl Fn(&str) -> bool,
    ) -> Result<Option<String>, Failure> {
        let (mut drawn, why) = self.go_back(history, entry, is_wanted)?;
        drawn.reverse();
        let (mut diffs, mut said) = (Diffs::default(), Vec::new());
        drawn.iter().for_each(|drawn| diffs.add(Some(drawn)));
        let text = diffs.finish(&mut said).filter(|text| !text.is_empty());
        for why in why.into_iter().chain((!said.is_empty()).then_some(NoDiff::Size)) {
            let ids = self.left_out.entry(why).or_default();
            if ids.last() != Some(&entry.id) {
                ids.push(entry.id);
            }
        }
        Ok(text)
    }

    /// The notes on the diffs, and on those left out.
    pub(crate) fn notes(self) -> Vec<Note> {
        let left_out = self.left_out.into_iter().map(|(why, ids)| {
            let ids = ids.iter().map(Id::to_string).collect::<Vec<_>>().join(", ");
            notes::diff_left_out(&ids, &why.words())
        });
        left_out.chain(self.notes).collect()
    }

    fn go_back(
        &mut self,
        history: History<'_, '_, V>,
        entry: &Entry,
        is_wanted: impl Fn(&str) -> bool,
    ) -> Result<(Vec<String>, Vec<NoDiff>), Failure> {
        let entries = history.0;
        let (mut drawn, mut left_out, mut size) = (Vec::<String>::new(), Vec::new(), 0);
        for address in &entry.records {
            let Some(stored) = entries.stored(*address)? else { continue };
            let locations = stored.record.action.locations();
            let Some(path) = locations.first().and_then(|at| entries.paths().path(at)) else { continue };
            self.is_back = false;
            let done = if !is_wanted(&path) {
                Ok(None)
            } else if size > DIFF_BYTES {
                Err(NoDiff::Size)
            } else if self.view.now() >= self.until && !drawn.is_empty() {
                Err(NoDiff::Effort)
            } else {
                self.of_record(history, *address, &stored, &path)?
            };
            match done {
                Ok(Some(text)) => {
                    size += text.len();
                    drawn.push(text);
                }
                Ok(None) => {}
                Err(why) => left_out.push(why),
            }
            self.go_behind(history, *address, &stored, path)?;
        }
        Ok((drawn, left_out))
    }

    /// The diff of a record; none if it has no content.
    fn of_record(
        &mut self,
        history: History<'_, '_, V>,
        address: Address,
        stored: &Stored<V>,
        path: &str,
    ) -> Result<Result<Option<String>, NoDiff>, Failure> {
        let is_open = |at: &Location| history.0.paths().is_open(at);
        let is_large = |size: u64| size > STRONG_TAG_BYTES;
        let found = match &stored.record.action {
            Action::Splice(splice) if is_large(splice.size.max(splice.size_after())) => Err(NoDiff::Large),
            Action::Splice(splice) if is_open(&splice.at) => {
                self.of_splice(history, stored, splice, address, path)?
            }
            Action::Create(Create { at, object: Object::File { size }, etag, .. }) => match etag {
                _ if !is_open(at) => Err(NoDiff::Closed),
                _ if is_large(*size) => Err(NoDiff::Large),
                etag => self.content(history, address.1, path, etag.as_deref())?.map(|new| (Vec::new(), new)),
            },
            Action::Remove(Remove { at, object: object @ Object::File { size }, .. }) => {
                if !is_open(at) {
                    Err(NoDiff::Closed)
                } else if is_large(*size) {
                    Err(NoDiff::Large)
                } else if trash_location::is_in_trash(self.view.namespace().state(address.0), address.1)?
                    && trash_location::is_whole(self.view.namespace(), address, *object)?
                {
                    self.in_trash(address)?.map(|old| (old, Vec::new()))
                } else {
                    Err(NoDiff::Changed)
                }
            }
            Action::Splice(_) => Err(NoDiff::Closed),
            Action::Create(create) if matches!(create.object, Object::Tree { .. }) => Err(NoDiff::Tree),
            Action::Remove(remove) if matches!(remove.object, Object::Tree { .. }) => Err(NoDiff::Tree),
            _ => return Ok(Ok(None)),
        };
        let (old, new) = match found {
            Ok(both) => both,
            Err(why) => return Ok(Err(why)),
        };
        let policy = self.view.namespace().guard().policy();
        let is_closed = |bytes: &[u8]| policy.content(&bytes[..bytes.len().min(CONTENT_HEAD)]).is_some();
        let is_over =
            |bytes: &[u8]| policy.limits().max_file_size.is_some_and(|most| bytes.len() as u64 > most);
        if [&old, &new].into_iter().any(|bytes| is_over(bytes) || policy.judges_content() && is_closed(bytes))
        {
            return Ok(Err(NoDiff::Closed));
        }
        let mut said = Vec::new();
        let encoding = diff::encoding_of(if old.is_empty() { &new } else { &old });
        let drawn = match &stored.record.action {
            Action::Create(_) => diff::created(path, (encoding, &shown(encoding, &new)), &mut said),
            Action::Remove(_) => diff::deleted(path, (encoding, &shown(encoding, &old)), &mut said),
            Action::Splice(splice) if encoding.is_utf_8() => {
                let (from, to) = (splice.offset as usize, (splice.offset + splice.new) as usize);
                let newlines = memchr::memchr_iter(b'\n', &old[..from]).count() as u64;
                let change =
                    ChangedBytes { offset: splice.offset, newlines, old: splice.old, new: &new[from..to] };
                diff::decoded(path, (encoding, &old), &change, &mut said)
            }
            Action::Splice(_) => {
                let [old, new] = [&old, &new].map(|all| shown(encoding, all));
                diff::texts(path, encoding, [&old, &new], &mut said)
            }
            _ => None,
        };
        said.retain(|note| !self.notes.contains(note) && note.kind != DIFF);
        self.notes.append(&mut said);
        if let Action::Splice(_) = &stored.record.action {
            self.hold(path, old);
            self.is_back = true;
        }
        Ok(drawn.map(Some).ok_or(NoDiff::Size))
    }

    fn of_splice(
        &mut self,
        history: History<'_, '_, V>,
        stored: &Stored<V>,
        splice: &Splice,
        address: Address,
        path: &str,
    ) -> Result<Result<BeforeAfter, NoDiff>, Failure> {
        let new = match self.content(history, address.1, path, splice.etag.as_deref())? {
            // The record has all of it.
            Err(NoDiff::Changed) if splice.is_whole() => {
                let all = history.0.read(address, stored, (splice.kept + splice.new) as usize)?;
                let (old, put) = all.split_at(splice.kept as usize);
                let end = (splice.offset + splice.old) as usize;
                Ok([&old[..splice.offset as usize], put, &old[end..]].concat())
            }
            new => new,
        };
        let new = match new {
            Ok(new) => new,
            Err(why) => return Ok(Err(why)),
        };
        let Some(old) = self.before(splice, stored, address, &new)? else { return Ok(Err(NoDiff::Changed)) };
        Ok(Ok((old, new)))
    }

    /// The content before a change that left `new`; none if it cannot have left that.
    fn before(
        &self,
        splice: &Splice,
        stored: &Stored<V>,
        address: Address,
        new: &[u8],
    ) -> Result<Option<Vec<u8>>, Failure> {
        let end = splice.offset + splice.new;
        if new.len() as u64 != splice.size_after() || end > new.len() as u64 {
            return Ok(None);
        }
        let volume = &self.view.namespace().state(address.0).volume;
        let replaced = stored.read(volume, splice.replaced(), splice.old as usize).map_err(broken)?;
        if replaced.len() as u64 != splice.old {
            return Ok(None);
        }
        Ok(Some([&new[..splice.offset as usize], &replaced, &new[end as usize..]].concat()))
    }

    /// The content of a file at the current time, if its tag matches.
    fn content(
        &mut self,
        history: History<'_, '_, V>,
        record: Id,
        path: &str,
        tag: Option<&str>,
    ) -> Result<Result<Vec<u8>, NoDiff>, Failure> {
        let entries = history.0;
        let PastFile { base, later } = self.file(history, record, path);
        let mut content = match base {
            ContentSource::At(now) => self.now(&now)?,
            ContentSource::Trash(address) => self.in_trash(address)?,
            ContentSource::Content(content) => Ok(content),
            ContentSource::Lost(why) => Err(why),
        };
        for address in later {
            let stored = entries.stored(address)?;
            let Some((stored, splice)) = stored.as_ref().and_then(|stored| match &stored.record.action {
                Action::Splice(splice) => Some((stored, splice)),
                _ => None,
            }) else {
                content = content.and(Err(NoDiff::Changed));
                continue;
            };
            content = match content {
                // Denied content is not taken from another source either.
                Err(NoDiff::Closed) => Err(NoDiff::Closed),
                _ if splice.is_whole() && splice.size <= STRONG_TAG_BYTES => {
                    Ok(entries.read(address, stored, splice.size as usize)?)
                }
                Ok(new) => self.before(splice, stored, address, &new)?.ok_or(NoDiff::Changed),
                lost => lost,
            };
        }
        if let Ok(content) = &content
            && tag.is_none_or(|tag| etag::of(content) != tag)
        {
            self.put(path, ContentSource::Lost(NoDiff::Changed));
            return Ok(Err(NoDiff::Changed));
        }
        match &content {
            Ok(content) => self.hold(path, content.clone()),
            Err(why) => self.put(path, ContentSource::Lost(*why)),
        }
        Ok(content)
    }

    fn file(&mut self, history: History<'_, '_, V>, record: Id, path: &str) -> PastFile {
        let (entries, later) = history;
        self.files.remove(path).unwrap_or_else(|| {
            let now = later.path_after(entries, record, path);
            PastFile {
                base: now.map_or(ContentSource::Lost(NoDiff::Closed), ContentSource::At),
                later: Vec::new(),
            }
        })
    }

    fn put(&mut self, path: &str, base: ContentSource) {
        self.files.insert(path.to_owned(), PastFile { base, later: Vec::new() });
    }

    /// Keeps a content. If all of them exceed the limit, drops the others.
    fn hold(&mut self, path: &str, content: Vec<u8>) {
        let held =
            |file: &PastFile| if let ContentSource::Content(bytes) = &file.base { bytes.len() } else { 0 };
        self.files.remove(path);
        if self.files.values().map(held).sum::<usize>() + content.len() > HISTORY_HELD_BYTES {
            for file in self.files.values_mut().filter(|file| held(file) > 0) {
                *file = PastFile { base: ContentSource::Lost(NoDiff::Effort), later: Vec::new() };
            }
        }
        self.put(path, ContentSource::Content(content));
    }

    fn now(&self, now: &str) -> Result<Result<Vec<u8>, NoDiff>, Failure> {
        let source = match self.view.open(now) {
            Ok(source) => source,
            Err(Failure { reason: Reason::Denied(..) | Reason::OverLimit(_), .. }) => {
                return Ok(Err(NoDiff::Closed));
            }
            Err(_) => return Ok(Err(NoDiff::Changed)),
        };
        if source.size() > STRONG_TAG_BYTES {
            return Ok(Err(NoDiff::Changed));
        }
        source.bytes(0..source.size()).map(Ok)
    }

    fn in_trash(&self, (state, id): Address) -> Result<Result<Vec<u8>, NoDiff>, Failure> {
        let (state, name) = (self.view.namespace().state(state), id.to_string());
        let read = || {
            let stat = state.volume.stat(&state.trash, &name)?;
            if stat.kind != Kind::File || stat.size > STRONG_TAG_BYTES {
                return Ok(Err(NoDiff::Changed));
            }
            let file = state.volume.open_file(&state.trash, &name, Access::Read)?;
            read_all(&state.volume, &file, 0, stat.size as usize).map(Ok)
        };
        match read() {
            Err(Fault::NotFound) => Ok(Err(NoDiff::Changed)),
            // Its own mode forbids reading. Other entries are still drawn.
            Err(Fault::Access) => Ok(Err(NoDiff::Unreadable)),
            read => read.map_err(broken),
        }
    }

    fn go_behind(
        &mut self,
        history: History<'_, '_, V>,
        address: Address,
        stored: &Stored<V>,
        path: String,
    ) -> Result<(), Failure> {
        let (namespace, entries) = (self.view.namespace(), history.0);
        match &stored.record.action {
            Action::Splice(_) if self.is_back => {}
            Action::Splice(_) => {
                let mut file = self.file(history, address.1, &path);
                file.later.push(address);
                self.files.insert(path, file);
            }
            Action::Remove(Remove { at, .. }) if !entries.paths().is_open(at) => {
                self.put(&path, ContentSource::Lost(NoDiff::Closed));
            }
            Action::Remove(Remove { object: Object::File { .. }, .. })
                if trash_location::is_in_trash(namespace.state(address.0), address.1)? =>
            {
                self.put(&path, ContentSource::Trash(address));
            }
            // The name belongs to a later object, unless it came out of the trash.
            Action::Create(create) if create.from.is_none() => drop(self.taken_below(&path)),
            Action::Move(moved) => {
                let to = entries.paths().path(&moved.to);
                self.move_back(history, address.1, &path, to.as_deref());
                let is_kept = || trash_location::is_in_trash(namespace.state(address.0), address.1);
                if let Some(to) = to.as_ref().filter(|_| moved.replaced.is_some())
                    && is_kept()?
                {
                    self.put(to, ContentSource::Trash(address));
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Gives known files their earlier names. A file that has such a name now came later.
    fn move_back(&mut self, history: History<'_, '_, V>, record: Id, from: &str, to: Option<&str>) {
        let mut known = to.map(|to| self.taken_below(to)).unwrap_or_default();
        self.taken_below(from);
        let Some(to) = to else { return };
        if known.is_empty() {
            let file = self.file(history, record, to);
            known.push((to.to_owned(), file));
        }
        for (path, file) in known {
            self.files.insert(format!("{from}{}", &path[to.len()..]), file);
        }
    }

    /// Takes the known state of a path and of everything below it.
    fn taken_below(&mut self, path: &str) -> Vec<(String, PastFile)> {
        // `0` follows `/`.
        let below = self.files.extract_if(format!("{path}/")..format!("{path}0"), |_, _| true);
        let below: Vec<_> = below.collect();
        self.files.remove_entry(path).into_iter().chain(below).collect()
    }
}
