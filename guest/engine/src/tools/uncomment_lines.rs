//! `uncomment-lines`: comments become lines again, every other byte untouched.

use super::marked::{self, Marks};
use crate::changes::Changes;
use crate::view::View;
use fsgate_contract::edit_types::{UncommentLinesArgs, UncommentLinesOutcome};
use fsgate_contract::limits::LINES_LISTED;
use fsgate_error::Failure;
use fsgate_text::comment::uncommented;
use fsgate_volume::Volume;

/// Runs the operation.
pub fn run<V: Volume>(
    view: &View<V>,
    args: &UncommentLinesArgs,
) -> Result<(UncommentLinesOutcome, Changes<V>), Failure> {
    let request = marked::Request {
        path: &args.path,
        lines: &args.lines,
        syntax: args.syntax.as_deref(),
        encoding: args.encoding.as_deref(),
        if_match: args.if_match.as_deref(),
        diff: args.diff(),
        comments: false,
    };
    let Marks { path, syntax, changed, lines, made } = marked::make(view, &request, |lines| {
        uncommented(lines.text, lines.marks, LINES_LISTED, |begin| lines.is_content(begin))
            .map_err(|line| lines.content(line))
    })?;
    let outcome = UncommentLinesOutcome {
        path,
        etag_before: made.etag_before,
        etag: made.etag,
        bytes_written: made.bytes_written,
        syntax,
        changed,
        lines,
        undo_id: None,
        diff: made.diff,
        notes: made.notes,
    };
    Ok((outcome, made.changes))
}
