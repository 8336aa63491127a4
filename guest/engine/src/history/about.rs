//! Notes about records.

use super::Paths;
use crate::notes::note;
use crate::recovery::Wait;
use fsgate_contract::limits::ERROR_PATH_CHARS;
use fsgate_contract::types::Note;
use fsgate_journal::namespace::Namespace;
use fsgate_journal::record::{Action, Record};
use fsgate_text::excerpt::cut;
use fsgate_volume::Volume;

/// Notes on files that are partly old and partly new, because these changes of them are pending.
pub(crate) fn half_written<V: Volume>(namespace: &Namespace<V>, pending: &[(Record, Wait)]) -> Vec<Note> {
    let Some(paths) = (!pending.is_empty()).then(|| Paths::new(namespace).ok()).flatten() else {
        return Vec::new();
    };
    let note = |wait| half_written_by(&paths, pending, wait);
    [Wait::Refused, Wait::Away].into_iter().filter_map(note).collect()
}

/// The note on those that wait for this.
fn half_written_by<V: Volume>(paths: &Paths<V>, pending: &[(Record, Wait)], wait: Wait) -> Option<Note> {
    let records = pending.iter().filter(|(_, of)| *of == wait).map(|(record, _)| record);
    let mut shown = records.filter_map(|record| Some((paths.of(record).into_iter().next()?, record.id)));
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
        Wait::Away => (
            "the file was moved or removed since",
            "move it back for the next change to bring it to an end, or `recover` gives that up",
        ),
    };
    let path = cut(&path, ERROR_PATH_CHARS);
    let text =
        format!("a change was cut short, and {why}: {path} ({id}){more} has old and new content; {next}");
    Some(note("pending", &text))
}

/// Changes that could not be brought to an end, because other programs have changed the files.
pub(crate) fn conflicts<V: Volume>(namespace: &Namespace<V>, records: &[Record]) -> Option<Note> {
    if records.is_empty() {
        return None;
    }
    let now = Paths::new(namespace).ok()?;
    let paths: Vec<_> = records.iter().filter_map(|record| now.of(record).into_iter().next()).collect();
    let path = paths.first()?;
    let more = match paths.len() {
        1 => String::new(),
        count => format!(" and {} more", count - 1),
    };
    Some(note(
        "conflict",
        &format!(
            "an earlier change was cut short, and the file has been changed since or is protected now, so it was left as it \
             is: {}{more}; `recover` and `log` tell more",
            cut(path, ERROR_PATH_CHARS)
        ),
    ))
}

/// A note on entries that left the history while the trash still has something of them.
pub(crate) fn pending<V: Volume>(namespace: &Namespace<V>, records: &[Record]) -> Option<Note> {
    let paths = Paths::new(namespace).ok()?;
    // A record that is not known any more has no path that the policy could hide.
    let is_shown = |record: &&Record| record.action == Action::Remark || !paths.is_absent(record);
    let shown: Vec<_> = records.iter().filter(is_shown).collect();
    let first = shown.first()?;
    let path = paths.of(first).into_iter().next();
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
            first.id
        ),
    ))
}
