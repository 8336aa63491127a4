//! Calls in JSON: tool, arguments, and their mistakes.

mod arguments;

use serde_json::{Map, Value};

use fsgate_contract::Operation;
use fsgate_contract::agent_types::{CallArgs, CallError};
use fsgate_text::close_names::nearest;
use fsgate_text::excerpt::shown;
use fsgate_text::json::given_twice;

use crate::{ArgumentProblem, Failure, Reason};

pub use arguments::{check, parse, read};

/// Rewrites arguments to the tool's values: `"true"` becomes true, an empty optional text goes.
/// Refused arguments stay.
pub fn normalize(tool: &str, arguments: &mut Map<String, Value>) {
    if let Some(operation) = Operation::find(tool) {
        arguments::normalize(operation, arguments);
    }
}

/// Parses a call: `{"tool": "...", "arguments": {...}}`, by default without arguments.
pub fn request(text: &[u8]) -> Result<CallArgs, CallError> {
    parse_request(text).map_err(|reason| CallError { error: json(&Failure::from(reason).into_error("call")) })
}

fn parse_request(bytes: &[u8]) -> Result<CallArgs, Reason> {
    const KNOWN: [&str; 2] = ["tool", "arguments"];
    let malformed = |position, problem| Reason::MalformedRequest { position, problem };
    let text = std::str::from_utf8(bytes)
        .map_err(|error| malformed(error.valid_up_to() as u64, error.to_string()))?;
    let object: Map<String, Value> =
        serde_json::from_str(text).map_err(|error| malformed(position(text, &error), error.to_string()))?;
    require_once(text)?;
    if let Some(unknown) = object.keys().find(|key| !KNOWN.contains(&key.as_str())) {
        let nearest = nearest(unknown, &KNOWN);
        let field = unknown.clone();
        return Err(Reason::Arguments(vec![ArgumentProblem::Unknown {
            field,
            known: KNOWN.to_vec(),
            nearest,
        }]));
    }
    let mistyped = |field: &str, problem: &str| Reason::MistypedArgument {
        field: field.to_owned(),
        problem: format!("`{field}` {problem}"),
    };
    let tool = match object.get("tool") {
        Some(Value::String(tool)) => tool.clone(),
        Some(_) => return Err(mistyped("tool", "is not a string")),
        None => return Err(mistyped("tool", "is missing")),
    };
    let arguments = match object.get("arguments") {
        None | Some(Value::Null) => "{}".to_owned(),
        Some(arguments @ Value::Object(_)) => arguments.to_string(),
        Some(_) => return Err(mistyped("arguments", "is not an object")),
    };
    Ok(CallArgs { tool, arguments })
}

/// Refuses duplicate names: a parser drops one of the values.
fn require_once(text: &str) -> Result<(), Reason> {
    given_twice(text).map_or(Ok(()), |field| {
        let problem = format!("one object gives `{}` twice", shown(&field));
        Err(Reason::MistypedArgument { field, problem })
    })
}

/// The offset of the parser's failure; the end of an incomplete text.
fn position(text: &str, error: &serde_json::Error) -> u64 {
    if error.is_eof() {
        return text.len() as u64;
    }
    let before: usize = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    (before + error.column().saturating_sub(1)).min(text.len()) as u64
}

fn json(value: &impl serde::Serialize) -> String {
    // Such types always have a form in JSON.
    serde_json::to_string(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_argument_is_given_once() {
        for (tool, arguments, twice) in [
            ("read", r#"{"path": "a", "path": "b"}"#, Some("path")),
            ("read", r#"{"path": "a", "p\u0061th": "a"}"#, Some("path")),
            ("apply", r#"{"edits": [{"path": "a", "old": "x", "new": "y", "old": "z"}]}"#, Some("old")),
            ("apply", r#"{"edits": [{"path": "a", "delete": true}, {"path": "b", "delete": true}]}"#, None),
        ] {
            let parsed = arguments::read(Operation::find(tool).unwrap(), arguments);
            let expected = twice.map(|field| Reason::MistypedArgument {
                field: field.to_owned(),
                problem: format!("one object gives `{field}` twice"),
            });
            assert_eq!(parsed.err(), expected, "{arguments}");
        }
    }

    #[test]
    fn a_request_is_one_object_with_a_tool_and_its_arguments() {
        for (text, expected) in [
            (r#"{"tool": "read", "arguments": {"path": "a"}}"#, Ok(("read", r#"{"path":"a"}"#))),
            (r#"{"tool": "read"}"#, Ok(("read", "{}"))),
            (r#"{"tool": "read", "arguments": null}"#, Ok(("read", "{}"))),
            (r#"{"tool": "read", "arguments": []}"#, Err(r#""invalid_argument","field":"arguments""#)),
            (r#"{"tool": "read", "argument": {}}"#, Err("did you mean `arguments`?")),
            (r#"{"tool": 1}"#, Err(r#""invalid_argument","field":"tool""#)),
            (r#"{"tool": "read", "tool": "write"}"#, Err("one object gives `tool` twice")),
            (r#"{"tool": "read", "arguments": {"path": "a", "path": "b"}}"#, Err("gives `path` twice")),
            ("{}", Err("`tool` is missing")),
            ("", Err(r#""malformed","position":0"#)),
            (r#"{"tool": "read",}"#, Err(r#""malformed","position":16"#)),
            (r#"["read"]"#, Err(r#""malformed""#)),
        ] {
            match (request(text.as_bytes()), expected) {
                (Ok(call), Ok(expected)) => assert_eq!((&call.tool[..], &call.arguments[..]), expected),
                (Err(refused), Err(expected)) => {
                    assert!(refused.error.contains(expected), "{text}: {}", refused.error);
                }
                (got, _) => panic!("{text}: {got:?}"),
            }
        }
        assert!(request(b"{\"tool\": \"\xFF\"}").unwrap_err().error.contains(r#""position":10"#));
    }
}
