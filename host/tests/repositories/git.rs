//! Git's view: objects as files, byte for byte, and the changes between commits.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// No conversion of line ends or encodings, whatever the repository configures.
const AS_THEY_ARE: &str = "* -text !eol !diff -ident -filter !working-tree-encoding\n";

/// A repository that is only read.
pub(super) struct Repository {
    name: String,
    /// A bare clone that shares the objects.
    clone: TempDir,
    /// The scratch directory of a made repository.
    _made: Option<TempDir>,
}

impl Repository {
    pub(super) fn new(path: &Path) -> Self {
        Self::of(path, None)
    }

    /// A repository that is removed on drop.
    pub(super) fn made(directory: TempDir) -> Self {
        let path = directory.path().to_owned();
        Self::of(&path, Some(directory))
    }

    fn of(path: &Path, made: Option<TempDir>) -> Self {
        let clone = TempDir::new().unwrap();
        let to = clone.path().join("clone");
        git(&[OsStr::new("clone"), "--bare".as_ref(), "--shared".as_ref(), path.as_ref(), to.as_ref()]);
        fs::create_dir_all(to.join("info")).unwrap();
        fs::write(to.join("info/attributes"), AS_THEY_ARE).unwrap();
        Self { name: path.display().to_string(), clone, _made: made }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    fn directory(&self) -> PathBuf {
        self.clone.path().join("clone")
    }
}

/// A directory with the files of a commit.
pub(super) struct Workshop<'a> {
    repository: &'a Repository,
    scratch: TempDir,
}

impl<'a> Workshop<'a> {
    pub(super) fn new(repository: &'a Repository) -> Self {
        let scratch = TempDir::new().unwrap();
        fs::create_dir(scratch.path().join("files")).unwrap();
        let workshop = Self { repository, scratch };
        workshop.put("HEAD");
        workshop
    }

    pub(super) fn files(&self) -> PathBuf {
        self.scratch.path().join("files")
    }

    /// Checks out a commit.
    pub(super) fn put(&self, commit: &str) {
        self.ask(&["read-tree", "--reset", "-u", commit]);
    }

    /// The newest commits with one parent, and that parent.
    pub(super) fn commits(&self) -> Vec<(String, String)> {
        let listed = self.text(&["rev-list", "--no-merges", "--min-parents=1", "--parents", "HEAD"]);
        let pairs = listed.lines().filter_map(|line| line.split_once(' '));
        pairs.map(|(commit, parent)| (parent.to_owned(), commit.to_owned())).collect()
    }

    /// Modes and paths of the changes between two commits, in git's raw form.
    pub(super) fn raw(&self, from: &str, to: &str) -> Vec<String> {
        let reported = self.text(&["diff-tree", "-r", "-M", "--raw", "--abbrev=40", from, to]);
        reported.lines().map(str::to_owned).collect()
    }

    /// Git's diff between two commits.
    pub(super) fn diff(&self, from: &str, to: &str) -> Vec<u8> {
        self.ask(&["diff", "--no-color", "--no-ext-diff", "--no-textconv", "-M", from, to])
    }

    /// The differences from a commit, except modes, which components do not set.
    pub(super) fn differences(&self, commit: &str) -> Vec<String> {
        self.ask(&["add", "--all", "--force", "."]);
        let reported = self.text(&["diff-index", "--cached", "--raw", "--no-renames", "--abbrev=40", commit]);
        let differs = |line: &&str| {
            let fields: Vec<_> = line.split(' ').collect();
            fields.get(2) != fields.get(3)
        };
        reported.lines().filter(differs).map(str::to_owned).collect()
    }

    fn text(&self, words: &[&str]) -> String {
        String::from_utf8_lossy(&self.ask(words)).into_owned()
    }

    fn ask(&self, words: &[&str]) -> Vec<u8> {
        let (directory, files) = (self.repository.directory(), self.files());
        let mut all: Vec<&OsStr> = vec![OsStr::new("--git-dir"), directory.as_ref()];
        all.extend([OsStr::new("--work-tree"), files.as_ref()]);
        all.extend(words.iter().map(OsStr::new));
        let index = self.scratch.path().join("index");
        run(command(&all).current_dir(&files).env("GIT_INDEX_FILE", index))
    }
}

/// Runs git, and returns its output.
pub(super) fn git(words: &[&OsStr]) -> Vec<u8> {
    run(&mut command(words))
}

fn command(words: &[&OsStr]) -> Command {
    let mut command = Command::new("git");
    command
        .args(["-c", "core.fileMode=false", "-c", "core.autocrlf=false", "-c", "core.safecrlf=false"])
        .args(["-c", "safe.directory=*", "-c", "user.name=t", "-c", "user.email=t@localhost"])
        .args(words)
        // Without settings of the user.
        .envs([("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_NOSYSTEM", "1"), ("HOME", "/nonexistent")]);
    command
}

fn run(command: &mut Command) -> Vec<u8> {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}
