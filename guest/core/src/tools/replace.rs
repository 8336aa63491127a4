//! `replace`: one occurrence of a text, every other byte untouched.

use crate::changes::{Change, Changes, New, Old, Tags, splice_bytes_written};
use crate::contract::edit_types::{ReplaceArgs, ReplaceOutcome};
use crate::drawing::{self, Drawn};
use crate::error::{Failure, Reason};
use crate::limits::SPAN_BYTES;
use crate::occurrences::{self, Request};
use crate::text::find::LineEnds;
use crate::text::line_end::{Replacement, replacement};
use crate::text::splice::difference;
use crate::view::View;
use crate::volume::Volume;
use crate::{etag, precondition};

/// Runs the operation.
pub fn run<V: Volume>(view: &View<V>, args: &ReplaceArgs) -> Result<(ReplaceOutcome, Changes<V>), Failure> {
    let source = view.open_for_change(&args.path)?;
    occurrences::admit(&source, &args.old)?;
    let chosen = args.occurrence.unwrap_or(1);
    let request = Request {
        old: &args.old,
        new: &args.new,
        exact_line_ends: args.exact_line_ends(),
        chosen: u64::from(chosen),
    };
    let mut found = occurrences::find(&source, &request)?;
    let etag_before = etag::from(&found.subtrees.hash());
    precondition::check(&source, args.if_match.as_deref(), || Ok(etag_before.clone()))?;
    let (count, lines) = (found.survey.count, &found.survey.lines);
    let at = match (found.chosen.take(), args.occurrence) {
        (None, _) if count == 0 => {
            return Err(source.refuse(Reason::NoMatch(occurrences::nearest(
                &source,
                &args.old,
                args.exact_line_ends(),
            )?)));
        }
        (None, _) => return Err(source.refuse(Reason::NoSuchOccurrence { asked: chosen, count })),
        (Some(_), None) if count > 1 => {
            return Err(source.refuse(Reason::Ambiguous { count, lines: lines.clone() }));
        }
        (Some(at), _) => at,
    };
    found.survey.require_encodable(&args.new).map_err(|reason| source.refuse(reason))?;

    let any = found.line_ends == LineEnds::Any;
    let Replacement { new, adapted } =
        replacement(&args.old, &args.new, &at.bytes, args.exact_line_ends(), any, &found.tally);

    let after = source.hash_spliced(&found.subtrees, at.offset, at.bytes.len() as u64, &new)?;
    let (from, to) = difference(&at.bytes, &new);
    let offset = at.offset + from.start as u64;
    let bytes_written = splice_bytes_written(source.size(), offset, from.len() as u64, to.len() as u64);
    if bytes_written > SPAN_BYTES {
        return Err(source.refuse(Reason::SpanTooLarge(bytes_written)));
    }
    let mut notes = Vec::new();
    let diff = if args.diff() {
        let drawn = Drawn {
            offset: at.offset,
            newlines: at.before.newlines(),
            old: at.bytes.len() as u64,
            new: &new,
        };
        drawing::changed(&source, &drawn, &mut notes)?
    } else {
        None
    };
    let etag = etag::from(&after);
    let tags = Tags { before: Some(etag_before.clone()), after: Some(etag.clone()), whole: false };
    let outcome = ReplaceOutcome {
        path: source.path().to_owned(),
        etag_before,
        etag,
        bytes_written,
        replacements: 1,
        lines: super::count(at.before.line_of(&at.bytes)).into_iter().collect(),
        line_ends_adapted: adapted,
        undo_id: None,
        diff,
        notes,
    };
    let seen = source.stat();
    let old = Old::Bytes(at.bytes[from].to_vec());
    let new = New::Bytes(new[to].to_vec());
    Ok((outcome, Change::Splice { place: source.into_place(), seen, offset, old, new, tags }.into()))
}
