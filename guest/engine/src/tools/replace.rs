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
    let number = args.occurrence.unwrap_or(1);
    let (tagged, mut found) = search::find(file, args, u64::from(number), 0)?;
    let file = &tagged.file;
    let count = found.survey.count;
    let at = match (found.at.take(), args.occurrence) {
        (Some(_), None) if count > 1 => {
            // The search counts no lines, because only this error lists them.
            let (_, lines) = found.lines(file, found.within.clone(), AMBIGUOUS_LINES)?;
            return Err(file.refuse(Reason::Ambiguous { count, lines }));
        }
        (Some(at), _) => at,
        (None, _) if count == 0 => return Err(file.refuse(found.no_match(file)?)),
        (None, _) => return Err(file.refuse(Reason::NoSuchOccurrence { asked: number, count })),
    };
    found.require_encodable(file)?;
    let Replacement { new, adapted } = found.replacement(&at.bytes);
    // The text may begin with lines that stay as they are.
    let kept = kept_lines(&at.bytes, &new, found.line_ends == LineEnds::Any);
    let line = at.before.line_of(&at.bytes) + u64::from(kept);
    let range = at.offset..at.offset + at.bytes.len() as u64;
    let (edited, change) = splice::plan(tagged, range, at.before.newlines(), new, None, args.diff())?;
    let lines = super::count(line).into_iter().collect();
    let outcome = ReplaceOutcome { replacements: 1, lines, line_ends_adapted: adapted, ..edited.into() };
    Ok((outcome, vec![change]))
}
