//! `read-numbered`: lines with their numbers.

use super::count;
use crate::changes::Changes;
use crate::contract::read_types::{LinesOutOfRange, ReadNumberedArgs, ReadNumberedOutcome};
use crate::error::Failure;
use crate::page::{self, Request};
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
    let page = page::read(
        &source,
        &Request {
            first: *wanted.start(),
            last: Some(*wanted.end()),
            most: None,
            cursor: args.cursor.as_deref(),
            max_bytes: args.max_bytes(),
            delimiter: Some(args.delimiter().len()),
            with_etag: false,
        },
    )?;
    let total = page.total.and_then(count);
    let out_of_range = match (&args.lines, total) {
        // Whatever an empty file is asked for, it has shown all of it.
        (Some(requested), Some(total)) if total > 0 && *wanted.end() > u64::from(total) => {
            Some(LinesOutOfRange { requested: requested.clone(), total })
        }
        _ => None,
    };
    let (first, last) = page.lines.map_or((None, None), |lines| (count(*lines.start()), count(*lines.end())));
    let outcome = ReadNumberedOutcome {
        path: source.path().to_owned(),
        content: first
            .map_or_else(String::new, |first| numbered(&page.text, u64::from(first), args.delimiter())),
        first,
        last,
        total,
        begins_at: (page.begins_at > 0).then_some(page.begins_at),
        out_of_range,
        etag: page.etag,
        next_cursor: page.next_cursor.filter(|_| page.stopped.is_some()),
        stopped: page.stopped,
        notes: Vec::new(),
    };
    Ok((outcome, Changes::none()))
}
