//! The tools as a server of the Model Context Protocol.
//!
//! [`Server::serve`] speaks the protocol over two streams until the client disconnects. It needs a
//! tokio runtime for messages only: the tools have their own threads.

mod answer;
mod answer_size;
mod calls;
mod chunked_walk;
mod confirm;
mod front_ends;
mod instructions;
mod listing;
mod roots;
mod server;
mod skill;
#[cfg(test)]
mod testing;
mod tool_set;
mod transport;

use std::sync::Arc;
use std::time::Duration;

pub use answer::Answers;
use answer_size::AnswerSize;
use fsgate_contract::FrontEnd;
use rmcp::service::{ServerInitializeError, serve_server};
use rmcp::transport::stdio_pipes;
pub use skill::{SKILL, SKILL_NAME};
use tokio::io::{AsyncRead, AsyncWrite};
pub use tool_set::{ToolSet, ToolSetError};

use crate::audit::Tell;
use crate::grant::Access;
use crate::{Gate, Operation};
use calls::Calls;
use roots::Roots;
use server::Handler;
use transport::Lines;

/// A gate to serve to a client.
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
    answer_size: AnswerSize,
    output_schemas: bool,
    ignore_roots: bool,
    patience: Duration,
    tell: Tell,
}

/// A failed session.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// Client and server have no common protocol.
    #[error("the session could not begin: {0}")]
    Session(String),
    /// The machine refused the needed streams.
    #[error("cannot serve on the standard streams: {0}")]
    Streams(std::io::Error),
}

impl Server {
    /// Serves some of the tools. If all grants are read-only, those that write are left out.
    pub fn new(gate: Gate, tools: &ToolSet) -> Result<Self, ToolSetError> {
        let writable = gate.directories().iter().any(|directory| directory.access == Access::Write);
        let front_ends = tools.front_ends().collect();
        let tools = tools.operations(writable)?;
        Ok(Self {
            gate: Arc::new(gate),
            tools,
            front_ends,
            answers: Answers::default(),
            answer_size: AnswerSize::default(),
            output_schemas: false,
            ignore_roots: false,
            patience: roots::PATIENCE,
            tell: Arc::new(|_| {}),
        })
    }

    /// Sets the form of answers.
    #[must_use]
    pub fn answers(mut self, answers: Answers) -> Self {
        self.answers = answers;
        self
    }

    /// Sets how many bytes an answer has at most, unless its call says so. The default goes by the
    /// client.
    #[must_use]
    pub fn answer_bytes(mut self, bytes: u64) -> Self {
        self.answer_size = AnswerSize { bytes: Some(bytes) };
        self
    }

    /// Lists the schemas of outcomes too. They are longer than the rest, and few clients use them.
    #[must_use]
    pub fn output_schemas(mut self, list: bool) -> Self {
        self.output_schemas = list;
        self
    }

    /// Serves all grants, and ignores the client's roots.
    #[must_use]
    pub fn ignore_roots(mut self, ignore: bool) -> Self {
        self.ignore_roots = ignore;
        self
    }

    /// Sets the callback for messages to the operator that the client does not get, such as the
    /// effect of its roots.
    #[must_use]
    pub fn tell(mut self, tell: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.tell = Arc::new(tell);
        self
    }

    /// Sets how long calls wait for a client's roots, for tests.
    #[doc(hidden)]
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// The served tools.
    pub fn tools(&self) -> &[&'static Operation] {
        &self.tools
    }

    /// Serves one client until it disconnects. A change that has begun is completed.
    pub async fn serve<R, W>(self, reader: R, writer: W) -> Result<(), ServeError>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        self.serve_until(reader, writer, std::future::pending()).await
    }

    /// Serves one client until it disconnects, or until `end`. A change that has begun is
    /// completed.
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
                // Any reason to end is the end of the session.
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
        // Blocks its own thread; without one it does not wait.
        let _ = tokio::task::spawn_blocking(move || calls.close()).await;
        served
    }

    /// Serves the client on the standard streams, on this thread, until it disconnects or the
    /// process is asked to end.
    pub fn serve_standard_streams(self) -> Result<(), ServeError> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(ServeError::Streams)?;
        let served = runtime.block_on(async {
            let (reader, writer) = stdio_pipes();
            self.serve_until(reader, writer, terminated()).await
        });
        // A thread may still block on standard input.
        runtime.shutdown_background();
        served
    }
}

/// Waits for a signal to end: from a client, or from a terminal on Ctrl-C or close.
#[cfg(unix)]
async fn terminated() {
    use tokio::signal::unix::{SignalKind, signal};

    let asked = |kind| async move {
        match signal(kind) {
            Ok(mut asked) => {
                asked.recv().await;
            }
            // Without a handler, the signal ends the process.
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
