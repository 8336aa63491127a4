//! Levenshtein's distance, 64 rows at a time (Myers 1999, in blocks after Hyyrö 2003).

/// A sequence prepared for comparisons.
pub struct DistancePattern {
    length: usize,
    values: Vec<u32>,
    /// The positions of each value, one bit per row; last those of all others.
    places: Vec<u64>,
}

/// The pattern's possible starts in the other sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Begin {
    /// At its first value only.
    First,
    /// Anywhere: skips cost nothing.
    Anywhere,
}

/// 64 rows of a column, as differences from row to row.
#[derive(Clone, Copy)]
struct BitBlock {
    plus: u64,
    minus: u64,
}

impl DistancePattern {
    /// Prepares a sequence.
    pub fn new(pattern: impl ExactSizeIterator<Item = u32> + Clone) -> Self {
        let length = pattern.len();
        let mut values: Vec<_> = pattern.clone().collect();
        values.sort_unstable();
        values.dedup();
        let words = length.div_ceil(64);
        let mut places = vec![0; (values.len() + 1) * words];
        for (row, value) in pattern.enumerate() {
            if let Ok(at) = values.binary_search(&value) {
                places[at * words + row / 64] |= 1 << (row % 64);
            }
        }
        Self { length, values, places }
    }

    /// The steps of a comparison with `length` values.
    pub fn steps(&self, length: usize) -> usize {
        self.length.div_ceil(64) * length
    }

    /// The distance to every prefix of `text`, the empty one first.
    pub fn distances(&self, text: impl Iterator<Item = u32>, begin: Begin) -> Vec<usize> {
        let words = self.length.div_ceil(64);
        let mut column = vec![BitBlock { plus: !0, minus: 0 }; words];
        let mut distance = self.length;
        let mut distances = vec![distance];
        let Some(last) = words.checked_sub(1) else {
            distances.extend(text.enumerate().map(|(at, _)| if begin == Begin::First { at + 1 } else { 0 }));
            return distances;
        };
        let bottom = 1 << ((self.length - 1) % 64);
        for value in text {
            #[cfg(test)]
            STEPS.set(STEPS.get() + words);
            let at = self.values.binary_search(&value).unwrap_or(self.values.len());
            let places = &self.places[at * words..][..words];
            let mut carry = Carry { plus: begin == Begin::First, minus: false };
            for (row, (block, places)) in column.iter_mut().zip(places).enumerate() {
                carry = block.step(*places, carry, if row == last { bottom } else { 1 << 63 });
            }
            distance = distance + usize::from(carry.plus) - usize::from(carry.minus);
            distances.push(distance);
        }
        distances
    }
}

#[derive(Clone, Copy)]
struct Carry {
    plus: bool,
    minus: bool,
}

impl BitBlock {
    /// Computes the next column. Returns the difference in the row of `bottom`.
    fn step(&mut self, places: u64, carry: Carry, bottom: u64) -> Carry {
        let Self { plus, minus } = *self;
        let vertical = places | minus;
        let equal = places | u64::from(carry.minus);
        let horizontal = ((equal & plus).wrapping_add(plus) ^ plus) | equal;
        let up = minus | !(horizontal | plus);
        let down = plus & horizontal;
        let out = Carry { plus: up & bottom != 0, minus: down & bottom != 0 };
        let up = up << 1 | u64::from(carry.plus);
        let down = down << 1 | u64::from(carry.minus);
        *self = Self { plus: down | !(vertical | up), minus: up & vertical };
        out
    }
}

#[cfg(test)]
thread_local! {
    /// Steps taken by this thread.
    pub static STEPS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(pattern: &[u32], text: &[u32], begin: Begin) -> Vec<usize> {
        let mut row: Vec<_> = (0..=text.len()).map(|at| if begin == Begin::First { at } else { 0 }).collect();
        for (number, value) in pattern.iter().enumerate() {
            let mut next = vec![number + 1];
            for (at, other) in text.iter().enumerate() {
                let changed = row[at] + usize::from(value != other);
                next.push(changed.min(row[at + 1] + 1).min(next[at] + 1));
            }
            row = next;
        }
        row
    }

    #[test]
    fn knows_the_plain_cases() {
        for (pattern, text, begin, expected) in [
            ("", "ab", Begin::First, vec![0, 1, 2]),
            ("", "ab", Begin::Anywhere, vec![0, 0, 0]),
            ("ab", "", Begin::First, vec![2]),
            ("kitten", "sitting", Begin::First, vec![6, 6, 5, 4, 3, 3, 2, 3]),
            ("ab", "xxabxx", Begin::Anywhere, vec![2, 2, 2, 1, 0, 1, 2]),
        ] {
            let values: Vec<_> = pattern.chars().map(u32::from).collect();
            let pattern = DistancePattern::new(values.iter().copied());
            assert_eq!(pattern.distances(text.chars().map(u32::from), begin), expected, "{values:?} {text}");
        }
    }

    #[test]
    fn agrees_with_the_table_at_every_length() {
        use proptest::prelude::*;
        let sequence = || proptest::collection::vec(0u32..4, 0..200);
        proptest!(|(pattern in sequence(), text in sequence())| {
            let prepared = DistancePattern::new(pattern.iter().copied());
            for begin in [Begin::First, Begin::Anywhere] {
                prop_assert_eq!(
                    prepared.distances(text.iter().copied(), begin),
                    plain(&pattern, &text, begin)
                );
            }
        });
    }
}
