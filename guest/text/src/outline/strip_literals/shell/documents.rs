//! Redirections and here documents.

use super::{ShellMask, is_blank, is_meta};
use crate::outline::strip_literals::line_end;

/// Shifts recognised by a missing here document; each scans the rest.
const SHIFTS: usize = 64;

pub(super) struct HereDocument {
    /// The line that ends it.
    word: Vec<u8>,
    /// Tabs may precede that line.
    tabs: bool,
    at: usize,
}

impl ShellMask<'_> {
    pub(super) fn pass_over(&mut self, document: &HereDocument) {
        let is_number = document.word.first().is_some_and(u8::is_ascii_digit);
        if is_number && self.shifts >= SHIFTS {
            self.doubt(document.at);
            return;
        }
        let (mut from, start) = (self.at, self.at);
        while from < self.text.len() {
            let end = line_end(self.text, from);
            let line = &self.text[from..end];
            let tabs = line.iter().take_while(|byte| document.tabs && **byte == b'\t').count();
            if line[tabs..] == document.word {
                self.at = end;
                self.is_string(start.saturating_sub(1));
                return;
            }
            from = if self.text[end..].starts_with(b"\r\n") { end + 2 } else { end + 1 };
        }
        // `let x=1<<2`
        if is_number {
            self.shifts += 1;
            self.doubt(document.at);
        } else {
            self.lose(document.at);
        }
    }

    pub(super) fn redirection(&mut self) -> bool {
        let start = self.at;
        if matches!(self.peek(1), Some(b'(')) {
            self.at += 2;
            return self.inside(start, |shell| shell.commands().then_some(())).is_some();
        }
        if self.starts(b"<<<") {
            self.at += 3;
        } else if self.starts(b"<<") {
            self.here_document();
        } else {
            self.at += 1;
            if matches!(self.peek(0), Some(b'&' | b'|' | b'>')) {
                self.at += 1;
            }
        }
        true
    }

    /// `<<EOF`, `<<-'EOF'`
    fn here_document(&mut self) {
        let start = self.at;
        self.at += 2;
        let tabs = self.peek(0) == Some(b'-');
        self.at += usize::from(tabs);
        while self.peek(0).is_some_and(is_blank) {
            self.at += 1;
        }
        let (mut word, mut quote, from) = (Vec::new(), None, self.at);
        while let Some(byte) = self.peek(0).filter(|byte| !matches!(byte, b'\n' | b'\r')) {
            match (byte, quote) {
                (b'"' | b'\'', None) => quote = Some(byte),
                (byte, Some(other)) if byte == other => quote = None,
                (b'\\', None | Some(b'"')) => {
                    self.at += 1;
                    word.extend(self.peek(0).filter(|byte| !matches!(byte, b'\n' | b'\r')));
                }
                (byte, None) if is_blank(byte) || is_meta(byte) => break,
                _ => word.push(byte),
            }
            self.at = (self.at + 1).min(self.text.len());
        }
        if self.at > from {
            self.documents.push(HereDocument { word, tabs, at: start });
        }
    }
}
