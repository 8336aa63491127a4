//! Without host locks, a process sleeps longer than its lease at any moment of a call.

use std::rc::Rc;

use fsgate_contract::limits::{LEASE, LEASE_GRACE};
use fsgate_engine::session::Session;
use fsgate_volume::Volume;
use fsgate_volume::memory::{Item, Memory};
use serde_json::{Value, json};

use super::cases::cases;
use super::fixture::{Complaints, Fixture, LAYOUTS, Layout, THEIRS, call, difference};
use super::soak;
use super::stops::{Course, is_tried, judge};
use super::volume::{FaultPlan, Faulty};

/// One case in so many of a round.
const SOAK_CASES: usize = 10;

fn leasing(fixture: &Fixture, session: &str) -> Session<Faulty> {
    fixture.session_with(&["/w", "/v"], &[("FSGATE_LOCK", "lease"), ("FSGATE_SESSION", session)])
}

/// It behaves as if it had died, and reports that.
#[test]
fn a_lease_that_was_slept_away_ends_the_call() {
    a_lease_slept_away_at_any_moment(false);
}

#[test]
fn a_lease_that_somebody_else_has_taken_meanwhile_ends_the_call() {
    a_lease_slept_away_at_any_moment(true);
}

fn a_lease_slept_away_at_any_moment(somebody_comes: bool) {
    let (mut complaints, mut ended) = (Complaints::default(), 0_u64);
    for (number, case) in cases().iter().enumerate() {
        for (row, layout) in LAYOUTS.into_iter().enumerate() {
            // Each moment takes two sessions and a whole call, so a soak has few cases as well.
            let is_left_out = soak() && !number.is_multiple_of(SOAK_CASES);
            if is_left_out || !is_tried(case, (number, row), 48) {
                continue;
            }
            let course = Course::of(case, layout);
            if course.is_idle() {
                continue;
            }
            for behind in 0.. {
                let fixture = Fixture::of(case, layout);
                let session = leasing(&fixture, "000000000000000000000000000000aa");
                let other = Rc::new(leasing(&fixture, "000000000000000000000000000000bb"));
                let (disks, theirs) = (fixture.disks.clone(), other.clone());
                fixture.machine.set(FaultPlan::Well);
                fixture.machine.stall(behind, move || {
                    sleep(&disks);
                    if somebody_comes {
                        let done = call(&theirs, "write", &json!({"path": THEIRS, "content": "theirs"}));
                        assert!(done.is_ok(), "{done:?}");
                    }
                });
                let called = call(&session, case.tool, &fixture.args(case));
                if !fixture.machine.has_stalled() {
                    break;
                }
                complaints.tried();
                ended += u64::from(called.is_err());
                // A later `forget` of everything removes the other change as well.
                let is_forgotten = case.tool == "forget" && called.is_ok();
                let judged = judge(&course, &fixture, &called)
                    .and_then(|()| told(&called))
                    .and_then(|()| theirs_stands(&fixture, &other, somebody_comes, is_forgotten));
                if let Err((kind, what)) = judged {
                    complaints.add(format!("{kind}, {} in {layout:?}", case.tool), || {
                        format!("{}, asleep behind {behind}: {called:?} {what}", case.name)
                    });
                }
            }
        }
    }
    complaints.end(if somebody_comes { "leases lost" } else { "leases slept away" });
    assert!(ended > 0);
}

/// No other process would complete that: it is complete, or was refused before it began.
#[test]
fn what_is_not_journaled_is_not_cut_in_two_by_a_lease() {
    const TREE: &[(&str, &str)] = &[("w/a", "aaaa"), ("w/d/a", "aaaa"), ("w/d/e/b", "b"), ("v/", "")];
    let mut complaints = Complaints::default();
    for (tool, args) in [
        ("write", json!({"path": "a", "content": "something else"})),
        ("copy", json!({"source": "d", "destination": "p/q", "recursive": true})),
        ("move", json!({"source": "d", "destination": "p/q", "recursive": true})),
        ("delete_directory", json!({"path": "d", "recursive": true})),
    ] {
        let new = || Fixture::new(Layout::Two, TREE).without_state("/w");
        let calm = new();
        let before = calm.trees();
        call(&leasing(&calm, "000000000000000000000000000000aa"), tool, &args).unwrap();
        let after = calm.trees();
        for behind in 0.. {
            let fixture = new();
            let session = leasing(&fixture, "000000000000000000000000000000aa");
            let disks = fixture.disks.clone();
            fixture.machine.set(FaultPlan::Well);
            fixture.machine.stall(behind, move || sleep(&disks));
            let called = call(&session, tool, &args);
            if !fixture.machine.has_stalled() {
                break;
            }
            complaints.tried();
            let expected = if called.is_ok() { &after } else { &before };
            let trees = fixture.trees();
            if trees != *expected || called.as_ref().is_err_and(|error| error["applied"] != false) {
                complaints.add(format!("cut in two, {tool}"), || {
                    format!("asleep behind {behind}: {called:?} {}", difference(&trees, expected))
                });
            }
        }
    }
    complaints.end("leases slept away beside what is not journaled");
}

fn sleep(disks: &[Memory]) {
    disks.iter().for_each(|disk| disk.pause(LEASE + LEASE_GRACE));
}

type Judged = Result<(), (String, String)>;

fn told(called: &Result<Value, Value>) -> Judged {
    match called {
        Err(error) if ["busy", "unrecovered"].contains(&error["code"].as_str().unwrap()) => Ok(()),
        Err(error) => Err(("an error".to_owned(), error.to_string())),
        Ok(_) => Ok(()),
    }
}

fn theirs_stands(
    fixture: &Fixture,
    other: &Session<Faulty>,
    somebody_comes: bool,
    is_forgotten: bool,
) -> Judged {
    if !somebody_comes {
        return Ok(());
    }
    let found = fixture.theirs();
    if found != Some(Item::File(b"theirs".to_vec())) {
        return Err(("theirs is lost".to_owned(), format!("{found:?}")));
    }
    match call(other, "undo", &json!({})) {
        Err(error) if is_forgotten && error["code"] == "nothing_to_undo" => Ok(()),
        Ok(_) if fixture.theirs().is_none() && fixture.litter().is_empty() => Ok(()),
        undone => Err(("theirs is not undone".to_owned(), format!("{undone:?} {:?}", fixture.litter()))),
    }
}
