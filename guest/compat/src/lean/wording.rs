//! The words of the tools in sentences about their operations.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::BEHIND;

/// Phrases about arguments that a tool lists under another name, the longer ones first.
const PHRASES: [(&str, &str, &str); 13] = [
    ("edit", "; `count` is 1", ""),
    ("edit", "neither `after` nor `section` says where", "neither `lines` nor `section` says where"),
    ("edit", "`after` by number", "`lines` by number"),
    ("edit", ", or say which one with `occurrence`", ", or set `all` to true"),
    ("grep", "leave `regex` out to find", "set `literal` to true to find"),
    ("grep", "set `regex` if it is", "leave `literal` out if it is"),
    ("delete", "delete it with `delete_directory`", "set `recursive` to true to delete it"),
    ("delete", "delete it with `delete`", "leave out `recursive`"),
    ("apply", "repair the patch, or say the same with `edits`", "repair the patch"),
    ("apply", "delete it with `edits`", "delete it with `delete`"),
    ("delete", "look at it with `list_directory` and `include_hidden`", "look at it with `list` and `all`"),
    ("undo", "which `log` gives", "which `undo` with `list` gives"),
    ("undo", "of an entry that `log` shows", "of a change that `undo` with `list` shows"),
];

/// Names of arguments in notes, for all tools.
const NAMES: [(&str, &str); 8] = [
    ("`include_hidden: true`, `respect_ignore: false`", "`all: true`"),
    ("include_hidden: true, respect_ignore: false", "all: true"),
    ("include_hidden: true", "all: true"),
    ("respect_ignore: false", "all: true"),
    ("`include_hidden`", "`all`"),
    ("`respect_ignore`", "`all`"),
    ("`max_items`", "`limit`"),
    ("`include`", "`glob`"),
];

/// Lines of a text about an answer: `[count: 1] [searched: 2]`.
fn groups(line: &str) -> Option<Vec<&str>> {
    let inside = line.strip_prefix('[')?.strip_suffix(']')?;
    Some(inside.split("] [").collect())
}

/// The reasons to skip a name that `all` lifts.
const BY_DEFAULT: [&str; 2] = ["hidden", "ignored"];

/// The reasons that need no count: the call excluded these names by its pattern, and another line
/// has the counts of the others.
const TOLD_ALREADY: [&str; 6] = ["excluded", "binary", "too_large", "unreadable", "too_deep", "not_utf8"];

/// A line about a partial answer in words: `skipped: hidden 2, ignored 1` and `left: count 3,
/// exact true`.
fn in_words(group: &str) -> Option<Cow<'_, str>> {
    if let Some(left) = group.strip_prefix("left: count ") {
        let (count, exact) = left.split_once(", exact ")?;
        let least = if exact == "true" { "" } else { "at least " };
        return Some(format!("{least}{count} more").into());
    }
    let Some(skipped) = group.strip_prefix("skipped: ") else { return Some(group.into()) };
    let parts = skipped.split(", ").filter_map(|part| part.split_once(' '));
    let counted = parts.filter(|(reason, _)| !TOLD_ALREADY.contains(reason));
    let (lifted, others): (Vec<_>, Vec<_>) = counted.partition(|(reason, _)| BY_DEFAULT.contains(reason));
    let words = |parts: &[(&str, &str)]| {
        parts.iter().map(|(reason, count)| format!("{count} {reason}")).collect::<Vec<_>>().join(", ")
    };
    let mut told = Vec::new();
    if !lifted.is_empty() {
        told.push(format!("{}: `all` shows them", words(&lifted)));
    }
    if !others.is_empty() {
        told.push(format!("skipped {}", words(&others)));
    }
    (!told.is_empty()).then(|| told.join("; ").into())
}

/// Lines of a diff in the answer of a change, and of a trial.
const DIFF_LINES: [usize; 2] = [40, 400];

/// Bytes of the same.
const DIFF_BYTES: [usize; 2] = [4_000, 20_000];

/// The first line of a diff, if the lines have one.
fn diff_of(lines: &[&str]) -> Option<usize> {
    lines.windows(2).position(|two| {
        two[0].starts_with("--- ") && two[1].starts_with("+++ ") || two[0].starts_with("diff --git ")
    })
}

