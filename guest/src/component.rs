//! The exports: one line per operation.

use fsgate_core::agent;
use fsgate_core::contract::agent_types::{CallArgs, CallError, CallOutcome, Tool};
use fsgate_core::contract::edit_types::{
    AppendArgs, AppendOutcome, ApplyArgs, ApplyOutcome, CommentLinesArgs, CommentLinesOutcome, CreateArgs,
    CreateOutcome, InsertLinesArgs, InsertLinesOutcome, ReplaceAllArgs, ReplaceAllOutcome, ReplaceArgs,
    ReplaceInFilesArgs, ReplaceInFilesOutcome, ReplaceLinesArgs, ReplaceLinesOutcome, ReplaceOutcome,
    UncommentLinesArgs, UncommentLinesOutcome, WriteArgs, WriteBytesArgs, WriteBytesOutcome, WriteOutcome,
};
use fsgate_core::contract::front_ends_types::{
    CommandArgs, CommandOutcome, FileActionArgs, FileActionOutcome, PluginArgs, PluginOutcome, ShamArgs,
    ShamOutcome, WorkflowArgs, WorkflowOutcome,
};
use fsgate_core::contract::history_types::{
    CheckpointArgs, CheckpointOutcome, ForgetArgs, ForgetOutcome, LogArgs, LogOutcome, RecoverArgs,
    RecoverOutcome, RedoArgs, RedoOutcome, RestoreArgs, RestoreOutcome, UndoArgs, UndoOutcome,
};
use fsgate_core::contract::manage_types::{
    CopyArgs, CopyOutcome, CreateDirectoryArgs, CreateDirectoryOutcome, DeleteArgs, DeleteDirectoryArgs,
    DeleteDirectoryOutcome, DeleteOutcome, MoveArgs, MoveOutcome,
};
use fsgate_core::contract::read_types::{
    ExistsArgs, ExistsOutcome, ReadArgs, ReadBytesArgs, ReadBytesOutcome, ReadManyArgs, ReadManyOutcome,
    ReadNumberedArgs, ReadNumberedOutcome, ReadOutcome, StatArgs, StatOutcome,
};
use fsgate_core::contract::search_types::{
    GlobArgs, GlobOutcome, GrepArgs, GrepOutcome, ListDirectoryArgs, ListDirectoryOutcome, TreeArgs,
    TreeOutcome,
};
use fsgate_core::contract::types::Error;
use fsgate_core::session::Session;
use fsgate_core::{front_ends, tools};

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

impl exports::search::Guest for Component {
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

impl exports::edit::Guest for Component {
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

impl exports::manage::Guest for Component {
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

impl exports::history::Guest for Component {
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

impl exports::agent::Guest for Component {
    fn tools() -> Vec<Tool> {
        agent::catalogue()
    }

    fn call(args: CallArgs) -> Result<CallOutcome, CallError> {
        session(|session| agent::call(session, &args))
    }
}

impl exports::audit::Guest for Component {
    fn hidden() -> Vec<String> {
        session(Session::hidden)
    }
}

impl exports::front_ends::Guest for Component {
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

crate::bindings::export!(Component with_types_in crate::bindings);
