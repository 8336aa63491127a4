//! Trees to work on: copies of one source tree, the same on every machine that builds this.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use fsgate_tests::sources::sources;

use crate::peers::target;

/// The crate that is copied: some 250 files in 50 directories.
const CRATE: &str = "wasmtime-48";

/// Puts the source tree into a directory that is not there yet.
pub(crate) fn small(into: &Path) -> Result<()> {
    let source = sources(CRATE).with_context(|| format!("{CRATE} is not in cargo's registry folder"))?;
    copied(&source, into)
}

/// A tree of at least so many files, made once.
pub(crate) fn large(files: usize) -> Result<PathBuf> {
    let trees = target()?.join("bench");
    let (directory, complete) = (trees.join(files.to_string()), trees.join(format!("{files} is complete")));
    if !complete.exists() {
        if directory.exists() {
            fs::remove_dir_all(&directory)?;
        }
        fs::create_dir_all(&directory)?;
        small(&directory.join("0000"))?;
        let each = count(&directory)?;
        for copy in 1..files.div_ceil(each) {
            small(&directory.join(format!("{copy:04}")))?;
        }
        fs::write(complete, "")?;
    }
    ensure!(count(&directory)? >= files, "{} is not what it was: remove it", trees.display());
    Ok(directory)
}

fn copied(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copied(&entry.path(), &to)?;
        } else {
            fs::copy(entry.path(), to)?;
        }
    }
    Ok(())
}

/// Regular files below a directory.
pub(crate) fn count(directory: &Path) -> Result<usize> {
    let mut files = 0;
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        files += if entry.file_type()?.is_dir() { count(&entry.path())? } else { 1 };
    }
    Ok(files)
}
