//! `uncomment-lines`: comments become lines again, every other byte untouched.

use super::comment_edit::{self, Marks};
use crate::changes::Change;
use crate::edit::splice::SplicePlan;
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
) -> Result<(UncommentLinesOutcome, Vec<Change<V>>), Failure> {
    let request = comment_edit::Request {
        path: &args.path,
        lines: &args.lines,
        syntax: args.syntax.as_deref(),
        encoding: args.encoding.as_deref(),
        if_match: args.if_match.as_deref(),
        diff: args.diff(),
        comments: false,
    };
    let Marks { syntax, changed, lines, plan } = comment_edit::make(view, &request, |lines| {
        uncommented(lines.text, lines.marks, LINES_LISTED, |begin| lines.is_content(begin))
            .map_err(|line| lines.content(line))
    })?;
    let SplicePlan { path, etag_before, etag, bytes_written, diff, notes, change } = plan;
    let outcome = UncommentLinesOutcome {
        path,
        etag_before,
        etag,
        bytes_written,
        syntax,
        changed,
        lines,
        undo_id: None,
        diff,
        notes,
    };
    Ok((outcome, vec![change]))
}
