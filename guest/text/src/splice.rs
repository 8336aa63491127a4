//! The smallest change that turns one text into another.

use std::ops::Range;

/// The parts of `old` and `new` between their common prefix and suffix.
pub fn difference(old: &[u8], new: &[u8]) -> (Range<usize>, Range<usize>) {
    let start = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let end = old[start..].iter().rev().zip(new[start..].iter().rev()).take_while(|(a, b)| a == b).count();
    (start..old.len() - end, start..new.len() - end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_first_and_the_last_changed_byte() {
        for (old, new, from, to) in [
            ("same", "same", 4..4, 4..4),
            ("let a = 10;", "let a = 20;", 8..9, 8..9),
            ("aaa", "aa", 2..3, 2..2),
            ("aa", "aaa", 2..2, 2..3),
            ("abc", "", 0..3, 0..0),
            ("", "abc", 0..0, 0..3),
            ("xabcx", "xyx", 1..4, 1..2),
        ] {
            assert_eq!(difference(old.as_bytes(), new.as_bytes()), (from, to), "{old:?} to {new:?}");
        }
    }
}
