//! Reads and writes messages, one per line, with limits.
//!
//! Calls beyond the limit wait in a line, and reading goes on: answers, cancellations and questions
//! never wait for a call. A call that does not fit in the line is refused. Reading stops only for a
//! client that does not read its answers.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use fsgate_text::excerpt::shown;
use fsgate_text::json::given_twice;
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
use crate::audit::{Caller, MCP};

type Incoming = RxJsonRpcMessage<RoleServer>;
type Outgoing = TxJsonRpcMessage<RoleServer>;

/// Fits the largest arguments of a tool in any JSON encoding.
const MESSAGE_BYTES: usize = 64 << 20;

/// Most values in a message. No call needs more than some thousands, and each takes many times its
/// bytes in memory.
const MESSAGE_VALUES: usize = 100_000;

/// KiB of running calls: one of the largest size. Other requests and refusals have the same again.
const RUNNING_KIB: usize = MESSAGE_BYTES >> 10;

/// Most waiting calls: more than a script sends without reading answers.
const LINE_CALLS: usize = 16_384;

/// One waiting call of the largest size fits.
const LINE_BYTES: usize = MESSAGE_BYTES;

/// Smallest share of a request, for its answer: at most 256 run.
const REQUEST_KIB: usize = 256;

/// The client's name in protocol versions without a handshake.
const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";

/// The arrival of a request: its place among the calls, and its share of the limit.
#[derive(Clone)]
pub(super) struct Arrival {
    pub(super) ticket: Option<Arc<Ticket>>,
    /// Numbers of running and waiting calls, if there is no room.
    pub(super) refused: Option<(usize, usize)>,
    _share: Arc<OwnedSemaphorePermit>,
}

pub(super) struct Lines<R, W> {
    reader: BufReader<R>,
    line: Vec<u8>,
    skipping: bool,
    client: Option<String>,
    /// Whether a request has arrived; earlier messages are ignored.
    begun: bool,
    ended: bool,
    /// A message until the client reads answers.
    waiting: Option<WaitingMessage>,
    line_of_calls: VecDeque<WaitingCall>,
    line_bytes: usize,
    writer: Arc<tokio::sync::Mutex<Option<W>>>,
    room: Arc<Semaphore>,
    /// Limits other requests and refusals, which wait only for the client's reading.
    aside: Arc<Semaphore>,
    unanswered: Unanswered,
    calls: Calls,
    roots: Roots,
    /// Set when answers cannot be written any more.
    gone: watch::Sender<bool>,
}

/// Unanswered requests with their shares; waiting calls have none.
type Requests = HashMap<RequestId, Option<Arc<OwnedSemaphorePermit>>>;
type Unanswered = Arc<Mutex<Requests>>;

enum WaitingMessage {
    Message { message: Box<Incoming>, bytes: usize },
    Refusal(Box<Outgoing>),
}

/// A waiting call, raw: a parsed message takes many times its bytes.
struct WaitingCall {
    id: RequestId,
    line: Vec<u8>,
    /// The parsed call, if it need not wait.
    call: Option<Box<Incoming>>,
}

