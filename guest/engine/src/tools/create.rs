//! `create`: a new text file, all at once.

use crate::changes::{Change, Planned};
use crate::edit::diff;
use crate::file::encoding::{self, EncodedText, TextFormat};
use crate::file::precondition;
use crate::resolve::Place;
use crate::view::View;
use fsgate_contract::edit_types::{CreateArgs, CreateOutcome};
use fsgate_volume::Volume;
use fsgate_volume::etag;

/// Runs the operation.
pub fn run<V: Volume>(view: &View<V>, args: &CreateArgs) -> Planned<V, CreateOutcome> {
    let place = view.absent(&args.path, args.parents())?;
    precondition::check_none(&args.path, args.if_none_match.as_deref())?;
    let format = TextFormat { encoding: args.encoding.as_deref(), escaped: args.escaped() };
    let content = format.encoded(&args.content).map_err(|reason| reason.at(&*args.path))?;
    Ok(file(view, place, content, args.diff()))
}

pub(super) fn file<V: Volume>(
    view: &View<V>,
    place: Place<V>,
    EncodedText { bytes, encoding }: EncodedText,
    diff: bool,
) -> (CreateOutcome, Vec<Change<V>>) {
    let mut notes: Vec<_> = view.unlikely_name(&place, None).into_iter().collect();
    let diff = match diff {
        true => diff::created(place.shown(), (encoding, &encoding::shown(encoding, &bytes)), &mut notes),
        false => None,
    };
    let outcome = CreateOutcome {
        path: place.shown().to_owned(),
        etag: etag::of(&bytes),
        bytes_written: bytes.len() as u64,
        created: true,
        diff,
        notes,
        ..CreateOutcome::default()
    };
    (outcome, vec![Change::Create { place, content: bytes.into_owned(), like: None }])
}
