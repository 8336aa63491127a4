//! The smallest span of a file that a change touches.

use std::ops::{ControlFlow, Range};

use crate::file::OpenFile;
use fsgate_contract::limits::CHUNK_BYTES;
use fsgate_error::Failure;
use fsgate_volume::Volume;

/// Bytes of a file that become others.
#[derive(Debug)]
pub struct Span {
    /// Where they begin.
    pub offset: u64,
    /// How many there are.
    pub old: u64,
    /// What they become: a part of the new bytes.
    pub new: Range<usize>,
}

/// What is left of `range`, which is to become `new`, when what both have in common at either end is taken away.
pub fn smallest<V: Volume>(source: &OpenFile<V>, range: Range<u64>, new: &[u8]) -> Result<Span, Failure> {
    let most = (range.end - range.start).min(new.len() as u64);
    let mut start = 0;
    source.each_chunk(range.start..range.start + most, |chunk| {
        let same = common(chunk, &new[start as usize..]);
        start += same as u64;
        if same == chunk.len() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    behind(source, range, new, start)
}

/// How many bytes two texts have in common at their beginning.
pub fn common(one: &[u8], other: &[u8]) -> usize {
    const BLOCK: usize = 64;
    // Block by block, because all bytes of a block are compared together.
    let blocks = one.chunks_exact(BLOCK).zip(other.chunks_exact(BLOCK)).take_while(|(a, b)| a == b);
    let same = blocks.count() * BLOCK;
    same + one[same..].iter().zip(&other[same..]).take_while(|(a, b)| a == b).count()
}

/// The same where it is known that both have `start` bytes in common at the beginning, and no more.
pub fn behind<V: Volume>(
    source: &OpenFile<V>,
    range: Range<u64>,
    new: &[u8],
    start: u64,
) -> Result<Span, Failure> {
    let common = (range.end - range.start).min(new.len() as u64);
    let mut tail = 0;
    while tail < common - start {
        let length = (common - start - tail).min(CHUNK_BYTES as u64);
        let end = range.end - tail;
        let old = source.bytes(end - length..end)?;
        let rest = &new[..new.len() - tail as usize];
        let same = old.iter().rev().zip(rest.iter().rev()).take_while(|(a, b)| a == b).count() as u64;
        tail += same;
        if same < length {
            break;
        }
    }
    let new = start as usize..new.len() - tail as usize;
    Ok(Span { offset: range.start + start, old: range.end - range.start - start - tail, new })
}
