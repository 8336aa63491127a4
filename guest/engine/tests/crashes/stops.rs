//! The process dies at any call; the next one recovers.

use std::collections::BTreeMap;

use fsgate_volume::Fault;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

use super::cases::{Case, cases};
use super::scene::{Complaints, LAYOUTS, Layout, Scene, Snapshot, call, difference};
use super::soak;
use super::volume::{Lie, Plan};

/// A case in a layout, with its undisturbed outcome.
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

/// True for a change of the history alone.
fn is_history(case: &Case) -> bool {
    ["checkpoint", "forget"].contains(&case.tool)
}

impl Course {
    pub(crate) fn of(case: &Case, layout: Layout) -> Self {
        let scene = Scene::of(case, layout);
        let before = scene.trees();
        let past = if is_history(case) { scene.past() } else { Vec::new() };
        let scene = Scene::of(case, layout);
        let session = scene.session();
        scene.machine.set(Plan::Well);
        let called = call(&session, case.tool, &scene.args(case));
        let (calls, writes, changes) =
            (scene.machine.calls(), scene.machine.writes(), scene.machine.changes());
        let after = scene.trees();
        match called {
            Ok(_) => assert!(before != after || !case.earlier.is_empty(), "{}", case.name),
            // Expected: it cannot be kept in a trash on another file system.
            Err(error) => assert_eq!(before, after, "{}: {error}", case.name),
        }
        assert!(scene.litter().is_empty(), "{} in {layout:?}: {:?}", case.name, scene.litter());
        let past = if is_history(case) { (past, scene.past()) } else { (Vec::new(), past) };
        Self { before, after, past, calls, writes: writes.into_iter().collect(), changes }
    }

    /// True if the case has no subject.
    pub(crate) fn is_idle(&self) -> bool {
        self.before == self.after && self.past.0 == self.past.1
    }
}

#[test]
fn every_case_is_done_where_nothing_hinders_it() {
    for case in &cases() {
        let scene = Scene::new(Layout::Same, case.tree);
        for (tool, args) in &case.earlier {
            scene.earlier(tool, args).unwrap_or_else(|error| panic!("before {}: {tool}: {error}", case.name));
        }
        scene.call(case.tool, &scene.args(case)).unwrap_or_else(|error| panic!("{}: {error}", case.name));
    }
}

/// The kind and description of a fault in the outcome, if any.
pub(crate) fn judge(
    course: &Course,
    scene: &Scene,
    answer: &Result<Value, Value>,
) -> Result<(), (String, String)> {
    let was_told = answer.is_ok();
    let was_refused = answer.as_ref().is_err_and(|error| error["applied"] == false);
    let said = scene.heal();
    let trees = scene.trees();
    let litter = scene.litter();
    judge_past(course, || scene.past(), answer)?;
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

/// True for the cases of a default run: one in so many, fewer of the long ones.
pub(crate) fn is_tried(case: &Case, (number, row): (usize, usize), one_in: usize) -> bool {
    let one_in = match case.tool {
        // Few and special, so they run more often, except in the layout with the most calls.
        "forget" | "checkpoint" | "recover" | "restore" if row == LAYOUTS.len() - 1 => return soak(),
        "forget" | "checkpoint" | "recover" => LAYOUTS.len() - 1,
        "restore" => one_in,
        _ if case.earlier.is_empty() => one_in,
        _ => one_in * 4,
    };
    soak() || (number + row).is_multiple_of(one_in)
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
            if !is_tried(case, (number, row), 24) {
                continue;
            }
            let course = Course::of(case, layout);
            for at in 0..course.calls {
                for part in parts(course.writes.get(&at)) {
                    let scene = Scene::of(case, layout);
                    let session = scene.session();
                    scene.machine.set(Plan::Stop(at, part));
                    let called = call(&session, case.tool, &scene.args(case));
                    complaints.tried();
                    if let Err((kind, what)) = judge(&course, &scene, &called) {
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
                let scene = Scene::of(case, layout);
                let session = scene.session();
                scene.machine.set(Plan::Stop(dead, 1));
                let _ = call(&session, case.tool, &scene.args(case));
                scene.machine.set(Plan::Well);
                (scene.session(), scene)
            };
            let (session, scene) = left();
            scene.machine.set(Plan::Well);
            call(&session, "recover", &json!({})).unwrap();
            let (calls, changes) = (scene.machine.calls(), scene.machine.changes());
            for at in 0..calls {
                let fault = || Fault::Io("no words".to_owned());
                let mut plans = vec![Plan::Stop(at, 1), Plan::Fail(at, fault())];
                if changes.contains(&at) {
                    plans.extend([Plan::FailFrom(at, fault()), Plan::Lie(at, Lie::Fault(fault()))]);
                    plans.push(Plan::Lie(at, Lie::Again));
                }
                for plan in plans {
                    let (session, scene) = left();
                    scene.machine.set(plan.clone());
                    let recovered = call(&session, "recover", &json!({}));
                    // The outcome of the call before is unknown.
                    let judged = judge(&course, &scene, &Err(Value::Null));
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
            let scene = Scene::of(case, layout);
            scene.machine.set(Plan::Stop(at, at as usize % 9));
            let session = scene.session();
            if scene.machine.calls() <= at {
                break;
            }
            let called = call(&session, case.tool, &scene.args(case));
            complaints.tried();
            if let Err((kind, what)) = judge(&course, &scene, &called) {
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
        let case = Case {
            name: format!("{tool} behind a large change"),
            tree: &[("w/a.txt", "one two three"), ("v/", "")],
            earlier: vec![("write", large.clone()), ("write", smaller.clone())],
            tool,
            args,
        };
        for layout in [Layout::Same, Layout::Other] {
            let case = &case;
            let course = Course::of(case, layout);
            assert!(Scene::of(case, layout).state().at("log").snapshot().len() > 1);
            for at in 0..course.calls {
                for part in parts(course.writes.get(&at)) {
                    let scene = Scene::of(case, layout);
                    let session = scene.session();
                    scene.machine.set(Plan::Stop(at, part));
                    let called = call(&session, case.tool, &scene.args(case));
                    complaints.tried();
                    if let Err((kind, what)) = judge(&course, &scene, &called) {
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
        let scene = Scene::of(case, layout);
        let session = scene.session();
        let mut answer = Err(Value::Null);
        for (round, (at, part)) in plan.at.iter().enumerate() {
            let at = |calls: u64| calls * u64::from(*at) / 65_536;
            if round == 0 {
                scene.machine.set(Plan::Stop(at(course.calls), usize::from(*part) % 64));
                answer = call(&session, case.tool, &scene.args(case));
            } else {
                // The longest recovery ends within so many calls.
                scene.machine.set(Plan::Stop(at(course.calls * 2 + 60), usize::from(*part) % 64));
                let _ = scene.call("create_directory", &json!({"path": "/w/elsewhere"}));
                scene.grant().at("elsewhere");
            }
        }
        complaints.tried();
        if let Err((kind, what)) = judge(course, &scene, &answer) {
            complaints.add(format!("{kind}, {} in {layout:?}", case.tool), || {
                format!("{}, {:?}: {what}", case.name, plan.at)
            });
        }
    }
    complaints.end("chains of deaths");
}
