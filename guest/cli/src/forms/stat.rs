//! `stat`: one line per field.

use fsgate_contract::read_types::StatOutcome;
use serde_json::Value;

use crate::answers::ToolAnswers;
use crate::exit::Exit;
use crate::quote::shown;

pub(super) fn show(mut answers: ToolAnswers) -> Result<Exit, Exit> {
    let outcome: StatOutcome = answers.ask()?;
    let mut entry = serde_json::to_value(&outcome.entry).unwrap_or_default();
    entry["path"] = answers.places().relative(&outcome.entry.path).into();
    answers.print(table(&entry).as_bytes())?;
    answers.notes(&outcome.notes);
    Ok(Exit::Done)
}

/// Every filled field by its contract name. The name repeats the path and is left out.
fn table(entry: &Value) -> String {
    let fields: Vec<(String, String)> = entry
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(name, value)| *name != "name" && **value != Value::Bool(false))
        .map(|(name, value)| {
            let value = value.as_str().map_or_else(|| value.to_string(), shown);
            (format!("{}:", name.replace('_', " ")), value)
        })
        .collect();
    let width = fields.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    fields.iter().map(|(name, value)| format!("{name:width$} {value}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_aligned_and_stay_on_their_lines() {
        let entry = serde_json::json!({
            "path": "/w/a\nkind: directory", "name": "x", "kind": "file", "media_type": "text/plain", "size": 3,
            "hidden": false
        });
        assert_eq!(
            table(&entry),
            "path:       /w/a\\nkind: directory\nkind:       file\nmedia type: text/plain\nsize:       3\n"
        );
    }
}
