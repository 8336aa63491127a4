//! The directories that may hold the audit: no tool and no other user can write there.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::grant::{Access, Grant, StartError};
use crate::state::{is_open_to_others, is_own_or_roots, make_private};

/// Makes a missing directory, checks that other users cannot change it, and returns the canonical
/// path of the file.
pub(super) fn prepare(file: &Path, grants: &[Grant]) -> Result<PathBuf, StartError> {
    let refused = |problem: String| StartError::Audit { file: file.to_owned(), problem };
    let absolute = std::path::absolute(file).map_err(|error| refused(error.to_string()))?;
    let (Some(directory), Some(name)) = (absolute.parent(), absolute.file_name()) else {
        return Err(refused("it is no name of a file".to_owned()));
    };
    // Check before making anything: a refusal leaves no directories.
    let real = real(directory).join(name);
    if let Some(grant) =
        grants.iter().find(|grant| grant.access == Access::Write && real.starts_with(&grant.host))
    {
        return Err(StartError::AuditInGrant { file: real, grant: grant.host.clone() });
    }
    make_private(directory, true)
        .and_then(|()| check(directory))
        .and_then(|()| Ok(directory.canonicalize()?.join(name)))
        .map_err(|error| refused(error.to_string()))
}

fn real(directory: &Path) -> PathBuf {
    directory
        .ancestors()
        .find_map(|ancestor| Some(ancestor.canonicalize().ok()?.join(directory.strip_prefix(ancestor).ok()?)))
        .unwrap_or_else(|| directory.to_owned())
}

fn check(directory: &Path) -> io::Result<()> {
    let found = fs::metadata(directory)?;
    let problem = if !found.is_dir() {
        "what should be its directory is something else"
    } else if !is_own_or_roots(&found) {
        "its directory belongs to somebody else"
    } else if is_open_to_others(&found) {
        "others can write to its directory: take that right away with `chmod go-w`"
    } else {
        return Ok(());
    };
    Err(io::Error::other(problem))
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    use super::*;

    #[test]
    fn a_file_stands_where_no_tool_and_nobody_else_can_write() {
        let scratch = tempfile::tempdir().unwrap();
        let at = |name: &str| scratch.path().canonicalize().unwrap().join(name);
        for (name, mode) in [("w", 0o700), ("r", 0o700), ("open", 0o777), ("mine", 0o755)] {
            fs::create_dir(at(name)).unwrap();
            fs::set_permissions(at(name), fs::Permissions::from_mode(mode)).unwrap();
        }
        symlink(at("w"), at("link")).unwrap();
        fs::write(at("file"), "").unwrap();
        let grant = |name: &str, access| Grant { host: at(name), name: format!("/{name}"), access };
        let grants = [grant("w", Access::Write), grant("r", Access::Read)];
        for (file, problem) in [
            ("mine/a", None),
            ("new/deep/a", None),
            ("r/a", None),
            ("w-beside", None),
            ("w/a", Some("granted for writing")),
            ("w/new/deep/a", Some("granted for writing")),
            ("link/a", Some("granted for writing")),
            ("mine/../w/a", Some("granted for writing")),
            ("open/a", Some("chmod go-w")),
            ("file/a", Some("cannot write the audit")),
        ] {
            let prepared = prepare(&at(file), &grants).map_err(|error| error.to_string());
            match problem {
                None => assert_eq!(prepared, Ok(at(file)), "{file}"),
                Some(problem) => {
                    assert!(prepared.clone().unwrap_err().contains(problem), "{file}: {prepared:?}");
                }
            }
        }
        assert!(!at("w/new").exists());
        assert_eq!(fs::metadata(at("new/deep")).unwrap().mode() & 0o777, 0o700);
    }
}
