//! Calls of a session that remembers its files.

use fsgate_contract::Operation;
use fsgate_contract::limits::STALE_BYTES;
use fsgate_contract::types::Note;
use fsgate_error::Reason;
use fsgate_text::json::picked;
use serde_json::{Map, Value, json};

use crate::call_scope::noted;
use crate::execute;
use crate::seen_tags::{Conditioned, SeenTags};

/// The files of one `undo` whose tags are looked up.
const BROUGHT_BACK: usize = 100;

/// A session's memory, and a call without it: operation, arguments, and whether it changes nothing.
pub(super) struct Remembering<'a, C> {
    pub(super) seen: &'a SeenTags,
    pub(super) once: &'a C,
}

impl<C: Fn(&str, &str, bool) -> Result<String, String>> Remembering<'_, C> {
    pub(super) fn call(&self, tool: &str, arguments: &str, looks: bool) -> Result<String, String> {
        let change = (!looks).then(|| self.seen.begin_change());
        let condition = || self.seen.condition(tool, arguments, |path| self.resolved(path));
        let mut conditioned = condition();
        let answer = loop {
            let given = conditioned.as_ref().map_or(arguments, |conditioned| &conditioned.arguments);
            let answer = (self.once)(tool, given, looks);
            let (Err(error), Some(before)) = (&answer, &conditioned) else { break answer };
            if !is_stale(error) {
                break answer;
            }
            // A parallel call of this session may have changed the file before.
            if let Some(change) = &change {
                change.wait_for_earlier();
            }
            match condition() {
                Some(now) if now.arguments != before.arguments => conditioned = Some(now),
                _ => break answer,
            }
        };
        match answer {
            Ok(outcome) => {
                let lesson = self.seen.learn(tool, arguments, &outcome);
                for path in lesson.unknown.iter().take(BROUGHT_BACK) {
                    self.look_up(path);
                }
                if lesson.is_other { noted(Ok(outcome), changed_since()) } else { Ok(outcome) }
            }
            Err(error) => Err(match conditioned {
                Some(conditioned) => self.refused(error, tool, arguments, &conditioned),
                None => {
                    self.forget_unreadable(&error, arguments);
                    error
                }
            }),
        }
    }

    /// Calls an operation that reads one path, and picks fields of its outcome.
    fn asked(&self, tool: &str, arguments: &Value, wanted: &[&str]) -> Option<Map<String, Value>> {
        picked(&(self.once)(tool, &arguments.to_string(), true).ok()?, wanted).ok()
    }

    /// The path that answers have for a path; none without a file.
    fn resolved(&self, path: &str) -> Option<String> {
        let found = self.asked("stat", &json!({ "path": path }), &["entry"])?;
        found.get("entry")?.get("path")?.as_str().map(str::to_owned)
    }

    /// Remembers a file that has come back.
    fn look_up(&self, path: &str) {
        let read = self.asked("read_bytes", &json!({ "path": path, "length": 1 }), &["etag"]);
        match read.and_then(|fields| text(&fields, "etag")) {
            Some(tag) => self.seen.see(path, &tag),
            None => self.seen.forget(path),
        }
    }

    /// A read of a file without text tells as much of it as can be seen.
    fn forget_unreadable(&self, error: &str, arguments: &str) {
        let is_binary = picked(error, &["code"]).is_ok_and(|fields| fields["code"] == "not_text");
        let given = picked(arguments, &["path"]).unwrap_or_default();
        if let Some(path) = text(&given, "path").filter(|_| is_binary) {
            self.resolved(&path).iter().for_each(|path| self.seen.forget(path));
        }
    }

    /// A refusal as `stale` in the words of a session that gave no tag, with the lines that are
    /// there now. The same call may be repeated over lines that are all shown. Any other error
    /// stays.
    fn refused(&self, error: String, tool: &str, arguments: &str, conditioned: &Conditioned) -> String {
        let Ok(fields) = picked(&error, &["code", "tag", "path"]) else { return error };
        if fields.get("code").is_none_or(|code| code != "stale") {
            self.forget_unreadable(&error, arguments);
            return error;
        }
        let operation = Operation::find(tool).map_or("call", |operation| operation.name);
        let is_there = self.resolved(&conditioned.path).is_some();
        if !is_there {
            self.seen.forget(&conditioned.path);
        }
        let lines = place(arguments).filter(|_| is_there).and_then(|place| {
            let shown = self.asked("read_numbered", &place, &["content", "etag", "next_cursor"])?;
            let content = text(&shown, "content").filter(|content| !content.is_empty())?;
            if shown.contains_key("next_cursor") {
                return None;
            }
            self.seen.let_repeat(&conditioned.path, tool, arguments, &text(&shown, "etag")?);
            Some(content)
        });
        let found = text(&fields, "tag").unwrap_or_default();
        let path = text(&fields, "path").unwrap_or_default();
        execute::json(&Reason::SeenBefore { found, is_there, lines }.at(path).into_error(operation))
    }
}

fn is_stale(error: &str) -> bool {
    picked(error, &["code"]).is_ok_and(|fields| fields.get("code").is_some_and(|code| code == "stale"))
}

fn text(fields: &Map<String, Value>, name: &str) -> Option<String> {
    fields.get(name).and_then(Value::as_str).map(str::to_owned)
}

/// The note on an edit by its text.
fn changed_since() -> Note {
    Note {
        kind: "changed".to_owned(),
        text: "another program has changed the file since this session saw it".to_owned(),
    }
}

/// The arguments of `read_numbered` for the lines that a call means; none for a whole file.
fn place(arguments: &str) -> Option<Value> {
    let mut given = picked(arguments, &["path", "lines", "section", "after", "encoding"]).ok()?;
    if let Some(after) = given.shift_remove("after").and_then(|after| after.as_u64()) {
        given.insert("lines".to_owned(), format!("{}-{}", after.max(1), after + 1).into());
    }
    if !given.contains_key("lines") && !given.contains_key("section") {
        return None;
    }
    given.insert("max_bytes".to_owned(), STALE_BYTES.into());
    Some(Value::Object(given))
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn a_call_beside_another_one_of_its_session_means_the_file_after_that() {
        let seen = SeenTags::default();
        seen.see("/w/a", "1");
        let tags = RefCell::new(Vec::new());
        let once = |tool: &str, arguments: &str, _: bool| {
            if tool == "stat" {
                return Ok(json!({"entry": {"path": "/w/a"}}).to_string());
            }
            let given: Value = serde_json::from_str(arguments).unwrap();
            let tag = given["if_match"].as_str().unwrap_or_default().to_owned();
            tags.borrow_mut().push(tag.clone());
            if tag == "1" {
                // The other call ends now.
                seen.see("/w/a", "2");
                return Err(json!({"code": "stale", "tag": "2", "path": "/w/a"}).to_string());
            }
            Ok(json!({"path": "/w/a", "etag": "3"}).to_string())
        };
        let arguments = json!({"path": "a", "lines": "1", "content": "x"}).to_string();
        let answer = Remembering { seen: &seen, once: &once }.call("replace_lines", &arguments, false);
        assert!(answer.is_ok(), "{answer:?}");
        assert_eq!(*tags.borrow(), ["1", "2"]);
    }
}
