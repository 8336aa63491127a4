//! Roots with a state directory each, as hosts hand them in, and gates that have not all of them.

use std::collections::BTreeMap;
use std::rc::Rc;

use serde_json::{Value, json};

use super::called;
use crate::session::Session;
use fsgate_journal::state::State;
use fsgate_journal::{Check, Writer};
use fsgate_volume::grant::Grant;
use fsgate_volume::memory::{Item, Memory};
use fsgate_volume::{Access, Volume};

const ROOTS: [&str; 2] = ["s1", "s2"];

/// Two roots on one disk.
struct Apart {
    disk: Memory,
}

impl Apart {
    fn new() -> Self {
        let disk = Memory::default();
        for (path, text) in [("s1/f", "old\n"), ("s1/m", "moved\n"), ("s2/f", "old\n"), ("s2/over", "o\n")] {
            disk.put(path, Item::File(text.as_bytes().to_vec()));
        }
        Self { disk }
    }

    /// A gate for some of them.
    fn gate(&self, roots: &[&str]) -> Session<Memory> {
        self.gate_with(roots, &[])
    }

    /// The same with other settings.
    fn gate_with(&self, roots: &[&str], settings: &[(&str, &str)]) -> Session<Memory> {
        let grant =
            |name: String, path: String| Grant { name, volume: self.disk.at(&path), access: Access::Write };
        let both = |root: &&str| {
            let state = grant(format!("/.fsgate/{root}"), format!("state/{root}"));
            [grant(format!("/{root}"), (*root).to_owned()), state]
        };
        let settings = [("FSGATE_LOCK", "host")].iter().chain(settings).copied();
        Session::open_or_refuse(roots.iter().flat_map(both).collect(), settings)
    }

    fn tree(&self) -> BTreeMap<String, Item> {
        let all = self.disk.snapshot().into_iter();
        all.filter(|(path, _)| !path.starts_with("state")).collect()
    }
}

