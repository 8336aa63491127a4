//! Long walks: they run in chunks, report progress, and can be cancelled.

use std::fs;

use serde_json::{Value, json};

use super::client::{Client, Scratch, text};

const FILES: usize = 20_000;

/// Many small files: searching them takes several chunks.
fn many() -> Scratch {
    let scratch = Scratch::new();
    for number in 0..FILES {
        let directory = scratch.granted().join(format!("{:03}", number / 500));
        if number % 500 == 0 {
            fs::create_dir(&directory).unwrap();
        }
        fs::write(directory.join(format!("{number:05}.txt")), format!("this is file {number}\n")).unwrap();
    }
    scratch
}

/// Walks with a progress token. Returns the progress and the answer.
fn walk(client: &mut Client, tool: &str, arguments: &Value) -> (Vec<f64>, Value) {
    let params = json!({"name": tool, "arguments": arguments, "_meta": {"progressToken": "walk"}});
    let answer = client.request("tools/call", &params);
    let reported = client.others().into_iter().map(|message| {
        assert_eq!(message["method"], "notifications/progress", "{message}");
        assert_eq!(message["params"]["progressToken"], "walk", "{message}");
        message["params"]["progress"].as_f64().unwrap()
    });
    (reported.collect(), answer)
}

#[test]
fn a_walk_in_slices_is_the_walk() {
    let scratch = many();
    let mut client = scratch.serve(&[]);
    let gate = fsgate::Gate::builder().dir_as(scratch.granted(), "/w", fsgate::Access::Read).build().unwrap();
    for (tool, arguments) in [
        ("grep", json!({"pattern": format!("file {}", FILES - 1)})),
        ("grep", json!({"pattern": "file 1", "max_items": 300})),
        ("grep", json!({"pattern": "file 1", "max_items": 10_000, "max_bytes": 20_000})),
        ("grep", json!({"pattern": "9", "mode": "count", "max_items": 10_000, "max_bytes": 1_000_000})),
        ("glob", json!({"pattern": "**/*9.txt", "max_items": 1000})),
        ("glob", json!({"pattern": "*/*9.txt", "max_items": 1000, "with_etag": true})),
        ("glob", json!({"pattern": "**/nothing"})),
        ("list_directory", json!({"path": ".", "recursive": true, "max_items": 1000})),
        ("list_directory", json!({"path": "000", "max_items": 100})),
        ("tree", json!({"path": ".", "max_items": 3000})),
        ("tree", json!({"path": ".", "form": "both", "directories_only": true})),
    ] {
        let (reported, answer) = walk(&mut client, tool, &arguments);
        assert!(reported.is_sorted_by(|one, other| one < other), "{tool} {arguments}: {reported:?}");
        let alone: Value = serde_json::from_str(&gate.call(tool, &arguments.to_string()).unwrap()).unwrap();
        assert_eq!(answer["result"]["structuredContent"], alone, "{tool} {arguments}");
    }
}

#[test]
fn a_long_walk_tells_how_far_it_is() {
    let scratch = many();
    let mut client = scratch.serve(&[]);
    let (reported, answer) = walk(&mut client, "grep", &json!({"pattern": "no such text"}));
    let outcome = &answer["result"]["structuredContent"];
    assert_eq!((&outcome["searched"], &outcome["count"]), (&json!(FILES), &json!(0)), "{outcome}");
    assert!(reported.len() > 1 && reported.is_sorted_by(|one, other| one < other), "{reported:?}");
    let shown = text(&answer["result"]);
    assert!(shown.starts_with("(nothing)\n") && shown.contains(&format!("[searched: {FILES}]")), "{shown}");

    let short = client.call("grep", &json!({"pattern": "no such text", "max_millis": 1}));
    let short = &short["structuredContent"];
    assert_eq!(short["stopped"], "time", "{short}");
    assert!(short["next_cursor"].is_string(), "{short}");
    // Values that the tool refuses are refused.
    for refused in [json!(0), json!("soon"), json!(1_000_000_000)] {
        let answer = client.call("grep", &json!({"pattern": "x", "max_millis": refused}));
        assert_eq!(answer["structuredContent"]["code"], "invalid_argument", "{answer}");
    }
}

#[test]
fn a_walk_that_is_cancelled_ends_between_two_slices() {
    let scratch = many();
    // With one thread, a later call waits for the end of the walk.
    let mut client = scratch.serve(&["--parallel", "1"]);
    let walk =
        json!({"name": "grep", "arguments": {"pattern": "no such text"}, "_meta": {"progressToken": 1}});
    let id = client.ask("tools/call", &walk);
    let reported = client.message().unwrap();
    assert_eq!(reported["method"], "notifications/progress", "{reported}");
    client.notify("notifications/cancelled", &json!({"requestId": id}));
    let begin = std::time::Instant::now();
    let answer = client.call("exists", &json!({"path": "."}));
    assert_eq!(answer["structuredContent"]["exists"], true);
    let waited = begin.elapsed();
    assert!(client.others().iter().all(|message| message["id"] != id), "a cancelled call was answered");
    // The whole walk takes several chunks.
    assert!(waited < std::time::Duration::from_secs(5), "{waited:?}");
}