enum LineRead {
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
            client: None,
            begun: false,
            ended: false,
            waiting: None,
            line_of_calls: VecDeque::new(),
            line_bytes: 0,
            writer: Arc::new(tokio::sync::Mutex::new(Some(writer))),
            room: Arc::new(Semaphore::new(RUNNING_KIB)),
            aside: Arc::new(Semaphore::new(RUNNING_KIB)),
            unanswered: Unanswered::default(),
            calls,
            roots,
            gone: watch::Sender::new(false),
        }
    }

    /// Reads a line into `self.line`. The future may be dropped at any time: read bytes stay there.
    async fn read_line(&mut self) -> LineRead {
        loop {
            // A read error ends the input.
            let Ok(read) = self.reader.fill_buf().await else { return LineRead::End };
            if read.is_empty() {
                return LineRead::End;
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
                _ if too_long => return LineRead::TooLong,
                Some(_) if !skipped => return LineRead::Whole,
                _ => {}
            }
        }
    }

    /// Reads until a message or call waits, or the input ends.
    async fn fill(&mut self) {
        let in_line = self.line_of_calls.len();
        while self.waiting.is_none() && self.line_of_calls.len() == in_line && !self.ended {
            match self.read_line().await {
                LineRead::End => self.ended = true,
                LineRead::TooLong => {
                    let text =
                        format!("a message has at most {MESSAGE_BYTES} bytes; this one was passed over");
                    self.waiting = Some(WaitingMessage::refusal(ErrorCode::INVALID_REQUEST, text, None));
                }
                LineRead::Whole => {
                    self.waiting = parsed(&self.line);
                    self.stand_in_line();
                    // Frees the memory of a large message.
                    self.line.clear();
                    self.line.shrink_to(64 << 10);
                }
            }
            if let Some(WaitingMessage::Message { message, .. }) = &self.waiting
                && !self.begun
            {
                self.begun = matches!(**message, JsonRpcMessage::Request(_));
                if !self.begun {
                    self.waiting = None;
                }
            }
        }
    }

    /// Moves a fitting call from `waiting` into the line.
    fn stand_in_line(&mut self) {
        let Some(WaitingMessage::Message { message, .. }) = &self.waiting else { return };
        let JsonRpcMessage::Request(request) = &**message else { return };
        if !matches!(request.request, ClientRequest::CallToolRequest(_))
            || self.line_of_calls.len() == LINE_CALLS
            || self.line_bytes + self.line.len() > LINE_BYTES
        {
            return;
        }
        let id = request.id.clone();
        let is_known = with(&self.unanswered, |unanswered| match unanswered.entry(id.clone()) {
            Entry::Occupied(_) => true,
            Entry::Vacant(place) => {
                place.insert(None);
                false
            }
        });
        if is_known {
            return;
        }
        self.begun = true;
        let mut line = std::mem::take(&mut self.line);
        line.shrink_to_fit();
        let has_room = self.line_of_calls.is_empty() && self.room.available_permits() >= kib(line.len());
        let call = match self.waiting.take() {
            Some(WaitingMessage::Message { message, .. }) if has_room => Some(message),
            _ => None,
        };
        self.line_bytes += line.len();
        self.line_of_calls.push_back(WaitingCall { id, line, call });
    }

    fn step_forward(&mut self, share: OwnedSemaphorePermit) -> Option<Incoming> {
        let WaitingCall { id, line, call } = self.line_of_calls.pop_front()?;
        self.line_bytes -= line.len();
        let mut message = match call {
            Some(call) => call,
            None => match parsed(&line) {
                Some(WaitingMessage::Message { message, .. }) => message,
                // It could be parsed before.
                _ => return None,
            },
        };
        let share = Arc::new(share);
        with(&self.unanswered, |unanswered| unanswered.insert(id, Some(share.clone())));
        if let JsonRpcMessage::Request(request) = &mut *message {
            let ticket = Some(Arc::new(self.calls.ticket()));
            request.request.extensions_mut().insert(Arrival { ticket, refused: None, _share: share });
        }
        Some(*message)
    }

    fn step_out(&mut self, id: &RequestId) {
        let place = self.line_of_calls.iter().position(|held| held.id == *id);
        let Some(WaitingCall { line, .. }) = place.and_then(|place| self.line_of_calls.remove(place)) else {
            return;
        };
        self.line_bytes -= line.len();
        let call: Value = serde_json::from_slice(&line).unwrap_or_default();
        let params = &call["params"];
        let client = &params["_meta"][CLIENT_INFO];
        let client = match (client["name"].as_str(), client["version"].as_str()) {
            (Some(name), Some(version)) => Some(format!("{name} {version}")),
            _ => self.client.clone(),
        };
        let caller = Caller { front_end: MCP.to_owned(), client };
        let arguments = params["arguments"].as_object().cloned().unwrap_or_default();
        // Dropping it audits the cancellation.
        drop(self.roots.granted().arrive_from(
            &caller,
            params["name"].as_str().unwrap_or_default(),
            &arguments,
        ));
    }

    async fn admitted(&mut self) -> Option<(WaitingMessage, Option<OwnedSemaphorePermit>)> {
        let share = match &self.waiting {
            Some(WaitingMessage::Message { message, bytes })
                if matches!(**message, JsonRpcMessage::Request(_)) =>
            {
                kib(*bytes)
            }
            Some(WaitingMessage::Refusal(_)) => REQUEST_KIB,
            _ => 0,
        };
        let share = match u32::try_from(share) {
            Ok(share) if share > 0 => Some(self.aside.clone().acquire_many_owned(share).await.ok()?),
            _ => None,
        };
        Some((self.waiting.take()?, share))
    }
}

