//! Validation of UTF-8.

/// A new text that a file of unknown encoding may be unable to hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotEncodable {
    /// A character that is not ASCII.
    pub character: char,
    /// The offset from which the file is not UTF-8.
    pub offset: u64,
}

/// Validates chunks cut anywhere.
#[derive(Debug, Default)]
pub struct Validator {
    open: Vec<u8>,
    offset: u64,
    invalid: Option<u64>,
}

impl Validator {
    /// Validates the next chunk.
    pub fn feed(&mut self, chunk: &[u8]) {
        if self.invalid.is_some() {
            return;
        }
        let mut rest = chunk;
        while !self.open.is_empty() && !rest.is_empty() {
            self.open.push(rest[0]);
            rest = &rest[1..];
            match std::str::from_utf8(&self.open) {
                Ok(_) => {
                    self.offset += self.open.len() as u64;
                    self.open.clear();
                }
                Err(error) if error.error_len().is_some() => {
                    self.invalid = Some(self.offset);
                    return;
                }
                Err(_) => {}
            }
        }
        if let Err(error) = std::str::from_utf8(rest) {
            let (valid, open) = rest.split_at(error.valid_up_to());
            self.offset += valid.len() as u64;
            if error.error_len().is_some() {
                self.invalid = Some(self.offset);
            } else {
                self.open = open.to_vec();
            }
        } else {
            self.offset += rest.len() as u64;
        }
    }

    /// Ends the text: the first invalid offset.
    pub fn finish(&self) -> Option<u64> {
        self.invalid.or((!self.open.is_empty()).then_some(self.offset))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_first_invalid_byte_wherever_the_text_is_cut() {
        for (text, invalid) in [
            (&b""[..], None),
            ("aé€😀".as_bytes(), None),
            (b"ab\xE9cd", Some(2)),
            (b"a\xC3", Some(1)),
            (b"\xF0\x9F\x98", Some(0)),
            (b"\xFF\xFEa\0", Some(0)),
            (b"a\xED\xA0\x80", Some(1)),
        ] {
            for cut in 0..=text.len() {
                for second in cut..=text.len() {
                    let mut validator = Validator::default();
                    validator.feed(&text[..cut]);
                    validator.feed(&text[cut..second]);
                    validator.feed(&text[second..]);
                    assert_eq!(validator.finish(), invalid, "{text:?} cut at {cut}, {second}");
                }
            }
        }
    }
}
