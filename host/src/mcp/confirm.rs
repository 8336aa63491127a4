//! Asks the person at the client for consent.
//!
//! Some clients declare that they can ask. Then no model sees or sets `confirm`: the person is
//! asked, and the call runs with the answer. Protocol versions with a handshake ask by a request of
//! the server. In later ones the question is the answer to the call, and the client repeats the
//! call with the person's answer.
//!
//! A yes holds only for the state that the person was asked about.

mod preview;
mod transaction;

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use fsgate_contract::types::{Code, Error};
use fsgate_error::{ConfirmationRefusal, Failure, Reason};
use rmcp::RoleServer;
use rmcp::model::{
    BooleanSchema, CallToolRequestParams, ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult,
    ElicitationAction, ElicitationSchema, InputRequest, InputRequiredResult, PrimitiveSchemaDefinition,
    ProtocolVersion, ServerRequest,
};
use rmcp::service::{Peer, RequestContext, ServiceError};
use serde_json::{Map, Value};

use crate::execute::json;
use crate::state::random;
use crate::{Gate, Operation};
pub(super) use preview::{Question, preview};
pub(super) use transaction::{if_unchanged, unless_consent_needed};

pub(super) const CONFIRM: &str = "confirm";

const OVERWRITE: &str = "overwrite";
const IF_MATCH: &str = "if_match";

/// Longer than a short break of a person.
const PATIENCE: Duration = Duration::from_secs(10 * 60);

/// Most open questions: more than a person has to answer. The oldest that a repeated call answers
/// are dropped.
pub(super) const QUESTIONS: usize = 64;

pub(super) fn can_ask(context: &RequestContext<RoleServer>) -> bool {
    let asks = context.client_capabilities().and_then(|client| client.elicitation);
    // A client that names no form of questions supports forms.
    asks.is_some_and(|asks| asks.form.is_some() || asks.url.is_none())
}

pub(super) fn can_need(operation: &Operation) -> bool {
    operation.fields.iter().any(|field| field.name == CONFIRM)
}

/// Whether the call is previewed, because its tool would not refuse it: `forget`, and calls that
/// overwrite. The preview tells whether anything would be lost. Applies only to a policy that wants
/// deletions confirmed.
pub(super) fn is_asked_first(gate: &Gate, operation: &Operation, arguments: &Map<String, Value>) -> bool {
    let by_itself =
        || operation.fields.iter().any(|field| field.name == OVERWRITE && field.default == Some("true"));
    let overwrites = arguments.get(OVERWRITE).map_or_else(by_itself, |said| *said != Value::Bool(false))
        || arguments.contains_key(IF_MATCH);
    let looks = arguments.get("dry_run") == Some(&Value::Bool(true));
    gate.confirms
        && match operation.name {
            "forget" => true,
            "copy" | "move" => overwrites && !looks,
            _ => false,
        }
}

fn without_overwriting(mut arguments: Map<String, Value>) -> Map<String, Value> {
    arguments.shift_remove(IF_MATCH);
    arguments.insert(OVERWRITE.to_owned(), Value::Bool(false));
    arguments
}

pub(super) fn is_needed(answer: &Result<String, String>) -> bool {
    let error = answer.as_ref().err().map(|error| serde_json::from_str::<Value>(error));
    error.is_some_and(|error| error.is_ok_and(|error| error["code"] == "confirmation_required"))
}

/// Consent, or the reason of the refusal.
pub(super) type Agreed = Result<(), ConfirmationRefusal>;

/// The question as a request of the protocol: a required yes without a default.
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

/// Reads the answer: accepting without the yes is a no.
fn agreed(answer: &ElicitResult) -> Agreed {
    match answer.action {
        ElicitationAction::Accept => {
            let yes = answer.content.as_ref().and_then(|content| content.get(CONFIRM));
            if yes == Some(&Value::Bool(true)) { Ok(()) } else { Err(ConfirmationRefusal::Declined) }
        }
        ElicitationAction::Decline => Err(ConfirmationRefusal::Declined),
        ElicitationAction::Cancel => Err(ConfirmationRefusal::Dismissed),
        _ => Err(ConfirmationRefusal::Failed),
    }
}

/// Asks by a request of the server.
pub(super) async fn ask(peer: &Peer<RoleServer>, message: String) -> Agreed {
    let asked = peer.send_request(ServerRequest::ElicitRequest(request(message)));
    match tokio::time::timeout(PATIENCE, asked).await {
        Ok(Ok(ClientResult::ElicitResult(answer))) => agreed(&answer),
        Ok(Ok(_) | Err(ServiceError::McpError(_))) => Err(ConfirmationRefusal::Failed),
        Ok(Err(_)) => Err(ConfirmationRefusal::Dismissed),
        Err(_) => Err(ConfirmationRefusal::Silent(PATIENCE)),
    }
}

/// Whether the protocol version has no requests from server to client.
pub(super) fn has_no_requests(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}

pub(super) fn refusal(operation: &Operation, refusing: ConfirmationRefusal) -> String {
    json(&Failure::from(Reason::NotConfirmed(refusing)).into_error(operation.name))
}

fn refused(operation: &Operation, code: Code, message: String, repair: &str) -> String {
    json(&Error {
        code,
        operation: operation.name.to_owned(),
        path: None,
        message,
        applied: false,
        repair: Some(repair.to_owned()),
        details: None,
    })
}

pub(super) fn too_many(operation: &Operation) -> String {
    refused(
        operation,
        Code::Limit("concurrent".to_owned()),
        format!("{QUESTIONS} questions of this session wait for a person"),
        "call again when one of them is answered",
    )
}

