//! Strings and comments of Ruby that no table of quotes describes.
//!
//! `/`, `%` and `<<` behind a name begin a string only with a blank before and none after them.

use super::documents::{HereDocument, LastLine};
use super::{Mask, STRING, is_word, line_end};
use crate::lines::end_of_line;

/// Keywords before a value.
const BEFORE_VALUE: &[&[u8]] = &[
    b"if", b"elsif", b"else", b"unless", b"while", b"until", b"when", b"in", b"then", b"do", b"and", b"or",
    b"not", b"return",
];

impl Mask<'_> {
    pub(super) fn ruby(&mut self, byte: u8) -> bool {
        match byte {
            b'=' => self.ruby_comment(),
            b'_' => self.ruby_data(),
            b'$' | b'?' => self.ruby_sign(byte),
            b'%' => self.percent_literal(),
            b'<' => self.opens_ruby_document(),
            b'/' => self.ruby_regex(),
            _ => false,
        }
    }

    /// `=begin … =end`
    fn ruby_comment(&mut self) -> bool {
        let is_mark = |line: &[u8], mark: &[u8]| {
            line.strip_prefix(mark).is_some_and(|rest| rest.first().is_none_or(u8::is_ascii_whitespace))
        };
        if !self.begins_line() || !is_mark(self.rest(), b"=begin") {
            return false;
        }
        let mut from = end_of_line(self.text, self.at);
        while from < self.text.len() && !is_mark(&self.text[from..], b"=end") {
            from = end_of_line(self.text, from);
        }
        if from == self.text.len() {
            self.lost.get_or_insert(self.at);
        }
        self.blank(line_end(self.text, from));
        true
    }

    /// The text after `__END__`.
    fn ruby_data(&mut self) -> bool {
        let end = line_end(self.text, self.at);
        if !self.begins_line() || self.text[self.at..end] != *b"__END__" {
            return false;
        }
        self.at = end;
        self.fill(self.text.len());
        true
    }

    /// `$'`, `?"`
    fn ruby_sign(&mut self, sign: u8) -> bool {
        let [named, after] = [1, 2].map(|ahead| self.text.get(self.at + ahead).copied());
        let is_sign = match named {
            Some(b'"' | b'\'' | b'`' | b'/') if sign == b'$' => true,
            Some(b'"' | b'\'' | b'`' | b'/' | b'#' | b'%') if sign == b'?' => {
                let is_longer = after == named || after.is_some_and(|byte| is_word(byte, self.lexis));
                !is_longer && self.begins_value(sign)
            }
            _ => false,
        };
        if is_sign {
            self.pass(self.at + 2);
        }
        is_sign
    }

    /// `%w[…]`, `%(…)`
    fn percent_literal(&mut self) -> bool {
        if !self.begins_value(b'%') || self.is_spent() {
            return false;
        }
        let kind = self.text.get(self.at + 1).is_some_and(|kind| b"qQwWiIrsx".contains(kind));
        let mut at = self.at + 1 + usize::from(kind);
        let Some(open) = self.text.get(at).copied().filter(u8::is_ascii_punctuation) else { return false };
        let close = match open {
            b'(' => b')',
            b'[' => b']',
            b'{' => b'}',
            b'<' => b'>',
            _ => open,
        };
        let mut depth = 0_usize;
        while let Some(byte) = self.text.get(at).copied() {
            at += if byte == b'\\' { 2 } else { 1 };
            if byte == close && (close != open || depth > 0) {
                depth -= 1;
                if depth == 0 {
                    self.fill(at);
                    return true;
                }
            } else if byte == open {
                depth += 1;
            }
        }
        self.spent += self.text.len() - self.at;
        self.doubts.push(self.at);
        false
    }

    /// `<<~ID`, `<<-'ID'`, `<<ID`
    fn opens_ruby_document(&mut self) -> bool {
        let Some(rest) = self.rest().strip_prefix(b"<<") else { return false };
        let last =
            if matches!(rest.first(), Some(b'~' | b'-')) { LastLine::Indented } else { LastLine::Word };
        let rest = &rest[usize::from(last == LastLine::Indented)..];
        let quote = rest.first().copied().filter(|byte| matches!(byte, b'"' | b'\'' | b'`'));
        let word = &rest[usize::from(quote.is_some())..];
        let length = match quote {
            Some(quote) => {
                word.iter().take_while(|byte| !matches!(byte, b'\n' | b'\r') && **byte != quote).count()
            }
            None => word.iter().take_while(|byte| is_word(**byte, self.lexis)).count(),
        };
        let is_closed = quote.is_none() || word.get(length).copied() == quote;
        if length == 0 || word[0].is_ascii_digit() || !is_closed || !self.begins_value(b'<') {
            return false;
        }
        let end = self.text.len() - word.len() + length + usize::from(quote.is_some());
        self.pending.push(HereDocument { word: word[..length].to_vec(), last });
        self.fill(end);
        true
    }

    fn ruby_regex(&mut self) -> bool {
        if !self.begins_value(b'/') || self.is_spent() {
            return false;
        }
        let is_whole = self.regex_in_line();
        if !is_whole {
            self.doubts.push(self.at);
        }
        is_whole
    }

    /// Whether a value begins with this sign, which could also be an operator.
    fn begins_value(&self, sign: u8) -> bool {
        let before = &self.text[..self.at];
        let blanks = before.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        match before[..before.len() - blanks].last() {
            None | Some(b'\n' | b'\r') => return true,
            Some(_) => {}
        }
        match self.code {
            STRING | b')' | b']' | b'}' => false,
            byte if is_word(byte, self.lexis) => {
                let word = &self.text[self.word.clone()];
                if BEFORE_VALUE.contains(&word) {
                    return true;
                }
                let length = self.rest().iter().take_while(|byte| **byte == sign).count();
                let next = self.text.get(self.at + length).unwrap_or(&b' ');
                let is_tight = blanks > 0 && !next.is_ascii_whitespace() && *next != b'=';
                is_tight && sign != b'?' && !word[0].is_ascii_digit()
            }
            _ => true,
        }
    }
}
