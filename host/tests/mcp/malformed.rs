//! Lines that are no messages, and too large messages: the session continues.

use std::fs;

use serde_json::json;

use super::client::{Scratch, text};

#[test]
fn what_is_no_message_is_refused_or_ignored_and_the_session_goes_on() {
    let scratch = Scratch::new();
    fs::write(scratch.granted().join("a.txt"), "one\n").unwrap();
    let mut client = scratch.serve(&[]);
    // A line, and the code of its error, or `None` if it is ignored.
    for (line, code) in [
        (&b""[..], None),
        (b"\r", None),
        (b"{", Some(-32700)),
        (b"hello", Some(-32700)),
        (b"\xff\xfe{}", Some(-32700)),
        (b"\"\xc3\x28\"", Some(-32700)),
        (b"3", Some(-32600)),
        (b"null", Some(-32600)),
        (b"[]", Some(-32600)),
        (b"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", Some(-32600)),
        (b"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", None),
        (b"{\"jsonrpc\":\"2.0\",\"id\":77}", Some(-32600)),
        // A leading byte order mark is skipped.
        (b"\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"id\":77}", Some(-32600)),
        (b"{\"jsonrpc\":\"2.0\",\"id\":[1],\"method\":\"ping\"}", Some(-32600)),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}", Some(-32600)),
        (b"{\"jsonrpc\":\"1.0\",\"id\":77,\"method\":\"ping\"}", Some(-32600)),
        (b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/nonsense\",\"params\":3}", None),
        (b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\"}", None),
        (b"{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{}}", None),
        (b"{\"jsonrpc\":\"2.0\",\"id\":99,\"error\":{\"code\":1,\"message\":\"x\"}}", None),
    ] {
        client.raw(&[line, b"\n"].concat());
        let shown = String::from_utf8_lossy(line);
        if let Some(code) = code {
            let refused = client.message().unwrap();
            assert_eq!(refused["error"]["code"], code, "{shown}: {refused}");
        }
        let answer = client.request("ping", &json!({}));
        assert!(answer.get("result").is_some() && client.others().is_empty(), "{shown}: {answer}");
    }
    let deep = format!("{}{}\n", "[".repeat(100_000), "]".repeat(100_000));
    client.raw(deep.as_bytes());
    assert!(client.message().unwrap().get("error").is_some());
    assert!(text(&client.call("read", &json!({"path": "a.txt"}))).contains("]\none\n"));
}

#[test]
fn a_message_that_is_too_long_is_passed_over() {
    let scratch = Scratch::new();
    let mut client = scratch.serve(&[]);
    let chunk = vec![b'x'; 1 << 20];
    client.raw(br#"{"jsonrpc":"2.0","id":1000,"method":"tools/call","params":{"name":"create","arguments":{"content":""#);
    for _ in 0..100 {
        client.raw(&chunk);
    }
    client.raw(b"\"}}}\n");
    let refused = client.message().unwrap();
    assert_eq!(refused["error"]["code"], -32600, "{refused}");
    assert!(refused["error"]["message"].as_str().unwrap().contains("67108864"), "{refused}");
    assert!(client.request("ping", &json!({})).get("result").is_some());
    #[cfg(target_os = "linux")]
    assert!(client.memory() < 300 << 10, "{} KiB", client.memory());
}

#[test]
fn a_large_message_is_a_large_file() {
    let scratch = Scratch::new();
    let mut client = scratch.serve(&[]);
    let content = "0123456789abcdef\n".repeat(1 << 20);
    let result = client.call("create", &json!({"path": "a.txt", "content": content}));
    assert!(result.get("isError").is_none(), "{result}");
    assert!(fs::read_to_string(scratch.granted().join("a.txt")).unwrap() == content);
}

#[test]
fn an_id_that_is_in_use_is_refused() {
    let scratch = Scratch::new();
    fs::File::create(scratch.granted().join("huge")).unwrap().set_len(4 << 30).unwrap();
    let mut client = scratch.serve(&["--deadline", "2"]);
    let call = json!({"jsonrpc": "2.0", "id": 500, "method": "tools/call",
        "params": {"name": "stat", "arguments": {"path": "huge", "checksum": true}}});
    client.send(&call);
    client.send(&call);
    let refused = client.message().unwrap();
    assert_eq!((&refused["error"]["code"], refused.get("id")), (&json!(-32600), None), "{refused}");
    // The room is free again.
    assert!(client.answer(500).get("result").is_some());
    client.send(&json!({"jsonrpc": "2.0", "id": 500, "method": "ping"}));
    assert_eq!(client.answer(500)["result"], json!({}));
}
