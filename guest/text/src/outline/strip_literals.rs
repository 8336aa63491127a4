//! Strips comments and strings, keeping every offset.

mod documents;
mod elements;
mod ruby;
mod shell;
mod sql;
mod strings;
mod yaml;

use std::collections::HashSet;
use std::ops::Range;

use memchr::memchr2;

use super::lexer_rules::{LexerRules, Oddity};
use documents::HereDocument;

/// The byte for string bytes. Line ends in strings disappear.
pub(super) const STRING: u8 = 1;

const DEEPEST: usize = 100;

/// Rereadings of a text for code in strings that is none.
const IN_VAIN: usize = 4;

#[derive(Debug, Default)]
pub(super) struct Masked {
    /// The text with comments as spaces, line ends kept, and strings as [`STRING`].
    pub(super) code: Vec<u8>,
    pub(super) doubts: Vec<usize>,
    /// The start of an unclosed construct: the rest is unknown.
    pub(super) lost: Option<usize>,
    /// Text between JavaScript tags and outside of `<?php … ?>`, in order.
    pub(super) markup: Vec<MarkupPart>,
    /// Multi-line strings and here documents, without their code, and comments that hold none.
    pub(super) strings: Vec<Range<usize>>,
    /// In YAML: the brackets of flow collections, and the lines that continue a plain scalar.
    pub(super) joints: Vec<usize>,
}

/// Markup without its tags and code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarkupPart {
    /// Its place.
    pub range: Range<usize>,
    /// The start of its innermost element; text around PHP shares one.
    pub element: usize,
}

pub(super) fn masked(text: &[u8], lexis: &LexerRules) -> Masked {
    masked_at(0, text, lexis)
}

fn masked_at(depth: usize, text: &[u8], lexis: &LexerRules) -> Masked {
    if lexis.oddities.contains(&Oddity::Shell) {
        return shell::masked(text);
    }
    if lexis.oddities.contains(&Oddity::Yaml) {
        return yaml::masked(text);
    }
    let mut mask = Mask {
        text,
        lexis,
        masked: Masked { code: text.to_vec(), ..Masked::default() },
        at: 0,
        code: 0,
        word: 0..0,
        is_condition: false,
        pending: Vec::new(),
        depth,
        plain: HashSet::new(),
        spent: 0,
        bare: 0..0,
        delimits: false,
    };
    mask.outside();
    mask.masked
}

fn line_end(text: &[u8], from: usize) -> usize {
    memchr2(b'\n', b'\r', &text[from..]).map_or(text.len(), |at| from + at)
}

struct Mask<'a> {
    text: &'a [u8],
    lexis: &'a LexerRules,
    masked: Masked,
    at: usize,
    /// The last byte of code but for white space; 0 at the start.
    code: u8,
    word: std::ops::Range<usize>,
    /// The last `)` closed a condition, as of `if`.
    is_condition: bool,
    /// Here documents that begin on the next line.
    pending: Vec<HereDocument>,
    depth: usize,
    /// Strings read as plain although they seem to hold code.
    plain: HashSet<usize>,
    spent: usize,
    /// Marks without a quote, which begin no string.
    bare: std::ops::Range<usize>,
    /// A line set the SQL delimiter, which may be `$$`.
    delimits: bool,
}

/// Words before a condition in brackets.
const CONDITIONS: &[&[u8]] = &[b"if", b"while", b"for", b"with"];

#[derive(Debug, Clone, Copy)]
struct CodeUntil<'a> {
    close: u8,
    /// The end of the string around it, if text after a colon is a format.
    format: Option<&'a [u8]>,
}

/// Words before a regular expression. A name would be before a division.
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
    b"default",
];

