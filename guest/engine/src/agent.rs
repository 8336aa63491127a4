//! Calls in JSON, by the name of the operation.

#[cfg(test)]
mod encodings;

use serde_json::{Map, Value};

use crate::session::Session;
use fsgate_contract::agent_types::{CallArgs, CallError, CallOutcome};
use fsgate_contract::types::Error;
use fsgate_contract::{Callable, OPERATIONS, Operation, for_each_operation};
use fsgate_error::{ArgumentProblem, Failure, Reason, call};
use fsgate_text::names::nearest;
use fsgate_volume::Volume;

/// Calls an operation by name, arguments and outcome in JSON.
pub fn call<V: Volume>(session: &Session<V>, args: &CallArgs) -> Result<CallOutcome, CallError> {
    dispatch(session, args)
        .map(|outcome| CallOutcome { outcome })
        .map_err(|error| CallError { error: json(&error) })
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
    let object = call::read(operation, arguments)
        .map_err(|reason| Failure::from(reason).into_error(operation.name))?;
    macro_rules! one_of {
        ($($tool:literal $name:ident $types:ident::$args:ident)*) => {
            match operation.name {
                $($tool => run::<V, fsgate_contract::$types::$args>(session, object),)*
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

/// Runs the operation of these arguments. Each operation has this code once.
fn run<V: Volume, A: Callable>(session: &Session<V>, object: Map<String, Value>) -> Result<String, Error> {
    let args: A = serde_path_to_error::deserialize(object).map_err(|error| mistyped(&error, A::OPERATION))?;
    args.on(session).map(|outcome| json(&outcome))
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

fn json(value: &impl serde::Serialize) -> String {
    // The contract's types are records, lists, strings and numbers: they always have a form in JSON.
    serde_json::to_string(value).unwrap_or_default()
}