/// Acquires a share of that many KiB; without a number, it never ends.
async fn admission(room: Arc<Semaphore>, share: Option<usize>) -> Option<OwnedSemaphorePermit> {
    match share.and_then(|share| u32::try_from(share).ok()) {
        Some(share) => room.acquire_many_owned(share).await.ok(),
        None => std::future::pending().await,
    }
}

fn kib(bytes: usize) -> usize {
    (bytes >> 10).clamp(REQUEST_KIB, RUNNING_KIB)
}

impl WaitingMessage {
    fn refusal(code: ErrorCode, text: String, id: Option<RequestId>) -> Self {
        Self::Refusal(Box::new(JsonRpcMessage::error(ErrorData::new(code, text, None), id)))
    }
}

/// Parses a line, or explains the problem. `None` is a message to ignore.
fn parsed(line: &[u8]) -> Option<WaitingMessage> {
    // Some programs send a byte order mark first.
    let line = line.strip_prefix("\u{FEFF}".as_bytes()).unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return None;
    }
    let invalid = |text: String, id| Some(WaitingMessage::refusal(ErrorCode::INVALID_REQUEST, text, id));
    if values(line) > MESSAGE_VALUES {
        return invalid(format!("a message has at most {MESSAGE_VALUES} values"), None);
    }
    let id = |message: &Value| message.get("id").and_then(|id| serde_json::from_value(id.clone()).ok());
    let problem = match serde_json::from_slice::<Incoming>(line) {
        Ok(message) => {
            // Parsers differ in which of two equal names they keep.
            let Some(name) = str::from_utf8(line).ok().and_then(given_twice) else {
                return Some(WaitingMessage::Message { message: Box::new(message), bytes: line.len() });
            };
            let message = serde_json::from_slice::<Value>(line).unwrap_or_default();
            // Only requests get answers.
            let id = id(&message).filter(|_| message["method"].is_string())?;
            let text = format!("one object gives `{}` twice", shown(&name));
            return Some(WaitingMessage::refusal(ErrorCode::INVALID_PARAMS, text, Some(id)));
        }
        Err(problem) => problem,
    };
    match serde_json::from_slice::<Value>(line) {
        Err(problem) => {
            Some(WaitingMessage::refusal(ErrorCode::PARSE_ERROR, format!("no JSON: {problem}"), None))
        }
        Ok(Value::Array(_)) => {
            invalid("batches are not part of the protocol: send one message a line".to_owned(), None)
        }
        Ok(message) if message["id"].is_null() && message["method"].is_string() => None,
        Ok(message) => invalid(format!("no message of the protocol: {problem}"), id(&message)),
    }
}

/// Approximate: commas and openings outside of strings.
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

