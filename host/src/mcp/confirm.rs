//! Asking the person in front of a client, where a call needs somebody to agree.
//!
//! A client that can ask says so. Then no model is told of the argument `confirm`, and none can give it: whoever calls it
//! agrees with, is asked, and the call is made again with the answer. In revisions with a handshake the question is a request of
//! the server. In later ones it is the answer to the call, and the client makes the call again with what the person has said.

use std::collections::VecDeque;
use std::fmt::Write;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use fsgate_core::error::{Failure, Reason, Refusing};
use rmcp::RoleServer;
use rmcp::model::{
    BooleanSchema, CallToolRequestParams, ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult,
    ElicitationAction, ElicitationSchema, InputRequest, InputRequiredResult, PrimitiveSchemaDefinition,
    ProtocolVersion, ServerRequest,
};
use rmcp::service::{Peer, RequestContext, ServiceError};
use serde_json::{Map, Value};

use crate::audit::Heard;
use crate::calling::json;
use crate::state::random;
use crate::{CancelToken, Gate, Operation};

/// The argument by which a call is agreed to.
pub(super) const CONFIRM: &str = "confirm";

/// How long a person is waited for: longer than a walk to the coffee machine.
const PATIENCE: Duration = Duration::from_secs(10 * 60);

/// Questions that wait to be answered by another call. Whoever asks more has forgotten the first ones.
const QUESTIONS: usize = 64;

/// Paths that are named to a person.
const PATHS: usize = 8;

/// Characters of a path that are named to a person.
const PATH_CHARS: usize = 200;

/// True for a client that can ask the person in front of it.
pub(super) fn can_ask(context: &RequestContext<RoleServer>) -> bool {
    let asks = context.client_capabilities().and_then(|client| client.elicitation);
    // A client that names no way means forms.
    asks.is_some_and(|asks| asks.form.is_some() || asks.url.is_none())
}

/// True for an operation that can need somebody to agree.
pub(super) fn can_need(operation: &Operation) -> bool {
    operation.fields.iter().any(|field| field.name == CONFIRM)
}

/// True for an answer that says that somebody has to agree.
pub(super) fn is_needed(answer: &Result<String, String>) -> bool {
    let error = answer.as_ref().err().map(|error| serde_json::from_str::<Value>(error));
    error.is_some_and(|error| error.is_ok_and(|error| error["code"] == "confirmation_required"))
}

/// What a person is asked. `trial` is what the call would do.
pub(super) fn question(
    operation: &Operation,
    arguments: &Map<String, Value>,
    trial: &Value,
    has_history: bool,
) -> String {
    let mut text = format!("An agent wants to call `{}`.", operation.name);
    let named: Vec<String> = ["path", "source", "destination"]
        .iter()
        .filter_map(|name| arguments.get(*name)?.as_str().map(str::to_owned))
        .chain(deleted(arguments))
        .collect();
    for path in named.iter().take(PATHS) {
        let shown: String = path.chars().take(PATH_CHARS).flat_map(char::escape_debug).collect();
        let _ = write!(text, "\n- {shown}");
    }
    if named.len() > PATHS {
        let _ = write!(text, "\n- and {} more", named.len() - PATHS);
    }
    if let Some(pattern) = arguments.get("glob").and_then(Value::as_str) {
        let shown: String = pattern.chars().take(PATH_CHARS).flat_map(char::escape_debug).collect();
        let _ = write!(text, "\nthere all that `{shown}` matches");
    }
    match count(trial) {
        Some(1) => text += "\n1 file or directory will be deleted.",
        Some(count) => {
            let _ = write!(text, "\n{count} files and directories will be deleted.");
        }
        None => {}
    }
    let is_kept = has_history && arguments.get("keep") != Some(&Value::Bool(false));
    text += if is_kept { " It can be undone." } else { " It can NOT be undone." };
    text
}

/// Paths that a list of edits deletes, or a patch.
fn deleted(arguments: &Map<String, Value>) -> impl Iterator<Item = String> {
    let edits = arguments.get("edits").and_then(Value::as_array).into_iter().flatten();
    let edits = edits.filter(|edit| edit["delete"] == true).filter_map(|edit| edit["path"].as_str());
    let patch = arguments.get("patch").and_then(Value::as_str).map(fsgate_core::text::patch::paths);
    let patch = patch.unwrap_or_default().into_iter().filter(|(_, is_deleted)| *is_deleted);
    edits.map(str::to_owned).chain(patch.map(|(path, _)| path))
}

/// How much a call would delete.
fn count(trial: &Value) -> Option<u64> {
    trial["deleted"].as_u64().or_else(|| {
        let files = trial["files"].as_array()?;
        Some(files.iter().filter(|file| file["deleted"] == true).count() as u64)
    })
}

