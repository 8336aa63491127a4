//! Cases, rows, laws, and arbitrary text.

use std::cell::RefCell;
use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::parse::{BrokenAction, FileAction, FileActionKind, actions};
use crate::testing::corpus::{all_hold, cases};
use crate::testing::{from_outside, session, sharing};
use crate::{InJson, Tools};
use fsgate_contract::Callable;
use fsgate_contract::front_ends_types::FileActionArgs;
use fsgate_contract::limits::{FILE_ACTIONS, FRONT_END_TEXT_BYTES};
use fsgate_contract::types::Error;
use fsgate_engine::session::Session;
use fsgate_fuzz::fuzz;
use fsgate_volume::Access;
use fsgate_volume::memory::{Item, Memory};

fn run(tools: &impl Tools, text: &str) -> Value {
    let outcome = super::run(tools, &FileActionArgs { text: text.to_owned() });
    serde_json::from_str(&outcome.output).unwrap()
}

fn action(kind: &str, path: &str, content: &str) -> Value {
    json!({"action": kind, "path": path, "content": content})
}

fn content(volume: &Memory, path: &str) -> Option<String> {
    match volume.snapshot().remove(path) {
        Some(Item::File(bytes)) => Some(String::from_utf8(bytes).unwrap()),
        _ => None,
    }
}

#[test]
fn each_case_comes_to_what_it_expects() {
    const BLOCKS: [&str; 4] = ["before", "text", "output", "after"];
    let mut classes = BTreeSet::new();
    all_hold(&cases("file-action"), &BLOCKS, |case, session, in_json| {
        let text = case.text("text").unwrap();
        let output = match in_json {
            false => run(session, text),
            true => run(&InJson::over(&from_outside(session)), text),
        };
        for result in output["results"].as_array().unwrap().iter().chain([&output]) {
            classes.extend(result["error"]["name"].as_str().map(str::to_owned));
        }
        let expected: Value = serde_json::from_str(case.text("output").unwrap()).unwrap();
        if output == expected { Vec::new() } else { vec![output.to_string()] }
    });
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/file-action.md");
    let page = std::fs::read_to_string(page).unwrap();
    for class in [
        "FileSystemManagerError",
        "PathTraversalError",
        "FileAlreadyExistsError",
        "FileNotFoundError",
        "WriteError",
        "AppendError",
    ] {
        assert!(classes.remove(class), "no case has {class}");
        assert!(page.contains(&format!("| `{class}` |")), "{class}");
    }
    assert_eq!(classes, BTreeSet::new());
}

#[test]
fn texts_are_read() {
    let good =
        || Ok(FileAction { kind: FileActionKind::Append, path: "a".to_owned(), content: "b".to_owned() });
    let bad = |action: Option<&str>, path: Option<&str>, problem: &str| {
        let [action, path] = [action, path].map(|text| text.map(str::to_owned));
        Err(BrokenAction { action, path, problem: problem.to_owned() })
    };
    let no_object = || bad(None, None, "an action is an object with `action`, `path` and `content`");
    const GOOD: &str = r#"{"action": "append", "path": "a", "content": "b"}"#;
    for (text, expected) in [
        (GOOD.to_owned(), vec![good()]),
        (format!(" [ {GOOD} , {GOOD} ] "), vec![good(), good()]),
        ("[]".to_owned(), vec![]),
        (r#"{"x": [{"a": 1}], "content": "b", "action": "append", "path": "a"}"#.to_owned(), vec![good()]),
        (
            format!("[1, {GOOD}, [[]], null, true, \"a\", -1.5]"),
            vec![no_object(), good(), no_object(), no_object(), no_object(), no_object(), no_object()],
        ),
        ("{}".to_owned(), vec![bad(None, None, "`action` is missing")]),
        (r#"{"action": "append"}"#.to_owned(), vec![bad(Some("append"), None, "`path` is missing")]),
        (
            r#"{"action": "append", "path": ["a", {}], "content": "b"}"#.to_owned(),
            vec![bad(Some("append"), None, "`path` is not a text")],
        ),
        (
            r#"{"action": "append", "path": "a", "content": {"b": 1}}"#.to_owned(),
            vec![bad(Some("append"), Some("a"), "`content` is not a text")],
        ),
        (
            r#"{"action": "create", "path": "a", "path": "b", "content": ""}"#.to_owned(),
            vec![bad(Some("create"), None, "`path` is there twice")],
        ),
        (
            r#"{"action": "delete", "path": "a", "content": "b"}"#.to_owned(),
            vec![bad(Some("delete"), Some("a"), "`action` is neither `create` nor `append`")],
        ),
        (
            r#"{"action": "Create", "path": "a", "content": "b"}"#.to_owned(),
            vec![bad(Some("Create"), Some("a"), "`action` is neither `create` nor `append`")],
        ),
    ] {
        assert_eq!(actions(&text), Ok(expected), "{text}");
    }
    let most = format!("[{}1]", "1,".repeat(FILE_ACTIONS - 1));
    assert_eq!(actions(&most).map(|actions| actions.len()), Ok(FILE_ACTIONS));
    for (text, problem) in [
        ("", "the text is not JSON: EOF while parsing a value at line 1 column 0"),
        ("{", "the text is not JSON: EOF while parsing an object at line 1 column 1"),
        ("[{}", "the text is not JSON: EOF while parsing a list at line 1 column 3"),
        ("{} {}", "the text is not JSON: trailing characters at line 1 column 4"),
        ("\"create\"", "the text is neither an action nor a list of actions"),
        ("1", "the text is neither an action nor a list of actions"),
        (&format!("[{}1]", "1,".repeat(FILE_ACTIONS)), "a text has at most 10000 actions"),
    ] {
        assert_eq!(actions(text), Err(problem.to_owned()), "{text}");
    }
}

#[test]
fn a_broken_text_changes_nothing() {
    let volume = Memory::default();
    let good = action("create", "a", "b").to_string();
    let long = good.clone() + &" ".repeat(FRONT_END_TEXT_BYTES);
    for (text, told) in
        [(format!("[{good}, {{"), "the text is not JSON: "), (long, "a text has at most 16777216 bytes")]
    {
        let output = run(&session(&volume), &text);
        assert_eq!((&output["success"], &output["results"]), (&json!(false), &json!([])));
        let error = output["error"].as_object().unwrap();
        assert_eq!((&error["name"], error.get("base")), (&json!("FileSystemManagerError"), None));
        assert!(error["message"].as_str().unwrap().starts_with(told), "{error:?}");
    }
    assert!(volume.snapshot().is_empty());
}

#[test]
fn what_may_only_be_read_is_not_changed() {
    let volume = Memory::default();
    volume.put("a", Item::File(b"one".to_vec()));
    let before = volume.snapshot();
    let session = sharing(&volume, &Memory::default(), Access::Read);
    let output = run(&session, &json!([action("create", "b", ""), action("append", "a", "")]).to_string());
    assert_eq!(output["results"][0]["error"]["name"], "WriteError");
    assert_eq!(output["results"][1]["error"]["name"], "AppendError");
    assert_eq!(volume.snapshot(), before);
}

/// Lets a concurrent action run just before each call.
struct Together<'a> {
    first: &'a Session<Memory>,
    second: &'a Session<Memory>,
    outcomes: RefCell<Vec<bool>>,
}

impl Tools for Together<'_> {
    fn call<A: Callable>(&self, args: &A) -> Result<A::Outcome, Error> {
        for session in [self.first, self.second] {
            self.outcomes.borrow_mut().push(session.call(args).is_ok());
        }
        self.first.call(args)
    }
}

