//! The cases on a disk: in the engine, and in the component by typed calls and in JSON.

use anyhow::{Result, bail, ensure};
use fsgate::Gate;
use fsgate_contract::Arguments;
use fsgate_contract::types::Error;
use fsgate_corpus::calls::{arguments, in_core, made_ready};
use fsgate_corpus::case::{AGENT, Case, Kind};
use fsgate_corpus::trials::Runner;
use fsgate_corpus::verdict::{self, Answer};

use crate::disk::Disk;

/// A way to make a call on a disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnDisk {
    /// The engine, in JSON.
    Native,
    /// The component, by the host's typed calls.
    Typed,
    /// The component, in JSON.
    Json,
}

impl Runner for OnDisk {
    fn name(&self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Typed => "typed",
            Self::Json => "json",
        }
    }

    fn report(&self) -> Option<&'static str> {
        Some(match self {
            Self::Native => "core-on-a-disk",
            Self::Typed => "fsgate-typed",
            Self::Json => "fsgate-json",
        })
    }

    fn leaves_out(&self, case: &Case) -> Option<String> {
        let by_form = || {
            let is_json = *self == Self::Typed && case.file == AGENT;
            is_json.then(|| "typed calls cannot make mistakes in JSON".to_owned())
        };
        case.only_elsewhere(Kind::Disk).or_else(by_form)
    }

    fn run(&self, case: &'static Case) -> Result<Vec<String>> {
        if *self == Self::Native {
            let session = |disk: &Disk, policy: Option<&str>| disk.session_under(&case.before, policy);
            return in_one_session(case, session, |session, _, case| in_core(session, case));
        }
        let gate = |disk: &Disk, policy: Option<&str>| disk.gate_under(&case.before, policy);
        in_one_session(case, gate, |gate, _, case| self.call(gate, case))
    }
}

impl OnDisk {
    fn call(self, gate: &Gate, case: &Case) -> Result<Answer> {
        let arguments = &arguments(case)?;
        if self == Self::Json {
            return Ok(gate.call(&case.tool, arguments));
        }
        macro_rules! one_of {
            ($($name:ident)*) => {
                match case.tool.as_str() {
                    $(stringify!($name) => typed(arguments, |args| gate.$name(args)),)*
                    "move" => typed(arguments, |args| gate.r#move(args)),
                    tool => bail!("no typed call is named `{tool}`"),
                }
            };
        }
        one_of!(
            read read_numbered outline read_many read_bytes stat exists list_directory tree glob grep create write write_bytes append
            replace replace_all replace_in_files replace_lines insert_lines comment_lines uncomment_lines apply create_directory copy delete
            delete_directory log checkpoint undo redo restore forget recover
        )
    }
}

fn typed<A: Arguments>(
    arguments: &str,
    call: impl FnOnce(&A) -> Result<A::Outcome, Error>,
) -> Result<Answer> {
    Ok(match call(&serde_json::from_str(arguments)?) {
        Ok(outcome) => Ok(serde_json::to_string(&outcome)?),
        Err(error) => Err(serde_json::to_string(&error)?),
    })
}

/// Sets the tree of a case up on a disk and makes its call. Returns the problems that it shows.
pub fn on_disk(case: &Case, mut call: impl FnMut(&Disk) -> Result<Answer>) -> Result<Vec<String>> {
    ensure!(case.earlier.is_empty(), "there is one call");
    in_one_session(case, |_, _| Ok(()), |(), disk, _| call(disk))
}

/// The same with the calls before it. `start` opens a session under a policy.
pub fn in_one_session<S>(
    case: &Case,
    start: impl Fn(&Disk, Option<&str>) -> Result<S>,
    call: impl FnMut(&mut S, &Disk, &Case) -> Result<Answer>,
) -> Result<Vec<String>> {
    on_this_disk(case, &Disk::new(&case.before)?, start, call)
}

/// The same on a disk where the tree of the case is set up already.
pub fn on_this_disk<S>(
    case: &Case,
    disk: &Disk,
    start: impl Fn(&Disk, Option<&str>) -> Result<S>,
    mut call: impl FnMut(&mut S, &Disk, &Case) -> Result<Answer>,
) -> Result<Vec<String>> {
    let (first, then) = case.policies();
    let mut started = start(disk, first)?;
    let case = &made_ready(case, |step| call(&mut started, disk, step))?;
    if first != then {
        started = start(disk, then)?;
    }
    let before = disk.snapshot()?;
    let mut problems = verdict::answer(case, &call(&mut started, disk, case)?)?;
    let after = disk.snapshot()?;
    let target = |target: &str| disk.link_target(target);
    problems.extend(verdict::tree(&case.after, target, &before, &after));
    Ok(problems)
}
