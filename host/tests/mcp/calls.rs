//! Answers of calls: text, data, errors, cancelled calls.

use std::fs;

use serde_json::{Value, json};

use super::client::{Scratch, text};

#[test]
fn an_answer_is_text_for_models_and_data_for_programs() {
    let scratch = Scratch::new();
    let mut client = scratch.serve(&[]);
    let created = client.call("create", &json!({"path": "a.txt", "content": "one\ntwo\n"}));
    assert!(text(&created).starts_with("created a.txt (8 bytes)\n[etag: "), "{created}");
    let read = client.call("read", &json!({"path": "a.txt"}));
    assert_eq!(read["structuredContent"]["content"], "one\ntwo\n");
    let tag = read["structuredContent"]["etag"].as_str().unwrap();
    assert_eq!(text(&read), format!("[etag: {tag}]\none\ntwo\n"));
    assert!(read.get("isError").is_none());
    // Defaults are those of calls in JSON.
    fs::write(scratch.granted().join("long.txt"), "0123456789\n".repeat(10_000)).unwrap();
    let long = client.call("read", &json!({"path": "long.txt"}));
    assert!(long["structuredContent"]["content"].as_str().unwrap().len() <= 40_000);
    let cursor = long["structuredContent"]["next_cursor"].as_str().unwrap();
    assert!(text(&long).contains(&format!("[next_cursor: {cursor}]")), "{}", text(&long).len());
    let diff = client.call(
        "replace",
        &json!({"path": "a.txt", "old": "two", "new": "three", "if_match": tag, "diff": true}),
    );
    assert!(text(&diff).contains("-two\n+three\n"), "{diff}");
}

/// Text, data and audit read an argument in the same way.
#[test]
fn a_text_reads_the_arguments_that_the_tool_takes() {
    let scratch = Scratch::new();
    fs::create_dir(scratch.granted().join("d")).unwrap();
    fs::write(scratch.granted().join("d/a.txt"), "one\n").unwrap();
    let mut client = scratch.serve(&["--tools", "all", "--audit", "kept/audit.jsonl"]);
    for (tool, mut arguments, name) in [
        ("delete", json!({"path": "d/a.txt"}), "dry_run"),
        ("delete_directory", json!({"path": "d", "recursive": "true"}), "dry_run"),
        ("create", json!({"path": "b.txt", "content": "x"}), "dry_run"),
        ("replace", json!({"path": "d/a.txt", "old": "one", "new": "two"}), "dry_run"),
        ("list_directory", json!({"path": "."}), "recursive"),
    ] {
        arguments[name] = json!("true");
        let as_a_text = client.call(tool, &arguments);
        arguments[name] = json!(true);
        let as_a_truth = client.call(tool, &arguments);
        assert_eq!(text(&as_a_text), text(&as_a_truth), "{tool}");
        assert!(name != "dry_run" || text(&as_a_text).contains("would "), "{as_a_text}");
    }
    let audit = fs::read_to_string(scratch.path().join("kept/audit.jsonl")).unwrap();
    for line in audit.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        assert_eq!(line["applied"], false, "{line}");
        assert_eq!(line["dry_run"] == true, line["tool"] != "list_directory", "{line}");
    }
}

#[test]
fn a_picture_is_shown_as_one() {
    let scratch = Scratch::new();
    let bytes = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
    fs::write(scratch.granted().join("a.png"), bytes).unwrap();
    let mut client = scratch.serve(&["--tools", "read_bytes"]);
    let whole = client.call("read_bytes", &json!({"path": "a.png"}));
    let data = &whole["structuredContent"]["bytes"];
    assert_eq!(whole["content"][1], json!({"type": "image", "data": data, "mimeType": "image/png"}));
    assert!(text(&whole).starts_with("a.png: image/png, 16 bytes\n[etag: "), "{whole}");
    let part = client.call("read_bytes", &json!({"path": "a.png", "length": 4}));
    assert_eq!(part["content"].as_array().map(Vec::len), Some(1), "{part}");
    assert!(text(&part).contains("`length` 16"), "{part}");
}

