//! The calls of a case.

use anyhow::{Result, bail};
use fsgate_contract::agent_types::CallArgs;
use fsgate_engine::agent;
use fsgate_engine::session::Session;
use fsgate_volume::Volume;
use serde_json::Value;

use crate::case::Case;
use crate::placeholder::{PLACEHOLDERS, REPEAT};
use crate::verdict::Answer;

/// The arguments of the call, with the values of their placeholders.
///
/// # Errors
///
/// A placeholder that has no value.
pub fn arguments(case: &Case) -> Result<String> {
    replaced(case, &[&[REPEAT], PLACEHOLDERS].concat(), Case::expanded)
}

/// The same, but for repetitions, which stay short.
///
/// # Errors
///
/// A placeholder that has no value.
pub fn arguments_but_repeats(case: &Case) -> Result<String> {
    replaced(case, PLACEHOLDERS, Case::expanded_but_repeats)
}

/// The arguments as they are written, or with the values of their placeholders if they have any.
fn replaced(
    case: &Case,
    placeholders: &[&str],
    expanded: impl Fn(&Case, &Value) -> Result<Value>,
) -> Result<String> {
    if !placeholders.iter().any(|placeholder| case.call.contains(placeholder)) {
        return Ok(case.call.clone());
    }
    let value: Value = serde_json::from_str(&case.call)?;
    Ok(expanded(case, &value)?.to_string())
}

/// Makes the call of a case in a session of the engine.
///
/// # Errors
///
/// A placeholder that has no value.
pub fn in_core<V: Volume>(session: &Session<V>, case: &Case) -> Result<Answer> {
    let args = CallArgs { tool: case.tool.clone(), arguments: arguments(case)? };
    Ok(agent::call(session, &args).map(|ok| ok.outcome).map_err(|refused| refused.error))
}

/// Makes the earlier calls of a case. Returns the case with their ids.
///
/// # Errors
///
/// An earlier call that is refused.
pub fn made_ready(case: &Case, mut call: impl FnMut(&Case) -> Result<Answer>) -> Result<Case> {
    let mut undo_ids = Vec::new();
    for earlier in &case.earlier {
        match call(&case.step(earlier, &undo_ids))? {
            Ok(outcome) => {
                let outcome: Value = serde_json::from_str(&outcome)?;
                undo_ids.push(outcome["undo_id"].as_str().unwrap_or("none").to_owned());
            }
            Err(error) => bail!("the earlier call of `{}` was refused: {error}", earlier.tool),
        }
    }
    Ok(case.with_undo_ids(&undo_ids))
}
