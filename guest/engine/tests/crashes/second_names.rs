//! An interrupted step can leave an object with two names. After any further changes and any next
//! process, no file has two names: otherwise a write to one would change the other.

use fsgate_engine::session::Session;
use fsgate_volume::memory::{Item, Memory};
use fsgate_volume::{Access, Volume};
use serde_json::{Value, json};

use super::every;
use super::fixture::{Complaints, Snapshot, call, twice};
use super::nested::Nested;
use super::volume::{FaultPlan, Faulty};

const TREE: &[(&str, &str)] = &[("repo/x/f", "one"), ("repo/y/g", "two"), ("repo/y/o", "three")];
const TEXTS: [&str; 3] = ["one", "two", "three"];

/// The calls of a dying process, after those of others.
type Dies = (&'static str, Vec<(&'static str, Value)>, &'static str, Value);

fn calls() -> Vec<Dies> {
    let moved = |to: &str| {
        ("move", json!({"source": "/repo/x/f", "destination": format!("/repo/y/{to}"), "overwrite": true}))
    };
    let patch = |from: &str, to: &str| {
        format!("diff --git a/{from} b/{to}\nsimilarity index 100%\nrename from {from}\nrename to {to}\n")
    };
    let two = patch("repo/y/o", "repo/y/p") + &patch("repo/x/f", "repo/y/h");
    let label = ("checkpoint", json!({"label": "here"}));
    let delete = |path: &str| ("delete", json!({ "path": path }));
    let on = ("move", json!({"source": "/repo/y/h", "destination": "/repo/y/k"}));
    let to = json!({"to": "here"});
    vec![
        ("a move", vec![], "move", moved("h").1),
        ("a move into a directory that is made for it", vec![], "move", moved("n/h").1),
        ("a move over something", vec![], "move", moved("g").1),
        ("two moves", vec![], "apply", json!({ "patch": two })),
        ("a move that is undone", vec![label.clone(), moved("h")], "undo", to.clone()),
        ("a move over something that is undone", vec![label.clone(), moved("g")], "undo", to.clone()),
        ("a delete that is undone", vec![label.clone(), delete("/repo/y/g")], "undo", json!({})),
        (
            "two deletes that are undone",
            vec![label.clone(), delete("/repo/y/g"), delete("/repo/x/f")],
            "undo",
            to.clone(),
        ),
        (
            "a move and a delete that are undone",
            vec![label.clone(), moved("h"), delete("/repo/y/h")],
            "undo",
            to.clone(),
        ),
        ("two moves of a file that are undone", vec![label, moved("h"), on], "undo", to),
    ]
}

fn all(fixture: &Nested) -> Session<Faulty> {
    fixture.session_told("/repo", "/repo", &[("FSGATE_SESSION", "000000000000000000000000000000aa")])
}

fn begun((_, earlier, ..): &Dies) -> Nested {
    let fixture = Nested::new(TREE);
    for (tool, args) in earlier {
        call(&all(&fixture), tool, args).unwrap();
    }
    fixture
}

fn deaths(dies: &Dies) -> u64 {
    let fixture = begun(dies);
    let session = all(&fixture);
    fixture.machine.set(FaultPlan::Well);
    call(&session, dies.2, &dies.3).unwrap();
    fixture.machine.calls()
}

fn dead(dies: &Dies, at: u64) -> Nested {
    let fixture = begun(dies);
    let session = all(&fixture);
    fixture.machine.set(FaultPlan::Stop(at, 3));
    let _ = call(&session, dies.2, &dies.3);
    fixture.machine.set(FaultPlan::Well);
    fixture
}

/// A session over everything makes another change. Returns the set-aside changes.
fn heal(fixture: &Nested) -> Vec<Value> {
    // Another session, so that the last change of the dead one stays its last one.
    let session = fixture.session("/repo");
    call(&session, "create_directory", &json!({"path": "/repo/elsewhere"})).unwrap();
    let log = call(&session, "log", &json!({"any_session": true})).unwrap();
    log["conflicts"].as_array().cloned().unwrap_or_default()
}

fn directory(disk: &Memory, path: &str) -> <Memory as Volume>::Directory {
    let names = path.split('/').filter(|name| !name.is_empty());
    names.fold(disk.root(), |above, name| disk.open_directory(&above, name).unwrap())
}

fn files(fixture: &Nested) -> Vec<(String, Vec<u8>)> {
    let items = fixture.disk.snapshot().into_iter();
    items
        .filter_map(|(path, item)| if let Item::File(bytes) = item { Some((path, bytes)) } else { None })
        .collect()
}

fn lost(fixture: &Nested) -> Option<&'static str> {
    let files = files(fixture);
    TEXTS.into_iter().find(|text| !files.iter().any(|(_, bytes)| bytes.starts_with(text.as_bytes())))
}

