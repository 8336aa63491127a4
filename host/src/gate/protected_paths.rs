//! What no tool changes, whatever the policies say: files of this machine, and the names by which they are found again.

use std::path::{Component, Path, PathBuf};

use fsgate_policy::{Effect, Rule};

use crate::grant::as_typed;
use crate::host_patterns::literal;
use crate::symlink_trace::Way;

/// Rules about paths of this machine: by the names that were used for them, by those that these lead to, and about the links
/// on the way.
pub(super) fn protected(name: &str, paths: &[PathBuf], effect: Effect) -> Vec<Rule> {
    let mut named = Vec::new();
    for path in paths.iter().flat_map(|path| absolute(path)) {
        // A path with `..` in it names nothing that no other one does.
        let end = Way::to(&path).end;
        let own = Some(path).filter(|path| !path.components().any(|part| part == Component::ParentDir));
        for path in [Some(end), own].into_iter().flatten() {
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
    for found in paths.iter().flat_map(|path| absolute(path)).flat_map(|path| Way::to(&path).through) {
        if !names.contains(&found) {
            names.push(found);
        }
    }
    let paths = patterns(&names);
    if paths.is_empty() {
        return Vec::new();
    }
    vec![Rule { name: name.to_owned(), paths, effect: Effect::KeepsName, ..Rule::default() }]
}

/// A path from the root: from the directory that this process is in, and from the one that its shell says it is in, which may lead
/// through links.
fn absolute(path: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let own = std::path::absolute(path).ok();
    let typed = as_typed(path).filter(|typed| own.as_ref() != Some(typed));
    own.into_iter().chain(typed)
}

/// Patterns that stand for these paths alone. Of a name that is not UTF-8, and so in no pattern, the directory around it: no tool knows the name, and
/// it goes where that goes.
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
