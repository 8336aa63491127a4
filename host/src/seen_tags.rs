//! The tags that a session saw its files with.
//!
//! A change by line numbers, and one of a whole file, means the file as the session saw it last. If
//! another program has changed the file since, the call is refused as `stale`. An edit by its text
//! needs no such check, because the text has to be there.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use blake3::Hash;
use fsgate_contract::Operation;
use fsgate_text::json::{given_twice, picked};
use serde_json::{Map, Value};

/// The files that are remembered. Of more, the file that was seen least recently is forgotten.
const FILES: usize = 4_096;

/// The operations that mean a file as it was seen.
const BY_PLACE: [&str; 6] =
    ["write", "write_bytes", "replace_lines", "insert_lines", "comment_lines", "uncomment_lines"];

/// The operations that show content.
const SHOWING: [&str; 4] = ["read", "read_numbered", "read_many", "read_bytes"];

/// The operations that bring an earlier state back.
const BACK: [&str; 3] = ["undo", "redo", "restore"];

/// Arguments with which the caller decides alone.
const OWN_CONDITIONS: [&str; 2] = ["if_match", "if_none_match"];

/// The longest wait for earlier calls of the session. They are made, and only their lessons are
/// missing.
const EARLIER_CALLS: Duration = Duration::from_secs(2);

/// The memory of a session.
#[derive(Debug, Default)]
pub(crate) struct SeenTags {
    seen: Mutex<Seen>,
    changes: Mutex<OngoingChanges>,
    has_ended: Condvar,
}

/// The changing calls whose lessons are not learned yet, by their order.
#[derive(Debug, Default)]
struct OngoingChanges {
    numbers: BTreeSet<u64>,
    next: u64,
}

/// A changing call until its lesson is learned.
pub(crate) struct OngoingChange<'a> {
    seen: &'a SeenTags,
    number: u64,
}

impl OngoingChange<'_> {
    /// Waits until the lessons of earlier changes are learned.
    pub(crate) fn wait_for_earlier(&self) {
        let is_behind = |ongoing: &mut OngoingChanges| ongoing.numbers.range(..self.number).next().is_some();
        let changes = self.seen.changes.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.seen.has_ended.wait_timeout_while(changes, EARLIER_CALLS, is_behind));
    }
}

impl Drop for OngoingChange<'_> {
    fn drop(&mut self) {
        self.seen.changes.lock().unwrap_or_else(PoisonError::into_inner).numbers.remove(&self.number);
        self.seen.has_ended.notify_all();
    }
}

#[derive(Debug, Default)]
struct Seen {
    /// Files by the path of answers.
    files: BTreeMap<String, SeenFile>,
    turn: u64,
}

#[derive(Debug)]
struct SeenFile {
    tag: String,
    turn: u64,
    /// A refused call that may be repeated, and the tag of the lines that its refusal has shown.
    repeatable: Option<(Hash, String)>,
    /// A note has named the change by another program.
    is_told: bool,
}

/// A call with a condition.
pub(crate) struct Conditioned {
    /// The arguments with `if_match`.
    pub(crate) arguments: String,
    /// The path of answers.
    pub(crate) path: String,
}

/// The lessons of an outcome.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Lesson {
    /// The call has edited a file by its text, and another program has changed that file since the
    /// session saw it.
    pub(crate) is_other: bool,
    /// Paths whose present tags the outcome does not have.
    pub(crate) unknown: Vec<String>,
}

