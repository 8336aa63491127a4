//! Undo, redo and restore, and their refusals.

mod apart;
mod diff;
mod forget;
mod keys;
mod labels;
mod modes;
mod policy_of_now;
mod removed;
mod room;
mod sequences;
mod shared;
mod steps;
mod visibility;
mod wandering;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::agent;
use crate::changes::Change;
use crate::session::{Session, Watched};
use crate::tools::copy;
use crate::view::View;
use fsgate_contract::agent_types::CallArgs;
use fsgate_contract::manage_types::{CopyArgs, CopyOutcome};
use fsgate_error::Failure;
use fsgate_volume::grant::Grant;
use fsgate_volume::memory::{Item, Memory};
use fsgate_volume::{Access, Volume};

const OPERATOR: (&str, &str) = ("FSGATE_OPERATOR", "true");

struct World {
    volume: Memory,
    state: Memory,
    session: Session<Memory>,
}

impl World {
    /// With the trash on another file system, objects come back as copies.
    fn new(apart: bool) -> Self {
        let completeness = Memory::default();
        let volume = completeness.at("w");
        let state = if apart { Memory::default() } else { completeness.at("s") };
        for (path, text) in [("a", "one\ntwo\n"), ("b", "bee\n"), ("d/a", "deep\n"), ("d/e/f", "deeper\n")] {
            volume.put(path, Item::File(text.as_bytes().to_vec()));
        }
        volume.put("l", Item::Link("a".to_owned()));
        let session = session(&volume, &state, &[]);
        Self { volume, state, session }
    }

    fn call(&self, tool: &str, arguments: &Value) -> Result<Value, Value> {
        called(&self.session, tool, arguments)
    }

    fn tree(&self) -> BTreeMap<String, Item> {
        self.volume.snapshot()
    }

    fn is_settled(&self) -> bool {
        let names = self.state.snapshot().into_keys();
        let unfinished = ["waiting/", "tmp/", "conflicts/"];
        names.filter(|name| unfinished.iter().any(|directory| name.starts_with(directory))).count() == 0
    }
}

fn called(session: &Session<Memory>, tool: &str, arguments: &Value) -> Result<Value, Value> {
    let args = CallArgs { tool: tool.to_owned(), arguments: arguments.to_string() };
    let read = |text: &str| serde_json::from_str(text).unwrap();
    agent::call(session, &args).map(|ok| read(&ok.outcome)).map_err(|error| read(&error.error))
}

fn session(volume: &Memory, state: &Memory, variables: &[(&str, &str)]) -> Session<Memory> {
    let grant = |name: &str, volume: &Memory| Grant {
        name: name.to_owned(),
        volume: volume.clone(),
        access: Access::Write,
    };
    let preopens = vec![grant("/w", volume), grant("/.fsgate", state)];
    Session::open_or_refuse(preopens, [&[("FSGATE_LOCK", "host")], variables].concat())
}

#[test]
fn another_session_is_left_alone_unless_it_is_asked_for() {
    let mut world = World::new(true);
    world.call("write", &json!({"path": "a", "content": "mine\n"})).unwrap();
    world.session = session(&world.volume, &world.state, &[]);
    assert_eq!(world.call("undo", &json!({})).unwrap_err()["code"], "nothing_to_undo");
    assert_eq!(world.call("log", &json!({})).unwrap()["entries"], json!([]));
    let log = world.call("log", &json!({"any_session": true, "diff": true})).unwrap();
    let entry = &log["entries"][0];
    assert_eq!((&entry["tool"], &entry["own"]), (&json!("write"), &json!(false)));
    assert_eq!(entry["diff"], "--- a/w/a\n+++ b/w/a\n@@ -1,2 +1 @@\n-one\n-two\n+mine\n");
    let id = &entry["undo_id"];
    assert_eq!(world.call("undo", &json!({"id": id})).unwrap_err()["code"], "nothing_to_undo");
    world.call("undo", &json!({"id": id, "any_session": true})).unwrap();
    assert_eq!(world.tree(), World::new(true).tree());
}