/// What a person has answered: nothing to be said against the call, or why it is not made.
pub(super) type Agreed = Result<(), Refusing>;

/// The question as a request of the protocol: a yes that has to be given, and that no client gives by itself.
fn request(message: String) -> ElicitRequest {
    let yes = BooleanSchema::new().title("Do it").description("Without it nothing is done");
    let properties = [(CONFIRM.to_owned(), PrimitiveSchemaDefinition::Boolean(yes))].into();
    let mut schema = ElicitationSchema::new(properties);
    schema.required = Some(vec![CONFIRM.to_owned()]);
    ElicitRequest::new(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message,
        requested_schema: schema,
    })
}

/// The answer to it. Whoever accepts without a yes says no.
fn agreed(answer: &ElicitResult) -> Agreed {
    match answer.action {
        ElicitationAction::Accept => {
            let yes = answer.content.as_ref().and_then(|content| content.get(CONFIRM));
            if yes == Some(&Value::Bool(true)) { Ok(()) } else { Err(Refusing::Declined) }
        }
        ElicitationAction::Decline => Err(Refusing::Declined),
        ElicitationAction::Cancel => Err(Refusing::Dismissed),
        _ => Err(Refusing::Failed),
    }
}

/// Asks by a request of the server, and waits for the person.
pub(super) async fn ask(peer: &Peer<RoleServer>, message: String) -> Agreed {
    let asked = peer.send_request(ServerRequest::ElicitRequest(request(message)));
    match tokio::time::timeout(PATIENCE, asked).await {
        Ok(Ok(ClientResult::ElicitResult(answer))) => agreed(&answer),
        Ok(Ok(_) | Err(ServiceError::McpError(_))) => Err(Refusing::Failed),
        Ok(Err(_)) => Err(Refusing::Dismissed),
        Err(_) => Err(Refusing::Silent(PATIENCE)),
    }
}

/// True where a server has no requests of its own.
pub(super) fn has_no_requests(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}

/// The error of a call that nobody has agreed to, in JSON.
pub(super) fn refusal(operation: &Operation, refusing: Refusing) -> String {
    json(&Failure::from(Reason::NotConfirmed(refusing)).into_error(operation.name))
}

/// What a call would do, as its dry run tells it. One that is refused needs no question.
pub(super) fn trial(
    gate: &Gate,
    operation: &Operation,
    arguments: &Map<String, Value>,
) -> Result<Value, String> {
    let mut arguments = arguments.clone();
    for name in [CONFIRM, "dry_run"] {
        arguments.insert(name.to_owned(), Value::Bool(true));
    }
    let arguments = Value::Object(arguments).to_string();
    // What is tried is no call of anybody's, and is written down only when it is one.
    let outcome = gate.carry_out(operation.name, &arguments, true, &CancelToken::new(), &Heard::default())?;
    Ok(serde_json::from_str(&outcome).unwrap_or_default())
}

/// Questions that are the answers to calls, until the call is made again.
#[derive(Default)]
pub(super) struct Questions(Mutex<VecDeque<Asked>>);

/// A question that waits.
struct Asked {
    /// What the client gives back with the answer, once.
    name: String,
    /// What was asked about: another call with this answer is another question.
    call: blake3::Hash,
    until: Instant,
}

impl Questions {
    /// Remembers a question, as what is answered to the call; none if it cannot be told from others.
    pub(super) fn ask(
        &self,
        operation: &Operation,
        arguments: &Map<String, Value>,
        message: String,
    ) -> Option<InputRequiredResult> {
        let name = format!("{:032x}", random().ok()?);
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.truncate(QUESTIONS - 1);
        let until = Instant::now() + PATIENCE;
        waiting.push_front(Asked { name: name.clone(), call: identity(operation, arguments), until });
        let requests = [(CONFIRM.to_owned(), InputRequest::Elicitation(request(message)))].into();
        Some(InputRequiredResult::new(Some(requests), Some(name)))
    }

    /// What a person has said to this call, if it is one that was asked about.
    pub(super) fn answer(&self, operation: &Operation, call: &CallToolRequestParams) -> Option<Agreed> {
        let name = call.request_state.as_deref()?;
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = waiting.iter().position(|asked| asked.name == name)?;
        let asked = waiting.remove(place)?;
        let empty = Map::new();
        let arguments = call.arguments.as_ref().unwrap_or(&empty);
        if asked.call != identity(operation, arguments) || Instant::now() > asked.until {
            return None;
        }
        let answer = call.input_responses.as_ref().and_then(|answers| answers.get(CONFIRM));
        let answer = answer.and_then(|answer| serde_json::from_value::<ElicitResult>(answer.clone()).ok());
        Some(answer.map_or(Err(Refusing::Failed), |answer| agreed(&answer)))
    }
}

