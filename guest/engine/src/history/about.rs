//! Notes about records. A note names no path of an entry that the session does not see.

use super::{Paths, Visibility};
use crate::notes::note;
use crate::recovery::Wait;
use crate::view::View;
use fsgate_contract::id::{Id, temporary};
use fsgate_contract::limits::ERROR_PATH_CHARS;
use fsgate_contract::types::Note;
use fsgate_journal::namespace::Namespace;
use fsgate_journal::record::{Action, Record};
use fsgate_text::excerpt::cut;
use fsgate_volume::Volume;

struct NotePaths<'a, V: Volume> {
    paths: Paths<'a, V>,
    visibility: Visibility<'a, V>,
}

impl<'a, V: Volume> NotePaths<'a, V> {
    fn new(namespace: &'a Namespace<V>, caller: (Id, bool)) -> Option<Self> {
        let (paths, visibility) = (Paths::new(namespace).ok()?, Visibility::new(namespace, caller).ok()?);
        Some(Self { paths, visibility })
    }

    /// The first path of a record, if the session sees its entry.
    fn first(&self, record: &Record) -> Option<String> {
        self.paths.of(record).into_iter().next().filter(|_| self.visibility.shows(&self.paths, record))
    }

    /// The path of a record for a note. A half-written file that the session may read is named in
    /// any case, because the session would take its content for complete.
    fn noted(&self, record: &Record) -> Option<String> {
        self.first(record).or_else(|| {
            let Action::Splice(splice) = &record.action else { return None };
            self.paths.path(&splice.at).filter(|_| self.paths.is_open(&splice.at))
        })
    }
}

/// Notes on files with old and new content, because changes of them are pending.
pub(crate) fn half_written<V: Volume>(view: &View<V>, pending: &[(Record, Wait)]) -> Vec<Note> {
    let Some(names) =
        (!pending.is_empty()).then(|| NotePaths::new(view.namespace(), view.caller())).flatten()
    else {
        return Vec::new();
    };
    let note = |wait| half_written_by(&names, pending, wait);
    [Wait::Refused, Wait::Tried, Wait::UnderWay, Wait::Away].into_iter().filter_map(note).collect()
}

/// The note on changes that are pending for one reason.
fn half_written_by<V: Volume>(names: &NotePaths<V>, pending: &[(Record, Wait)], wait: Wait) -> Option<Note> {
    let records = pending.iter().filter(|(_, of)| *of == wait).map(|(record, _)| record);
    let mut shown = records.filter_map(|record| Some((names.noted(record)?, record.id)));
    let (path, id) = shown.next()?;
    let more = match shown.count() {
        0 => String::new(),
        count => format!(", and {count} more"),
    };
    let (why, next) = match wait {
        Wait::Refused => (
            "the system refuses to write the file now",
            "the next change that can write it brings it to an end",
        ),
        Wait::Tried | Wait::UnderWay => {
            ("it is not complete yet", "the next change tries to bring it to an end")
        }
        Wait::Away => (
            "the file was moved or removed since",
            "move it back for the next change to bring it to an end, or `recover` gives that up",
        ),
    };
    let path = cut(&path, ERROR_PATH_CHARS);
    let begun = if wait == Wait::UnderWay { "is in progress or was cut short" } else { "was cut short" };
    let text = format!("a change {begun}, and {why}: {path} ({id}){more} has old and new content; {next}");
    Some(note("pending", &text))
}

/// The note on changes that could not be completed, because other programs have changed the files.
pub(crate) fn conflicts<V: Volume>(view: &View<V>, records: &[Record]) -> Option<Note> {
    if records.is_empty() {
        return None;
    }
    let names = NotePaths::new(view.namespace(), view.caller())?;
    let paths: Vec<_> = records.iter().filter_map(|record| names.noted(record)).collect();
    let path = paths.first()?;
    let more = match paths.len() {
        1 => String::new(),
        count => format!(" and {} more", count - 1),
    };
    Some(note(
        "conflict",
        &format!(
            "an earlier change was cut short, and the file has been changed or moved since, or is protected now, so it was left as \
             it is: {}{more}; `recover` and `log` tell more",
            cut(path, ERROR_PATH_CHARS)
        ),
    ))
}

/// The note on forgotten deletions whose directories are away, with the rest of their objects.
pub(crate) fn left_behind<V: Volume>(view: &View<V>, records: &[Record]) -> Option<Note> {
    let names = NotePaths::new(view.namespace(), view.caller())?;
    let record = records.first()?;
    let path = names.noted(record)?;
    let path = cut(&path, ERROR_PATH_CHARS);
    let more = match records.len() {
        1 => String::new(),
        count => format!(", and {} more", count - 1),
    };
    let rest = temporary(record.id);
    Some(note(
        "left_out",
        &format!(
            "the deletion of {path} was cut short, and its directory is away: `{rest}` in that directory can still \
             have a part of the content{more}"
        ),
    ))
}

/// The note on removed entries that still have something in the trash.
pub(crate) fn pending<V: Volume>(
    namespace: &Namespace<V>,
    caller: (Id, bool),
    records: &[Record],
) -> Option<Note> {
    let names = NotePaths::new(namespace, caller)?;
    // A lost record has no path that the policy could hide.
    let is_shown = |record: &&Record| record.action == Action::Remark || !names.paths.is_absent(record);
    let shown: Vec<_> = records.iter().filter(is_shown).collect();
    let first = shown.first()?;
    let path = names.first(first);
    let path = path.map_or_else(String::new, |path| format!("{} ", cut(&path, ERROR_PATH_CHARS)));
    let (entries, more) = match shown.len() {
        1 => ("1 entry that left the history is not gone yet".to_owned(), String::new()),
        count => {
            let entries = format!("{count} entries that left the history are not gone yet");
            (entries, format!(" and {} more", count - 1))
        }
    };
    Some(note(
        "pending",
        &format!(
            "{entries}: the trash still has something of {path}({}){more}; later calls try again, and where \
             permissions forbid it a person has to change them",
            first.group.map_or(first.id, |group| group.id)
        ),
    ))
}
