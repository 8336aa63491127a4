//! Keys of the top level of YAML, in each document of a file.
//!
//! An entry goes from its key to the next one. Block scalars, quoted scalars and flow collections
//! are passed as a whole. A document in braces is read as JSON. A line that fits nowhere, such as
//! one of a template, makes the end of the entry around it uncertain.

use super::{EntryName, Scan, json};
use crate::lines::{content, end_of_line, start_of_line};

pub(super) fn scan(scan: &mut Scan) {
    let (text, start) = (scan.text, scan.content_end);
    let mut lines = YamlLines { text, scan, top: None, owner: None, scalar: None };
    let mut from = start;
    while from < text.len() {
        from = lines.line(from, end_of_line(text, from));
    }
    lines.scan.close(text.len());
}

/// A scalar of lines that have at least this indentation.
#[derive(Debug, Clone, Copy, Default)]
struct OpenScalar {
    least: usize,
    /// A block after `|` or `>`; comments are text in it.
    is_block: bool,
    /// Blank lines at the end belong to it.
    keeps_blank: bool,
}

struct YamlLines<'a, 'b, 'c> {
    text: &'a [u8],
    scan: &'c mut Scan<'b>,
    /// The indentation of the document's keys.
    top: Option<usize>,
    /// The column of the key or dash that the next value belongs to.
    owner: Option<usize>,
    scalar: Option<OpenScalar>,
}

