//! The frame around a call: admission, audit and answer.

use std::sync::Arc;
use std::time::Instant;

use fsgate_contract::types::{Error, Note};
use fsgate_contract::{Arguments, Operation};
use fsgate_error::{ChangeState, Exceeded, Failure, Reason};
use serde::Serialize;
#[cfg(feature = "mcp")]
use serde_json::Map;
use serde_json::{Value, json};

use crate::audit::{AnswerFields, AuditEntry, AuditFacts, Auditor, CallFields, Caller};
use crate::cancel::CancelToken;
use crate::execute;
use crate::gate::Gate;
use crate::limits::{Admitted, Deadline, Limits};

/// The argument that confirms; operations without it refuse it.
const CONFIRM: &str = "confirm";

/// An arrived call. Dropped without an answer, the audit counts it as cancelled.
pub(crate) struct CallScope {
    tool: String,
    changes: bool,
    begun: Instant,
    until: Deadline,
    audit: Option<(Arc<Auditor>, AuditEntry)>,
    place: Result<Admitted, Exceeded>,
    most: usize,
}

#[derive(Debug)]
pub(crate) struct RunningCall {
    pub(crate) until: Deadline,
    pub(crate) audit_facts: AuditFacts,
}

impl RunningCall {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self::waiting(limits.patience())
    }

    fn waiting(until: Deadline) -> Self {
        Self { until, audit_facts: AuditFacts::default() }
    }
}

pub(crate) trait CallAnswer: Sized {
    fn refused(error: Error) -> Self;

    fn audit_fields(&self, changes: bool) -> AnswerFields;

    /// Bytes of JSON; 0 for a typed outcome.
    fn bytes(&self) -> usize;
}

impl Gate {
    pub(crate) fn arrive<A: Arguments + Serialize>(&self, args: &A) -> CallScope {
        let fields = self.audit.as_ref().map(|audit| CallFields::typed(args, audit.wants_arguments()));
        let reads = A::READ_ONLY || args.is_dry_run();
        self.arrived(&self.caller, A::OPERATION, reads, fields)
    }

    pub(crate) fn arrive_json(&self, tool: &str, arguments: &str) -> CallScope {
        let fields = match &self.audit {
            Some(audit) => Some(CallFields::json(tool, arguments, audit.wants_arguments())),
            None if is_read_only(tool) => None,
            None => Some(CallFields::json(tool, arguments, false)),
        };
        let reads = is_read_only(tool) || fields.as_ref().is_some_and(|fields| fields.changes_nothing(tool));
        self.arrived(&self.caller, tool, reads, fields)
    }

    /// Admits a call in JSON from a caller other than the gate's.
    #[cfg(feature = "mcp")]
    pub(crate) fn arrive_from(
        &self,
        caller: &Caller,
        tool: &str,
        arguments: &Map<String, Value>,
    ) -> CallScope {
        let whole = self.audit.as_ref().is_some_and(|audit| audit.wants_arguments());
        let fields = CallFields::object(tool, arguments, whole);
        self.arrived(caller, tool, is_read_only(tool) || fields.changes_nothing(tool), Some(fields))
    }

    fn arrived(&self, caller: &Caller, tool: &str, reads: bool, fields: Option<CallFields>) -> CallScope {
        let entry = |audit: &Arc<Auditor>| {
            let fields = fields.unwrap_or_default();
            let agrees = Operation::find(tool)
                .is_some_and(|tool| tool.fields.iter().any(|field| field.name == CONFIRM));
            let entry = AuditEntry {
                caller: caller.clone(),
                tool: tool.to_owned(),
                changes: !reads,
                confirmed: (agrees && fields.confirm).then_some(caller.agrees_as()),
                call: fields,
                intent: None,
            };
            (audit.clone(), entry)
        };
        CallScope {
            tool: tool.to_owned(),
            changes: !reads,
            begun: Instant::now(),
            until: self.limits.patience(),
            audit: self.audit.as_ref().map(entry),
            place: self.admission.enter(),
            most: self.limits().result,
        }
    }
}

/// Unknown tools count as read-only.
fn is_read_only(tool: &str) -> bool {
    Operation::find(tool).is_none_or(|operation| operation.read_only)
}

impl CallScope {
    pub(crate) fn changes(&self) -> bool {
        self.changes
    }

    #[cfg(feature = "mcp")]
    pub(crate) fn until(&self) -> Deadline {
        self.until
    }

    #[cfg(feature = "mcp")]
    pub(crate) fn confirmed_by(mut self, who: &'static str) -> Self {
        if let Some((_, entry)) = &mut self.audit {
            entry.confirmed = Some(who);
        }
        self
    }