fn with<T>(unanswered: &Unanswered, act: impl FnOnce(&mut Requests) -> T) -> T {
    // No code under this lock can panic.
    act(&mut unanswered.lock().unwrap_or_else(PoisonError::into_inner))
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(&mut self, message: Outgoing) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let (writer, unanswered, gone) = (self.writer.clone(), self.unanswered.clone(), self.gone.clone());
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
                with(&unanswered, |unanswered| unanswered.remove(id));
            }
            sent
        }
    }

    async fn receive(&mut self) -> Option<Incoming> {
        let mut gone = self.gone.subscribe();
        loop {
            if self.waiting.is_none() {
                if self.ended && self.line_of_calls.is_empty() {
                    return None;
                }
                let room = self.room.clone();
                let first = self.line_of_calls.front().map(|held| kib(held.line.len()));
                let share = tokio::select! {
                    biased;
                    _ = gone.wait_for(|gone| *gone) => return None,
                    share = admission(room, first) => Some(share?),
                    () = self.fill(), if !self.ended => None,
                };
                if let Some(share) = share
                    && let Some(message) = self.step_forward(share)
                {
                    return Some(message);
                }
                continue;
            }
            let (waiting, share) = tokio::select! {
                _ = gone.wait_for(|gone| *gone) => return None,
                admitted = self.admitted() => admitted?,
            };
            let mut message = match waiting {
                WaitingMessage::Message { message, .. } => message,
                WaitingMessage::Refusal(refusal) => {
                    let sent = self.send(*refusal);
                    tokio::spawn(async move {
                        // A lost client is noticed by `send`.
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
                        with(&self.unanswered, |unanswered| match unanswered.contains_key(&request.id) {
                            true => true,
                            false => unanswered.insert(request.id.clone(), Some(share.clone())).is_some(),
                        });
                    if known {
                        let text = format!("the request `{}` is under way already", request.id);
                        self.waiting = Some(WaitingMessage::refusal(ErrorCode::INVALID_REQUEST, text, None));
                        continue;
                    }
                    // Done here, because later messages depend on it.
                    if let ClientRequest::InitializeRequest(initialize) = &request.request {
                        let client = &initialize.params.client_info;
                        self.client = Some(format!("{} {}", client.name, client.version));
                        if initialize.params.capabilities.roots.is_some() {
                            self.roots.declared();
                        }
                    }
                    // A call that did not fit in the line.
                    let is_call = matches!(request.request, ClientRequest::CallToolRequest(_));
                    let refused = is_call.then(|| {
                        let all = with(&self.unanswered, |unanswered| unanswered.len());
                        let waiting = self.line_of_calls.len();
                        (all.saturating_sub(waiting + 1), waiting)
                    });
                    request.request.extensions_mut().insert(Arrival { ticket: None, refused, _share: share });
                }
                JsonRpcMessage::Notification(notification) => {
                    match &notification.notification {
                        ClientNotification::CancelledNotification(cancelled) => {
                            if let Some(id) = &cancelled.params.request_id {
                                // It gets no answer any more.
                                let dropped = with(&self.unanswered, |unanswered| unanswered.remove(id));
                                if matches!(dropped, Some(None)) {
                                    self.step_out(id);
                                }
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

    fn answer_to(line: &str) -> Option<String> {
        parsed(line.as_bytes()).map(|waiting| match waiting {
            WaitingMessage::Message { message, .. } => serde_json::to_string(&message).unwrap(),
            WaitingMessage::Refusal(refusal) => serde_json::to_string(&refusal).unwrap(),
        })
    }

    #[test]
    fn a_line_is_a_message_a_refusal_or_nothing() {
        for (line, expected) in [
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, Some(r#""method":"ping""#)),
            ("", None),
            ("  \r\n", None),
            ("{", Some(r#""code":-32700"#)),
            ("\u{feff}", None),
            ("\u{feff}{", Some(r#""code":-32700"#)),
            ("[]", Some("batches")),
            (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, Some("batches")),
            ("3", Some(r#""code":-32600"#)),
            (r#"{"jsonrpc":"2.0","id":1}"#, Some(r#""id":1"#)),
            (r#"{"jsonrpc":"1.0","id":"a","method":"ping"}"#, Some(r#""id":"a""#)),
            (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, Some(r#""code":-32600"#)),
            (r#"{"jsonrpc":"1.0","method":"notifications/nonsense"}"#, None),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":{"path":"a","path":"b"}}}"#,
                Some(r#""code":-32602,"message":"one object gives `path` twice""#),
            ),
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping","id":2}"#, Some(r#""code":-32600"#)),
            (r#"{"jsonrpc":"2.0","id":1,"result":{"action":"decline","action":"accept"}}"#, None),
        ] {
            let answer = answer_to(line);
            match expected {
                Some(expected) => {
                    assert!(
                        answer.as_ref().is_some_and(|text| text.contains(expected)),
                        "{line}: {answer:?}"
                    );
                }
                None => assert_eq!(answer, None, "{line}"),
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
        assert!(answer_to(&many).unwrap().contains("at most 100000 values"));
    }
}
