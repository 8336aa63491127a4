//! Lines in, lines out, one message each. What is held at once is bounded: while too much is under way, nothing is read.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::RoleServer;
use rmcp::model::{
    ClientNotification, ClientRequest, ErrorCode, ErrorData, GetExtensions, JsonRpcMessage, RequestId,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use super::calls::{Calls, Ticket};
use super::roots::Roots;

type Incoming = RxJsonRpcMessage<RoleServer>;
type Outgoing = TxJsonRpcMessage<RoleServer>;

/// Bytes of a message: what a tool takes at once, in any notation that JSON has for it.
const MESSAGE_BYTES: usize = 64 << 20;

/// Values in a message. No call needs more than some thousands, and each one takes many times its bytes in memory.
const MESSAGE_VALUES: usize = 100_000;

/// KiB of requests under way at once: one of the largest.
const UNDER_WAY_KIB: usize = MESSAGE_BYTES >> 10;

/// KiB that a request counts at least, for what its answer holds. So no more than 256 are under way.
const REQUEST_KIB: usize = 256;

/// What came with a request: its place among the calls, and its share of what may be under way.
#[derive(Clone)]
pub(super) struct Arrival {
    /// The place of a call of a tool.
    pub(super) ticket: Option<Arc<Ticket>>,
    _share: Arc<OwnedSemaphorePermit>,
}

/// The messages of two streams.
pub(super) struct Lines<R, W> {
    reader: BufReader<R>,
    line: Vec<u8>,
    /// The rest of a line that is too long is being passed over.
    skipping: bool,
    /// A request has come. What comes before the first one has no meaning.
    begun: bool,
    /// Read, and waiting until there is room for it.
    waiting: Option<Waiting>,
    writer: Arc<tokio::sync::Mutex<Option<W>>>,
    room: Arc<Semaphore>,
    under_way: UnderWay,
    calls: Calls,
    roots: Roots,
    /// True when nobody reads the answers any more.
    gone: watch::Sender<bool>,
}

/// Requests that were not answered yet, each with its share.
type UnderWay = Arc<Mutex<HashMap<RequestId, Arc<OwnedSemaphorePermit>>>>;

enum Waiting {
    Message { message: Box<Incoming>, bytes: usize },
    Refusal(Box<Outgoing>),
}

enum Line {
    Whole,
    TooLong,
    End,
}

impl<R: AsyncRead + Unpin, W> Lines<R, W> {
    pub(super) fn new(reader: R, writer: W, calls: Calls, roots: Roots) -> Self {
        Self {
            reader: BufReader::with_capacity(64 << 10, reader),
            line: Vec::new(),
            skipping: false,
            begun: false,
            waiting: None,
            writer: Arc::new(tokio::sync::Mutex::new(Some(writer))),
            room: Arc::new(Semaphore::new(UNDER_WAY_KIB)),
            under_way: UnderWay::default(),
            calls,
            roots,
            gone: watch::Sender::new(false),
        }
    }

    /// Reads a line into `self.line`. It may be dropped and begun again at any time: what was read is kept there.
    async fn read_line(&mut self) -> Line {
        loop {
            // A stream that cannot be read has ended.
            let Ok(read) = self.reader.fill_buf().await else { return Line::End };
            if read.is_empty() {
                return Line::End;
            }
            let end = read.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(read.len(), |end| end + 1);
            let too_long = !self.skipping && self.line.len() + taken > MESSAGE_BYTES;
            if too_long {
                self.line = Vec::new();
            } else if !self.skipping {
                self.line.extend_from_slice(&read[..taken]);
            }
            self.reader.consume(taken);
            let skipped = self.skipping;
            self.skipping = end.is_none() && (too_long || skipped);
            match end {
                _ if too_long => return Line::TooLong,
                Some(_) if !skipped => return Line::Whole,
                _ => {}
            }
        }
    }

    /// Reads until something waits; false at the end.
    async fn fill(&mut self) -> bool {
        while self.waiting.is_none() {
            match self.read_line().await {
                Line::End => return false,
                Line::TooLong => {
                    let text =
                        format!("a message has at most {MESSAGE_BYTES} bytes; this one was passed over");
                    self.waiting = Some(Waiting::refusal(ErrorCode::INVALID_REQUEST, text, None));
                }
                Line::Whole => {
                    self.waiting = understood(&self.line);
                    // A large message does not keep its room.
                    self.line.clear();
                    self.line.shrink_to(64 << 10);
                }
            }
            if let Some(Waiting::Message { message, .. }) = &self.waiting
                && !self.begun
            {
                self.begun = matches!(**message, JsonRpcMessage::Request(_));
                if !self.begun {
                    self.waiting = None;
                }
            }
        }
        true
    }

    /// What waits, once there is room for it.
    async fn admitted(&mut self) -> Option<(Waiting, Option<OwnedSemaphorePermit>)> {
        let share = match &self.waiting {
            Some(Waiting::Message { message, bytes }) if matches!(**message, JsonRpcMessage::Request(_)) => {
                (bytes >> 10).clamp(REQUEST_KIB, UNDER_WAY_KIB)
            }
            Some(Waiting::Refusal(_)) => REQUEST_KIB,
            _ => 0,
        };
        let share = match u32::try_from(share) {
            Ok(share) if share > 0 => Some(self.room.clone().acquire_many_owned(share).await.ok()?),
            _ => None,
        };
        Some((self.waiting.take()?, share))
    }
}

impl Waiting {
    fn refusal(code: ErrorCode, text: String, id: Option<RequestId>) -> Self {
        Self::Refusal(Box::new(JsonRpcMessage::error(ErrorData::new(code, text, None), id)))
    }
}

/// A line as a message, or what is wrong with it; none for what is to be ignored.
fn understood(line: &[u8]) -> Option<Waiting> {
    let line = line.trim_ascii();
    if line.is_empty() {
        return None;
    }
    let invalid = |text: String, id| Some(Waiting::refusal(ErrorCode::INVALID_REQUEST, text, id));
    if values(line) > MESSAGE_VALUES {
        return invalid(format!("a message has at most {MESSAGE_VALUES} values"), None);
    }
    let problem = match serde_json::from_slice::<Incoming>(line) {
        Ok(message) => return Some(Waiting::Message { message: Box::new(message), bytes: line.len() }),
        Err(problem) => problem,
    };
    match serde_json::from_slice::<Value>(line) {
        Err(problem) => Some(Waiting::refusal(ErrorCode::PARSE_ERROR, format!("no JSON: {problem}"), None)),
        Ok(Value::Array(_)) => {
            invalid("batches are not part of the protocol: send one message a line".to_owned(), None)
        }
        // Nobody waits for an answer to it.
        Ok(message) if message["id"].is_null() && message["method"].is_string() => None,
        Ok(message) => {
            let id = message.get("id").and_then(|id| serde_json::from_value(id.clone()).ok());
            invalid(format!("no message of the protocol: {problem}"), id)
        }
    }
}

/// About as many values as are in a text of JSON: commas and beginnings outside of its strings.
fn values(text: &[u8]) -> usize {
    let (mut count, mut inside, mut escaped) = (0, false, false);
    for byte in text {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if inside => escaped = true,
            b'"' => inside = !inside,
            b',' | b'[' | b'{' if !inside => count += 1,
            _ => {}
        }
    }
    count
}