/// What tells one call from another one.
fn identity(operation: &Operation, arguments: &Map<String, Value>) -> blake3::Hash {
    let mut fields: Vec<_> = arguments.iter().filter(|(name, _)| *name != CONFIRM).collect();
    fields.sort_by_key(|(name, _)| *name);
    blake3::hash(
        format!("{} {}", operation.name, serde_json::to_string(&fields).unwrap_or_default()).as_bytes(),
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(value: Value) -> Map<String, Value> {
        match value {
            Value::Object(object) => object,
            other => panic!("{other}"),
        }
    }

    fn delete() -> &'static Operation {
        Operation::find("delete").unwrap()
    }

    #[test]
    fn a_person_is_told_what_would_be_done() {
        for (arguments, trial, has_history, expected) in [
            (
                json!({"path": "a\u{1b}.txt"}),
                json!({"deleted": 1}),
                true,
                "An agent wants to call `delete`.\n- a\\u{1b}.txt\n1 file or directory will be deleted. It can be undone.",
            ),
            (
                json!({"path": "src", "glob": "*.o", "keep": false}),
                json!({"deleted": 12}),
                true,
                "An agent wants to call `delete`.\n- src\nthere all that `*.o` matches\n12 files and directories will be \
                 deleted. It can NOT be undone.",
            ),
            (
                json!({"edits": [{"path": "a", "delete": true}, {"path": "b", "old": "x"}]}),
                json!({"files": [{"path": "a", "deleted": true}, {"path": "b", "deleted": false}]}),
                false,
                "An agent wants to call `delete`.\n- a\n1 file or directory will be deleted. It can NOT be undone.",
            ),
            (json!({}), Value::Null, true, "An agent wants to call `delete`. It can be undone."),
        ] {
            assert_eq!(question(delete(), &object(arguments), &trial, has_history), expected);
        }
        let edits: Vec<_> = (0..20).map(|n| json!({"path": format!("{n:0>300}"), "delete": true})).collect();
        let long = question(delete(), &object(json!({ "edits": edits })), &Value::Null, true);
        assert!(long.len() < 2_000 && long.contains("and 12 more"), "{long}");
    }

    #[test]
    fn only_a_yes_is_a_yes() {
        for (answer, expected) in [
            (json!({"action": "accept", "content": {"confirm": true}}), Ok(())),
            (json!({"action": "accept", "content": {"confirm": false}}), Err(Refusing::Declined)),
            (json!({"action": "accept", "content": {"confirm": "true"}}), Err(Refusing::Declined)),
            (json!({"action": "accept", "content": {}}), Err(Refusing::Declined)),
            (json!({"action": "accept"}), Err(Refusing::Declined)),
            (json!({"action": "decline"}), Err(Refusing::Declined)),
            (json!({"action": "cancel"}), Err(Refusing::Dismissed)),
        ] {
            assert_eq!(agreed(&serde_json::from_value(answer.clone()).unwrap()), expected, "{answer}");
        }
    }

    #[test]
    fn an_answer_counts_once_and_for_the_call_that_was_asked_about() {
        let questions = Questions::default();
        let asked = object(json!({"path": "a", "keep": true}));
        let ask = || questions.ask(delete(), &asked, "?".to_owned()).unwrap().request_state.unwrap();
        let call = |state: &str, arguments: Value| {
            let yes = json!({"action": "accept", "content": {"confirm": true}});
            let mut call = CallToolRequestParams::new("delete").with_arguments(object(arguments));
            call.request_state = Some(state.to_owned());
            call.input_responses = Some([(CONFIRM.to_owned(), yes)].into());
            call
        };
        let same = || json!({"keep": true, "path": "a"});
        let state = ask();
        assert_eq!(questions.answer(delete(), &call("nonsense", same())), None);
        assert_eq!(questions.answer(delete(), &call(&state, same())), Some(Ok(())));
        assert_eq!(questions.answer(delete(), &call(&state, same())), None, "once");
        let state = ask();
        assert_eq!(questions.answer(delete(), &call(&state, json!({"path": "b", "keep": true}))), None);
        assert_eq!(questions.answer(delete(), &call(&state, same())), None, "it was spent on another call");
        let state = ask();
        assert_eq!(
            questions.answer(Operation::find("delete_directory").unwrap(), &call(&state, same())),
            None
        );
        let state = ask();
        let mut silent = call(&state, same());
        silent.input_responses = None;
        assert_eq!(questions.answer(delete(), &silent), Some(Err(Refusing::Failed)));
        let first = ask();
        for _ in 0..QUESTIONS {
            ask();
        }
        assert_eq!(questions.answer(delete(), &call(&first, same())), None, "forgotten");
    }
}
