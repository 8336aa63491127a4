//! A page of a file in UTF-16, decoded first, because its lines are found in the text.

use std::ops::ControlFlow;

use super::{Page, Request, cursor_at, resume, tail};
use crate::file::OpenFile;
use fsgate_contract::limits::DECODED_BYTES;
use fsgate_contract::types::{Note, Stop};
use fsgate_error::{EncodingProblem, Failure};
use fsgate_text::encoding::{Decoded, Encoding};
use fsgate_text::line_end::Tally;
use fsgate_text::lines::Splitter;
use fsgate_text::window::Position;
use fsgate_volume::Volume;
use fsgate_volume::etag::{self, Subtrees};

pub(super) fn read<V: Volume>(
    source: &OpenFile<V>,
    request: &Request,
    encoding: Encoding,
    note: Option<Note>,
) -> Result<Page, Failure> {
    let size = source.size();
    if size > DECODED_BYTES {
        return Err(source.refuse(EncodingProblem::TooLargeToDecode { size, encoding: encoding.name() }));
    }
    let decoded = Decoded::new(encoding, source.bytes(0..size)?);
    let mark = encoding.mark().len();
    let bom = decoded.raw().starts_with(encoding.mark());
    let start = if bom { decoded.text_offset(mark) } else { 0 };
    let at = match (request.cursor, request.from_end) {
        (Some(cursor), _) => {
            let raw = resume(source, cursor, if bom { mark as u64 } else { 0 })?;
            let offset = decoded.text_offset(raw.offset as usize) as u64;
            Position { offset, ..raw }
        }
        (None, None) => Position { offset: start as u64, line: 1, column: 0 },
        (None, Some(lines)) => {
            let before = tail::start_in(&decoded.text()[start..], lines);
            let mut tally = Tally::default();
            tally.feed(&decoded.text()[start..start + before]);
            Position { offset: (start + before) as u64, line: tally.line_of(b""), column: 0 }
        }
    };
    let text = &decoded.text()[start..];
    let mut tally = Tally::default();
    tally.feed(text);
    let mut window = request.window(at);
    let mut splitter = Splitter::default();
    let rest = &decoded.text()[at.offset as usize..];
    if splitter.feed(rest, |piece| window.push(piece)).is_continue() {
        let _: ControlFlow<()> = splitter.finish(|piece| window.push(piece));
    }
    let mut collected = window.finish().map_err(|small| source.refuse(request.too_small(small)))?;
    let shown = request.shown(&collected.bytes, &collected);
    let shown = shown.map_err(|small| source.refuse(request.too_small(small)))?;
    if shown.used < collected.bytes.len() {
        collected.keep(shown.used);
    }
    let mut all = Subtrees::default();
    all.update(decoded.raw());
    let next = collected.next.filter(|next| next.offset < decoded.text().len() as u64);
    let next = next.map(|next| Position { offset: decoded.raw_offset(next.offset as usize) as u64, ..next });
    Ok(Page {
        text: shown.text,
        encoding: encoding.name(),
        escaped: shown.escaped,
        bom,
        line_end: tally.kind(),
        lines: collected.lines,
        begins_at: collected.start.map_or(0, |start| start.column),
        total: Some(tally.total()),
        etag: etag::from(&all.hash()),
        next_cursor: next.map(|next| cursor_at(source, next)).transpose()?,
        stopped: collected.stopped.then_some(Stop::Bytes),
        notes: note.into_iter().collect(),
    })
}
