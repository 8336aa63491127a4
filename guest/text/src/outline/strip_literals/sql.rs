//! Strings and comments of SQL beyond the table of quotes.

use super::documents::{HereDocument, LastLine};
use super::{DEEPEST, Mask, Masked, is_word, line_end, masked_at};
use crate::lines::start_of_line;

/// The furthest statement start read before a dollar quote.
const STATEMENT: usize = 4096;

/// Function languages with `--` comments.
const ROUTINES: &[&[u8]] = &[b"sql", b"plpgsql"];

impl Mask<'_> {
    pub(super) fn sql(&mut self, byte: u8, starts_line: bool) -> bool {
        match byte {
            b'$' => self.dollar_quote(),
            b'\'' => self.sql_quote(),
            // A command of psql.
            b'\\' if starts_line => self.blank_line(),
            // An operator has no blank behind it there.
            b'#' if starts_line && matches!(self.text.get(self.at + 1), Some(b' ' | b'#')) => {
                self.blank_line()
            }
            b'd' | b'D' if starts_line => self.delimiter(),
            _ => false,
        }
    }

    fn blank_line(&mut self) -> bool {
        self.blank(line_end(self.text, self.at));
        true
    }

    /// `DELIMITER $$`
    fn delimiter(&mut self) -> bool {
        let line = &self.text[self.at..line_end(self.text, self.at)];
        let is_command = line.split_at_checked(b"delimiter".len()).is_some_and(|(word, rest)| {
            word.eq_ignore_ascii_case(b"delimiter") && rest.first().is_some_and(u8::is_ascii_whitespace)
        });
        if is_command {
            self.delimits = true;
            self.blank_line();
        }
        is_command
    }

    /// `q'[…]'`
    fn sql_quote(&mut self) -> bool {
        let rest = &self.text[self.at + 1..];
        let prefix = self.prefix().to_ascii_lowercase();
        match (&prefix[..], rest.first()) {
            (b"q" | b"nq", Some(open)) if !open.is_ascii_whitespace() => {
                let close = match open {
                    b'(' => b')',
                    b'[' => b']',
                    b'{' => b'}',
                    b'<' => b'>',
                    other => *other,
                };
                let end = memchr::memmem::find(&rest[1..], &[close, b'\'']).map(|end| self.at + end + 4);
                self.fill_to(end);
                true
            }
            (b"e", _) => false,
            _ => {
                // Only some dialects escape the quote.
                let end = memchr::memchr(b'\'', rest).unwrap_or(rest.len());
                if rest[..end].iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1 {
                    self.masked.doubts.push(self.at);
                }
                false
            }
        }
    }

    fn fill_to(&mut self, end: Option<usize>) {
        if end.is_none() {
            self.masked.lost.get_or_insert(self.at);
        }
        self.fill(end.unwrap_or(self.text.len()));
    }

    /// `$tag$…$tag$`; the body of a function is code.
    fn dollar_quote(&mut self) -> bool {
        let rest = self.rest();
        let name = rest[1..].iter().take_while(|byte| is_word(**byte, self.lexis)).count();
        let is_tag = rest.get(name + 1) == Some(&b'$') && !rest[1].is_ascii_digit();
        let is_inside = self.text[..self.at].last().is_some_and(|byte| is_word(*byte, self.lexis));
        if self.delimits || !is_tag || is_inside {
            return false;
        }
        let tag = &self.text[self.at..self.at + name + 2];
        let body = self.at + tag.len();
        let end = memchr::memmem::find(&self.text[body..], tag).map(|end| body + end);
        match end {
            Some(end) if self.depth < DEEPEST && self.is_routine(end + tag.len()) => {
                self.pass(body);
                self.body(end);
                self.pass(end + tag.len());
            }
            _ => self.fill_to(end.map(|end| end + tag.len())),
        }
        true
    }

    fn body(&mut self, end: usize) {
        let start = self.at;
        let Masked { code, doubts, lost, strings, .. } =
            masked_at(self.depth + 1, &self.text[start..end], self.lexis);
        self.masked.code[start..end].copy_from_slice(&code);
        self.masked.doubts.extend(doubts.iter().map(|doubt| start + doubt));
        self.masked.lost = self.masked.lost.or(lost.map(|lost| start + lost));
        self.masked.strings.extend(strings.iter().map(|string| start + string.start..start + string.end));
        self.at = end;
    }

    fn is_routine(&mut self, end: usize) -> bool {
        if self.is_spent() {
            self.masked.doubts.push(self.at);
            return false;
        }
        let near = self.at.saturating_sub(STATEMENT)..self.at;
        let start =
            memchr::memrchr(b';', &self.text[near.clone()]).map_or(near.start, |end| near.start + end + 1);
        let near = &self.text[end..self.text.len().min(end + STATEMENT)];
        let after = &near[..memchr::memchr(b';', near).unwrap_or(near.len())];
        self.spent += self.at - start + after.len();
        // Without comments.
        let before = self.text[start..self.at].iter().zip(&self.masked.code[start..self.at]);
        let before: Vec<u8> = before.map(|(byte, out)| if *out == b' ' { b' ' } else { *byte }).collect();
        let words = |text: &[u8]| -> Vec<Vec<u8>> {
            let words = text.split(|byte| !is_word(*byte, self.lexis)).filter(|word| !word.is_empty());
            words.map(<[u8]>::to_ascii_lowercase).collect()
        };
        let (before, after) = (words(&before), words(after));
        let is_introduced = match &before[..] {
            [.., language, _] if language == b"language" => true,
            [.., word] => matches!(&word[..], b"as" | b"do"),
            [] => false,
        };
        let all = [before, after].concat();
        let language = all.windows(2).find(|pair| pair[0] == b"language").map(|pair| &pair[1][..]);
        is_introduced && language.is_none_or(|language| ROUTINES.contains(&language))
    }

    /// Expects the rows after a line `COPY … FROM stdin;`.
    pub(super) fn opens_rows(&mut self) {
        let line = self.text[start_of_line(self.text, self.at)..self.at].trim_ascii_end();
        let Some((command, rest)) = line.split_at_checked(b"copy ".len()) else { return };
        if command.eq_ignore_ascii_case(b"copy ") && rest.ends_with(b";") {
            let rest = rest.to_ascii_lowercase();
            if memchr::memmem::find(&rest, b" from stdin").is_some() {
                self.pending = vec![HereDocument { word: br"\.".to_vec(), last: LastLine::Word }];
            }
        }
    }
}
