//! Errors that say what to do next with a tool which is not served: whoever reads them cannot call it, and is told so.

use serde_json::Value;

use crate::Operation;

/// Bytes of an error in JSON: what would make it larger is not said.
const ERROR_BYTES: usize = 8 << 10;

/// The error of a call of this tool, with a word about tools in its repair that are none of those that are served.
pub(in crate::mcp) fn told(error: String, operation: &Operation, served: &[&Operation]) -> String {
    let Ok(Value::Object(mut fields)) = serde_json::from_str(&error) else { return error };
    let Some(repair) = fields.get("repair").and_then(Value::as_str) else { return error };
    // Every second piece stands between two backticks.
    let mut missing: Vec<&str> = Vec::new();
    for name in repair.split('`').skip(1).step_by(2) {
        let is_tool = Operation::find(name).is_some_and(|known| known.name == name);
        let is_served = served.iter().any(|operation| operation.name == name);
        if is_tool && !is_served && !is_argument(operation, name) && !missing.contains(&name) {
            missing.push(name);
        }
    }
    let names: Vec<_> = missing.iter().map(|name| format!("`{name}`")).collect();
    let told = match &names[..] {
        [] => return error,
        [name] => format!("{repair}; {name} is not served in this session"),
        names => format!("{repair}; {} are not served in this session", names.join(" and ")),
    };
    fields.insert("repair".to_owned(), told.into());
    let told = Value::Object(fields).to_string();
    if told.len() > ERROR_BYTES { error } else { told }
}

/// An argument of the tool has the name of a tool.
fn is_argument(operation: &Operation, name: &str) -> bool {
    let schema: Option<Value> = serde_json::from_str(operation.input_schema).ok();
    schema.is_some_and(|schema| schema["properties"].get(name).is_some())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_repair_says_which_tools_cannot_be_called() {
        let operation = |name: &&str| Operation::find(name).unwrap();
        for (tool, served, repair, expected) in [
            ("read", &["read", "read_bytes"][..], "read it with `read_bytes`", ""),
            ("read", &["read"], "read it with `read_bytes`", "; `read_bytes` is not served in this session"),
            (
                "read",
                &["read"],
                "use `read_bytes` and `write_bytes`, or `read_bytes`",
                "; `read_bytes` and `write_bytes` are not served in this session",
            ),
            ("read", &["read"], "did you mean `reed`?", ""),
            ("read", &["read"], "read_bytes", ""),
            // It has an argument of this name.
            ("replace_in_files", &["read"], "give a pattern with `glob`", ""),
            ("read", &["read"], "look with `glob`", "; `glob` is not served in this session"),
        ] {
            let served: Vec<_> = served.iter().map(operation).collect();
            let error = json!({"code": "x", "message": "m", "repair": repair, "applied": false});
            let told = told(error.to_string(), operation(&tool), &served);
            let mut expected_error = error.clone();
            expected_error["repair"] = format!("{repair}{expected}").into();
            assert_eq!(told, expected_error.to_string());
        }
        let without = json!({"code": "x", "message": "`copy`"}).to_string();
        assert_eq!(told(without.clone(), operation(&"read"), &[]), without);
        let large = json!({"message": "x".repeat(ERROR_BYTES - 40), "repair": "`copy`"}).to_string();
        assert_eq!(told(large.clone(), operation(&"read"), &[]), large);
    }
}