#[test]
fn a_picture_that_no_call_can_read_whole_is_not_said_to_be_shown() {
    let scratch = Scratch::new();
    let picture = [&b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"[..], &[0; 786_432]].concat();
    fs::write(scratch.granted().join("a.png"), picture).unwrap();
    let mut client = scratch.serve(&[]);
    for length in [30_000, 786_432] {
        let part = client.call("read_bytes", &json!({"path": "a.png", "length": length}));
        assert!(
            text(&part).ends_with("one call reads at most 786432 bytes, so it cannot be shown]"),
            "{length}"
        );
    }
}

#[test]
fn a_repair_names_no_tool_that_is_not_served() {
    let scratch = Scratch::new();
    fs::write(scratch.granted().join("a.bin"), b"a\0\xFF\xFE\0").unwrap();
    let name_it = "name the encoding it is in";
    let both = format!("read it with `read_bytes`, or {name_it}");
    for (tools, repair) in [("core", &both[..]), ("read", name_it)] {
        let mut client = scratch.serve(&["--tools", tools]);
        let result = client.call("read", &json!({"path": "a.bin"}));
        assert_eq!(result["structuredContent"]["repair"], repair, "{result}");
        assert!(text(&result).ends_with(repair), "{result}");
    }
}

#[test]
fn an_error_of_a_tool_is_an_answer() {
    let scratch = Scratch::new();
    fs::write(scratch.granted().join("a.txt"), "one\n").unwrap();
    let mut client = scratch.serve(&[]);
    for (tool, arguments, code) in [
        ("read", json!({"path": "none.txt"}), "not_found"),
        ("read", json!({"path": "../../etc/passwd"}), "not_granted"),
        ("read", json!({"path": 3}), "invalid_argument"),
        ("read", json!({}), "invalid_argument"),
        ("read", json!({"path": "a.txt", "pth": "x"}), "invalid_argument"),
        ("replace", json!({"path": "a.txt", "old": "two", "new": "x"}), "no_match"),
        ("write", json!({"path": "a.txt", "content": "x", "if_match": "0".repeat(32)}), "stale"),
    ] {
        let result = client.call(tool, &arguments);
        assert_eq!(result["isError"], true, "{result}");
        assert_eq!(result["structuredContent"]["code"], code, "{result}");
        assert_eq!(result["structuredContent"]["applied"], false, "{result}");
        assert!(text(&result).starts_with(&format!("{code}: ")), "{result}");
        if let Some(repair) = result["structuredContent"]["repair"].as_str() {
            assert!(text(&result).contains(repair), "{result}");
        }
    }
}

#[test]
fn a_request_that_is_wrong_is_an_error_of_the_protocol() {
    let scratch = Scratch::new();
    let mut client = scratch.serve(&["--tools", "core"]);
    for (method, params, code, reported) in [
        ("tools/call", json!({"name": "raed", "arguments": {}}), -32602, "did you mean `read`?"),
        ("tools/call", json!({"name": "write_bytes", "arguments": {}}), -32602, "not served"),
        ("tools/call", json!({"name": "write_byte", "arguments": {}}), -32602, "did you mean `write`?"),
        ("tools/call", json!({"name": "workflow", "arguments": {}}), -32602, "`workflow` is not served"),
        (
            "tools/call",
            json!({"name": "file-action", "arguments": {}}),
            -32602,
            "`file_action` is not served",
        ),
        ("tools/call", json!({"name": 3, "arguments": {}}), -32602, "no parameters of `tools/call`"),
        ("tools/call", json!({"name": "read", "arguments": []}), -32602, "no parameters of `tools/call`"),
        ("tools/call", json!([]), -32600, "no message of the protocol"),
        ("nonsense/method", json!({}), -32601, "nonsense/method"),
        ("resources/read", json!({"uri": "file:///etc/passwd"}), -32601, ""),
    ] {
        let answer = client.request(method, &params);
        assert_eq!(answer["error"]["code"], code, "{method} {params}: {answer}");
        assert!(answer["error"]["message"].as_str().unwrap().contains(reported), "{answer}");
    }
    assert_eq!(client.request("ping", &json!({}))["result"], json!({}));
}

#[test]
fn answers_are_text_or_data_alone_where_that_is_asked_for() {
    let scratch = Scratch::new();
    fs::write(scratch.granted().join("a.txt"), "one\n").unwrap();
    let mut client = scratch.serve(&["--answers", "text"]);
    let result = client.call("read", &json!({"path": "a.txt"}));
    assert!(
        text(&result).starts_with("[etag: ")
            && text(&result).ends_with("]\none\n")
            && result.get("structuredContent").is_none(),
        "{result}"
    );
    let mut client = scratch.serve(&["--answers", "data"]);
    let result = client.call("read", &json!({"path": "a.txt"}));
    let same: Value = serde_json::from_str(text(&result)).unwrap();
    assert_eq!(same, result["structuredContent"]);
}

/// A file that takes many seconds to read: sparse, 16 GB of zeros.
fn huge(scratch: &Scratch) {
    fs::File::create(scratch.granted().join("huge")).unwrap().set_len(16 << 30).unwrap();
}

#[test]
fn a_call_that_is_cancelled_before_it_begins_changes_nothing_and_has_no_answer() {
    let scratch = Scratch::new();
    huge(&scratch);
    let mut client = scratch.serve(&["--parallel", "1", "--deadline", "2"]);
    let slow = client.begin("replace", &json!({"path": "huge", "old": "no such text", "new": "x"}));
    let queued = client.begin("create", &json!({"path": "a.txt", "content": "x"}));
    client.notify("notifications/cancelled", &json!({"requestId": queued}));
    client.notify("notifications/cancelled", &json!({"requestId": 4711}));
    client.answer(slow);
    let last = client.begin("exists", &json!({"path": "a.txt"}));
    let answer = client.answer(last);
    assert_eq!(answer["result"]["structuredContent"]["exists"], false, "{answer}");
    assert_eq!(client.others(), Vec::<Value>::new());
    client.is_silent();
    assert!(!scratch.granted().join("a.txt").exists());
}

#[test]
fn an_answer_to_a_cancelled_call_does_not_come_and_others_do() {
    let scratch = Scratch::new();
    fs::write(scratch.granted().join("a.txt"), "one\n").unwrap();
    huge(&scratch);
    let mut client = scratch.serve(&[]);
    let slow = client.begin("read", &json!({"path": "huge", "skip_lines": 1}));
    let quick = client.begin("read", &json!({"path": "a.txt"}));
    assert!(client.answer(quick).get("result").is_some());
    client.notify("notifications/cancelled", &json!({"requestId": slow, "reason": "enough"}));
    assert!(client.request("ping", &json!({})).get("result").is_some());
    client.is_silent();
    // The end does not wait for reads.
    assert!(client.vanish().success());
}

/// A cancelled change that waits for another host.
#[test]
fn a_change_that_is_cancelled_before_its_turn_is_not_made() {
    let scratch = Scratch::new();
    let mut client = scratch.serve(&["--state-dir", "state"]);
    let state = fs::read_dir(scratch.path().join("state/states")).unwrap().next().unwrap().unwrap();
    let lock = fs::File::open(state.path().join("lock")).unwrap();
    lock.lock().unwrap();
    let unwanted = client.begin("create", &json!({"path": "unwanted.txt", "content": ""}));
    let wanted = client.begin("create", &json!({"path": "wanted.txt", "content": ""}));
    client.notify("notifications/cancelled", &json!({"requestId": unwanted}));
    client.is_silent();
    lock.unlock().unwrap();
    assert!(client.answer(wanted).get("result").is_some());
    assert!(!scratch.granted().join("unwanted.txt").exists());
    assert!(client.vanish().success());
}

#[test]
fn a_call_that_takes_too_long_is_answered_and_the_next_one_works() {
    let scratch = Scratch::new();
    fs::write(scratch.granted().join("a.txt"), "one\n").unwrap();
    huge(&scratch);
    let mut client = scratch.serve(&["--deadline", "1"]);
    let result = client.call("read", &json!({"path": "huge", "skip_lines": 1}));
    assert_eq!(
        (&result["isError"], &result["structuredContent"]["code"]),
        (&json!(true), &json!("deadline"))
    );
    let result = client.call("read", &json!({"path": "a.txt"}));
    assert!(text(&result).contains("]\none\n"), "{result}");
}

/// A regex with so many states that one linear search of `t` takes minutes.
const HARD: &str = "[ab]*a[ab]{2000}c";

/// A line of letters without a pattern.
fn hard(scratch: &Scratch) {
    let mut state = 1_u32;
    let mut letter = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        if state & 1 == 0 { b'a' } else { b'b' }
    };
    let text: Vec<u8> = (0..8 << 20).map(|_| letter()).collect();
    fs::write(scratch.granted().join("t"), text).unwrap();
    fs::write(scratch.granted().join("a.txt"), "one\n").unwrap();
}

