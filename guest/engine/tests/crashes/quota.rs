//! Crashes with a full history: calls that it does not keep, and calls that it removes while
//! another directory needs them.

use std::ops::Range;

use fsgate_volume::memory::Item;
use serde_json::{Value, json};

use super::fixture::{Complaints, Fixture, Layout, Snapshot, call};
use super::soak;
use super::volume::FaultPlan;

const TREE: &[(&str, &str)] = &[("w/f", "precious\n"), ("w/g", "old\n"), ("v/k", "old\n")];

const FEW: [(&str, &str); 1] = [("FSGATE_HISTORY_ENTRIES", "1")];

const NONE: [(&str, &str); 3] =
    [("FSGATE_HISTORY_BYTES", "5"), ("FSGATE_HISTORY_ENTRIES", "0"), ("FSGATE_HISTORY_DAYS", "0")];

/// A session over one of two grants makes a change.
fn visit(fixture: &Fixture, grant: &str) {
    let path = if grant == "/w" { "/w/elsewhere" } else { super::fixture::THEIRS };
    fixture.machine.set(FaultPlan::Well);
    call(&fixture.session_over(&[grant]), "create_directory", &json!({"path": path})).unwrap();
}

fn both() -> Value {
    json!({"edits": [{"path": "/w/g", "old": "old", "new": "new"}, {"path": "/v/k", "old": "old", "new": "new, and longer"}]})
}

fn is_new(trees: &Snapshot, path: &str) -> bool {
    matches!(&trees[path], Item::File(bytes) if bytes.starts_with(b"new"))
}

/// Large changes, so that each has its own file of the log.
fn fill(fixture: &Fixture, numbers: Range<usize>) {
    let session = fixture.session_over(&["/w"]);
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
                let whole = Fixture::new(Layout::Two, TREE);
                let session = whole.session_with(&["/w", "/v"], &told);
                whole.machine.set(FaultPlan::Well);
                let before = whole.trees();
                assert_eq!(call(&session, tool, &args).unwrap()["undo_id"], Value::Null, "{tool} {quota:?}");
                let after = whole.trees();
                for at in 0..whole.machine.calls() {
                    for visitors in [&[][..], &["/w"], &["/v"], &["/v", "/w"]] {
                        let fixture = Fixture::new(Layout::Two, TREE);
                        let session = fixture.session_with(&["/w", "/v"], &told);
                        fixture.machine.set(FaultPlan::Stop(at, 3));
                        let _ = call(&session, tool, &args);
                        visitors.iter().for_each(|grant| visit(&fixture, grant));
                        fixture.heal();
                        complaints.tried();
                        let trees = fixture.trees();
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
    let fixture = || {
        let fixture = Fixture::new(Layout::Two, TREE);
        fixture.machine.set(FaultPlan::Well);
        // A mark that is older than the call.
        let session = fixture.session_with(&["/w"], &FEW);
        for number in 0..3 {
            call(&session, "create", &json!({"path": format!("/w/small{number}"), "content": ""})).unwrap();
        }
        fixture
    };
    let stopped = |at: u64| {
        let fixture = fixture();
        fill(&fixture, 0..2);
        let session = fixture.session();
        fixture.machine.set(FaultPlan::Stop(at, 3));
        let _ = call(&session, "apply", &both());
        visit(&fixture, "/w");
        fill(&fixture, 2..4);
        fixture
    };
    let whole = fixture();
    fill(&whole, 0..2);
    let session = whole.session();
    whole.machine.set(FaultPlan::Well);
    call(&session, "apply", &both()).unwrap();
    let calls = whole.machine.calls();
    // From the decision on, at each step.
    let decided = (0..calls).filter(|at| is_new(&stopped(*at).trees(), "/w/g"));
    for at in decided.take(if soak() { usize::MAX } else { 1 }) {
        for death in 0.. {
            let fixture = stopped(at);
            let part = fixture.session_with(&["/w"], &FEW);
            fixture.machine.set(FaultPlan::Stop(death, 3));
            let last = call(&part, "create", &json!({"path": "/w/last", "content": ""}));
            let is_whole = last.is_ok() && fixture.machine.calls() < death;
            fixture.heal();
            complaints.tried();
            if !is_new(&fixture.trees(), "/v/k") {
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
