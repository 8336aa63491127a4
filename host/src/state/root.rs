//! The directory with all state of one user.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use super::Problem;

/// The subdirectory of state directories.
pub(crate) const STATES: &str = "states";

/// The subdirectory of entries about roots.
pub(super) const ROOTS: &str = "roots";

/// The parts that no tool may read.
const STATE_PARTS: [&str; 2] = [STATES, ROOTS];

/// The named state root, or that of the user, if a variable names one.
pub(crate) fn find(named: Option<&Path>) -> Option<PathBuf> {
    if let Some(named) = named {
        return std::path::absolute(named).ok();
    }
    let set = |variable| env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = set("XDG_STATE_HOME").or_else(|| set("HOME").map(|home| home.join(".local/state")))?;
    Some(base.join("fsgate"))
}

/// Makes the state root if it is missing, and checks that other users cannot write there: its
/// content decides what later starts write.
pub(super) fn make(root: &Path) -> Result<(), Problem> {
    match fs::symlink_metadata(root) {
        Ok(found) if found.is_symlink() && !is_own(&found) => {
            return Err(Problem::new(root, "it is a link that belongs to somebody else"));
        }
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            make_private(root, true).map_err(Problem::of(root))?;
        }
        Err(error) => return Err(Problem::of(root)(error)),
    }
    let found = fs::metadata(root).map_err(Problem::of(root))?;
    if !found.is_dir() {
        return Err(Problem::new(root, "it is not a directory"));
    }
    if !is_own(&found) {
        return Err(Problem::new(root, "it belongs to somebody else"));
    }
    if is_open_to_others(&found) {
        return Err(Problem::new(root, "others can write to it: take that right away with `chmod go-w`"));
    }
    for directory in STATE_PARTS.map(|name| root.join(name)) {
        match make_private(&directory, false) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(Problem::of(&directory)(error));
            }
            _ => {}
        }
        check_private(&directory)?;
    }
    Ok(())
}

/// Checks that it is a directory of this user that others cannot write to.
pub(super) fn check_private(directory: &Path) -> Result<(), Problem> {
    let found = fs::symlink_metadata(directory).map_err(Problem::of(directory))?;
    if !found.is_dir() || !is_own(&found) || is_open_to_others(&found) {
        return Err(Problem::new(directory, "it is not a directory that only its owner can write to"));
    }
    Ok(())
}

#[cfg(unix)]
pub(crate) fn make_private(directory: &Path, parents: bool) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(parents).mode(0o700).create(directory)
}

#[cfg(unix)]
pub(super) fn is_own(found: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    found.uid() == rustix::process::geteuid().as_raw()
}

/// Root can write anywhere.
#[cfg(unix)]
pub(crate) fn is_own_or_roots(found: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    is_own(found) || found.uid() == 0
}

#[cfg(unix)]
pub(crate) fn is_open_to_others(found: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    found.mode() & 0o022 != 0
}

#[cfg(not(unix))]
pub(crate) fn make_private(directory: &Path, parents: bool) -> io::Result<()> {
    fs::DirBuilder::new().recursive(parents).create(directory)
}

/// Access control lists are not read.
#[cfg(not(unix))]
pub(super) fn is_own(_: &fs::Metadata) -> bool {
    true
}

#[cfg(not(unix))]
pub(crate) fn is_own_or_roots(_: &fs::Metadata) -> bool {
    true
}

#[cfg(not(unix))]
pub(crate) fn is_open_to_others(_: &fs::Metadata) -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    use super::*;

    #[test]
    fn a_root_is_made_for_its_owner_alone_or_refused() {
        let scratch = tempfile::tempdir().unwrap();
        let at = |name: &str| scratch.path().join(name);
        fs::write(at("file"), "").unwrap();
        for (name, mode) in [("open", 0o777), ("group", 0o770), ("readable", 0o755), ("private", 0o700)] {
            fs::create_dir(at(name)).unwrap();
            fs::set_permissions(at(name), fs::Permissions::from_mode(mode)).unwrap();
        }
        symlink(at("private"), at("link")).unwrap();
        symlink(at("none"), at("dangling")).unwrap();
        for (name, problem) in [
            ("new/deep", None),
            ("readable", None),
            ("private", None),
            ("link", None),
            ("open", Some("others can write to it")),
            ("group", Some("others can write to it")),
            ("file", Some("not a directory")),
            ("file/below", Some("")),
            ("dangling", Some("")),
        ] {
            let made = make(&at(name)).map_err(|problem| problem.to_string());
            match problem {
                None => assert_eq!(made, Ok(()), "{name}"),
                Some(problem) => assert!(made.unwrap_err().contains(problem), "{name}"),
            }
        }
        for made in ["new", "new/deep", "new/deep/states"] {
            assert_eq!(fs::metadata(at(made)).unwrap().mode() & 0o777, 0o700, "{made}");
        }
        // A link from before is refused too.
        fs::remove_dir(at("private/states")).unwrap();
        symlink(at("open"), at("private/states")).unwrap();
        assert!(make(&at("private")).is_err());
    }

    #[test]
    fn a_root_that_is_named_is_taken_as_it_is() {
        assert_eq!(find(Some(Path::new("/a/b"))), Some(PathBuf::from("/a/b")));
        assert!(find(Some(Path::new("b"))).is_some_and(|path| path.is_absolute()));
    }
}
