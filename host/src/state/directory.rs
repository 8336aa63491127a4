//! A state directory: records, trash and lock. The host makes it, and the tools own its contents.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use fsgate_journal::state::lease;
use fsgate_journal::state::{DIRECTORIES, FORMAT, FORMAT_2, new_files};

use super::Problem;
use super::control::CONTROL;
use super::root::{check_private, make_private};

/// The file that hosts lock.
pub(super) const LOCK: &str = "lock";

const CONTROL_DAMAGED: &str = "its file `control` is damaged or missing; check that the granted files are \
    whole, then move the directory away: a new history begins, and the old one keeps its `trash`";

/// The directories whose files are records.
const RECORDS: [&str; 3] = ["log", "waiting", "conflicts"];

/// Prefix of names of incomplete files.
pub(super) const NEW: &str = ".new-";

/// Makes a state directory. It gets its name only when it is complete.
pub(super) fn make(states: &Path, id: &str) -> io::Result<()> {
    let new = states.join(format!("{NEW}{id}"));
    make_private(&new, false)?;
    for name in DIRECTORIES {
        make_private(&new.join(name), false)?;
    }
    for (directory, name, content) in new_files() {
        private_file(&new.join(directory).join(name))?.write_all(&content)?;
    }
    fs::rename(&new, states.join(id))
}

/// Refuses a state directory of another version, with a member that its owner cannot use, or
/// without a valid `control`: without it, nothing says whether a change is unfinished.
pub(super) fn check(directory: &Path) -> Result<(), Problem> {
    for name in DIRECTORIES {
        check_member(&directory.join(name), true)?;
    }
    for name in ["format", LOCK, lease::IN_PLACE] {
        check_member(&directory.join(name), false)?;
    }
    check_member(&directory.join(CONTROL), false).map_err(|_| Problem::new(directory, CONTROL_DAMAGED))?;
    for name in RECORDS {
        repair_files(&directory.join(name));
    }
    if !directory.join(LOCK).exists() {
        // It has no content, and another program may make it at the same time.
        let _ = private_file(&directory.join(LOCK));
    }
    match fs::read_to_string(directory.join("format")) {
        // An empty one is of a loss of power, and is written again.
        Ok(format) if !FORMAT.starts_with(&format) && format != FORMAT_2 => {
            let words = format.trim_end();
            let what = format!(
                "this history is of another version (`{words}`); finish what that has begun with it, then remove \
                 the directory, or name another one with `--state-dir`"
            );
            Err(Problem::new(directory, what))
        }
        Ok(_) if !super::control::Control::open(directory).is_ok_and(|control| control.read().is_some()) => {
            Err(Problem::new(directory, CONTROL_DAMAGED))
        }
        // Its users find other problems.
        _ => Ok(()),
    }
}

/// Refuses a member of the wrong kind, and gives the owner's rights back to one that lacks them. A
/// missing one is made again later.
fn check_member(path: &Path, is_directory: bool) -> Result<(), Problem> {
    let found = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        found => found.map_err(Problem::of(path))?,
    };
    if is_directory != found.is_dir() || is_directory == found.is_file() {
        let kind = if is_directory { "directory" } else { "file" };
        let what = format!("it is not a {kind}; move it away, and start again");
        return Err(Problem::new(path, what));
    }
    own_rights(path, &found).map_err(Problem::of(path))
}

/// Gives the owner's rights back to the files of a directory. Their users find other problems.
fn repair_files(directory: &Path) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        if let Some(found) = entry.metadata().ok().filter(fs::Metadata::is_file) {
            let _ = own_rights(&entry.path(), &found);
        }
    }
}

#[cfg(unix)]
fn own_rights(path: &Path, found: &fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let needed = if found.is_dir() { 0o700 } else { 0o600 };
    let mode = found.permissions().mode();
    if mode & needed == needed {
        return Ok(());
    }
    fs::set_permissions(path, fs::Permissions::from_mode(mode & 0o7777 | needed))
}

#[cfg(not(unix))]
fn own_rights(_: &Path, _: &fs::Metadata) -> io::Result<()> {
    Ok(())
}