#[test]
fn what_another_session_did_is_restored_only_if_that_is_asked_for() {
    let mut world = World::new(true);
    let kept = world.call("write", &json!({"path": "a", "content": "mine\n", "backup": true})).unwrap();
    let changed = world.call("write", &json!({"path": "b", "content": "mine\n"})).unwrap();
    world.session = session(&world.volume, &world.state, &[]);
    for outcome in [&kept, &changed] {
        let refused = world.call("restore", &json!({"id": outcome["undo_id"]})).unwrap_err();
        assert_eq!(refused["code"], "nothing_to_undo");
        world.call("restore", &json!({"id": outcome["undo_id"], "any_session": true})).unwrap();
    }
    assert_eq!(world.tree(), World::new(true).tree());
    // A later change of another session blocks, unless it is undone as well.
    let own = world.call("write", &json!({"path": "b", "content": "own\n"})).unwrap();
    let first = std::mem::replace(&mut world.session, session(&world.volume, &world.state, &[]));
    world.call("append", &json!({"path": "b", "content": "theirs\n"})).unwrap();
    world.session = first;
    let args = json!({"id": own["undo_id"]});
    assert_eq!(world.call("restore", &args).unwrap_err()["code"], "undo_conflict");
    world.call("restore", &json!({"id": own["undo_id"], "any_session": true})).unwrap();
    assert_eq!(world.tree(), World::new(true).tree());
}

#[test]
fn the_log_is_shown_page_by_page() {
    let world = World::new(true);
    for number in 0..10 {
        world
            .call("write", &json!({"path": format!("n{}", number % 3), "content": number.to_string()}))
            .unwrap();
    }
    world
        .call("undo", &json!({"to": world.call("log", &json!({})).unwrap()["entries"][3]["undo_id"]}))
        .unwrap();
    for (path, expected) in [(None, 11), (Some("n1"), 4), (Some("."), 11), (Some("d"), 0)] {
        let (mut cursor, mut seen, mut undone) = (Value::Null, Vec::new(), 0);
        loop {
            let page = json!({"path": path, "max_items": 2, "cursor": cursor});
            let answer = world.call("log", &page).unwrap();
            for entry in answer["entries"].as_array().unwrap() {
                seen.push(entry["undo_id"].as_str().unwrap().to_owned());
                undone += u32::from(entry["undone"] == true);
            }
            cursor = answer["next_cursor"].clone();
            if cursor.is_null() {
                break;
            }
        }
        assert_eq!(seen.len(), expected, "{path:?}");
        assert!(seen.is_sorted_by(|one, two| one > two));
        if path.is_none() {
            assert_eq!(undone, 3);
        }
    }
}

/// A link that has replaced a directory is never followed, and nothing is touched.
#[test]
fn nothing_is_undone_through_a_link_or_outside_of_what_is_granted() {
    for (tool, arguments) in [
        ("write", json!({"path": "d/e/f", "content": "mine"})),
        ("create", json!({"path": "d/e/new", "content": "mine"})),
        ("delete", json!({"path": "d/e/f"})),
        ("move", json!({"source": "d/e/f", "destination": "d/e/g"})),
        ("delete_directory", json!({"path": "d/e", "recursive": true})),
    ] {
        let world = World::new(true);
        let outcome = world.call(tool, &arguments).unwrap();
        // Another process moves the directory, and puts a link in its place.
        let elsewhere = world.volume.at("elsewhere");
        world.volume.rename(&world.volume.root(), "d", &elsewhere.root(), "d").unwrap();
        world.volume.put("d", Item::Link("elsewhere/d".to_owned()));
        let tree = world.tree();
        for args in [json!({}), json!({"dry_run": true}), json!({"id": outcome["undo_id"]})] {
            assert_eq!(world.call("undo", &args).unwrap_err()["code"], "undo_conflict", "{tool}");
        }
        let restored = world.call("restore", &json!({"id": outcome["undo_id"], "path": arguments["path"]}));
        assert!(restored.is_err(), "{tool}: {restored:?}");
        assert_eq!(world.tree(), tree, "{tool}");

        // The same with the directory granted for reading only, or not any more.
        let mut world = World::new(true);
        world.call(tool, &arguments).unwrap();
        let tree = world.tree();
        for (granted, access, code) in
            [("/w", Access::Read, "read_only"), ("/other", Access::Write, "nothing_to_undo")]
        {
            let volume = if granted == "/w" { world.volume.clone() } else { Memory::default() };
            let grants = [(granted, volume, access), ("/x", Memory::default(), Access::Write)];
            let mut preopens: Vec<_> =
                grants.map(|(name, volume, access)| Grant { name: name.to_owned(), volume, access }).into();
            preopens.push(Grant {
                name: "/.fsgate".to_owned(),
                volume: world.state.clone(),
                access: Access::Write,
            });
            world.session = Session::open_or_refuse(preopens, [("FSGATE_LOCK", "host"), OPERATOR]);
            let refused = world.call("undo", &json!({"any_session": true})).unwrap_err();
            assert_eq!(refused["code"], code, "{tool} {refused}");
            let shown = world.call("log", &json!({"any_session": true})).unwrap();
            assert_eq!(shown["entries"].as_array().unwrap().is_empty(), code == "nothing_to_undo", "{tool}");
            assert_eq!(world.tree(), tree, "{tool}");
        }
    }
}

