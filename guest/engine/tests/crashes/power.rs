//! The machine loses power, and with it everything unsynced.

use fsgate_volume::Fault;
use serde_json::{Value, json};

use super::cases::{CrashCase, cases};
use super::fixture::{Complaints, Fixture, LAYOUTS, Layout, call, difference};
use super::stops::{Course, is_tried, judge_past};
use super::volume::FaultPlan;
use super::{every, soak};

#[derive(Debug, Clone, Copy)]
struct Next {
    at: u64,
    durability: &'static str,
    /// With the power.
    with_power: bool,
}

struct Loss<'a> {
    case: &'a CrashCase,
    layout: Layout,
    course: Course,
    calls: u64,
    /// Contents of some file before and after it, also in the trash.
    lasting: Vec<&'static str>,
}

impl<'a> Loss<'a> {
    fn of(case: &'a CrashCase, layout: Layout) -> Self {
        let fixture = Fixture::of(case, layout).with_power(0);
        let session = fixture.session();
        let mut lasting: Vec<_> = case.tree.iter().map(|(_, content)| *content).collect();
        lasting.retain(|content| fixture.has(content.as_bytes()));
        fixture.machine.set(FaultPlan::Well);
        let _ = call(&session, case.tool, &fixture.args(case));
        lasting.retain(|content| fixture.has(content.as_bytes()));
        Self { case, layout, course: Course::of(case, layout), calls: fixture.machine.calls() + 1, lasting }
    }

    /// The changing calls. A crash at a look equals one at the next change.
    fn deaths(&self) -> Vec<u64> {
        self.deaths_under(FaultPlan::Well)
    }

    fn deaths_under(&self, plan: FaultPlan) -> Vec<u64> {
        let fixture = Fixture::of(self.case, self.layout).with_power(0);
        let session = fixture.session();
        let is_well = matches!(plan, FaultPlan::Well);
        fixture.machine.set(plan);
        let called = call(&session, self.case.tool, &fixture.args(self.case));
        assert!(called.is_ok() || !is_well, "{}: {called:?}", self.case.name);
        fixture.machine.changes()
    }

    fn deaths_behind(&self, at: u64, durability: &str) -> Vec<u64> {
        let fixture = Fixture::of(self.case, self.layout).with_power(0);
        let session = fixture.session();
        fixture.machine.set(FaultPlan::Stop(at, 3));
        let _ = call(&session, self.case.tool, &fixture.args(self.case));
        fixture.machine.set(FaultPlan::Well);
        recover(&fixture, durability).unwrap();
        fixture.machine.changes()
    }

    /// A crash with or without the power, then a recovery, then a good run. Returns true if the
    /// trash had something until it was pruned.
    fn judge(
        &self,
        death: &FaultPlan,
        goes_later: bool,
        again: &[Next],
        seed: u64,
        complaints: &mut Complaints,
    ) -> bool {
        let Self { case, layout, course, calls, lasting } = self;
        let fixture = Fixture::of(case, *layout).with_power(seed);
        let session = fixture.session();
        fixture.machine.set(death.clone());
        let called = call(&session, case.tool, &fixture.args(case));
        let was_told = called.is_ok();
        // A refused recovery can be complete, and only not synced.
        let called = called.map_err(|_| json!({"applied": true}));
        if !goes_later {
            fixture.crash();
        }
        for Next { at, durability, with_power } in again {
            // A session without such records need not sync.
            if *durability == "process" && !fixture.is_unfinished() {
                return false;
            }
            fixture.machine.set(FaultPlan::Stop(*at, 3));
            let _ = recover(&fixture, durability);
            if *with_power {
                fixture.crash();
            }
        }
        // The next process may sync less for its own changes.
        let said = fixture.heal_with(if seed.is_multiple_of(2) { "power" } else { "process" });
        complaints.tried();
        let mut complain = |kind: &str, what: String| {
            complaints.add(format!("{kind}, {} in {layout:?}", case.tool), || {
                format!(
                    "{}, {death:?} of {calls}, then {again:?}, goes later: {goes_later}, seed {seed}: {what}",
                    case.name
                )
            });
        };
        let said = match said {
            Ok(said) => said,
            Err(error) => {
                complain("nothing can be changed any more", error.to_string());
                return false;
            }
        };
        let trees = fixture.trees();
        let lost: Vec<_> = lasting.iter().filter(|content| !fixture.has(content.as_bytes())).collect();
        let judged = judge_past(course, || fixture.past(), &called);
        let mut litter = fixture.litter();
        // Pruning removes what the trash should have lost and may have again.
        let was_in_trash = litter.iter().any(|path| path.contains("/trash/"));
        if was_in_trash {
            fixture.look_through();
            litter = fixture.litter();
        }
        if let Err((kind, what)) = judged {
            complain(&kind, what);
        } else if trees != course.after && (was_told || trees != course.before) {
            let (before, after) = (difference(&trees, &course.before), difference(&trees, &course.after));
            let told = if was_told { "told, and not so" } else { "a mix" };
            complain(told, format!("beside before\n{before}beside after\n{after}"));
        } else if !lost.is_empty() {
            complain("it is nowhere any more", format!("{lost:?}"));
        } else if !litter.is_empty() {
            complain("litter", format!("{litter:?}"));
        } else if said.to_string().contains("\"conflict\"") {
            complain("a conflict", said.to_string());
        }
        was_in_trash
    }
}

