//! The embedding: a gate with directories behind it.

use std::path::PathBuf;
use std::sync::{PoisonError, RwLock};

use fsgate_core::contract::agent_types::{CallArgs, Tool};
use fsgate_core::contract::edit_types::{
    AppendArgs, AppendOutcome, CreateArgs, CreateOutcome, ReplaceAllArgs, ReplaceAllOutcome, ReplaceArgs,
    ReplaceOutcome, WriteArgs, WriteBytesArgs, WriteBytesOutcome, WriteOutcome,
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
use fsgate_core::contract::{Arguments, Operation};
use fsgate_core::error::{Failure, Interruption, Reason};

use crate::grant::{Access, Grant, Request, StartError, check};
use crate::limits::{Deadline, Limits};
use crate::pool::Pool;
use crate::sandbox::{Instance, Sandbox};

/// The tools over the directories that were granted.
///
/// Calls from several threads run side by side as long as they change nothing. One that may change something is alone:
/// no other call sees its work half done.
pub struct Gate {
    sandbox: Sandbox,
    limits: Limits,
    instances: Pool<Instance>,
    /// Held by every call, exclusively by those that may change something.
    turn: RwLock<()>,
    directories: Vec<Directory>,
}

/// A directory that a gate has granted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directory {
    /// Its name inside.
    pub name: String,
    /// What may be done in it.
    pub access: Access,
}

/// What a gate is made from.
#[derive(Debug, Default)]
pub struct GateBuilder {
    requests: Vec<Request>,
    limits: Limits,
    component: Option<Vec<u8>>,
    nothing: bool,
    parallel: Option<usize>,
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

    /// Every operation, as a model is told about it.
    pub fn tools(&self) -> Result<Vec<Tool>, Error> {
        self.run("tools", || true, |i| i.exports.fsgate_tools_agent().call_tools(&mut i.store))
    }

    /// Calls an operation by name; arguments, outcome and error are JSON objects.
    pub fn call(&self, tool: &str, arguments: &str) -> Result<String, String> {
        let args = CallArgs { tool: tool.to_owned(), arguments: arguments.to_owned() };
        let operation = Operation::find(tool).map_or("call", |operation| operation.name);
        // Looked at only if the call is stopped.
        let is_dry_run =
            || serde_json::from_str(arguments).is_ok_and(|json: serde_json::Value| json["dry_run"] == true);
        match self
            .run(operation, is_dry_run, |i| i.exports.fsgate_tools_agent().call_call(&mut i.store, &args))
        {
            Ok(answer) => answer.map(|ok| ok.outcome).map_err(|refused| refused.error),
            // An error is a record of strings and numbers: it always has a form in JSON.
            Err(stopped) => Err(serde_json::to_string(&stopped).unwrap_or_default()),
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

    /// Calls that run at once at most.
    pub fn parallel(&self) -> usize {
        self.instances.size()
    }

    fn typed<A: Arguments>(
        &self,
        args: &A,
        call: impl FnOnce(&mut Instance) -> wasmtime::Result<Result<A::Outcome, Error>>,
    ) -> Result<A::Outcome, Error> {
        self.run(A::OPERATION, || args.is_dry_run(), call)?
    }

    /// Calls into an instance. One that traps is thrown away, and a later call gets a fresh one.
    fn run<T>(
        &self,
        operation: &str,
        is_dry_run: impl FnOnce() -> bool,
        call: impl FnOnce(&mut Instance) -> wasmtime::Result<T>,
    ) -> Result<T, Error> {
        let looks = Operation::find(operation).is_none_or(|operation| operation.read_only);
        // Nothing is kept under this lock that a panic could leave wrong.
        let shared = looks.then(|| self.turn.read().unwrap_or_else(PoisonError::into_inner));
        let alone = (!looks).then(|| self.turn.write().unwrap_or_else(PoisonError::into_inner));
        let mut place = self.instances.take();
        let watch = self.sandbox.watch().map_err(|error| self.stopped(operation, false, None, &error))?;
        // Out of its place while it runs: whatever happens, a broken instance does not stay.
        let taken = place.item.take().map_or_else(|| self.sandbox.instantiate(&self.limits), Ok);
        let mut instance = taken.map_err(|error| self.stopped(operation, false, None, &error))?;
        instance.store.data_mut().deadline = Deadline::after(self.limits.deadline);
        let answer = call(&mut instance);
        drop((watch, shared, alone));
        match answer {
            Ok(answer) => {
                place.item = Some(instance);
                Ok(answer)
            }
            Err(error) => Err(self.stopped(operation, !looks && !is_dry_run(), Some(&instance), &error)),
        }
    }

    fn stopped(
        &self,
        operation: &str,
        changing: bool,
        instance: Option<&Instance>,
        error: &wasmtime::Error,
    ) -> Error {
        let stop = match instance.map(|instance| instance.store.data()) {
            Some(state) if state.memory.exceeded => Interruption::Memory(self.limits.memory as u64),
            Some(_) if matches!(error.downcast_ref(), Some(wasmtime::Trap::Interrupt)) => {
                Interruption::Deadline(self.limits.deadline)
            }
            _ => Interruption::Trap(format!("{error:#}")),
        };
        Failure::from(Reason::Stopped(stop, changing)).into_error(operation)
    }
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

    /// Sets what one call may use.
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

    /// Checks the grants, opens the directories and loads the component.
    pub fn build(self) -> Result<Gate, StartError> {
        if self.requests.is_empty() && !self.nothing {
            return Err(StartError::NoGrant);
        }
        let grants = check(&self.requests)?;
        let sandbox = Sandbox::new(&grants, self.component.as_deref())?;
        let granted = |grant: &Grant| Directory { name: grant.name.clone(), access: grant.access };
        Ok(Gate {
            sandbox,
            limits: self.limits,
            instances: Pool::new(self.parallel.unwrap_or(PARALLEL)),
            turn: RwLock::new(()),
            // Behind these are other names of the same directories.
            directories: grants.iter().take(self.requests.len()).map(granted).collect(),
        })
    }

    fn grant(mut self, path: PathBuf, name: Option<String>, access: Access) -> Self {
        self.requests.push(Request { path, name, access });
        self
    }
}
