//! Whether an answer and a tree are what a case expects.

use std::collections::BTreeMap;

use anyhow::Result;
use fsgate_volume::etag::is_strong;
use serde_json::{Map, Value};

use crate::case::{Case, Expected};
use crate::placeholder::is_time;
use crate::snapshot::{Identity, Seen, Snapshot, What};
use crate::tree::{Item, Tree, parent};

/// What a tool has answered, as JSON.
pub type Answer = Result<String, String>;

/// The largest error that an agent has to read.
const ERROR_BYTES: usize = 8 << 10;

/// What a dry run can tell of an outcome: all but whether and how the change can be undone.
pub fn foretold(mut outcome: Value) -> Value {
    let Some(fields) = outcome.as_object_mut() else { return outcome };
    fields.remove("undo_id");
    if let Some(notes) = fields.get_mut("notes").and_then(Value::as_array_mut) {
        notes.retain(|note| note["kind"] != "no_undo");
        if notes.is_empty() {
            fields.remove("notes");
        }
    }
    outcome
}

/// The notes of a host that gives copies no permissions, and of one that does. The second host has
/// none about a copy that the call asked for.
const NEW_FILE: [&str; 2] = [
    "a copy has the permissions, the owner and the time of a new file, whatever the original has",
    "a copy has the owner and the time of a new file, whatever the original has",
];

/// The answer of a host that gives copies the permissions of their originals, from the answer of
/// another host to the call of this case.
///
/// # Errors
///
/// An answer that is not JSON.
pub fn with_permissions(case: &Case, answer: Answer) -> Result<Answer> {
    let Ok(text) = answer else { return Ok(answer) };
    let mut outcome: Value = serde_json::from_str(&text)?;
    let is = |note: &Value, text: &str| note["text"] == text;
    let is_expected = match &case.expected {
        Expected::Outcome { value: outcome, .. } => {
            outcome["notes"].as_array().is_some_and(|notes| notes.iter().any(|note| is(note, NEW_FILE[1])))
        }
        Expected::Error(_) => false,
    };
    if let Some(fields) = outcome.as_object_mut()
        && let Some(notes) = fields.get_mut("notes").and_then(Value::as_array_mut)
    {
        match is_expected {
            true => notes
                .iter_mut()
                .filter(|note| is(note, NEW_FILE[0]))
                .for_each(|note| note["text"] = NEW_FILE[1].into()),
            false => notes.retain(|note| !is(note, NEW_FILE[0])),
        }
        if notes.is_empty() {
            fields.remove("notes");
        }
    }
    Ok(Ok(outcome.to_string()))
}

/// Everything about an answer that is not as the case says.
pub fn answer(case: &Case, answer: &Answer) -> Result<Vec<String>> {
    let mut problems = Vec::new();
    let (Ok(text) | Err(text)) = answer;
    let value: Value = serde_json::from_str(text)?;
    match (&case.expected, answer) {
        (Expected::Outcome { value: outcome, is_partial }, Ok(_)) => {
            let outcome = case.expanded(outcome)?;
            let mut value = value;
            // Nobody knows it beforehand.
            if outcome.get("undo_id").is_none()
                && let Some(id) = value.as_object_mut().and_then(|outcome| outcome.remove("undo_id"))
                && !id.as_str().is_some_and(is_strong)
            {
                problems.push(format!("`undo_id` is none: {id}"));
            }
            Comparison { is_partial: *is_partial, problems: &mut problems }.of("outcome", &outcome, &value);
        }
        (Expected::Error(fields), Err(_)) => {
            for (name, field) in fields {
                let field = case.expanded(field)?;
                let found = value.get(name).unwrap_or(&Value::Null);
                Comparison { is_partial: false, problems: &mut problems }.of(name, &field, found);
            }
            problems.extend(form_of_error(case, fields.contains_key("operation"), &value, text));
            if !fields.contains_key("applied") && value.get("applied") != Some(&Value::Bool(false)) {
                problems.push(format!("`applied` is not false: {text}"));
            }
            if !problems.is_empty() {
                problems.push(format!("the whole error: {}", cut(text)));
            }
        }
        (Expected::Outcome { .. }, Err(text)) => problems.push(format!("it was refused: {}", cut(text))),
        (Expected::Error(fields), Ok(text)) => {
            problems.push(format!("it was not refused with {:?}: {}", fields.get("code"), cut(text)));
        }
    }
    for (path, _) in case.before.items.iter().filter(|(path, _)| case.before.is_outside(path)) {
        let secret = case.before.bytes(path).and_then(|bytes| std::str::from_utf8(bytes).ok());
        if secret.is_some_and(|secret| secret.len() > 3 && text.contains(secret.trim_end())) {
            problems.push(format!("the answer tells what stands in {path}, outside of every grant"));
        }
    }
    Ok(problems)
}

