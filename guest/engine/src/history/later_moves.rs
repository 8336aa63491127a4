//! The present paths of the objects of older records.
//!
//! Later records can move an object, remove it and bring it back. The policy of now has to allow
//! reading the object at the path that this leads to, besides the recorded one.

use super::entries::{Entries, Entry};
use super::paths::is_below;
use fsgate_contract::id::Id;
use fsgate_error::{Denial, Failure, Reason};
use fsgate_journal::record::{Action, Location, Record};
use fsgate_volume::Volume;

/// The changes of names in some entries, the newest first.
#[derive(Default)]
pub(crate) struct LaterMoves(Vec<(Id, MoveStep)>);

/// A change of a name. A path outside the grants is none.
enum MoveStep {
    /// An object gets another path. Across file systems a copy gets it, and a removal follows.
    Moved { from: String, to: Option<String>, is_copy: bool },
    /// An object goes to the trash, under the id of the record.
    Removed(String),
    /// An object comes out of the trash, where it had this id.
    Returned { at: String, trash: Id },
}

/// An object, or a copy of it that replaces it.
struct MovedObject {
    path: Option<String>,
    /// Its id in the trash, and the length of the path that was removed: its own or one above it.
    trash: Option<(Id, usize)>,
}

impl LaterMoves {
    /// Adds the changes of an entry that is older than those before it.
    pub(crate) fn add<V: Volume>(&mut self, entries: &Entries<V>, entry: &Entry) -> Result<(), Failure> {
        for address in &entry.records {
            if address.1 == entry.newest.id {
                self.add_record(entries, &entry.newest);
            } else if let Some(record) = entries.record(*address)? {
                self.add_record(entries, &record);
            }
        }
        Ok(())
    }

    fn add_record<V: Volume>(&mut self, entries: &Entries<V>, record: &Record) {
        let path = |at: &Location| entries.paths().granted(at);
        if let Some((from, to)) = record.action.led()
            && let Some(from) = path(from)
        {
            let is_copy = matches!(record.action, Action::Create(_));
            self.0.push((record.id, MoveStep::Moved { from, to: path(to), is_copy }));
        }
        if let Some(at) = record.action.trashed().and_then(path) {
            self.0.push((record.id, MoveStep::Removed(at)));
        }
        if let Action::Create(create) = &record.action
            && let Some((at, trash)) = path(&create.at).zip(create.from)
        {
            self.0.push((record.id, MoveStep::Returned { at, trash }));
        }
    }

    /// The present path of the file that has a path right after a record.
    pub(super) fn path_after<V: Volume>(
        &self,
        entries: &Entries<V>,
        record: Id,
        path: &str,
    ) -> Result<String, Failure> {
        self.follow(entries, path, |step| step > record)
    }

    /// Refuses if the object of a record may not be read at its present path.
    pub(crate) fn require_open<V: Volume>(
        &self,
        entries: &Entries<V>,
        record: &Record,
        path: &str,
    ) -> Result<(), Failure> {
        self.follow(entries, path, |step| step >= record.id).map(drop)
    }

    /// True if the object of a record may be read at its recorded path and at its present one.
    pub(crate) fn is_open<V: Volume>(&self, entries: &Entries<V>, record: &Record, at: &Location) -> bool {
        let paths = entries.paths();
        paths.is_open(at)
            && paths.granted(at).is_some_and(|path| self.require_open(entries, record, &path).is_ok())
    }

    fn follow<V: Volume>(
        &self,
        entries: &Entries<V>,
        path: &str,
        is_later: impl Fn(Id) -> bool,
    ) -> Result<String, Failure> {
        let mut objects = vec![MovedObject { path: Some(path.to_owned()), trash: None }];
        for (id, step) in self.0.iter().rev().filter(|(id, _)| is_later(*id)) {
            for number in 0..objects.len() {
                let Some(next) = objects[number].after(*id, step) else { continue };
                match step {
                    MoveStep::Moved { is_copy: true, .. } => objects.push(next),
                    _ => objects[number] = next,
                }
            }
        }
        // An object in the trash counts by its last path, unless a copy of it exists.
        if objects.iter().any(|object| object.trash.is_none()) {
            objects.retain(|object| object.trash.is_none());
        }
        // The refusals name no path.
        let readable = |object: MovedObject| {
            let elsewhere = || Reason::NotGranted(entries.namespace().grant_names());
            let path = object.path.ok_or_else(elsewhere)?;
            match entries.paths().closed_by(&path) {
                Some(rule) => Err(Failure::from(Reason::Denied(rule, Denial::Open))),
                None => Ok(path),
            }
        };
        let mut readable = objects.into_iter().map(readable);
        let first = readable.next().unwrap_or_else(|| Ok(path.to_owned()))?;
        readable.try_for_each(|other| other.map(drop))?;
        Ok(first)
    }
}

impl MovedObject {
    /// The object after a step of a record; none if the step does not concern it.
    fn after(&self, id: Id, step: &MoveStep) -> Option<Self> {
        let path = self.path.as_deref()?;
        match (step, self.trash) {
            (MoveStep::Moved { from, to, .. }, None) if is_below(path, from) => {
                let to = to.as_ref().map(|to| format!("{to}{}", &path[from.len()..]));
                Some(Self { path: to, trash: None })
            }
            (MoveStep::Removed(at), None) if is_below(path, at) => {
                Some(Self { path: Some(path.to_owned()), trash: Some((id, at.len())) })
            }
            (MoveStep::Returned { at, trash }, Some((kept, length))) if *trash == kept => {
                Some(Self { path: Some(format!("{at}{}", &path[length..])), trash: None })
            }
            _ => None,
        }
    }
}
