//! The interface `agent`: the operations in JSON.

use fsgate_contract::agent_types::{CallArgs, CallError, CallOutcome, ShowArgs, Tool};

use crate::bindings::exports::fsgate::tools::agent::Guest;
use crate::{Component, session};

impl Guest for Component {
    fn tools() -> Vec<Tool> {
        fsgate_contract::catalogue()
    }

    fn call(args: CallArgs) -> Result<CallOutcome, CallError> {
        session(|session| fsgate_wasi::call(session, &args))
    }

    fn show(args: ShowArgs) -> String {
        session(|session| fsgate_cli::show(&args, session.first_grant().as_deref()))
    }
}
