//! Pages: the part of a long answer in its budget, with the cursor of the next part.
//!
//! This file reads a page of lines from a file.

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
use fsgate_text::encoding::{Decoded, Displayed, Encoding, shown};
use fsgate_text::line_end::Tally;
use fsgate_text::lines::Splitter;
use fsgate_text::utf8::Validator;
use fsgate_text::window::{BudgetTooSmall, Collected, Position, Window};
use fsgate_volume::Volume;
use fsgate_volume::etag;

/// The number of an uncounted line, `-` in a cursor.
const UNCOUNTED: u64 = 1 << 62;

/// The page that a call asks for.
#[derive(Default)]
pub struct Request<'a> {
    /// The label.
    pub encoding: Option<&'a str>,
    /// The first line.
    pub first: u64,
    /// The cursor to resume at.
    pub cursor: Option<&'a str>,
    /// The last line.
    pub last: Option<u64>,
    /// The maximum number of lines.
    pub most: Option<u64>,
    /// The number of lines from the end.
    pub from_end: Option<u64>,
    /// The maximum number of bytes.
    pub max_bytes: u32,
    /// The length of the delimiter of numbered lines.
    pub delimiter: Option<usize>,
    /// True for a strong tag of a large file.
    pub with_etag: bool,
}

/// A page.
pub struct Page {
    /// The lines.
    pub text: String,
    /// The name of the encoding.
    pub encoding: &'static str,
    /// True if it shows bytes by their numbers.
    pub escaped: bool,
    /// True for a byte order mark.
    pub bom: bool,
    /// The line end of the file, or of a large file's page.
    pub line_end: Option<LineEnd>,
    /// The line numbers.
    pub lines: Option<RangeInclusive<u64>>,
    /// The skipped bytes of the first line.
    pub begins_at: u64,
    /// The number of lines in the file, if known.
    pub total: Option<u64>,
    /// The strong tag, or the tag of the page.
    pub etag: String,
    /// The cursor of the next page.
    pub next_cursor: Option<String>,
    /// The reason for an early end.
    pub stopped: Option<Stop>,
    /// Notes about the encoding.
    pub notes: Vec<Note>,
}

impl Page {
    /// The encoding's name, unless it is UTF-8.
    pub fn other_encoding(&self) -> Option<String> {
        (self.encoding != Encoding::UTF_8.name()).then(|| self.encoding.to_owned())
    }
}

/// Reads a page, small files whole.
pub fn read<V: Volume>(source: &OpenFile<V>, request: &Request) -> Result<Page, Failure> {
    let named = request.encoding.map(encoding::named).transpose().map_err(|reason| source.refuse(reason))?;
    match named {
        Some(encoding) if encoding.is_utf_16() => utf_16::read(source, request, encoding, None),
        Some(encoding) => lines(source, request, Some(encoding)),
        None => match encoding::utf_16(source.reader()) {
            Some(found) => utf_16::read(source, request, found.encoding, encoding::note(found)),
            None => {
                encoding::admit(source.reader()).map_err(|reason| source.refuse(reason))?;
                lines(source, request, None)
            }
        },
    }
}

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
        // The lines before are not counted.
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
        source.feed(text..at.offset, |chunk| {
            hasher.update(chunk);
            tally.feed(chunk);
            validator.feed(chunk);
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
            let found = source.detected()?;
            let start = if whole { text } else { collected.start.map_or(text, |start| start.offset) };
            let found = found.ok_or_else(|| source.refuse(EncodingProblem::NotText(start + offset)))?;
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

/// The decoded window, without a character that it cuts.
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
    fn window(&self, at: Position) -> Window {
        let first = if self.cursor.is_some() || self.from_end.is_some() { at.line } else { self.first };
        let most = self.most.map_or(u64::MAX, |most| (first - 1).saturating_add(most));
        let wanted = first..=self.last.unwrap_or(u64::MAX).min(most);
        Window::new(at, wanted, self.max_bytes as usize, self.delimiter)
    }

    fn shown(&self, inside: &[u8], window: &Collected) -> Result<Displayed, BudgetTooSmall> {
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

fn cursor_at<V: Volume>(source: &OpenFile<V>, position: Position) -> Result<String, Failure> {
    let before = source.bytes(FileCursor::bound(position.offset))?;
    let line = if position.line >= UNCOUNTED { 0 } else { position.line };
    Ok(FileCursor::new(Position { line, ..position }, &before).to_string())
}

/// The position of a cursor after unchanged bytes.
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
