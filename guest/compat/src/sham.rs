//! SHAM: blocks in a model's answer, each an action on files.
//!
//! A text is read by [`parse`]: [`scan`] finds the blocks, [`convert`] makes actions of them with the table in [`catalogue`]. The
//! actions are carried out one after the other over the operations, whatever becomes of each. The answer is one
//! JSON object.

mod assignment;
pub mod catalogue;
mod changing;
mod context;
pub mod convert;
mod execute;
mod lines;
mod looking;
pub mod print;
mod reading;
mod repeated;
pub mod scan;
mod state;
pub mod syntax;
#[cfg(test)]
mod tests;
mod undo;

use serde::Serialize;
use serde_json::{Map, Value};

use self::convert::{ParseError, Parsed, parse};
use self::execute::{Executor, Refused};
use self::repeated::mistakes;
use self::state::State;
use crate::Tools;
use fsgate_contract::front_ends_types::{ShamArgs, ShamOutcome};
use fsgate_contract::limits::{FRONT_END_TEXT_BYTES, SHAM_BLOCKS, SHAM_DATA_BYTES};

/// What a text has come to.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Output<'a> {
    success: bool,
    total_blocks: usize,
    executed_actions: usize,
    results: Vec<ActionResult<'a>>,
    parse_errors: Vec<ParseError>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fatal_error: Option<String>,
}

/// What an action has come to.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ActionResult<'a> {
    seq: usize,
    block_id: &'a str,
    action: &'static str,
    params: Map<String, Value>,
    success: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<Value>,
}

/// Carries out the blocks of a text.
pub fn run(tools: &impl Tools, args: &ShamArgs) -> ShamOutcome {
    let text = if args.text.len() > FRONT_END_TEXT_BYTES { "" } else { &args.text };
    let Parsed { actions, errors, summary } = parse(text);
    let most = SHAM_DATA_BYTES.min(tools.bounds().room());
    // Half as much again is for what is repeated of the text.
    let mut repeats = most / 2;
    let errors = mistakes(errors, &mut repeats);
    let mut output = Output {
        success: errors.is_empty(),
        total_blocks: summary.total_blocks,
        executed_actions: 0,
        results: Vec::new(),
        parse_errors: errors,
        fatal_error: None,
    };
    let state = State::read(args.state.as_deref());
    let fatal = match &state {
        _ if args.text.len() > FRONT_END_TEXT_BYTES => {
            Some(format!("a text has at most {FRONT_END_TEXT_BYTES} bytes"))
        }
        _ if output.total_blocks > SHAM_BLOCKS => Some(format!("a text has at most {SHAM_BLOCKS} blocks")),
        Err(problem) => Some(format!("the state that came with the text cannot be read: {problem}")),
        Ok(_) => None,
    };
    let (Ok(state), None) = (state, &fatal) else {
        output.success = false;
        output.fatal_error = fatal;
        return ShamOutcome { output: json(&output), state: args.state.clone() };
    };
    let mut executor = Executor::new(tools, state, args.as_user.unwrap_or(false), (most, repeats));
    for action in actions {
        let (error, data) = match executor.execute(action.action, &action.parameters) {
            Ok(data) => (None, data),
            Err(Refused { error, data }) => (Some(executor.told(&error).into_owned()), data),
        };
        output.success &= error.is_none();
        output.results.push(ActionResult {
            seq: output.results.len() + 1,
            block_id: action.metadata.block_id,
            action: action.action,
            params: executor.repeated(action.parameters),
            success: error.is_none(),
            error,
            data,
        });
    }
    output.executed_actions = output.results.len();
    ShamOutcome { output: json(&output), state: executor.into_state().written() }
}

fn json(output: &Output) -> String {
    // Strings, numbers and lists always have a form in JSON.
    serde_json::to_string(output).unwrap_or_default()
}
