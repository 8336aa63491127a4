//! `file-action`: creates Markdown files and appends to them.
//!
//! [`parse`] reads one JSON action or a list. [`location`] checks each path; then an action is one
//! operation. Errors have that system's class names ([`failure`]).

pub mod failure;
pub mod location;
pub mod parse;
#[cfg(test)]
mod tests;

use serde::Serialize;

use self::failure::ActionFailure;
use self::location::relative;
use self::parse::{BrokenAction, FileAction, FileActionKind, actions};
use crate::Tools;
use fsgate_contract::edit_types::{AppendArgs, CreateArgs};
use fsgate_contract::front_ends_types::{FileActionArgs, FileActionOutcome};
use fsgate_contract::limits::{ERROR_PATH_CHARS, FRONT_END_TEXT_BYTES};
use fsgate_contract::path::spelling::literal;
use fsgate_text::excerpt::cut;

/// The separator before appended text, in any file.
const BETWEEN: &str = "\n\n";

#[derive(Debug, Serialize)]
struct FileActionOutput {
    success: bool,
    results: Vec<FileActionResult>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ActionFailure>,
}

#[derive(Debug, Serialize)]
struct FileActionResult {
    #[serde(skip_serializing_if = "Option::is_none")]
    action: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    success: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ActionFailure>,
}

/// Runs the actions of a text.
pub fn run(tools: &impl Tools, args: &FileActionArgs) -> FileActionOutcome {
    let read = match args.text.len() {
        0..=FRONT_END_TEXT_BYTES => actions(&args.text),
        _ => Err(format!("a text has at most {FRONT_END_TEXT_BYTES} bytes")),
    };
    let output = match read {
        Ok(actions) => {
            let results: Vec<_> = actions.into_iter().map(|action| carried_out(tools, action)).collect();
            FileActionOutput { success: results.iter().all(|result| result.success), results, error: None }
        }
        Err(problem) => FileActionOutput {
            success: false,
            results: Vec::new(),
            error: Some(ActionFailure::general(problem)),
        },
    };
    // Such records always have a form in JSON.
    FileActionOutcome { output: serde_json::to_string(&output).unwrap_or_default() }
}

fn carried_out(tools: &impl Tools, action: Result<FileAction, BrokenAction>) -> FileActionResult {
    // A refused action may hold long texts.
    let short = |text: String| cut(&text, ERROR_PATH_CHARS).into_owned();
    let (action, path, error) = match action {
        Ok(FileAction { kind, path, content }) => {
            let error = execute(tools, kind, &path, content).err();
            let path = if error.is_some() { short(path) } else { path };
            (Some(kind.name().to_owned()), Some(path), error)
        }
        Err(BrokenAction { action, path, problem }) => {
            (action.map(short), path.map(short), Some(ActionFailure::general(problem)))
        }
    };
    FileActionResult { action, path, success: error.is_none(), error }
}

fn execute(
    tools: &impl Tools,
    kind: FileActionKind,
    path: &str,
    content: String,
) -> Result<(), ActionFailure> {
    let path = literal(&relative(path).map_err(ActionFailure::traversal)?);
    match kind {
        FileActionKind::Create => {
            let args = CreateArgs { path, content, ..CreateArgs::default() };
            tools.call(&args).map(drop)
        }
        FileActionKind::Append => {
            let content = [BETWEEN, &content].concat();
            let args = AppendArgs { path, content, must_exist: Some(true), ..AppendArgs::default() };
            tools.call(&args).map(drop)
        }
    }
    .map_err(|error| ActionFailure::of(kind, error))
}
