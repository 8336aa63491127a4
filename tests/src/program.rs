//! The program, started as somebody's who has set nothing up.

use std::env;
use std::path::Path;
use std::process::{Command, Output};

/// The program, in a directory with a home of its own, `home`: none of this process's settings reach it.
pub fn program(program: &str, directory: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(directory).env("HOME", directory.join("home")).env("PWD", directory);
    let ours = |name: &str| name.starts_with("FSGATE_") || name.starts_with("XDG_");
    for (name, _) in env::vars_os().filter(|(name, _)| name.to_str().is_some_and(ours)) {
        command.env_remove(name);
    }
    command
}

/// The end of a process: its exit code and its output.
#[derive(Debug)]
pub struct Ended {
    /// The exit code.
    pub code: i32,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl From<Output> for Ended {
    /// Panics if a signal has ended it, or if its output is not UTF-8.
    fn from(output: Output) -> Self {
        let text = |bytes: &[u8]| std::str::from_utf8(bytes).unwrap().to_owned();
        Self { code: output.status.code().unwrap(), out: text(&output.stdout), err: text(&output.stderr) }
    }
}