impl SeenTags {
    /// Begins a changing call.
    pub(crate) fn begin_change(&self) -> OngoingChange<'_> {
        let mut changes = self.changes.lock().unwrap_or_else(PoisonError::into_inner);
        let number = changes.next;
        changes.next += 1;
        changes.numbers.insert(number);
        OngoingChange { seen: self, number }
    }

    /// The call with the condition that the file is as the session saw it; none without such a
    /// condition. `resolve` returns the path that answers have for a path.
    pub(crate) fn condition(
        &self,
        tool: &str,
        arguments: &str,
        resolve: impl FnOnce(&str) -> Option<String>,
    ) -> Option<Conditioned> {
        if !is_one_of(&BY_PLACE, tool) || self.lock().files.is_empty() || given_twice(arguments).is_some() {
            return None;
        }
        let mut given: Map<String, Value> = serde_json::from_str(arguments).ok()?;
        if OWN_CONDITIONS.iter().any(|name| given.get(*name).is_some_and(|value| !value.is_null())) {
            return None;
        }
        let path = resolve(given.get("path")?.as_str()?)?;
        let tag = {
            let seen = self.lock();
            let file = seen.files.get(&path)?;
            match &file.repeatable {
                Some((call, tag)) if *call == key(tool, arguments) => tag.clone(),
                _ => file.tag.clone(),
            }
        };
        given.insert("if_match".to_owned(), tag.into());
        Some(Conditioned { arguments: Value::Object(given).to_string(), path })
    }

    /// Lets a refused call be repeated over the lines with this tag.
    pub(crate) fn let_repeat(&self, path: &str, tool: &str, arguments: &str, tag: &str) {
        if let Some(file) = self.lock().files.get_mut(path) {
            file.repeatable = Some((key(tool, arguments), tag.to_owned()));
        }
    }

    /// Remembers the files of an outcome.
    pub(crate) fn learn(&self, tool: &str, arguments: &str, outcome: &str) -> Lesson {
        let mut lesson = Lesson::default();
        let Some(operation) = Operation::find(tool) else { return lesson };
        let shows = SHOWING.contains(&operation.name);
        if operation.read_only && !shows {
            return lesson;
        }
        let given = picked(arguments, &["dry_run"]).unwrap_or_default();
        let wanted = ["path", "etag", "etag_before", "files", "paths", "source", "destination"];
        let Ok(fields) = picked(outcome, &wanted) else { return lesson };
        if given.get("dry_run") == Some(&Value::Bool(true)) {
            return lesson;
        }
        let text = |name: &str| fields.get(name).and_then(Value::as_str);
        let mut seen = self.lock();
        if BACK.contains(&operation.name) {
            let paths = fields.get("paths").and_then(Value::as_array).into_iter().flatten();
            lesson.unknown.extend(paths.filter_map(Value::as_str).map(str::to_owned));
            lesson.unknown.extend(text("path").map(str::to_owned));
            return lesson;
        }
        match operation.name {
            "move" | "copy" => {
                if let (Some(source), Some(destination)) = (text("source"), text("destination")) {
                    seen.relocate(source, destination, operation.name == "move");
                }
                return lesson;
            }
            "delete" | "delete_directory" => {
                let paths = fields.get("paths").and_then(Value::as_array).into_iter().flatten();
                text("path")
                    .into_iter()
                    .chain(paths.filter_map(Value::as_str))
                    .for_each(|path| seen.forget(path));
                return lesson;
            }
            _ => {}
        }
        let whole = std::iter::once(Value::Object(fields.clone()));
        let files = fields.get("files").and_then(Value::as_array).cloned().unwrap_or_default();
        for file in whole.chain(files) {
            let field = |name: &str| file.get(name).and_then(Value::as_str);
            let Some(path) = field("path") else { continue };
            match (field("etag"), field("etag_before")) {
                (Some(tag), _) if shows => seen.see(path, tag),
                (Some(_), before) if seen.knows_otherwise(path, before) => {
                    lesson.is_other |= !BY_PLACE.contains(&operation.name) && seen.tell(path);
                }
                (Some(tag), _) => seen.see(path, tag),
                (None, _) if shows => {}
                // A deleted file, or one whose tag would take too long.
                (None, _) => seen.forget(path),
            }
        }
        lesson
    }

    /// Remembers the present tag of a file that a call of the session has brought back.
    pub(crate) fn see(&self, path: &str, tag: &str) {
        self.lock().see(path, tag);
    }

    /// Forgets a file, or all files below a directory.
    pub(crate) fn forget(&self, path: &str) {
        self.lock().forget(path);
    }

    fn lock(&self) -> MutexGuard<'_, Seen> {
        // Each step leaves a table that is right.
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seen {
    fn see(&mut self, path: &str, tag: &str) {
        self.turn += 1;
        let file = SeenFile { tag: tag.to_owned(), turn: self.turn, repeatable: None, is_told: false };
        self.files.insert(path.to_owned(), file);
        if self.files.len() > FILES {
            let oldest = self.files.iter().min_by_key(|(_, file)| file.turn).map(|(path, _)| path.clone());
            oldest.map(|path| self.files.remove(&path));
        }
    }

    /// Whether a change has found a known file in another state than the session saw. The known tag
    /// stays then, so a later change by place is refused until the file is read.
    fn knows_otherwise(&self, path: &str, before: Option<&str>) -> bool {
        self.files.get(path).is_some_and(|file| before.is_some_and(|before| before != file.tag))
    }

    /// Whether no note has named the change by another program yet. Notes that one does now.
    fn tell(&mut self, path: &str) -> bool {
        self.files.get_mut(path).is_some_and(|file| !std::mem::replace(&mut file.is_told, true))
    }

    /// The files at or below a path.
    fn below(&self, path: &str) -> Vec<String> {
        let start = format!("{path}/");
        let inside = self.files.range(start.clone()..).take_while(|(path, _)| path.starts_with(&start));
        let own = self.files.get_key_value(path);
        own.into_iter().chain(inside).map(|(path, _)| path.clone()).collect()
    }

    fn forget(&mut self, path: &str) {
        for path in self.below(path) {
            self.files.remove(&path);
        }
    }

    /// Gives a moved or copied file, or all files of a directory, the path of its destination.
    fn relocate(&mut self, source: &str, destination: &str, is_moved: bool) {
        let known = self.below(source).into_iter().filter_map(|path| {
            let tag = self.files.get(&path)?.tag.clone();
            Some((format!("{destination}{}", &path[source.len()..]), tag))
        });
        let known: Vec<_> = known.collect();
        self.forget(destination);
        if is_moved {
            self.forget(source);
        }
        for (path, tag) in known {
            self.see(&path, &tag);
        }
    }
}

