//! `replace-all`: every occurrence of a text or a regular expression, every other byte untouched.

use std::cell::Cell;
use std::ops::{ControlFlow, Range};

use super::grep::may_be_expression;
use crate::changes::Changes;
use crate::edited::{self, Made, Part};
use crate::file::encoding::{self, TextFormat};
use crate::file::{OpenFile, precondition};
use crate::notes;
use crate::occurrences::{self, Found, Request};
use crate::section;
use crate::view::View;
use fsgate_contract::edit_types::{ReplaceAllArgs, ReplaceAllOutcome};
use fsgate_contract::limits::{LINES_LISTED, PLACED_BYTES, REGEX_BYTES};
use fsgate_contract::types::Note;
use fsgate_error::{Failure, Misread, Reason};
use fsgate_text::beyond::Text;
use fsgate_text::encoding::Edit;
use fsgate_text::find::{Event, LineEnds, Scan};
use fsgate_text::line_end::{Replacement, Tally, as_lf, kept_lines, replacement};
use fsgate_text::nearest::Traces;
use fsgate_text::pattern::{self, Pattern, Put};
use fsgate_text::survey::Survey;
use fsgate_volume::Volume;
use fsgate_volume::etag::Subtrees;

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
    let wanted = TextFormat { label: args.encoding.as_deref(), escaped: args.escaped() };
    let (source, plan) =
        if args.regex() { by_pattern(source, args, &wanted)? } else { by_text(source, args, &wanted)? };
    let Plan { subtrees, etag_before, range, newlines, new, edits, replaced, lines, adapted, note } = plan;
    let path = source.path().to_owned();
    let part = Part { subtrees: &subtrees, etag_before: &etag_before, range, newlines, new, edits };
    let Made { etag, bytes_written, diff, mut notes, change } = edited::make(source, part, args.diff())?;
    notes.extend(note);
    let outcome = ReplaceAllOutcome {
        path,
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
    Ok((outcome, change.into()))
}

/// What is to be done: the bytes from the first occurrence to the end of the last one become others.
struct Plan {
    subtrees: Subtrees,
    etag_before: String,
    range: Range<u64>,
    /// LF bytes before them.
    newlines: u64,
    new: Vec<u8>,
    /// Each occurrence by itself, if the file gives out its text.
    edits: Option<Vec<Edit>>,
    replaced: u64,
    lines: Vec<u32>,
    adapted: bool,
    /// A note about the replacement.
    note: Option<Note>,
}

impl Plan {
    /// Nothing is to be done.
    fn nothing(etag_before: String, subtrees: Subtrees) -> Self {
        Self {
            subtrees,
            etag_before,
            range: 0..0,
            newlines: 0,
            new: Vec::new(),
            edits: Some(Vec::new()),
            replaced: 0,
            lines: Vec::new(),
            adapted: false,
            note: None,
        }
    }
}

/// Refuses a number of occurrences that was not expected. True: there is something to be done. `needs_cr`: an expression names line
/// ends, and there are some of CRLF. `elsewhere` looks through all of the file.
fn judge<V: Volume>(
    source: &OpenFile<V>,
    args: &ReplaceAllArgs,
    within: &Range<u64>,
    found: u64,
    lines: &[u32],
    needs_cr: bool,
    elsewhere: impl FnOnce() -> Result<(u64, Vec<u32>), Failure>,
) -> Result<bool, Failure> {
    match args.count {
        Some(wanted) if u64::from(wanted) != found => {
            Err(source.refuse(Reason::CountMismatch { wanted, found, lines: lines.to_vec() }))
        }
        None if found == 0 => {
            let traces = if args.regex() {
                Traces::default()
            } else {
                let texts = [args.old.as_bytes(), args.new.as_bytes()];
                occurrences::traces(source, texts, args.exact_line_ends(), within)?
            };
            let why = section::no_match(args.section.as_deref(), traces, elsewhere)?;
            Err(source.refuse(match why {
                Reason::NoMatch(_) if args.regex() => Reason::MatchesNothing(match needs_cr {
                    true => Misread::LineEnds,
                    false if args.old.contains("\\|") => Misread::Bar,
                    false => Misread::Nothing,
                }),
                Reason::NoMatch(_) if may_be_expression(&args.old) => Reason::TakenLiterally(Box::new(why)),
                why => why,
            }))
        }
        _ => Ok(found > 0),
    }
}

