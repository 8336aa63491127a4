//! The interface `edit`: changing what is in files.

use fsgate_contract::edit_types::{
    AppendArgs, AppendOutcome, ApplyArgs, ApplyOutcome, CommentLinesArgs, CommentLinesOutcome, CreateArgs,
    CreateOutcome, InsertLinesArgs, InsertLinesOutcome, ReplaceAllArgs, ReplaceAllOutcome, ReplaceArgs,
    ReplaceInFilesArgs, ReplaceInFilesOutcome, ReplaceLinesArgs, ReplaceLinesOutcome, ReplaceOutcome,
    UncommentLinesArgs, UncommentLinesOutcome, WriteArgs, WriteBytesArgs, WriteBytesOutcome, WriteOutcome,
};
use fsgate_contract::types::Error;
use fsgate_engine::tools;

use crate::bindings::exports::fsgate::tools::edit::Guest;
use crate::component::Component;
use crate::wasi::session;

impl Guest for Component {
    fn create(args: CreateArgs) -> Result<CreateOutcome, Error> {
        session(|session| session.run(tools::create::run, &args))
    }

    fn write(args: WriteArgs) -> Result<WriteOutcome, Error> {
        session(|session| session.run(tools::write::run, &args))
    }

    fn write_bytes(args: WriteBytesArgs) -> Result<WriteBytesOutcome, Error> {
        session(|session| session.run(tools::write_bytes::run, &args))
    }

    fn append(args: AppendArgs) -> Result<AppendOutcome, Error> {
        session(|session| session.run(tools::append::run, &args))
    }

    fn replace(args: ReplaceArgs) -> Result<ReplaceOutcome, Error> {
        session(|session| session.run(tools::replace::run, &args))
    }

    fn replace_all(args: ReplaceAllArgs) -> Result<ReplaceAllOutcome, Error> {
        session(|session| session.run(tools::replace_all::run, &args))
    }

    fn replace_lines(args: ReplaceLinesArgs) -> Result<ReplaceLinesOutcome, Error> {
        session(|session| session.run(tools::replace_lines::run, &args))
    }

    fn insert_lines(args: InsertLinesArgs) -> Result<InsertLinesOutcome, Error> {
        session(|session| session.run(tools::insert_lines::run, &args))
    }

    fn comment_lines(args: CommentLinesArgs) -> Result<CommentLinesOutcome, Error> {
        session(|session| session.run(tools::comment_lines::run, &args))
    }

    fn uncomment_lines(args: UncommentLinesArgs) -> Result<UncommentLinesOutcome, Error> {
        session(|session| session.run(tools::uncomment_lines::run, &args))
    }

    fn apply(args: ApplyArgs) -> Result<ApplyOutcome, Error> {
        session(|session| session.run(tools::apply::run, &args))
    }

    fn replace_in_files(args: ReplaceInFilesArgs) -> Result<ReplaceInFilesOutcome, Error> {
        session(|session| session.run(tools::replace_in_files::run, &args))
    }
}
