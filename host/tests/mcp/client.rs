//! A client as small as can be: it sends lines and gets lines.

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

/// The revisions of the protocol that are promised, the newest first.
pub(crate) const REVISIONS: [&str; 3] = ["2026-07-28", "2025-11-25", "2025-06-18"];

/// The newest one that begins with a handshake.
pub(crate) const HANDSHAKE: &str = REVISIONS[1];

/// Longer than any answer takes on a slow machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running server and its streams. It is ended when it is dropped.
pub(crate) struct Client {
    /// None of a server in this process.
    child: Option<Child>,
    input: Option<Box<dyn Write + Send>>,
    lines: Receiver<String>,
    next: i64,
    /// Messages that came while another one was waited for.
    other: Vec<Value>,
}

/// A scratch directory with `w` to be granted, and a home of its own.
pub(crate) struct Scratch(TempDir);

impl Scratch {
    pub(crate) fn new() -> Self {
        let scratch = Self(TempDir::new().unwrap());
        for directory in ["w", "home"] {
            std::fs::create_dir(scratch.0.path().join(directory)).unwrap();
        }
        scratch
    }

    /// The granted directory.
    pub(crate) fn granted(&self) -> std::path::PathBuf {
        self.0.path().join("w")
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// The program, with what it must not find taken away.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fsgate"));
        command
            .current_dir(self.path())
            .env("HOME", self.path().join("home"))
            .env("PWD", self.path())
            // What is said to the tests is not said to the program, which would refuse it.
            .env_remove("FSGATE_SOAK")
            .env_remove("FSGATE_UPDATE");
        for variable in ["XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"] {
            command.env_remove(variable);
        }
        command
    }

    /// A server over `w`, with these words besides, before anything was said.
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

    /// A server, and what it writes on standard error.
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
                // What is no UTF-8 is no message, and shows as the end.
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

    /// Sends a request; its id.
    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> i64 {
        self.next += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params}));
        self.next
    }

    /// Sends a call of a tool; its id.
    pub(crate) fn begin(&mut self, tool: &str, arguments: &Value) -> i64 {
        self.ask("tools/call", &json!({"name": tool, "arguments": arguments}))
    }

    /// The next message; none at the end.
    pub(crate) fn message(&self) -> Option<Value> {
        match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => Some(serde_json::from_str(&line).unwrap_or_else(|_| panic!("no message: {line}"))),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("no answer in {PATIENCE:?}"),
        }
    }

    /// Nothing comes for a while.
    pub(crate) fn is_silent(&self) {
        assert_eq!(self.lines.recv_timeout(Duration::from_millis(300)), Err(RecvTimeoutError::Timeout));
    }

    /// The answer to a request, and before it whatever else comes.
    pub(crate) fn answer(&mut self, id: i64) -> Value {
        if let Some(at) =
            self.other.iter().position(|message| message["id"] == id && message.get("method").is_none())
        {
            return self.other.remove(at);
        }
        loop {
            let message = self.message().expect("the server has ended");
            // The server counts its own requests, which can have the same number.
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
            self.other.push(message);
        }
    }

    /// Messages that were no answer to what was asked.
    pub(crate) fn others(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.other)
    }

    pub(crate) fn request(&mut self, method: &str, params: &Value) -> Value {
        let id = self.ask(method, params);
        self.answer(id)
    }

    /// Calls a tool; the result of the call.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let id = self.begin(tool, arguments);
        let mut answer = self.answer(id);
        assert!(answer.get("error").is_none(), "{tool} {arguments}: {answer}");
        answer["result"].take()
    }

    /// The handshake; what the server answered.
    pub(crate) fn initialize(&mut self, revision: &str) -> Value {
        let mut answer = self.request("initialize", &handshake(revision));
        self.notify("notifications/initialized", &json!({}));
        answer["result"].take()
    }

    /// Closes the input and waits for the end.
    pub(crate) fn close(mut self) -> (ExitStatus, Vec<Value>) {
        drop(self.input.take());
        let mut rest = self.others();
        rest.extend(std::iter::from_fn(|| self.message()));
        (self.ended(), rest)
    }

    /// Nobody reads or writes any more.
    pub(crate) fn vanish(mut self) -> ExitStatus {
        drop(self.input.take());
        // The thread that reads ends with its channel, at the next line.
        self.lines = channel().1;
        self.ended()
    }

    /// Asks the process to end, as a client does that has lost its patience, or a terminal.
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

    /// The most memory that the server has had so far, in KiB.
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

/// What every request says in revisions without a handshake.
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