/// The error of a call whose subject changed since the question.
pub(super) fn stale(operation: &Operation) -> String {
    refused(
        operation,
        Code::Stale(String::new()),
        "what is there now is not what the person was asked about: it was changed before they agreed, and nothing was done"
            .to_owned(),
        "look at it again; if it is still to be done, repeat the call, and the person is asked again",
    )
}

/// Questions that were answers to calls, until those calls are repeated.
#[derive(Default)]
pub(super) struct Questions(Mutex<VecDeque<Asked>>);

struct Asked {
    /// The one-time name that the client returns with the answer.
    name: String,
    /// The call in question; for any other the answer is invalid.
    call: blake3::Hash,
    fingerprint: blake3::Hash,
    until: Instant,
}

impl Questions {
    /// Stores a question as the answer to the call, or returns `None` without randomness for its
    /// name.
    pub(super) fn ask(
        &self,
        operation: &Operation,
        arguments: &Map<String, Value>,
        asking: Question,
    ) -> Option<InputRequiredResult> {
        let name = format!("{:032x}", random().ok()?);
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.truncate(QUESTIONS - 1);
        let until = Instant::now() + PATIENCE;
        let Question { message, fingerprint } = asking;
        waiting.push_front(Asked {
            name: name.clone(),
            call: identity(operation, arguments),
            fingerprint,
            until,
        });
        let requests = [(CONFIRM.to_owned(), InputRequest::Elicitation(request(message)))].into();
        Some(InputRequiredResult::new(Some(requests), Some(name)))
    }

    /// The person's answer to this call, and the state that they saw.
    pub(super) fn answer(
        &self,
        operation: &Operation,
        call: &CallToolRequestParams,
        arguments: &Map<String, Value>,
    ) -> Option<(Agreed, blake3::Hash)> {
        let name = call.request_state.as_deref()?;
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = waiting.iter().position(|asked| asked.name == name)?;
        let asked = waiting.remove(place)?;
        if asked.call != identity(operation, arguments) || Instant::now() > asked.until {
            return None;
        }
        let answer = call.input_responses.as_ref().and_then(|answers| answers.get(CONFIRM));
        let answer = answer.and_then(|answer| serde_json::from_value::<ElicitResult>(answer.clone()).ok());
        Some((answer.map_or(Err(ConfirmationRefusal::Failed), |answer| agreed(&answer)), asked.fingerprint))
    }
}

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
    use crate::mcp::testing::object;

    fn delete() -> &'static Operation {
        Operation::find("delete").unwrap()
    }

    #[test]
    fn only_a_yes_is_a_yes() {
        for (answer, expected) in [
            (json!({"action": "accept", "content": {"confirm": true}}), Ok(())),
            (json!({"action": "accept", "content": {"confirm": false}}), Err(ConfirmationRefusal::Declined)),
            (json!({"action": "accept", "content": {"confirm": "true"}}), Err(ConfirmationRefusal::Declined)),
            (json!({"action": "accept", "content": {}}), Err(ConfirmationRefusal::Declined)),
            (json!({"action": "accept"}), Err(ConfirmationRefusal::Declined)),
            (json!({"action": "decline"}), Err(ConfirmationRefusal::Declined)),
            (json!({"action": "cancel"}), Err(ConfirmationRefusal::Dismissed)),
        ] {
            assert_eq!(agreed(&serde_json::from_value(answer.clone()).unwrap()), expected, "{answer}");
        }
    }

    #[test]
    fn an_answer_counts_once_and_for_the_call_that_was_asked_about() {
        let questions = Questions::default();
        let asked = object(json!({"path": "a", "keep": true}));
        let fingerprint = blake3::hash(b"what was there");
        let asking = || Question { message: "?".to_owned(), fingerprint };
        let ask = || questions.ask(delete(), &asked, asking()).unwrap().request_state.unwrap();
        let call = |state: &str, arguments: Value| {
            let yes = json!({"action": "accept", "content": {"confirm": true}});
            let mut call = CallToolRequestParams::new("delete").with_arguments(object(arguments));
            call.request_state = Some(state.to_owned());
            call.input_responses = Some([(CONFIRM.to_owned(), yes)].into());
            call
        };
        let answer = |operation: &'static Operation, call: &CallToolRequestParams| {
            questions.answer(operation, call, call.arguments.as_ref().unwrap())
        };
        let same = || json!({"keep": true, "path": "a"});
        let state = ask();
        assert_eq!(answer(delete(), &call("nonsense", same())), None);
        assert_eq!(answer(delete(), &call(&state, same())), Some((Ok(()), fingerprint)));
        assert_eq!(answer(delete(), &call(&state, same())), None, "once");
        let state = ask();
        assert_eq!(answer(delete(), &call(&state, json!({"path": "b", "keep": true}))), None);
        assert_eq!(answer(delete(), &call(&state, same())), None, "it was spent on another call");
        let state = ask();
        assert_eq!(answer(Operation::find("delete_directory").unwrap(), &call(&state, same())), None);
        let state = ask();
        let mut silent = call(&state, same());
        silent.input_responses = None;
        assert_eq!(answer(delete(), &silent), Some((Err(ConfirmationRefusal::Failed), fingerprint)));
        let first = ask();
        for _ in 0..QUESTIONS {
            ask();
        }
        assert_eq!(answer(delete(), &call(&first, same())), None, "forgotten");
    }
}
