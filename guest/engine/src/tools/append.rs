//! `append`: a text at the end of a file, whatever the size of the file.

use blake3::Hasher;

use crate::changes::{Change, New, Old, Planned, Tags};
use crate::edit::diff::{self, ChangedBytes};
use crate::file::encoding::{self, EncodedText, TextFormat};
use crate::file::precondition;
use crate::view::{Slot, View};
use fsgate_contract::edit_types::{AppendArgs, AppendOutcome};
use fsgate_contract::limits::STRONG_TAG_BYTES;
use fsgate_volume::Volume;
use fsgate_volume::etag;

/// Runs the operation.
pub fn run<V: Volume>(view: &View<V>, args: &AppendArgs) -> Planned<V, AppendOutcome> {
    let mut notes = Vec::new();
    let format = TextFormat { label: args.encoding.as_deref(), escaped: args.escaped() };
    let source = match view.slot(&args.path, args.parents())? {
        Slot::Absent(_) if args.must_exist() => return Err(view.missing(&args.path)),
        Slot::Absent(place) => {
            precondition::check_absent(&args.path, args.if_match.as_deref())?;
            let EncodedText { bytes: content, encoding } =
                format.encoded(&args.content).map_err(|reason| reason.at(&*args.path))?;
            notes.extend(view.unlikely_name(&place, None));
            let shown = || encoding::shown(encoding, &content);
            let diff = args.diff().then(|| diff::created(place.shown(), (encoding, &shown()), &mut notes));
            let outcome = AppendOutcome {
                path: place.shown().to_owned(),
                etag_before: None,
                etag: etag::of(&content),
                bytes_written: content.len() as u64,
                created: true,
                undo_id: None,
                diff: diff.flatten(),
                notes,
            };
            return Ok((outcome, vec![Change::Create { place, content: content.into_owned(), like: None }]));
        }
        Slot::File(source) if args.encoding.is_some() => source.as_utf_8(),
        Slot::File(source) => source,
    };
    precondition::check(&source, args.if_match.as_deref(), || source.strong_tag())?;
    let separator = if source.size() > 0 { args.separator() } else { "" };
    let (EncodedText { bytes, encoding }, found) = format.at_end(&source, &[separator, &args.content])?;
    notes.extend(found.and_then(encoding::note));
    let new = bytes.into_owned();
    let offset = source.size();
    let (etag_before, etag) = if offset <= STRONG_TAG_BYTES {
        let mut hasher = source.hasher(0..offset)?;
        let before = etag::strong(&hasher);
        (Some(before), etag::strong(hasher.update(&new)))
    } else {
        (None, etag::range(offset, new.len() as u64, Hasher::new().update(&new)))
    };
    let tags = Tags { before: etag_before.clone(), after: Some(etag.clone()), whole: false };
    let diff = match args.diff() {
        true if offset <= STRONG_TAG_BYTES && !encoding.is_utf_8() => {
            let before = source.bytes(0..offset)?;
            let after = [&before[..], &new].concat();
            let [old, new] = [&before, &after].map(|all| encoding::shown(encoding, all));
            diff::texts(source.path(), encoding, [&old, &new], &mut notes)
        }
        true if offset <= STRONG_TAG_BYTES => {
            let newlines = diff::newlines(&source, offset)?;
            diff::legible(&source, &ChangedBytes { offset, newlines, old: 0, new: &new }, &mut notes)?
        }
        true => {
            notes.push(diff::left_out_of_large_file());
            None
        }
        false => None,
    };
    let outcome = AppendOutcome {
        path: source.path().to_owned(),
        etag_before,
        etag,
        bytes_written: new.len() as u64,
        created: false,
        undo_id: None,
        diff,
        notes,
    };
    let seen = source.stat();
    let (old, new) = (Old::Bytes(Vec::new()), New::Bytes(new));
    Ok((outcome, vec![Change::Splice { place: source.into_place(), seen, offset, old, new, tags }]))
}
