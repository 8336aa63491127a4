//! Failures as data, with one place for their sentences: `sentences.rs`, and a file beside it for
//! each family of reasons.
//!
//! Code below the tools returns a [`Reason`]. [`Failure::into_error`] makes the `error` of the
//! contract of it: the code, the sentence, and the next step. [`codes_of`] has the codes of each
//! operation. [`call`] reads calls in JSON, and names everything that is wrong with their
//! arguments.

#![forbid(unsafe_code)]

mod arguments;
pub mod call;
mod codes;
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
pub use codes::{CALL_CODES, FAULT_CODES, SIZE_CODES, codes_of};
pub use edits::EditProblem;
pub use encodings::EncodingProblem;
pub use history::{Conflict, HistoryProblem, NamedEntry};
pub use lines::LineProblem;
pub use occurrences::OccurrenceProblem;
pub use patches::{PatchPart, PatchProblem};
pub use patterns::IgnoreProblem;
pub use sections::SectionProblem;

/// How an expression that matches nothing was probably misread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Misread {
    /// It names line ends, and those of the text are CRLF.
    LineEnds,
    /// It has `\|`, which other languages take for an alternative.
    Bar,
    /// In no known way.
    Nothing,
}

/// Why a call is refused, with everything that its sentence needs.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "each case has its sentence in `error/sentences.rs`")]
pub enum Reason {
    /// Paths that may have been meant.
    NotFound(Vec<String>),
    /// The path is a link to nothing. Its target, if it may be shown.
    Dangling(Option<String>),
    /// A file whose content is not as long as its size says.
    Unsized,
    /// Nothing has this path, in which wildcards stand for nothing.
    WildPath,
    Exists,
    /// A file, where a directory is to be made.
    FileInTheWay,
    IsDirectory,
    NotDirectory,
    /// A directory, and `recursive` was not set. The destination may lie within it.
    NeedsRecursive {
        within: bool,
    },
    /// What is to be deleted is a directory.
    DeletesDirectory,
    /// What is to be deleted as a directory is none.
    DeletesFile,
    /// The destination is a directory; the path that may be meant, and why that would be refused.
    DestinationIsDirectory {
        meant: String,
        refused: Option<Box<Self>>,
    },
    /// How many names are in the directory that has to be empty.
    NotEmpty(u64),
    SameFile,
    IntoItself,
    /// A file to be overwritten that is a source too, or has two.
    Entangled,
    /// Between two grants or file systems: not a file.
    OnlyFilesCross,
    /// How many names in a directory are not UTF-8.
    Unreachable(u64),
    /// How many files match, and how many may.
    TooManyMatches {
        found: u64,
        most: usize,
    },
    /// What the pattern is to be used on is no directory.
    GlobOfFile,
    /// An ignore file that names what a change leaves alone, and that cannot be applied.
    IgnoreFile {
        file: String,
        why: IgnoreProblem,
    },
    /// Two arguments of which only one can be given; the first one is named as wrong.
    Excluding(&'static str, &'static str),
    /// The size of a file that is to be overwritten by a copy, or of the copy.
    CopyTooLarge(u64),
    /// Something else than was looked at: not the same file any more, or not the same tree.
    Changed,
    /// Something that another program has put into an unfinished copy: the name that it has now,
    /// beside the copy.
    Foreign(String),
    /// A part of the change stands: what was done, how often, and why it ended.
    Partly {
        done: &'static str,
        count: u64,
        why: Box<Reason>,
    },
    PathEscape,
    /// A link with an absolute target, which is not known to lie in the link's grant.
    AbsoluteLink,
    /// The grants that there are.
    NotGranted(Vec<String>),
    /// The name that two grants have.
    DuplicateGrant(String),
    /// The name of a grant that is kept for what is fsgate's own.
    ReservedGrant(String),
    LinkLoop,
    ReadOnlyGrant,
    InvalidPath(PathProblem),
    /// A path that begins as a shell or another system writes one, for something new.
    NotLiteral {
        beginning: Beginning,
        /// The path that may have been meant; empty if there is none.
        meant: String,
        /// The directory that relative paths start in.
        start: String,
    },
    NameTooLong,
    EmptyArgument(&'static str),
    MistypedArgument {
        field: String,
        problem: String,
    },
    /// Every wrong argument of a call.
    Arguments(Vec<ArgumentProblem>),
    /// Where the JSON breaks, and what the parser says.
    MalformedArguments {
        position: u64,
        problem: String,
    },
    /// The same of a whole call on standard input.
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
    /// Why bytes are no text, or a text cannot be written.
    Encoding(EncodingProblem),
    BudgetTooSmall {
        line: u64,
        budget: u32,
        ceiling: u32,
    },
    SpanTooLarge(u64),
    PlacedTooLarge,
    /// The size of a file that a regular expression was to be used on.
    TooLargeForRegex(u64),
    /// An expression, or a pattern for lines.
    Pattern(PatternError),
    /// The argument that holds a pattern over paths, and what is wrong with it.
    InvalidGlob {
        field: &'static str,
        invalid: glob::InvalidGlob,
    },
    /// The edits of a text look through too much of it, one after the other.
    EditsLaborious,
    /// The directory that a pattern with a `/` at its beginning does not lie in.
    GlobOutside {
        field: &'static str,
        start: String,
    },
    CountAndLimit,
    /// Two arguments that exclude one another.
    Both(&'static str, &'static str),
    /// What is wrong with lines that are to be changed.
    Lines(LineProblem),
    /// Why there is no section to look into.
    Section(SectionProblem),
    /// A list of edits is needed, or a patch.
    NoEdits,
    EditsAndPatch,
    /// What is wrong with a patch, or where it does not fit.
    Patch(Box<PatchProblem>),
    /// The encoding that the text of the file was only taken to be in.
    Guessed {
        encoding: &'static str,
        why: Box<Reason>,
    },
    /// A part of a patch; true: others of the same file came before it; the hunk, counted from 1, and its line.
    InPatch {
        part: PatchPart,
        follows: bool,
        hunk: Option<(usize, u32)>,
        why: Box<Reason>,
    },
    /// Paths that are longer together than an answer may repeat.
    EditPathsTooLong,
    InvalidEdit(EditProblem),
    /// What is wrong with occurrences that were chosen, or with how they are looked for.
    Occurrences(Box<OccurrenceProblem>),
    /// An edit of a list, counted from 1; true: others of the same file came before it.
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
    /// The traces of the text.
    NoMatch(Traces),
    /// An expression.
    MatchesNothing(Misread),
    /// The same of a text that may have been meant as an expression.
    TakenLiterally(Box<Reason>),
    Ambiguous {
        count: u64,
        lines: Vec<u32>,
    },
    NoSuchOccurrence {
        asked: u32,
        count: u64,
    },
    /// The tag of what is there now.
    Stale(String),
    /// The tag that was asked for, and the one of what is there; empty where nothing is.
    NotInState {
        wanted: String,
        found: String,
    },
    /// What `if_none_match` was given.
    NoneMatchTag(String),
    InvalidCursor,
    /// The tag of the bytes that stand before the cursor's place now.
    StaleCursor(String),
    SpecialFile(SpecialKind),
    /// The volume could not do it; true: while writing.
    Volume(Fault, bool),
    Unrecovered(Box<Fault>),
    /// What is wrong with a call about the history.
    Past(Box<HistoryProblem>),
    /// An earlier change could not be brought to its end, and so no other one was begun.
    Unhealed(Box<Fault>),
    /// A change that could not be written down before it was made, and so was not made.
    Journal(Box<Fault>),
    /// What is to be deleted or replaced cannot be kept.
    NotKept(Box<Fault>),
    /// The same, because the trash is on another file system and nothing of this kind is copied.
    NoCopy(Kind),
    /// The state directory cannot be used.
    Unusable(Box<Unusable>),
    /// A variable has no meaning.
    Misset(Misset),
    /// A file that stands for a variable cannot be taken.
    Unread(Box<Unread>),
    /// The variable with the policy has none: the field, and what is wrong with it.
    InvalidPolicy {
        field: String,
        problem: String,
    },
    /// The rule of this name forbids it.
    Denied(String, Denial),
    /// The most bytes that a file may have.
    OverLimit(u64),
    /// More is in a directory than the policy is asked about.
    TooManyToAsk,
    /// Somebody has to agree first.
    Unconfirmed,
    /// Another host is changing something in the same directories.
    LockedElsewhere,
    /// Other calls of the session have taken all the time that this one may wait.
    HeldUp,
    /// Bytes are being written in place under the same root, or were when somebody died.
    HalfWritten,
    /// The lock could not be had, in the system's words.
    Unlockable(String),
    /// The host has ended the call; what has become of its change.
    Stopped(Interruption, ChangeState),
    /// A session that asks for more than it may.
    Exceeded(Exceeded),
    /// The call could not be written down before it was made, in the system's words, and so was not made.
    Unaudited(String),
    /// The same of the answer of a call that changes nothing: it is not given away.
    AnswerUnaudited(String),
    /// A person was asked.
    NotConfirmed(ConfirmationRefusal),
}

/// What of a session's limits is used up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Exceeded {
    /// Calls a second, and when there is room for another one.
    Calls(u32, Duration),
    /// Calls that run at once, and those that wait for them.
    Concurrent(usize, usize),
    /// Bytes of an answer, how many there may be, and whether the call has changed something.
    Result(u64, u64, ChangeState),
}

