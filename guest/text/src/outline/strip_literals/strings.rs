//! Strings, and the code in them.

use super::{CodeUntil, DEEPEST, Mask};
use crate::outline::lexer_rules::{Holes, Oddity, Quote};

#[derive(Default)]
struct StringRule {
    open: usize,
    close: Vec<u8>,
    escape: Option<Vec<u8>>,
    lines: bool,
    /// The last of several closing quotes ends it.
    greedy: bool,
    /// A doubled end is a character.
    doubled: bool,
    /// Its code's starts and ends.
    holes: Vec<(Vec<u8>, u8)>,
    /// A doubled start of code is text.
    doubled_holes: bool,
    /// A format follows a colon in code.
    formats: bool,
}

impl StringRule {
    fn of(quote: &Quote) -> Self {
        Self {
            open: quote.open.len(),
            close: quote.close.as_bytes().to_vec(),
            escape: quote.escapes.then(|| b"\\".to_vec()),
            lines: quote.lines,
            greedy: quote.greedy,
            ..Self::default()
        }
    }
}

impl Mask<'_> {
    pub(super) fn string(&mut self) -> bool {
        let Some(reading) = self.reading() else { return false };
        let start = self.at;
        let was = (self.code, self.word.clone(), self.is_condition, self.masked.doubts.len());
        let strings = self.masked.strings.len();
        if !reading.holes.is_empty() && !self.plain.contains(&start) {
            if !self.is_spent() {
                if self.read(&reading, true) {
                    self.masked.code[start..self.at].fill(super::STRING);
                    self.code = super::STRING;
                    self.word = was.1;
                    return true;
                }
                self.spent += self.at - start;
                if self.depth > 0 && self.is_spent() {
                    // The surrounding string is given up too.
                    return true;
                }
            }
            let end = self.at.max(start);
            self.masked.code[start..end].copy_from_slice(&self.text[start..end]);
            (self.code, self.word, self.is_condition) = (was.0, was.1, was.2);
            (self.at, self.masked.lost) = (start, None);
            self.masked.doubts.truncate(was.3);
            self.masked.strings.truncate(strings);
            self.plain.insert(start);
        }
        if self.plain.contains(&start) {
            self.masked.doubts.push(start);
        }
        if !self.read(&reading, false) {
            if reading.lines {
                self.masked.lost.get_or_insert(start);
            } else {
                self.masked.doubts.push(start);
            }
        }
        let end = std::mem::replace(&mut self.at, start);
        self.pass(end);
        true
    }

    /// Reads to the end of a string, perhaps with its code; false if unclosed.
    fn read(&mut self, reading: &StringRule, with_code: bool) -> bool {
        let mut start = self.at;
        self.at += reading.open;
        while let Some(byte) = self.text.get(self.at) {
            let rest = &self.text[self.at..];
            let hole = reading.holes.iter().filter(|_| with_code).find(|(open, _)| rest.starts_with(open));
            if let Some((open, close)) = hole {
                if reading.doubled_holes && rest[open.len()..].starts_with(open) {
                    self.at += 2 * open.len();
                    continue;
                }
                self.is_string(start, self.at);
                // `{$name}` of PHP: the name is code.
                self.at += if open == b"{$" { 1 } else { open.len() };
                if !self.hole(*close, reading) {
                    return false;
                }
                start = self.at;
            } else if let Some(escape) = reading.escape.as_ref().filter(|escape| rest.starts_with(escape)) {
                let behind = &rest[escape.len()..];
                let more = if behind.starts_with(b"\r\n") { 2 } else { 1 };
                self.at = (self.at + escape.len() + more).min(self.text.len());
            } else if rest.starts_with(&reading.close) {
                self.at += reading.close.len();
                if reading.doubled && self.rest().starts_with(&reading.close) {
                    self.at += reading.close.len();
                    continue;
                }
                while reading.greedy && self.rest().first() == reading.close.first() {
                    self.at += 1;
                }
                self.is_string(start, self.at);
                return true;
            } else if matches!(byte, b'\n' | b'\r') && !reading.lines {
                return false;
            } else {
                self.at += 1;
            }
        }
        false
    }

    fn hole(&mut self, close: u8, reading: &StringRule) -> bool {
        if self.depth >= DEEPEST {
            return false;
        }
        self.depth += 1;
        (self.code, self.word, self.is_condition) = (b'(', self.at..self.at, false);
        let pending = std::mem::take(&mut self.pending);
        let format = reading.formats.then_some(&reading.close[..]);
        let closed = self.run(Some(CodeUntil { close, format }));
        self.pending = pending;
        self.depth -= 1;
        closed
    }

    fn reading(&mut self) -> Option<StringRule> {
        let marks: &[u8] = match () {
            () if self.has(Oddity::SwiftStrings) => b"#",
            () if self.has(Oddity::CSharpStrings) => b"$@",
            () => b"",
        };
        if !marks.is_empty() && !self.bare.contains(&self.at) {
            let count = self.rest().iter().take_while(|byte| marks.contains(byte)).count();
            if self.text.get(self.at + count) == Some(&b'"') {
                let rest = &self.text[self.at..];
                return if self.has(Oddity::SwiftStrings) { swift(rest) } else { c_sharp(rest) };
            }
            self.bare = self.at..self.at + count;
        }
        let rest = self.rest();
        let quote = self.lexis.strings.iter().find(|quote| rest.starts_with(quote.open.as_bytes()))?;
        let mut reading = StringRule::of(quote);
        let word = self.prefix();
        if self.has(Oddity::Sql) && quote.open == "'" && word.eq_ignore_ascii_case(b"e") {
            reading.escape = Some(b"\\".to_vec());
        }
        let dollar = || vec![(b"${".to_vec(), b'}')];
        match quote.holes {
            Holes::Dollar => reading.holes = dollar(),
            Holes::DollarPrefixed if !word.is_empty() => reading.holes = dollar(),
            Holes::DollarUnlessRaw if word == b"r" => reading.escape = None,
            Holes::DollarUnlessRaw => reading.holes = dollar(),
            Holes::Php => reading.holes = vec![(b"{$".to_vec(), b'}'), (b"${".to_vec(), b'}')],
            Holes::Ruby => reading.holes = vec![(b"#{".to_vec(), b'}')],
            Holes::Python if is_formatted(word) => {
                reading.holes = vec![(b"{".to_vec(), b'}')];
                (reading.doubled_holes, reading.formats) = (true, true);
            }
            _ => {}
        }
        Some(reading)
    }
}

