//! `read`: a file, or a window of its lines, byte for byte.

use super::{count, note, show};
use crate::changes::Changes;
use crate::contract::read_types::{ReadArgs, ReadOutcome};
use crate::error::Failure;
use crate::view::View;
use crate::volume::Volume;

/// Runs the operation.
pub fn run<V: Volume>(view: &View<V>, args: &ReadArgs) -> Result<(ReadOutcome, Changes<V>), Failure> {
    let source = view.open(&args.path)?;
    let first = u64::from(args.skip_lines()) + 1;
    let last = args.max_lines.map_or(u64::MAX, |lines| first - 1 + u64::from(lines));
    let shown = show(&source, first..=last, args.max_bytes(), None)?;
    let mut notes = Vec::new();
    if shown.stopped.is_some()
        && let Some(lines) = &shown.lines
    {
        notes.push(note(
            "continue",
            format!("more lines follow: call again with `skip_lines` {}", lines.end()),
        ));
    }
    let outcome = ReadOutcome {
        path: source.path().to_owned(),
        content: shown.text,
        bom: shown.bom,
        size: source.size(),
        line_count: shown.total.and_then(count),
        modified: source.modified(),
        etag: shown.etag,
        stopped: shown.stopped,
        notes,
    };
    Ok((outcome, Changes::none()))
}
