//! The languages of other systems as tools.
//!
//! A text asks no questions: a call that needs consent is refused, and needs its own tool.

use std::borrow::Cow;
use std::sync::Arc;

use fsgate_cli::{OF_THE_HOST, PathContext, error_text, said_for_the_host};
use fsgate_compat::{self as front_ends, InJson};
use fsgate_contract::{FRONT_ENDS, FrontEnd};
use fsgate_error::call;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use rmcp::model::{CallToolResult, ContentBlock, Resource, Tool, ToolAnnotations};
use serde_json::{Map, Value};

use super::confirm::CONFIRM;
use super::{Answers, confirm, listing};
use crate::audit::Caller;
use crate::call_scope::{CallScope, RunningCall, noted};
use crate::execute::json;
use crate::front_ends::{OfText, Uncalled};
use crate::{CancelToken, Directory, Gate, Operation};

/// The argument for the time of day in some front ends.
const NOW: &str = "now";

/// The answer in the other system's words, in an outcome.
const WORDS: [&str; 3] = ["output", "command_output", "command_error"];

pub(super) fn tool(front_end: &FrontEnd) -> Tool {
    let description = listing::joined(front_end.description);
    let annotations =
        ToolAnnotations::new().read_only(false).destructive(true).idempotent(false).open_world(false);
    let mut schema = listing::parse(front_end.input_schema);
    listing::plain(&mut schema);
    let mut tool = Tool::new(front_end.name, description, Arc::new(schema)).with_annotations(annotations);
    OF_THE_HOST.iter().for_each(|argument| listing::leave_out(&mut tool, argument));
    tool
}

pub(super) fn find(name: &str) -> Option<&'static FrontEnd> {
    FRONT_ENDS.iter().find(|front_end| front_end.name == name)
}

/// An arrived text. Dropped without an answer, the audit counts it as cancelled.
pub(super) struct Text {
    /// The grants before the narrowing by roots.
    granted: Arc<Gate>,
    caller: Caller,
    front_end: &'static FrontEnd,
    arguments: Map<String, Value>,
    /// Whether the audit has the text or its calls.
    is_recorded: bool,
}

impl Text {
    pub(super) fn new(
        granted: Arc<Gate>,
        caller: Caller,
        front_end: &'static FrontEnd,
        arguments: Map<String, Value>,
    ) -> Self {
        Self { granted, caller, front_end, arguments, is_recorded: false }
    }

    fn arrived(&mut self) -> CallScope {
        self.is_recorded = true;
        self.granted.arrive_from(&self.caller, self.front_end.name, &self.arguments)
    }

    /// Refuses a text unread, with an error in JSON.
    pub(super) fn refused(mut self, error: String) -> Result<String, String> {
        let refused = |_: &RunningCall| Err::<String, _>(error);
        self.arrived()
            .answer(&CancelToken::new(), refused, |answer, _, _| answer)
            .map_err(|e| error_text(&e, &PathContext::default()))
    }

    /// Runs a text on the open directories. `asks`: the client can ask its person about losses.
    pub(super) fn carry_out(
        mut self,
        gate: &Gate,
        token: &CancelToken,
        asks: bool,
    ) -> Result<String, String> {
        let call = |tool: &str, arguments: &str| called(gate, &self.caller, tool, arguments, token, asks);
        let bounds = OfText::new(gate.limits(), token);
        let (outcome, has_called) =
            InJson::heard(&bounds, call, |tools| match said_for_the_host(&self.arguments) {
                Some(problem) => Err(problem),
                None => front_ends::call(self.front_end.name, tools, &self.arguments()),
            });
        if has_called {
            self.is_recorded = true;
            return outcome;
        }
        // The client of a cancelled text has left.
        if token.is_cancelled() {
            return outcome;
        }
        Uncalled::of(&outcome)
            .written(self.arrived(), token)
            .map_err(|e| error_text(&json(&e), &PathContext::default()))?;
        outcome
    }

    /// The arguments with the host's time of day.
    fn arguments(&self) -> String {
        let mut arguments = self.arguments.clone();
        let schema = listing::parse(self.front_end.input_schema);
        if schema.get("properties").is_some_and(|known| known.get(NOW).is_some()) {
            arguments.insert(NOW.to_owned(), crate::front_ends::now().into());
        }
        Value::Object(arguments).to_string()
    }
}

