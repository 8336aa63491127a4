//! The original parts of a repeatedly changed text.

use std::ops::Range;

use super::encoding::Edit;

/// The origins of a text's parts.
#[derive(Debug, Clone)]
pub struct Provenance {
    pieces: Vec<OriginPiece>,
    original: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct OriginPiece {
    length: usize,
    /// The offset in the original; none if new.
    from: Option<usize>,
}

impl Provenance {
    /// The provenance of an unchanged text of this length.
    pub fn new(length: usize) -> Self {
        Self { pieces: vec![OriginPiece { length, from: Some(0) }], original: length }
    }

    /// Records the new lengths of ordered parts.
    pub fn replaced(&mut self, parts: &[(Range<usize>, usize)]) {
        let mut pieces = Vec::with_capacity(self.pieces.len() + 2 * parts.len());
        let mut rest = Rest { pieces: &self.pieces, taken: 0, at: 0 };
        for (range, length) in parts {
            rest.up_to(range.start, |piece| pieces.push(piece));
            rest.up_to(range.end, |_| {});
            match pieces.last_mut() {
                // Many may be adjacent.
                Some(OriginPiece { length: known, from: None }) => *known += length,
                _ => pieces.push(OriginPiece { length: *length, from: None }),
            }
        }
        rest.up_to(usize::MAX, |piece| pieces.push(piece));
        self.pieces = pieces;
    }

    /// The edits that turn the original into `text`.
    pub fn edits(&self, text: &[u8]) -> Vec<Edit> {
        let mut edits = Vec::new();
        let (mut at, mut done) = (0, 0);
        let mut new = Vec::new();
        for piece in &self.pieces {
            let bytes = &text[at..at + piece.length];
            at += piece.length;
            let Some(from) = piece.from else {
                new.extend_from_slice(bytes);
                continue;
            };
            if from > done || !new.is_empty() {
                edits.push(Edit { range: done..from, new: std::mem::take(&mut new) });
            }
            done = from + piece.length;
        }
        if done < self.original || !new.is_empty() {
            edits.push(Edit { range: done..self.original, new });
        }
        edits
    }
}

struct Rest<'a> {
    pieces: &'a [OriginPiece],
    taken: usize,
    at: usize,
}

impl Rest<'_> {
    fn up_to(&mut self, end: usize, mut sink: impl FnMut(OriginPiece)) {
        while let Some(piece) = self.pieces.first().filter(|_| self.at < end) {
            let length = (piece.length - self.taken).min(end - self.at);
            if length > 0 {
                sink(piece.part(self.taken..self.taken + length));
            }
            (self.taken, self.at) = (self.taken + length, self.at + length);
            if self.taken == piece.length {
                (self.pieces, self.taken) = (&self.pieces[1..], 0);
            }
        }
    }
}

impl OriginPiece {
    fn part(self, range: Range<usize>) -> Self {
        Self { length: range.len(), from: self.from.map(|from| from + range.start) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_was_put_twice_is_one_edit() {
        let mut origins = Provenance::new(6);
        origins.replaced(&[(1..3, 1), (5..5, 2)]);
        origins.replaced(&[(1..2, 3)]);
        assert_eq!(
            origins.edits(b"aXYZdeNNf"),
            [Edit { range: 1..3, new: b"XYZ".to_vec() }, Edit { range: 5..5, new: b"NN".to_vec() },]
        );
        let mut origins = Provenance::new(0);
        origins.replaced(&[(0..0, 2)]);
        assert_eq!(origins.edits(b"ab"), [Edit { range: 0..0, new: b"ab".to_vec() }]);
        assert_eq!(Provenance::new(2).edits(b"ab"), []);
    }

    proptest! {
        #[test]
        fn edits_make_the_text_out_of_the_original(
            original in "[a-z]{0,30}",
            rounds in proptest::collection::vec(proptest::collection::vec((any::<u8>(), any::<u8>(), "[A-Z]{0,4}"), 0..4), 0..5),
        ) {
            let mut text = original.clone();
            let mut origins = Provenance::new(original.len());
            for round in rounds {
                let (mut parts, mut next, mut done) = (Vec::new(), String::new(), 0);
                for (gap, length, new) in round {
                    let start = (done + usize::from(gap) % 8).min(text.len());
                    let end = (start + usize::from(length) % 8).min(text.len());
                    if start < done || (start == end && !parts.is_empty()) {
                        continue;
                    }
                    next.push_str(&text[done..start]);
                    next.push_str(&new);
                    parts.push((start..end, new.len()));
                    done = end;
                }
                next.push_str(&text[done..]);
                origins.replaced(&parts);
                text = next;
            }
            let mut made = Vec::new();
            let mut done = 0;
            let edits = origins.edits(text.as_bytes());
            for edit in &edits {
                made.extend_from_slice(&original.as_bytes()[done..edit.range.start]);
                made.extend_from_slice(&edit.new);
                done = edit.range.end;
            }
            made.extend_from_slice(&original.as_bytes()[done..]);
            prop_assert_eq!(made, text.into_bytes());
        }
    }
}
