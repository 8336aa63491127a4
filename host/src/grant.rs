//! Which directories are handed in, and the grants that are refused before anything starts.

use std::path::{Component, Path, PathBuf};
use std::{env, fs, io};

use fsgate_core::path::grant_name;
use fsgate_core::policy::Invalid;
pub use fsgate_core::volume::Access;

/// A start that is refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// There is nothing to work in.
    #[error("no directory is granted; give one with `--dir PATH` or `--read-only-dir PATH`")]
    NoGrant,
    /// A granted directory cannot be used.
    #[error("cannot grant `{}`: {error}; grant a directory that exists and can be read", path.display())]
    Unusable {
        /// The path as it was given.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// Something else than a directory was granted.
    #[error("cannot grant `{}`: it is not a directory; grant the directory that contains it", .0.display())]
    NotDirectory(PathBuf),
    /// A directory's name cannot be shown to the component.
    #[error("cannot grant `{}`: its name is not UTF-8; grant it under a name of your choice", .0.display())]
    NotUtf8(PathBuf),
    /// A grant that a wider one around it would make void.
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
    /// A grant that would let an agent change what fsgate keeps.
    #[error(
        "cannot grant `{}` for writing: it and fsgate's own directory `{}` contain one another; grant a directory \
         apart from it, or move the other by setting `{variable}`", grant.display(), own.display()
    )]
    OwnDirectory {
        /// The writable grant.
        grant: PathBuf,
        /// The directory of fsgate.
        own: PathBuf,
        /// The environment variable or flag that says where it is.
        variable: &'static str,
    },
    /// Changes cannot be journaled.
    #[error(
        "cannot keep state in `{}`: {problem}; name another directory with `--state-dir`, or do without undo and recovery \
         with `--durability none`", root.display()
    )]
    State {
        /// The state root.
        root: PathBuf,
        /// What is wrong, and where.
        problem: String,
    },
    /// Nobody says where state is kept.
    #[error(
        "neither `XDG_STATE_HOME` nor `HOME` says where to keep state; name a directory with `--state-dir`, or do without \
         undo and recovery with `--durability none`"
    )]
    NoStateRoot,
    /// The audit cannot be written.
    #[error(
        "cannot write the audit to `{}`: {problem}; name another file with `--audit FILE`, or start without it", file.display()
    )]
    Audit {
        /// The file.
        file: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// The audit could be changed by a tool.
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
    #[error("two directories are granted under the name `{0}`; give them different names")]
    DuplicateName(String),
    /// A name under which state is handed in.
    #[error(
        "cannot grant a directory as `{0}`: names below `/.fsgate` are fsgate's own; grant it under another name"
    )]
    ReservedName(String),
    /// The policy has no meaning.
    #[error(
        "the policy cannot be used: `{field}`: {problem}; correct it, nothing is granted under a broken policy"
    )]
    Policy {
        /// Where in the policy.
        field: String,
        /// What is wrong there.
        problem: String,
    },
    /// The component cannot be loaded.
    #[error("cannot load the component: {0:#}")]
    Component(anyhow::Error),
}

impl From<Invalid> for StartError {
    fn from(Invalid { field, problem }: Invalid) -> Self {
        Self::Policy { field, problem }
    }
}

/// A directory that was asked for.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) path: PathBuf,
    /// Name inside; by default the directory's own path.
    pub(crate) name: Option<String>,
    pub(crate) access: Access,
}

/// A directory that will be handed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Grant {
    pub(crate) host: PathBuf,
    pub(crate) name: String,
    pub(crate) access: Access,
}

/// Checks all that was asked for; the first problem refuses the start. The state root, if one was named, is one of fsgate's
/// own directories.
pub(crate) fn check(requests: &[Request], state_root: Option<&Path>) -> Result<Vec<Grant>, StartError> {
    let mut grants: Vec<Grant> = Vec::new();
    let mut aliases: Vec<Grant> = Vec::new();
    for Request { path, name, access } in requests {
        let host = path.canonicalize().map_err(|error| StartError::Unusable { path: path.clone(), error })?;
        if !host.is_dir() {
            return Err(StartError::NotDirectory(path.clone()));
        }
        // Opened once here, so that a directory that cannot be read is refused by its own name.
        fs::read_dir(&host).map_err(|error| StartError::Unusable { path: path.clone(), error })?;
        let utf8 = |path: &Path| path.to_str().map(str::to_owned);
        let main = match name {
            Some(name) => name.clone(),
            None => utf8(&host).ok_or_else(|| StartError::NotUtf8(path.clone()))?,
        };
        if is_reserved(&main) {
            return Err(StartError::ReservedName(main));
        }
        if grants.iter().any(|grant| same_name(&grant.name, &main)) {
            return Err(StartError::DuplicateName(main));
        }
        if name.is_none()
            && let Some(alias) = as_typed(path).and_then(|typed| utf8(&typed))
            && alias != main
            && !is_reserved(&alias)
        {
            aliases.push(Grant { host: host.clone(), name: alias, access: *access });
        }
        grants.push(Grant { host, name: main, access: *access });
    }
    for grant in &grants {
        refuse_narrower(grant, &grants)?;
        if grant.access == Access::Write {
            refuse_own(grant, state_root)?;
        }
    }
    // An alias is a courtesy: it gives way to any name that was asked for.
    for alias in aliases {
        if !grants.iter().any(|grant| same_name(&grant.name, &alias.name)) {
            grants.push(alias);
        }
    }
    Ok(grants)
}