/// A session recovers. It makes a change of its own if that has to survive the same.
pub(super) fn recover(fixture: &Fixture, durability: &str) -> Result<Value, Value> {
    let session = fixture.session_with(&["/w", "/v"], &[("FSGATE_DURABILITY", durability)]);
    match durability {
        "power" => call(&session, "create_directory", &json!({"path": "/w/elsewhere"})),
        _ => call(&session, "recover", &json!({})),
    }
}

#[test]
fn a_loss_of_power_at_any_call_leaves_what_was_or_what_should_be() {
    let mut complaints = Complaints::default();
    let (mut seed, mut in_trash) = (0_u64, 0_u64);
    for (number, case) in cases().iter().enumerate() {
        for (row, layout) in LAYOUTS.into_iter().enumerate() {
            if matches!(layout, Layout::Dumb | Layout::Slow) || !is_tried(case, (number, row), 18) {
                continue;
            }
            let loss = Loss::of(case, layout);
            for at in 0..loss.calls {
                for round in 0..if soak() { 6 } else { 2 } {
                    seed += 1;
                    // The power can go much later than the process, after a second crash in
                    // recovery.
                    let goes_later = seed.is_multiple_of(3);
                    let again = 0..round % 3 + u64::from(goes_later);
                    let again: Vec<_> = again
                        .map(|again| Next {
                            at: (seed * 7 + again * 13) % (loss.calls + 40),
                            durability: "power",
                            with_power: true,
                        })
                        .collect();
                    let death = &FaultPlan::Stop(at, round as usize % 7);
                    in_trash += u64::from(loss.judge(death, goes_later, &again, seed, &mut complaints));
                }
            }
        }
    }
    eprintln!("{in_trash} times there was something in the trash until the history was looked through");
    complaints.end("losses of power");
}

/// Changes of files in both grants, with the calls before them.
fn some_cases() -> Vec<CrashCase> {
    let tree: &[_] = &[
        ("w/a.txt", "one two three"),
        ("w/b.txt", "other"),
        ("w/d/f.txt", "f"),
        ("w/d/g.txt", "g"),
        ("v/x.txt", "x"),
    ];
    let case = |tool: &'static str, args: Value, earlier: &[(&'static str, Value)]| {
        let name = format!("{tool} {args} behind {earlier:?}");
        CrashCase { name, tree, earlier: earlier.to_vec(), tool, args }
    };
    let delete = ("delete", json!({"path": "a.txt"}));
    let moved = json!({"source": "a.txt", "destination": "b.txt", "overwrite": true});
    let label = ("checkpoint", json!({"label": "here"}));
    let to = json!({"to": "here"});
    let whole = json!({"path": "d", "recursive": true});
    let patch = "diff --git a/a.txt b/p/a.txt\nsimilarity index 100%\nrename from a.txt\nrename to p/a.txt\n\
        diff --git a/b.txt b/b.txt\ndeleted file mode 100644\n--- a/b.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-other\n\\ No newline at end of file\n";
    vec![
        case("undo", json!({}), std::slice::from_ref(&delete)),
        case("undo", to.clone(), &[label.clone(), delete.clone(), ("delete", json!({"path": "b.txt"}))]),
        case("undo", json!({}), &[("move", moved.clone())]),
        case("undo", to, &[label, ("move", moved.clone()), ("delete", json!({"path": "b.txt"}))]),
        case("move", moved, &[]),
        case("move", json!({"source": "a.txt", "destination": "p/q.txt"}), &[]),
        case("apply", json!({ "patch": patch }), &[]),
        case("replace", json!({"path": "a.txt", "old": "two", "new": "two and a half"}), &[]),
        case(
            "apply",
            json!({"edits": [{"path": "a.txt", "old": "two", "new": "2"}, {"path": "/v/x.txt", "delete": true}]}),
            &[],
        ),
        case("delete_directory", whole.clone(), &[]),
        case("delete_directory", json!({"path": "d", "recursive": true, "keep": false}), &[]),
        case("undo", json!({}), &[("delete_directory", whole)]),
        case("copy", json!({"source": "d", "destination": "p/d", "recursive": true}), &[]),
    ]
}