/// How a person who was asked to confirm a call did not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfirmationRefusal {
    /// By saying no.
    Declined,
    /// By closing the question.
    Dismissed,
    /// By not answering in this time.
    Silent(Duration),
    /// The answer to the question was none.
    Failed,
}

/// What a policy has refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Denial {
    /// To look into it, or to make it.
    Open,
    /// To change it.
    Change,
    /// To change what is there, and not only add to it.
    Append,
    /// To take it away, or its name.
    Delete,
    /// To change a directory that has something in it which may not be.
    Inside,
    /// To put a link there.
    Link,
    /// To write into a file that has other names.
    Linked,
    /// To change more files at once than this.
    Many(u64),
}

/// What has become of the change of a call that was ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeState {
    /// There was none.
    Untouched,
    /// It had begun, and was rolled back.
    RolledBack,
    /// It was made, and stands.
    Done,
    /// It may have begun, and nobody can say how far it came.
    Unknown,
}

/// Why a host has ended a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Interruption {
    /// The time for the call was over.
    Deadline(Duration),
    /// The time for the text that makes the call was over.
    TextDeadline(Duration),
    /// It wanted more memory than this.
    Memory(u64),
    /// It made the host hold more bytes than this for it, in one step.
    HostMemory(u64),
    /// It had more things open than this.
    Handles(u64),
    /// Its caller took it back.
    Cancelled,
    /// A fault in the component, in the engine's words.
    Trap(String),
}

