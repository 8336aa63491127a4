//! Somebody else makes what a call is about to make, at any moment.

use fsgate_core::volume::Volume;
use fsgate_core::volume::memory::{Item, Memory};
use serde_json::{Value, json};

use super::scene::{Complaints, LAYOUTS, Layout, Scene, call};
use super::soak;
use super::volume::Plan;

const TREE: &[(&str, &str)] = &[("w/a.txt", "aaaa"), ("w/d/f.txt", "ffff"), ("w/d/g.txt", ""), ("v/", "")];

/// What somebody else puts there if nothing is there yet.
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
                    let scene = Scene::new(layout, TREE);
                    let session = scene.session();
                    let before = scene.trees();
                    let (root, theirs) = (scene.grant().clone(), items.clone());
                    scene.machine.set(Plan::Well);
                    scene.machine.meanwhile(at, move || put(&root, &theirs));
                    let called = call(&session, tool, args);
                    if scene.machine.calls() < at {
                        break;
                    }
                    scene.heal();
                    let trees = scene.trees();
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
                    // Where it is done, theirs came too late, or before anybody looked.
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

/// All files of a disk, the state directories' as well.
fn is_anywhere(scene: &Scene, text: &str) -> bool {
    let is_it = |item: &Item| matches!(item, Item::File(bytes) if bytes == text.as_bytes());
    scene.disks.iter().any(|disk| disk.snapshot().values().any(is_it))
}

/// Between a death and who comes next, somebody puts something there that is as large as what was to come.
#[test]
fn what_somebody_else_has_put_there_since_is_not_taken_for_what_was_to_come_back() {
    let mut complaints = Complaints::default();
    let to = || json!({"to": "here"});
    for (tool, args, path, theirs) in [
        ("undo", json!({"id": "#1"}), "d", vec![("d/f.txt", "zzzz"), ("d/g.txt", "")]),
        ("undo", to(), "d", vec![("d/f.txt", "zzzz"), ("d/g.txt", "")]),
        ("undo", to(), "e", vec![("e/f.txt", "yyyy")]),
        ("restore", json!({"id": "#1", "path": "d"}), "d", vec![("d/f.txt", "zzzz"), ("d/g.txt", "")]),
    ] {
        for layout in [Layout::Same, Layout::Other] {
            let begun = || {
                let scene = Scene::new(layout, &[TREE, &[("w/e/f.txt", "eeee")]].concat());
                for (tool, args) in [
                    ("checkpoint", json!({"label": "here"})),
                    ("delete_directory", json!({"path": "d", "recursive": true})),
                    ("delete_directory", json!({"path": "e", "recursive": true})),
                ] {
                    scene.earlier(tool, &args).unwrap();
                }
                scene
            };
            let whole = begun();
            let session = whole.session();
            whole.machine.set(Plan::Well);
            call(&session, tool, &whole.told(&args)).unwrap();
            for at in 0..whole.machine.calls() {
                let scene = begun();
                let session = scene.session();
                scene.machine.set(Plan::Stop(at, 3));
                let _ = call(&session, tool, &scene.told(&args));
                if scene.grant().snapshot().contains_key(path) {
                    continue;
                }
                for (path, text) in &theirs {
                    scene.grant().put(path, Item::File(text.as_bytes().to_vec()));
                }
                scene.heal();
                complaints.tried();
                let lost = ["ffff", "eeee"].into_iter().find(|text| !is_anywhere(&scene, text));
                let trees = scene.trees();
                let is_there = |(path, text): &(&str, &str)| {
                    trees.get(&format!("/w/{path}")) == Some(&Item::File(text.as_bytes().to_vec()))
                };
                if lost.is_some() || !theirs.iter().all(is_there) {
                    complaints.add(format!("{tool} {args} in {layout:?}"), || {
                        format!("dead at {at}: {lost:?} is gone: {trees:?}")
                    });
                }
            }
        }
    }
    complaints.end("deaths, and something of the same size put there");
}

/// Somebody sees that a file is half way to another grant, and ends that by hand.
#[test]
fn what_was_done_by_hand_is_not_taken_back() {
    let mut complaints = Complaints::default();
    let text = "precious";
    let begun = || Scene::new(Layout::Two, &[("w/f", text), ("w/g", "g"), ("v/", "")]);
    let moved = json!({"source": "/w/f", "destination": "/v/f"});
    let whole = begun();
    let session = whole.session();
    whole.machine.set(Plan::Well);
    call(&session, "move", &moved).unwrap();
    for at in 0..whole.machine.calls() {
        for by_hand in ["removed", "moved", "replaced"] {
            for visitor in [None, Some("/w"), Some("/v")] {
                let scene = begun();
                let session = scene.session();
                scene.machine.set(Plan::Stop(at, 3));
                let _ = call(&session, "move", &moved);
                let (from, to) = (&scene.disks[0], &scene.disks[1]);
                let is_whole = |item: Option<&Item>| item == Some(&Item::File(text.as_bytes().to_vec()));
                let is_copied = is_whole(to.snapshot().get("v/f"));
                if !is_whole(from.snapshot().get("w/f")) || !(is_copied || by_hand == "moved") {
                    continue;
                }
                if by_hand == "moved" {
                    to.put("v/f", Item::File(text.as_bytes().to_vec()));
                }
                from.remove_file(&from.open_directory(&from.root(), "w").unwrap(), "f").unwrap();
                if by_hand == "replaced" {
                    from.put("w/f", Item::File(b"otherwise".to_vec()));
                }
                scene.machine.set(Plan::Well);
                if let Some(grant) = visitor {
                    let path = if grant == "/w" { "/w/elsewhere" } else { super::scene::THEIRS };
                    call(&scene.session_over(&[grant]), "create_directory", &json!({ "path": path }))
                        .unwrap();
                }
                scene.heal();
                complaints.tried();
                if !is_anywhere(&scene, text) {
                    complaints
                        .add("it is gone".to_owned(), || format!("dead at {at}, {by_hand}, {visitor:?}"));
                }
            }
        }
    }
    complaints.end("deaths of moves that were ended by hand");
}
