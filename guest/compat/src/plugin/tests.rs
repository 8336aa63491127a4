//! Cases, rows, concurrency, and arbitrary text.

use std::cell::Cell;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::encoding::ContentEncoding;
use super::execute::PluginExecutor;
use super::parse::{NoCall, PluginCall, PluginCalls, calls};
use super::picomatch::PicomatchPattern;
use super::sidecar::moment;
use crate::bounds::tests::Narrow;
use crate::testing::corpus::{all_hold, cases};
use crate::testing::{from_outside, session, sharing};
use crate::{InJson, Tools};
use fsgate_contract::Callable;
use fsgate_contract::front_ends_types::{FileEvent, PluginArgs};
use fsgate_contract::limits::{FRONT_END_FILE_BYTES, FRONT_END_TEXT_BYTES, PLUGIN_CALLS};
use fsgate_contract::types::Error;
use fsgate_fuzz::fuzz;
use fsgate_volume::Access;
use fsgate_volume::memory::{Item, Memory};

const NOW: &str = "2026-11-20T08:30:00.5Z";

fn run(tools: &impl Tools, text: &str, now: Option<&str>) -> (Value, Vec<FileEvent>) {
    let args = PluginArgs { text: text.to_owned(), now: now.map(str::to_owned) };
    let outcome = super::run(tools, &args);
    (serde_json::from_str(&outcome.output).unwrap(), outcome.events)
}

fn call(tool: &str, input: Value) -> Value {
    [("tool", Value::from(format!("filesystem.{tool}"))), ("input", input)].into_iter().collect()
}

fn one(tools: &impl Tools, tool: &str, input: Value) -> Value {
    run(tools, &call(tool, input).to_string(), None).0
}

fn bytes(volume: &Memory, path: &str) -> Option<Vec<u8>> {
    match volume.snapshot().remove(path) {
        Some(Item::File(bytes)) => Some(bytes),
        _ => None,
    }
}

fn is_like(found: &Value, expected: &Value) -> bool {
    match (found, expected) {
        (Value::Object(found), Value::Object(expected)) => {
            found.keys().eq(expected.keys())
                && found.values().zip(expected.values()).all(|(a, b)| is_like(a, b))
        }
        (Value::Array(found), Value::Array(expected)) => {
            found.len() == expected.len() && found.iter().zip(expected).all(|(a, b)| is_like(a, b))
        }
        (Value::String(found), Value::String(expected)) if expected == "$time" => {
            moment(found).as_ref() == Some(found)
        }
        _ => found == expected,
    }
}

#[test]
fn each_case_comes_to_what_it_expects() {
    const BLOCKS: [&str; 6] = ["before", "text", "now", "output", "events", "after"];
    all_hold(&cases("plugin"), &BLOCKS, |case, session, in_json| {
        let (text, now) = (case.text("text").unwrap(), case.text("now"));
        let (output, events) = match in_json {
            false => run(session, text, now),
            true => run(&InJson::over(&from_outside(session)), text, now),
        };
        let block = |name: &str, otherwise: &str| -> Value {
            serde_json::from_str(case.text(name).unwrap_or(otherwise))
                .unwrap_or_else(|error| panic!("{}: {error}", case.title()))
        };
        let mut differences = Vec::new();
        if !is_like(&output, &block("output", "")) {
            differences.push(output.to_string());
        }
        if json!(events) != block("events", "[]") {
            differences.push(json!(events).to_string());
        }
        differences
    });
}

