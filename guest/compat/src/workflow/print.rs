//! Renders blocks for [`blocks`](super::scan::blocks).

use super::scan::{END, HEAD};

/// A block for this tool, with quoted values and escaped variable braces.
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
