//! Searches a file block by block, with one block and one line in memory, whatever the file's size.

use std::ops::ControlFlow;

use memchr::memchr;

use super::search::{Hit, Scan, Verdict};
use crate::file::ChunkReader;
use fsgate_contract::limits::{CHUNK_BYTES, REGEX_BYTES, SEARCHED_LINE_BYTES};
use fsgate_text::lines::end_of_whole_lines;
use fsgate_text::window::Position;
use fsgate_volume::{Fault, Volume};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Done,
    Stopped(Position),
    /// A NUL byte near the beginning: it is no text.
    Binary,
    /// A later NUL byte, before which the lines were searched.
    Cut,
    Laborious,
    /// A line, or a file to be held as a whole, is too large.
    TooLarge,
}

/// The receiver of hits decides when the search stops.
pub(super) trait Taker {
    fn take(&mut self, hit: Hit) -> Verdict;
    fn goes_on(&mut self) -> bool;
}

/// Searches a file from the beginning of a line.
pub(super) fn search<V: Volume>(
    reader: &ChunkReader<V>,
    scan: &mut Scan,
    start: Position,
    taker: &mut impl Taker,
) -> Result<End, Fault> {
    if scan.pattern.is_for_several_lines() {
        return search_at_once(reader, scan, start, taker);
    }
    let size = reader.size();
    let mut ended = None;
    let mut offset = start.offset;
    // The beginning of a line whose end is still to come.
    let mut held = Vec::new();
    reader.each_chunk(start.offset..size, |chunk| {
        let is_first = offset < CHUNK_BYTES as u64;
        offset += chunk.len() as u64;
        if !scan.takes_nul
            && let Some(nul) = memchr(0, chunk)
        {
            ended = Some(End::Binary);
            if !is_first {
                ended = Some(End::Cut);
                held.extend_from_slice(&chunk[..nul]);
                let whole = end_of_whole_lines(&held);
                let mut take = |hit| taker.take(hit);
                if let ControlFlow::Break(position) = scan.block(&held[..whole], 0, false, &mut take) {
                    ended = Some(End::Stopped(position));
                }
            }
            held.clear();
            return ControlFlow::Break(());
        }
        let is_last = offset == size;
        let begun = held.len();
        let block = if begun == 0 {
            chunk
        } else {
            held.extend_from_slice(chunk);
            &held[..]
        };
        // The line end that was not sure may be one byte back.
        let fresh = begun.saturating_sub(1);
        let whole = if is_last {
            block.len()
        } else {
            match end_of_whole_lines(&block[fresh..]) {
                0 => 0,
                end => fresh + end,
            }
        };
        if whole == 0 {
            if begun == 0 {
                held.extend_from_slice(chunk);
            }
            if held.len() > SEARCHED_LINE_BYTES {
                ended = Some(End::TooLarge);
                return ControlFlow::Break(());
            }
            return ControlFlow::Continue(());
        }
        if let ControlFlow::Break(position) =
            scan.block(&block[..whole], 0, is_last, &mut |hit| taker.take(hit))
        {
            ended = Some(End::Stopped(position));
            return ControlFlow::Break(());
        }
        if begun == 0 {
            held.extend_from_slice(&chunk[whole..]);
        } else {
            held.drain(..whole);
        }
        if is_last || taker.goes_on() {
            return ControlFlow::Continue(());
        }
        // Not where this call began: every call has to get further.
        match scan.pause().filter(|position| position.offset > start.offset) {
            Some(position) => {
                ended = Some(End::Stopped(position));
                ControlFlow::Break(())
            }
            None => ControlFlow::Continue(()),
        }
    })?;
    if let Some(End::Stopped(_)) = ended {
        return Ok(ended.unwrap_or(End::Done));
    }
    let mut take = |hit| taker.take(hit);
    // The file was truncated during the read.
    if ended.is_none()
        && !held.is_empty()
        && let ControlFlow::Break(position) = scan.block(&held, 0, true, &mut take)
    {
        return Ok(End::Stopped(position));
    }
    Ok(match scan.finish(&mut take) {
        ControlFlow::Break(position) => End::Stopped(position),
        ControlFlow::Continue(()) => ended.unwrap_or(End::Done),
    })
}

/// The same for a pattern across lines, with the whole file in memory.
fn search_at_once<V: Volume>(
    reader: &ChunkReader<V>,
    scan: &mut Scan,
    start: Position,
    taker: &mut impl Taker,
) -> Result<End, Fault> {
    if reader.size() > REGEX_BYTES {
        return Ok(End::TooLarge);
    }
    let first = reader.text_start()?;
    let text = reader.bytes(first..reader.size())?;
    let nul = if scan.takes_nul { None } else { memchr(0, &text) };
    if nul.is_some_and(|nul| first + (nul as u64) < CHUNK_BYTES as u64) {
        return Ok(End::Binary);
    }
    let text = nul.map_or(&text[..], |nul| &text[..end_of_whole_lines(&text[..nul])]);
    let from = usize::try_from(start.offset - first.min(start.offset)).unwrap_or(text.len()).min(text.len());
    scan.pattern.begin(text);
    let end = match scan.block(text, from, true, &mut |hit| taker.take(hit)) {
        _ if scan.pattern.is_spent() => End::Laborious,
        ControlFlow::Break(position) => End::Stopped(position),
        ControlFlow::Continue(()) if nul.is_some() => End::Cut,
        ControlFlow::Continue(()) => End::Done,
    };
    scan.wants_lf = end == End::Done && scan.count == 0 && scan.pattern.wants_lf(text);
    Ok(end)
}
