//! The embedding: a gate with directories behind it.

mod builder;
mod intersect_roots;
mod protected_paths;

use std::path::{Path, PathBuf};
use std::sync::Arc;

#[cfg(feature = "mcp")]
use fsgate_contract::agent_types::CallError;
use fsgate_contract::agent_types::{CallArgs, Tool};
use fsgate_contract::edit_types::{
    AppendArgs, AppendOutcome, ApplyArgs, ApplyOutcome, CommentLinesArgs, CommentLinesOutcome, CreateArgs,
    CreateOutcome, InsertLinesArgs, InsertLinesOutcome, ReplaceAllArgs, ReplaceAllOutcome, ReplaceArgs,
    ReplaceInFilesArgs, ReplaceInFilesOutcome, ReplaceLinesArgs, ReplaceLinesOutcome, ReplaceOutcome,
    UncommentLinesArgs, UncommentLinesOutcome, WriteArgs, WriteBytesArgs, WriteBytesOutcome, WriteOutcome,
};
use fsgate_contract::history_types::{
    CheckpointArgs, CheckpointOutcome, ForgetArgs, ForgetOutcome, LogArgs, LogOutcome, RecoverArgs,
    RecoverOutcome, RedoArgs, RedoOutcome, RestoreArgs, RestoreOutcome, UndoArgs, UndoOutcome,
};
use fsgate_contract::manage_types::{
    CopyArgs, CopyOutcome, CreateDirectoryArgs, CreateDirectoryOutcome, DeleteArgs, DeleteDirectoryArgs,
    DeleteDirectoryOutcome, DeleteOutcome, MoveArgs, MoveOutcome,
};
use fsgate_contract::path::grant_name;
use fsgate_contract::read_types::{
    ExistsArgs, ExistsOutcome, ReadArgs, ReadBytesArgs, ReadBytesOutcome, ReadManyArgs, ReadManyOutcome,
    ReadNumberedArgs, ReadNumberedOutcome, ReadOutcome, StatArgs, StatOutcome,
};
use fsgate_contract::search_types::{
    GlobArgs, GlobOutcome, GrepArgs, GrepOutcome, ListDirectoryArgs, ListDirectoryOutcome, TreeArgs,
    TreeOutcome,
};
use fsgate_contract::types::Error;
use fsgate_contract::{Applied, Arguments, Operation};
use fsgate_policy::MachinePaths;
use fsgate_policy::{Documents, Policy};
use fsgate_volume::guard::Guard;
use serde::Serialize;
#[cfg(feature = "mcp")]
use serde_json::Value;

use crate::audit::{Auditor, Caller};
use crate::call_scope::{UnderWay, noted};
use crate::cancel::CancelToken;
use crate::execute::json;
use crate::grant::{Access, Grant, StartError};
use crate::limits::{Admission, Limits};
use crate::pool::Pool;
use crate::sandbox::{Instance, Sandbox};
use crate::state::{GrantLocks, State, Waiting, Watch};
use crate::turn::Turns;

pub use builder::GateBuilder;
pub(crate) use builder::PARALLEL;

