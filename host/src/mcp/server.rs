//! Handles the requests of a client.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Instant;

use fsgate_cli::PathContext;
use fsgate_compat::lean;
use fsgate_contract::{FrontEnd, LEAN};
use fsgate_error::call;
use fsgate_error::{ConfirmationRefusal, Exceeded, Failure, Reason};
use fsgate_text::close_names::nearest_tool;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ConstString, CustomRequest, CustomResult,
    ErrorCode, ErrorData, GetSkillRequestParams, GetSkillResult, Implementation, InitializeRequestParams,
    InitializeResult, ListResourcesRequestMethod, ListResourcesResult, ListSkillsResult, ListToolsResult,
    PaginatedRequestParams, ProgressNotificationParam, ReadResourceRequestMethod, ReadResourceRequestParams,
    ReadResourceResponse, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{RoleServer, ServerHandler};
use serde_json::{Map, Value};
use tokio::sync::{Semaphore, oneshot, watch};

use super::answer::unserved;
use super::answer_size::AnswerSize;
use super::calls::{Calls, Late, Ticket};
use super::chunked_walk::{ChunkedWalk, is_walk};
use super::confirm::{self, Agreed, CONFIRM, Question, Questions};
use super::front_ends::Text;
use super::instructions::{ROOTS, instructions};
use super::roots::Roots;
use super::transport::Arrival;
use super::{Answers, Server, front_ends, listing, skill, tool_set};
use crate::audit::{Caller, MCP};
use crate::call_scope::{CallScope, RunningCall, noted};
use crate::execute;
use crate::limits::GaveUp;
use crate::{CancelToken, Gate, OPERATIONS, Operation};

/// Known methods: a request for one that cannot be parsed has wrong parameters.
const METHODS: [&str; 8] = [
    "initialize",
    "server/discover",
    "tools/list",
    CALL,
    "skills/list",
    "skills/get",
    "resources/list",
    "resources/read",
];

/// The audit records this method, also with wrong parameters.
const CALL: &str = "tools/call";

pub(super) struct Handler {
    calls: Calls,
    roots: Roots,
    tools: Arc<[&'static Operation]>,
    listed: Vec<Tool>,
    questions: Questions,
    asking: Semaphore,
    answers: Answers,
    answer_size: AnswerSize,
    info: ServerConfig,
}

impl Handler {
    pub(super) fn new(server: Server, calls: Calls, roots: Roots) -> Self {
        let Server { gate, tools, front_ends, answers, answer_size, output_schemas, .. } = server;
        let mut server = Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
        server.description =
            Some("Filesystem tools for AI agents, sealed in a WebAssembly component".to_owned());
        // The skill is about the lean set.
        let teaches = LEAN.iter().all(|tool| tools.iter().any(|served| std::ptr::eq(*served, tool)));
        let capabilities = ServerCapabilities::builder().enable_tools();
        let capabilities = match teaches {
            true => capabilities.enable_resources().enable_skills().build(),
            false => capabilities.build(),
        };
        let info = ServerConfig::new(capabilities)
            .with_server_info(server)
            .with_instructions(instructions(&tools, gate.directories()));
        // A schema promises data.
        let output_schemas = output_schemas && answers != Answers::Text;
        let is_served = |name: &str| tools.iter().any(|operation| operation.name == name);
        let listed = tools.iter().map(|operation| {
            // The data of a tool of the lean set is that of the operation behind it.
            let mut tool = listing::tool(operation, output_schemas && !lean::is_tool(operation));
            listing::name_served(&mut tool, is_served);
            tool
        });
        let listed = listed.chain(front_ends.iter().map(|front_end| front_ends::tool(front_end))).collect();
        let asking = Semaphore::new(confirm::QUESTIONS);
        let tools = tools.into();
        Self {
            calls,
            roots,
            tools,
            listed,
            questions: Questions::default(),
            asking,
            answers,
            answer_size,
            info,
        }
    }

    fn front_end(&self, name: &str) -> Option<&'static FrontEnd> {
        front_ends::find(name).filter(|front_end| self.listed.iter().any(|tool| tool.name == front_end.name))
    }

