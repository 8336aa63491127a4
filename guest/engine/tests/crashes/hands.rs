//! A person changes files by hand between a crash and the next process. No bytes are lost.

use fsgate_volume::memory::{Item, Memory};
use fsgate_volume::{Access, Volume};
use serde_json::{Value, json};

use super::cases::cases;
use super::scene::{Complaints, LAYOUTS, Layout, Scene, Snapshot, call, holding};
use super::soak;
use super::stops::{Course, is_tried};
use super::volume::Plan;

const TREE: &[(&str, &str)] = &[("w/d/f.txt", "ffff"), ("w/d/g.txt", ""), ("w/e/f.txt", "eeee"), ("v/", "")];

fn file(text: &str) -> Item {
    Item::File(text.as_bytes().to_vec())
}

/// A grant, the directory of a path, and the name.
fn named<'a>(scene: &Scene, path: &'a str) -> (Memory, <Memory as Volume>::Directory, &'a str) {
    let (volume, path) = scene.within(path);
    let (directory, name) = holding(volume, path).unwrap();
    (volume.clone(), directory, name)
}

fn rename(scene: &Scene, from: &str, to: &str) {
    let ((volume, old, name), (_, new, new_name)) = (named(scene, from), named(scene, to));
    volume.rename(&old, name, &new, new_name).unwrap();
}

fn remove(scene: &Scene, path: &str) {
    let (volume, directory, name) = named(scene, path);
    volume.remove_file(&directory, name).unwrap();
}

fn put(scene: &Scene, path: &str, item: Item) {
    let (volume, path) = scene.within(path);
    volume.put(path, item);
}

fn write(scene: &Scene, path: &str, at: u64, bytes: &[u8]) {
    let (volume, directory, name) = named(scene, path);
    let file = volume.open_file(&directory, name, Access::Write).unwrap();
    assert_eq!(volume.write_at(&file, at, bytes).unwrap(), bytes.len());
}

/// A scene with a crashed call, after the calls before it.
fn dead(scene: Scene, earlier: &[(&str, Value)], tool: &str, args: &Value, at: u64) -> Scene {
    for (tool, args) in earlier {
        scene.earlier(tool, args).unwrap();
    }
    let session = scene.session();
    scene.machine.set(Plan::Stop(at, 3));
    let _ = call(&session, tool, &scene.told(args));
    scene
}

/// The number of possible deaths.
fn deaths(scene: Scene, earlier: &[(&str, Value)], tool: &str, args: &Value) -> u64 {
    let scene = dead(scene, earlier, tool, args, u64::MAX);
    scene.machine.calls()
}

/// An external edit of a file.
#[derive(Debug, Clone, Copy)]
enum Hand {
    /// As many other bytes in the same file.
    Writes,
    /// Further bytes.
    Appends,
    /// Another file of the same size, as editors save.
    Saves,
}

impl Hand {
    /// Makes the edit. Returns the new content.
    fn does(self, scene: &Scene, path: &str, before: &[u8]) -> Vec<u8> {
        let other = vec![b'~'; before.len()];
        match self {
            Self::Writes => {
                write(scene, path, 0, &other);
                other
            }
            Self::Appends => {
                write(scene, path, before.len() as u64, b"~");
                [before, b"~"].concat()
            }
            Self::Saves => {
                put(scene, path, Item::File(other.clone()));
                other
            }
        }
    }
}

#[test]
fn what_somebody_writes_before_anybody_comes_is_there_behind_it() {
    let mut complaints = Complaints::default();
    for (number, case) in cases().iter().enumerate() {
        for (row, layout) in LAYOUTS.into_iter().enumerate() {
            // A move between disks has two copies for a while.
            let is_between = layout == Layout::Two && case.tool == "move" && case.earlier.is_empty();
            let is_tried = match case.earlier.is_empty() {
                // Each in one layout, because there are many.
                false if soak() => number % LAYOUTS.len() == row,
                _ => is_tried(case, (number, row), 24),
            };
            if !is_between && !is_tried {
                continue;
            }
            let course = Course::of(case, layout);
            if course.is_idle() {
                continue;
            }
            for at in &course.changes {
                let died = || {
                    let scene = Scene::of(case, layout);
                    let session = scene.session();
                    scene.machine.set(Plan::Stop(*at, 3));
                    let _ = call(&session, case.tool, &scene.args(case));
                    scene
                };
                let files = died().trees().into_iter().filter_map(|(path, item)| match item {
                    Item::File(bytes) if !path.contains("/.fsgate-") && !path.ends_with('/') => {
                        Some((path, bytes))
                    }
                    _ => None,
                });
                for (path, before) in files {
                    for hand in [Hand::Writes, Hand::Appends, Hand::Saves] {
                        let scene = died();
                        let theirs = hand.does(&scene, &path, &before);
                        scene.heal();
                        complaints.tried();
                        if !scene.has(&theirs) {
                            complaints.add(format!("{} in {layout:?}, {hand:?}", case.name), || {
                                format!("dead at {at}, {path}: {:?}", scene.trees())
                            });
                        }
                    }
                }
            }
        }
    }
    complaints.end("deaths, and something written by hand");
}

