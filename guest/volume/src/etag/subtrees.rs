//! A hash that keeps its parts, for changed texts.
//!
//! BLAKE3 is a tree. The values of its aligned subtrees are kept. A splice rehashes the subtrees
//! that it touches, and all after them if it changes the length.

use std::convert::Infallible;
use std::ops::Range;

use blake3::hazmat::{HasherExt, Mode, left_subtree_len, merge_subtrees_non_root, merge_subtrees_root};
use blake3::{Hash, Hasher};

use fsgate_contract::limits::{SUBTREE_BYTES, SUBTREES};

type Value = [u8; 32];

/// A hasher of consecutive bytes.
#[derive(Clone)]
pub struct Subtrees {
    /// Bytes of a subtree, doubled when there are too many.
    width: u64,
    most: usize,
    /// The values of full subtrees before the last.
    values: Vec<Value>,
    /// The last subtree, empty only without bytes.
    last: Hasher,
    length: u64,
}

impl Default for Subtrees {
    fn default() -> Self {
        Self::new(SUBTREE_BYTES, SUBTREES)
    }
}

impl Subtrees {
    /// `width` is a power of two, at least 1 KiB; `most` is even.
    fn new(width: u64, most: usize) -> Self {
        Self { width, most, values: Vec::new(), last: Hasher::new(), length: 0 }
    }

    /// Adds bytes.
    pub fn update(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let room = self.width * (self.values.len() as u64 + 1) - self.length;
            if room == 0 {
                self.close();
                continue;
            }
            let (now, later) =
                bytes.split_at(usize::try_from(room).map_or(bytes.len(), |room| room.min(bytes.len())));
            self.last.update(now);
            self.length += now.len() as u64;
            bytes = later;
        }
    }

    fn close(&mut self) {
        self.values.push(self.last.finalize_non_root());
        if self.values.len() == self.most {
            let merged = self
                .values
                .chunks_exact(2)
                .map(|pair| merge_subtrees_non_root(&pair[0], &pair[1], Mode::Hash));
            self.values = merged.collect();
            self.width *= 2;
        }
        self.last = Hasher::new();
        self.last.set_input_offset(self.length);
    }

    /// The number of bytes.
    pub fn len(&self) -> u64 {
        self.length
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The hash of all bytes.
    pub fn hash(&self) -> Hash {
        self.hash_with(&[])
    }

    fn hash_with(&self, behind: &[Value]) -> Hash {
        if self.values.is_empty() && behind.is_empty() {
            return self.last.finalize();
        }
        let last = [self.last.finalize_non_root()];
        root(&[&self.values, &last[..], behind].concat())
    }

    /// The hash with `new` for `old` bytes at `offset`. `read` returns original bytes.
    pub fn spliced<E>(
        &self,
        offset: u64,
        old: u64,
        new: &[u8],
        mut read: impl FnMut(Range<u64>, &mut dyn FnMut(&[u8])) -> Result<(), E>,
    ) -> Result<Hash, E> {
        let same_length = old == new.len() as u64;
        if same_length && old == 0 {
            return Ok(self.hash());
        }
        if offset == self.length {
            let mut after = self.clone();
            after.update(new);
            return Ok(after.hash());
        }
        let mut first = (offset / self.width).min(self.values.len() as u64);
        // The last subtree is never empty; a root has no subtree value.
        first -= u64::from(first > 0 && self.length - old + new.len() as u64 == first * self.width);
        let start = first * self.width;
        let mut after = Self::new(self.width, self.most);
        after.values.extend_from_slice(&self.values[..first as usize]);
        after.length = start;
        after.last.set_input_offset(start);
        read(start..offset, &mut |bytes| after.update(bytes))?;
        after.update(new);
        let old_end = offset + old;
        let end = match same_length {
            true => old_end.next_multiple_of(self.width).min(self.length),
            false => self.length,
        };
        read(old_end..end, &mut |bytes| after.update(bytes))?;
        if end == self.length {
            return Ok(after.hash());
        }
        let behind = &self.values[(end / self.width) as usize..];
        Ok(after.hash_with(&[behind, &[self.last.finalize_non_root()]].concat()))
    }

    /// The same for a text in memory.
    pub fn spliced_in(&self, pieces: &[&[u8]], offset: u64, old: u64, new: &[u8]) -> Hash {
        let Ok(hash) = self.spliced(offset, old, new, |range, sink| {
            let mut begin = 0;
            for piece in pieces {
                let within = |at: u64| at.clamp(begin, begin + piece.len() as u64) - begin;
                sink(&piece[within(range.start) as usize..within(range.end) as usize]);
                begin += piece.len() as u64;
            }
            Ok::<_, Infallible>(())
        });
        hash
    }
}