    fn find(&self, name: &str) -> Result<&'static Operation, ErrorData> {
        if let Some(operation) = self.tools.iter().find(|operation| operation.name == name) {
            return Ok(operation);
        }
        let is_served = |known: &str| self.listed.iter().any(|served| served.name == known);
        let front_end = || FrontEnd::find(name).map(|front_end| front_end.name);
        // A tool of the lean set may stand for the operation, or for one of a similar name.
        let all: Vec<_> = OPERATIONS.iter().map(|operation| operation.name).collect();
        let meant =
            Operation::find(name).map(|operation| operation.name).or_else(|| nearest_tool(name, &all));
        if let Some(tool) =
            meant.and_then(lean::serving).filter(|_| self.tools.iter().any(|tool| lean::is_tool(tool)))
        {
            let text = format!("there is no tool `{}`; `{}` does that here", short(name), tool.name);
            return Err(ErrorData::invalid_params(text, None));
        }
        let text = match Operation::find(name).map(|operation| operation.name).or_else(front_end) {
            Some(known) if !is_served(known) => format!("the tool `{known}` is not served in this session"),
            known => match known.or_else(|| tool_set::nearest(name, is_served)) {
                Some(meant) => format!("there is no tool `{}`; did you mean `{meant}`?", short(name)),
                None => format!("there is no tool `{}`", short(name)),
            },
        };
        Err(ErrorData::invalid_params(text, None))
    }
}

/// Paths below the first directory are relative to it, as in calls; all others are complete.
fn places(gate: &Gate) -> PathContext {
    PathContext { start: gate.directories().first().map(|first| first.name.clone()), grants: Vec::new() }
}

fn short(name: &str) -> String {
    name.chars().take(64).collect()
}

