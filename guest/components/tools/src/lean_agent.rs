//! The interface `lean-agent`: the lean set in JSON.

use fsgate_compat::lean::agent;
use fsgate_contract::agent_types::{CallArgs, CallError, RewordArgs, Tool};

use crate::Component;
use crate::bindings::exports::fsgate::tools::lean_agent::Guest;

impl Guest for Component {
    fn tools() -> Vec<Tool> {
        agent::tools()
    }

    fn lower(args: CallArgs) -> Result<CallArgs, CallError> {
        agent::lower_call(&args)
    }

    fn reword(args: RewordArgs) -> String {
        agent::reword_answer(&args)
    }
}
