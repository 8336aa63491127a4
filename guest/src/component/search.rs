//! The interface `search`: looking at many files.

use fsgate_contract::search_types::{
    GlobArgs, GlobOutcome, GrepArgs, GrepOutcome, ListDirectoryArgs, ListDirectoryOutcome, TreeArgs,
    TreeOutcome,
};
use fsgate_contract::types::Error;
use fsgate_engine::tools;

use crate::bindings::exports::fsgate::tools::search::Guest;
use crate::component::Component;
use crate::wasi::session;

impl Guest for Component {
    fn list_directory(args: ListDirectoryArgs) -> Result<ListDirectoryOutcome, Error> {
        session(|session| session.run(tools::list_directory::run, &args))
    }

    fn tree(args: TreeArgs) -> Result<TreeOutcome, Error> {
        session(|session| session.run(tools::tree::run, &args))
    }

    fn glob(args: GlobArgs) -> Result<GlobOutcome, Error> {
        session(|session| session.run(tools::glob::run, &args))
    }

    fn grep(args: GrepArgs) -> Result<GrepOutcome, Error> {
        session(|session| session.run(tools::grep::run, &args))
    }
}
