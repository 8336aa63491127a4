//! The preview of a call: the question for a person, and a fingerprint of the state.
//!
//! The call runs as a dry run, and the files that it would delete are examined, in one step through
//! the gate. After the consent both are repeated in one step with the call, which is refused if the
//! fingerprint differs. It has type, size and time of files, their content up to [`TAGGED_BYTES`],
//! and entries below directories without their content.

use std::fmt::Write;

use fsgate_contract::types::Code;
use fsgate_text::excerpt::is_invisible;
use serde_json::{Map, Value, json};

use super::{CONFIRM, can_need, refused};
use crate::Operation;
use crate::gate::Step;

/// Most paths in a question: a person does not read more.
const PATHS: usize = 32;

/// Listed paths for a pattern, which itself says what is meant.
const EXAMPLES: usize = 8;

/// A longer text loses its middle.
const CHARS: usize = 200;
const BEGINNING: usize = 110;
const END: usize = 80;

/// Names below an examined directory; more have to be deleted in parts.
const NAMES: usize = 100_000;

const PAGE: usize = 10_000;

const HISTORY_PAGE: usize = 1_000;

/// Largest file whose content is in the fingerprint.
const TAGGED_BYTES: u64 = 16 << 20;

#[derive(Debug, Clone)]
pub(in crate::mcp) struct Question {
    pub(in crate::mcp) message: String,
    pub(in crate::mcp) fingerprint: blake3::Hash,
}

/// A preview, or a refusal that needs no question.
type Preview<T> = wasmtime::Result<Result<T, String>>;

/// Returns a refusal to the caller.
macro_rules! outcome {
    ($looked:expr) => {
        match $looked? {
            Ok(outcome) => outcome,
            Err(refusal) => return Ok(Err(refusal)),
        }
    };
}

/// Previews a call. Returns `None` if it needs no consent, and an error if it would fail or cannot
/// be shown.
pub(in crate::mcp) fn preview(
    call: &mut Step,
    operation: &Operation,
    arguments: &Map<String, Value>,
    has_history: bool,
) -> Preview<Option<Question>> {
    if operation.name == "forget" {
        return preview_forget(call, operation, arguments).map(|looked| looked.map(Some));
    }
    let mut tried = arguments.clone();
    tried.insert("dry_run".to_owned(), Value::Bool(true));
    if can_need(operation) {
        tried.insert(CONFIRM.to_owned(), Value::Bool(true));
    }
    let answer = outcome!(call(operation.name, &Value::Object(tried)));
    let trial: Value = serde_json::from_str(&answer).unwrap_or_default();
    // Overwriting needs consent only if nothing keeps the old content.
    match trial.get("overwrote") {
        Some(Value::Bool(true)) if !is_undoable(arguments, &trial, has_history) => {}
        Some(_) => return Ok(Ok(None)),
        None => {}
    }
    let things = match things(operation, &trial) {
        Ok(things) => things,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let mut fingerprint = blake3::Hasher::new();
    fingerprint.update(answer.as_bytes());
    for path in &things {
        if operation.name == "delete_directory" {
            outcome!(directory(call, operation, path, &mut fingerprint));
        } else {
            outcome!(thing(call, path, &mut fingerprint));
        }
    }
    let mut links = Vec::new();
    for path in things.iter().take(if trial["paths"].is_array() { 1 } else { PATHS }) {
        links.push(outcome!(links_on_path(call, path)));
    }
    let message = match question(operation, arguments, &trial, &things, &links, has_history) {
        Ok(message) => message,
        Err(refusal) => return Ok(Err(refusal)),
    };
    Ok(Ok(Some(Question { message, fingerprint: fingerprint.finalize() })))
}

/// The paths to delete, as the dry run resolved them.
fn things(operation: &Operation, trial: &Value) -> Result<Vec<String>, String> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    if let Some(files) = trial["files"].as_array() {
        let deleted: Vec<_> = files.iter().filter(|file| file["deleted"] == true).collect();
        return Ok(deleted.iter().filter_map(|file| text(&file["path"])).collect());
    }
    let Some(paths) = trial["paths"].as_array() else {
        return Ok(["path", "destination"].iter().find_map(|name| text(&trial[*name])).into_iter().collect());
    };
    if trial["deleted"].as_u64() != Some(paths.len() as u64) {
        let message = format!(
            "{} files match, and their names are too long to ask a person about all of them",
            trial["deleted"]
        );
        return Err(refused(
            operation,
            Code::TooLarge(paths.len() as u64),
            message,
            "give a narrower pattern",
        ));
    }
    let above = trial["path"].as_str().unwrap_or_default().trim_end_matches('/');
    Ok(paths.iter().filter_map(Value::as_str).map(|path| format!("{above}/{path}")).collect())
}

