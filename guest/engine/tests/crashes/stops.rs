//! The process dies at any call; the next one recovers.

use std::collections::BTreeMap;

use fsgate_volume::Fault;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

use super::cases::{CrashCase, cases};
use super::fixture::{Complaints, Fixture, LAYOUTS, Layout, Snapshot, call, difference};
use super::volume::{FaultPlan, WrongAnswer};
use super::{SOAK_ROUNDS, soak, soak_round};

pub(crate) struct Course {
    pub(crate) before: Snapshot,
    pub(crate) after: Snapshot,
    /// The history before and after, for a case that changes nothing else.
    pub(crate) past: (Vec<String>, Vec<String>),
    /// The number of calls, and the bytes of those that write.
    pub(crate) calls: u64,
    pub(crate) writes: BTreeMap<u64, usize>,
    /// The changing calls.
    pub(crate) changes: Vec<u64>,
}

fn is_history(case: &CrashCase) -> bool {
    ["checkpoint", "forget"].contains(&case.tool)
}

impl Course {
    pub(crate) fn of(case: &CrashCase, layout: Layout) -> Self {
        let fixture = Fixture::of(case, layout);
        let before = fixture.trees();
        let past = if is_history(case) { fixture.past() } else { Vec::new() };
        let (fixture, called) = Fixture::after(case, layout, FaultPlan::Well);
        let (calls, writes, changes) =
            (fixture.machine.calls(), fixture.machine.writes(), fixture.machine.changes());
        let after = fixture.trees();
        match called {
            Ok(_) => assert!(before != after || !case.earlier.is_empty(), "{}", case.name),
            // Expected: it cannot be kept in a trash on another file system.
            Err(error) => assert_eq!(before, after, "{}: {error}", case.name),
        }
        assert!(fixture.litter().is_empty(), "{} in {layout:?}: {:?}", case.name, fixture.litter());
        let past = if is_history(case) { (past, fixture.past()) } else { (Vec::new(), past) };
        Self { before, after, past, calls, writes: writes.into_iter().collect(), changes }
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.before == self.after && self.past.0 == self.past.1
    }
}

#[test]
fn every_case_is_done_where_nothing_hinders_it() {
    for case in &cases() {
        let fixture = Fixture::new(Layout::Same, case.tree);
        for (tool, args) in &case.earlier {
            fixture
                .earlier(tool, args)
                .unwrap_or_else(|error| panic!("before {}: {tool}: {error}", case.name));
        }
        fixture.call(case.tool, &fixture.args(case)).unwrap_or_else(|error| panic!("{}: {error}", case.name));
    }
}

/// The kind and description of a fault in the outcome, if any.
pub(crate) fn judge(
    course: &Course,
    fixture: &Fixture,
    answer: &Result<Value, Value>,
) -> Result<(), (String, String)> {
    let was_told = answer.is_ok();
    let was_refused = answer.as_ref().is_err_and(|error| error["applied"] == false);
    let said = fixture.heal();
    let trees = fixture.trees();
    let litter = fixture.litter();
    judge_past(course, || fixture.past(), answer)?;
    let wrong = |kind: &str, what| Err((kind.to_owned(), what));
    if trees != course.after && was_told {
        return wrong("told, and not so", difference(&trees, &course.after));
    }
    if trees != course.before && was_refused {
        return wrong("refused, and done", difference(&trees, &course.before));
    }
    if trees != course.after && trees != course.before {
        let beside = |other| difference(&trees, other);
        let (before, after) = (beside(&course.before), beside(&course.after));
        return wrong("a mix", format!("beside before\n{before}beside after\n{after}"));
    }
    if !litter.is_empty() {
        return wrong("litter", format!("{litter:?}"));
    }
    if said["notes"].as_array().is_some_and(|notes| notes.iter().any(|note| note["kind"] == "conflict")) {
        return wrong("a conflict", said.to_string());
    }
    Ok(())
}

