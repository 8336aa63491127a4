//! `insert-lines`: lines behind a line or before the first one, every other byte untouched.

use std::ops::RangeInclusive;

use crate::changes::Changes;
use crate::file::encoding::{self, TextFormat};
use crate::lined::{self, Made, Request};
use crate::view::View;
use fsgate_contract::edit_types::{InsertLinesArgs, InsertLinesOutcome};
use fsgate_error::{Failure, LineProblem, Reason};
use fsgate_text::line_end::count_lines;
use fsgate_text::region::{Placed, inserting};
use fsgate_volume::Volume;

/// Runs the operation.
pub fn run<V: Volume>(
    view: &View<V>,
    args: &InsertLinesArgs,
) -> Result<(InsertLinesOutcome, Changes<V>), Failure> {
    let source = view.open_for_change(&args.path)?;
    let wanted = TextFormat { label: args.encoding.as_deref(), escaped: args.escaped() };
    let source = encoding::as_text(source, &wanted, &[&args.content])?;
    let content = wanted.bytes(&source, &args.content);
    let foreign = args.content.chars().find(|c| !c.is_ascii());
    if args.content.is_empty() {
        return Err(source.refuse(Reason::Lines(LineProblem::NothingToInsert)));
    }
    let after = u64::from(args.after);
    let lines = if after == 0 { RangeInclusive::new(1, 0) } else { after..=after };
    let request = Request { lines, content: &content, foreign, if_match: args.if_match.as_deref() };
    let found = lined::find(&source, &request)?;
    let Placed { bytes, adapted } =
        inserting(&content, &found.region, &found.tally, args.exact_line_ends(), found.is_empty);
    // The line end that a last line gets belongs to that line.
    let lines = count_lines(&content);
    let (first, last) = (after + 1, after + lines);
    let path = source.path().to_owned();
    let range = found.region.end..found.region.end;
    let Made { etag_before, etag, bytes_written, diff, notes, changes } =
        lined::make(source, &found, range, bytes, args.diff())?;
    let outcome = InsertLinesOutcome {
        path,
        etag_before,
        etag,
        bytes_written,
        lines: if first == last { first.to_string() } else { format!("{first}-{last}") },
        line_ends_adapted: adapted,
        undo_id: None,
        diff,
        notes,
    };
    Ok((outcome, changes))
}
