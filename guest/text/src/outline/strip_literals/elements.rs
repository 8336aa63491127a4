//! XML elements in JavaScript: `<p>Don't {x}</p>`.
//!
//! An unclosed candidate is no element: `<T>(x: T) => x` in TypeScript. Code in an element counts
//! as in round brackets.

use super::{CodeUntil, DEEPEST, MarkupPart, Mask, STRING};

impl Mask<'_> {
    pub(super) fn element(&mut self) -> bool {
        let begins = self.text.get(self.at + 1).is_some_and(|byte| is_name(*byte) || *byte == b'>');
        if !begins || !self.expects_value() || self.is_spent() {
            return false;
        }
        let start = self.at;
        let was =
            (self.code, self.word.clone(), self.is_condition, self.masked.doubts.len(), self.masked.lost);
        let (markup, strings) = (self.masked.markup.len(), self.masked.strings.len());
        if self.whole_element() {
            (self.code, self.word) = (STRING, was.1);
            return true;
        }
        self.spent += self.at - start;
        self.masked.code[start..self.at].copy_from_slice(&self.text[start..self.at]);
        self.at = start;
        (self.code, self.word, self.is_condition) = (was.0, was.1, was.2);
        self.masked.doubts.truncate(was.3);
        self.masked.markup.truncate(markup);
        self.masked.strings.truncate(strings);
        self.masked.lost = was.4;
        false
    }

    fn whole_element(&mut self) -> bool {
        if self.depth >= DEEPEST {
            return false;
        }
        self.depth += 1;
        let is_whole = self.tag().is_some_and(|name| name.is_none_or(|name| self.children(&name, self.at)));
        self.depth -= 1;
        is_whole
    }

    /// `<name …>`: the name to close, nothing if it closes itself.
    fn tag(&mut self) -> Option<Option<Vec<u8>>> {
        self.fill(self.at + 1);
        let name = self.name();
        if self.peek() == Some(b'<') {
            // Types.
            let length = self.rest().iter().take(200).position(|byte| *byte == b'>')?;
            self.pass(self.at + length + 1);
        }
        loop {
            match self.peek()? {
                b'>' => {
                    self.fill(self.at + 1);
                    return Some(Some(name));
                }
                b'/' if self.rest().starts_with(b"/>") => {
                    self.fill(self.at + 2);
                    return Some(None);
                }
                b'/' if self.comment(false) => {}
                b'{' => self.code_in_element().then_some(())?,
                b'<' => self.whole_element().then_some(())?,
                quote @ (b'"' | b'\'') => {
                    let length = memchr::memchr(quote, &self.rest()[1..])?;
                    self.fill(self.at + length + 2);
                }
                byte if is_name(byte) || byte == b'=' || byte.is_ascii_whitespace() => self.pass(self.at + 1),
                _ => return None,
            }
        }
    }

    fn children(&mut self, name: &[u8], element: usize) -> bool {
        loop {
            let text =
                self.rest().iter().take_while(|byte| !matches!(byte, b'<' | b'{' | b'>' | b'}')).count();
            self.masked.markup.push(MarkupPart { range: self.at..self.at + text, element });
            self.pass(self.at + text);
            match self.peek() {
                Some(b'{') if self.code_in_element() => {}
                Some(b'<') if self.rest().starts_with(b"</") => {
                    self.fill(self.at + 2);
                    self.blanks();
                    let closes = self.name() == name;
                    self.blanks();
                    let is_closed = closes && self.peek() == Some(b'>');
                    self.fill(self.at + usize::from(is_closed));
                    return is_closed;
                }
                Some(b'<') if self.whole_element() => {}
                _ => return false,
            }
        }
    }

    /// `{…}`
    fn code_in_element(&mut self) -> bool {
        self.masked.code[self.at] = b'(';
        self.at += 1;
        (self.code, self.word, self.is_condition) = (b'(', self.at..self.at, false);
        let closed = self.run(Some(CodeUntil { close: b'}', format: None }));
        if closed {
            self.masked.code[self.at - 1] = b')';
        }
        closed
    }

    fn name(&mut self) -> Vec<u8> {
        let length = self.rest().iter().take_while(|byte| is_name(**byte)).count();
        let name = self.rest()[..length].to_vec();
        self.fill(self.at + length);
        name
    }

    fn blanks(&mut self) {
        let length = self.rest().iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        self.pass(self.at + length);
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'-' | b'.' | b':') || byte >= 0x80
}