/// What is true of every error.
fn form_of_error(case: &Case, operation_given: bool, error: &Value, text: &str) -> Vec<String> {
    let mut problems = Vec::new();
    if text.len() > ERROR_BYTES {
        problems.push(format!("the error has {} bytes", text.len()));
    }
    let operation = case.tool.replace('-', "_");
    if !operation_given && error.get("operation") != Some(&Value::String(operation)) {
        problems.push(format!("the error names another operation: {}", cut(text)));
    }
    let message = error.get("message").and_then(Value::as_str).unwrap_or_default();
    if message.is_empty() || message.ends_with('.') || message.starts_with(char::is_uppercase) {
        problems.push(format!("the message is not in the style of messages: {message:?}"));
    }
    problems
}

/// The placeholder of a time that a volume may not know: the member may be missing.
const TIME_IF_KNOWN: &str = "$time-if-known";

/// A comparison of values. In an expected value, `$time` stands for any time.
struct Comparison<'a> {
    /// Members that are not expected are allowed.
    is_partial: bool,
    problems: &'a mut Vec<String>,
}

impl Comparison<'_> {
    fn of(&mut self, at: &str, expected: &Value, found: &Value) {
        match (expected, found) {
            (Value::Object(expected), Value::Object(found)) => self.of_members(at, expected, found),
            (Value::Array(expected), Value::Array(found)) if expected.len() == found.len() => {
                for (index, (expected, found)) in expected.iter().zip(found).enumerate() {
                    self.of(&format!("{at}[{index}]"), expected, found);
                }
            }
            (Value::String(expected), Value::String(found))
                if matches!(&expected[..], "$time" | TIME_IF_KNOWN) =>
            {
                if !is_time(found) {
                    self.problems.push(format!("{at} is no time: {found}"));
                }
            }
            // A number that no caller can rely on, such as the size of a record.
            (Value::String(expected), Value::Number(_)) if expected == "$number" => {}
            (Value::String(expected), Value::String(found))
                if expected == "$undo-id" || expected == "$backup" =>
            {
                let id = found.strip_prefix(if expected == "$backup" { "history:" } else { "" });
                if !id.is_some_and(is_strong) {
                    self.problems.push(format!("{at} is no id: {found}"));
                }
            }
            (expected, found) if expected == found => {}
            (expected, found) => {
                let (expected, found) = (cut(&expected.to_string()), cut(&found.to_string()));
                self.problems.push(format!("{at}\n      has to be {expected}\n      but is    {found}"));
            }
        }
    }

    fn of_members(&mut self, at: &str, expected: &Map<String, Value>, found: &Map<String, Value>) {
        for (name, value) in expected {
            match found.get(name) {
                Some(found) => self.of(&format!("{at}.{name}"), value, found),
                None if value == TIME_IF_KNOWN => {}
                None => self.problems.push(format!("{at}.{name} is missing")),
            }
        }
        if self.is_partial {
            return;
        }
        for (name, value) in found.iter().filter(|(name, _)| !expected.contains_key(*name)) {
            self.problems.push(format!("{at}.{name} is not expected: {}", cut(&value.to_string())));
        }
    }
}

fn cut(text: &str) -> String {
    /// Longer values are cut off: a test's output is read by people.
    const SHOWN: usize = 600;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], text.len()),
        None => text.to_owned(),
    }
}

