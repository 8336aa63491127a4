//! Directories to try something on.

use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};

use fsgate::Access;
use tempfile::TempDir;

use super::component::{Component, Host};

/// What may be in no answer.
pub(crate) const CANARY: &str = "the canary";

/// Two directories for the component, and one beside them that is nobody's.
pub(crate) struct Ground(TempDir);

impl Ground {
    pub(crate) fn new() -> Self {
        let ground = Self(TempDir::new().unwrap());
        for directory in ["here", "other", "outside"] {
            prepare(&ground.at(directory));
        }
        fs::write(ground.at("outside/canary"), CANARY).unwrap();
        ground
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn component(&self, host: Host, here: Access, other: Access) -> Component {
        Component::new(host, &[(&self.at("here"), here), (&self.at("other"), other)])
    }

    /// Everything below a directory: names, contents, times, inodes.
    pub(crate) fn seen(&self, directory: &str) -> String {
        seen(&self.at(directory))
    }
}

/// What stands in every directory before anything is tried.
fn prepare(at: &Path) {
    fs::create_dir_all(at.join("directory")).unwrap();
    fs::create_dir(at.join("empty")).unwrap();
    for file in ["file", "to-write", "moved-out", "directory/inner"] {
        fs::write(at.join(file), "content").unwrap();
    }
    symlink("file", at.join("link")).unwrap();
    symlink("../outside", at.join("out")).unwrap();
    symlink("out/", at.join("slashed")).unwrap();
}

pub(crate) fn seen(at: &Path) -> String {
    let found = fs::symlink_metadata(at).unwrap();
    let content = found.is_file().then(|| fs::read(at).unwrap());
    let mut names: Vec<_> = match found.is_dir() {
        true => fs::read_dir(at).unwrap().map(|entry| entry.unwrap().path()).collect(),
        false => Vec::new(),
    };
    names.sort();
    let below: String = names.iter().map(|at| seen(at)).collect();
    let modified = found.modified().unwrap();
    format!("{} {} {modified:?} {} {content:?}\n{below}", at.display(), found.ino(), found.nlink())
}
