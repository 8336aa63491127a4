//! `fsgate-command.wasm`: the program's words as a component, run by `wasmtime run` without `--invoke`.

use std::fs;
use std::io::Write;
use std::process::{Command, Output, Stdio};

use fsgate_tests::disk::Disk;
use fsgate_tests::tree::Tree;
use serde_json::Value;

use crate::program::{COMMAND, finished, text, wasmtime};

const TREE: &str = "file w/a.txt \"one\\ntwo\\n\"\nfile w/long.txt \"$repeat(20000, 123456789\\n)\"\n";

fn disk() -> Disk {
    Disk::new(&Tree::parse(TREE).unwrap()).unwrap()
}

/// `wasmtime run --dir …::/w fsgate-command.wasm WORDS`
fn command(disk: &Disk, words: &[&str]) -> Command {
    let mut run = wasmtime();
    run.args(["run", "--allow-precompiled", "--dir"]).arg(format!("{}::/w", disk.path().join("w").display()));
    run.arg("--dir").arg(format!("{}::/.fsgate", disk.state().unwrap().display()));
    run.arg(&*COMMAND).args(words);
    run
}

fn ran(disk: &Disk, words: &[&str]) -> (Option<i32>, String, String) {
    parts(&finished(command(disk, words)).unwrap())
}

fn parts(output: &Output) -> (Option<i32>, String, String) {
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// Standard input is a file: nobody has to feed it while the program runs.
fn asked(disk: &Disk, input: &str) -> (Option<i32>, String, String) {
    let request = disk.path().join("request.json");
    fs::write(&request, input).unwrap();
    let mut run = command(disk, &[]);
    run.stdin(fs::File::open(&request).unwrap());
    parts(&finished(run).unwrap())
}

#[test]
fn words_are_those_of_the_program() {
    let disk = disk();
    assert_eq!(ran(&disk, &["read", "a.txt"]), (Some(0), "one\ntwo\n".into(), String::new()));
    let (code, out, err) = ran(&disk, &["replace", "a.txt", "--old", "two", "--new", "2"]);
    assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
    assert_eq!(fs::read_to_string(disk.path().join("w/a.txt")).unwrap(), "one\n2\n");
}

#[test]
fn a_refused_call_ends_with_one_and_says_why() {
    let (code, out, err) = ran(&disk(), &["read", "none.txt"]);
    assert_eq!((code, out.as_str()), (Some(1), ""));
    assert!(err.contains("none.txt"), "{err}");
}

#[test]
fn wrong_words_end_with_an_error() {
    for words in [&["raed", "a.txt"][..], &["read"], &["read", "a.txt", "--max-lines", "x"]] {
        let (code, out, err) = ran(&disk(), words);
        assert!(code != Some(0) && out.is_empty() && !err.is_empty(), "{words:?}: {code:?} {out} {err}");
    }
}

#[test]
fn without_words_a_call_comes_from_standard_input() {
    let disk = disk();
    let (code, out, err) = asked(&disk, r#"{"tool": "read", "arguments": {"path": "a.txt"}}"#);
    let outcome: Value = serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out} {err}"));
    assert_eq!((code, outcome["content"].as_str()), (Some(0), Some("one\ntwo\n")));
    for (input, expected) in [
        (r#"{"tool": "read", "arguments": {"path": "none.txt"}}"#, "not_found"),
        (r#"{"tool": "read", "arguments": {"path": "../x"}}"#, "not_granted"),
        (r#"{"tool": "raed", "arguments": {}}"#, "unknown_tool"),
        (r#"{"tool": "read", "arguments": {}}"#, "invalid_argument"),
        ("{", "malformed"),
        ("", "malformed"),
    ] {
        let (code, out, err) = asked(&disk, input);
        let error: Value = serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out} {err}"));
        assert_eq!((code, error["code"].as_str()), (Some(1), Some(expected)), "{input}: {out}");
    }
}

#[test]
fn without_a_grant_it_says_what_to_add() {
    let mut run = wasmtime();
    run.args(["run", "--allow-precompiled"]).arg(&*COMMAND).args(["read", "a.txt"]);
    let (code, out, err) = parts(&finished(run).unwrap());
    assert_eq!((code, out.as_str()), (Some(1), ""));
    assert!(err.contains("wasmtime run") && err.contains("--dir"), "{err}");
}

#[test]
fn a_closed_pipe_ends_it_quietly() {
    let disk = disk();
    let mut child =
        command(&disk, &["read", "long.txt"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    let err = text(&output.stderr);
    assert!(!err.contains("panicked") && !err.contains("wasm trap") && !err.contains("backtrace"), "{err}");
}

/// More than a pipe holds, written while nobody has answered yet.
#[test]
fn a_long_request_is_read_whole() {
    let disk = disk();
    let content = "x".repeat(300_000);
    let request = serde_json::json!({"tool": "create", "arguments": {"path": "new.txt", "content": content}});
    let mut run = command(&disk, &[]);
    let mut child = run.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(request.to_string().as_bytes()).unwrap();
    let (code, out, err) = parts(&child.wait_with_output().unwrap());
    assert_eq!(code, Some(0), "{out}{err}");
    assert_eq!(fs::read_to_string(disk.path().join("w/new.txt")).unwrap(), content);
}
