//! Records of places that the next process reaches by another path, or not at all.

use fsgate_volume::memory::Item;
use serde_json::{Value, json};

use super::cases::{Case, cases};
use super::nested::Nested;
use super::scene::{Complaints, LAYOUTS, Layout, Scene, call, control};
use super::stops::{Course, is_tried, judge};
use super::volume::Plan;

#[test]
fn a_record_of_a_place_that_is_not_there_waits_and_is_in_nobodys_way() {
    let mut complaints = Complaints::default();
    let reach = |name: &str| name.contains("/v");
    for (number, case) in cases().iter().filter(|case| reach(&case.name)).enumerate() {
        for (row, layout) in LAYOUTS.into_iter().enumerate() {
            if !is_tried(case, (number, row), 7) {
                continue;
            }
            let course = Course::of(case, layout);
            for at in 0..course.calls {
                let scene = Scene::of(case, layout);
                let session = scene.session();
                scene.machine.set(Plan::Stop(at, 3));
                let called = call(&session, case.tool, &scene.args(case));
                scene.machine.set(Plan::Well);
                let args = json!({"path": "/w/elsewhere"});
                let other = call(&scene.session_over(&["/w"]), "create_directory", &args);
                complaints.tried();
                let mut complain = |kind: &str, what: String| {
                    complaints.add(format!("{kind}, {} in {layout:?}", case.tool), || {
                        format!("{}, dead at {at} of {}: {what}", case.name, course.calls)
                    });
                };
                match other {
                    Err(error) => complain("in the way", error.to_string()),
                    Ok(said) if said.to_string().contains("\"conflict\"") => {
                        complain("a conflict", said.to_string());
                    }
                    Ok(_) => {}
                }
                scene.grant().at("elsewhere");
                if let Err((kind, what)) = judge(&course, &scene, &called) {
                    complain(&kind, what);
                }
            }
        }
    }
    complaints.end("deaths, and somebody without the grant in between");
}

/// Calls that change a directory, some also other places.
pub(crate) fn in_a_directory() -> Vec<Case> {
    const TREE: &[(&str, &str)] =
        &[("w/d/a.txt", "one two three"), ("w/d/e/b.txt", "b"), ("w/c.txt", "c"), ("v/", "")];
    let calls = [
        ("write", json!({"path": "d/a.txt", "content": "something else, and longer"})),
        ("replace", json!({"path": "d/a.txt", "old": "two", "new": "2"})),
        ("create", json!({"path": "d/p/q/new.txt", "content": "new"})),
        ("delete", json!({"path": "d/a.txt"})),
        ("delete_directory", json!({"path": "d/e", "recursive": true})),
        ("move", json!({"source": "d/a.txt", "destination": "z.txt"})),
        ("move", json!({"source": "c.txt", "destination": "d/a.txt", "overwrite": true})),
        ("copy", json!({"source": "c.txt", "destination": "d/c.txt"})),
        (
            "apply",
            json!({"edits": [
                {"path": "c.txt", "old": "c", "new": "cc"},
                {"path": "d/a.txt", "old": "two", "new": "2"},
                {"path": "d/new.txt", "content": "new"},
                {"path": "new.txt", "content": "new"},
            ]}),
        ),
    ];
    let case = |(tool, args): (&'static str, Value)| Case {
        name: format!("{tool} {args}"),
        tree: TREE,
        earlier: Vec::new(),
        tool,
        args,
    };
    calls.into_iter().map(case).collect()
}

#[test]
fn a_record_of_a_directory_that_cannot_be_entered_waits_and_is_in_nobodys_way() {
    let mut complaints = Complaints::default();
    for case in &in_a_directory() {
        for layout in [Layout::Same, Layout::Other] {
            let course = Course::of(case, layout);
            for at in 0..course.calls {
                let scene = Scene::of(case, layout);
                let session = scene.session();
                scene.machine.set(Plan::Stop(at, 3));
                let called = call(&session, case.tool, &scene.args(case));
                scene.machine.set(Plan::Well);
                scene.machine.close(Some("/w/d"));
                let other = scene.call("create_directory", &json!({"path": "/w/elsewhere"}));
                scene.machine.close(None);
                complaints.tried();
                let mut complain = |kind: &str, what: String| {
                    complaints.add(format!("{kind}, {} in {layout:?}", case.tool), || {
                        format!("{}, dead at {at} of {}: {what}", case.name, course.calls)
                    });
                };
                if let Err(error) = other {
                    complain("in the way", error.to_string());
                }
                scene.grant().at("elsewhere");
                if let Err((kind, what)) = judge(&course, &scene, &called) {
                    complain(&kind, what);
                }
            }
        }
    }
    complaints.end("deaths, and a directory that cannot be entered for a while");
}