/// Another file of the expected size appears before the next process.
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
                let scene = Scene::new(layout, TREE);
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
                    scene.grant().put(path, file(text));
                }
                scene.heal();
                complaints.tried();
                let lost = ["ffff", "eeee"].into_iter().find(|text| !scene.has(text.as_bytes()));
                let trees = scene.trees();
                let is_there =
                    |(path, text): &(&str, &str)| trees.get(&format!("/w/{path}")) == Some(&file(text));
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

/// An edit of a half-made call, with the content that it has to keep; none if it does not apply.
type Ends = fn(&Scene, &Snapshot) -> Option<&'static [&'static str]>;

/// Tries every edit at every death of a call. The old content and the edited one end up in some
/// file.
fn by_hand(
    complaints: &mut Complaints,
    scene: impl Fn() -> Scene,
    (tool, args): (&str, &Value),
    texts: &[&str],
    hands: &[(&str, Ends)],
    visitors: &[Option<&str>],
) {
    for at in 0..deaths(scene(), &[], tool, args) {
        for (hand, ends) in hands {
            for visitor in visitors {
                let scene = dead(scene(), &[], tool, args, at);
                let Some(theirs) = ends(&scene, &scene.trees()) else { continue };
                if let Some(grant) = visitor {
                    let path = if *grant == "/w" { "/w/elsewhere" } else { super::scene::THEIRS };
                    scene.machine.set(Plan::Well);
                    let session = scene.session_over(&[grant]);
                    call(&session, "create_directory", &json!({ "path": path })).unwrap();
                }
                scene.heal();
                complaints.tried();
                let lost = texts.iter().chain(theirs).find(|text| !scene.has(text.as_bytes()));
                if let Some(lost) = lost {
                    complaints.add(format!("{tool} {args} in {:?}, {hand}", scene.layout), || {
                        format!("dead at {at}, {visitor:?}: {lost:?} is gone: {:?}", scene.trees())
                    });
                }
            }
        }
    }
}

/// A person completes a half-made move to another grant.
#[test]
fn what_was_done_by_hand_is_not_taken_back() {
    const TEXT: &str = "precious";
    let mut complaints = Complaints::default();
    let hands: [(&str, Ends); 3] = [
        ("removed", |scene, trees| {
            let both = ["/w/f", "/v/f"].iter().all(|path| trees.get(*path) == Some(&file(TEXT)));
            both.then(|| remove(scene, "/w/f")).map(|()| &[][..])
        }),
        ("moved", |scene, trees| {
            (trees.get("/w/f") == Some(&file(TEXT))).then(|| {
                put(scene, "/v/f", file(TEXT));
                remove(scene, "/w/f");
                &[][..]
            })
        }),
        ("replaced", |scene, trees| {
            let both = ["/w/f", "/v/f"].iter().all(|path| trees.get(*path) == Some(&file(TEXT)));
            both.then(|| put(scene, "/w/f", file("otherwise"))).map(|()| &["otherwise"][..])
        }),
    ];
    let moved = json!({"source": "/w/f", "destination": "/v/f"});
    by_hand(
        &mut complaints,
        || Scene::new(Layout::Two, &[("w/f", TEXT), ("w/g", "g"), ("v/", "")]),
        ("move", &moved),
        &[TEXT],
        &hands,
        &[None, Some("/w"), Some("/v")],
    );
    complaints.end("deaths of moves that were ended by hand");
}

/// A person gives a replaced file its old name back.
#[test]
fn what_was_replaced_is_not_thrown_away_where_its_name_is_not_free() {
    const TEXTS: [&str; 2] = ["precious", "replaced"];
    fn back(scene: &Scene, trees: &Snapshot) -> bool {
        let has_moved = !trees.contains_key("/w/f") && trees.get("/w/d/g") == Some(&file(TEXTS[0]));
        if has_moved {
            rename(scene, "/w/d/g", "/w/f");
        }
        has_moved
    }
    let hands: [(&str, Ends); 6] = [
        ("given back", |scene, trees| back(scene, trees).then_some(&[])),
        ("given back, and a file in its place", |scene, trees| {
            back(scene, trees).then(|| put(scene, "/w/d/g", file("of theirs"))).map(|()| &["of theirs"][..])
        }),
        ("given back, and a directory in its place", |scene, trees| {
            back(scene, trees).then(|| put(scene, "/w/d/g", Item::Directory)).map(|()| &[][..])
        }),
        ("given back, and a link in its place", |scene, trees| {
            back(scene, trees).then(|| put(scene, "/w/d/g", Item::Link("../f".to_owned()))).map(|()| &[][..])
        }),
        ("given back, and the directory removed", |scene, trees| {
            back(scene, trees).then(|| {
                let (volume, root, _) = named(scene, "/w/d");
                volume.remove_directory(&root, "d").unwrap();
                &[][..]
            })
        }),
        ("given back, and the directory moved", |scene, trees| {
            back(scene, trees).then(|| rename(scene, "/w/d", "/w/elsewhere2")).map(|()| &[][..])
        }),
    ];
    let mut complaints = Complaints::default();
    let moved = json!({"source": "/w/f", "destination": "/w/d/g", "overwrite": true});
    for layout in LAYOUTS {
        let scene = || {
            let tree = [("w/f", TEXTS[0]), ("w/d/g", TEXTS[1]), ("w/a", "a"), ("v/", "")];
            Scene::new(layout, &tree)
        };
        by_hand(&mut complaints, scene, ("move", &moved), &TEXTS, &hands, &[None]);
    }
    complaints.end("deaths of moves over something that were turned round by hand");
}