/// The hash of subtrees of one width, but the last.
fn root(values: &[Value]) -> Hash {
    let (left, right) = halves(values);
    merge_subtrees_root(&node(left), &node(right), Mode::Hash)
}

fn node(values: &[Value]) -> Value {
    if let [only] = values {
        return *only;
    }
    let (left, right) = halves(values);
    merge_subtrees_non_root(&node(left), &node(right), Mode::Hash)
}

/// BLAKE3's halves: the left one is the largest power of two with a rest.
fn halves(values: &[Value]) -> (&[Value], &[Value]) {
    const CHUNK: u64 = blake3::CHUNK_LEN as u64;
    values.split_at((left_subtree_len(values.len() as u64 * CHUNK) / CHUNK) as usize)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const WIDTH: u64 = 1024;

    fn text(length: usize, seed: u8) -> Vec<u8> {
        (0..length).map(|n| (n % 251) as u8 ^ (n / 251) as u8 ^ seed).collect()
    }

    fn of(text: &[u8], most: usize, pieces: usize) -> Subtrees {
        let mut subtrees = Subtrees::new(WIDTH, most);
        text.chunks(pieces).for_each(|piece| subtrees.update(piece));
        subtrees
    }

    fn check(length: usize, offset: usize, old: usize, new: usize, most: usize, pieces: usize) {
        let (before, new) = (text(length, 0), text(new, 0x55));
        let subtrees = of(&before, most, pieces);
        let after = [&before[..offset], &new, &before[offset + old..]].concat();
        let case =
            format!("{length} bytes, {old} at {offset} become {}, {most} in pieces of {pieces}", new.len());
        assert_eq!(subtrees.hash(), blake3::hash(&before), "{case}");
        let (one, two) = before.split_at(length / 3);
        let spliced = subtrees.spliced_in(&[one, two], offset as u64, old as u64, &new);
        assert_eq!(spliced, blake3::hash(&after), "{case}");
    }

    #[test]
    fn every_length_and_splice_near_a_border_has_the_hash_of_its_text() {
        let borders = |length: usize| {
            let near = (0..=length / 1024).flat_map(|n| (n * 1024).saturating_sub(1)..=n * 1024 + 1);
            near.chain([length.saturating_sub(1), length]).filter(move |at| *at <= length)
        };
        for length in [0, 1, 1023, 1024, 1025, 2047, 2048, 2049, 3072, 4096, 5000, 8192, 9217] {
            for from in borders(length) {
                for to in borders(length).filter(|to| *to >= from) {
                    for new in [0, 1, to - from, to - from + 1, 1024, 2500] {
                        check(length, from, to - from, new, 64, 700);
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_held_is_bounded_and_the_hash_is_the_same() {
        for most in [2, 4, 6, 16] {
            for length in (0..40_000).step_by(977) {
                let before = text(length, 7);
                let subtrees = of(&before, most, 3000);
                assert!(subtrees.values.len() < most, "{} of {most}", subtrees.values.len());
                assert_eq!(subtrees.hash(), blake3::hash(&before), "{length} {most}");
            }
        }
    }

    /// A change that keeps the length reads its surroundings only.
    #[test]
    fn few_bytes_are_read_again() {
        let before = text(100_000, 0);
        let subtrees = of(&before, 1024, 4096);
        let mut read = 0;
        let spliced = subtrees.spliced(50_000, 3, b"new", |range, sink| {
            read += range.end - range.start;
            sink(&before[range.start as usize..range.end as usize]);
            Ok::<_, Infallible>(())
        });
        let after = [&before[..50_000], b"new", &before[50_003..]].concat();
        assert_eq!(spliced, Ok(blake3::hash(&after)));
        assert!(read < WIDTH, "{read}");
    }

    proptest! {
        #[test]
        fn a_splice_has_the_hash_of_its_text(
            length in 0..30_000_usize,
            at in any::<(prop::sample::Index, prop::sample::Index)>(),
            new in prop_oneof![Just(None), (0..6_000_usize).prop_map(Some)],
            most in prop::sample::select(vec![2_usize, 4, 8, 64]),
            pieces in 1..5_000_usize,
        ) {
            let (one, two) = (at.0.index(length + 1), at.1.index(length + 1));
            let (from, to) = (one.min(two), one.max(two));
            check(length, from, to - from, new.unwrap_or(to - from), most, pieces);
        }
    }
}
