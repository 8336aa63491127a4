//! `replace-all`: every occurrence of a text or a regular expression, every other byte untouched.

use std::cell::Cell;
use std::ops::{ControlFlow, Range};

use super::grep::may_be_expression;
use crate::changes::Planned;
use crate::edit::search::{self, Occurrences};
use crate::edit::{section, splice};
use crate::file::encoding::TextFormat;
use crate::file::{OpenFile, TaggedFile};
use crate::notes;
use crate::view::View;
use fsgate_contract::edit_types::{ReplaceAllArgs, ReplaceAllOutcome, ReplaceArgs};
use fsgate_contract::limits::{LINES_LISTED, PLACED_BYTES, REGEX_BYTES};
use fsgate_contract::types::Note;
use fsgate_error::{Failure, Misread, Reason};
use fsgate_text::encoding::Edit;
use fsgate_text::find::{LineEnds, OccurrenceScan, ScanEvent};
use fsgate_text::haystack::Haystack;
use fsgate_text::line_end::{Replacement, Tally, as_lf, kept_lines};
use fsgate_text::match_count::MatchCount;
use fsgate_text::nearest::Traces;
use fsgate_text::pattern::{self, MatchReplacement, Pattern};
use fsgate_volume::Volume;
use fsgate_volume::etag::Subtrees;

/// Runs the operation.
pub fn run<V: Volume>(view: &View<V>, args: &ReplaceAllArgs) -> Planned<V, ReplaceAllOutcome> {
    let file = view.open_for_change(&args.path, args.if_match.as_deref())?;
    search::require_text(&file, &args.old)?;
    if args.count.is_some() && args.limit.is_some() {
        return Err(file.refuse(Reason::CountAndLimit));
    }
    let (tagged, replaced) = if args.regex() { by_pattern(file, args)? } else { by_text(file, args)? };
    let AllReplaced { range, newlines, new, edits, count, lines, adapted, note } = replaced;
    let (mut edited, change) = splice::plan(tagged, range, newlines, new, edits, args.diff())?;
    edited.notes.extend(note);
    let replacements = super::count(count).unwrap_or(u32::MAX);
    let outcome = ReplaceAllOutcome { replacements, lines, line_ends_adapted: adapted, ..edited.into() };
    Ok((outcome, vec![change]))
}

/// All bytes from the first occurrence to the last one become `new`.
#[derive(Default)]
struct AllReplaced {
    range: Range<u64>,
    newlines: u64,
    new: Vec<u8>,
    /// Each occurrence, if the content is decoded.
    edits: Option<Vec<Edit>>,
    count: u64,
    lines: Vec<u32>,
    adapted: bool,
    note: Option<Note>,
}

impl AllReplaced {
    fn nothing() -> Self {
        Self { edits: Some(Vec::new()), ..Self::default() }
    }
}

/// Refuses an unexpected number of occurrences. False if there are none.
fn judge<V: Volume>(
    file: &OpenFile<V>,
    args: &ReplaceAllArgs,
    found: u64,
    lines: &[u32],
    no_match: impl FnOnce() -> Result<Reason, Failure>,
) -> Result<bool, Failure> {
    match args.count {
        Some(wanted) if wanted > 0 && found == 0 => {
            Err(file.refuse(Reason::CountOfNothing { wanted, why: Box::new(no_match()?) }))
        }
        Some(wanted) if u64::from(wanted) != found => {
            Err(file.refuse(Reason::CountMismatch { wanted, found, lines: lines.to_vec() }))
        }
        None if found == 0 => Err(file.refuse(no_match()?)),
        _ => Ok(found > 0),
    }
}

fn by_text<'f, V: Volume>(
    file: OpenFile<'f, V>,
    args: &ReplaceAllArgs,
) -> Result<(TaggedFile<'f, V>, AllReplaced), Failure> {
    let text = ReplaceArgs {
        old: args.old.clone(),
        new: args.new.clone(),
        section: args.section.clone(),
        encoding: args.encoding.clone(),
        escaped: args.escaped,
        exact_line_ends: args.exact_line_ends,
        ..ReplaceArgs::default()
    };
    let (tagged, mut found) = search::find(file, &text, LINES_LISTED)?;
    let file = &tagged.file;
    let no_match = || {
        Ok(match found.no_match(file)? {
            why @ Reason::NoMatch(_) if may_be_expression(&args.old) => Reason::TakenLiterally(Box::new(why)),
            why => why,
        })
    };
    let is_due = judge(file, args, found.survey.count, &found.survey.lines, no_match)?;
    let Some(first) = found.occurrence.take().filter(|_| is_due) else {
        return Ok((tagged, AllReplaced::nothing()));
    };
    found.require_encodable(file)?;
    let count = found.survey.count;
    let count = args.limit.map_or(count, |limit| count.min(u64::from(limit)));
    let replaced = rewrite(file, &found, first.offset, count)?;
    let kept = kept_lines(&found.old, &found.new, found.line_ends == LineEnds::Any);
    let mut lines = found.survey.lines;
    lines.truncate(usize::try_from(count).unwrap_or(usize::MAX));
    lines.iter_mut().for_each(|line| *line = line.saturating_add(kept));
    Ok((tagged, AllReplaced { newlines: first.before.newlines(), count, lines, ..replaced }))
}

