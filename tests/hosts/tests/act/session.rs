//! A session of the MCP server `act run --mcp`.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use anyhow::{Context, Result, bail, ensure};
use fsgate_corpus::verdict::Answer;
use serde_json::{Value, json};

use super::component::act;
use crate::program::PATIENCE;

/// The program, and the lines of its output.
pub(crate) struct Session {
    child: Child,
    lines: Receiver<String>,
    asked: u64,
}

impl Session {
    /// Starts the program with a component. `home` is the directory of its own files.
    pub(crate) fn start(component: &Path, grants: &[String], home: &Path) -> Result<Self> {
        let mut program = act(home);
        program.args(["run", "--mcp", "--no-audit"]).args(grants).arg(component);
        program.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = program.spawn().context("starting `act`")?;
        let out = BufReader::new(child.stdout.take().context("it has an output")?);
        let (send, lines) = channel();
        thread::spawn(move || {
            for line in out.lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    break;
                }
            }
        });
        let mut session = Self { child, lines, asked: 0 };
        let client = json!({ "name": "tests", "version": "0" });
        session.request(
            "initialize",
            &json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client }),
        )?;
        session.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        Ok(session)
    }

    /// Makes a request, and returns its result.
    pub(crate) fn request(&mut self, method: &str, params: &Value) -> Result<Value> {
        self.asked += 1;
        let id = self.asked;
        self.say(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        loop {
            let line = self.lines.recv_timeout(PATIENCE).with_context(|| format!("no answer to {method}"))?;
            let mut said: Value = serde_json::from_str(&line).with_context(|| line.clone())?;
            if said["id"] != id {
                continue;
            }
            ensure!(said["error"].is_null(), "{method}: {}", said["error"]);
            return Ok(said["result"].take());
        }
    }

    /// Calls a tool.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Result<Answer> {
        let result = self.request("tools/call", &json!({ "name": tool, "arguments": arguments }))?;
        let [part] = result["content"].as_array().map_or(&[][..], |parts| parts) else {
            bail!("not one part: {result}")
        };
        let text = part["text"].as_str().with_context(|| format!("no text: {part}"))?.to_owned();
        Ok(if result["isError"] == true { Err(text) } else { Ok(text) })
    }

    fn say(&mut self, message: &Value) -> Result<()> {
        let input = self.child.stdin.as_mut().context("it has an input")?;
        writeln!(input, "{message}")?;
        Ok(input.flush()?)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // The program may have ended before.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
