//! `comment-lines`: lines become comments, every other byte untouched.

use super::marked::{self, Marks};
use crate::changes::Changes;
use crate::view::View;
use fsgate_contract::edit_types::{CommentLinesArgs, CommentLinesOutcome};
use fsgate_contract::limits::LINES_LISTED;
use fsgate_error::{Failure, LineProblem};
use fsgate_text::comment::commented;
use fsgate_volume::Volume;

/// Runs the operation.
pub fn run<V: Volume>(
    view: &View<V>,
    args: &CommentLinesArgs,
) -> Result<(CommentLinesOutcome, Changes<V>), Failure> {
    let request = marked::Request {
        path: &args.path,
        lines: &args.lines,
        syntax: args.syntax.as_deref(),
        encoding: args.encoding.as_deref(),
        if_match: args.if_match.as_deref(),
        diff: args.diff(),
        comments: true,
    };
    let Marks { path, syntax, changed, lines, made } = marked::make(view, &request, |lines| {
        commented(lines.text, lines.marks[0], LINES_LISTED).map_err(|closes| {
            let line = lines.first + closes.line;
            LineProblem::Closes { line, holds: closes.holds }
        })
    })?;
    let outcome = CommentLinesOutcome {
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