impl YamlLines<'_, '_, '_> {
    /// Reads a line, and all lines of the construct that it opens. Returns their end.
    fn line(&mut self, from: usize, to: usize) -> usize {
        let line = content(&self.text[from..to]);
        let indent = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let bare = &line[indent..];
        let marker = marker(line);
        if let Some(scalar) = self.scalar.filter(|_| marker.is_none()) {
            let is_in = indent >= scalar.least && (scalar.is_block || !bare.starts_with(b"#"));
            if bare.is_empty() || is_in {
                if !bare.is_empty() || scalar.keeps_blank {
                    self.scan.content(to);
                }
                return to;
            }
        }
        self.scalar = None;
        if let Some(marker) = marker {
            self.scan.close(from);
            self.scan.content(to);
            (self.top, self.owner) = (None, None);
            return if marker == b"---" { self.document(from + marker.len(), to) } else { to };
        }
        if bare.is_empty() {
            return to;
        }
        let is_top = self.top.is_none_or(|top| indent <= top);
        if bare.starts_with(b"#") {
            if !is_top {
                self.scan.content(to);
            }
            return to;
        }
        let end = if is_top { self.top_line(from, indent, to) } else { self.nodes(from + indent, to) };
        self.scan.content(end);
        end
    }

    /// Reads the text behind `---`.
    fn document(&mut self, from: usize, to: usize) -> usize {
        let at = from + blanks(&self.text[from..to]);
        let end = if self.text[at..to].starts_with(b"{") {
            self.flow_document(at, to)
        } else {
            self.nodes(from, to)
        };
        self.scan.content(end);
        end
    }

    fn flow_document(&mut self, at: usize, to: usize) -> usize {
        // Jinja and Helm.
        if matches!(self.text.get(at + 1), Some(b'{' | b'%')) {
            self.scan.doubt(at);
            return self.nodes(at, to);
        }
        match json::object(self.scan, at) {
            Some(end) => end_of_line(self.text, end - 1),
            None => self.text.len(),
        }
    }

    /// Reads a line at the top level of a document.
    fn top_line(&mut self, from: usize, indent: usize, to: usize) -> usize {
        let at = from + indent;
        let bare = content(&self.text[at..to]);
        let is_template = bare.starts_with(b"{{") || bare.starts_with(b"{%");
        let is_first = self.top.is_none();
        if is_template {
            self.scan.doubt(at);
            return self.nodes(at, to);
        }
        if is_first && bare.starts_with(b"%") {
            return to;
        }
        let top = *self.top.get_or_insert(indent);
        if is_first && bare.starts_with(b"{") {
            return self.flow_document(at, to);
        }
        if is_indicator(bare, b'?') {
            self.scan.close(from);
            self.scan.lose(at);
        } else if let Some(name) = key(bare).filter(|_| indent == top) {
            self.scan.begin(vec![name], from..to);
        } else if indent < top || !is_indicator(bare, b'-') {
            self.scan.doubt(at);
        }
        self.nodes(at, to)
    }

    /// Reads keys, dashes and values from an offset on, up to the end of the last line that they
    /// reach.
    fn nodes(&mut self, from: usize, mut to: usize) -> usize {
        let (text, mut at) = (self.text, from);
        let mut line = start_of_line(text, from);
        loop {
            at += blanks(&text[at..to]);
            let rest = content(&text[at..to]);
            let Some(first) = rest.first() else { return to };
            match first {
                b'#' => return to,
                b'-' | b'?' | b':' if is_indicator(rest, *first) => {
                    self.owner = Some(at - line);
                    at += 1;
                }
                b'&' | b'!' => at += rest.iter().take_while(|byte| !is_blank(**byte)).count(),
                b'"' | b'\'' | b'[' | b'{' => {
                    let column = at - line;
                    let Some(end) = self.closed(at) else {
                        self.scan.lose(at);
                        return text.len();
                    };
                    if end > to {
                        (line, to) = (start_of_line(text, end - 1), end_of_line(text, end - 1));
                    }
                    at = end + blanks(&text[end..to]);
                    if !is_indicator(content(&text[at..to]), b':') {
                        return to;
                    }
                    self.owner = Some(column);
                    at += 1;
                }
                _ => {
                    if let Some(keeps_blank) = block_header(rest) {
                        let least = self.owner.map_or(0, |owner| owner + 1);
                        self.scalar = Some(OpenScalar { least, is_block: true, keeps_blank });
                        return to;
                    }
                    let Some(length) = end_of_plain_key(rest) else {
                        // Text at the top of a document may be a key without its colon.
                        let scalar = |owner| OpenScalar { least: owner + 1, ..OpenScalar::default() };
                        self.scalar = self.owner.map(scalar);
                        return to;
                    };
                    self.owner = Some(at - line);
                    at += length + 1;
                }
            }
        }
    }

    /// The end of a quoted scalar or of a flow collection.
    fn closed(&mut self, open: usize) -> Option<usize> {
        match self.text[open] {
            b'[' | b'{' => end_of_flow(self.text, open),
            _ => {
                let end = end_of_quoted(self.text, open)?;
                // A quote that is not closed ends at any later one.
                let least = self.owner.map_or(0, |owner| owner + 1);
                if has_shallow_line(&self.text[open..end], least) {
                    self.scan.lose(open);
                }
                Some(end)
            }
        }
    }
}

