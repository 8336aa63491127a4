//! A day at a shell: commands as a person types them in a project, with few flags.

mod examples;
mod history;
mod operator;
mod paths;
mod search;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use fsgate_tests::program::{Ended, program};
use tempfile::TempDir;

/// A home, and a project beside it.
struct Scratch(TempDir);

impl Scratch {
    fn new() -> Self {
        let scratch = Self(TempDir::new().unwrap());
        fs::create_dir_all(scratch.at("home")).unwrap();
        fs::create_dir_all(scratch.at("project/sub/deep")).unwrap();
        fs::write(scratch.at("project/a.txt"), "one\ntwo\nthree\n").unwrap();
        fs::write(scratch.at("project/sub/b.txt"), "four\n").unwrap();
        scratch
    }

    fn root(&self) -> PathBuf {
        self.0.path().canonicalize().unwrap()
    }

    fn at(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.at(path)).unwrap()
    }

    fn command(&self, directory: &str) -> Command {
        let mut command = program(env!("CARGO_BIN_EXE_fsgate"), &self.root());
        let directory = self.at(directory);
        command.current_dir(&directory).env("PWD", directory);
        command
    }

    /// Runs the program in a directory.
    fn run(&self, directory: &str, words: &[&str]) -> Ended {
        Ended::from(self.command(directory).args(words).output().unwrap())
    }

    /// Runs it, and expects success.
    fn done(&self, directory: &str, words: &[&str]) -> Ended {
        let ended = self.run(directory, words);
        assert_eq!(ended.code, 0, "{words:?}: {ended:?}");
        ended
    }
}

fn display(path: &Path) -> String {
    path.display().to_string()
}
