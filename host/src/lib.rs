//! Filesystem tools for AI agents, sealed in a WebAssembly component.
//!
//! A [`Gate`] opens the granted directories, hands them to the component and calls its tools. The component
//! has nothing else: what was not granted has no name inside.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let directory = std::env::temp_dir().join("fsgate-doc/w");
//! # let _ = std::fs::remove_dir_all(&directory);
//! # std::fs::create_dir_all(&directory)?;
//! # let state = directory.with_file_name("state");
//! use fsgate::{CreateArgs, Gate, ReadNumberedArgs};
//!
//! let gate = Gate::builder().dir(&directory).state_root(&state).build()?;
//! gate.create(&CreateArgs { path: "notes.md".into(), content: "# Notes\n".into(), ..Default::default() })?;
//! let shown = gate.read_numbered(&ReadNumberedArgs { path: "notes.md".into(), ..Default::default() })?;
//! assert_eq!(shown.content, "1: # Notes");
//!
//! let refused = gate.read_numbered(&ReadNumberedArgs { path: "../secret".into(), ..Default::default() });
//! assert_eq!(refused.unwrap_err().code.name(), "not_granted");
//! # Ok(())
//! # }
//! ```
//!
//! Calls block. On a thread of an asynchronous runtime, make them where blocking is allowed.
//!
//! A gate that may change something keeps *state*: what is needed to undo changes, and to put right what a crash has cut
//! off. It lies outside of every granted directory, in the user's `$XDG_STATE_HOME/fsgate` (else `~/.local/state/fsgate`) or
//! where [`GateBuilder::state_root`] says. Gates that share it, in this process or another, make their changes one after the
//! other; a call that waits in vain for its turn until its deadline answers `busy`. [`Durability::None`] does without.
//! [`Gate::call_cancellable`] makes a call that can be taken back. [`GateBuilder::audit`] has every call written down.

pub mod audit;
mod bindings;
mod calling;
mod cancel;
mod components;
pub mod config;
mod confinement;
mod entry;
// For tests, which hand it to other components: no part of the interface.
#[doc(hidden)]
pub mod filesystem;
mod front_ends;
mod gate;
mod grant;
mod limits;
mod manage;
#[cfg(feature = "mcp")]
pub mod mcp;
mod places;
mod pool;
mod recovery;
mod sandbox;
mod settings;
mod state;
#[cfg(all(feature = "native", unix))]
pub mod volume;

pub use audit::Audit;
pub use cancel::CancelToken;
pub use confinement::{Confined, Confinement, ConfinementError};
pub use components::{ComponentKind, NotInThisBuild, component};
pub use fsgate_artifact::{COMMAND, COMPONENT};
pub use fsgate_core::contract::agent_types::Tool;
pub use fsgate_core::contract::edit_types::{
    AppendArgs, AppendOutcome, AppliedFile, ApplyArgs, ApplyOutcome, CommentLinesArgs, CommentLinesOutcome,
    CreateArgs, CreateOutcome, Edit, InsertLinesArgs, InsertLinesOutcome, Occurrence, ReplaceAllArgs,
    ReplaceAllOutcome, ReplaceArgs, ReplaceInFilesArgs, ReplaceInFilesOutcome, ReplaceLinesArgs,
    ReplaceLinesOutcome, ReplaceOutcome, UncommentLinesArgs, UncommentLinesOutcome, WriteArgs,
    WriteBytesArgs, WriteBytesOutcome, WriteOutcome,
};
pub use fsgate_core::contract::front_ends_types::{
    CommandArgs, CommandOutcome, CommandQuestion, FileActionArgs, FileActionOutcome, FileEvent, PluginArgs,
    PluginOutcome, ShamArgs, ShamOutcome, WorkflowArgs, WorkflowOutcome, WorkflowVariable,
};
pub use fsgate_core::contract::history_types::{
    CheckpointArgs, CheckpointOutcome, ForgetArgs, ForgetOutcome, LogArgs, LogEntry, LogOutcome, LogSummary,
    RecoverArgs, RecoverOutcome, RedoArgs, RedoOutcome, RestoreArgs, RestoreOutcome, UndoArgs, UndoOutcome,
};
pub use fsgate_core::contract::manage_types::{
    CopyArgs, CopyOutcome, CreateDirectoryArgs, CreateDirectoryOutcome, DeleteArgs, DeleteDirectoryArgs,
    DeleteDirectoryOutcome, DeleteOutcome, MoveArgs, MoveOutcome,
};
pub use fsgate_core::contract::read_types::{
    ExistsArgs, ExistsOutcome, FileRead, LinesOutOfRange, ReadArgs, ReadBytesArgs, ReadBytesOutcome,
    ReadManyArgs, ReadManyOutcome, ReadNumberedArgs, ReadNumberedOutcome, ReadOutcome, StatArgs, StatOutcome,
};
pub use fsgate_core::contract::search_types::{
    GlobArgs, GlobKind, GlobOutcome, GrepArgs, GrepFile, GrepMatch, GrepMode, GrepOutcome, ListDirectoryArgs,
    ListDirectoryOutcome, Skipped, Totals, TreeArgs, TreeEntry, TreeForm, TreeOutcome,
};
pub use fsgate_core::contract::types::{
    Candidate, Code, Entry, Error, Left, LineEnd, Note, SpecialKind, Stop,
};
pub use fsgate_core::contract::{Field, Kind, OPERATIONS, Operation, types};
pub use fsgate_core::policy;
pub use fsgate_core::text::lines::contents as lines;
pub use gate::{Directory, Gate, GateBuilder};
pub use grant::{Access, StartError};
pub use limits::Limits;
pub use settings::{Durability, HistoryLimits};
