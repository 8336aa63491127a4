//! Failures as data. Their sentences are in `sentences.rs`, and in a file per family.
//!
//! Code below the tools returns a [`Reason`]. [`Failure::into_error`] makes the contract's `error`:
//! code, sentence and next step. [`call`] parses JSON calls and names every wrong argument.

#![forbid(unsafe_code)]

mod arguments;
pub mod call;
mod convert;
mod edits;
mod encodings;
mod history;
mod hosts;
mod interruption;
mod lines;
mod occurrences;
mod patches;
mod paths;
mod patterns;
mod phrases;
mod policy;
mod sections;
mod sentences;
mod volume_faults;

use std::time::Duration;

use fsgate_contract::limits::{ERROR_BYTES, ERROR_PATH_CHARS};
use fsgate_contract::path::PathProblem;
use fsgate_contract::path::spelling::Beginning;
use fsgate_contract::path_pattern;
use fsgate_contract::types::{Code, Error, SpecialKind};
use fsgate_text::encoding::{Certainty, Detected};
use fsgate_text::excerpt::cut;
use fsgate_text::glob;
use fsgate_text::nearest::Traces;
use fsgate_text::number::InvalidLines;
use fsgate_text::pattern::PatternError;
use fsgate_volume::settings::Misset;
use fsgate_volume::settings::Unusable;
use fsgate_volume::settings::directory::Unread;
use fsgate_volume::{Fault, Kind};
use sentences::Sentence;

pub use arguments::ArgumentProblem;
pub use edits::EditProblem;
pub use encodings::EncodingProblem;
pub use history::{Conflict, HistoryProblem, NamedEntry};
pub use lines::LineProblem;
pub use occurrences::OccurrenceProblem;
pub use patches::{PatchPart, PatchProblem};
pub use patterns::IgnoreProblem;
pub use sections::SectionProblem;

/// The probable misreading of an unmatched expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Misread {
    /// It names line ends; the text has CRLF.
    LineEnds,
    /// It has `\|`, an alternative elsewhere.
    Bar,
    /// No known one.
    Nothing,
}

