//! The tags that a session saw its files with.
//!
//! A change by line numbers, and one of a whole file, means the file as the session saw it last. If
//! another program has changed the file since, the call is refused as `stale`. An edit by its text
//! needs no such check, because the text has to be there.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use fsgate_contract::Operation;
use fsgate_text::json::{given_twice, picked};
use serde_json::{Map, Value};

/// The files that are remembered. Of more, the file that was seen least recently is forgotten.
const FILES: usize = 4_096;

/// The operations that mean a file as it was seen.
const BY_PLACE: [&str; 6] =
    ["write", "write_bytes", "replace_lines", "insert_lines", "comment_lines", "uncomment_lines"];

/// The operations that find their place by its text.
const BY_TEXT: [&str; 2] = ["replace", "replace_all"];

/// Arguments with which the caller decides alone.
const OWN_CONDITIONS: [&str; 2] = ["if_match", "if_none_match"];

/// The memory of a session.
#[derive(Debug, Default)]
pub(crate) struct SeenTags(Mutex<Seen>);

#[derive(Debug, Default)]
struct Seen {
    /// Files by the path of answers.
    files: BTreeMap<String, SeenFile>,
    /// The paths of answers by those of calls.
    paths: BTreeMap<String, String>,
    turn: u64,
}

#[derive(Debug)]
struct SeenFile {
    tag: String,
    turn: u64,
}

impl SeenTags {
    /// The arguments of a call with the condition that the file is as the session saw it. None
    /// without such a condition.
    pub(crate) fn condition(&self, tool: &str, arguments: &str) -> Option<String> {
        if !is_one_of(&BY_PLACE, tool) || given_twice(arguments).is_some() {
            return None;
        }
        let mut given: Map<String, Value> = serde_json::from_str(arguments).ok()?;
        if OWN_CONDITIONS.iter().any(|name| given.get(*name).is_some_and(|value| !value.is_null())) {
            return None;
        }
        let tag = self.tag(given.get("path")?.as_str()?)?;
        given.insert("if_match".to_owned(), tag.into());
        Some(Value::Object(given).to_string())
    }

    /// Remembers the files of an outcome. True if the call has edited a file by its text, and
    /// another program has changed that file since the session saw it.
    pub(crate) fn learn(&self, tool: &str, arguments: &str, outcome: &str) -> bool {
        let Some(operation) = Operation::find(tool) else { return false };
        let given = picked(arguments, &["path", "dry_run"]).unwrap_or_default();
        if given.get("dry_run") == Some(&Value::Bool(true)) {
            return false;
        }
        let wanted = ["path", "etag", "etag_before", "files", "paths", "source", "destination"];
        let Ok(fields) = picked(outcome, &wanted) else { return false };
        let text = |name: &str| fields.get(name).and_then(Value::as_str);
        let mut seen = self.lock();
        let known = text("path").and_then(|path| seen.files.get(path)).map(|file| file.tag.clone());
        let is_other = is_one_of(&BY_TEXT, tool)
            && known.zip(text("etag_before")).is_some_and(|(known, before)| known != before);
        if !operation.read_only {
            let lists = [fields.get("paths")].into_iter().flatten().filter_map(Value::as_array).flatten();
            let named = ["path", "source", "destination"].map(text).into_iter().flatten();
            named.chain(lists.filter_map(Value::as_str)).for_each(|path| seen.forget(path));
        }
        if let (Some(path), Some(tag)) = (text("path"), text("etag")) {
            seen.see(path, tag);
            if let Some(typed) = given.get("path").and_then(Value::as_str) {
                seen.name(typed, path);
            }
        }
        for file in fields.get("files").and_then(Value::as_array).into_iter().flatten() {
            let field = |name: &str| file.get(name).and_then(Value::as_str);
            match (field("path"), field("etag")) {
                (Some(path), Some(tag)) => seen.see(path, tag),
                (Some(path), None) => seen.forget(path),
                _ => {}
            }
        }
        is_other
    }

    /// Forgets a file that is not there any more.
    pub(crate) fn forget(&self, arguments: &str) {
        let given = picked(arguments, &["path"]).unwrap_or_default();
        if let Some(path) = given.get("path").and_then(Value::as_str) {
            let mut seen = self.lock();
            let path = seen.path(path).to_owned();
            seen.forget(&path);
        }
    }

