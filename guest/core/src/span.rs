//! The smallest span of a file that a change touches.

use std::ops::{ControlFlow, Range};

use crate::error::Failure;
use crate::limits::CHUNK_BYTES;
use crate::view::Source;
use crate::volume::Volume;

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
pub fn smallest<V: Volume>(source: &Source<V>, range: Range<u64>, new: &[u8]) -> Result<Span, Failure> {
    let common = (range.end - range.start).min(new.len() as u64);
    let mut start = 0;
    source.each_chunk(range.start..range.start + common, |chunk| {
        let rest = &new[start as usize..];
        let same = chunk.iter().zip(rest).take_while(|(a, b)| a == b).count();
        start += same as u64;
        if same == chunk.len() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
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
