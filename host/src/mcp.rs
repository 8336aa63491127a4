//! The tools as a server of the Model Context Protocol.
//!
//! [`Server::serve`] speaks the protocol over any two streams until the client has gone. It needs a tokio runtime for the
//! messages alone: the tools run on threads of their own.
//!
//! - `transport`: lines in, lines out, and how much of both is held at once.
//! - `server`: what is answered to which request.
//! - [`ToolSet`] and `listing`: which tools a client is told about, and in how few words.
//! - `calls`: calls in the order in which they came, several at once where that makes no difference.
//! - `confirm`: asking the person in front of the client, where a call needs somebody to agree.
//! - `slices`: long walks in parts, so that they can tell how far they are and be stopped.
//! - `roots`: what a client's roots leave of what was granted.
//! - `answer`: outcome or error, as text and as data.
//! - `front_ends`: the languages of other systems as tools.
//! - `instructions`: what a model is told about all tools together.

mod answer;
mod calls;
mod chunked_walk;
mod confirm;
mod front_ends;
mod instructions;
mod listing;
mod roots;
mod server;
mod tool_set;
mod transport;

use std::sync::Arc;
use std::time::Duration;

pub use answer::Answers;
use fsgate_contract::FrontEnd;
use rmcp::service::{ServerInitializeError, serve_server};
use rmcp::transport::stdio_pipes;
use tokio::io::{AsyncRead, AsyncWrite};
pub use tool_set::{ToolSet, ToolSetError};

use crate::grant::Access;
use crate::{Gate, Operation};
use calls::Calls;
use roots::{Roots, Tell};
use server::Handler;
use transport::Lines;

/// A gate that is served to a client.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let directory = std::env::temp_dir().join("fsgate-doc-mcp");
/// # std::fs::create_dir_all(&directory)?;
/// use fsgate::Gate;
/// use fsgate::mcp::{Server, ToolSet};
///
/// let gate = Gate::builder().read_only_dir(&directory).build()?;
/// let server = Server::new(gate, &"read,grep".parse::<ToolSet>()?)?;
/// assert_eq!(server.tools().iter().map(|tool| tool.name).collect::<Vec<_>>(), ["read", "grep"]);
///
/// let (client, ours) = tokio::io::duplex(4096);
/// let (reader, writer) = tokio::io::split(ours);
/// # drop(client);
/// let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
/// runtime.block_on(server.serve(reader, writer))?;
/// # Ok(())
/// # }
/// ```
pub struct Server {
    gate: Arc<Gate>,
    tools: Vec<&'static Operation>,
    front_ends: Vec<&'static FrontEnd>,
    answers: Answers,
    output_schemas: bool,
    ignore_roots: bool,
    patience: Duration,
    tell: Tell,
}

/// The session could not be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The client and the server do not understand one another.
    #[error("the session could not begin: {0}")]
    Session(String),
    /// This machine does not give what is needed for it.
    #[error("cannot serve on the standard streams: {0}")]
    Streams(std::io::Error),
}

impl Server {
    /// Serves some of the tools. Those that write are left out where all directories are granted for reading only.
    pub fn new(gate: Gate, tools: &ToolSet) -> Result<Self, ToolSetError> {
        let writable = gate.directories().iter().any(|directory| directory.access == Access::Write);
        let front_ends = tools.front_ends().collect();
        let tools = tools.operations(writable)?;
        Ok(Self {
            gate: Arc::new(gate),
            tools,
            front_ends,
            answers: Answers::default(),
            output_schemas: false,
            ignore_roots: false,
            patience: roots::PATIENCE,
            tell: Arc::new(|_| {}),
        })
    }

    /// Sets what an answer consists of.
    #[must_use]
    pub fn answers(mut self, answers: Answers) -> Self {
        self.answers = answers;
        self
    }

    /// Lists the schemas of outcomes too. They are longer than all the rest, and few clients use them.
    #[must_use]
    pub fn output_schemas(mut self, list: bool) -> Self {
        self.output_schemas = list;
        self
    }

    /// Serves the directories as they are granted, whatever roots a client has.
    #[must_use]
    pub fn ignore_roots(mut self, ignore: bool) -> Self {
        self.ignore_roots = ignore;
        self
    }

    /// Sets who is told what a person should know and the client is not told, a line at a time: what its roots leave.
    #[must_use]
    pub fn tell(mut self, tell: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.tell = Arc::new(tell);
        self
    }

    /// Sets how long calls wait for a client's roots, for tests of what happens meanwhile.
    #[doc(hidden)]
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// The tools that are served.
    pub fn tools(&self) -> &[&'static Operation] {
        &self.tools
    }

    /// Serves one client until it has gone. A change that has begun by then is finished.
    pub async fn serve<R, W>(self, reader: R, writer: W) -> Result<(), ServeError>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        self.serve_until(reader, writer, std::future::pending()).await
    }

    /// Serves one client until it has gone, or until `end`. A change that has begun by then is finished.
    pub async fn serve_until<R, W>(
        self,
        reader: R,
        writer: W,
        end: impl Future<Output = ()>,
    ) -> Result<(), ServeError>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let calls = Calls::new(self.gate.parallel());
        let roots = Roots::new(self.gate.clone(), self.ignore_roots, self.patience, self.tell.clone());
        let lines = Lines::new(reader, writer, calls.clone(), roots.clone());
        let handler = Handler::new(self, calls.clone(), roots);
        let session = async {
            match serve_server(handler, lines).await {
                // Its end is the end of the session, for whatever reason it came.
                Ok(running) => {
                    let _ = running.waiting().await;
                    Ok(())
                }
                Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => Ok(()),
                Err(error) => Err(ServeError::Session(error.to_string())),
            }
        };
        let served = tokio::select! {
            served = session => served,
            () = end => Ok(()),
        };
        // A thread that only waits; if there is none to be had, nothing is waited for.
        let _ = tokio::task::spawn_blocking(move || calls.close()).await;
        served
    }

    /// Serves the client on the standard streams of this process, on this thread, until it has gone or the process is
    /// asked to end.
    pub fn serve_standard_streams(self) -> Result<(), ServeError> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(ServeError::Streams)?;
        let served = runtime.block_on(async {
            let (reader, writer) = stdio_pipes();
            self.serve_until(reader, writer, terminated()).await
        });
        // A thread may still wait for standard input, from which nothing will come.
        runtime.shutdown_background();
        served
    }
}

/// Ends when somebody asks the process to end: a client that has waited in vain, or a terminal for all that was started
/// from it, when its user presses Ctrl-C or closes it.
#[cfg(unix)]
async fn terminated() {
    use tokio::signal::unix::{SignalKind, signal};

    let asked = |kind| async move {
        match signal(kind) {
            Ok(mut asked) => {
                asked.recv().await;
            }
            // Then the process ends as it would without us.
            Err(_) => std::future::pending().await,
        }
    };
    tokio::select! {
        () = asked(SignalKind::terminate()) => {}
        () = asked(SignalKind::interrupt()) => {}
        () = asked(SignalKind::hangup()) => {}
    }
}

#[cfg(not(unix))]
async fn terminated() {
    std::future::pending().await
}
