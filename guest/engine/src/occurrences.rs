//! Every occurrence of a text in a file, in one pass.

use std::ops::{ControlFlow, Range};

use crate::file::{OpenFile, encoding};
use fsgate_contract::limits::{LINES_LISTED, NEAREST_BYTES};
use fsgate_error::{Failure, Reason};
use fsgate_text::find::{Event, LineEnds, Scan};
use fsgate_text::line_end::Tally;
use fsgate_text::nearest::{self, Probe, Traces};
use fsgate_text::survey::Survey;
use fsgate_volume::Volume;
use fsgate_volume::etag::Subtrees;

/// What is looked for, and what will be put in its place.
pub struct Request<'a> {
    /// The text to find; not empty.
    pub old: &'a [u8],
    /// The text to put in its place: whether the file can hold it is found out on the way.
    pub new: &'a [u8],
    /// Line ends are compared byte for byte only.
    pub exact_line_ends: bool,
    /// Which occurrence to remember, counted from 1.
    pub chosen: u64,
    /// Of how many occurrences the lines are told.
    pub lines: usize,
    /// Where occurrences have to lie, as offsets in the file: all of the text, or whole lines of it.
    pub within: Range<u64>,
}

/// What a pass over the file tells.
pub struct Found {
    /// How many there are, and where.
    pub survey: Survey,
    /// How line ends were compared in the end.
    pub line_ends: LineEnds,
    /// The one that was to be remembered.
    pub chosen: Option<Occurrence>,
    /// Line ends of the whole file, if `new` takes its own from there.
    pub tally: Tally,
    /// Have seen the whole file.
    pub subtrees: Subtrees,
}

/// One occurrence.
pub struct Occurrence {
    /// Where it begins in the file.
    pub offset: u64,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Line ends before it.
    pub before: Tally,
}

/// Refuses what cannot be looked for.
pub fn admit<V: Volume>(source: &OpenFile<V>, old: &str) -> Result<(), Failure> {
    if old.is_empty() { Err(source.refuse(Reason::EmptyArgument("old"))) } else { Ok(()) }
}

/// Looks for a text in a file, or, if what is found may be a part of a character, in the text that the file holds. `ask` says what is
/// asked for of either; `is_named`: it is known which encoding it is in.
pub fn find_in<'r, 'a, V: Volume>(
    source: OpenFile<'a, V>,
    is_named: bool,
    ask: impl Fn(&OpenFile<'a, V>) -> Result<Request<'r>, Failure>,
) -> Result<(OpenFile<'a, V>, Request<'r>, Found), Failure> {
    let request = ask(&source)?;
    let found = find(&source, &request)?;
    if is_named || source.decoded().is_some() || !found.survey.follows_high_byte {
        return Ok((source, request, found));
    }
    let (source, is_other) = encoding::reconsidered(source)?;
    if !is_other {
        return Ok((source, request, found));
    }
    let request = ask(&source)?;
    let found = find(&source, &request)?;
    Ok((source, request, found))
}

/// Looks for a text as it is; if it is not there, or its LF is one of a CRLF, with any line ends in the place of its own.
pub fn find<V: Volume>(source: &OpenFile<V>, request: &Request) -> Result<Found, Failure> {
    let found = pass(source, request, LineEnds::Exact)?;
    if !request.exact_line_ends && found.survey.calls_for_any_line_end(request.old) {
        pass(source, request, LineEnds::Any)
    } else {
        Ok(found)
    }
}

/// The traces of a text that does not occur, in as much of the file as is searched for them.
pub fn traces<V: Volume>(
    source: &OpenFile<V>,
    [old, new]: [&[u8]; 2],
    exact_line_ends: bool,
    within: &Range<u64>,
) -> Result<Traces, Failure> {
    let end = within.end.min(within.start + NEAREST_BYTES);
    let text = source.bytes(within.start..end)?;
    let mut before = Tally::default();
    source.each_chunk(source.text_start()?..within.start, |chunk| {
        before.feed(chunk);
        ControlFlow::Continue(())
    })?;
    let first_line = before.lines() + 1;
    let probe = Probe { text: &text, first_line, ends_file: end == within.end };
    let line_ends = if exact_line_ends { LineEnds::Exact } else { LineEnds::Any };
    Ok(nearest::traces(old, new, probe, line_ends))
}

/// How often a text occurs in all of a file, and on which lines first.
pub fn anywhere<V: Volume>(source: &OpenFile<V>, request: &Request) -> Result<(u64, Vec<u32>), Failure> {
    let within = source.text_start()?..source.size();
    let found = find(source, &Request { lines: LINES_LISTED, within, ..*request })?;
    Ok((found.survey.count, found.survey.lines))
}

fn pass<V: Volume>(source: &OpenFile<V>, request: &Request, line_ends: LineEnds) -> Result<Found, Failure> {
    let takes_line_ends = !request.exact_line_ends && memchr::memchr2(b'\n', b'\r', request.new).is_some();
    let counted = if takes_line_ends { u64::MAX } else { request.chosen.max(request.lines as u64) };
    let mut scan = Scan::new(request.old, line_ends).counting_until(counted);
    let text = source.text_start()?;
    let mut found = Found {
        survey: Survey::new(if source.has_known_encoding() { b"" } else { request.new }, request.lines),
        line_ends,
        chosen: None,
        tally: Tally::default(),
        subtrees: Subtrees::default(),
    };
    // Of chunks as they are read: what a search gives out is cut so that four lanes of the hash are not always busy.
    let mut subtrees = Subtrees::default();
    let mut sink = |event: Event| {
        found.survey.see(&event);
        if let Event::Match { bytes, offset, before } = event
            && found.survey.count == request.chosen
        {
            found.chosen = Some(Occurrence { offset: text + offset, bytes: bytes.to_vec(), before });
        }
    };
    let mark = source.bytes(0..text)?;
    subtrees.update(&mark);
    sink(Event::Text(&mark));
    source.each_chunk(text..request.within.start, |chunk| {
        subtrees.update(chunk);
        scan.pass_over(chunk, &mut sink);
        ControlFlow::Continue(())
    })?;
    source.each_chunk(request.within.clone(), |chunk| {
        subtrees.update(chunk);
        scan.feed(chunk, &mut sink);
        ControlFlow::Continue(())
    })?;
    let mut tally = scan.finish(&mut sink);
    source.each_chunk(request.within.end..source.size(), |chunk| {
        subtrees.update(chunk);
        if takes_line_ends {
            tally.feed(chunk);
        }
        sink(Event::Text(chunk));
        ControlFlow::Continue(())
    })?;
    (found.tally, found.subtrees) = (tally, subtrees);
    Ok(found)
}
