//! The interface `read`: looking at one file.

use fsgate_contract::read_types::{
    ExistsArgs, ExistsOutcome, ReadArgs, ReadBytesArgs, ReadBytesOutcome, ReadManyArgs, ReadManyOutcome,
    ReadNumberedArgs, ReadNumberedOutcome, ReadOutcome, StatArgs, StatOutcome,
};
use fsgate_contract::types::Error;
use fsgate_engine::tools;

use crate::bindings::exports::fsgate::tools::read::Guest;
use crate::component::Component;
use crate::wasi::session;

impl Guest for Component {
    fn read(args: ReadArgs) -> Result<ReadOutcome, Error> {
        session(|session| session.run(tools::read::run, &args))
    }

    fn read_numbered(args: ReadNumberedArgs) -> Result<ReadNumberedOutcome, Error> {
        session(|session| session.run(tools::read_numbered::run, &args))
    }

    fn read_many(args: ReadManyArgs) -> Result<ReadManyOutcome, Error> {
        session(|session| session.run(tools::read_many::run, &args))
    }

    fn read_bytes(args: ReadBytesArgs) -> Result<ReadBytesOutcome, Error> {
        session(|session| session.run(tools::read_bytes::run, &args))
    }

    fn stat(args: StatArgs) -> Result<StatOutcome, Error> {
        session(|session| session.run(tools::stat::run, &args))
    }

    fn exists(args: ExistsArgs) -> Result<ExistsOutcome, Error> {
        session(|session| session.run(tools::exists::run, &args))
    }
}
