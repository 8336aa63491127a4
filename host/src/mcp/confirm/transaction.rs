//! A preview and its call in one step, without a change of another gate in between.

use fsgate_error::ConfirmationRefusal;
use serde_json::{Map, Value};

use super::{CONFIRM, Question, can_need, preview, refusal, stale, without_overwriting};
use crate::call_scope::RunningCall;
use crate::{CancelToken, Gate, Operation};

enum Left {
    Made(String),
    Asks(Question),
}

/// Makes a call that needs no consent, or refuses it and returns the question.
pub(in crate::mcp) fn unless_consent_needed(
    gate: &Gate,
    operation: &'static Operation,
    arguments: &Map<String, Value>,
    token: &CancelToken,
    running: &RunningCall,
) -> (Result<String, String>, Option<Question>) {
    let has_history = gate.state.is_some();
    let left = gate.carry_out_in_steps(operation.name, token, running, |call| {
        match preview(call, operation, arguments, has_history)? {
            Ok(Some(asking)) => Ok(Ok(Left::Asks(asking))),
            Ok(None) => {
                let unasked = match has_history {
                    true => arguments.clone(),
                    // Nothing would be lost now, and a file that another program creates meanwhile
                    // is not overwritten.
                    false => without_overwriting(arguments.clone()),
                };
                Ok(call(operation.name, &Value::Object(unasked))?.map(Left::Made))
            }
            Err(refusal) => Ok(Err(refusal)),
        }
    });
    match left {
        Ok(Left::Made(outcome)) => (Ok(outcome), None),
        Ok(Left::Asks(asking)) => (Err(refusal(operation, ConfirmationRefusal::Failed)), Some(asking)),
        Err(error) => (Err(error), None),
    }
}

/// Makes a confirmed call if the person saw the present state.
pub(in crate::mcp) fn if_unchanged(
    gate: &Gate,
    operation: &'static Operation,
    arguments: &Map<String, Value>,
    fingerprint: blake3::Hash,
    token: &CancelToken,
    running: &RunningCall,
) -> Result<String, String> {
    let has_history = gate.state.is_some();
    let mut confirmed = arguments.clone();
    if can_need(operation) {
        confirmed.insert(CONFIRM.to_owned(), Value::Bool(true));
    }
    let confirmed = Value::Object(confirmed);
    gate.carry_out_in_steps(operation.name, token, running, |call| {
        match preview(call, operation, arguments, has_history)? {
            Ok(Some(now)) if now.fingerprint == fingerprint => call(operation.name, &confirmed),
            Ok(_) => Ok(Err(stale(operation))),
            Err(refusal) => Ok(Err(refusal)),
        }
    })
}
