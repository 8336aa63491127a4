//! Calls whose old content hardly fits into the history.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{World, session};
use fsgate_contract::id::shown;
use fsgate_volume::memory::Item;

/// No outcome promises an undo that the history cannot keep, and no other entry is removed for it.
#[test]
fn what_is_more_than_the_history_keeps_is_said_to_be_gone() {
    let large = "large\n".repeat(1500);
    let edits = json!([{"path": "a", "content": "x"}, {"path": "large", "delete": true}]);
    for apart in [false, true] {
        for (tool, arguments) in [
            ("write", json!({"path": "large", "content": "x"})),
            ("replace_all", json!({"path": "large", "old": "large", "new": "small"})),
            ("move", json!({"source": "a", "destination": "large"})),
            ("copy", json!({"source": "a", "destination": "large", "overwrite": true})),
            ("delete", json!({"path": "large"})),
            ("delete", json!({"path": ".", "glob": "*a*"})),
            ("delete_directory", json!({"path": "full", "recursive": true})),
            ("apply", json!({ "edits": edits })),
        ] {
            let mut world = World::new(apart);
            for path in ["large", "full/one", "full/two"] {
                world.volume.put(path, Item::File(large.as_bytes().to_vec()));
            }
            world.session = session(&world.volume, &world.state, &[("FSGATE_HISTORY_BYTES", "8000")]);
            let small = world.call("append", &json!({"path": "b", "content": "more\n"})).unwrap();
            let before = world.tree();
            let mut dry = arguments.clone();
            dry["dry_run"] = json!(true);
            let outcomes = [world.call(tool, &dry).unwrap(), world.call(tool, &arguments).unwrap()];
            for outcome in outcomes {
                assert_eq!(outcome["undo_id"], Value::Null, "{tool} {outcome}");
                assert_eq!(outcome["notes"][0]["kind"], "no_undo", "{tool} {outcome}");
            }
            assert_ne!(world.tree(), before, "{tool}");
            assert!(world.is_settled(), "{tool}");
            let kept = world.state.snapshot().into_keys();
            let trash: Vec<_> = kept.filter(|name| name.starts_with("trash/")).collect();
            // Names that fit are kept for `restore`.
            assert!(trash.is_empty() || arguments.get("glob").is_some(), "{tool}: {trash:?}");
            // Earlier entries stay.
            let undone = world.call("undo", &json!({"id": small["undo_id"]}));
            match world.tree().get("b") {
                Some(Item::File(bytes)) => assert_eq!(bytes, b"bee\n", "{tool}"),
                // It was deleted with the rest.
                _ => assert!(undone.is_err(), "{tool}"),
            }
        }
    }
}

/// An undo would have to keep new content. The entry stays, for a host that keeps more.
#[test]
fn new_content_beyond_the_history_has_no_undo_and_blocks_none() {
    let large = "large\n".repeat(1500);
    let more = json!([{"path": "new", "content": large}, {"path": "b", "content": "c"}]);
    for (tool, arguments) in [
        ("create", json!({"path": "new", "content": large})),
        ("write", json!({"path": "new", "content": large})),
        ("copy", json!({"source": "large", "destination": "new"})),
        ("copy", json!({"source": "full", "destination": "new", "recursive": true})),
        ("apply", json!({ "edits": more })),
    ] {
        let mut world = World::new(false);
        for path in ["large", "full/one", "full/two"] {
            world.volume.put(path, Item::File(large.as_bytes().to_vec()));
        }
        let small = [("FSGATE_HISTORY_BYTES", "8000")];
        world.session = session(&world.volume, &world.state, &small);
        let first = world.call("append", &json!({"path": "b", "content": "more\n"})).unwrap();
        let before = world.tree();
        let mut dry = arguments.clone();
        dry["dry_run"] = json!(true);
        for outcome in [world.call(tool, &dry).unwrap(), world.call(tool, &arguments).unwrap()] {
            assert_eq!(outcome["undo_id"], Value::Null, "{tool} {outcome}");
            assert_eq!(outcome["notes"][0]["kind"], "no_undo", "{tool} {outcome}");
        }
        if tool == "apply" {
            // The group is more than the history keeps.
            assert!(world.call("undo", &json!({"id": first["undo_id"]})).is_err());
            continue;
        }
        let refused = world.call("undo", &json!({})).unwrap_err();
        assert_eq!(refused["code"], "too_large", "{tool} {refused}");
        let entry = world.call("log", &json!({"max_items": 1})).unwrap()["entries"][0].clone();
        assert!(entry["undo_id"].is_string() && entry["tool"] == tool, "{entry}");
        let words = refused["message"].as_str().unwrap();
        assert!(words.contains(shown(entry["undo_id"].as_str().unwrap())), "{refused}");
        // An earlier entry, and the same one where more is kept.
        world.call("undo", &json!({"id": first["undo_id"]})).unwrap();
        world.call("redo", &json!({})).unwrap();
        world.session = session(&world.volume, &world.state, &[("FSGATE_HISTORY_BYTES", "80000")]);
        world.call("undo", &json!({"id": entry["undo_id"], "any_session": true})).unwrap();
        assert!(world.tree() == before, "{tool}");
    }
}

