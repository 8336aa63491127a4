//! Calls that are ended by force, run out of memory, or are cancelled: their answers are true.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use fsgate::{CancelToken, Gate, Limits};
use serde_json::{Value, json};

use super::scratch::{Scratch, check_settled};
use super::soak;
use super::tree::Tree;

/// A call that changes several files, one of them so large that it takes a while.
fn edits() -> Value {
    json!({"edits": [
        {"path": "small.txt", "old": "one", "new": "1"},
        {"path": "large.txt", "old": "mark", "new": "a longer mark"},
        {"path": "other.txt", "delete": true},
        {"path": "made/new.txt", "content": "new\n"},
    ]})
}

fn before(mebibytes: usize) -> Tree {
    let mut tree = Tree::default();
    tree.put("small.txt", "one two three\n");
    tree.put("other.txt", "another one\n");
    tree.put("large.txt", "mark\n".to_owned() + &"0123456789abcde\n".repeat(mebibytes << 16));
    tree
}

fn after(before: &Tree) -> Tree {
    let mut tree = before.clone();
    tree.put("small.txt", "1 two three\n");
    tree.remove("other.txt");
    tree.put("large.txt", [b"a longer ", &before.file("large.txt")[..]].concat());
    tree.put("made/new.txt", "new\n");
    tree
}

/// The same in one larger file: all of it moves.
fn edit() -> Value {
    json!({"path": "large.txt", "old": "mark", "new": "a longer mark"})
}

struct Change {
    tool: &'static str,
    arguments: Value,
    before: Tree,
    after: Tree,
}

impl Change {
    fn of_many(mebibytes: usize) -> Self {
        let before = before(mebibytes);
        Self { tool: "apply", arguments: edits(), after: after(&before), before }
    }

    fn of_one(mebibytes: usize) -> Self {
        let before = before(mebibytes);
        let mut after = before.clone();
        after.put("large.txt", [b"a longer ", &before.file("large.txt")[..]].concat());
        Self { tool: "replace", arguments: edit(), after, before }
    }
}

/// Makes the change with these limits, checks the answer against the tree, and returns it.
fn attempt(scratch: &Scratch, limits: Limits, change: &Change) -> String {
    let gate = scratch.builder().limits(limits).build().unwrap();
    let answer = gate.call(change.tool, &change.arguments.to_string());
    let (said, applied) = match &answer {
        Ok(_) => ("done".to_owned(), true),
        Err(error) => {
            let error: Value = serde_json::from_str(error).unwrap();
            let message = error["message"].as_str().unwrap();
            (format!("{}: {message}", error["code"].as_str().unwrap()), error["applied"] == true)
        }
    };
    let context = format!("{limits:?}: {said}");
    let found = Tree::read(&scratch.at("w"));
    let expected = if applied { &change.after } else { &change.before };
    assert!(found == *expected, "{context}: {}", found.difference(expected));
    check_settled(&scratch.at("state"), &context);
    if applied {
        let gate = scratch.gate();
        gate.call("undo", r#"{"any_session": true}"#).unwrap_or_else(|error| panic!("{context}: {error}"));
        assert!(Tree::read(&scratch.at("w")) == change.before, "{context}");
    }
    said
}

#[test]
fn a_change_that_is_ended_by_force_is_told_as_it_is() {
    for change in
        [Change::of_many(if soak() { 24 } else { 6 }), Change::of_one(if soak() { 200 } else { 10 })]
    {
        let scratch = Scratch::new();
        change.before.write(&scratch.at("w"));
        let mut counts = BTreeMap::new();
        let mut deadline = Duration::from_millis(6);
        let mut done = 0;
        while done < 2 {
            let said = attempt(&scratch, Limits { deadline, ..Limits::default() }, &change);
            done += usize::from(said == "done");
            *counts.entry(said).or_insert(0) += 1;
            deadline = deadline * if soak() { 11 } else { 14 } / 10;
            assert!(deadline < Duration::from_secs(60), "{counts:?}");
        }
        eprintln!("{} with deadlines: {counts:#?}", change.tool);
    }
}

#[test]
fn a_change_without_memory_is_told_as_it_is() {
    let scratch = Scratch::new();
    let change = Change::of_many(1);
    change.before.write(&scratch.at("w"));
    let mut counts = BTreeMap::new();
    for pages in (8..160).step_by(if soak() { 1 } else { 8 }) {
        let said = attempt(&scratch, Limits { memory: pages << 16, ..Limits::default() }, &change);
        *counts.entry(said.split(':').next().unwrap().to_owned()).or_insert(0) += 1;
    }
    eprintln!("limits of memory: {counts:?}");
    assert!(counts.keys().eq(["done", "limit"]), "{counts:?}");
}

#[test]
fn a_copy_that_is_taken_back_leaves_nothing() {
    let scratch = Scratch::new();
    let large = fs::File::create(scratch.at("w/large")).unwrap();
    large.set_len(if soak() { 250 } else { 120 } << 20).unwrap();
    fs::create_dir(scratch.at("w/tree")).unwrap();
    for number in 0..200 {
        fs::write(scratch.at("w/tree").join(number.to_string()), vec![b'x'; 200_000]).unwrap();
    }
    let gate = scratch.gate();
    for source in ["large", "tree"] {
        let arguments = json!({"source": source, "destination": "new/copy", "recursive": source == "tree"});
        let begun = Instant::now();
        gate.call("copy", &arguments.to_string()).unwrap();
        let whole = begun.elapsed();
        remove(&gate);
        let (mut cancelled, mut done, mut longest) = (0, 0, Duration::ZERO);
        let times = if soak() { 60 } else { 8 };
        for time in 0..times {
            let token = CancelToken::new();
            let (answer, ended) = thread::scope(|scope| {
                let call = scope.spawn(|| gate.call_cancellable("copy", &arguments.to_string(), &token));
                thread::sleep(whole * time / (times - 1));
                token.cancel();
                let begun = Instant::now();
                (call.join().unwrap(), begun.elapsed())
            });
            longest = longest.max(ended);
            let context = format!("{source} {time}/{times}: {answer:?}");
            match &answer {
                Ok(_) => {
                    done += 1;
                    assert!(is_whole(&scratch, source), "{context}");
                    remove(&gate);
                }
                Err(error) => {
                    let error: Value = serde_json::from_str(error).unwrap();
                    assert_eq!(
                        (&error["code"], &error["applied"]),
                        (&"cancelled".into(), &false.into()),
                        "{context}"
                    );
                    cancelled += 1;
                }
            }
            assert!(!scratch.at("w/new").exists(), "{context}");
            assert_eq!(fs::read_dir(scratch.at("w")).unwrap().count(), 2, "{context}");
            check_settled(&scratch.at("state"), &context);
        }
        eprintln!(
            "copies of {source} in {whole:?}: {cancelled} taken back in {longest:?} at most, {done} done"
        );
        assert!(cancelled > 0 && longest < whole.max(Duration::from_secs(1)));
    }
}

fn is_whole(scratch: &Scratch, source: &str) -> bool {
    let length = |path: &Path| fs::metadata(path).unwrap().len();
    let (from, to) = (scratch.at("w").join(source), scratch.at("w/new/copy"));
    match source {
        "large" => length(&from) == length(&to),
        _ => {
            fs::read_dir(to)
                .unwrap()
                .filter(|entry| length(&entry.as_ref().unwrap().path()) == 200_000)
                .count()
                == 200
        }
    }
}

fn remove(gate: &Gate) {
    gate.call("delete_directory", r#"{"path": "new", "recursive": true, "keep": false}"#).unwrap();
}
