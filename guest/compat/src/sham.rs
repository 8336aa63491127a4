//! SHAM: blocks in a model's answer, each an action on files.
//!
//! [`parse`] reads a text: [`scan`] finds blocks, and [`convert`] makes actions by [`catalogue`].
//! Actions run in order, whatever their results. The answer is a JSON object.

mod assignment;
pub mod catalogue;
mod context;
pub mod convert;
mod echo;
mod execute;
mod lines;
pub mod print;
mod read;
pub mod scan;
mod search;
mod state;
pub mod syntax;
#[cfg(test)]
mod tests;
mod undo;
mod write;

use serde::Serialize;
use serde_json::{Map, Value};

use self::convert::{ParseError, ParsedText, parse};
use self::echo::mistakes;
use self::execute::{RefusedAction, ShamExecutor};
use self::state::ShamState;
use crate::Tools;
use fsgate_contract::front_ends_types::{ShamArgs, ShamOutcome};
use fsgate_contract::limits::{FRONT_END_TEXT_BYTES, SHAM_BLOCKS, SHAM_DATA_BYTES};

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ShamOutput<'a> {
    success: bool,
    total_blocks: usize,
    executed_actions: usize,
    results: Vec<ShamResult<'a>>,
    parse_errors: Vec<ParseError>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fatal_error: Option<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ShamResult<'a> {
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

/// Runs the blocks of a text.
pub fn run(tools: &impl Tools, args: &ShamArgs) -> ShamOutcome {
    let text = if args.text.len() > FRONT_END_TEXT_BYTES { "" } else { &args.text };
    let ParsedText { actions, errors, summary } = parse(text);
    let most = SHAM_DATA_BYTES.min(tools.bounds().room());
    // Half as much for repeated parts of the text.
    let mut repeats = most / 2;
    let errors = mistakes(errors, &mut repeats);
    let mut output = ShamOutput {
        success: errors.is_empty(),
        total_blocks: summary.total_blocks,
        executed_actions: 0,
        results: Vec::new(),
        parse_errors: errors,
        fatal_error: None,
    };
    let state = ShamState::read(args.state.as_deref());
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
    let mut executor = ShamExecutor::new(tools, state, args.as_user.unwrap_or(false), (most, repeats));
    for action in actions {
        let (error, data) = match executor.execute(action.action, &action.parameters) {
            Ok(data) => (None, data),
            Err(RefusedAction { error, data }) => (Some(executor.shortened(&error).into_owned()), data),
        };
        output.success &= error.is_none();
        output.results.push(ShamResult {
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

fn json(output: &ShamOutput) -> String {
    // Such records always have a form in JSON.
    serde_json::to_string(output).unwrap_or_default()
}
