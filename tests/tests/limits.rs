//! What a session and each of its calls may use: every limit is reached, told by its name, and leaves the gate in order.

use std::fs;
use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use fsgate::{CancelToken, Code, Error, Gate, Limits, ReadArgs, WriteArgs};
use fsgate_tests::open::Opened;
use serde_json::Value;
use tempfile::TempDir;

use crate::hostile;

/// A directory with a small file, a large one and a deep one.
fn scratch() -> TempDir {
    let scratch = TempDir::new().unwrap();
    fs::write(scratch.path().join("small.txt"), "hello").unwrap();
    fs::write(scratch.path().join("large.txt"), "0123456\n".repeat(131_072)).unwrap();
    let deep = scratch.path().join("d/".repeat(40));
    fs::create_dir_all(&deep).unwrap();
    fs::write(deep.join("f"), "deep").unwrap();
    scratch
}

fn gate(scratch: &TempDir, limits: Limits) -> Opened {
    Opened::new(Gate::builder().dir(scratch.path()).limits(limits)).unwrap()
}

fn read(path: &str) -> ReadArgs {
    ReadArgs { path: path.to_owned(), max_bytes: Some(1 << 20), ..Default::default() }
}

fn is_limit(error: &Error, which: &str) {
    assert_eq!((error.code.clone(), error.applied), (Code::Limit(which.to_owned()), false), "{error}");
    assert!(error.repair.is_some(), "{error}");
}

fn json(gate: &Gate, tool: &str, arguments: &str) -> Result<Value, Value> {
    let parse = |text: String| serde_json::from_str(&text).unwrap();
    gate.call(tool, arguments).map(parse).map_err(parse)
}