/// Everything about a tree that is not as `expected` says.
pub fn tree(
    expected: &Tree,
    link_target: impl Fn(&str) -> String,
    before: &Snapshot,
    after: &Snapshot,
) -> Vec<String> {
    let mut problems = Vec::new();
    let wanted = contents(expected, link_target);
    for (path, what) in &wanted {
        // In memory such a name is known to be there, and nothing more.
        if expected.is_undecodable(path) && !before.contains_key(path) && !after.contains_key(path) {
            continue;
        }
        match after.get(path) {
            Some(seen) if seen.what == *what => {}
            Some(seen) => {
                let found = &seen.what;
                problems.push(format!("{path}\n      has to be {what:?}\n      but is    {found:?}"));
            }
            None => problems.push(format!("{path} is missing")),
        }
    }
    for path in after.keys().filter(|path| !wanted.contains_key(*path)) {
        problems.push(format!("{path} is left over"));
    }
    for (path, item) in &expected.items {
        let identity = |path: &str| after.get(path).and_then(|seen| seen.identity.as_ref());
        match (item, identity(path)) {
            (Item::File { mode: Some(mode), .. }, Some(found)) if *mode != found.mode => {
                problems.push(format!("{path} has mode {:o}, and should have {mode:o}", found.mode));
            }
            (Item::HardLink(to), Some(found))
                if identity(to).map(|other| other.inode) != Some(found.inode) =>
            {
                problems.push(format!("{path} and {to} are different files"));
            }
            _ => {}
        }
    }
    let names = |snapshot: &Snapshot, inode: u64| {
        let of = |seen: &&Seen| seen.identity.as_ref().is_some_and(|identity| identity.inode == inode);
        snapshot.values().filter(of).count() as u64
    };
    for (path, was) in before {
        // What was moved there is who it was at its old path.
        let now = expected.moved.iter().find(|(_, old)| *old == path).map_or(path, |(new, _)| new);
        let taken = now == path && expected.moved.contains_key(path);
        if let (Some(is), false) = (after.get(now), taken) {
            let mut was = was.clone();
            if let Some(identity) = &mut was.identity {
                // Names outside of the tree have stayed.
                let inode = identity.inode;
                let stayed = identity.links;
                identity.links = stayed + names(after, inode) - names(before, inode);
                // A name that was deleted may be kept where the case does not see it.
                if let Some(links) = is.identity.as_ref().map(|identity| identity.links)
                    && (identity.links..=stayed).contains(&links)
                {
                    identity.links = links;
                }
            }
            problems.extend(change_of_identity(now, &was, is));
        }
    }
    problems
}

/// What stands at every path of a tree, the directories that it only implies included.
fn contents(tree: &Tree, link_target: impl Fn(&str) -> String) -> BTreeMap<String, What> {
    let mut contents = BTreeMap::new();
    let granted = tree.grants.iter().map(|grant| (grant.directory.as_str(), &Item::Directory));
    let items = tree.items.iter().map(|(path, item)| (path.as_str(), item));
    for (path, item) in granted.chain(items) {
        let mut above = parent(path);
        while !above.is_empty() {
            contents.entry(above.to_owned()).or_insert(What::Directory);
            above = parent(above);
        }
        let what = match item {
            Item::File { .. } | Item::HardLink(_) => {
                What::File(tree.bytes(path).unwrap_or_default().to_vec())
            }
            Item::Link(target) => What::Link(link_target(target)),
            Item::Directory => What::Directory,
            Item::Fifo => What::Special,
            Item::Undecodable(_) => What::File(Vec::new()),
        };
        contents.insert(path.to_owned(), what);
    }
    contents
}

