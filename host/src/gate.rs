//! The embedding: a gate with directories behind it.

mod narrow;

use std::path::{Path, PathBuf};
use std::sync::{Arc, RwLock};

use fsgate_core::contract::agent_types::{CallArgs, Tool};
use fsgate_core::contract::edit_types::{
    AppendArgs, AppendOutcome, ApplyArgs, ApplyOutcome, CreateArgs, CreateOutcome, ReplaceAllArgs,
    ReplaceAllOutcome, ReplaceArgs, ReplaceOutcome, WriteArgs, WriteBytesArgs, WriteBytesOutcome,
    WriteOutcome,
};
use fsgate_core::contract::history_types::{
    CheckpointArgs, CheckpointOutcome, ForgetArgs, ForgetOutcome, LogArgs, LogOutcome, RecoverArgs,
    RecoverOutcome, RedoArgs, RedoOutcome, RestoreArgs, RestoreOutcome, UndoArgs, UndoOutcome,
};
use fsgate_core::contract::manage_types::{
    CopyArgs, CopyOutcome, CreateDirectoryArgs, CreateDirectoryOutcome, DeleteArgs, DeleteDirectoryArgs,
    DeleteDirectoryOutcome, DeleteOutcome, MoveArgs, MoveOutcome,
};
use fsgate_core::contract::read_types::{
    ExistsArgs, ExistsOutcome, ReadArgs, ReadBytesArgs, ReadBytesOutcome, ReadManyArgs, ReadManyOutcome,
    ReadNumberedArgs, ReadNumberedOutcome, ReadOutcome, StatArgs, StatOutcome,
};
use fsgate_core::contract::search_types::{
    GlobArgs, GlobOutcome, GrepArgs, GrepOutcome, ListDirectoryArgs, ListDirectoryOutcome, TreeArgs,
    TreeOutcome,
};
use fsgate_core::contract::types::Error;
use fsgate_core::contract::{Applied, Arguments, Operation};
use fsgate_core::policy::{Documents, Policy};
use serde::Serialize;

use crate::audit::{Audit, Auditor, Caller, Heard, Session, Tell};
use crate::calling::json;
use crate::cancel::CancelToken;
use crate::entry::noted;
use crate::grant::{Access, Grant, Request, StartError, check};
use crate::limits::{Admission, Limits};
use crate::pool::Pool;
use crate::sandbox::{Instance, Sandbox};
use crate::settings::{Durability, HistoryLimits, environment};
use crate::state::{self, State, Waiting};

/// The tools over the directories that were granted.
///
/// Calls from several threads run side by side as long as they change nothing. One that may change something is alone:
/// no other call sees its work half done. Among all gates over the same directories, in any process, it holds a lock.
pub struct Gate {
    pub(crate) sandbox: Sandbox,
    /// None where nothing is journaled.
    pub(crate) state: Option<Arc<State>>,
    pub(crate) waiting: Waiting,
    pub(crate) limits: Limits,
    pub(crate) instances: Pool<Instance>,
    /// Held by every call, exclusively by those that may change something.
    pub(crate) turn: Arc<RwLock<()>>,
    /// Which calls may begin.
    pub(crate) admission: Arc<Admission>,
    /// None where calls are not written down.
    pub(crate) audit: Option<Arc<Auditor>>,
    /// Whoever calls by the functions of this crate.
    pub(crate) caller: Caller,
    directories: Vec<Directory>,
    /// The same directories, and behind them their other names.
    grants: Vec<Grant>,
}

/// A directory that a gate has granted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directory {
    /// Its name inside.
    pub name: String,
    /// What may be done in it.
    pub access: Access,
}

impl Grant {
    fn directory(&self) -> Directory {
        Directory { name: self.name.clone(), access: self.access }
    }
}

/// What a gate is made from.
#[derive(Default)]
pub struct GateBuilder {
    requests: Vec<Request>,
    limits: Limits,
    component: Option<Vec<u8>>,
    nothing: bool,
    parallel: Option<usize>,
    state_root: Option<PathBuf>,
    durability: Durability,
    history: HistoryLimits,
    policy: Option<Documents>,
    audit: Option<Audit>,
    user: Option<String>,
    front_end: Option<String>,
    tell: Option<Tell>,
}