/// Between the crash and its recovery, a session over a part changes visible files.
#[test]
fn nobody_who_comes_meanwhile_gets_a_name_of_what_lies_elsewhere() {
    let policy = |effect: &str| {
        let rule = json!({"name": "now", "paths": ["x/"], "effect": effect});
        json!({"profile": "open", "rules": [rule]}).to_string()
    };
    let visitors = [
        ("a gate to a part", "/repo/y", None, None),
        ("who cannot enter a part", "/repo", None, Some("/repo/x")),
        ("read_only", "/repo", Some(policy("read_only")), None),
        ("denied", "/repo", Some(policy("denied")), None),
        ("hidden", "/repo", Some(policy("hidden")), None),
    ];
    let mut complaints = Complaints::default();
    for dies in calls() {
        for at in (0..deaths(&dies)).step_by(every(7)) {
            for (who, grant, policy, closed) in &visitors {
                for act in ["looks on", "move", "delete", "write"] {
                    let fixture = dead(&dies, at);
                    let told: Vec<_> = policy.iter().map(|policy| ("FSGATE_POLICY", &policy[..])).collect();
                    let visitor = || fixture.session_told(grant, grant, &told);
                    fixture.machine.close(*closed);
                    call(&visitor(), "create_directory", &json!({"path": "/repo/y/z"})).unwrap();
                    for name in ["h", "g", "k", "o", "p", "n/h"] {
                        let path = format!("/repo/y/{name}");
                        // Missing and protected objects are refused.
                        let _ = match act {
                            "move" => {
                                let to = format!("/repo/y/kept-{}", name.replace('/', "-"));
                                call(&visitor(), act, &json!({"source": path, "destination": to}))
                            }
                            "delete" => call(&visitor(), act, &json!({ "path": path })),
                            "write" => {
                                call(&visitor(), act, &json!({"path": path, "content": "of the visitor"}))
                            }
                            _ => Ok(Value::Null),
                        };
                    }
                    fixture.machine.close(None);
                    heal(&fixture);
                    complaints.tried();
                    let mut complain = |what: &str, which: String| {
                        complaints.add(format!("{what}, {}, {who}, {act}", dies.0), || {
                            format!("dead at {at}: {which}: {:?}", files(&fixture))
                        });
                    };
                    let twice = twice(&fixture.disk);
                    if !twice.is_empty() {
                        complain("it has two names", format!("{twice:?}"));
                    }
                    if let Some(lost) = lost(&fixture).filter(|_| act != "write") {
                        complain("it is gone", lost.to_owned());
                    }
                }
            }
        }
    }
    complaints.end("deaths, and somebody who comes meanwhile and may change a part");
}

/// Between the crash and its recovery, a session over a part changes nothing, or cannot enter one
/// directory.
#[test]
fn what_waits_for_somebody_with_all_of_it_is_whole_then() {
    let mut complaints = Complaints::default();
    for dies in calls() {
        let whole = begun(&dies);
        let before = tree(&whole);
        call(&all(&whole), dies.2, &dies.3).unwrap();
        let after = tree(&whole);
        for at in 0..deaths(&dies) {
            for (who, grants, closed) in [
                ("a gate to where it goes", &["/repo/y"][..], None),
                ("a gate to where it comes from", &["/repo/x"], None),
                ("one and the other", &["/repo/x", "/repo/y"], None),
                ("the other and the one", &["/repo/y", "/repo/x"], None),
                ("who cannot enter where it comes from", &["/repo"], Some("/repo/x")),
                ("who cannot enter where it goes", &["/repo"], Some("/repo/y")),
            ] {
                let fixture = dead(&dies, at);
                fixture.machine.close(closed);
                for grant in grants {
                    let path = format!("{grant}/of-the-visitor");
                    call(&fixture.session(grant), "create_directory", &json!({ "path": path })).unwrap();
                }
                fixture.machine.close(None);
                let told = heal(&fixture);
                complaints.tried();
                let mut found = tree(&fixture);
                found.retain(|path, _| !path.ends_with("of-the-visitor"));
                let mut complain = |what: &str| {
                    complaints.add(format!("{what}, {}, {who}", dies.0), || {
                        format!("dead at {at}: {told:?}, {found:?}")
                    });
                };
                if !told.is_empty() || found != before && found != after {
                    complain("it is half, or a conflict");
                } else if found == before && call(&all(&fixture), dies.2, &dies.3).is_err() {
                    complain("it cannot be done again");
                }
            }
        }
    }
    complaints.end("deaths, and somebody who comes meanwhile and looks on");
}

