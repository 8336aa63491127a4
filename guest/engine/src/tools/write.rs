//! `write`: a whole file; an existing one keeps what does not change.

use std::convert::Infallible;
use std::ops::{ControlFlow, Range};

use crate::changes::{Change, New, Planned, Tags, splice_bytes_written};
use crate::edit::diff::{self, ChangedBytes};
use crate::edit::splice::{common_prefix, trim_common_end};
use crate::file::encoding::{self, EncodedText, TextFormat};
use crate::file::{BOM, OpenFile, precondition};
use crate::view::{Slot, View};
use fsgate_contract::edit_types::{WriteArgs, WriteOutcome};
use fsgate_contract::limits::{DIFF_BYTES, SPAN_BYTES, STRONG_TAG_BYTES};
use fsgate_contract::types::Note;
use fsgate_error::{Failure, Reason};
use fsgate_text::encoding::Encoding;
use fsgate_text::line_end::Tally;
use fsgate_volume::Volume;
use fsgate_volume::etag;
use fsgate_volume::etag::Subtrees;

/// Runs the operation.
pub fn run<V: Volume>(view: &View<V>, args: &WriteArgs) -> Planned<V, WriteOutcome> {
    let format = TextFormat { label: args.encoding.as_deref(), escaped: args.escaped() };
    let EncodedText { bytes, encoding } =
        format.encoded(&args.content).map_err(|reason| reason.at(&*args.path))?;
    let request = Request {
        path: &args.path,
        content: &bytes,
        encoding: Some(encoding),
        is_named: args.encoding.is_some(),
        parents: args.parents(),
        overwrite: args.overwrite(),
        if_match: args.if_match.as_deref(),
        if_none_match: args.if_none_match.as_deref(),
        diff: args.diff(),
        backup: args.backup(),
    };
    write(view, &request)
}

/// The content of a file, as text or as bytes, and the conditions for writing it.
pub(super) struct Request<'a> {
    pub(super) path: &'a str,
    pub(super) content: &'a [u8],
    /// The encoding of the content, if it is text. A byte order mark of the file that says the same
    /// stays in front of it.
    pub(super) encoding: Option<Encoding>,
    /// True if the call names that encoding.
    pub(super) is_named: bool,
    pub(super) parents: bool,
    pub(super) overwrite: bool,
    pub(super) if_match: Option<&'a str>,
    pub(super) if_none_match: Option<&'a str>,
    pub(super) diff: bool,
    /// True if the history keeps all of the old content.
    pub(super) backup: bool,
}

pub(super) fn write<V: Volume>(view: &View<V>, request: &Request) -> Planned<V, WriteOutcome> {
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
            notes.extend(view.unlikely_name(&place, None));
            let encoding = request.shown_in();
            let shown = || encoding::shown(encoding, request.content);
            let diff = request.diff.then(|| diff::created(place.shown(), (encoding, &shown()), &mut notes));
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
            Ok((outcome, vec![Change::Create { place, content: request.content.to_vec(), like: None }]))
        }
        Slot::File(source) => {
            // More bytes would go than one change may replace, even if all new ones are the same.
            let surplus = source.size().saturating_sub(request.content.len() as u64 + BOM.len() as u64);
            if surplus > SPAN_BYTES {
                return Err(source.refuse(Reason::SpanTooLarge(surplus)));
            }
            let content = with_mark(&source, request)?;
            let Compared { subtrees, common, line_ends } = compared(&source, &content)?;
            let etag_before = etag::from(&subtrees.hash());
            if let Some(wanted) = request.if_none_match {
                let (wanted, found) = (wanted.to_owned(), etag_before);
                return Err(source.refuse(Reason::NotInState { wanted, found }));
            }
            precondition::check(&source, request.if_match, || Ok(etag_before.clone()))?;
            notes.extend(request.other_form(&source, line_ends)?);
            let (from, to) = trim_common_end(&source, 0..source.size(), &content, common)?;
            let (offset, old, new) = (from.start, from.end - from.start, &content[to]);
            let bytes_written = splice_bytes_written(source.size(), offset, old, new.len() as u64);
            if old.max(bytes_written) > SPAN_BYTES {
                return Err(source.refuse(Reason::SpanTooLarge(old.max(bytes_written))));
            }
            let diff = if request.diff && !request.shown_in().is_utf_8() {
                drawn_in(request.shown_in(), &source, &content, &mut notes)?
            } else if request.diff {
                let newlines = if offset <= DIFF_BYTES as u64 || old + new.len() as u64 <= DIFF_BYTES as u64 {
                    diff::newlines(&source, offset)?
                } else {
                    0
                };
                diff::changed(&source, &ChangedBytes { offset, newlines, old, new }, &mut notes)?
            } else {
                None
            };
            // The hash of the unchanged parts is known already.
            let Ok(after) = subtrees.spliced(offset, old, new, |range, sink| {
                sink(&content[same_in(&range, offset, old, new.len())]);
                Ok::<_, Infallible>(())
            });
            let etag = etag::from(&after);
            let tags = Tags { before: Some(etag_before), after: Some(etag.clone()), whole: request.backup };
            let outcome = WriteOutcome {
                path: source.path().to_owned(),
                etag_before: tags.before.clone(),
                etag,
                bytes_written,
                created: false,
                overwrote: true,
                undo_id: None,
                backup: None,
                diff,
                notes,
            };
            let (seen, new) = (source.stat(), New::Bytes(new.to_vec()));
            let old = source.old(from)?;
            Ok((outcome, vec![Change::Splice { place: source.into_place(), seen, offset, old, new, tags }]))
        }
    }
}

