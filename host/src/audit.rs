//! Every call, written down where no tool can reach it: a line of JSON each, and in each line the hash of the one before.
//!
//! - `seen`: what of a call and of its answer is told.
//! - `picked`: the few fields of a record that are wanted for it.
//! - `line`: how it is told.
//! - `chain`: the file, shared by all that write it, continued from file to file.
//! - `tail`: how a file ends, and what a crash has left there.
//! - `place`: where it may be.
//! - `verify`: whether it is still what was written.

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
pub(crate) use call_fields::{Heard, Seen, Told};
use chain::Chain;
use line::{Event, Line};
pub use verify::{Bad, End, Report, verify};

/// Where and how calls are written down.
///
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
    /// The file; none is `audit/audit.jsonl` in the state root.
    pub file: Option<PathBuf>,
    /// A call that cannot be written down is not made; one that changes something is written down before it is made, too.
    pub required: bool,
    /// Arguments are written down as well, long texts cut and hashed.
    pub arguments: bool,
    /// Bytes from which on a file is full, and another one begins.
    pub rotate_bytes: u64,
    /// Full files that are kept, one at least; the oldest is removed.
    pub keep: u32,
}

impl Default for Audit {
    /// Full at 64 MiB, 16 full ones: more than two million calls, and nothing that fills a disk.
    fn default() -> Self {
        Self { file: None, required: false, arguments: false, rotate_bytes: 64 << 20, keep: 16 }
    }
}

/// Who is told what a person should know, a sentence at a time.
pub(crate) type Tell = Arc<dyn Fn(&str) + Send + Sync>;

/// Who calls, as the audit names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Caller {
    /// By which way.
    pub(crate) front_end: String,
    /// The program at the other end of it, as it calls itself.
    pub(crate) client: Option<String>,
}

impl Caller {
    /// Who agrees to a call with `confirm`: a model, or whoever writes a program or a command line.
    pub(crate) fn agrees_as(&self) -> &'static str {
        if self.front_end == MCP { "model" } else { "caller" }
    }
}

/// The front end through which models call.
pub(crate) const MCP: &str = "mcp";

/// What is the same in all lines of a session.
pub(crate) struct Session {
    pub(crate) user: String,
    pub(crate) id: u128,
    /// Lines about changes wait for the disk.
    pub(crate) durable: bool,
}

/// The audit of a session.
pub(crate) struct Auditor {
    user: String,
    session: String,
    durable: bool,
    required: bool,
    arguments: bool,
    tell: Tell,
    path: PathBuf,
    file: Mutex<Writing>,
}

struct Writing {
    chain: Chain,
    /// Lines that could not be written since the last one that could.
    missed: u64,
}

/// A call that is to be written down.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) caller: Caller,
    pub(crate) tool: String,
    pub(crate) changes: bool,
    pub(crate) seen: Seen,
    /// Who has agreed to it, if somebody had to.
    pub(crate) confirmed: Option<&'static str>,
    /// The number of the line that says what was about to be done.
    pub(crate) intent: Option<u64>,
}

/// An audit file and the full ones that it goes on from, as far as they are there, the oldest first.
pub fn files(newest: &Path) -> Vec<PathBuf> {
    let older = (1..).map(|number| chain::numbered(newest, number)).take_while(|file| file.exists());
    let mut files: Vec<_> = older.collect();
    files.reverse();
    files.push(newest.to_owned());
    files
}

impl Audit {
    /// Its file, under the path that it will have. The directory is made if it is not there.
    pub(crate) fn place(&self, state_root: Option<&Path>, grants: &[Grant]) -> Result<PathBuf, StartError> {
        let file = self.file.clone().or_else(|| Some(state_root?.join("audit/audit.jsonl")));
        place::prepare(&file.ok_or(StartError::NoStateRoot)?, grants)
    }
}

impl Auditor {
    /// Opens the file, and closes off what a crash may have left at its end.
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
            file: Mutex::new(Writing { chain, missed: 0 }),
        })
    }

    /// The file, under its canonical path.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// A call that cannot be written down may not be made.
    pub(crate) fn is_required(&self) -> bool {
        self.required
    }

    /// Arguments are to be written down as well.
    pub(crate) fn wants_arguments(&self) -> bool {
        self.arguments
    }

    /// Writes down what is about to be done; the number of the line.
    pub(crate) fn intent(&self, entry: &Entry) -> Result<u64, String> {
        self.write(entry, Event::Intent, None)
    }

    /// Writes down what has become of a call.
    pub(crate) fn outcome(&self, entry: &Entry, told: &Told, duration: Duration) -> Result<u64, String> {
        self.write(entry, Event::Call, Some((told, duration)))
    }

    fn write(&self, entry: &Entry, event: Event, end: Option<(&Told, Duration)>) -> Result<u64, String> {
        let mut writing = self.lock();
        let missed = writing.missed;
        let line = Line {
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

    fn lock(&self) -> MutexGuard<'_, Writing> {
        // Whatever a panic has left is looked at again, from the file, by the next line.
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