fn by_text<'a, V: Volume>(
    source: OpenFile<'a, V>,
    args: &ReplaceAllArgs,
    wanted: &TextFormat,
) -> Result<(OpenFile<'a, V>, Plan), Failure> {
    let source = encoding::as_text(source, wanted, &[&args.old, &args.new])?;
    let (old, new) = (wanted.bytes(&source, &args.old), wanted.bytes(&source, &args.new));
    let (source, request, mut found) = occurrences::find_in(source, wanted.label.is_some(), |source| {
        Ok(Request {
            old: &old,
            new: &new,
            exact_line_ends: args.exact_line_ends(),
            chosen: 1,
            lines: LINES_LISTED,
            within: section::range(source, args.section.as_deref(), args.if_match.as_deref())?,
        })
    })?;
    let etag_before = source.tag(&found.subtrees)?;
    precondition::check(&source, args.if_match.as_deref(), || Ok(etag_before.clone()))?;
    let is_due =
        judge(&source, args, &request.within, found.survey.count, &found.survey.lines, false, || {
            occurrences::anywhere(&source, &request)
        })?;
    let Some(first) = found.chosen.take().filter(|_| is_due) else {
        return Ok((source, Plan::nothing(etag_before, found.subtrees)));
    };
    found.survey.require_encodable(&args.new).map_err(|reason| source.refuse(reason))?;
    let count = found.survey.count;
    let replaced = args.limit.map_or(count, |limit| count.min(u64::from(limit)));
    let Rewritten { new, old, edits, adapted } = rewrite(&source, &request, &found, first.offset, replaced)?;
    let mut lines = found.survey.lines;
    lines.truncate(usize::try_from(replaced).unwrap_or(usize::MAX));
    let kept = kept_lines(request.old, request.new, found.line_ends == LineEnds::Any);
    lines.iter_mut().for_each(|line| *line = line.saturating_add(kept));
    let plan = Plan {
        subtrees: found.subtrees,
        etag_before,
        range: first.offset..first.offset + old,
        newlines: first.before.newlines(),
        new,
        edits,
        replaced,
        lines,
        adapted,
        note: None,
    };
    Ok((source, plan))
}

struct Rewritten {
    new: Vec<u8>,
    /// Bytes that they take the place of.
    old: u64,
    edits: Option<Vec<Edit>>,
    adapted: bool,
}

