//! Pages: the part of a long answer that its budget holds, with the cursor of the next part.
//!
//! This file reads a page of a file, which is a window of its lines.

pub mod budget;
pub mod cursor;
mod tail;
mod utf_16;

use std::ops::{ControlFlow, RangeInclusive};

use blake3::Hasher;

use self::cursor::FileCursor;
use crate::file::{OpenFile, encoding};
use fsgate_contract::limits::{LONGEST_CHARACTER, STRONG_TAG_BYTES};
use fsgate_contract::read_types::ReadArgs;
use fsgate_contract::types::{LineEnd, Note, Stop};
use fsgate_error::{EncodingProblem, Failure, Reason};
use fsgate_text::encoding::{Decoded, Encoding, Shown, shown};
use fsgate_text::line_end::Tally;
use fsgate_text::lines::Splitter;
use fsgate_text::utf8::Validator;
use fsgate_text::window::{BudgetTooSmall, Collected, Position, Window};
use fsgate_volume::Volume;
use fsgate_volume::etag;

/// The number of a line if the lines before it are not counted: no file has so many. A cursor
/// writes it as `-`.
const UNCOUNTED: u64 = 1 << 62;

/// The page that a call asks for.
#[derive(Default)]
pub struct Request<'a> {
    /// Label of the encoding, if the call names it.
    pub encoding: Option<&'a str>,
    /// Number of the first line.
    pub first: u64,
    /// The cursor to begin at instead.
    pub cursor: Option<&'a str>,
    /// Number of the last line, if not that of the file.
    pub last: Option<u64>,
    /// Lines to show at most.
    pub most: Option<u64>,
    /// So many lines at the end of the file instead.
    pub from_end: Option<u64>,
    /// Bytes to show at most.
    pub max_bytes: u32,
    /// Bytes of the delimiter, if the lines are to be shown with numbers.
    pub delimiter: Option<usize>,
    /// A strong tag is wanted however large the file is.
    pub with_etag: bool,
}

/// A page.
pub struct Page {
    /// The lines.
    pub text: String,
    /// Name of the encoding they are in.
    pub encoding: &'static str,
    /// Bytes that are no character are written by their numbers.
    pub escaped: bool,
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
    /// How sure it is which encoding it is.
    pub notes: Vec<Note>,
}

impl Page {
    /// Name of the encoding, if it is not UTF-8.
    pub fn other_encoding(&self) -> Option<String> {
        (self.encoding != Encoding::UTF_8.name()).then(|| self.encoding.to_owned())
    }
}

/// Reads a page. Small files are read whole for their tag and line count, large ones no further
/// than needed.
pub fn read<V: Volume>(source: &OpenFile<V>, request: &Request) -> Result<Page, Failure> {
    let named = request.encoding.map(encoding::named).transpose().map_err(|reason| source.refuse(reason))?;
    match named {
        Some(encoding) if encoding.is_utf_16() => utf_16::read(source, request, encoding, None),
        Some(encoding) => lines(source, request, Some(encoding)),
        None => match encoding::utf_16(source.reader()) {
            Some(found) => utf_16::read(source, request, found.encoding, encoding::note(found)),
            None => {
                encoding::admit(source)?;
                lines(source, request, None)
            }
        },
    }
}

