//! Grants, and the checks that refuse some of them at the start.

use std::path::{Component, Path, PathBuf};
use std::{env, fs, io};

use fsgate_contract::path::{grant_name, is_reserved};
use fsgate_policy::InvalidPolicy;

use crate::state::STATE_PARTS;
use crate::symlink_trace::SymlinkTrace;
pub use fsgate_volume::Access;

/// A refused start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// No directory is granted.
    #[error("no directory is granted; give one with `--dir PATH` or `--read-only-dir PATH`")]
    NoGrant,
    /// A granted directory cannot be used.
    #[error("cannot grant `{}`: {error}; grant a directory that exists and can be read", path.display())]
    Unusable {
        /// The path as it was given.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// A granted path is not a directory.
    #[error("cannot grant `{}`: it is not a directory; grant the directory that contains it", .0.display())]
    NotDirectory(PathBuf),
    /// A directory's name is not UTF-8.
    #[error("cannot grant `{}`: its name is not UTF-8; grant it under a name of your choice", .0.display())]
    NotUtf8(PathBuf),
    /// A read-only grant inside of a writable one, which would have no effect.
    #[error(
        "cannot grant `{}` for reading only: `{}` around it is granted for writing; grant directories beside \
         each other instead", inner.display(), outer.display()
    )]
    Narrower {
        /// The read-only grant.
        inner: PathBuf,
        /// The writable grant around it.
        outer: PathBuf,
    },
    /// A grant that contains a directory of fsgate, or is in one.
    #[error(
        "cannot grant `{}`: it and fsgate's own directory `{}` contain one another; grant a directory \
         apart from it, or move the other by setting `{variable}`", grant.display(), own.display()
    )]
    OwnDirectory {
        /// The grant.
        grant: PathBuf,
        /// fsgate's directory.
        own: PathBuf,
        /// The variable or flag that names it.
        variable: &'static str,
    },
    /// One directory with two accesses.
    #[error(
        "`{}` is granted for reading only and, as `{}`, for writing; keep one of the two", read.display(), write.display()
    )]
    TwiceDifferently {
        /// The path of the read-only grant.
        read: PathBuf,
        /// The path of the writable grant.
        write: PathBuf,
    },
    /// A directory that holds far more than a project.
    #[error(
        "cannot grant `{}`: it is {what}, and everything in it would be open; grant the directory that you work in, or say \
         `--allow-wide-grant`", grant.display()
    )]
    Wide {
        /// The directory.
        grant: PathBuf,
        /// A description of it.
        what: &'static str,
    },
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
    /// A grant is found through another one, so an agent could redirect it.
    #[error(
        "cannot grant `{}`: it is found through a link, or by `..`, in the granted directory `{}`, and whoever writes there can have it lead \
         anywhere; grant the directory that is meant by its own path", path.display(), by.display()
    )]
    LedOut {
        /// The grant.
        path: PathBuf,
        /// The grant that contains the link.
        by: PathBuf,
    },
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
    /// Two grants have one name.
    #[error(
        "the name `{0}` is granted twice; grant each directory once, and different ones under different names"
    )]
    DuplicateName(String),
    /// The name is reserved for state directories.
    #[error(
        "cannot grant a directory as `{0}`: names that begin with `/.fsgate` are fsgate's own; grant it under another name"
    )]
    ReservedName(String),
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

#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) path: PathBuf,
    /// Inside name; the default is the directory's own path.
    pub(crate) name: Option<String>,
    pub(crate) access: Access,
}

