//! The effects of settings on calls, and of settings that fsgate does not understand.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::act::component::{Mount, allowed, linked, mounted};
use crate::act::session::Session;
use crate::act::settings::{mount, write};

/// Answers to five calls under some settings: in a grant, about all grants, and at the settings.
fn told(settings: &[(&str, &str)]) -> Vec<Value> {
    told_with(|home| write(home, settings).unwrap(), "/.fsgate-settings")
}

/// The same with the directory that `make` creates, mounted under a name.
fn told_with(make: impl FnOnce(&Path), name: &str) -> Vec<Value> {
    let home = tempfile::tempdir().unwrap();
    let work = home.path().join("work");
    fs::create_dir_all(work.join("keys")).unwrap();
    fs::write(work.join("keys/a.txt"), "a\n").unwrap();
    for number in 0..100 {
        fs::write(work.join(format!("{number}")), "").unwrap();
    }
    make(home.path());
    let settings = Mount { name: name.to_owned(), ..mount(home.path()) };
    let before = fs::read_dir(&settings.host).unwrap().count();
    let work = Mount { host: work, name: "/w".to_owned(), is_read_only: false };
    let mounts = linked([work, settings], home.path()).unwrap();
    let component = home.path().join("component.wasm");
    fs::write(&component, mounted(&mounts).unwrap()).unwrap();
    let mut session = Session::start(&component, &allowed(&mounts), home.path()).unwrap();
    let calls = [
        ("read", json!({ "path": "keys/a.txt" })),
        ("write", json!({ "path": "b.txt", "content": "b\n" })),
        ("tree", json!({ "path": "/" })),
        ("read", json!({ "path": "/.fsgate-settings/FSGATE_POLICY" })),
        ("write", json!({ "path": "/.fsgate-settings/FSGATE_POLICY", "content": "{}" })),
    ];
    let answers = calls.map(|(tool, arguments)| {
        let (Ok(text) | Err(text)) = session.call(tool, &arguments).unwrap();
        serde_json::from_str::<Value>(&text).unwrap()
    });
    assert_eq!(fs::read_dir(mount(home.path()).host).unwrap().count(), before, "{answers:?}");
    answers.into()
}

#[test]
fn a_file_stands_for_a_variable() {
    let policy = r#"{"rules": [{"name": "keys", "paths": ["keys/**"], "effect": "denied"}]}"#;
    let [denied, written, tree, hidden, changed] = &told(&[("FSGATE_POLICY", policy)])[..] else {
        panic!("there are five answers")
    };
    assert_eq!(denied["code"], "denied_by_policy", "{denied}");
    assert_eq!(denied["rule"], "keys", "{denied}");
    assert_eq!(written["created"], true, "{written}");
    let drawn = tree["drawn"].as_str().unwrap();
    assert!(drawn.contains("b.txt") && !drawn.contains("settings"), "{tree}");
    for refused in [hidden, changed] {
        assert_eq!(refused["code"], "not_granted", "{refused}");
    }
}

#[test]
fn a_call_has_the_time_that_is_set() {
    // A call reads the clock every few steps. Drawing a tree takes many.
    let answers = told(&[("FSGATE_DEADLINE_MILLIS", "0")]);
    assert_eq!(answers[2]["code"], "deadline", "{answers:?}");
}

#[test]
fn what_is_not_understood_refuses_every_call() {
    for (settings, said) in [
        (&[("FSGATE_POLCY", "{}")][..], "no setting has this name"),
        (&[("FSGATE_POLICY", "{}"), ("FSGATE_POLICY_ROOTS", "[\"/home/me\"]")], "no setting has this name"),
        (&[("FSGATE_POLICY", "{}"), ("FSGATE_POLICY_PATHS", "{\"/x\": []}")], "has no meaning here"),
        (&[("FSGATE_POLICY", "{")], "cannot be read"),
        (&[("FSGATE_HISTORY_DAYS", "ever")], "has no meaning here"),
        // ACT creates a missing directory.
        (&[], "nothing is in it"),
    ] {
        is_refused(&told(settings), "unsupported", said);
    }
}

fn is_refused(answers: &[Value], code: &str, said: &str) {
    for answer in answers {
        assert_eq!(answer["code"], code, "{answer}");
        assert!(answer["message"].as_str().unwrap().contains(said), "{answer}");
    }
}

#[test]
fn a_fifo_keeps_nobody_waiting() {
    let make = |home: &Path| {
        write(home, &[]).unwrap();
        let made = Command::new("mkfifo").arg(mount(home).host.join("FSGATE_POLICY")).status().unwrap();
        assert!(made.success());
    };
    is_refused(&told_with(make, "/.fsgate-settings"), "unsupported", "it is not a regular file");
}

#[test]
fn a_name_that_is_nearly_right_is_no_grant() {
    let make = |home: &Path| write(home, &[("FSGATE_POLICY", "{}")]).unwrap();
    is_refused(&told_with(make, "/.fsgate-setting"), "not_granted", "names that begin with `/.fsgate`");
}