/// The identity of a call.
fn key(tool: &str, arguments: &str) -> Hash {
    blake3::hash(format!("{tool} {arguments}").as_bytes())
}

fn is_one_of(names: &[&str], tool: &str) -> bool {
    Operation::find(tool).is_some_and(|operation| names.contains(&operation.name))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The condition of a call; each path below `/w` has its name in answers.
    fn condition(seen: &SeenTags, tool: &str, arguments: &Value) -> Option<String> {
        let resolve =
            |path: &str| Some(format!("/w/{}", path.trim_start_matches("./").trim_start_matches("/w/")));
        let conditioned = seen.condition(tool, &arguments.to_string(), resolve)?;
        let fields: Value = serde_json::from_str(&conditioned.arguments).unwrap();
        Some(fields["if_match"].as_str().unwrap().to_owned())
    }

    fn learn(seen: &SeenTags, tool: &str, arguments: &Value, outcome: &Value) -> Lesson {
        seen.learn(tool, &arguments.to_string(), &outcome.to_string())
    }

    #[test]
    fn a_change_by_place_means_the_file_that_was_seen() {
        let seen = SeenTags::default();
        let lines = json!({"path": "a", "lines": "1", "content": "x"});
        assert_eq!(condition(&seen, "replace_lines", &lines), None);
        learn(&seen, "read", &json!({"path": "./a"}), &json!({"path": "/w/a", "etag": "1"}));
        for tool in BY_PLACE {
            assert_eq!(condition(&seen, tool, &lines).as_deref(), Some("1"), "{tool}");
        }
        assert_eq!(condition(&seen, "replace-lines", &json!({"path": "/w/a"})).as_deref(), Some("1"));
        for (tool, arguments) in [
            ("replace", lines.clone()),
            ("append", lines.clone()),
            ("write", json!({"path": "a", "if_match": "*"})),
            ("write", json!({"path": "a", "if_none_match": "*"})),
            ("write", json!({"path": "b"})),
        ] {
            assert_eq!(condition(&seen, tool, &arguments), None, "{tool} {arguments}");
        }
        let twice = seen.condition("write", r#"{"path": "a", "path": "a"}"#, |_| Some("/w/a".to_owned()));
        assert!(twice.is_none());
        // The refused call alone may be repeated.
        seen.let_repeat("/w/a", "replace_lines", &lines.to_string(), "2");
        assert_eq!(condition(&seen, "replace_lines", &lines).as_deref(), Some("2"));
        assert_eq!(condition(&seen, "write", &json!({"path": "a"})).as_deref(), Some("1"));
    }

    #[test]
    fn each_outcome_is_a_newer_look() {
        // The calls after a read of `/w/d/a` with the tag 1, and the tag that a write then has.
        let own = |before: &str| json!({"path": "/w/d/a", "etag": "2", "etag_before": before});
        for (tool, arguments, outcome, expected) in [
            ("read_numbered", json!({}), json!({"path": "/w/d/a", "etag": "2"}), Some("2")),
            ("read_many", json!({}), json!({"files": [{"path": "/w/d/a", "etag": "2"}]}), Some("2")),
            ("outline", json!({}), json!({"path": "/w/d/a", "etag": "2"}), Some("1")),
            ("replace", json!({}), own("1"), Some("2")),
            ("replace", json!({}), own("0"), Some("1")),
            ("append", json!({}), own("0"), Some("1")),
            ("replace_lines", json!({}), own("0"), Some("1")),
            ("replace", json!({"dry_run": true}), own("1"), Some("1")),
            ("apply", json!({}), json!({"files": [own("1")]}), Some("2")),
            ("apply", json!({}), json!({"files": [own("0")]}), Some("1")),
            ("apply", json!({}), json!({"files": [{"path": "/w/d/a"}]}), None),
            ("delete", json!({}), json!({"paths": ["/w/d/a"]}), None),
            ("delete_directory", json!({}), json!({"path": "/w/d"}), None),
            ("move", json!({}), json!({"source": "/w/d", "destination": "/w/e"}), None),
            ("copy", json!({}), json!({"source": "/w/d", "destination": "/w/e"}), Some("1")),
            ("stat", json!({}), json!({"path": "/w/d/a"}), Some("1")),
        ] {
            let seen = SeenTags::default();
            learn(&seen, "read", &json!({}), &json!({"path": "/w/d/a", "etag": "1"}));
            learn(&seen, "read", &json!({}), &json!({"path": "/w/other", "etag": "1"}));
            learn(&seen, tool, &arguments, &outcome);
            let found = condition(&seen, "write", &json!({"path": "d/a"}));
            assert_eq!(found.as_deref(), expected, "{tool} {outcome}");
            if ["move", "copy"].contains(&tool) {
                assert_eq!(
                    condition(&seen, "write", &json!({"path": "e/a"})).as_deref(),
                    Some("1"),
                    "{tool}"
                );
            }
        }
    }

    #[test]
    fn an_edit_by_its_text_tells_of_another_program_and_an_undo_asks_for_tags() {
        let seen = SeenTags::default();
        let edit = |before: &str, after: &str| {
            let outcome = json!({"path": "/w/a", "etag_before": before, "etag": after});
            learn(&seen, "replace", &json!({"path": "a"}), &outcome).is_other
        };
        assert!(!edit("1", "2"), "not seen before");
        assert!(!edit("2", "3"));
        assert!(edit("4", "5"));
        assert!(!edit("5", "6"), "one note is enough");
        let undone = learn(&seen, "undo", &json!({}), &json!({"paths": ["/w/a", "/w/b"]}));
        assert_eq!(undone.unknown, ["/w/a", "/w/b"]);
    }

    #[test]
    fn the_file_that_was_seen_least_recently_is_forgotten() {
        let seen = SeenTags::default();
        for number in 0..=FILES {
            learn(&seen, "read", &json!({}), &json!({"path": format!("/w/{number}"), "etag": "1"}));
        }
        assert_eq!(condition(&seen, "write", &json!({"path": "0"})), None);
        assert_eq!(condition(&seen, "write", &json!({"path": "1"})).as_deref(), Some("1"));
        seen.forget("/w/1");
        assert_eq!(condition(&seen, "write", &json!({"path": "1"})), None);
    }

    #[test]
    fn a_call_waits_for_the_lessons_of_earlier_ones() {
        let seen = SeenTags::default();
        let (first, second, third) = (seen.begin_change(), seen.begin_change(), seen.begin_change());
        std::thread::scope(|scope| {
            scope.spawn(|| {
                seen.see("/w/a", "one");
                drop(first);
            });
            second.wait_for_earlier();
            assert_eq!(seen.lock().files["/w/a"].tag, "one");
        });
        // Later ones are not waited for.
        drop(second);
        third.wait_for_earlier();
    }
}