#[test]
fn a_record_of_a_directory_that_was_moved_ends_and_that_is_told_once() {
    use fsgate_volume::Volume;
    let (mut complaints, mut conflicts) = (Complaints::default(), 0);
    for case in &in_a_directory() {
        for layout in [Layout::Same, Layout::Other, Layout::Slow] {
            let course = Course::of(case, layout);
            for at in 0..course.calls {
                let scene = Scene::of(case, layout);
                let session = scene.session();
                scene.machine.set(Plan::Stop(at, 3));
                let _ = call(&session, case.tool, &scene.args(case));
                let root = scene.grant().root();
                scene.grant().rename(&root, "d", &root, "moved").unwrap();
                let said = [scene.heal(), scene.heal()];
                let told = said.map(|said| said.to_string().contains(r#""conflict""#));
                // The trash entry of a change in conflict stays with it.
                let mut left = scene.litter();
                let conflict = |path: &String| path.replace("/trash/", "/conflicts/");
                let known = left.clone();
                left.retain(|path| !known.contains(&conflict(path)));
                let aside = known.iter().filter(|path| path.contains("/conflicts/")).count();
                conflicts += aside;
                complaints.tried();
                if !left.is_empty() || told != [aside > 0, false] {
                    complaints.add(format!("{} in {layout:?}", case.tool), || {
                        format!("{}, dead at {at}: {left:?}, told {told:?}", case.name)
                    });
                }
            }
        }
    }
    eprintln!("{conflicts} conflicts");
    complaints.end("deaths, and a directory that is moved away");
    assert!(conflicts > 0);
}

/// One process has all of a tree, and another one a part.
const SOURCES: &[(&str, &str)] =
    &[("repo/src/a.txt", "before"), ("repo/src/d/b.txt", "b"), ("repo/c.txt", "c")];

#[test]
fn a_record_of_a_part_is_settled_by_who_has_all_and_the_other_way_round() {
    let src = "/repo/src";
    let calls: [(&str, Value); 7] = [
        ("write", json!({"path": format!("{src}/a.txt"), "content": "something else"})),
        ("create", json!({"path": format!("{src}/p/q/new.txt"), "content": "new"})),
        ("create", json!({"path": format!("{src}/d/p/new.txt"), "content": "new"})),
        ("delete", json!({"path": format!("{src}/d/b.txt")})),
        ("delete_directory", json!({"path": format!("{src}/d"), "recursive": true})),
        ("move", json!({"source": format!("{src}/a.txt"), "destination": format!("{src}/p/z.txt")})),
        (
            "copy",
            json!({"source": format!("{src}/a.txt"), "destination": format!("{src}/d/b.txt"), "overwrite": true}),
        ),
    ];
    let mut complaints = Complaints::default();
    for (tool, args) in &calls {
        for (who, heir) in [("/repo", src), (src, "/repo")] {
            let tree = |scene: &Nested| scene.disk.at("repo").snapshot();
            let whole = Nested::new(SOURCES);
            let before = tree(&whole);
            let session = whole.session(who);
            whole.machine.set(Plan::Well);
            call(&session, tool, args).unwrap();
            let after = tree(&whole);
            for at in 0..whole.machine.calls() {
                let scene = Nested::new(SOURCES);
                let session = scene.session(who);
                scene.machine.set(Plan::Stop(at, 3));
                let _ = call(&session, tool, args);
                scene.machine.set(Plan::Well);
                let path = format!("{src}/elsewhere");
                let healed = call(&scene.session(heir), "create_directory", &json!({"path": path}));
                complaints.tried();
                let mut found = tree(&scene);
                found.remove("src/elsewhere");
                let state = scene.disk.at("state").snapshot();
                let control = control(&state).unwrap();
                let left = control.is_unfinished() || control.unsettled;
                if healed.is_err() || (found != before && found != after) || left {
                    complaints.add(format!("{tool} by {who}"), || {
                        format!("{args} dead at {at}: {healed:?} {found:?} {control:?}")
                    });
                }
            }
        }
    }
    complaints.end("deaths beside a nested grant");
}

#[test]
fn what_is_under_way_in_another_directory_of_the_same_name_waits_for_who_has_it() {
    let calls: [(&str, Value); 6] = [
        ("write", json!({"path": "a.txt", "content": "something else"})),
        ("create", json!({"path": "p/q/new.txt", "content": "new"})),
        ("delete", json!({"path": "d/b.txt"})),
        ("delete_directory", json!({"path": "d", "recursive": true})),
        ("move", json!({"source": "a.txt", "destination": "p/z.txt"})),
        (
            "apply",
            json!({"edits": [
                {"path": "a.txt", "old": "before", "new": "after"},
                {"path": "d/b.txt", "old": "b", "new": "c"},
                {"path": "d/new.txt", "content": "new"},
            ]}),
        ),
    ];
    let mut complaints = Complaints::default();
    for (tool, args) in &calls {
        let tree = |scene: &Nested| scene.disk.at("repo/src").snapshot();
        let whole = Nested::new(SOURCES);
        let before = tree(&whole);
        let session = whole.session_on("/w", "repo/src");
        whole.machine.set(Plan::Well);
        call(&session, tool, args).unwrap();
        let after = tree(&whole);
        for at in 0..whole.machine.calls() {
            let scene = Nested::new(SOURCES);
            // The same names exist there, too.
            scene.disk.put("other/a.txt", Item::File(b"of another".to_vec()));
            scene.disk.put("other/d/b.txt", Item::File(b"of another".to_vec()));
            let session = scene.session_on("/w", "repo/src");
            scene.machine.set(Plan::Stop(at, 3));
            let called = call(&session, tool, args);
            scene.machine.set(Plan::Well);
            let torn = tree(&scene);
            let mut others = scene.disk.at("other").snapshot();
            let ids = || -> Vec<_> {
                let state = scene.disk.at("state").snapshot();
                let ids = state.keys().filter_map(|path| path.strip_prefix("waiting/").map(str::to_owned));
                ids.collect()
            };
            let mut said = String::new();
            let other = || scene.session_on("/w", "other");
            said += &call(&other(), "create_directory", &json!({"path": "elsewhere"})).unwrap().to_string();
            others.insert("elsewhere".to_owned(), Item::Directory);
            let aside = ids();
            for id in &aside {
                let refused = call(&other(), "forget", &json!({"id": id}));
                said += &refused.unwrap_err().to_string();
            }
            for (tool, args) in [
                ("forget", json!({"everything": true})),
                ("recover", json!({"all": true})),
                ("log", json!({"any_session": true})),
            ] {
                said += &call(&other(), tool, &args).unwrap().to_string();
            }
            complaints.tried();
            let mut complain = |kind: &str, what: String| {
                complaints.add(format!("{kind}, {tool}"), || format!("{args} dead at {at}: {what}"));
            };
            let is_told = [".txt", "conflict\"", "/w/d", "/w/p"].iter().any(|word| said.contains(word));
            if is_told {
                complain("told", said);
            }
            if tree(&scene) != torn || scene.disk.at("other").snapshot() != others || ids() != aside {
                complain("touched", format!("{aside:?} {:?}", ids()));
            }
            let healed = call(&scene.session_on("/w", "repo/src"), "recover", &json!({}));
            let found = tree(&scene);
            let state = scene.disk.at("state").snapshot();
            let control = control(&state).unwrap();
            let left = control.is_unfinished() || control.unsettled;
            let is_either = if called.is_ok() { found == after } else { found == before || found == after };
            if healed.is_err() || !is_either || left {
                complain("not healed", format!("{healed:?} {found:?} {control:?}"));
            }
        }
    }
    complaints.end("deaths beside another directory of the same name");
}

/// A session over one of two grants recovers its part and dies; one over both completes it and
/// undoes the call.
#[test]
fn a_recovery_of_a_part_that_dies_is_ended_by_who_has_all() {
    const TREE: &[(&str, &str)] = &[("w/f", "of w\n"), ("w/g", "g\n"), ("v/g", "of v\n")];
    let patch =
        "--- a/w/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-of w\n--- a/v/g\n+++ /dev/null\n@@ -1 +0,0 @@\n-of v\n";
    let mut complaints = Complaints::default();
    for (tool, args) in [
        ("apply", json!({ "patch": patch })),
        ("move", json!({"source": "/w/f", "destination": "/v/g", "overwrite": true})),
    ] {
        let case = Case { name: tool.to_owned(), tree: TREE, earlier: Vec::new(), tool, args };
        let course = Course::of(&case, Layout::Two);
        let parts = [("/w", "/w/elsewhere"), ("/v", super::scene::THEIRS)];
        for at in &course.changes {
            for (number, (grant, path)) in parts.into_iter().enumerate() {
                for first in [None, Some(parts[1 - number])] {
                    for death in 0.. {
                        let scene = Scene::new(Layout::Two, TREE);
                        let session = scene.session();
                        scene.machine.set(Plan::Stop(*at, 3));
                        let called = call(&session, tool, &case.args);
                        if let Some((grant, path)) = first {
                            scene.machine.set(Plan::Well);
                            let part = scene.session_over(&[grant]);
                            call(&part, "create_directory", &json!({ "path": path })).unwrap();
                        }
                        let part = scene.session_over(&[grant]);
                        scene.machine.set(Plan::Stop(death, 3));
                        let _ = call(&part, "create_directory", &json!({ "path": path }));
                        let is_over = scene.machine.calls() <= death;
                        complaints.tried();
                        let mut complain = |kind: &str, what: String| {
                            complaints.add(format!("{kind}, {tool}"), || {
                                format!("dead at {at}, then {first:?}, then {grant} dead at {death}: {what}")
                            });
                        };
                        if let Err((kind, what)) = judge(&course, &scene, &called) {
                            complain(&kind, what);
                        } else if scene.trees() == course.after {
                            scene.look_through();
                            let log = scene.call("log", &json!({"any_session": true})).unwrap();
                            let entries = log["entries"].as_array().unwrap();
                            let id = entries
                                .iter()
                                .find(|entry| entry["tool"] == tool)
                                .map(|entry| &entry["undo_id"]);
                            let undone = scene.call("undo", &json!({"id": id, "any_session": true}));
                            let mut trees = scene.trees();
                            trees.retain(|path, _| !path.starts_with("/w/elsewhere"));
                            if trees != course.before {
                                complain("it is not taken back", format!("{undone:?}"));
                            }
                        }
                        if is_over {
                            break;
                        }
                    }
                }
            }
        }
    }
    complaints.end("deaths in recoveries of a part");
}

/// Content that a call removes from a file of another directory does not return in a session that
/// has only the destination.
#[test]
fn what_has_come_from_elsewhere_stays_as_it_was_changed_there() {
    let patch = "diff --git a/repo/b/conf b/repo/a/conf\nrename from repo/b/conf\nrename to repo/a/conf\n\
        --- a/repo/b/conf\n+++ b/repo/a/conf\n@@ -1,2 +1 @@\n host\n-secret\n";
    let args = json!({ "patch": patch });
    let tree: &[(&str, &str)] = &[("repo/b/conf", "host\nsecret\n"), ("repo/a/x", "x")];
    let trees = |scene: &Nested| {
        let mut trees = scene.disk.at("repo").snapshot();
        trees.remove("a/elsewhere");
        trees
    };
    let whole = Nested::new(tree);
    let before = trees(&whole);
    let session = whole.session("/repo");
    whole.machine.set(Plan::Well);
    call(&session, "apply", &args).unwrap();
    let after = trees(&whole);
    let mut complaints = Complaints::default();
    for at in 0..whole.machine.calls() {
        let scene = Nested::new(tree);
        let session = scene.session("/repo");
        scene.machine.set(Plan::Stop(at, 3));
        let _ = call(&session, "apply", &args);
        scene.machine.set(Plan::Well);
        let is_told = |scene: &Nested| match trees(scene).get("a/conf") {
            Some(Item::File(bytes)) => String::from_utf8_lossy(bytes).contains("secret"),
            _ => false,
        };
        let was_told = is_told(&scene);
        let part = scene.session("/repo/a");
        call(&part, "create_directory", &json!({"path": "/repo/a/elsewhere"})).unwrap();
        complaints.tried();
        if is_told(&scene) && !was_told {
            complaints.add("it is told".to_owned(), || format!("dead at {at}: {:?}", trees(&scene)));
        }
        let all = scene.session("/repo");
        call(&all, "recover", &json!({})).unwrap();
        let trees = trees(&scene);
        if trees != before && trees != after {
            complaints.add("it stays half".to_owned(), || format!("dead at {at}: {trees:?}"));
        }
    }
    complaints.end("deaths of a call that brings something, and somebody with the place it came to");
}