/// A file beside the content that takes its place.
struct Compared {
    /// The hash of the file.
    subtrees: Subtrees,
    /// The number of equal bytes at the beginning of both.
    common: u64,
    /// The line ends of the file.
    line_ends: Tally,
}

/// Compares a file with the content that takes its place, in one pass.
fn compared<V: Volume>(source: &OpenFile<V>, content: &[u8]) -> Result<Compared, Failure> {
    let (mut subtrees, mut common, mut differs) = (Subtrees::default(), 0, false);
    let mut line_ends = Tally::default();
    source.each_chunk(0..source.size(), |chunk| {
        if !differs {
            let rest = &content[common..];
            let same = common_prefix(chunk, rest);
            common += same;
            differs = same < chunk.len();
        }
        subtrees.update(chunk);
        line_ends.feed(chunk);
        ControlFlow::Continue(())
    })?;
    Ok(Compared { subtrees, common: common as u64, line_ends })
}

/// The place of an unchanged range of a file in the new content.
fn same_in(range: &Range<u64>, offset: u64, old: u64, new: usize) -> Range<usize> {
    let moved = |at: u64| if at <= offset && range.end <= offset { at } else { at - old + new as u64 };
    moved(range.start) as usize..moved(range.end) as usize
}

/// The content behind the byte order mark of the file, unless the content begins with one itself.
fn with_mark<V: Volume>(source: &OpenFile<V>, request: &Request) -> Result<Vec<u8>, Failure> {
    let mark = request.encoding.map_or(&b""[..], Encoding::mark);
    let is_kept = !request.content.starts_with(mark) && source.reader().head().starts_with(mark);
    Ok([if is_kept { mark } else { b"" }, request.content].concat())
}

impl Request<'_> {
    /// The encoding in which a diff shows the file before and after.
    fn shown_in(&self) -> Encoding {
        self.encoding.unwrap_or(Encoding::UTF_8)
    }

    /// The note about a text in another encoding, or with other line ends, than the text that it
    /// replaces.
    fn other_form<V: Volume>(&self, source: &OpenFile<V>, before: Tally) -> Result<Option<Note>, Failure> {
        if self.encoding.is_none() || self.is_named {
            return Ok(None);
        }
        if let Some(name) = encoding::utf_32_of(source.reader()) {
            return Ok(Some(crate::notes::no_utf_32(name)));
        }
        let found =
            encoding::suspected(source.reader()).map_err(|fault| source.refuse(Reason::reading(fault)))?;
        if let Some(found) = found.filter(|found| !found.encoding.is_utf_8()) {
            // Text in ASCII is the same in every encoding but UTF-16.
            let is_other = found.encoding.is_utf_16() || !self.content.is_ascii();
            return Ok(is_other.then(|| crate::notes::other_encoding(found)));
        }
        let mut after = Tally::default();
        after.feed(self.content);
        Ok(match (before.only(), after.only()) {
            (Some(before), Some(after)) if before != after => {
                Some(crate::notes::other_line_ends(before, after))
            }
            _ => None,
        })
    }
}

/// The diff between the file and the content that takes its place, both as text in an encoding.
fn drawn_in<V: Volume>(
    encoding: Encoding,
    source: &OpenFile<V>,
    content: &[u8],
    notes: &mut Vec<Note>,
) -> Result<Option<String>, Failure> {
    if source.size() > STRONG_TAG_BYTES {
        notes.push(diff::left_out_of_large_file());
        return Ok(None);
    }
    let before = source.bytes(0..source.size())?;
    let [before, after] = [&before, content].map(|bytes| encoding::shown(encoding, bytes));
    Ok(diff::texts(source.path(), encoding, [&before, &after], notes))
}
