//! The session remembers the files that it has seen.

use std::fs;

use serde_json::{Value, json};

use super::client::{Scratch, text};

/// One call behind a change by another program: the tool, its arguments, and the beginnings of the
/// answers of the call and of its repetition.
const PLACES: [(&str, &str, &str, &str); 4] = [
    (
        "edit",
        r#"{"path": "a.md", "lines": "3", "new": "new\n"}"#,
        "stale: a.md: another program has changed the file since this session saw it\n\
         repeat the call if it still means these lines:\n3: B",
        "replaced lines of a.md",
    ),
    (
        "edit",
        r##"{"path": "a.md", "section": ["# A"], "new": "# A\n"}"##,
        "stale: a.md: another program has changed the file since this session saw it\n\
         repeat the call if it still means these lines:\n1: # A",
        "replaced lines of a.md",
    ),
    (
        "edit",
        r#"{"path": "a.md", "lines": "3", "at": "before", "new": "new\n"}"#,
        "stale: a.md: another program has changed the file since this session saw it\n\
         repeat the call if it still means these lines:\n2: \n3: B",
        "inserted into a.md",
    ),
    (
        "write",
        r#"{"path": "a.md", "content": "new\n"}"#,
        "stale: a.md: another program has changed the file since this session saw it\n\
         read the file again, and repeat the call if it is still right",
        "stale: a.md",
    ),
];

fn arguments(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn a_change_by_place_over_the_change_of_another_program_is_refused_once() {
    for (tool, given, refused, repeated) in PLACES {
        let scratch = Scratch::new();
        let file = scratch.granted().join("a.md");
        fs::write(&file, "# A\n\nb\n").unwrap();
        let mut client = scratch.serve(&["--tools", "lean"]);
        client.call("read", &json!({"path": "a.md"}));
        fs::write(&file, "# A\n\nB\n").unwrap();
        let answer = client.call(tool, &arguments(given));
        assert!(text(&answer).starts_with(refused), "{given}: {}", text(&answer));
        assert_eq!(fs::read_to_string(&file).unwrap(), "# A\n\nB\n", "{given}");
        let answer = client.call(tool, &arguments(given));
        assert!(text(&answer).starts_with(repeated), "{given}: {}", text(&answer));
        client.call("read", &json!({"path": "./a.md"}));
        let answer = client.call(tool, &arguments(given));
        assert_ne!(answer["isError"], true, "{given}: {answer}");
    }
}

#[test]
fn what_the_session_did_itself_is_no_change_of_another_program() {
    let scratch = Scratch::new();
    fs::write(scratch.granted().join("a.md"), "# A\n\nb\n").unwrap();
    let mut client = scratch.serve(&["--tools", "lean"]);
    for (tool, given) in [
        ("read", json!({"path": "a.md"})),
        ("edit", json!({"path": "a.md", "old": "b", "new": "c"})),
        ("edit", json!({"path": "a.md", "lines": "3", "new": "d\n"})),
        ("undo", json!({})),
        ("edit", json!({"path": "a.md", "lines": "3", "new": "e\n", "dry_run": true})),
        ("edit", json!({"path": "a.md", "lines": "3", "new": "e\n"})),
        ("file", json!({"op": "move", "path": "a.md", "to": "b.md"})),
        ("write", json!({"path": "a.md", "content": "new\n"})),
        ("delete", json!({"path": "a.md"})),
        ("write", json!({"path": "a.md", "content": "new\n"})),
        ("edit", json!({"path": "b.md", "lines": "1", "new": "# B\n"})),
    ] {
        let answer = client.call(tool, &given);
        assert_ne!(answer["isError"], true, "{tool} {given}: {answer}");
    }
}

#[test]
fn an_edit_by_its_text_goes_through_and_tells_of_the_other_change() {
    let scratch = Scratch::new();
    let file = scratch.granted().join("a.md");
    fs::write(&file, "one\ntwo\n").unwrap();
    let mut client = scratch.serve(&["--tools", "lean"]);
    client.call("read", &json!({"path": "a.md"}));
    fs::write(&file, "one\ntwo\nthree\n").unwrap();
    let edit = |old: &str, new: &str| json!({"path": "a.md", "old": old, "new": new});
    const NOTE: &str = "[another program has changed the file since this session saw it]";
    let answer = client.call("edit", &edit("one", "1"));
    assert!(text(&answer).contains(NOTE), "{answer}");
    let answer = client.call("edit", &edit("two", "2"));
    assert!(!text(&answer).contains(NOTE) && answer["isError"] != true, "{answer}");
}

#[test]
fn a_tag_of_the_caller_decides_alone_and_the_memory_can_be_turned_off() {
    for (words, given) in [
        (&["--tools", "lean"][..], json!({"path": "a.md", "content": "new\n", "if_match": "*"})),
        (&["--tools", "lean", "--no-remember"], json!({"path": "a.md", "content": "new\n"})),
    ] {
        let scratch = Scratch::new();
        let file = scratch.granted().join("a.md");
        fs::write(&file, "one\n").unwrap();
        let mut client = scratch.serve(words);
        client.call("read", &json!({"path": "a.md"}));
        fs::write(&file, "two\n").unwrap();
        let answer = client.call("write", &given);
        assert_ne!(answer["isError"], true, "{words:?}: {answer}");
    }
}
