//! The gate: the tools over granted directories.

mod builder;
mod intersect_roots;
mod remember;

use std::path::{Path, PathBuf};
use std::sync::Arc;

#[cfg(feature = "mcp")]
use fsgate_compat::lean::agent as lean;
use fsgate_contract::agent_types::{CallArgs, CallError, RewordArgs, ShowArgs, Tool};
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
    ExistsArgs, ExistsOutcome, OutlineArgs, OutlineOutcome, ReadArgs, ReadBytesArgs, ReadBytesOutcome,
    ReadManyArgs, ReadManyOutcome, ReadNumberedArgs, ReadNumberedOutcome, ReadOutcome, StatArgs, StatOutcome,
};
use fsgate_contract::search_types::{
    GlobArgs, GlobOutcome, GrepArgs, GrepOutcome, ListDirectoryArgs, ListDirectoryOutcome, TreeArgs,
    TreeOutcome,
};
use fsgate_contract::types::Error;
use fsgate_contract::{Applied, Arguments, Operation};
use fsgate_policy::MachinePaths;
use fsgate_policy::{Documents, Policy};
use fsgate_volume::policy_guard::PolicyGuard;
use serde::Serialize;
#[cfg(feature = "mcp")]
use serde_json::Value;

use self::remember::Remembering;
use crate::audit::{Auditor, Caller};
use crate::call_scope::{RunningCall, noted};
use crate::cancel::CancelToken;
use crate::execute::json;
use crate::grant::{Access, Grant};
use crate::limits::{Admission, Limits};
use crate::pool::Pool;
use crate::sandbox::{Instance, Sandbox};
use crate::seen_tags::SeenTags;
use crate::state::{ConcurrentWriters, GrantLocks, PendingRecords, State};
use crate::turn::Turns;

pub use builder::GateBuilder;
pub(crate) use builder::PARALLEL;

/// The tools over the granted directories.
///
/// Calls that change nothing run in parallel. A call that may change something runs alone, so no
/// other call sees half of it. It holds a lock against all gates over the same directories, in all
/// processes of this user.
pub struct Gate {
    pub(crate) sandbox: Sandbox,
    /// None without a journal.
    pub(crate) state: Option<Arc<State>>,
    /// Every change holds these locks before those of the state.
    pub(crate) locks: Arc<GrantLocks>,
    pub(crate) waiting: PendingRecords,
    /// Only reads the history, and recovers nothing.
    pub(crate) history_only: bool,
    pub(crate) concurrent_writers: Arc<ConcurrentWriters>,
    pub(crate) limits: Limits,
    pub(crate) instances: Pool<Instance>,
    pub(crate) turns: Arc<Turns>,
    pub(crate) admission: Arc<Admission>,
    pub(crate) audit: Option<Arc<Auditor>>,
    pub(crate) caller: Caller,
    pub(crate) confirms: bool,
    /// None without a memory of the session.
    pub(crate) seen_tags: Option<Arc<SeenTags>>,
    directories: Vec<Directory>,
    start: Option<String>,
    /// All grants, then their other names.
    pub(crate) grants: Vec<Grant>,
    /// Number of grants without those other names.
    granted: usize,
    /// The state directory of each grant.
    journals: Vec<Option<PathBuf>>,
    asked_for: Arc<[Grant]>,
    pub(crate) policies: Arc<Documents>,
    paths: Arc<MachinePaths>,
}

/// Makes one of several calls.
#[cfg(feature = "mcp")]
pub(crate) type Step<'a> = dyn FnMut(&str, &Value) -> wasmtime::Result<Result<String, String>> + 'a;

/// A granted directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directory {
    /// Its name inside.
    pub name: String,
    /// The access to it.
    pub access: Access,
    /// Its path on this machine.
    pub path: PathBuf,
}

impl From<&Grant> for Directory {
    fn from(Grant { host, name, access }: &Grant) -> Self {
        Self { name: name.clone(), access: *access, path: host.clone() }
    }
}

fn shown(grants: &[Grant], policy: Policy, paths: &MachinePaths) -> Vec<Directory> {
    let names: Vec<_> = grants.iter().map(|grant| grant_name(&grant.name)).collect();
    let of = |host: &Path| -> Vec<_> {
        let same = grants.iter().zip(&names).filter(|(other, _)| other.host == host);
        same.map(|(_, name)| name.clone()).collect()
    };
    let groups: Vec<_> = grants.iter().map(|grant| of(&grant.host)).collect();
    let guard = PolicyGuard::over(policy, &names, &groups, paths);
    let is_shown = |name: &[String]| {
        guard.at(name.iter().map(String::as_str)).is_none_or(|at| at.own().hidden.is_none())
    };
    let shown = grants.iter().zip(&names).filter(|(_, name)| is_shown(name));
    shown.map(|(grant, _)| grant.into()).collect()
}