#[test]
fn without_a_directory_for_it_there_is_no_history() {
    let volume = Memory::default();
    let grant = Grant { name: "/w".to_owned(), volume, access: Access::Write };
    let session = Session::new(vec![grant]).unwrap();
    let arguments = [
        ("log", json!({})),
        ("checkpoint", json!({"label": "x"})),
        ("undo", json!({})),
        ("redo", json!({})),
        ("restore", json!({"id": "0".repeat(32)})),
        ("forget", json!({"everything": true})),
        ("recover", json!({})),
    ];
    for (tool, arguments) in arguments {
        let args = CallArgs { tool: tool.to_owned(), arguments: arguments.to_string() };
        let refused: Value = serde_json::from_str(&agent::call(&session, &args).unwrap_err().error).unwrap();
        assert_eq!(refused["code"], "unsupported", "{tool}");
        assert!(refused["repair"].as_str().unwrap().contains("--dir STATE::/.fsgate"), "{tool}");
    }
}

/// Bytes that only move are not kept: a longer word takes no more than the word.
#[test]
fn what_moves_takes_no_room_in_the_history() {
    let mut world = World::new(false);
    let large = "large\n".repeat(100_000);
    world.volume.put("large", Item::File(large.clone().into_bytes()));
    world.session = session(&world.volume, &world.state, &[("FSGATE_HISTORY_BYTES", "8000")]);
    let arguments = json!({"path": "large", "old": "large", "new": "longer", "occurrence": 1});
    for _ in 0..3 {
        let outcome = world.call("replace", &arguments).unwrap();
        assert!(outcome["undo_id"].is_string(), "{outcome}");
    }
    assert!(world.is_settled());
    let files = world.state.snapshot().into_values();
    let sizes = files.map(|item| if let Item::File(bytes) = item { bytes.len() } else { 0 });
    assert!(sizes.sum::<usize>() < 8_000);
    for _ in 0..3 {
        world.call("undo", &json!({})).unwrap();
    }
    assert_eq!(world.tree()["large"], Item::File(large.into_bytes()));
}

