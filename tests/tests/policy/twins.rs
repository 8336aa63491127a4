//! Random calls in a world with hidden files and in one without them: no answer differs.
//! A second session without rules changes files in both worlds, and the hidden files in the first.

use fsgate_contract::agent_types::CallArgs;
use fsgate_engine::agent;
use fsgate_engine::session::Session;
use fsgate_tests::memory;
use fsgate_tests::tree::Tree;
use fsgate_volume::memory::{Item, Memory};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

const POLICY: &str = r#"{"profile": "open", "rules": [
    {"name": "r", "paths": ["secret*", "*.pem", "hid", ".gitignore", "dir/", "file"], "effect": "hidden"}
]}"#;

const SEEN: &[(&str, &str)] = &[
    ("a.txt", "alpha\nneedle\n"),
    ("b.txt", "beta\n"),
    ("d/x.txt", "x needle\n"),
    ("d/e/y.txt", "y\n"),
    ("only/seen", "s\n"),
];

const HIDDEN: &[(&str, &str)] = &[
    ("secret1", "TOP needle\n"),
    ("d/key.pem", "K needle\n"),
    ("hid/f", "F needle\n"),
    ("d/hid/g", "G\n"),
    ("d/.gitignore", "x.txt\n"),
    ("only/z.pem", "z"),
    ("dir/f", "q"),
    ("d/file", "q"),
];

const LINKS: &[(&str, &str)] = &[
    ("l-file", "secret1"),
    ("l-nothing", "secret2"),
    ("l-seen", "d"),
    ("d/l-up", "../secret1"),
    ("l-dir", "hid"),
    ("l-chain", "l-file"),
    ("l-in", "hid/f"),
    ("l-not-in", "hid/none"),
];

const PATHS: &[&str] = &[
    "a.txt",
    "b.txt",
    "d",
    "d/x.txt",
    "d/e",
    "only",
    "secret1",
    "secret2",
    "secret1/x",
    "d/key.pem",
    "d/none.pem",
    "hid",
    "hid/f",
    "hid/none",
    "d/hid",
    "d/hid/g",
    "d/hid/none",
    "l-file",
    "l-nothing",
    "l-seen",
    "l-dir",
    "l-chain",
    "l-in",
    "l-not-in",
    "l-dir/f",
    "l-dir/none",
    "l-seen/key.pem",
    "l-seen/hid/g",
    "dir",
    "dir/f",
    "dir/",
    "d/file",
    "d/file/",
    "new",
    "new/x",
    ".",
    "d/../secret1",
    "hid/../a.txt",
    "only/z.pem",
    "SECRET1",
    "d/.gitignore",
    "l-file/",
    "secre1",
    "secret1.",
    "/w",
    "/",
];

