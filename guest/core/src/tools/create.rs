//! `create`: a new text file, all at once.

use crate::changes::{Change, Changes};
use crate::contract::edit_types::{CreateArgs, CreateOutcome};
use crate::error::Failure;
use crate::view::View;
use crate::volume::Volume;
use crate::{drawing, etag, precondition};

/// Runs the operation.
pub fn run<V: Volume>(view: &View<V>, args: &CreateArgs) -> Result<(CreateOutcome, Changes<V>), Failure> {
    let place = view.absent(&args.path, args.parents())?;
    precondition::check_none(&args.path, args.if_none_match.as_deref())?;
    let content = args.content.as_bytes();
    let mut notes = Vec::new();
    let outcome = CreateOutcome {
        path: place.shown().to_owned(),
        etag: etag::of(content),
        bytes_written: content.len() as u64,
        created: true,
        undo_id: None,
        diff: if args.diff() { drawing::created(place.shown(), content, &mut notes) } else { None },
        notes,
    };
    Ok((outcome, Change::Create { place, content: content.to_vec() }.into()))
}