/// A key from before the policy judged contents is never revealed, under any name.
#[test]
fn what_is_gone_from_its_place_has_no_tags() {
    let key = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n";
    let open = ("FSGATE_POLICY", r#"{"profile": "open"}"#);
    for (moves, named, expected) in
        [(true, "default", false), (false, "default", false), (true, "open", true)]
    {
        let mut world = World::new(false);
        world.session = session(&world.volume, &world.state, &[open]);
        world.call("create", &json!({"path": "k", "content": key})).unwrap();
        world.call("append", &json!({"path": "k", "content": "x\n"})).unwrap();
        let policy = json!({"profile": named}).to_string();
        world.session = session(&world.volume, &world.state, &[("FSGATE_POLICY", &policy), OPERATOR]);
        if moves {
            world.call("move", &json!({"source": "k", "destination": "m"})).unwrap();
        }
        let log = world.call("log", &json!({"any_session": true})).unwrap().to_string();
        let tags = log.matches(r#""etag"#).count();
        assert_eq!(tags > 0, expected, "{named}: {log}");
        assert!(log.contains(r#""append""#) && log.contains(r#""create""#), "{log}");
    }
}

/// Also if the old content was kept whole, so that nothing is undone step by step.
#[test]
fn what_restore_does_to_a_content_is_drawn() {
    let key = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n";
    let mut world = World::new(false);
    let open = ("FSGATE_POLICY", r#"{"profile": "open"}"#);
    world.session = session(&world.volume, &world.state, &[open]);
    world.call("create", &json!({"path": "k", "content": key})).unwrap();
    let mut ids = Vec::new();
    for path in ["a", "k"] {
        let write = json!({"path": path, "content": "one\nnew\n", "backup": true});
        ids.push(world.call("write", &write).unwrap()["backup"].clone());
    }
    world.session = session(&world.volume, &world.state, &[OPERATOR]);
    let later = json!({"path": "a", "content": "more\n"});
    let deleted = json!({"path": "a"});
    for (id, change, expected) in [
        (0, None, json!("--- a/w/a\n+++ b/w/a\n@@ -1,2 +1,2 @@\n one\n-new\n+two\n")),
        (
            0,
            Some(("append", later)),
            json!("--- a/w/a\n+++ b/w/a\n@@ -1,3 +1,2 @@\n one\n-new\n-more\n+two\n"),
        ),
        (0, Some(("delete", deleted)), json!("--- /dev/null\n+++ b/w/a\n@@ -0,0 +1,2 @@\n+one\n+two\n")),
        (1, None, Value::Null),
    ] {
        if let Some((tool, arguments)) = change {
            world.call(tool, &arguments).unwrap();
        }
        let before = world.tree();
        let restore = json!({"id": ids[id], "any_session": true, "diff": true, "dry_run": true});
        let outcome = world.call("restore", &restore).unwrap();
        assert_eq!(outcome.get("diff").unwrap_or(&Value::Null), &expected, "{outcome}");
        assert_eq!(world.tree(), before);
    }
    let done = world.call("restore", &json!({"id": ids[0], "any_session": true, "diff": true})).unwrap();
    assert!(done["diff"].as_str().unwrap().contains("+two"), "{done}");
    // Nothing has changed now.
    let again = world.call("restore", &json!({"id": ids[0], "any_session": true, "diff": true})).unwrap();
    assert_eq!(again.get("diff"), None, "{again}");
}

/// Objects in the way are kept: no caller was asked about them, and the files of a directory are
/// not compared.
#[test]
fn what_would_be_gone_for_good_is_not_taken_out_of_the_way() {
    let moved = |from: &str, to: &str| {
        ("move", json!({"source": from, "destination": to, "overwrite": true, "recursive": true}))
    };
    let replaced = |user: &str| {
        let way = vec![moved("b", "a"), moved("a", "c"), moved(user, "a")];
        (way, 0, "restore", json!({"path": "a"}))
    };
    let rewritten = vec![
        ("write", json!({"path": "a", "content": "x", "backup": true})),
        ("copy", json!({"source": "user", "destination": "a", "overwrite": true})),
    ];
    let copied = vec![
        ("copy", json!({"source": "small", "destination": "n", "recursive": true})),
        moved("n/zero", "x"),
        moved("user", "n/zero"),
    ];
    for apart in [false, true] {
        for (way, of, tool, arguments) in [
            replaced("user"),
            replaced("dir"),
            (rewritten.clone(), 0, "restore", json!({"path": "a"})),
            (copied.clone(), 0, "undo", json!({"any_session": true})),
        ] {
            for (quota, is_done) in [("8000", false), ("80000", true)] {
                let mut world = World::new(apart);
                for path in ["user", "dir/user"] {
                    world.volume.put(path, Item::File(vec![b'u'; 9000]));
                }
                world.volume.put("small/zero", Item::File(vec![0; 9000]));
                world.session = session(&world.volume, &world.state, &[("FSGATE_HISTORY_BYTES", quota)]);
                let done: Vec<_> =
                    way.iter().map(|(tool, arguments)| world.call(tool, arguments).unwrap()).collect();
                // An entry without an undo has its id in the log only.
                let log = world.call("log", &json!({})).unwrap();
                let oldest = log["entries"].as_array().and_then(|entries| entries.last());
                let id = done[of].get("undo_id").or(oldest.map(|entry| &entry["undo_id"]));
                let mut arguments = arguments.clone();
                arguments["id"] = id.unwrap().clone();
                let tree = world.tree();
                for dry_run in [true, false] {
                    arguments["dry_run"] = json!(dry_run);
                    let answer = world.call(tool, &arguments);
                    let refused = answer.as_ref().err().map(|error| &error["code"]);
                    assert_eq!(
                        refused,
                        Some(&json!("too_large")).filter(|_| !is_done),
                        "{tool} {quota}: {answer:?}"
                    );
                    assert_eq!(world.tree() != tree, is_done && !dry_run, "{tool} {quota}");
                    assert!(world.is_settled());
                }
            }
        }
    }
}

/// An old history can have such a record: `copy` with a pattern once wrote one for equal bytes.
#[test]
fn a_change_of_no_byte_is_taken_back_once() {
    type V = Watched<Memory>;
    fn overwriting(view: &View<V>, args: &CopyArgs) -> Result<(CopyOutcome, Vec<Change<V>>), Failure> {
        let (outcome, changes) = copy::run(view, args)?;
        assert!(changes.is_empty());
        let (source, destination) = (view.open(&args.source)?, view.open(&args.destination)?);
        let (seen, overwritten) = (source.seen()?, Some(destination.seen()?));
        let (source, destination) = (source.into_place(), destination.into_place());
        Ok((
            outcome,
            vec![Change::Copy {
                source,
                seen,
                etag: None,
                destination,
                overwritten,
                with_directories: false,
            }],
        ))
    }
    let world = World::new(false);
    for name in ["e", "f"] {
        world.volume.put(name, Item::File(Vec::new()));
    }
    let args = CopyArgs {
        source: "e".to_owned(),
        destination: "f".to_owned(),
        overwrite: Some(true),
        ..CopyArgs::default()
    };
    assert!(world.session.run(overwriting, &args).unwrap().undo_id.is_some());
    assert!(world.call("undo", &json!({})).unwrap()["undo_id"].is_string());
    assert_eq!(world.call("undo", &json!({})).unwrap_err()["code"], "nothing_to_undo");
    assert!(world.call("redo", &json!({})).unwrap()["undo_id"].is_string());
    assert_eq!(world.call("redo", &json!({})).unwrap_err()["code"], "nothing_to_undo");
}

/// The object has the id of another record in the trash.
#[test]
fn what_was_replaced_comes_back_once_more_when_its_return_was_taken_back() {
    for apart in [false, true] {
        let world = World::new(apart);
        let first = world.tree();
        world.call("checkpoint", &json!({"label": "here"})).unwrap();
        let moved = json!({"source": "a", "destination": "b", "overwrite": true});
        let id = world.call("move", &moved).unwrap()["undo_id"].clone();
        let after = world.tree();
        let restore = json!({"id": id, "path": "b"});
        world.call("restore", &restore).unwrap();
        let restored = world.tree();
        world.call("undo", &json!({"to": "here"})).unwrap();
        assert_eq!(world.tree(), first);
        world.call("redo", &json!({})).unwrap();
        assert_eq!(world.tree(), restored);
        for _ in 0..2 {
            for (tool, arguments, expected) in [
                ("undo", json!({}), &after),
                ("undo", json!({}), &first),
                ("redo", json!({}), &after),
                ("redo", json!({}), &restored),
                ("undo", json!({}), &after),
                ("restore", restore.clone(), &restored),
            ] {
                world.call(tool, &arguments).unwrap();
                assert_eq!(&world.tree(), expected, "{tool} {apart}");
            }
        }
        world.call("undo", &json!({})).unwrap();
        world.call("undo", &json!({"id": id})).unwrap();
        assert_eq!(world.tree(), first);
    }
}

#[test]
fn what_is_not_kept_whole_does_not_come_back_as_if_it_were() {
    for by_move in [false, true] {
        let world = World::new(false);
        let done = match by_move {
            true => world.call("move", &json!({"source": "a", "destination": "b", "overwrite": true})),
            false => world.call("delete", &json!({"path": "b"})),
        };
        let id = done.unwrap()["undo_id"].clone();
        let trash = world.state.at("trash");
        let (name, _) = trash.snapshot().pop_first().unwrap();
        trash.put(&name, Item::File(b"b".to_vec()));
        let before = world.tree();
        for (tool, arguments) in [("undo", json!({})), ("restore", json!({"id": id, "path": "b"}))] {
            for dry_run in [true, false] {
                let mut arguments = arguments.clone();
                arguments["dry_run"] = json!(dry_run);
                let refused = world.call(tool, &arguments).unwrap_err();
                assert_eq!(refused["code"], "undo_conflict", "{refused}");
                assert!(refused["message"].as_str().unwrap().contains("not what was put there"), "{refused}");
            }
        }
        assert_eq!(world.tree(), before);
    }
}

/// A created directory stays if it has anything else, even a hidden name.
#[test]
fn what_is_hidden_keeps_the_directory_that_it_lies_in() {
    let hidden = json!({"profile": "open", "rules": [{"name": "k", "paths": ["k"], "effect": "hidden"}]});
    for arguments in [json!({}), json!({"to": "here"})] {
        let mut world = World::new(false);
        world.session = session(&world.volume, &world.state, &[("FSGATE_POLICY", &hidden.to_string())]);
        world.call("checkpoint", &json!({"label": "here"})).unwrap();
        world.call("write", &json!({"path": "new/a", "content": "a"})).unwrap();
        world.volume.put("new/k", Item::File(b"k".to_vec()));
        world.call("undo", &arguments).unwrap();
        let tree = world.tree();
        assert!(tree.contains_key("new/k") && !tree.contains_key("new/a"), "{tree:?}");
    }
}

#[test]
fn a_directory_is_restored_with_what_the_same_entry_took_out_of_it() {
    let world = World::new(false);
    world.call("write", &json!({"path": "y/a", "content": "a"})).unwrap();
    let before = world.tree();
    let undone = world.call("undo", &json!({})).unwrap();
    world.call("write", &json!({"path": "y/c", "content": "live"})).unwrap();
    world.call("restore", &json!({"id": undone["undo_id"], "path": "y"})).unwrap();
    assert_eq!(world.tree(), before);
    world.call("undo", &json!({})).unwrap();
    assert_eq!(world.volume.snapshot()["y/c"], Item::File(b"live".to_vec()));
}

/// Content that was not kept cannot be restored, and its entry was not reported.
#[test]
fn what_was_not_kept_is_in_the_way_of_nothing_before_it() {
    let world = World::new(false);
    let first = world.tree();
    world.call("append", &json!({"path": "b", "content": "more\n"})).unwrap();
    world.volume.put("d/b", Item::File(b"b".to_vec()));
    let given_up = json!({"path": "d", "glob": "*", "keep": false});
    assert_eq!(world.call("delete", &given_up).unwrap()["undo_id"], Value::Null);
    world.call("undo", &json!({})).unwrap();
    assert_eq!(world.tree()["b"], first["b"]);
    assert_eq!(world.call("undo", &json!({})).unwrap_err()["code"], "nothing_to_undo");
}

/// An undo of another session's change is an own change.
#[test]
fn an_own_undo_of_another_session_is_taken_back_with_the_rest() {
    let world = World::new(false);
    let first = world.tree();
    world.call("checkpoint", &json!({"label": "here"})).unwrap();
    let other = session(&world.volume, &world.state, &[]);
    let theirs = called(&other, "append", &json!({"path": "a", "content": "theirs\n"})).unwrap();
    let after = world.tree();
    for (tool, arguments) in
        [("undo", json!({"to": "here"})), ("restore", json!({"path": "a", "id": Value::Null}))]
    {
        let undone = world.call("undo", &json!({"id": theirs["undo_id"], "any_session": true})).unwrap();
        assert_eq!(world.tree(), first);
        let mut arguments = arguments.clone();
        if tool == "restore" {
            arguments["id"] = undone["undo_id"].clone();
        }
        world.call(tool, &arguments).unwrap();
        assert_eq!(world.tree(), after, "{tool}");
    }
}

/// A trash on another file system holds copies, with another owner and one name.
#[test]
fn what_is_kept_as_a_copy_is_said_to_be_one() {
    for (way, tool, arguments) in [
        (None, "delete", json!({"path": "a"})),
        (None, "delete", json!({"path": "d", "glob": "**"})),
        (None, "delete_directory", json!({"path": "d", "recursive": true})),
        (None, "move", json!({"source": "a", "destination": "b", "overwrite": true})),
        (None, "apply", json!({"edits": [{"path": "a", "delete": true}, {"path": "b", "content": "x"}]})),
        (Some(("delete", json!({"path": "a"}))), "restore", json!({"path": "a"})),
        (Some(("create", json!({"path": "new", "content": "x"}))), "undo", json!({})),
    ] {
        for apart in [false, true] {
            let world = World::new(apart);
            let mut arguments = arguments.clone();
            if let Some((tool, before)) = &way {
                let id = world.call(tool, before).unwrap()["undo_id"].clone();
                if *tool == "delete" {
                    // Another process's object blocks the return.
                    world.volume.put("a", Item::File(b"other".to_vec()));
                    arguments["id"] = id;
                }
            }
            let outcome = world.call(tool, &arguments).unwrap();
            let notes: Vec<_> = outcome["notes"].as_array().into_iter().flatten().collect();
            let expected = "what was deleted or replaced is kept as a copy, because the history is on another file system: a \
                            copy has the owner and the time of a new file, whatever the original has";
            match apart {
                false => assert!(notes.iter().all(|note| note["kind"] != "new_file"), "{tool}: {outcome}"),
                true => assert_eq!(notes, [&json!({"kind": "new_file", "text": expected})], "{tool}"),
            }
        }
    }
    // Content that is not kept has lost nothing by a copy.
    let world = World::new(true);
    let outcome = world.call("delete", &json!({"path": "a", "keep": false})).unwrap();
    assert_eq!(outcome["notes"][0]["kind"], "no_undo");
    assert_eq!(outcome["notes"].as_array().unwrap().len(), 1, "{outcome}");
}

#[test]
fn there_are_never_many_more_entries_than_are_kept() {
    let mut world = World::new(false);
    world.session = session(&world.volume, &world.state, &[("FSGATE_HISTORY_ENTRIES", "5")]);
    let mut most = 0;
    for number in 0..300 {
        world.call("write", &json!({"path": "a", "content": number.to_string()})).unwrap();
        if number % 10 == 0 {
            let log = world.call("log", &json!({})).unwrap();
            most = most.max(log["entries"].as_array().unwrap().len());
        }
    }
    assert!((5..20).contains(&most), "{most}");
    world.call("undo", &json!({})).unwrap();
}

#[test]
fn what_is_too_old_at_once_is_not_said_to_be_kept() {
    let mut world = World::new(false);
    world.session = session(&world.volume, &world.state, &[("FSGATE_HISTORY_DAYS", "0")]);
    let outcome = world.call("append", &json!({"path": "b", "content": "more\n"})).unwrap();
    assert_eq!((&outcome["undo_id"], &outcome["notes"][0]["kind"]), (&Value::Null, &json!("no_undo")));
    let backup = json!({"path": "b", "content": "x", "backup": true});
    assert_eq!(world.call("write", &backup).unwrap_err()["code"], "too_large");
}
