//! The interface `front-ends`: the languages of other systems.

use fsgate_compat as front_ends;
use fsgate_contract::front_ends_types::{
    CommandArgs, CommandOutcome, FileActionArgs, FileActionOutcome, PluginArgs, PluginOutcome, ShamArgs,
    ShamOutcome, WorkflowArgs, WorkflowOutcome,
};

use crate::bindings::exports::fsgate::tools::front_ends::Guest;
use crate::{Component, session};

impl Guest for Component {
    fn sham(args: ShamArgs) -> ShamOutcome {
        session(|session| front_ends::sham::run(session, &args))
    }

    fn command(args: CommandArgs) -> CommandOutcome {
        session(|session| front_ends::command::run(session, &args))
    }

    fn file_action(args: FileActionArgs) -> FileActionOutcome {
        session(|session| front_ends::file_action::run(session, &args))
    }

    fn workflow(args: WorkflowArgs) -> WorkflowOutcome {
        session(|session| front_ends::workflow::run(session, &args))
    }

    fn plugin(args: PluginArgs) -> PluginOutcome {
        session(|session| front_ends::plugin::run(session, &args))
    }
}
