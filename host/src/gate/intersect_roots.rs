//! A gate over the intersection of its grants with other directories, never with more rights.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use fsgate_contract::path::{absolute, grant_name};
use fsgate_policy::Policy;

use super::{Gate, shown};
use crate::StartError;
use crate::grant::{Grant, firm};
use crate::pool::Pool;
use crate::state::{PendingRecords, preopen_name};

impl Gate {
    /// The intersection of the grants with these directories, with the same rights and names. A
    /// directory outside of the grants, or behind a link in one, stays closed. Calls of both gates
    /// exclude each other like those of one.
    pub fn within(&self, roots: &[PathBuf]) -> Result<Self, StartError> {
        let roots: Vec<_> = roots.iter().filter_map(|root| self.root(root).ok()).collect();
        let mut parts = narrowed(&self.grants, &roots);
        let sandbox = if parts.iter().map(|part| &part.grant).eq(&self.grants) {
            self.sandbox.clone()
        } else {
            let (mut files, mut open) = (Vec::new(), Vec::new());
            // Directories that have vanished are not opened.
            parts.retain(|part| {
                held(&part.grant.host).is_ok_and(|(host, file)| {
                    files.push(file);
                    open.push(Grant { host, ..part.grant.clone() });
                    true
                })
            });
            // Narrowing a grant does not change its state directory.
            let own = parts
                .iter()
                .filter_map(|part| Some((preopen_name(&part.grant.name), self.journals[part.of].clone()?)));
            let retired = self.state.iter().flat_map(|state| state.retired()).cloned();
            let states: Vec<_> = own.chain(retired).collect();
            self.sandbox.over(&open, &states)?
        };
        let granted = parts.iter().filter(|part| part.of < self.granted).count();
        let journals = parts.iter().map(|part| self.journals[part.of].clone()).collect();
        let grants: Vec<_> = parts.into_iter().map(|part| part.grant).collect();
        Ok(Self {
            sandbox,
            state: self.state.clone(),
            locks: self.locks.clone(),
            waiting: PendingRecords::default(),
            history_only: self.history_only,
            concurrent_writers: self.concurrent_writers.clone(),
            limits: self.limits,
            instances: Pool::new(self.parallel()),
            turns: self.turns.clone(),
            admission: self.admission.clone(),
            audit: self.audit.clone(),
            caller: self.caller.clone(),
            confirms: self.confirms,
            seen_tags: self.seen_tags.clone(),
            directories: shown(&grants[..granted], Policy::compile(&self.policies)?, &self.paths),
            // The component ignores a start outside of the grants.
            start: self.start.clone().filter(|start| {
                grants.iter().any(|grant| grant_name(start).starts_with(&grant_name(&grant.name)))
            }),
            granted,
            journals,
            policies: self.policies.clone(),
            paths: self.paths.clone(),
            grants,
            asked_for: self.asked_for.clone(),
        })
    }

    /// The canonical path of a directory. Refuses a path through links that a tool could have made.
    pub(crate) fn root(&self, path: &Path) -> Result<PathBuf, String> {
        let firm = firm(path, &self.asked_for).ok_or(
            "it is found through a link, or by `..`, in a granted directory; name the directory itself",
        )?;
        if firm.is_dir() { Ok(firm) } else { Err("there is no directory any more".to_owned()) }
    }
}

/// Narrows grants, and returns how many results come from the first `granted` ones.
pub(super) fn grants(grants: &[Grant], granted: usize, roots: &[PathBuf]) -> (Vec<Grant>, usize) {
    let parts = narrowed(grants, roots);
    let asked_for = parts.iter().filter(|part| part.of < granted).count();
    (parts.into_iter().map(|part| part.grant).collect(), asked_for)
}

#[derive(Debug, PartialEq, Eq)]
struct Part {
    of: usize,
    grant: Grant,
}

/// The intersections of grants and roots by canonical paths, in grant order.
fn narrowed(grants: &[Grant], roots: &[PathBuf]) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for (of, grant) in grants.iter().enumerate() {
        for grant in roots.iter().filter_map(|root| common(grant, root)) {
            let wider = |part: &Part| part.of == of && grant.host.starts_with(&part.grant.host);
            if !parts.iter().any(wider) {
                parts.retain(|part| part.of != of || !part.grant.host.starts_with(&grant.host));
                parts.push(Part { of, grant });
            }
        }
    }
    // A path belongs to its deepest grant, also when a root is in two grants.
    let deeper: Vec<_> = parts
        .iter()
        .map(|part| (grant_name(&part.grant.name), grant_name(&grants[part.of].name).len()))
        .collect();
    let mut all = deeper.iter();
    parts.retain(|_| {
        all.next().is_some_and(|(name, depth)| !deeper.iter().any(|(n, d)| n == name && d > depth))
    });
    parts
}

/// The intersection, or `None` if empty or not UTF-8.
fn common(grant: &Grant, root: &Path) -> Option<Grant> {
    if grant.host.starts_with(root) {
        return Some(grant.clone());
    }
    let mut names = grant_name(&grant.name);
    for below in root.strip_prefix(&grant.host).ok()?.components() {
        names.push(below.as_os_str().to_str()?.to_owned());
    }
    let name = absolute(names.iter().map(String::as_str));
    Some(Grant { host: root.to_owned(), name, ..grant.clone() })
}

/// Opens a directory, and returns a second path through its handle. An agent with write access
/// could replace the first path by a link after the check.
fn held(path: &Path) -> io::Result<(PathBuf, File)> {
    // With `/.` only a directory opens, so a FIFO does not block.
    let file = open(&path.join("."))?;
    let handle = handle(&file);
    let is_there = match &handle {
        Some(handle) => handle.read_link()?,
        None => path.canonicalize()?,
    };
    if is_there == path {
        Ok((handle.unwrap_or(is_there), file))
    } else {
        Err(io::Error::other("something else is there now"))
    }
}