fn thing(call: &mut Step, path: &str, fingerprint: &mut blake3::Hasher) -> Preview<()> {
    let answer = outcome!(call("stat", &json!({"path": path, "follow": false})));
    fingerprint.update(answer.as_bytes());
    let answer: Value = serde_json::from_str(&answer).unwrap_or_default();
    if answer["entry"]["kind"] == "file"
        && answer["entry"]["size"].as_u64().is_some_and(|size| size <= TAGGED_BYTES)
        // An unreadable file can be deleted too.
        && let Ok(answer) = call("stat", &json!({"path": path, "follow": false, "with_etag": true}))?
    {
        fingerprint.update(answer.as_bytes());
    }
    Ok(Ok(()))
}

fn directory(
    call: &mut Step,
    operation: &Operation,
    path: &str,
    fingerprint: &mut blake3::Hasher,
) -> Preview<()> {
    outcome!(thing(call, path, fingerprint));
    let mut arguments = json!({"path": path, "recursive": true, "include_hidden": true, "max_items": PAGE});
    let mut names = 0;
    loop {
        let answer = outcome!(call("list_directory", &arguments));
        let mut answer: Value = serde_json::from_str(&answer).unwrap_or_default();
        fingerprint.update(answer["entries"].to_string().as_bytes());
        fingerprint.update(answer["skipped"].to_string().as_bytes());
        names += answer["entries"].as_array().map_or(0, Vec::len);
        match answer["next_cursor"].take() {
            Value::Null => return Ok(Ok(())),
            _ if names >= NAMES => {
                let message =
                    format!("a person is asked about at most {NAMES} names, and {} has more", shown(path));
                let repair = "delete it part by part";
                return Ok(Err(refused(operation, Code::TooLarge(NAMES as u64), message, repair)));
            }
            cursor => arguments["cursor"] = cursor,
        }
    }
}

/// The symlinks on a path, with their targets: the path ends elsewhere.
fn links_on_path(call: &mut Step, path: &str) -> Preview<Vec<String>> {
    let mut links = Vec::new();
    for (end, _) in path.match_indices('/').skip(1) {
        // No link is above the grants, and a target can be hidden.
        if let Ok(answer) = call("stat", &json!({"path": &path[..end], "follow": false}))? {
            let answer: Value = serde_json::from_str(&answer).unwrap_or_default();
            if answer["entry"]["kind"] == "link" {
                let target = answer["entry"]["target"]
                    .as_str()
                    .map_or_else(String::new, |target| format!(", which points to {}", shown(target)));
                links.push(format!("through the link {}{target}", shown(&path[..end])));
            }
        }
    }
    Ok(Ok(links))
}