/// Whether it exists, and other users cannot write to it.
pub(super) fn is_sound(directory: &Path) -> bool {
    check_private(directory).is_ok()
}

/// Creates a file that only its owner can read and write.
pub(super) fn private_file(path: &Path) -> io::Result<fs::File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    use fsgate_journal::state::control::Control;

    use super::*;

    #[test]
    fn a_member_that_its_owner_cannot_use_is_repaired_or_named() {
        let scratch = tempfile::tempdir().unwrap();
        make(scratch.path(), "ab").unwrap();
        let at = |name: &str| scratch.path().join("ab").join(name);
        for name in ["log/1", "waiting/1"] {
            private_file(&at(name)).unwrap();
        }
        for (name, mode) in [
            ("trash", 0),
            ("log", 0o500),
            ("format", 0),
            (CONTROL, 0o400),
            ("log/1", 0),
            ("waiting/1", 0o400),
        ] {
            let before = fs::metadata(at(name)).unwrap().mode();
            fs::set_permissions(at(name), fs::Permissions::from_mode(mode)).unwrap();
            assert!(check(&scratch.path().join("ab")).is_ok(), "{name}");
            assert_eq!(fs::metadata(at(name)).unwrap().mode(), before, "{name}");
        }
        for (name, kind) in [("waiting", "directory"), ("tmp", "directory"), ("lease", "file")] {
            let before = at(&format!("{name}.before"));
            fs::rename(at(name), &before).unwrap();
            assert!(check(&scratch.path().join("ab")).is_ok(), "{name} is made again");
            match kind {
                "file" => fs::create_dir(at(name)).unwrap(),
                _ if name == "tmp" => symlink(&before, at(name)).unwrap(),
                _ => fs::write(at(name), "").unwrap(),
            }
            let refused = check(&scratch.path().join("ab")).unwrap_err().to_string();
            let words = [at(name).display().to_string(), format!("not a {kind}")];
            assert!(words.iter().all(|word| refused.contains(word)), "{refused}");
            if kind == "file" { fs::remove_dir(at(name)) } else { fs::remove_file(at(name)) }.unwrap();
            fs::rename(&before, at(name)).unwrap();
        }
    }

    #[test]
    fn it_is_whole_and_its_owners_alone() {
        let scratch = tempfile::tempdir().unwrap();
        make(scratch.path(), "ab").unwrap();
        let made = scratch.path().join("ab");
        let mut found: Vec<_> = fs::read_dir(&made)
            .unwrap()
            .map(|entry| {
                let entry = entry.unwrap();
                let found = entry.metadata().unwrap();
                (entry.file_name().into_string().unwrap(), found.mode() & 0o777, found.is_dir())
            })
            .collect();
        found.sort();
        let expected = [
            ("conflicts", 0o700, true),
            ("control", 0o600, false),
            ("format", 0o600, false),
            ("lease", 0o600, false),
            ("lock", 0o600, false),
            ("locks", 0o700, true),
            ("log", 0o700, true),
            ("tmp", 0o700, true),
            ("trash", 0o700, true),
            ("waiting", 0o700, true),
        ];
        assert_eq!(found, expected.map(|(name, mode, is_dir)| (name.to_owned(), mode, is_dir)));
        assert_eq!(fs::read_to_string(made.join("format")).unwrap(), "fsgate state 3\n");
        assert_eq!(Control::parse(&fs::read(made.join("control")).unwrap()), Some(Control::NEW));
        assert!(check(&made).is_ok());
        fs::write(made.join(CONTROL), "").unwrap();
        let refused = check(&made).unwrap_err().to_string();
        assert!(refused.contains("`control` is damaged") && refused.contains("ab"), "{refused}");
        fs::write(made.join("format"), "fsgate state 1\n").unwrap();
        let refused = check(&made).unwrap_err().to_string();
        assert!(refused.contains("`fsgate state 1`") && refused.contains("remove"), "{refused}");
        assert!(is_sound(&made) && !is_sound(&scratch.path().join("none")));
        assert!(make(scratch.path(), "ab").is_err(), "one that is there is never replaced");
    }
}