impl Handler {
    /// Refuses a method that a server without the skill does not have.
    fn require_skill<M: ConstString>(&self) -> Result<(), ErrorData> {
        match self.info.capabilities.supports_skills() {
            true => Ok(()),
            false => Err(ErrorData::method_not_found::<M>()),
        }
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        self.info.clone()
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let mut answer = self.negotiate_initialize(&request)?;
        context.peer.set_peer_info(request);
        if self.roots.are_declared()
            && let Some(instructions) = &mut answer.instructions
        {
            *instructions += ROOTS;
        }
        Ok(answer)
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.roots.ask(&context.peer).await;
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        self.roots.ask(&context.peer).await;
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut tools = self.listed.clone();
        if confirm::can_ask(&context) {
            tools.iter_mut().for_each(|tool| listing::leave_out(tool, CONFIRM));
        }
        self.answer_size.list(&mut tools, caller(&context).client.as_deref());
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn list_skills(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListSkillsResult, ErrorData> {
        Ok(skill::list_skills())
    }

    async fn get_skill(
        &self,
        request: GetSkillRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetSkillResult, ErrorData> {
        skill::get_skill(&request.uri)
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.require_skill::<ListResourcesRequestMethod>()?;
        Ok(skill::list_resources())
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        self.require_skill::<ReadResourceRequestMethod>()?;
        skill::read_resource(&request.uri).map(Into::into)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.listed.iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        mut request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let caller = caller(&context);
        if let Some(front_end) = self.front_end(&request.name) {
            return self.speak(front_end, caller, request, &context).await.map(Into::into);
        }
        let operation = self.find(&request.name).inspect_err(|_| {
            let arguments = request.arguments.clone().unwrap_or_default();
            self.roots.granted().arrive_from(&caller, &request.name, &arguments).refused("unknown_tool");
        })?;
        // The code below sees the arguments as the operation takes them.
        let mut arguments = request.arguments.take().unwrap_or_default();
        let operation = if lean::is_tool(operation) {
            match lean::lower(operation, arguments.clone()) {
                Ok((behind, lowered)) => {
                    arguments = lowered;
                    behind
                }
                Err(reason) => {
                    let error = execute::json(&Failure::from(reason).into_error(operation.name));
                    let call = ToolCall { caller, gate: self.roots.granted().clone(), operation, arguments };
                    return Ok(self.refused(&call, error).into());
                }
            }
        } else {
            operation
        };
        call::normalize(operation.name, &mut arguments);
        self.answer_size.add(operation, &mut arguments, caller.client.as_deref());
        let arrival = context.extensions.get::<Arrival>();
        if let Some((running, waiting)) = arrival.and_then(|arrival| arrival.refused) {
            let exceeded = Reason::Exceeded(Exceeded::Concurrent(running, waiting));
            let error = execute::json(&Failure::from(exceeded).into_error(operation.name));
            let call = ToolCall { caller, gate: self.roots.granted().clone(), operation, arguments };
            return Ok(self.refused(&call, error).into());
        }
        let ticket = arrival.and_then(|arrival| arrival.ticket.clone());
        let ticket = ticket.unwrap_or_else(|| Arc::new(self.calls.ticket()));
        let can_ask = confirm::can_ask(&context);
        let asks_later = can_ask && confirm::can_need(operation);
        let asks_first = can_ask && confirm::is_asked_first(self.roots.granted(), operation, &arguments);
        let asks = asks_first || asks_later;
        let said = asks.then(|| self.questions.answer(operation, &request, &arguments)).flatten();
        if asks {
            // Only the person consents, not the model.
            arguments.shift_remove(CONFIRM);
        }
        let Some(gate) = self.roots.open().await else {
            let call = ToolCall { caller, gate: self.roots.granted().clone(), operation, arguments };
            return Ok(self.refused(&call, self.roots.refusal(operation.name)).into());
        };
        let call = ToolCall { caller, gate, operation, arguments };
        if let Some((said, fingerprint)) = said {
            return self.agreed(&call, said, fingerprint, ticket, &context).await.map(Into::into);
        }
        // A call that needs consent is refused first, and audited so whatever the answer is.
        let how = if asks_first { How::UnlessConsentNeeded } else { How::AsItIs };
        let arrived = call.gate.arrive_from(&call.caller, operation.name, &call.arguments);
        let answer = self.carry_out(&call, arrived, how, ticket, &context).await?;
        if !asks || !answer.needs_agreement {
            return Ok(answer.result.into());
        }
        let asking = match answer.asking {
            Some(asking) => asking,
            None => match self.question(&call, &context).await? {
                Ok(asking) => asking,
                // A call that fails anyway needs no consent.
                Err(error) => return Ok(self.refused(&call, error).into()),
            },
        };
        if confirm::has_no_requests(&context) {
            return Ok(match self.questions.ask(operation, &call.arguments, asking) {
                Some(asked) => asked.into(),
                None => self.refused(&call, confirm::refusal(operation, ConfirmationRefusal::Failed)).into(),
            });
        }
        let Ok(_room) = self.asking.try_acquire() else {
            return Ok(self.refused(&call, confirm::too_many(operation)).into());
        };
        let said = tokio::select! {
            said = confirm::ask(&context.peer, asking.message) => said,
            // The client no longer waits.
            () = context.ct.cancelled() => Err(ConfirmationRefusal::Dismissed),
        };
        let ticket = Arc::new(self.calls.ticket());
        self.agreed(&call, said, asking.fingerprint, ticket, &context).await.map(Into::into)
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = request.method.to_string();
        if method == CALL {
            let params = request.params.unwrap_or_default();
            let name = params["name"].as_str().unwrap_or_default();
            let arguments = params["arguments"].as_object().cloned().unwrap_or_default();
            self.roots.granted().arrive_from(&caller(&context), name, &arguments).refused("malformed");
        }
        if METHODS.contains(&&method[..]) {
            let text = format!("these are no parameters of `{method}`");
            return Err(ErrorData::invalid_params(text, None));
        }
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, Cow::from(short(&method)), None))
    }
}

struct ToolCall {
    caller: Caller,
    gate: Arc<Gate>,
    operation: &'static Operation,
    arguments: Map<String, Value>,
}

#[derive(Clone, Copy)]
enum How {
    AsItIs,
    /// Only without need of consent, which the tool itself does not check.
    UnlessConsentNeeded,
    /// Only in the state that the person saw.
    IfUnchanged(blake3::Hash),
}

struct ToolAnswer {
    result: CallToolResult,
    needs_agreement: bool,
    /// The question, if the preview made it.
    asking: Option<Question>,
}

impl Handler {
    fn refused(&self, call: &ToolCall, error: String) -> CallToolResult {
        let arrived = call.gate.arrive_from(&call.caller, call.operation.name, &call.arguments);
        let refused =
            arrived.answer(&CancelToken::new(), |_: &RunningCall| Err(error), |answer, _, _| answer);
        let refused = refused.map_err(|error| unserved::without(error, call.operation, &self.tools));
        let called = unserved::lean_tool(call.operation, &self.tools);
        self.answers.result(call.operation.name, &call.arguments, &refused, called, &places(&call.gate))
    }