/// The tools over the directories that were granted.
///
/// Calls from several threads run side by side as long as they change nothing. One that may change something is alone:
/// no other call sees its work half done. Among all gates over the same directories, in any process of
/// this user, it holds a lock.
pub struct Gate {
    pub(crate) sandbox: Sandbox,
    /// None where nothing is journaled.
    pub(crate) state: Option<Arc<State>>,
    /// Held by every call that may change something, before the locks of the state.
    pub(crate) locks: Arc<GrantLocks>,
    pub(crate) waiting: Waiting,
    /// Nothing is asked for but the history, and nothing is recovered.
    pub(crate) looks_back: bool,
    /// What others have under way in what is not journaled here.
    pub(crate) watch: Arc<Watch>,
    pub(crate) limits: Limits,
    pub(crate) instances: Pool<Instance>,
    /// Every call waits for its turn.
    pub(crate) turns: Arc<Turns>,
    /// Which calls may begin.
    pub(crate) admission: Arc<Admission>,
    /// None where calls are not written down.
    pub(crate) audit: Option<Arc<Auditor>>,
    /// Whoever calls by the functions of this crate.
    pub(crate) caller: Caller,
    /// The policy asks for a confirmation before anything is deleted.
    pub(crate) confirms: bool,
    /// Those that the policy does not hide.
    directories: Vec<Directory>,
    /// The directory at which relative paths start, if it is not the first granted one.
    start: Option<String>,
    /// All of them, and behind them their other names.
    grants: Vec<Grant>,
    /// How many of these were asked for.
    granted: usize,
    /// For each of them, where its changes are written down.
    journals: Vec<Option<PathBuf>>,
    /// What they were before any of them was narrowed.
    asked_for: Arc<[Grant]>,
    /// What the component is told.
    policies: Arc<Documents>,
    paths: Arc<MachinePaths>,
}

/// Makes one call of several: a tool, and its arguments.
#[cfg(feature = "mcp")]
pub(crate) type Step<'a> = dyn FnMut(&str, &Value) -> wasmtime::Result<Result<String, String>> + 'a;

/// A directory that a gate has granted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directory {
    /// Its name inside.
    pub name: String,
    /// What may be done in it.
    pub access: Access,
    /// Where it is on this machine.
    pub path: PathBuf,
}

impl Grant {
    fn directory(&self) -> Directory {
        Directory { name: self.name.clone(), access: self.access, path: self.host.clone() }
    }
}

