//! `read-numbered`: lines with their numbers.

use super::{count, note, show};
use crate::changes::Changes;
use crate::contract::read_types::{LinesOutOfRange, ReadNumberedArgs, ReadNumberedOutcome};
use crate::error::Failure;
use crate::text::number::{numbered, parse_lines};
use crate::view::View;
use crate::volume::Volume;

/// Runs the operation.
pub fn run<V: Volume>(
    view: &View<V>,
    args: &ReadNumberedArgs,
) -> Result<(ReadNumberedOutcome, Changes<V>), Failure> {
    let wanted = match &args.lines {
        Some(spec) => parse_lines(spec).map_err(|reason| reason.at(args.path.as_str()))?,
        None => 1..=u64::MAX,
    };
    let source = view.open(&args.path)?;
    let shown = show(&source, wanted.clone(), args.max_bytes(), Some(args.delimiter()))?;
    let total = shown.total.and_then(count);
    let out_of_range = match (&args.lines, total) {
        // Whatever an empty file is asked for, it has shown all of it.
        (Some(requested), Some(total)) if total > 0 && *wanted.end() > u64::from(total) => {
            Some(LinesOutOfRange { requested: requested.clone(), total })
        }
        _ => None,
    };
    let (first, last) =
        shown.lines.map_or((None, None), |lines| (count(*lines.start()), count(*lines.end())));
    let mut notes = Vec::new();
    if shown.stopped.is_some()
        && let Some(last) = last
    {
        let next = u64::from(last) + 1;
        let end = match (&args.lines, total) {
            (Some(_), _) => *wanted.end(),
            (None, Some(total)) => u64::from(total),
            (None, None) => u64::from(u32::MAX),
        };
        notes.push(note("continue", format!("more lines follow: call again with `lines` {next}-{end}")));
    }
    let outcome = ReadNumberedOutcome {
        path: source.path().to_owned(),
        content: first
            .map_or_else(String::new, |first| numbered(&shown.text, u64::from(first), args.delimiter())),
        first,
        last,
        total,
        out_of_range,
        etag: shown.etag,
        stopped: shown.stopped,
        notes,
    };
    Ok((outcome, Changes::none()))
}
