//! Small file systems in memory, where mounting is permitted.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A file system, unmounted on drop.
pub(crate) struct Mount(PathBuf);

impl Mount {
    /// Mounts a file system of this size on an existing directory. Fails without root's rights.
    pub(crate) fn small(at: &Path, kibibytes: u64) -> Result<Self, String> {
        let size = format!("size={kibibytes}k");
        run("mount", &["-t", "tmpfs", "-o", &size, "fsgate-tests"], at)?;
        Ok(Self(at.to_owned()))
    }

    /// A mounted file system, unmounted on drop.
    pub(crate) fn of(at: &Path) -> Self {
        Self(at.to_owned())
    }

    /// Makes it read-only, or writable again.
    pub(crate) fn set_read_only(&self, read_only: bool) {
        let how = if read_only { "remount,ro" } else { "remount,rw" };
        run("mount", &["-o", how], &self.0).unwrap();
    }

    /// Fills the disk up to this many free blocks of 4 KiB.
    pub(crate) fn fill(&self, free: u64) -> Filling {
        let path = self.0.join(FILLING);
        let mut file = std::fs::File::create(&path).unwrap();
        let block = [b'x'; 4096];
        let mut blocks = 0;
        loop {
            match file.write_all(&block) {
                Ok(()) => blocks += 1,
                Err(error) if error.kind() == io::ErrorKind::StorageFull => break,
                Err(error) => panic!("{error}"),
            }
        }
        file.set_len(u64::saturating_sub(blocks, free) * 4096).unwrap();
        Filling(path)
    }
}

/// The file that fills a disk.
pub(crate) const FILLING: &str = "filling";

/// The filling file, removed on drop.
pub(crate) struct Filling(PathBuf);

impl Drop for Filling {
    fn drop(&mut self) {
        // A child that is just starting can hold the file a moment longer than its name exists.
        std::fs::File::create(&self.0).unwrap();
        std::fs::remove_file(&self.0).unwrap();
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        // A lazy unmount frees the name also while the file system is in use.
        let _ = run("umount", &["--lazy"], &self.0);
    }
}

/// Runs a system program with a path as its last argument. Returns its output if it fails.
pub(crate) fn run(program: &str, words: &[&str], at: &Path) -> Result<(), String> {
    let output = Command::new(program).args(words).arg(at).output().map_err(|error| error.to_string())?;
    match output.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
    }
}