impl Mask<'_> {
    fn has(&self, oddity: Oddity) -> bool {
        self.lexis.oddities.contains(&oddity)
    }

    fn prefix(&self) -> &[u8] {
        if self.word.end == self.at { &self.text[self.word.clone()] } else { b"" }
    }

    fn rest(&self) -> &[u8] {
        &self.text[self.at..]
    }

    fn is_spent(&self) -> bool {
        self.spent > IN_VAIN * self.text.len()
    }

    fn outside(&mut self) {
        if self.has(Oddity::Php) {
            self.outside_php();
        }
        self.run(None);
    }

    /// Reads code to the closing bracket; false if it is missing.
    fn run(&mut self, until: Option<CodeUntil>) -> bool {
        let [preprocessor, characters, rust, cpp, regexes, php, zig, ruby, sql] = [
            Oddity::Preprocessor,
            Oddity::Characters,
            Oddity::RustRaw,
            Oddity::CppRaw,
            Oddity::Regexes,
            Oddity::Php,
            Oddity::ZigLines,
            Oddity::Ruby,
            Oddity::Sql,
        ]
        .map(|oddity| self.has(oddity));
        let mut starts_line = until.is_none();
        let mut open: Vec<bool> = Vec::new();
        while let Some(byte) = self.text.get(self.at).copied() {
            if until.is_some() && self.is_spent() {
                return false;
            }
            match byte {
                b'\n' | b'\r' => {
                    if sql {
                        self.opens_rows();
                    }
                    self.at += 1;
                    starts_line = until.is_none();
                    if byte == b'\n' || self.rest().first() != Some(&b'\n') {
                        self.here_documents();
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
                b'<' if php && self.opens_here_document() => continue,
                _ if ruby && self.ruby(byte) => continue,
                _ if sql && self.sql(byte, starts_line) => continue,
                b'<' if regexes && self.element() => continue,
                b'\\' if zig && self.rest().starts_with(b"\\\\") => {
                    self.fill(line_end(self.text, self.at));
                    continue;
                }
                _ => {}
            }
            starts_line = false;
            if self.comment(php) || self.string() || (regexes && byte == b'/' && self.regex()) {
                continue;
            }
            match byte {
                b'(' | b'[' | b'{' => {
                    let word = &self.text[self.word.clone()];
                    let is_behind = self.text[..self.at].trim_ascii_end().len() == self.word.end;
                    open.push(byte == b'(' && is_behind && CONDITIONS.contains(&word));
                }
                b')' | b']' | b'}' => match (open.pop(), until) {
                    (Some(is_condition), _) => self.is_condition = is_condition,
                    (None, Some(until)) => {
                        self.at += 1;
                        return byte == until.close;
                    }
                    (None, None) => {}
                },
                b':' if open.is_empty() && self.text.get(self.at + 1) != Some(&b':') => {
                    if let Some(CodeUntil { close, format: Some(end) }) = until {
                        return self.format(close, end);
                    }
                }
                _ => {}
            }
            self.code(byte);
        }
        until.is_none()
    }

    fn format(&mut self, close: u8, end: &[u8]) -> bool {
        let mut brackets = 0_usize;
        while let Some(byte) = self.text.get(self.at) {
            match byte {
                b'\n' | b'\r' => return false,
                _ if self.rest().starts_with(end) => return false,
                b'{' => brackets += 1,
                byte if *byte == close && brackets == 0 => {
                    self.at += 1;
                    return true;
                }
                b'}' => brackets = brackets.saturating_sub(1),
                _ => {}
            }
            self.at += 1;
        }
        false
    }

    fn code(&mut self, byte: u8) {
        if is_word(byte, self.lexis) {
            let from = if self.word.end == self.at { self.word.start } else { self.at };
            self.word = from..self.at + 1;
        }
        self.code = byte;
        self.at += 1;
    }

    fn blank(&mut self, end: usize) {
        let end = end.min(self.text.len());
        for byte in &mut self.masked.code[self.at..end] {
            if !matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
        self.at = end;
    }

    fn fill(&mut self, end: usize) {
        let start = self.at;
        self.pass(end);
        self.is_string(start, self.at);
    }

    fn pass(&mut self, end: usize) {
        let end = end.min(self.text.len());
        self.masked.code[self.at..end].fill(STRING);
        self.at = end;
        self.code = STRING;
    }

    /// Records a string in which a line begins.
    fn is_string(&mut self, start: usize, end: usize) {
        if memchr2(b'\n', b'\r', &self.text[start..end]).is_some() {
            self.masked.strings.push(start..end);
        }
    }

    fn comment(&mut self, php: bool) -> bool {
        let rest = self.rest();
        if let Some(mark) = self.lexis.line_comments.iter().find(|mark| rest.starts_with(mark.as_bytes())) {
            // An attribute.
            let is_other = php && *mark == "#" && rest.starts_with(b"#[");
            if !is_other {
                let mut end = line_end(self.text, self.at);
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
                self.masked.lost.get_or_insert(self.at);
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
        // Without another mark, a comment in it would end it.
        if depth == 0 && !nests && self.lexis.line_comments.is_empty() {
            self.is_string(self.at, at);
        }
        self.blank(at);
        true
    }

    /// Blanks preprocessor lines and their continuations.
    fn preprocessor_lines(&mut self) {
        let mut at = self.at;
        while let Some(byte) = self.text.get(at) {
            let rest = &self.text[at..];
            match byte {
                b'\n' | b'\r' => break,
                b'\\' => at += if rest.starts_with(b"\\\r\n") { 3 } else { 2 },
                b'/' if rest.starts_with(b"/*") => {
                    let close = memchr::memmem::find(&rest[2..], b"*/");
                    at += close.map_or(rest.len(), |close| close + 4);
                }
                b'/' if rest.starts_with(b"//") => at = line_end(self.text, at),
                b'"' => {
                    let mut is_escaped = false;
                    let end = rest[1..].iter().position(|byte| {
                        let is_end = *byte == b'"' && !is_escaped || matches!(byte, b'\n' | b'\r');
                        is_escaped = *byte == b'\\' && !is_escaped;
                        is_end
                    });
                    let close = end.filter(|end| rest[end + 1] == b'"');
                    at += close.map_or(1, |close| close + 2);
                }
                _ => at += 1,
            }
        }
        self.blank(at);
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
            // `'static` would become another word.
            None => {
                let word = rest.iter().take_while(|byte| is_word(**byte, self.lexis)).count();
                self.fill(self.at + 1 + word);
            }
        }
    }

    /// `1'000`: digits on both sides.
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
        self.masked.lost.get_or_insert(self.at);
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
        if end.is_none() {
            self.masked.lost.get_or_insert(self.at);
        }
        let end = end.map_or(self.text.len(), |end| self.at + 2 + length + end);
        self.fill(end);
        true
    }

    fn expects_value(&self) -> bool {
        match self.code {
            0 | b'(' | b',' | b'=' | b':' | b'[' | b'!' | b'&' | b'|' | b'?' | b'{' | b';' | b'+' | b'*'
            | b'%' | b'~' | b'^' => !self.text[..self.at].trim_ascii_end().ends_with(b"++"),
            b')' => self.is_condition,
            b'>' => self.text[..self.at].trim_ascii_end().ends_with(b"=>"),
            byte if is_word(byte, self.lexis) => BEFORE_REGEX.contains(&&self.text[self.word.clone()]),
            _ => false,
        }
    }

    fn regex(&mut self) -> bool {
        self.expects_value() && !self.is_spent() && self.regex_in_line()
    }

    fn regex_in_line(&mut self) -> bool {
        let (mut at, mut in_class) = (self.at + 1, false);
        loop {
            match self.text.get(at).filter(|_| at < self.at + REGEX) {
                None | Some(b'\n' | b'\r') => {
                    self.spent += at - self.at;
                    return false;
                }
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
        let start = if rest.starts_with(b"?>") { self.at + 2 } else { self.at };
        let range = start..open.map_or(self.text.len(), |open| self.at + open);
        self.masked.markup.push(MarkupPart { range, element: 0 });
        self.blank(end);
        self.code = b';';
    }
}

/// The longest regular expression. It bounds the scan after a `/`.
const REGEX: usize = 4096;

fn is_prefix(word: &[u8]) -> bool {
    matches!(word, b"b" | b"c")
}

pub(super) fn is_word(byte: u8, lexis: &LexerRules) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80 || lexis.word.contains(&byte)
}
