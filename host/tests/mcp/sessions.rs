//! Begin and end of a session in every protocol version, and the server's first messages.

use std::fs;

use serde_json::{Value, json};

use super::client::{Client, HANDSHAKE, REVISIONS, Scratch, handshake, meta, text};

#[test]
fn a_handshake_agrees_on_a_revision() {
    // Requested and agreed version: the same if it is known and has a handshake, else the newest
    // with one.
    for (asked, agreed) in [
        ("2025-11-25", "2025-11-25"),
        ("2025-06-18", "2025-06-18"),
        ("2024-11-05", "2024-11-05"),
        (REVISIONS[0], HANDSHAKE),
        ("1999-01-01", HANDSHAKE),
        ("2999-01-01", HANDSHAKE),
    ] {
        let scratch = Scratch::new();
        fs::write(scratch.granted().join("a.txt"), "one\n").unwrap();
        let mut client = scratch.start(&[]);
        let reported = client.initialize(asked);
        assert_eq!(reported["protocolVersion"], agreed, "{asked}");
        assert_eq!(reported["serverInfo"]["name"], "fsgate");
        assert!(reported["capabilities"].get("tools").is_some(), "{reported}");
        let result = client.call("read", &json!({"path": "a.txt"}));
        assert!(text(&result).contains("]\none\n"), "{asked}: {result}");
        assert_eq!(result.get("resultType"), None, "{asked}");
        let (status, rest) = client.close();
        assert!(status.success() && rest.is_empty(), "{asked}: {status} {rest:?}");
    }
}

#[test]
fn a_session_without_a_handshake_says_all_in_each_request() {
    let scratch = Scratch::new();
    fs::write(scratch.granted().join("a.txt"), "one\n").unwrap();
    let mut client = scratch.start(&[]);
    let reported = client.request("server/discover", &json!({"_meta": meta(REVISIONS[0])}));
    let supported =
        reported["result"]["supportedVersions"].as_array().unwrap_or_else(|| panic!("{reported}")).clone();
    for revision in REVISIONS {
        assert!(supported.contains(&json!(revision)), "{reported}");
    }
    assert!(
        reported["result"]["instructions"].as_str().unwrap().contains("/w (read and write)"),
        "{reported}"
    );
    let list = client.request("tools/list", &json!({"_meta": meta(REVISIONS[0])}));
    assert!(!list["result"]["tools"].as_array().unwrap().is_empty(), "{list}");
    let call = json!({"name": "read", "arguments": {"path": "a.txt"}, "_meta": meta(REVISIONS[0])});
    let answer = client.request("tools/call", &call);
    assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
    assert!(text(&answer["result"]).contains("]\none\n"), "{answer}");
    // A request without a version, and one with an unknown version.
    let refused = client.request("tools/call", &json!({"name": "read", "arguments": {"path": "a.txt"}}));
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    let refused = client.request("tools/list", &json!({"_meta": meta("2999-01-01")}));
    assert!(refused["error"]["data"]["supported"].is_array(), "{refused}");
    assert!(client.close().0.success());
}

#[test]
fn the_list_is_what_was_chosen_and_can_be_used() {
    let names = |list: &Value| -> Vec<String> {
        let tools = list["result"]["tools"].as_array().unwrap();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    };
    let scratch = Scratch::new();
    let list = |words: &[&str]| {
        let mut command = scratch.command();
        command.arg("mcp").args(words);
        let mut client = Client::start(command);
        let reported = client.initialize(HANDSHAKE);
        let list = client.request("tools/list", &json!({}));
        (reported["instructions"].as_str().unwrap().to_owned(), list)
    };
    let (_, all) = list(&["--dir", "w", "--tools", "all"]);
    assert_eq!(names(&all).len(), fsgate::OPERATIONS.len());
    for tool in all["result"]["tools"].as_array().unwrap() {
        let operation = fsgate::Operation::find(tool["name"].as_str().unwrap()).unwrap();
        let hints = &tool["annotations"];
        assert_eq!(hints["readOnlyHint"], operation.read_only, "{tool}");
        assert_eq!(hints["openWorldHint"], false, "{tool}");
        if !operation.read_only {
            let expected = json!([operation.destructive, operation.idempotent]);
            assert_eq!(json!([hints["destructiveHint"], hints["idempotentHint"]]), expected, "{tool}");
        }
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
        assert_eq!(tool.get("outputSchema"), None, "{tool}");
    }
    let (_, lean) = list(&["--dir", "w"]);
    let expected = ["read", "list", "glob", "grep", "write", "edit", "apply", "file", "delete", "undo"];
    assert_eq!(names(&lean), expected);
    let (_, core) = list(&["--dir", "w", "--tools", "core"]);
    assert!(
        names(&core).contains(&"replace".to_owned()) && !names(&core).contains(&"write_bytes".to_owned())
    );
    let (instructions, reading) = list(&["--read-only-dir", "w::docs", "--tools", "all"]);
    assert!(!names(&reading).contains(&"write".to_owned()), "{reading}");
    assert!(
        instructions.contains("docs (read only)") && !instructions.contains("if_match"),
        "{instructions}"
    );
    let (_, schemas) = list(&["--dir", "w", "--tools", "read", "--output-schemas"]);
    assert_eq!(names(&schemas), ["read"]);
    let schema = &schemas["result"]["tools"][0]["outputSchema"];
    assert_eq!(schema["type"], "object");
    assert_eq!(schema["anyOf"][1], json!({"required": ["code", "message"]}), "an error is an answer too");
}