/// Calls that run at once where nothing else is said: as many as clients make side by side, each with the memory of an
/// instance.
const PARALLEL: usize = 4;

impl Gate {
    /// A builder without any directory.
    pub fn builder() -> GateBuilder {
        GateBuilder::default()
    }

    /// Reads a text file, or a window of its lines.
    pub fn read(&self, args: &ReadArgs) -> Result<ReadOutcome, Error> {
        self.typed(args, |i| i.exports.fsgate_tools_read().call_read(&mut i.store, args))
    }

    /// Reads lines of a text file with their numbers.
    pub fn read_numbered(&self, args: &ReadNumberedArgs) -> Result<ReadNumberedOutcome, Error> {
        self.typed(args, |i| i.exports.fsgate_tools_read().call_read_numbered(&mut i.store, args))
    }

    /// Reads several text files; each one succeeds or fails on its own.
    pub fn read_many(&self, args: &ReadManyArgs) -> Result<ReadManyOutcome, Error> {
        self.typed(args, |i| i.exports.fsgate_tools_read().call_read_many(&mut i.store, args))
    }

    /// Reads bytes of any file.
    pub fn read_bytes(&self, args: &ReadBytesArgs) -> Result<ReadBytesOutcome, Error> {
        self.typed(args, |i| i.exports.fsgate_tools_read().call_read_bytes(&mut i.store, args))
    }

    /// Tells what a path stands for.
    pub fn stat(&self, args: &StatArgs) -> Result<StatOutcome, Error> {
        self.typed(args, |i| i.exports.fsgate_tools_read().call_stat(&mut i.store, args))
    }

    /// Tells whether a path stands for something.
    pub fn exists(&self, args: &ExistsArgs) -> Result<ExistsOutcome, Error> {
        self.typed(args, |i| i.exports.fsgate_tools_read().call_exists(&mut i.store, args))
    }

    /// Lists a directory.
    pub fn list_directory(&self, args: &ListDirectoryArgs) -> Result<ListDirectoryOutcome, Error> {
        self.typed(args, |i| i.exports.fsgate_tools_search().call_list_directory(&mut i.store, args))
    }

    /// Draws a directory with everything below it.
    pub fn tree(&self, args: &TreeArgs) -> Result<TreeOutcome, Error> {
        self.typed(args, |i| i.exports.fsgate_tools_search().call_tree(&mut i.store, args))
    }

    /// Finds files and directories by a pattern over their paths.
    pub fn glob(&self, args: &GlobArgs) -> Result<GlobOutcome, Error> {
        self.typed(args, |i| i.exports.fsgate_tools_search().call_glob(&mut i.store, args))
    }

    /// Searches files for lines that a pattern matches.
    pub fn grep(&self, args: &GrepArgs) -> Result<GrepOutcome, Error> {
        self.typed(args, |i| i.exports.fsgate_tools_search().call_grep(&mut i.store, args))
    }

    /// Creates a text file that does not exist yet.
    pub fn create(&self, args: &CreateArgs) -> Result<CreateOutcome, Error> {
        self.typed(args, |i| i.exports.fsgate_tools_edit().call_create(&mut i.store, args))
    }

    /// Writes a whole text file.
    pub fn write(&self, args: &WriteArgs) -> Result<WriteOutcome, Error> {
        self.typed(args, |i| i.exports.fsgate_tools_edit().call_write(&mut i.store, args))
    }

    /// Writes a whole file of any kind.
    pub fn write_bytes(&self, args: &WriteBytesArgs) -> Result<WriteBytesOutcome, Error> {
        self.typed(args, |i| i.exports.fsgate_tools_edit().call_write_bytes(&mut i.store, args))
    }

    /// Puts a text at the end of a file.
    pub fn append(&self, args: &AppendArgs) -> Result<AppendOutcome, Error> {
        self.typed(args, |i| i.exports.fsgate_tools_edit().call_append(&mut i.store, args))
    }

    /// Replaces one occurrence of a text in a file.
    pub fn replace(&self, args: &ReplaceArgs) -> Result<ReplaceOutcome, Error> {
        self.typed(args, |i| i.exports.fsgate_tools_edit().call_replace(&mut i.store, args))
    }

