//! All front ends under narrow limits.

use std::cell::Cell;
use std::time::Duration;

use serde_json::{Value, json};

use super::{Bounds, Unbounded, bytes_in_json};
use crate::testing::{from_outside, session};
use crate::{InJson, call};
use fsgate_engine::session::Session;
use fsgate_error::Interruption;
use fsgate_volume::memory::{Item, Memory};

/// A limit of bytes, and of questions before the text ends.
pub(crate) struct Narrow {
    pub(crate) room: usize,
    pub(crate) asks: Cell<u32>,
}

impl Narrow {
    pub(crate) fn room(room: usize) -> Self {
        Self { room, asks: Cell::new(u32::MAX) }
    }

    pub(crate) fn asks(asks: u32) -> Self {
        Self { room: usize::MAX, asks: Cell::new(asks) }
    }
}

impl Bounds for Narrow {
    fn room(&self) -> usize {
        self.room
    }

    fn ended(&self) -> Option<Interruption> {
        let left = self.asks.get().checked_sub(1);
        self.asks.set(left.unwrap_or_default());
        left.is_none().then_some(Interruption::TextDeadline(Duration::from_secs(10)))
    }
}

fn answer(session: &Session<Memory>, bounds: &dyn Bounds, front_end: &str, text: &str) -> String {
    let arguments = json!({"text": text}).to_string();
    let spoken = |tools: &InJson| call(front_end, tools, &arguments).unwrap();
    InJson::heard(bounds, from_outside(session), spoken).0
}

fn sham(action: &str, rest: &str) -> String {
    format!(
        "#!SHAM [@three-char-SHA-256: abc]\naction = \"{action}\"\npath = \"/tmp/a\"\n{rest}\n#!END_SHAM_abc\n"
    )
}

