//! `create`: a new text file, all at once.

use super::diff_left_out;
use crate::changes::{Change, Changes};
use crate::contract::edit_types::{CreateArgs, CreateOutcome};
use crate::error::Failure;
use crate::etag;
use crate::limits::DIFF_BYTES;
use crate::text::diff;
use crate::view::View;
use crate::volume::Volume;

/// Runs the operation.
pub fn run<V: Volume>(view: &View<V>, args: &CreateArgs) -> Result<(CreateOutcome, Changes<V>), Failure> {
    let place = view.absent(&args.path, args.parents())?;
    let content = args.content.as_bytes();
    let mut notes = Vec::new();
    let mut drawn = None;
    if args.diff() {
        // Never shorter than the content, so a long one need not be drawn.
        drawn = (content.len() <= DIFF_BYTES)
            .then(|| diff::created(place.shown(), content).0)
            .filter(|drawn| drawn.len() <= DIFF_BYTES);
        if drawn.is_none() {
            notes.push(diff_left_out());
        }
    }
    let outcome = CreateOutcome {
        path: place.shown().to_owned(),
        etag: etag::of(content),
        bytes_written: content.len() as u64,
        created: true,
        diff: drawn,
        notes,
    };
    Ok((outcome, Change::Create { place, content: content.to_vec() }.into()))
}
