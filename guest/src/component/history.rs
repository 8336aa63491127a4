//! The interface `history`: what was changed, and taking it back.

use fsgate_contract::history_types::{
    CheckpointArgs, CheckpointOutcome, ForgetArgs, ForgetOutcome, LogArgs, LogOutcome, RecoverArgs,
    RecoverOutcome, RedoArgs, RedoOutcome, RestoreArgs, RestoreOutcome, UndoArgs, UndoOutcome,
};
use fsgate_contract::types::Error;
use fsgate_engine::tools;

use crate::bindings::exports::fsgate::tools::history::Guest;
use crate::component::Component;
use crate::wasi::session;

impl Guest for Component {
    fn log(args: LogArgs) -> Result<LogOutcome, Error> {
        session(|session| session.run(tools::log::run, &args))
    }

    fn checkpoint(args: CheckpointArgs) -> Result<CheckpointOutcome, Error> {
        session(|session| session.run(tools::checkpoint::run, &args))
    }

    fn undo(args: UndoArgs) -> Result<UndoOutcome, Error> {
        session(|session| session.run(tools::undo::run, &args))
    }

    fn redo(args: RedoArgs) -> Result<RedoOutcome, Error> {
        session(|session| session.run(tools::redo::run, &args))
    }

    fn restore(args: RestoreArgs) -> Result<RestoreOutcome, Error> {
        session(|session| session.run(tools::restore::run, &args))
    }

    fn forget(args: ForgetArgs) -> Result<ForgetOutcome, Error> {
        session(|session| session.run(tools::forget::run, &args))
    }

    fn recover(args: RecoverArgs) -> Result<RecoverOutcome, Error> {
        session(|session| session.run(tools::recover::run, &args))
    }
}
