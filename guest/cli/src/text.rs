//! Outcomes and errors as text for a model: a person's form plus data for the next call.
//!
//! That data is in brackets. Most forms mark each line of a file, so the brackets follow. Raw
//! content (`read`, `read_many`) and bare names (`glob`, `tree`) could imitate them; there the
//! brackets are the first line.

#[cfg(test)]
mod tests;

use std::cell::RefCell;

use fsgate_compat::lean;
use fsgate_contract::Operation;
use fsgate_contract::agent_types::{ShowArgs, Tool};
use fsgate_contract::id;
use fsgate_text::json::picked;
use serde_json::{Map, Value};

use crate::answers::ToolAnswers;
use crate::environment::{PathContext, Shell, Streams, ToolCaller, Unwritten};
use crate::forms;
use crate::no_undo_note;
use crate::quote::shown;

/// Fields for a next call, or about its need.
const TOLD: [&str; 6] = ["etag", "next_cursor", "stopped", "left", "undo_id", "backup"];

/// Fields that name an entry of the history.
const IDS: [&str; 2] = ["undo_id", "backup"];

/// Totals of a partial answer.
const WHOLE: [&str; 3] = ["line_count", "total", "size"];

/// Amounts of searched data.
const COUNTS: [&str; 3] = ["totals", "count", "searched"];

/// Fields about an encoding other than plain UTF-8.
const TEXT: [&str; 2] = ["encoding", "escaped"];

/// Tools that show raw content or bare names.
const AS_IT_IS: [&str; 4] = ["read", "read_many", "glob", "tree"];

const NOTHING: &str = "(nothing)";

/// An answer as text for a model, in the words of the lean set if one of its tools was called.
pub fn show(args: &ShowArgs, first_grant: Option<&str>) -> String {
    let ShowArgs { tool, arguments, answer, is_error, lean_tool } = args;
    let lean_tool = lean_tool.as_deref().and_then(lean::find).map(|tool| tool.name);
    let reword = if *is_error { lean::reword } else { lean::reword_notes };
    let reworded = lean_tool.and_then(|lean_tool| reword(lean_tool, answer));
    let answer = reworded.as_deref().unwrap_or(answer);
    // Arguments that are no object were refused.
    let arguments = serde_json::from_str(arguments).unwrap_or_default();
    let places = PathContext { start: first_grant.map(str::to_owned), grants: Vec::new() };
    answer_text(tool, &arguments, if *is_error { Err(answer) } else { Ok(answer) }, lean_tool, &places)
}

/// The text of an answer that has the words of the lean tool already.
pub fn answer_text(
    tool: &str,
    arguments: &Map<String, Value>,
    answer: Result<&str, &str>,
    lean_tool: Option<&str>,
    places: &PathContext,
) -> String {
    let outcome = match answer {
        Ok(outcome) => outcome,
        Err(error) => return error_text(error, places),
    };
    let text = no_undo_note::append(outcome_text(tool, arguments, outcome, places), outcome);
    match lean_tool {
        Some(lean_tool) => lean::shorten(lean_tool, tool, arguments, &text),
        None => text,
    }
}

/// An outcome's form with paths as `places` has them, and the rest in brackets.
fn outcome_text(tool: &str, arguments: &Map<String, Value>, outcome: &str, places: &PathContext) -> String {
    let Some(operation) = Operation::find(tool) else { return outcome.to_owned() };
    let answer = Recorded { outcome, places, shown: RefCell::default(), told: RefCell::default() };
    let shell = Shell { caller: &answer, streams: &answer };
    // Only a form that cannot read the complete answer fails.
    if forms::show(ToolAnswers::in_json(operation, arguments.clone(), shell)).is_err() {
        return outcome.to_owned();
    }
    let mut text = String::from_utf8_lossy(&answer.shown.into_inner()).into_owned();
    let mut told = answer.told.into_inner();
    let wanted = [&TOLD[..], &WHOLE, &COUNTS, &TEXT, &["skipped", "line_end"]].concat();
    let outcome = picked(outcome, &wanted).unwrap_or_default();
    if operation.name == "read"
        && !outcome.contains_key("next_cursor")
        && !text.is_empty()
        && !text.ends_with(['\n', '\r'])
    {
        told.push("no newline at the end of the file".to_owned());
    }
    told.extend(outcome.get("line_end").and_then(Value::as_str).and_then(line_ends));
    let mut tell = |names: &[&str]| {
        told.extend(names.iter().filter_map(|name| {
            let value = plain(outcome.get(*name)?)?;
            Some(format!("{name}: {}", if IDS.contains(name) { short_id(&value) } else { value }))
        }));
    };
    tell(&TOLD);
    if outcome.get("encoding").is_some_and(|name| name != "UTF-8") {
        tell(&["encoding"]);
    }
    // An edit must send text as a read shows it.
    if outcome.get("escaped") == Some(&Value::Bool(true)) {
        tell(&["escaped"]);
    }
    tell(&COUNTS);
    if outcome.contains_key("next_cursor") {
        tell(&WHOLE);
    }
    // A zero differs from an answer that did not look.
    if outcome.get("skipped").is_some_and(Value::is_object) {
        tell(&["skipped"]);
    }
    if AS_IT_IS.contains(&operation.name) {
        let is_listed = text.ends_with('\n') && ["glob", "tree"].contains(&operation.name);
        text.truncate(text.len() - usize::from(is_listed));
        return before_content(&told, &text);
    }
    if text.trim_end_matches('\n').is_empty() {
        NOTHING.clone_into(&mut text);
    }
    if !told.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text.extend(told.iter().map(|line| format!("[{line}]\n")));
    text.truncate(text.trim_end_matches('\n').len());
    text
}

