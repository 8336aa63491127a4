//! A minimal client: it sends and receives lines.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use fsgate::mcp::Server;
use serde_json::{Value, json};
use tempfile::TempDir;

/// The supported protocol versions, the newest first.
pub(crate) const REVISIONS: [&str; 3] = ["2026-07-28", "2025-11-25", "2025-06-18"];

/// The newest one with a handshake.
pub(crate) const HANDSHAKE: &str = REVISIONS[1];

/// Longer than any answer takes on a slow machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running server with its streams, ended on drop.
pub(crate) struct Client {
    /// None for a server in this process.
    child: Option<Child>,
    input: Option<Box<dyn Write + Send>>,
    lines: Receiver<String>,
    next: i64,
    /// Messages that arrived while another one was expected.
    other: Vec<Value>,
}

/// A grant `w`, and a home.
pub(crate) struct Scratch(TempDir);

impl Scratch {
    pub(crate) fn new() -> Self {
        let scratch = Self(TempDir::new().unwrap());
        for directory in ["w", "home"] {
            std::fs::create_dir(scratch.0.path().join(directory)).unwrap();
        }
        scratch
    }

    pub(crate) fn granted(&self) -> std::path::PathBuf {
        self.0.path().join("w")
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// The program without variables of the tests.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fsgate"));
        command
            .current_dir(self.path())
            .env("HOME", self.path().join("home"))
            .env("PWD", self.path())
            // The program would refuse variables of the tests.
            .env_remove("FSGATE_SOAK")
            .env_remove("FSGATE_UPDATE");
        for variable in ["XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"] {
            command.env_remove(variable);
        }
        command
    }

    /// A server over `w` with these arguments, before the first message.
    pub(crate) fn start(&self, words: &[&str]) -> Client {
        let mut command = self.command();
        command.args(["mcp", "--dir", "w::/w"]).args(words);
        if !words.contains(&"--tools") {
            command.args(["--tools", "all"]);
        }
        Client::start(command)
    }

    /// A server over `w` after the handshake.
    pub(crate) fn serve(&self, words: &[&str]) -> Client {
        let mut client = self.start(words);
        client.initialize(HANDSHAKE);
        client
    }
}

impl Client {
    pub(crate) fn start(mut command: Command) -> Self {
        command.stderr(Stdio::inherit());
        Self::spawn(command)
    }

    /// A server, and its standard error.
    pub(crate) fn listen(mut command: Command) -> (Self, ChildStderr) {
        command.stderr(Stdio::piped());
        let mut client = Self::spawn(command);
        let errors = client.child().stderr.take().unwrap();
        (client, errors)
    }

    fn spawn(mut command: Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Self::over(Some(child), input, output)
    }

