//! `replace-all`: every occurrence of a text or a regular expression, every other byte untouched.

use std::cell::Cell;
use std::ops::ControlFlow;

use crate::changes::{Change, Changes, New, Tags, splice_bytes_written};
use crate::contract::edit_types::{ReplaceAllArgs, ReplaceAllOutcome};
use crate::drawing::{self, Drawn};
use crate::error::{Failure, Reason};
use crate::etag::Subtrees;
use crate::limits::{LINES_LISTED, PLACED_BYTES, REGEX_BYTES, SPAN_BYTES};
use crate::occurrences::{self, Found, Request};
use crate::span::{self, Span};
use crate::text::find::{Event, LineEnds, Scan};
use crate::text::line_end::{Replacement, Tally, replacement};
use crate::text::pattern::Pattern;
use crate::text::utf8::Validator;
use crate::view::{Source, View};
use crate::volume::Volume;
use crate::{etag, precondition};

/// Runs the operation.
pub fn run<V: Volume>(
    view: &View<V>,
    args: &ReplaceAllArgs,
) -> Result<(ReplaceAllOutcome, Changes<V>), Failure> {
    let source = view.open_for_change(&args.path)?;
    occurrences::admit(&source, &args.old)?;
    if args.count.is_some() && args.limit.is_some() {
        return Err(source.refuse(Reason::CountAndLimit));
    }
    let plan = if args.regex() { by_pattern(&source, args)? } else { by_text(&source, args)? };
    let Plan { etag_before, etag, offset, newlines, old, mut new, replaced, lines, adapted } = plan;
    let span = span::smallest(&source, offset..offset + old, &new)?;
    let bytes_written = splice_bytes_written(source.size(), span.offset, span.old, span.new.len() as u64);
    if bytes_written.max(span.old) > SPAN_BYTES {
        return Err(source.refuse(Reason::SpanTooLarge(bytes_written.max(span.old))));
    }
    let mut notes = Vec::new();
    let diff = if args.diff() {
        drawing::changed(&source, &Drawn { offset, newlines, old, new: &new }, &mut notes)?
    } else {
        None
    };
    let tags = Tags { before: Some(etag_before.clone()), after: Some(etag.clone()), whole: false };
    let outcome = ReplaceAllOutcome {
        path: source.path().to_owned(),
        etag_before,
        etag,
        bytes_written,
        replacements: super::count(replaced).unwrap_or(u32::MAX),
        lines,
        line_ends_adapted: adapted,
        undo_id: None,
        diff,
        notes,
    };
    let Span { offset, old: length, new: put } = span;
    new.truncate(put.end);
    new.drain(..put.start);
    let (seen, old, new) = (source.stat(), source.old(offset..offset + length)?, New::Bytes(new));
    Ok((outcome, Change::Splice { place: source.into_place(), seen, offset, old, new, tags }.into()))
}

/// What is to be done: the bytes from the first occurrence to the end of the last one become others.
struct Plan {
    etag_before: String,
    etag: String,
    offset: u64,
    /// LF bytes before them.
    newlines: u64,
    old: u64,
    new: Vec<u8>,
    replaced: u64,
    lines: Vec<u32>,
    adapted: bool,
}

impl Plan {
    /// Nothing is to be done.
    fn nothing(etag: String) -> Self {
        Self {
            etag_before: etag.clone(),
            etag,
            offset: 0,
            newlines: 0,
            old: 0,
            new: Vec::new(),
            replaced: 0,
            lines: Vec::new(),
            adapted: false,
        }
    }
}

/// Refuses a number of occurrences that was not expected. True: there is something to be done.
fn judge<V: Volume>(
    source: &Source<V>,
    args: &ReplaceAllArgs,
    found: u64,
    lines: &[u32],
) -> Result<bool, Failure> {
    match args.count {
        Some(wanted) if u64::from(wanted) != found => {
            Err(source.refuse(Reason::CountMismatch { wanted, found, lines: lines.to_vec() }))
        }
        None if found == 0 => {
            let nearest = if args.regex() {
                None
            } else {
                occurrences::nearest(source, &args.old, args.exact_line_ends())?
            };
            Err(source.refuse(Reason::NoMatch(nearest)))
        }
        _ => Ok(found > 0),
    }
}

fn by_text<V: Volume>(source: &Source<V>, args: &ReplaceAllArgs) -> Result<Plan, Failure> {
    let request =
        Request { old: &args.old, new: &args.new, exact_line_ends: args.exact_line_ends(), chosen: 1 };
    let mut found = occurrences::find(source, &request)?;
    let etag_before = etag::from(&found.subtrees.hash());
    precondition::check(source, args.if_match.as_deref(), || Ok(etag_before.clone()))?;
    if !judge(source, args, found.survey.count, &found.survey.lines)? {
        return Ok(Plan::nothing(etag_before));
    }
    found.survey.require_encodable(&args.new).map_err(|reason| source.refuse(reason))?;
    let Some(first) = found.chosen.take() else { return Ok(Plan::nothing(etag_before)) };
    let count = found.survey.count;
    let replaced = args.limit.map_or(count, |limit| count.min(u64::from(limit)));
    let Rewritten { new, old, adapted } = rewrite(source, args, &found, first.offset, replaced)?;
    let after = source.hash_spliced(&found.subtrees, first.offset, old, &new)?;
    let mut lines = found.survey.lines;
    lines.truncate(usize::try_from(replaced).unwrap_or(usize::MAX));
    Ok(Plan {
        etag_before,
        etag: etag::from(&after),
        offset: first.offset,
        newlines: first.before.newlines(),
        old,
        new,
        replaced,
        lines,
        adapted,
    })
}