/// The beginning of an entry's id, behind its prefix if it has one: every argument takes it.
fn short_id(value: &str) -> String {
    match value.rsplit_once(':') {
        Some((before, digits)) => format!("{before}:{}", id::shown(digits)),
        None => id::shown(value).to_owned(),
    }
}

/// Line ends that content does not show.
fn line_ends(line_end: &str) -> Option<String> {
    match line_end {
        "lf" => None,
        "mixed" => Some("mixed line ends".to_owned()),
        other => Some(other.to_uppercase()),
    }
}

/// Raw content below one line of metadata.
fn before_content(told: &[String], content: &str) -> String {
    let nothing = if content.is_empty() { "nothing" } else { "content" };
    let first = if told.is_empty() || content.is_empty() { Some(nothing.to_owned()) } else { None };
    let told: Vec<_> =
        first.iter().chain(told).map(|line| format!("[{}]", line.replace('\n', " "))).collect();
    let end = if content.is_empty() { "" } else { "\n" };
    format!("{}{end}{content}", told.join(" "))
}

/// An error's problem, place and repair.
pub fn error_text(error: &str, places: &PathContext) -> String {
    let Ok(Value::Object(record)) = serde_json::from_str(error) else { return error.to_owned() };
    let field = |name: &str| record.get(name).and_then(plain);
    let mut text = field("code").unwrap_or_default();
    if let Some(path) = field("path") {
        text += &format!(": {}", shown(&places.relative(&path)));
    }
    text += &format!(": {}", with_places(&field("message").unwrap_or_default(), places));
    if let Some(repair) = field("repair") {
        text += &format!("\n{}", with_places(&repair, places));
    }
    if record.get("applied") == Some(&Value::Bool(true)) {
        text += "\n[applied: the change may stand, whole or in part; look before you try again]";
    }
    if let Some(tag) = field("tag").filter(|tag| !text.contains(tag)) {
        text += &format!("\n[etag: {tag}]");
    }
    text
}

/// A sentence whose quoted paths have the form of other answers. A granted directory itself stays
/// absolute.
fn with_places(sentence: &str, places: &PathContext) -> String {
    let parts = sentence.split('`').enumerate().map(|(number, part)| {
        let is_path = number % 2 == 1 && part.starts_with('/');
        let path = Some(part).filter(|_| is_path).map(|part| places.relative(part));
        path.filter(|path| path != ".").unwrap_or_else(|| part.to_owned())
    });
    parts.collect::<Vec<_>>().join("`")
}

/// A value in words; none if empty.
fn plain(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        Value::Object(fields) => {
            let fields = fields.iter().filter(|(_, value)| value.as_u64() != Some(0));
            let fields: Vec<_> =
                fields.filter_map(|(name, value)| Some(format!("{name} {}", plain(value)?))).collect();
            (!fields.is_empty()).then(|| fields.join(", "))
        }
        other => Some(other.to_string()),
    }
}

struct Recorded<'a> {
    outcome: &'a str,
    places: &'a PathContext,
    shown: RefCell<Vec<u8>>,
    told: RefCell<Vec<String>>,
}

impl ToolCaller for Recorded<'_> {
    fn call(&self, _: &str, _: &str) -> Result<String, String> {
        Ok(self.outcome.to_owned())
    }

    fn places(&self) -> PathContext {
        self.places.clone()
    }

    fn tools(&self) -> Result<Vec<Tool>, String> {
        Ok(Vec::new())
    }
}

impl Streams for Recorded<'_> {
    fn input(&self, _: usize) -> Result<Vec<u8>, String> {
        Err("there is no standard input".to_owned())
    }

    fn file(&self, path: &str, _: usize) -> Result<Vec<u8>, String> {
        Err(format!("there is no file `{path}`"))
    }

    fn answer(&self, bytes: &[u8]) -> Result<(), Unwritten> {
        self.shown.borrow_mut().extend_from_slice(bytes);
        Ok(())
    }

    fn complain(&self, line: &str) {
        self.told.borrow_mut().push(line.to_owned());
    }
}
