//! `write-bytes`: a whole file of any kind.

use super::write;
use crate::changes::Planned;
use crate::view::View;
use fsgate_contract::edit_types::{WriteArgs, WriteBytesArgs, WriteBytesOutcome, WriteOutcome};
use fsgate_volume::Volume;

/// Runs the operation.
pub fn run<V: Volume>(view: &View<V>, args: &WriteBytesArgs) -> Planned<V, WriteBytesOutcome> {
    let write = WriteArgs {
        path: args.path.clone(),
        parents: args.parents,
        overwrite: args.overwrite,
        if_match: args.if_match.clone(),
        if_none_match: args.if_none_match.clone(),
        backup: args.backup,
        ..WriteArgs::default()
    };
    let (written, changes) = write::write(view, &write, &args.bytes, None)?;
    let WriteOutcome { path, etag_before, etag, bytes_written, created, overwrote, notes, .. } = written;
    let outcome = WriteBytesOutcome {
        path,
        etag_before,
        etag,
        bytes_written,
        created,
        overwrote,
        notes,
        ..WriteBytesOutcome::default()
    };
    Ok((outcome, changes))
}
