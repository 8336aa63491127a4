//! Quotes and expansions in words.

use super::{ShellMask, is_blank};
use crate::outline::strip_literals::DEEPEST;

impl ShellMask<'_> {
    pub(super) fn escape(&mut self) {
        self.at = (self.at + if self.starts(b"\\\r\n") { 3 } else { 2 }).min(self.text.len());
    }

    /// `'…'`
    pub(super) fn single(&mut self) -> Option<()> {
        let start = self.at;
        match memchr::memchr(b'\'', &self.text[self.at + 1..]) {
            Some(end) => self.at += end + 2,
            None => return self.unclosed(self.at),
        }
        self.is_string(start);
        Some(())
    }

    /// `$'…'`, after the `$`.
    fn escaped_single(&mut self) -> Option<()> {
        let start = self.at;
        self.at += 1;
        loop {
            match self.peek(0) {
                Some(b'\\') => self.escape(),
                Some(b'\'') => break,
                Some(_) => self.at += 1,
                None => return self.unclosed(start),
            }
        }
        self.at += 1;
        self.is_string(start);
        Some(())
    }

    /// `"…"`
    pub(super) fn double(&mut self) -> Option<()> {
        let (start, mut part) = (self.at, self.at);
        self.at += 1;
        loop {
            match self.peek(0) {
                Some(b'\\') => self.escape(),
                Some(b'"') => break,
                Some(byte @ (b'$' | b'`')) => {
                    self.is_string(part);
                    if byte == b'$' {
                        self.dollar(true)?;
                    } else {
                        self.backticks()?;
                    }
                    part = self.at;
                }
                Some(_) => self.at += 1,
                None => return self.unclosed(start),
            }
        }
        self.at += 1;
        self.is_string(part);
        Some(())
    }

    /// `` `…` ``, up to the next unescaped backtick.
    pub(super) fn backticks(&mut self) -> Option<()> {
        let start = self.at;
        self.at += 1;
        loop {
            match self.peek(0) {
                Some(b'\\') => self.escape(),
                Some(b'`') => break,
                Some(_) => self.at += 1,
                None => return self.unclosed(start),
            }
        }
        self.at += 1;
        Some(())
    }

    fn unclosed(&mut self, from: usize) -> Option<()> {
        self.lose(from).then_some(())
    }

    /// `$` and its expansion.
    pub(super) fn dollar(&mut self, quoted: bool) -> Option<()> {
        let start = self.at;
        if self.depth > 0 && self.is_spent() {
            // The budget for rereading is used up.
            return self.unclosed(start);
        }
        match self.peek(1) {
            Some(b'(') => {
                if self.starts(b"$((") && self.arithmetic(3)? {
                    return Some(());
                }
                self.at += 2;
                self.inside(start, |shell| shell.commands().then_some(()))
            }
            Some(b'{') => self.inside(start, |shell| shell.parameter(quoted)),
            Some(b'\'') if !quoted => {
                self.at += 1;
                self.escaped_single()
            }
            // `$#`, `$$`.
            Some(b'$' | b'#' | b'?' | b'!') => {
                self.at += 2;
                Some(())
            }
            _ => {
                self.at += 1;
                Some(())
            }
        }
    }

    /// Reads a construct that may nest.
    pub(super) fn inside(&mut self, start: usize, read: impl FnOnce(&mut Self) -> Option<()>) -> Option<()> {
        if self.depth >= DEEPEST {
            return self.unclosed(start);
        }
        self.depth += 1;
        let closed = read(self);
        self.depth -= 1;
        if closed.is_some() { closed } else { self.unclosed(start) }
    }

    /// `${…}`, whose words are content over all their lines.
    fn parameter(&mut self, quoted: bool) -> Option<()> {
        let mut part = self.at;
        self.at += 2;
        // `${(s:}:)name}` of zsh.
        if self.peek(0) == Some(b'(') {
            self.at += memchr::memchr(b')', &self.text[self.at..])? + 1;
        }
        if self.peek(0).is_some_and(|byte| is_blank(byte) || matches!(byte, b'\n' | b'\r' | b'|')) {
            // Commands in the newest shells.
            self.doubt(self.at);
        }
        let is_pattern = self.asks_for_pattern();
        loop {
            match self.peek(0)? {
                b'}' => break,
                b'\\' => self.escape(),
                b'"' => self.double()?,
                b'\'' if !quoted || is_pattern => self.single()?,
                byte @ (b'$' | b'`') => {
                    self.is_string(part);
                    if byte == b'$' {
                        self.dollar(quoted)?;
                    } else {
                        self.backticks()?;
                    }
                    part = self.at;
                }
                _ => self.at += 1,
            }
        }
        self.at += 1;
        self.is_string(part);
        Some(())
    }

    /// Whether a pattern follows the name: there quotes count even inside quotes. Skips `${#` and
    /// `${!`.
    fn asks_for_pattern(&mut self) -> bool {
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        if matches!(self.peek(0), Some(b'#' | b'!')) && self.peek(1) != Some(b'}') {
            self.at += 1;
        }
        let rest = &self.text[self.at..];
        let mut name = rest.iter().take_while(|byte| is_word(**byte)).count();
        if name == 0 && matches!(rest.first(), Some(b'@' | b'*' | b'?' | b'!' | b'$' | b'-' | b'#')) {
            name = 1;
        }
        if rest.get(name) == Some(&b'[') {
            name += rest[name..].iter().take(200).position(|byte| *byte == b']').map_or(0, |end| end + 1);
        }
        matches!(rest.get(name), Some(b'#' | b'%' | b'/' | b'^' | b','))
    }

    /// `((…))` and `$((…))` after so many bytes; false if the brackets hold commands.
    pub(super) fn arithmetic(&mut self, before: usize) -> Option<bool> {
        let (start, doubts, documents) = (self.at, self.masked.doubts.len(), self.documents.len());
        let strings = self.masked.strings.len();
        if self.depth >= DEEPEST || self.no_arithmetic.contains(&start) {
            return Some(false);
        }
        if self.is_spent() {
            self.doubt(start);
            return Some(false);
        }
        self.depth += 1;
        self.at += before;
        let is_it = self.is_arithmetic();
        self.depth -= 1;
        if !is_it {
            self.no_arithmetic.insert(start);
            self.spent += self.at - start;
            self.at = start;
            self.masked.doubts.truncate(doubts);
            self.masked.strings.truncate(strings);
            self.masked.lost = None;
            self.documents.truncate(documents);
        }
        Some(is_it)
    }

    pub(super) fn is_arithmetic(&mut self) -> bool {
        let mut brackets = 0_usize;
        loop {
            let gone = match self.peek(0) {
                Some(b'(') => {
                    brackets += 1;
                    self.at += 1;
                    Some(())
                }
                Some(b')') if brackets > 0 => {
                    brackets -= 1;
                    self.at += 1;
                    Some(())
                }
                Some(b')') => {
                    let is_end = self.peek(1) == Some(b')');
                    self.at += 2;
                    return is_end;
                }
                Some(b'\\') => {
                    self.escape();
                    Some(())
                }
                Some(b'"') => self.double(),
                Some(b'$') => self.dollar(true),
                Some(b'`') => self.backticks(),
                Some(_) => {
                    self.at += 1;
                    Some(())
                }
                None => None,
            };
            if gone.is_none() {
                return false;
            }
        }
    }
}
