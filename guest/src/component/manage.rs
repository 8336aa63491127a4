//! The interface `manage`: changing what is in directories.

use fsgate_contract::manage_types::{
    CopyArgs, CopyOutcome, CreateDirectoryArgs, CreateDirectoryOutcome, DeleteArgs, DeleteDirectoryArgs,
    DeleteDirectoryOutcome, DeleteOutcome, MoveArgs, MoveOutcome,
};
use fsgate_contract::types::Error;
use fsgate_engine::tools;

use crate::bindings::exports::fsgate::tools::manage::Guest;
use crate::component::Component;
use crate::wasi::session;

impl Guest for Component {
    fn create_directory(args: CreateDirectoryArgs) -> Result<CreateDirectoryOutcome, Error> {
        session(|session| session.run(tools::create_directory::run, &args))
    }

    fn copy(args: CopyArgs) -> Result<CopyOutcome, Error> {
        session(|session| session.run(tools::copy::run, &args))
    }

    fn move_(args: MoveArgs) -> Result<MoveOutcome, Error> {
        session(|session| session.run(tools::r#move::run, &args))
    }

    fn delete(args: DeleteArgs) -> Result<DeleteOutcome, Error> {
        session(|session| session.run(tools::delete::run, &args))
    }

    fn delete_directory(args: DeleteDirectoryArgs) -> Result<DeleteDirectoryOutcome, Error> {
        session(|session| session.run(tools::delete_directory::run, &args))
    }
}