/// The reason for a refusal, with its sentence's data.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "each case has its sentence in `error/sentences.rs`")]
pub enum Reason {
    NotFound(Vec<String>),
    /// A link to a missing target, given if it may be shown.
    Dangling(Option<String>),
    /// A file longer or shorter than its size.
    Unsized,
    /// A missing path with literal wildcards.
    WildPath,
    Exists,
    /// A file in place of a new directory.
    FileInTheWay,
    /// A dangling link there.
    LinkInTheWay(Option<String>),
    IsDirectory,
    NotDirectory,
    /// A directory without `recursive`. The destination may be inside.
    NeedsRecursive {
        within: bool,
    },
    /// A directory where a file is to be deleted.
    DeletesDirectory,
    /// A file where a directory is to be deleted.
    DeletesFile,
    /// The destination is a directory; the path probably meant, and its refusal.
    DestinationIsDirectory {
        meant: String,
        refused: Option<Box<Self>>,
    },
    /// The number of names in a directory to be empty.
    NotEmpty(u64),
    SameFile,
    IntoItself,
    /// A file that is source and destination, or two sources' destination.
    Entangled,
    /// A directory between two grants or file systems.
    OnlyFilesCross,
    /// The number of names that are not UTF-8.
    Unreachable(u64),
    /// The number of matching files, and the limit.
    TooManyMatches {
        found: u64,
        most: usize,
    },
    /// A pattern for something other than a directory.
    GlobOfFile,
    /// An inapplicable ignore file that should protect files.
    IgnoreFile {
        file: String,
        why: IgnoreProblem,
    },
    /// Two exclusive arguments; the first counts as wrong.
    Excluding(&'static str, &'static str),
    /// The size of a copy, or of the file that it overwrites.
    CopyTooLarge(u64),
    /// A file or tree replaced since its check.
    Changed,
    /// The present name of something foreign in an unfinished copy.
    Foreign(String),
    /// A partial change: the action, its count, and the cause of the end.
    Partly {
        done: &'static str,
        count: u64,
        why: Box<Reason>,
    },
    PathEscape,
    /// An absolute link, whose target may be outside of its grant.
    AbsoluteLink,
    NotGranted(Vec<String>),
    DuplicateGrant(String),
    ReservedGrant(String),
    LinkLoop,
    ReadOnlyGrant,
    InvalidPath(PathProblem),
    /// A new path that begins as in a shell or other system.
    NotLiteral {
        beginning: Beginning,
        /// The path probably meant, or empty.
        meant: String,
        /// The directory where relative paths start.
        start: String,
    },
    NameTooLong,
    EmptyArgument(&'static str),
    MistypedArgument {
        field: String,
        problem: String,
    },
    Arguments(Vec<ArgumentProblem>),
    /// The position of the JSON error and the parser's message.
    MalformedArguments {
        position: u64,
        problem: String,
    },
    MalformedRequest {
        position: u64,
        problem: String,
    },
    UnknownTool {
        name: String,
        known: Vec<&'static str>,
        nearest: Option<&'static str>,
    },
    InvalidLines(InvalidLines),
    Encoding(EncodingProblem),
    BudgetTooSmall {
        line: u64,
        budget: u32,
        ceiling: u32,
    },
    SpanTooLarge(u64),
    PlacedTooLarge,
    /// The size of a file too large for a regular expression.
    TooLargeForRegex(u64),
    Pattern(PatternError),
    /// The argument with a path pattern, and its error.
    InvalidGlob {
        field: &'static str,
        invalid: glob::InvalidGlob,
    },
    /// The edits scan too much text.
    EditsLaborious,
    /// The directory that excludes a pattern with a leading `/`.
    GlobOutside {
        field: &'static str,
        start: String,
    },
    CountAndLimit,
    /// Two exclusive arguments; the second counts as wrong.
    Both(&'static str, &'static str),
    /// An argument with a meaning beside this one only.
    OnlyWith(&'static str, &'static str),
    Lines(LineProblem),
    Section(SectionProblem),
    NoEdits,
    EditsAndPatch,
    Patch(Box<PatchProblem>),
    /// The detected encoding of a file.
    Guessed {
        encoding: &'static str,
        why: Box<Reason>,
    },
    /// A part of a patch; whether earlier parts changed the file; the hunk, from 1, and its line.
    InPatch {
        part: PatchPart,
        follows: bool,
        hunk: Option<(usize, u32)>,
        why: Box<Reason>,
    },
    /// Paths too long for an answer together.
    EditPathsTooLong,
    InvalidEdit(EditProblem),
    Occurrences(Box<OccurrenceProblem>),
    /// An edit, from 1; whether earlier edits changed the file.
    InEdit {
        number: usize,
        follows: bool,
        why: Box<Reason>,
    },
    CountMismatch {
        wanted: u32,
        found: u64,
        lines: Vec<u32>,
    },
    /// The same without occurrences, and the reason.
    CountOfNothing {
        wanted: u32,
        why: Box<Reason>,
    },
    NoMatch(Traces),
    MatchesNothing(Misread),
    /// The same for a literal text that may be an expression.
    TakenLiterally(Box<Reason>),
    Ambiguous {
        count: u64,
        lines: Vec<u32>,
    },
    NoSuchOccurrence {
        asked: u32,
        count: u64,
    },
    Stale(String),
    /// The requested tag and the present one, empty for a missing file.
    NotInState {
        wanted: String,
        found: String,
    },
    /// A file that was changed since the session saw it: its present tag if it has one, whether it
    /// is there, and the numbered lines that a change means.
    SeenBefore {
        found: String,
        is_there: bool,
        lines: Option<String>,
    },
    NoneMatchTag(String),
    InvalidCursor,
    /// The present tag of bytes before the cursor.
    StaleCursor(String),
    SpecialFile(SpecialKind),
    /// A fault; true while writing.
    Volume(Fault, bool),
    Unrecovered(Box<Fault>),
    Past(Box<HistoryProblem>),
    /// An earlier change is incomplete, so no other began.
    Unhealed(Box<Fault>),
    /// The journal could not record a change, which was not made.
    Journal(Box<Fault>),
    /// Content to delete or replace cannot be kept.
    NotKept(Box<Fault>),
    /// The same: the trash is elsewhere, and this kind is not copied.
    NoCopy(Kind),
    Unusable(Box<Unusable>),
    Misset(Misset),
    Unread(Box<Unread>),
    InvalidPolicy {
        field: String,
        problem: String,
    },
    Denied(String, Denial),
    OverLimit(u64),
    /// A directory too large to check against the policy.
    TooManyToAsk,
    Unconfirmed,
    /// Another host is changing the same directories.
    LockedElsewhere,
    /// Other calls of the session took the waiting time.
    HeldUp,
    /// Bytes are written in place under the root, or were at another process's death.
    HalfWritten,
    /// The lock failed, in the system's words.
    Unlockable(String),
    /// The host stopped the call; the state of its change.
    Stopped(Interruption, ChangeState),
    Exceeded(Exceeded),
    /// The audit could not record the call, which was not made.
    Unaudited(String),
    /// The audit could not record an answer, which is withheld.
    AnswerUnaudited(String),
    NotConfirmed(ConfirmationRefusal),
}

/// An exceeded limit of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Exceeded {
    /// Calls per second, and the time until the next one.
    Calls(u32, Duration),
    /// Running calls and waiting ones.
    Concurrent(usize, usize),
    /// An answer's bytes, the limit, and the change's state.
    Result(u64, u64, ChangeState),
}

