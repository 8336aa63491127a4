//! `uncomment-lines`: comments become lines again, every other byte untouched.

use super::comment_edit::{self, Marks};
use crate::changes::Planned;
use crate::view::View;
use fsgate_contract::edit_types::{UncommentLinesArgs, UncommentLinesOutcome};
use fsgate_contract::limits::LINES_LISTED;
use fsgate_text::comment::uncommented;
use fsgate_volume::Volume;

/// Runs the operation.
pub fn run<V: Volume>(view: &View<V>, args: &UncommentLinesArgs) -> Planned<V, UncommentLinesOutcome> {
    let request = comment_edit::Request {
        path: &args.path,
        lines: &args.lines,
        syntax: args.syntax.as_deref(),
        encoding: args.encoding.as_deref(),
        if_match: args.if_match.as_deref(),
        diff: args.diff(),
        comments: false,
    };
    let Marks { syntax, changed, lines, edited, change } = comment_edit::make(view, &request, |lines| {
        uncommented(lines.text, lines.marks, LINES_LISTED, |begin| lines.is_content(begin))
            .map_err(|line| lines.content(line))
    })?;
    Ok((UncommentLinesOutcome { syntax, changed, lines, ..edited.into() }, vec![change]))
}
