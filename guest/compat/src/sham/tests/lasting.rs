//! State between texts: working set and undo.

use std::collections::BTreeMap;

use serde_json::json;

use super::{block, files, run, write};
use crate::InJson;
use crate::bounds::tests::Narrow;
use crate::testing::{from_outside, session};
use fsgate_contract::limits::{
    FRONT_END_TEXT_BYTES, SHAM_CHANGES, SHAM_DATA_BYTES, SHAM_PATH_BYTES, SHAM_WORKING_SET,
};
use fsgate_engine::session::Session;
use fsgate_volume::Access;
use fsgate_volume::grant::Grant;
use fsgate_volume::memory::{Item, Memory};

const UNDO: &[(&str, &str)] = &[("action", "undo")];
#[test]
fn the_working_set_lasts() {
    let volume = Memory::default();
    let add = write("wri", "/tmp/a", "123") + &block("add", &[("action", "context_add"), ("path", "/tmp/a")]);
    let (_, state) = run(&session(&volume), &add, None, false);
    let list = block("lis", &[("action", "context_list")]);
    let (output, state) = run(&session(&volume), &list, state, false);
    assert_eq!(output["results"][0]["data"], json!([{"path": "/tmp/a", "size": 3}]));
    let (output, _) = run(&session(&volume), &list, None, false);
    assert_eq!(output["results"][0]["data"], json!([]));
    let clear = block("cle", &[("action", "context_clear")]);
    let (_, state) = run(&session(&volume), &clear, state, false);
    assert!(!state.unwrap().contains("context"));
}

/// Asking repeatedly does not enlarge the working set, only its output.
#[test]
fn the_working_set_is_not_told_without_end() {
    let volume = Memory::default();
    let whole = SHAM_PATH_BYTES * SHAM_WORKING_SET;
    let list = block("lis", &[("action", "context_list")]).repeat(SHAM_DATA_BYTES / whole + 1);
    let prune = block("pru", &[("action", "context_prune")]).repeat(SHAM_DATA_BYTES / whole + 1);
    let state = json!({"context": vec!["x".repeat(SHAM_PATH_BYTES); SHAM_WORKING_SET]}).to_string();
    for text in [list, prune] {
        let (output, _) = run(&session(&volume), &text, Some(state.clone()), false);
        let last = output["results"][SHAM_DATA_BYTES / whole]["error"].as_str().unwrap_or_default();
        assert!(last.contains("the actions of one text give at most"), "{last}");
    }
    let paths = block(
        "rep",
        &[
            ("action", "files_replace_all_text"),
            ("paths", &"/\n".repeat(100_000)),
            ("old_text", "a"),
            ("new_text", "b"),
        ],
    );
    let (output, _) = run(&session(&volume), &paths, None, false);
    assert!(
        output["results"][0]["error"].as_str().unwrap().contains("give at most"),
        "{}",
        output["results"][0]["error"]
    );
    for (state, why) in [
        (
            json!({"context": vec!["x"; SHAM_WORKING_SET + 1]}).to_string(),
            "the working set has at most 1000 paths",
        ),
        (
            json!({"context": ["\"".repeat(SHAM_PATH_BYTES / 2 + 1)]}).to_string(),
            "a path in the working set has at most 4096 bytes in JSON",
        ),
        (
            json!({"changes": vec![[(); 0]; SHAM_CHANGES + 1]}).to_string(),
            "it has the changes of more than 1000 texts",
        ),
        (" ".repeat(FRONT_END_TEXT_BYTES + 1), "it has more than 16777216 bytes"),
    ] {
        let (output, _) = run(&session(&volume), "", Some(state), false);
        assert!(output["fatalError"].as_str().unwrap().contains(why), "{output}");
    }
}

/// The state stays within its limit.
#[test]
fn a_path_that_would_make_the_working_set_too_large_is_not_put_in_it() {
    let volume = Memory::default();
    let name = "\"".repeat(200);
    let path = [&name[..]; 11].join("/");
    volume.put(&path, Item::File(Vec::new()));
    let add = |path: &str| block("add", &[("action", "context_add"), ("path", &format!("/tmp/{path}"))]);
    let (output, state) = run(&session(&volume), &add(&path), None, false);
    let why = "context_add: a path in the working set has at most 4096 bytes in JSON";
    assert_eq!((&output["results"][0]["error"], state), (&json!(why), None));
    let (output, state) = run(&session(&volume), &add(&path[..2009]), None, false);
    assert_eq!((&output["success"], state.is_some()), (&json!(true), true), "{output}");
}

#[test]
fn undo_takes_back_one_text_after_the_other() {
    let volume = Memory::default();
    volume.put("a", Item::File(b"before".to_vec()));
    let session = session(&volume);
    let start = files(&volume);
    let one =
        write("one", "/tmp/a", "one") + &write("two", "/tmp/d/b", "two") + &write("thr", "/tmp/a", "three");
    let (_, state) = run(&session, &one, None, false);
    let middle = files(&volume);
    let move_it = block("mov", &[("action", "file_move"), ("old_path", "/tmp/a"), ("new_path", "/tmp/c")]);
    let (_, state) = run(&session, &move_it, state, false);
    let read = block("rea", &[("action", "file_read"), ("path", "/tmp/c")]);
    let (_, state) = run(&session, &read, state, false);

    let undo = block("und", UNDO);
    let (refused, state) = run(&session, &undo, state, false);
    assert_eq!(refused["results"][0]["error"], "undo: Not available to a model (accessibility: user)");
    let (output, state) = run(&session, &undo, state, true);
    assert_eq!(
        output["results"][0],
        json!({"seq": 1, "blockId": "und", "action": "undo", "params": {}, "success": true})
    );
    assert_eq!(files(&volume), middle);
    let (_, state) = run(&session, &undo, state, true);
    assert_eq!(files(&volume), start);
    let (output, state) = run(&session, &undo, state, true);
    assert_eq!(output["results"][0]["error"], "undo: there is nothing to undo");
    assert_eq!(state, None);
}

