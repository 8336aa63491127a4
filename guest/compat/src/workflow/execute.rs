//! Runs calls, one at a time.

use std::time::Duration;

use serde_json::{Map, Value};

use super::convert::ToolArguments;
use super::repair::{self, repaired};
use crate::Tools;
use fsgate_contract::Callable;
use fsgate_contract::limits::ERROR_PATH_CHARS;
use fsgate_contract::read_types::StatArgs;
use fsgate_contract::time::rfc3339;
use fsgate_contract::types::{Entry, Error, Note, UndoId};
use fsgate_error::Reason;
use fsgate_text::excerpt::cut;

pub(super) type BlockAnswer = Result<Value, Error>;

pub(super) struct WorkflowExecutor<'s, T: Tools> {
    tools: &'s T,
}

impl<'s, T: Tools> WorkflowExecutor<'s, T> {
    pub(super) fn new(tools: &'s T) -> Self {
        Self { tools }
    }

    /// Runs a call; a repair is in terms of its tool.
    pub(super) fn execute(&self, given: &ToolArguments) -> BlockAnswer {
        self.carry_out(given).map_err(|error| repaired(given.tool, |flag| given.flag(flag), error))
    }

    fn carry_out(&self, given: &ToolArguments) -> BlockAnswer {
        match given.tool.name {
            "read_file" => self.read(given),
            "write_file" => self.write(given),
            "list_directory" => self.list(given),
            "create_directory" => self.create_directory(given),
            "copy_file" => self.copy(given),
            "move_file" => self.rename(given),
            "delete_file" => self.delete(given),
            "get_file_info" => self.info(given),
            name => {
                let (name, known) = (name.to_owned(), Vec::new());
                Err(given.refused(Reason::UnknownTool { name, known, nearest: None }))
            }
        }
    }

    /// Calls an operation. Errors name the block's tool.
    pub(super) fn call<A: Callable>(&self, given: &ToolArguments, args: &A) -> Result<A::Outcome, Error> {
        let named = |error: Error| Error { operation: given.tool.name.to_owned(), ..error };
        self.tools.call(args).map_err(named)
    }

    pub(super) fn stat(&self, given: &ToolArguments, path: &str) -> Result<Entry, Error> {
        let args = StatArgs { path: path.to_owned(), ..StatArgs::default() };
        self.call(given, &args).map(|outcome| outcome.entry)
    }

    /// A change's result, with the time of its history entry, else of the new file.
    pub(super) fn changed(&self, given: &ToolArguments, change: RecordedChange) -> Value {
        let RecordedChange { path, undo_id, backup, with_size, files, notes } = change;
        let entry = self.stat(given, &path).ok();
        let began = undo_id.as_deref().and_then(moment);
        let timestamp = began.or_else(|| entry.as_ref().and_then(|entry| entry.modified.clone()));
        let mut result = Map::new();
        result.insert("success".to_owned(), true.into());
        result.insert("operation".to_owned(), given.tool.name.into());
        result.insert("path".to_owned(), path.into());
        if let Some(entry) = entry.filter(|_| with_size) {
            result.insert("sizeBytes".to_owned(), entry.size.into());
        }
        if let Some(backup) = backup {
            result.insert("backupPath".to_owned(), backup.into());
        }
        result.insert("timestamp".to_owned(), timestamp.into());
        if let Some(files) = files {
            result.insert("files".to_owned(), files.into());
        }
        noted(&mut result, given, &notes);
        result.into()
    }
}

#[derive(Default)]
pub(super) struct RecordedChange {
    pub(super) path: String,
    pub(super) undo_id: Option<UndoId>,
    /// The id with which `restore` returns the old content.
    pub(super) backup: Option<String>,
    pub(super) with_size: bool,
    /// The number of files, if several may be.
    pub(super) files: Option<u32>,
    pub(super) notes: Vec<Note>,
}

pub(super) fn failed(operation: &str, path: Option<&str>, error: &Error) -> Value {
    let mut result = Map::new();
    result.insert("success".to_owned(), false.into());
    result.insert("operation".to_owned(), operation.into());
    if let Some(path) = path {
        // A variable may hold anything.
        result.insert("path".to_owned(), cut(path, ERROR_PATH_CHARS).into());
    }
    result.insert("error".to_owned(), serde_json::to_value(error).unwrap_or_default());
    result.into()
}

pub(super) fn noted(result: &mut Map<String, Value>, given: &ToolArguments, notes: &[Note]) {
    let notes: Vec<_> = notes.iter().map(|note| repair::named(given.tool.name, &note.text)).collect();
    if !notes.is_empty() {
        result.insert("notes".to_owned(), notes.into());
    }
}

/// A change's start, from its id.
fn moment(id: &str) -> Option<String> {
    let nanoseconds = u64::from_str_radix(id.get(..16)?, 16).ok()?;
    Some(rfc3339(Duration::from_nanos(nanoseconds)))
}

pub(super) fn backup_of(id: Option<&UndoId>) -> Option<String> {
    id.map(|id| format!("history:{id}"))
}
