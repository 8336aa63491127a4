//! Carries out actions, one at a time.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::catalogue;
use super::state::ShamState;
use crate::Tools;
use crate::bounds::bytes_in_json;
use crate::failure_terms::Attempt;
use fsgate_contract::Callable;
use fsgate_contract::limits::ERROR_PATH_CHARS;
use fsgate_contract::read_types::ExistsArgs;
use fsgate_contract::types::{Code, Error, UndoId};
use fsgate_text::excerpt::cut;

/// What an action gives, if it gives anything.
pub(super) type ActionAnswer = Result<Option<Value>, RefusedAction>;

/// Why an action has failed, and what it gives all the same.
#[derive(Debug)]
pub(super) struct RefusedAction {
    pub(super) error: String,
    pub(super) data: Option<Value>,
}

impl From<String> for RefusedAction {
    fn from(error: String) -> Self {
        Self { error, data: None }
    }
}

/// Carries out the actions of one text.
pub(super) struct ShamExecutor<'s, T: Tools> {
    tools: &'s T,
    pub(super) state: ShamState,
    as_user: bool,
    /// Bytes in JSON that actions may give.
    most: usize,
    /// How many of them are left.
    room: usize,
    /// Bytes in JSON that may still be repeated of the text.
    repeats: usize,
}

/// An action with what it was given.
#[derive(Clone, Copy)]
pub(super) struct ActionArguments<'a> {
    pub(super) action: &'static str,
    parameters: &'a Map<String, Value>,
}

impl<'a> ActionArguments<'a> {
    /// A text; the empty one, if it was not given.
    pub(super) fn text(&self, name: &str) -> &'a str {
        self.parameters.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// A number, if it was given.
    pub(super) fn number(&self, name: &str) -> Option<i64> {
        self.parameters.get(name).and_then(Value::as_i64)
    }

    /// A sentence of this action.
    pub(super) fn says(&self, sentence: &str) -> RefusedAction {
        format!("{}: {sentence}", self.action).into()
    }

    /// An error of what this action tried on a path. Names behind `@@` are our parameter `section`.
    pub(super) fn failed(&self, call: &str, path: &str, error: &Error) -> String {
        self.attempt(call, path).failed(error).replacen("`section`", "`@@`", 1)
    }

    /// What this action tries on a path.
    pub(super) fn attempt<'b>(&self, call: &'b str, path: &'b str) -> Attempt<'b> {
        Attempt { operation: self.action, call, path, to: None }
    }
}

impl<'s, T: Tools> ShamExecutor<'s, T> {
    /// Its actions give at most so many bytes, and its answer repeats so many of it.
    pub(super) fn new(
        tools: &'s T,
        mut state: ShamState,
        as_user: bool,
        (most, repeats): (usize, usize),
    ) -> Self {
        state.changes.push(Vec::new());
        Self { tools, state, as_user, most, room: most, repeats }
    }

    pub(super) fn into_state(self) -> ShamState {
        self.state
    }

    /// Carries out an action of the catalogue.
    pub(super) fn execute(&mut self, action: &'static str, parameters: &Map<String, Value>) -> ActionAnswer {
        let given = ActionArguments { action, parameters };
        if !self.as_user
            && catalogue::ActionSpec::find(action).is_some_and(catalogue::ActionSpec::is_for_people)
        {
            return Err(given.says("Not available to a model (accessibility: user)"));
        }
        match action {
            "file_write" => self.write(&given),
            "file_append" => self.append(&given),
            "file_replace_text" => self.replace_text(&given),
            "file_replace_all_text" => self.replace_all_text(&given),
            "files_replace_all_text" => self.replace_all_text_in_files(&given),
            "file_replace_lines" => self.replace_lines(&given),
            "file_comment_lines" => self.comment_lines(&given),
            "file_uncomment_lines" => self.uncomment_lines(&given),
            "file_delete" => self.delete(&given),
            "file_move" => self.rename(&given),
            "dir_create" => self.create_directory(&given),
            "dir_delete" => self.delete_directory(&given),
            "file_read" => self.read(&given),
            "file_read_numbered" => self.read_numbered(&given),
            "files_read" => self.read_files(&given),
            "files_read_numbered" => self.read_files_numbered(&given),
            "ls" => self.list(&given),
            "grep" => self.grep(&given),
            "glob" => self.glob(&given),
            "context_add" => self.add_to_context(&given),
            "context_remove" => Ok(self.remove_from_context(&given)),
            "context_list" => self.list_context(&given),
            "context_prune" => self.prune_context(&given),
            "context_clear" => Ok(self.clear_context()),
            "undo" => self.undo(&given),
            "exec" => Err(given.says("Not available in this sandbox: no programs are run in it")),
            "git_squash" | "git_step_back" | "git_step_forward" => Err(given.says(
                "Not available in this sandbox: no programs are run in it, and git is one; `undo` takes back what a text has changed",
            )),
            _ => Err(format!("Unknown action: {action}").into()),
        }
    }

