//! `write-bytes`: a whole file of any kind.

use super::write::{Request, write};
use crate::changes::Planned;
use crate::view::View;
use fsgate_contract::edit_types::{WriteBytesArgs, WriteBytesOutcome};
use fsgate_volume::Volume;

/// Runs the operation.
pub fn run<V: Volume>(view: &View<V>, args: &WriteBytesArgs) -> Planned<V, WriteBytesOutcome> {
    let request = Request {
        path: &args.path,
        content: &args.bytes,
        encoding: None,
        is_named: false,
        parents: args.parents(),
        overwrite: args.overwrite(),
        if_match: args.if_match.as_deref(),
        if_none_match: args.if_none_match.as_deref(),
        diff: false,
        backup: args.backup(),
    };
    let (written, changes) = write(view, &request)?;
    let outcome = WriteBytesOutcome {
        path: written.path,
        etag_before: written.etag_before,
        etag: written.etag,
        bytes_written: written.bytes_written,
        created: written.created,
        overwrote: written.overwrote,
        undo_id: None,
        backup: None,
        notes: written.notes,
    };
    Ok((outcome, changes))
}