/// The reason why a person did not confirm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfirmationRefusal {
    /// Declined.
    Declined,
    /// Closed the question.
    Dismissed,
    /// Did not answer in this time.
    Silent(Duration),
    /// The answer was invalid.
    Failed,
}

/// An action that a policy denies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Denial {
    /// Reading or creating.
    Open,
    /// Changing.
    Change,
    /// Changing anything but the end.
    Append,
    /// Removing it or its name.
    Delete,
    /// Changing a directory with protected content.
    Inside,
    /// Creating a link.
    Link,
    /// Writing to a file with other names.
    Linked,
    /// Changing more files at once than this.
    Many(u64),
}

/// The state of a stopped call's change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeState {
    /// Not begun.
    Untouched,
    /// Rolled back.
    RolledBack,
    /// Made.
    Done,
    /// Unknown: it may have begun.
    Unknown,
}

/// The reason why a host stopped a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Interruption {
    /// The call's time ended.
    Deadline(Duration),
    /// The time of its text ended.
    TextDeadline(Duration),
    /// More memory than this.
    Memory(u64),
    /// More bytes handed to the host in one step.
    HostMemory(u64),
    /// More open handles.
    Handles(u64),
    /// The caller cancelled it.
    Cancelled,
    /// A fault in the component, in the engine's words.
    Trap(String),
}

/// A reason and its path.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    /// The reason.
    pub reason: Reason,
    /// The path.
    pub path: Option<String>,
}

impl Reason {
    /// The underlying fault.
    pub fn into_fault(self) -> Fault {
        match self {
            Self::Volume(fault, _) => fault,
            Self::Denied(rule, _) => Fault::Denied(rule),
            Self::OverLimit(most) => Fault::OverLimit(most),
            Self::Unrecovered(fault)
            | Self::Unhealed(fault)
            | Self::Journal(fault)
            | Self::NotKept(fault) => *fault,
            reason => Fault::Io(reason.sentence().message),
        }
    }

    /// A fault while reading.
    pub fn reading(fault: Fault) -> Self {
        Self::of(fault, false)
    }

    /// A fault while writing.
    pub fn writing(fault: Fault) -> Self {
        Self::of(fault, true)
    }

    fn of(fault: Fault, writing: bool) -> Self {
        match fault {
            Fault::NotFound => Self::NotFound(Vec::new()),
            Fault::Exists => Self::Exists,
            Fault::IsDirectory => Self::IsDirectory,
            Fault::NotDirectory => Self::NotDirectory,
            Fault::NameTooLong => Self::NameTooLong,
            Fault::InvalidName => Self::InvalidPath(PathProblem::NotANameHere),
            // A link that appeared after the check.
            Fault::Loop => Self::PathEscape,
            Fault::Denied(rule) => Self::Denied(rule, Denial::Open),
            Fault::OverLimit(most) => Self::OverLimit(most),
            fault => Self::Volume(fault, writing),
        }
    }

