//! The operations for the host ACT: `act:tools/tool-provider`.
//!
//! Its functions are asynchronous, but run at once. The component model allows that, and they wait
//! for files only.

#![cfg(target_family = "wasm")]

use fsgate_contract::agent_types::{CallArgs, Tool};
use serde_json::Value;

use fsgate_engine::session::Session;
use fsgate_volume::settings::{Refusal, directory};
use fsgate_wasi::{Preopen, grants};

use bindings::act::core::types::{Error, LocalizedString};
use bindings::act::tools::types::{ContentPart, ListToolsResponse, ToolDefinition, ToolEvent};
use bindings::exports::act::tools::tool_provider::{Guest, Metadata, ToolResult};

mod bindings {
    wit_bindgen::generate!({
        path: "../../../wit/act",
        world: "act",
        async: false,
        generate_all,
    });
}

struct Component;

fsgate_wasi::session!(Preopen, open);

/// A session with settings from a granted directory's file: ACT hands in no variables.
fn open() -> Session<Preopen> {
    let mut grants = grants();
    match directory::take(&mut grants) {
        Ok(settings) => {
            Session::open_or_refuse(grants, settings.iter().map(|(name, value)| (&name[..], &value[..])))
        }
        Err(unread) => Session::refused(Refusal::Unread(unread)),
    }
}

/// Truth in CBOR.
const TRUE: u8 = 0xF5;
const FALSE: u8 = 0xF4;

impl Guest for Component {
    fn list_tools(_metadata: Metadata) -> Result<ListToolsResponse, Error> {
        let tools = fsgate_contract::catalogue().into_iter().map(definition).collect();
        Ok(ListToolsResponse { metadata: Vec::new(), tools })
    }

    fn call_tool(name: String, arguments: Vec<u8>, _metadata: Metadata) -> ToolResult {
        let event = call(name, &arguments).unwrap_or_else(ToolEvent::Error);
        ToolResult::Immediate(vec![event])
    }
}

bindings::export!(Component with_types_in bindings);

fn definition(tool: Tool) -> ToolDefinition {
    let said = [
        ("std:read-only", tool.annotations.read_only),
        ("std:destructive", tool.annotations.destructive),
        ("std:idempotent", tool.annotations.idempotent),
    ];
    ToolDefinition {
        name: tool.name,
        description: LocalizedString::Plain(tool.description),
        parameters_schema: tool.input_schema,
        metadata: said.map(|(name, value)| (name.to_owned(), vec![if value { TRUE } else { FALSE }])).into(),
    }
}

fn call(tool: String, arguments: &[u8]) -> Result<ToolEvent, Error> {
    let arguments: Value = ciborium::from_reader(arguments).map_err(|problem| Error {
        kind: "std:invalid-args".to_owned(),
        message: LocalizedString::Plain(format!("the arguments of `{tool}` are no CBOR: {problem}")),
        metadata: Vec::new(),
    })?;
    let args = CallArgs { tool, arguments: arguments.to_string() };
    let outcome =
        session(|session| fsgate_wasi::call(session, &args)).map_err(|refused| error(refused.error))?;
    Ok(ToolEvent::Content(ContentPart {
        data: outcome.outcome.into_bytes(),
        mime_type: Some("application/json".to_owned()),
        metadata: Vec::new(),
    }))
}

/// The host shows models only the message, and their next call needs all of the error.
fn error(json: String) -> Error {
    let value: Value = serde_json::from_str(&json).unwrap_or_default();
    let kind = kind(value["code"].as_str().unwrap_or_default());
    Error { kind, message: LocalizedString::Plain(json), metadata: Vec::new() }
}

/// The host's word for a code.
fn kind(code: &str) -> String {
    match code {
        "unknown_tool" => "std:not-found".to_owned(),
        "invalid_argument" | "invalid_path" | "invalid_pattern" | "invalid_range" | "malformed" => {
            "std:invalid-args".to_owned()
        }
        "not_granted" | "path_escape" | "read_only" | "denied_by_policy" => {
            "std:capability-denied".to_owned()
        }
        "deadline" => "std:timeout".to_owned(),
        "other" => "std:internal".to_owned(),
        code => format!("fsgate:{}", code.replace('_', "-")),
    }
}
