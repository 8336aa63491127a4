//! A page of a file: a window of its lines, with the cursor that leads to the next one.

use std::ops::{ControlFlow, RangeInclusive};

use blake3::Hasher;

use crate::contract::read_types::ReadArgs;
use crate::contract::types::{LineEnd, Stop};
use crate::cursor::FileCursor;
use crate::error::{Failure, Reason};
use crate::etag;
use crate::limits::STRONG_TAG_BYTES;
use crate::text::line_end::Tally;
use crate::text::lines::Splitter;
use crate::text::window::{BudgetTooSmall, Collected, Position, Window};
use crate::view::Source;
use crate::volume::Volume;

/// What is asked for.
pub struct Request<'a> {
    /// Number of the first line.
    pub first: u64,
    /// Where to begin instead.
    pub cursor: Option<&'a str>,
    /// Number of the last line, if not that of the file.
    pub last: Option<u64>,
    /// Lines to show at most.
    pub most: Option<u64>,
    /// Bytes to show at most.
    pub max_bytes: u32,
    /// Bytes of the delimiter, if the lines are to be shown with numbers.
    pub delimiter: Option<usize>,
    /// A strong tag is wanted however large the file is.
    pub with_etag: bool,
}

/// What is shown.
pub struct Page {
    /// The lines, byte for byte.
    pub text: String,
    /// The file begins with a byte order mark.
    pub bom: bool,
    /// Line ends of the file, or of the lines shown if it is large.
    pub line_end: Option<LineEnd>,
    /// Numbers of the lines shown.
    pub lines: Option<RangeInclusive<u64>>,
    /// Bytes of the first line before the text.
    pub begins_at: u64,
    /// Number of lines in the file, if that is known.
    pub total: Option<u64>,
    /// Strong if all of the file was read, else of the text.
    pub etag: String,
    /// Leads to what follows in the file.
    pub next_cursor: Option<String>,
    /// The budget ended before the range did.
    pub stopped: Option<Stop>,
}

/// Reads a page. Small files are read whole for their tag and line count, large ones no further than needed.
pub fn read<V: Volume>(source: &Source<V>, request: &Request) -> Result<Page, Failure> {
    let size = source.size();
    let whole = size <= STRONG_TAG_BYTES;
    let text = source.text_start()?;
    let at = match request.cursor {
        Some(cursor) => resume(source, cursor, text)?,
        None => Position { offset: text, line: 1, column: 0 },
    };
    let first = if request.cursor.is_some() { at.line } else { request.first };
    let most = request.most.map_or(u64::MAX, |most| (first - 1).saturating_add(most));
    let wanted = first..=request.last.unwrap_or(u64::MAX).min(most);
    let mut window = Window::new(at, wanted, request.max_bytes as usize, request.delimiter);

    let (mut hasher, mut tally) = (Hasher::new(), Tally::default());
    if whole {
        hasher.update(&source.bytes(0..text)?);
        source.each_chunk(text..at.offset, |chunk| {
            hasher.update(chunk);
            tally.feed(chunk);
            ControlFlow::Continue(())
        })?;
    }
    let mut splitter = Splitter::default();
    let (mut collecting, mut ended) = (ControlFlow::Continue(()), true);
    source.each_chunk(at.offset..size, |chunk| {
        if whole {
            hasher.update(chunk);
            tally.feed(chunk);
        }
        if collecting.is_continue() {
            collecting = splitter.feed(chunk, |piece| window.push(piece));
        }
        ended = collecting.is_continue();
        if whole { ControlFlow::Continue(()) } else { collecting }
    })?;
    if collecting.is_continue() {
        let _ = splitter.finish(|piece| window.push(piece));
    }
    let Collected { bytes, start, lines, next, stopped, seen } =
        window.finish().map_err(|BudgetTooSmall(line)| {
            let ceiling = ReadArgs::MAX_BYTES_HIGH;
            source.refuse(Reason::BudgetTooSmall { line, budget: request.max_bytes, ceiling })
        })?;
    if !whole {
        tally.feed(&bytes);
    }
    let offset = start.map_or(at.offset, |start| start.offset);
    let etag = match (whole, request.with_etag) {
        (true, _) => etag::strong(&hasher),
        (false, true) => source.strong_tag()?,
        (false, false) => etag::range(offset, bytes.len() as u64, Hasher::new().update(&bytes)),
    };
    let next = next.filter(|next| next.offset < size);
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to() as u64;
        source.refuse(Reason::NotText(offset + at))
    })?;
    Ok(Page {
        text,
        bom: source.text_start()? > 0,
        line_end: tally.kind(),
        lines,
        begins_at: start.map_or(0, |start| start.column),
        total: if whole { Some(tally.total()) } else { ended.then_some(seen) },
        etag,
        next_cursor: next.map(|next| cursor(source, next)).transpose()?,
        stopped: stopped.then_some(Stop::Bytes),
    })
}

/// The cursor for a position in a file.
fn cursor<V: Volume>(source: &Source<V>, position: Position) -> Result<String, Failure> {
    let before = source.bytes(FileCursor::bound(position.offset))?;
    Ok(FileCursor::new(position, &before).to_string())
}

/// The position that a cursor leads to, if the file is still the one that it was made for.
fn resume<V: Volume>(source: &Source<V>, cursor: &str, text: u64) -> Result<Position, Failure> {
    let cursor = FileCursor::parse(cursor).ok_or_else(|| source.refuse(Reason::InvalidCursor))?;
    let position = cursor.position;
    let bound = FileCursor::bound(position.offset);
    let before = source.bytes(bound.start..bound.end.min(source.size()))?;
    if position.offset < text || FileCursor::new(position, &before) != cursor {
        let tag = etag::range(bound.start, before.len() as u64, Hasher::new().update(&before));
        return Err(source.refuse(Reason::StaleCursor(tag)));
    }
    Ok(position)
}