    /// Who carries out its calls.
    pub(super) fn tools(&self) -> &T {
        self.tools
    }

    /// Calls an operation.
    pub(super) fn call<A: Callable>(&self, args: &A) -> Result<A::Outcome, Error> {
        self.tools.call(args)
    }

    /// Remembers a change, so that it can be taken back.
    pub(super) fn changed(&mut self, id: Option<UndoId>) {
        if let Some(text) = self.state.changes.last_mut() {
            text.extend(id);
        }
    }

    /// Makes room for so many bytes of an answer.
    pub(super) fn take(&mut self, given: &ActionArguments, bytes: usize) -> Result<(), RefusedAction> {
        self.room = self.room.checked_sub(bytes).ok_or_else(|| {
            given.says(&format!("the actions of one text give at most {} bytes together", self.most))
        })?;
        Ok(())
    }

    /// What of an action's parameters its result repeats: those that there is room for. Whoever has written them knows the others.
    pub(super) fn repeated(&mut self, mut parameters: Map<String, Value>) -> Map<String, Value> {
        parameters.retain(|name, value| self.fits(name.len() + bytes_in_json(value)));
        parameters
    }

    /// A path that is repeated, or why an action has failed: whole where there is room for it.
    pub(super) fn shortened<'t>(&mut self, text: &'t str) -> Cow<'t, str> {
        match self.fits(size_in_json(text)) {
            true => text.into(),
            false => cut(text, ERROR_PATH_CHARS),
        }
    }

    fn fits(&mut self, bytes: usize) -> bool {
        let left = self.repeats.checked_sub(bytes);
        self.repeats = left.unwrap_or(self.repeats);
        left.is_some()
    }

    /// Refuses the path of a part of a file that exists, for an action that `takes` a whole one.
    pub(super) fn require_whole(
        &self,
        given: &ActionArguments,
        path: &str,
        takes: &str,
    ) -> Result<(), RefusedAction> {
        let (file, section) = self.located(path);
        let args = ExistsArgs { path: file.to_owned() };
        if section.is_some() && self.call(&args).is_ok_and(|outcome| outcome.exists) {
            return Err(
                given.says(&format!("`@@` names a part of '{file}', and this action {takes} a whole file"))
            );
        }
        Ok(())
    }

    /// A file, and the part of it that is meant: `/a.md@@## Two@@### Three`, unless there is a file of this whole name.
    pub(super) fn located<'a>(&self, path: &'a str) -> (&'a str, Option<Vec<String>>) {
        let Some((file, section)) = path.split_once("@@") else { return (path, None) };
        let there = self.call(&ExistsArgs { path: path.to_owned() });
        match there {
            Ok(outcome) if outcome.exists => (path, None),
            _ => (file, Some(section.split("@@").map(str::to_owned).collect())),
        }
    }
}

/// No such thing.
pub(super) fn is_missing(error: &Error) -> bool {
    matches!(error.code, Code::NotFound | Code::NotDirectory)
}

/// The quotes around a text in JSON.
const QUOTES: usize = 2;

/// Bytes that a text takes in JSON, without its quotes.
pub(super) fn size_in_json(text: &str) -> usize {
    bytes_in_json(&text) - QUOTES
}
