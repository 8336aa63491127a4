//! `replace`: one occurrence of a text, every other byte untouched.

use crate::changes::Changes;
use crate::edited::{self, Made, Part};
use crate::file::encoding::{self, TextFormat};
use crate::file::precondition;
use crate::occurrences::{self, Request};
use crate::section;
use crate::view::View;
use fsgate_contract::edit_types::{ReplaceArgs, ReplaceOutcome};
use fsgate_contract::limits::AMBIGUOUS_LINES;
use fsgate_error::{Failure, Reason};
use fsgate_text::find::LineEnds;
use fsgate_text::line_end::{Replacement, kept_lines, replacement};
use fsgate_volume::Volume;

/// Runs the operation.
pub fn run<V: Volume>(view: &View<V>, args: &ReplaceArgs) -> Result<(ReplaceOutcome, Changes<V>), Failure> {
    let source = view.open_for_change(&args.path)?;
    occurrences::admit(&source, &args.old)?;
    let wanted = TextFormat { label: args.encoding.as_deref(), escaped: args.escaped() };
    let source = encoding::as_text(source, &wanted, &[&args.old, &args.new])?;
    let chosen = args.occurrence.unwrap_or(1);
    let (old, new) = (wanted.bytes(&source, &args.old), wanted.bytes(&source, &args.new));
    let (source, request, mut found) = occurrences::find_in(source, wanted.label.is_some(), |source| {
        Ok(Request {
            old: &old,
            new: &new,
            exact_line_ends: args.exact_line_ends(),
            chosen: u64::from(chosen),
            lines: 0,
            within: section::range(source, args.section.as_deref(), args.if_match.as_deref())?,
        })
    })?;
    let etag_before = source.tag(&found.subtrees)?;
    precondition::check(&source, args.if_match.as_deref(), || Ok(etag_before.clone()))?;
    let count = found.survey.count;
    let at = match (found.chosen.take(), args.occurrence) {
        (None, _) if count == 0 => {
            let texts = [request.old, request.new];
            let traces = occurrences::traces(&source, texts, args.exact_line_ends(), &request.within)?;
            let why = section::no_match(args.section.as_deref(), traces, || {
                occurrences::anywhere(&source, &request)
            })?;
            return Err(source.refuse(why));
        }
        (None, _) => return Err(source.refuse(Reason::NoSuchOccurrence { asked: chosen, count })),
        (Some(_), None) if count > 1 => {
            // Only who is refused waits for them.
            let listed = occurrences::find(&source, &Request { lines: AMBIGUOUS_LINES, ..request })?;
            return Err(source.refuse(Reason::Ambiguous { count, lines: listed.survey.lines }));
        }
        (Some(at), _) => at,
    };
    found.survey.require_encodable(&args.new).map_err(|reason| source.refuse(reason))?;

    let any = found.line_ends == LineEnds::Any;
    let Replacement { new, adapted } =
        replacement(request.old, request.new, &at.bytes, args.exact_line_ends(), any, &found.tally);
    // The text may begin with lines that stay as they are.
    let line = at.before.line_of(&at.bytes) + u64::from(kept_lines(&at.bytes, &new, any));
    let part = Part {
        subtrees: &found.subtrees,
        etag_before: &etag_before,
        range: at.offset..at.offset + at.bytes.len() as u64,
        newlines: at.before.newlines(),
        new,
        edits: None,
    };
    let path = source.path().to_owned();
    let Made { etag, bytes_written, diff, notes, change } = edited::make(source, part, args.diff())?;
    let outcome = ReplaceOutcome {
        path,
        etag_before,
        etag,
        bytes_written,
        replacements: 1,
        lines: super::count(line).into_iter().collect(),
        line_ends_adapted: adapted,
        undo_id: None,
        diff,
        notes,
    };
    Ok((outcome, change.into()))
}