/// A checked directory, as the component will get it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Grant {
    pub(crate) host: PathBuf,
    pub(crate) name: String,
    pub(crate) access: Access,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Terms {
    /// Further directories of fsgate, each with the flag or variable that names it.
    pub(crate) own: Vec<(&'static str, PathBuf)>,
    /// Whether wide grants are allowed.
    pub(crate) wide: bool,
}

/// Checks all requests; the first problem refuses the start.
pub(crate) fn check(requests: &[Request], terms: &Terms) -> Result<Vec<Grant>, StartError> {
    let mut grants: Vec<Grant> = Vec::new();
    let mut aliases: Vec<Grant> = Vec::new();
    for Request { path, name, access } in requests {
        let host = path.canonicalize().map_err(|error| StartError::Unusable { path: path.clone(), error })?;
        if !host.is_dir() {
            return Err(StartError::NotDirectory(path.clone()));
        }
        // Tried here, so that the error names the directory.
        fs::read_dir(&host).map_err(|error| StartError::Unusable { path: path.clone(), error })?;
        let utf8 = |path: &Path| path.to_str().map(str::to_owned);
        let main = match name {
            Some(name) => name.clone(),
            None => utf8(&host).ok_or_else(|| StartError::NotUtf8(path.clone()))?,
        };
        if is_reserved(&grant_name(&main)) {
            return Err(StartError::ReservedName(main));
        }
        if grants.iter().any(|grant| same_name(&grant.name, &main)) {
            return Err(StartError::DuplicateName(main));
        }
        if name.is_none()
            && let Some(alias) = as_typed(path).and_then(|typed| utf8(&typed))
            && alias != main
            && !is_reserved(&grant_name(&alias))
        {
            aliases.push(Grant { host: host.clone(), name: alias, access: *access });
        }
        grants.push(Grant { host, name: main, access: *access });
    }
    let paths: Vec<&Path> = requests.iter().map(|request| &*request.path).collect();
    refuse_led_out(&paths, &grants)?;
    for grant in &grants {
        refuse_narrower(grant, &grants)?;
        refuse_own(grant, &terms.own)?;
        if !terms.wide {
            refuse_wide(grant)?;
        }
    }
    // Other names are optional: requested names win.
    for alias in aliases {
        let is_taken = grants.iter().any(|grant| same_name(&grant.name, &alias.name));
        if !is_taken && !is_led(Path::new(&alias.name), &alias.host, &grants) {
            grants.push(alias);
        }
    }
    Ok(grants)
}

/// Compares names inside: `w`, `/w` and `/w/` are equal.
fn same_name(one: &str, other: &str) -> bool {
    grant_name(one) == grant_name(other)
}

fn refuse_narrower(inner: &Grant, grants: &[Grant]) -> Result<(), StartError> {
    let wider = |outer: &&Grant| outer.access == Access::Write && contains(&outer.host, &inner.host);
    match grants.iter().find(wider) {
        Some(outer) if inner.access == Access::Read => {
            let (inner, outer) = (inner.host.clone(), outer.host.clone());
            Err(if contains(&inner, &outer) {
                StartError::TwiceDifferently { read: inner, write: outer }
            } else {
                StartError::Narrower { inner, outer }
            })
        }
        _ => Ok(()),
    }
}

/// Refuses grants whose path a tool could have redirected, in this session or an earlier one. Such
/// a path decides neither a grant nor the start of patterns.
fn refuse_led_out(paths: &[&Path], grants: &[Grant]) -> Result<(), StartError> {
    for (path, grant) in paths.iter().zip(grants) {
        let leads = |by: &&Grant| by.name != grant.name && firm(path, std::slice::from_ref(by)).is_none();
        if let Some(by) = grants.iter().find(leads) {
            return Err(StartError::LedOut { path: (*path).to_owned(), by: by.host.clone() });
        }
    }
    Ok(())
}

fn refuse_own(grant: &Grant, named: &[(&'static str, PathBuf)]) -> Result<(), StartError> {
    let named = named.iter().map(|(variable, own)| (*variable, canonical(own)));
    for (variable, own) in named.chain(own_directories()) {
        // History must not be read either; paths around it are covered by a rule that hides it.
        let is_forbidden = match grant.access {
            Access::Write => contains(&grant.host, &own) || contains(&own, &grant.host),
            Access::Read => STATE_PARTS.iter().any(|part| contains(&own.join(part), &grant.host)),
        };
        if is_forbidden {
            return Err(StartError::OwnDirectory { grant: grant.host.clone(), own, variable });
        }
    }
    Ok(())
}

/// Whether a canonical path is in a directory or is the directory, also under another name of a
/// mount.
fn contains(outer: &Path, inner: &Path) -> bool {
    inner.ancestors().any(|ancestor| ancestor == outer || is_same(ancestor, outer))
}

#[cfg(unix)]
fn is_same(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;

    let id = |path: &Path| path.metadata().ok().map(|found| (found.dev(), found.ino()));
    id(one).is_some_and(|one| Some(one) == id(other))
}

#[cfg(not(unix))]
fn is_same(_: &Path, _: &Path) -> bool {
    false
}

fn refuse_wide(grant: &Grant) -> Result<(), StartError> {
    match wideness(&grant.host) {
        Some(what) => Err(StartError::Wide { grant: grant.host.clone(), what }),
        None => Ok(()),
    }
}

/// Describes a path that is too wide to work in, or returns `None`.
pub(crate) fn wideness(path: &Path) -> Option<&'static str> {
    let home = env::var_os("HOME").and_then(|home| PathBuf::from(home).canonicalize().ok());
    wide(path, home.as_deref())
}

/// Directories directly below `/` that belong to the system, or hold all users, drives or temporary
/// files. Others, such as `/workspace`, can be projects.
const SYSTEM: [&str; 24] = [
    "Applications",
    "Library",
    "System",
    "bin",
    "boot",
    "dev",
    "etc",
    "lib",
    "lib64",
    "media",
    "mnt",
    "opt",
    "private",
    "proc",
    "run",
    "sbin",
    "snap",
    "srv",
    "sys",
    "tmp",
    "usr",
    "var",
    "Volumes",
    "lost+found",
];

/// Describes a canonical path that is too wide for a grant, or returns `None`.
fn wide(path: &Path, home: Option<&Path>) -> Option<&'static str> {
    const HOME: &str = "a home directory";
    if home == Some(path) {
        return Some(HOME);
    }
    let names: Option<Vec<&str>> = path.components().skip(1).map(|name| name.as_os_str().to_str()).collect();
    match names.as_deref().unwrap_or_default() {
        [] if names.is_some() => Some("all of this machine"),
        ["home" | "Users"] => Some("the directory of all home directories"),
        ["root"] | ["home" | "Users", _] => Some(HOME),
        [name] if SYSTEM.contains(name) => Some("a directory of the system"),
        ["mnt", drive] if drive.len() == 1 => Some("a whole drive"),
        ["media" | "Volumes", _] | ["media", _, _] | ["run", "media", _] | ["run", "media", _, _] => {
            Some("a whole drive")
        }
        // Machines place homes elsewhere too: `/var/home`, `/data`.
        _ if home.is_some_and(|home| contains(path, home)) => Some("a directory with a home directory in it"),
        _ => None,
    }
}

fn own_directories() -> impl Iterator<Item = (&'static str, PathBuf)> {
    own_paths().into_iter().map(|(variable, path)| (variable, canonical(&path)))
}

/// fsgate's directories for state, configuration and caches, with their variables. They may not
/// exist yet.
pub(crate) fn own_paths() -> Vec<(&'static str, PathBuf)> {
    let home = env::var_os("HOME").map(PathBuf::from);
    [("XDG_STATE_HOME", ".local/state"), ("XDG_CONFIG_HOME", ".config"), ("XDG_CACHE_HOME", ".cache")]
        .into_iter()
        .filter_map(|(variable, below_home)| {
            let set = env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute());
            let base = set.or_else(|| home.as_ref().map(|home| home.join(below_home)))?;
            Some((variable, base.join("fsgate")))
        })
        .collect()
}