#[test]
fn of_several_that_create_one_wins_and_of_several_that_append_all() {
    let (volume, state) = (Memory::default(), Memory::default());
    let [first, second] = [(); 2].map(|()| sharing(&volume, &state, Access::Write));
    let together = Together { first: &first, second: &second, outcomes: RefCell::default() };
    let output = run(&together, &action("create", "d/a.md", "one").to_string());
    assert_eq!(output["results"][0]["error"]["name"], "FileAlreadyExistsError");
    assert_eq!(together.outcomes.take(), [true, false]);
    assert_eq!(content(&volume, "d/a.md").as_deref(), Some("one"));
    let output = run(&together, &action("append", "d/a.md", "two").to_string());
    assert_eq!((&output["success"], together.outcomes.take()), (&json!(true), vec![true, true]));
    assert_eq!(content(&volume, "d/a.md").as_deref(), Some("one\n\ntwo\n\ntwo\n\ntwo"));
}

/// Slow or memory-hungry inputs for a bad parser, at the size limit.
#[test]
fn the_longest_texts_are_read_in_one_pass() {
    for (start, piece) in [
        ("", "["),
        ("[", "0,"),
        ("[[", "[],"),
        ("[", "{},"),
        ("", "{\"path\":"),
        ("{\"path\":[", "0,"),
        ("{\"x\":", "["),
        ("{", "\"path\":0,"),
        ("[\"", "\\u0000"),
    ] {
        let text = start.to_owned() + &piece.repeat(FRONT_END_TEXT_BYTES / piece.len() / 8);
        assert!(actions(&text).is_err(), "{start}{piece}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_printed_is_read_back(
        wanted in prop::collection::vec((any::<bool>(), ".{0,8}", ".{0,20}"), 0..5),
    ) {
        let kind = |create| if create { FileActionKind::Create } else { FileActionKind::Append };
        let text: Value =
            wanted.iter().map(|(create, path, content)| action(kind(*create).name(), path, content)).collect();
        let wanted = wanted.into_iter().map(|(create, path, content)| Ok(FileAction { kind: kind(create), path, content }));
        prop_assert_eq!(actions(&text.to_string()), Ok(wanted.collect()));
    }
}

/// Texts of actions, near actions and noise.
fn texts() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        2 => ("create|append|delete", "(d/|/|//|\\.\\./|l/|\\\\)?[ab.]{0,2}/?", "\\PC{0,6}")
            .prop_map(|(kind, path, content)| action(&kind, &path, &content).to_string()),
        1 => "[\\[\\]{},:\"\\\\]{1,2}",
        1 => "\"(action|path|content)\":?",
        1 => "\\PC{0,3}",
    ];
    prop_oneof![
        prop::collection::vec(piece.clone(), 0..4).prop_map(|pieces| format!("[{}]", pieces.join(","))),
        prop::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat()),
    ]
}

#[test]
fn any_text_is_answered() {
    let volume = Memory::default();
    volume.put("l", Item::Link("..".to_owned()));
    let session = session(&volume);
    fuzz(texts(), |text| {
        let output = run(&session, &text);
        let results = output["results"].as_array().unwrap();
        let all = results.iter().chain([&output]);
        for one in all.clone() {
            let name = one["error"]["name"].as_str();
            assert!(name.is_none_or(|name| name.ends_with("Error")), "{output}");
        }
        let failed = all.filter(|one| one.get("error").is_some()).count();
        assert_eq!(output["success"] == true, failed == 0, "{output}");
    });
}
