//! Every call of a client has a line in the audit, also calls of unknown tools.

use std::fs;

use serde_json::{Value, json};

use super::client::{Client, HANDSHAKE, Scratch, handshake, text};

const FRONT_ENDS: &str = "core,sham,command,workflow,file_action,plugin";

/// A server over `w` with a file `a.txt`, after a handshake with these capabilities.
fn start(words: &[&str], capabilities: &Value) -> (Scratch, Client) {
    let scratch = Scratch::new();
    fs::write(scratch.granted().join("a.txt"), "one\n").unwrap();
    let mut client =
        scratch.start(&[&["--tools", FRONT_ENDS, "--audit", "kept/audit.jsonl"], words].concat());
    let mut params = handshake(HANDSHAKE);
    params["capabilities"] = capabilities.clone();
    client.request("initialize", &params);
    client.notify("notifications/initialized", &json!({}));
    (scratch, client)
}

fn lines(scratch: &Scratch) -> Vec<Value> {
    let text = fs::read_to_string(scratch.path().join("kept/audit.jsonl")).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.map(|line| json!([line["tool"], line["outcome"], line["which"]])).collect()
}

fn sham(action: &str) -> Value {
    json!({"text": format!("#!SHAM [@three-char-SHA-256: abc]\naction = \"{action}\"\npath = \"/w/a.txt\"\n#!END_SHAM_abc\n")})
}

#[test]
fn a_call_that_never_reaches_a_tool_has_one_line() {
    let (scratch, mut client) = start(&[], &json!({}));
    let mut expected = Vec::new();
    for (params, tool, outcome) in [
        (json!({"name": "read", "arguments": [1]}), "read", "malformed"),
        (json!({"name": "read", "arguments": "x"}), "read", "malformed"),
        (json!({"name": "sham", "arguments": [1]}), "sham", "malformed"),
        (json!({"name": "nope", "arguments": {}}), "nope", "unknown_tool"),
        (json!({"name": 3}), "", "malformed"),
        (json!({"arguments": {}}), "", "malformed"),
        (json!({}), "", "malformed"),
        // Texts without a call for several reasons, and one with a call.
        (json!({"name": "sham", "arguments": {"text": "nothing"}}), "sham", "ok"),
        (json!({"name": "sham", "arguments": {"txt": "nothing"}}), "sham", "invalid_argument"),
        (json!({"name": "sham", "arguments": {"text": "", "as_user": true}}), "sham", "invalid_argument"),
        (json!({"name": "sham"}), "sham", "invalid_argument"),
        (json!({"name": "sham", "arguments": sham("explode")}), "sham", "invalid_argument"),
        (json!({"name": "sham", "arguments": sham("file_read")}), "read", "ok"),
        (json!({"name": "command", "arguments": {"text": "frob"}}), "command", "invalid_argument"),
        (json!({"name": "command", "arguments": {"text": "copyFile a.txt options: b"}}), "command", "ok"),
        (
            json!({"name": "workflow", "arguments": {"text": "{{invoke_tool: nope\n}}\n"}}),
            "workflow",
            "invalid_argument",
        ),
        (
            json!({"name": "workflow", "arguments": {"text": "", "settings_hold": true}}),
            "workflow",
            "invalid_argument",
        ),
        (
            json!({"name": "file_action", "arguments": {"text": "{\"action\": \"explode\"}"}}),
            "file_action",
            "invalid_argument",
        ),
        (
            json!({"name": "plugin", "arguments": {"text": "{\"tool\": \"filesystem.nope\", \"input\": {}}"}}),
            "plugin",
            "invalid_argument",
        ),
        (
            json!({"name": "plugin", "arguments": {"text": "[{\"tool\": \"filesystem.nope\", \"input\": {}}]"}}),
            "plugin",
            "invalid_argument",
        ),
    ] {
        client.request("tools/call", &params);
        expected.push(json!([tool, outcome, null]));
        assert_eq!(lines(&scratch), expected, "{params}");
    }
}

#[test]
fn what_roots_close_is_written_down() {
    let (scratch, mut client) = start(&[], &json!({"roots": {}}));
    let asked = client.message().unwrap();
    assert_eq!(asked["method"], "roots/list", "{asked}");
    client.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"roots": []}}));
    for (tool, arguments) in [("read", json!({"path": "a.txt"})), ("sham", sham("file_read"))] {
        let refused = client.call(tool, &arguments);
        assert!(text(&refused).starts_with("not_granted: "), "{refused}");
    }
    let found = lines(&scratch);
    assert_eq!(found, [json!(["read", "not_granted", null]), json!(["sham", "not_granted", null])]);
}

/// A file that takes longer to read than a test.
fn huge(scratch: &Scratch) {
    fs::File::create(scratch.granted().join("huge")).unwrap().set_len(16 << 30).unwrap();
}

#[test]
fn a_text_for_which_there_is_no_place_in_line_is_written_down() {
    let (scratch, mut client) = start(&["--parallel", "1"], &json!({}));
    huge(&scratch);
    client.begin("read", &json!({"path": "huge", "skip_lines": 1}));
    // One runs, one waits, and there is no room for a third.
    let large = json!({"text": "x".repeat(33 << 20)});
    let ids: Vec<_> = (0..3).map(|_| client.begin("sham", &large)).collect();
    let refused = client.answer(ids[2])["result"].take();
    assert!(text(&refused).starts_with("limit: "), "{refused}");
    assert_eq!(lines(&scratch), [json!(["sham", "limit", "concurrent"])]);
}

#[test]
fn a_text_whose_turn_does_not_come_is_one_that_was_taken_back() {
    let (scratch, mut client) = start(&["--parallel", "1"], &json!({}));
    huge(&scratch);
    client.begin("read", &json!({"path": "huge", "skip_lines": 1}));
    client.begin("sham", &sham("file_read"));
    // Both have arrived by then.
    client.request("ping", &json!({}));
    client.close();
    let found = lines(&scratch);
    assert!(found.contains(&json!(["sham", "cancelled", null])), "{found:?}");
}

#[test]
fn a_text_that_cannot_be_written_down_is_not_answered() {
    let (scratch, mut client) = start(&["--audit-required"], &json!({}));
    let file = scratch.path().join("kept/audit.jsonl");
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    for (tool, arguments) in [
        ("sham", json!({"text": "nothing"})),
        ("command", json!({"text": "frob"})),
        ("plugin", json!({"text": "[]"})),
    ] {
        let refused = client.call(tool, &arguments);
        assert_eq!(refused["isError"], true, "{refused}");
        assert!(
            text(&refused).starts_with("io: ") && text(&refused).contains("--audit-required"),
            "{refused}"
        );
    }
}
