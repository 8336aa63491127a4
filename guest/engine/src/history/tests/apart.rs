//! Roots with a state directory each, and sessions with some of them.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::called;
use crate::session::Session;
use fsgate_volume::Access;
use fsgate_volume::grant::Grant;
use fsgate_volume::memory::{Item, Memory};

const ROOTS: [&str; 2] = ["s1", "s2"];

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

    /// An operator's session over some roots, which sees the entries of other grants.
    fn gate(&self, roots: &[&str]) -> Session<Memory> {
        let grant =
            |name: String, path: String| Grant { name, volume: self.disk.at(&path), access: Access::Write };
        let both = |root: &&str| {
            let state = grant(format!("/.fsgate/{root}"), format!("state/{root}"));
            [grant(format!("/{root}"), (*root).to_owned()), state]
        };
        let settings = [("FSGATE_LOCK", "host"), ("FSGATE_OPERATOR", "true")];
        Session::open_or_refuse(roots.iter().flat_map(both).collect(), settings)
    }

    fn tree(&self) -> BTreeMap<String, Item> {
        let all = self.disk.snapshot().into_iter();
        all.filter(|(path, _)| !path.starts_with("state")).collect()
    }
}

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
                    assert!(refused["message"].as_str().unwrap().contains("the entry "), "{refused}");
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

            // Nor is it restored there.
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

/// Also the object that a move between them replaced, which another record keeps.
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

/// Several calls undone at once are one call over the same roots.
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
    // A change in one root is complete alone.
    called(&both, "append", &json!({"path": "/s1/f", "content": "last\n"})).unwrap();
    called(&apart.gate(&["s1"]), "undo", &json!({"any_session": true})).unwrap();
    assert_eq!(apart.tree(), after);
}

/// Each state directory is pruned alone, and another one does not make up for it.
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