/// The canonical path of something that may not exist: the path at which it would be made, also
/// through dangling links.
pub(crate) fn canonical(path: &Path) -> PathBuf {
    path.canonicalize()
        .or_else(|_| std::path::absolute(path).map(|path| SymlinkTrace::of(&path).end))
        .unwrap_or_else(|_| path.to_owned())
}

/// The canonical path of a directory to open. `None` if a link in one of these grants leads there,
/// or `..` leaves a directory in one: an agent could have made that path, in this session or an
/// earlier one.
pub(crate) fn firm(path: &Path, grants: &[Grant]) -> Option<PathBuf> {
    let trace = SymlinkTrace::of(&from_here(path).ok()?);
    let is_changed = |step: &PathBuf| {
        let parent = step.parent().unwrap_or(step);
        grants.iter().any(|grant| contains(&grant.host, parent))
    };
    let real = canonical(&trace.end);
    // Other systems may spell a canonical path differently, or in another case.
    let is_there = cfg!(not(target_os = "linux")) || real == trace.end;
    (is_there && !trace.through.iter().any(is_changed)).then_some(real)
}

/// Whether an agent in another grant could have made this path to a directory. Its names are
/// unreliable then.
pub(crate) fn is_led(trace: &Path, host: &Path, grants: &[Grant]) -> bool {
    grants.iter().any(|by| by.host != host && firm(trace, std::slice::from_ref(by)).is_none())
}

/// An absolute path. A leading `..` is the parent of the current directory, also if the shell came
/// through a link.
fn from_here(path: &Path) -> io::Result<PathBuf> {
    let is_up = |name: &Component| matches!(name, Component::CurDir | Component::ParentDir);
    let ups = path.components().take_while(is_up).filter(|name| *name == Component::ParentDir).count();
    let rest: PathBuf = path.components().skip_while(is_up).collect();
    if path.is_absolute() {
        return std::path::absolute(path);
    }
    let here = env::current_dir()?;
    // The parent of the root is the root.
    let from = here.ancestors().nth(ups).or_else(|| here.ancestors().last()).unwrap_or(&here);
    std::path::absolute(from.join(rest))
}

