//! Removes tools that are not served from repairs, and gives errors the words of the lean set.

use fsgate_compat::lean;
use fsgate_text::excerpt::in_backticks;
use serde_json::Value;

use crate::Operation;

/// The repair if every alternative needs such a tool.
const NONE: &str = "no tool of this session does that: go on in another way";

/// The outcome with its notes in the words of the lean set, if that is served.
pub(in crate::mcp) fn reworded(outcome: String, operation: &Operation, served: &[&Operation]) -> String {
    let tool = lean_tool(operation, served);
    tool.and_then(|tool| lean::reword_notes(tool.name, &outcome)).unwrap_or(outcome)
}

/// The tool of the lean set that stands for an operation, if that set is served.
pub(in crate::mcp) fn lean_tool(operation: &Operation, served: &[&Operation]) -> Option<&'static Operation> {
    let is_lean = served.first().is_some_and(|tool| lean::is_tool(tool));
    if is_lean { lean::serving(operation.name) } else { None }
}

/// The error without the parts of its repair that name a tool which is not served.
pub(in crate::mcp) fn without(error: String, operation: &Operation, served: &[&Operation]) -> String {
    let tool = lean_tool(operation, served);
    let error = tool.and_then(|tool| lean::reword(tool.name, &error)).unwrap_or(error);
    let Ok(Value::Object(mut fields)) = serde_json::from_str(&error) else { return error };
    let Some(repair) = fields.get("repair").and_then(Value::as_str) else { return error };
    let is_missing = |name: &str| {
        Operation::find(name).is_some_and(|known| known.name == name)
            && !served.iter().any(|operation| operation.name == name)
            && !is_argument(operation, name)
    };
    let names_missing = |part: &&str| in_backticks(part).any(is_missing);
    if !names_missing(&repair) {
        return error;
    }
    let parts = repair.split("; ").flat_map(|part| part.split(", or "));
    let left: Vec<_> = parts.filter(|part| !names_missing(part)).collect();
    let new_repair = if left.is_empty() { NONE.to_owned() } else { left.join("; ") };
    fields.insert("repair".to_owned(), new_repair.into());
    Value::Object(fields).to_string()
}

fn is_argument(operation: &Operation, name: &str) -> bool {
    let schema: Option<Value> = serde_json::from_str(operation.input_schema).ok();
    schema.is_some_and(|schema| schema["properties"].get(name).is_some())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_repair_names_tools_that_can_be_called() {
        let operation = |name: &&str| Operation::find(name).unwrap();
        for (tool, served, repair, expected) in [
            ("read", &["read", "read_bytes"][..], "read it with `read_bytes`", "read it with `read_bytes`"),
            ("read", &["read"], "read it with `read_bytes`", NONE),
            (
                "read",
                &["read"],
                "read it with `read_bytes`, or name the encoding it is in",
                "name the encoding it is in",
            ),
            ("read", &["read", "log"], "look with `log`; `undo` takes it back", "look with `log`"),
            ("read", &["read", "replace"], "use `replace` or `replace_all`", NONE),
            (
                "undo",
                &["undo"],
                "take the `undo_id` of an outcome, or that of an entry that `log` shows",
                "take the `undo_id` of an outcome",
            ),
            ("read", &["read"], "did you mean `reed`?", "did you mean `reed`?"),
            ("read", &["read"], "read_bytes", "read_bytes"),
            // The tool has an argument with this name.
            ("replace_in_files", &["read"], "give a pattern with `glob`", "give a pattern with `glob`"),
            ("read", &["read"], "look with `glob`", NONE),
        ] {
            let served: Vec<_> = served.iter().map(operation).collect();
            let error = json!({"code": "x", "message": "m", "repair": repair, "applied": false});
            let mut expected_error = error.clone();
            expected_error["repair"] = expected.into();
            assert_eq!(without(error.to_string(), operation(&tool), &served), expected_error.to_string());
        }
        let unrepaired = json!({"code": "x", "message": "`copy`"}).to_string();
        assert_eq!(without(unrepaired.clone(), operation(&"read"), &[]), unrepaired);
    }
}
