//! The splice of a file: new bytes for a range, and no other change.

use std::ops::{ControlFlow, Range};

use super::diff::{self, ChangedBytes};
use crate::changes::{Change, New, Old, Tags, splice_bytes_written};
use crate::file::{OpenFile, TaggedFile, encoding};
use fsgate_contract::edit_types;
use fsgate_contract::limits::{CHUNK_BYTES, SPAN_BYTES};
use fsgate_contract::types::Note;
use fsgate_error::{EncodingProblem, Failure, Reason};
use fsgate_text::encoding::Edit;
use fsgate_text::splice::difference;
use fsgate_volume::Volume;
use fsgate_volume::etag;

/// The common outcome of edits.
pub struct Edited {
    /// The path.
    pub path: String,
    /// Its strong tag before.
    pub etag_before: String,
    /// Its strong tag after.
    pub etag: String,
    /// Written bytes.
    pub bytes_written: u64,
    /// The diff, if asked.
    pub diff: Option<String>,
    /// Notes.
    pub notes: Vec<Note>,
}

macro_rules! outcomes {
    ($($outcome:ident)*) => {
        $(impl From<Edited> for edit_types::$outcome {
            fn from(outcome: Edited) -> Self {
                let Edited { path, etag_before, etag, bytes_written, diff, notes } = outcome;
                Self { path, etag_before, etag, bytes_written, diff, notes, ..Self::default() }
            }
        })*
    };
}
outcomes!(ReplaceOutcome ReplaceAllOutcome ReplaceLinesOutcome InsertLinesOutcome CommentLinesOutcome UncommentLinesOutcome);

/// Plans to put `new` in the place of a range, after `newlines` LF bytes. In a decoded text only
/// given `edits` change.
pub fn plan<V: Volume>(
    TaggedFile { file, subtrees, etag: etag_before }: TaggedFile<V>,
    range: Range<u64>,
    newlines: u64,
    mut new: Vec<u8>,
    edits: Option<Vec<Edit>>,
    diff: bool,
) -> Result<(Edited, Change<V>), Failure> {
    if file.decoded().is_some() {
        let whole = || vec![Edit { range: range.start as usize..range.end as usize, new }];
        return plan_in_text(file, etag_before, &edits.unwrap_or_else(whole), diff);
    }
    let (offset, old) = (range.start, range.end - range.start);
    // Hashes only the bytes near the splice, and those after it if the length changes.
    let after = subtrees.spliced(offset, old, &new, |range, sink| file.feed(range, |chunk| sink(chunk)))?;
    let (from, to) = trim_common(&file, range, &new)?;
    let gone = from.end - from.start;
    let bytes_written = splice_bytes_written(file.size(), from.start, gone, to.len() as u64);
    let moved = bytes_written.max(gone);
    if moved > SPAN_BYTES {
        return Err(file.refuse(Reason::SpanTooLarge(moved)));
    }
    let mut notes = Vec::new();
    let diff = match diff {
        true => diff::legible(&file, &ChangedBytes { offset, newlines, old, new: &new }, &mut notes)?,
        false => None,
    };
    new.truncate(to.end);
    new.drain(..to.start);
    let (path, old) = (file.path().to_owned(), file.old(from.clone())?);
    let outcome = Edited { path, etag_before, etag: etag::from(&after), bytes_written, diff, notes };
    let change = outcome.change(file, from.start, old, new);
    Ok((outcome, change))
}

/// The same in decoded text: invalid bytes elsewhere stay.
fn plan_in_text<V: Volume>(
    file: OpenFile<V>,
    etag_before: String,
    edits: &[Edit],
    diff: bool,
) -> Result<(Edited, Change<V>), Failure> {
    let Some(decoded) = file.decoded() else {
        return Err(file.refuse(EncodingProblem::NotText(0)));
    };
    let after = encoding::edited(decoded, edits).map_err(|reason| file.refuse(reason))?;
    let mut notes: Vec<_> = file.encoding_note().into_iter().collect();
    let diff = if diff { diff::edits(file.path(), decoded, edits, &mut notes) } else { None };
    let raw = decoded.raw();
    let (from, to) = difference(raw, &after);
    let (offset, path) = (from.start as u64, file.path().to_owned());
    let bytes_written = splice_bytes_written(raw.len() as u64, offset, from.len() as u64, to.len() as u64);
    let outcome = Edited { path, etag_before, etag: etag::of(&after), bytes_written, diff, notes };
    let old = Old::of(&raw[from]);
    let change = outcome.change(file, offset, old, after[to].to_vec());
    Ok((outcome, change))
}

impl Edited {
    fn change<V: Volume>(&self, file: OpenFile<V>, offset: u64, old: Old, new: Vec<u8>) -> Change<V> {
        let (before, after) = (Some(self.etag_before.clone()), Some(self.etag.clone()));
        let (seen, tags) = (file.stat(), Tags { before, after, whole: false });
        Change::Splice { place: file.into_place(), seen, offset, old, new: New::Bytes(new), tags }
    }
}

/// Trims the common bytes at both ends of a range and its new bytes.
pub fn trim_common<V: Volume>(
    file: &OpenFile<V>,
    range: Range<u64>,
    new: &[u8],
) -> Result<(Range<u64>, Range<usize>), Failure> {
    let most = (range.end - range.start).min(new.len() as u64);
    let mut start = 0;
    file.each_chunk(range.start..range.start + most, |chunk| {
        let same = common_prefix(chunk, &new[start as usize..]);
        start += same as u64;
        if same == chunk.len() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    trim_common_end(file, range, new, start)
}

/// The number of common bytes at the beginning.
pub fn common_prefix(one: &[u8], other: &[u8]) -> usize {
    const BLOCK: usize = 64;
    let blocks = one.chunks_exact(BLOCK).zip(other.chunks_exact(BLOCK)).take_while(|(a, b)| a == b);
    let same = blocks.count() * BLOCK;
    same + one[same..].iter().zip(&other[same..]).take_while(|(a, b)| a == b).count()
}

/// [`trim_common`] after exactly `start` common bytes.
pub fn trim_common_end<V: Volume>(
    file: &OpenFile<V>,
    range: Range<u64>,
    new: &[u8],
    start: u64,
) -> Result<(Range<u64>, Range<usize>), Failure> {
    let common = (range.end - range.start).min(new.len() as u64);
    let mut tail = 0;
    while tail < common - start {
        let length = (common - start - tail).min(CHUNK_BYTES as u64);
        let end = range.end - tail;
        let old = file.bytes(end - length..end)?;
        let rest = &new[..new.len() - tail as usize];
        let same = old.iter().rev().zip(rest.iter().rev()).take_while(|(a, b)| a == b).count() as u64;
        tail += same;
        if same < length {
            break;
        }
    }
    Ok((range.start + start..range.end - tail, start as usize..new.len() - tail as usize))
}
