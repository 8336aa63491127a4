//! Records of places that the next process reaches by another path, or not at all.

use fsgate_volume::memory::Item;
use serde_json::{Value, json};

use super::cases::{CrashCase, cases};
use super::fixture::{Complaints, Fixture, LAYOUTS, Layout, call, control};
use super::nested::Nested;
use super::stops::{Course, is_tried, judge};
use super::volume::FaultPlan;

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
                let (fixture, called) = Fixture::after(case, layout, FaultPlan::Stop(at, 3));
                fixture.machine.set(FaultPlan::Well);
                let args = json!({"path": "/w/elsewhere"});
                let other = call(&fixture.session_over(&["/w"]), "create_directory", &args);
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
                fixture.grant().at("elsewhere");
                if let Err((kind, what)) = judge(&course, &fixture, &called) {
                    complain(&kind, what);
                }
            }
        }
    }
    complaints.end("deaths, and somebody without the grant in between");
}

pub(crate) fn in_a_directory() -> Vec<CrashCase> {
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
    let case = |(tool, args): (&'static str, Value)| CrashCase {
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
                let (fixture, called) = Fixture::after(case, layout, FaultPlan::Stop(at, 3));
                fixture.machine.set(FaultPlan::Well);
                fixture.machine.close(Some("/w/d"));
                let other = fixture.call("create_directory", &json!({"path": "/w/elsewhere"}));
                fixture.machine.close(None);
                complaints.tried();
                let mut complain = |kind: &str, what: String| {
                    complaints.add(format!("{kind}, {} in {layout:?}", case.tool), || {
                        format!("{}, dead at {at} of {}: {what}", case.name, course.calls)
                    });
                };
                if let Err(error) = other {
                    complain("in the way", error.to_string());
                }
                fixture.grant().at("elsewhere");
                if let Err((kind, what)) = judge(&course, &fixture, &called) {
                    complain(&kind, what);
                }
            }
        }
    }
    complaints.end("deaths, and a directory that cannot be entered for a while");
}

