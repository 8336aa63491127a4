//! Filesystem tools for AI agents, sealed in a WebAssembly component.
//!
//! A [`Gate`] opens the granted directories, hands them to the component and calls its tools. The
//! component has nothing else: a path outside of the grants has no name inside.
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
//! Calls block. On an asynchronous runtime, make them where blocking is allowed.
//!
//! # Grants
//!
//! [`Gate::builder`] takes directories under their own paths or chosen names, a policy that narrows
//! them, and limits. It refuses a start whose settings it cannot enforce.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let scratch = std::env::temp_dir().join("fsgate-doc-grants");
//! # let _ = std::fs::remove_dir_all(&scratch);
//! # for name in ["project", "manual"] { std::fs::create_dir_all(scratch.join(name))?; }
//! use std::time::Duration;
//!
//! use fsgate::policy::{Document, RuleEffect, Rule};
//! use fsgate::{Access, Code, CreateArgs, Gate, GrantReason, Limits, StartError};
//!
//! let rule = Rule { name: "releases".into(), paths: vec!["releases/**".into()], effect: RuleEffect::Denied, ..Rule::default() };
//! let gate = Gate::builder()
//!     .dir_as(scratch.join("project"), "/project", Access::Write)
//!     .dir_as(scratch.join("manual"), "/manual", Access::Read)
//!     .policy(Document { rules: vec![rule], ..Document::default() })
//!     .limits(Limits { deadline: Duration::from_secs(5), ..Limits::default() })
//!     .state_root(scratch.join("state"))
//!     .build()?;
//!
//! let create = |path: &str| gate.create(&CreateArgs { path: path.into(), parents: Some(true), ..Default::default() });
//! assert_eq!(create("src/main.rs")?.path, "/project/src/main.rs");
//! assert!(matches!(create("/manual/a.md").unwrap_err().code, Code::ReadOnly));
//! assert!(matches!(create("releases/1.0").unwrap_err().code, Code::DeniedByPolicy(rule) if rule == "releases"));
//!
//! let system = Gate::builder().read_only_dir("/usr").build();
//! assert!(matches!(system, Err(StartError::Grant(problem)) if problem.reason == GrantReason::Wide));
//! # Ok(())
//! # }
//! ```
//!
//! # Errors
//!
//! An [`Error`] has a [`Code`] with its data, a sentence, and a repair. A refused call has changed
//! nothing, and says so in `applied`. Changes can be undone.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let directory = std::env::temp_dir().join("fsgate-doc-refused/w");
//! # let _ = std::fs::remove_dir_all(&directory);
//! # std::fs::create_dir_all(&directory)?;
//! # let state = directory.with_file_name("state");
//! use fsgate::{Code, Gate, ReplaceArgs, UndoArgs};
//!
//! std::fs::write(directory.join("notes.md"), "a draft\nstill a draft\n")?;
//! let gate = Gate::builder().dir(&directory).state_root(&state).build()?;
//! let mut edit = ReplaceArgs { path: "notes.md".into(), old: "draft".into(), new: "text".into(), ..Default::default() };
//!
//! let refused = gate.replace(&edit).unwrap_err();
//! assert_eq!((&refused.code, refused.applied), (&Code::Ambiguous(vec![1, 2]), false));
//!
//! edit.occurrence = Some(2);
//! gate.replace(&edit)?;
//! assert_eq!(std::fs::read_to_string(directory.join("notes.md"))?, "a draft\nstill a text\n");
//!
//! gate.undo(&UndoArgs::default())?;
//! assert_eq!(std::fs::read_to_string(directory.join("notes.md"))?, "a draft\nstill a draft\n");
//! # Ok(())
//! # }
//! ```
//!
//! # Models
//!
//! [`Gate::tools`] describes every operation with JSON schemas, and [`Gate::call`] takes a call as
//! a model writes it. Outcomes and errors are both answers for the model. The repository has a
//! complete loop in `examples/agent-loop`.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let directory = std::env::temp_dir().join("fsgate-doc-models/w");
//! # let _ = std::fs::remove_dir_all(&directory);
//! # std::fs::create_dir_all(&directory)?;
//! # let state = directory.with_file_name("state");
//! # let gate = fsgate::Gate::builder().dir(&directory).state_root(&state).build()?;
//! for tool in gate.tools()? {
//!     let schema: serde_json::Value = serde_json::from_str(&tool.input_schema)?;
//!     assert_eq!(schema["type"], "object", "{}", tool.name);
//! }
//!
//! let outcome = gate.call("create", r##"{"path": "notes.md", "content": "# Notes\n"}"##).unwrap();
//! assert!(outcome.contains(r#""bytes_written":8"#));
//! let refused = gate.call("read", r#"{"path": "nots.md"}"#).unwrap_err();
//! let refused: serde_json::Value = serde_json::from_str(&refused)?;
//! assert_eq!(refused["code"], "not_found");
//! assert_eq!(refused["applied"], false);
//! # Ok(())
//! # }
//! ```
//!
//! The server of the Model Context Protocol is [`mcp::Server`], with the feature `mcp`. Front ends
//! take the file languages of other systems: [`Gate::sham`], [`Gate::command`],
//! [`Gate::file_action`], [`Gate::workflow`], [`Gate::plugin`].
//!
//! # State
//!
//! A gate with write access keeps *state*: the data for undo, and for recovery after a crash. It is
//! outside of every grant, in `$XDG_STATE_HOME/fsgate` (else `~/.local/state/fsgate`) or in
//! [`GateBuilder::state_root`]. Gates that share it, in all processes, make their changes one after
//! the other. A call that waits for its turn until its deadline returns `busy`.
//! [`Durability::None`] keeps no state. [`Gate::call_cancellable`] makes a call that can be
//! cancelled. [`GateBuilder::audit`] enables the audit.
//!
//! # Features
//!
//! - `mcp`, by default: the server, and the program `fsgate`.
//! - `kinds`: the components of all [`ComponentKind`]s in a debug build. Release builds have them.
//! - `native`: the module `volume`, directories of this machine without a component, on Unix.

