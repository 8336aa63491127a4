//! Writes blocks: what [`blocks`](super::scan::blocks) reads back as they were.

use super::scan::{END, HEAD};

/// A block that calls this tool. Values are quoted; braces that would be a variable are escaped.
pub fn printed(tool: &str, values: &[(&str, &str)]) -> String {
    let mut out = format!("{HEAD} {tool}\n");
    for (name, value) in values {
        let mut quoted = serde_json::Value::from(*value).to_string();
        if quoted.contains("{{") {
            quoted = quoted.replace('{', "\\u007b");
        }
        out += &format!("  {name}: {quoted}\n");
    }
    out + END + "\n"
}
