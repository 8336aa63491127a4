//! A root that has become part of a larger one: sessions of the larger one recover its unfinished
//! changes and have its history.

use std::fs;
use std::path::Path;

use fsgate::{Access, Gate};
use serde_json::{Value, json};

use super::kills::{Moment, kill_after};
use super::scratch::{Scratch, check_settled, left, states};
use super::script::Writer;
use super::tree::Tree;
use super::{Random, soak};

#[test]
fn what_died_in_a_part_is_recovered_by_the_whole() {
    let wanted = if soak() { 60 } else { 4 };
    let (mut writer, mut random) = (Writer::new(3), Random(4));
    let (mut found, mut tries) = (0, 0);
    while found < wanted {
        tries += 1;
        assert!(tries < wanted * 20, "{found} of {tries} died in the middle");
        let scratch = Scratch::new();
        let tree = writer.beginning();
        for part in ["w/a", "w/b"] {
            fs::create_dir(scratch.at(part)).unwrap();
        }
        tree.write(&scratch.at("w/b"));
        // The first part's state becomes that of the whole; the second part's gets no new records.
        let part = Gate::builder().dir_as(scratch.at("w/a"), "/w/a", Access::Write);
        part.state_root(scratch.at("state")).build().unwrap();
        let script = writer.script(&tree, 30);
        let answers = kill_after(&scratch, "w/b::/w/b", &[], &script, Moment::any(&mut random));
        let is_unfinished = states(&scratch.at("state")).iter().any(|state| left(state) != (0, false));
        if !is_unfinished {
            continue;
        }
        found += 1;
        let whole = scratch.gate();
        if found % 2 == 0 {
            whole.call("exists", r#"{"path": "b"}"#).unwrap();
        } else {
            let created = json!({"path": "a/new", "content": "new\n"}).to_string();
            whole.call("create", &created).unwrap();
        }
        let context = format!("{answers} answers");
        check_settled(&scratch.at("state"), &context);
        let reached = Tree::read(&scratch.at("w/b"));
        let mut trees = std::iter::once(&tree).chain(script.iter().map(|step| &step.after)).skip(answers);
        assert!(trees.any(|tree| *tree == reached), "{context}: no such tree");
    }
    eprintln!("{found} of {tries} died in the middle of a change in a part, and were recovered by the whole");
}

#[test]
fn what_was_done_in_a_part_is_taken_back_by_the_whole_and_by_the_part() {
    let scratch = Scratch::new();
    for part in ["w/a", "w/b"] {
        fs::create_dir(scratch.at(part)).unwrap();
    }
    let gate = |name: &str| {
        let gate = Gate::builder().dir_as(scratch.at(name), format!("/{name}"), Access::Write);
        // The whole and its parts are different grants, and the operator sees the history of both.
        gate.state_root(scratch.at("state")).operator().build().unwrap()
    };
    let call = |gate: &Gate, tool: &str, arguments: &Value| -> Value {
        let answer =
            gate.call(tool, &arguments.to_string()).unwrap_or_else(|refused| panic!("{tool}: {refused}"));
        serde_json::from_str(&answer).unwrap()
    };
    let write = |gate: &Gate, content: &str| {
        let done = call(gate, "write", &json!({"path": "f", "content": content}));
        done["undo_id"].as_str().unwrap().to_owned()
    };
    let entries =
        |gate: &Gate| call(gate, "log", &json!({"any_session": true}))["entries"].as_array().unwrap().len();
    let reads = |name: &str| fs::read_to_string(scratch.at(name)).unwrap_or_default();
    write(&gate("w/a"), "a");
    let before = gate("w/b");
    let ids = ["one", "two", "three SECRET"].map(|content| write(&before, content));
    let whole = gate("w");
    assert_eq!(entries(&whole), 4);
    // An earlier session continues, and does not see records of the whole.
    call(&whole, "undo", &json!({"id": ids[2], "any_session": true}));
    assert_eq!((reads("w/b/f").as_str(), entries(&before), entries(&whole)), ("two", 3, 5));
    let part = gate("w/b");
    call(&part, "undo", &json!({"id": ids[1], "any_session": true}));
    assert_eq!((reads("w/b/f").as_str(), entries(&part)), ("one", 5));
    call(&part, "redo", &json!({"any_session": true}));
    call(&part, "redo", &json!({"any_session": true}));
    assert_eq!(reads("w/b/f"), "three SECRET");
    call(&whole, "restore", &json!({"id": ids[0], "path": "/w/b/f", "any_session": true}));
    assert_eq!(reads("w/b/f"), "");
    assert!(is_anywhere(&scratch.at("state"), b"SECRET"));
    call(&whole, "forget", &json!({"everything": true}));
    assert!(!is_anywhere(&scratch.at("state"), b"SECRET"));
    assert_eq!([&part, &before, &whole].map(entries), [0; 3]);
    check_settled(&scratch.at("state"), "");
}

/// Whether a file below a directory has these bytes.
fn is_anywhere(directory: &Path, bytes: &[u8]) -> bool {
    fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).any(|path| match path.is_dir() {
        true => is_anywhere(&path, bytes),
        false => fs::read(&path).unwrap().windows(bytes.len()).any(|window| window == bytes),
    })
}