    async fn carry_out(
        &self,
        call: &ToolCall,
        arrived: CallScope,
        how: How,
        ticket: Arc<Ticket>,
        context: &RequestContext<RoleServer>,
    ) -> Result<ToolAnswer, ErrorData> {
        let ToolCall { gate, operation, arguments, .. } = call;
        let (gate, operation, arguments) = (gate.clone(), *operation, arguments.clone());
        let (answer, mut answered) = oneshot::channel();
        let (walked, mut progress) = watch::channel(0);
        let (answers, tools, stopped) = (self.answers, self.tools.clone(), context.ct.clone());
        let until = arrived.until();
        ticket.submit(!operation.read_only, until, move |turn| {
            if stopped.is_cancelled() {
                return;
            }
            let looks = !arrived.changes();
            // A cancelled call gets no answer; it only has to end.
            let token = CancelToken::when({
                let stopped = stopped.clone();
                move || stopped.is_cancelled()
            });
            let mut asking = None;
            let carry_out = |running: &RunningCall| {
                if turn.is_err() {
                    return Some(Err(held_up(operation.name)));
                }
                if is_walk(operation, &arguments) {
                    return run_chunks(&gate, operation, &arguments, &token, &walked, running);
                }
                Some(match how {
                    How::AsItIs => gate.carry_out(operation.name, &json(&arguments), looks, &token, running),
                    How::IfUnchanged(fingerprint) => {
                        confirm::if_unchanged(&gate, operation, &arguments, fingerprint, &token, running)
                    }
                    How::UnlessConsentNeeded => {
                        let answer;
                        (answer, asking) =
                            confirm::unless_consent_needed(&gate, operation, &arguments, &token, running);
                        answer
                    }
                })
            };
            let note = |answer: Option<_>, note, _| answer.map(|answer| noted(answer, note));
            let Some(outcome) = arrived.answer(&token, carry_out, note) else { return };
            let outcome = outcome
                .map(|outcome| unserved::reworded(outcome, operation, &tools))
                .map_err(|error| unserved::without(error, operation, &tools));
            let called = unserved::lean_tool(operation, &tools);
            let result = answers.result(operation.name, &arguments, &outcome, called, &places(&gate));
            let needs_agreement = confirm::is_needed(&outcome);
            let _ = answer.send(ToolAnswer { result, needs_agreement, asking });
        });
        drop(ticket);
        let token = context.meta.get_progress_token();
        loop {
            tokio::select! {
                biased;
                answer = &mut answered => {
                    return answer.map_err(|_| ErrorData::internal_error("the call was not carried out", None));
                }
                Ok(()) = progress.changed(), if token.is_some() => {
                    let walked = *progress.borrow_and_update();
                    if let Some(token) = token.clone() {
                        let parameters = ProgressNotificationParam::new(token, walked as f64);
                        // A disconnected client is noticed at the answer.
                        let _ = context.peer.notify_progress(parameters).await;
                    }
                }
            }
        }
    }

    async fn speak(
        &self,
        front_end: &'static FrontEnd,
        caller: Caller,
        mut request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let arguments = request.arguments.take().unwrap_or_default();
        let text = Text::new(self.roots.granted().clone(), caller, front_end, arguments);
        let arrival = context.extensions.get::<Arrival>();
        let refused = |text: Text, error| front_ends::result(self.answers, &text.refused(error), &[]);
        if let Some((running, waiting)) = arrival.and_then(|arrival| arrival.refused) {
            let exceeded = Reason::Exceeded(Exceeded::Concurrent(running, waiting));
            return Ok(refused(text, execute::json(&Failure::from(exceeded).into_error("call"))));
        }
        let ticket = arrival.and_then(|arrival| arrival.ticket.clone());
        let ticket = ticket.unwrap_or_else(|| Arc::new(self.calls.ticket()));
        let Some(gate) = self.roots.open().await else {
            return Ok(refused(text, self.roots.refusal("call")));
        };
        let (answers, asks, stopped) = (self.answers, confirm::can_ask(context), context.ct.clone());
        let (answer, answered) = oneshot::channel();
        let until = gate.limits().patience();
        ticket.submit(true, until, move |turn| {
            let token = CancelToken::when(move || stopped.is_cancelled());
            let outcome = match turn {
                Ok(()) => text.carry_out(&gate, &token, asks),
                Err(Late) => text.refused(held_up("call")),
            };
            let _ = answer.send(front_ends::result(answers, &outcome, gate.directories()));
        });
        drop(ticket);
        answered.await.map_err(|_| ErrorData::internal_error("the call was not carried out", None))
    }

