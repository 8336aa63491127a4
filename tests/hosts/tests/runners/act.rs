//! Every case that can run in ACT, called by a client of its MCP server.

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result};
use fsgate_contract::Operation;
use fsgate_corpus::calls::arguments;
use fsgate_corpus::case::{AGENT, Case, Expected, Kind};
use fsgate_corpus::tree::Grant;
use fsgate_corpus::trials::Runner;
use fsgate_corpus::verdict::{Answer, with_permissions};
use fsgate_tests::disk::Disk;
use fsgate_tests::runner::on_this_disk;
use fsgate_volume::Access;
use serde_json::Value;
use tempfile::TempDir;

use crate::act::component::{Mount, allowed, linked, mounted};
use crate::act::session::Session;
use crate::act::settings;

/// Most hosts that wait for a case. The cases of a group follow each other, so a host waits only
/// until its thread takes the next case. More hosts are of earlier groups, at 170 MB each.
const IDLE: usize = 4;

/// The program `act`. A start takes longer than a case, so the cases of a group share hosts.
#[derive(Default)]
pub(crate) struct Act {
    /// Hosts that wait for a case, the oldest first.
    idle: Mutex<Vec<Host>>,
}

impl Runner for Act {
    fn name(&self) -> &'static str {
        "act"
    }

    fn report(&self) -> Option<&'static str> {
        Some("act")
    }

    fn leaves_out(&self, case: &Case) -> Option<String> {
        case.only_elsewhere(Kind::Disk).or_else(|| cannot_call(case).map(ToOwned::to_owned))
    }

    /// The grants and the policy. A case that reads the history is in no group.
    fn group(&self, case: &Case) -> String {
        if remembers(case) {
            return String::new();
        }
        format!("{:?} {:?}", case.before.grants, case.policies().0)
    }

    fn run(&self, case: &'static Case) -> Result<Vec<String>> {
        if remembers(case) {
            return Host::start(case, String::new())?.run(case);
        }
        let group = self.group(case);
        let host = self.take(&group).map_or_else(|| Host::start(case, group), Ok)?;
        let problems = host.run(case)?;
        // The state of a host after a failure is unknown.
        if problems.is_empty() {
            self.give_back(host);
        }
        Ok(problems)
    }
}

impl Act {
    fn take(&self, group: &str) -> Option<Host> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let place = idle.iter().position(|host| host.group == group)?;
        Some(idle.remove(place))
    }

    fn give_back(&self, host: Host) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.push(host);
        let oldest = (idle.len() > IDLE).then(|| idle.remove(0));
        // The end of a program takes time, and other threads need the pool.
        drop(idle);
        drop(oldest);
    }
}

/// The reason why this host cannot make the call of a case.
fn cannot_call(case: &Case) -> Option<&'static str> {
    if case.file == AGENT && !serde_json::from_str::<Value>(&case.call).is_ok_and(|call| call.is_object()) {
        return Some("the host takes objects only");
    }
    if let Expected::Error(error) = &case.expected
        && error
            .get("message")
            .and_then(Value::as_str)
            .is_some_and(|message| message.starts_with("one object gives"))
    {
        return Some("the host hands in one of two arguments with one name");
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

/// True for a case whose answer shows earlier calls.
fn remembers(case: &Case) -> bool {
    let is_history = |operation: &Operation| operation.interface == "history";
    !case.earlier.is_empty() || Operation::find(&case.tool).is_some_and(is_history)
}

/// A program with a disk of its own. Its granted directories stay from case to case.
struct Host {
    group: String,
    program: RefCell<Program>,
    disk: Disk,
}

/// A program, and its policy.
struct Program {
    session: Session,
    policy: Option<String>,
    component: PathBuf,
    allowed: Vec<String>,
    home: TempDir,
}

impl Host {
    /// Starts the program with the grants and the policy of a case, and with a state directory.
    fn start(case: &Case, group: String) -> Result<Self> {
        let (disk, home) = (Disk::new(&case.before)?, tempfile::tempdir()?);
        let granted = |grant: &Grant| Mount {
            host: disk.path().join(&grant.directory),
            name: grant.name.clone(),
            is_read_only: grant.access == Access::Read,
        };
        let state = Mount { host: disk.state()?, name: "/.fsgate".to_owned(), is_read_only: false };
        let more = [state, settings::mount(home.path())];
        let mounts = linked(case.before.grants.iter().map(granted).chain(more), home.path())?;
        let (component, allowed) = (home.path().join("component.wasm"), allowed(&mounts));
        fs::write(&component, mounted(&mounts)?)?;
        let (policy, _) = case.policies();
        let session = session(&component, &allowed, home.path(), policy)?;
        let policy = policy.map(ToOwned::to_owned);
        Ok(Self { group, program: Program { session, policy, component, allowed, home }.into(), disk })
    }

    /// Runs a case, and returns the problems that it shows.
    fn run(&self, case: &Case) -> Result<Vec<String>> {
        let Self { program, disk, .. } = self;
        disk.again(&case.before).context("setting up")?;
        let call = |(): &mut (), _: &Disk, case: &Case| -> Result<Answer> {
            let arguments: Value = serde_json::from_str(&arguments(case)?)?;
            with_permissions(case, program.borrow_mut().session.call(&case.tool, &arguments)?)
        };
        on_this_disk(case, disk, |_, policy| program.borrow_mut().under(policy), call)
    }
}

impl Program {
    /// Starts another session if its policy is another one.
    fn under(&mut self, policy: Option<&str>) -> Result<()> {
        if self.policy.as_deref() != policy {
            self.session = session(&self.component, &self.allowed, self.home.path(), policy)?;
            self.policy = policy.map(ToOwned::to_owned);
        }
        Ok(())
    }
}

fn session(component: &Path, allowed: &[String], home: &Path, policy: Option<&str>) -> Result<Session> {
    // fsgate refuses an empty directory of settings. Without a policy of the case this one holds.
    settings::write(home, &[("FSGATE_POLICY", policy.unwrap_or("{}"))])?;
    Session::start(component, allowed, home)
}
