//! A text with everything in it that is no code taken out, byte for byte in its place.

use memchr::memchr2;

use super::lexis::{Lexis, Oddity, Quote};

/// What stands for a byte of a string. A line end inside of one is none.
pub(super) const STRING: u8 = 1;

/// The text with comments as spaces, line ends kept, and strings as [`STRING`].
pub(super) fn masked(text: &[u8], lexis: &Lexis) -> Vec<u8> {
    let mut mask = Mask { text, lexis, out: text.to_vec(), at: 0, code: 0, word: 0..0, pending: None };
    mask.run();
    mask.out
}

struct Mask<'a> {
    text: &'a [u8],
    lexis: &'a Lexis,
    out: Vec<u8>,
    at: usize,
    /// The last byte of code before this place, white space aside; 0 at the beginning.
    code: u8,
    /// The last word of code.
    word: std::ops::Range<usize>,
    /// The word that ends the here document which begins with the next line, and whether white space may stand before it.
    pending: Option<(Vec<u8>, bool)>,
}

/// Words that a regular expression may come behind, where a name would be divided by something.
const BEFORE_REGEX: &[&[u8]] = &[
    b"return",
    b"typeof",
    b"case",
    b"in",
    b"of",
    b"delete",
    b"void",
    b"throw",
    b"new",
    b"else",
    b"do",
    b"await",
    b"yield",
    b"instanceof",
];