/// Every undo can be undone: the content that it removes may be another process's, which no caller
/// has given up.
#[test]
fn what_is_taken_back_is_kept_or_stays() {
    let [large, own] = ["l", "o"].map(|text| text.repeat(1_500));
    let put = |world: &World| world.volume.put("large", Item::File(large.clone().into_bytes()));
    let create = || json!({"path": "large", "content": own});
    type Step = (&'static str, Value);
    let cases: [(Vec<Step>, bool, &str); 9] = [
        // A deleted object returns to a name that another process has taken.
        (vec![("create", create()), ("delete", json!({"path": "large"}))], true, "restore"),
        (vec![("create", json!({"path": "x/y/large", "content": own}))], false, "restore"),
        (vec![("create", create())], false, "restore"),
        (vec![("create", create())], false, "undo"),
        // Objects that no tool has made.
        (vec![("delete", json!({"path": "large"})), ("undo", json!({}))], true, "redo"),
        (vec![("write", json!({"path": "large", "content": "x"})), ("undo", json!({}))], true, "redo"),
        (vec![("move", json!({"source": "a", "destination": "large"})), ("undo", json!({}))], true, "redo"),
        (
            vec![
                ("copy", json!({"source": "a", "destination": "large", "overwrite": true})),
                ("undo", json!({})),
            ],
            true,
            "redo",
        ),
        (
            vec![("create_directory", json!({"path": "x/y"})), ("delete_directory", json!({"path": "x/y"}))],
            false,
            "undo",
        ),
    ];
    let sizes = (0..2_400).step_by(37).map(|bytes| ("FSGATE_HISTORY_BYTES", bytes.to_string()));
    let more = [2_400, 4_000, 9_000].map(|bytes| ("FSGATE_HISTORY_BYTES", bytes.to_string()));
    let entries = (0..5).map(|entries| ("FSGATE_HISTORY_ENTRIES", entries.to_string()));
    let mut counts = BTreeMap::new();
    for (name, quota) in sizes.chain(more).chain(entries) {
        for (steps, is_put_at_the_end, tool) in &cases {
            let mut world = World::new(false);
            let back = if *tool == "undo" { "redo" } else { "undo" };
            if *tool == "redo" {
                put(&world);
            }
            let ids =
                steps.iter().map(|(tool, arguments)| world.call(tool, arguments).unwrap()["undo_id"].clone());
            let id = ids.collect::<Vec<_>>().pop().unwrap();
            if *is_put_at_the_end {
                put(&world);
            }
            world.session = session(&world.volume, &world.state, &[(name, &quota)]);
            let before = world.tree();
            let call = |is_dry: bool| {
                let arguments = match *tool {
                    "restore" => json!({"id": id, "any_session": true, "dry_run": is_dry}),
                    _ => json!({"any_session": true, "dry_run": is_dry}),
                };
                world.call(tool, &arguments)
            };
            let [foretold, done] = [true, false].map(call);
            let about = format!("{tool} of {steps:?} with {name}={quota}");
            match &done {
                Ok(outcome) => {
                    assert!(!outcome.to_string().contains("no_undo"), "{about}: {outcome}");
                    world
                        .call(back, &json!({"id": outcome["undo_id"], "any_session": true}))
                        .unwrap_or_else(|refused| panic!("{about}: {refused}"));
                }
                Err(refused) => {
                    assert_eq!(refused["code"], "too_large", "{about}");
                    assert!(foretold.is_err(), "{about}");
                }
            }
            assert!(world.tree() == before, "{about}");
            *counts.entry((*tool, done.is_ok())).or_insert(0) += 1;
        }
    }
    assert!(counts.len() == 6 && counts.values().all(|count| *count > 10), "{counts:?}");
}

/// A dry run and the call have the same note and the same refusal, and an outcome without a note
/// has an undo. Records beside their content do not count.
#[test]
fn a_dry_run_foretells_exactly() {
    let five = json!([1, 2, 3, 4, 5].map(|number| json!({"path": format!("new{number}"), "content": "x"})));
    let sizes = (3_900..6_100).step_by(100).map(|bytes| ("FSGATE_HISTORY_BYTES", bytes.to_string()));
    let entries = (0..7).map(|entries| ("FSGATE_HISTORY_ENTRIES", entries.to_string()));
    let enough = ("FSGATE_HISTORY_BYTES", "12000".to_owned());
    let none = ("FSGATE_HISTORY_BYTES", "0".to_owned());
    for (name, quota) in sizes.chain(entries).chain([none.clone(), enough.clone()]) {
        for (tool, arguments) in [
            ("write", json!({"path": "large", "content": "x"})),
            ("write", json!({"path": "large", "content": "x", "backup": true})),
            ("delete", json!({"path": "large"})),
            ("create", json!({"path": "new", "content": "x"})),
            ("create", json!({"path": "new", "content": "x".repeat(5_000)})),
            ("append", json!({"path": "large", "content": "x".repeat(1_000)})),
            ("move", json!({"source": "a", "destination": "large"})),
            ("delete", json!({"path": "full", "glob": "*"})),
            ("delete_directory", json!({"path": "full", "recursive": true})),
            ("apply", json!({ "edits": five })),
        ] {
            let mut world = World::new(false);
            world.volume.put("large", Item::File(vec![b'x'; 4_000]));
            for number in 0..30 {
                world.volume.put(&format!("full/{number}"), Item::File(vec![b'x'; 150]));
            }
            world.session = session(&world.volume, &world.state, &[(name, &quota)]);
            let mut dry = arguments.clone();
            dry["dry_run"] = json!(true);
            let about = format!("{tool} with {name}={quota}");
            let outcomes = [dry, arguments].map(|arguments| world.call(tool, &arguments));
            let [before, after] = [0, 1].map(|at| match &outcomes[at] {
                Ok(outcome) => outcome.to_string().contains("no_undo"),
                Err(refused) => refused["code"] == "too_large",
            });
            assert_eq!(before, after, "{about}: {outcomes:?}");
            assert!(after || (name, &quota) != (none.0, &none.1), "{tool}");
            assert!(!before || (name, &quota) != (enough.0, &enough.1), "{tool}");
            if let Ok(outcome) = &outcomes[1]
                && !after
            {
                let undone = world.call("undo", &json!({"id": outcome["undo_id"]}));
                undone.unwrap_or_else(|refused| panic!("{about}: {refused}"));
            }
        }
    }
}

#[test]
fn a_backup_that_cannot_be_kept_is_refused() {
    let mut world = World::new(false);
    world.volume.put("large", Item::File(vec![b'x'; 9000]));
    world.session = session(&world.volume, &world.state, &[("FSGATE_HISTORY_BYTES", "8000")]);
    let tree = world.tree();
    for dry_run in [true, false] {
        let write = json!({"path": "large", "content": "y", "backup": true, "dry_run": dry_run});
        let refused = world.call("write", &write).unwrap_err();
        assert_eq!((&refused["code"], &refused["limit"]), (&json!("too_large"), &json!(8000)), "{refused}");
        assert_eq!(world.tree(), tree);
    }
    let kept = world.call("write", &json!({"path": "b", "content": "y", "backup": true})).unwrap();
    assert_eq!(kept["backup"], format!("history:{}", kept["undo_id"].as_str().unwrap()));
}

/// The record of a removal takes room beside the object.
#[test]
fn an_undo_that_hardly_fits_is_refused_before_anything_moves() {
    const LIMIT: usize = 20_000;
    for apart in [false, true] {
        for size in (LIMIT - 2_000..=LIMIT).step_by(50) {
            let mut world = World::new(apart);
            world.volume.put("large", Item::File(vec![b'a'; size]));
            let variables = [("FSGATE_HISTORY_BYTES", "20000")];
            world.session = session(&world.volume, &world.state, &variables);
            let copied = world.call("copy", &json!({"source": "large", "destination": "copied"})).unwrap();
            let before = world.tree();
            match world.call("undo", &json!({"id": copied["undo_id"]})) {
                Ok(_) => assert!(!world.tree().contains_key("copied"), "{size}"),
                Err(refused) => {
                    assert_eq!(refused["code"], "too_large", "{size} {apart}: {refused}");
                    assert_eq!(world.tree(), before, "{size}");
                }
            }
            assert!(world.is_settled(), "{size} {apart}");
            world.call("append", &json!({"path": "b", "content": "more\n"})).unwrap();
        }
    }
}
