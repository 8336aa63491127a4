//! POSIX `copyfile` and `rename` over `copy` and `move`.
//!
//! The tools refuse a source as its own destination, and a directory as a replaced one. Their
//! errors are coarser than POSIX, so both ends are checked after a refusal.

use crate::Tools;
use crate::failure_terms::{Attempt, FailureTerms, INVALID};
use fsgate_contract::history_types::UndoArgs;
use fsgate_contract::manage_types::{
    CopyArgs, CreateDirectoryArgs, DeleteDirectoryArgs, MoveArgs, MoveOutcome,
};
use fsgate_contract::read_types::StatArgs;
use fsgate_contract::types::{Code, Entry, Error, Kind, UndoId};

/// A successful rename.
#[derive(Debug)]
pub struct Renamed {
    /// The old path.
    pub source: String,
    /// The new path.
    pub destination: String,
    /// The destination existed.
    pub overwrote: bool,
    /// Its changes; none for a rename to itself.
    pub undo_ids: Vec<UndoId>,
}

/// A failed copy or rename.
#[derive(Debug)]
pub struct RefusedRelocation {
    error: Error,
    /// POSIX terms that differ from the code's.
    words: Option<FailureTerms>,
    /// The error that left an empty destination removed.
    lost: Option<Error>,
}

impl RefusedRelocation {
    /// The sentence about the failed attempt.
    pub fn sentence(&self, attempt: &Attempt) -> String {
        let sentence = match self.words {
            Some(words) => attempt.failed_as(words),
            None => attempt.failed(&self.error),
        };
        match &self.lost {
            Some(error) => {
                format!("{sentence}; and the empty directory could not be brought back: {}", error.message)
            }
            None => sentence,
        }
    }
}

impl From<Error> for RefusedRelocation {
    fn from(error: Error) -> Self {
        Self { error, words: None, lost: None }
    }
}

/// Renames a file, link or directory.
pub fn rename(tools: &impl Tools, args: &MoveArgs) -> Result<Renamed, RefusedRelocation> {
    let error = match tools.call(args) {
        Ok(outcome) => return Ok(renamed(outcome, None)),
        Err(error) => error,
    };
    if !matches!(error.code, Code::InvalidArgument(_) | Code::IsDirectory | Code::Exists) {
        return Err(error.into());
    }
    let of = |code| Err(RefusedRelocation::from(Error { code, ..error.clone() }));
    let invalid = || Err(RefusedRelocation { words: Some(INVALID), ..error.clone().into() });
    let [source, there] = [&args.source, &args.destination].map(|path| entry(tools, path, false));
    let (source, there) = match (source, there) {
        (Ok(source), Ok(there)) => (source, there),
        // An existing directory is invalid only for a destination inside it.
        (Ok(source), _) if is_argument(&error) && source.kind == Kind::Directory => return invalid(),
        _ => return Err(error.into()),
    };
    let is_directory = source.kind == Kind::Directory;
    let name = |entry: &Entry| entry.path.rsplit('/').next().map(str::to_owned);
    let is_itself = match error.code {
        Code::InvalidArgument(_) if is_directory => source.path == there.path,
        // They are one file. A change of its spelling is not made.
        Code::InvalidArgument(_) => name(&source) == name(&there),
        Code::IsDirectory => source.path == there.path,
        _ => false,
    };
    match error.code {
        _ if is_itself => Ok(Renamed {
            source: source.path,
            destination: there.path,
            overwrote: true,
            undo_ids: Vec::new(),
        }),
        Code::InvalidArgument(_) if is_directory => invalid(),
        Code::IsDirectory if is_directory && there.kind == Kind::Link => of(Code::NotDirectory),
        Code::IsDirectory if is_below(&source, &there) => of(Code::NotEmpty),
        Code::IsDirectory if is_below(&there, &source) => invalid(),
        Code::IsDirectory if is_directory && there.kind == Kind::Directory => onto_directory(tools, args),
        Code::Exists if is_directory => of(Code::NotDirectory),
        _ => Err(error.into()),
    }
}

/// Replaces an empty directory by another; restores it on failure.
fn onto_directory(tools: &impl Tools, args: &MoveArgs) -> Result<Renamed, RefusedRelocation> {
    let path = args.destination.clone();
    let deleted = tools.call(&DeleteDirectoryArgs { path, ..DeleteDirectoryArgs::default() })?;
    match tools.restore(args) {
        Ok(outcome) => Ok(renamed(outcome, Some(deleted.undo_id))),
        Err(error) => {
            let lost = match deleted.undo_id {
                Some(id) => {
                    let args =
                        UndoArgs { id: Some(vec![id]), any_session: Some(true), ..UndoArgs::default() };
                    tools.restore(&args).err()
                }
                None => {
                    let path = args.destination.clone();
                    tools.restore(&CreateDirectoryArgs { path, ..CreateDirectoryArgs::default() }).err()
                }
            };
            Err(RefusedRelocation { lost, ..error.into() })
        }
    }
}

fn renamed(outcome: MoveOutcome, freed: Option<Option<UndoId>>) -> Renamed {
    Renamed {
        source: outcome.source,
        destination: outcome.destination,
        overwrote: outcome.overwrote || freed.is_some(),
        undo_ids: freed.flatten().into_iter().chain(outcome.undo_id).collect(),
    }
}

/// Copies a file, new or not. Returns both paths.
pub fn copy_file(tools: &impl Tools, args: &CopyArgs) -> Result<[String; 2], RefusedRelocation> {
    match tools.call(args) {
        Ok(outcome) => Ok([outcome.source, outcome.destination]),
        // Without `glob` and `recursive`, only a destination equal to its source is invalid.
        Err(error) if is_argument(&error) => {
            let [source, there] = [&args.source, &args.destination].map(|path| entry(tools, path, true));
            Ok([source?.path, there?.path])
        }
        // POSIX opens the destination before it notices a directory.
        Err(error) if matches!(error.code, Code::IsDirectory) => {
            let parent = args.destination.rsplit_once('/').map(|(parent, _)| parent);
            let code = match parent.filter(|parent| !parent.is_empty()).map(|path| entry(tools, path, true)) {
                Some(Ok(parent)) if parent.kind != Kind::Directory => Code::NotDirectory,
                Some(Err(Error { code: code @ (Code::NotFound | Code::NotDirectory), .. })) => code,
                _ => Code::IsDirectory,
            };
            Err(Error { code, ..error }.into())
        }
        Err(error) => Err(error.into()),
    }
}

fn is_argument(error: &Error) -> bool {
    matches!(error.code, Code::InvalidArgument(_))
}

fn entry(tools: &impl Tools, path: &str, follow: bool) -> Result<Entry, Error> {
    let args = StatArgs { path: path.to_owned(), follow: Some(follow), ..StatArgs::default() };
    tools.call(&args).map(|outcome| outcome.entry)
}

fn is_below(entry: &Entry, directory: &Entry) -> bool {
    let rest = entry.path.strip_prefix(directory.path.trim_end_matches('/'));
    rest.is_some_and(|rest| rest.len() > 1 && rest.starts_with('/'))
}
