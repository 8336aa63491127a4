//! Multi-line scalars in YAML.
//!
//! A quote begins a scalar only where a value may begin. A line of a plain scalar can become a
//! comment, which ends the scalar.

use memchr::{memchr, memchr2};

use super::{Masked, line_end};
use crate::lines::end_of_line;

/// The multi-line scalars. YAML has no sections, so no code is kept.
pub(super) fn masked(text: &[u8]) -> Masked {
    let mut yaml = YamlMask { text, at: 0, least: 0, in_plain: false, masked: Masked::default() };
    while yaml.at < text.len() {
        yaml.line();
    }
    yaml.masked
}

struct YamlMask<'a> {
    text: &'a [u8],
    at: usize,
    /// The least indentation of the innermost entry's lines; 0 outside.
    least: usize,
    /// Such lines continue a plain scalar.
    in_plain: bool,
    masked: Masked,
}

impl YamlMask<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn is_blank(&self, at: usize) -> bool {
        self.text.get(at).is_none_or(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
    }

    fn begins_comment(&self) -> bool {
        self.peek() == Some(b'#') && self.at.checked_sub(1).is_none_or(|before| self.is_blank(before))
    }

    /// Passes blanks; true if the line or its code ends there.
    fn ends(&mut self) -> bool {
        while matches!(self.peek(), Some(b' ' | b'\t')) {
            self.at += 1;
        }
        matches!(self.peek(), None | Some(b'\n' | b'\r')) || self.begins_comment()
    }

    fn line(&mut self) {
        let start = self.at;
        let spaces = spaces(&self.text[start..]);
        if spaces == 0 && is_marker(&self.text[start..]) {
            self.at += 3;
            (self.least, self.in_plain) = (0, false);
        }
        let continues = self.in_plain && spaces >= self.least;
        let ends = self.ends();
        if ends {
            self.in_plain &= self.peek() != Some(b'#');
        } else if continues {
            self.masked.joints.push(start);
        }
        if ends || continues || !self.entries(start) {
            self.at = end_of_line(self.text, self.at);
        }
    }

    /// Reads the entries and value of a line; true after whole lines.
    fn entries(&mut self, line: usize) -> bool {
        let mut node = None;
        self.in_plain = false;
        while !self.ends() {
            let column = *node.get_or_insert(self.at) - line;
            let byte = self.text[self.at];
            match byte {
                b'-' | b'?' | b':' if self.is_blank(self.at + 1) => {}
                b'&' | b'!' => {
                    self.property(false);
                    continue;
                }
                b'|' | b'>' if self.block() => return true,
                _ => {
                    self.scalar();
                    if self.ends() || self.peek() != Some(b':') || !self.is_blank(self.at + 1) {
                        return false;
                    }
                }
            }
            self.at += 1;
            (node, self.in_plain) = (None, false);
            self.least = column + 1;
        }
        false
    }

    /// `&anchor`, `!tag`
    fn property(&mut self, in_brackets: bool) {
        let ends = |byte| in_brackets && matches!(byte, b',' | b'[' | b']' | b'{' | b'}');
        while !self.is_blank(self.at) && !ends(self.text[self.at]) {
            self.at += 1;
        }
    }

    fn scalar(&mut self) {
        match self.text[self.at] {
            b'"' | b'\'' => self.quoted(),
            b'[' | b'{' => self.brackets(),
            _ => {
                self.plain(false);
                self.in_plain = true;
            }
        }
    }

    fn plain(&mut self, in_brackets: bool) {
        self.at += 1;
        while let Some(byte) = self.peek() {
            match byte {
                b'\n' | b'\r' => return,
                b':' if self.is_blank(self.at + 1) => return,
                b',' | b'[' | b']' | b'{' | b'}' if in_brackets => return,
                _ if self.begins_comment() => return,
                _ => self.at += 1,
            }
        }
    }

    fn quoted(&mut self) {
        let (start, quote) = (self.at, self.text[self.at]);
        let mut at = start + 1;
        let end = loop {
            let rest = self.text.get(at..).unwrap_or_default();
            let Some(next) = (if quote == b'"' { memchr2(quote, b'\\', rest) } else { memchr(quote, rest) })
            else {
                self.masked.lost.get_or_insert(start);
                break self.text.len();
            };
            let is_escape = rest[next] == b'\\' || quote == b'\'' && rest.get(next + 1) == Some(&quote);
            at += next + 1 + usize::from(is_escape);
            if !is_escape {
                break at;
            }
        };
        if memchr2(b'\n', b'\r', &self.text[start..end]).is_some() {
            self.masked.strings.push(start..end);
        }
        self.at = end;
    }

    fn brackets(&mut self) {
        let start = self.at;
        let (mut depth, mut expects_value) = (0_usize, true);
        while let Some(byte) = self.peek() {
            let is_value = std::mem::replace(&mut expects_value, false);
            if matches!(byte, b'[' | b'{' | b']' | b'}') {
                self.masked.joints.push(self.at);
            }
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' => {
                    self.at += 1;
                    expects_value = is_value;
                }
                b'[' | b'{' => {
                    self.at += 1;
                    depth += 1;
                    expects_value = true;
                }
                b']' | b'}' => {
                    self.at += 1;
                    depth -= 1;
                    if depth == 0 {
                        return;
                    }
                }
                b',' | b':' => {
                    self.at += 1;
                    expects_value = true;
                }
                b'"' | b'\'' if is_value => self.quoted(),
                b'&' | b'!' if is_value => {
                    self.property(true);
                    expects_value = true;
                }
                _ if self.begins_comment() => {
                    self.at = line_end(self.text, self.at);
                    expects_value = is_value;
                }
                _ => self.plain(true),
            }
        }
        self.masked.lost.get_or_insert(start);
    }

    /// `|`, `>-`, `|2`: passes a block; false if it is none.
    fn block(&mut self) -> bool {
        let start = self.at;
        self.at += 1;
        let marks = self.text[self.at..].iter().take(2).take_while(|mark| b"+-123456789".contains(mark));
        let marks = &self.text[self.at..self.at + marks.count()];
        self.at += marks.len();
        if !self.is_blank(self.at) || !self.ends() {
            self.at = start;
            return false;
        }
        let digit = marks.iter().find(|mark| mark.is_ascii_digit());
        let mut indentation = digit.map(|digit| self.least.saturating_sub(1) + usize::from(digit - b'0'));
        self.at = end_of_line(self.text, self.at);
        let (first, mut end, mut at) = (self.at, self.at, self.at);
        while at < self.text.len() {
            let line = &self.text[at..line_end(self.text, at)];
            let next = end_of_line(self.text, at);
            if !line.iter().all(|byte| matches!(byte, b' ' | b'\t')) {
                let spaces = spaces(line);
                let least = *indentation.get_or_insert(spaces.max(self.least));
                if spaces < least {
                    break;
                }
                end = at + line.len();
                // As a comment it would be content.
                if is_marker(line) {
                    break;
                }
                self.at = next;
            }
            at = next;
        }
        if end > first {
            self.masked.strings.push(first - 1..end);
        }
        true
    }
}

fn spaces(line: &[u8]) -> usize {
    line.iter().take_while(|byte| **byte == b' ').count()
}

/// `---` or `...`, which ends a document.
fn is_marker(line: &[u8]) -> bool {
    (line.starts_with(b"---") || line.starts_with(b"...")) && line.get(3).is_none_or(u8::is_ascii_whitespace)
}