/// What is not the same about something that was there before.
fn change_of_identity(path: &str, was: &Seen, is: &Seen) -> Option<String> {
    let (Some(old), Some(new)) = (&was.identity, &is.identity) else { return None };
    let same = |identity: &Identity| (identity.inode, identity.mode);
    if same(old) != same(new) {
        return Some(format!("{path} is not what it was: {old:?} became {new:?}"));
    }
    // A directory counts the directories in it, and remembers when a name in it was made.
    let is_directory = was.what == What::Directory;
    if !is_directory && old.links != new.links {
        return Some(format!("{path} had {} names and has {}", old.links, new.links));
    }
    if !is_directory && was.what == is.what && old.modified != new.modified {
        return Some(format!("{path} was written, although nothing in it changed"));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::parse;

    /// A case of the tool `read`, or of `write` where a tree follows the answer.
    fn case(expected: &str, after: Option<&str>) -> Case {
        let tool = if after.is_some() { "write" } else { "read" };
        let after = after.map_or_else(String::new, |after| format!("after\n{after}\n"));
        let text = format!(
            "## {tool}\n### it\n```\nbefore\n  file w/a \"one\"\n  file o/s \"secret\"\ncall {{}}\n{expected}\n{after}```\n"
        );
        parse(tool, &text).unwrap().remove(0)
    }

    #[test]
    fn an_outcome_is_compared_whole() {
        let case = case("outcome {\"a\": \"$etag(w/a)\", \"b\": [\"$time\"]}", None);
        let tag = crate::placeholder::strong_tag(b"one");
        let problems = |answer: Answer| super::answer(&case, &answer).unwrap().len();
        assert_eq!(problems(Ok(format!("{{\"b\": [\"2026-01-01T00:00:00Z\"], \"a\": \"{tag}\"}}"))), 0);
        for wrong in
            ["\"b\": []", "\"b\": [\"now\"]", "\"b\": [\"2026-01-01T00:00:00Z\"], \"c\": 1", "\"c\": null"]
        {
            assert!(problems(Ok(format!("{{\"a\": \"{tag}\", {wrong}}}"))) > 0, "{wrong}");
        }
        assert!(problems(Ok("{\"a\": \"\", \"b\": [\"2026-01-01T00:00:00Z\"]}".to_owned())) > 0);
        assert!(problems(Err("{}".to_owned())) > 0);
    }

    #[test]
    fn a_partial_outcome_leaves_members_out() {
        let case = case("outcome partial {\"a\": {\"b\": 1}}", None);
        let problems = |text: &str| super::answer(&case, &Ok(text.to_owned())).unwrap().len();
        assert_eq!(problems("{\"a\": {\"b\": 1, \"c\": 2}, \"d\": 3}"), 0);
        assert_eq!(problems("{\"a\": {\"c\": 2}, \"d\": 3}"), 1);
        assert_eq!(problems("{\"a\": {\"b\": 2}}"), 1);
    }

    #[test]
    fn an_error_has_its_form() {
        let case = case("error {\"code\": \"io\"}", None);
        let right =
            r#"{"code": "io", "operation": "read", "message": "it broke", "applied": false, "path": "a"}"#;
        let problems = |answer: Answer| super::answer(&case, &answer).unwrap().len();
        assert_eq!(problems(Err(right.to_owned())), 0);
        for (from, to) in [
            ("\"io\"", "\"other\""),
            ("\"read\"", "\"write\""),
            ("it broke", ""),
            ("it broke", "It broke"),
            ("it broke", "it broke."),
            ("false", "true"),
            ("\"a\"", "\"secret\""),
        ] {
            assert!(problems(Err(right.replacen(from, to, 1))) > 0, "{from} as {to}");
        }
        assert!(problems(Err(right.replace("\"a\"", &format!("\"{}\"", "x".repeat(8192))))) > 0);
        assert!(problems(Ok(right.to_owned())) > 0);
    }

    #[test]
    fn a_tree_is_compared_whole() {
        let case = case("outcome {}", Some("  file w/a \"two\"\n  file o/s \"secret\""));
        let file = |text: &str, inode| {
            let modified = std::time::SystemTime::UNIX_EPOCH;
            let identity = Identity { inode, mode: 0o644, links: 1, modified };
            Seen { what: What::File(text.into()), identity: Some(identity) }
        };
        let directory = || Seen { what: What::Directory, identity: None };
        let found = |a: Seen| {
            let items = [("o", directory()), ("o/s", file("secret", 1)), ("w", directory()), ("w/a", a)];
            Snapshot::from(items.map(|(path, seen)| (path.to_owned(), seen)))
        };
        let before = found(file("one", 2));
        let problems = |after: &Snapshot| tree(&case.after, str::to_owned, &before, after).len();
        assert_eq!(problems(&found(file("two", 2))), 0);
        assert_eq!(problems(&found(file("one", 2))), 1);
        assert_eq!(problems(&found(file("two", 3))), 1, "another inode");
        assert_eq!(problems(&found(directory())), 1);
        let mut littered = found(file("two", 2));
        littered.insert("w/.fsgate-1".to_owned(), file("", 4));
        assert_eq!(problems(&littered), 1);
        littered.clear();
        assert_eq!(problems(&littered), 4);
    }
}
