//! `insert-lines`: lines after a line, or beside a section; every other byte untouched.

use std::ops::RangeInclusive;

use crate::changes::Planned;
use crate::edit::{lines, section};
use crate::file::encoding::TextFormat;
use crate::view::View;
use fsgate_contract::edit_types::{InsertLinesArgs, InsertLinesOutcome};
use fsgate_error::{LineProblem, Reason, SectionProblem};
use fsgate_text::line_range::{PlacedLines, inserting};
use fsgate_volume::Volume;

/// Runs the operation.
pub fn run<V: Volume>(view: &View<V>, args: &InsertLinesArgs) -> Planned<V, InsertLinesOutcome> {
    let refused = match (args.after, &args.section) {
        (Some(_), Some(_)) => Some(Reason::Both("after", "section")),
        (None, None) => Some(SectionProblem::NoPlace("after").into()),
        (Some(_), None) if args.before() => Some(Reason::OnlyWith("before", "section")),
        _ => None,
    };
    if let Some(reason) = refused {
        return Err(reason.at(args.path.as_str()));
    }
    let file = view.open_for_change(&args.path, args.if_match.as_deref())?;
    let format = TextFormat { encoding: args.encoding.as_deref(), escaped: args.escaped() };
    let file = file.as_text(&format, &[&args.content])?;
    let content = format.bytes(file.reader(), &args.content);
    let foreign = args.content.chars().find(|c| !c.is_ascii());
    if args.content.is_empty() {
        return Err(file.refuse(LineProblem::NothingToInsert));
    }
    let after = match &args.section {
        Some(section) => {
            let found = section::lines_alone(&file, section)?;
            if args.before() { found.above - 1 } else { found.to_append(&args.content) }
        }
        None => args.after.unwrap_or_default().into(),
    };
    let place = if after == 0 { RangeInclusive::new(1, 0) } else { after..=after };
    let found = lines::find(file, place, &content, foreign)?;
    let PlacedLines { bytes, adapted } =
        inserting(&content, &found.region, &found.tally, args.exact_line_ends(), found.is_empty);
    let range = found.region.end..found.region.end;
    let (edited, change) = lines::plan(found, range, bytes, args.diff())?;
    // The line end that a last line gets belongs to that line.
    let lines = lines::taken(after + 1, &content).unwrap_or_default();
    let outcome = InsertLinesOutcome { lines, line_ends_adapted: adapted, ..edited.into() };
    Ok((outcome, vec![change]))
}