/// A reason and the path that it is about.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    /// Why.
    pub reason: Reason,
    /// Where.
    pub path: Option<String>,
}

impl Reason {
    /// The fault behind it, for those who know faults only.
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

    /// This reason, about `path`.
    pub fn at(self, path: impl Into<String>) -> Failure {
        Failure { reason: self, path: Some(path.into()) }
    }
}

impl Failure {
    /// A larger budget would have shown something.
    pub fn is_budget(&self) -> bool {
        matches!(self.reason, Reason::BudgetTooSmall { .. })
    }
}

impl Failure {
    /// This failure, of an edit of a list, counted from 1. `follows` says that others of the same file came before it.
    pub fn in_edit(self, number: usize, follows: bool) -> Self {
        let why = Box::new(self.reason);
        Self { reason: Reason::InEdit { number, follows, why }, path: self.path }
    }
}

impl Failure {
    /// This failure, of a file whose encoding was told from its bytes: if it is about what stands there, or can stand there, another
    /// encoding may be the whole repair.
    pub fn guessed(self, found: Detected) -> Self {
        let is_guess = found.certainty == Certainty::Likely && !matches!(self.reason, Reason::Guessed { .. });
        match self.reason.sentence().code {
            Code::NoMatch(_) | Code::NotEncodable(_) if is_guess => {
                let reason = Reason::Guessed { encoding: found.encoding.name(), why: Box::new(self.reason) };
                Self { reason, path: self.path }
            }
            _ => self,
        }
    }
}

impl Failure {
    /// This failure, of a part of a patch.
    pub fn in_patch(self, part: PatchPart, follows: bool, hunk: Option<(usize, u32)>) -> Self {
        let why = Box::new(self.reason);
        Self { reason: Reason::InPatch { part, follows, hunk, why }, path: self.path }
    }
}

impl From<Reason> for Failure {
    fn from(reason: Reason) -> Self {
        Self { reason, path: None }
    }
}

impl Reason {
    /// A fault that a look has met.
    pub fn reading(fault: Fault) -> Self {
        Self::of(fault, false)
    }

    /// A fault that a change has met.
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
            // A link where none may be: it was put there after it had been looked at.
            Fault::Loop => Self::PathEscape,
            Fault::Denied(rule) => Self::Denied(rule, Denial::Open),
            Fault::OverLimit(most) => Self::OverLimit(most),
            fault => Self::Volume(fault, writing),
        }
    }
}

impl Failure {
    /// The contract's error for a call of `operation`.
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

/// The error with each line number once, and with as many as it has room for.
fn fitted(mut error: Error) -> Error {
    if let Code::Ambiguous(lines) = &mut error.code {
        let mut told = std::mem::take(lines);
        told.dedup();
        let bytes = serde_json::to_string(&error).map_or(0, |text| text.len());
        let mut room = ERROR_BYTES.saturating_sub(bytes);
        let fits = |line: &u32| {
            // And a comma.
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