pub mod audit;
mod bindings;
mod call_scope;
mod cancel;
mod components;
pub mod config;
mod confinement;
mod control_api;
mod execute;
// For tests of other components; not part of the public interface.
#[doc(hidden)]
pub mod filesystem;
mod front_ends;
mod gate;
mod grant;
mod host_patterns;
mod limits;
#[cfg(feature = "mcp")]
pub mod mcp;
#[cfg(unix)]
#[cfg_attr(not(feature = "native"), expect(unreachable_pub, reason = "public with that feature"))]
mod native;
mod pool;
mod recovery;
mod sandbox;
mod seen_tags;
mod settings;
mod state;
mod turn;
#[cfg(all(feature = "native", unix))]
pub mod volume;

pub use audit::Audit;
pub use cancel::CancelToken;
pub use components::{ComponentKind, NotInThisBuild, component};
pub use confinement::{Confined, Confinement, ConfinementError};
#[doc(hidden)]
pub use front_ends::now;
pub use fsgate_artifact::COMPONENT;
pub use fsgate_contract::agent_types::Tool;
pub use fsgate_contract::edit_types::{
    AppendArgs, AppendOutcome, AppliedFile, ApplyArgs, ApplyOutcome, CommentLinesArgs, CommentLinesOutcome,
    CreateArgs, CreateOutcome, Edit, InsertLinesArgs, InsertLinesOutcome, Occurrence, ReplaceAllArgs,
    ReplaceAllOutcome, ReplaceArgs, ReplaceInFilesArgs, ReplaceInFilesOutcome, ReplaceLinesArgs,
    ReplaceLinesOutcome, ReplaceOutcome, UncommentLinesArgs, UncommentLinesOutcome, WriteArgs,
    WriteBytesArgs, WriteBytesOutcome, WriteOutcome,
};
pub use fsgate_contract::front_ends_types::{
    CommandArgs, CommandOutcome, CommandQuestion, FileActionArgs, FileActionOutcome, FileEvent, PluginArgs,
    PluginOutcome, ShamArgs, ShamOutcome, WorkflowArgs, WorkflowOutcome, WorkflowVariable,
};
pub use fsgate_contract::history_types::{
    CheckpointArgs, CheckpointOutcome, ForgetArgs, ForgetOutcome, LogArgs, LogEntry, LogOutcome, LogSummary,
    RecoverArgs, RecoverOutcome, RedoArgs, RedoOutcome, RestoreArgs, RestoreOutcome, UndoArgs, UndoOutcome,
};
pub use fsgate_contract::manage_types::{
    CopyArgs, CopyOutcome, CreateDirectoryArgs, CreateDirectoryOutcome, DeleteArgs, DeleteDirectoryArgs,
    DeleteDirectoryOutcome, DeleteOutcome, MoveArgs, MoveOutcome,
};
pub use fsgate_contract::read_types::{
    ExistsArgs, ExistsOutcome, FileRead, LinesOutOfRange, OutlineArgs, OutlineOutcome, ReadArgs,
    ReadBytesArgs, ReadBytesOutcome, ReadManyArgs, ReadManyOutcome, ReadNumberedArgs, ReadNumberedOutcome,
    ReadOutcome, SectionLines, StatArgs, StatOutcome,
};
pub use fsgate_contract::search_types::{
    GlobArgs, GlobKind, GlobOutcome, GrepArgs, GrepFile, GrepMatch, GrepMode, GrepOutcome, ListDirectoryArgs,
    ListDirectoryOutcome, Skipped, SortOrder, Totals, TreeArgs, TreeEntry, TreeForm, TreeOutcome,
};
pub use fsgate_contract::types::{Candidate, Code, Entry, Error, Left, LineEnd, Note, SpecialKind, Stop};
pub use fsgate_contract::{Field, Kind, OPERATIONS, Operation, types};
pub use fsgate_policy as policy;
pub use fsgate_text::lines::contents as lines;
pub use gate::{Directory, Gate, GateBuilder};
pub use grant::{Access, GrantProblem, GrantReason, StartError};
pub use limits::Limits;
pub use settings::{Durability, HistoryLimits};
pub use state::nearest_root;
