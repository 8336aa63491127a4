//! One step of a copy, a move or a creation fails, with and without a history. All objects from
//! before the call still exist, also if the step was to set aside the replaced one.

use fsgate_volume::Fault;
use fsgate_volume::memory::Item;

use super::cases::{CrashCase, cases};
use super::fixture::{Complaints, Fixture, LAYOUTS, Layout, Snapshot, call, difference};
use super::soak;
use super::volume::{FaultPlan, WrongAnswer};

/// Calls that give a path to an object, some by replacing another one.
fn putting() -> impl Iterator<Item = CrashCase> {
    let tools = ["create", "create_directory", "copy", "move"];
    cases().into_iter().filter(move |case| case.earlier.is_empty() && tools.contains(&case.tool))
}

fn plans(at: u64) -> [FaultPlan; 6] {
    let no_words = || Fault::Io("no words".to_owned());
    [
        FaultPlan::Fail(at, no_words()),
        FaultPlan::Fail(at, Fault::Access),
        FaultPlan::FailFrom(at, no_words()),
        FaultPlan::FailFrom(at, Fault::ReadOnly),
        FaultPlan::WrongAnswer(at, WrongAnswer::Fault(no_words())),
        FaultPlan::WrongAnswer(at, WrongAnswer::Again),
    ]
}

fn fixture(case: &CrashCase, layout: Layout, durability: &'static str) -> Fixture {
    let mut fixture = Fixture::new(layout, case.tree);
    fixture.durability = durability;
    fixture
}

fn shown(fixture: &Fixture) -> Snapshot {
    let mut trees = fixture.trees();
    trees.retain(|path, _| !path.contains("/.fsgate-"));
    trees
}

/// True if a file or a record of the history has these bytes.
fn holds(fixture: &Fixture, bytes: &[u8]) -> bool {
    let is_within = |item: &Item| match item {
        Item::File(there) => there.windows(bytes.len().max(1)).any(|window| window == bytes),
        _ => false,
    };
    fixture.has(bytes) || fixture.disks.iter().any(|disk| disk.snapshot().values().any(is_within))
}

#[test]
fn a_step_that_fails_takes_nothing_away_that_was_there_before() {
    let mut complaints = Complaints::default();
    for durability in ["process", "none"] {
        for case in putting() {
            for layout in LAYOUTS.into_iter().filter(|layout| *layout != Layout::Slow) {
                let whole = fixture(&case, layout, durability);
                let before = whole.trees();
                let session = whole.session();
                whole.machine.set(FaultPlan::Well);
                let _ = call(&session, case.tool, &whole.args(&case));
                let (calls, after) = (whole.machine.calls(), shown(&whole));
                let plans = (0..calls).flat_map(|at| plans(at).map(|plan| (at, plan)));
                for (at, plan) in plans.step_by(if soak() { 1 } else { 5 }) {
                    let fixture = fixture(&case, layout, durability);
                    let session = fixture.session();
                    fixture.machine.set(plan.clone());
                    let called = call(&session, case.tool, &fixture.args(&case));
                    fixture.machine.set(FaultPlan::Well);
                    complaints.tried();
                    let mut complain = |kind: &str, what: String| {
                        complaints.add(format!("{kind}, {} in {layout:?}, {durability}", case.tool), || {
                            format!("{}, {plan:?} at {at} of {calls}: {called:?} {what}", case.name)
                        });
                    };
                    // `lying_volume.rs` compares the trees after other plans.
                    let is_one_fault = matches!(plan, FaultPlan::Fail(..));
                    let is_refused = called.as_ref().is_err_and(|error| error["applied"] == false);
                    if is_one_fault && is_refused && shown(&fixture) != before {
                        complain("refused, and not as before", difference(&shown(&fixture), &before));
                    }
                    if is_one_fault && called.is_ok() && shown(&fixture) != after {
                        complain("done, and not so", difference(&shown(&fixture), &after));
                    }
                    // Without a history the replaced object is not kept.
                    let is_to_stay =
                        |item: &Item| durability != "none" || after.values().any(|new| new == item);
                    for (path, item) in &before {
                        let Item::File(bytes) = item else { continue };
                        if is_to_stay(item) && !holds(&fixture, bytes) {
                            complain("lost", path.clone());
                        }
                    }
                }
            }
        }
    }
    complaints.end("steps that fail");
}