    /// Replaces every occurrence of a text or a regular expression in a file.
    pub fn replace_all(&self, args: &ReplaceAllArgs) -> Result<ReplaceAllOutcome, Error> {
        self.typed(args, |i| i.exports.fsgate_tools_edit().call_replace_all(&mut i.store, args))
    }

    /// Makes a list of edits in one or many files: all of them, or none.
    pub fn apply(&self, args: &ApplyArgs) -> Result<ApplyOutcome, Error> {
        self.typed(args, |i| i.exports.fsgate_tools_edit().call_apply(&mut i.store, args))
    }

    /// Creates a directory, unless it is there already.
    pub fn create_directory(&self, args: &CreateDirectoryArgs) -> Result<CreateDirectoryOutcome, Error> {
        self.typed(args, |i| i.manage.clone().call(i, args))
    }

    /// Copies a file, a directory, or the files that match a pattern.
    pub fn copy(&self, args: &CopyArgs) -> Result<CopyOutcome, Error> {
        self.typed(args, |i| i.manage.clone().call(i, args))
    }

    /// Gives a file, a link or a directory another path.
    pub fn r#move(&self, args: &MoveArgs) -> Result<MoveOutcome, Error> {
        self.typed(args, |i| i.manage.clone().call(i, args))
    }

    /// Deletes a file or a link, or those that match a pattern.
    pub fn delete(&self, args: &DeleteArgs) -> Result<DeleteOutcome, Error> {
        self.typed(args, |i| i.manage.clone().call(i, args))
    }

    /// Deletes a directory, and what is in it if that is asked for.
    pub fn delete_directory(&self, args: &DeleteDirectoryArgs) -> Result<DeleteDirectoryOutcome, Error> {
        self.typed(args, |i| i.manage.clone().call(i, args))
    }

    /// Lists what was changed, the newest first.
    pub fn log(&self, args: &LogArgs) -> Result<LogOutcome, Error> {
        self.typed(args, |i| i.exports.fsgate_tools_history().call_log(&mut i.store, args))
    }

    /// Gives the present state a name.
    pub fn checkpoint(&self, args: &CheckpointArgs) -> Result<CheckpointOutcome, Error> {
        self.typed(args, |i| i.exports.fsgate_tools_history().call_checkpoint(&mut i.store, args))
    }

    /// Takes back the last change, a certain one, or everything after a checkpoint.
    pub fn undo(&self, args: &UndoArgs) -> Result<UndoOutcome, Error> {
        self.typed(args, |i| i.exports.fsgate_tools_history().call_undo(&mut i.store, args))
    }

    /// Takes back the last `undo`.
    pub fn redo(&self, args: &RedoArgs) -> Result<RedoOutcome, Error> {
        self.typed(args, |i| i.exports.fsgate_tools_history().call_redo(&mut i.store, args))
    }

    /// Brings a path back to what it was before an entry of the history.
    pub fn restore(&self, args: &RestoreArgs) -> Result<RestoreOutcome, Error> {
        self.typed(args, |i| i.exports.fsgate_tools_history().call_restore(&mut i.store, args))
    }

    /// Removes entries from the history, and what is kept for them.
    pub fn forget(&self, args: &ForgetArgs) -> Result<ForgetOutcome, Error> {
        self.typed(args, |i| i.exports.fsgate_tools_history().call_forget(&mut i.store, args))
    }

    /// Finishes or takes back what was interrupted, and tells what it was.
    pub fn recover(&self, args: &RecoverArgs) -> Result<RecoverOutcome, Error> {
        self.typed(args, |i| i.exports.fsgate_tools_history().call_recover(&mut i.store, args.clone()))
    }

    /// Every operation, as a model is told about it.
    pub fn tools(&self) -> Result<Vec<Tool>, Error> {
        let never = CancelToken::new();
        self.run(
            "tools",
            || true,
            &never,
            &Heard::default(),
            |i| i.exports.fsgate_tools_agent().call_tools(&mut i.store),
        )
    }

    /// Calls an operation by name; arguments, outcome and error are JSON objects.
    pub fn call(&self, tool: &str, arguments: &str) -> Result<String, String> {
        self.call_cancellable(tool, arguments, &CancelToken::new())
    }

    /// The same, and the call can be taken back while it waits or runs.
    pub fn call_cancellable(
        &self,
        tool: &str,
        arguments: &str,
        token: &CancelToken,
    ) -> Result<String, String> {
        let arrived = self.arrive_json(tool, arguments);
        let looks = !arrived.changes();
        let call = |heard: &Heard| self.carry_out(tool, arguments, looks, token, heard);
        arrived.answer(token, call, |answer, note, _| noted(answer, note))
    }

    /// Carries out a call in JSON that has come in. `looks` says that it changes nothing.
    pub(crate) fn carry_out(
        &self,
        tool: &str,
        arguments: &str,
        looks: bool,
        token: &CancelToken,
        heard: &Heard,
    ) -> Result<String, String> {
        let args = CallArgs { tool: tool.to_owned(), arguments: arguments.to_owned() };
        let operation = Operation::find(tool).map_or("call", |operation| operation.name);
        match self.run(
            operation,
            || looks,
            token,
            heard,
            |i| i.exports.fsgate_tools_agent().call_call(&mut i.store, &args),
        ) {
            Ok(answer) => answer.map(|ok| ok.outcome).map_err(|refused| refused.error),
            Err(stopped) => Err(json(&stopped)),
        }
    }

    /// The directories that were granted, in their order. Relative paths start at the first one.
    pub fn directories(&self) -> &[Directory] {
        &self.directories
    }

    /// What one call may use.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// The file in which calls are written down, under its canonical path. It has to stay writable, and its directory too.
    pub fn audit_file(&self) -> Option<&Path> {
        self.audit.as_ref().map(|audit| audit.path())
    }

    /// Calls that run at once at most.
    pub fn parallel(&self) -> usize {
        self.instances.size()
    }

    fn typed<A: Arguments + Serialize>(
        &self,
        args: &A,
        call: impl Fn(&mut Instance) -> wasmtime::Result<Result<A::Outcome, Error>>,
    ) -> Result<A::Outcome, Error> {
        let token = CancelToken::new();
        self.arrive(args).answer(
            &token,
            |heard| self.run(A::OPERATION, || args.is_dry_run(), &token, heard, call).flatten(),
            |answer, note, undo_id| {
                answer.map(|mut outcome| {
                    args.add(&mut outcome, Applied { notes: vec![note], undo_id });
                    outcome
                })
            },
        )
    }
}