impl Gate {
    /// A builder without directories.
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

    /// Lists the headings or definitions of a file, with their lines.
    pub fn outline(&self, args: &OutlineArgs) -> Result<OutlineOutcome, Error> {
        self.typed(args, |i| i.exports.fsgate_tools_read().call_outline(&mut i.store, args))
    }

    /// Reads several text files; each one succeeds or fails on its own.
    pub fn read_many(&self, args: &ReadManyArgs) -> Result<ReadManyOutcome, Error> {
        self.typed(args, |i| i.exports.fsgate_tools_read().call_read_many(&mut i.store, args))
    }

    /// Reads bytes of any file.
    pub fn read_bytes(&self, args: &ReadBytesArgs) -> Result<ReadBytesOutcome, Error> {
        self.typed(args, |i| i.exports.fsgate_tools_read().call_read_bytes(&mut i.store, args))
    }

    /// Returns metadata of a path.
    pub fn stat(&self, args: &StatArgs) -> Result<StatOutcome, Error> {
        self.typed(args, |i| i.exports.fsgate_tools_read().call_stat(&mut i.store, args))
    }

    /// Returns whether a path exists.
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

    /// Writes a whole file of any type.
    pub fn write_bytes(&self, args: &WriteBytesArgs) -> Result<WriteBytesOutcome, Error> {
        self.typed(args, |i| i.exports.fsgate_tools_edit().call_write_bytes(&mut i.store, args))
    }

    /// Appends a text to a file.
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

    /// Replaces whole lines, and leaves every other byte alone.
    pub fn replace_lines(&self, args: &ReplaceLinesArgs) -> Result<ReplaceLinesOutcome, Error> {
        self.typed(args, |i| i.exports.fsgate_tools_edit().call_replace_lines(&mut i.store, args))
    }

    /// Inserts a text as lines of its own, and leaves every other byte alone.
    pub fn insert_lines(&self, args: &InsertLinesArgs) -> Result<InsertLinesOutcome, Error> {
        self.typed(args, |i| i.exports.fsgate_tools_edit().call_insert_lines(&mut i.store, args))
    }

    /// Turns lines into comments.
    pub fn comment_lines(&self, args: &CommentLinesArgs) -> Result<CommentLinesOutcome, Error> {
        self.typed(args, |i| i.exports.fsgate_tools_edit().call_comment_lines(&mut i.store, args))
    }

    /// Turns comments into lines.
    pub fn uncomment_lines(&self, args: &UncommentLinesArgs) -> Result<UncommentLinesOutcome, Error> {
        self.typed(args, |i| i.exports.fsgate_tools_edit().call_uncomment_lines(&mut i.store, args))
    }

    /// Makes edits in one or many files: all or none.
    pub fn apply(&self, args: &ApplyArgs) -> Result<ApplyOutcome, Error> {
        self.typed(args, |i| i.exports.fsgate_tools_edit().call_apply(&mut i.store, args))
    }

    /// Shows occurrences of a text in many files, or replaces chosen ones: all or none.
    pub fn replace_in_files(&self, args: &ReplaceInFilesArgs) -> Result<ReplaceInFilesOutcome, Error> {
        self.typed(args, |i| i.exports.fsgate_tools_edit().call_replace_in_files(&mut i.store, args))
    }

    /// Creates a directory unless it exists.
    pub fn create_directory(&self, args: &CreateDirectoryArgs) -> Result<CreateDirectoryOutcome, Error> {
        self.typed(args, |i| i.control_api.clone().call(i, args))
    }

    /// Copies a file, a directory, or the files that match a pattern.
    pub fn copy(&self, args: &CopyArgs) -> Result<CopyOutcome, Error> {
        self.typed(args, |i| i.control_api.clone().call(i, args))
    }

