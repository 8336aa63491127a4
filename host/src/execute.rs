//! Executes a call: locks, retries, and the forced end.

use fsgate_contract::Operation;
use fsgate_contract::agent_types::{CallArgs, CallError, Tool};
use fsgate_contract::types::Error;
use fsgate_error::{ChangeState, Failure, Interruption, Reason};
use serde::Deserialize;
use wasmtime::component::ResourceTableError;

use crate::call_scope::RunningCall;
use crate::cancel::CancelToken;
use crate::gate::Gate;
use crate::limits::{GaveUp, NoRoom, Patience};
use crate::recovery;
use crate::sandbox::Instance;
use crate::state::{ClosedFiles, NotHeld, Own, UnfinishedWrites};

const EMPTIES: [&str; 2] = ["forget", "recover"];

impl Gate {
    pub(crate) fn run<T: ComponentAnswer>(
        &self,
        operation: &str,
        is_dry_run: impl FnOnce() -> bool,
        token: &CancelToken,
        running: &RunningCall,
        call: impl Fn(&mut Instance) -> wasmtime::Result<T>,
    ) -> Result<T, Error> {
        let looks = Operation::find(operation).is_none_or(|operation| operation.read_only) || is_dry_run();
        let patience = Patience::new(running.until, token);
        let held_up = |gave_up| held_up(gave_up, operation);
        let state = self.state.as_ref().filter(|_| !self.history_only);
        let is_left = || state.is_some_and(|state| state.is_left(&self.waiting));
        if looks && !is_left() {
            let _shared = self.turns.shared(&patience).map_err(held_up)?;
            let answer = self.attempt_still(operation, token, running, &call)?;
            if self.state.is_none() || !answer.has_code("busy") {
                return Ok(answer);
            }
        }
        let _alone = self.turns.alone(&patience).map_err(held_up)?;
        let is_cancelled = || token.is_cancelled();
        // All programs lock grants first, then state directories.
        let held = self.locks.hold(patience.until(), &is_cancelled);
        let _grant_locks = held.map_err(|not| refused(not).into_error(operation))?;
        let held = self.state.as_ref().map(|state| state.locks.hold(patience.until(), &is_cancelled));
        let _held = held.transpose().map_err(|not| refused(not).into_error(operation))?;
        // A change recovers by itself. A read that found remains of a dead process is answered
        // after their recovery.
        if looks && !self.history_only {
            self.recover_since(recovery::now());
        }
        // Without a journal here, a change would make the unfinished changes of others
        // unrecoverable.
        let unfinished = match self.state.is_none() && !looks {
            true => self.wait_for_others(operation, &patience)?,
            false => self.concurrent_writers.now(self.own()).unwrap_or_default(),
        };
        self.attempt(operation, !looks, unfinished.files, token, running, &call)
    }

    /// Calls an instance, again if another process wrote during the read.
    fn attempt_still<T: ComponentAnswer>(
        &self,
        operation: &str,
        token: &CancelToken,
        running: &RunningCall,
        call: &impl Fn(&mut Instance) -> wasmtime::Result<T>,
    ) -> Result<T, Error> {
        // A multi-file walk is not a snapshot, so it needs no read check.
        if Operation::find(operation).is_none_or(|operation| operation.interface != "read") {
            let files = self.concurrent_writers.now(self.own()).unwrap_or_default().files;
            return self.attempt(operation, false, files, token, running, call);
        }
        let patience = Patience::new(running.until, token);
        loop {
            let before = self.wait_for_others(operation, &patience)?;
            let answer = self.attempt(operation, false, before.files.clone(), token, running, call)?;
            if self.concurrent_writers.now(self.own()).as_ref() == Some(&before) {
                return Ok(answer);
            }
            if patience.until().is_over() {
                return Err(half_written(operation));
            }
        }
    }