#[test]
fn undo_passes_over_what_is_undone_or_forgotten_already() {
    let volume = Memory::default();
    let session = session(&volume);
    let outside = from_outside(&session);
    let mut state = None;
    for name in ["/tmp/a", "/tmp/b", "/tmp/c"] {
        state = run(&session, &write("new", name, "new"), state, false).1;
    }
    outside("undo", "{}").unwrap();
    let undo = block("und", UNDO);
    let (output, state) = run(&session, &undo, state, true);
    assert_eq!((&output["success"], files(&volume).len()), (&json!(true), 1), "{output}");
    outside("forget", r#"{"everything": true}"#).unwrap();
    let (output, state) = run(&session, &undo, state, true);
    assert_eq!(output["results"][0]["error"], "undo: there is nothing to undo");
    assert_eq!((state, files(&volume).len()), (None, 1));
    // A part of a text.
    let two = write("one", "/tmp/d", "one") + &write("two", "/tmp/e", "two");
    let (_, state) = run(&session, &two, None, false);
    outside("undo", "{}").unwrap();
    let (output, state) = run(&session, &undo, state, true);
    assert_eq!((&output["success"], state), (&json!(true), None), "{output}");
    assert_eq!(files(&volume).len(), 1);
}

#[test]
fn undo_passes_over_what_was_undone_by_force() {
    let volume = Memory::default();
    let session = session(&volume);
    let outside = from_outside(&session);
    let mut state = None;
    for name in ["/tmp/a", "/tmp/b"] {
        state = run(&session, &write("new", name, "new"), state, false).1;
    }
    volume.put("b", Item::File(b"new, and changed".to_vec()));
    let undo = block("und", UNDO);
    let (output, state) = run(&session, &undo, state, true);
    assert_eq!((&output["success"], files(&volume).len()), (&json!(false), 2), "{output}");
    let entries: serde_json::Value = serde_json::from_str(&outside("log", "{}").unwrap()).unwrap();
    let restore = json!({"id": entries["entries"][0]["undo_id"], "force": true});
    outside("restore", &restore.to_string()).unwrap();
    assert_eq!(files(&volume).len(), 1);
    let (output, state) = run(&session, &undo, state, true);
    assert_eq!((&output["success"], files(&volume).len()), (&json!(true), 0), "{output}");
    assert_eq!(state, None);
}

/// An entry that the session does not see was not undone, so its text stays.
#[test]
fn undo_stops_at_a_hidden_entry() {
    let (volume, history) = (Memory::default(), Memory::default());
    let under = |policy: &str| {
        let grant = |name: &str, volume: &Memory| Grant {
            name: name.to_owned(),
            volume: volume.clone(),
            access: Access::Write,
        };
        let preopens = vec![grant("/tmp", &volume), grant("/.fsgate", &history)];
        Session::open_or_refuse(preopens, [("FSGATE_LOCK", "host"), ("FSGATE_POLICY", policy)])
    };
    let open = under(r#"{"profile": "open"}"#);
    let rules = r#"{"profile": "open", "rules": [{"name": "r", "paths": ["never"], "effect": "denied"}]}"#;
    let (_, state) = run(&open, &write("one", "/tmp/a", "one"), None, false);
    let undo = block("und", UNDO);
    let (output, state) = run(&under(rules), &undo, state, true);
    let error = output["results"][0]["error"].as_str().unwrap_or_default();
    assert!(error.contains("was made under other rules or grants"), "{output}");
    assert_eq!(files(&volume).len(), 1);
    let (output, _) = run(&open, &undo, state, true);
    assert_eq!((&output["success"], files(&volume).len()), (&json!(true), 0), "{output}");
}

#[test]
fn undo_takes_back_all_or_nothing() {
    let volume = Memory::default();
    let first = session(&volume);
    let text = write("one", "/tmp/a", "one") + &write("two", "/tmp/b", "two");
    let (_, state) = run(&first, &text, None, false);
    volume.put("a", Item::File(b"somebody else's".to_vec()));
    let changed = files(&volume);
    let undo = block("und", UNDO);
    let (output, state) = run(&first, &undo, state, true);
    let error = output["results"][0]["error"].as_str().unwrap();
    let told = "undo: the file has changed since, so the change cannot be taken back by itself: the entry ";
    assert!(error.starts_with(told) && error.ends_with(" '/tmp/a'"), "{error}");
    assert_eq!(files(&volume), changed);
    volume.put("a", Item::File(b"one".to_vec()));
    let (output, _) = run(&first, &undo, state, true);
    assert_eq!(output["success"], true, "{output}");
    assert_eq!(files(&volume), BTreeMap::new());
}

/// Changes undone before the text ended are restored.
#[test]
fn undo_takes_back_all_or_nothing_when_the_text_ends() {
    for (asks, is_undone) in [(0, false), (1, false), (2, true)] {
        let volume = Memory::default();
        let session = session(&volume);
        let text = write("one", "/tmp/a", "one") + &write("two", "/tmp/b", "two");
        let (_, state) = run(&session, &text, None, false);
        let changed = files(&volume);
        let undone = |tools: &InJson| run(tools, &block("und", UNDO), state.clone(), true).0;
        let output = InJson::heard(&Narrow::asks(asks), from_outside(&session), undone).0;
        assert_eq!(output["success"], is_undone, "{output}");
        assert_eq!(files(&volume) != changed, is_undone, "{output}");
    }
}
