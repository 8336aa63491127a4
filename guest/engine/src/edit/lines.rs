//! Replacing and inserting whole lines.

use std::ops::{Range, RangeInclusive};

use super::splice::{self, Edited};
use crate::changes::Change;
use crate::file::{OpenFile, TaggedFile};
use fsgate_contract::types::Note;
use fsgate_error::{EncodingProblem, Failure, LineProblem};
use fsgate_text::line_end::{Tally, count_lines};
use fsgate_text::line_range::{FoundRange, LineRange, LineRangeFinder};
use fsgate_text::utf8::{NotEncodable, Validator};
use fsgate_volume::Volume;
use fsgate_volume::etag::Subtrees;

/// Lines of a file.
pub struct FoundLines<'f, V: Volume> {
    /// The file.
    pub tagged: TaggedFile<'f, V>,
    /// Their offsets.
    pub region: LineRange,
    /// The line ends of the whole text.
    pub tally: Tally,
    /// True if the text is empty.
    pub is_empty: bool,
}

/// Finds lines by number; the empty range before line 1 is the start. The file must be able to hold
/// `foreign`, the first character of `new` outside of ASCII.
pub fn find<'f, V: Volume>(
    file: OpenFile<'f, V>,
    lines: RangeInclusive<u64>,
    new: &[u8],
    foreign: Option<char>,
) -> Result<FoundLines<'f, V>, Failure> {
    let start = file.text_start()?;
    let last = *lines.end();
    // Each new line may take the line end of one old line.
    let most = usize::try_from(count_lines(new)).unwrap_or(usize::MAX);
    let mut search = LineRangeFinder::new(start, lines, most);
    let mut subtrees = Subtrees::default();
    let is_asked = !new.is_ascii() && !file.has_known_encoding();
    let mut validator = is_asked.then(Validator::default);
    let mut see = |chunk: &[u8]| {
        subtrees.update(chunk);
        if let Some(validator) = &mut validator {
            validator.feed(chunk);
        }
    };
    see(&file.bytes(0..start)?);
    file.feed(start..file.size(), |chunk| {
        see(chunk);
        search.feed(chunk);
    })?;
    let tagged = file.tagged(subtrees)?;
    let file = &tagged.file;
    let FoundRange { region, tally } = search.finish();
    let Some(region) = region else {
        let problem = LineProblem::NotThere { asked: last, total: tally.total() };
        return Err(file.refuse(problem));
    };
    let invalid = validator.as_ref().and_then(Validator::finish);
    if let Some((offset, character)) = invalid.zip(foreign) {
        let unknown = NotEncodable { character, offset };
        return Err(file.refuse(EncodingProblem::NotEncodable("content", unknown)));
    }
    let is_empty = file.size() == start;
    Ok(FoundLines { tagged, region, tally, is_empty })
}

/// Plans to put `new` in the place of a range at these lines.
pub fn plan<V: Volume>(
    FoundLines { tagged, region, .. }: FoundLines<V>,
    range: Range<u64>,
    new: Vec<u8>,
    diff: bool,
) -> Result<(Edited, Change<V>), Failure> {
    let newlines = if diff { newlines_before(&tagged.file, &region, range.start)? } else { 0 };
    let joined = joined(&tagged.file, &range, &new)?;
    let (mut outcome, change) = splice::plan(tagged, range, newlines, new, None, diff)?;
    outcome.notes.extend(joined);
    Ok((outcome, change))
}

/// The numbers of a text's lines, counted from `first`.
pub fn taken(first: u64, text: &[u8]) -> Option<String> {
    match count_lines(text) {
        0 => None,
        1 => Some(first.to_string()),
        count => Some(format!("{first}-{}", first + count - 1)),
    }
}

fn newlines_before<V: Volume>(file: &OpenFile<V>, region: &LineRange, at: u64) -> Result<u64, Failure> {
    let mut tally = Tally::default();
    file.feed(region.start..at, |chunk| tally.feed(chunk))?;
    Ok(region.newlines + tally.newlines())
}

/// Notes that a CR and an LF become one line end.
fn joined<V: Volume>(file: &OpenFile<V>, range: &Range<u64>, new: &[u8]) -> Result<Option<Note>, Failure> {
    let before = file.bytes(range.start.saturating_sub(1)..range.start)?;
    let behind = file.bytes(range.end..file.size().min(range.end + 1))?;
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
