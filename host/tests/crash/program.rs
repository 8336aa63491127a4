//! The program as a server, spoken to in lines.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// A server after its handshake, with its component loaded. It is killed when it is dropped.
pub(crate) struct Program {
    pub(crate) child: Child,
    pub(crate) input: Option<ChildStdin>,
    pub(crate) output: Option<BufReader<ChildStdout>>,
    next: u64,
}

impl Program {
    pub(crate) fn start(mut command: Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let output = child.stdout.take().map(BufReader::new);
        let mut program = Self { input: child.stdin.take(), child, output, next: 1 };
        program.send(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "tests", "version": "1"},
        }}));
        program.answer(0).unwrap();
        program.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        program.call("exists", &json!({"path": "none"})).unwrap().unwrap();
        program
    }

    /// False if the server has ended.
    fn send(&mut self, message: &Value) -> bool {
        self.input.as_mut().unwrap().write_all(format!("{message}\n").as_bytes()).is_ok()
    }

    /// None if the server has ended.
    fn answer(&mut self, id: u64) -> Option<Value> {
        let mut line = String::new();
        loop {
            line.clear();
            self.output.as_mut().unwrap().read_line(&mut line).unwrap();
            // The last one may be cut off.
            let answer: Value = serde_json::from_str(line.strip_suffix('\n')?).unwrap();
            if answer["id"] == id {
                return Some(answer);
            }
        }
    }

    /// Calls a tool and waits for its outcome or its error; none if the server ends before it has answered.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Option<Result<Value, Value>> {
        let id = self.next;
        self.next += 1;
        if !self.send(&request(id, tool, arguments)) {
            return None;
        }
        Some(outcome(&mut self.answer(id)?))
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) fn request(id: u64, tool: &str, arguments: &Value) -> Value {
    let params = json!({"name": tool, "arguments": arguments});
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
}

/// What an answer says.
pub(crate) fn outcome(answer: &mut Value) -> Result<Value, Value> {
    assert!(answer.get("error").is_none(), "{answer}");
    let result = &mut answer["result"];
    let told = result["structuredContent"].take();
    if result["isError"] == true { Err(told) } else { Ok(told) }
}