/// The absolute path as its user sees it, with links, from the shell's name of the current
/// directory. A program that starts this one elsewhere may leave a stale `PWD`; then the system's
/// name is used. `None` for a path with `..`, because the name before it may be a link.
pub(crate) fn as_typed(path: &Path) -> Option<PathBuf> {
    let absolute = if path.is_absolute() {
        path.to_owned()
    } else {
        let here = env::current_dir().ok()?;
        let shell = env::var_os("PWD").map(PathBuf::from).filter(|shell| shell.is_absolute());
        let is_here =
            |shell: &PathBuf| shell.canonicalize().is_ok_and(|shell| Some(shell) == here.canonicalize().ok());
        shell.filter(is_here).unwrap_or(here).join(path)
    };
    let names: Vec<_> = absolute.components().filter(|name| *name != Component::CurDir).collect();
    (!names.contains(&Component::ParentDir)).then(|| names.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_does_not_exist_is_canonical_as_far_as_it_does() {
        let here = env::current_dir().unwrap().canonicalize().unwrap();
        assert_eq!(canonical(&here.join("none/such")), here.join("none/such"));
        assert_eq!(canonical(Path::new("none/../such")), here.join("such"));
    }

    #[test]
    fn what_is_above_the_current_directory_is_above_it_whatever_leads_there() {
        let here = env::current_dir().unwrap();
        let above = here.parent().unwrap();
        for (path, expected) in [
            ("x", here.join("x")),
            ("..", above.to_owned()),
            ("./../.", above.to_owned()),
            (".././x/../y", above.join("x/../y")),
            ("/x/../y", "/x/../y".into()),
            (&"../".repeat(99), "/".into()),
        ] {
            assert_eq!(from_here(Path::new(path)).unwrap(), expected, "{path}");
        }
    }

    #[test]
    fn names_of_state_directories_are_not_for_grants() {
        for name in ["/.fsgate", ".fsgate/w", "/x/../.fsgate", "/.Fsgate-settings"] {
            let request = Request { path: ".".into(), name: Some(name.to_owned()), access: Access::Read };
            assert!(
                matches!(check(&[request], &Terms::default()), Err(StartError::ReservedName(_))),
                "{name}"
            );
        }
        let request = Request { path: ".".into(), name: Some("/w/.fsgate".to_owned()), access: Access::Read };
        assert!(check(&[request], &Terms::default()).is_ok());
    }

    #[test]
    fn two_spellings_of_a_name_are_one() {
        let twice = ["w", "/w/"].map(|name| Request {
            path: ".".into(),
            name: Some(name.to_owned()),
            access: Access::Read,
        });
        assert!(
            matches!(check(&twice, &Terms::default()), Err(StartError::DuplicateName(name)) if name == "/w/")
        );
    }

    #[test]
    fn what_nobody_works_in_is_wide() {
        let home = Some(Path::new("/data/me"));
        for (path, expected) in [
            ("/", Some("all of this machine")),
            ("/home", Some("the directory of all home directories")),
            ("/home/me", Some("a home directory")),
            ("/home/me/project", None),
            ("/Users/me", Some("a home directory")),
            ("/root", Some("a home directory")),
            ("/data/me", Some("a home directory")),
            ("/data", Some("a directory with a home directory in it")),
            ("/data/me/project", None),
            ("/data/other", None),
            ("/etc", Some("a directory of the system")),
            ("/etc/fsgate", None),
            ("/usr", Some("a directory of the system")),
            ("/usr/share/doc", None),
            ("/tmp", Some("a directory of the system")),
            ("/tmp/x", None),
            ("/mnt", Some("a directory of the system")),
            ("/mnt/c", Some("a whole drive")),
            ("/mnt/project", None),
            ("/media/me/stick", Some("a whole drive")),
            ("/media/me/stick/x", None),
            ("/run/media/me/stick", Some("a whole drive")),
            ("/workspace", None),
            ("/repo", None),
        ] {
            assert_eq!(wide(Path::new(path), home), expected, "{path}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn one_directory_contains_another_by_whatever_name() {
        let scratch = tempfile::tempdir().unwrap();
        let at = scratch.path().canonicalize().unwrap();
        fs::create_dir_all(at.join("a/b")).unwrap();
        fs::create_dir(at.join("ab")).unwrap();
        // Mounts and links give a directory a second name.
        std::os::unix::fs::symlink("a", at.join("second")).unwrap();
        for (outer, inner, expected) in [
            ("a", "a", true),
            ("a", "a/b", true),
            ("a", "a/b/none/such", true),
            ("a", "ab", false),
            ("a/b", "a", false),
            ("a", "second", true),
            ("a", "second/b", true),
            ("second", "a/b", true),
            ("a/b", "second/b", true),
            ("a/b", "second", false),
        ] {
            assert_eq!(contains(&at.join(outer), &at.join(inner)), expected, "{outer} {inner}");
        }
    }

    #[test]
    fn typed_paths_with_parents_are_not_guessed_at() {
        assert_eq!(as_typed(Path::new("/a/../b")), None);
        assert_eq!(as_typed(Path::new("/a/./b")), Some(PathBuf::from("/a/b")));
    }
}
