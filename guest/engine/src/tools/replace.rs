//! `replace`: one occurrence of a text, every other byte untouched.

use crate::changes::Planned;
use crate::edit::{search, splice};
use crate::view::View;
use fsgate_contract::edit_types::{ReplaceArgs, ReplaceOutcome};
use fsgate_contract::limits::AMBIGUOUS_LINES;
use fsgate_error::Reason;
use fsgate_text::find::LineEnds;
use fsgate_text::line_end::{Replacement, kept_lines};
use fsgate_volume::Volume;

/// Runs the operation.
pub fn run<V: Volume>(view: &View<V>, args: &ReplaceArgs) -> Planned<V, ReplaceOutcome> {
    let file = view.open_for_change(&args.path, args.if_match.as_deref())?;
    search::require_text(&file, &args.old)?;
    let (tagged, mut found) = search::find(file, args, 0)?;
    let file = &tagged.file;
    let count = found.survey.count;
    let occurrence = match (found.occurrence.take(), args.occurrence) {
        (Some(_), None) if count > 1 => {
            // Only this error lists lines, so the search counts none.
            let (_, lines) = found.lines(file, found.section.clone(), AMBIGUOUS_LINES)?;
            return Err(file.refuse(Reason::Ambiguous { count, lines }));
        }
        (Some(occurrence), _) => occurrence,
        (None, _) if count == 0 => return Err(file.refuse(found.no_match(file)?)),
        (None, asked) => {
            let asked = asked.unwrap_or(1);
            return Err(file.refuse(Reason::NoSuchOccurrence { asked, count }));
        }
    };
    found.require_encodable(file)?;
    let Replacement { new, adapted } = found.replacement(&occurrence.bytes);
    let before = occurrence.before;
    // The text may begin with lines that stay.
    let kept = kept_lines(&occurrence.bytes, &new, found.line_ends == LineEnds::Any);
    let line = before.line_of(&occurrence.bytes) + u64::from(kept);
    let range = occurrence.offset..occurrence.offset + occurrence.bytes.len() as u64;
    let (outcome, change) = splice::plan(tagged, range, before.newlines(), new, None, args.diff())?;
    let lines = super::count(line).into_iter().collect();
    let outcome = ReplaceOutcome { replacements: 1, lines, line_ends_adapted: adapted, ..outcome.into() };
    Ok((outcome, vec![change]))
}