/// A granted directory with the visible files and, where asked for, the hidden ones; a session with
/// the policy, and a session without rules.
fn world(with_hidden: bool) -> (Memory, [Session<Memory>; 2]) {
    let tree = Tree::parse("directory w").unwrap();
    let volume = memory::volume(&tree).unwrap();
    let files = SEEN.iter().chain(HIDDEN.iter().filter(|_| with_hidden));
    for (path, content) in files {
        volume.put(&format!("w/{path}"), Item::File(content.as_bytes().to_vec()));
    }
    for (path, target) in LINKS {
        volume.put(&format!("w/{path}"), Item::Link((*target).to_owned()));
    }
    let session = |policy| memory::journaled(&tree, &volume, |volume| volume, Some(policy));
    let sessions = [session(POLICY), session(r#"{"profile": "open"}"#)];
    (volume, sessions)
}

fn path() -> impl Strategy<Value = &'static str> {
    select(PATHS)
}

/// Calls of whole directories are dry runs, because a hidden file below changes their outcome.
fn call() -> impl Strategy<Value = (&'static str, Value)> {
    let flag = any::<bool>;
    let of_one = &[
        "exists",
        "read",
        "read_numbered",
        "read_bytes",
        "list_directory",
        "tree",
        "create_directory",
        "log",
        "forget",
    ][..];
    prop_oneof![
        (select(of_one), path()).prop_map(|(tool, path)| (tool, json!({"path": path}))),
        (path(), flag(), flag())
            .prop_map(|(path, follow, tag)| ("stat", json!({"path": path, "follow": follow, "with_etag": tag}))),
        (path(), path()).prop_map(|(one, other)| ("read_many", json!({"paths": [one, other]}))),
        (path(), flag()).prop_map(|(path, ignored)| (
            "tree",
            json!({"path": path, "include_hidden": true, "respect_ignore": ignored})
        )),
        (path(), select(&["**", "*", "**/*.pem", "hid/**", "{secret1,a.txt}", "secret?"][..]))
            .prop_map(|(path, pattern)| ("glob", json!({"path": path, "pattern": pattern, "include_hidden": true}))),
        path().prop_map(|path| ("grep", json!({"path": path, "pattern": "needle", "include_hidden": true}))),
        (select(&["create", "write", "append"][..]), path(), flag())
            .prop_map(|(tool, path, dry)| (tool, json!({"path": path, "content": "c\n", "dry_run": dry}))),
        (path(), flag())
            .prop_map(|(path, dry)| ("replace", json!({"path": path, "old": "needle", "new": "n", "dry_run": dry}))),
        (path(), path(), flag(), flag(), flag()).prop_map(|(source, destination, recursive, overwrite, dry)| (
            "copy",
            json!({
                "source": source, "destination": destination, "recursive": recursive, "overwrite": overwrite,
                "dry_run": dry || recursive,
            })
        )),
        (path(), path()).prop_map(|(source, destination)| (
            "copy",
            json!({"source": source, "destination": destination, "glob": "**"})
        )),
        (path(), path(), flag(), flag(), flag()).prop_map(|(source, destination, recursive, overwrite, dry)| (
            "move",
            json!({
                "source": source, "destination": destination, "recursive": recursive, "overwrite": overwrite,
                "dry_run": dry || recursive,
            })
        )),
        (path(), flag()).prop_map(|(path, dry)| ("delete", json!({"path": path, "dry_run": dry}))),
        path().prop_map(|path| ("delete", json!({"path": path, "glob": "**", "dry_run": true}))),
        (path(), flag()).prop_map(|(path, recursive)| (
            "delete_directory",
            json!({"path": path, "recursive": recursive, "dry_run": true})
        )),
        (path(), path()).prop_map(|(one, other)| (
            "apply",
            json!({"edits": [{"path": one, "old": "needle", "new": "z"}, {"path": other, "content": "new\n"}]})
        )),
        (path(), path()).prop_map(|(from, to)| (
            "apply",
            json!({"patch": format!("diff --git a/{from} b/{to}\nsimilarity index 100%\nrename from {from}\nrename to {to}\n")})
        )),
        path().prop_map(|path| ("replace_in_files", json!({"old": "needle", "new": "k", "path": path, "glob": "**"}))),
        select(&["undo", "redo", "log"][..]).prop_map(|tool| (tool, json!({}))),
        select(&["undo", "redo", "log"][..]).prop_map(|tool| (tool, json!({"any_session": true, "diff": true}))),
        select(&["recover", "forget"][..]).prop_map(|tool| {
            (tool, if tool == "forget" { json!({"everything": true}) } else { json!({"all": true}) })
        }),
    ]
}

/// A step: a call of the session with the policy in both worlds, or a change by the other session.
#[derive(Debug, Clone)]
enum Step {
    Call(&'static str, Value),
    /// In both worlds.
    Seen(&'static str),
    /// In the world that has it.
    Hidden(&'static str),
}

fn step() -> impl Strategy<Value = Step> {
    let seen = select(SEEN).prop_map(|(path, _)| Step::Seen(path));
    let hidden = select(HIDDEN).prop_map(|(path, _)| Step::Hidden(path));
    prop_oneof![6 => call().prop_map(|(tool, arguments)| Step::Call(tool, arguments)), 1 => seen, 1 => hidden]
}

/// An answer without ids, times, and the bytes of records, which differ from world to world.
/// The details of an error are JSON in a string, and contain ids and times as well.
fn answer(session: &Session<Memory>, tool: &str, arguments: &Value) -> Value {
    let args = CallArgs { tool: tool.to_owned(), arguments: arguments.to_string() };
    let text = agent::call(session, &args).map(|ok| ok.outcome).unwrap_or_else(|refused| refused.error);
    let mut answer: Value = serde_json::from_str(&text).unwrap();
    if let Some(details) = answer.get_mut("details").filter(|details| details.is_string()) {
        *details = serde_json::from_str(details.as_str().unwrap()).unwrap();
    }
    forget_times(&mut answer, matches!(tool, "log" | "forget"));
    answer
}

fn forget_times(value: &mut Value, is_history: bool) {
    match value {
        Value::Object(fields) => {
            fields.retain(|name, _| {
                let differs = ["modified", "time", "undo_id", "undoes", "backup"].contains(&&name[..]);
                !differs && (!is_history || name != "bytes")
            });
            fields.values_mut().for_each(|value| forget_times(value, is_history));
        }
        Value::Array(values) => values.iter_mut().for_each(|value| forget_times(value, is_history)),
        _ => {}
    }
}

/// True if the call was refused for a hidden file below a directory, which no answer can conceal.
fn is_for_something_in_it(answer: &Value) -> bool {
    answer["message"]
        .as_str()
        .is_some_and(|message| message.contains("holds for something in this directory"))
}

/// The items of the granted directory without those that were hidden from the beginning.
fn seen(volume: &Memory) -> Vec<(String, Item)> {
    let is_hidden = |path: &str| {
        let path = path.strip_prefix("w/").unwrap_or_default();
        HIDDEN.iter().any(|(hidden, _)| *hidden == path) || ["hid", "d/hid", "dir"].contains(&path)
    };
    let items = volume.snapshot().into_iter();
    items.filter(|(path, _)| path.starts_with("w/") && !is_hidden(path)).collect()
}

fn hidden(volume: &Memory) -> Vec<Option<Item>> {
    let snapshot = volume.snapshot();
    HIDDEN.iter().map(|(path, _)| snapshot.get(&format!("w/{path}")).cloned()).collect()
}

proptest! {
    #![proptest_config(super::super::laws::config(400))]
    #[test]
    fn what_is_hidden_is_as_if_it_were_not_there(steps in vec(step(), 1..16)) {
        let ((with, [one, person]), (without, [other, same_person])) = (world(true), world(false));
        let mut there = hidden(&with);
        for (number, step) in steps.into_iter().enumerate() {
            let write = |path| json!({"path": path, "content": format!("{number}\n"), "backup": true});
            match &step {
                Step::Call(tool, arguments) => {
                    let (told, expected) = (answer(&one, tool, arguments), answer(&other, tool, arguments));
                    prop_assert!(
                        told == expected || is_for_something_in_it(&told),
                        "{tool} {arguments}:\n  {told}\nand where it is not there:\n  {expected}"
                    );
                    prop_assert_eq!(&hidden(&with), &there, "{:?}", step);
                }
                Step::Seen(path) => {
                    answer(&person, "write", &write(*path));
                    answer(&same_person, "write", &write(*path));
                }
                Step::Hidden(path) => {
                    answer(&person, "write", &write(*path));
                    there = hidden(&with);
                }
            }
            prop_assert_eq!(seen(&with), seen(&without), "{:?}", step);
        }
    }
}
