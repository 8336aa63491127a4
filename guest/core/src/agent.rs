//! Calls in JSON: the only place where JSON is read.

use serde_json::{Map, Value};

use crate::contract::agent_types::{Annotations, CallArgs, CallError, CallOutcome, Tool};
use crate::contract::types::Error;
use crate::contract::{Arguments, Field, Kind, OPERATIONS, Operation, for_each_operation};
use crate::error::{Failure, Reason};
use crate::session::{Run, Session};
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
    if let Some(unknown) = object.keys().find(|key| !KNOWN.contains(&key.as_str())) {
        let nearest = nearest(unknown, &KNOWN);
        return Err(Reason::UnknownArgument { field: unknown.clone(), known: KNOWN.to_vec(), nearest });
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
    let object =
        parse(operation, arguments).map_err(|reason| Failure::from(reason).into_error(operation.name))?;
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
    let problem = format!("`{field}`: {}", error.inner());
    Failure::from(Reason::MistypedArgument { field, problem }).into_error(operation)
}

/// The arguments by name, with the defaults that agents have.
fn parse(operation: &'static Operation, arguments: &str) -> Result<Map<String, Value>, Reason> {
    let mut object: Map<String, Value> = serde_json::from_str(arguments).map_err(|error| {
        Reason::MalformedArguments { position: position(arguments, &error), problem: error.to_string() }
    })?;
    require_known(operation.fields, &object, "")?;
    for field in operation.fields {
        if let Some(default) = field.agent_default
            && object.get(field.name).is_none_or(Value::is_null)
            && let Ok(default) = serde_json::from_str(default)
        {
            object.insert(field.name.to_owned(), default);
        }
    }
    require_given(operation.fields, &object, "")?;
    for field in operation.fields.iter().filter(|field| field.kind == Kind::Records) {
        let items = object.get(field.name).and_then(Value::as_array).into_iter().flatten().enumerate();
        // What is no object is told by its type.
        for (number, item) in items.filter_map(|(number, item)| Some((number, item.as_object()?))) {
            let at = format!("{}[{number}].", field.name);
            require_known(field.fields, item, &at)?;
            require_given(field.fields, item, &at)?;
        }
    }
    Ok(object)
}

/// Refuses a name that is none of the fields'. `at` stands before it: where the object is, among the arguments.
fn require_known(fields: &'static [Field], object: &Map<String, Value>, at: &str) -> Result<(), Reason> {
    let Some(unknown) = object.keys().find(|key| !fields.iter().any(|field| field.name == *key)) else {
        return Ok(());
    };
    let known: Vec<_> = fields.iter().map(|field| field.name).collect();
    let nearest = nearest(unknown, &known);
    Err(Reason::UnknownArgument { field: format!("{at}{unknown}"), known, nearest })
}

/// Refuses an object without something that has to be given.
fn require_given(fields: &[Field], object: &Map<String, Value>, at: &str) -> Result<(), Reason> {
    match fields.iter().find(|field| field.required && !object.contains_key(field.name)) {
        Some(missing) => {
            let field = format!("{at}{}", missing.name);
            let problem = format!("`{field}` is missing");
            Err(Reason::MistypedArgument { field, problem })
        }
        None => Ok(()),
    }
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
    fn a_request_is_one_object_with_a_tool_and_its_arguments() {
        for (text, expected) in [
            (r#"{"tool": "read", "arguments": {"path": "a"}}"#, Ok(("read", r#"{"path":"a"}"#))),
            (r#"{"tool": "read"}"#, Ok(("read", "{}"))),
            (r#"{"tool": "read", "arguments": null}"#, Ok(("read", "{}"))),
            (r#"{"tool": "read", "arguments": []}"#, Err(r#""invalid_argument","field":"arguments""#)),
            (r#"{"tool": "read", "argument": {}}"#, Err("did you mean `arguments`?")),
            (r#"{"tool": 1}"#, Err(r#""invalid_argument","field":"tool""#)),
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
