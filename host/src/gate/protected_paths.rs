//! Rules for paths of this machine that no tool may change, and for the names that lead to them.

use std::path::{Component, Path, PathBuf};

use fsgate_policy::{Rule, RuleEffect};

use crate::grant::as_typed;
use crate::host_patterns::literal;
use crate::symlink_trace::SymlinkTrace;

/// Rules about paths of this machine: under the given names, under the names that those lead to,
/// and about the links in between.
pub(super) fn protected(name: &str, paths: &[PathBuf], effect: RuleEffect) -> Vec<Rule> {
    let mut named = Vec::new();
    for path in paths.iter().flat_map(|path| absolute(path)) {
        // A path with `..` names nothing that the resolved one does not.
        let end = SymlinkTrace::of(&path).end;
        let own = Some(path).filter(|path| !path.components().any(|part| part == Component::ParentDir));
        for path in [Some(end), own].into_iter().flatten() {
            if !named.contains(&path) {
                named.push(path);
            }
        }
    }
    let mut rules = pinned(name, paths, &[]);
    let paths = patterns(&named);
    if !paths.is_empty() {
        rules.insert(0, Rule { name: name.to_owned(), paths, effect, ..Rule::default() });
    }
    rules
}

/// Rules that keep the links on the way to some paths, and some directories, in place. Otherwise an
/// agent could decide where the next start finds them. The content of these directories is not
/// covered.
pub(super) fn pinned(name: &str, paths: &[PathBuf], directories: &[PathBuf]) -> Vec<Rule> {
    let mut names: Vec<PathBuf> = directories.to_vec();
    for found in paths.iter().flat_map(|path| absolute(path)).flat_map(|path| SymlinkTrace::of(&path).through)
    {
        if !names.contains(&found) {
            names.push(found);
        }
    }
    let paths = patterns(&names);
    if paths.is_empty() {
        return Vec::new();
    }
    vec![Rule { name: name.to_owned(), paths, effect: RuleEffect::KeepsName, ..Rule::default() }]
}

/// Absolute forms of a path: from the current directory, and from the shell's name of it, which may
/// go through links.
fn absolute(path: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let own = std::path::absolute(path).ok();
    let typed = as_typed(path).filter(|typed| own.as_ref() != Some(typed));
    own.into_iter().chain(typed)
}

/// Patterns that match exactly these paths. A name that is not UTF-8 fits in no pattern, so its
/// directory is matched: no tool can name the file, and it moves with the directory.
fn patterns(paths: &[PathBuf]) -> Vec<String> {
    let known = |path: &PathBuf| path.ancestors().find_map(|path| literal(path.components().as_path()));
    paths.iter().filter_map(known).collect()
}

#[cfg(all(test, unix))]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    use super::*;

    #[test]
    fn what_no_pattern_can_name_is_kept_by_its_directory() {
        let named = |name: &[u8]| Path::new("/w/d").join(OsStr::from_bytes(name));
        assert_eq!(
            patterns(&[named(b"a*"), named(b"\xFF"), named(b"\xFF/a")]),
            [r"/w/d/a\*", "/w/d", "/w/d"]
        );
    }
}
