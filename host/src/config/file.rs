//! Finds and reads the files of a configuration.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::error::ConfigError;

/// Largest file in bytes: hundreds of times the size of a usual one.
const MOST: u64 = 1 << 20;

const USER: [&str; 3] = ["config.toml", "config.yaml", "config.yml"];

/// Project files at the root of the first grant. All that exist apply.
pub(crate) const PROJECT: [&str; 4] = ["fsgate.toml", ".fsgate.toml", "fsgate.yaml", "fsgate.yml"];

pub(crate) fn of_user(directory: &Path) -> Result<Option<PathBuf>, ConfigError> {
    let mut found =
        USER.map(|name| directory.join(name)).into_iter().filter(|path| path.symlink_metadata().is_ok());
    let (first, second) = (found.next(), found.next());
    match second {
        Some(path) => Err(ConfigError::Untrusted {
            path,
            problem: "there is another one beside it, in another form; keep one of the two",
        }),
        None => Ok(first),
    }
}

pub(crate) fn read(path: &Path) -> Result<String, ConfigError> {
    let unreadable = |error| ConfigError::Unreadable { path: path.to_owned(), error };
    let file = File::open(path).map_err(unreadable)?;
    let found = file.metadata().map_err(unreadable)?;
    if is_open_to_all(&found) {
        let problem = "everybody can write to it; take that right away with `chmod o-w`";
        return Err(ConfigError::Untrusted { path: path.to_owned(), problem });
    }
    text(file, path)
}

/// Reads a project's file, if it exists. Agents write there, so only a regular file is read.
pub(crate) fn read_project(path: &Path) -> Result<Option<String>, ConfigError> {
    let untrusted = || ConfigError::Untrusted {
        path: path.to_owned(),
        problem: "it is not a plain file; put one in its place, or do without it by `--no-project-file`",
    };
    let unreadable = |error| ConfigError::Unreadable { path: path.to_owned(), error };
    match fs::symlink_metadata(path) {
        // The grant reports a path that is no directory.
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(unreadable(error)),
        Ok(found) if !found.is_file() => return Err(untrusted()),
        Ok(_) => {}
    }
    let file = open_plain(path).map_err(unreadable)?;
    if !file.metadata().map_err(unreadable)?.is_file() {
        return Err(untrusted());
    }
    text(file, path).map(Some)
}

fn text(file: File, path: &Path) -> Result<String, ConfigError> {
    let unreadable = |error| ConfigError::Unreadable { path: path.to_owned(), error };
    let mut bytes = Vec::new();
    file.take(MOST + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MOST {
        return Err(ConfigError::Untrusted { path: path.to_owned(), problem: "it is larger than 1 MiB" });
    }
    let text = String::from_utf8(bytes)
        .map_err(|_| ConfigError::Untrusted { path: path.to_owned(), problem: "it is not UTF-8" })?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

/// Opens no link, and blocks on no pipe, that has replaced the file meanwhile.
#[cfg(unix)]
fn open_plain(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;

    use rustix::fs::OFlags;

    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits();
    File::options().read(true).custom_flags(i32::try_from(flags).unwrap_or_default()).open(path)
}

#[cfg(not(unix))]
fn open_plain(path: &Path) -> io::Result<File> {
    File::open(path)
}

#[cfg(unix)]
fn is_open_to_all(found: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;

    found.is_file() && found.mode() & 0o002 != 0
}

/// Access control lists are not read.
#[cfg(not(unix))]
fn is_open_to_all(_: &fs::Metadata) -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn one_file_of_the_user_is_found() {
        let scratch = tempfile::tempdir().unwrap();
        assert!(of_user(&scratch.path().join("none")).unwrap().is_none());
        assert!(of_user(scratch.path()).unwrap().is_none());
        fs::write(scratch.path().join("config.yml"), "").unwrap();
        assert_eq!(of_user(scratch.path()).unwrap(), Some(scratch.path().join("config.yml")));
        fs::write(scratch.path().join("config.toml"), "").unwrap();
        assert!(of_user(scratch.path()).is_err());
    }

    #[test]
    fn what_anybody_may_have_made_is_not_taken() {
        let scratch = tempfile::tempdir().unwrap();
        let at = |name: &str| scratch.path().join(name);
        fs::write(at("plain"), "\u{feff}a = 1").unwrap();
        fs::write(at("open"), "").unwrap();
        fs::set_permissions(at("open"), fs::Permissions::from_mode(0o666)).unwrap();
        fs::write(at("large"), vec![b' '; 2 << 20]).unwrap();
        fs::write(at("raw"), b"\xff").unwrap();
        fs::create_dir(at("directory")).unwrap();
        symlink("plain", at("link")).unwrap();
        symlink("none", at("dangling")).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
        // An operator's file may be any readable one that others cannot write; a project's file has
        // to be regular.
        for (name, operator, project) in [
            ("plain", Ok("a = 1"), Ok(Some("a = 1"))),
            ("none", Err("No such file"), Ok(None)),
            ("open", Err("everybody can write to it"), Ok(Some(""))),
            ("large", Err("larger than 1 MiB"), Err("larger than 1 MiB")),
            ("raw", Err("not UTF-8"), Err("not UTF-8")),
            ("directory", Err("Is a directory"), Err("not a plain file")),
            ("link", Ok("a = 1"), Err("not a plain file")),
            ("dangling", Err("No such file"), Err("not a plain file")),
        ] {
            let sentence = |error: ConfigError| error.to_string();
            match (read(&at(name)).map_err(sentence), operator) {
                (Err(found), Err(expected)) => assert!(found.contains(expected), "{name}: {found}"),
                (found, expected) => {
                    assert_eq!(found, expected.map(str::to_owned).map_err(str::to_owned), "{name}");
                }
            }
            match (read_project(&at(name)).map_err(sentence), project) {
                (Err(found), Err(expected)) => assert!(found.contains(expected), "{name}: {found}"),
                (found, expected) => {
                    let expected = expected.map(|text| text.map(str::to_owned)).map_err(str::to_owned);
                    assert_eq!(found, expected, "{name}");
                }
            }
        }
        assert!(read_project(&at("pipe")).is_err());
    }
}