#[test]
fn a_text_that_has_ended_is_answered_and_not_carried_out() {
    for (front_end, text) in [
        ("sham", sham("file_write", "content = \"new\"")),
        ("command", "writeFile a options: content: new".to_owned()),
        ("workflow", "{{invoke_tool: write_file\n  file_path: a\n  content: new\n}}".to_owned()),
        ("file_action", r#"{"action": "create", "path": "b.md", "content": "new"}"#.to_owned()),
        ("plugin", r#"{"tool": "filesystem.write", "input": {"path": "a", "content": "new"}}"#.to_owned()),
    ] {
        for (bounds, is_done) in [(&Narrow::asks(0) as &dyn Bounds, false), (&Unbounded, true)] {
            let volume = Memory::default();
            volume.put("a", Item::File(b"old".to_vec()));
            let before = volume.snapshot();
            let told = answer(&session(&volume), bounds, front_end, &text);
            let ended = told.contains("the text that makes the call was stopped after 10s");
            assert_eq!((ended, volume.snapshot() != before), (!is_done, is_done), "{front_end}: {told}");
        }
    }
}

#[test]
fn an_answer_has_as_much_room_as_is_given() {
    const ROOM: usize = 2_000;
    let (long, path) = ("x".repeat(ROOM), "\\u0001".repeat(ROOM));
    let deep = format!("/tmp{}", format!("/{}", "d".repeat(200)).repeat(ROOM / 200));
    let read = r#"{"tool": "filesystem.read", "input": {"path": "a"}}"#;
    let send =
        format!(r#"{{"tool": "filesystem.output", "input": {{"path": "a", "description": "{long}"}}}}"#);
    for (front_end, text, told) in [
        ("sham", sham("file_read", ""), "give at most 2000 bytes"),
        ("sham", sham(&long, ""), "Unknown action: xxx"),
        ("sham", sham("file_append", &format!("content = \"{long}\"")), r#""params":{"path":"/tmp/a"}"#),
        ("sham", format!("#!SHAM {long}\n").repeat(90), "not told: 84, the first in the block at line 7;"),
        (
            "sham",
            sham("context_remove", "").replace("/tmp/a", &format!("/{long}")).repeat(6),
            r#""path":"/x"#,
        ),
        ("sham", sham("dir_create", "").replace("/tmp/a", &deep).repeat(6), r#""success":true"#),
        (
            "sham",
            sham("files_read", &format!("paths = \"{}\"", "/x\\n".repeat(99))),
            "give at most 2000 bytes",
        ),
        ("command", "readFile a".to_owned(), "EFBIG: file too large"),
        ("command", "listDirectory d".to_owned(), "the names have more than 2000 bytes"),
        ("command", format!("copyFile a options: {long}"), "Invalid options: unable to parse."),
        ("command", format!("readFile {long}"), "ENAMETOOLONG: "),
        ("workflow", "{{invoke_tool: read_file\n  file_path: a\n}}".to_owned(), "give at most 2000 bytes"),
        ("file_action", format!(r#"{{"action": "{long}", "path": "{path}", "content": ""}}"#), "is neither"),
        ("plugin", read.to_owned(), "give at most 2000 bytes"),
        ("plugin", send, "give at most 2000 bytes"),
        ("plugin", read.replace("\"a\"", &format!("\"{path}/..\"")), "invalid_path"),
        ("plugin", read.replace("read", &path), "no tool has the name"),
    ] {
        let volume = Memory::default();
        volume.put("a", Item::File(vec![b'x'; ROOM + 1]));
        (0..200).for_each(|number| volume.put(&format!("d/{number}"), Item::File(Vec::new())));
        let told_by = answer(&session(&volume), &Narrow::room(ROOM), front_end, &text);
        let outcome: Value = serde_json::from_str(&told_by).unwrap();
        let words = ["output", "command_error", "raw"].iter().find_map(|field| outcome[field].as_str());
        let words = words.unwrap_or_else(|| panic!("{told_by}"));
        assert!(words.contains(told), "{front_end} {text:.99}: {words}");
        // Names of 600 characters with JSON around them.
        assert!(bytes_in_json(&outcome) < 6_000 + 2 * ROOM, "{front_end} {text:.99}: {words}");
        assert_eq!(outcome["events"].as_array().map_or(0, Vec::len), 0, "{words}");
    }
}

#[test]
fn what_a_text_does_not_come_to_is_told_as_nothing_else() {
    let plugin =
        |tool: &str, input: &str| format!(r#"{{"tool": "filesystem.{tool}", "input": {{{input}}}}}"#);
    let workflow = |tool: &str, rest: &str| format!("{{{{invoke_tool: {tool}\n  {rest}\n}}}}");
    for (front_end, text) in [
        ("sham", sham("ls", "").replace("/tmp/a", "/tmp")),
        ("workflow", workflow("get_file_info", "path: a.txt")),
        ("workflow", workflow("get_file_info", "path: d")),
        ("workflow", workflow("list_directory", "directory_path: .")),
        ("plugin", plugin("list", r#""path": """#)),
        ("plugin", plugin("glob", r#""pattern": "**""#)),
        ("plugin", plugin("read", r#""path": "a.txt""#)),
        ("plugin", plugin("output", r#""path": "a.txt""#)),
    ] {
        let volume = Memory::default();
        volume.put("a.txt", Item::File(b"old".to_vec()));
        volume.put("a.txt.meta.json", Item::File(br#"{"mimeType": "text/x-own"}"#.to_vec()));
        volume.put("d/in", Item::File(Vec::new()));
        volume.put("to-a", Item::Link("a.txt".to_owned()));
        volume.put("to-d", Item::Link("d".to_owned()));
        volume.put("to-nothing", Item::Link("nothing".to_owned()));
        let session = session(&volume);
        let whole = answer(&session, &Unbounded, front_end, &text);
        let mut asks = 0;
        loop {
            let told = answer(&session, &Narrow::asks(asks), front_end, &text);
            if told == whole {
                break;
            }
            assert!(told.contains("was stopped after 10s"), "{front_end} {text} after {asks}: {told}");
            asks += 1;
        }
        assert!(asks > 1, "{front_end} {text}: {whole}");
    }
}