#[test]
fn a_record_of_a_directory_that_was_moved_waits_or_is_told_once() {
    use fsgate_volume::Volume;
    let (mut complaints, mut conflicts, mut waits) = (Complaints::default(), 0, 0);
    for case in &in_a_directory() {
        for layout in [Layout::Same, Layout::Other, Layout::Slow] {
            let course = Course::of(case, layout);
            for at in 0..course.calls {
                let (fixture, called) = Fixture::after(case, layout, FaultPlan::Stop(at, 3));
                let root = fixture.grant().root();
                fixture.grant().rename(&root, "d", &root, "moved").unwrap();
                let told =
                    [fixture.heal(), fixture.heal()].map(|said| said.to_string().contains(r#""conflict""#));
                let known = fixture.litter();
                let number = |directory: &str| known.iter().filter(|path| path.contains(directory)).count();
                let (aside, waiting) = (number("/conflicts/"), number("/waiting/"));
                conflicts += aside;
                waits += waiting;
                complaints.tried();
                let mut complain = |kind: &str, what: String| {
                    complaints.add(format!("{kind}, {} in {layout:?}", case.tool), || {
                        format!("{}, dead at {at}: {what}", case.name)
                    });
                };
                if told != [aside > 0, false] {
                    complain("told", format!("{known:?}, told {told:?}"));
                }
                if waiting == 0 {
                    continue;
                }
                // It comes back, or `recover` ends the wait.
                if at % 2 == 0 {
                    fixture.grant().rename(&root, "moved", &root, "d").unwrap();
                    if aside == 0
                        && let Err((kind, what)) = judge(&course, &fixture, &called)
                    {
                        complain(&kind, what);
                    }
                } else {
                    fixture.call("recover", &json!({})).unwrap();
                    let mut left = fixture.litter();
                    let known = left.clone();
                    // The trash entry of a change in conflict stays with it.
                    left.retain(|path| !known.contains(&path.replace("/trash/", "/conflicts/")));
                    if !left.is_empty() {
                        complain("left", format!("{left:?}"));
                    }
                }
            }
        }
    }
    eprintln!("{conflicts} conflicts, {waits} waits");
    complaints.end("deaths, and a directory that is moved away");
    assert!(conflicts > 0 && waits > 0);
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
            let tree = |fixture: &Nested| fixture.disk.at("repo").snapshot();
            let whole = Nested::new(SOURCES);
            let before = tree(&whole);
            let session = whole.session(who);
            whole.machine.set(FaultPlan::Well);
            call(&session, tool, args).unwrap();
            let after = tree(&whole);
            for at in 0..whole.machine.calls() {
                let fixture = Nested::new(SOURCES);
                let session = fixture.session(who);
                fixture.machine.set(FaultPlan::Stop(at, 3));
                let _ = call(&session, tool, args);
                fixture.machine.set(FaultPlan::Well);
                let path = format!("{src}/elsewhere");
                let healed = call(&fixture.session(heir), "create_directory", &json!({"path": path}));
                complaints.tried();
                let mut found = tree(&fixture);
                found.remove("src/elsewhere");
                let state = fixture.disk.at("state").snapshot();
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
        let tree = |fixture: &Nested| fixture.disk.at("repo/src").snapshot();
        let whole = Nested::new(SOURCES);
        let before = tree(&whole);
        let session = whole.session_on("/w", "repo/src");
        whole.machine.set(FaultPlan::Well);
        call(&session, tool, args).unwrap();
        let after = tree(&whole);
        for at in 0..whole.machine.calls() {
            let fixture = Nested::new(SOURCES);
            // The same names exist there, too.
            fixture.disk.put("other/a.txt", Item::File(b"of another".to_vec()));
            fixture.disk.put("other/d/b.txt", Item::File(b"of another".to_vec()));
            let session = fixture.session_on("/w", "repo/src");
            fixture.machine.set(FaultPlan::Stop(at, 3));
            let called = call(&session, tool, args);
            fixture.machine.set(FaultPlan::Well);
            let torn = tree(&fixture);
            let mut others = fixture.disk.at("other").snapshot();
            let ids = || -> Vec<_> {
                let state = fixture.disk.at("state").snapshot();
                let ids = state.keys().filter_map(|path| path.strip_prefix("waiting/").map(str::to_owned));
                ids.collect()
            };
            let mut said = String::new();
            let other = || fixture.session_on("/w", "other");
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
            if tree(&fixture) != torn || fixture.disk.at("other").snapshot() != others || ids() != aside {
                complain("touched", format!("{aside:?} {:?}", ids()));
            }
            let healed = call(&fixture.session_on("/w", "repo/src"), "recover", &json!({}));
            let found = tree(&fixture);
            let state = fixture.disk.at("state").snapshot();
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
        let case = CrashCase { name: tool.to_owned(), tree: TREE, earlier: Vec::new(), tool, args };
        let course = Course::of(&case, Layout::Two);
        let parts = [("/w", "/w/elsewhere"), ("/v", super::fixture::THEIRS)];
        for at in &course.changes {
            for (number, (grant, path)) in parts.into_iter().enumerate() {
                for first in [None, Some(parts[1 - number])] {
                    for death in 0.. {
                        let fixture = Fixture::new(Layout::Two, TREE);
                        let session = fixture.session();
                        fixture.machine.set(FaultPlan::Stop(*at, 3));
                        let called = call(&session, tool, &case.args);
                        if let Some((grant, path)) = first {
                            fixture.machine.set(FaultPlan::Well);
                            let part = fixture.session_over(&[grant]);
                            call(&part, "create_directory", &json!({ "path": path })).unwrap();
                        }
                        let part = fixture.session_over(&[grant]);
                        fixture.machine.set(FaultPlan::Stop(death, 3));
                        let _ = call(&part, "create_directory", &json!({ "path": path }));
                        let is_over = fixture.machine.calls() <= death;
                        complaints.tried();
                        let mut complain = |kind: &str, what: String| {
                            complaints.add(format!("{kind}, {tool}"), || {
                                format!("dead at {at}, then {first:?}, then {grant} dead at {death}: {what}")
                            });
                        };
                        if let Err((kind, what)) = judge(&course, &fixture, &called) {
                            complain(&kind, what);
                        } else if fixture.trees() == course.after {
                            fixture.look_through();
                            let log = fixture.call("log", &json!({"any_session": true})).unwrap();
                            let entries = log["entries"].as_array().unwrap();
                            let id = entries
                                .iter()
                                .find(|entry| entry["tool"] == tool)
                                .map(|entry| &entry["undo_id"]);
                            let undone = fixture.call("undo", &json!({"id": id, "any_session": true}));
                            let mut trees = fixture.trees();
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
    let trees = |fixture: &Nested| {
        let mut trees = fixture.disk.at("repo").snapshot();
        trees.remove("a/elsewhere");
        trees
    };
    let whole = Nested::new(tree);
    let before = trees(&whole);
    let session = whole.session("/repo");
    whole.machine.set(FaultPlan::Well);
    call(&session, "apply", &args).unwrap();
    let after = trees(&whole);
    let mut complaints = Complaints::default();
    for at in 0..whole.machine.calls() {
        let fixture = Nested::new(tree);
        let session = fixture.session("/repo");
        fixture.machine.set(FaultPlan::Stop(at, 3));
        let _ = call(&session, "apply", &args);
        fixture.machine.set(FaultPlan::Well);
        let is_told = |fixture: &Nested| match trees(fixture).get("a/conf") {
            Some(Item::File(bytes)) => String::from_utf8_lossy(bytes).contains("secret"),
            _ => false,
        };
        let was_told = is_told(&fixture);
        let part = fixture.session("/repo/a");
        call(&part, "create_directory", &json!({"path": "/repo/a/elsewhere"})).unwrap();
        complaints.tried();
        if is_told(&fixture) && !was_told {
            complaints
                .add("the answer shows it".to_owned(), || format!("dead at {at}: {:?}", trees(&fixture)));
        }
        let all = fixture.session("/repo");
        call(&all, "recover", &json!({})).unwrap();
        let trees = trees(&fixture);
        if trees != before && trees != after {
            complaints.add("it stays half".to_owned(), || format!("dead at {at}: {trees:?}"));
        }
    }
    complaints.end("deaths of a call that brings something, and somebody with the place it came to");
}
