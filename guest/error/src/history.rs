//! Sentences about the history.

use serde_json::json;

use super::phrases::listed;
use super::sentences::{Sentence, say};
use super::{Denial, Failure, Reason};
use fsgate_contract::id::{Id, shown};
use fsgate_contract::limits::{ERROR_PATH_CHARS, LABEL_CHARS};
use fsgate_contract::types::Code;
use fsgate_text::excerpt::{cut, quoted};
use fsgate_volume::settings::NoRoom;

/// The reason why the history refuses a call.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "each case has its sentence below")]
pub enum HistoryProblem {
    NoHistory,
    NoId(&'static str),
    NoTime(&'static str),
    NothingToUndo {
        any: bool,
    },
    NothingToRedo {
        any: bool,
    },
    UndoConflict(String, Conflict),
    /// A conflict, and the entry that it keeps from being undone.
    EntryConflict(String, Conflict, NamedEntry),
    /// The refusal by the policy, the grants or the path to undo an entry, and the entry.
    EntryRefused(Box<Reason>, NamedEntry),
    UnknownEntry(String),
    /// Two of the entries whose ids begin with this argument.
    SeveralEntries(&'static str, [Id; 2]),
    /// A change that recovery has set aside: path and id.
    SetAside(String, String),
    UnknownPlace(String),
    OtherSession(String),
    /// An entry's id under other rules or grants, hidden from the session.
    HiddenEntry(String),
    UndoneAlready(String),
    ChangesNothing(String),
    NoUndo(String),
    IdAndTo,
    BadLabel,
    /// The first two paths of the entry.
    NeedsPath(Vec<String>),
    NotInEntry,
    ForgetsOne,
    /// Required content exceeds the history's limits.
    NoRoom(NoRoom),
}

/// An entry in a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedEntry {
    /// Its id.
    pub id: String,
    /// Its operation.
    pub tool: String,
    /// Its start time.
    pub time: String,
}

impl NamedEntry {
    fn words(&self) -> String {
        let Self { id, tool, time } = self;
        let time = time.split('.').next().unwrap_or_default().trim_end_matches('Z');
        format!("the entry {}, `{tool}` of {time}Z", shown(id))
    }
}

/// The reason why a change cannot be undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conflict {
    /// The content has changed.
    Content,
    /// The directory has other entries.
    Entries,
    /// It is missing.
    Gone,
    /// Another file or directory is there.
    Other,
    /// The name is taken.
    Taken,
    /// The kept content was forgotten.
    NotKept,
    /// It was deleted without a copy.
    GivenUp,
    /// The kept content is damaged.
    Damaged,
    /// An interrupted change's kept content is incomplete.
    Part,
    /// The new text was changed or occurs several times.
    Overwritten,
}

/// The form of an id.
const ID_FORM: &str = "32 lower-case hex digits, or the first 6 or more of them";

impl HistoryProblem {
    /// A conflict's entry as JSON.
    pub(super) fn details(&self) -> Option<String> {
        let (Self::EntryConflict(_, _, entry) | Self::EntryRefused(_, entry)) = self else { return None };
        let NamedEntry { id, tool, time } = entry;
        Some(json!({ "undo_id": id, "tool": tool, "time": time }).to_string())
    }

    /// A failure with this reason at `path`.
    pub fn at(self, path: impl Into<String>) -> Failure {
        Reason::from(self).at(path)
    }