fn preview_forget(
    call: &mut Step,
    operation: &Operation,
    arguments: &Map<String, Value>,
) -> Preview<Question> {
    let text = |name: &str| arguments.get(name).and_then(Value::as_str);
    let mut what = String::new();
    let mut asked = json!({"any_session": true, "max_items": HISTORY_PAGE});
    if let Some(id) = text("id") {
        let _ = write!(what, "\n- the entry {}", shown(id));
    }
    if let Some(path) = text("path") {
        let answer: Value =
            serde_json::from_str(&outcome!(call("exists", &json!({"path": path})))).unwrap_or_default();
        let path = answer["path"].as_str().unwrap_or(path);
        asked["path"] = path.into();
        let _ = write!(what, "\n- the history of {}", shown(path));
    }
    if let Some(time) = text("before") {
        let _ = write!(what, "\n- the history before {}", shown(time));
    }
    if arguments.get("everything") == Some(&Value::Bool(true)) {
        what += "\n- the whole history, and what is kept for it";
    }
    let mut fingerprint = blake3::Hasher::new();
    fingerprint.update(what.as_bytes());
    let mut entries = 0;
    // An id names one entry for good; entries that match other arguments can change.
    while text("id").is_none() {
        let mut answer: Value = serde_json::from_str(&outcome!(call("log", &asked))).unwrap_or_default();
        let page = answer["entries"].as_array().map_or(&[][..], Vec::as_slice);
        for entry in page.iter().filter(|entry| entry["hidden"] != true) {
            fingerprint.update(entry["undo_id"].to_string().as_bytes());
            entries += 1;
        }
        match answer["next_cursor"].take() {
            Value::Null => break,
            _ if entries >= NAMES => {
                let message = format!("a person is asked about at most {NAMES} entries of the history");
                let repair = "forget some of them by their ids first";
                return Ok(Err(refused(operation, Code::TooLarge(NAMES as u64), message, repair)));
            }
            cursor => asked["cursor"] = cursor,
        }
    }
    let mut message = format!("An agent wants to call `{}`.{what}", operation.name);
    if text("id").is_none() && text("before").is_none() {
        let _ = write!(message, "\nThese are {entries} changes.");
    }
    message += "\nWhat is forgotten can NOT be undone any more.";
    Ok(Ok(Question { message, fingerprint: fingerprint.finalize() }))
}

/// `things` are the paths to delete, `links` the links on each.
fn question(
    operation: &Operation,
    arguments: &Map<String, Value>,
    trial: &Value,
    things: &[String],
    links: &[Vec<String>],
    has_history: bool,
) -> Result<String, String> {
    let mut text = format!("An agent wants to call `{}`.", operation.name);
    if let Some(pattern) = arguments.get("glob").and_then(Value::as_str)
        && trial["paths"].is_array()
    {
        let pattern = escaped(pattern).concat();
        if pattern.chars().count() > CHARS {
            let message = format!("a person is asked about patterns of at most {CHARS} characters");
            return Err(refused(operation, Code::TooLarge(CHARS as u64), message, "give a shorter pattern"));
        }
        let _ = write!(text, "\n- {}", shown(trial["path"].as_str().unwrap_or_default()));
        links.iter().flatten().for_each(|link| text += &format!("\n  {link}"));
        let _ = write!(text, "\nthere all that `{pattern}` matches:");
        for path in things.iter().take(EXAMPLES) {
            let _ = write!(text, "\n- {}", shown(path));
        }
        if things.len() > EXAMPLES {
            let _ = write!(text, "\n- and {} more", things.len() - EXAMPLES);
        }
    } else if things.len() > PATHS {
        let message = format!(
            "a person is asked about at most {PATHS} paths at once, and this call would delete {}",
            things.len()
        );
        let repair = "make several calls, or delete a directory or what a pattern matches";
        return Err(refused(operation, Code::TooLarge(PATHS as u64), message, repair));
    } else {
        for (at, path) in things.iter().enumerate() {
            let _ = write!(text, "\n- {}", shown(path));
            links.get(at).into_iter().flatten().for_each(|link| text += &format!("\n  {link}"));
        }
    }
    match count(trial) {
        _ if trial["overwrote"] == true => text += "\nWhat is there will be overwritten.",
        Some(1) => text += "\n1 file or directory will be deleted.",
        Some(count) => {
            let _ = write!(text, "\n{count} files and directories will be deleted.");
        }
        None => {}
    }
    let is_undoable = is_undoable(arguments, trial, has_history);
    text += if is_undoable { " It can be undone." } else { " It can NOT be undone." };
    Ok(text)
}

