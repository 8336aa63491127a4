//! Every case of the corpus that can run in ACT, as a client of its MCP server calls the tools.
//!
//! The program needs seconds to start, so cases with the same grants and the same policy share one, on a disk whose granted directories
//! stay. What has a history in it has a program of its own.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{fs, iter, thread};

use anyhow::{Context, Result};
use fsgate_core::contract::Operation;
use fsgate_core::volume::Access;
use fsgate_corpus::calls::arguments;
use fsgate_corpus::verdict::Answer;
use fsgate_tests::case::{self, AGENT, Case, Kind};
use fsgate_tests::disk::Disk;
use fsgate_tests::report::Report;
use fsgate_tests::runner::on_this_disk;
use fsgate_tests::tree::Grant;
use fsgate_tests::verdict::with_permissions;
use serde_json::Value;
use tempfile::TempDir;

use super::component::{Mount, allowed, mounted};
use super::session::Session;
use super::settings;

/// The names and directories of grants, and the policy that holds.
type Shared<'c> = (Vec<(String, String, bool)>, Option<&'c str>);

/// So many cases share a program at most: there is work for every processor then.
const TOGETHER: usize = 250;

#[test]
#[expect(clippy::print_stderr, reason = "what was left out, and why, is part of a run's result")]
fn every_case_holds_in_act() {
    let cases = case::all().unwrap_or_else(|error| panic!("{error:#}"));
    let mut left_out = BTreeMap::<&str, u32>::new();
    let mut together = BTreeMap::<Shared<'_>, Vec<&Case>>::new();
    let mut groups = Vec::new();
    let mut report = Report::default();
    for case in &cases {
        if let Some(reason) = cannot_run(case) {
            report.left_out(case, reason);
            *left_out.entry(reason).or_default() += 1;
            continue;
        }
        if remembers(case) {
            groups.push(vec![case]);
        } else {
            let granted =
                |grant: &Grant| (grant.directory.clone(), grant.name.clone(), grant.access == Access::Read);
            let grants = case.before.grants.iter().map(granted).collect();
            together.entry((grants, case.policies().0)).or_default().push(case);
        }
    }
    groups.extend(together.values().flat_map(|cases| cases.chunks(TOGETHER).map(<[_]>::to_vec)));
    // The longest first, so that none is waited for in the end.
    groups.sort_by_key(|cases| usize::MAX - cases.len());
    let failures = run_all(&groups);
    for (reason, count) in left_out {
        eprintln!("{count} of {} cases are left out: {reason}", cases.len());
    }
    assert!(failures.is_empty(), "{} cases fail:\n  {}", failures.len(), failures.join("\n  "));
    report.check("act");
}

/// Why a case cannot run in this host.
fn cannot_run(case: &Case) -> Option<&str> {
    if let Some(only) = case.only.as_ref().filter(|only| only.volume != Kind::Disk) {
        return Some(&only.reason);
    }
    if case.file == AGENT && !serde_json::from_str::<Value>(&case.call).is_ok_and(|call| call.is_object()) {
        return Some("the host takes objects only");
    }
    let changes = Operation::find(&case.tool).is_some_and(|operation| !operation.read_only);
    if changes && case.before.grants.iter().any(|grant| grant.access == Access::Read) {
        return Some(
            "the host refuses a change where only reading is allowed when it is tried, and says nothing before",
        );
    }
    let is_plain = |grant: &Grant| grant.name.starts_with('/') && !grant.name.contains(['\\', ':']);
    if !case.before.grants.iter().all(is_plain) {
        return Some("the host takes absolute names only, without backslashes and colons");
    }
    None
}

/// True for a case in whose answer something of the past shows.
fn remembers(case: &Case) -> bool {
    let is_history = |operation: &Operation| operation.interface == "history";
    !case.earlier.is_empty() || Operation::find(&case.tool).is_some_and(is_history)
}