/// Calls over both roots, and what each of them has changed in one.
fn over_both() -> [(&'static str, Value); 4] {
    let edits = |order: [&str; 2]| {
        let edit = |root: &str| json!({"path": format!("/{root}/f"), "old": "old", "new": "new"});
        json!({"edits": order.map(edit)})
    };
    [
        ("apply", edits(ROOTS)),
        ("apply", edits(["s2", "s1"])),
        ("move", json!({"source": "/s1/m", "destination": "/s2/m"})),
        ("move", json!({"source": "/s1/m", "destination": "/s2/over", "overwrite": true})),
    ]
}

/// The copy is known by its bytes.
#[test]
fn what_was_written_since_to_what_was_moved_there_is_not_taken_back() {
    let apart = Apart::new();
    let both = apart.gate(&ROOTS);
    let id = called(&both, "move", &json!({"source": "/s1/m", "destination": "/s2/m"})).unwrap();
    apart.disk.put("s2/m", Item::File(b"other\n".to_vec()));
    let found = apart.tree();
    let refused = called(&both, "undo", &json!({"id": id["undo_id"]})).unwrap_err();
    assert_eq!((&refused["code"], &refused["path"]), (&json!("undo_conflict"), &json!("/s2/m")));
    assert_eq!(apart.tree(), found);
}

#[test]
fn what_was_done_in_two_roots_is_not_taken_back_in_one() {
    for (tool, arguments) in over_both() {
        for root in ROOTS {
            let about = format!("{tool} {arguments} from {root}");
            let apart = Apart::new();
            let before = apart.tree();
            let both = apart.gate(&ROOTS);
            let id = called(&both, tool, &arguments).unwrap()["undo_id"].clone();
            let after = apart.tree();
            let gate = apart.gate(&[root]);
            let log = called(&gate, "log", &json!({"any_session": true})).unwrap();
            assert_eq!(log["entries"][0]["undo_id"], id, "{about}");
            let path = log["entries"][0]["paths"][0].clone();
            let other = if root == "s1" { "/s2" } else { "/s1" };
            let refuses = |tool: &str, arguments: Value| {
                for dry_run in [true, false] {
                    let mut arguments = arguments.clone();
                    arguments["dry_run"] = json!(dry_run);
                    arguments["any_session"] = json!(true);
                    let refused = called(&gate, tool, &arguments).unwrap_err();
                    assert_eq!(refused["code"], "not_granted", "{about}: {tool} {arguments}");
                    assert!(!refused.to_string().contains(other), "{refused}");
                }
            };
            called(&apart.gate(&ROOTS), "checkpoint", &json!({"label": "after"})).unwrap();
            refuses("undo", json!({}));
            refuses("undo", json!({"id": id}));
            refuses("restore", json!({"id": id, "path": path}));
            for arguments in [json!({"id": id}), json!({"path": path}), json!({"everything": true})] {
                let forgotten = called(&gate, "forget", &arguments).unwrap();
                assert_eq!(forgotten["forgotten"], 0, "{about}: forget {arguments}");
                assert_eq!(forgotten["notes"][0]["kind"], "left_out", "{about}: forget {arguments}");
            }
            assert_eq!(apart.tree(), after, "{about}");

            // Nor is it brought back there.
            called(&both, "undo", &json!({})).unwrap();
            assert_eq!(apart.tree(), before, "{about}");
            refuses("redo", json!({}));
            assert_eq!(apart.tree(), before, "{about}");
            called(&both, "redo", &json!({})).unwrap();
            assert_eq!(apart.tree(), after, "{about}");
            let forgotten = called(&both, "forget", &json!({"id": id})).unwrap();
            assert_eq!(forgotten["forgotten"], 1, "{about}");
        }
    }
}

/// Also what a move between the two has replaced: it is of another record than what came there.
#[test]
fn what_was_restored_over_two_roots_is_taken_back_step_by_step() {
    let calls = over_both();
    let (tool, arguments) = &calls[3];
    let apart = Apart::new();
    let both = apart.gate(&ROOTS);
    let mut trees = vec![apart.tree()];
    let id = called(&both, tool, arguments).unwrap()["undo_id"].clone();
    trees.push(apart.tree());
    called(&both, "checkpoint", &json!({"label": "moved"})).unwrap();
    called(&both, "restore", &json!({"id": id, "path": "/s2/over"})).unwrap();
    let restored = apart.tree();
    for _ in 0..2 {
        called(&both, "undo", &json!({})).unwrap();
        assert_eq!(apart.tree(), trees[1]);
        called(&both, "undo", &json!({})).unwrap();
        assert_eq!(apart.tree(), trees[0]);
        called(&both, "redo", &json!({})).unwrap();
        assert_eq!(apart.tree(), trees[1]);
        called(&both, "redo", &json!({})).unwrap();
        assert_eq!(apart.tree(), restored);
    }
    called(&both, "undo", &json!({"to": "moved"})).unwrap();
    assert_eq!(apart.tree(), trees[1]);
}

/// Several calls that are taken back at once are one that lies where they do.
#[test]
fn what_takes_back_changes_of_two_roots_is_one_of_both() {
    let apart = Apart::new();
    let both = apart.gate(&ROOTS);
    called(&both, "checkpoint", &json!({"label": "here"})).unwrap();
    let before = apart.tree();
    for root in ROOTS {
        called(&both, "append", &json!({"path": format!("/{root}/f"), "content": "more\n"})).unwrap();
    }
    let after = apart.tree();
    called(&both, "undo", &json!({"to": "here"})).unwrap();
    assert_eq!(apart.tree(), before);
    for root in ROOTS {
        let refused = called(&apart.gate(&[root]), "redo", &json!({"any_session": true})).unwrap_err();
        assert_eq!(refused["code"], "not_granted", "{root}");
    }
    assert_eq!(apart.tree(), before);
    called(&both, "redo", &json!({})).unwrap();
    assert_eq!(apart.tree(), after);
    // What was done in one alone is its own.
    called(&both, "append", &json!({"path": "/s1/f", "content": "last\n"})).unwrap();
    called(&apart.gate(&["s1"]), "undo", &json!({"any_session": true})).unwrap();
    assert_eq!(apart.tree(), after);
}

/// Each state directory is looked after by itself: what one has forgotten is not made up for by the other one.
#[test]
fn what_is_forgotten_in_one_root_is_not_taken_back_in_the_other() {
    for (tool, arguments) in over_both() {
        for root in ROOTS {
            let apart = Apart::new();
            let both = apart.gate(&ROOTS);
            let id = called(&both, tool, &arguments).unwrap()["undo_id"].clone();
            let after = apart.tree();
            let log = apart.disk.at(&format!("state/{root}/log"));
            for name in log.snapshot().into_keys() {
                log.put(&name, Item::File(Vec::new()));
            }
            let refused = called(&apart.gate(&ROOTS), "undo", &json!({"id": id, "any_session": true}));
            assert_eq!(refused.unwrap_err()["code"], "undo_conflict", "{tool} {arguments} without {root}");
            assert_eq!(apart.tree(), after);
        }
    }
}

/// Each history forgets by itself. Where something went on from one is not known any more then.
#[test]
fn what_was_led_into_a_history_that_has_forgotten_since_is_not_told() {
    // It seems to reach back as far as ever once something is put into it that is older, and was at its end late.
    for (forgets, is_put_in) in [(false, false), (true, false), (true, true)] {
        let apart = Apart::new();
        let (person, agent) = (apart.gate(&ROOTS), apart.gate(&ROOTS));
        let older = called(&person, "create", &json!({"path": "/s2/older", "content": ""})).unwrap();
        let arguments = json!({"path": "/s1/f", "content": "SECRET\n", "backup": true});
        let id = called(&person, "write", &arguments).unwrap()["undo_id"].clone();
        called(&person, "move", &json!({"source": "/s1/f", "destination": "/s2/g"})).unwrap();
        if forgets {
            let few = apart.gate_with(&["s2"], &[("FSGATE_HISTORY_ENTRIES", "2")]);
            for number in 0..100 {
                called(&few, "write", &json!({"path": "/s2/f", "content": number.to_string()})).unwrap();
            }
        }
        if is_put_in {
            let state = State::open(apart.disk.at("state/s2")).ok().unwrap();
            let newest = *state.files().unwrap().last().unwrap();
            let id = state.page(newest).unwrap().unwrap().spans.last().unwrap().id;
            let mut stored = state.done(id, Check::Header).unwrap().unwrap();
            stored.record.id = older["undo_id"].as_str().unwrap().parse().unwrap();
            let file = Rc::new(state.volume.create_file(&state.tmp, "older").unwrap());
            let writer = Writer::begin(&state.volume, file, 0, &stored.record, 0).unwrap();
            state.insert(&writer.end(stored.record, false).unwrap()).unwrap();
        }
        let log =
            called(&agent, "log", &json!({"any_session": true, "path": "/s1/f", "diff": true})).unwrap();
        assert_eq!(log.to_string().contains("SECRET"), !forgets, "{log}");
        let restored = called(&agent, "restore", &json!({"id": id, "any_session": true}));
        assert_eq!(
            restored.map_err(|refused| refused["code"].clone()).err(),
            forgets.then(|| json!("undo_conflict"))
        );
        // Whoever may, forgets it all the same.
        called(&agent, "forget", &json!({"everything": true})).unwrap();
        let log = called(&agent, "log", &json!({"any_session": true})).unwrap();
        assert_eq!(log["entries"], json!([]));
    }
}

/// Only what went where it may not be read is anybody's business.
#[test]
fn what_is_forgotten_of_moves_between_roots_shuts_nothing_for_who_may_read_all_of_both() {
    let rules = |paths: &str, effect: &str| {
        json!({"profile": "open", "rules": [{"name": "r", "paths": [paths], "effect": effect}]}).to_string()
    };
    let away = ("move", json!({"source": "/s1/m", "destination": "/s2/m"}));
    let edits = json!([{"path": "/s1/n", "content": "n"}, {"path": "/s1/f", "content": "new"}]);
    let made = ("apply", json!({ "edits": edits }));
    let deleted = json!([{"path": "/s1/n", "content": "n"}, {"path": "/s1/m", "delete": true}]);
    let deleted = ("apply", json!({ "edits": deleted }));
    let undo = ("undo", json!({}));
    let back = ("redo", json!({}));
    for (steps, policy, is_told) in [
        (vec![&away], rules("never", "read_only"), true),
        (vec![&away], rules("never", "denied"), false),
        (vec![&away, &undo], rules("never", "read_only"), true),
        (vec![&away, &undo, &back], rules("never", "read_only"), true),
        // Nothing has come back for what was taken away.
        (vec![&made, &undo], rules("never", "denied"), true),
        (vec![&deleted, &undo], rules("never", "denied"), false),
        (vec![&deleted, &undo], rules("never", "read_only"), true),
    ] {
        for is_same in [false, true] {
            let apart = Apart::new();
            let mut settings = vec![];
            let open = |settings: &[(&str, &str)]| apart.gate_with(&ROOTS, settings);
            let first = open(&settings);
            let id = called(&first, "write", &json!({"path": "/s1/f", "content": "old too"})).unwrap();
            let second = open(&settings);
            for (tool, arguments) in &steps {
                called(&second, tool, arguments).unwrap();
            }
            for path in ["/s1/m", "/s1/n", "/s2"] {
                called(&second, "forget", &json!({"path": path})).unwrap();
            }
            settings.extend((!is_same).then_some(("FSGATE_POLICY", &policy[..])));
            let asker = open(&settings);
            let log = called(&asker, "log", &json!({"any_session": true, "path": "/s1/f"})).unwrap();
            let entry =
                log["entries"].as_array().unwrap().iter().find(|entry| entry["undo_id"] == id["undo_id"]);
            let is_there = entry.is_some_and(|entry| entry["etag"].is_string());
            assert_eq!(is_there, is_same || is_told, "{steps:?} {policy} {is_same}: {log}");
        }
    }
}

/// Whoever may only read the other one does not know its history either.
#[test]
fn what_was_led_into_a_history_that_is_not_open_is_not_told() {
    for is_forgotten in [false, true] {
        let apart = Apart::new();
        let person = apart.gate(&ROOTS);
        let arguments = json!({"path": "/s1/f", "content": "SECRET\n", "backup": true});
        let id = called(&person, "write", &arguments).unwrap()["undo_id"].clone();
        called(&person, "move", &json!({"source": "/s1/f", "destination": "/s2/g"})).unwrap();
        if is_forgotten {
            called(&person, "forget", &json!({"path": "/s2/g"})).unwrap();
        }
        let grant = |name: &str, path: &str, access| Grant {
            name: name.to_owned(),
            volume: apart.disk.at(path),
            access,
        };
        let reader = Session::open_or_refuse(
            vec![
                grant("/s1", "s1", Access::Write),
                grant("/s2", "s2", Access::Read),
                grant("/.fsgate/s1", "state/s1", Access::Write),
            ],
            [("FSGATE_LOCK", "host")],
        );
        let log = called(&reader, "log", &json!({"any_session": true, "diff": true})).unwrap().to_string();
        assert!(log.contains("/s1/f") && !log.contains("SECRET"), "{log}");
        let refused = called(&reader, "restore", &json!({"id": id, "any_session": true})).unwrap_err();
        let expected = if is_forgotten { "undo_conflict" } else { "not_granted" };
        assert_eq!(refused["code"], expected, "{refused}");
    }
}