/// A policy as the component is told it, if it means something.
fn policy_text(policy: &Documents) -> Result<String, StartError> {
    Policy::compile(policy)?;
    Ok(policy.to_json())
}

impl GateBuilder {
    /// Grants a directory for reading and writing, under its own path.
    #[must_use]
    pub fn dir(self, path: impl Into<PathBuf>) -> Self {
        self.grant(path.into(), None, Access::Write)
    }

    /// Grants a directory for reading only, under its own path.
    #[must_use]
    pub fn read_only_dir(self, path: impl Into<PathBuf>) -> Self {
        self.grant(path.into(), None, Access::Read)
    }

    /// Grants a directory under a name of your choice.
    #[must_use]
    pub fn dir_as(self, path: impl Into<PathBuf>, name: impl Into<String>, access: Access) -> Self {
        self.grant(path.into(), Some(name.into()), access)
    }

    /// Sets what the session and each of its calls may use.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Takes another component than the built-in one: the bytes of a `.wasm` file with the same world.
    #[must_use]
    pub fn component(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.component = Some(bytes.into());
        self
    }

    /// Allows a gate without any directory: it can only describe its tools.
    #[must_use]
    pub fn nothing(mut self) -> Self {
        self.nothing = true;
        self
    }

    /// Sets how many calls run at once; further ones wait for their turn. Each has an instance of its own.
    #[must_use]
    pub fn parallel(mut self, calls: usize) -> Self {
        self.parallel = Some(calls);
        self
    }

    /// Keeps state in this directory, and not in that of the user: what is needed to undo changes, and to put right what
    /// a crash has cut off. All gates over one directory, in any process, need the same one to keep out of each other's way.
    #[must_use]
    pub fn state_root(mut self, path: impl Into<PathBuf>) -> Self {
        self.state_root = Some(path.into());
        self
    }

