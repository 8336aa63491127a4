//! Somebody who can write in a granted directory swaps what stands there for something else, at full speed, while tools
//! work there: nothing outside is read or changed, and no call waits for ever. `FSGATE_SOAK=1` does it twenty times as
//! long.

#![expect(clippy::print_stderr, reason = "how much was tried is part of a run's result")]

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use fsgate::{Gate, OPERATIONS};
use fsgate_tests::open::Opened;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::ground::CANARY;

/// Rounds of all calls in each scene.
const ROUNDS: usize = 30;

/// A call that takes longer waits for something that does not come: all of them take milliseconds.
const FOR_EVER: Duration = Duration::from_secs(120);

fn rounds() -> usize {
    if std::env::var_os("FSGATE_SOAK").is_some() { ROUNDS * 20 } else { ROUNDS }
}

/// Every tool at a directory `{d}` that is swapped, or that holds what is. In this order: what one call takes away, the
/// ones before it have made. `{ids}` are those that the last preview has shown.
const CALLS: &[(&str, &str)] = &[
    ("read", r#"{"path": "{d}/f"}"#),
    ("read_numbered", r#"{"path": "{d}/f"}"#),
    ("outline", r#"{"path": "{d}/f"}"#),
    ("read_bytes", r#"{"path": "{d}/f"}"#),
    ("read_many", r#"{"paths": ["{d}/f", "{d}/g", "{d}/sub/f"]}"#),
    ("stat", r#"{"path": "{d}/f"}"#),
    ("exists", r#"{"path": "{d}/f"}"#),
    ("list_directory", r#"{"path": "{d}", "with_etag": true, "recursive": true}"#),
    ("tree", r#"{"path": "."}"#),
    ("glob", r#"{"pattern": "**", "with_etag": true}"#),
    ("grep", r#"{"pattern": "a"}"#),
    ("checkpoint", r#"{"label": "before"}"#),
    ("create", r#"{"path": "{d}/new", "content": "inside\n"}"#),
    ("create", r#"{"path": "{d}/deep/er/new", "content": "inside\n", "parents": true}"#),
    ("create_directory", r#"{"path": "{d}/made"}"#),
    ("write", r#"{"path": "{d}/f", "content": "inside, written\n"}"#),
    ("write", r#"{"path": "{d}/f", "content": "inside\n"}"#),
    ("write_bytes", r#"{"path": "{d}/g", "bytes": "aW5zaWRl"}"#),
    ("append", r#"{"path": "{d}/f", "content": "more\n"}"#),
    ("replace", r#"{"path": "{d}/f", "old": "inside", "new": "still inside"}"#),
    ("replace_all", r#"{"path": "{d}/f", "old": "i", "new": "I"}"#),
    ("replace_lines", r#"{"path": "{d}/f", "lines": "1", "content": "other, inside"}"#),
    ("insert_lines", r#"{"path": "{d}/f", "after": 1, "content": "one more, inside"}"#),
    ("comment_lines", r#"{"path": "{d}/f", "lines": "1", "syntax": "rust"}"#),
    ("uncomment_lines", r#"{"path": "{d}/f", "lines": "1", "syntax": "rust"}"#),
    (
        "apply",
        r#"{"edits": [{"path": "{d}/f", "content": "inside\n"}, {"path": "{d}/g", "old": "inside", "new": "in"}]}"#,
    ),
    (
        "apply",
        r#"{"patch": "*** Begin Patch\n*** Update File: {d}/f\n*** Move to: {d}/h\n@@\n-inside\n+inside, moved\n*** End Patch\n"}"#,
    ),
    (
        "apply",
        r#"{"patch": "*** Begin Patch\n*** Update File: {d}/h\n*** Move to: {d}/f\n@@\n-inside, moved\n+inside\n*** Add File: {d}/i\n+inside\n*** End Patch\n"}"#,
    ),
    ("replace_in_files", r#"{"old": "in", "new": "IN", "glob": "*"}"#),
    ("replace_in_files", r#"{"old": "in", "new": "IN", "paths": ["{d}/f", "{d}/g"]}"#),
    ("replace_in_files", r#"{"old": "in", "new": "IN", "paths": ["{d}/f", "{d}/g"], "ids": {ids}}"#),
    ("undo", r"{}"),
    ("redo", r"{}"),
    ("copy", r#"{"source": "{d}/f", "destination": "{d}/copied"}"#),
    ("copy", r#"{"source": "{d}/sub", "destination": "copied-tree", "recursive": true}"#),
    ("copy", r#"{"source": "rest", "destination": "{d}/rest", "recursive": true}"#),
    ("copy", r#"{"source": "rest/f", "destination": "{d}/f", "overwrite": true}"#),
    ("move", r#"{"source": "{d}/f", "destination": "moved"}"#),
    ("move", r#"{"source": "moved", "destination": "{d}/f"}"#),
    ("move", r#"{"source": "{d}/sub", "destination": "moved-tree"}"#),
    ("move", r#"{"source": "moved-tree", "destination": "{d}/sub"}"#),
    ("delete", r#"{"path": "{d}/new"}"#),
    ("delete", r#"{"path": "{d}/f"}"#),
    ("delete", r#"{"path": "{d}", "glob": "**/e*"}"#),
    ("restore", r#"{"id": "{changed}", "path": "{d}/f"}"#),
    ("delete_directory", r#"{"path": "{d}/sub", "recursive": true}"#),
    ("delete_directory", r#"{"path": "{d}", "recursive": true}"#),
    ("undo", r#"{"to": "before"}"#),
    ("recover", r"{}"),
    ("log", r#"{"diff": true, "max_items": 5}"#),
    ("forget", r#"{"path": "{d}/f"}"#),
];

/// What changes places with what, and how calls name the directory that they work in.
struct Scene {
    name: &'static str,
    /// The directory of the calls.
    at: &'static str,
    /// The name that stands for the one or the other.
    swapped: &'static str,
    with: With,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum With {
    Link(&'static str),
    AbsoluteLink,
    Fifo,
}

const SCENES: &[Scene] = &[
    Scene { name: "a directory and a link out", at: "d", swapped: "d", with: With::Link("../outside") },
    Scene { name: "a directory and an absolute link out", at: "d", swapped: "d", with: With::AbsoluteLink },
    Scene { name: "a parent and a link out", at: "p/d", swapped: "p", with: With::Link("../outside/p") },
    Scene { name: "a directory and a FIFO", at: "d", swapped: "d", with: With::Fifo },
    Scene { name: "a file and a link out", at: "d", swapped: "d/f", with: With::Link("../../outside/f") },
    Scene { name: "a file and a FIFO", at: "d", swapped: "d/f", with: With::Fifo },
];

/// Puts everything back as it was. Nobody is at work meanwhile.
fn set_up(scratch: &Path, scene: &Scene) {
    let granted = scratch.join("w");
    for entry in fs::read_dir(&granted).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.is_symlink() {
            fs::remove_dir_all(path).unwrap();
        } else {
            fs::remove_file(path).unwrap();
        }
    }
    for directory in [scene.at, "rest"] {
        fill(&granted.join(directory), "inside\n");
    }
    let other = granted.join(beside(scene.swapped));
    match scene.with {
        With::Link(target) => symlink(target, other).unwrap(),
        With::AbsoluteLink => symlink(scratch.join("outside"), other).unwrap(),
        With::Fifo => assert!(Command::new("mkfifo").arg(other).status().unwrap().success()),
    }
}

fn fill(directory: &Path, content: &str) {
    fs::create_dir_all(directory.join("sub")).unwrap();
    for file in ["f", "g", "sub/f"] {
        fs::write(directory.join(file), content).unwrap();
    }
}

fn beside(name: &str) -> String {
    format!("{name}.away")
}

/// Swaps two names as fast as it goes, until `work` is done. Says how often.
fn swapping<T>(one: &Path, other: &Path, work: impl FnOnce() -> T) -> (T, u64) {
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let swaps = scope.spawn(|| {
            let mut swaps = 0;
            while !done.load(Ordering::Relaxed) {
                // One of them may be gone: tools work there.
                swaps += u64::from(renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).is_ok());
            }
            swaps
        });
        let worked = work();
        done.store(true, Ordering::Relaxed);
        (worked, swaps.join().unwrap())
    })
}

/// Outside: what the links lead to, and everything that calls name in it.
fn outside(scratch: &Path) -> impl Fn() -> String {
    let outside = scratch.join("outside");
    fill(&outside, CANARY);
    fill(&outside.join("p/d"), CANARY);
    fill(&outside.join("d"), CANARY);
    move || super::ground::seen(&outside)
}

/// How often a tool's answer was of a kind.
type Answers = BTreeMap<(&'static str, String), usize>;

fn play(scene: &Scene, gate: &Gate, scratch: &Path, tell: &dyn Fn(&'static str)) -> Answers {
    let mut answers = Answers::new();
    let at = |name: &str| scratch.join("w").join(name);
    for _ in 0..rounds() {
        tell("nothing");
        set_up(scratch, scene);
        let calls = || {
            let (mut ids, mut changed) = (json!([]), "0".repeat(32));
            for (tool, arguments) in CALLS {
                tell(tool);
                let is_about_f = arguments.contains("{d}/f\"");
                let arguments = arguments.replace("{d}", scene.at).replace("{ids}", &ids.to_string());
                let arguments = arguments.replace("{changed}", &changed);
                let answer = gate.call(tool, &arguments);
                let (Ok(text) | Err(text)) = &answer;
                assert!(!text.contains(CANARY), "{}: {tool} has read outside: {text}", scene.name);
                let kind = match &answer {
                    Ok(text) => {
                        ids = shown(text).unwrap_or(ids);
                        changed = undo_id(text).filter(|_| is_about_f).unwrap_or(changed);
                        "ok".to_owned()
                    }
                    Err(text) => code(text),
                };
                *answers.entry((*tool, kind)).or_default() += 1;
            }
        };
        swapping(&at(scene.swapped), &at(&beside(scene.swapped)), calls);
    }
    answers
}

/// The ids in a preview of occurrences, if it is one.
fn shown(outcome: &str) -> Option<Value> {
    let outcome: Value = serde_json::from_str(outcome).unwrap();
    let shown = outcome["occurrences"].as_array().filter(|shown| !shown.is_empty())?;
    Some(shown.iter().map(|occurrence| occurrence["id"].clone()).collect())
}

/// The entry of a change in the history.
fn undo_id(outcome: &str) -> Option<String> {
    let outcome: Value = serde_json::from_str(outcome).unwrap();
    outcome["undo_id"].as_str().map(str::to_owned)
}

fn code(error: &str) -> String {
    let error: Value = serde_json::from_str(error).unwrap();
    error["code"].as_str().unwrap().to_owned()
}

fn total(answers: &Answers, kinds: &[&str]) -> usize {
    answers.iter().filter(|((_, kind), _)| kinds.contains(&&kind[..])).map(|(_, times)| times).sum()
}

#[test]
fn nothing_outside_is_reached_whatever_is_swapped() {
    for scene in SCENES {
        let scratch = TempDir::new().unwrap();
        fs::create_dir(scratch.path().join("w")).unwrap();
        let seen = outside(scratch.path());
        let before = seen();
        let gate = Opened::new(Gate::builder().dir_as(scratch.path().join("w"), "/w", fsgate::Access::Write))
            .unwrap();
        let (progress, watched) = channel();
        let at = scratch.path().to_owned();
        let playing = thread::spawn(move || play(scene, &gate, &at, &|tool| progress.send(tool).unwrap()));
        let mut tool = "nothing";
        loop {
            match watched.recv_timeout(FOR_EVER) {
                Ok(next) => tool = next,
                Err(RecvTimeoutError::Timeout) => panic!("{}: {tool} waits for ever", scene.name),
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        let answers = playing.join().unwrap();
        assert_eq!(seen(), before, "{}", scene.name);
        // Both sides were met, else nothing was tried.
        let refusals = match scene.with {
            With::Fifo => &["not_directory", "special_file"][..],
            _ => &["path_escape"],
        };
        eprintln!("{}: {} answers, {answers:?}", scene.name, answers.values().sum::<usize>());
        assert!(total(&answers, &["ok"]) > 0 && total(&answers, refusals) > 0, "{}: {answers:?}", scene.name);
    }
}

#[test]
fn every_tool_is_in_the_race() {
    for operation in OPERATIONS {
        assert!(CALLS.iter().any(|(tool, _)| *tool == operation.name), "{}", operation.name);
    }
}

/// That the swaps are fast enough to be met: a program that looks first and opens then reads the canary.
#[test]
fn who_looks_first_and_opens_then_is_led_out() {
    let scratch = TempDir::new().unwrap();
    fs::create_dir(scratch.path().join("w")).unwrap();
    let _seen = outside(scratch.path());
    let scene = &SCENES[4];
    set_up(scratch.path(), scene);
    let file = scratch.path().join("w").join(scene.swapped);
    let naive = || {
        for _ in 0..1_000_000 {
            let is_link = fs::symlink_metadata(&file).is_ok_and(|found| found.is_symlink());
            if !is_link && fs::read_to_string(&file).is_ok_and(|content| content.contains(CANARY)) {
                return true;
            }
        }
        false
    };
    let (was_led_out, swaps) = swapping(&file, &scratch.path().join("w").join(beside(scene.swapped)), naive);
    assert!(was_led_out, "{swaps} swaps");
}

/// What tools make under a name of their own is swapped as soon as it is there.
#[test]
fn temporary_names_are_no_way_out() {
    let scratch = TempDir::new().unwrap();
    let granted = scratch.path().join("w");
    fs::create_dir(&granted).unwrap();
    let seen = outside(scratch.path());
    let before = seen();
    fill(&granted.join("rest"), "inside\n");
    fs::create_dir(granted.join("d")).unwrap();
    let gate = Opened::new(Gate::builder().dir_as(&granted, "/w", fsgate::Access::Write)).unwrap();
    let done = AtomicBool::new(false);
    let swapped = thread::scope(|scope| {
        let swapping = scope.spawn(|| {
            let (mut tried, mut swapped) = (0, 0);
            while !done.load(Ordering::Relaxed) {
                swapped += swap_temporary(&granted, &mut tried);
            }
            swapped
        });
        for round in 0..rounds() * 20 {
            for (tool, arguments) in [
                ("create", r#"{"path": "d/new{n}", "content": "inside\n"}"#),
                ("copy", r#"{"source": "rest/f", "destination": "d/copied{n}"}"#),
                ("copy", r#"{"source": "rest", "destination": "d/rest{n}", "recursive": true}"#),
            ] {
                let answer = gate.call(tool, &arguments.replace("{n}", &round.to_string()));
                let (Ok(text) | Err(text)) = &answer;
                assert!(!text.contains(CANARY), "{tool} has read outside: {text}");
            }
        }
        done.store(true, Ordering::Relaxed);
        swapping.join().unwrap()
    });
    eprintln!("{swapped} temporary names were swapped");
    assert!(swapped > 0);
    assert_eq!(seen(), before);
}

/// Puts a link out, a directory or a file in the place of what has a temporary name. Says how many it met.
fn swap_temporary(granted: &Path, tried: &mut usize) -> usize {
    let mut met = 0;
    for entry in fs::read_dir(granted.join("d")).unwrap().flatten() {
        if !entry.file_name().to_string_lossy().starts_with(".fsgate-") {
            continue;
        }
        *tried += 1;
        let bait = granted.join(format!("bait{tried}"));
        let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
        match *tried % 3 {
            0 if is_directory => symlink("../../outside", &bait).unwrap(),
            0 => symlink("../../outside/f", &bait).unwrap(),
            1 => fs::create_dir(&bait).unwrap(),
            _ => drop(File::create(&bait).unwrap()),
        }
        met += usize::from(renameat_with(CWD, &bait, CWD, entry.path(), RenameFlags::EXCHANGE).is_ok());
    }
    met
}
