//! Renders blocks for [`blocks`](super::scan::blocks).

use super::scan::{BEFORE_ID, END, MARK};

/// A block with this id. Multi-line values are heredocs where possible, else quoted.
pub fn printed(id: &str, values: &[(&str, &str)]) -> String {
    let mut out = format!("{BEFORE_ID}{id}]\n");
    let mark = format!("{MARK}{id}");
    for (key, value) in values {
        let fits =
            value.contains('\n') && !value.contains('\r') && value.split('\n').all(|line| line != mark);
        out += &match fits {
            true => format!("{key} = <<'{mark}'\n{value}\n{mark}\n"),
            false => format!("{key} = {}\n", serde_json::Value::from(*value)),
        };
    }
    out + END + id + "\n"
}
