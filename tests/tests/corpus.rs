//! Every case, through every way to make a call.

use fsgate::ReadArgs;
use fsgate_tests::case;
use fsgate_tests::disk::Disk;
use fsgate_tests::report::Report;
use fsgate_tests::runner::Runner;
use fsgate_tests::tree::Tree;
use serde_json::Value;

#[test]
fn every_case_holds_in_the_core() {
    run(Runner::Core, "core-in-memory");
}

#[test]
fn every_case_holds_in_the_core_on_a_disk() {
    run(Runner::Native, "core-on-a-disk");
}

#[test]
fn every_case_holds_in_typed_calls_of_the_component() {
    run(Runner::Typed, "fsgate-typed");
}

#[test]
fn every_case_holds_in_json_calls_of_the_component() {
    run(Runner::Json, "fsgate-json");
}

/// What no case can say, because every case runs in both: the two kinds of calls differ in one default.
#[test]
fn typed_calls_show_more_than_calls_in_json() {
    let tree = Tree::parse("file w/a.txt \"$repeat(30000, 123456789\\n)\"").unwrap();
    let disk = Disk::new(&tree).unwrap();
    let gate = disk.gate(&tree).unwrap();
    let args = ReadArgs { path: "a.txt".into(), ..Default::default() };
    assert_eq!(gate.read(&args).unwrap().content.len(), 262_140);
    let outcome: Value = serde_json::from_str(&gate.call("read", r#"{"path": "a.txt"}"#).unwrap()).unwrap();
    assert_eq!(outcome["content"].as_str().map(str::len), Some(40_000));
}

#[expect(clippy::print_stderr, reason = "what was left out, and why, is part of a run's result")]
fn run(runner: Runner, report_name: &str) {
    let mut report = Report::default();
    let cases = case::all().unwrap_or_else(|error| panic!("{error:#}"));
    let (mut ran, mut failures) = (0, Vec::new());
    for case in &cases {
        let name = format!("{}.cases.md, {}, {}", case.file, case.tool, case.name);
        if let Some(reason) = runner.skips(case) {
            report.left_out(case, reason);
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
    report.check(report_name);
}
