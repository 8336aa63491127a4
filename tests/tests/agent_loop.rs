//! The loop of `examples/agent-loop` in Rust, and the answers for models. The packages for Python and
//! JavaScript run the same loop.

use std::fs;

use fsgate::{Access, Gate};
use fsgate_tests::open::Opened;

#[expect(dead_code, reason = "`main` is for the example as a program")]
#[path = "../../examples/agent-loop/rust/loop.rs"]
mod example;

#[test]
fn the_loop_says_what_the_others_say() {
    let scratch = tempfile::tempdir().unwrap();
    let settings = scratch.path().join("settings.py");
    fs::write(&settings, "retries = 10\ntimeout = 10\n").unwrap();
    let gate = Opened::new(Gate::builder().dir_as(scratch.path(), "/project", Access::Write)).unwrap();
    let mut said = Vec::new();
    example::run(&gate, "Set the timeout to 30.", &mut said).unwrap();
    assert_eq!(String::from_utf8(said).unwrap(), include_str!("../../examples/agent-loop/transcript.txt"));
    assert_eq!(fs::read_to_string(&settings).unwrap(), "retries = 10\ntimeout = 30\n");
}

#[test]
fn an_answer_for_a_model_is_text_in_the_words_of_the_called_set() {
    let scratch = tempfile::tempdir().unwrap();
    fs::write(scratch.path().join("a"), "one\n").unwrap();
    let gate = Opened::new(Gate::builder().dir_as(scratch.path(), "/w", Access::Write)).unwrap();
    for (answer, expected) in [
        (gate.answer("exists", r#"{"path": "/w/a"}"#), Ok("true")),
        (gate.answer("delete", r#"{"path": "."}"#), Err("delete it with `delete_directory`")),
        (gate.lean_answer("read", r#"{"path": "a"}"#), Ok("one\n")),
        (
            gate.lean_answer("edit", r#"{"path": "/w/a", "old": "one", "new": "1"}"#),
            Ok("replaced 1 in a (line 1)"),
        ),
        (gate.lean_answer("delete", r#"{"path": "."}"#), Err("set `recursive` to true to delete it")),
        (gate.lean_answer("rm", "{"), Err("there is no tool `rm`")),
        (gate.lean_call("edit", r#"{"path": "a", "old": "1", "new": "2"}"#), Ok(r#""replacements":1"#)),
        (gate.lean_call("delete", r#"{"path": "."}"#), Err(r#""code":"is_directory""#)),
    ] {
        let (answer, expected) = (answer.as_deref(), expected.as_ref());
        let is_as_expected = match (answer, expected) {
            (Ok(answer), Ok(expected)) => answer.contains(expected),
            (Err(answer), Err(expected)) => answer.contains(expected),
            _ => false,
        };
        assert!(is_as_expected, "{expected:?}: {answer:?}");
    }
}
