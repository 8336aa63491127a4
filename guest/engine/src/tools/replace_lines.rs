//! `replace-lines`: other lines in the place of some or of a section, every other byte untouched.

use crate::changes::Planned;
use crate::edit::{lines, section};
use crate::file::encoding::TextFormat;
use crate::view::View;
use fsgate_contract::edit_types::{ReplaceLinesArgs, ReplaceLinesOutcome};
use fsgate_error::{Reason, SectionProblem};
use fsgate_text::line_range::{PlacedLines, replacing};
use fsgate_text::number::parse_lines;
use fsgate_volume::Volume;

/// Runs the operation.
pub fn run<V: Volume>(view: &View<V>, args: &ReplaceLinesArgs) -> Planned<V, ReplaceLinesOutcome> {
    let given = match (&args.lines, &args.section) {
        (Some(_), Some(_)) => return Err(Reason::Both("lines", "section").at(args.path.as_str())),
        (None, None) => return Err(Reason::from(SectionProblem::NoPlace("lines")).at(args.path.as_str())),
        (lines, _) => lines.as_deref().map(parse_lines).transpose(),
    };
    let given = given.map_err(|error| Reason::from(error).at(args.path.as_str()))?;
    let file = view.open_for_change(&args.path, args.if_match.as_deref())?;
    let format = TextFormat { encoding: args.encoding.as_deref(), escaped: args.escaped() };
    let file = file.as_text(&format, &[&args.content])?;
    let content = format.bytes(file.reader(), &args.content);
    let foreign = args.content.chars().find(|c| !c.is_ascii());
    let numbers = match (given, &args.section) {
        (None, Some(section)) => {
            let found = section::lines_alone(&file, section)?;
            if args.content.is_empty() { found.to_delete() } else { found.lines }
        }
        (given, _) => given.unwrap_or(1..=1),
    };
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
