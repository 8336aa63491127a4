//! Many calls at once: order, limits, and clients that disconnect.

use std::fs;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::client::{Scratch, text};

#[test]
fn changes_are_made_in_the_order_in_which_they_came() {
    let scratch = Scratch::new();
    let mut client = scratch.serve(&[]);
    let mut ids = vec![client.begin("create", &json!({"path": "a.txt", "content": "0"}))];
    let mut seen = Vec::new();
    for number in 1..200 {
        let (old, new) = ((number - 1).to_string(), number.to_string());
        ids.push(client.begin("replace", &json!({"path": "a.txt", "old": old, "new": new})));
        if number % 7 == 0 {
            seen.push((number, client.begin("read", &json!({"path": "a.txt"}))));
        }
    }
    for id in ids {
        let answer = client.answer(id);
        assert!(answer["result"].get("isError").is_none(), "{answer}");
    }
    for (number, id) in seen {
        // Later changes may be visible, earlier ones have to be.
        let answer = client.answer(id);
        let content: u32 =
            answer["result"]["structuredContent"]["content"].as_str().unwrap().parse().unwrap();
        assert!(content >= number, "{content} < {number}");
    }
    assert_eq!(fs::read_to_string(scratch.granted().join("a.txt")).unwrap(), "199");
}

#[test]
fn a_long_reading_call_holds_up_nobody_who_reads() {
    let scratch = Scratch::new();
    fs::write(scratch.granted().join("a.txt"), "one\n").unwrap();
    fs::File::create(scratch.granted().join("huge")).unwrap().set_len(16 << 30).unwrap();
    let mut client = scratch.serve(&[]);
    let slow = client.begin("read", &json!({"path": "huge", "skip_lines": 1}));
    for _ in 0..20 {
        assert!(text(&client.call("read", &json!({"path": "a.txt"}))).contains("]\none\n"));
    }
    assert!(client.others().is_empty(), "the slow call was to be slow");
    client.notify("notifications/cancelled", &json!({"requestId": slow}));
}

#[test]
fn ten_thousand_calls_at_once_are_answered_in_bounded_memory() {
    let scratch = Scratch::new();
    let content = "0123456789abcdef\n".repeat(1 << 11);
    fs::write(scratch.granted().join("a.txt"), &content).unwrap();
    let mut client = scratch.serve(&[]);
    // The client collects answers in a thread and reads them at the end, so the server is never
    // slowed down.
    let ids: Vec<_> = (0..10_000)
        .map(|number| match number % 2 {
            0 => client.begin("read", &json!({"path": "a.txt", "max_lines": 10})),
            _ => client.begin("stat", &json!({"path": "a.txt"})),
        })
        .collect();
    for id in ids {
        let answer = client.answer(id);
        assert!(answer["result"].get("isError").is_none(), "{answer}");
    }
    #[cfg(target_os = "linux")]
    assert!(client.memory() < 200 << 10, "{} KiB", client.memory());
}

#[test]
fn a_client_that_reads_nothing_is_waited_for_in_bounded_memory() {
    use std::io::{Read, Write};
    use std::process::Stdio;

    let scratch = Scratch::new();
    fs::write(scratch.granted().join("a.txt"), "0123456789abcdef\n".repeat(1 << 16)).unwrap();
    let mut command = scratch.command();
    command.args(["mcp", "--dir", "w"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let writer = thread::spawn(move || {
        let mut send = |message: Value| writeln!(input, "{message}");
        send(json!({"jsonrpc": "2.0", "id": 0, "method": "initialize",
            "params": super::client::handshake(super::client::HANDSHAKE)}))?;
        for id in 1..=60_000 {
            // Answers of half a megabyte: 30 GB in total.
            send(json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
                "params": {"name": "read", "arguments": {"path": "a.txt", "max_bytes": 500_000}}}))?;
        }
        std::io::Result::Ok(())
    });
    thread::sleep(Duration::from_secs(3));
    #[cfg(target_os = "linux")]
    {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        let peak: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
        assert!(peak < 1 << 20, "{peak} KiB");
    }
    // The client reads a little and disconnects: the server ends with success.
    let mut output = child.stdout.take().unwrap();
    output.read_exact(&mut vec![0; 1 << 20]).unwrap();
    drop(output);
    assert!(child.wait().unwrap().success());
    assert!(writer.join().unwrap().is_err(), "nobody can have read all of it");
}

#[test]
fn a_client_that_vanishes_leaves_whole_files_and_no_process() {
    for round in 0..12_u64 {
        let scratch = Scratch::new();
        let old = "old line\n".repeat(1 << 14);
        fs::write(scratch.granted().join("a.txt"), &old).unwrap();
        let mut client = scratch.serve(&[]);
        let new = "a new line\n".repeat(1 << 14);
        for _ in 0..20 {
            client.begin("write", &json!({"path": "a.txt", "content": new}));
            client.begin("write", &json!({"path": "a.txt", "content": old}));
        }
        thread::sleep(Duration::from_millis(round * 3));
        assert!(client.vanish().success());
        let found = fs::read_to_string(scratch.granted().join("a.txt")).unwrap();
        assert!(found == old || found == new, "round {round}: {} bytes", found.len());
    }
}

#[test]
fn a_server_that_is_told_to_end_finishes_its_change() {
    for (round, signal) in (0..).zip(["TERM", "INT", "HUP"].repeat(2)) {
        let scratch = Scratch::new();
        let old = "old line\n".repeat(1 << 16);
        fs::write(scratch.granted().join("a.txt"), &old).unwrap();
        let mut client = scratch.serve(&[]);
        let new = "a new line\n".repeat(1 << 16);
        client.begin("write", &json!({"path": "a.txt", "content": new}));
        thread::sleep(Duration::from_millis(round * 20));
        assert!(client.signal(signal).success(), "{signal}");
        let found = fs::read_to_string(scratch.granted().join("a.txt")).unwrap();
        assert!(found == old || found == new, "{signal} in round {round}: {} bytes", found.len());
    }
}

#[test]
fn what_was_asked_before_the_input_ended_is_answered() {
    let scratch = Scratch::new();
    let mut client = scratch.serve(&[]);
    for number in 0..50 {
        client.begin("create", &json!({"path": format!("{number}.txt"), "content": "x"}));
    }
    let (status, rest) = client.close();
    assert!(status.success());
    assert_eq!(rest.len(), 50);
    assert_eq!(fs::read_dir(scratch.granted()).unwrap().count(), 50);
}