#[test]
fn texts_are_read() {
    let form = |problem: &str| Err(NoCall::Form(problem.to_owned()));
    let read = || PluginCall::Read { path: "a".to_owned(), encoding: ContentEncoding::Utf8 };
    let list = || PluginCall::List { path: String::new() };
    const READ: &str = r#"{"tool": "filesystem.read", "input": {"path": "a"}}"#;
    for (text, is_list, expected) in [
        (READ, false, vec![Ok(read())]),
        (&format!(" [ {READ} , {READ} ] "), true, vec![Ok(read()), Ok(read())]),
        ("[]", true, vec![]),
        (
            r#"{"id": [1], "input": {"content": 1, "path": "a", "x": {"y": []}}, "tool": "filesystem.read"}"#,
            false,
            vec![Ok(read())],
        ),
        (r#"{"tool": "filesystem.list", "input": {}}"#, false, vec![Ok(list())]),
        (r#"{"tool": "filesystem.list"}"#, false, vec![Ok(list())]),
        (
            r#"[1, {}]"#,
            true,
            vec![form("a call is an object with `tool` and `input`"), form("`tool` is missing")],
        ),
        (r#"{"tool": 1}"#, false, vec![form("`tool` is not a text")]),
        (r#"{"tool": "filesystem.move"}"#, false, vec![Err(NoCall::Unknown("filesystem.move".to_owned()))]),
        (r#"{"tool": "filesystem.read", "input": "a"}"#, false, vec![form("`input` is not an object")]),
        (
            r#"{"tool": "filesystem.read", "input": {}, "input": {}}"#,
            false,
            vec![form("`input` is there twice")],
        ),
        (r#"{"tool": "filesystem.read", "input": {}}"#, false, vec![form("`path` is missing")]),
        (
            r#"{"tool": "filesystem.list", "input": {"path": null}}"#,
            false,
            vec![form("`path` is not a text")],
        ),
        (
            r#"{"tool": "filesystem.read", "input": {"path": "a", "path": "b"}}"#,
            false,
            vec![form("`path` is there twice")],
        ),
        (
            r#"{"tool": "filesystem.read", "input": {"path": "a", "encoding": "utf8"}}"#,
            false,
            vec![form("`encoding` is neither `utf-8` nor `base64`")],
        ),
        (
            r#"{"tool": "filesystem.write", "input": {"path": "a"}}"#,
            false,
            vec![form("`content` is missing")],
        ),
        (r#"{"tool": "filesystem.glob", "input": {"cwd": "a"}}"#, false, vec![form("`pattern` is missing")]),
    ] {
        assert_eq!(calls(text), Ok(PluginCalls { is_list, calls: expected }), "{text}");
    }
    let most = format!("[{}1]", "1,".repeat(PLUGIN_CALLS - 1));
    assert_eq!(calls(&most).map(|calls| calls.calls.len()), Ok(PLUGIN_CALLS));
    for (text, problem) in [
        ("", "the text is not JSON: EOF while parsing a value at line 1 column 0"),
        ("{} {}", "the text is not JSON: trailing characters at line 1 column 4"),
        ("\"filesystem.list\"", "the text is neither a call nor a list of calls"),
        (&format!("[{}1]", "1,".repeat(PLUGIN_CALLS)), "a text has at most 1000 calls"),
    ] {
        assert_eq!(calls(text), Err(problem.to_owned()), "{text}");
    }
}

/// Slow or memory-hungry inputs for a bad parser, at the size limit.
#[test]
fn the_longest_texts_are_read_in_one_pass() {
    for (start, piece) in [
        ("", "["),
        ("[", "0,"),
        ("[", "{},"),
        ("", "{\"input\":"),
        ("{\"input\":{\"path\":[", "0,"),
        ("{\"input\":{", "\"path\":0,"),
        ("{", "\"input\":{},"),
    ] {
        let text = start.to_owned() + &piece.repeat(FRONT_END_TEXT_BYTES / piece.len() / 8);
        assert!(calls(&text).is_err(), "{start}{piece}");
    }
}

#[test]
fn a_broken_text_changes_nothing() {
    let volume = Memory::default();
    let good = call("write", json!({"path": "a", "content": "b"})).to_string();
    let long = good.clone() + &" ".repeat(FRONT_END_TEXT_BYTES);
    for (text, told) in
        [(format!("[{good}, {{"), "the text is not JSON: "), (long, "a text has at most 16777216 bytes")]
    {
        let (answer, _) = run(&session(&volume), &text, None);
        assert_eq!(answer["error"]["code"], "malformed");
        assert!(answer["error"]["message"].as_str().unwrap().starts_with(told), "{answer}");
    }
    assert!(volume.snapshot().is_empty());
}

#[test]
fn what_may_only_be_read_is_not_changed() {
    let volume = Memory::default();
    volume.put("a", Item::File(b"one".to_vec()));
    let before = volume.snapshot();
    let session = sharing(&volume, &Memory::default(), Access::Read);
    for (tool, input) in [("write", json!({"path": "a", "content": ""})), ("remove", json!({"path": "a"}))] {
        assert_eq!(one(&session, tool, input)["error"]["code"], "read_only");
    }
    assert_eq!(one(&session, "read", json!({"path": "a"}))["output"]["content"], "one");
    assert_eq!(volume.snapshot(), before);
}

/// Bytes survive a write with sidecar and a read, in one change or two.
#[test]
fn any_bytes_come_back() {
    let noise = |size: usize| (0..size).map(|at| (at * 7 % 251) as u8 | 0x80).collect::<Vec<_>>();
    for (before, content) in [
        (None, b"\xFF\0\\x{41}".to_vec()),
        (None, b"\xEF\xBB\xBFtext".to_vec()),
        (Some(&b"\xEF\xBB\xBFtext"[..]), b"other".to_vec()),
        (Some(b"old"), Vec::new()),
        (None, noise(3_000_000)),
        (Some(b"old"), noise(2_000_000)),
    ] {
        let volume = Memory::default();
        if let Some(before) = before {
            volume.put("a.png", Item::File(before.to_vec()));
            volume.put("a.png.meta.json", Item::File(b"{}".to_vec()));
        }
        let session = session(&volume);
        let text = ContentEncoding::Base64.text(content.clone()).unwrap();
        let input = json!({"path": "a.png", "content": text, "encoding": "base64", "mimeType": "x/y"});
        let answer = one(&session, "write", input);
        assert_eq!(answer, json!({"output": {"path": "a.png", "size": content.len()}}));
        assert_eq!(bytes(&volume, "a.png").as_ref(), Some(&content));
        let answer = one(&session, "read", json!({"path": "a.png", "encoding": "base64"}));
        let expected = json!({"path": "a.png", "content": text, "mimeType": "x/y", "size": content.len()});
        assert!(answer == json!({"output": expected}), "{} bytes", content.len());
    }
}

struct Before<'a, F: Fn()> {
    tools: &'a dyn Fn(&str, &str) -> Result<String, String>,
    operation: &'a str,
    left: Cell<u32>,
    act: F,
}

impl<F: Fn()> Tools for Before<'_, F> {
    fn call<A: Callable>(&self, args: &A) -> Result<A::Outcome, Error> {
        if A::OPERATION == self.operation && self.left.get() > 0 {
            self.left.set(self.left.get() - 1);
            (self.act)();
        }
        InJson::over(self.tools).call(args)
    }
}

#[test]
fn of_two_that_write_at_once_one_has_both_its_content_and_its_sidecar() {
    let (volume, state) = (Memory::default(), Memory::default());
    let [first, second] = [(); 2].map(|()| sharing(&volume, &state, Access::Write));
    let write = |content: &str, mime: &str| json!({"path": "a", "content": content, "mimeType": mime});
    let act = || drop(one(&second, "write", write("two", "two/two")));
    let tools = from_outside(&first);
    let before = Before { tools: &tools, operation: "apply", left: Cell::new(1), act };
    one(&before, "write", write("one", "one/one"));
    assert_eq!(bytes(&volume, "a").as_deref(), Some(&b"one"[..]));
    assert_eq!(bytes(&volume, "a.meta.json").as_deref(), Some(&br#"{"mimeType":"one/one"}"#[..]));
}

#[test]
fn a_file_that_changes_while_it_is_read_is_read_again_or_not_given() {
    let large = |byte: u8| Item::File(vec![byte; 1 << 20]);
    for (times, expected) in [(1, None), (100, Some("busy"))] {
        let volume = Memory::default();
        volume.put("a", large(b'a'));
        let session = session(&volume);
        let count = Cell::new(b'b');
        let act = || {
            volume.put("a", large(count.get()));
            count.set(count.get() + 1);
        };
        let tools = from_outside(&session);
        let before = Before { tools: &tools, operation: "read_bytes", left: Cell::new(times), act };
        let answer = one(&before, "read", json!({"path": "a"}));
        assert_eq!(answer["error"]["code"].as_str(), expected);
        if let Some(content) = answer["output"]["content"].as_str() {
            assert!(content.bytes().all(|byte| byte == content.as_bytes()[0]));
        }
    }
}

#[test]
fn answers_have_an_end() {
    let volume = Memory::default();
    let most = usize::try_from(FRONT_END_FILE_BYTES).unwrap();
    volume.put("most", Item::File(vec![b'a'; most]));
    volume.put("more", Item::File(vec![b'a'; most + 1]));
    let read = |path: &str| call("read", json!({"path": path}));
    let text = json!([read("more"), read("most"), read("most"), read("most"), call("list", json!({}))]);
    let (answers, _) = run(&session(&volume), &text.to_string(), None);
    let codes: Vec<_> =
        answers.as_array().unwrap().iter().map(|answer| answer["error"]["code"].as_str()).collect();
    assert_eq!(codes, [Some("too_large"), None, None, Some("too_large"), None]);
}

/// Only the matcher checks the clock, and a text has a thousand calls.
#[test]
fn patterns_end_with_their_text() {
    let volume = Memory::default();
    (0..10).for_each(|number| volume.put(&format!("{number}"), Item::File(Vec::new())));
    let session = session(&volume);
    let text =
        json!([call("glob", json!({"pattern": "*"})), call("glob", json!({"pattern": "*"}))]).to_string();
    let codes = |answers: &[String]| -> Vec<Option<String>> {
        let answers = answers.iter().map(|answer| serde_json::from_str::<Value>(answer).unwrap());
        answers.map(|answer| answer["error"]["code"].as_str().map(str::to_owned)).collect()
    };
    // One question for the call, one per path.
    for (asks, expected) in [
        (u32::MAX, [None, None]),
        (15, [None, Some("deadline".to_owned())]),
        (5, [Some("deadline".to_owned()), Some("deadline".to_owned())]),
    ] {
        let answers = InJson::heard(&Narrow::asks(asks), from_outside(&session), |tools| {
            let mut executor = PluginExecutor::new(tools, None);
            calls(&text).unwrap().calls.into_iter().map(|call| executor.answer(call)).collect::<Vec<_>>()
        });
        assert_eq!(codes(&answers.0), expected, "{asks}");
    }
    let steps = 15 * PicomatchPattern::new("*").unwrap().steps(1);
    let mut executor = PluginExecutor::new(&session, None);
    executor.steps = steps;
    let answers: Vec<_> = calls(&text).unwrap().calls.into_iter().map(|call| executor.answer(call)).collect();
    assert_eq!(codes(&answers), [None, Some("too_large".to_owned())]);
}

#[test]
fn a_link_is_removed_and_not_what_it_leads_to() {
    let volume = Memory::default();
    volume.put("w/c", Item::File(Vec::new()));
    volume.put("w/l", Item::Link("c".to_owned()));
    let session = sharing(&volume.at("w"), &volume.at("state"), Access::Write);
    assert_eq!(one(&session, "remove", json!({"path": "l"})), json!({"output": {"removed": true}}));
    let left = volume.at("w").snapshot();
    assert_eq!(left.keys().collect::<Vec<_>>(), ["c"]);
}

/// A sidecar whose file another program has changed or removed.
#[test]
fn a_sidecar_says_nothing_about_another_file() {
    let volume = Memory::default();
    let said = br#"{"mimeType":"x/y","createdAt":"2020-01-01T00:00:00.000Z"}"#;
    volume.put("gone.meta.json", Item::File(said.to_vec()));
    let session = session(&volume);
    let text = call("write", json!({"path": "gone", "content": ""})).to_string();
    run(&session, &text, Some(NOW));
    let written = bytes(&volume, "gone.meta.json").unwrap();
    let expected: &[u8] =
        br#"{"createdAt":"2026-11-20T08:30:00.500Z","updatedAt":"2026-11-20T08:30:00.500Z"}"#;
    assert_eq!(String::from_utf8_lossy(&written), String::from_utf8_lossy(expected));
}

#[test]
fn what_somebody_else_removes_meanwhile_is_not_there() {
    let gone = json!({"output": {"removed": false}});
    // Retries end.
    for (again, expected) in [(0, Some(&gone)), (1, Some(&gone)), (usize::MAX, None)] {
        let volume = Memory::default();
        let session = session(&volume);
        let (outside, left) = (from_outside(&session), Cell::new(again));
        let put = || volume.put("a", Item::File(b"x".to_vec()));
        put();
        let raced = |tool: &str, arguments: &str| {
            if tool != "apply" {
                return outside(tool, arguments);
            }
            outside("delete", r#"{"path": "a"}"#).unwrap();
            let answer = outside(tool, arguments);
            if left.replace(left.get().saturating_sub(1)) > 0 {
                put();
            }
            answer
        };
        let answer = one(&InJson::over(&raced), "remove", json!({"path": "a"}));
        match expected {
            Some(expected) => assert_eq!(answer, *expected),
            None => assert_eq!(answer["error"]["code"], "not_found", "{answer}"),
        }
    }
}

fn texts() -> impl Strategy<Value = String> {
    let path = "(d/|/|//|\\.\\./|l/|\\\\)?[ab.]{0,2}(\\.meta\\.json)?/?";
    let tool = "write|read|list|glob|remove|output|move";
    let piece = prop_oneof![
        4 => (tool, path, "\\PC{0,6}", "[ab.*?/{},!()\\[\\]]{1,6}", "utf-8|base64|x").prop_map(
            |(tool, path, content, pattern, encoding)| {
                let input = json!({
                    "path": path, "cwd": path, "content": content, "pattern": pattern, "encoding": encoding,
                    "mimeType": content, "description": content,
                });
                call(&tool, input).to_string()
            }
        ),
        1 => "[\\[\\]{},:\"\\\\]{1,2}",
        1 => "\"(tool|input|path)\":?",
        1 => "\\PC{0,3}",
    ];
    prop_oneof![
        2 => prop::collection::vec(piece.clone(), 0..4).prop_map(|pieces| format!("[{}]", pieces.join(","))),
        1 => prop::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat()),
    ]
}

/// No answer lists a sidecar, or contradicts itself about a change.
#[test]
fn any_text_is_answered() {
    let volume = Memory::default();
    volume.put("l", Item::Link("..".to_owned()));
    let session = session(&volume);
    fuzz(texts(), |text| {
        let (answer, events) = run(&session, &text, Some(NOW));
        let answers = answer.as_array().cloned().unwrap_or_else(|| vec![answer.clone()]);
        let sent = answers.iter().filter(|answer| answer["output"]["sent"] == true).count();
        assert_eq!(sent, events.len());
        for answer in &answers {
            let has = |key: &str| answer.get(key).is_some();
            assert!(has("output") != has("error") || answer["output"] == json!({"sent": false}), "{answer}");
            for entry in answer["output"]["entries"].as_array().into_iter().flatten() {
                assert!(!entry["path"].as_str().unwrap().ends_with(".meta.json"), "{entry}");
            }
        }
    });
}
