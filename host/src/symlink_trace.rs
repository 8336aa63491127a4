//! Traces a path: the links that it goes through, and its end.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Largest number of links, as in operating systems.
const LINKS: usize = 40;

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct SymlinkTrace {
    /// Places that could redirect the path: its links, and directories that it leaves by `..`, each
    /// by a path without links.
    pub(crate) through: Vec<PathBuf>,
    /// The resolved path. A missing name counts as no link.
    pub(crate) end: PathBuf,
}

impl SymlinkTrace {
    pub(crate) fn of(path: &Path) -> Self {
        let mut trace = Self::default();
        let mut links = 0;
        let mut names: VecDeque<OsString> = parts(path);
        while let Some(name) = names.pop_front() {
            match Path::new(&name).components().next() {
                Some(Component::ParentDir) => {
                    let left = trace.end.clone();
                    // The root has no parent.
                    if trace.end.pop() {
                        trace.through.push(left);
                    }
                }
                Some(Component::Normal(name)) => {
                    let next = trace.end.join(name);
                    match fs::read_link(&next).ok().filter(|_| links < LINKS) {
                        Some(target) => {
                            for part in parts(&target).into_iter().rev() {
                                names.push_front(part);
                            }
                            links += 1;
                            trace.through.push(next);
                        }
                        None => trace.end = next,
                    }
                }
                // A prefix or the root replaces the path.
                Some(_) => trace.end.push(name),
                None => {}
            }
        }
        trace
    }
}

fn parts(path: &Path) -> VecDeque<OsString> {
    path.components()
        .filter(|part| *part != Component::CurDir)
        .map(|part| part.as_os_str().to_owned())
        .collect()
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_way_goes_through_links_and_back() {
        let scratch = tempfile::tempdir().unwrap();
        let at = scratch.path().canonicalize().unwrap();
        fs::create_dir_all(at.join("w/v1/deep")).unwrap();
        fs::write(at.join("w/v1/file"), "").unwrap();
        for (target, name) in [
            ("v1", "w/cur"),
            ("w/cur/file", "one"),
            ("deep/../file", "w/v1/up"),
            ("none/such", "w/dangling"),
            ("loop", "loop"),
        ] {
            symlink(target, at.join(name)).unwrap();
        }
        symlink(at.join("w/cur"), at.join("absolute")).unwrap();
        for (path, through, end) in [
            ("w/v1/file", &[][..], "w/v1/file"),
            ("w/cur", &["w/cur"], "w/v1"),
            ("w/cur/deep/../file", &["w/cur", "w/v1/deep"], "w/v1/file"),
            ("w/v1/deep/../../cur", &["w/v1/deep", "w/v1", "w/cur"], "w/v1"),
            ("one", &["one", "w/cur"], "w/v1/file"),
            ("absolute/file", &["absolute", "w/cur"], "w/v1/file"),
            ("w/cur/up", &["w/cur", "w/v1/up", "w/v1/deep"], "w/v1/file"),
            ("w/dangling/x", &["w/dangling"], "w/none/such/x"),
            ("none/such", &[], "none/such"),
        ] {
            let through = through.iter().map(|name| at.join(name)).collect();
            let expected = SymlinkTrace { through, end: at.join(end) };
            assert_eq!(SymlinkTrace::of(&at.join(path)), expected, "{path}");
        }
        assert_eq!(SymlinkTrace::of(&at.join("loop")).through.len(), LINKS);
    }
}
