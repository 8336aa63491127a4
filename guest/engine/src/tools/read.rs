//! `read`: a file, or a window of its lines, byte for byte.

use super::count;
use crate::pager::{self, Request};
use crate::view::View;
use fsgate_contract::read_types::{ReadArgs, ReadOutcome};
use fsgate_error::{Failure, Reason};
use fsgate_volume::Volume;

/// Runs the operation.
pub fn run<V: Volume>(view: &View<V>, args: &ReadArgs) -> Result<ReadOutcome, Failure> {
    let others = [
        ("skip_lines", args.skip_lines() > 0),
        ("max_lines", args.max_lines.is_some()),
        ("cursor", args.cursor.is_some()),
    ];
    if let (Some(_), Some((other, _))) = (args.last_lines, others.iter().find(|(_, given)| *given)) {
        return Err(Reason::Both(other, "last_lines").at(args.path.as_str()));
    }
    let is_part = args.last_lines.is_some() || others.iter().any(|(_, given)| *given);
    let source = if is_part { view.open_part(&args.path)? } else { view.open(&args.path)? };
    let skipped = if args.cursor.is_some() { 0 } else { u64::from(args.skip_lines()) };
    let page = pager::read(
        &source,
        &Request {
            encoding: args.encoding.as_deref(),
            first: skipped + 1,
            most: args.max_lines.map(u64::from),
            from_end: args.last_lines.map(u64::from),
            cursor: args.cursor.as_deref(),
            max_bytes: args.max_bytes(),
            with_etag: args.with_etag(),
            ..Request::default()
        },
    )?;
    Ok(ReadOutcome {
        path: source.path().to_owned(),
        content: page.text,
        encoding: page.encoding.to_owned(),
        bom: page.bom,
        line_end: page.line_end,
        escaped: page.escaped,
        size: source.size(),
        line_count: page.total.and_then(count),
        modified: source.modified(),
        media_type: source.media_type().to_owned(),
        etag: page.etag,
        next_cursor: page.next_cursor,
        stopped: page.stopped,
        notes: page.notes,
    })
}