fn with<T>(
    under_way: &UnderWay,
    act: impl FnOnce(&mut HashMap<RequestId, Arc<OwnedSemaphorePermit>>) -> T,
) -> T {
    // Nothing that can panic is done under it.
    act(&mut under_way.lock().unwrap_or_else(PoisonError::into_inner))
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(&mut self, message: Outgoing) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let (writer, under_way, gone) = (self.writer.clone(), self.under_way.clone(), self.gone.clone());
        async move {
            let mut line = serde_json::to_vec(&message)?;
            line.push(b'\n');
            let sent = async {
                let mut writer = writer.lock().await;
                let writer = writer.as_mut().ok_or(io::ErrorKind::NotConnected)?;
                writer.write_all(&line).await?;
                writer.flush().await
            };
            let sent: io::Result<()> = sent.await;
            if sent.is_err() {
                gone.send_replace(true);
            }
            let answered = match &message {
                JsonRpcMessage::Response(response) => Some(&response.id),
                JsonRpcMessage::Error(error) => error.id.as_ref(),
                _ => None,
            };
            if let Some(id) = answered {
                with(&under_way, |under_way| under_way.remove(id));
            }
            sent
        }
    }

    async fn receive(&mut self) -> Option<Incoming> {
        let mut gone = self.gone.subscribe();
        loop {
            tokio::select! {
                _ = gone.wait_for(|gone| *gone) => return None,
                filled = self.fill() => if !filled { return None },
            }
            let (waiting, share) = tokio::select! {
                _ = gone.wait_for(|gone| *gone) => return None,
                admitted = self.admitted() => admitted?,
            };
            let mut message = match waiting {
                Waiting::Message { message, .. } => message,
                Waiting::Refusal(refusal) => {
                    let sent = self.send(*refusal);
                    tokio::spawn(async move {
                        // A client that has gone is noticed where it was sent.
                        let _ = sent.await;
                        drop(share);
                    });
                    continue;
                }
            };
            match &mut *message {
                JsonRpcMessage::Request(request) => {
                    let share = Arc::new(share?);
                    let known =
                        with(&self.under_way, |under_way| match under_way.contains_key(&request.id) {
                            true => true,
                            false => under_way.insert(request.id.clone(), share.clone()).is_some(),
                        });
                    if known {
                        let text = format!("the request `{}` is under way already", request.id);
                        self.waiting = Some(Waiting::refusal(ErrorCode::INVALID_REQUEST, text, None));
                        continue;
                    }
                    // Here, because what comes behind it in the stream comes after it.
                    if let ClientRequest::InitializeRequest(initialize) = &request.request
                        && initialize.params.capabilities.roots.is_some()
                    {
                        self.roots.declared();
                    }
                    let is_call = matches!(request.request, ClientRequest::CallToolRequest(_));
                    let ticket = is_call.then(|| Arc::new(self.calls.ticket()));
                    request.request.extensions_mut().insert(Arrival { ticket, _share: share });
                }
                JsonRpcMessage::Notification(notification) => {
                    match &notification.notification {
                        ClientNotification::CancelledNotification(cancelled) => {
                            if let Some(id) = &cancelled.params.request_id {
                                // It is not answered any more.
                                with(&self.under_way, |under_way| under_way.remove(id));
                            }
                        }
                        ClientNotification::RootsListChangedNotification(_) => self.roots.changed(),
                        _ => {}
                    }
                }
                JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
            }
            return Some(*message);
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        match self.writer.lock().await.take() {
            Some(mut writer) => writer.shutdown().await,
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(line: &str) -> Option<String> {
        understood(line.as_bytes()).map(|waiting| match waiting {
            Waiting::Message { message, .. } => serde_json::to_string(&message).unwrap(),
            Waiting::Refusal(refusal) => serde_json::to_string(&refusal).unwrap(),
        })
    }

    #[test]
    fn a_line_is_a_message_a_refusal_or_nothing() {
        for (line, expected) in [
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, Some(r#""method":"ping""#)),
            ("", None),
            ("  \r\n", None),
            ("{", Some(r#""code":-32700"#)),
            ("\u{feff}", Some(r#""code":-32700"#)),
            ("[]", Some("batches")),
            (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, Some("batches")),
            ("3", Some(r#""code":-32600"#)),
            (r#"{"jsonrpc":"2.0","id":1}"#, Some(r#""id":1"#)),
            (r#"{"jsonrpc":"1.0","id":"a","method":"ping"}"#, Some(r#""id":"a""#)),
            (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, Some(r#""code":-32600"#)),
            (r#"{"jsonrpc":"1.0","method":"notifications/nonsense"}"#, None),
        ] {
            let told = told(line);
            match expected {
                Some(expected) => {
                    assert!(told.as_ref().is_some_and(|told| told.contains(expected)), "{line}: {told:?}");
                }
                None => assert_eq!(told, None, "{line}"),
            }
        }
    }

    #[test]
    fn values_are_counted_outside_of_strings() {
        for (text, expected) in
            [("{}", 1), (r#"{"a": 1, "b": [2, 3]}"#, 4), (r#"{"a,b[": "c\",{", "d": ""}"#, 2), ("", 0)]
        {
            assert_eq!(values(text.as_bytes()), expected, "{text}");
        }
        let many = format!("[{}0]", "0,".repeat(MESSAGE_VALUES));
        assert!(told(&many).unwrap().contains("at most 100000 values"));
    }
}
