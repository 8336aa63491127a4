//! Calls in JSON: the only place where JSON is read.

mod arguments;
#[cfg(test)]
mod encodings;

use serde_json::{Map, Value};

use crate::contract::agent_types::{Annotations, CallArgs, CallError, CallOutcome, Tool};
use crate::contract::types::Error;
use crate::contract::{Arguments, OPERATIONS, Operation, for_each_operation};
use crate::error::{ArgumentProblem, Failure, Reason};
use crate::session::{Run, Session};
use crate::text::excerpt::shown;
use crate::text::json::given_twice;
use crate::tools;
use crate::volume::Volume;

/// Every operation, as a model is told about it.
pub fn catalogue() -> Vec<Tool> {
    OPERATIONS
        .iter()
        .map(|operation| Tool {
            name: operation.name.to_owned(),
            description: operation.description.to_owned(),
            input_schema: operation.input_schema.to_owned(),
            outcome_schema: operation.outcome_schema.to_owned(),
            annotations: Annotations {
                read_only: operation.read_only,
                destructive: operation.destructive,
                idempotent: operation.idempotent,
            },
        })
        .collect()
}

/// Calls an operation by name, arguments and outcome in JSON.
pub fn call<V: Volume>(session: &Session<V>, args: &CallArgs) -> Result<CallOutcome, CallError> {
    dispatch(session, args)
        .map(|outcome| CallOutcome { outcome })
        .map_err(|error| CallError { error: json(&error) })
}

/// Makes the arguments of a call what the tool takes them for: `"true"` becomes true, an empty
/// optional text goes. Code that reads arguments beside the tool reads these. An argument that the
/// tool refuses stays as it is.
pub fn normalize(tool: &str, arguments: &mut Map<String, Value>) {
    if let Some(operation) = Operation::find(tool) {
        arguments::normalize(operation, arguments);
    }
}

/// Reads a whole call as one JSON object: `{"tool": "...", "arguments": {...}}`. No arguments are an empty object.
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

fn dispatch<V: Volume>(
    session: &Session<V>,
    CallArgs { tool, arguments }: &CallArgs,
) -> Result<String, Error> {
    let operation = Operation::find(tool).ok_or_else(|| {
        let known: Vec<_> = OPERATIONS.iter().map(|operation| operation.name).collect();
        let nearest = nearest(tool, &known);
        Failure::from(Reason::UnknownTool { name: tool.clone(), known, nearest }).into_error(tool_name(tool))
    })?;
    let object = arguments::read(operation, arguments)
        .map_err(|reason| Failure::from(reason).into_error(operation.name))?;
    macro_rules! one_of {
        ($($tool:literal $name:ident $types:ident::$args:ident)*) => {
            match operation.name {
                $($tool => run(session, tools::$name::run, object),)*
                _ => unreachable!("the macro has every operation of the table"),
            }
        };
    }
    for_each_operation!(one_of)
}

/// Names longer than any tool's are not repeated.
fn tool_name(name: &str) -> &str {
    if name.len() <= 64 { name } else { "call" }
}

/// What each operation needs code of its own for; all else is done once for all of them.
fn run<V: Volume, A: Arguments>(
    session: &Session<V>,
    run: Run<V, A>,
    object: Map<String, Value>,
) -> Result<String, Error> {
    let args = serde_path_to_error::deserialize(object).map_err(|error| mistyped(&error, A::OPERATION))?;
    session.run(run, &args).map(|outcome| json(&outcome))
}

fn mistyped(error: &serde_path_to_error::Error<serde_json::Error>, operation: &str) -> Error {
    let field = error.path().to_string();
    let problem = error.inner().to_string();
    // The one mistake of type that the table of fields does not tell.
    if problem.contains("expected u32") {
        let problems = vec![ArgumentProblem::TooLarge { field }];
        return Failure::from(Reason::Arguments(problems)).into_error(operation);
    }
    let problem = format!("`{field}`: {problem}");
    Failure::from(Reason::MistypedArgument { field, problem }).into_error(operation)
}

/// Refuses a name that an object gives twice: of its two values one would be dropped.
fn require_once(text: &str) -> Result<(), Reason> {
    given_twice(text).map_or(Ok(()), |field| {
        let problem = format!("one object gives `{}` twice", shown(&field));
        Err(Reason::MistypedArgument { field, problem })
    })
}

/// The offset of the byte at which the parser gave up; the end, if it wanted more.
fn position(text: &str, error: &serde_json::Error) -> u64 {
    if error.is_eof() {
        return text.len() as u64;
    }
    let before: usize = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    (before + error.column().saturating_sub(1)).min(text.len()) as u64
}

/// The known name that is probably meant.
pub fn nearest(name: &str, known: &[&'static str]) -> Option<&'static str> {
    /// Below it, names have little more in common than some letters.
    const ALIKE: f64 = 0.8;
    if name.len() > 100 {
        return None;
    }
    let name = name.to_lowercase().replace('-', "_");
    known
        .iter()
        .map(|candidate| (strsim::jaro_winkler(&name, candidate), *candidate))
        .filter(|(alike, _)| *alike >= ALIKE)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

fn json(value: &impl serde::Serialize) -> String {
    // The contract's types are records, lists, strings and numbers: they always have a form in JSON.
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
