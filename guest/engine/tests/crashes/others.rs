//! Another process makes the same object as a call, at any moment.

use fsgate_volume::memory::{Item, Memory};
use serde_json::{Value, json};

use super::fixture::{Complaints, Fixture, LAYOUTS, Layout, call};
use super::soak;
use super::volume::FaultPlan;

const TREE: &[(&str, &str)] = &[("w/a.txt", "aaaa"), ("w/d/f.txt", "ffff"), ("w/d/g.txt", ""), ("v/", "")];

fn put(root: &Memory, items: &[(&str, Item)]) {
    if !root.snapshot().contains_key("p/new") {
        for (path, item) in items {
            root.put(path, item.clone());
        }
    }
}

#[test]
fn what_somebody_else_has_made_meanwhile_is_not_taken_away() {
    let file = |text: &str| Item::File(text.as_bytes().to_vec());
    let foreign = [
        vec![("p/new", file("zzzz"))],
        vec![("p/new", file(""))],
        vec![("p/new/f.txt", file("zzzz")), ("p/new/g.txt", file(""))],
        vec![("p/new", Item::Link("nowhere".to_owned()))],
    ];
    let calls: [(&str, Value); 7] = [
        ("create", json!({"path": "p/new", "content": "new!"})),
        ("create", json!({"path": "p/new", "content": ""})),
        ("copy", json!({"source": "a.txt", "destination": "p/new"})),
        ("copy", json!({"source": "d", "destination": "p/new", "recursive": true})),
        ("move", json!({"source": "a.txt", "destination": "p/new"})),
        ("move", json!({"source": "d", "destination": "p/new", "recursive": true})),
        (
            "apply",
            json!({"edits": [
                {"path": "a.txt", "old": "aaaa", "new": "b"},
                {"path": "p/new", "content": "new!"},
                {"path": "d/f.txt", "old": "ffff", "new": "g"},
            ]}),
        ),
    ];
    let mut complaints = Complaints::default();
    for (tool, args) in &calls {
        for layout in LAYOUTS {
            if !soak() && !matches!(layout, Layout::Same | Layout::NoLinks) {
                continue;
            }
            for items in &foreign {
                for at in 0.. {
                    let fixture = Fixture::new(layout, TREE);
                    let session = fixture.session();
                    let before = fixture.trees();
                    let (root, theirs) = (fixture.grant().clone(), items.clone());
                    fixture.machine.set(FaultPlan::Well);
                    fixture.machine.meanwhile(at, move || put(&root, &theirs));
                    let called = call(&session, tool, args);
                    if fixture.machine.calls() < at {
                        break;
                    }
                    fixture.heal();
                    let trees = fixture.trees();
                    complaints.tried();
                    let mut expected = before;
                    for (path, item) in items {
                        let mut above = path.rsplit_once('/');
                        while let Some((directory, _)) = above {
                            expected.insert(format!("/w/{directory}"), Item::Directory);
                            above = directory.rsplit_once('/');
                        }
                        expected.insert(format!("/w/{path}"), item.clone());
                    }
                    // If the call succeeded, the other objects came too late or before any check.
                    if called.is_err() && trees != expected {
                        complaints.add(format!("{tool} in {layout:?}"), || {
                            format!("{args}, {items:?} at {at}: {called:?} {trees:?}")
                        });
                    }
                }
            }
        }
    }
    complaints.end("things made meanwhile");
}
