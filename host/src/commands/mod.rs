//! One file for each subcommand; every tool of the contract shares `tool`.

pub(crate) mod call;
pub(crate) mod component;
pub(crate) mod tool;
pub(crate) mod tools;

use std::env;
use std::path::Path;

use clap::ArgMatches;
use fsgate::{Gate, GateBuilder};

use crate::cli::{Granted, granted};
use crate::output::{self, Exit, answer, complain};

/// A gate over the directories of the command line.
struct Opened {
    gate: Gate,
    /// None was given: it is the current directory, for reading only.
    by_default: bool,
}

/// Opens the gate, or says why it is not opened.
fn open(args: &ArgMatches) -> Result<Opened, Exit> {
    let granted = granted(args);
    let by_default = granted.is_empty();
    let mut builder = Gate::builder();
    if by_default {
        complain("no --dir given: the current directory is granted for reading only");
        builder = builder.read_only_dir(".");
    }
    for granted in granted {
        builder = match granted {
            Granted::Write(path) => builder.dir(path),
            Granted::Read(path) => builder.read_only_dir(path),
        };
    }
    Ok(Opened { gate: build(builder)?, by_default })
}

fn build(builder: GateBuilder) -> Result<Gate, Exit> {
    builder.build().map_err(|refused| {
        complain(&refused.to_string());
        Exit::Usage
    })
}

impl Opened {
    /// Tells of an error of the tool, and how the program ends.
    fn refused(&self, error: &str, json: bool) -> Exit {
        let printed = if json { answer(format!("{error}\n").as_bytes()) } else { Exit::Done };
        if !json {
            output::error(error);
        }
        self.hint(error);
        if printed == Exit::Done { Exit::of_error(error) } else { printed }
    }

    /// Tells which command would have been allowed to write.
    fn hint(&self, error: &str) {
        let is_read_only = || {
            let error: serde_json::Value = serde_json::from_str(error).unwrap_or_default();
            error["code"] == "read_only"
        };
        if self.by_default && is_read_only() {
            let mut words = env::args().skip(1);
            let subcommand = words.next().unwrap_or_default();
            let directory = env::current_dir().unwrap_or_else(|_| Path::new(".").to_owned());
            let rest: String = words.map(|word| format!(" {}", shell_word(&word))).collect();
            let directory = shell_word(&directory.to_string_lossy());
            complain(&format!("to allow writing, run: fsgate {subcommand} --dir {directory}{rest}"));
        }
    }
}

/// The word as it is typed at a shell.
fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_survive_a_shell() {
        for (word, typed) in [("a/b.txt", "a/b.txt"), ("", "''"), ("a b", "'a b'"), ("it's", r"'it'\''s'")] {
            assert_eq!(shell_word(word), typed);
        }
    }
}
