//! The answers to one command, for a person or model.

use std::cell::RefCell;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use fsgate_contract::Operation;
use fsgate_contract::types::{Code, Error, Note};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::diff;
use crate::entry_ids::can_be_forced;
use crate::environment::{PathContext, Shell, Style};
use crate::exit::Exit;
use crate::flags::typed;
use crate::quote::{beside_brackets, shell_word, shown};

/// Calls a tool, perhaps by page, and shows notes.
pub(crate) struct ToolAnswers<'a> {
    operation: &'static Operation,
    pub(crate) arguments: Map<String, Value>,
    /// Continues after an answer: not with a given limit.
    pub(crate) paged: bool,
    pub(crate) shell: Shell<'a>,
    in_json: bool,
    places: PathContext,
    begun: bool,
    tag: Option<String>,
    /// Printed notes: pages repeat some.
    told: RefCell<Vec<String>>,
}

const SEARCHES: [&str; 2] = ["glob", "grep"];

/// The argument for an answer's time.
const TIME: &str = "max_millis";

impl<'a> ToolAnswers<'a> {
    /// Answers for a shell, full where JSON's are less: models pay for reading.
    pub(crate) fn new(
        operation: &'static Operation,
        mut arguments: Map<String, Value>,
        shell: Shell<'a>,
    ) -> Self {
        let mut paged = !arguments.contains_key("cursor");
        for field in operation.fields.iter().filter(|field| field.agent_default.is_some()) {
            paged &= !arguments.contains_key(field.name);
            if let Some((_, high)) = field.range {
                arguments.entry(field.name).or_insert(high.into());
            }
        }
        // A search answers at the pace of progress.
        if let Some(pace) = shell.streams.pace().filter(|_| paged && SEARCHES.contains(&operation.name)) {
            let millis = u64::try_from(pace.as_millis()).unwrap_or(u64::MAX);
            paged &= !arguments.contains_key(TIME);
            arguments.entry(TIME).or_insert(millis.into());
        }
        Self { paged, ..Self::of(operation, arguments, shell, shell.caller.places()) }
    }

    fn of(
        operation: &'static Operation,
        arguments: Map<String, Value>,
        shell: Shell<'a>,
        places: PathContext,
    ) -> Self {
        let told = RefCell::default();
        Self {
            operation,
            arguments,
            paged: true,
            shell,
            in_json: false,
            places,
            begun: false,
            tag: None,
            told,
        }
    }

    pub(crate) fn in_json(
        operation: &'static Operation,
        arguments: Map<String, Value>,
        shell: Shell<'a>,
    ) -> Self {
        let places = shell.caller.places();
        Self { paged: false, in_json: true, ..Self::of(operation, arguments, shell, places) }
    }

    /// A path for its reader, who can give it back as it stands.
    pub(crate) fn path(&self, path: &str) -> String {
        shown(&self.places.relative(path))
    }

    pub(crate) fn diff(&self, diff: &str) -> String {
        self.diffs(&[diff]).concat()
    }

    pub(crate) fn diffs(&self, diffs: &[&str]) -> Vec<String> {
        diff::relative(diffs, &self.places)
    }

    pub(crate) fn places(&self) -> &PathContext {
        &self.places
    }

    /// Whether the reader calls in JSON: data for its next call is outside of the form.
    pub(crate) fn are_in_json(&self) -> bool {
        self.in_json
    }

    /// The rest of a file that another tool began, from `read`.
    pub(crate) fn rest_of(&self, path: &str, cursor: String, tag: Option<&str>) -> Option<Self> {
        let operation = Operation::find("read")?;
        let arguments = Map::from_iter([("path".to_owned(), path.into())]);
        let mut rest = Self::new(operation, arguments, self.shell);
        rest.go_on(cursor);
        rest.tag = tag.filter(|tag| is_strong(tag)).map(str::to_owned);
        Some(rest)
    }

    /// The tool's answer. An error is shown and ends the command.
    pub(crate) fn ask<T: DeserializeOwned>(&self) -> Result<T, Exit> {
        // Such a map always has a form in JSON.
        let arguments = serde_json::to_string(&self.arguments).unwrap_or_default();
        let answer = self.shell.caller.call(self.operation.name, &arguments);
        let outcome = answer.map_err(|error| self.refused(&error))?;
        serde_json::from_str(&outcome).map_err(|error| {
            self.shell.complain(&format!("cannot read the outcome of `{}`: {error}", self.operation.name));
            Exit::Internal
        })
    }

