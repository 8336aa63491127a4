//! Crashes with a full history: calls that it does not keep, and calls that it removes while
//! another directory needs them.

use std::ops::Range;

use fsgate_volume::memory::Item;
use serde_json::{Value, json};

use super::scene::{Complaints, Layout, Scene, Snapshot, call};
use super::soak;
use super::volume::Plan;

const TREE: &[(&str, &str)] = &[("w/f", "precious\n"), ("w/g", "old\n"), ("v/k", "old\n")];

/// Keeps only the last change.
const FEW: [(&str, &str); 1] = [("FSGATE_HISTORY_ENTRIES", "1")];

/// Each keeps neither of two changes.
const NONE: [(&str, &str); 3] =
    [("FSGATE_HISTORY_BYTES", "10"), ("FSGATE_HISTORY_ENTRIES", "1"), ("FSGATE_HISTORY_DAYS", "0")];

/// A session over one of two grants makes a change.
fn visit(scene: &Scene, grant: &str) {
    let path = if grant == "/w" { "/w/elsewhere" } else { super::scene::THEIRS };
    scene.machine.set(Plan::Well);
    call(&scene.session_over(&[grant]), "create_directory", &json!({"path": path})).unwrap();
}

/// Edits of a file in each grant.
fn both() -> Value {
    json!({"edits": [{"path": "/w/g", "old": "old", "new": "new"}, {"path": "/v/k", "old": "old", "new": "new, and longer"}]})
}

fn is_new(trees: &Snapshot, path: &str) -> bool {
    matches!(&trees[path], Item::File(bytes) if bytes.starts_with(b"new"))
}

/// Large changes, so that each has its own file of the log.
fn fill(scene: &Scene, numbers: Range<usize>) {
    let session = scene.session_over(&["/w"]);
    for number in numbers {
        let path = format!("/w/{number}");
        call(&session, "create", &json!({"path": path, "content": number.to_string().repeat(200_000)}))
            .unwrap();
        call(&session, "write", &json!({"path": path, "content": "", "backup": true})).unwrap();
    }
}

#[test]
fn what_the_history_does_not_keep_is_done_or_not_done() {
    let mut complaints = Complaints::default();
    for (tool, args) in [("move", json!({"source": "/w/f", "destination": "/v/f"})), ("apply", both())] {
        for quota in NONE {
            for durability in ["process", "power"] {
                let told = [quota, ("FSGATE_DURABILITY", durability)];
                let whole = Scene::new(Layout::Two, TREE);
                let session = whole.session_with(&["/w", "/v"], &told);
                whole.machine.set(Plan::Well);
                let before = whole.trees();
                assert_eq!(call(&session, tool, &args).unwrap()["undo_id"], Value::Null, "{tool} {quota:?}");
                let after = whole.trees();
                for at in 0..whole.machine.calls() {
                    for visitors in [&[][..], &["/w"], &["/v"], &["/v", "/w"]] {
                        let scene = Scene::new(Layout::Two, TREE);
                        let session = scene.session_with(&["/w", "/v"], &told);
                        scene.machine.set(Plan::Stop(at, 3));
                        let _ = call(&session, tool, &args);
                        visitors.iter().for_each(|grant| visit(&scene, grant));
                        scene.heal();
                        complaints.tried();
                        let trees = scene.trees();
                        if trees != before && trees != after {
                            complaints.add(format!("{tool}: neither before nor after"), || {
                                format!("dead at {at} under {told:?}, {visitors:?}: {trees:?}")
                            });
                        }
                    }
                }
            }
        }
    }
    complaints.end("deaths in calls that are not kept");
}

/// One history has a call's decision, removes it with more records, and dies meanwhile.
#[test]
fn a_call_that_somebody_waits_for_is_not_taken_back_whatever_is_forgotten() {
    let mut complaints = Complaints::default();
    let scene = || {
        let scene = Scene::new(Layout::Two, TREE);
        scene.machine.set(Plan::Well);
        // A mark that is older than the call.
        let session = scene.session_with(&["/w"], &FEW);
        for number in 0..3 {
            call(&session, "create", &json!({"path": format!("/w/small{number}"), "content": ""})).unwrap();
        }
        scene
    };
    let stopped = |at: u64| {
        let scene = scene();
        fill(&scene, 0..2);
        let session = scene.session();
        scene.machine.set(Plan::Stop(at, 3));
        let _ = call(&session, "apply", &both());
        visit(&scene, "/w");
        fill(&scene, 2..4);
        scene
    };
    let whole = scene();
    fill(&whole, 0..2);
    let session = whole.session();
    whole.machine.set(Plan::Well);
    call(&session, "apply", &both()).unwrap();
    let calls = whole.machine.calls();
    // From the decision on, at each step.
    let decided = (0..calls).filter(|at| is_new(&stopped(*at).trees(), "/w/g"));
    for at in decided.take(if soak() { usize::MAX } else { 1 }) {
        for death in 0.. {
            let scene = stopped(at);
            let part = scene.session_with(&["/w"], &FEW);
            scene.machine.set(Plan::Stop(death, 3));
            let last = call(&part, "create", &json!({"path": "/w/last", "content": ""}));
            let is_whole = last.is_ok() && scene.machine.calls() < death;
            scene.heal();
            complaints.tried();
            if !is_new(&scene.trees(), "/v/k") {
                complaints
                    .add("half of it is taken back".to_owned(), || format!("dead at {at}, and at {death}"));
            }
            if is_whole {
                break;
            }
        }
    }
    complaints.end("deaths in forgetting what somebody waits for");
}