/// The marker that begins or ends a document.
fn marker(line: &[u8]) -> Option<&'static [u8]> {
    let markers: [&'static [u8]; 2] = [b"---", b"..."];
    let is = |marker: &&[u8]| {
        line.strip_prefix(*marker).is_some_and(|rest| rest.first().is_none_or(|byte| is_blank(*byte)))
    };
    markers.into_iter().find(is)
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

fn blanks(text: &[u8]) -> usize {
    text.iter().take_while(|byte| is_blank(**byte)).count()
}

/// Whether a mark with a blank or nothing behind it begins a text.
fn is_indicator(text: &[u8], mark: u8) -> bool {
    text.first() == Some(&mark) && text.get(1).is_none_or(|byte| is_blank(*byte))
}

/// The key that begins a line.
fn key(line: &[u8]) -> Option<EntryName> {
    let mut rest = line;
    while let Some(b'&' | b'!') = rest.first() {
        let length = rest.iter().take_while(|byte| !is_blank(**byte)).count();
        rest = rest[length..].trim_ascii_start();
    }
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes.trim_ascii()).into_owned();
    let (literal, name) = match rest.first()? {
        quote @ (b'"' | b'\'') => {
            let end = end_of_quoted(rest, 0)?;
            let behind = rest[end..].trim_ascii_start();
            if !is_indicator(behind, b':') {
                return None;
            }
            let (literal, inside) = (text(&rest[..end]), text(&rest[1..end - 1]));
            let name = match quote {
                b'\'' => inside.replace("''", "'"),
                _ => serde_json::from_str(&literal).unwrap_or(inside),
            };
            (literal, name)
        }
        b'[' | b'{' | b']' | b'}' | b',' | b'|' | b'>' | b'%' | b'@' | b'`' | b'#' => return None,
        first @ (b'-' | b':') if is_indicator(rest, *first) => return None,
        _ => {
            let plain = text(&rest[..end_of_plain_key(rest)?]);
            (plain.clone(), plain)
        }
    };
    let with_colon = format!("{literal}:");
    Some(EntryName::new(&name, vec![literal, with_colon]))
}

/// The length of a plain key before its colon, in the content of a line.
fn end_of_plain_key(text: &[u8]) -> Option<usize> {
    let mut before = None;
    for (at, byte) in text.iter().enumerate() {
        match byte {
            b'#' if before.is_none_or(is_blank) => return None,
            b':' if is_indicator(&text[at..], b':') => return Some(at),
            _ => {}
        }
        before = Some(*byte);
    }
    None
}

/// Whether the header of a block scalar keeps blank lines at its end. None if it is no header.
fn block_header(text: &[u8]) -> Option<bool> {
    if !matches!(text.first(), Some(b'|' | b'>')) {
        return None;
    }
    let marks = text[1..].iter().take_while(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-')).count();
    let behind = &text[1 + marks..];
    let rest = behind.trim_ascii_start();
    let is_header = rest.is_empty() || rest.starts_with(b"#") && rest.len() < behind.len();
    is_header.then(|| text[1..=marks].contains(&b'+'))
}

fn end_of_quoted(text: &[u8], open: usize) -> Option<usize> {
    let quote = text[open];
    let mut at = open + 1;
    while let Some(byte) = text.get(at) {
        match byte {
            b'\\' if quote == b'"' => at += 2,
            byte if *byte != quote => at += 1,
            b'\'' if text.get(at + 1) == Some(&quote) => at += 2,
            _ => return Some(at + 1),
        }
    }
    None
}

/// Whether a line after the first one is indented less.
fn has_shallow_line(text: &[u8], least: usize) -> bool {
    let mut from = end_of_line(text, 0);
    while from < text.len() {
        let to = end_of_line(text, from);
        let line = content(&text[from..to]);
        let indent = blanks(line);
        if indent < least && indent < line.len() {
            return true;
        }
        from = to;
    }
    false
}

/// The end of a collection in brackets. A quote or a comment begins only where a value may.
fn end_of_flow(text: &[u8], open: usize) -> Option<usize> {
    let (mut at, mut depth, mut is_fresh) = (open, 0_usize, true);
    while let Some(byte) = text.get(at) {
        match byte {
            b'[' | b'{' => {
                depth += 1;
                is_fresh = true;
            }
            b']' | b'}' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
                is_fresh = false;
            }
            b',' | b':' => is_fresh = true,
            b'"' | b'\'' if is_fresh => {
                at = end_of_quoted(text, at)?;
                is_fresh = false;
                continue;
            }
            b'#' if text[at - 1].is_ascii_whitespace() => {
                at += memchr::memchr2(b'\n', b'\r', &text[at..])?;
                continue;
            }
            b' ' | b'\t' | b'\n' | b'\r' => {}
            _ => is_fresh = false,
        }
        at += 1;
    }
    None
}
