//! Grants: the facts about this machine that their checks need, and refused starts.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use fsgate_policy::InvalidPolicy;
use fsgate_policy::start::{self, Fact, Machine, Unlisted};
pub use fsgate_policy::start::{Access, GrantProblem, GrantReason};
pub(crate) use fsgate_policy::start::{Grant, Request, Terms};

/// A refused start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// A directory that is not granted.
    #[error(transparent)]
    Grant(#[from] GrantProblem),
    /// A directory to narrow to is in no grant.
    #[error(
        "the allowed directory `{}` lies in no granted directory; grant it with `--dir`, or take it out of the list of \
         allowed ones", .0.display()
    )]
    NotGranted(PathBuf),
    /// A directory to narrow to is found through a writable grant, so an agent could redirect it.
    #[error(
        "the allowed directory `{}` is found through a link, or by `..`, in a granted directory; name the directory itself", .0.display()
    )]
    Led(PathBuf),
    /// Changes cannot be journaled.
    #[error(
        "cannot keep state in `{}`: {problem}; name another directory with `--state-dir`, or do without undo and recovery \
         with `--durability none`", root.display()
    )]
    State {
        /// The state root.
        root: PathBuf,
        /// The problem, with its place.
        problem: String,
    },
    /// No variable names the place for state.
    #[error(
        "neither `XDG_STATE_HOME` nor `HOME` says where to keep state; name a directory with `--state-dir`, or do without \
         undo and recovery with `--durability none`"
    )]
    NoStateRoot,
    /// Other programs cannot be locked out during changes.
    #[error(
        "cannot lock what is granted for writing against other programs of this user: {problem}; or grant it for reading \
         only, with `--read-only-dir`"
    )]
    Unlockable {
        /// The problem, with its place.
        problem: String,
    },
    /// The audit cannot be written.
    #[error(
        "cannot write the audit to `{}`: {problem}; name another file with `--audit FILE`, or start without it, \
         with `--no-audit`", file.display()
    )]
    Audit {
        /// The file.
        file: PathBuf,
        /// The problem.
        problem: String,
    },
    /// A tool could change the audit.
    #[error(
        "cannot write the audit to `{}`: it lies in `{}`, which is granted for writing; name a file elsewhere with \
         `--audit FILE`", file.display(), grant.display()
    )]
    AuditInGrant {
        /// The file.
        file: PathBuf,
        /// The writable grant.
        grant: PathBuf,
    },
    /// The policy is invalid.
    #[error(
        "the policy cannot be used: `{field}`: {problem}; correct it, nothing is granted under a broken policy"
    )]
    Policy {
        /// The place in the policy.
        field: String,
        /// The problem.
        problem: String,
    },
    /// The component cannot be loaded.
    #[error("cannot load the component: {0:#}")]
    Component(anyhow::Error),
}

impl From<InvalidPolicy> for StartError {
    fn from(InvalidPolicy { field, problem }: InvalidPolicy) -> Self {
        Self::Policy { field, problem }
    }
}

pub(crate) fn request(path: PathBuf, name: Option<String>, access: Access) -> Request {
    Request { path: Some(path), name, access, problem: None }
}

pub(crate) fn unusable(path: &Path, error: &io::Error) -> StartError {
    GrantProblem::unusable(path, error).into()
}

/// Checks all requests; the first problem refuses the start.
pub(crate) fn check(requests: &[Request], terms: &Terms) -> Result<Vec<Grant>, StartError> {
    let requests: Vec<_> = requests.iter().map(listed).collect();
    Ok(start::check(&requests, terms, &machine())?)
}

/// Lists the directory, so that an error names it.
fn listed(request: &Request) -> Request {
    let problem = match request.path.as_deref().map(|path| (fs::metadata(path), fs::read_dir(path))) {
        Some((Ok(found), _)) if !found.is_dir() => Some(Unlisted::NotDirectory),
        Some((Err(error), _) | (_, Err(error))) => Some(Unlisted::Error(error.to_string())),
        Some((Ok(_), Ok(_))) | None => None,
    };
    Request { problem, ..request.clone() }
}

/// This machine. Each check has its own: the facts are of the moment.
pub(crate) fn machine() -> Machine {
    let mut machine = Machine::new(look);
    machine.here = env::current_dir().unwrap_or_default();
    machine.shells =
        env::var_os("PWD").map(PathBuf::from).into_iter().chain([machine.here.clone()]).collect();
    machine.variables = ["HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"]
        .into_iter()
        .filter_map(|name| Some((name.to_owned(), env::var_os(name)?.into())))
        .collect();
    // Other systems may spell a canonical path differently.
    machine.is_exact = cfg!(target_os = "linux");
    machine
}

fn look(path: &Path) -> Fact {
    Fact { link: fs::read_link(path).ok(), real: path.canonicalize().ok(), identity: identity(path) }
}

#[cfg(unix)]
fn identity(path: &Path) -> Option<String> {
    use std::os::unix::fs::MetadataExt;

    path.metadata().ok().map(|found| format!("{}:{}", found.dev(), found.ino()))
}

#[cfg(not(unix))]
fn identity(_: &Path) -> Option<String> {
    None
}

/// The canonical path of something that may not exist.
pub(crate) fn canonical(path: &Path) -> PathBuf {
    machine().canonical(path)
}

/// The canonical path of a directory, unless an agent in one of these grants could have made the
/// path.
pub(crate) fn firm(path: &Path, grants: &[Grant]) -> Option<PathBuf> {
    machine().firm(path, grants)
}

/// Describes a path that is too wide to work in.
pub(crate) fn wideness(path: &Path) -> Option<&'static str> {
    start::wideness(path, &machine())
}