/// Replaces the first `most` occurrences from `start` on, in a second pass.
fn rewrite<V: Volume>(
    file: &OpenFile<V>,
    found: &Occurrences,
    start: u64,
    most: u64,
) -> Result<AllReplaced, Failure> {
    let mut scan = OccurrenceScan::new(&found.old, found.line_ends);
    let (mut new, mut old, mut at) = (Vec::new(), 0, 0_u64);
    let (mut replaced, mut any_adapted) = (0, false);
    let mut edits = file.decoded().map(|_| Vec::new());
    // A short call may ask for gigabytes, so the pass ends once they do not fit.
    let (fits, is_over) = (Cell::new(true), Cell::new(most == 0));
    let mut sink = |event: ScanEvent| match event {
        _ if !fits.get() || is_over.get() => {}
        ScanEvent::Match { bytes, .. } => {
            let Replacement { new: put, adapted } = found.replacement(bytes);
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
        ScanEvent::Text(bytes) => {
            at += bytes.len() as u64;
            fits.set(new.len() + bytes.len() <= PLACED_BYTES);
            if fits.get() {
                new.extend_from_slice(bytes);
            }
        }
    };
    file.each_chunk(start..found.section.end, |chunk| {
        scan.feed(chunk, &mut sink);
        if fits.get() && !is_over.get() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    scan.finish(&mut sink);
    if !fits.get() {
        return Err(file.refuse(Reason::PlacedTooLarge));
    }
    Ok(AllReplaced { range: start..start + old, new, edits, adapted: any_adapted, ..AllReplaced::default() })
}

fn anywhere(pattern: &Pattern, text: &[u8]) -> (u64, Vec<u32>) {
    let (mut count, mut lines, mut tally, mut counted) = (0, Vec::new(), Tally::default(), 0);
    for range in pattern.matches(Haystack::whole(text)) {
        count += 1;
        if lines.len() < LINES_LISTED {
            tally.feed(&text[counted..range.start]);
            counted = range.start;
            lines.extend(super::count(tally.line_of(&text[range.start..])));
        }
    }
    (count, lines)
}

fn by_pattern<'f, V: Volume>(
    file: OpenFile<'f, V>,
    args: &ReplaceAllArgs,
) -> Result<(TaggedFile<'f, V>, AllReplaced), Failure> {
    let format = TextFormat { encoding: args.encoding.as_deref(), escaped: args.escaped() };
    let pattern = Pattern::parse(&args.old).map_err(|reason| file.refuse(reason))?;
    if file.size() > REGEX_BYTES {
        return Err(file.refuse(Reason::TooLargeForRegex(file.size())));
    }
    let file = file.as_whole_text(&format)?;
    let section = args.section.as_deref();
    let within = section::range(&file, section)?;
    let new = format.bytes(file.reader(), &args.new);
    pattern.admit(&new).map_err(|reason| file.refuse(reason))?;
    let start = file.text_start()?;
    let (mark, whole) = (file.bytes(0..start)?, file.bytes(start..file.size())?);
    let mut subtrees = Subtrees::default();
    subtrees.update(&mark);
    subtrees.update(&whole);
    let tagged = file.tagged(subtrees)?;
    let file = &tagged.file;

    // Text follows a section.
    let (head, tail) = ((within.start - start) as usize, (within.end - start) as usize);
    let text = whole.get(head..tail).unwrap_or_default();
    let most = args.limit.map_or(u64::MAX, u64::from);
    let (mut count, mut lines) = (0, Vec::new());
    let mut tally = Tally::default();
    tally.feed(whole.get(..head).unwrap_or_default());
    let (mut first, mut end, mut newlines, mut counted) = (None, 0, 0, 0);
    let searched = Haystack { bytes: text, goes_on: tail < whole.len() };
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
    let require_all = || pattern.require_all().map_err(|reason| file.refuse(reason));
    require_all()?;
    let found = count.min(most);
    let anywhere = || {
        let found = anywhere(&pattern, &whole);
        require_all().map(|()| found)
    };
    let no_match = || {
        let needs_cr = as_lf(text).is_some_and(|text| {
            pattern.names_line_ends() || pattern.matches(Haystack::whole(&text)).next().is_some()
        });
        Ok(match search::no_match(section, Traces::default(), anywhere)? {
            Reason::NoMatch(_) => Reason::MatchesNothing(match needs_cr {
                true => Misread::LineEnds,
                false if args.old.contains("\\|") => Misread::Bar,
                false => Misread::Nothing,
            }),
            why => why,
        })
    };
    if !judge(file, args, found, &lines, no_match)? {
        return Ok((tagged, AllReplaced::nothing()));
    }
    tally.feed(whole.get(head + counted..).unwrap_or_default());
    if !file.has_known_encoding() {
        let mut survey = MatchCount::new(&new, 0);
        survey.see(&ScanEvent::Text(&whole));
        survey.require_encodable(&args.new).map_err(|reason| file.refuse(reason))?;
    }
    let from = first.unwrap_or(0);
    let majority = if args.exact_line_ends() { None } else { tally.majority() };
    let mut edits = file.decoded().map(|_| Vec::new());
    let base = start as usize + head;
    let mut changed = lines.iter_mut();
    let put = MatchReplacement { new: &new, majority, ceiling: PLACED_BYTES };
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
        return Err(file.refuse(Reason::PlacedTooLarge));
    };
    let range = within.start + from as u64..within.start + end as u64;
    let note = notes::foreign_replacement(&pattern, &args.new, args.escaped());
    Ok((tagged, AllReplaced { range, newlines, new, edits, count: found, lines, adapted, note }))
}