struct Rewritten {
    new: Vec<u8>,
    /// Bytes that they take the place of.
    old: u64,
    adapted: bool,
}

/// The second pass, from the first occurrence on: the first `most` ones are replaced. Behind the last of them nothing is
/// looked at.
fn rewrite<V: Volume>(
    source: &Source<V>,
    args: &ReplaceAllArgs,
    found: &Found,
    start: u64,
    most: u64,
) -> Result<Rewritten, Failure> {
    let any = found.line_ends == LineEnds::Any;
    let mut scan = Scan::new(args.old.as_bytes(), found.line_ends);
    let (mut new, mut old, mut at) = (Vec::new(), 0, 0_u64);
    let (mut replaced, mut any_adapted) = (0, false);
    // A few bytes may ask for gigabytes: what does not fit is not looked at any further.
    let (fits, is_over) = (Cell::new(true), Cell::new(most == 0));
    let mut sink = |event: Event| match event {
        _ if !fits.get() || is_over.get() => {}
        Event::Match { bytes, .. } => {
            let Replacement { new: put, adapted } =
                replacement(&args.old, &args.new, bytes, args.exact_line_ends(), any, &found.tally);
            fits.set(new.len() + put.len() <= PLACED_BYTES);
            if !fits.get() {
                return;
            }
            replaced += 1;
            any_adapted |= adapted;
            at += bytes.len() as u64;
            old = at;
            new.extend_from_slice(&put);
            is_over.set(replaced == most);
        }
        Event::Text(bytes) => {
            at += bytes.len() as u64;
            fits.set(new.len() + bytes.len() <= PLACED_BYTES);
            if fits.get() {
                new.extend_from_slice(bytes);
            }
        }
    };
    source.each_chunk(start..source.size(), |chunk| {
        scan.feed(chunk, &mut sink);
        if fits.get() && !is_over.get() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    scan.finish(&mut sink);
    if !fits.get() {
        return Err(source.refuse(Reason::PlacedTooLarge));
    }
    Ok(Rewritten { new, old, adapted: any_adapted })
}

fn by_pattern<V: Volume>(source: &Source<V>, args: &ReplaceAllArgs) -> Result<Plan, Failure> {
    let pattern = Pattern::parse(&args.old).map_err(|reason| source.refuse(reason))?;
    if source.size() > REGEX_BYTES {
        return Err(source.refuse(Reason::TooLargeForRegex(source.size())));
    }
    let start = source.text_start()?;
    let (mark, text) = (source.bytes(0..start)?, source.bytes(start..source.size())?);
    let mut before = Subtrees::default();
    before.update(&mark);
    before.update(&text);
    let etag_before = etag::from(&before.hash());
    precondition::check(source, args.if_match.as_deref(), || Ok(etag_before.clone()))?;

    let most = args.limit.map_or(u64::MAX, u64::from);
    let (mut count, mut lines) = (0, Vec::new());
    let mut tally = Tally::default();
    let (mut first, mut end, mut newlines, mut counted) = (None, 0, 0, 0);
    for range in pattern.matches(&text) {
        count += 1;
        if count > most && args.count.is_none() {
            break;
        }
        tally.feed(&text[counted..range.start]);
        counted = range.start;
        if first.is_none() {
            first = Some(range.start);
            newlines = tally.newlines();
        }
        if lines.len() < LINES_LISTED {
            lines.extend(super::count(tally.line_of(&text[range.start..])));
        }
        end = range.end;
    }
    let found = count.min(most);
    if !judge(source, args, found, &lines)? {
        return Ok(Plan::nothing(etag_before));
    }
    tally.feed(&text[counted..]);
    if let Some(character) = args.new.chars().find(|c| !c.is_ascii()) {
        let mut validator = Validator::default();
        validator.feed(&text);
        if let Some(offset) = validator.finish() {
            return Err(source.refuse(Reason::NotEncodable { character, offset: start + offset }));
        }
    }
    let from = first.unwrap_or(0);
    let majority = if args.exact_line_ends() { None } else { tally.majority() };
    let Some((new, adapted)) = pattern.replaced(&text, from..end, found, &args.new, majority, PLACED_BYTES)
    else {
        return Err(source.refuse(Reason::PlacedTooLarge));
    };
    let (offset, old) = (start + from as u64, (end - from) as u64);
    let after = before.spliced_in(&[&mark, &text], offset, old, &new);
    Ok(Plan {
        etag_before,
        etag: etag::from(&after),
        offset,
        newlines,
        old,
        new,
        replaced: found,
        lines,
        adapted,
    })
}