    /// The client of a server in this process.
    pub(crate) fn embedded(server: Server) -> Self {
        let (ours, theirs) = UnixStream::pair().unwrap();
        theirs.set_nonblocking(true).unwrap();
        thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let (reader, writer) = tokio::net::UnixStream::from_std(theirs).unwrap().into_split();
                server.serve(reader, writer).await
            })
        });
        Self::over(None, ours.try_clone().unwrap(), ours)
    }

    fn over(
        child: Option<Child>,
        input: impl Write + Send + 'static,
        output: impl Read + Send + 'static,
    ) -> Self {
        let (send, lines) = channel();
        thread::spawn(move || {
            for line in BufReader::new(output).lines() {
                // A line that is not UTF-8 ends the messages.
                let Ok(line) = line else { return };
                if send.send(line).is_err() {
                    return;
                }
            }
        });
        Self { child, input: Some(Box::new(input)), lines, next: 0, other: Vec::new() }
    }

    fn child(&mut self) -> &mut Child {
        self.child.as_mut().expect("the server is in this process")
    }

    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("the input is closed");
        input.write_all(bytes).and_then(|()| input.flush()).unwrap();
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.raw(format!("{message}\n").as_bytes());
    }

    pub(crate) fn notify(&mut self, method: &str, params: &Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Sends a request, and returns its id.
    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> i64 {
        self.next += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params}));
        self.next
    }

    /// Sends a tool call, and returns its id.
    pub(crate) fn begin(&mut self, tool: &str, arguments: &Value) -> i64 {
        self.ask("tools/call", &json!({"name": tool, "arguments": arguments}))
    }

    /// The next message, or `None` at the end.
    pub(crate) fn message(&self) -> Option<Value> {
        match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => Some(serde_json::from_str(&line).unwrap_or_else(|_| panic!("no message: {line}"))),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("no answer in {PATIENCE:?}"),
        }
    }

    /// Checks that no message arrives for a while.
    pub(crate) fn is_silent(&self) {
        assert_eq!(self.lines.recv_timeout(Duration::from_millis(300)), Err(RecvTimeoutError::Timeout));
    }

    /// Waits for the answer to a request, and stores other messages.
    pub(crate) fn answer(&mut self, id: i64) -> Value {
        if let Some(at) =
            self.other.iter().position(|message| message["id"] == id && message.get("method").is_none())
        {
            return self.other.remove(at);
        }
        loop {
            let message = self.message().expect("the server has ended");
            // The server's own requests have ids too, which can be equal.
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
            self.other.push(message);
        }
    }

    /// The stored messages that answered nothing.
    pub(crate) fn others(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.other)
    }

    pub(crate) fn request(&mut self, method: &str, params: &Value) -> Value {
        let id = self.ask(method, params);
        self.answer(id)
    }

    /// Calls a tool, and returns the result.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let id = self.begin(tool, arguments);
        let mut answer = self.answer(id);
        assert!(answer.get("error").is_none(), "{tool} {arguments}: {answer}");
        answer["result"].take()
    }

    /// Makes the handshake, and returns the server's answer.
    pub(crate) fn initialize(&mut self, revision: &str) -> Value {
        let mut answer = self.request("initialize", &handshake(revision));
        self.notify("notifications/initialized", &json!({}));
        answer["result"].take()
    }

    /// Closes the input, and waits for the end.
    pub(crate) fn close(mut self) -> (ExitStatus, Vec<Value>) {
        drop(self.input.take());
        let mut rest = self.others();
        rest.extend(std::iter::from_fn(|| self.message()));
        (self.ended(), rest)
    }

    /// Closes both streams, and waits for the end.
    pub(crate) fn vanish(mut self) -> ExitStatus {
        drop(self.input.take());
        // The reading thread ends with its channel, at the next line.
        self.lines = channel().1;
        self.ended()
    }

    /// Sends a signal, as an impatient client or a terminal does.
    pub(crate) fn signal(mut self, name: &str) -> ExitStatus {
        let id = self.child().id().to_string();
        assert!(Command::new("kill").args(["-s", name, &id]).status().unwrap().success());
        self.ended()
    }

    /// Waits for the end.
    pub(crate) fn ended(&mut self) -> ExitStatus {
        let begin = Instant::now();
        loop {
            if let Some(status) = self.child().try_wait().unwrap() {
                return status;
            }
            assert!(begin.elapsed() < PATIENCE, "the server does not end");
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// The peak memory of the server in KiB.
    #[cfg(target_os = "linux")]
    pub(crate) fn memory(&mut self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child().id())).unwrap();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        peak.trim().trim_end_matches(" kB").parse().unwrap()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            // It may have ended by itself.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

pub(crate) fn handshake(revision: &str) -> Value {
    json!({
        "protocolVersion": revision,
        "capabilities": {},
        "clientInfo": {"name": "tests", "version": "1"}
    })
}

/// The fields of every request in versions without a handshake.
pub(crate) fn meta(revision: &str) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": revision,
        "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {}
    })
}

/// The text of a result.
pub(crate) fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{result}"))
}
