//! The name by which this program was called.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf, absolute};
use std::{env, io};

use fsgate_cli::quote::shell_word;

pub(crate) fn command() -> String {
    let called = env::args_os().next().unwrap_or_default();
    if called.is_empty() { "fsgate".to_owned() } else { shell_word(&called.to_string_lossy()) }
}

/// Returns the path by which other programs can call this one. It is the name as called if `PATH`
/// leads to it, else the absolute path as called, else its own path.
pub(crate) fn from_anywhere() -> io::Result<PathBuf> {
    let program = env::current_exe()?;
    let called = env::args_os().next().unwrap_or_default();
    let is_found = found(&called, &env::var_os("PATH").unwrap_or_default(), &program);
    if is_found { Ok(called.into()) } else { Ok(as_called(&called, &program).unwrap_or(program)) }
}

fn found(name: &OsStr, directories: &OsStr, program: &Path) -> bool {
    // The shell takes the first match.
    let first =
        env::split_paths(directories).map(|directory| directory.join(name)).find(|path| path.is_file());
    is_bare(name) && first.is_some_and(|first| is_same(&first, program))
}

/// The path as called. A symlink stays, because an upgrade can remove its target.
fn as_called(called: &OsStr, program: &Path) -> Option<PathBuf> {
    let path = Path::new(called);
    let leads = !is_bare(called) && is_same(path, program);
    absolute(path).ok().filter(|_| leads)
}

fn is_bare(name: &OsStr) -> bool {
    !name.is_empty() && Path::new(name).components().eq([Component::Normal(name)])
}

fn is_same(one: &Path, other: &Path) -> bool {
    let whole = |path: &Path| path.canonicalize().ok();
    whole(one).is_some() && whole(one) == whole(other)
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_program_is_named_where_its_name_leads_to_it() {
        let scratch = tempfile::tempdir().unwrap();
        let at = |path: &str| scratch.path().join(path);
        for directory in ["bin", "other", "none"] {
            fs::create_dir(at(directory)).unwrap();
        }
        fs::write(at("bin/fsgate"), "").unwrap();
        fs::write(at("other/fsgate"), "").unwrap();
        for (name, directories, expected) in [
            ("fsgate", &["none", "bin"][..], true),
            ("fsgate", &["bin", "other"], true),
            ("fsgate", &["other", "bin"], false),
            ("fsgate", &["none"], false),
            ("./fsgate", &["bin"], false),
            ("bin/fsgate", &["bin"], false),
            ("", &["bin"], false),
        ] {
            let joined = env::join_paths(directories.iter().map(|directory| at(directory))).unwrap();
            let is_found = found(OsStr::new(name), &joined, &at("bin/fsgate"));
            assert_eq!(is_found, expected, "{name} in {directories:?}");
        }
    }

    #[test]
    fn a_path_is_kept_as_it_was_called() {
        let scratch = tempfile::tempdir().unwrap();
        let at = |path: &str| scratch.path().join(path);
        fs::write(at("fsgate-1"), "").unwrap();
        fs::write(at("other"), "").unwrap();
        symlink("fsgate-1", at("fsgate")).unwrap();
        for (called, expected) in [("fsgate", true), ("fsgate-1", true), ("other", false), ("none", false)] {
            let called = at(called);
            let path = as_called(called.as_os_str(), &at("fsgate-1"));
            assert_eq!(path, expected.then_some(called));
        }
        assert_eq!(as_called(OsStr::new("fsgate"), &at("fsgate-1")), None);
    }
}
