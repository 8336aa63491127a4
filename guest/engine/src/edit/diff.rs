//! Diffs of changes, with context lines of the file.

use std::ops::Range;

use crate::file::{OpenFile, encoding};
use fsgate_contract::limits::{DECODED_BYTES, DIFF_BYTES, STRONG_TAG_BYTES};
use fsgate_contract::types::Note;
use fsgate_error::Failure;
use fsgate_text::diff::{self, DiffRegion};
use fsgate_text::encoding::{Decoded, Detected, Edit, Encoding, detect, plain_bytes};
use fsgate_text::line_end::Tally;
use fsgate_text::splice::difference;
use fsgate_volume::Volume;

/// The note kind of escaped bytes.
const ESCAPED: &str = "escaped";

/// The note kind of a diff that is left out.
pub const DIFF: &str = "diff";

/// A change of bytes in a file.
pub struct ChangedBytes<'a> {
    /// The offset of the first one.
    pub offset: u64,
    /// LF bytes before it.
    pub newlines: u64,
    /// Number of old bytes.
    pub old: u64,
    /// The new bytes.
    pub new: &'a [u8],
}

/// LF bytes before an offset.
pub fn newlines<V: Volume>(file: &OpenFile<V>, offset: u64) -> Result<u64, Failure> {
    let mut tally = Tally::default();
    file.feed(0..offset, |chunk| tally.feed(chunk))?;
    Ok(tally.newlines())
}

/// The diff of the content, or a note.
pub fn changed<V: Volume>(
    file: &OpenFile<V>,
    change: &ChangedBytes,
    notes: &mut Vec<Note>,
) -> Result<Option<String>, Failure> {
    let bytes = |range| file.bytes(range);
    region(file.path(), file.size(), bytes, change, notes)
}

/// The same in memory, in this encoding.
pub fn decoded(
    path: &str,
    (encoding, text): (Encoding, &[u8]),
    change: &ChangedBytes,
    notes: &mut Vec<Note>,
) -> Option<String> {
    let bytes = |range: Range<u64>| Ok(text[range.start as usize..range.end as usize].to_vec());
    let drawn = region(path, text.len() as u64, bytes, change, notes).unwrap_or_default();
    notes.extend(drawn.as_deref().and_then(|drawn| no_patch(encoding, drawn)));
    drawn
}

/// The diff between two texts in this encoding.
pub fn texts(
    path: &str,
    encoding: Encoding,
    [old, new]: [&[u8]; 2],
    notes: &mut Vec<Note>,
) -> Option<String> {
    let (from, to) = difference(old, new);
    let change = ChangedBytes {
        offset: from.start as u64,
        newlines: memchr::memchr_iter(b'\n', &old[..from.start]).count() as u64,
        old: from.len() as u64,
        new: &new[to],
    };
    decoded(path, (encoding, old), &change, notes)
}

/// The diff in decoded text, as a read shows it, with a note about a guessed encoding.
pub fn legible<V: Volume>(
    file: &OpenFile<V>,
    change: &ChangedBytes,
    notes: &mut Vec<Note>,
) -> Result<Option<String>, Failure> {
    legible_with(file, change, notes, encoding::note)
}

/// The same for an operation that takes no `encoding`, so it has no such note.
pub fn legible_past<V: Volume>(
    file: &OpenFile<V>,
    change: &ChangedBytes,
    notes: &mut Vec<Note>,
) -> Result<Option<String>, Failure> {
    legible_with(file, change, notes, |_| None)
}

fn legible_with<V: Volume>(
    file: &OpenFile<V>,
    change: &ChangedBytes,
    notes: &mut Vec<Note>,
    note: fn(Detected) -> Option<Note>,
) -> Result<Option<String>, Failure> {
    let known = notes.len();
    let diff = changed(file, change, notes)?;
    let is_foreign = notes[known..].iter().any(|note| note.kind == ESCAPED) || file.is_utf_16();
    if !is_foreign || file.is_named_utf_8() || file.size() > DECODED_BYTES {
        return Ok(diff);
    }
    let Some(found) = file.detected()?.filter(|found| !found.encoding.is_utf_8()) else {
        return Ok(diff);
    };
    let before = file.bytes(0..file.size())?;
    let (from, to) = (change.offset as usize, (change.offset + change.old) as usize);
    let after = [&before[..from], change.new, &before[to..]].concat();
    let [old, new] = [&before, &after].map(|all| encoding::shown(found.encoding, all));
    notes.truncate(known);
    notes.extend(note(found));
    Ok(texts(file.path(), found.encoding, [&old, &new], notes))
}

/// The encoding of a content in memory, which a diff decodes: UTF-8 for a binary or large one.
pub fn encoding_of(content: &[u8]) -> Encoding {
    let found = (content.len() as u64 <= DECODED_BYTES).then(|| detect(content, true)).flatten();
    found.map_or(Encoding::UTF_8, |found| found.encoding)
}

/// The diff of several edits.
pub fn edits(path: &str, decoded: &Decoded, edits: &[Edit], notes: &mut Vec<Note>) -> Option<String> {
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
    let change = ChangedBytes {
        offset: head.len() as u64,
        newlines: memchr::memchr_iter(b'\n', &head).count() as u64,
        old: old.len() as u64,
        new: &new,
    };
    let text = [head, old, tail].concat();
    self::decoded(path, (decoded.encoding(), &text), &change, notes)
}

