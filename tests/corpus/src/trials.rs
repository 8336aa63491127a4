//! A test for each case: `RUNNER::FILE::CASE`, or `RUNNER::FILE::TOOL::CASE` where a file has
//! several tools.

use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use anyhow::{Result, ensure};
use libtest_mimic::{Arguments, Failed, Trial};

use crate::case::{self, Case};
use crate::report::Report;

/// The longest time of a case on a busy machine. A call that waits for a FIFO does not end.
const PATIENCE: Duration = Duration::from_secs(120);

/// Characters of a tool's name that the name of a test has.
const TOOL_CHARS: usize = 40;

/// A way to run cases.
pub trait Runner: Send + Sync + 'static {
    /// Its name, the first word of the names of its tests.
    fn name(&self) -> &'static str;

    /// Its file in `tests/reports`, if it has one.
    fn report(&self) -> Option<&'static str> {
        None
    }

    /// The reason to leave a case out.
    fn leaves_out(&self, case: &Case) -> Option<String>;

    /// The group of a case. The tests of a group follow each other, and can share a program.
    fn group(&self, _case: &Case) -> String {
        String::new()
    }

    /// Runs a case, and returns the problems that it shows.
    ///
    /// # Errors
    ///
    /// A case that could not be run.
    fn run(&self, case: &'static Case) -> Result<Vec<String>>;

    /// Checks the cases that it runs, all together.
    ///
    /// # Errors
    ///
    /// A statement about all cases that does not hold.
    fn check(&self, _cases: &[&Case]) -> Result<()> {
        Ok(())
    }
}

/// Runs every case through every runner, as the words of the command line choose.
pub fn main(runners: Vec<Arc<dyn Runner>>) -> ExitCode {
    let args = Arguments::from_args();
    let cases = case::all().unwrap_or_else(|error| panic!("{error:#}"));
    // The tests keep them until the program ends.
    let cases: &'static [Case] = Vec::leak(cases);
    let trials = runners.into_iter().flat_map(|runner| trials(&runner, cases)).collect();
    libtest_mimic::run(&args, trials).exit_code()
}

#[expect(clippy::print_stderr, reason = "the cases that are left out are a part of a run's result")]
fn trials(runner: &Arc<dyn Runner>, cases: &'static [Case]) -> Vec<Trial> {
    let mut trials = Vec::new();
    let (mut report, mut left_out) = (Report::default(), BTreeMap::<String, usize>::new());
    let (mut ran, mut names) = (Vec::new(), BTreeSet::new());
    let mut grouped: Vec<_> = cases.iter().collect();
    grouped.sort_by_cached_key(|case| runner.group(case));
    for case in grouped {
        if let Some(reason) = runner.leaves_out(case) {
            report.left_out(case, &reason);
            *left_out.entry(reason).or_default() += 1;
            continue;
        }
        ran.push(case);
        let name = format!("{}::{}", runner.name(), named(case));
        assert!(names.insert(name.clone()), "two cases have the name {name}");
        let runner = Arc::clone(runner);
        trials.push(Trial::test(name, move || held(&runner, case)));
    }
    for (reason, count) in left_out {
        eprintln!("{}: {count} of {} cases are left out: {reason}", runner.name(), cases.len());
    }
    let (whole, name) = (Arc::clone(runner), format!("{}::all-cases", runner.name()));
    trials.push(Trial::test(name, move || {
        ensure_some(&ran)
            .and_then(|()| whole.check(&ran))
            .map_err(|error| Failed::from(format!("{error:#}")))?;
        if let Some(name) = whole.report() {
            report.check(name);
        }
        Ok(())
    }));
    trials
}

fn ensure_some(ran: &[&Case]) -> Result<()> {
    ensure!(!ran.is_empty(), "there are no cases");
    Ok(())
}

/// The name of a case among all cases.
fn named(case: &Case) -> String {
    if case.file == case.tool {
        return format!("{}::{}", case.file, case.name);
    }
    let is_plain = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let tool: String = case.tool.chars().filter(is_plain).take(TOOL_CHARS).collect();
    format!("{}::{tool}::{}", case.file, case.name)
}

fn held(runner: &Arc<dyn Runner>, case: &'static Case) -> Result<(), Failed> {
    let (send, receive) = channel();
    let runner = Arc::clone(runner);
    thread::spawn(move || {
        let problems = runner.run(case).unwrap_or_else(|error| vec![format!("{error:#}")]);
        // The program can end after the last answer. Until then the runner has to clean up.
        drop(runner);
        // Nothing listens after the patience is over.
        let _ = send.send(problems);
    });
    let problems = receive.recv_timeout(PATIENCE).map_err(|error| match error {
        RecvTimeoutError::Timeout => format!("no answer in {PATIENCE:?}"),
        RecvTimeoutError::Disconnected => "it panicked".to_owned(),
    })?;
    if problems.is_empty() {
        return Ok(());
    }
    Err(format!("{}.cases.md, {}, {}:\n    {}", case.file, case.tool, case.name, problems.join("\n    "))
        .into())
}
