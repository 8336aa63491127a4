//! Runs actions, one at a time.

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

pub(super) type ActionAnswer = Result<Option<Value>, RefusedAction>;

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

pub(super) struct ShamExecutor<'s, T: Tools> {
    tools: &'s T,
    pub(super) state: ShamState,
    as_user: bool,
    /// The most bytes of JSON output.
    most: usize,
    room: usize,
    /// Bytes left for repeated parts of the text.
    repeats: usize,
}

#[derive(Clone, Copy)]
pub(super) struct ActionArguments<'a> {
    pub(super) action: &'static str,
    parameters: &'a Map<String, Value>,
}

impl<'a> ActionArguments<'a> {
    /// A text, by default empty.
    pub(super) fn text(&self, name: &str) -> &'a str {
        self.parameters.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    pub(super) fn number(&self, name: &str) -> Option<i64> {
        self.parameters.get(name).and_then(Value::as_i64)
    }

    pub(super) fn says(&self, sentence: &str) -> RefusedAction {
        format!("{}: {sentence}", self.action).into()
    }

    /// An operation's error in this action's terms. A path's parts after `@@` are our `section`.
    pub(super) fn failed(&self, call: &str, path: &str, error: &Error) -> String {
        self.attempt(call, path).failed(error).replacen("`section`", "`@@`", 1)
    }

    pub(super) fn attempt<'b>(&self, call: &'b str, path: &'b str) -> Attempt<'b> {
        Attempt { operation: self.action, call, path, to: None }
    }
}

impl<'s, T: Tools> ShamExecutor<'s, T> {
    /// Runs actions of at most `most` bytes of output.
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

    pub(super) fn tools(&self) -> &T {
        self.tools
    }

    pub(super) fn call<A: Callable>(&self, args: &A) -> Result<A::Outcome, Error> {
        self.tools.call(args)
    }

    pub(super) fn changed(&mut self, id: Option<UndoId>) {
        if let Some(text) = self.state.changes.last_mut() {
            text.extend(id);
        }
    }

    /// Reserves bytes of the answer.
    pub(super) fn take(&mut self, given: &ActionArguments, bytes: usize) -> Result<(), RefusedAction> {
        self.room = self.room.checked_sub(bytes).ok_or_else(|| {
            given.says(&format!("the actions of one text give at most {} bytes together", self.most))
        })?;
        Ok(())
    }

    pub(super) fn release(&mut self, bytes: usize) {
        self.room += bytes;
    }

    /// An action's repeated parameters that fit.
    pub(super) fn repeated(&mut self, mut parameters: Map<String, Value>) -> Map<String, Value> {
        parameters.retain(|name, value| self.fits(name.len() + bytes_in_json(value)));
        parameters
    }

    /// A repeated path or error, cut to fit.
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

    /// A file and its section: `/a.md@@## Two@@### Three`, unless a file has this name.
    pub(super) fn located<'a>(&self, path: &'a str) -> (&'a str, Option<Vec<String>>) {
        let Some((file, section)) = path.split_once("@@") else { return (path, None) };
        let there = self.call(&ExistsArgs { path: path.to_owned() });
        match there {
            Ok(outcome) if outcome.exists => (path, None),
            _ => (file, Some(section.split("@@").map(str::to_owned).collect())),
        }
    }
}

pub(super) fn is_missing(error: &Error) -> bool {
    matches!(error.code, Code::NotFound | Code::NotDirectory)
}

const QUOTES: usize = 2;

/// The size of a text in JSON, without quotes.
pub(super) fn size_in_json(text: &str) -> usize {
    bytes_in_json(&text) - QUOTES
}
