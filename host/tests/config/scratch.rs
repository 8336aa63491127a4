//! A separate machine for each test.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use fsgate_tests::program::{Ended, program};
use serde_json::Value;
use tempfile::TempDir;

/// A grant `w`, `other` beside it, and a home with a place for the user's file.
pub(crate) struct Scratch {
    _held: TempDir,
    pub(crate) at: PathBuf,
}

impl Scratch {
    pub(crate) fn new() -> Self {
        let held = TempDir::new().unwrap();
        let at = held.path().canonicalize().unwrap();
        for directory in ["w/sub", "other", "home/.config/fsgate"] {
            fs::create_dir_all(at.join(directory)).unwrap();
        }
        fs::write(at.join("w/a.txt"), "one\n").unwrap();
        Self { _held: held, at }
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> &Self {
        fs::write(self.at.join(name), text).unwrap();
        self
    }

    pub(crate) fn user(&self, text: &str) -> &Self {
        self.write("home/.config/fsgate/config.toml", text)
    }

    pub(crate) fn project(&self, text: &str) -> &Self {
        self.write("w/fsgate.toml", text)
    }

    pub(crate) fn command(&self) -> Command {
        program(env!("CARGO_BIN_EXE_fsgate"), &self.at)
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ended {
        Ended::from(self.command().args(args).output().unwrap())
    }

    /// The effective value of a key, and its origin.
    pub(crate) fn held(&self, key: &str, args: &[&str]) -> (Value, String) {
        let ended = self.run(&[&["config", "show", "--json", "--origin"], args].concat());
        assert_eq!(ended.code, 0, "{ended:?}");
        let all: Value = serde_json::from_str(&ended.out).unwrap();
        let held = all.as_array().unwrap().iter().find(|held| held["key"] == key).unwrap().clone();
        (held["value"].clone(), self.short(held["origin"].as_str().unwrap()))
    }

    /// Replaces the scratch directory by `W` in a text.
    pub(crate) fn short(&self, text: &str) -> String {
        text.replace(self.at.to_str().unwrap(), "W")
    }

    pub(crate) fn refused(&self, args: &[&str]) -> String {
        let ended = self.run(args);
        assert_eq!((ended.code, ended.out.as_str()), (2, ""), "{args:?}: {ended:?}");
        self.short(&ended.err)
    }
}