    fn own(&self) -> Own<'_> {
        (self.state.as_deref(), &self.grants)
    }

    /// Waits until it is known which files other processes write, in the grants that this gate only
    /// reads.
    fn wait_for_others(&self, operation: &str, patience: &Patience) -> Result<UnfinishedWrites, Error> {
        let known = self.concurrent_writers.known(self.own(), patience.until(), &|| patience.is_cancelled());
        known.ok_or_else(|| half_written(operation))
    }

    /// Calls an instance. One that traps is dropped, and the next call gets a new one.
    fn attempt<T: ComponentAnswer>(
        &self,
        operation: &str,
        changes: bool,
        closed: ClosedFiles,
        token: &CancelToken,
        running: &RunningCall,
        call: &impl Fn(&mut Instance) -> wasmtime::Result<T>,
    ) -> Result<T, Error> {
        let patience = Patience::new(running.until, token);
        let mut place = self.instances.take(&patience).map_err(|gave_up| held_up(gave_up, operation))?;
        if token.is_cancelled() {
            let stop = Reason::Stopped(Interruption::Cancelled, ChangeState::Untouched);
            return Err(Failure::from(stop).into_error(operation));
        }
        let failed =
            |error: wasmtime::Error| self.stopped(operation, ChangeState::Untouched, token, None, &error);
        let watch = self.sandbox.watch().map_err(failed)?;
        // Leaves the pool while it runs, so that a broken instance does not return there.
        let taken = place.item.take().map_or_else(|| self.sandbox.instantiate(&self.limits), Ok);
        let mut instance = taken.map_err(failed)?;
        instance.begin(&self.limits, token, closed);
        let begun = recovery::now();
        let answer = call(&mut instance).and_then(|answer| {
            if self.audit.is_some() {
                let hidden = instance.exports.fsgate_tools_audit().call_hidden(&mut instance.store)?;
                running.audit_facts.add_hidden(hidden);
                if EMPTIES.contains(&operation) {
                    running.audit_facts.set_pending(&self.pending());
                }
            }
            Ok(answer)
        });
        let standing = match answer {
            Ok(answer) if !token.is_cancelled() => {
                place.item = Some(instance);
                return Ok(answer);
            }
            // An instance whose clock jumped is dropped too.
            Ok(answer) if answer.has_code("deadline") => return Ok(answer.into_cancelled(operation)),
            Ok(answer) => return Ok(answer),
            Err(_) if !changes => ChangeState::Untouched,
            Err(_) if self.state.is_none() && !instance.store.data().has_changed() => ChangeState::Untouched,
            Err(_) if self.state.is_none() => ChangeState::Unknown,
            Err(_) => self.recover_since(begun),
        };
        drop(watch);
        let error = answer.err().unwrap_or_else(|| wasmtime::Error::msg("no answer"));
        Err(self.stopped(operation, standing, token, Some(&instance), &error))
    }

    /// Recovers unfinished changes in a separate instance, and returns the fate of the change that
    /// began at or after `begun`. The caller holds the locks.
    fn recover_since(&self, begun: u64) -> ChangeState {
        let never = CancelToken::new();
        let limits = self.limits.of_recovery();
        let Ok(_watch) = self.sandbox.watch() else { return ChangeState::Unknown };
        let Ok(mut instance) = self.sandbox.instantiate(&limits) else { return ChangeState::Unknown };
        instance.begin(&limits, &never, ClosedFiles::default());
        // If this fails, the records remain, and the next call recovers them.
        let mut has_failed = false;
        let mut call = |tool: &str, arguments: &str| {
            let answer = call_by_name(&mut instance, tool, arguments);
            has_failed |= answer.is_none();
            answer
        };
        let standing = recovery::recover(begun, &mut call);
        if let Some(state) = &self.state
            && !has_failed
        {
            state.leave(&self.waiting);
        }
        standing
    }

    fn stopped(
        &self,
        operation: &str,
        standing: ChangeState,
        token: &CancelToken,
        instance: Option<&Instance>,
        error: &wasmtime::Error,
    ) -> Error {
        let stop = match instance.map(|instance| instance.store.data()) {
            Some(state) if state.memory.exceeded => Interruption::Memory(self.limits.memory as u64),
            Some(state) if matches!(error.downcast_ref(), Some(wasmtime::Trap::Interrupt)) => {
                if token.is_cancelled() {
                    Interruption::Cancelled
                } else {
                    Interruption::Deadline(state.given(&self.limits))
                }
            }
            _ => match exceeded(error) {
                Some(Ceiling::Memory) => Interruption::Memory(self.limits.memory as u64),
                Some(Ceiling::Handles) => Interruption::Handles(self.limits.handles as u64),
                Some(Ceiling::HostMemory) => Interruption::HostMemory(self.limits.host_memory as u64),
                None => Interruption::Trap(format!("{error:#}")),
            },
        };
        Failure::from(Reason::Stopped(stop, standing)).into_error(operation)
    }
}

