//! One call to a volume fails, and the process lives on.

use fsgate_volume::Fault;

use super::cases::cases;
use super::fixture::{Complaints, Fixture, LAYOUTS, Layout, difference};
use super::soak;
use super::stops::{Course, is_tried, judge_past};
use super::volume::FaultPlan;

#[test]
fn a_fault_at_any_call_is_an_error_and_nothing_changed_or_all_is_well() {
    let faults =
        [Fault::NoSpace, Fault::Io("no words".to_owned()), Fault::Access, Fault::ReadOnly, Fault::Busy];
    let mut complaints = Complaints::default();
    for (number, case) in cases().iter().enumerate() {
        for (row, layout) in LAYOUTS.into_iter().enumerate() {
            // A small buffer makes many similar calls.
            let one_in = match (soak(), layout == Layout::Slow) {
                (false, true) => continue,
                (true, false) => 1,
                _ => 59,
            };
            if !is_tried(case, (number, row), 1) {
                continue;
            }
            let course = Course::of(case, layout);
            for at in 0..course.calls {
                for (column, fault) in faults.iter().enumerate() {
                    if !(number + row + at as usize + column).is_multiple_of(one_in) {
                        continue;
                    }
                    let (fixture, called) = Fixture::after(case, layout, FaultPlan::Fail(at, fault.clone()));
                    complaints.tried();
                    let mut complain = |kind: &str, what: String| {
                        complaints.add(format!("{kind}, {} in {layout:?}", case.tool), || {
                            let calls = course.calls;
                            format!("{}, {fault:?} at {at} of {calls}: {called:?} {what}", case.name)
                        });
                    };
                    if called.as_ref().is_err_and(|error| error["applied"] != false) {
                        complain("applied", String::new());
                        continue;
                    }
                    let expected = if called.is_ok() { &course.after } else { &course.before };
                    let mut trees = fixture.trees();
                    if called.is_ok() {
                        // A file that cannot be removed is litter until the next call.
                        trees.retain(|path, _| !path.contains("/.fsgate-"));
                    }
                    if trees != *expected {
                        complain("other", difference(&trees, expected));
                        continue;
                    }
                    let said = fixture.heal();
                    let trees = fixture.trees();
                    if let Err((kind, what)) = judge_past(&course, || fixture.past(), &called) {
                        complain(&kind, what);
                    } else if trees != *expected {
                        complain("other behind the next call", difference(&trees, expected));
                    } else if !fixture.litter().is_empty() {
                        complain("litter", format!("{:?}", fixture.litter()));
                    } else if said.to_string().contains("conflict") {
                        complain("a conflict", said.to_string());
                    }
                }
            }
        }
    }
    complaints.end("faults");
}
