//! `replace-lines`: other lines in the place of some, every other byte untouched.

use crate::changes::Planned;
use crate::edit::lines;
use crate::file::encoding::TextFormat;
use crate::view::View;
use fsgate_contract::edit_types::{ReplaceLinesArgs, ReplaceLinesOutcome};
use fsgate_error::Reason;
use fsgate_text::line_range::{PlacedLines, replacing};
use fsgate_text::number::parse_lines;
use fsgate_volume::Volume;

/// Runs the operation.
pub fn run<V: Volume>(view: &View<V>, args: &ReplaceLinesArgs) -> Planned<V, ReplaceLinesOutcome> {
    let numbers = parse_lines(&args.lines).map_err(|error| Reason::from(error).at(args.path.as_str()))?;
    let file = view.open_for_change(&args.path, args.if_match.as_deref())?;
    let format = TextFormat { encoding: args.encoding.as_deref(), escaped: args.escaped() };
    let file = file.as_text(&format, &[&args.content])?;
    let content = format.bytes(file.reader(), &args.content);
    let foreign = args.content.chars().find(|c| !c.is_ascii());
    let first = *numbers.start();
    let found = lines::find(file, numbers, &content, foreign)?;
    let PlacedLines { bytes, adapted } =
        replacing(&content, &found.region, &found.tally, args.exact_line_ends());
    let taken = lines::taken(first, &bytes);
    let range = found.region.start..found.region.end;
    let (edited, change) = lines::plan(found, range, bytes, args.diff())?;
    let outcome = ReplaceLinesOutcome { lines: taken, line_ends_adapted: adapted, ..edited.into() };
    Ok((outcome, vec![change]))
}
