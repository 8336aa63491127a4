//! A part of a file's text becomes another: what that makes of the file, whatever its encoding.

use std::ops::Range;

use crate::changes::{Change, New, Tags, splice_bytes_written};
use crate::coding;
use crate::drawing::{self, Drawn};
use crate::span::{self, Span};
use crate::view::Source;
use fsgate_contract::limits::{DECODED_BYTES, SPAN_BYTES};
use fsgate_contract::types::Note;
use fsgate_error::{EncodingProblem, Failure, Reason};
use fsgate_text::encoding::{Decoded, Edit, plain_bytes};
use fsgate_text::splice::difference;
use fsgate_volume::Volume;
use fsgate_volume::etag::{self, Subtrees};

/// What is to be put where, as offsets in what the file gives out: itself, or its text.
pub struct Part<'a> {
    /// Have seen all of it.
    pub subtrees: &'a Subtrees,
    /// The state of the file.
    pub etag_before: &'a str,
    /// What goes.
    pub range: Range<u64>,
    /// LF bytes before it.
    pub newlines: u64,
    /// What comes.
    pub new: Vec<u8>,
    /// Where only some of it is meant: exactly which, if the file gives out its text.
    pub edits: Option<Vec<Edit>>,
}

/// What becomes of the file.
pub struct Made<V: Volume> {
    /// Its state after.
    pub etag: String,
    /// Bytes that are written.
    pub bytes_written: u64,
    /// The change as a diff, if it was asked for.
    pub diff: Option<String>,
    /// What else is worth knowing.
    pub notes: Vec<Note>,
    /// The change.
    pub change: Change<V>,
}

/// Makes the change.
pub fn make<V: Volume>(source: Source<V>, part: Part, with_diff: bool) -> Result<Made<V>, Failure> {
    if source.decoded().is_some() {
        return in_text(source, part, with_diff);
    }
    let Part { subtrees, etag_before, range, newlines, new, .. } = part;
    let old = range.end - range.start;
    let after = source.hash_spliced(subtrees, range.start, old, &new)?;
    let span = span::smallest(&source, range.clone(), &new)?;
    let bytes_written = splice_bytes_written(source.size(), span.offset, span.old, span.new.len() as u64);
    let moved = bytes_written.max(span.old);
    if moved > SPAN_BYTES {
        return Err(source.refuse(Reason::SpanTooLarge(moved)));
    }
    let mut notes = Vec::new();
    let diff = if with_diff {
        legible(&source, &Drawn { offset: range.start, newlines, old, new: &new }, &mut notes)?
    } else {
        None
    };
    let etag = etag::from(&after);
    let tags = Tags { before: Some(etag_before.to_owned()), after: Some(etag.clone()), whole: false };
    let Span { offset, old: length, new: put } = span;
    let (seen, old) = (source.stat(), source.old(offset..offset + length)?);
    let mut new = new;
    new.truncate(put.end);
    new.drain(..put.start);
    let change = Change::Splice { place: source.into_place(), seen, offset, old, new: New::Bytes(new), tags };
    Ok(Made { etag, bytes_written, diff, notes, change })
}

/// The same where the file gives out its text: what is not meant keeps its bytes.
fn in_text<V: Volume>(source: Source<V>, part: Part, with_diff: bool) -> Result<Made<V>, Failure> {
    let Part { etag_before, range, new, edits, .. } = part;
    let Some((decoded, detected)) = source.content().decoded() else {
        return Err(source.refuse(Reason::Encoding(EncodingProblem::NotText(0))));
    };
    // A text is in memory, so its offsets are numbers of bytes there.
    let edits = edits.unwrap_or_else(|| vec![Edit { range: range.start as usize..range.end as usize, new }]);
    let after = coding::edited(decoded, &edits).map_err(|reason| source.refuse(reason))?;
    let mut notes: Vec<_> = coding::note(*detected).into_iter().collect();
    let diff = if with_diff { drawn(source.path(), decoded, &edits, &mut notes) } else { None };
    let raw = decoded.raw();
    let (from, to) = difference(raw, &after);
    let bytes_written =
        splice_bytes_written(raw.len() as u64, from.start as u64, from.len() as u64, to.len() as u64);
    let etag = etag::of(&after);
    let tags = Tags { before: Some(etag_before.to_owned()), after: Some(etag.clone()), whole: false };
    let (seen, offset) = (source.stat(), from.start as u64);
    let (old, new) = (coding::old(&raw[from]), New::Bytes(after[to].to_vec()));
    let change = Change::Splice { place: source.into_place(), seen, offset, old, new, tags };
    Ok(Made { etag, bytes_written, diff, notes, change })
}

/// The diff of a change that was made in bytes: of the text that they are, as a read shows it, so that the diff can be applied as it
/// is. Of what is UTF-8, or nothing that is known, the bytes.
pub fn legible<V: Volume>(
    source: &Source<V>,
    change: &Drawn,
    notes: &mut Vec<Note>,
) -> Result<Option<String>, Failure> {
    let known = notes.len();
    let diff = drawing::changed(source, change, notes)?;
    let is_escaped = notes[known..].iter().any(|note| note.kind == drawing::ESCAPED);
    if !is_escaped || source.is_told() || source.size() > DECODED_BYTES {
        return Ok(diff);
    }
    let Some(found) = coding::detected(source)?.filter(|found| !found.encoding.is_utf_8()) else {
        return Ok(diff);
    };
    let before = source.bytes(0..source.size())?;
    // What is in memory has offsets that are numbers of bytes there.
    let (from, to) = (change.offset as usize, (change.offset + change.old) as usize);
    let after = [&before[..from], change.new, &before[to..]].concat();
    let [old, new] = [&before, &after].map(|all| coding::shown(found.encoding, all));
    notes.truncate(known);
    notes.extend(coding::note(found));
    Ok(drawing::texts(source.path(), found.encoding, [&old, &new], notes))
}

/// The edits as one change of the text.
pub fn drawn(path: &str, decoded: &Decoded, edits: &[Edit], notes: &mut Vec<Note>) -> Option<String> {
    let text = decoded.text();
    let (Some(first), Some(last)) = (edits.first(), edits.last()) else { return Some(String::new()) };
    let (start, end) = (first.range.start, last.range.end);
    let (mut new, mut done) = (Vec::new(), start);
    for edit in edits {
        new.extend_from_slice(&text[done..edit.range.start]);
        new.extend_from_slice(&edit.new);
        done = edit.range.end;
    }
    let [head, old, tail, new] = [&text[..start], &text[start..end], &text[end..], &new[..]].map(plain_bytes);
    let change = Drawn {
        offset: head.len() as u64,
        newlines: memchr::memchr_iter(b'\n', &head).count() as u64,
        old: old.len() as u64,
        new: &new,
    };
    let text = [head, old, tail].concat();
    drawing::decoded(path, (decoded.encoding(), &text), &change, notes)
}
