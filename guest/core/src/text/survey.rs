//! What a search tells on its way through a text: how often something occurs, where, and whether line ends have to be
//! compared otherwise.

use crate::error::Reason;
use crate::limits::LINES_LISTED;
use crate::text::find::Event;
use crate::text::utf8::Validator;

/// Sees every event of a scan, in order.
pub struct Survey {
    /// Occurrences.
    pub count: u64,
    /// Lines of the first ones.
    pub lines: Vec<u32>,
    /// Some occurrence begins or ends between a CR and its LF.
    cuts_crlf: bool,
    after_match_and_cr: bool,
    /// Only where it matters whether the text is UTF-8.
    validator: Option<Validator>,
}

impl Survey {
    /// Of a search for a text that `new` will take the place of.
    pub fn new(new: &str) -> Self {
        Self {
            count: 0,
            lines: Vec::new(),
            cuts_crlf: false,
            after_match_and_cr: false,
            validator: (!new.is_ascii()).then(Validator::default),
        }
    }

    /// The next event.
    pub fn see(&mut self, event: &Event) {
        let bytes = match event {
            Event::Text(bytes) => {
                self.cuts_crlf |= self.after_match_and_cr && bytes.starts_with(b"\n");
                self.after_match_and_cr = false;
                bytes
            }
            Event::Match { bytes, before, .. } => {
                self.count += 1;
                self.cuts_crlf |= before.is_inside_crlf(bytes);
                self.after_match_and_cr = bytes.ends_with(b"\r");
                if self.lines.len() < LINES_LISTED {
                    self.lines.extend(u32::try_from(before.line_of(bytes)));
                }
                bytes
            }
        };
        if let Some(validator) = &mut self.validator {
            validator.feed(bytes);
        }
    }

    /// True if the line ends of `old` have to be taken as the text's: compared byte for byte, it does not occur, or cuts
    /// a CRLF in two.
    pub fn calls_for_any_line_end(&self, old: &str) -> bool {
        old.contains(['\n', '\r']) && (self.count == 0 || self.cuts_crlf)
    }

    /// Refuses a new text that one which is not UTF-8 cannot hold for certain.
    pub fn require_encodable(&self, new: &str) -> Result<(), Reason> {
        let invalid = self.validator.as_ref().and_then(Validator::finish);
        match (invalid, new.chars().find(|c| !c.is_ascii())) {
            (Some(offset), Some(character)) => Err(Reason::NotEncodable { character, offset }),
            _ => Ok(()),
        }
    }
}
