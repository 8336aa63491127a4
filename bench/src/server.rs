//! A client of MCP servers: JSON, one message a line, over a child's standard streams.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

/// A server that has told its tools.
pub(crate) struct Server {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    last: u64,
    hello: String,
    listed: String,
}

impl Server {
    /// Starts a server and asks for its tools.
    pub(crate) fn start(command: &mut Command) -> Result<Self> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("{command:?}"))?;
        let (input, output) = (child.stdin.take(), child.stdout.take().context("no output")?);
        let output = BufReader::new(output);
        let mut server = Self { child, input, output, last: 0, hello: String::new(), listed: String::new() };
        let client = json!({"name": "fsgate-bench", "version": "0"});
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
        server.hello = server.request("initialize", &hello)?;
        server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        server.listed = server.request("tools/list", &json!({}))?;
        ensure!(server.listed.contains("inputSchema"), "{}", server.listed);
        Ok(server)
    }

    /// The answer to the handshake.
    pub(crate) fn hello(&self) -> &str {
        &self.hello
    }

    /// The answer with the list of tools.
    pub(crate) fn listed(&self) -> &str {
        &self.listed
    }

    /// Calls a tool. The answer as it came: nobody's time is spent on reading it.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Result<String> {
        let answer = self.ask(tool, arguments)?;
        ensure!(!answer.contains("\"isError\":true"), "{tool} {arguments}: {answer}");
        Ok(answer)
    }

    /// Calls a tool, whose answer may be an error.
    pub(crate) fn ask(&mut self, tool: &str, arguments: &Value) -> Result<String> {
        self.request("tools/call", &json!({"name": tool, "arguments": arguments}))
    }

    fn request(&mut self, method: &str, params: &Value) -> Result<String> {
        self.last += 1;
        let id = self.last;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        loop {
            let mut line = String::new();
            ensure!(self.output.read_line(&mut line)? > 0, "the server has ended");
            // A notification is not the answer.
            if line.contains(&format!("\"id\":{id}")) {
                ensure!(line.contains("\"result\""), "{line}");
                return Ok(line);
            }
        }
    }

    fn send(&mut self, message: &Value) -> Result<()> {
        let input = self.input.as_mut().context("the server has ended")?;
        input.write_all(format!("{message}\n").as_bytes())?;
        Ok(input.flush()?)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The end of its input is the end of a server; some wait for more.
        self.input = None;
        self.child.kill().and_then(|()| self.child.wait()).ok();
    }
}
