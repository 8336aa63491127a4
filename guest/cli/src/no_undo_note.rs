//! Adds the note that there is no undo: a model always needs it.

use serde_json::Value;

const NO_UNDO: &str = "no_undo";

/// Appends the note to a text without it.
pub(super) fn append(mut text: String, outcome: &str) -> String {
    // Parse only outcomes that can have the note.
    if !outcome.contains(NO_UNDO) {
        return text;
    }
    let outcome: Value = serde_json::from_str(outcome).unwrap_or_default();
    let notes = outcome["notes"].as_array().into_iter().flatten();
    let note = notes.filter(|note| note["kind"] == NO_UNDO).find_map(|note| note["text"].as_str());
    let line = note.map(|note| format!("[{note}]")).filter(|line| !text.lines().any(|shown| shown == line));
    if let Some(line) = line {
        text.push('\n');
        text.push_str(&line);
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn that_there_is_no_undo_is_told_once() {
        let note = |kind: &str| json!({"notes": [{"kind": "new_file", "text": "x"}, {"kind": kind, "text": "gone"}]});
        for (text, outcome, expected) in [
            ("moved a to b\n[etag: 0f]", note("no_undo"), "moved a to b\n[etag: 0f]\n[gone]"),
            ("wrote a\n[gone]\n[etag: 0f]", note("no_undo"), "wrote a\n[gone]\n[etag: 0f]"),
            ("moved a to b", note("left_out"), "moved a to b"),
            ("moved a to no_undo", json!({"destination": "no_undo"}), "moved a to no_undo"),
        ] {
            assert_eq!(append(text.to_owned(), &outcome.to_string()), expected);
        }
    }
}
