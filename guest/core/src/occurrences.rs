//! Every occurrence of a text in a file, in one pass.

use std::ops::ControlFlow;

use crate::contract::types::Candidate;
use crate::error::{Failure, Reason};
use crate::etag::Subtrees;
use crate::limits::{NEAREST_BYTES, PROBE_BYTES};
use crate::text::find::{Event, LineEnds, Scan};
use crate::text::line_end::Tally;
use crate::text::nearest::{self, Probe};
use crate::text::survey::Survey;
use crate::text::utf8::looks_like_utf_16;
use crate::view::Source;
use crate::volume::Volume;

/// What is looked for, and what will be put in its place.
pub struct Request<'a> {
    /// The text to find; not empty.
    pub old: &'a str,
    /// The text to put in its place: whether the file can hold it is found out on the way.
    pub new: &'a str,
    /// Line ends are compared byte for byte only.
    pub exact_line_ends: bool,
    /// Which occurrence to remember, counted from 1.
    pub chosen: u64,
}

/// What a pass over the file tells.
pub struct Found {
    /// How many there are, and where.
    pub survey: Survey,
    /// How line ends were compared in the end.
    pub line_ends: LineEnds,
    /// The one that was to be remembered.
    pub chosen: Option<Occurrence>,
    /// Line ends of the whole file.
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

/// Refuses what cannot be looked for, or looked into.
pub fn admit<V: Volume>(source: &Source<V>, old: &str) -> Result<(), Failure> {
    if old.is_empty() {
        return Err(source.refuse(Reason::EmptyArgument("old")));
    }
    if looks_like_utf_16(&source.bytes(0..source.size().min(PROBE_BYTES))?) {
        return Err(source.refuse(Reason::NotText(0)));
    }
    Ok(())
}

/// Looks for a text as it is; if it is not there, or cuts a CRLF in two, with any line ends in the place of its own.
pub fn find<V: Volume>(source: &Source<V>, request: &Request) -> Result<Found, Failure> {
    let found = pass(source, request, LineEnds::Exact)?;
    if !request.exact_line_ends && found.survey.calls_for_any_line_end(request.old) {
        pass(source, request, LineEnds::Any)
    } else {
        Ok(found)
    }
}

/// The place most like a text that does not occur, in as much of the file as is searched for one.
pub fn nearest<V: Volume>(
    source: &Source<V>,
    old: &str,
    exact_line_ends: bool,
) -> Result<Option<Candidate>, Failure> {
    let start = source.text_start()?;
    let end = source.size().min(start + NEAREST_BYTES);
    let text = source.bytes(start..end)?;
    let probe = Probe { text: &text, first_line: 1, ends_file: end == source.size() };
    let line_ends = if exact_line_ends { LineEnds::Exact } else { LineEnds::Any };
    Ok(nearest::nearest(old, probe, line_ends))
}

fn pass<V: Volume>(source: &Source<V>, request: &Request, line_ends: LineEnds) -> Result<Found, Failure> {
    let mut scan = Scan::new(request.old.as_bytes(), line_ends);
    let text = source.text_start()?;
    let mut found = Found {
        survey: Survey::new(request.new),
        line_ends,
        chosen: None,
        tally: Tally::default(),
        subtrees: Subtrees::default(),
    };
    let mut sink = |event: Event| {
        found.survey.see(&event);
        let (Event::Text(bytes) | Event::Match { bytes, .. }) = event;
        if let Event::Match { bytes, offset, before } = event
            && found.survey.count == request.chosen
        {
            found.chosen = Some(Occurrence { offset: text + offset, bytes: bytes.to_vec(), before });
        }
        found.subtrees.update(bytes);
    };
    sink(Event::Text(&source.bytes(0..text)?));
    source.each_chunk(text..source.size(), |chunk| {
        scan.feed(chunk, &mut sink);
        ControlFlow::Continue(())
    })?;
    found.tally = scan.finish(&mut sink);
    Ok(found)
}
