//! The ways to make a call, and the verdict on each.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use anyhow::{Result, bail};
use fsgate::Gate;
use fsgate_core::agent;
use fsgate_core::contract::Arguments;
use fsgate_core::contract::agent_types::CallArgs;
use fsgate_core::contract::types::Error;
use serde_json::Value;

use crate::case::{AGENT, Case, Kind};
use crate::disk::Disk;
use crate::placeholder::expanded;
use crate::verdict::{self, Answer};
use crate::{memory, snapshot};

/// A way to make a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Runner {
    /// The core, on the memory volume, in JSON.
    Core,
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
            Self::Typed | Self::Json => Kind::Disk,
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
        let arguments = arguments(case)?;
        let (answer, problems) = match self.kind() {
            Kind::Memory => in_memory(case, arguments)?,
            Kind::Disk => on_disk(case, |gate| self.call(gate, case, &arguments))?,
        };
        let mut all = verdict::answer(case, &answer)?;
        all.extend(problems);
        Ok(all)
    }

    fn call(self, gate: &Gate, case: &Case, arguments: &str) -> Result<Answer> {
        if self == Self::Json {
            return Ok(gate.call(&case.tool, arguments));
        }
        match case.tool.as_str() {
            "read" => typed(arguments, |args| gate.read(args)),
            "read_numbered" => typed(arguments, |args| gate.read_numbered(args)),
            "create" => typed(arguments, |args| gate.create(args)),
            "replace" => typed(arguments, |args| gate.replace(args)),
            tool => bail!("the typed runner does not know `{tool}` yet"),
        }
    }
}

/// The arguments as they are sent: as they are written, but for what placeholders stand for.
fn arguments(case: &Case) -> Result<String> {
    if !case.call.contains("$repeat(") {
        return Ok(case.call.clone());
    }
    let value: Value = serde_json::from_str(&case.call)?;
    Ok(expanded(&value, &case.before, &case.after)?.to_string())
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

fn in_memory(case: &Case, arguments: String) -> Result<(Answer, Vec<String>)> {
    let volume = memory::volume(&case.before)?;
    let session = memory::session(&case.before, &volume, |volume| volume)?;
    let before: snapshot::Snapshot = memory::snapshot(&volume);
    let answer = agent::call(&session, &CallArgs { tool: case.tool.clone(), arguments })
        .map(|ok| ok.outcome)
        .map_err(|refused| refused.error);
    let after = memory::snapshot(&volume);
    Ok((answer, verdict::tree(&case.after, memory::link_target, &before, &after)))
}

fn on_disk(case: &Case, call: impl FnOnce(&Gate) -> Result<Answer>) -> Result<(Answer, Vec<String>)> {
    let disk = Disk::new(&case.before)?;
    let gate = disk.gate(&case.before)?;
    let before = disk.snapshot()?;
    let answer = call(&gate)?;
    let after = disk.snapshot()?;
    let target = |target: &str| disk.link_target(target);
    Ok((answer, verdict::tree(&case.after, target, &before, &after)))
}