/// The directories of grants that the policies do not hide.
fn shown(grants: &[Grant], policies: &Documents, paths: &MachinePaths) -> Result<Vec<Directory>, StartError> {
    let names: Vec<_> = grants.iter().map(|grant| grant_name(&grant.name)).collect();
    let of = |host: &Path| -> Vec<_> {
        let same = grants.iter().zip(&names).filter(|(other, _)| other.host == host);
        same.map(|(_, name)| name.clone()).collect()
    };
    let groups: Vec<_> = grants.iter().map(|grant| of(&grant.host)).collect();
    let guard = Guard::over(Policy::compile(policies)?, &names, &groups, paths);
    let is_shown = |name: &[String]| {
        guard.at(name.iter().map(String::as_str)).is_none_or(|at| at.own().hidden.is_none())
    };
    let shown = grants.iter().zip(&names).filter(|(_, name)| is_shown(name));
    Ok(shown.map(|(grant, _)| grant.directory()).collect())
}

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

    /// Puts a text in the place of whole lines, and leaves every other byte alone.
    pub fn replace_lines(&self, args: &ReplaceLinesArgs) -> Result<ReplaceLinesOutcome, Error> {
        self.typed(args, |i| i.exports.fsgate_tools_edit().call_replace_lines(&mut i.store, args))
    }

    /// Puts a text on lines of its own, and leaves every other byte alone.
    pub fn insert_lines(&self, args: &InsertLinesArgs) -> Result<InsertLinesOutcome, Error> {
        self.typed(args, |i| i.exports.fsgate_tools_edit().call_insert_lines(&mut i.store, args))
    }

    /// Makes lines comments.
    pub fn comment_lines(&self, args: &CommentLinesArgs) -> Result<CommentLinesOutcome, Error> {
        self.typed(args, |i| i.exports.fsgate_tools_edit().call_comment_lines(&mut i.store, args))
    }

    /// Makes comments lines again.
    pub fn uncomment_lines(&self, args: &UncommentLinesArgs) -> Result<UncommentLinesOutcome, Error> {
        self.typed(args, |i| i.exports.fsgate_tools_edit().call_uncomment_lines(&mut i.store, args))
    }

    /// Makes a list of edits in one or many files: all of them, or none.
    pub fn apply(&self, args: &ApplyArgs) -> Result<ApplyOutcome, Error> {
        self.typed(args, |i| i.exports.fsgate_tools_edit().call_apply(&mut i.store, args))
    }

    /// Shows occurrences of a text in many files, or replaces those that were chosen: all of them, or none.
    pub fn replace_in_files(&self, args: &ReplaceInFilesArgs) -> Result<ReplaceInFilesOutcome, Error> {
        self.typed(args, |i| i.exports.fsgate_tools_edit().call_replace_in_files(&mut i.store, args))
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

    /// Every operation, as a tool of a model.
    pub fn tools(&self) -> Result<Vec<Tool>, Error> {
        let never = CancelToken::new();
        self.run(
            "tools",
            || true,
            &never,
            &UnderWay::new(&self.limits),
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
        let call = |under_way: &UnderWay| self.carry_out(tool, arguments, looks, token, under_way);
        arrived.answer(token, call, |answer, note, _| noted(answer, note))
    }

    /// Carries out a call in JSON that has come in. `looks` says that it changes nothing.
    pub(crate) fn carry_out(
        &self,
        tool: &str,
        arguments: &str,
        looks: bool,
        token: &CancelToken,
        under_way: &UnderWay,
    ) -> Result<String, String> {
        let args = CallArgs { tool: tool.to_owned(), arguments: arguments.to_owned() };
        let operation = Operation::find(tool).map_or("call", |operation| operation.name);
        match self.run(
            operation,
            || looks,
            token,
            under_way,
            |i| i.exports.fsgate_tools_agent().call_call(&mut i.store, &args),
        ) {
            Ok(answer) => answer.map(|ok| ok.outcome).map_err(|refused| refused.error),
            Err(stopped) => Err(json(&stopped)),
        }
    }

    /// Carries out several calls in JSON as one step: nobody who comes through a gate over these directories changes anything
    /// between them.
    #[cfg(feature = "mcp")]
    pub(crate) fn carry_out_in_steps<T>(
        &self,
        operation: &'static str,
        token: &CancelToken,
        under_way: &UnderWay,
        steps: impl Fn(&mut Step) -> wasmtime::Result<Result<T, String>>,
    ) -> Result<T, String> {
        let steps = |i: &mut Instance| {
            let answer = steps(&mut |tool, arguments| {
                let args = CallArgs { tool: tool.to_owned(), arguments: arguments.to_string() };
                let answer = i.exports.fsgate_tools_agent().call_call(&mut i.store, &args)?;
                Ok(answer.map(|ok| ok.outcome).map_err(|refused| refused.error))
            })?;
            Ok(answer.map_err(|error| CallError { error }))
        };
        match self.run(operation, || false, token, under_way, steps) {
            Ok(answer) => answer.map_err(|refused| refused.error),
            Err(stopped) => Err(json(&stopped)),
        }
    }

    /// The directories that were granted, in their order. Relative paths start at the first one,
    /// unless [`GateBuilder::start_at`] says otherwise.
    pub fn directories(&self) -> &[Directory] {
        &self.directories
    }

    /// The name inside of the directory that [`GateBuilder::start_at`] was given, if it lies in a
    /// granted one.
    pub fn start(&self) -> Option<&str> {
        self.start.as_deref()
    }

    /// Places in state directories that still have something of entries which left the history. The
    /// operating system does not allow to remove it; `forget`, `recover` and later changes try again.
    pub fn pending(&self) -> Vec<PathBuf> {
        self.state.as_ref().map_or_else(Vec::new, |state| state.pending())
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
            |under_way| self.run(A::OPERATION, || args.is_dry_run(), &token, under_way, call).flatten(),
            |answer, note, undo_id| {
                answer.map(|mut outcome| {
                    args.add(&mut outcome, Applied { notes: vec![note], undo_id, ..Applied::default() });
                    outcome
                })
            },
        )
    }
}