/// Runs groups of cases, as many at once as the machine has processors. What fails.
fn run_all(groups: &[Vec<&Case>]) -> Vec<String> {
    let next = AtomicUsize::new(0);
    let work = || {
        let groups = iter::from_fn(|| groups.get(next.fetch_add(1, Ordering::Relaxed)));
        groups.flat_map(|cases| run(cases)).collect::<Vec<_>>()
    };
    let workers = thread::available_parallelism().map_or(1, NonZero::get);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    })
}

/// Runs cases with the same grants. What fails.
fn run(cases: &[&Case]) -> Vec<String> {
    let mut failures = Vec::new();
    let mut host: Option<Host> = None;
    for case in cases {
        let started = host.take().map_or_else(|| Host::start(case), Ok);
        let (problems, is_well) = match started {
            Ok(started) => match started.run(case) {
                Ok(problems) => {
                    host = Some(started);
                    (problems, true)
                }
                // Whatever it is in now: the next case has another one.
                Err(error) => (vec![format!("{error:#}")], false),
            },
            Err(error) => (vec![format!("{error:#}")], false),
        };
        if !problems.is_empty() || !is_well {
            let name = format!("{}.cases.md, {}, {}", case.file, case.tool, case.name);
            failures.push(format!("{name}:\n    {}", problems.join("\n    ")));
        }
    }
    failures
}

/// A program that has a disk.
struct Host {
    program: RefCell<Program>,
    disk: Disk,
}

/// A program, and the policy that holds in it.
struct Program {
    session: Session,
    policy: Option<String>,
    component: PathBuf,
    allowed: Vec<String>,
    home: TempDir,
}

impl Host {
    /// Starts the program with the grants and the policy of a case, and with a state directory.
    fn start(case: &Case) -> Result<Self> {
        let (disk, home) = (Disk::new(&case.before)?, tempfile::tempdir()?);
        let granted = |grant: &Grant| Mount {
            host: disk.path().join(&grant.directory),
            name: grant.name.clone(),
            is_read_only: grant.access == Access::Read,
        };
        let state = Mount { host: disk.state()?, name: "/.fsgate".to_owned(), is_read_only: false };
        let more = [state, settings::mount(home.path())];
        let mounts: Vec<_> = case.before.grants.iter().map(granted).chain(more).collect();
        let (component, allowed) = (home.path().join("component.wasm"), allowed(&mounts));
        fs::write(&component, mounted(&mounts)?)?;
        let (policy, _) = case.policies();
        let session = session(&component, &allowed, home.path(), policy)?;
        let policy = policy.map(ToOwned::to_owned);
        Ok(Self { program: Program { session, policy, component, allowed, home }.into(), disk })
    }

    /// The problems that a case shows.
    fn run(&self, case: &Case) -> Result<Vec<String>> {
        let Self { program, disk } = self;
        disk.again(&case.before).context("setting up")?;
        let call = |(): &mut (), _: &Disk, case: &Case| -> Result<Answer> {
            let arguments: Value = serde_json::from_str(&arguments(case)?)?;
            with_permissions(case, program.borrow_mut().session.call(&case.tool, &arguments)?)
        };
        on_this_disk(case, disk, |_, policy| program.borrow_mut().under(policy), call)
    }
}

impl Program {
    /// Another session where another policy is to hold.
    fn under(&mut self, policy: Option<&str>) -> Result<()> {
        if self.policy.as_deref() != policy {
            self.session = session(&self.component, &self.allowed, self.home.path(), policy)?;
            self.policy = policy.map(ToOwned::to_owned);
        }
        Ok(())
    }
}

fn session(component: &Path, allowed: &[String], home: &Path, policy: Option<&str>) -> Result<Session> {
    // A directory of settings with nothing in it is refused; this is the policy that holds without one.
    settings::write(home, &[("FSGATE_POLICY", policy.unwrap_or("{}"))])?;
    Session::start(component, allowed, home)
}
