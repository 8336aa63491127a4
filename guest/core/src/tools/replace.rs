//! `replace`: one occurrence of a text, every other byte untouched.

use std::ops::ControlFlow;

use blake3::Hasher;

use super::note;
use crate::changes::{Change, Changes, splice_bytes_written};
use crate::contract::edit_types::{ReplaceArgs, ReplaceOutcome};
use crate::contract::types::Note;
use crate::error::{Failure, Reason};
use crate::etag;
use crate::limits::{DIFF_BYTES, DIFF_CONTEXT, LINES_LISTED};
use crate::text::diff::{self, Region};
use crate::text::find::{Event, LineEnds, Scan};
use crate::text::line_end::{Tally, adapted};
use crate::text::splice::difference;
use crate::text::utf8::Validator;
use crate::view::{Source, View};
use crate::volume::Volume;

/// Runs the operation.
pub fn run<V: Volume>(view: &View<V>, args: &ReplaceArgs) -> Result<(ReplaceOutcome, Changes<V>), Failure> {
    let source = view.open_for_change(&args.path)?;
    if args.old.is_empty() {
        return Err(source.refuse(Reason::EmptyArgument("old")));
    }
    let chosen = args.occurrence.unwrap_or(1);
    let adapt = !args.exact_line_ends();
    let has_line_end = |text: &str| text.contains(['\n', '\r']);

    let mut line_ends = LineEnds::Exact;
    let mut found = search(&source, args, line_ends, chosen)?;
    if found.count == 0 && adapt && has_line_end(&args.old) {
        line_ends = LineEnds::Any;
        found = search(&source, args, line_ends, chosen)?;
    }
    let Found { count, lines, tally, invalid, hasher: before, chosen: at } = found;
    let at = match (at, args.occurrence) {
        (None, _) if count == 0 => return Err(source.refuse(Reason::NoMatch)),
        (None, _) => return Err(source.refuse(Reason::NoSuchOccurrence { asked: chosen, count })),
        (Some(_), None) if count > 1 => return Err(source.refuse(Reason::Ambiguous { count, lines })),
        (Some(at), _) => at,
    };
    if let Some(offset) = invalid
        && let Some(character) = args.new.chars().find(|c| !c.is_ascii())
    {
        return Err(source.refuse(Reason::NotEncodable { character, offset }));
    }

    // `old` without a line end matches whatever the file's are, so `new` takes them from the file.
    let new = if adapt && (line_ends == LineEnds::Any || !has_line_end(&args.old)) {
        adapted(args.new.as_bytes(), &at.bytes, tally.majority())
    } else {
        args.new.as_bytes().to_vec()
    };
    let line_ends_adapted = line_ends == LineEnds::Any || new != args.new.as_bytes();

    let end = at.offset + at.bytes.len() as u64;
    let mut after = at.prefix.clone();
    after.update(&new);
    source.each_chunk(end..source.size(), |chunk| {
        after.update(chunk);
        ControlFlow::Continue(())
    })?;

    let (from, to) = difference(&at.bytes, &new);
    let offset = at.offset + from.start as u64;
    let mut notes = Vec::new();
    let diff = if args.diff() { draw(&source, &at, &new, &mut notes)? } else { None };
    let outcome = ReplaceOutcome {
        path: source.path().to_owned(),
        etag_before: etag::strong(&before),
        etag: etag::strong(&after),
        bytes_written: splice_bytes_written(source.size(), offset, from.len(), to.len()),
        replacements: 1,
        lines: u32::try_from(at.before.lines() + 1).into_iter().collect(),
        line_ends_adapted,
        diff,
        notes,
    };
    let seen = source.stat();
    let change = Change::Splice {
        place: source.into_place(),
        seen,
        offset,
        old: at.bytes[from].to_vec(),
        new: new[to].to_vec(),
    };
    Ok((outcome, change.into()))
}

/// What one pass over the file tells.
struct Found {
    count: u64,
    /// Lines of the first occurrences.
    lines: Vec<u32>,
    /// The occurrence that was asked for.
    chosen: Option<Occurrence>,
    tally: Tally,
    /// The first byte that is not UTF-8, looked for only where it matters.
    invalid: Option<u64>,
    /// Has seen the whole file.
    hasher: Hasher,
}

struct Occurrence {
    offset: u64,
    bytes: Vec<u8>,
    /// Line ends before it.
    before: Tally,
    /// Has seen the file up to it.
    prefix: Hasher,
}