/// Unsynced changes of a dead process are visible to recovery, which must not rely on them.
#[test]
fn the_power_may_go_when_somebody_is_dealing_with_a_death() {
    let mut complaints = Complaints::default();
    let mut seed = 0;
    for case in &some_cases() {
        for layout in [Layout::Same, Layout::Other, Layout::Two] {
            let loss = Loss::of(case, layout);
            for at in loss.deaths() {
                for durability in ["power", "process"] {
                    for again in loss.deaths_behind(at, durability).into_iter().step_by(every(5)) {
                        for _ in 0..if soak() { 10 } else { 1 } {
                            seed += 1;
                            let next = Next { at: again, durability, with_power: true };
                            loss.judge(&FaultPlan::Stop(at, 3), true, &[next], seed, &mut complaints);
                        }
                    }
                }
            }
        }
    }
    complaints.end("losses of power while somebody is dealing with a death");
}

#[test]
fn the_power_may_go_with_the_second_one_who_is_dealing_with_a_death() {
    let mut complaints = Complaints::default();
    let mut seed = 0_u64;
    for case in &some_cases() {
        for layout in [Layout::Same, Layout::Other, Layout::Two] {
            let loss = Loss::of(case, layout);
            for at in loss.deaths() {
                let behind = loss.deaths_behind(at, "power");
                for first in behind.iter().step_by(every(7)) {
                    for _ in 0..if soak() { 20 } else { 1 } {
                        seed += 1;
                        let durability = ["power", "process"][seed as usize / 3 % 2];
                        // It starts from much the same state as the first one.
                        let second = behind[seed as usize * 7 % behind.len()];
                        let again = [
                            Next { at: *first, durability, with_power: false },
                            Next { at: second, durability: "power", with_power: true },
                        ];
                        loss.judge(&FaultPlan::Stop(at, 3), true, &again, seed, &mut complaints);
                    }
                }
            }
        }
    }
    complaints.end("losses of power while the second one is dealing with a death");
}

/// A rollback within a call relies on nothing unsynced either.
#[test]
fn the_power_may_go_when_a_call_takes_back_what_could_not_be_done() {
    let mut complaints = Complaints::default();
    let mut seed = 0_u64;
    let mut cases = some_cases();
    let tree = &[("w/d/f.txt", "f"), ("w/d/e/g.txt", "g"), ("v/", "")];
    for (tool, args) in [
        ("delete_directory", json!({"path": "d", "recursive": true})),
        ("move", json!({"source": "d", "destination": "/v/p/d", "recursive": true})),
    ] {
        cases.push(CrashCase { name: format!("{tool} {args}"), tree, earlier: Vec::new(), tool, args });
    }
    for case in &cases {
        for layout in [Layout::Same, Layout::Other, Layout::Two] {
            let loss = Loss::of(case, layout);
            if loss.course.is_idle() {
                // No directory is moved to another file system.
                continue;
            }
            for at in loss.deaths() {
                let fault = Fault::Io("no words".to_owned());
                let deaths = loss.deaths_under(FaultPlan::Fail(at, fault.clone()));
                for then in deaths.into_iter().step_by(every(3)) {
                    for _ in 0..if soak() { 10 } else { 1 } {
                        seed += 1;
                        if then > at {
                            let death = FaultPlan::FailAndStop(at, fault.clone(), then);
                            loss.judge(&death, false, &[], seed, &mut complaints);
                        }
                    }
                }
            }
        }
    }
    complaints.end("losses of power behind a fault");
}

