//! The skill: served by the server, written by the program, and true.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};

use super::client::{Scratch, text};

const URI: &str = "skill://fsgate/SKILL.md";

/// Prints the skill, or writes it into a directory.
fn skill(directory: Option<&Path>) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fsgate"));
    command.arg("skill");
    if let Some(directory) = directory {
        command.arg("-o").arg(directory);
    }
    command.output().unwrap()
}

#[test]
fn the_skill_is_served_beside_the_lean_set() {
    let scratch = Scratch::new();
    let mut client = scratch.serve(&["--tools", "lean"]);
    let listed = client.request("skills/list", &json!({}));
    let entry = &listed["result"]["skills"][0];
    assert_eq!((&entry["uri"], &entry["frontmatter"]["name"]), (&json!(URI), &json!("fsgate")), "{listed}");
    let got = client.request("skills/get", &json!({"uri": URI}));
    assert_eq!(&got["result"]["skill"], entry);
    let resources = client.request("resources/list", &json!({}));
    assert_eq!(resources["result"]["resources"][0]["uri"], URI, "{resources}");
    let read = client.request("resources/read", &json!({"uri": URI}));
    let contents = &read["result"]["contents"][0];
    assert_eq!(contents["mimeType"], "text/markdown", "{read}");
    let page = contents["text"].as_str().unwrap();
    assert_eq!(entry["resources"][0]["size"], page.len(), "{entry}");
    assert!(page.lines().count() < 80, "a skill is one page");
    for (method, uri) in [("skills/get", "skill://other/SKILL.md"), ("resources/read", "file:///etc/passwd")]
    {
        let refused = client.request(method, &json!({"uri": uri}));
        assert!(refused["error"]["message"].as_str().is_some_and(|told| told.contains(URI)), "{refused}");
    }
}

#[test]
fn another_set_has_no_skill() {
    let scratch = Scratch::new();
    let mut client = scratch.serve(&["--tools", "core"]);
    for (method, parameters) in [
        ("skills/list", json!({})),
        ("skills/get", json!({"uri": URI})),
        ("resources/list", json!({})),
        ("resources/read", json!({"uri": URI})),
    ] {
        let refused = client.request(method, &parameters);
        assert_eq!(refused["error"]["code"], -32601, "{method}: {refused}");
    }
}

/// The calls in the page: a tool and its arguments between backticks.
fn calls(page: &str) -> Vec<(String, Value)> {
    let spans = page.split('`').skip(1).step_by(2);
    let call = |span: &str| {
        let (tool, arguments) = span.split_once(' ')?;
        let arguments = serde_json::from_str(arguments).ok().filter(Value::is_object)?;
        Some((tool.to_owned(), arguments))
    };
    spans.filter_map(call).collect()
}

#[test]
fn every_call_of_the_skill_is_a_call_that_the_tools_take() {
    let scratch = Scratch::new();
    let mut client = scratch.serve(&["--tools", "lean"]);
    let page = String::from_utf8(skill(None).stdout).unwrap();
    let calls = calls(&page);
    assert!(calls.len() > 12, "{calls:?}");
    for (tool, arguments) in calls {
        let answer = client.call(&tool, &arguments);
        assert!(!text(&answer).starts_with("invalid_argument"), "{tool} {arguments}: {}", text(&answer));
    }
}

#[test]
fn the_program_writes_the_skill_into_its_directory() {
    let scratch = Scratch::new();
    let written = skill(Some(&scratch.path().join("skills")));
    assert!(written.status.success(), "{written:?}");
    let printed = skill(None).stdout;
    assert_eq!(fs::read(scratch.path().join("skills/fsgate/SKILL.md")).unwrap(), printed);
    let file = scratch.path().join("file");
    fs::write(&file, "x").unwrap();
    let refused = skill(Some(&file));
    assert_eq!(refused.status.code(), Some(3), "{refused:?}");
}
