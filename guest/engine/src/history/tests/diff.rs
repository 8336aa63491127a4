//! Diffs of entries: shown after any later change, or refused with a reason, and never of denied
//! content.

use serde_json::{Value, json};

use super::{World, session};
use fsgate_volume::memory::Item;

/// Later changes are reversed in memory, also if the file was moved or deleted.
#[test]
fn what_each_entry_did_is_drawn_whatever_was_done_since() {
    let world = World::new(false);
    let replace = |path: &str, old: &str, new: &str| json!({"path": path, "old": old, "new": new});
    let edits = json!([{"path": "a", "old": "two", "new": "2"}, {"path": "b", "old": "bee", "new": "wasp"}]);
    let done = [
        ("replace", replace("a", "one", "eins")),
        ("replace", replace("a", "eins\n", "1\n1.5\n")),
        ("apply", json!({ "edits": edits })),
        ("move", json!({"source": "a", "destination": "d/moved"})),
        ("append", json!({"path": "d/moved", "content": "three\n"})),
        ("create", json!({"path": "a", "content": "another\n"})),
        ("delete", json!({"path": "d/moved"})),
        ("write", json!({"path": "b", "content": "", "backup": true})),
    ];
    for (tool, arguments) in &done {
        world.call(tool, arguments).unwrap();
    }
    let expected = [
        "--- a/w/b\n+++ b/w/b\n@@ -1 +0,0 @@\n-wasp\n",
        "--- a/w/d/moved\n+++ /dev/null\n@@ -1,4 +0,0 @@\n-1\n-1.5\n-2\n-three\n",
        "--- /dev/null\n+++ b/w/a\n@@ -0,0 +1 @@\n+another\n",
        "--- a/w/d/moved\n+++ b/w/d/moved\n@@ -1,3 +1,4 @@\n 1\n 1.5\n 2\n+three\n",
        "",
        "--- a/w/a\n+++ b/w/a\n@@ -1,3 +1,3 @@\n 1\n 1.5\n-two\n+2\n\
         --- a/w/b\n+++ b/w/b\n@@ -1 +1 @@\n-bee\n+wasp\n",
        "--- a/w/a\n+++ b/w/a\n@@ -1,2 +1,3 @@\n-eins\n+1\n+1.5\n two\n",
        "--- a/w/a\n+++ b/w/a\n@@ -1,2 +1,2 @@\n-one\n+eins\n two\n",
    ];
    let drawn = |log: &Value| -> Vec<String> {
        let entries = log["entries"].as_array().unwrap().iter();
        entries.map(|entry| entry["diff"].as_str().unwrap_or_default().to_owned()).collect()
    };
    let log = world.call("log", &json!({"diff": true})).unwrap();
    assert_eq!((&drawn(&log)[..], log.get("notes")), (&expected.map(str::to_owned)[..], None), "{log}");
    // Page by page, and for one directory.
    let (mut cursor, mut pages) = (Value::Null, Vec::new());
    loop {
        let page = world.call("log", &json!({"diff": true, "max_items": 1, "cursor": cursor})).unwrap();
        pages.extend(drawn(&page));
        cursor = page["next_cursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    assert_eq!(pages, expected);
    let log = world.call("log", &json!({"diff": true, "path": "b"})).unwrap();
    assert_eq!(drawn(&log), [expected[0], "--- a/w/b\n+++ b/w/b\n@@ -1 +1 @@\n-bee\n+wasp\n"]);
}

#[test]
fn what_cannot_be_drawn_is_told_with_its_reason() {
    let world = World::new(false);
    let first = world.call("append", &json!({"path": "a", "content": "three\n"})).unwrap();
    let completeness =
        world.call("write", &json!({"path": "a", "content": "mine\n", "backup": true})).unwrap();
    let last = world.call("append", &json!({"path": "a", "content": "more\n"})).unwrap();
    world.volume.put("a", Item::File(b"somebody else's\n".to_vec()));
    let large = "large\n".repeat(50_000);
    let too_much = world.call("create", &json!({"path": "large", "content": large})).unwrap();
    let log = world.call("log", &json!({"diff": true})).unwrap();
    let diffs: Vec<_> = log["entries"].as_array().unwrap().iter().map(|entry| &entry["diff"]).collect();
    // Wholly kept content shows the state before it.
    assert_eq!(
        diffs[2], "--- a/w/a\n+++ b/w/a\n@@ -1,3 +1 @@\n-one\n-two\n-three\n+mine\n",
        "{completeness}"
    );
    assert_eq!(diffs[3], "--- a/w/a\n+++ b/w/a\n@@ -1,2 +1,3 @@\n one\n two\n+three\n", "{first}");
    assert_eq!((diffs[0], diffs[1]), (&Value::Null, &Value::Null));
    let said = |outcome: &Value, why: &str| {
        let id = outcome["undo_id"].as_str().unwrap();
        json!({"kind": "diff", "text": format!("no diff, or not all of it, of {id}: {why}")})
    };
    let notes = [
        said(&last, "what it left is not there any more, and what is kept does not lead back to it"),
        said(&too_much, "it is larger than 262144 bytes"),
    ];
    assert_eq!(log["notes"], json!(notes), "{log}");
}

/// Neither at its path, nor at a later one, nor from kept content.
#[test]
fn nothing_is_drawn_that_may_not_be_read() {
    let key = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n";
    let rule = json!({"profile": "open", "rules": [{"name": "k", "paths": ["secret"], "effect": "denied"}]});
    let hidden =
        json!({"profile": "open", "rules": [{"name": "k", "paths": ["secret"], "effect": "hidden"}]});
    let open = json!({"profile": "open"});
    for (policy, way) in [
        (
            json!({"profile": "default"}),
            vec![("write", json!({"path": "a", "content": "x\n", "backup": true}))],
        ),
        (json!({"profile": "default"}), vec![("delete", json!({"path": "a"}))]),
        (rule.clone(), vec![("move", json!({"source": "a", "destination": "secret"}))]),
        (hidden.clone(), vec![("move", json!({"source": "a", "destination": "secret"}))]),
        (
            hidden.clone(),
            vec![
                ("move", json!({"source": "a", "destination": "d/b"})),
                ("move", json!({"source": "d", "destination": "secret", "recursive": true})),
            ],
        ),
        (
            rule.clone(),
            vec![
                ("move", json!({"source": "a", "destination": "secret"})),
                ("write", json!({"path": "secret", "content": "x\n", "backup": true})),
                ("delete", json!({"path": "secret"})),
            ],
        ),
    ] {
        let mut world = World::new(false);
        world.session = session(&world.volume, &world.state, &[("FSGATE_POLICY", &open.to_string())]);
        let backup = json!({"path": "a", "content": format!("{key}one\n"), "backup": true});
        world.call("write", &backup).unwrap();
        world.call("append", &json!({"path": "a", "content": "more\n"})).unwrap();
        for (tool, arguments) in &way {
            world.call(tool, arguments).unwrap();
        }
        world.session = session(&world.volume, &world.state, &[("FSGATE_POLICY", &policy.to_string())]);
        let log = world.call("log", &json!({"diff": true, "any_session": true})).unwrap();
        assert!(!log.to_string().contains("MIIE"), "{policy} {way:?}: {log}");
    }
}
