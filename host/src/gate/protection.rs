//! What no tool changes, whatever the policies say: files of this machine, and the names by which they are found again.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs;
use std::path::{Component, Path, PathBuf};

use fsgate_core::policy::{Effect, Rule};

use crate::grant::canonical;
use crate::places::literal;

/// So many links are followed, as systems do it.
const LINKS: usize = 40;

/// Rules about paths of this machine: by the names that were used for them, by those that these lead to, and about the links
/// on the way.
pub(super) fn protected(name: &str, paths: &[PathBuf], effect: Effect) -> Vec<Rule> {
    let mut named = Vec::new();
    for path in absolute(paths) {
        let way = Way::to(&path);
        for path in [canonical(&path), way.end, path] {
            if !named.contains(&path) {
                named.push(path);
            }
        }
    }
    let mut rules = kept(name, paths, &[]);
    let paths = patterns(&named);
    if !paths.is_empty() {
        rules.insert(0, Rule { name: name.to_owned(), paths, effect, ..Rule::default() });
    }
    rules
}

/// Rules by which links on the way to some paths stay what they are, and some directories stay where they are: who could
/// put something else there would say what is found at the next start. What is in them is not meant.
pub(super) fn kept(name: &str, paths: &[PathBuf], directories: &[PathBuf]) -> Vec<Rule> {
    let mut names: Vec<PathBuf> = directories.to_vec();
    for link in absolute(paths).flat_map(|path| Way::to(&path).links) {
        if !names.contains(&link) {
            names.push(link);
        }
    }
    let paths = patterns(&names);
    if paths.is_empty() {
        return Vec::new();
    }
    vec![Rule { name: name.to_owned(), paths, effect: Effect::KeepsName, ..Rule::default() }]
}

fn absolute(paths: &[PathBuf]) -> impl Iterator<Item = PathBuf> {
    paths.iter().filter_map(|path| std::path::absolute(path).ok())
}

fn patterns(paths: &[PathBuf]) -> Vec<String> {
    paths.iter().filter_map(|path| literal(path.components().as_path())).collect()
}

/// The names by which a system finds what stands at a path.
#[derive(Debug, Default, PartialEq, Eq)]
struct Way {
    /// Links that it goes through, each by a path without any.
    links: Vec<PathBuf>,
    /// Where it ends. What is not there is no link.
    end: PathBuf,
}

impl Way {
    /// The way to an absolute path.
    fn to(path: &Path) -> Self {
        let mut way = Self::default();
        let mut names: VecDeque<OsString> = parts(path);
        while let Some(name) = names.pop_front() {
            match Path::new(&name).components().next() {
                Some(Component::ParentDir) => {
                    way.end.pop();
                }
                Some(Component::Normal(name)) => {
                    let next = way.end.join(name);
                    match fs::read_link(&next).ok().filter(|_| way.links.len() < LINKS) {
                        Some(target) => {
                            for part in parts(&target).into_iter().rev() {
                                names.push_front(part);
                            }
                            way.links.push(next);
                        }
                        None => way.end = next,
                    }
                }
                // A prefix or a root: it replaces what was there.
                Some(_) => way.end.push(name),
                None => {}
            }
        }
        way
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
    fn a_way_goes_through_every_link() {
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
        for (path, links, end) in [
            ("w/v1/file", &[][..], "w/v1/file"),
            ("w/cur", &["w/cur"], "w/v1"),
            ("w/cur/deep/../file", &["w/cur"], "w/v1/file"),
            ("one", &["one", "w/cur"], "w/v1/file"),
            ("absolute/file", &["absolute", "w/cur"], "w/v1/file"),
            ("w/cur/up", &["w/cur", "w/v1/up"], "w/v1/file"),
            ("w/dangling/x", &["w/dangling"], "w/none/such/x"),
            ("none/such", &[], "none/such"),
        ] {
            let expected = Way { links: links.iter().map(|link| at.join(link)).collect(), end: at.join(end) };
            assert_eq!(Way::to(&at.join(path)), expected, "{path}");
        }
        assert_eq!(Way::to(&at.join("loop")).links.len(), LINKS);
    }
}