fn search<V: Volume>(
    source: &Source<V>,
    args: &ReplaceArgs,
    line_ends: LineEnds,
    chosen: u32,
) -> Result<Found, Failure> {
    let mut scan = Scan::new(args.old.as_bytes(), line_ends);
    let mut validator = (!args.new.is_ascii()).then(Validator::default);
    let mut found = Found {
        count: 0,
        lines: Vec::new(),
        chosen: None,
        tally: Tally::default(),
        invalid: None,
        hasher: Hasher::new(),
    };
    let mut sink = |event: Event| match event {
        Event::Text(bytes) => {
            found.hasher.update(bytes);
        }
        Event::Match { bytes, offset, before } => {
            found.count += 1;
            if found.lines.len() < LINES_LISTED {
                found.lines.extend(u32::try_from(before.lines() + 1));
            }
            if found.count == u64::from(chosen) {
                let prefix = found.hasher.clone();
                found.chosen = Some(Occurrence { offset, bytes: bytes.to_vec(), before, prefix });
            }
            found.hasher.update(bytes);
        }
    };
    source.each_chunk(0..source.size(), |chunk| {
        if let Some(validator) = &mut validator {
            validator.feed(chunk);
        }
        scan.feed(chunk, &mut sink);
        ControlFlow::Continue(())
    })?;
    found.tally = scan.finish(&mut sink);
    found.invalid = validator.and_then(|validator| validator.finish());
    Ok(found)
}

/// The diff, if its lines and their context are short enough.
fn draw<V: Volume>(
    source: &Source<V>,
    at: &Occurrence,
    new: &[u8],
    notes: &mut Vec<Note>,
) -> Result<Option<String>, Failure> {
    let end = at.offset + at.bytes.len() as u64;
    let reach = DIFF_BYTES as u64;
    let head = source.bytes(at.offset.saturating_sub(reach)..at.offset)?;
    let tail = source.bytes(end..source.size().min(end + reach))?;
    let starts_file = head.len() as u64 == at.offset;
    let ends_file = end + tail.len() as u64 >= source.size();
    let region = context_before(&head, starts_file).zip(context_after(&tail, ends_file));
    let fits = at.bytes.len() + new.len() <= DIFF_BYTES;
    if let Some(((head, lines), tail)) = region.filter(|_| fits) {
        let piece = |middle: &[u8]| [head, middle, tail].concat();
        let line = at.before.newlines() + 1 - lines;
        let (drawn, escaped) =
            diff::changed(source.path(), &Region { line, before: &piece(&at.bytes), after: &piece(new) });
        if drawn.len() <= DIFF_BYTES {
            if escaped {
                notes
                    .push(note("escaped", "the diff shows bytes that are not UTF-8 as `\\x{E9}`".to_owned()));
            }
            return Ok(Some(drawn));
        }
    }
    notes.push(note("diff", format!("the diff is left out: it is larger than {DIFF_BYTES} bytes")));
    Ok(None)
}

/// The end of `head` that belongs to a diff's first hunk, and the number of line ends in it.
fn context_before(head: &[u8], starts_file: bool) -> Option<(&[u8], u64)> {
    let newlines: Vec<_> = memchr::memrchr_iter(b'\n', head).take(DIFF_CONTEXT + 1).collect();
    match newlines.get(DIFF_CONTEXT) {
        Some(at) => Some((&head[at + 1..], DIFF_CONTEXT as u64)),
        None => starts_file.then_some((head, newlines.len() as u64)),
    }
}

/// The beginning of `tail` that belongs to a diff's last hunk: the rest of the line, and the context.
fn context_after(tail: &[u8], ends_file: bool) -> Option<&[u8]> {
    match memchr::memchr_iter(b'\n', tail).nth(DIFF_CONTEXT) {
        Some(at) => Some(&tail[..=at]),
        None => ends_file.then_some(tail),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn context_ends_at_line_ends() {
        assert_eq!(context_before(b"1\n2\n3\n4\n5\nab", false), Some((&b"3\n4\n5\nab"[..], 3)));
        assert_eq!(context_before(b"1\nab", true), Some((&b"1\nab"[..], 1)));
        assert_eq!(context_before(b"1\nab", false), None);
        assert_eq!(context_after(b"yz\n1\n2\n3\n4\n", false), Some(&b"yz\n1\n2\n3\n"[..]));
        assert_eq!(context_after(b"yz", true), Some(&b"yz"[..]));
        assert_eq!(context_after(b"yz", false), None);
    }
}