    /// Runs an admitted call, and audits its result. `note` adds a note to an outcome; it also gets
    /// the id of the change.
    pub(crate) fn answer<T: CallAnswer>(
        mut self,
        token: &CancelToken,
        call: impl FnOnce(&RunningCall) -> T,
        note: impl FnOnce(T, Note, Option<String>) -> T,
    ) -> T {
        let changes = self.changes;
        let admitted = match &self.place {
            Ok(place) => place.wait(&|| token.is_cancelled()),
            Err(exceeded) => Err(Reason::Exceeded(exceeded.clone())),
        };
        if let Err(reason) = admitted {
            let answer = T::refused(self.error(reason));
            self.write(&answer.audit_fields(changes));
            return answer;
        }
        if let Some((audit, entry)) = &mut self.audit
            && audit.is_required()
            && changes
        {
            match audit.intent(entry) {
                Ok(number) => entry.intent = Some(number),
                Err(problem) => {
                    self.audit = None;
                    return T::refused(self.error(Reason::Unaudited(problem)));
                }
            }
        }
        let running = RunningCall::waiting(self.until);
        let mut answer = call(&running);
        let bytes = answer.bytes();
        if bytes <= self.most && self.audit.is_none() {
            return answer;
        }
        let mut fields = running.audit_facts.complete(answer.audit_fields(changes));
        if bytes > self.most {
            let error = self.too_much(bytes, &fields);
            fields = AnswerFields { outcome: "limit".to_owned(), which: Some("result".to_owned()), ..fields };
            answer = T::refused(error);
        }
        let Some((audit, entry)) = self.audit.take() else { return answer };
        match audit.outcome(&entry, &fields, self.begun.elapsed()) {
            Err(problem) if audit.is_required() && !changes => {
                T::refused(self.error(Reason::AnswerUnaudited(problem)))
            }
            Err(problem) if audit.is_required() => {
                let text =
                    format!("what has become of this call is not written down in the audit: {problem}");
                note(answer, Note { kind: "unaudited".to_owned(), text }, fields.undo_id)
            }
            _ => answer,
        }
    }

    /// The error for a too large answer. It names the change, so that the caller can undo it.
    fn too_much(&self, bytes: usize, fields: &AnswerFields) -> Error {
        let standing = if fields.applied { ChangeState::Done } else { ChangeState::Untouched };
        let exceeded = Exceeded::Result(bytes as u64, self.most as u64, standing);
        let mut error = self.error(Reason::Exceeded(exceeded));
        error.details = fields.undo_id.as_ref().map(|id| json!({ "undo_id": id }).to_string());
        error
    }

    #[cfg(feature = "mcp")]
    pub(crate) fn refused(mut self, code: &str) {
        self.write(&AnswerFields::code(code));
    }

    fn error(&self, reason: Reason) -> Error {
        let operation = Operation::find(&self.tool).map_or("call", |operation| operation.name);
        Failure::from(reason).into_error(operation)
    }

    fn write(&mut self, fields: &AnswerFields) {
        if let Some((audit, entry)) = self.audit.take() {
            // The error has already been reported.
            let _ = audit.outcome(&entry, fields, self.begun.elapsed());
        }
    }
}

impl Drop for CallScope {
    fn drop(&mut self) {
        // A panic is a fault of the program, not a cancellation.
        self.write(&AnswerFields::code(if std::thread::panicking() { "other" } else { "cancelled" }));
    }
}

impl<T: Serialize> CallAnswer for Result<T, Error> {
    fn refused(error: Error) -> Self {
        Err(error)
    }

    fn audit_fields(&self, changes: bool) -> AnswerFields {
        match self {
            Ok(outcome) => AnswerFields::typed(outcome, changes),
            Err(error) => AnswerFields::error(error),
        }
    }

    /// Typed outcomes have the component's own limit.
    fn bytes(&self) -> usize {
        0
    }
}

impl CallAnswer for Result<String, String> {
    fn refused(error: Error) -> Self {
        Err(execute::json(&error))
    }

    fn audit_fields(&self, changes: bool) -> AnswerFields {
        match self {
            Ok(outcome) => AnswerFields::json(outcome, changes),
            Err(error) => AnswerFields::json_error(error),
        }
    }

    fn bytes(&self) -> usize {
        self.as_ref().map_or(0, String::len)
    }
}

/// `None` is a cancelled call: its caller has left.
impl<T: CallAnswer> CallAnswer for Option<T> {
    fn refused(error: Error) -> Self {
        Some(T::refused(error))
    }

    fn audit_fields(&self, changes: bool) -> AnswerFields {
        self.as_ref().map_or_else(|| AnswerFields::code("cancelled"), |answer| answer.audit_fields(changes))
    }

    fn bytes(&self) -> usize {
        self.as_ref().map_or(0, CallAnswer::bytes)
    }
}

pub(crate) fn noted(answer: Result<String, String>, note: Note) -> Result<String, String> {
    answer.map(|outcome| {
        let Ok(Value::Object(mut fields)) = serde_json::from_str(&outcome) else { return outcome };
        let notes = fields.entry("notes").or_insert_with(|| Value::Array(Vec::new()));
        if let (Value::Array(notes), Ok(note)) = (notes, serde_json::to_value(note)) {
            notes.push(note);
        }
        Value::Object(fields).to_string()
    })
}
