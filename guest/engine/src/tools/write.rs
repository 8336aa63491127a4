//! `write`: a whole file; unchanged bytes stay.

use std::convert::Infallible;
use std::ops::Range;

use super::create;
use crate::changes::{Change, New, Planned, Tags, splice_bytes_written};
use crate::edit::diff::{self, ChangedBytes};
use crate::edit::splice::{common_prefix, trim_common_end};
use crate::file::encoding::{self, EncodedText, TextFormat};
use crate::file::{BOM, OpenFile, TaggedFile, precondition};
use crate::notes;
use crate::view::{Slot, View};
use fsgate_contract::edit_types::{CreateOutcome, WriteArgs, WriteOutcome};
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
    let format = TextFormat { encoding: args.encoding.as_deref(), escaped: args.escaped() };
    let EncodedText { bytes, encoding } =
        format.encoded(&args.content).map_err(|reason| reason.at(&*args.path))?;
    write(view, args, &bytes, Some(encoding))
}

/// Writes this content, not that of the arguments. With an encoding, the file's matching byte order
/// mark stays.
pub(super) fn write<V: Volume>(
    view: &View<V>,
    args: &WriteArgs,
    content: &[u8],
    encoding: Option<Encoding>,
) -> Planned<V, WriteOutcome> {
    precondition::check_none(&args.path, args.if_none_match.as_deref())?;
    let slot = if args.overwrite() {
        view.slot(&args.path, args.parents())?
    } else {
        Slot::Absent(view.absent(&args.path, args.parents())?)
    };
    let shown_in = encoding.unwrap_or(Encoding::UTF_8);
    match slot {
        Slot::Absent(place) => {
            precondition::check_absent(&args.path, args.if_match.as_deref())?;
            let content = EncodedText { bytes: content.into(), encoding: shown_in };
            let (created, changes) = create::file(view, place, content, args.diff());
            let CreateOutcome { path, etag, bytes_written, created, diff, notes, .. } = created;
            let outcome =
                WriteOutcome { path, etag, bytes_written, created, diff, notes, ..WriteOutcome::default() };
            Ok((outcome, changes))
        }
        Slot::File(source) => {
            // Even if all new bytes are kept, more would go than one change may replace.
            let surplus = source.size().saturating_sub(content.len() as u64 + BOM.len() as u64);
            if surplus > SPAN_BYTES {
                return Err(source.refuse(Reason::SpanTooLarge(surplus)));
            }
            let source = source.expected(args.if_match.as_deref());
            let marked = with_mark(&source, content, encoding);
            let Compared { subtrees, common, line_ends } = compared(&source, &marked)?;
            if let Some(wanted) = args.if_none_match.clone() {
                let found = etag::from(&subtrees.hash());
                return Err(source.refuse(Reason::NotInState { wanted, found }));
            }
            let TaggedFile { file: source, subtrees, etag: etag_before } = source.tagged(subtrees)?;
            let mut notes = Vec::new();
            if encoding.is_some() && args.encoding.is_none() {
                notes.extend(other_form(&source, line_ends, content)?);
            }
            let (from, to) = trim_common_end(&source, 0..source.size(), &marked, common)?;
            let (offset, old, new) = (from.start, from.end - from.start, &marked[to]);
            let bytes_written = splice_bytes_written(source.size(), offset, old, new.len() as u64);
            if old.max(bytes_written) > SPAN_BYTES {
                return Err(source.refuse(Reason::SpanTooLarge(old.max(bytes_written))));
            }
            let diff = if args.diff() && !shown_in.is_utf_8() {
                drawn_in(shown_in, &source, &marked, &mut notes)?
            } else if args.diff() {
                let newlines = if offset <= DIFF_BYTES as u64 || old + new.len() as u64 <= DIFF_BYTES as u64 {
                    diff::newlines(&source, offset)?
                } else {
                    0
                };
                diff::changed(&source, &ChangedBytes { offset, newlines, old, new }, &mut notes)?
            } else {
                None
            };
            // The unchanged parts are hashed already.
            let Ok(after) = subtrees.spliced(offset, old, new, |range, sink| {
                sink(&marked[same_in(&range, offset, old, new.len())]);
                Ok::<_, Infallible>(())
            });
            let etag = etag::from(&after);
            let tags = Tags { before: Some(etag_before), after: Some(etag.clone()), whole: args.backup() };
            let outcome = WriteOutcome {
                path: source.path().to_owned(),
                etag_before: tags.before.clone(),
                etag,
                bytes_written,
                overwrote: true,
                diff,
                notes,
                ..WriteOutcome::default()
            };
            let (seen, new) = (source.stat(), New::Bytes(new.to_vec()));
            let old = source.old(from)?;
            Ok((outcome, vec![Change::Splice { place: source.into_place(), seen, offset, old, new, tags }]))
        }
    }
}

struct Compared {
    subtrees: Subtrees,
    common: u64,
    line_ends: Tally,
}

/// Compares a file with its new content, in one pass.
fn compared<V: Volume>(source: &OpenFile<V>, content: &[u8]) -> Result<Compared, Failure> {
    let (mut subtrees, mut common, mut differs) = (Subtrees::default(), 0, false);
    let mut line_ends = Tally::default();
    source.feed(0..source.size(), |chunk| {
        if !differs {
            let rest = &content[common..];
            let same = common_prefix(chunk, rest);
            common += same;
            differs = same < chunk.len();
        }
        subtrees.update(chunk);
        line_ends.feed(chunk);
    })?;
    Ok(Compared { subtrees, common: common as u64, line_ends })
}

/// The place of an unchanged range in the new content.
fn same_in(range: &Range<u64>, offset: u64, old: u64, new: usize) -> Range<usize> {
    let moved = |at: u64| if at <= offset && range.end <= offset { at } else { at - old + new as u64 };
    moved(range.start) as usize..moved(range.end) as usize
}

/// The content after the file's byte order mark, unless it has its own.
fn with_mark<V: Volume>(source: &OpenFile<V>, content: &[u8], encoding: Option<Encoding>) -> Vec<u8> {
    let mark = encoding.map_or(&b""[..], Encoding::mark);
    let is_kept = !content.starts_with(mark) && source.reader().head().starts_with(mark);
    [if is_kept { mark } else { b"" }, content].concat()
}

fn other_form<V: Volume>(
    source: &OpenFile<V>,
    before: Tally,
    content: &[u8],
) -> Result<Option<Note>, Failure> {
    if let Some(name) = encoding::utf_32_of(source.reader()) {
        return Ok(Some(notes::no_utf_32(name)));
    }
    let found = encoding::before(source.reader()).map_err(|fault| source.refuse(Reason::reading(fault)))?;
    if let Some(found) = found.filter(|found| !found.encoding.is_utf_8()) {
        // ASCII is the same in every encoding but UTF-16.
        let is_other = found.encoding.is_utf_16() || !content.is_ascii();
        return Ok(is_other.then(|| notes::other_encoding(found)));
    }
    let mut after = Tally::default();
    after.feed(content);
    Ok(match (before.only(), after.only()) {
        (Some(before), Some(after)) if before != after => Some(notes::other_line_ends(before, after)),
        _ => None,
    })
}

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