    /// A failure with this reason at `path`.
    pub fn at(self, path: impl Into<String>) -> Failure {
        Failure { reason: self, path: Some(path.into()) }
    }
}

/// Puts a fault at a path.
pub trait FaultAt<T> {
    /// As a fault while reading.
    fn reading_at(self, path: impl Into<String>) -> Result<T, Failure>;
    /// As a fault while writing.
    fn writing_at(self, path: impl Into<String>) -> Result<T, Failure>;
}

impl<T> FaultAt<T> for Result<T, Fault> {
    fn reading_at(self, path: impl Into<String>) -> Result<T, Failure> {
        self.map_err(|fault| Reason::reading(fault).at(path))
    }

    fn writing_at(self, path: impl Into<String>) -> Result<T, Failure> {
        self.map_err(|fault| Reason::writing(fault).at(path))
    }
}

impl Failure {
    /// Whether a larger budget shows something.
    pub fn is_budget(&self) -> bool {
        matches!(self.reason, Reason::BudgetTooSmall { .. })
    }

    /// This failure in an edit, from 1. `follows`: earlier edits changed the file.
    pub fn in_edit(self, number: usize, follows: bool) -> Self {
        let why = Box::new(self.reason);
        Self { reason: Reason::InEdit { number, follows, why }, path: self.path }
    }

    /// This failure in a file of detected encoding, which another one may repair.
    pub fn guessed(self, found: Detected) -> Self {
        let is_guess = found.certainty == Certainty::Likely && !matches!(self.reason, Reason::Guessed { .. });
        match self.reason.sentence().code {
            Code::NoMatch(_) | Code::CountMismatch(0) | Code::NotEncodable(_) if is_guess => {
                let reason = Reason::Guessed { encoding: found.encoding.name(), why: Box::new(self.reason) };
                Self { reason, path: self.path }
            }
            _ => self,
        }
    }

    /// This failure in a part of a patch.
    pub fn in_patch(self, part: PatchPart, follows: bool, hunk: Option<(usize, u32)>) -> Self {
        let why = Box::new(self.reason);
        Self { reason: Reason::InPatch { part, follows, hunk, why }, path: self.path }
    }

    /// The contract's error for `operation`.
    pub fn into_error(self, operation: &str) -> Error {
        let Sentence { code, message, repair } = match self.reason {
            Reason::WildPath => paths::wild(path_pattern(operation)),
            ref reason => reason.sentence(),
        };
        let details = if let Reason::Past(past) = &self.reason { past.details() } else { None };
        fitted(Error {
            code,
            operation: operation.to_owned(),
            path: self.path.map(|path| cut(&path, ERROR_PATH_CHARS).into_owned()),
            message,
            applied: matches!(
                self.reason,
                Reason::Unrecovered(_)
                    | Reason::Partly { .. }
                    | Reason::Exceeded(Exceeded::Result(_, _, ChangeState::Done))
                    | Reason::Stopped(_, ChangeState::Done | ChangeState::Unknown)
            ),
            repair: Some(repair),
            details,
        })
    }
}

/// The error with distinct lines, as many as fit.
fn fitted(mut error: Error) -> Error {
    if let Code::Ambiguous(lines) = &mut error.code {
        let mut told = std::mem::take(lines);
        told.dedup();
        let bytes = serde_json::to_string(&error).map_or(0, |text| text.len());
        let mut room = ERROR_BYTES.saturating_sub(bytes);
        let fits = |line: &u32| {
            let bytes = line.checked_ilog10().unwrap_or_default() as usize + 2;
            let left = room.checked_sub(bytes);
            room = left.unwrap_or_default();
            left.is_some()
        };
        error.code = Code::Ambiguous(told.into_iter().take_while(fits).collect());
    }
    error
}

#[cfg(test)]
mod tests;
