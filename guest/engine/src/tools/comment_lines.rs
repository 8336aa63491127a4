//! `comment-lines`: lines become comments, every other byte untouched.

use super::comment_edit::{self, Marks};
use crate::changes::Planned;
use crate::view::View;
use fsgate_contract::edit_types::{CommentLinesArgs, CommentLinesOutcome};
use fsgate_contract::limits::LINES_LISTED;
use fsgate_error::LineProblem;
use fsgate_text::comment::commented;
use fsgate_volume::Volume;

/// Runs the operation.
pub fn run<V: Volume>(view: &View<V>, args: &CommentLinesArgs) -> Planned<V, CommentLinesOutcome> {
    let Marks { syntax, changed, lines, edited, change } = comment_edit::make(view, args, true, |lines| {
        commented(lines.text, lines.marks[0], LINES_LISTED).map_err(|closes| {
            let line = lines.first + closes.line;
            LineProblem::Closes { line, holds: closes.holds }
        })
    })?;
    Ok((CommentLinesOutcome { syntax, changed, lines, ..edited.into() }, vec![change]))
}
