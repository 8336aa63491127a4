//! `write`: a whole file; an existing one keeps what does not change.

use std::ops::ControlFlow;

use crate::changes::{Change, Changes, New, Old, Tags, splice_bytes_written};
use crate::content::BOM;
use crate::contract::edit_types::{WriteArgs, WriteOutcome};
use crate::drawing::{self, Drawn};
use crate::error::{Failure, Reason};
use crate::limits::{DIFF_BYTES, SPAN_BYTES};
use crate::span::{self, Span};
use crate::text::line_end::Tally;
use crate::view::{Slot, Source, View};
use crate::volume::Volume;
use crate::{etag, precondition};

/// Runs the operation.
pub fn run<V: Volume>(view: &View<V>, args: &WriteArgs) -> Result<(WriteOutcome, Changes<V>), Failure> {
    let request = Request {
        path: &args.path,
        content: args.content.as_bytes(),
        keep_mark: true,
        parents: args.parents(),
        overwrite: args.overwrite(),
        if_match: args.if_match.as_deref(),
        if_none_match: args.if_none_match.as_deref(),
        diff: args.diff(),
        backup: args.backup(),
    };
    write(view, &request)
}

/// What is to be written, as text or as bytes.
pub(super) struct Request<'a> {
    pub(super) path: &'a str,
    pub(super) content: &'a [u8],
    /// A byte order mark of the file stays in front of the content.
    pub(super) keep_mark: bool,
    pub(super) parents: bool,
    pub(super) overwrite: bool,
    pub(super) if_match: Option<&'a str>,
    pub(super) if_none_match: Option<&'a str>,
    pub(super) diff: bool,
    /// All of the old content is to be kept.
    pub(super) backup: bool,
}

pub(super) fn write<V: Volume>(
    view: &View<V>,
    request: &Request,
) -> Result<(WriteOutcome, Changes<V>), Failure> {
    precondition::check_none(request.path, request.if_none_match)?;
    let slot = if request.overwrite {
        view.slot(request.path, request.parents)?
    } else {
        Slot::Absent(view.absent(request.path, request.parents)?)
    };
    let mut notes = Vec::new();
    match slot {
        Slot::Absent(place) => {
            precondition::check_absent(request.path, request.if_match)?;
            let diff = request.diff.then(|| drawing::created(place.shown(), request.content, &mut notes));
            let outcome = WriteOutcome {
                path: place.shown().to_owned(),
                etag_before: None,
                etag: etag::of(request.content),
                bytes_written: request.content.len() as u64,
                created: true,
                overwrote: false,
                undo_id: None,
                backup: None,
                diff: diff.flatten(),
                notes,
            };
            Ok((outcome, Change::Create { place, content: request.content.to_vec() }.into()))
        }
        Slot::File(source) => {
            // However much old and new have in common, too much would be taken away: known before all of it is read.
            let surplus = source.size().saturating_sub(request.content.len() as u64 + BOM.len() as u64);
            if surplus > SPAN_BYTES {
                return Err(source.refuse(Reason::SpanTooLarge(surplus)));
            }
            let etag_before = source.strong_tag()?;
            if let Some(wanted) = request.if_none_match {
                let (wanted, found) = (wanted.to_owned(), etag_before);
                return Err(source.refuse(Reason::NotInState { wanted, found }));
            }
            precondition::check(&source, request.if_match, || Ok(etag_before.clone()))?;
            let content = with_mark(&source, request)?;
            let Span { offset, old, new } = span::smallest(&source, 0..source.size(), &content)?;
            let new = &content[new];
            let bytes_written = splice_bytes_written(source.size(), offset, old, new.len() as u64);
            if old.max(bytes_written) > SPAN_BYTES {
                return Err(source.refuse(Reason::SpanTooLarge(old.max(bytes_written))));
            }
            let diff = if request.diff {
                let newlines = if offset <= DIFF_BYTES as u64 || old + new.len() as u64 <= DIFF_BYTES as u64 {
                    newlines(&source, offset)?
                } else {
                    0
                };
                drawing::changed(&source, &Drawn { offset, newlines, old, new }, &mut notes)?
            } else {
                None
            };
            let tags =
                Tags { before: Some(etag_before), after: Some(etag::of(&content)), whole: request.backup };
            let outcome = WriteOutcome {
                path: source.path().to_owned(),
                etag_before: tags.before.clone(),
                etag: etag::of(&content),
                bytes_written,
                created: false,
                overwrote: true,
                undo_id: None,
                backup: None,
                diff,
                notes,
            };
            let hash = source.hasher(offset..offset + old)?.finalize();
            let (seen, new) = (source.stat(), New::Bytes(new.to_vec()));
            let old = Old::Digest { length: old, hash };
            Ok((outcome, Change::Splice { place: source.into_place(), seen, offset, old, new, tags }.into()))
        }
    }
}

/// The content with the mark that the file begins with, unless it brings one itself.
fn with_mark<V: Volume>(source: &Source<V>, request: &Request) -> Result<Vec<u8>, Failure> {
    let mark = if request.keep_mark && !request.content.starts_with(BOM) && source.text_start()? > 0 {
        BOM
    } else {
        &[]
    };
    Ok([mark, request.content].concat())
}

/// LF bytes before an offset.
pub(crate) fn newlines<V: Volume>(source: &Source<V>, offset: u64) -> Result<u64, Failure> {
    let mut tally = Tally::default();
    source.each_chunk(0..offset, |chunk| {
        tally.feed(chunk);
        ControlFlow::Continue(())
    })?;
    Ok(tally.newlines())
}
