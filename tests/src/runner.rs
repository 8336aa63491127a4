//! The ways to make a call, and the verdict on each.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use anyhow::{Result, bail, ensure};
use fsgate::Gate;
use fsgate_core::agent;
use fsgate_core::contract::Arguments;
use fsgate_core::contract::agent_types::CallArgs;
use fsgate_core::contract::types::Error;
use fsgate_core::session::Session;
use fsgate_core::volume::Volume;
use serde_json::Value;

use crate::case::{AGENT, Case, Kind};
use crate::disk::Disk;
use crate::placeholder::PLACEHOLDERS;
pub use crate::verdict::Answer;
use crate::{memory, snapshot, verdict};

/// A way to make a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Runner {
    /// The core, on the memory volume, in JSON.
    Core,
    /// The core, on a disk, in JSON.
    Native,
    /// The component, on a disk, through the host's typed calls.
    Typed,
    /// The component, on a disk, in JSON.
    Json,
}

/// Longer than any case takes on a slow machine; without it, a call that waits for a FIFO would never end.
const PATIENCE: Duration = Duration::from_secs(20);

impl Runner {
    /// Where this runner sets its trees up.
    pub fn kind(self) -> Kind {
        match self {
            Self::Core => Kind::Memory,
            Self::Native | Self::Typed | Self::Json => Kind::Disk,
        }
    }

    /// Why this runner has to leave a case out.
    pub fn skips(self, case: &Case) -> Option<&str> {
        match &case.only {
            Some(only) if only.volume != self.kind() => Some(&only.reason),
            _ if self == Self::Typed && case.file == AGENT => {
                Some("typed calls cannot make mistakes in JSON")
            }
            _ => None,
        }
    }

    /// Runs a case. The problems that it shows; none if all is well.
    pub fn run(self, case: &Case) -> Vec<String> {
        let (send, receive) = channel();
        let case = case.clone();
        thread::spawn(move || {
            let problems = self.judge(&case).unwrap_or_else(|error| vec![format!("{error:#}")]);
            // Nobody listens any more if it took too long.
            let _ = send.send(problems);
        });
        receive.recv_timeout(PATIENCE).unwrap_or_else(|error| match error {
            RecvTimeoutError::Timeout => vec![format!("no answer in {PATIENCE:?}")],
            RecvTimeoutError::Disconnected => vec!["it panicked".to_owned()],
        })
    }

    fn judge(self, case: &Case) -> Result<Vec<String>> {
        match self {
            Self::Core => in_memory(case),
            Self::Native => {
                let session = |disk: &Disk, policy: Option<&str>| disk.session_under(&case.before, policy);
                in_one_session(case, session, |session, _, case| Ok(in_json(session, case, arguments(case)?)))
            }
            Self::Typed | Self::Json => {
                let gate = |disk: &Disk, policy: Option<&str>| disk.gate_under(&case.before, policy);
                in_one_session(case, gate, |gate, _, case| self.call(gate, case))
            }
        }
    }

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
            read read_numbered read_many read_bytes stat exists list_directory tree glob grep create write write_bytes append
            replace replace_all replace_in_files replace_lines insert_lines comment_lines uncomment_lines apply create_directory copy delete
            delete_directory log checkpoint undo redo restore forget recover
        )
    }
}

/// The arguments as they are sent: as they are written, but for what placeholders stand for.
pub fn arguments(case: &Case) -> Result<String> {
    if !PLACEHOLDERS.iter().any(|placeholder| case.call.contains(placeholder)) {
        return Ok(case.call.clone());
    }
    let value: Value = serde_json::from_str(&case.call)?;
    Ok(case.expanded(&value)?.to_string())
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

fn in_memory(case: &Case) -> Result<Vec<String>> {
    let volume = memory::volume(&case.before)?;
    let (first, then) = case.policies();
    let session = |policy| memory::journaled(&case.before, &volume, |volume| volume, policy);
    let earlier = session(first);
    let ready = &made_ready(case, |step| Ok(in_json(&earlier, step, arguments(step)?)))?;
    let session = if first == then { earlier } else { session(then) };
    let case = ready;
    let before: snapshot::Snapshot = memory::snapshot(&volume);
    let answer = in_json(&session, case, arguments(case)?);
    let mut problems = verdict::answer(case, &answer)?;
    let after = memory::snapshot(&volume);
    problems.extend(verdict::tree(&case.after, memory::link_target, &before, &after));
    Ok(problems)
}

fn in_json<V: Volume>(session: &Session<V>, case: &Case, arguments: String) -> Answer {
    agent::call(session, &CallArgs { tool: case.tool.clone(), arguments })
        .map(|ok| ok.outcome)
        .map_err(|refused| refused.error)
}

/// Makes the earlier calls of a case. The case with the ids that they have got.
fn made_ready(case: &Case, mut call: impl FnMut(&Case) -> Result<Answer>) -> Result<Case> {
    let mut undo_ids = Vec::new();
    for earlier in &case.earlier {
        match call(&case.step(earlier, &undo_ids))? {
            Ok(outcome) => {
                let outcome: Value = serde_json::from_str(&outcome)?;
                undo_ids.push(outcome["undo_id"].as_str().unwrap_or("none").to_owned());
            }
            Err(error) => bail!("the earlier call of `{}` was refused: {error}", earlier.tool),
        }
    }
    Ok(case.with_undo_ids(&undo_ids))
}

/// Sets the tree of a case up on a disk and makes its call. The problems that it shows.
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