/// The text of an outcome in the words of the tool. No listed argument takes a tag, so tags go. So
/// does the place to go on behind requested lines. A long diff is cut.
pub fn shorten(tool: &str, operation: &str, arguments: &Map<String, Value>, text: &str) -> String {
    let mut lines: Vec<_> = text.split('\n').collect();
    let is_part = arguments.contains_key("max_lines");
    let cut;
    if ["edit", "apply"].contains(&tool) {
        let is_trial = arguments.get("dry_run") == Some(&Value::Bool(true));
        let end = lines.len() - lines.iter().rev().take_while(|line| groups(line).is_some()).count();
        if let Some(first) = diff_of(&lines[..end]) {
            let mut bytes = 0;
            let fits = lines[first..end].iter().take(DIFF_LINES[usize::from(is_trial)]).take_while(|line| {
                bytes += line.len() + 1;
                bytes <= DIFF_BYTES[usize::from(is_trial)]
            });
            let most = fits.count();
            if end - first > most {
                cut = format!("[{} more lines of the diff]", end - first - most);
                lines.splice(first + most..end, [&cut[..]]);
            }
        }
        // Tags of several files stand at the ends of their lines.
        let head = diff_of(&lines).unwrap_or(lines.len());
        for line in &mut lines[..head] {
            if let Some((before, _)) = line.rsplit_once(" [etag: ") {
                *line = before;
            }
        }
    }
    let renamed: Vec<String>;
    if tool == "undo" {
        renamed = lines.iter().map(|line| with_tool(line)).collect();
        lines = renamed.iter().map(String::as_str).collect();
    }
    let is_about = |line: &&&str| groups(line).is_some();
    // All other texts have the content first.
    let about = match operation {
        "read" => 0..lines.iter().take(1).filter(is_about).count(),
        _ => lines.len() - lines.iter().rev().take_while(|line| is_about(line)).count()..lines.len(),
    };
    let is_left = |group: &&str| {
        let is_place = is_part && group.starts_with("next_cursor: ");
        // A cursor says that there is more.
        !["etag: ", "stopped: "].iter().any(|start| group.starts_with(start)) && !is_place
    };
    let line = |(number, line): (usize, &&str)| {
        if !about.contains(&number) {
            return Some((*line).to_owned());
        }
        let left: Vec<_> = groups(line)?.into_iter().filter(is_left).filter_map(in_words).collect();
        (!left.is_empty()).then(|| sentence(tool, &format!("[{}]", left.join("] ["))))
    };
    lines.iter().enumerate().filter_map(line).collect::<Vec<_>>().join("\n")
}

/// A line about an entry of the history, with the tool that stands for its operation. The
/// operation is the third word, or the second one behind `undone:`.
fn with_tool(line: &str) -> String {
    let place = if line.starts_with("undone: ") || line.starts_with("undo: ") { 1 } else { 2 };
    let Some(operation) = line.split_whitespace().nth(place) else { return line.to_owned() };
    let Some(tool) = super::serving(operation).filter(|tool| tool.name != operation) else {
        return line.to_owned();
    };
    // The columns of a list stay.
    let width = if place == 2 { operation.len() } else { 0 };
    line.replacen(&format!(" {operation} "), &format!(" {:width$} ", tool.name), 1)
}

/// Gives an error in JSON the words of the tool that was called.
pub fn reword(tool: &str, error: &str) -> Option<String> {
    let mut fields: Map<String, Value> = serde_json::from_str(error).ok()?;
    for field in ["message", "repair"] {
        if let Some(Value::String(text)) = fields.get_mut(field) {
            *text = sentence(tool, text);
        }
    }
    Some(Value::Object(fields).to_string())
}

/// Gives the notes of an outcome in JSON the words of the tool that was called; none without notes.
pub fn reword_notes(tool: &str, outcome: &str) -> Option<String> {
    if !outcome.contains("\"notes\":[{") {
        return None;
    }
    let mut fields: Map<String, Value> = serde_json::from_str(outcome).ok()?;
    let notes = fields.get_mut("notes").and_then(Value::as_array_mut).into_iter().flatten();
    for text in notes.filter_map(|note| note.get_mut("text")) {
        if let Value::String(text) = text {
            *text = sentence(tool, text);
        }
    }
    Some(Value::Object(fields).to_string())
}