/// A file is visible while a pending call restores it.
#[test]
fn what_is_back_stays_or_can_be_brought_back_whatever_is_forgotten_meanwhile() {
    let tree = [("w/f", "precious"), ("v/g", "of the other grant")];
    let earlier = [
        ("checkpoint", json!({"label": "here"})),
        ("delete", json!({"path": "/w/f"})),
        ("delete", json!({"path": "/v/g"})),
    ];
    let undo = json!({"to": "here"});
    let mut complaints = Complaints::default();
    for at in 0..deaths(Scene::new(Layout::Two, &tree), &earlier, "undo", &undo) {
        for forgets in ["by its id", "everything", "as too much"] {
            let scene = dead(Scene::new(Layout::Two, &tree), &earlier, "undo", &undo, at);
            scene.machine.set(Plan::Well);
            let few = [("FSGATE_HISTORY_ENTRIES", "1")];
            let told = if forgets == "as too much" { &few[..] } else { &[] };
            let part = scene.session_with(&["/w"], told);
            call(&part, "create_directory", &json!({"path": "/w/elsewhere"})).unwrap();
            if !scene.trees().contains_key("/w/f") {
                continue;
            }
            match forgets {
                "by its id" => drop(call(&part, "forget", &scene.told(&json!({"id": "#1"})))),
                "everything" => drop(call(&part, "forget", &json!({"everything": true}))),
                _ => {
                    for number in 0..4 {
                        let path = format!("/w/elsewhere/{number}");
                        call(&part, "create_directory", &json!({ "path": path })).unwrap();
                    }
                }
            }
            scene.heal();
            complaints.tried();
            if !scene.has(b"precious") {
                complaints
                    .add(format!("forgotten {forgets}"), || format!("dead at {at}: {:?}", scene.trees()));
            }
        }
    }
    complaints.end("deaths of an undo of which somebody forgets a part");
}

/// A file is written after it was copied into the trash.
#[test]
fn what_is_written_to_a_file_while_it_is_deleted_is_not_deleted_with_it() {
    let scene = || Scene::new(Layout::Other, &[("w/f", "precious"), ("v/", "")]);
    let delete = json!({"path": "/w/f"});
    let mut complaints = Complaints::default();
    for at in 0..deaths(scene(), &[], "delete", &delete) {
        for meanwhile in 0..at {
            let scene = scene();
            let session = scene.session();
            scene.machine.set(Plan::Stop(at, 3));
            let root = scene.grant().clone();
            scene.machine.meanwhile(meanwhile, move || {
                if let Ok(file) = root.open_file(&root.root(), "f", Access::Write) {
                    root.write_at(&file, 0, b"of them!").unwrap();
                }
            });
            let _ = call(&session, "delete", &delete);
            let is_written = scene.has(b"of them!");
            scene.heal();
            complaints.tried();
            if is_written && !scene.has(b"of them!") {
                complaints.add("it is gone".to_owned(), || format!("dead at {at}, written at {meanwhile}"));
            }
        }
    }
    complaints.end("deaths of a delete, and something written before");
}

/// The copy of a directory may be the only complete one.
#[test]
fn what_is_written_to_what_is_left_of_a_directory_takes_nothing_else_with_it() {
    let texts = ["one", "two", "three", "four"];
    let scene = || {
        let paths = ["w/t/a", "w/t/b", "w/t/s/c", "w/t/s/d"];
        let tree: Vec<_> = paths.into_iter().zip(texts).chain([("v/", "")]).collect();
        Scene::new(Layout::Other, &tree)
    };
    let delete = json!({"path": "/w/t", "recursive": true});
    let (mut complaints, mut written) = (Complaints::default(), 0);
    for at in 0..deaths(scene(), &[], "delete_directory", &delete) {
        let scene = dead(scene(), &[], "delete_directory", &delete, at);
        let aside = scene.trees().into_keys().rfind(|path| {
            path.starts_with("/w/.fsgate-") && texts.iter().any(|text| scene.trees()[path] == file(text))
        });
        if let Some(path) = aside {
            write(&scene, &path, 0, b"~");
            written += 1;
        }
        scene.heal();
        complaints.tried();
        if let Some(lost) = texts.iter().find(|text| !scene.has(text.as_bytes())) {
            complaints.add("it is gone".to_owned(), || format!("dead at {at}: {lost}: {:?}", scene.trees()));
        }
    }
    assert!(written > 0, "nothing was left");
    complaints.end("deaths of a delete of a directory, and something written to what was left");
}