/// Whether the history keeps the deleted content: it exists with enough space, and `keep` is not
/// false.
fn is_undoable(arguments: &Map<String, Value>, trial: &Value, has_history: bool) -> bool {
    let is_too_much =
        trial["notes"].as_array().is_some_and(|notes| notes.iter().any(|note| note["kind"] == "no_undo"));
    has_history && !is_too_much && arguments.get("keep") != Some(&Value::Bool(false))
}

fn count(trial: &Value) -> Option<u64> {
    trial["deleted"].as_u64().or_else(|| {
        let files = trial["files"].as_array()?;
        Some(files.iter().filter(|file| file["deleted"] == true).count() as u64)
    })
}

/// A Markdown code span that is safe in a terminal, cut in the middle if long.
fn shown(text: &str) -> String {
    let pieces = escaped(text);
    // Escapes are ASCII; any other piece is one character.
    let size = |piece: &String| if piece.is_ascii() { piece.len() } else { 1 };
    if pieces.iter().map(size).sum::<usize>() <= CHARS {
        return format!("`{}`", pieces.concat());
    }
    let fitting = |pieces: &mut dyn Iterator<Item = &String>, most: usize| {
        let mut all = 0;
        let fits = |piece: &&String| {
            all += size(piece);
            all <= most
        };
        pieces.take_while(fits).count()
    };
    let beginning = fitting(&mut pieces.iter(), BEGINNING);
    let end = pieces.len() - fitting(&mut pieces.iter().rev(), END);
    let [beginning, end] = [&pieces[..beginning], &pieces[end..]].map(<[String]>::concat);
    format!("`{beginning}` … `{end}` (cut: {} characters)", text.chars().count())
}

