//! A session's operations in JSON.

#[cfg(test)]
mod tests;

use serde_json::{Map, Value};

use crate::session::Session;
use fsgate_contract::agent_types::{CallArgs, CallError, CallOutcome};
use fsgate_contract::types::Error;
use fsgate_contract::{Arguments, OPERATIONS, Operation, Operations, for_each_operation};
use fsgate_error::{ArgumentProblem, Failure, Reason, call};
use fsgate_text::close_names::nearest_tool;
use fsgate_volume::Volume;

/// Calls an operation by name.
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
        let nearest = nearest_tool(tool, &known);
        Failure::from(Reason::UnknownTool { name: tool.clone(), known, nearest }).into_error(tool_name(tool))
    })?;
    let arguments = call::read(operation, arguments)
        .map_err(|reason| Failure::from(reason).into_error(operation.name))?;
    call_by_name(session, operation.name, arguments)
}

macro_rules! operations {
    ($($tool:literal $name:ident $types:ident::$args:ident)*) => {
        fn call_by_name<V: Volume>(
            session: &Session<V>,
            name: &str,
            arguments: Map<String, Value>,
        ) -> Result<String, Error> {
            match name {
                $($tool => in_json(arguments, |args| session.$name(args)),)*
                _ => unreachable!("the macro has every operation of the table"),
            }
        }
    };
}
for_each_operation!(operations);

/// The name of a tool, unless too long for an error.
fn tool_name(name: &str) -> &str {
    if name.len() <= 64 { name } else { "call" }
}

/// Parses the arguments; each operation has a copy of this code.
fn in_json<A: Arguments>(
    arguments: Map<String, Value>,
    operation: impl FnOnce(&A) -> Result<A::Outcome, Error>,
) -> Result<String, Error> {
    let args = serde_path_to_error::deserialize(arguments).map_err(|error| mistyped(&error, A::OPERATION))?;
    operation(&args).map(|outcome| json(&outcome))
}

fn mistyped(error: &serde_path_to_error::Error<serde_json::Error>, operation: &str) -> Error {
    let field = error.path().to_string();
    let problem = error.inner().to_string();
    // The table of fields finds all other mistyped arguments.
    if problem.contains("expected u32") {
        let problems = vec![ArgumentProblem::TooLarge { field }];
        return Failure::from(Reason::Arguments(problems)).into_error(operation);
    }
    let problem = format!("`{field}`: {problem}");
    Failure::from(Reason::MistypedArgument { field, problem }).into_error(operation)
}

fn json(value: &impl serde::Serialize) -> String {
    // JSON has all types of the contract.
    serde_json::to_string(value).unwrap_or_default()
}
