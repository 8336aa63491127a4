//! Workflows: blocks in a Markdown text, each a call of a file tool.
//!
//! [`scan`] reads a text after its front matter ([`front_matter`]). Blocks run in order, whatever
//! their results; [`catalogue`] lists the tools. The answer is a JSON object, on request with the
//! text and results in place of blocks.

pub mod catalogue;
mod convert;
mod execute;
pub mod front_matter;
mod listing;
pub mod print;
mod read;
mod repair;
pub mod scan;
#[cfg(test)]
mod tests;
pub mod value;
mod write;

use std::fmt::Write;

use serde::Serialize;
use serde_json::Value;

use self::convert::{WorkflowVariables, convert, error};
use self::execute::{WorkflowExecutor, failed};
use self::front_matter::{asks_for_audit, parts, settings};
use self::scan::{WorkflowBlock, blocks};
use crate::Tools;
use crate::bounds::bytes_in_json;
use fsgate_contract::front_ends_types::{WorkflowArgs, WorkflowOutcome};
use fsgate_contract::limits::{
    FRONT_END_TEXT_BYTES, WORKFLOW_BLOCKS, WORKFLOW_DATA_BYTES, WORKFLOW_FILLED_BYTES,
};
use fsgate_contract::types::{Code, Error};

const UNAUDITED: &str = "`enable_audit_logging` is on, and nobody writes down the calls of this text: the host does that, where it is fsgate's own";

struct BlockResult<'b, 'a> {
    block: &'b WorkflowBlock<'a>,
    success: bool,
    result: String,
}

/// Runs the blocks of a text.
pub fn run(tools: &impl Tools, args: &WorkflowArgs) -> WorkflowOutcome {
    let render = args.render.unwrap_or(false);
    let found = match found(args) {
        Ok(found) => found,
        Err(fatal) => {
            let output =
                WorkflowOutput { success: false, total_blocks: 0, notes: &[], fatal_error: Some(&fatal) };
            return WorkflowOutcome { output: output.json(&[]), rendered: render.then(|| args.text.clone()) };
        }
    };
    let given = args.variables.iter().flatten();
    let variables: WorkflowVariables =
        given.map(|variable| (&variable.name[..], &variable.value[..])).collect();
    let executor = WorkflowExecutor::new(tools);
    let most = WORKFLOW_DATA_BYTES.min(tools.bounds().room());
    let (mut filled, mut room) = (WORKFLOW_FILLED_BYTES, most);
    let carried_out = |block| {
        let (path, answer) = match convert(block, &variables, &mut filled) {
            Ok(given) => (Some(given.path().to_owned()), executor.execute(&given)),
            Err(error) => (None, Err(error)),
        };
        let refused = |error: &Error| failed(block.tool, path.as_deref(), error);
        let (mut success, mut result) = match answer {
            Ok(result) => (true, result),
            Err(error) => (false, refused(&error)),
        };
        // Reports of changes and refusals are short and never left out.
        if result.get("success").is_none() {
            match room.checked_sub(bytes_in_json(&result)) {
                Some(left) => room = left,
                None => (success, result) = (false, refused(&too_much(block.tool, most))),
            }
        }
        BlockResult { block, success, result: result.to_string() }
    };
    let done: Vec<_> = found.iter().map(carried_out).collect();
    let asks = parts(&args.text).front_matter.is_some_and(asks_for_audit);
    let notes: &[_] = if asks && !args.audited.unwrap_or(false) { &[UNAUDITED] } else { &[] };
    let success = done.iter().all(|done| done.success);
    let output = WorkflowOutput { success, total_blocks: done.len(), notes, fatal_error: None };
    WorkflowOutcome { output: output.json(&done), rendered: render.then(|| rendered(&args.text, &done)) }
}

fn found(args: &WorkflowArgs) -> Result<Vec<WorkflowBlock<'_>>, String> {
    let variables = args.variables.iter().flatten();
    let size: usize = variables.map(|variable| variable.name.len() + variable.value.len()).sum();
    if args.text.len() > FRONT_END_TEXT_BYTES {
        return Err(format!("a text has at most {FRONT_END_TEXT_BYTES} bytes"));
    }
    if size > FRONT_END_TEXT_BYTES {
        return Err(format!("the variables of a text have at most {FRONT_END_TEXT_BYTES} bytes together"));
    }
    if parts(&args.text).is_open {
        return Err(
            "the front matter has settings that cannot be read: it stands between two lines `---`".to_owned()
        );
    }
    if settings(&args.text).is_some() && !args.settings_hold.unwrap_or(false) {
        return Err(
            "the front matter has settings for the tools, and nobody here holds calls to them".to_owned()
        );
    }
    let found = blocks(&args.text);
    match found.len() > WORKFLOW_BLOCKS {
        true => Err(format!("a text has at most {WORKFLOW_BLOCKS} blocks")),
        false => Ok(found),
    }
}

fn too_much(tool: &str, most: usize) -> Error {
    let message = format!("the blocks of one text give at most {most} bytes together");
    error(tool, Code::TooLarge(most as u64), message, None)
}

fn rendered(text: &str, done: &[BlockResult]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for BlockResult { block, result, .. } in done {
        out += &text[at..block.at.start];
        out += result;
        at = block.at.end;
    }
    out + &text[at..]
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WorkflowOutput<'a> {
    success: bool,
    total_blocks: usize,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    notes: &'a [&'a str],
    #[serde(skip_serializing_if = "Option::is_none")]
    fatal_error: Option<&'a str>,
}

impl WorkflowOutput<'_> {
    /// Takes results, which are large, as JSON.
    fn json(&self, done: &[BlockResult]) -> String {
        let mut out = serde_json::to_string(self).unwrap_or_default();
        out.pop();
        out += ",\"results\":[";
        for (number, BlockResult { block, success, result }) in done.iter().enumerate() {
            let (comma, tool) = (if number > 0 { "," } else { "" }, Value::from(block.tool));
            let line = block.line;
            // Such writing does not fail.
            let _ = write!(
                out,
                "{comma}{{\"tool\":{tool},\"line\":{line},\"success\":{success},\"result\":{result}}}"
            );
        }
        out + "]}"
    }
}