    fn tag(&self, path: &str) -> Option<String> {
        let seen = self.lock();
        seen.files.get(seen.path(path)).map(|file| file.tag.clone())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Seen> {
        // Each step leaves a table that is right.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seen {
    fn path<'a>(&'a self, typed: &'a str) -> &'a str {
        self.paths.get(typed).map_or(typed, String::as_str)
    }

    fn see(&mut self, path: &str, tag: &str) {
        self.turn += 1;
        self.files.insert(path.to_owned(), SeenFile { tag: tag.to_owned(), turn: self.turn });
        if self.files.len() > FILES {
            let oldest = self.files.iter().min_by_key(|(_, file)| file.turn).map(|(path, _)| path.clone());
            oldest.map(|path| self.files.remove(&path));
        }
    }

    fn name(&mut self, typed: &str, path: &str) {
        // Without them a file counts as not seen.
        if self.paths.len() >= FILES {
            self.paths.clear();
        }
        self.paths.insert(typed.to_owned(), path.to_owned());
    }

    /// Forgets a file, or all files below a directory.
    fn forget(&mut self, path: &str) {
        self.files.remove(path);
        let below = format!("{path}/");
        let inside = self.files.range(below.clone()..).take_while(|(path, _)| path.starts_with(&below));
        let inside: Vec<_> = inside.map(|(path, _)| path.clone()).collect();
        for path in inside {
            self.files.remove(&path);
        }
    }
}

fn is_one_of(names: &[&str], tool: &str) -> bool {
    Operation::find(tool).is_some_and(|operation| names.contains(&operation.name))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The condition that a call gets.
    fn condition(seen: &SeenTags, tool: &str, arguments: &Value) -> Option<String> {
        let conditioned = seen.condition(tool, &arguments.to_string())?;
        let fields: Value = serde_json::from_str(&conditioned).unwrap();
        Some(fields["if_match"].as_str().unwrap().to_owned())
    }

    fn learn(seen: &SeenTags, tool: &str, arguments: &Value, outcome: &Value) -> bool {
        seen.learn(tool, &arguments.to_string(), &outcome.to_string())
    }

    #[test]
    fn a_change_by_place_means_the_file_that_was_seen() {
        let seen = SeenTags::default();
        let lines = json!({"path": "a", "lines": "1", "content": "x"});
        assert_eq!(condition(&seen, "replace_lines", &lines), None);
        learn(&seen, "read", &json!({"path": "a"}), &json!({"path": "/w/a", "etag": "1"}));
        for tool in BY_PLACE {
            assert_eq!(condition(&seen, tool, &lines).as_deref(), Some("1"), "{tool}");
        }
        assert_eq!(condition(&seen, "replace-lines", &json!({"path": "/w/a"})).as_deref(), Some("1"));
        for (tool, arguments) in [
            ("replace", lines.clone()),
            ("append", lines),
            ("write", json!({"path": "a", "if_match": "*"})),
            ("write", json!({"path": "a", "if_none_match": "*"})),
            ("write", json!({"path": "b"})),
        ] {
            assert_eq!(condition(&seen, tool, &arguments), None, "{tool} {arguments}");
        }
        assert_eq!(seen.condition("write", r#"{"path": "a", "path": "a"}"#), None);
    }

    #[test]
    fn each_outcome_is_the_newest_look() {
        // The calls after a read of `/w/d/a` with the tag 1, and the tag that a write then has.
        for (tool, arguments, outcome, expected) in [
            ("read_numbered", json!({"path": "d/a"}), json!({"path": "/w/d/a", "etag": "2"}), Some("2")),
            ("read_many", json!({}), json!({"files": [{"path": "/w/d/a", "etag": "2"}]}), Some("2")),
            ("replace", json!({"path": "d/a"}), json!({"path": "/w/d/a", "etag": "2"}), Some("2")),
            ("append", json!({"path": "d/a"}), json!({"path": "/w/d/a"}), None),
            (
                "replace",
                json!({"path": "d/a", "dry_run": true}),
                json!({"path": "/w/d/a", "etag": "2"}),
                Some("1"),
            ),
            ("apply", json!({}), json!({"files": [{"path": "/w/d/a", "etag": "2"}]}), Some("2")),
            ("apply", json!({}), json!({"files": [{"path": "/w/d/a"}]}), None),
            ("delete", json!({"path": "d/a"}), json!({"paths": ["/w/d/a"]}), None),
            ("delete_directory", json!({"path": "d"}), json!({"path": "/w/d"}), None),
            ("move", json!({}), json!({"source": "/w/d", "destination": "/w/e"}), None),
            ("undo", json!({}), json!({"paths": ["/w/d/a"], "etag": "0"}), None),
            ("stat", json!({"path": "d/a"}), json!({"path": "/w/d/a"}), Some("1")),
        ] {
            let seen = SeenTags::default();
            learn(&seen, "read", &json!({"path": "d/a"}), &json!({"path": "/w/d/a", "etag": "1"}));
            learn(&seen, tool, &arguments, &outcome);
            assert_eq!(
                condition(&seen, "write", &json!({"path": "d/a"})).as_deref(),
                expected,
                "{tool} {outcome}"
            );
        }
    }

    #[test]
    fn an_edit_by_its_text_tells_of_another_program() {
        let seen = SeenTags::default();
        let edit = |before: &str, after: &str| {
            let outcome = json!({"path": "/w/a", "etag_before": before, "etag": after});
            learn(&seen, "replace", &json!({"path": "a"}), &outcome)
        };
        assert!(!edit("1", "2"), "not seen before");
        assert!(!edit("2", "3"));
        assert!(edit("4", "5"));
        assert!(!edit("5", "6"));
    }

    #[test]
    fn the_file_that_was_seen_least_recently_is_forgotten() {
        let seen = SeenTags::default();
        for number in 0..=FILES {
            let path = json!({"path": format!("{number}")});
            learn(&seen, "read", &path, &json!({"path": format!("/w/{number}"), "etag": "1"}));
        }
        assert_eq!(condition(&seen, "write", &json!({"path": "/w/0"})), None);
        assert_eq!(condition(&seen, "write", &json!({"path": "/w/1"})).as_deref(), Some("1"));
        seen.forget(r#"{"path": "/w/1"}"#);
        assert_eq!(condition(&seen, "write", &json!({"path": "/w/1"})), None);
    }
}
