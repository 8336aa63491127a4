//! Strings and comments of Ruby beyond the table of quotes.
//!
//! After a name, `/`, `%` and `<<` begin a string only with a blank before and none after. A
//! regular expression with the flag `x` is code, since a mark makes comments in it.

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
            self.masked.lost.get_or_insert(self.at);
        }
        self.blank(line_end(self.text, from));
        true
    }

    /// The text after `__END__`.
    fn ruby_data(&mut self) -> bool {
        let after = self.rest().strip_prefix(b"__END__");
        let is_line = after.is_some_and(|after| matches!(after.first(), None | Some(b'\n' | b'\r')));
        if !is_line || !self.begins_line() {
            return false;
        }
        self.at += b"__END__".len();
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
                !is_longer && self.expects_ruby_value()
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
        let (mut depth, strings) = (0_usize, self.masked.strings.len());
        while let Some(byte) = self.text.get(at).copied() {
            at += if byte == b'\\' { 2 } else { 1 };
            if byte == close && (close != open || depth > 0) {
                depth -= 1;
                if depth == 0 {
                    self.fill(at);
                    self.skip_commented_regex(strings);
                    return true;
                }
            } else if byte == open {
                depth += 1;
            }
        }
        self.spent += self.text.len() - self.at;
        self.masked.doubts.push(self.at);
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

    /// `/…/`
    fn ruby_regex(&mut self) -> bool {
        if self.expects_ruby_value() {
            let strings = self.masked.strings.len();
            self.string();
            self.skip_commented_regex(strings);
        } else if !self.is_argument(b'/') || self.is_spent() || !self.regex_in_line() {
            self.code(b'/');
        }
        true
    }

    /// Takes back a regular expression with comments.
    fn skip_commented_regex(&mut self, strings: usize) {
        let mut flags = self.rest().iter().take_while(|byte| byte.is_ascii_lowercase());
        if flags.any(|flag| *flag == b'x') {
            self.masked.strings.truncate(strings);
        }
    }

    fn begins_value(&self, sign: u8) -> bool {
        self.expects_ruby_value() || self.is_argument(sign)
    }

    fn expects_ruby_value(&self) -> bool {
        let (before, blanks) = self.before();
        match before.last() {
            None | Some(b'\n' | b'\r') => true,
            // A symbol or a method.
            Some(b':' | b'.') => blanks > 0,
            Some(_) => match self.code {
                STRING | b')' | b']' | b'}' => false,
                byte if is_word(byte, self.lexis) => BEFORE_VALUE.contains(&&self.text[self.word.clone()]),
                _ => true,
            },
        }
    }

    /// Whether this sign after a name begins an argument, not an operator.
    fn is_argument(&self, sign: u8) -> bool {
        let word = &self.text[self.word.clone()];
        let is_name = is_word(self.code, self.lexis) && !word[0].is_ascii_digit();
        if !is_name || matches!(word, b"def" | b"class") || self.before().1 == 0 {
            return false;
        }
        let length = self.rest().iter().take_while(|byte| **byte == sign).count();
        self.text.get(self.at + length).is_some_and(|next| !next.is_ascii_whitespace() && *next != b'=')
    }

    /// The text before the blanks here, and their number.
    fn before(&self) -> (&[u8], usize) {
        let before = &self.text[..self.at];
        let blanks = before.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        (&before[..before.len() - blanks], blanks)
    }
}