#[cfg(target_os = "linux")]
fn handle(file: &File) -> Option<PathBuf> {
    use std::os::fd::AsRawFd;

    let path = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
    path.is_symlink().then_some(path)
}

#[cfg(not(target_os = "linux"))]
fn handle(_: &File) -> Option<PathBuf> {
    None
}

#[cfg(not(windows))]
fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}

#[cfg(windows)]
fn open(path: &Path) -> io::Result<File> {
    use std::os::windows::fs::OpenOptionsExt;

    // FILE_FLAG_BACKUP_SEMANTICS: needed to open directories.
    File::options().read(true).custom_flags(0x0200_0000).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Access;
    use crate::Access::{Read, Write};

    /// Host path, inside name, access.
    type Row = (&'static str, &'static str, Access);

    fn list(rows: &[Row]) -> Vec<Grant> {
        let grant = |(host, name, access): &Row| Grant {
            host: host.into(),
            name: (*name).to_owned(),
            access: *access,
        };
        rows.iter().map(grant).collect()
    }

    #[test]
    fn what_lies_in_both_is_left() {
        let one: &[Row] = &[("/w", "/w", Write)];
        let read: &[Row] = &[("/w", "/w", Read)];
        let named: &[Row] = &[("/w", "docs", Read)];
        let top: &[Row] = &[("/w", "/", Write)];
        let two: &[Row] = &[("/w", "/w", Write), ("/v", "/v", Read)];
        let nested: &[Row] = &[("/w", "/w", Read), ("/w/in", "/w/in", Write)];
        let typed: &[Row] = &[("/w", "/w", Write), ("/w", "/link", Write)];
        let whole: &[Row] = &[("/", "/", Read)];
        type Case = (&'static [Row], &'static [&'static str], Vec<(usize, Row)>);
        let cases: Vec<Case> = vec![
            // The root is the grant, around it, in it, beside it.
            (one, &["/w"], vec![(0, one[0])]),
            (one, &["/"], vec![(0, one[0])]),
            (one, &["/w/a/b"], vec![(0, ("/w/a/b", "/w/a/b", Write))]),
            (one, &["/v"], vec![]),
            (one, &["/w2"], vec![]),
            (one, &[], vec![]),
            // A root adds no rights and no directories.
            (read, &["/w/a"], vec![(0, ("/w/a", "/w/a", Read))]),
            (read, &["/w/a", "/etc"], vec![(0, ("/w/a", "/w/a", Read))]),
            (whole, &["/etc"], vec![(0, ("/etc", "/etc", Read))]),
            // Several roots in one grant; nested ones count once.
            (one, &["/w/b", "/w/a"], vec![(0, ("/w/b", "/w/b", Write)), (0, ("/w/a", "/w/a", Write))]),
            (one, &["/w/a/b", "/w/a", "/w/a/c", "/w/a"], vec![(0, ("/w/a", "/w/a", Write))]),
            (one, &["/w/a", "/w"], vec![(0, one[0])]),
            // The inside name is that of the grant, then the path from there.
            (named, &["/w/a"], vec![(0, ("/w/a", "/docs/a", Read))]),
            (named, &["/w"], vec![(0, named[0])]),
            (top, &["/w/a"], vec![(0, ("/w/a", "/a", Write))]),
            // The grants keep their order.
            (two, &["/v/x", "/w/y"], vec![(0, ("/w/y", "/w/y", Write)), (1, ("/v/x", "/v/x", Read))]),
            (two, &["/v"], vec![(1, two[1])]),
            // A path belongs to the deepest grant, with and without roots.
            (nested, &["/w"], vec![(0, nested[0]), (1, nested[1])]),
            (nested, &["/w/in"], vec![(1, nested[1])]),
            (nested, &["/w/in/a"], vec![(1, ("/w/in/a", "/w/in/a", Write))]),
            (nested, &["/w/out"], vec![(0, ("/w/out", "/w/out", Read))]),
            // Another spelling of a grant is narrowed with it.
            (typed, &["/w/a"], vec![(0, ("/w/a", "/w/a", Write)), (1, ("/w/a", "/link/a", Write))]),
        ];
        for (grants, roots, expected) in cases {
            let roots: Vec<_> = roots.iter().map(PathBuf::from).collect();
            let expected: Vec<_> =
                expected.into_iter().map(|(of, row)| Part { of, grant: list(&[row]).remove(0) }).collect();
            assert_eq!(narrowed(&list(grants), &roots), expected, "{grants:?} in {roots:?}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_name_that_is_not_utf_8_stays_closed() {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;

        let root = Path::new("/w").join(OsStr::from_bytes(b"\xff"));
        assert_eq!(narrowed(&list(&[("/w", "/w", Write)]), &[root]), []);
    }

    #[test]
    #[cfg(unix)]
    fn what_is_held_is_what_was_found() {
        let scratch = tempfile::tempdir().unwrap();
        let at = scratch.path().canonicalize().unwrap();
        std::fs::create_dir(at.join("a")).unwrap();
        std::fs::write(at.join("file"), "").unwrap();
        std::os::unix::fs::symlink(at.join("a"), at.join("link")).unwrap();
        let (handle, _file) = held(&at.join("a")).unwrap();
        std::fs::rename(at.join("a"), at.join("b")).unwrap();
        std::os::unix::fs::symlink("/etc", at.join("a")).unwrap();
        if cfg!(target_os = "linux") {
            assert_eq!(handle.canonicalize().unwrap(), at.join("b"));
        }
        for name in ["a", "link", "file", "none"] {
            assert!(held(&at.join(name)).is_err(), "{name}");
        }
    }
}