/// A pending change that was completed does not become pending again after a loss of power: its
/// object is another one by then.
#[test]
fn a_loss_of_power_brings_nothing_back_that_has_waited() {
    let tree: &[_] = &[("w/a.txt", "one two three"), ("w/d/f.txt", "f"), ("v/x.txt", "x")];
    let edit = json!({"path": "a.txt", "old": "two", "new": "2"});
    let theirs = json!({"path": "/v/x.txt", "old": "x", "new": "y"});
    let mut complaints = Complaints::default();
    let mut seed = 0_u64;
    for edits in [
        json!([edit, theirs]),
        json!([theirs, edit]),
        json!([{"path": "new.txt", "content": "new"}, theirs]),
        json!([theirs, {"path": "d/e/new.txt", "content": "new"}, {"path": "/v/new.txt", "content": "new"}]),
    ] {
        let name = format!("apply {edits}");
        let case =
            &CrashCase { name, tree, earlier: Vec::new(), tool: "apply", args: json!({ "edits": edits }) };
        for layout in [Layout::Same, Layout::Two] {
            let loss = Loss::of(case, layout);
            for at in loss.deaths() {
                for _ in 0..if soak() { 100 } else { 8 } {
                    seed += 1;
                    let fixture = Fixture::of(case, layout).with_power(seed);
                    let session = fixture.session();
                    fixture.machine.set(FaultPlan::Stop(at, 3));
                    let _ = call(&session, case.tool, &case.args);
                    fixture.machine.set(FaultPlan::Well);
                    let narrow = fixture.session_over(&[["/w", "/v"][seed as usize % 2]]);
                    call(&narrow, "recover", &json!({})).unwrap();
                    // It may die, and a process with less durability continues.
                    fixture.machine.set(match seed.is_multiple_of(3) {
                        true => FaultPlan::Stop(seed / 3 % 90, 3),
                        false => FaultPlan::Well,
                    });
                    let _ = recover(&fixture, "power");
                    fixture.machine.set(FaultPlan::Well);
                    recover(&fixture, "process").unwrap();
                    if fixture.call(case.tool, &case.args).is_err() {
                        // It was completed before.
                        continue;
                    }
                    fixture.crash();
                    fixture.heal();
                    fixture.call("recover", &json!({})).unwrap();
                    complaints.tried();
                    let trees = fixture.trees();
                    if trees != loss.course.after {
                        complaints.add(format!("told, and not so, in {layout:?}"), || {
                            let difference = difference(&trees, &loss.course.after);
                            format!("{}, dead at {at}, seed {seed}: {difference}", case.name)
                        });
                    }
                }
            }
        }
    }
    complaints.end("losses of power behind what has waited");
}

#[test]
fn a_loss_of_power_does_not_take_what_others_have_not_synced_and_he_needs() {
    let mut complaints = Complaints::default();
    let tree: &[_] = &[("w/a.txt", "one two three"), ("w/b.txt", "b"), ("v/", "")];
    let mut seed = 0_u64;
    for (tool, args) in [
        ("replace", json!({"path": "a.txt", "old": "two", "new": "two and a half"})),
        ("write", json!({"path": "a.txt", "content": "something else"})),
        ("move", json!({"source": "a.txt", "destination": "b.txt", "overwrite": true})),
    ] {
        for layout in [Layout::Same, Layout::Other, Layout::Two] {
            let new = |seed| {
                let fixture = Fixture::new(layout, tree).with_power(seed);
                let theirs = fixture.session_with(&["/w", "/v"], &[("FSGATE_DURABILITY", "process")]);
                call(&theirs, "checkpoint", &json!({"label": "theirs"})).unwrap();
                fixture
            };
            let calm = new(0);
            let session = calm.session();
            let before = calm.trees();
            calm.machine.set(FaultPlan::Well);
            calm.machine.record();
            call(&session, tool, &args).unwrap();
            let (after, calls) = (calm.trees(), calm.machine.changes());
            // Until then, they own the state of the change.
            let is_sure = |step: &String| step.starts_with("sync /.fsgate") && step.ends_with("/control");
            let sure = calm.machine.recorded().iter().position(is_sure).unwrap() as u64;
            for at in calls.iter().copied().chain([u64::MAX]).filter(|at| *at > sure) {
                for _ in 0..if soak() { 200 } else { 20 } {
                    seed += 1;
                    let fixture = new(seed);
                    let session = fixture.session();
                    fixture.machine.set(FaultPlan::Stop(at, 3));
                    let told = call(&session, tool, &args).is_ok();
                    fixture.crash();
                    fixture.heal();
                    complaints.tried();
                    let found = fixture.trees();
                    if found != after && (told || found != before) {
                        complaints.add(format!("told: {told}, {tool} in {layout:?}"), || {
                            format!("dead at {at}, seed {seed}: {}", difference(&found, &after))
                        });
                    }
                }
            }
        }
    }
    complaints.end("losses of power behind what was not to survive one");
}
