//! The audit: one line of JSON per call, each with the hash of the line before.
//!
//! - `call_fields`: the facts of a line about a call and its answer.
//! - `chain`: the file, shared by all sessions that write it, and its rotation.
//! - `tail`: the end of a file, and the remains of a crash there.

mod call_fields;
mod chain;
mod json_pick;
mod line;
mod place;
mod tail;
mod verify;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use crate::grant::{Grant, StartError};
pub(crate) use call_fields::{AnswerFields, AuditFacts, CallFields};
use chain::Chain;
use line::{AuditLine, Event};
pub use verify::{Bad, End, Report, verify};

/// The file and the rules of the audit.
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let scratch = std::env::temp_dir().join("fsgate-doc-audit");
/// # let _ = std::fs::remove_dir_all(&scratch);
/// # std::fs::create_dir_all(scratch.join("w"))?;
/// use fsgate::audit::{Audit, verify};
/// use fsgate::{CreateArgs, Gate};
///
/// let file = scratch.join("audit/audit.jsonl");
/// let audit = Audit { file: Some(file.clone()), ..Audit::default() };
/// let gate = Gate::builder().dir(scratch.join("w")).state_root(scratch.join("state")).audit(audit).build()?;
/// gate.create(&CreateArgs { path: "notes.md".into(), content: "# Notes\n".into(), ..Default::default() })?;
///
/// let lines = std::fs::read(&file)?;
/// let report = verify(&mut lines.as_slice(), None, None)?;
/// assert_eq!((report.lines, report.bad), (1, None));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Audit {
    /// The file. The default is `audit/audit.jsonl` in the state root.
    pub file: Option<PathBuf>,
    /// Refuses a call that cannot be written down. A change is also written down before it runs.
    pub required: bool,
    /// Also writes arguments, with long texts cut and hashed.
    pub arguments: bool,
    /// Size in bytes at which a new file begins.
    pub rotate_bytes: u64,
    /// Number of full files to keep, at least one; the oldest is removed.
    pub keep: u32,
}

impl Default for Audit {
    /// 16 files of 64 MiB: more than two million calls, and no risk of a full disk.
    fn default() -> Self {
        Self { file: None, required: false, arguments: false, rotate_bytes: 64 << 20, keep: 16 }
    }
}

pub(crate) type Tell = Arc<dyn Fn(&str) + Send + Sync>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Caller {
    pub(crate) front_end: String,
    /// The name that the client program gives itself.
    pub(crate) client: Option<String>,
}

impl Caller {
    /// The audit's word for the setter of `confirm`: a model, or the author of a program or command
    /// line.
    pub(crate) fn agrees_as(&self) -> &'static str {
        if self.front_end == MCP { "model" } else { "caller" }
    }
}

pub(crate) const MCP: &str = "mcp";

pub(crate) struct Session {
    pub(crate) user: String,
    pub(crate) id: u128,
    /// Waits for the disk after lines about changes.
    pub(crate) durable: bool,
}

pub(crate) struct Auditor {
    user: String,
    session: String,
    durable: bool,
    required: bool,
    arguments: bool,
    tell: Tell,
    path: PathBuf,
    file: Mutex<Writer>,
}

struct Writer {
    chain: Chain,
    missed: u64,
}

#[derive(Debug)]
pub(crate) struct AuditEntry {
    pub(crate) caller: Caller,
    pub(crate) tool: String,
    pub(crate) changes: bool,
    pub(crate) call: CallFields,
    pub(crate) confirmed: Option<&'static str>,
    pub(crate) intent: Option<u64>,
}

/// Returns the full files of an audit, the oldest first, and the current one.
pub fn files(newest: &Path) -> Vec<PathBuf> {
    let older = (1..).map(|number| chain::numbered(newest, number)).take_while(|file| file.exists());
    let mut files: Vec<_> = older.collect();
    files.reverse();
    files.push(newest.to_owned());
    files
}

impl Audit {
    /// Returns the canonical path of the file. Makes its directory if that is missing.
    pub(crate) fn place(&self, state_root: Option<&Path>, grants: &[Grant]) -> Result<PathBuf, StartError> {
        let file = self.file.clone().or_else(|| Some(state_root?.join("audit/audit.jsonl")));
        place::prepare(&file.ok_or(StartError::NoStateRoot)?, grants)
    }
}

impl Auditor {
    pub(crate) fn open(
        audit: &Audit,
        state_root: Option<&Path>,
        grants: &[Grant],
        session: Session,
        tell: Tell,
    ) -> Result<Self, StartError> {
        let file = audit.place(state_root, grants)?;
        let mut chain = Chain::new(file.clone(), audit.rotate_bytes, audit.keep);
        let refused =
            |problem: std::io::Error| StartError::Audit { file: file.clone(), problem: problem.to_string() };
        let found = chain.begin().map_err(refused)?;
        if let Some(torn) = found {
            tell(&format!(
                "the last line of the audit file was cut off ({torn} bytes), which a crash does; it was closed off"
            ));
        }
        Ok(Self {
            user: session.user,
            session: format!("{:032x}", session.id),
            durable: session.durable,
            required: audit.required,
            arguments: audit.arguments,
            tell,
            path: file,
            file: Mutex::new(Writer { chain, missed: 0 }),
        })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn is_required(&self) -> bool {
        self.required
    }

    pub(crate) fn wants_arguments(&self) -> bool {
        self.arguments
    }

    /// Returns the number of the line that announces a call.
    pub(crate) fn intent(&self, entry: &AuditEntry) -> Result<u64, String> {
        self.write(entry, Event::Intent, None)
    }

    /// Returns the number of the line with an answer.
    pub(crate) fn outcome(
        &self,
        entry: &AuditEntry,
        answer: &AnswerFields,
        duration: Duration,
    ) -> Result<u64, String> {
        self.write(entry, Event::Call, Some((answer, duration)))
    }

    fn write(
        &self,
        entry: &AuditEntry,
        event: Event,
        end: Option<(&AnswerFields, Duration)>,
    ) -> Result<u64, String> {
        let mut writing = self.lock();
        let missed = writing.missed;
        let line = AuditLine {
            time: SystemTime::now(),
            event,
            user: &self.user,
            session: &self.session,
            entry,
            end,
            missed,
        };
        let written = writing.chain.append(self.durable && entry.changes, |at| line.text(at));
        writing.missed = if written.is_ok() { 0 } else { missed + 1 };
        drop(writing);
        match written {
            Ok(_) if missed > 0 => (self.tell)("the audit file can be written again"),
            Err(_) if missed > 0 => {}
            Err(ref problem) => {
                (self.tell)(&format!("a call cannot be written into the audit file: {problem}"));
            }
            Ok(_) => {}
        }
        written.map_err(|problem| problem.to_string())
    }

    fn lock(&self) -> MutexGuard<'_, Writer> {
        // The next line reads the file anew, so a panic does no harm.
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
