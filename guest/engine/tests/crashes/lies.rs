//! A volume that gives wrong answers, or refuses all changes from some call on, while the process
//! lives on.

use fsgate_engine::session::Session;
use fsgate_volume::Fault;
use serde_json::{Value, json};

use super::cases::{Case, cases};
use super::scene::{Complaints, LAYOUTS, Layout, Scene, call, difference};
use super::soak;
use super::stops::{Course, is_tried, judge};
use super::volume::{Faulty, Lie, Plan};

fn no_words() -> Fault {
    Fault::Io("no words".to_owned())
}

/// The wrong answers to one changing call.
fn lies(course: &Course, at: u64) -> Vec<Lie> {
    let Some(&bytes) = course.writes.get(&at) else {
        return vec![Lie::Fault(no_words()), Lie::Again];
    };
    let mut lies = vec![Lie::Fault(no_words()), Lie::Fewer(0)];
    for part in [1, bytes / 2, bytes.saturating_sub(1)] {
        if part > 0 && part < bytes {
            lies.extend([Lie::Part(part, Fault::NoSpace), Lie::Fewer(part)]);
        }
    }
    lies.dedup();
    lies
}

/// Runs the case under a plan. Returns its answer and the faults of the outcome.
fn try_one(
    course: &Course,
    case: &Case,
    layout: Layout,
    plan: Plan,
    next: impl Fn(&Scene, &Session<Faulty>),
) -> (Result<Value, Value>, Option<(String, String)>) {
    let scene = Scene::of(case, layout);
    let session = scene.session();
    scene.machine.set(plan);
    let called = call(&session, case.tool, &scene.args(case));
    scene.machine.set(Plan::Well);
    // A refused call leaves nothing and a completed one everything, except temporary names until
    // the next call.
    let mut trees = scene.trees();
    trees.retain(|path, _| !path.contains("/.fsgate-"));
    let now = match &called {
        Ok(_) => Some(&course.after),
        Err(error) if error["applied"] == false => Some(&course.before),
        Err(_) => None,
    };
    if let Some(now) = now.filter(|now| **now != trees) {
        return (called, Some(("otherwise".to_owned(), difference(&trees, now))));
    }
    next(&scene, &session);
    let judged = judge(course, &scene, &called);
    (called, judged.err())
}

#[test]
fn a_call_that_is_done_and_answered_with_a_fault_is_told_as_it_is() {
    let mut complaints = Complaints::default();
    let mut unsure = 0_u64;
    for (number, case) in cases().iter().enumerate() {
        for (row, layout) in LAYOUTS.into_iter().enumerate() {
            // A small buffer makes many similar calls.
            let is_long = !soak() && layout == Layout::Slow;
            if is_long || !is_tried(case, (number, row), 16) {
                continue;
            }
            let course = Course::of(case, layout);
            for &at in &course.changes {
                for lie in lies(&course, at) {
                    // The same process or another one continues.
                    let is_same = (at as usize + number).is_multiple_of(2);
                    let next = |scene: &Scene, session: &Session<Faulty>| {
                        if is_same {
                            let _ = call(session, "create_directory", &json!({"path": "/w/elsewhere"}));
                            scene.grant().at("elsewhere");
                        }
                    };
                    let plan = Plan::Lie(at, lie.clone());
                    let (called, wrong) = try_one(&course, case, layout, plan, next);
                    complaints.tried();
                    unsure += u64::from(called.as_ref().is_err_and(|error| error["applied"] != false));
                    if let Some((kind, what)) = wrong {
                        complaints.add(format!("{kind}, {} in {layout:?}", case.tool), || {
                            format!("{}, {lie:?} at {at} of {}: {called:?} {what}", case.name, course.calls)
                        });
                    }
                }
            }
        }
    }
    eprintln!("{unsure} times it was not known what became of it");
    complaints.end("lies");
}

#[test]
fn where_nothing_can_be_changed_any_more_the_next_one_makes_it_whole() {
    let mut complaints = Complaints::default();
    let faults = [Fault::NoSpace, no_words(), Fault::ReadOnly];
    for (number, case) in cases().iter().enumerate() {
        for (row, layout) in LAYOUTS.into_iter().enumerate() {
            let is_long = !soak() && layout == Layout::Slow;
            if is_long || !is_tried(case, (number, row), 12) {
                continue;
            }
            let course = Course::of(case, layout);
            for &at in &course.changes {
                for (column, fault) in faults.iter().enumerate() {
                    if !soak() && !(at as usize + number + column).is_multiple_of(faults.len()) {
                        continue;
                    }
                    let scene = Scene::of(case, layout);
                    let session = scene.session();
                    scene.machine.set(Plan::FailFrom(at, fault.clone()));
                    let called = call(&session, case.tool, &scene.args(case));
                    // While the fault lasts, the call is refused or complete as well.
                    let again = call(&session, "create_directory", &json!({"path": "/w/elsewhere"}));
                    complaints.tried();
                    let mut complain = |kind: &str, what: String| {
                        complaints.add(format!("{kind}, {} in {layout:?}", case.tool), || {
                            let calls = course.calls;
                            format!("{}, {fault:?} from {at} of {calls} on: {called:?} {what}", case.name)
                        });
                    };
                    if again.is_ok() {
                        complain("done all the same", format!("{again:?}"));
                    }
                    if let Err((kind, what)) = judge(&course, &scene, &called) {
                        complain(&kind, what);
                    }
                }
            }
        }
    }
    complaints.end("faults that last");
}
