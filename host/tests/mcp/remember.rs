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
         repeat the call if it still means these lines, and read the file before any other change by place:\n3: B",
        "replaced lines of a.md",
    ),
    (
        "edit",
        r##"{"path": "a.md", "section": ["# A"], "new": "# A\n"}"##,
        "stale: a.md: another program has changed the file since this session saw it\n\
         repeat the call if it still means these lines, and read the file before any other change by place:\n1: # A",
        "replaced lines of a.md",
    ),
    (
        "edit",
        r#"{"path": "a.md", "lines": "3", "at": "before", "new": "new\n"}"#,
        "stale: a.md: another program has changed the file since this session saw it\n\
         repeat the call if it still means these lines, and read the file before any other change by place:\n2: \n3: B",
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

/// Another program changes `a.md` after these calls; the last call is refused as `stale`.
const KNOWN: [&[(&str, &str)]; 9] = [
    &[("read", r#"{"path": "./a.md"}"#), ("write", r#"{"path": "a.md", "content": "x"}"#)],
    &[("read", r#"{"path": "a.md"}"#), ("write", r#"{"path": "d/../a.md", "content": "x"}"#)],
    &[("read", r#"{"path": "/w/a.md"}"#), ("edit", r#"{"path": "a.md", "lines": "2", "new": "x\n"}"#)],
    &[
        ("read", r#"{"path": "a.md"}"#),
        ("edit", r#"{"path": "a.md", "old": "one", "new": "1"}"#),
        ("undo", "{}"),
        ("write", r#"{"path": "a.md", "content": "x"}"#),
    ],
    &[
        ("delete", r#"{"path": "a.md"}"#),
        ("undo", "{}"),
        ("edit", r#"{"path": "a.md", "lines": "2", "new": "x\n"}"#),
    ],
    &[
        ("write", r#"{"path": "b.md", "content": "one\ntwo\n"}"#),
        ("file", r#"{"op": "move", "path": "b.md", "to": "a.md"}"#),
        ("write", r#"{"path": "a.md", "content": "x"}"#),
    ],
    &[
        ("read", r#"{"path": "a.md"}"#),
        ("change", ""),
        ("write", r#"{"path": "a.md", "content": "more\n", "mode": "append"}"#),
        ("write", r#"{"path": "a.md", "content": "x"}"#),
    ],
    &[
        ("read", r#"{"path": "a.md"}"#),
        ("change", ""),
        ("read", r#"{"path": "a.md", "outline": true}"#),
        ("write", r#"{"path": "a.md", "content": "x"}"#),
    ],
    &[
        ("read", r#"{"path": "a.md"}"#),
        ("change", ""),
        ("edit", r#"{"path": "a.md", "lines": "1", "new": "x\n"}"#),
        ("edit", r#"{"path": "a.md", "lines": "3", "new": "x\n"}"#),
    ],
];

#[test]
fn a_file_is_known_by_each_of_its_spellings_and_through_the_changes_of_the_session() {
    for calls in KNOWN {
        let scratch = Scratch::new();
        let file = scratch.granted().join("a.md");
        fs::create_dir(scratch.granted().join("d")).unwrap();
        fs::write(&file, "one\ntwo\n").unwrap();
        let mut client = scratch.serve(&["--tools", "lean"]);
        let change = || fs::write(&file, "zero\none\ntwo\n").unwrap();
        let (last, before) = calls.split_last().unwrap();
        let mut is_changed = false;
        for (tool, given) in before {
            if *tool == "change" {
                change();
                is_changed = true;
            } else {
                client.call(tool, &arguments(given));
            }
        }
        if !is_changed {
            change();
        }
        let answer = client.call(last.0, &arguments(last.1));
        assert!(text(&answer).starts_with("stale"), "{calls:?}: {}", text(&answer));
    }
}

#[test]
fn no_change_is_refused_for_ever() {
    let scratch = Scratch::new();
    let file = scratch.granted().join("a.md");
    let whole = json!({"path": "a.md", "content": "new\n"});
    let line = json!({"path": "a.md", "lines": "1"});
    // Content of another program, and the calls before the write.
    for (content, calls) in [
        (Some(b"\0\xff\xfe\0".to_vec()), &["read"][..]),
        (Some(b"x".repeat(17 << 20)), &["read"]),
        (None, &[]),
    ] {
        fs::write(&file, "one\n").unwrap();
        let mut client = scratch.serve(&["--tools", "lean"]);
        client.call("read", &json!({"path": "a.md"}));
        let size = content.as_ref().map(Vec::len);
        match content {
            Some(content) => fs::write(&file, content).unwrap(),
            None => fs::remove_file(&file).unwrap(),
        }
        let lines = client.call("edit", &json!({"path": "a.md", "lines": "5", "new": "x\n"}));
        assert_eq!(lines["isError"], true, "{size:?}");
        let code = if size.is_none() { "not_found" } else { "stale" };
        assert!(text(&lines).starts_with(code), "{size:?}: {}", text(&lines));
        for tool in calls {
            client.call(tool, &line);
        }
        let answer = client.call("write", &whole);
        assert_ne!(answer["isError"], true, "{size:?}: {}", text(&answer));
    }
}
