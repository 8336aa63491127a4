//! `plugin`: file tools of a system with files per user.
//!
//! [`parse`] reads one JSON call or a list. [`location`] checks paths. Each file has a hidden
//! [`sidecar`], written and removed with it. [`picomatch`] parses patterns. The user's root is the
//! first grant, which the host chooses.

pub mod encoding;
mod execute;
pub mod failure;
mod listing;
pub mod location;
pub mod parse;
pub mod picomatch;
mod read;
pub mod sidecar;
#[cfg(test)]
mod tests;
mod write;

use serde::Serialize;
use serde_json::Value;

use self::execute::PluginExecutor;
use self::failure::PluginFailure;
use self::parse::{PluginCalls, calls};
use crate::Tools;
use fsgate_contract::front_ends_types::{FileEvent, PluginArgs, PluginOutcome};
use fsgate_contract::limits::FRONT_END_TEXT_BYTES;

#[derive(Debug, Default, Serialize)]
struct PluginAnswer {
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<PluginFailure>,
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<PluginEvent>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Message>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct PluginEvent {
    r#type: &'static str,
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    mime_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
}

#[derive(Debug, Serialize)]
struct Message {
    role: &'static str,
    content: String,
}

impl PluginAnswer {
    fn failed(failure: PluginFailure) -> Self {
        Self { error: Some(failure), ..Self::default() }
    }

    fn sent(event: &FileEvent) -> Self {
        let FileEvent { path, mime_type, description, message } = event.clone();
        Self {
            output: Some(serde_json::json!({"sent": true})),
            error: None,
            event: Some(PluginEvent { r#type: "file", path, mime_type, description }),
            message: Some(Message { role: "assistant", content: message }),
        }
    }

    fn written(&self) -> String {
        // Such records always have a form in JSON.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// Runs the calls of a text.
pub fn run(tools: &impl Tools, args: &PluginArgs) -> PluginOutcome {
    let read = match args.text.len() {
        0..=FRONT_END_TEXT_BYTES => calls(&args.text),
        _ => Err(format!("a text has at most {FRONT_END_TEXT_BYTES} bytes")),
    };
    let mut executor = PluginExecutor::new(tools, args.now.as_deref());
    let output = match read {
        Ok(PluginCalls { is_list, calls }) => {
            let answers: Vec<_> = calls.into_iter().map(|call| executor.answer(call)).collect();
            let answers = answers.join(",");
            if is_list { format!("[{answers}]") } else { answers }
        }
        Err(problem) => PluginAnswer::failed(PluginFailure::unread(problem)).written(),
    };
    PluginOutcome { output, events: executor.events }
}
