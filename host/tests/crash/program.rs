//! The program as a server that reads lines.

use std::cell::RefCell;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use fsgate::Gate;
use serde_json::{Value, json};

/// A server after its handshake, killed on drop.
pub(crate) struct Program {
    pub(crate) child: Child,
    pub(crate) input: Option<ChildStdin>,
    pub(crate) output: Option<BufReader<ChildStdout>>,
    next: u64,
}

impl Program {
    /// Starts a server and makes a call, so that its component is loaded.
    pub(crate) fn start(command: Command) -> Self {
        let mut program = Self::open(command);
        program.call("exists", &json!({"path": "none"})).unwrap().unwrap();
        program
    }

    /// Starts a server without a call.
    pub(crate) fn open(mut command: Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let output = child.stdout.take().map(BufReader::new);
        let mut program = Self { input: child.stdin.take(), child, output, next: 1 };
        program.send(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "tests", "version": "1"},
        }}));
        program.answer(0).unwrap();
        program.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        program
    }

    /// Returns false if the server has ended.
    fn send(&mut self, message: &Value) -> bool {
        self.input.as_mut().unwrap().write_all(format!("{message}\n").as_bytes()).is_ok()
    }

    /// Returns `None` if the server has ended.
    fn answer(&mut self, id: u64) -> Option<Value> {
        let mut line = String::new();
        loop {
            line.clear();
            self.output.as_mut().unwrap().read_line(&mut line).unwrap();
            // The last line may be cut off.
            let answer: Value = serde_json::from_str(line.strip_suffix('\n')?).unwrap();
            if answer["id"] == id {
                return Some(answer);
            }
        }
    }

    /// Calls a tool, and returns its outcome or error; `None` if the server ends first.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Option<Result<Value, Value>> {
        let id = self.send_call(tool, arguments)?;
        Some(outcome(&mut self.answer(id)?))
    }

    /// Calls a tool without waiting, and returns the id; `None` if the server has ended.
    pub(crate) fn send_call(&mut self, tool: &str, arguments: &Value) -> Option<u64> {
        let id = self.next;
        self.next += 1;
        self.send(&request(id, tool, arguments)).then_some(id)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A host in this process, or in one of another user.
pub(crate) enum Host {
    Here(Box<Gate>),
    There(RefCell<Program>),
}

impl Host {
    /// Calls a tool, as [`Gate::call`] does.
    pub(crate) fn call(&self, tool: &str, arguments: &str) -> Result<String, String> {
        match self {
            Self::Here(gate) => gate.call(tool, arguments),
            Self::There(program) => {
                let arguments = serde_json::from_str(arguments).unwrap();
                let answer = program.borrow_mut().call(tool, &arguments);
                let answer = answer.unwrap_or_else(|| panic!("{tool}: the program has ended"));
                answer.map(|reported| reported.to_string()).map_err(|reported| reported.to_string())
            }
        }
    }
}

pub(crate) fn request(id: u64, tool: &str, arguments: &Value) -> Value {
    let params = json!({"name": tool, "arguments": arguments});
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
}

/// The outcome or the error in an answer.
pub(crate) fn outcome(answer: &mut Value) -> Result<Value, Value> {
    assert!(answer.get("error").is_none(), "{answer}");
    let result = &mut answer["result"];
    let reported = result["structuredContent"].take();
    if result["isError"] == true { Err(reported) } else { Ok(reported) }
}
