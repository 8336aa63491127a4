//! A change of whole lines: where they stand, and what becomes of the file.

use std::ops::{ControlFlow, Range, RangeInclusive};

use crate::changes::Changes;
use crate::edited::{self, Part};
use crate::file::{OpenFile, precondition};
use fsgate_contract::types::Note;
use fsgate_error::{Failure, LineProblem, Reason};
use fsgate_text::line_end::{Tally, count_lines};
use fsgate_text::region::{Region, Search, Searched};
use fsgate_text::utf8::Validator;
use fsgate_volume::Volume;
use fsgate_volume::etag::Subtrees;

/// Which lines are to be changed, and how.
pub struct Request<'a> {
    /// Their numbers. The empty range before line 1 is the place before the first one.
    pub lines: RangeInclusive<u64>,
    /// The text to put there: whether the file can hold it is found out on the way.
    pub content: &'a [u8],
    /// The first character of it that is not ASCII.
    pub foreign: Option<char>,
    /// The state that the file has to be in.
    pub if_match: Option<&'a str>,
}

/// What a pass over the file tells.
pub struct Found {
    /// Where the lines stand, as offsets in the file.
    pub region: Region,
    /// Line ends of the whole text.
    pub tally: Tally,
    /// The text has no byte, a mark at its beginning aside.
    pub is_empty: bool,
    etag_before: String,
    subtrees: Subtrees,
}

/// What becomes of the file.
pub struct Made<V: Volume> {
    /// Its state before.
    pub etag_before: String,
    /// Its state after.
    pub etag: String,
    /// Bytes that are written.
    pub bytes_written: u64,
    /// The change as a diff, if it was asked for.
    pub diff: Option<String>,
    /// What else is worth knowing.
    pub notes: Vec<Note>,
    /// The change.
    pub changes: Changes<V>,
}

/// Looks for the lines.
pub fn find<V: Volume>(source: &OpenFile<V>, request: &Request) -> Result<Found, Failure> {
    let start = source.text_start()?;
    // So many line ends may be needed as the new text has.
    let most = usize::try_from(count_lines(request.content)).unwrap_or(usize::MAX);
    let mut search = Search::new(start, request.lines.clone(), most);
    let mut subtrees = Subtrees::default();
    let is_asked = !request.content.is_ascii() && !source.has_known_encoding();
    let mut validator = is_asked.then(Validator::default);
    let mut see = |chunk: &[u8]| {
        subtrees.update(chunk);
        if let Some(validator) = &mut validator {
            validator.feed(chunk);
        }
    };
    see(&source.bytes(0..start)?);
    source.each_chunk(start..source.size(), |chunk| {
        see(chunk);
        search.feed(chunk);
        ControlFlow::Continue(())
    })?;
    let etag_before = source.tag(&subtrees)?;
    precondition::check(source, request.if_match, || Ok(etag_before.clone()))?;
    let Searched { region, tally } = search.finish();
    let Some(region) = region else {
        let problem = LineProblem::NotThere { asked: *request.lines.end(), total: tally.total() };
        return Err(source.refuse(Reason::Lines(problem)));
    };
    let invalid = validator.as_ref().and_then(Validator::finish);
    if let Some((offset, character)) = invalid.zip(request.foreign) {
        return Err(source.refuse(Reason::Lines(LineProblem::NotEncodable { character, offset })));
    }
    Ok(Found { region, tally, is_empty: source.size() == start, etag_before, subtrees })
}

/// Puts `new` in the place of these bytes.
pub fn make<V: Volume>(
    source: OpenFile<V>,
    found: &Found,
    range: Range<u64>,
    new: Vec<u8>,
    with_diff: bool,
) -> Result<Made<V>, Failure> {
    let newlines = if with_diff { newlines_before(&source, &found.region, range.start)? } else { 0 };
    let joined = joined(&source, &range, &new)?;
    let etag_before = found.etag_before.clone();
    let part =
        Part { subtrees: &found.subtrees, etag_before: &etag_before, range, newlines, new, edits: None };
    let edited::Made { etag, bytes_written, diff, mut notes, change } =
        edited::make(source, part, with_diff)?;
    notes.extend(joined);
    Ok(Made { etag_before, etag, bytes_written, diff, notes, changes: change.into() })
}

/// The lines that a text takes which begins with line `first`, as `lines` names them; none for an empty text.
pub fn taken(first: u64, text: &[u8]) -> Option<String> {
    match count_lines(text) {
        0 => None,
        1 => Some(first.to_string()),
        count => Some(format!("{first}-{}", first + count - 1)),
    }
}

/// LF bytes before a place: where the lines begin, or where they end.
fn newlines_before<V: Volume>(source: &OpenFile<V>, region: &Region, at: u64) -> Result<u64, Failure> {
    let mut tally = Tally::default();
    source.each_chunk(region.start..at, |chunk| {
        tally.feed(chunk);
        ControlFlow::Continue(())
    })?;
    Ok(region.newlines + tally.newlines())
}

/// A CR and an LF that come to stand together are one line end from then on. Files whose lines all end alike have no such
/// place.
fn joined<V: Volume>(source: &OpenFile<V>, range: &Range<u64>, new: &[u8]) -> Result<Option<Note>, Failure> {
    let before = source.bytes(range.start.saturating_sub(1)..range.start)?;
    let behind = source.bytes(range.end..source.size().min(range.end + 1))?;
    let first = new.first().or(behind.first());
    let last = new.last().or(before.last());
    let at_start = before == b"\r" && first == Some(&b'\n');
    let at_end = last == Some(&b'\r') && behind == b"\n";
    Ok((at_start || at_end).then(|| Note {
        kind: "line_ends".to_owned(),
        text: "a CR and an LF stand next to each other now and end one line together: read the lines before going on"
            .to_owned(),
    }))
}