    pub(crate) fn tool(&self) -> &'static str {
        self.operation.name
    }

    pub(crate) fn print(&mut self, bytes: &[u8]) -> Result<(), Exit> {
        self.begun = true;
        self.shell.print(bytes)
    }

    pub(crate) fn print_styled(&mut self, parts: &[(Style, String)]) -> Result<(), Exit> {
        self.begun = true;
        self.shell.print_styled(parts)
    }

    pub(crate) fn print_bytes(&mut self, bytes: &[u8]) -> Result<(), Exit> {
        if self.in_json { self.print(STANDARD.encode(bytes).as_bytes()) } else { self.print(bytes) }
    }

    /// Checks that all pages are of one file. Strong tags only: those of large files cover the
    /// shown bytes. The cursor protects the others.
    pub(crate) fn same_file(&mut self, tag: &str) -> Result<(), Exit> {
        if is_strong(tag) && self.tag.get_or_insert_with(|| tag.to_owned()) != tag {
            return Err(self.changed());
        }
        Ok(())
    }

    pub(crate) fn changed(&self) -> Exit {
        self.shell
            .complain("the file changed while it was read; what was shown is not all of it: start again");
        Exit::Refused
    }

    pub(crate) fn go_on(&mut self, cursor: String) {
        self.begun = true;
        self.arguments.insert("cursor".to_owned(), cursor.into());
    }

    /// Ends an answer; true to ask on. With a given limit, shows how to continue.
    pub(crate) fn next(&mut self, cursor: Option<String>) -> Result<bool, Exit> {
        let Some(cursor) = cursor else { return Ok(false) };
        if self.in_json {
            return Ok(false);
        }
        if !self.paged {
            self.shell.complain(&format!("there is more: go on with `--cursor {}`", shell_word(&cursor)));
            return Ok(false);
        }
        if self.arguments.get("cursor").and_then(Value::as_str) == Some(&cursor[..]) {
            self.shell.complain(&format!("`{}` does not get any further", self.operation.name));
            return Err(Exit::Internal);
        }
        self.go_on(cursor);
        Ok(true)
    }

    pub(crate) fn notes(&self, notes: &[Note]) {
        for note in notes {
            let text = self.said(&note.text);
            if !self.told.borrow().contains(&text) {
                self.shell.complain(&text);
                self.told.borrow_mut().push(text);
            }
        }
    }

    /// A path on a line with brackets of fsgate's own.
    pub(crate) fn path_beside_brackets(&self, path: &str) -> String {
        let path = self.path(path);
        if self.in_json { beside_brackets(&path) } else { path }
    }

    /// A text of the contract in the reader's terms: in brackets, or in words of a shell.
    pub(crate) fn said(&self, text: &str) -> String {
        if self.in_json { beside_brackets(text) } else { typed(self.operation, text) }
    }

    /// Shows an error, with its repair at a shell.
    pub(crate) fn error(&self, error: &OutputRefusal) {
        let path = error.path.as_deref().map(|path| format!("{}: ", self.path_beside_brackets(path)));
        let path = path.unwrap_or_default();
        let message = self.said(&error.message);
        self.shell.complain(&format!("{path}{message} [{}]", error.code));
        if let Some(repair) = &error.repair {
            self.shell.complain(&self.said(repair));
        }
        if let Some(flag) = error.rule.as_deref().and_then(|rule| self.shell.caller.flag_for(rule)) {
            self.shell.complain(&format!("if the file is meant, repeat the command with `{flag}`"));
        }
    }

    fn refused(&self, json: &str) -> Exit {
        match serde_json::from_str::<OutputRefusal>(json) {
            Ok(error) if self.begun && error.code == "stale" => self.changed(),
            Ok(error) => {
                self.error(&error);
                if error.code == "undo_conflict" {
                    self.tell_of_force(json);
                }
                Exit::of_error(json)
            }
            Err(_) => {
                self.shell.complain(json);
                Exit::Internal
            }
        }
    }

    /// Shows whether `--force` would undo the conflict.
    fn tell_of_force(&self, refused: &str) {
        if self.is_set("force") {
            self.shell.complain("`--force` does not take this back either");
        } else if self.operation.name == "undo" && can_be_forced(&self.arguments, refused, self.shell) {
            self.shell.complain(
                "or take it back all the same with `--force`: the present content goes into the history",
            );
        }
    }

    pub(crate) fn number(&self, name: &str) -> Option<u64> {
        self.arguments.get(name).and_then(Value::as_u64)
    }

    pub(crate) fn list(&self, name: &str) -> usize {
        self.arguments.get(name).and_then(Value::as_array).map_or(0, Vec::len)
    }

    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.arguments.get(name).and_then(Value::as_str)
    }

    pub(crate) fn is_set(&self, name: &str) -> bool {
        self.arguments.get(name).and_then(Value::as_bool).unwrap_or_default()
    }
}

#[derive(Deserialize)]
pub(crate) struct OutputRefusal {
    code: String,
    path: Option<String>,
    message: String,
    repair: Option<String>,
    /// The refusing rule of the policy.
    rule: Option<String>,
}

impl From<&Error> for OutputRefusal {
    fn from(error: &Error) -> Self {
        Self {
            code: error.code.name().to_owned(),
            path: error.path.clone(),
            message: error.message.clone(),
            repair: error.repair.clone(),
            rule: match &error.code {
                Code::DeniedByPolicy(rule) => Some(rule.clone()),
                _ => None,
            },
        }
    }
}

fn is_strong(tag: &str) -> bool {
    !tag.starts_with('r')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::testing::Answering;

    #[test]
    fn an_error_is_told_in_words_of_a_shell() {
        let refused = |code: &str, message: &str, rule: Option<&str>| json!({"code": code, "operation": "undo", "message": message, "repair": "look", "rule": rule});
        for (tool, error, expected) in [
            (
                "undo",
                refused("invalid_argument", "`id` is no id: 32 lower-case hex digits", None),
                &["`ID` is no id: 32 lower-case hex digits [invalid_argument]", "look"][..],
            ),
            (
                "read",
                refused("denied_by_policy", "denied", Some("flagged")),
                &[
                    "denied [denied_by_policy]",
                    "look",
                    "if the file is meant, repeat the command with `--flag`",
                ],
            ),
            (
                "read",
                refused("denied_by_policy", "denied", Some("x")),
                &["denied [denied_by_policy]", "look"],
            ),
        ] {
            let answering = Answering::refusing(|_: &str| error.to_string());
            let operation = Operation::find(tool).unwrap();
            let answers = ToolAnswers::new(operation, Map::new(), answering.shell());
            assert!(answers.ask::<Value>().is_err());
            assert_eq!(answering.told.take(), expected, "{error}");
        }
    }
}
