//! Statistics of a scan.

use crate::find::ScanEvent;
use crate::utf8::{NotEncodable, Validator};

/// Counts the events of a scan, in order.
#[derive(Default)]
pub struct MatchCount {
    /// The number of matches.
    pub count: u64,
    /// The lines of the first ones.
    pub lines: Vec<u32>,
    listed: usize,
    cuts_crlf: bool,
    /// A match follows a byte that is not ASCII, perhaps inside a character.
    pub follows_high_byte: bool,
    after_high_byte: bool,
    /// Present only if the new text needs a UTF-8 file.
    validator: Option<Validator>,
}

impl MatchCount {
    /// Counts for a replacement by `new`, with the lines of `listed` matches.
    pub fn new(new: &[u8], listed: usize) -> Self {
        Self { listed, validator: (!new.is_ascii()).then(Validator::default), ..Self::default() }
    }

    /// Counts the next event.
    pub fn see(&mut self, event: &ScanEvent) {
        let bytes = match event {
            ScanEvent::Text(bytes) => bytes,
            ScanEvent::Match { bytes, before, .. } => {
                self.count += 1;
                self.follows_high_byte |= self.after_high_byte;
                self.cuts_crlf |= before.is_inside_crlf(bytes);
                if self.lines.len() < self.listed {
                    self.lines.extend(u32::try_from(before.line_of(bytes)));
                }
                bytes
            }
        };
        self.after_high_byte = bytes.last().map_or(self.after_high_byte, |last| !last.is_ascii());
        if let Some(validator) = &mut self.validator {
            validator.feed(bytes);
        }
    }

    /// Whether `old` adapts its line ends: it has no exact match, or ends inside a CRLF. A CR in it
    /// is literal.
    pub fn calls_for_any_line_end(&self, old: &[u8]) -> bool {
        match memchr::memchr2(b'\n', b'\r', old) {
            None => false,
            Some(_) if self.count == 0 => true,
            Some(_) => self.cuts_crlf && memchr::memchr(b'\r', old).is_none(),
        }
    }

    /// Refuses a text that a file other than UTF-8 may lack.
    pub fn require_encodable(&self, new: &str) -> Result<(), NotEncodable> {
        let invalid = self.validator.as_ref().and_then(Validator::finish);
        match (invalid, new.chars().find(|c| !c.is_ascii())) {
            (Some(offset), Some(character)) => Err(NotEncodable { character, offset }),
            _ => Ok(()),
        }
    }
}
