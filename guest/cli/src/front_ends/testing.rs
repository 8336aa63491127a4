//! A command line over a memory volume.

use std::cell::RefCell;

use clap::Command;
use fsgate_contract::agent_types::{CallArgs, Tool};
use fsgate_engine::agent;
use fsgate_engine::session::Session;
use fsgate_volume::Access;
use fsgate_volume::grant::Grant;
use fsgate_volume::memory::Memory;
use serde_json::Value;

use crate::environment::{Shell, Streams, ToolCaller, Unwritten};
use crate::exit::Exit;

/// A session over `/tmp`, its calls, and streams.
pub(super) struct TestEnvironment {
    session: Session<Memory>,
    pub(super) called: RefCell<Vec<String>>,
    input: Vec<u8>,
    pub(super) shown: RefCell<Vec<u8>>,
    pub(super) told: RefCell<Vec<String>>,
}

impl ToolCaller for TestEnvironment {
    fn call(&self, tool: &str, arguments: &str) -> Result<String, String> {
        self.called.borrow_mut().push(tool.to_owned());
        let args = CallArgs { tool: tool.to_owned(), arguments: arguments.to_owned() };
        agent::call(&self.session, &args).map(|outcome| outcome.outcome).map_err(|refused| refused.error)
    }

    fn tools(&self) -> Result<Vec<Tool>, String> {
        Ok(fsgate_contract::catalogue())
    }
}

impl Streams for TestEnvironment {
    fn input(&self, most: usize) -> Result<Vec<u8>, String> {
        Ok(self.input[..most.min(self.input.len())].to_vec())
    }

    fn file(&self, path: &str, _: usize) -> Result<Vec<u8>, String> {
        Err(format!("there is no file `{path}`"))
    }

    fn answer(&self, bytes: &[u8]) -> Result<(), Unwritten> {
        self.shown.borrow_mut().extend_from_slice(bytes);
        Ok(())
    }

    fn complain(&self, line: &str) {
        self.told.borrow_mut().push(line.to_owned());
    }
}

pub(super) fn ran(volume: &Memory, command: &str, words: &[&str], input: &[u8]) -> (Exit, TestEnvironment) {
    let grant = |name: &str, volume: Memory| Grant { name: name.to_owned(), volume, access: Access::Write };
    let grants = vec![grant("/tmp", volume.clone()), grant("/.fsgate", Memory::default())];
    let outside = TestEnvironment {
        session: Session::open_or_refuse(grants, [("FSGATE_LOCK", "host")]),
        called: RefCell::default(),
        input: input.to_vec(),
        shown: RefCell::default(),
        told: RefCell::default(),
    };
    let root = Command::new("fsgate").subcommands(crate::subcommands("a file", ""));
    let matches = root.try_get_matches_from(["fsgate", command].iter().chain(words)).unwrap();
    let (name, args) = matches.subcommand().unwrap();
    let exit = crate::run(name, args, Shell { caller: &outside, streams: &outside }).unwrap();
    (exit, outside)
}

/// The `success` of each result.
pub(super) fn succeeded(output: &Value) -> Vec<bool> {
    output["results"].as_array().unwrap().iter().map(|result| result["success"] == true).collect()
}
