//! The lean set: its size, and its calls.

use std::fs;

use serde_json::{Value, json};

use super::client::{Scratch, text};

/// Tokens of the listings, as many models count them. Half of all public servers need 1,901.
const LISTED_TOKENS: [(&str, usize); 3] = [("lean", 1_500), ("core", 4_500), ("all", 8_000)];

/// The parts of the listing that a client hands to its model.
const LISTED: [&str; 3] = ["name", "description", "inputSchema"];

#[test]
fn the_listings_are_small() {
    let scratch = Scratch::new();
    for (tools, most) in LISTED_TOKENS {
        let mut client = scratch.serve(&["--tools", tools]);
        let listed = client.request("tools/list", &json!({}))["result"]["tools"].take();
        let shown = |tool: &Value| LISTED.map(|part| (part.to_owned(), tool[part].clone()));
        let shown: Vec<Value> = listed
            .as_array()
            .unwrap()
            .iter()
            .map(|tool| Value::Object(shown(tool).into_iter().collect()))
            .collect();
        let text = Value::Array(shown).to_string();
        let tokens = tiktoken_rs::o200k_base().unwrap().encode_ordinary(&text).len();
        assert!(tokens > 500, "{text}");
        assert!(tokens <= most, "{tools}: {tokens} tokens: {text}");
    }
}

/// A call, the beginning of its answer, and whether that is an error.
type Step = (&'static str, Value, &'static str, bool);

#[test]
fn a_call_of_a_tool_reaches_its_operation() {
    let scratch = Scratch::new();
    let mut client = scratch.serve(&["--tools", "lean", "--audit", "kept/audit.jsonl"]);
    let code = "fn f() {\n    one();\n}\n\nfn g() {\n    one();\n}\n";
    let steps: [Step; 23] = [
        ("write", json!({"path": "a.rs", "content": code}), "created a.rs", false),
        ("write", json!({"path": "a.rs", "content": "", "mode": "create"}), "exists: a.rs", true),
        ("read", json!({"path": "a.rs", "lines": "2", "numbers": true}), "2:     one();", false),
        ("read", json!({"path": "a.rs", "section": "g"}), "5: fn g() {\n", false),
        ("list", json!({}), "- 45 ", false),
        ("list", json!({"depth": 2}), "[totals: files 1]", false),
        ("glob", json!({"pattern": "*.rs"}), "[totals: files 1", false),
        ("grep", json!({"pattern": "on[e]\\("}), "a.rs\n2:     one();\n", false),
        (
            "grep",
            json!({"pattern": "on[e]", "literal": true}),
            "(nothing)\n[nothing was found, and `pattern` was taken letter for letter: leave `literal` out if it is",
            false,
        ),
        (
            "edit",
            json!({"path": "a.rs", "old": "one", "new": "two"}),
            "ambiguous: a.rs: `old` occurs 2 times, beginning on lines 2 and 6\n\
             add surrounding text to `old`, or set `all` to true",
            true,
        ),
        (
            "edit",
            json!({"path": "a.rs", "old": "one", "new": "two", "section": ["g"]}),
            "replaced 1 in a.rs (line 6)",
            false,
        ),
        (
            "edit",
            json!({"path": "a.rs", "lines": "1", "new": "// first", "at": "before"}),
            "inserted into a.rs (line 1)",
            false,
        ),
        ("edit", json!({"path": "a.rs", "new": "x"}), "invalid_argument: `old` is missing", true),
        (
            "edit",
            json!({"path": "a.rs", "old": "f", "new": "h", "al": true}),
            "invalid_argument: there is no",
            true,
        ),
        (
            "apply",
            json!({"patch": "*** Begin Patch\n*** Add File: b\n+b\n*** End Patch\n"}),
            "created b",
            false,
        ),
        ("file", json!({"op": "move", "path": "b", "to": "d/c"}), "moved b to d/c", false),
        ("file", json!({"op": "copy", "path": "d", "to": "e"}), "copied d to e", false),
        (
            "delete",
            json!({"path": "d"}),
            "is_directory: d: this is a directory, not a file\nset `recursive` to true",
            true,
        ),
        ("delete", json!({"path": "d", "recursive": true}), "deleted d", false),
        ("undo", json!({}), "undone: delete of ", false),
        ("undo", json!({"list": true}), "", false),
        ("delete", json!({"path": "e", "recursive": true, "dry_run": true}), "would delete e", false),
        ("read", json!({"path": "a.rs", "encoding": "utf-8"}), "// first\n", false),
    ];
    for (tool, arguments, expected, is_error) in &steps {
        let answer = client.call(tool, arguments);
        assert_eq!(answer["isError"] == true, *is_error, "{tool} {arguments}: {answer}");
        assert!(text(&answer).starts_with(expected), "{tool} {arguments}: {}", text(&answer));
    }
    let found = fs::read_to_string(scratch.granted().join("a.rs")).unwrap();
    assert_eq!(found, format!("// first\n{}two();\n}}\n", code.strip_suffix("one();\n}\n").unwrap()));
    // The audit knows operations alone, but for a call that reaches none.
    let audit = fs::read_to_string(scratch.path().join("kept/audit.jsonl")).unwrap();
    let tools: Vec<_> =
        audit.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["tool"].clone()).collect();
    for tool in
        ["read_numbered", "tree", "replace", "insert_lines", "move", "delete_directory", "log", "edit"]
    {
        assert!(tools.contains(&json!(tool)), "{tool}: {tools:?}");
    }
}

#[test]
fn a_tool_of_another_set_names_the_one_that_does_it() {
    let scratch = Scratch::new();
    let mut client = scratch.serve(&["--tools", "lean"]);
    for (tool, meant) in
        [("read_numbered", "read"), ("str_replace", "edit"), ("mkdir", "file"), ("log", "undo")]
    {
        let refused = client.request("tools/call", &json!({"name": tool, "arguments": {}}));
        let expected = format!("there is no tool `{tool}`; `{meant}` does that here");
        assert_eq!(refused["error"]["message"], expected, "{refused}");
    }
}

#[test]
fn without_a_directory_for_writing_the_set_reads() {
    let scratch = Scratch::new();
    let mut command = scratch.command();
    command.args(["mcp", "--read-only-dir", "w::/w", "--tools", "lean"]);
    let mut client = super::client::Client::start(command);
    client.request("initialize", &super::client::handshake(super::client::HANDSHAKE));
    client.notify("notifications/initialized", &json!({}));
    let listed = client.request("tools/list", &json!({}))["result"]["tools"].take();
    let names: Vec<_> = listed.as_array().unwrap().iter().map(|tool| tool["name"].clone()).collect();
    assert_eq!(names, ["read", "list", "glob", "grep"]);
}
