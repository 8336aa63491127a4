//! `uncomment-lines`: comments become lines again, every other byte untouched.

use super::comment_edit::{self, Marks};
use crate::changes::Planned;
use crate::view::View;
use fsgate_contract::edit_types::{CommentLinesArgs, UncommentLinesArgs, UncommentLinesOutcome};
use fsgate_contract::limits::LINES_LISTED;
use fsgate_text::comment::uncommented;
use fsgate_volume::Volume;

/// Runs the operation.
pub fn run<V: Volume>(view: &View<V>, args: &UncommentLinesArgs) -> Planned<V, UncommentLinesOutcome> {
    let lines = CommentLinesArgs {
        path: args.path.clone(),
        lines: args.lines.clone(),
        syntax: args.syntax.clone(),
        encoding: args.encoding.clone(),
        if_match: args.if_match.clone(),
        diff: args.diff,
        ..CommentLinesArgs::default()
    };
    let Marks { syntax, changed, lines, edited, change } =
        comment_edit::make(view, &lines, false, |lines| {
            uncommented(lines.text, lines.marks, LINES_LISTED, |begin| lines.content_at(begin).is_some())
                .map_err(|line| lines.content(line))
        })?;
    Ok((UncommentLinesOutcome { syntax, changed, lines, ..edited.into() }, vec![change]))
}