/// True for a name that the component would take for that of a state directory.
fn is_reserved(name: &str) -> bool {
    grant_name(name).first().is_some_and(|first| first == ".fsgate")
}

/// True for two spellings of one name: `w`, `/w` and `/w/` are the same place inside.
fn same_name(one: &str, other: &str) -> bool {
    grant_name(one) == grant_name(other)
}

fn refuse_narrower(inner: &Grant, grants: &[Grant]) -> Result<(), StartError> {
    let wider = |outer: &&Grant| outer.access == Access::Write && inner.host.starts_with(&outer.host);
    match grants.iter().find(wider) {
        Some(outer) if inner.access == Access::Read => {
            Err(StartError::Narrower { inner: inner.host.clone(), outer: outer.host.clone() })
        }
        _ => Ok(()),
    }
}

fn refuse_own(grant: &Grant, state_root: Option<&Path>) -> Result<(), StartError> {
    let named = state_root.map(|root| ("--state-dir", canonical(root)));
    for (variable, own) in named.into_iter().chain(own_directories()) {
        if own.starts_with(&grant.host) || grant.host.starts_with(&own) {
            return Err(StartError::OwnDirectory { grant: grant.host.clone(), own, variable });
        }
    }
    Ok(())
}

/// Where fsgate keeps state and looks for its configuration, and the variables that say so. They may not exist yet.
fn own_directories() -> Vec<(&'static str, PathBuf)> {
    let home = env::var_os("HOME").map(PathBuf::from);
    [("XDG_STATE_HOME", ".local/state"), ("XDG_CONFIG_HOME", ".config"), ("XDG_CACHE_HOME", ".cache")]
        .into_iter()
        .filter_map(|(variable, below_home)| {
            let set = env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute());
            let base = set.or_else(|| home.as_ref().map(|home| home.join(below_home)))?;
            Some((variable, canonical(&base.join("fsgate"))))
        })
        .collect()
}

/// The canonical path of something that may not exist: that of the nearest ancestor that does, and the rest.
fn canonical(path: &Path) -> PathBuf {
    path.ancestors()
        .find_map(|ancestor| {
            let real = ancestor.canonicalize().ok()?;
            Some(real.join(path.strip_prefix(ancestor).ok()?))
        })
        .unwrap_or_else(|| path.to_owned())
}

/// The path as its user sees it, links and all: absolute, from the shell's idea of the current directory.
fn as_typed(path: &Path) -> Option<PathBuf> {
    if path.components().any(|component| component == Component::ParentDir) {
        return None;
    }
    let absolute = if path.is_absolute() {
        path.to_owned()
    } else {
        let shell = PathBuf::from(env::var_os("PWD")?);
        let same = shell.is_absolute()
            && shell.canonicalize().ok()? == env::current_dir().ok()?.canonicalize().ok()?;
        same.then(|| shell.join(path))?
    };
    Some(absolute.components().filter(|component| *component != Component::CurDir).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_does_not_exist_is_canonical_as_far_as_it_does() {
        let here = env::current_dir().unwrap().canonicalize().unwrap();
        assert_eq!(canonical(&here.join("none/such")), here.join("none/such"));
    }

    #[test]
    fn names_of_state_directories_are_not_for_grants() {
        for name in ["/.fsgate", ".fsgate/w", "/x/../.fsgate"] {
            let request = Request { path: ".".into(), name: Some(name.to_owned()), access: Access::Read };
            assert!(matches!(check(&[request], None), Err(StartError::ReservedName(_))), "{name}");
        }
        let request = Request { path: ".".into(), name: Some("/w/.fsgate".to_owned()), access: Access::Read };
        assert!(check(&[request], None).is_ok());
    }

    #[test]
    fn two_spellings_of_a_name_are_one() {
        let twice = ["w", "/w/"].map(|name| Request {
            path: ".".into(),
            name: Some(name.to_owned()),
            access: Access::Read,
        });
        assert!(matches!(check(&twice, None), Err(StartError::DuplicateName(name)) if name == "/w/"));
    }

    #[test]
    fn typed_paths_with_parents_are_not_guessed_at() {
        assert_eq!(as_typed(Path::new("/a/../b")), None);
        assert_eq!(as_typed(Path::new("/a/./b")), Some(PathBuf::from("/a/b")));
    }
}
