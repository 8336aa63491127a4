//! Front ends as tools.

use std::fs;

use serde_json::{Value, json};

use super::client::{Client, HANDSHAKE, Scratch, handshake, text};

/// A server over `w` with a file `a.txt`, and one of the same size beside it.
fn start(words: &[&str], can_ask: bool) -> (Scratch, Client) {
    let scratch = Scratch::new();
    for file in ["a.txt", "b.txt"] {
        fs::write(scratch.granted().join(file), file).unwrap();
    }
    let mut command = scratch.command();
    command.env("FSGATE_POLICY", r#"{"confirm_delete": true}"#);
    command.args(["mcp", "--dir", "w::/w", "--audit", "kept/audit.jsonl"]).args(words);
    let mut client = Client::start(command);
    let mut params = handshake(HANDSHAKE);
    if can_ask {
        params["capabilities"]["elicitation"] = json!({});
    }
    client.request("initialize", &params);
    client.notify("notifications/initialized", &json!({}));
    (scratch, client)
}

fn names(client: &mut Client) -> Vec<String> {
    let listed = client.request("tools/list", &json!({}))["result"]["tools"].take();
    listed.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

fn sham(lines: &str) -> Value {
    json!({"text": format!("#!SHAM [@three-char-SHA-256: abc]\n{lines}\n#!END_SHAM_abc\n")})
}

#[test]
fn a_front_end_is_a_tool_if_it_is_named() {
    for name in ["sham", "command", "workflow", "file_action", "plugin"] {
        let (_scratch, mut client) = start(&["--tools", name], false);
        assert_eq!(names(&mut client), [name]);
    }
    for (tools, expected) in [("sham", true), ("core,sham", true), ("core", false), ("all", false)] {
        let (_scratch, mut client) = start(&["--tools", tools], false);
        assert_eq!(names(&mut client).contains(&"sham".to_owned()), expected, "{tools}");
    }
    let (_scratch, mut client) = start(&["--tools", "core"], false);
    let refused = client.request("tools/call", &json!({"name": "sham", "arguments": sham("")}));
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
}

#[test]
fn its_calls_are_calls_like_any_other() {
    let (scratch, mut client) = start(&["--tools", "sham"], false);
    let answer = client.call("sham", &sham("action = \"file_write\"\npath = \"/w/new\"\ncontent = \"x\""));
    let reported: Value = serde_json::from_str(text(&answer)).unwrap();
    assert_eq!((&reported["success"], &answer["isError"]), (&json!(true), &Value::Null), "{answer}");
    let data = &answer["structuredContent"];
    assert!(data["output"].is_string() && data["state"].is_string(), "{answer}");
    assert_eq!(fs::read_to_string(scratch.granted().join("new")).unwrap(), "x");
    let audit = fs::read_to_string(scratch.path().join("kept/audit.jsonl")).unwrap();
    let last: Value = serde_json::from_str(audit.lines().last().unwrap()).unwrap();
    assert_eq!((&last["tool"], &last["outcome"]), (&json!("write"), &json!("ok")), "{audit}");
    // A client cannot claim a right of the person.
    let undo = json!({"text": sham("action = \"undo\"")["text"], "state": data["state"]});
    let answer = client.call("sham", &undo);
    assert!(text(&answer).starts_with(r#"{"success":false"#), "{answer}");
    let mut claimed = undo;
    claimed["as_user"] = true.into();
    let refused = client.call("sham", &claimed);
    assert!(text(&refused).contains("`as_user`"), "{refused}");
    assert!(scratch.granted().join("new").exists());
    let refused = client.call("sham", &json!({"txt": ""}));
    assert_eq!(refused["isError"], true, "{refused}");
    assert!(text(&refused).contains("unknown field `txt`"), "{refused}");
}

#[test]
fn a_command_answers_with_its_sentence() {
    let (_scratch, mut client) = start(&["--tools", "command"], false);
    for (arguments, is_error, sentence) in [
        (json!({"text": "readFile a.txt"}), Value::Null, "FILE_CONTENT:\na.txt"),
        (json!({"text": "readFile none"}), true.into(), "ENOENT: no such file or directory, open '/w/none'"),
        (
            json!({"text": "copyFile a.txt options: c.txt"}),
            Value::Null,
            r#"{"command_outcome":"needs_options""#,
        ),
        (
            json!({"text": "copyFile a.txt options: c.txt", "destination": "c.txt"}),
            Value::Null,
            "Copied file from /w/a.txt to /w/c.txt successfully.",
        ),
    ] {
        let answer = client.call("command", &arguments);
        assert_eq!(answer["isError"], is_error, "{answer}");
        assert!(text(&answer).starts_with(sentence), "{answer}");
    }
}

#[test]
fn a_model_does_not_agree_for_a_person() {
    for (can_ask, deleted) in [(true, false), (false, true)] {
        let (scratch, mut client) = start(&["--tools", "workflow"], can_ask);
        fs::create_dir(scratch.granted().join("d")).unwrap();
        let text = "{{invoke_tool: delete_file\n  file_path: \"d\"\n  recursive: true\n  confirm: true\n}}\n";
        let answer = client.call("workflow", &json!({"text": text}));
        assert_eq!(!scratch.granted().join("d").exists(), deleted, "{answer}");
        let reported: Value = serde_json::from_str(self::text(&answer)).unwrap();
        assert_eq!(reported["success"], deleted, "{answer}");
        drop(client);
        let audit = fs::read_to_string(scratch.path().join("kept/audit.jsonl")).unwrap();
        assert_eq!(audit.contains("\"confirmed\":\"model\""), deleted, "{audit}");
    }
}

#[test]
fn what_a_person_would_be_asked_about_is_refused() {
    // The overwritten content is not kept: no history, too little space, or kept.
    for (words, can_ask, moved) in [
        (["--durability", "none"], true, false),
        (["--durability", "none"], false, true),
        (["--history-bytes", "3"], true, false),
        (["--history-bytes", "3"], false, true),
        (["--history-bytes", "100000"], true, true),
    ] {
        let (scratch, mut client) = start(&[&["--tools", "sham"], &words[..]].concat(), can_ask);
        let lines = "action = \"file_move\"\nold_path = \"/w/a.txt\"\nnew_path = \"/w/b.txt\"";
        let answer = client.call("sham", &sham(lines));
        let reported: Value = serde_json::from_str(text(&answer)).unwrap();
        assert_eq!(reported["success"], moved, "{words:?}: {answer}");
        let found = fs::read_to_string(scratch.granted().join("b.txt")).unwrap();
        assert_eq!(found, if moved { "a.txt" } else { "b.txt" });
    }
}