/// In an encoding whose line ends are bytes, lines are found without it.
fn lines<V: Volume>(
    source: &OpenFile<V>,
    request: &Request,
    named: Option<Encoding>,
) -> Result<Page, Failure> {
    let size = source.size();
    let whole = size <= STRONG_TAG_BYTES;
    let text = source.text_start()?;
    let mut at = match (request.cursor, request.from_end) {
        (Some(cursor), _) => resume(source, cursor, text)?,
        (None, None) => Position { offset: text, line: 1, column: 0 },
        // The lines before them are not counted.
        (None, Some(lines)) => match tail::start(source, text..size, lines)? {
            offset if offset == text => Position { offset, line: 1, column: 0 },
            offset => Position { offset, line: UNCOUNTED, column: 0 },
        },
    };
    if at.line >= UNCOUNTED && request.delimiter.is_some() {
        return Err(source.refuse(Reason::InvalidCursor));
    }
    let (mut hasher, mut tally, mut validator) = (Hasher::new(), Tally::default(), Validator::default());
    if whole {
        hasher.update(&source.bytes(0..text)?);
        source.each_chunk(text..at.offset, |chunk| {
            hasher.update(chunk);
            tally.feed(chunk);
            validator.feed(chunk);
            ControlFlow::Continue(())
        })?;
        if at.line >= UNCOUNTED {
            at.line = tally.line_of(b"");
        }
    }
    let mut window = request.window(at);
    let mut splitter = Splitter::default();
    let (mut collecting, mut ended) = (ControlFlow::Continue(()), true);
    source.each_chunk(at.offset..size, |chunk| {
        if whole {
            hasher.update(chunk);
            tally.feed(chunk);
            validator.feed(chunk);
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
    let mut collected = window.finish().map_err(|small| source.refuse(request.too_small(small)))?;
    if !whole {
        validator.feed(&collected.bytes);
    }
    let invalid = validator.finish();
    let mut notes = Vec::new();
    let encoding = match (named, invalid) {
        (Some(encoding), _) => encoding,
        (None, None) => Encoding::UTF_8,
        (None, Some(offset)) => {
            let found = encoding::detected(source)?;
            let start = if whole { text } else { collected.start.map_or(text, |start| start.offset) };
            let found = found
                .ok_or_else(|| source.refuse(Reason::Encoding(EncodingProblem::NotText(start + offset))))?;
            notes.extend(encoding::note(found));
            found.encoding
        }
    };
    // A forged cursor may begin inside a character.
    let is_plain = encoding.is_utf_8() && std::str::from_utf8(&collected.bytes).is_ok();
    let inside = if is_plain { None } else { Some(decoded(source, encoding, &collected)?) };
    let (text, escaped) = match inside {
        None => (String::from_utf8(collected.bytes.clone()).unwrap_or_default(), false),
        Some((decoded, length)) => {
            let shown = request.shown(&decoded.text()[..length], &collected);
            let shown = shown.map_err(|small| source.refuse(request.too_small(small)))?;
            if shown.used < length {
                collected.keep(decoded.raw_offset(shown.used));
            }
            (shown.text, shown.escaped)
        }
    };
    if !whole {
        tally.feed(&collected.bytes);
    }
    let bytes = &collected.bytes;
    let offset = collected.start.map_or(at.offset, |start| start.offset);
    let etag = match (whole, request.with_etag) {
        (true, _) => etag::strong(&hasher),
        (false, true) => source.strong_tag()?,
        (false, false) => etag::range(offset, bytes.len() as u64, Hasher::new().update(bytes)),
    };
    let next = collected.next.filter(|next| next.offset < size);
    Ok(Page {
        text,
        encoding: encoding.name(),
        escaped,
        bom: source.text_start()? > 0,
        line_end: tally.kind(),
        lines: collected.lines,
        begins_at: collected.start.map_or(0, |start| start.column),
        total: if whole {
            Some(tally.total())
        } else {
            (ended && at.line < UNCOUNTED).then_some(collected.seen)
        },
        etag,
        next_cursor: next.map(|next| cursor_at(source, next)).transpose()?,
        stopped: collected.stopped.then_some(Stop::Bytes),
        notes,
    })
}

/// The text of a window, and how much of it is inside: a character that the window ends in is left
/// for the next one.
fn decoded<V: Volume>(
    source: &OpenFile<V>,
    encoding: Encoding,
    window: &Collected,
) -> Result<(Decoded, usize), Failure> {
    let length = window.bytes.len();
    let end = window.next.map_or(0, |next| next.offset);
    let behind = source.bytes(end..(end + LONGEST_CHARACTER).min(source.size()).max(end))?;
    let decoded = Decoded::new(encoding, [&window.bytes[..], &behind].concat());
    let inside = decoded.text_offset(length);
    Ok((decoded, inside))
}

impl Request<'_> {
    /// A window of the lines that are asked for, from a place on.
    fn window(&self, at: Position) -> Window {
        let first = if self.cursor.is_some() || self.from_end.is_some() { at.line } else { self.first };
        let most = self.most.map_or(u64::MAX, |most| (first - 1).saturating_add(most));
        let wanted = first..=self.last.unwrap_or(u64::MAX).min(most);
        Window::new(at, wanted, self.max_bytes as usize, self.delimiter)
    }

    /// As much of the text of a window as the budget holds.
    fn shown(&self, inside: &[u8], window: &Collected) -> Result<Shown, BudgetTooSmall> {
        let line = window.start.map_or(0, |start| start.line);
        let numbered = self.delimiter.map(|delimiter| (line, delimiter));
        let is_cut = inside.is_empty() && !window.bytes.is_empty();
        shown(inside, self.max_bytes as usize, numbered).filter(|_| !is_cut).ok_or(BudgetTooSmall(line))
    }

    fn too_small(&self, BudgetTooSmall(line): BudgetTooSmall) -> Reason {
        let line = if line >= UNCOUNTED { 0 } else { line };
        Reason::BudgetTooSmall { line, budget: self.max_bytes, ceiling: ReadArgs::MAX_BYTES_HIGH }
    }
}

/// The cursor for a position in a file.
fn cursor_at<V: Volume>(source: &OpenFile<V>, position: Position) -> Result<String, Failure> {
    let before = source.bytes(FileCursor::bound(position.offset))?;
    let line = if position.line >= UNCOUNTED { 0 } else { position.line };
    Ok(FileCursor::new(Position { line, ..position }, &before).to_string())
}

/// The position that a cursor leads to, if the file is still the one that it was made for.
fn resume<V: Volume>(source: &OpenFile<V>, cursor: &str, text: u64) -> Result<Position, Failure> {
    let cursor = FileCursor::parse(cursor).ok_or_else(|| source.refuse(Reason::InvalidCursor))?;
    let position = cursor.position;
    let bound = FileCursor::bound(position.offset);
    let before = source.bytes(bound.start..bound.end.min(source.size()))?;
    if position.offset < text || FileCursor::new(position, &before) != cursor {
        let tag = etag::range(bound.start, before.len() as u64, Hasher::new().update(&before));
        return Err(source.refuse(Reason::StaleCursor(tag)));
    }
    let line = if position.line == 0 { UNCOUNTED } else { position.line };
    Ok(Position { line, ..position })
}
