//! `read-numbered`: lines with their numbers.

use super::count;
use crate::edit::section;
use crate::pager::{self, Request};
use crate::view::View;
use fsgate_contract::read_types::{LinesOutOfRange, ReadNumberedArgs, ReadNumberedOutcome};
use fsgate_error::{Failure, Reason, SectionProblem};
use fsgate_text::number::{numbered, parse_lines};
use fsgate_volume::Volume;

/// Runs the operation.
pub fn run<V: Volume>(view: &View<V>, args: &ReadNumberedArgs) -> Result<ReadNumberedOutcome, Failure> {
    let wanted = match &args.lines {
        Some(spec) => parse_lines(spec).map_err(|error| Reason::from(error).at(args.path.as_str()))?,
        None => 1..=u64::MAX,
    };
    let source = match args.lines {
        Some(_) => view.open_part(&args.path)?,
        None => view.open(&args.path)?,
    };
    let wanted = match &args.section {
        Some(_) if args.lines.is_some() => {
            return Err(source.refuse(SectionProblem::WithLines));
        }
        Some(section) => section::lines(&source, section)?.lines,
        None => wanted,
    };
    let page = pager::read(
        &source,
        &Request {
            encoding: args.encoding.as_deref(),
            first: *wanted.start(),
            last: Some(*wanted.end()),
            cursor: args.cursor.as_deref(),
            max_bytes: args.max_bytes(),
            delimiter: Some(args.delimiter().len()),
            ..Request::default()
        },
    )?;
    let total = page.total.and_then(count);
    let out_of_range = match (&args.lines, total) {
        // An empty file has shown all of it.
        (Some(requested), Some(total)) if total > 0 && *wanted.end() > u64::from(total) => {
            Some(LinesOutOfRange { requested: requested.clone(), total })
        }
        _ => None,
    };
    let (first, last) =
        page.lines.clone().map_or((None, None), |lines| (count(*lines.start()), count(*lines.end())));
    Ok(ReadNumberedOutcome {
        path: source.path().to_owned(),
        content: first
            .map_or_else(String::new, |first| numbered(&page.text, u64::from(first), args.delimiter())),
        encoding: page.other_encoding(),
        escaped: page.escaped.then_some(true),
        first,
        last,
        total,
        begins_at: (page.begins_at > 0).then_some(page.begins_at),
        out_of_range,
        etag: page.etag,
        next_cursor: page.next_cursor.filter(|_| page.stopped.is_some()),
        stopped: page.stopped,
        notes: page.notes,
    })
}