impl Drop for Text {
    fn drop(&mut self) {
        if !self.is_recorded {
            drop(self.arrived());
        }
    }
}

fn called(
    gate: &Gate,
    caller: &Caller,
    tool: &str,
    arguments: &str,
    token: &CancelToken,
    asks: bool,
) -> Result<String, String> {
    let mut given: Map<String, Value> = serde_json::from_str(arguments).unwrap_or_default();
    call::normalize(tool, &mut given);
    let operation = Operation::find(tool).filter(|_| asks);
    // With a client that can ask, only its person consents.
    let agreed =
        operation.filter(|operation| confirm::can_need(operation)).and_then(|_| given.shift_remove(CONFIRM));
    let arguments = if agreed.is_some() {
        Cow::from(Value::Object(given.clone()).to_string())
    } else {
        Cow::from(arguments)
    };
    let arrived = gate.arrive_from(caller, tool, &given);
    let looks = !arrived.changes();
    let asked_first = operation.filter(|operation| confirm::is_asked_first(gate, operation, &given));
    let carry_out = |running: &RunningCall| match asked_first {
        Some(operation) => confirm::unless_consent_needed(gate, operation, &given, token, running).0,
        None => gate.carry_out(tool, &arguments, looks, token, running),
    };
    arrived.answer(token, carry_out, |answer, note, _| noted(answer, note))
}

/// Links to files for the user, with machine paths that clients can open.
fn links<'a>(data: &'a Value, directories: &'a [Directory]) -> impl Iterator<Item = ContentBlock> + use<'a> {
    data["events"].as_array().into_iter().flatten().filter_map(move |event| {
        let path = event["path"].as_str()?;
        let name = path.rsplit('/').next().unwrap_or(path);
        // The paths are relative to the first directory.
        let inside = format!("{}/{path}", directories.first()?.name.trim_end_matches('/'));
        let at = outside(&inside, directories)?;
        let mut link = Resource::new(format!("file://{}", percent_encode(&at, IN_A_PATH)), name);
        link.mime_type = event["mime_type"].as_str().map(str::to_owned);
        link.description = event["description"].as_str().map(str::to_owned);
        Some(ContentBlock::resource_link(link))
    })
}

/// The machine path of an inside path, by its innermost directory.
fn outside(inside: &str, directories: &[Directory]) -> Option<Vec<u8>> {
    let below = |directory: &Directory| {
        let rest = inside.strip_prefix(directory.name.trim_end_matches('/'))?;
        let path = match rest.strip_prefix('/') {
            Some(rest) => directory.path.join(rest),
            None if rest.is_empty() => directory.path.clone(),
            None => return None,
        };
        Some((directory.name.len(), path))
    };
    let (_, path) = directories.iter().filter_map(below).max_by_key(|(length, _)| *length)?;
    path.is_absolute().then(|| path.into_os_string().into_encoded_bytes())
}

