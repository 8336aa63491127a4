//! Every case, through every way to make a call.

use fsgate_tests::case;
use fsgate_tests::runner::Runner;

#[test]
fn every_case_holds_in_the_core() {
    run(Runner::Core);
}

#[test]
fn every_case_holds_in_typed_calls_of_the_component() {
    run(Runner::Typed);
}

#[test]
fn every_case_holds_in_json_calls_of_the_component() {
    run(Runner::Json);
}

#[expect(clippy::print_stderr, reason = "what was left out, and why, is part of a run's result")]
fn run(runner: Runner) {
    let cases = case::all().unwrap_or_else(|error| panic!("{error:#}"));
    let (mut ran, mut failures) = (0, Vec::new());
    for case in &cases {
        let name = format!("{}.cases.md, {}, {}", case.file, case.tool, case.name);
        if let Some(reason) = runner.skips(case) {
            if case.only.is_some() {
                eprintln!("{runner:?} leaves out {name}: {reason}");
            }
            continue;
        }
        ran += 1;
        let problems = runner.run(case);
        if !problems.is_empty() {
            failures.push(format!("{name}:\n    {}", problems.join("\n    ")));
        }
    }
    assert!(ran > 0, "there are no cases");
    eprintln!("{runner:?}: {ran} of {} cases", cases.len());
    assert!(failures.is_empty(), "{} of {ran} cases fail:\n  {}", failures.len(), failures.join("\n  "));
}
