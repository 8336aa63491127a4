//! ASCII.

/// Whether all bytes are ASCII. The standard library takes 40 % of a search's instructions for
/// this.
pub fn is_ascii(bytes: &[u8]) -> bool {
    const HIGH: u128 = u128::from_ne_bytes([0x80; 16]);
    let (blocks, rest) = bytes.as_chunks();
    blocks.iter().all(|block| u128::from_ne_bytes(*block) & HIGH == 0) && rest.is_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_byte_that_is_none_is_found_wherever_it_stands() {
        for length in 0..70 {
            let ascii: Vec<u8> = (0..length).map(|at| [0, 0x7F, b'a'][at % 3]).collect();
            assert!(is_ascii(&ascii), "{length}");
            for at in 0..length {
                for foreign in [0x80, 0xC3, 0xFF] {
                    let mut bytes = ascii.clone();
                    bytes[at] = foreign;
                    assert!(!is_ascii(&bytes), "{foreign:#x} at {at} of {length}");
                }
            }
        }
    }
}
