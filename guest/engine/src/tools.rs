//! The operations, one file each. `run` looks through a [`View`](crate::view::View), and returns
//! the outcome and the changes.

use crate::pager::cursor::WalkPosition;
use fsgate_error::{Failure, Reason};

pub mod append;
pub mod apply;
pub mod checkpoint;
mod comment_edit;
pub mod comment_lines;
pub mod copy;
pub mod create;
pub mod create_directory;
pub mod delete;
pub mod delete_directory;
pub mod exists;
pub mod forget;
pub mod glob;
pub mod grep;
pub mod insert_lines;
pub mod list_directory;
mod listing;
pub mod log;
pub mod r#move;
mod multi_file;
pub mod outline;
pub mod read;
pub mod read_bytes;
pub mod read_many;
pub mod read_numbered;
pub mod recover;
pub mod redo;
pub mod replace;
pub mod replace_all;
pub mod replace_in_files;
pub mod replace_lines;
pub mod restore;
pub mod stat;
pub mod tree;
pub mod uncomment_lines;
pub mod undo;
pub mod write;
pub mod write_bytes;

fn walk_position(cursor: Option<&str>, path: &str) -> Result<Option<WalkPosition>, Failure> {
    let parsed = |cursor| WalkPosition::parse(cursor).ok_or_else(|| Reason::InvalidCursor.at(path));
    cursor.map(parsed).transpose()
}

/// Plans a call whose destination may be a directory; an error is that of the full path.
fn to_whole_path<T>(plan: impl Fn(Option<String>) -> Result<T, Failure>) -> Result<T, Failure> {
    plan(None).map_err(|mut failure| {
        if let Reason::DestinationIsDirectory { meant, refused } = &mut failure.reason {
            *refused = plan(Some(meant.clone())).err().map(|next| Box::new(next.reason));
        }
        failure
    })
}

fn count(value: u64) -> Option<u32> {
    u32::try_from(value).ok()
}