    /// Moves a file, a link or a directory.
    pub fn r#move(&self, args: &MoveArgs) -> Result<MoveOutcome, Error> {
        self.typed(args, |i| i.control_api.clone().call(i, args))
    }

    /// Deletes a file or a link, or those that match a pattern.
    pub fn delete(&self, args: &DeleteArgs) -> Result<DeleteOutcome, Error> {
        self.typed(args, |i| i.control_api.clone().call(i, args))
    }

    /// Deletes a directory, with its content if that is asked for.
    pub fn delete_directory(&self, args: &DeleteDirectoryArgs) -> Result<DeleteDirectoryOutcome, Error> {
        self.typed(args, |i| i.control_api.clone().call(i, args))
    }

    /// Lists changes, the newest first.
    pub fn log(&self, args: &LogArgs) -> Result<LogOutcome, Error> {
        self.typed(args, |i| i.exports.fsgate_tools_history().call_log(&mut i.store, args))
    }

    /// Names the present state.
    pub fn checkpoint(&self, args: &CheckpointArgs) -> Result<CheckpointOutcome, Error> {
        self.typed(args, |i| i.exports.fsgate_tools_history().call_checkpoint(&mut i.store, args))
    }

    /// Undoes the last change, a certain one, or all after a checkpoint.
    pub fn undo(&self, args: &UndoArgs) -> Result<UndoOutcome, Error> {
        self.typed(args, |i| i.exports.fsgate_tools_history().call_undo(&mut i.store, args))
    }

    /// Undoes the last `undo`.
    pub fn redo(&self, args: &RedoArgs) -> Result<RedoOutcome, Error> {
        self.typed(args, |i| i.exports.fsgate_tools_history().call_redo(&mut i.store, args))
    }

    /// Restores a path to its state before an entry of the history.
    pub fn restore(&self, args: &RestoreArgs) -> Result<RestoreOutcome, Error> {
        self.typed(args, |i| i.exports.fsgate_tools_history().call_restore(&mut i.store, args))
    }

    /// Removes entries from the history, and the data kept for them.
    pub fn forget(&self, args: &ForgetArgs) -> Result<ForgetOutcome, Error> {
        self.typed(args, |i| i.exports.fsgate_tools_history().call_forget(&mut i.store, args))
    }

    /// Completes or rolls back interrupted changes, and reports them.
    pub fn recover(&self, args: &RecoverArgs) -> Result<RecoverOutcome, Error> {
        self.typed(args, |i| i.exports.fsgate_tools_history().call_recover(&mut i.store, args.clone()))
    }

    /// Every operation, described as a tool for a model.
    pub fn tools(&self) -> Result<Vec<Tool>, Error> {
        let never = CancelToken::new();
        self.run(
            "tools",
            || true,
            &never,
            &RunningCall::new(&self.limits),
            |i| i.exports.fsgate_tools_agent().call_tools(&mut i.store),
        )
    }

    /// The lean set: ten tools for models, each a choice of operations, whose list takes a seventh
    /// of the tokens.
    #[must_use]
    pub fn lean_tools() -> Vec<Tool> {
        lean::tools()
    }

    /// Calls a tool of the lean set: the operation that the call means is called, and its answer
    /// names what the set names.
    pub fn lean_call(&self, tool: &str, arguments: &str) -> Result<String, String> {
        let meant = self.lowered(tool, arguments)?;
        let reworded = |answer| lean::reword_answer(&RewordArgs { tool: tool.to_owned(), answer });
        self.call(&meant.tool, &meant.arguments).map(reworded).map_err(reworded)
    }

    /// Calls a tool of the lean set, and answers with the text that a model reads. The text of an
    /// outcome or an error is complete.
    pub fn lean_answer(&self, tool: &str, arguments: &str) -> Result<String, String> {
        let meant = self.lowered(tool, arguments).map_err(|error| {
            let asked = CallArgs { tool: tool.to_owned(), arguments: arguments.to_owned() };
            // The error has the words of the set already.
            self.show(asked, error, true, None)
        })?;
        let answer = self.call(&meant.tool, &meant.arguments);
        self.shown(meant, answer, Some(tool))
    }

    /// Calls an operation by name, and answers with the text that a model reads.
    pub fn answer(&self, tool: &str, arguments: &str) -> Result<String, String> {
        let asked = CallArgs { tool: tool.to_owned(), arguments: arguments.to_owned() };
        self.shown(asked, self.call(tool, arguments), None)
    }

    fn shown(
        &self,
        call: CallArgs,
        answer: Result<String, String>,
        lean_tool: Option<&str>,
    ) -> Result<String, String> {
        match answer {
            Ok(outcome) => Ok(self.show(call, outcome, false, lean_tool)),
            Err(error) => Err(self.show(call, error, true, lean_tool)),
        }
    }

    fn show(&self, call: CallArgs, answer: String, is_error: bool, lean_tool: Option<&str>) -> String {
        let CallArgs { tool, arguments } = call;
        let args = ShowArgs { tool, arguments, answer, is_error, lean_tool: lean_tool.map(str::to_owned) };
        fsgate_cli::show(&args, self.directories().first().map(|first| &first.name[..]))
    }

    /// The call of an operation that a call of the lean set means.
    fn lowered(&self, tool: &str, arguments: &str) -> Result<CallArgs, String> {
        let given = CallArgs { tool: tool.to_owned(), arguments: arguments.to_owned() };
        lean::lower_call(&given).map_err(|CallError { error }| {
            // The audit knows a call that reaches no operation too.
            let refused = |_: &RunningCall| Err::<String, _>(error);
            let answered =
                self.arrive_json(tool, arguments).answer(&CancelToken::new(), refused, |answer, _, _| answer);
            let (Ok(answer) | Err(answer)) = answered;
            answer
        })
    }

    /// Calls an operation by name; arguments, outcome and error are JSON objects.
    pub fn call(&self, tool: &str, arguments: &str) -> Result<String, String> {
        self.call_cancellable(tool, arguments, &CancelToken::new())
    }

    /// Calls an operation by name, and allows to cancel it while it waits or runs.
    pub fn call_cancellable(
        &self,
        tool: &str,
        arguments: &str,
        token: &CancelToken,
    ) -> Result<String, String> {
        let arrived = self.arrive_json(tool, arguments);
        let looks = !arrived.changes();
        let call = |running: &RunningCall| self.carry_out(tool, arguments, looks, token, running);
        arrived.answer(token, call, |answer, note, _| noted(answer, note))
    }

    /// Executes an admitted call in JSON; `looks` says that it changes nothing. A change by place
    /// means the file as the session saw it.
    pub(crate) fn carry_out(
        &self,
        tool: &str,
        arguments: &str,
        looks: bool,
        token: &CancelToken,
        running: &RunningCall,
    ) -> Result<String, String> {
        let once =
            |tool: &str, arguments: &str, looks| self.carry_out_once(tool, arguments, looks, token, running);
        match &self.seen_tags {
            Some(seen) => Remembering { seen, once: &once }.call(tool, arguments, looks),
            None => once(tool, arguments, looks),
        }
    }

    fn carry_out_once(
        &self,
        tool: &str,
        arguments: &str,
        looks: bool,
        token: &CancelToken,
        running: &RunningCall,
    ) -> Result<String, String> {
        let args = CallArgs { tool: tool.to_owned(), arguments: arguments.to_owned() };
        let operation = Operation::find(tool).map_or("call", |operation| operation.name);
        match self.run(
            operation,
            || looks,
            token,
            running,
            |i| i.exports.fsgate_tools_agent().call_call(&mut i.store, &args),
        ) {
            Ok(answer) => answer.map(|ok| ok.outcome).map_err(|refused| refused.error),
            Err(stopped) => Err(json(&stopped)),
        }
    }

    /// Executes several calls in JSON without a change of another gate between them.
    #[cfg(feature = "mcp")]
    pub(crate) fn carry_out_in_steps<T>(
        &self,
        operation: &'static str,
        token: &CancelToken,
        running: &RunningCall,
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
        match self.run(operation, || false, token, running, steps) {
            Ok(answer) => answer.map_err(|refused| refused.error),
            Err(stopped) => Err(json(&stopped)),
        }
    }

    /// The granted directories in their order. Relative paths start at the first one, or at
    /// [`GateBuilder::start_at`].
    pub fn directories(&self) -> &[Directory] {
        &self.directories
    }

    /// The inside name of [`GateBuilder::start_at`]'s directory, if granted.
    pub fn start(&self) -> Option<&str> {
        self.start.as_deref()
    }

    /// Places in state directories with objects of forgotten entries. The operating system refused
    /// to remove them; `forget`, `recover` and later changes try again.
    pub fn pending(&self) -> Vec<PathBuf> {
        self.state.as_ref().map_or_else(Vec::new, |state| state.pending())
    }

    /// The limits of a call.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// The canonical path of the audit file. The file and its directory have to stay writable.
    pub fn audit_file(&self) -> Option<&Path> {
        self.audit.as_ref().map(|audit| audit.path())
    }

    /// Largest number of calls at once.
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
            |running| self.run(A::OPERATION, || args.is_dry_run(), &token, running, call).flatten(),
            |answer, note, undo_id| {
                answer.map(|mut outcome| {
                    args.add(&mut outcome, Applied { notes: vec![note], undo_id, ..Applied::default() });
                    outcome
                })
            },
        )
    }
}
