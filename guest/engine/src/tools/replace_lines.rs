//! `replace-lines`: other lines in the place of some, every other byte untouched.

use crate::changes::Changes;
use crate::file::encoding::{self, TextFormat};
use crate::lined::{self, Made, Request};
use crate::view::View;
use fsgate_contract::edit_types::{ReplaceLinesArgs, ReplaceLinesOutcome};
use fsgate_error::{Failure, Reason};
use fsgate_text::number::parse_lines;
use fsgate_text::region::{Placed, replacing};
use fsgate_volume::Volume;

/// Runs the operation.
pub fn run<V: Volume>(
    view: &View<V>,
    args: &ReplaceLinesArgs,
) -> Result<(ReplaceLinesOutcome, Changes<V>), Failure> {
    let lines = parse_lines(&args.lines).map_err(|error| Reason::from(error).at(args.path.as_str()))?;
    let source = view.open_for_change(&args.path)?;
    let wanted = TextFormat { label: args.encoding.as_deref(), escaped: args.escaped() };
    let source = encoding::as_text(source, &wanted, &[&args.content])?;
    let content = wanted.bytes(&source, &args.content);
    let foreign = args.content.chars().find(|c| !c.is_ascii());
    let first = *lines.start();
    let request = Request { lines, content: &content, foreign, if_match: args.if_match.as_deref() };
    let found = lined::find(&source, &request)?;
    let Placed { bytes, adapted } = replacing(&content, &found.region, &found.tally, args.exact_line_ends());
    let taken = lined::taken(first, &bytes);
    let path = source.path().to_owned();
    let range = found.region.start..found.region.end;
    let Made { etag_before, etag, bytes_written, diff, notes, changes } =
        lined::make(source, &found, range, bytes, args.diff())?;
    let outcome = ReplaceLinesOutcome {
        path,
        etag_before,
        etag,
        bytes_written,
        lines: taken,
        line_ends_adapted: adapted,
        undo_id: None,
        diff,
        notes,
    };
    Ok((outcome, changes))
}
