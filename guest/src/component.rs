//! The exports: one line per operation.

use fsgate_core::agent;
use fsgate_core::contract::agent_types::{CallArgs, CallError, CallOutcome, Tool};
use fsgate_core::contract::edit_types::{CreateArgs, CreateOutcome, ReplaceArgs, ReplaceOutcome};
use fsgate_core::contract::read_types::{ReadArgs, ReadNumberedArgs, ReadNumberedOutcome, ReadOutcome};
use fsgate_core::contract::types::Error;
use fsgate_core::tools;

use crate::bindings::exports::fsgate::tools as exports;
use crate::wasi::session;

struct Component;

impl exports::read::Guest for Component {
    fn read(args: ReadArgs) -> Result<ReadOutcome, Error> {
        session(|session| session.run(tools::read::run, &args))
    }

    fn read_numbered(args: ReadNumberedArgs) -> Result<ReadNumberedOutcome, Error> {
        session(|session| session.run(tools::read_numbered::run, &args))
    }
}

impl exports::edit::Guest for Component {
    fn create(args: CreateArgs) -> Result<CreateOutcome, Error> {
        session(|session| session.run(tools::create::run, &args))
    }

    fn replace(args: ReplaceArgs) -> Result<ReplaceOutcome, Error> {
        session(|session| session.run(tools::replace::run, &args))
    }
}

impl exports::agent::Guest for Component {
    fn tools() -> Vec<Tool> {
        agent::catalogue()
    }

    fn call(args: CallArgs) -> Result<CallOutcome, CallError> {
        session(|session| agent::call(session, &args))
    }
}

crate::bindings::export!(Component with_types_in crate::bindings);
