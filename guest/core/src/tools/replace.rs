//! `replace`: one occurrence of a text, every other byte untouched.

use std::ops::ControlFlow;

use blake3::Hasher;

use super::{count, diff_left_out, note};
use crate::changes::{Change, Changes, splice_bytes_written};
use crate::contract::edit_types::{ReplaceArgs, ReplaceOutcome};
use crate::contract::types::Note;
use crate::error::{Failure, Reason};
use crate::etag;
use crate::limits::{DIFF_BYTES, LINES_LISTED, PROBE_BYTES, SPAN_BYTES};
use crate::text::diff::{self, Region};
use crate::text::find::{Event, LineEnds, Scan};
use crate::text::line_end::{Tally, adapted};
use crate::text::splice::difference;
use crate::text::utf8::{Validator, looks_like_utf_16};
use crate::view::{Source, View};
use crate::volume::Volume;

/// Runs the operation.
pub fn run<V: Volume>(view: &View<V>, args: &ReplaceArgs) -> Result<(ReplaceOutcome, Changes<V>), Failure> {
    let source = view.open_for_change(&args.path)?;
    if args.old.is_empty() {
        return Err(source.refuse(Reason::EmptyArgument("old")));
    }
    if looks_like_utf_16(&source.bytes(0..source.size().min(PROBE_BYTES))?) {
        return Err(source.refuse(Reason::NotText(0)));
    }
    let chosen = args.occurrence.unwrap_or(1);
    let adapt = !args.exact_line_ends();
    let has_line_end = |text: &str| text.contains(['\n', '\r']);

    let mut line_ends = LineEnds::Exact;
    let mut found = search(&source, args, line_ends, chosen)?;
    if (found.count == 0 || found.cuts_crlf) && adapt && has_line_end(&args.old) {
        line_ends = LineEnds::Any;
        found = search(&source, args, line_ends, chosen)?;
    }
    let Found { count, lines, tally, invalid, hasher: before, chosen: at, .. } = found;
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
    let bytes_written = splice_bytes_written(source.size(), offset, from.len(), to.len());
    if bytes_written > SPAN_BYTES {
        return Err(source.refuse(Reason::SpanTooLarge(bytes_written)));
    }
    let mut notes = Vec::new();
    let diff = if args.diff() { draw(&source, &at, &new, &mut notes)? } else { None };
    let outcome = ReplaceOutcome {
        path: source.path().to_owned(),
        etag_before: etag::strong(&before),
        etag: etag::strong(&after),
        bytes_written,
        replacements: 1,
        lines: super::count(at.before.line_of(&at.bytes)).into_iter().collect(),
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
    /// Some occurrence begins or ends between a CR and its LF.
    cuts_crlf: bool,
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
    let text = source.text_start()?;
    let mut validator = (!args.new.is_ascii()).then(Validator::default);
    let mut found = Found {
        count: 0,
        cuts_crlf: false,
        lines: Vec::new(),
        chosen: None,
        tally: Tally::default(),
        invalid: None,
        hasher: Hasher::new(),
    };
    let mut after_match_and_cr = false;
    let mut sink = |event: Event| match event {
        Event::Text(bytes) => {
            found.cuts_crlf |= after_match_and_cr && bytes.starts_with(b"\n");
            after_match_and_cr = false;
            found.hasher.update(bytes);
        }
        Event::Match { bytes, offset, before } => {
            found.count += 1;
            found.cuts_crlf |= before.is_inside_crlf(bytes);
            after_match_and_cr = bytes.ends_with(b"\r");
            if found.lines.len() < LINES_LISTED {
                found.lines.extend(count(before.line_of(bytes)));
            }
            if found.count == u64::from(chosen) {
                let prefix = found.hasher.clone();
                let offset = text + offset;
                found.chosen = Some(Occurrence { offset, bytes: bytes.to_vec(), before, prefix });
            }
            found.hasher.update(bytes);
        }
    };
    sink(Event::Text(&source.bytes(0..text)?));
    source.each_chunk(text..source.size(), |chunk| {
        if let Some(validator) = &mut validator {
            validator.feed(chunk);
        }
        scan.feed(chunk, &mut sink);
        ControlFlow::Continue(())
    })?;
    found.tally = scan.finish(&mut sink);
    found.invalid = validator.and_then(|validator| validator.finish()).map(|offset| text + offset);
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
    let context = diff::context_before(&head, starts_file).zip(diff::context_after(&tail, ends_file));
    let fits = at.bytes.len() + new.len() <= DIFF_BYTES;
    if let Some((before, after)) = context.filter(|_| fits) {
        let piece = |middle: &[u8]| [before.line, middle, after.line].concat();
        let region = Region {
            line: at.before.newlines() + 1 - before.count,
            head: before.lines,
            before: &piece(&at.bytes),
            after: &piece(new),
            tail: after.lines,
        };
        let (drawn, escaped) = diff::changed(source.path(), &region);
        if drawn.len() <= DIFF_BYTES {
            if escaped {
                notes
                    .push(note("escaped", "the diff shows bytes that are not UTF-8 as `\\x{E9}`".to_owned()));
            }
            return Ok(Some(drawn));
        }
    }
    notes.push(diff_left_out());
    Ok(None)
}