enum Ceiling {
    Memory,
    Handles,
    HostMemory,
}

/// The limit that caused a trap. The engine reports some by text only; a test reaches each.
fn exceeded(error: &wasmtime::Error) -> Option<Ceiling> {
    if matches!(error.downcast_ref(), Some(ResourceTableError::Full)) {
        return Some(Ceiling::Handles);
    }
    if error.is::<NoRoom>() {
        return Some(Ceiling::Memory);
    }
    let text = error.root_cause().to_string();
    if text.contains("fuel allocated for hostcalls has been exhausted") {
        Some(Ceiling::HostMemory)
    } else if text.contains("store handle limit exceeded") {
        Some(Ceiling::Handles)
    } else {
        None
    }
}

#[derive(Deserialize)]
struct ErrorHead {
    code: String,
    applied: bool,
}

pub(crate) trait ComponentAnswer {
    fn has_code(&self, code: &str) -> bool;

    fn into_cancelled(self, operation: &str) -> Self;
}

impl<T> ComponentAnswer for Result<T, Error> {
    fn has_code(&self, code: &str) -> bool {
        self.as_ref().is_err_and(|error| error.code.name() == code)
    }

    fn into_cancelled(self, operation: &str) -> Self {
        self.map_err(|error| cancelled(operation, error.applied))
    }
}

impl<T> ComponentAnswer for Result<T, CallError> {
    fn has_code(&self, code: &str) -> bool {
        let refused = self.as_ref().err().map(|refused| serde_json::from_str::<ErrorHead>(&refused.error));
        refused.is_some_and(|refused| refused.is_ok_and(|refused| refused.code == code))
    }

    fn into_cancelled(self, operation: &str) -> Self {
        self.map_err(|refused| {
            let applied =
                serde_json::from_str::<ErrorHead>(&refused.error).is_ok_and(|refused| refused.applied);
            CallError { error: json(&cancelled(operation, applied)) }
        })
    }
}

impl ComponentAnswer for Vec<Tool> {
    fn has_code(&self, _: &str) -> bool {
        false
    }

    fn into_cancelled(self, _: &str) -> Self {
        self
    }
}

fn half_written(operation: &str) -> Error {
    Failure::from(Reason::HalfWritten).into_error(operation)
}

fn cancelled(operation: &str, applied: bool) -> Error {
    let standing = if applied { ChangeState::Done } else { ChangeState::Untouched };
    Failure::from(Reason::Stopped(Interruption::Cancelled, standing)).into_error(operation)
}

pub(crate) fn json(error: &Error) -> String {
    // A record of strings and numbers always has a JSON form.
    serde_json::to_string(error).unwrap_or_default()
}

/// The error of a call that gave up its wait for others.
pub(crate) fn held_up(gave_up: GaveUp, operation: &str) -> Error {
    let reason = match gave_up {
        GaveUp::Late => Reason::HeldUp,
        GaveUp::Cancelled => Reason::Stopped(Interruption::Cancelled, ChangeState::Untouched),
    };
    Failure::from(reason).into_error(operation)
}

fn refused(not: NotHeld) -> Failure {
    match not {
        NotHeld::Busy => Reason::LockedElsewhere,
        NotHeld::Cancelled => Reason::Stopped(Interruption::Cancelled, ChangeState::Untouched),
        NotHeld::Failed(error) => Reason::Unlockable(error.to_string()),
    }
    .into()
}

fn call_by_name(instance: &mut Instance, tool: &str, arguments: &str) -> Option<String> {
    let args = CallArgs { tool: tool.to_owned(), arguments: arguments.to_owned() };
    let answer = instance.exports.fsgate_tools_agent().call_call(&mut instance.store, &args);
    Some(answer.ok()?.ok()?.outcome)
}
