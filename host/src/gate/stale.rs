//! The refusal of a change by place, after another program has changed the file.

use fsgate_contract::Operation;
use fsgate_contract::limits::STALE_BYTES;
use fsgate_contract::types::Note;
use fsgate_error::Reason;
use fsgate_text::json::picked;
use serde_json::Value;

use crate::execute;

/// The note on an edit by its text.
pub(super) fn changed_since() -> Note {
    Note {
        kind: "changed".to_owned(),
        text: "another program has changed the file since this session saw it".to_owned(),
    }
}

/// A refusal as `stale` in the words of a session that gave no tag, with the lines that are there
/// now. `show` reads lines by the arguments of `read_numbered`; without arguments the file is gone.
/// Any other error stays.
pub(super) fn reworded(
    error: String,
    tool: &str,
    arguments: &str,
    show: impl FnOnce(Option<&str>) -> Option<String>,
) -> String {
    let Ok(fields) = picked(&error, &["code", "tag", "path"]) else { return error };
    if fields.get("code").is_none_or(|code| code != "stale") {
        return error;
    }
    let text = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (found, operation) = (text("tag"), Operation::find(tool).map_or("call", |operation| operation.name));
    let lines = match found.is_empty() {
        true => show(None),
        false => place(arguments).and_then(|place| show(Some(&place))),
    };
    let lines = lines.and_then(|shown| {
        let fields = picked(&shown, &["content"]).ok()?;
        fields.get("content").and_then(Value::as_str).map(str::to_owned)
    });
    execute::json(&Reason::SeenBefore { found, lines }.at(text("path")).into_error(operation))
}

/// The arguments of `read_numbered` for the lines that a call means; none for a whole file.
fn place(arguments: &str) -> Option<String> {
    let mut given = picked(arguments, &["path", "lines", "section", "after", "encoding"]).ok()?;
    if let Some(after) = given.shift_remove("after").and_then(|after| after.as_u64()) {
        given.insert("lines".to_owned(), format!("{}-{}", after.max(1), after + 1).into());
    }
    if !given.contains_key("lines") && !given.contains_key("section") {
        return None;
    }
    given.insert("max_bytes".to_owned(), STALE_BYTES.into());
    Some(Value::Object(given).to_string())
}
