//! What a search tells on its way through a text: how often something occurs, where, and whether line ends have to be
//! compared otherwise.

use crate::find::ScanEvent;
use crate::utf8::{NotEncodable, Validator};

/// Sees every event of a scan, in order.
pub struct MatchCount {
    /// Occurrences.
    pub count: u64,
    /// Lines of the first ones.
    pub lines: Vec<u32>,
    listed: usize,
    /// Some occurrence begins with the LF of a CRLF.
    cuts_crlf: bool,
    /// Some occurrence follows a byte that is not ASCII: in some encodings it may begin in a character.
    pub follows_high_byte: bool,
    after_high_byte: bool,
    /// Only where it matters whether the text is UTF-8.
    validator: Option<Validator>,
}

impl MatchCount {
    /// Of a search for a text that `new` will take the place of, and for the lines of at most `listed` occurrences.
    pub fn new(new: &[u8], listed: usize) -> Self {
        Self {
            count: 0,
            lines: Vec::new(),
            listed,
            cuts_crlf: false,
            follows_high_byte: false,
            after_high_byte: false,
            validator: (!new.is_ascii()).then(Validator::default),
        }
    }

    /// The next event.
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

    /// True if the line ends of `old` have to be taken as the text's: compared byte for byte, it does not occur, or its LF is the second
    /// half of a CRLF, which is no LF. Whoever writes a CR knows of them, and means the bytes as they are.
    pub fn calls_for_any_line_end(&self, old: &[u8]) -> bool {
        match memchr::memchr2(b'\n', b'\r', old) {
            None => false,
            Some(_) if self.count == 0 => true,
            Some(_) => self.cuts_crlf && memchr::memchr(b'\r', old).is_none(),
        }
    }

    /// Refuses a new text that one which is not UTF-8 cannot hold for certain.
    pub fn require_encodable(&self, new: &str) -> Result<(), NotEncodable> {
        let invalid = self.validator.as_ref().and_then(Validator::finish);
        match (invalid, new.chars().find(|c| !c.is_ascii())) {
            (Some(offset), Some(character)) => Err(NotEncodable { character, offset }),
            _ => Ok(()),
        }
    }
}
