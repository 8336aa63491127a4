//! The operator: a person who types one of the seven commands of the history sees the entries of
//! every session. Nothing else does, whatever the environment, the configuration or JSON says.

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::{Ended, Scratch};

/// The policy of the other session. A rule against reading makes its entries hidden to sessions
/// under the profile `default`.
const THEIRS: &str =
    r#"{"profile": "open", "rules": [{"name": "r", "paths": ["never"], "effect": "denied"}]}"#;

const VARIABLE: &str = "FSGATE_OPERATOR";

/// A project that another session has changed, and the id of the entry.
fn changed() -> (Scratch, String) {
    let scratch = Scratch::new();
    let mut command = scratch.command("project");
    command.env("FSGATE_POLICY", THEIRS);
    command.args(["call", "write", r#"{"path": "a.txt", "content": "TOLD\n"}"#, "--dir", "."]);
    let ended = Ended::from(command.output().unwrap());
    assert_eq!(ended.code, 0, "{ended:?}");
    let outcome: Value = serde_json::from_str(&ended.out).unwrap();
    (scratch, outcome["undo_id"].as_str().unwrap().to_owned())
}

fn fed(mut command: Command, text: &str) -> Ended {
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().unwrap();
    // A program that refuses to start does not read it.
    let _ = child.stdin.take().unwrap().write_all(text.as_bytes());
    Ended::from(child.wait_with_output().unwrap())
}

#[test]
fn a_person_sees_and_takes_back_what_every_session_did() {
    let (scratch, id) = changed();
    let log = scratch.done("project", &["log", "--diff"]);
    assert!(log.out.contains("write") && log.out.contains("a.txt") && log.out.contains("+TOLD"), "{log:?}");
    scratch.done("project", &["undo"]);
    assert_eq!(scratch.text("project/a.txt"), "one\ntwo\nthree\n");
    scratch.done("project", &["redo"]);
    assert_eq!(scratch.text("project/a.txt"), "TOLD\n");
    scratch.done("project", &["restore", &id, "a.txt"]);
    assert_eq!(scratch.text("project/a.txt"), "one\ntwo\nthree\n");
    scratch.done("project", &["checkpoint", "here"]);
    scratch.done("project", &["recover"]);
    let forgotten = scratch.done("project", &["forget", "--everything"]);
    assert!(!forgotten.out.contains("still there"), "{forgotten:?}");
    let log = scratch.done("project", &["history"]);
    assert!(log.out.is_empty() && log.err.contains("the history is empty"), "{log:?}");
}

/// The policy of the person still decides what is read and changed.
#[test]
fn a_person_obeys_the_policy_of_now() {
    let (scratch, id) = changed();
    let denied = r#"{"rules": [{"name": "mine", "paths": ["a.txt"], "effect": "denied"}]}"#;
    for words in [&["log", "--diff"][..], &["undo"], &["restore", &id, "a.txt"], &["undo", &id, "--diff"]] {
        let mut command = scratch.command("project");
        let ended = Ended::from(command.env("FSGATE_POLICY", denied).args(words).output().unwrap());
        assert!(!ended.out.contains("TOLD"), "{words:?}: {ended:?}");
        assert_eq!(ended.code == 0, words[0] == "log", "{words:?}: {ended:?}");
    }
    assert_eq!(scratch.text("project/a.txt"), "TOLD\n");
}

#[test]
fn nothing_else_is_of_the_operator() {
    let (scratch, id) = changed();
    let named = [json!({}), json!({"operator": true}), json!({"FSGATE_OPERATOR": "true"})];
    let told = |about: &str, text: &str| {
        for word in ["TOLD", "a.txt", r#""tool":"write""#] {
            assert!(!text.contains(word), "{about}: {word}: {text}");
        }
    };
    for (variable, more) in
        [None, Some("true")].iter().flat_map(|one| named.iter().map(move |more| (one, more)))
    {
        let command = |words: &[&str]| {
            let mut command = scratch.command("project");
            command.args(words).args(["--dir", "."]);
            command.envs(variable.iter().map(|value| (VARIABLE, value)));
            command
        };
        let with = |arguments: Value| {
            let mut arguments = arguments;
            arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            arguments
        };
        let log = with(json!({"any_session": true, "diff": true}));
        let undo = with(json!({"any_session": true, "id": id}));

        for (tool, arguments) in [("log", &log), ("undo", &undo), ("restore", &undo)] {
            let ended = fed(command(&["call", tool, "-"]), &arguments.to_string());
            let is_hidden = ended.out.contains(r#""hidden":true"#);
            let is_plain = more == &named[0];
            assert_eq!(is_hidden, tool == "log" && is_plain, "{tool} {arguments}: {ended:?}");
            assert_eq!(ended.code == 0, is_hidden, "{tool} {arguments}: {ended:?}");
            told("call", &(ended.out + &ended.err));
        }

        let request = |id: u8, method: &str, params: Value| {
            json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string() + "\n"
        };
        let hello = json!({
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"},
        });
        let call = |tool: &str, arguments: &Value| json!({"name": tool, "arguments": arguments});
        let lines = [
            request(1, "initialize", hello),
            json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string() + "\n",
            request(2, "tools/call", call("log", &log)),
            request(3, "tools/call", call("undo", &undo)),
        ];
        let ended = fed(command(&["mcp", "--tools", "all"]), &lines.concat());
        let answers: Vec<Value> = ended.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let answer = |id: u8| answers.iter().find(|answer| answer["id"] == id).unwrap().to_string();
        assert!(answer(3).contains(r#""isError":true"#) || answer(3).contains(r#""error""#), "{ended:?}");
        told("mcp", &(answer(2) + &answer(3)));

        for words in
            [&["sham", "--as", "user"][..], &["command"], &["workflow"], &["plugin"], &["file-action"]]
        {
            let ended = fed(command(words), &format!("{{\"any_session\": true}} undo {id} log"));
            told(words[0], &(ended.out + &ended.err));
        }
        assert_eq!(scratch.text("project/a.txt"), "TOLD\n");
    }
}

#[test]
fn no_key_of_a_configuration_makes_an_operator() {
    let (scratch, _) = changed();
    for (key, file) in [("operator = true\n", "user"), ("history.operator = true\n", "user")] {
        let home = scratch.at("home/.config/fsgate");
        fs::create_dir_all(&home).unwrap();
        fs::write(home.join("config.toml"), key).unwrap();
        let log = scratch.run("project", &["call", "log", r#"{"any_session": true}"#, "--dir", "."]);
        assert!(log.code == 2 && log.err.contains("operator") && log.out.is_empty(), "{file}: {log:?}");
    }
}