fn region(
    path: &str,
    size: u64,
    bytes: impl Fn(Range<u64>) -> Result<Vec<u8>, Failure>,
    change: &ChangedBytes,
    notes: &mut Vec<Note>,
) -> Result<Option<String>, Failure> {
    let end = change.offset + change.old;
    let reach = DIFF_BYTES as u64;
    if change.old + change.new.len() as u64 > reach {
        notes.push(left_out());
        return Ok(None);
    }
    let old = bytes(change.offset..end)?;
    let head = bytes(change.offset.saturating_sub(reach)..change.offset)?;
    let tail = bytes(end..size.min(end + reach))?;
    let starts_file = head.len() as u64 == change.offset;
    let ends_file = end + tail.len() as u64 >= size;
    let context = diff::context_before(&head, starts_file).zip(diff::context_after(&tail, ends_file));
    if let Some((before, after)) = context {
        let piece = |middle: &[u8]| [before.line, middle, after.line].concat();
        let region = DiffRegion {
            line: change.newlines + 1 - before.count,
            head: before.lines,
            before: &piece(&old),
            after: &piece(change.new),
            tail: after.lines,
        };
        let (drawn, escaped) = diff::changed(path, &region);
        if drawn.len() <= DIFF_BYTES {
            if escaped {
                notes.push(escaped_bytes());
            }
            return Ok(Some(drawn));
        }
    }
    notes.push(left_out());
    Ok(None)
}

/// The diff of a new file with this text.
pub fn created(path: &str, text: (Encoding, &[u8]), notes: &mut Vec<Note>) -> Option<String> {
    whole(text, diff::created, path, notes)
}

/// The diff of a deleted file with this text.
pub fn deleted(path: &str, text: (Encoding, &[u8]), notes: &mut Vec<Note>) -> Option<String> {
    whole(text, diff::deleted, path, notes)
}

fn whole(
    (encoding, content): (Encoding, &[u8]),
    draw: fn(&str, &[u8]) -> (String, bool),
    path: &str,
    notes: &mut Vec<Note>,
) -> Option<String> {
    // A diff is never shorter than the content.
    let (drawn, escaped) = (content.len() <= DIFF_BYTES)
        .then(|| draw(path, content))
        .filter(|(drawn, _)| drawn.len() <= DIFF_BYTES)
        .or_else(|| {
            notes.push(left_out());
            None
        })?;
    if escaped {
        notes.push(escaped_bytes());
    }
    notes.extend(no_patch(encoding, &drawn));
    Some(drawn)
}

/// The diffs of several files, in one budget.
#[derive(Default)]
pub struct Diffs {
    text: String,
    /// Diffs without hunks come last: a later hunk would belong to them.
    bare: String,
    left_out: u32,
}

impl Diffs {
    /// False once a diff did not fit.
    pub fn have_room(&self) -> bool {
        self.left_out == 0
    }

    /// Adds the diff of the next file.
    pub fn add(&mut self, drawn: Option<&str>) {
        match drawn {
            Some(drawn)
                if self.have_room() && self.text.len() + self.bare.len() + drawn.len() <= DIFF_BYTES =>
            {
                let is_bare = drawn.starts_with("diff --git ") && !drawn.contains("\n@@ ");
                if is_bare { &mut self.bare } else { &mut self.text }.push_str(drawn);
            }
            _ => self.left_out += 1,
        }
    }

    /// Returns all, with a note about missing ones.
    pub fn finish(mut self, notes: &mut Vec<Note>) -> Option<String> {
        self.text.push_str(&self.bare);
        if self.left_out > 0 {
            let files = if self.left_out == 1 { "one file" } else { "several files" };
            let text = format!(
                "the diff of {files} is left out: all of them together have at most {DIFF_BYTES} bytes"
            );
            notes.push(Note { kind: DIFF.to_owned(), text });
        }
        (!self.text.is_empty() || self.left_out == 0).then_some(self.text)
    }
}

/// The note for a large file.
pub fn left_out_of_large_file() -> Note {
    let text = format!("the diff is left out: the file is larger than {STRONG_TAG_BYTES} bytes");
    Note { kind: DIFF.to_owned(), text }
}

fn left_out() -> Note {
    let text = format!("the diff is left out: it is larger than {DIFF_BYTES} bytes");
    Note { kind: DIFF.to_owned(), text }
}

/// The note about bytes shown by their numbers.
fn escaped_bytes() -> Note {
    let text = "the diff shows bytes that are not UTF-8 as `\\x{E9}`".to_owned();
    Note { kind: ESCAPED.to_owned(), text }
}

fn no_patch(encoding: Encoding, drawn: &str) -> Option<Note> {
    let is_ascii = drawn.is_ascii() && !encoding.is_utf_16();
    if encoding.is_utf_8() || is_ascii || drawn.is_empty() {
        return None;
    }
    let name = encoding.name();
    let text =
        format!("the diff shows text that the file has in {name}: `git apply` and `patch` cannot apply it");
    Some(Note { kind: "decoded".to_owned(), text })
}
