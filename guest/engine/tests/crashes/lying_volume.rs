//! A volume that gives wrong answers, or refuses all changes from some call on, while the process
//! lives on.

use fsgate_engine::session::Session;
use fsgate_volume::Fault;
use serde_json::{Value, json};

use super::cases::{CrashCase, cases};
use super::fixture::{Complaints, Fixture, LAYOUTS, Layout, call, difference};
use super::soak;
use super::stops::{Course, is_tried, judge};
use super::volume::{FaultPlan, Faulty, WrongAnswer};

fn no_words() -> Fault {
    Fault::Io("no words".to_owned())
}

fn wrong_answers(course: &Course, at: u64) -> Vec<WrongAnswer> {
    let Some(&bytes) = course.writes.get(&at) else {
        return vec![WrongAnswer::Fault(no_words()), WrongAnswer::Again];
    };
    let mut wrong_answers = vec![WrongAnswer::Fault(no_words()), WrongAnswer::Fewer(0)];
    for part in [1, bytes / 2, bytes.saturating_sub(1)] {
        if part > 0 && part < bytes {
            wrong_answers.extend([WrongAnswer::Part(part, Fault::NoSpace), WrongAnswer::Fewer(part)]);
        }
    }
    wrong_answers.dedup();
    wrong_answers
}

/// Runs the case under a plan. Returns its answer and the faults of the outcome.
fn try_one(
    course: &Course,
    case: &CrashCase,
    layout: Layout,
    plan: FaultPlan,
    next: impl Fn(&Fixture, &Session<Faulty>),
) -> (Result<Value, Value>, Option<(String, String)>) {
    let fixture = Fixture::of(case, layout);
    let session = fixture.session();
    fixture.machine.set(plan);
    let called = call(&session, case.tool, &fixture.args(case));
    fixture.machine.set(FaultPlan::Well);
    // A refused call leaves nothing and a completed one everything, except temporary names until
    // the next call.
    let mut trees = fixture.trees();
    trees.retain(|path, _| !path.contains("/.fsgate-"));
    let now = match &called {
        Ok(_) => Some(&course.after),
        Err(error) if error["applied"] == false => Some(&course.before),
        Err(_) => None,
    };
    if let Some(now) = now.filter(|now| **now != trees) {
        return (called, Some(("otherwise".to_owned(), difference(&trees, now))));
    }
    next(&fixture, &session);
    let judged = judge(course, &fixture, &called);
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
                for answer in wrong_answers(&course, at) {
                    // The same process or another one continues.
                    let is_same = (at as usize + number).is_multiple_of(2);
                    let next = |fixture: &Fixture, session: &Session<Faulty>| {
                        if is_same {
                            let _ = call(session, "create_directory", &json!({"path": "/w/elsewhere"}));
                            fixture.grant().at("elsewhere");
                        }
                    };
                    let plan = FaultPlan::WrongAnswer(at, answer.clone());
                    let (called, wrong) = try_one(&course, case, layout, plan, next);
                    complaints.tried();
                    unsure += u64::from(called.as_ref().is_err_and(|error| error["applied"] != false));
                    if let Some((kind, what)) = wrong {
                        complaints.add(format!("{kind}, {} in {layout:?}", case.tool), || {
                            format!(
                                "{}, {answer:?} at {at} of {}: {called:?} {what}",
                                case.name, course.calls
                            )
                        });
                    }
                }
            }
        }
    }
    eprintln!("{unsure} times it was not known what became of it");
    complaints.end("wrong answers");
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
                    let fixture = Fixture::of(case, layout);
                    let session = fixture.session();
                    fixture.machine.set(FaultPlan::FailFrom(at, fault.clone()));
                    let called = call(&session, case.tool, &fixture.args(case));
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
                    if let Err((kind, what)) = judge(&course, &fixture, &called) {
                        complain(&kind, what);
                    }
                }
            }
        }
    }
    complaints.end("faults that last");
}