    /// Sets what a change survives. [`Durability::None`] keeps no state at all.
    #[must_use]
    pub fn durability(mut self, durability: Durability) -> Self {
        self.durability = durability;
        self
    }

    /// Sets how much history is kept.
    #[must_use]
    pub fn history(mut self, limits: HistoryLimits) -> Self {
        self.history = limits;
        self
    }

    /// Sets what the tools must not touch in the granted directories. Without it, the profile `default` holds.
    #[must_use]
    pub fn policy(mut self, policy: impl Into<Documents>) -> Self {
        self.policy = Some(policy.into());
        self
    }

    /// Writes every call down, in a file that no tool can reach.
    #[must_use]
    pub fn audit(mut self, audit: Audit) -> Self {
        self.audit = Some(audit);
        self
    }

    /// Sets whose calls these are, as the audit names it; by default the user of this process.
    #[must_use]
    pub fn user(mut self, name: impl Into<String>) -> Self {
        self.user = Some(name.into());
        self
    }

    /// Sets by which way calls come, as the audit names it; by default `crate`. Those of an MCP client are `mcp`.
    #[must_use]
    pub fn front_end(mut self, name: impl Into<String>) -> Self {
        self.front_end = Some(name.into());
        self
    }

    /// Sets who is told what a person should know, a sentence at a time: that calls cannot be written down.
    #[must_use]
    pub fn tell(mut self, tell: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.tell = Some(Arc::new(tell));
        self
    }

    /// Checks the grants, opens the directories and loads the component.
    pub fn build(self) -> Result<Gate, StartError> {
        if self.requests.is_empty() && !self.nothing {
            return Err(StartError::NoGrant);
        }
        let grants = check(&self.requests, self.state_root.as_deref())?;
        let state = self.state(&grants)?.map(Arc::new);
        // A session that cannot be told from others could undo their changes.
        let session = state::random().map_err(|error| StartError::Component(error.into()))?;
        let audit = self.auditor(&grants, session)?.map(Arc::new);
        let policy = self.policy.as_ref().map(policy_text).transpose()?;
        let told =
            environment(self.durability, session, self.limits.deadline, &self.history, policy, &grants);
        let sandbox = Sandbox::new(&grants, self.component.as_deref(), state.as_deref(), told)?;
        let parallel = self.parallel.unwrap_or(PARALLEL);
        Ok(Gate {
            sandbox,
            state,
            waiting: Waiting::default(),
            limits: self.limits,
            instances: Pool::new(parallel),
            turn: Arc::default(),
            admission: Arc::new(Admission::new(&self.limits, parallel)),
            audit,
            caller: Caller { front_end: self.front_end.unwrap_or_else(|| "crate".to_owned()), client: None },
            // Behind these are other names of the same directories.
            directories: grants.iter().take(self.requests.len()).map(Grant::directory).collect(),
            grants,
        })
    }

    /// What is needed to change something; none if nothing is journaled, or nothing can be changed.
    fn state(&self, grants: &[Grant]) -> Result<Option<State>, StartError> {
        let is_needed = grants.iter().any(|grant| grant.access == Access::Write);
        if self.durability == Durability::None || !is_needed {
            return Ok(None);
        }
        let root = state::find_root(self.state_root.as_deref()).ok_or(StartError::NoStateRoot)?;
        State::open(&root, grants, self.durability, &self.history).map(Some)
    }

    fn auditor(&self, grants: &[Grant], session: u128) -> Result<Option<Auditor>, StartError> {
        let Some(audit) = &self.audit else { return Ok(None) };
        let session = Session {
            user: self.user.clone().or_else(|| whoami::username().ok()).unwrap_or_default(),
            id: session,
            durable: self.durability == Durability::Power,
        };
        let tell = self.tell.clone().unwrap_or_else(|| Arc::new(|_| {}));
        let root = state::find_root(self.state_root.as_deref());
        Auditor::open(audit, root.as_deref(), grants, session, tell).map(Some)
    }

    fn grant(mut self, path: PathBuf, name: Option<String>, access: Access) -> Self {
        self.requests.push(Request { path, name, access });
        self
    }
}
