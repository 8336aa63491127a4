//! Tags of file contents.

use blake3::{Hash, Hasher};

mod subtrees;

pub use subtrees::Subtrees;

/// Hex digits of a tag: 128 bits, against made collisions.
const DIGITS: usize = 32;

/// The tag of a whole file from its hasher.
pub fn strong(hasher: &Hasher) -> String {
    from(&hasher.finalize())
}

/// The tag of a whole file from its hash.
pub fn from(hash: &Hash) -> String {
    hash.to_hex()[..DIGITS].to_owned()
}

/// The tag of `length` bytes at `offset` from their hasher.
pub fn range(offset: u64, length: u64, hasher: &Hasher) -> String {
    format!("r{offset}+{length}:{}", strong(hasher))
}

/// The strong tag of some bytes.
pub fn of(bytes: &[u8]) -> String {
    strong(Hasher::new().update(bytes))
}

/// Whether a text has a strong tag's form.
pub fn is_strong(text: &str) -> bool {
    text.len() == DIGITS && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Offset and length of a range tag; none for another text.
pub fn parse_range(text: &str) -> Option<(u64, u64)> {
    let number =
        |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?;
    let (range, hash) = text.strip_prefix('r')?.split_once(':')?;
    let (offset, length) = range.split_once('+')?;
    Some((number(offset)?, number(length)?)).filter(|_| is_strong(hash))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_the_first_128_bits_of_blake3() {
        // From BLAKE3's test vectors.
        assert_eq!(of(b""), "af1349b9f5f9a1a6a0404dea36dcc949");
        assert_eq!(range(7, 0, &Hasher::new()), "r7+0:af1349b9f5f9a1a6a0404dea36dcc949");
    }

    #[test]
    fn a_malformed_tag_is_neither_strong_nor_of_a_range() {
        let hex = "af1349b9f5f9a1a6a0404dea36dcc949";
        assert!(is_strong(hex) && parse_range(hex).is_none());
        assert_eq!(parse_range(&format!("r7+12:{hex}")), Some((7, 12)));
        for text in
            ["", "**", "r7+12", "r7:abc", &hex[1..], &hex.to_uppercase(), "W/\"x\"", &format!("r-1+2:{hex}")]
        {
            assert!(!is_strong(text) && parse_range(text).is_none(), "{text}");
        }
    }
}
