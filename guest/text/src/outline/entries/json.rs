//! Keys of the outermost object of JSON, also with comments and in the notation of JSON5.
//!
//! An entry goes from its key to the end of its value. A comma on the same line is in its lines.
//! After anything unexpected no key is known any more.

use std::ops::Range;

use super::{Entry, EntryName, Scan};

pub(super) fn scan(scan: &mut Scan) {
    let (text, start) = (scan.text, scan.content_end);
    let Some(end) = object(scan, start) else { return };
    let mut rest = ObjectWalk { scan, text, at: end, line: LineSoFar::default() };
    let is_over = rest.skip_trivia().is_ok() && rest.byte().is_none();
    let end = rest.at;
    if !is_over {
        scan.lose(end);
    }
}

/// Visits the keys of an object that begins after blanks and comments. Returns its end.
pub(super) fn object(scan: &mut Scan, from: usize) -> Option<usize> {
    let text = scan.text;
    let mut walk = ObjectWalk { scan, text, at: from, line: LineSoFar::default() };
    match walk.run() {
        Ok(()) => Some(walk.at),
        Err(lost) => {
            scan.lose(lost);
            None
        }
    }
}

/// The line of the current offset, and the comments directly above it.
#[derive(Debug, Default)]
struct LineSoFar {
    start: usize,
    has_code: bool,
    has_comment: bool,
    lead: Option<usize>,
}

struct ObjectWalk<'a, 'b, 'c> {
    scan: &'c mut Scan<'b>,
    text: &'a [u8],
    at: usize,
    line: LineSoFar,
}

impl ObjectWalk<'_, '_, '_> {
    /// Reads the object. An error is the place after which nothing is known.
    fn run(&mut self) -> Result<(), usize> {
        self.line.start = self.at;
        self.skip_trivia()?;
        let open = self.at;
        match self.byte() {
            Some(b'{') => {}
            // The keys of an array's objects are not at the top.
            _ => {
                self.at = self.text.len();
                return Ok(());
            }
        }
        self.edge();
        loop {
            self.skip_trivia()?;
            match self.byte() {
                None => return Err(open),
                Some(b'}') => {
                    self.edge();
                    return Ok(());
                }
                Some(b',') => self.pass(1),
                Some(_) => self.entry()?,
            }
        }
    }

    fn byte(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    /// Passes bytes that are neither blanks nor comments.
    fn pass(&mut self, count: usize) {
        self.at += count;
        self.line.has_code = true;
        self.line.lead = None;
    }

    fn edge(&mut self) {
        self.scan.findings.edges.push(self.at);
        self.pass(1);
    }

    fn skip_trivia(&mut self) -> Result<(), usize> {
        while let Some(byte) = self.byte() {
            match byte {
                b' ' | b'\t' | 0x0B | 0x0C => self.at += 1,
                b'\n' | b'\r' => {
                    self.at += if self.text[self.at..].starts_with(b"\r\n") { 2 } else { 1 };
                    let LineSoFar { has_code, has_comment, lead, .. } = self.line;
                    let lead = lead.filter(|_| has_code || has_comment);
                    self.line = LineSoFar { start: self.at, lead, ..LineSoFar::default() };
                }
                b'/' => {
                    let place = comment(self.text, self.at)?;
                    if !self.line.has_code && !self.line.has_comment {
                        self.line.lead.get_or_insert(self.line.start);
                    }
                    self.line.has_comment = true;
                    let edges = [place.start, place.end - 1];
                    if self.text[place.clone()].iter().any(|byte| matches!(byte, b'\n' | b'\r')) {
                        self.scan.findings.edges.extend(edges);
                    }
                    self.at = place.end;
                }
                _ => break,
            }
        }
        Ok(())
    }

    fn entry(&mut self) -> Result<(), usize> {
        let (start, lead) = (self.at, self.line.lead);
        let end = match self.text[start] {
            b'"' | b'\'' => end_of_string(self.text, start)?,
            _ => end_of_word(self.text, start),
        };
        if end == start {
            return Err(start);
        }
        let name = name(&self.text[start..end]);
        self.pass(end - start);
        self.skip_trivia()?;
        if self.byte() != Some(b':') {
            return Err(self.at);
        }
        self.pass(1);
        self.skip_trivia()?;
        let value = end_of_value(self.text, self.at);
        let end = value.unwrap_or(self.text.len());
        self.scan.pass(Entry { name, place: start..end, lead });
        value?;
        self.pass(end - self.at);
        self.skip_trivia()?;
        match self.byte() {
            Some(b',' | b'}') | None => Ok(()),
            Some(_) => Err(self.at),
        }
    }
}

/// The name of a key, and the key as it is written.
fn name(key: &[u8]) -> EntryName {
    let literal = String::from_utf8_lossy(key).into_owned();
    let is_quoted = matches!(key[0], b'"' | b'\'');
    let inside = if is_quoted { &literal[1..literal.len() - 1] } else { &literal };
    let decoded = serde_json::from_slice::<String>(key);
    EntryName::new(decoded.as_deref().unwrap_or(inside), vec![literal.clone()])
}

/// The place of a comment at an offset.
fn comment(text: &[u8], at: usize) -> Result<Range<usize>, usize> {
    let rest = &text[at..];
    let length = if rest.starts_with(b"//") {
        memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len())
    } else if rest.starts_with(b"/*") {
        memchr::memmem::find(&rest[2..], b"*/").ok_or(at)? + 4
    } else {
        return Err(at);
    };
    Ok(at..at + length)
}

/// The end of a string on one line. A backslash continues it on the next one.
fn end_of_string(text: &[u8], open: usize) -> Result<usize, usize> {
    let mut at = open + 1;
    while let Some(byte) = text.get(at) {
        match byte {
            b'\\' => at += if text[at + 1..].starts_with(b"\r\n") { 3 } else { 2 },
            b'\n' | b'\r' => break,
            byte if *byte == text[open] => return Ok(at + 1),
            _ => at += 1,
        }
    }
    Err(open)
}

/// The end of a word such as `true`, `-1.5` or a key without quotes.
fn end_of_word(text: &[u8], from: usize) -> usize {
    let is_in = |byte: &&u8| {
        !byte.is_ascii_whitespace()
            && !matches!(byte, b'"' | b'\'' | b'{' | b'}' | b'[' | b']' | b',' | b':' | b'/' | b'#')
    };
    from + text[from..].iter().take_while(is_in).count()
}

/// The end of a value, or the place after which nothing is known.
fn end_of_value(text: &[u8], from: usize) -> Result<usize, usize> {
    let mut open = Vec::new();
    let mut at = from;
    while let Some(byte) = text.get(at) {
        let next = match byte {
            b'"' | b'\'' => end_of_string(text, at)?,
            b'{' | b'[' => {
                open.push(*byte);
                at + 1
            }
            b'}' | b']' => {
                // The closing brackets are two bytes after the opening ones.
                if open.pop().map(|open| open + 2) != Some(*byte) {
                    return Err(at);
                }
                at + 1
            }
            b'/' => comment(text, at)?.end,
            _ if open.is_empty() => end_of_word(text, at),
            _ => at + 1,
        };
        if next == at {
            return Err(at);
        }
        at = next;
        if open.is_empty() {
            return Ok(at);
        }
    }
    Err(from)
}