/// The limits of one call, with what they have to be lowered to, and a call that does not fit.
#[test]
fn each_limit_of_a_call_is_told_by_its_name() {
    let scratch = scratch();
    let usual = Limits::default();
    let deep = "d/".repeat(40) + "f";
    for (limits, path, which) in [
        (Limits { memory: 3 << 20, ..usual }, "large.txt", "memory"),
        (Limits { host_memory: 512 << 10, ..usual }, "large.txt", "host_memory"),
        (Limits { handles: 24, ..usual }, &deep, "handles"),
    ] {
        let gate = gate(&scratch, limits);
        for _ in 0..3 {
            is_limit(&gate.read(&read(path)).unwrap_err(), which);
            assert_eq!(gate.read(&read("small.txt")).unwrap().content, "hello", "{which}");
        }
        let refused =
            json(&gate, "read", &format!(r#"{{"path": "{path}", "max_bytes": 1048576}}"#)).unwrap_err();
        assert_eq!((&refused["code"], &refused["which"]), (&"limit".into(), &which.into()));
        let wide = self::gate(&scratch, usual);
        assert!(wide.read(&read(path)).is_ok(), "{which}");
    }
}

#[test]
fn a_component_that_cannot_even_begin_in_its_memory_is_told_by_its_name() {
    let scratch = scratch();
    let gate = gate(&scratch, Limits { memory: 64 << 10, ..Limits::default() });
    for _ in 0..2 {
        is_limit(&gate.read(&read("small.txt")).unwrap_err(), "memory");
    }
    let refused = json(&gate, "create", r#"{"path": "new.txt"}"#).unwrap_err();
    assert_eq!((&refused["which"], &refused["applied"]), (&"memory".into(), &false.into()), "{refused}");
}

#[test]
fn an_answer_that_is_too_large_is_refused_with_how_to_ask_for_less() {
    let scratch = scratch();
    let gate = gate(&scratch, Limits { result: 64 << 10, ..Limits::default() });
    let refused = json(&gate, "read", r#"{"path": "large.txt", "max_bytes": 100000}"#).unwrap_err();
    assert_eq!((&refused["which"], &refused["applied"]), (&"result".into(), &false.into()), "{refused}");
    assert!(refused["repair"].as_str().unwrap().contains("max_bytes"), "{refused}");
    json(&gate, "read", r#"{"path": "large.txt", "max_bytes": 50000}"#).unwrap();

    // A change is made all the same, and can be found and taken back.
    let write = serde_json::json!({"path": "small.txt", "content": "line\n".repeat(20_000), "diff": true});
    let refused = json(&gate, "write", &write.to_string()).unwrap_err();
    assert_eq!((&refused["which"], &refused["applied"]), (&"result".into(), &true.into()), "{refused}");
    let details: Value = serde_json::from_str(refused["details"].as_str().unwrap()).unwrap();
    json(&gate, "undo", &format!(r#"{{"id": {}}}"#, details["undo_id"])).unwrap();
    assert_eq!(fs::read_to_string(scratch.path().join("small.txt")).unwrap(), "hello");
}

#[test]
fn calls_beyond_their_rate_wait_and_are_refused_if_that_takes_too_long() {
    let scratch = scratch();
    let limits =
        Limits { calls_per_second: Some(20), deadline: Duration::from_millis(500), ..Limits::default() };
    let gate = gate(&scratch, limits);
    let begun = Instant::now();
    for _ in 0..25 {
        gate.read(&read("small.txt")).unwrap();
    }
    assert!(begun.elapsed() >= Duration::from_millis(200), "{:?}", begun.elapsed());

    // Many at once: some would wait for longer than a call may take.
    let refused = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..60 {
            scope.spawn(|| {
                if let Err(error) = gate.read(&read("small.txt")) {
                    is_limit(&error, "calls");
                    let repair = error.repair.unwrap();
                    assert!(repair.starts_with("call again in "), "{repair}");
                    refused.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    let refused = refused.into_inner();
    assert!((1..60).contains(&refused), "{refused}");

    // Whoever waits can be taken back.
    let token = CancelToken::new();
    std::thread::scope(|scope| {
        let calls: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| gate.call_cancellable("read", r#"{"path": "small.txt"}"#, &token)))
            .collect();
        token.cancel();
        for call in calls {
            if let Err(error) = call.join().unwrap() {
                assert!(error.contains("cancelled") || error.contains("calls"), "{error}");
            }
        }
    });
}

/// An expression with so many states that to search a megabyte takes minutes.
const HARD: &str = "[ab]*a[ab]{2000}c";

/// A megabyte of letters in an order without a pattern.
fn hard() -> Vec<u8> {
    let mut state = 1_u32;
    let mut letter = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        b'a' + (state & 1) as u8
    };
    (0..1 << 20).map(|_| letter()).collect()
}

/// A call that changes something has twice its time before it is ended by force.
#[test]
fn calls_that_calculate_for_too_long_are_ended_and_others_are_answered() {
    let scratch = scratch();
    fs::write(scratch.path().join("hard"), hard()).unwrap();
    let gate = gate(&scratch, Limits { deadline: Duration::from_secs(1), ..Limits::default() });
    let call = |tool: &str| {
        let arguments = serde_json::json!({"path": "hard", "regex": true});
        let mut arguments = arguments.as_object().unwrap().clone();
        let own = if tool == "grep" {
            serde_json::json!({"pattern": HARD})
        } else {
            serde_json::json!({"old": HARD, "new": ""})
        };
        arguments.extend(own.as_object().unwrap().clone());
        json(&gate, tool, &Value::Object(arguments).to_string()).unwrap_err()
    };
    for tool in ["grep", "replace_all"] {
        let refused = call(tool);
        assert_eq!((&refused["code"], &refused["applied"]), (&"deadline".into(), &false.into()), "{refused}");
        assert!(refused["message"].as_str().unwrap().contains("after 1s"), "{refused}");
    }
    std::thread::scope(|scope| {
        let change = scope.spawn(|| call("replace_all"));
        // Long enough for it to have its turn.
        std::thread::sleep(Duration::from_millis(300));
        // It waits for a little longer than the change has left.
        match gate.read(&read("small.txt")) {
            Ok(shown) => assert_eq!(shown.content, "hello"),
            Err(refused) => assert_eq!((&refused.code, refused.applied), (&Code::Busy, false), "{refused}"),
        }
        assert_eq!(change.join().unwrap()["code"], "deadline");
    });
    assert_eq!(gate.read(&read("small.txt")).unwrap().content, "hello");
}

#[test]
fn calls_beyond_those_that_may_wait_are_refused() {
    let scratch = scratch();
    let limits = Limits { waiting: 2, ..Limits::default() };
    let gate = Opened::new(Gate::builder().dir(scratch.path()).limits(limits).parallel(1)).unwrap();
    fs::File::create(scratch.path().join("huge")).unwrap().set_len(1 << 27).unwrap();
    let (begin, refused) = (Barrier::new(8), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                begin.wait();
                let token = CancelToken::new();
                let text = r#"{"path": "huge", "checksum": true}"#;
                let answer = gate.call_cancellable("stat", text, &token);
                let error: Value =
                    answer.err().map_or(Value::Null, |error| serde_json::from_str(&error).unwrap());
                if error["which"] == "concurrent" {
                    assert!(error["message"].as_str().unwrap().contains("2 wait"), "{error}");
                    refused.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    assert!(refused.into_inner() >= 1, "eight came at once, and three may be there");
    assert_eq!(gate.read(&read("small.txt")).unwrap().content, "hello", "all have left their places");
}

/// A component that never closes anything is stopped long before it has taken a million handles, and the host goes on.
#[test]
fn a_component_that_leaks_handles_is_stopped() {
    let scratch = scratch();
    let builder = Gate::builder().dir(scratch.path()).component(hostile::leaking(1_000_000));
    let gate = Opened::new(builder).unwrap();
    for _ in 0..3 {
        let begun = Instant::now();
        is_limit(&gate.read(&read("small.txt")).unwrap_err(), "handles");
        assert!(begun.elapsed() < Duration::from_secs(20));
    }
    // Where a change could have begun, nobody knows what has become of it.
    let write = WriteArgs { path: "a".into(), ..Default::default() };
    let stopped = gate.write(&write).unwrap_err();
    assert!(stopped.code == Code::Limit("handles".to_owned()) && stopped.applied, "{stopped}");
    let fewer = Gate::builder().dir(scratch.path()).component(hostile::leaking(10));
    let stopped = Opened::new(fewer).unwrap().read(&read("small.txt")).unwrap_err();
    assert!(
        matches!(stopped.code, Code::Other(_)),
        "it has leaked a few, and then traps by itself: {stopped}"
    );
}