#[test]
fn a_start_that_makes_no_sense_is_refused() {
    let scratch = Scratch::new();
    for (words, reported) in [
        (&[][..], "give one with `--dir PATH`"),
        (&["--dir", "none"], "cannot grant `none`"),
        (&["--dir", "w", "--tools", "raed"], "did you mean `read`?"),
        (&["--read-only-dir", "w", "--tools", "write"], "granted for reading only"),
        (&["--dir", "w", "--answers", "prose"], "possible values: both, text, data"),
        (&["--print-config", "cursor"], "give one with `--dir PATH`"),
        (&["--dir", "w", "--print-config", "emacs"], "claude-code"),
    ] {
        let output = scratch.command().arg("mcp").args(words).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{words:?}: {error}");
        assert!(error.contains(reported) && output.stdout.is_empty(), "{words:?}: {error}");
    }
}

#[test]
fn a_client_is_told_of_this_program() {
    let scratch = Scratch::new();
    let project = scratch.granted();
    fs::create_dir(project.join("sub")).unwrap();
    let printed = |client: &str, key: &str, directory: &str| {
        let mut command = scratch.command();
        command.current_dir(&project);
        let output = command.args(["mcp", "--dir", directory, "--print-config", client]).output().unwrap();
        assert!(output.status.success());
        let config: Value = serde_json::from_slice(&output.stdout).unwrap();
        let server = &config[key]["fsgate"];
        assert_eq!(server["command"], env!("CARGO_BIN_EXE_fsgate"));
        assert_eq!((&server["args"][0], &server["args"][1]), (&json!("mcp"), &json!("--dir")));
        (server["args"][2].as_str().unwrap().to_owned(), String::from_utf8(output.stderr).unwrap())
    };
    // The client may open a directory around this one.
    let here = project.to_str().unwrap();
    for (client, key) in [("vscode", "servers"), ("cursor", "mcpServers")] {
        assert_eq!(printed(client, key, ".").0, here);
        assert_eq!(printed(client, key, "sub").0, format!("{here}/sub"));
    }
    fs::create_dir(project.join(".git")).unwrap();
    for (client, key, place) in
        [("vscode", "servers", ".vscode/mcp.json"), ("cursor", "mcpServers", ".cursor/mcp.json")]
    {
        assert_eq!(printed(client, key, ".").0, "${workspaceFolder}");
        let (granted, reported) = printed(client, key, "sub");
        assert_eq!(granted, "${workspaceFolder}/sub");
        assert!(reported.contains(place), "{reported}");
    }
}

#[test]
fn what_comes_before_the_first_request_does_not_end_the_session() {
    let scratch = Scratch::new();
    let mut client = scratch.start(&[]);
    client.notify("notifications/cancelled", &json!({"requestId": 7}));
    client.notify("notifications/nonsense", &json!({}));
    client.send(&json!({"jsonrpc": "2.0", "id": 9, "result": {}}));
    let pong = client.request("ping", &json!({}));
    assert_eq!(pong["result"], json!({}));
    // The server knows nothing about this client yet.
    assert_eq!(client.request("tools/list", &json!({}))["error"]["code"], -32602);
    let reported = client.request("initialize", &handshake(HANDSHAKE));
    assert_eq!(reported["result"]["protocolVersion"], HANDSHAKE);
    assert!(client.close().0.success());
}

#[test]
fn nothing_but_the_protocol_is_written() {
    let scratch = Scratch::new();
    let mut command = scratch.command();
    command.args(["mcp", "--dir", "w"]);
    let output = command.stdin(std::process::Stdio::null()).output().unwrap();
    assert!(output.status.success());
    assert_eq!((output.stdout.len(), output.stderr.len()), (0, 0));
}