/// Only by force: the search computes and checks no clock.
#[test]
fn a_cancelled_search_makes_room_for_others() {
    let scratch = Scratch::new();
    hard(&scratch);
    let mut client = scratch.serve(&["--parallel", "1", "--deadline", "600"]);
    for arguments in [
        json!({"pattern": HARD, "regex": true, "path": "t"}),
        json!({"pattern": HARD, "regex": true}),
        json!({"pattern": HARD, "regex": true, "multi_line": true}),
    ] {
        let slow = client.begin("grep", &arguments);
        client.is_silent();
        client.notify("notifications/cancelled", &json!({"requestId": slow}));
        let result = client.call("read", &json!({"path": "a.txt"}));
        assert!(text(&result).contains("]\none\n"), "{result}");
    }
    assert_eq!(client.others(), Vec::<Value>::new(), "a cancelled call has no answer");
}

#[test]
fn a_search_ends_at_its_deadline_and_makes_room_for_others() {
    let scratch = Scratch::new();
    hard(&scratch);
    let mut client = scratch.serve(&["--parallel", "1", "--deadline", "3"]);
    let slow = client.begin("grep", &json!({"pattern": HARD, "regex": true}));
    client.is_silent();
    let behind = client.begin("read", &json!({"path": "a.txt"}));
    let result = &client.answer(slow)["result"];
    assert_eq!(result["structuredContent"]["code"], "deadline", "{result}");
    assert!(text(result).contains("stopped after 3s"), "{result}");
    let result = &client.answer(behind)["result"];
    assert!(text(result).contains("]\none\n"), "{result}");
}

/// A change gets twice its time, but others do not wait as long.
#[test]
fn a_call_that_is_held_up_is_answered_at_the_deadline() {
    let scratch = Scratch::new();
    hard(&scratch);
    let mut client = scratch.serve(&["--deadline", "3"]);
    let slow = client.begin("replace_all", &json!({"path": "t", "old": HARD, "new": "", "regex": true}));
    let read = client.begin("read", &json!({"path": "a.txt"}));
    let write = client.begin("create", &json!({"path": "b.txt", "content": ""}));
    // The slow call has changed nothing and ends at its deadline, shortly before the others give
    // up.
    let mut is_created = false;
    for held_up in [read, write] {
        let result = &client.answer(held_up)["result"];
        let code = &result["structuredContent"]["code"];
        is_created = code.is_null();
        assert!(is_created || *code == "busy" && result["structuredContent"]["applied"] == false, "{result}");
    }
    let result = &client.answer(slow)["result"];
    assert_eq!(result["structuredContent"]["code"], "deadline", "{result}");
    assert_eq!(scratch.granted().join("b.txt").exists(), is_created);
    let result = client.call("create", &json!({"path": "c.txt", "content": ""}));
    assert!(result.get("isError").is_none(), "{result}");
}