/// The characters for display. Escapes control and invisible characters, changes of direction,
/// backticks, and blanks beside blanks or at an end of a name.
fn escaped(text: &str) -> Vec<String> {
    let mut out = Vec::with_capacity(text.len());
    let mut before = '/';
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        let is_at_edge =
            matches!(before, ' ' | '/') || rest.peek().is_none_or(|next| matches!(next, ' ' | '/'));
        match character {
            '`' => out.push("\\u{60}".to_owned()),
            ' ' if is_at_edge => out.push("\\u{20}".to_owned()),
            other if is_invisible(other) && !other.is_control() => {
                out.push(other.escape_unicode().to_string());
            }
            other => out.push(other.escape_debug().to_string()),
        }
        before = character;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::testing::object;

    fn delete() -> &'static Operation {
        Operation::find("delete").unwrap()
    }

    fn asked(
        arguments: Value,
        trial: &Value,
        links: &[Vec<String>],
        has_history: bool,
    ) -> Result<String, String> {
        let things = things(delete(), trial)?;
        question(delete(), &object(arguments), trial, &things, links, has_history)
    }

    #[test]
    fn a_person_is_told_what_would_be_done() {
        let link = vec!["through the link /w/a".to_owned()];
        for (arguments, trial, links, has_history, expected) in [
            (
                json!({"path": "x"}),
                json!({"path": "/w/[a](http:b) **c**/ /`d`  e ", "deleted": 1}),
                vec![],
                true,
                "\n- `/w/[a](http:b) **c**/\\u{20}/\\u{60}d\\u{60}\\u{20}\\u{20}e\\u{20}`\n1 file or directory will be \
                 deleted. It can be undone.",
            ),
            (
                json!({"path": "x/../a\u{1b}.txt"}),
                json!({"path": "/w/a\u{1b}.txt", "deleted": 1}),
                vec![],
                true,
                "\n- `/w/a\\u{1b}.txt`\n1 file or directory will be deleted. It can be undone.",
            ),
            (
                json!({"path": "src", "glob": "*.o", "keep": false}),
                json!({"path": "/w/src", "deleted": 2, "paths": ["a.o", "b.o"]}),
                vec![],
                true,
                "\n- `/w/src`\nthere all that `*.o` matches:\n- `/w/src/a.o`\n- `/w/src/b.o`\n2 files and directories will be \
                 deleted. It can NOT be undone.",
            ),
            (
                json!({"edits": [{"path": "a", "delete": true}, {"path": "b", "old": "x"}]}),
                json!({"files": [{"path": "/w/a", "deleted": true}, {"path": "/w/b", "deleted": false}]}),
                vec![link],
                false,
                "\n- `/w/a`\n  through the link /w/a\n1 file or directory will be deleted. It can NOT be undone.",
            ),
            (
                json!({"path": "large"}),
                json!({"path": "/w/large", "deleted": 1, "notes": [{"kind": "no_undo", "text": ""}]}),
                vec![],
                true,
                "\n- `/w/large`\n1 file or directory will be deleted. It can NOT be undone.",
            ),
            (
                json!({"source": "a", "destination": "b"}),
                json!({"destination": "/w/b", "overwrote": true}),
                vec![],
                false,
                "\n- `/w/b`\nWhat is there will be overwritten. It can NOT be undone.",
            ),
        ] {
            let expected = format!("An agent wants to call `delete`.{expected}");
            assert_eq!(asked(arguments, &trial, &links, has_history), Ok(expected));
        }
    }

    #[test]
    fn what_cannot_be_shown_is_not_asked() {
        let files: Vec<_> =
            (0..=PATHS).map(|n| json!({"path": format!("/w/{n}"), "deleted": true})).collect();
        let refused = asked(json!({}), &json!({ "files": files }), &[], true).unwrap_err();
        assert!(refused.contains("at most 32 paths") && refused.contains("too_large"), "{refused}");
        let glob = json!({"glob": "x".repeat(CHARS + 1)});
        assert!(asked(glob, &json!({"path": "/w", "deleted": 0, "paths": []}), &[], true).is_err());
        let trial = json!({"path": "/w", "deleted": 3, "paths": ["a"]});
        assert!(asked(json!({"glob": "*"}), &trial, &[], true).unwrap_err().contains("narrower pattern"));
        let many: Vec<_> = (0..EXAMPLES + 3).map(|n| n.to_string()).collect();
        let trial = json!({"path": "/w", "deleted": many.len(), "paths": many});
        assert!(asked(json!({"glob": "*"}), &trial, &[], true).unwrap().contains("\n- and 3 more\n"));
    }

    #[test]
    fn a_long_text_shows_both_of_its_ends() {
        assert_eq!(shown(&"x".repeat(CHARS)), format!("`{}`", "x".repeat(CHARS)));
        let long = shown(&format!("/w/{}/precious", "a/".repeat(150)));
        assert!(long.starts_with("`/w/a/a/") && long.contains("` … `"), "{long}");
        assert!(long.ends_with("/precious` (cut: 312 characters)"), "{long}");
        assert_eq!(shown("a\u{202e}b\n"), "`a\\u{202e}b\\n`");
    }

    #[test]
    fn a_name_without_ink_is_shown_by_its_number() {
        for invisible in ['\u{115F}', '\u{1160}', '\u{3164}', '\u{FFA0}', '\u{2800}', '\u{200B}'] {
            let number = format!("\\u{{{:x}}}", u32::from(invisible));
            assert_eq!(shown(&invisible.to_string()), format!("`{number}`"));
            assert_eq!(shown(&format!("/w/plain{invisible}")), format!("`/w/plain{number}`"));
        }
    }

    #[test]
    fn a_cut_is_between_characters_not_in_an_escape() {
        let escape = "\\u{20}";
        for width in 0..escape.len() {
            let long = format!("{}{}", "x".repeat(width), " ".repeat(CHARS));
            let shown = shown(&long);
            let (beginning, rest) = shown[1..].split_once("` … `").unwrap();
            assert_eq!(beginning.trim_start_matches('x').replace(escape, ""), "", "{shown}");
            assert_eq!(rest.split_once('`').unwrap().0.replace(escape, ""), "", "{shown}");
        }
    }
}