/// The same for the history, for a case that changes nothing else.
pub(crate) fn judge_past(
    course: &Course,
    past: impl FnOnce() -> Vec<String>,
    answer: &Result<Value, Value>,
) -> Result<(), (String, String)> {
    let (before, after) = &course.past;
    if before == after {
        return Ok(());
    }
    let past = past();
    let may_be: &[&Vec<String>] = match answer {
        Ok(_) => &[after],
        Err(error) if error["applied"] == false => &[before],
        Err(_) => &[before, after],
    };
    // A note reports what could not be looked at.
    let is_left = |told: &Value| told["notes"].to_string().contains("left_out");
    if answer.as_ref().is_ok_and(is_left) && past.iter().all(|entry| before.contains(entry)) {
        return Ok(());
    }
    if may_be.contains(&&past) {
        return Ok(());
    }
    Err((
        "another history".to_owned(),
        format!(
            "{past:#?}
  instead of
{may_be:#?}
  {answer:?}"
        ),
    ))
}

/// True for the cases of a run. A default run has one in so many, fewer of the long ones; a soak
/// has those of its round.
pub(crate) fn is_tried(case: &CrashCase, (number, row): (usize, usize), one_in: usize) -> bool {
    if let Some(round) = soak_round() {
        return (number + row) % SOAK_ROUNDS == round % SOAK_ROUNDS;
    }
    let one_in = match case.tool {
        // Few and special, so they run more often, except in the layout with the most calls.
        "forget" | "checkpoint" | "recover" | "restore" if row == LAYOUTS.len() - 1 => return false,
        "forget" | "checkpoint" | "recover" => LAYOUTS.len() - 1,
        "restore" => one_in,
        _ if case.earlier.is_empty() => one_in,
        _ => one_in * 4,
    };
    (number + row).is_multiple_of(one_in)
}

/// The numbers of bytes that an interrupted write has written.
fn parts(bytes: Option<&usize>) -> Vec<usize> {
    match bytes {
        None => vec![0],
        Some(bytes) => {
            let mut parts = vec![0, 1, bytes / 2, bytes.saturating_sub(1)];
            parts.sort_unstable();
            parts.dedup();
            parts
        }
    }
}

#[test]
fn a_death_at_any_call_leaves_what_was_or_what_should_be() {
    let mut complaints = Complaints::default();
    for (number, case) in cases().iter().enumerate() {
        for (row, layout) in LAYOUTS.into_iter().enumerate() {
            if !is_tried(case, (number, row), 48) {
                continue;
            }
            let course = Course::of(case, layout);
            for at in 0..course.calls {
                for part in parts(course.writes.get(&at)) {
                    let (fixture, called) = Fixture::after(case, layout, FaultPlan::Stop(at, part));
                    complaints.tried();
                    if let Err((kind, what)) = judge(&course, &fixture, &called) {
                        complaints.add(format!("{kind}, {} in {layout:?}", case.tool), || {
                            format!("{}, dead at {at} of {} ({part} bytes): {what}", case.name, course.calls)
                        });
                    }
                }
            }
        }
    }
    complaints.end("deaths");
}

/// A call of `recover` is interrupted anywhere, and the next one completes it.
#[test]
fn a_recovery_that_is_hindered_anywhere_is_done_by_the_next_one() {
    let mut complaints = Complaints::default();
    for (number, case) in cases().iter().enumerate() {
        for (row, layout) in LAYOUTS.into_iter().enumerate() {
            if !is_tried(case, (number, row), 36) || layout == Layout::Slow {
                continue;
            }
            let course = Course::of(case, layout);
            // Only a half-made change leaves something to recover.
            let Some(&dead) = course.changes.get(course.changes.len() / 2) else { continue };
            let left = || {
                let fixture = Fixture::of(case, layout);
                let session = fixture.session();
                fixture.machine.set(FaultPlan::Stop(dead, 1));
                let _ = call(&session, case.tool, &fixture.args(case));
                fixture.machine.set(FaultPlan::Well);
                (fixture.session(), fixture)
            };
            let (session, fixture) = left();
            fixture.machine.set(FaultPlan::Well);
            call(&session, "recover", &json!({})).unwrap();
            let (calls, changes) = (fixture.machine.calls(), fixture.machine.changes());
            for at in 0..calls {
                let fault = || Fault::Io("no words".to_owned());
                let mut plans = vec![FaultPlan::Stop(at, 1), FaultPlan::Fail(at, fault())];
                if changes.contains(&at) {
                    plans.extend([
                        FaultPlan::FailFrom(at, fault()),
                        FaultPlan::WrongAnswer(at, WrongAnswer::Fault(fault())),
                    ]);
                    plans.push(FaultPlan::WrongAnswer(at, WrongAnswer::Again));
                }
                for plan in plans {
                    let (session, fixture) = left();
                    fixture.machine.set(plan.clone());
                    let recovered = call(&session, "recover", &json!({}));
                    // The outcome of the call before is unknown.
                    let judged = judge(&course, &fixture, &Err(Value::Null));
                    complaints.tried();
                    if let Err((kind, what)) = judged {
                        complaints.add(format!("{kind}, {} in {layout:?}", case.tool), || {
                            format!("{}, dead at {dead}, then {plan:?}: {recovered:?} {what}", case.name)
                        });
                    }
                }
            }
        }
    }
    complaints.end("recoveries that are hindered");
}

#[test]
fn a_death_while_a_state_directory_is_made_is_no_harm() {
    let mut complaints = Complaints::default();
    let case = &cases()[0];
    for layout in LAYOUTS {
        let course = Course::of(case, layout);
        for at in 0.. {
            let fixture = Fixture::of(case, layout);
            fixture.machine.set(FaultPlan::Stop(at, at as usize % 9));
            let session = fixture.session();
            if fixture.machine.calls() <= at {
                break;
            }
            let called = call(&session, case.tool, &fixture.args(case));
            complaints.tried();
            if let Err((kind, what)) = judge(&course, &fixture, &called) {
                complaints.add(format!("{kind} in {layout:?}"), || format!("dead at {at}: {what}"));
            }
        }
    }
    complaints.end("deaths while a state directory is made");
}

/// A large change is followed by a new file of the log.
#[test]
fn a_death_between_two_files_of_the_log_is_no_harm() {
    let mut complaints = Complaints::default();
    let large = json!({"path": "large.txt", "content": "a large file\n".repeat(25_000)});
    let smaller = json!({"path": "large.txt", "content": "a small file"});
    for (tool, args) in [("replace", json!({"path": "a.txt", "old": "two", "new": "2"})), ("undo", json!({}))]
    {
        let case = CrashCase {
            name: format!("{tool} behind a large change"),
            tree: &[("w/a.txt", "one two three"), ("v/", "")],
            earlier: vec![("write", large.clone()), ("write", smaller.clone())],
            tool,
            args,
        };
        for layout in [Layout::Same, Layout::Other] {
            let case = &case;
            let course = Course::of(case, layout);
            assert!(Fixture::of(case, layout).state().at("log").snapshot().len() > 1);
            for at in 0..course.calls {
                for part in parts(course.writes.get(&at)) {
                    let (fixture, called) = Fixture::after(case, layout, FaultPlan::Stop(at, part));
                    complaints.tried();
                    if let Err((kind, what)) = judge(&course, &fixture, &called) {
                        complaints
                            .add(format!("{kind}, {tool} in {layout:?}"), || format!("dead at {at}: {what}"));
                    }
                }
            }
        }
    }
    complaints.end("deaths between two files of the log");
}

/// A crash, and crashes of its recoveries, in 65,536ths of the calls.
#[derive(Debug, Clone)]
struct Deaths {
    case: prop::sample::Index,
    layout: prop::sample::Index,
    at: Vec<(u16, u16)>,
}

#[test]
fn deaths_of_those_who_repair_change_nothing() {
    let cases = cases();
    let mut courses = BTreeMap::new();
    let index = any::<prop::sample::Index>;
    let plans = (index(), index(), prop::collection::vec(any::<(u16, u16)>(), 2..6))
        .prop_map(|(case, layout, at)| Deaths { case, layout, at });
    let count = if soak() { 20_000 } else { 1_000 };
    let mut complaints = Complaints::default();
    let config = Config { cases: count, failure_persistence: None, ..Config::default() };
    let mut run = TestRunner::new(config);
    for _ in 0..count {
        let plan = plans.new_tree(&mut run).unwrap().current();
        let (number, layout) = (plan.case.index(cases.len()), LAYOUTS[plan.layout.index(LAYOUTS.len())]);
        let case = &cases[number];
        let course = courses.entry((number, layout as u8)).or_insert_with(|| Course::of(case, layout));
        let fixture = Fixture::of(case, layout);
        let session = fixture.session();
        let mut answer = Err(Value::Null);
        for (round, (at, part)) in plan.at.iter().enumerate() {
            let at = |calls: u64| calls * u64::from(*at) / 65_536;
            if round == 0 {
                fixture.machine.set(FaultPlan::Stop(at(course.calls), usize::from(*part) % 64));
                answer = call(&session, case.tool, &fixture.args(case));
            } else {
                // The longest recovery ends within so many calls.
                fixture.machine.set(FaultPlan::Stop(at(course.calls * 2 + 60), usize::from(*part) % 64));
                let _ = fixture.call("create_directory", &json!({"path": "/w/elsewhere"}));
                fixture.grant().at("elsewhere");
            }
        }
        complaints.tried();
        if let Err((kind, what)) = judge(course, &fixture, &answer) {
            complaints.add(format!("{kind}, {} in {layout:?}", case.tool), || {
                format!("{}, {:?}: {what}", case.name, plan.at)
            });
        }
    }
    complaints.end("chains of deaths");
}
