//! `create`: a new text file, all at once.

use crate::changes::{Change, Planned};
use crate::edit::diff;
use crate::file::encoding::{self, EncodedText, TextFormat};
use crate::file::precondition;
use crate::view::View;
use fsgate_contract::edit_types::{CreateArgs, CreateOutcome};
use fsgate_volume::Volume;
use fsgate_volume::etag;

/// Runs the operation.
pub fn run<V: Volume>(view: &View<V>, args: &CreateArgs) -> Planned<V, CreateOutcome> {
    let place = view.absent(&args.path, args.parents())?;
    precondition::check_none(&args.path, args.if_none_match.as_deref())?;
    let format = TextFormat { label: args.encoding.as_deref(), escaped: args.escaped() };
    let EncodedText { bytes: content, encoding } =
        format.encoded(&args.content).map_err(|reason| reason.at(&*args.path))?;
    let mut notes: Vec<_> = view.unlikely_name(&place, None).into_iter().collect();
    let shown = || encoding::shown(encoding, &content);
    let diff = args.diff().then(|| diff::created(place.shown(), (encoding, &shown()), &mut notes));
    let outcome = CreateOutcome {
        path: place.shown().to_owned(),
        etag: etag::of(&content),
        bytes_written: content.len() as u64,
        created: true,
        undo_id: None,
        diff: diff.flatten(),
        notes,
    };
    Ok((outcome, vec![Change::Create { place, content: content.into_owned(), like: None }]))
}
