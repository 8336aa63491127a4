//! The lean set in JSON, for hosts that admit calls themselves: `lean-agent`.

use fsgate_contract::agent_types::{CallArgs, CallError, RewordArgs, Tool};
use fsgate_contract::{LEAN, catalogue_of};
use fsgate_error::{Failure, Reason, call};
use fsgate_text::close_names::nearest_tool;

use super::{find, lower, reword, reword_notes};

/// The tools.
pub fn tools() -> Vec<Tool> {
    catalogue_of(LEAN)
}

/// The call of an operation that a call of a tool means.
pub fn lower_call(CallArgs { tool, arguments }: &CallArgs) -> Result<CallArgs, CallError> {
    lowered(tool, arguments).map_err(|reason| {
        let named = find(tool).map_or("call", |tool| tool.name);
        let error = Failure::from(reason).into_error(named);
        CallError { error: serde_json::to_string(&error).unwrap_or_default() }
    })
}

fn lowered(tool: &str, arguments: &str) -> Result<CallArgs, Reason> {
    let found = find(tool).ok_or_else(|| {
        let known: Vec<_> = LEAN.iter().map(|tool| tool.name).collect();
        let nearest = nearest_tool(tool, &known);
        Reason::UnknownTool { name: tool.to_owned(), known, nearest }
    })?;
    let (operation, arguments) = lower(found, call::parse(arguments)?)?;
    Ok(CallArgs {
        tool: operation.name.to_owned(),
        arguments: serde_json::to_string(&arguments).unwrap_or_default(),
    })
}

/// The answer of an operation, its outcome or its error, in the words of the tool.
pub fn reword_answer(RewordArgs { tool, answer }: &RewordArgs) -> String {
    let is_error = answer.starts_with("{\"code\":");
    let reworded = if is_error { reword(tool, answer) } else { reword_notes(tool, answer) };
    reworded.unwrap_or_else(|| answer.clone())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn a_call_in_json_is_lowered_or_refused() {
        let lower = |tool: &str, arguments: &str| {
            lower_call(&CallArgs { tool: tool.to_owned(), arguments: arguments.to_owned() })
        };
        let lowered = lower("edit", r#"{"path": "a", "lines": "4", "new": "x"}"#).unwrap();
        let arguments: Value = serde_json::from_str(&lowered.arguments).unwrap();
        assert_eq!(
            (lowered.tool.as_str(), arguments),
            ("replace_lines", json!({"path": "a", "lines": "4", "content": "x", "diff": true}))
        );
        for (tool, arguments, code, message) in [
            ("raed", "{}", "unknown_tool", "there is no tool `raed`"),
            ("read", "{", "malformed", ""),
            ("read", r#"{"path": "a", "path": "b"}"#, "invalid_argument", "twice"),
            ("read", "{}", "invalid_argument", "`path` is missing"),
        ] {
            let CallError { error } = lower(tool, arguments).unwrap_err();
            let error: Value = serde_json::from_str(&error).unwrap();
            assert_eq!(error["code"], code, "{error}");
            assert!(error["message"].as_str().unwrap().contains(message), "{error}");
        }
    }

    #[test]
    fn an_answer_has_the_words_of_the_tool() {
        let reworded = |tool: &str, answer: &str| {
            reword_answer(&RewordArgs { tool: tool.to_owned(), answer: answer.to_owned() })
        };
        let outcome = r#"{"content":"`log`","notes":[]}"#;
        assert_eq!(reworded("read", outcome), outcome);
        let log = r#"{"code":"x","message":"look with `log`"}"#;
        assert!(reworded("undo", log).contains("`undo` with `list`"));
    }

    #[test]
    fn every_tool_is_listed_with_a_schema() {
        let tools = tools();
        assert_eq!(tools.len(), LEAN.len());
        for tool in tools {
            let schema: Value = serde_json::from_str(&tool.input_schema).unwrap();
            assert_eq!(schema["type"], "object", "{}", tool.name);
        }
    }
}