/// Moves an object or appends to it. False if it does not exist.
fn by_hand(fixture: &Nested, hand: &str, path: &str) -> bool {
    let (above, name) = path.rsplit_once('/').unwrap();
    if !fixture.disk.snapshot().contains_key(path) {
        return false;
    }
    let (disk, here) = (&fixture.disk, directory(&fixture.disk, above));
    match hand {
        "moves" => disk.rename(&here, name, &directory(disk, "repo"), "kept").unwrap(),
        _ => {
            let file = disk.open_file(&here, name, Access::Write).unwrap();
            let size = disk.stat(&here, name).unwrap().size;
            disk.write_at(&file, size, b" and more").unwrap();
        }
    }
    true
}

/// Between the crash and its recovery, a person moves or writes the visible object.
#[test]
fn what_is_moved_on_by_hand_is_not_another_name_of_what_is_left() {
    let mut complaints = Complaints::default();
    for dies in calls() {
        for at in 0..deaths(&dies) {
            let hands = ["repo/x/f", "repo/y/g", "repo/y/h", "repo/y/o", "repo/x", "repo/y"];
            let hands = hands.map(|path| ("moves", path)).into_iter();
            for (hand, path) in hands.chain(["repo/x/f", "repo/y/g"].map(|path| ("writes", path))) {
                let fixture = dead(&dies, at);
                let spare = twice(&fixture.disk);
                if !by_hand(&fixture, hand, path) {
                    continue;
                }
                heal(&fixture);
                complaints.tried();
                let mut complain = |what: &str, which: String| {
                    complaints.add(format!("{what}, {}, {hand} {path}", dies.0), || {
                        format!("dead at {at}: {which}: {:?}", files(&fixture))
                    });
                };
                let twice = twice(&fixture.disk);
                // A person who saw two names and moved one keeps both.
                let is_his = hand == "moves"
                    && spare.iter().any(|name| name.starts_with(path))
                    && twice.iter().all(|path| path.starts_with("repo/"));
                if !twice.is_empty() && !is_his {
                    complain("it has two names", format!("{twice:?}"));
                }
                if let Some(lost) = lost(&fixture) {
                    complain("it is gone", lost.to_owned());
                }
            }
        }
    }
    complaints.end("deaths, and something moved on or written to by hand");
}

fn tree(fixture: &Nested) -> Snapshot {
    let inside = |path: &String| path.starts_with("repo/x") || path.starts_with("repo/y");
    fixture.disk.snapshot().into_iter().filter(|(path, _)| inside(path)).collect()
}

/// A backup by hard links adds another name to any file, also earlier.
#[test]
fn a_name_that_somebody_makes_is_no_step_of_ours() {
    let link = |fixture: &Nested, path: &str, name: &str| {
        let (above, last) = path.rsplit_once('/').unwrap();
        let (disk, root) = (&fixture.disk, directory(&fixture.disk, "repo"));
        disk.link_file(&directory(disk, above), last, &root, name).is_ok()
    };
    let mut complaints = Complaints::default();
    for dies in calls() {
        for was_linked in [false, true] {
            let begun = || {
                let fixture = Nested::new(TREE);
                for (path, ..) in TREE.iter().filter(|_| was_linked) {
                    assert!(link(&fixture, path, &format!("old-{}", path.replace('/', "-"))));
                }
                for (tool, args) in &dies.1 {
                    call(&all(&fixture), tool, args).unwrap();
                }
                fixture
            };
            let whole = begun();
            let (before, session) = (tree(&whole), all(&whole));
            whole.machine.set(FaultPlan::Well);
            call(&session, dies.2, &dies.3).unwrap();
            let after = tree(&whole);
            for at in 0..whole.machine.calls() {
                for path in ["x/f", "y/g", "y/h", "old-repo-x-f", "old-repo-y-g"] {
                    let fixture = begun();
                    let session = all(&fixture);
                    fixture.machine.set(FaultPlan::Stop(at, 3));
                    let _ = call(&session, dies.2, &dies.3);
                    fixture.machine.set(FaultPlan::Well);
                    if !link(&fixture, &format!("repo/{path}"), "backup") {
                        continue;
                    }
                    let told = heal(&fixture);
                    complaints.tried();
                    let found = tree(&fixture);
                    let mut complain = |what: &str| {
                        complaints.add(format!("{what}, {}, {path}", dies.0), || {
                            format!("dead at {at}, other names before: {was_linked}: {told:?}, {found:?}")
                        });
                    };
                    if !told.is_empty() || found != before && found != after {
                        complain("it is half, or a conflict");
                    } else if found == before && call(&all(&fixture), dies.2, &dies.3).is_err() {
                        complain("it cannot be done again");
                    } else if tree(&fixture) != after {
                        complain("it is not what it should be");
                    }
                }
            }
        }
    }
    complaints.end("deaths, and another name that somebody makes");
}