impl Mask<'_> {
    fn has(&self, oddity: Oddity) -> bool {
        self.lexis.oddities.contains(&oddity)
    }

    fn rest(&self) -> &[u8] {
        &self.text[self.at..]
    }

    fn run(&mut self) {
        let [preprocessor, characters, rust, cpp, regexes, here, php] = [
            Oddity::Preprocessor,
            Oddity::Characters,
            Oddity::RustRaw,
            Oddity::CppRaw,
            Oddity::Regexes,
            Oddity::HereDocuments,
            Oddity::Php,
        ]
        .map(|oddity| self.has(oddity));
        if php {
            self.outside_php();
        }
        let mut starts_line = true;
        while let Some(byte) = self.text.get(self.at).copied() {
            match byte {
                b'\n' | b'\r' => {
                    self.at += 1;
                    starts_line = true;
                    let is_whole = byte == b'\n' || self.rest().first() != Some(&b'\n');
                    if let Some((word, indented)) = self.pending.take_if(|_| is_whole) {
                        self.here_document(&word, indented);
                    }
                    continue;
                }
                b' ' | b'\t' => {
                    self.at += 1;
                    continue;
                }
                b'#' if preprocessor && starts_line => {
                    self.preprocessor_lines();
                    continue;
                }
                b'\'' if characters => {
                    self.character();
                    continue;
                }
                b'\'' if cpp && self.is_separator() => {
                    self.at += 1;
                    continue;
                }
                b'r' if rust && self.rust_raw() => continue,
                b'R' if cpp && self.cpp_raw() => continue,
                b'?' if php && self.rest().starts_with(b"?>") => {
                    self.outside_php();
                    continue;
                }
                b'<' if (here || php) && self.opens_here_document(php) => continue,
                b'\\' if here => {
                    // Whatever is escaped, it is no quote.
                    self.at = (self.at + 2).min(self.text.len());
                    self.code = b'\\';
                    continue;
                }
                _ => {}
            }
            starts_line = false;
            if self.comment(php) || self.string() || (regexes && byte == b'/' && self.regex()) {
                continue;
            }
            self.code(byte);
        }
    }

    /// A byte of code.
    fn code(&mut self, byte: u8) {
        if is_word(byte, self.lexis) {
            let from = if self.word.end == self.at { self.word.start } else { self.at };
            self.word = from..self.at + 1;
        }
        self.code = byte;
        self.at += 1;
    }

    /// Takes out what comes before `end`, as a comment.
    fn blank(&mut self, end: usize) {
        let end = end.min(self.text.len());
        for byte in &mut self.out[self.at..end] {
            if !matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
        self.at = end;
    }

    /// The same as a string.
    fn fill(&mut self, end: usize) {
        let end = end.min(self.text.len());
        self.out[self.at..end].fill(STRING);
        self.at = end;
        self.code = STRING;
    }

    fn line_end(&self, from: usize) -> usize {
        memchr2(b'\n', b'\r', &self.text[from..]).map_or(self.text.len(), |at| from + at)
    }

    fn comment(&mut self, php: bool) -> bool {
        let rest = self.rest();
        if let Some(mark) = self.lexis.line_comments.iter().find(|mark| rest.starts_with(mark.as_bytes())) {
            // An attribute.
            let is_other = php && *mark == "#" && rest.starts_with(b"#[");
            let spaced = self.at == 0
                || matches!(
                    self.text[self.at - 1],
                    b' ' | b'\t' | b'\n' | b'\r' | b';' | b'(' | b'&' | b'|' | b'{' | b'}' | b')'
                );
            if !is_other && (spaced || !self.has(Oddity::SpacedComments)) {
                let mut end = self.line_end(self.at);
                if php && let Some(close) = memchr::memmem::find(&self.text[self.at..end], b"?>") {
                    end = self.at + close;
                }
                self.blank(end);
                return true;
            }
        }
        let Some((open, close, nests)) = self.lexis.block_comment else { return false };
        if !rest.starts_with(open.as_bytes()) {
            return false;
        }
        let (mut at, mut depth) = (self.at + open.len(), 1_usize);
        while depth > 0 && at < self.text.len() {
            let Some(next) = memchr2(open.as_bytes()[0], close.as_bytes()[0], &self.text[at..]) else {
                at = self.text.len();
                break;
            };
            at += next;
            if self.text[at..].starts_with(close.as_bytes()) {
                depth -= 1;
                at += close.len();
            } else if nests && self.text[at..].starts_with(open.as_bytes()) {
                depth += 1;
                at += open.len();
            } else {
                at += 1;
            }
        }
        self.blank(at);
        true
    }

    fn string(&mut self) -> bool {
        let rest = self.rest();
        let is_here = |quote: &&Quote| rest.starts_with(quote.open.as_bytes());
        let Some(quote) = self.lexis.strings.iter().find(is_here) else { return false };
        let end = self.end_of_string(self.at + quote.open.len(), quote);
        self.fill(end);
        true
    }

    fn end_of_string(&self, from: usize, quote: &Quote) -> usize {
        let (close, mut at) = (quote.close.as_bytes(), from);
        while let Some(byte) = self.text.get(at) {
            match byte {
                b'\\' if quote.escapes => at += if self.text[at..].starts_with(b"\\\r\n") { 3 } else { 2 },
                b'\n' | b'\r' if !quote.lines => return at,
                byte if *byte == close[0] && self.text[at..].starts_with(close) => return at + close.len(),
                _ => at += 1,
            }
        }
        self.text.len()
    }

    fn preprocessor_lines(&mut self) {
        let mut end = self.line_end(self.at);
        while end < self.text.len() && end > self.at && self.text[end - 1] == b'\\' {
            let next = if self.text[end..].starts_with(b"\r\n") { end + 2 } else { end + 1 };
            end = self.line_end(next);
        }
        self.blank(end);
    }

    /// `'a'`, `'\n'`, or a name such as `'a`.
    fn character(&mut self) {
        let rest = &self.rest()[1..];
        let length = match rest.first() {
            Some(b'\\') => {
                let close = rest.iter().skip(2).take(16).position(|byte| *byte == b'\'');
                close.map(|close| close + 2)
            }
            Some(first) => {
                let length = match first {
                    0xF0.. => 4,
                    0xE0.. => 3,
                    0xC0.. => 2,
                    _ => 1,
                };
                (rest.get(length) == Some(&b'\'')).then_some(length)
            }
            None => None,
        };
        match length {
            Some(length) => self.fill(self.at + length + 2),
            // A word such as `'static` would be taken for another one.
            None => {
                let word = rest.iter().take_while(|byte| is_word(**byte, self.lexis)).count();
                self.fill(self.at + 1 + word);
            }
        }
    }

    /// `1'000`: a digit before it, and one behind.
    fn is_separator(&self) -> bool {
        let digit =
            |at: Option<usize>| at.and_then(|at| self.text.get(at)).is_some_and(u8::is_ascii_hexdigit);
        let starts_number =
            self.word.end == self.at && self.text.get(self.word.start).is_some_and(u8::is_ascii_digit);
        starts_number && digit(self.at.checked_sub(1)) && digit(Some(self.at + 1))
    }

    /// `r"…"`, `r#"…"#`.
    fn rust_raw(&mut self) -> bool {
        if self.word.end == self.at && !self.word.is_empty() && !is_prefix(&self.text[self.word.clone()]) {
            return false;
        }
        let rest = &self.rest()[1..];
        let hashes = rest.iter().take_while(|byte| **byte == b'#').count();
        if rest.get(hashes) != Some(&b'"') {
            return false;
        }
        let mut from = self.at + 2 + hashes;
        while let Some(at) = memchr::memchr(b'"', &self.text[from..]) {
            from += at + 1;
            let closing = self.text[from..].iter().take(hashes).take_while(|byte| **byte == b'#').count();
            if closing == hashes {
                self.fill(from + hashes);
                return true;
            }
            from += closing;
        }
        self.fill(self.text.len());
        true
    }

    /// `R"x(…)x"`
    fn cpp_raw(&mut self) -> bool {
        const DELIMITER: usize = 16;
        let rest = self.rest();
        let Some(open) = rest.strip_prefix(b"R\"") else { return false };
        let Some(length) = open.iter().take(DELIMITER + 1).position(|byte| *byte == b'(') else {
            return false;
        };
        let close = [b")", &open[..length], b"\""].concat();
        let end = memchr::memmem::find(&open[length..], &close).map(|at| at + close.len());
        let end = end.map_or(self.text.len(), |end| self.at + 2 + length + end);
        self.fill(end);
        true
    }

    fn regex(&mut self) -> bool {
        let allowed = match self.code {
            0 | b'(' | b',' | b'=' | b':' | b'[' | b'!' | b'&' | b'|' | b'?' | b'{' | b';' | b'+' | b'*'
            | b'%' | b'~' | b'^' => true,
            b'>' => self.text[..self.at].trim_ascii_end().ends_with(b"=>"),
            byte if is_word(byte, self.lexis) => BEFORE_REGEX.contains(&&self.text[self.word.clone()]),
            _ => false,
        };
        if !allowed {
            return false;
        }
        let (mut at, mut in_class) = (self.at + 1, false);
        loop {
            match self.text.get(at).filter(|_| at < self.at + REGEX) {
                None | Some(b'\n' | b'\r') => return false,
                Some(b'\\') => at += 1,
                Some(b'[') => in_class = true,
                Some(b']') => in_class = false,
                Some(b'/') if !in_class => break,
                Some(_) => {}
            }
            at += 1;
        }
        self.fill(at + 1);
        true
    }

    /// `<<EOF`, `<<-'EOF'`; in PHP `<<<EOT`.
    fn opens_here_document(&mut self, php: bool) -> bool {
        let mark: &[u8] = if php { b"<<<" } else { b"<<" };
        let Some(rest) = self.rest().strip_prefix(mark) else { return false };
        if !php && rest.first() == Some(&b'<') {
            // A string, not a document.
            self.code = b'<';
            self.at += 3;
            return true;
        }
        let tabs = !php && rest.first() == Some(&b'-');
        let rest = if tabs { &rest[1..] } else { rest };
        let blanks = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let rest = &rest[blanks..];
        let rest = rest.strip_prefix(b"\\").unwrap_or(rest);
        let quoted = matches!(rest.first(), Some(b'"' | b'\''));
        let word = &rest[usize::from(quoted)..];
        let length = word.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
        // A shift to the left.
        let line = &self.text[..self.at];
        let line = &line[line.len().saturating_sub(SHIFT)..];
        let line = &line[memchr::memrchr2(b'\n', b'\r', line).map_or(0, |end| end + 1)..];
        let shifts = memchr::memmem::find(line, b"((").is_some();
        if length == 0 || word[0].is_ascii_digit() || shifts {
            return false;
        }
        let end = self.text.len() - word.len() + length;
        self.pending = Some((word[..length].to_vec(), tabs || php));
        self.fill(end + usize::from(quoted));
        true
    }

    /// What stands before the line that is only this word.
    fn here_document(&mut self, word: &[u8], indented: bool) {
        let mut from = self.at;
        while from < self.text.len() {
            let end = self.line_end(from);
            let line = &self.text[from..end];
            let line = if indented { line.trim_ascii_start() } else { line };
            // In PHP more may stand behind it.
            let is_end = line.strip_prefix(word).is_some_and(|rest| {
                rest.is_empty()
                    || (self.has(Oddity::Php) && !rest[0].is_ascii_alphanumeric() && rest[0] != b'_')
            });
            if is_end {
                self.fill(end - line.len() + word.len());
                return;
            }
            from = end + 1;
        }
        self.fill(self.text.len());
    }

    fn outside_php(&mut self) {
        let rest = self.rest();
        let open = memchr::memmem::find_iter(rest, b"<?").find(|at| {
            let tag = &rest[at + 2..];
            tag.starts_with(b"=") || tag.get(..3).is_some_and(|word| word.eq_ignore_ascii_case(b"php"))
        });
        let end = open.map_or(self.text.len(), |open| {
            let tag = self.at + open + 2;
            tag + if self.text[tag] == b'=' { 1 } else { 3 }
        });
        self.blank(end);
        self.code = b';';
    }
}

/// Bytes of a regular expression: nobody writes longer ones, and behind a `/` that begins none this is read in vain.
const REGEX: usize = 4096;

/// Bytes before a here document in which an arithmetic expression would have begun.
const SHIFT: usize = 200;

/// Letters that may stand before a raw string.
fn is_prefix(word: &[u8]) -> bool {
    matches!(word, b"b" | b"c")
}

/// True for a byte of a word.
pub(super) fn is_word(byte: u8, lexis: &Lexis) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80 || lexis.word.contains(&byte)
}