/// The second pass, from the first occurrence on: the first `most` ones are replaced. Behind the last of them nothing is
/// looked at.
fn rewrite<V: Volume>(
    source: &OpenFile<V>,
    request: &Request,
    found: &Found,
    start: u64,
    most: u64,
) -> Result<Rewritten, Failure> {
    let any = found.line_ends == LineEnds::Any;
    let mut scan = Scan::new(request.old, found.line_ends);
    let (mut new, mut old, mut at) = (Vec::new(), 0, 0_u64);
    let (mut replaced, mut any_adapted) = (0, false);
    let mut edits = source.decoded().map(|_| Vec::new());
    // A few bytes may ask for gigabytes: what does not fit is not looked at any further.
    let (fits, is_over) = (Cell::new(true), Cell::new(most == 0));
    let mut sink = |event: Event| match event {
        _ if !fits.get() || is_over.get() => {}
        Event::Match { bytes, .. } => {
            let Replacement { new: put, adapted } =
                replacement(request.old, request.new, bytes, request.exact_line_ends, any, &found.tally);
            fits.set(new.len() + put.len() <= PLACED_BYTES);
            if !fits.get() {
                return;
            }
            replaced += 1;
            any_adapted |= adapted;
            if let Some(edits) = &mut edits {
                let begin = (start + at) as usize;
                edits.push(Edit { range: begin..begin + bytes.len(), new: put.clone() });
            }
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
    source.each_chunk(start..request.within.end, |chunk| {
        scan.feed(chunk, &mut sink);
        if fits.get() && !is_over.get() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    scan.finish(&mut sink);
    if !fits.get() {
        return Err(source.refuse(Reason::PlacedTooLarge));
    }
    Ok(Rewritten { new, old, edits, adapted: any_adapted })
}

/// How often an expression matches in a text, and on which lines first.
fn anywhere(pattern: &Pattern, text: &[u8]) -> (u64, Vec<u32>) {
    let (mut count, mut lines, mut tally, mut counted) = (0, Vec::new(), Tally::default(), 0);
    for range in pattern.matches(Text::whole(text)) {
        count += 1;
        if lines.len() < LINES_LISTED {
            tally.feed(&text[counted..range.start]);
            counted = range.start;
            lines.extend(super::count(tally.line_of(&text[range.start..])));
        }
    }
    (count, lines)
}

fn by_pattern<'a, V: Volume>(
    source: OpenFile<'a, V>,
    args: &ReplaceAllArgs,
    wanted: &TextFormat,
) -> Result<(OpenFile<'a, V>, Plan), Failure> {
    let pattern = Pattern::parse(&args.old).map_err(|reason| source.refuse(reason))?;
    if source.size() > REGEX_BYTES {
        return Err(source.refuse(Reason::TooLargeForRegex(source.size())));
    }
    let source = encoding::decoded_for(source, wanted)?;
    let within = section::range(&source, args.section.as_deref(), args.if_match.as_deref())?;
    let new = wanted.bytes(&source, &args.new);
    pattern.admit(&new).map_err(|reason| source.refuse(reason))?;
    let start = source.text_start()?;
    let (mark, whole) = (source.bytes(0..start)?, source.bytes(start..source.size())?);
    let mut before = Subtrees::default();
    before.update(&mark);
    before.update(&whole);
    let etag_before = source.tag(&before)?;
    precondition::check(&source, args.if_match.as_deref(), || Ok(etag_before.clone()))?;

    // A section begins as a text does, and does not end as one.
    let (head, tail) = ((within.start - start) as usize, (within.end - start) as usize);
    let text = whole.get(head..tail).unwrap_or_default();
    let most = args.limit.map_or(u64::MAX, u64::from);
    let (mut count, mut lines) = (0, Vec::new());
    let mut tally = Tally::default();
    tally.feed(whole.get(..head).unwrap_or_default());
    let (mut first, mut end, mut newlines, mut counted) = (None, 0, 0, 0);
    let searched = Text { bytes: text, goes_on: tail < whole.len() };
    for range in pattern.matches(searched) {
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
    let require_all = || pattern.require_all().map_err(|reason| source.refuse(reason));
    require_all()?;
    let found = count.min(most);
    let as_lf = if found == 0 { as_lf(text) } else { None };
    let needs_cr = as_lf.is_some_and(|text| {
        pattern.names_line_ends() || pattern.matches(Text::whole(&text)).next().is_some()
    });
    let anywhere = || {
        let found = anywhere(&pattern, &whole);
        require_all().map(|()| found)
    };
    if !judge(&source, args, &within, found, &lines, needs_cr, anywhere)? {
        return Ok((source, Plan::nothing(etag_before, before)));
    }
    tally.feed(whole.get(head + counted..).unwrap_or_default());
    if !source.has_known_encoding() {
        let mut survey = Survey::new(&new, 0);
        survey.see(&Event::Text(&whole));
        survey.require_encodable(&args.new).map_err(|reason| source.refuse(reason))?;
    }
    let from = first.unwrap_or(0);
    let majority = if args.exact_line_ends() { None } else { tally.majority() };
    let mut edits = source.decoded().map(|_| Vec::new());
    let base = start as usize + head;
    let mut changed = lines.iter_mut();
    let put = Put { new: &new, majority, ceiling: PLACED_BYTES };
    let replaced = pattern.replaced(searched, from..end, pattern::first(found), &put, |range, put| {
        if let Some(line) = changed.next() {
            *line = line.saturating_add(kept_lines(&text[range.clone()], put, false));
        }
        if let Some(edits) = &mut edits {
            edits.push(Edit { range: base + range.start..base + range.end, new: put.to_vec() });
        }
    });
    require_all()?;
    let Some((new, adapted)) = replaced else {
        return Err(source.refuse(Reason::PlacedTooLarge));
    };
    let plan = Plan {
        subtrees: before,
        etag_before,
        range: within.start + from as u64..within.start + end as u64,
        newlines,
        new,
        edits,
        replaced: found,
        lines,
        adapted,
        note: notes::foreign_replacement(&pattern, &args.new, args.escaped()),
    };
    Ok((source, plan))
}