const IN_A_PATH: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The result: the other system's words for the model, the outcome as data.
pub(super) fn result(
    answers: Answers,
    outcome: &Result<String, String>,
    directories: &[Directory],
) -> CallToolResult {
    let (Ok(json) | Err(json)) = outcome;
    let data: Option<Value> = outcome.as_ref().ok().and_then(|json| serde_json::from_str(json).ok());
    let words = WORDS.iter().find_map(|field| data.as_ref()?[field].as_str());
    let text = if answers == Answers::Data { None } else { words };
    let mut content = vec![ContentBlock::text(text.unwrap_or(json))];
    content.extend(data.iter().flat_map(|data| links(data, directories)));
    let mut result = CallToolResult::success(content);
    let is_thrown = data.as_ref().is_some_and(|data| data.get("command_error").is_some());
    result.is_error = (outcome.is_err() || is_thrown).then_some(true);
    if answers != Answers::Text {
        result.structured_content = data;
    }
    result
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::json;

    use super::*;
    use crate::{Access, Audit};

    #[test]
    fn a_text_that_is_taken_back_before_its_first_call_is_written_down_as_that() {
        for (front_end, text) in [
            (
                "sham",
                "#!SHAM [@three-char-SHA-256: abc]\naction = \"file_read\"\npath = \"a\"\n#!END_SHAM_abc\n",
            ),
            ("command", "readFile a"),
            ("workflow", "{{invoke_tool: read_file\nfile_path: a\n}}\n"),
            ("file_action", r#"{"action": "create", "path": "a", "content": ""}"#),
            ("plugin", r#"{"tool": "filesystem.read", "input": {"path": "a"}}"#),
        ] {
            let scratch = tempfile::tempdir().unwrap();
            let (directory, file) = (scratch.path().join("w"), scratch.path().join("audit.jsonl"));
            fs::create_dir(&directory).unwrap();
            let gate = Gate::builder()
                .dir_as(&directory, "/w", Access::Write)
                .state_root(scratch.path().join("state"))
                .audit(Audit { file: Some(file.clone()), ..Audit::default() });
            let gate = Arc::new(gate.build().unwrap());
            let caller = Caller { front_end: "mcp".to_owned(), client: None };
            let Value::Object(arguments) = json!({ "text": text }) else { unreachable!() };
            let token = CancelToken::new();
            token.cancel();
            let text = Text::new(gate.clone(), caller, find(front_end).unwrap(), arguments);
            let _ = text.carry_out(&gate, &token, false);
            let lines = fs::read_to_string(&file).unwrap();
            let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
            let found: Vec<_> = lines.iter().map(|line| (&line["tool"], &line["outcome"])).collect();
            assert_eq!(found, [(&json!(front_end), &json!("cancelled"))]);
        }
    }

    #[test]
    fn an_answer_is_words_and_data() {
        let outcome = json!({"output": "{\"success\":true}", "state": "s"});
        for (answers, text, data) in [
            (Answers::Both, r#"{"success":true}"#.to_owned(), true),
            (Answers::Text, r#"{"success":true}"#.to_owned(), false),
            (Answers::Data, outcome.to_string(), true),
        ] {
            let result = serde_json::to_value(result(answers, &Ok(outcome.to_string()), &[])).unwrap();
            assert_eq!(result["content"], json!([{"type": "text", "text": text}]), "{answers:?}");
            assert_eq!(result.get("structuredContent"), data.then_some(&outcome), "{answers:?}");
        }
        let refused = serde_json::to_value(result(Answers::Both, &Err("no text".to_owned()), &[])).unwrap();
        assert_eq!((&refused["isError"], &refused["content"][0]["text"]), (&json!(true), &json!("no text")));
    }

    #[test]
    fn a_file_for_the_user_is_a_link() {
        let directory = |name: &str, path: &str| Directory {
            name: name.to_owned(),
            access: Access::Write,
            path: path.into(),
        };
        let directories = [directory("/w", "/home/p"), directory("/w/in", "/mnt/in")];
        let event =
            json!({"path": "d/a b.png", "mime_type": "image/png", "description": "x", "message": "m"});
        let outcome = json!({"output": "{}", "events": [event]}).to_string();
        let result = serde_json::to_value(result(Answers::Both, &Ok(outcome), &directories)).unwrap();
        let link = &result["content"][1];
        assert_eq!(
            (&link["type"], &link["uri"]),
            (&json!("resource_link"), &json!("file:///home/p/d/a%20b.png"))
        );
        let fields = [&link["name"], &link["mimeType"], &link["description"]];
        assert_eq!(fields, [&json!("a b.png"), &json!("image/png"), &json!("x")]);
        for (inside, expected) in [
            ("/w/in/a", Some("/mnt/in/a")),
            ("/w/inner", Some("/home/p/inner")),
            ("/w", Some("/home/p")),
            ("/other/a", None),
        ] {
            let expected = expected.map(|path| path.as_bytes().to_vec());
            assert_eq!(outside(inside, &directories), expected, "{inside}");
        }
        let root = [directory("/", "/home/p")];
        assert_eq!(outside("/etc/passwd", &root), Some(b"/home/p/etc/passwd".to_vec()));
    }
}
