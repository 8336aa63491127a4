//! The gate that a command line asks for.

use std::cell::Cell;
use std::path::Path;
use std::{env, fs};

use clap::ArgMatches;
use fsgate::policy::Documents;
use fsgate::{Access, Gate, GateBuilder, StartError, Tool};
use fsgate_command_line::quote::shell_word;
use fsgate_command_line::{Caller, Exit};

use crate::cli::{Granted, component, durability, granted, history, state_root};
use crate::streams::complain;

/// What the command line asks for: its directories, in their order, its component, and where and how state is kept.
pub(crate) fn asked_for(args: &ArgMatches) -> Result<GateBuilder, Exit> {
    let mut builder = Gate::builder().durability(durability(args)).history(history(args));
    if let Some(policy) = policy()? {
        builder = builder.policy(policy);
    }
    if let Some(path) = state_root(args) {
        builder = builder.state_root(path);
    }
    if let Some(path) = component(args) {
        builder = builder.component(fs::read(path).map_err(|error| {
            complain(&format!("cannot read the component `{}`: {error}", path.display()));
            Exit::Usage
        })?);
    }
    for Granted { path, name, access } in granted(args) {
        builder = match (name, access) {
            (Some(name), access) => builder.dir_as(path, name, access),
            (None, Access::Write) => builder.dir(path),
            (None, Access::Read) => builder.read_only_dir(path),
        };
    }
    Ok(builder)
}

/// The policy that the environment asks for.
fn policy() -> Result<Option<Documents>, Exit> {
    let Some(text) = env::var_os("FSGATE_POLICY") else { return Ok(None) };
    Documents::parse(&text.to_string_lossy()).map(Some).map_err(|invalid| {
        complain(&StartError::from(invalid).to_string());
        Exit::Usage
    })
}

/// Opens a gate, or says why it is not opened.
pub(crate) fn open(builder: GateBuilder) -> Result<Gate, Exit> {
    builder.build().map_err(|refused| {
        complain(&refused.to_string());
        Exit::Usage
    })
}

/// A gate over the directories of the command line.
pub(crate) struct Opened {
    gate: Gate,
    /// No directory was given: it is the current one, for reading only.
    by_default: bool,
    /// Somebody wanted to write where only reading is granted.
    read_only: Cell<bool>,
}

impl Opened {
    /// Opens the gate, or says why it is not opened.
    pub(crate) fn open(subcommand: &str, args: &ArgMatches) -> Result<Self, Exit> {
        let mut builder = asked_for(args)?;
        let by_default = granted(args).is_empty();
        if subcommand == "tools" {
            builder = builder.nothing();
        } else if by_default {
            complain("no --dir given: the current directory is granted for reading only");
            builder = builder.read_only_dir(".");
        }
        let gate = open(builder)?;
        Ok(Self { gate, by_default, read_only: Cell::new(false) })
    }

    /// Tells which command would have been allowed to write.
    pub(crate) fn hint(&self) {
        if !self.by_default || !self.read_only.get() {
            return;
        }
        let mut words = env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
        let subcommand = words.next().unwrap_or_default();
        let directory = env::current_dir().unwrap_or_else(|_| Path::new(".").to_owned());
        let rest: String = words.map(|word| format!(" {}", shell_word(&word))).collect();
        let directory = shell_word(&directory.to_string_lossy());
        complain(&format!("to allow writing, run: fsgate {subcommand} --dir {directory}{rest}"));
    }
}

impl Caller for Opened {
    fn call(&self, tool: &str, arguments: &str) -> Result<String, String> {
        let answer = self.gate.call(tool, arguments);
        if let Err(error) = &answer {
            let error: serde_json::Value = serde_json::from_str(error).unwrap_or_default();
            self.read_only.set(error["code"] == "read_only");
        }
        answer
    }

    fn tools(&self) -> Result<Vec<Tool>, String> {
        self.gate.tools().map_err(|error| error.message)
    }
}
