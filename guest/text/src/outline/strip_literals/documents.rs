//! Here documents of PHP and Ruby, and rows of `COPY` in SQL.

use super::{Mask, line_end};
use crate::lines::end_of_line;

pub(super) struct HereDocument {
    pub(super) word: Vec<u8>,
    pub(super) last: LastLine,
}

/// The line that ends a here document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LastLine {
    /// The word alone.
    Word,
    /// Blanks and the word.
    Indented,
    /// Blanks, the word and code.
    Code,
}

impl HereDocument {
    /// The length of the last line up to its code; none of other lines.
    fn end(&self, line: &[u8]) -> Option<usize> {
        let word = if self.last == LastLine::Word { line } else { line.trim_ascii_start() };
        let rest = word.strip_prefix(&self.word[..])?;
        let ends_here = match rest.first() {
            None => true,
            Some(byte) => self.last == LastLine::Code && !byte.is_ascii_alphanumeric() && *byte != b'_',
        };
        ends_here.then(|| line.len() - rest.len())
    }
}

impl Mask<'_> {
    pub(super) fn begins_line(&self) -> bool {
        self.text[..self.at].last().is_none_or(|byte| matches!(byte, b'\n' | b'\r'))
    }

    pub(super) fn here_documents(&mut self) {
        for document in std::mem::take(&mut self.pending) {
            if !self.begins_line() {
                self.at = end_of_line(self.text, self.at);
            }
            self.here_document(&document);
        }
    }

    fn here_document(&mut self, document: &HereDocument) {
        let (mut from, start) = (self.at, self.at);
        while from < self.text.len() {
            let line = &self.text[from..line_end(self.text, from)];
            if let Some(length) = document.end(line) {
                self.pass(from + length);
                self.is_string(start - 1, self.at);
                return;
            }
            from = end_of_line(self.text, from);
        }
        self.masked.lost.get_or_insert(start);
        self.fill(self.text.len());
    }

    /// `<<<EOT`
    pub(super) fn opens_here_document(&mut self) -> bool {
        let Some(rest) = self.rest().strip_prefix(b"<<<") else { return false };
        let blanks = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let rest = &rest[blanks..];
        let quoted = matches!(rest.first(), Some(b'"' | b'\''));
        let word = &rest[usize::from(quoted)..];
        let length = word.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
        if length == 0 || word[0].is_ascii_digit() {
            return false;
        }
        let end = self.text.len() - word.len() + length;
        self.pending = vec![HereDocument { word: word[..length].to_vec(), last: LastLine::Code }];
        self.fill(end + usize::from(quoted));
        true
    }
}
