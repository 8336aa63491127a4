//! `append`: a text at the end of a file of any size.

use blake3::Hasher;

use super::create;
use crate::changes::{Change, New, Old, Planned, Tags};
use crate::edit::diff::{self, ChangedBytes};
use crate::file::encoding::{self, TextFormat};
use crate::file::precondition;
use crate::view::{Slot, View};
use fsgate_contract::edit_types::{AppendArgs, AppendOutcome, CreateOutcome};
use fsgate_contract::limits::STRONG_TAG_BYTES;
use fsgate_text::encoding::Encoding;
use fsgate_volume::Volume;
use fsgate_volume::etag;

/// Runs the operation.
pub fn run<V: Volume>(view: &View<V>, args: &AppendArgs) -> Planned<V, AppendOutcome> {
    let format = TextFormat { encoding: args.encoding.as_deref(), escaped: args.escaped() };
    let source = match view.slot(&args.path, args.parents())? {
        Slot::Absent(_) if args.must_exist() => return Err(view.missing(&args.path)),
        Slot::Absent(place) => {
            precondition::check_absent(&args.path, args.if_match.as_deref())?;
            let content = format.encoded(&args.content).map_err(|reason| reason.at(&*args.path))?;
            let (created, changes) = create::file(view, place, content, args.diff());
            let CreateOutcome { path, etag, bytes_written, created, diff, notes, .. } = created;
            let outcome =
                AppendOutcome { path, etag, bytes_written, created, diff, notes, ..AppendOutcome::default() };
            return Ok((outcome, changes));
        }
        Slot::File(source) if args.encoding.is_some() => source.as_utf_8(),
        Slot::File(source) => source,
    };
    let source = source.expected(args.if_match.as_deref());
    source.require_expected_state()?;
    let separator = if source.size() > 0 { args.separator() } else { "" };
    let texts = [separator, &args.content];
    let found =
        encoding::foreign(source.reader(), &format, &texts).map_err(|reason| source.refuse(reason))?;
    let encoding = found.map_or(Encoding::UTF_8, |found| found.encoding);
    let new = format.at_end(source.reader(), encoding, &texts).map_err(|reason| {
        let failure = source.refuse(reason);
        match found {
            Some(found) => failure.guessed(found),
            None => failure,
        }
    })?;
    let mut notes: Vec<_> = found.and_then(encoding::note).into_iter().collect();
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
        diff,
        notes,
        ..AppendOutcome::default()
    };
    let seen = source.stat();
    let (old, new) = (Old::Bytes(Vec::new()), New::Bytes(new));
    Ok((outcome, vec![Change::Splice { place: source.into_place(), seen, offset, old, new, tags }]))
}
