//! A state directory: records, what was deleted, and the lock. Its contents belong to the tools; the host makes it, whole.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use super::root::{check_private, make_private};

/// What it holds, by the first word of the file that says so.
const FORMAT: &str = "fsgate state 1\n";

/// The file on which a host holds its lock.
pub(super) const LOCK: &str = "lock";

const DIRECTORIES: [&str; 6] = ["tmp", "pending", "done", "trash", "conflicts", "locks"];

/// Names of what is not whole yet.
pub(super) const NEW: &str = ".new-";

/// Makes one in `states`. It has its name only when it is whole.
pub(super) fn make(states: &Path, id: &str) -> io::Result<()> {
    let new = states.join(format!("{NEW}{id}"));
    make_private(&new, false)?;
    for name in DIRECTORIES {
        make_private(&new.join(name), false)?;
    }
    private_file(&new.join(LOCK))?;
    // Even: no file is being written in place.
    private_file(&new.join("sequence"))?.write_all(&0_u64.to_le_bytes())?;
    private_file(&new.join("format"))?.write_all(FORMAT.as_bytes())?;
    fs::rename(&new, states.join(id))
}

/// True if it is there and nobody else can write to it.
pub(super) fn is_sound(directory: &Path) -> bool {
    check_private(directory).is_ok()
}

/// A new file that only its owner can read and write.
pub(super) fn private_file(path: &Path) -> io::Result<fs::File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::MetadataExt;

    use super::*;

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
            ("done", 0o700, true),
            ("format", 0o600, false),
            ("lock", 0o600, false),
            ("locks", 0o700, true),
            ("pending", 0o700, true),
            ("sequence", 0o600, false),
            ("tmp", 0o700, true),
            ("trash", 0o700, true),
        ];
        assert_eq!(found, expected.map(|(name, mode, is_dir)| (name.to_owned(), mode, is_dir)));
        assert_eq!(fs::read_to_string(made.join("format")).unwrap(), "fsgate state 1\n");
        assert_eq!(fs::read(made.join("sequence")).unwrap(), [0; 8]);
        assert!(is_sound(&made) && !is_sound(&scratch.path().join("none")));
        assert!(make(scratch.path(), "ab").is_err(), "one that is there is never replaced");
    }
}
