//! Entries in outcomes.

use super::entries::{Address, Entries, Entry};
use super::paths::Paths;
use fsgate_contract::history_types::LogSummary;
use fsgate_contract::id::Id;
use fsgate_contract::limits::HISTORY_PATHS;
use fsgate_error::{Failure, NamedEntry};
use fsgate_journal::record::Record;
use fsgate_volume::Volume;

pub(crate) fn time(id: Id) -> String {
    fsgate_contract::time::rfc3339(id.time())
}

pub(super) fn named(entry: &Entry) -> NamedEntry {
    NamedEntry { id: entry.id.to_string(), tool: entry.newest.tool.clone(), time: time(entry.id) }
}

pub(crate) fn summary<V: Volume>(entries: &Entries<V>, entry: &Entry) -> Result<LogSummary, Failure> {
    Ok(LogSummary {
        undo_id: entry.id.to_string(),
        time: time(entry.id),
        tool: entry.newest.tool.clone(),
        paths: first_paths(entries, &entry.records)?,
    })
}

pub(crate) fn summary_of_record<V: Volume>(paths: &Paths<V>, record: &Record) -> LogSummary {
    LogSummary {
        undo_id: record.id.to_string(),
        time: time(record.id),
        tool: record.tool.clone(),
        paths: paths.of(record),
    }
}

/// The first paths of records, in the order of the changes.
pub(super) fn first_paths<V: Volume>(
    entries: &Entries<V>,
    records: &[Address],
) -> Result<Vec<String>, Failure> {
    let mut first: Vec<String> = Vec::new();
    for address in records.iter().rev() {
        if first.len() >= HISTORY_PATHS {
            break;
        }
        for path in entries.record(*address)?.map(|record| entries.paths().of(&record)).unwrap_or_default() {
            if !first.contains(&path) {
                first.push(path);
            }
        }
    }
    first.truncate(HISTORY_PATHS);
    Ok(first)
}