/// `f"…"`, `rf"…"`
fn is_formatted(word: &[u8]) -> bool {
    word.len() <= 2 && word.iter().any(|byte| matches!(byte, b'f' | b'F' | b't' | b'T'))
}

/// `"…"`, `"""…"""`, `#"…"#`, with code after `\`.
fn swift(rest: &[u8]) -> Option<StringRule> {
    let hashes = rest.iter().take_while(|byte| **byte == b'#').count();
    let quotes = rest[hashes..].iter().take(3).take_while(|byte| **byte == b'"').count();
    let quotes = match quotes {
        0 => return None,
        3 => 3,
        _ => 1,
    };
    let mark = [b"\\", &rest[..hashes]].concat();
    Some(StringRule {
        open: hashes + quotes,
        close: [&rest[hashes..hashes + quotes], &rest[..hashes]].concat(),
        escape: Some(mark.clone()),
        lines: quotes == 3,
        holes: vec![([&mark[..], b"("].concat(), b')')],
        ..StringRule::default()
    })
}

/// `"…"`, `@"…"`, `$"…"`, `"""…"""` and their combinations.
fn c_sharp(rest: &[u8]) -> Option<StringRule> {
    let marks = rest.iter().take_while(|byte| matches!(byte, b'$' | b'@')).count();
    let quotes = rest[marks..].iter().take_while(|byte| **byte == b'"').count();
    let dollars = rest[..marks].iter().filter(|byte| **byte == b'$').count();
    let is_verbatim = dollars < marks;
    let is_raw = quotes >= 3 && !is_verbatim;
    let quotes = match quotes {
        0 => return None,
        quotes if is_raw => quotes,
        _ => 1,
    };
    let braces = if is_raw { dollars } else { dollars.min(1) };
    Some(StringRule {
        open: marks + quotes,
        close: vec![b'"'; quotes],
        escape: (!is_raw && !is_verbatim).then(|| b"\\".to_vec()),
        lines: is_raw || is_verbatim,
        doubled: is_verbatim,
        holes: if braces > 0 { vec![(vec![b'{'; braces], b'}')] } else { Vec::new() },
        doubled_holes: !is_raw,
        formats: true,
        ..StringRule::default()
    })
}