    pub(super) fn sentence(&self) -> Sentence {
        let argument = |field: &str| Code::InvalidArgument(field.to_owned());
        let entry = |id: &str, what: &str| format!("the entry {} {what}", quoted(id));
        match self {
            Self::NoHistory => say(
                Code::Unsupported,
                "no history can be reached: this host gives no directory for one",
                "grant a directory for writing, with a `durability` other than `none`; under `wasmtime run`, add `--dir \
                 STATE::/.fsgate` with a directory of its own",
            ),
            Self::NoId(field) => say(
                argument(field),
                format!("`{field}` is no id: {ID_FORM}"),
                "take the `undo_id` of an outcome, or that of an entry that `log` shows",
            ),
            Self::NoTime(field) => say(
                argument(field),
                format!("`{field}` is no time"),
                "give a time in UTC such as 2026-11-20T08:30:00Z",
            ),
            Self::NothingToUndo { any: false } => say(
                Code::NothingToUndo,
                "there is nothing of this session to undo",
                "look at the history with `log`; `any_session` also takes back what other sessions did",
            ),
            Self::NothingToUndo { any: true } => {
                say(Code::NothingToUndo, "there is nothing to undo", "look at the history with `log`")
            }
            Self::NothingToRedo { any } => say(
                Code::NothingToUndo,
                "there is no `undo` to take back",
                if *any {
                    "look at the history with `log`"
                } else {
                    "look at the history with `log`; `any_session` also takes back an `undo` of another session"
                },
            ),
            Self::UndoConflict(path, conflict) => {
                let (message, repair) = conflict.words();
                say(Code::UndoConflict(cut(path, ERROR_PATH_CHARS).into_owned()), message, repair)
            }
            Self::EntryRefused(reason, entry) => {
                let Sentence { code, message, .. } = reason.sentence();
                let (message, way) = match **reason {
                    // The refusal names no path outside the grants.
                    Reason::NotGranted(_) => (
                        "a path of it lies in no granted directory".to_owned(),
                        "start fsgate with the other directory granted as well (`--dir`)",
                    ),
                    Reason::ReadOnlyGrant => {
                        (message, "start fsgate with that directory granted for writing")
                    }
                    Reason::Volume(..) => {
                        (message, "let a person change who may write there, and repeat the call")
                    }
                    Reason::Past(_) => (
                        message,
                        "`delete` what is there by now, or have the host let the history keep more \
                         (`--history-bytes`, `--history-entries`)",
                    ),
                    Reason::PathEscape | Reason::NotDirectory => {
                        (message, "move away by hand what has taken the place of a directory on its path")
                    }
                    _ => (
                        message,
                        "only the person who runs fsgate can allow this one, in the policy of its configuration",
                    ),
                };
                let repair = format!("take back an earlier entry by its `id`, which `log` gives; {way}");
                say(code, format!("{message}: {}", entry.words()), repair)
            }
            Self::EntryConflict(path, conflict, entry) => {
                let (message, repair) = conflict.words();
                let repair = match conflict {
                    Conflict::Content | Conflict::Entries | Conflict::Gone | Conflict::Other => {
                        "take back later changes of this path first, or another entry, by its `id`, which `log` gives; or change by hand what is to be changed"
                    }
                    _ => repair,
                };
                say(
                    Code::UndoConflict(cut(path, ERROR_PATH_CHARS).into_owned()),
                    format!("{message}: {}", entry.words()),
                    repair,
                )
            }
            Self::UnknownEntry(id) => say(
                Code::UnknownId,
                format!("the history has no entry {}", quoted(id)),
                "look for it with `log` and `any_session`; old entries are forgotten after a while",
            ),
            Self::SeveralEntries(field, ids) => say(
                argument(field),
                format!("several entries begin with `{field}`, such as {} and {}", ids[0], ids[1]),
                "give more digits",
            ),
            Self::SetAside(path, id) => say(
                Code::UndoConflict(cut(path, ERROR_PATH_CHARS).into_owned()),
                format!(
                    "the change {} was interrupted, and then changed by somebody else or protected: it is no entry, and was left \
                     as it is",
                    quoted(id)
                ),
                "`restore` with this id brings back what it was before, if that is kept whole; `forget` removes what is kept",
            ),
            Self::UnknownPlace(to) => say(
                Code::UnknownId,
                format!("the history has no checkpoint and no entry {}", quoted(to)),
                "look for it with `log`; a checkpoint of another session is found with `any_session`",
            ),
            Self::OtherSession(id) => say(
                Code::NothingToUndo,
                entry(id, "is of another session"),
                "set `any_session` to true if it is to be taken back all the same",
            ),
            Self::HiddenEntry(id) => say(
                Code::NothingToUndo,
                entry(id, "was made under other rules or grants, so this session does not see it"),
                "a person at a shell can take it back with `fsgate undo`",
            ),
            Self::UndoneAlready(id) => say(
                Code::NothingToUndo,
                entry(id, "is taken back already"),
                "`redo` brings back what the last `undo` took",
            ),
            Self::ChangesNothing(id) => say(
                Code::NothingToUndo,
                entry(id, "has changed nothing"),
                "give it as `to`, to take back everything after it",
            ),
            Self::NoUndo(id) => say(
                Code::NothingToUndo,
                entry(id, "is no `undo`"),
                "take it back with `undo`, or give the id of an `undo`",
            ),
            Self::IdAndTo => say(
                argument("to"),
                "`id` and `to` exclude one another",
                "give `id` for one entry, or `to` for everything after one",
            ),
            Self::BadLabel => say(
                argument("label"),
                format!("a label is one line of up to {LABEL_CHARS} characters, and no id"),
                "give a short name, such as `before the refactoring`",
            ),
            Self::NeedsPath(paths) => say(
                argument("path"),
                "the entry changed several paths",
                format!("say which one with `path`, such as {}", listed(paths)),
            ),
            Self::NoRoom(NoRoom { needed, most, unit }) => say(
                Code::TooLarge(*most),
                format!("the history would have to keep {needed} {unit} of it, and keeps {most} in all"),
                format!(
                    "`move` or `delete` yourself what is there by now, `write` without `backup`, or have the host let the \
                     history keep more (`--history-{unit}`)"
                ),
            ),
            Self::NotInEntry => {
                say(argument("path"), "the entry did not change this path", "look at its paths with `log`")
            }
            Self::ForgetsOne => say(
                argument("id"),
                "exactly one of `id`, `path`, `before` and `everything` says what to forget",
                "give one of them",
            ),
        }
    }
}

impl Conflict {
    fn words(self) -> (&'static str, &'static str) {
        const BY_HAND: &str = "look at it, and change by hand what is to be changed";
        match self {
            Self::Content => {
                ("the file has changed since, so the change cannot be taken back by itself", BY_HAND)
            }
            Self::Entries => (
                "the directory holds something else than the change left there",
                "take back the changes in it first",
            ),
            Self::Gone => ("what the change left is not there any more", BY_HAND),
            Self::Other => ("something else is there than the change left", BY_HAND),
            Self::Taken => (
                "something has taken the name that was given up",
                "move it away with `move`, and repeat the call",
            ),
            Self::NotKept => (
                "what was there before does not lie where this change has put it: it was brought back since, or the history has forgotten it",
                "`log` tells what has happened to it since; if a later change has taken it away, `restore` with the id of that change brings it back",
            ),
            Self::GivenUp => ("it was deleted without being kept", "there is no way back to it"),
            Self::Overwritten => (
                "what the change put there has been changed since, or stands there several times, so it cannot be taken back alone",
                BY_HAND,
            ),
            Self::Part => (
                "the change was interrupted, and what is kept of it does not make up what was there before",
                "look at it, and change by hand what is to be changed; `forget` with the id removes what is kept",
            ),
            Self::Damaged => (
                "what is kept of it in the state directory is not what was put there",
                "look for the file in the trash there; what is left of it is not given back as if it were all",
            ),
        }
    }
}

impl Failure {
    /// Whether a change's result is missing or changed.
    pub fn is_undo_conflict(&self) -> bool {
        let is_conflict = |past: &HistoryProblem| {
            matches!(past, HistoryProblem::UndoConflict(..) | HistoryProblem::EntryConflict(..))
        };
        matches!(&self.reason, Reason::Past(past) if is_conflict(past))
    }

    /// Adds the entry to a conflict, or to a refusal by the policy, the grants or the path.
    pub fn of_entry(mut self, named: impl FnOnce() -> Option<NamedEntry>) -> Self {
        let is_refusal = match &self.reason {
            // The number of files is not this entry's alone.
            Reason::Denied(_, Denial::Many(_)) => false,
            Reason::Denied(..)
            | Reason::NotGranted(_)
            | Reason::ReadOnlyGrant
            | Reason::OverLimit(_)
            | Reason::PathEscape
            | Reason::NotDirectory => true,
            Reason::Volume(fault, _) => fault.is_obstacle(),
            Reason::Past(past) => matches!(**past, HistoryProblem::NoRoom(_)),
            _ => false,
        };
        match &mut self.reason {
            _ if is_refusal => {
                if let Some(named) = named() {
                    let refused = HistoryProblem::EntryRefused(Box::new(self.reason), named);
                    self.reason = refused.into();
                }
            }
            Reason::Past(past) => {
                if let HistoryProblem::UndoConflict(path, conflict) = &mut **past
                    && let Some(named) = named()
                {
                    **past = HistoryProblem::EntryConflict(std::mem::take(path), *conflict, named);
                }
            }
            _ => {}
        }
        self
    }
}