    /// Previews a refused call, and returns the question or the error that the call would have
    /// anyway.
    async fn question(
        &self,
        call: &ToolCall,
        context: &RequestContext<RoleServer>,
    ) -> Result<Result<Question, String>, ErrorData> {
        let ToolCall { gate, operation, arguments, .. } = call;
        let (gate, operation, arguments) = (gate.clone(), *operation, arguments.clone());
        let stopped = context.ct.clone();
        let (asked, asking) = oneshot::channel();
        let running = RunningCall::new(&gate.limits());
        self.calls.ticket().submit(false, running.until, move |turn| {
            let token = CancelToken::when(move || stopped.is_cancelled());
            let has_history = gate.state.is_some();
            // A preview is not a client's call, so the audit has no line for it.
            let look = || {
                gate.carry_out_in_steps(operation.name, &token, &running, |call| {
                    confirm::preview(call, operation, &arguments, has_history)
                })
            };
            let looked = turn.map_err(|Late| held_up(operation.name)).and_then(|()| look());
            // It needed consent a moment ago, so the state has changed.
            let _ = asked.send(looked.and_then(|asking| asking.ok_or_else(|| confirm::stale(operation))));
        });
        asking.await.map_err(|_| ErrorData::internal_error("the call was not carried out", None))
    }

    /// Makes a call if the person consents to the state `fingerprint`.
    async fn agreed(
        &self,
        call: &ToolCall,
        said: Agreed,
        fingerprint: blake3::Hash,
        ticket: Arc<Ticket>,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        if let Err(refusing) = said {
            return Ok(self.refused(call, confirm::refusal(call.operation, refusing)));
        }
        let ToolCall { caller, gate, operation, arguments } = call;
        let arrived = gate.arrive_from(caller, operation.name, arguments).confirmed_by("person");
        Ok(self.carry_out(call, arrived, How::IfUnchanged(fingerprint), ticket, context).await?.result)
    }
}

fn caller(context: &RequestContext<RoleServer>) -> Caller {
    let client = context.client_info().map(|client| format!("{} {}", client.name, client.version));
    Caller { front_end: MCP.to_owned(), client }
}

fn held_up(operation: &str) -> String {
    execute::json(&execute::held_up(GaveUp::Late, operation))
}

/// Runs a walk in chunks, or returns `None` if cancelled. Cancellation and the end of the time end
/// a running chunk by force.
fn run_chunks(
    gate: &Gate,
    operation: &'static Operation,
    arguments: &Map<String, Value>,
    token: &CancelToken,
    walked: &watch::Sender<u64>,
    running: &RunningCall,
) -> Option<Result<String, String>> {
    let mut walk = ChunkedWalk::new(operation, arguments, gate.limits().deadline);
    while let Some(chunk) = walk.next() {
        let (end, call) = (walk.end(), token.clone());
        let is_over = move || end.is_some_and(|end| Instant::now() >= end);
        let until = CancelToken::when(move || call.is_cancelled() || is_over());
        let answer = gate.carry_out(operation.name, &json(&chunk), true, &until, running);
        if token.is_cancelled() {
            return None;
        }
        walk.add(answer);
        walked.send_if_modified(|known| std::mem::replace(known, walk.walked()) != walk.walked());
    }
    Some(walk.finish())
}

fn json(arguments: &Map<String, Value>) -> String {
    // A map of JSON values always has a JSON form.
    serde_json::to_string(arguments).unwrap_or_default()
}