fn sentence(tool: &str, text: &str) -> String {
    let mut text = text.to_owned();
    for (of, phrase, instead) in PHRASES {
        if of == tool {
            text = text.replace(phrase, instead);
        }
    }
    for (name, instead) in NAMES {
        text = text.replace(name, instead);
    }
    if let Some((before, after)) = text.split_once("set `count` to ")
        && tool == "edit"
    {
        let after = after.trim_start_matches(|digit: char| digit.is_ascii_digit());
        text = format!("{before}set `all` to true{after}");
    }
    for (name, operations) in BEHIND {
        for operation in operations.iter().filter(|operation| **operation != name) {
            let call =
                if *operation == "log" { "`undo` with `list`".to_owned() } else { format!("`{name}`") };
            text = text.replace(&format!("`{operation}`"), &call);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_text_has_no_tag_and_no_place_behind_requested_lines() {
        for (operation, is_part, text, expected) in [
            ("read", false, "[etag: 0f]\none\n[etag: 0f]", "one\n[etag: 0f]"),
            ("read", false, "[no newline] [etag: 0f]\na", "[no newline]\na"),
            ("read", false, "[etag: 0f] [next_cursor: c]\na", "[next_cursor: c]\na"),
            ("read", true, "[etag: 0f] [next_cursor: c] [stopped: lines]\na", "a"),
            ("read_numbered", false, "1: a\n[etag: 0f]", "1: a"),
            (
                "grep",
                false,
                "a\n[x; give include_hidden: true to see more]",
                "a\n[x; give all: true to see more]",
            ),
            (
                "grep",
                false,
                "a\n[count: 1]\n[skipped: hidden 2, excluded 9]",
                "a\n[count: 1]\n[2 hidden: `all` shows them]",
            ),
            ("grep", false, "a\n[skipped: excluded 9]", "a"),
            (
                "grep",
                false,
                "a\n[not searched: 1 binary]\n[skipped: hidden 2, ignored 1, links 3, binary 1]",
                "a\n[not searched: 1 binary]\n[2 hidden, 1 ignored: `all` shows them; skipped 3 links]",
            ),
            (
                "list_directory",
                false,
                "a\n[next_cursor: c]\n[stopped: items]\n[left: count 72, exact true]",
                "a\n[next_cursor: c]\n[72 more]",
            ),
            ("glob", false, "[left: count 9, exact false]\na", "[left: count 9, exact false]\na"),
            ("replace", false, "replaced 1\n[undo_id: 1]\n[etag: 0f]", "replaced 1\n[undo_id: 1]"),
        ] {
            let arguments = if is_part { json!({"max_lines": 1}) } else { json!({}) };
            let shown = shorten("read", operation, arguments.as_object().unwrap(), text);
            assert_eq!(shown, expected, "{text}");
        }
    }

    #[test]
    fn a_long_diff_is_cut() {
        let diff: String = (0..50).map(|line| format!("-{line}\n+x\n")).collect();
        let text =
            format!("replaced 50 in a [etag: 0f]\n--- a/a\n+++ b/a\n@@ -1,50 +1,50 @@\n{diff}[undo_id: 1]");
        let shown = |arguments: Value| shorten("edit", "apply", arguments.as_object().unwrap(), &text);
        let cut = shown(json!({}));
        let lines: Vec<_> = cut.split('\n').collect();
        assert_eq!(lines[..3], ["replaced 50 in a", "--- a/a", "+++ b/a"]);
        assert_eq!(lines[40..], ["-18", "[63 more lines of the diff]", "[undo_id: 1]"]);
        assert_eq!(shown(json!({"dry_run": true})), text.replace(" [etag: 0f]", ""));
    }

    #[test]
    fn an_error_names_arguments_of_the_listing() {
        for (tool, text, expected) in [
            (
                "edit",
                "add surrounding text to `old`, or say which one with `occurrence`",
                "add surrounding text to `old`, or set `all` to true",
            ),
            ("edit", "`old` occurs 2 times; `count` is 1", "`old` occurs 2 times"),
            ("edit", "set `count` to 12 if all are meant", "set `all` to true if all are meant"),
            ("delete", "delete it with `delete_directory`", "set `recursive` to true to delete it"),
            (
                "read",
                "read it with `read_numbered`, or look with `log`",
                "read it with `read`, or look with `undo` with `list`",
            ),
            ("grep", "leave `regex` out to find the text", "set `literal` to true to find the text"),
            ("grep", "the name `a` is taken", "the name `a` is taken"),
        ] {
            let error = json!({"code": "x", "message": text, "repair": text});
            let expected = json!({"code": "x", "message": expected, "repair": expected});
            assert_eq!(reword(tool, &error.to_string()), Some(expected.to_string()), "{tool} {text}");
        }
        assert_eq!(reword("read", "no JSON"), None);
        let outcome =
            |text: &str| json!({"content": "`log`", "notes": [{"kind": "x", "text": text}]}).to_string();
        assert_eq!(reword_notes("read", &outcome("`tree`")), Some(outcome("`list`")));
        assert_eq!(reword_notes("read", "{}"), None);
    }
}
