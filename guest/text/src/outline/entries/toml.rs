//! Tables of TOML.
//!
//! A table goes from its header to the next header, so `[a]` does not hold `[a.b]`. Its name is the
//! dotted key, `a.b`; the header with its brackets and the key without quotes find it too.

use super::{EntryName, Scan};
use crate::lines::{content, end_of_line};

pub(super) fn scan(scan: &mut Scan) {
    let text = scan.text;
    let mut from = scan.content_end;
    while from < text.len() {
        let to = end_of_line(text, from);
        let line = content(&text[from..to]).trim_ascii();
        let next = match line.first() {
            None | Some(b'#') => {
                from = to;
                continue;
            }
            Some(b'[') => {
                match header(line) {
                    Some(name) => scan.begin(vec![name], from..to),
                    None => scan.doubt(from),
                }
                to
            }
            Some(_) => match end_of_value(text, from) {
                Ok(next) => next,
                Err(open) => {
                    scan.lose(open);
                    text.len()
                }
            },
        };
        scan.content(next);
        from = next;
    }
    scan.close(text.len());
}

/// The name in a header, if only a comment follows it.
fn header(line: &[u8]) -> Option<EntryName> {
    let (open, close) = if line.starts_with(b"[[") { ("[[", "]]") } else { ("[", "]") };
    let key = &line[open.len()..];
    let (mut name, mut quote, mut is_escaped, mut end) = (Vec::new(), None, false, None);
    for (at, byte) in key.iter().enumerate() {
        match (quote, byte) {
            _ if is_escaped => is_escaped = false,
            (None, b']') => {
                end = Some(at);
                break;
            }
            (None, b'#') => return None,
            // Blanks around dots do not count.
            (None, b' ' | b'\t') if name.is_empty() || name.ends_with(b".") => continue,
            (None, b'.') => name.truncate(name.trim_ascii_end().len()),
            (None, b'"' | b'\'') => quote = Some(*byte),
            (Some(open), byte) if open == *byte => quote = None,
            (Some(b'"'), b'\\') => is_escaped = true,
            _ => {}
        }
        name.push(*byte);
    }
    let behind = key[end?..].strip_prefix(close.as_bytes())?.trim_ascii_start();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes.trim_ascii()).into_owned();
    let name = text(&name);
    let is_header = !name.is_empty() && matches!(behind.first(), None | Some(b'#'));
    is_header.then(|| {
        let literal = text(&line[..line.len() - behind.len()]);
        let plain = name.replace(['"', '\''], "");
        let aliases = vec![format!("{open}{name}{close}"), literal, plain];
        EntryName::new(&name, aliases)
    })
}

/// The end of the last line of a key's value, or the start of an unclosed string or array.
fn end_of_value(text: &[u8], from: usize) -> Result<usize, usize> {
    let (mut at, mut depth, mut first) = (from, 0_usize, from);
    while let Some(byte) = text.get(at) {
        match byte {
            b'\n' | b'\r' if depth == 0 => return Ok(end_of_line(text, at)),
            b'#' => at = end_of_content(text, at),
            b'"' | b'\'' => at = end_of_string(text, at)?,
            b'[' | b'{' => {
                if depth == 0 {
                    first = at;
                }
                depth += 1;
                at += 1;
            }
            b']' | b'}' => {
                depth = depth.saturating_sub(1);
                at += 1;
            }
            _ => at += 1,
        }
    }
    if depth == 0 { Ok(text.len()) } else { Err(first) }
}

/// The offset of the line end at or after an offset.
fn end_of_content(text: &[u8], from: usize) -> usize {
    memchr::memchr2(b'\n', b'\r', &text[from..]).map_or(text.len(), |end| from + end)
}

/// The end of a string. One on a line ends with the line at the latest.
fn end_of_string(text: &[u8], open: usize) -> Result<usize, usize> {
    let quote = text[open];
    let is_long = text[open..].starts_with(&[quote; 3]);
    let mut at = open + if is_long { 3 } else { 1 };
    while let Some(byte) = text.get(at) {
        match byte {
            b'\\' if quote == b'"' => at += 2,
            b'\n' | b'\r' if !is_long => return Ok(at),
            byte if *byte == quote && !is_long => return Ok(at + 1),
            byte if *byte == quote && text[at..].starts_with(&[quote; 3]) => {
                // Two more quotes may be the end of the string's text.
                let more = text[at + 3..].iter().take(2).take_while(|byte| **byte == quote).count();
                return Ok(at + 3 + more);
            }
            _ => at += 1,
        }
    }
    if is_long { Err(open) } else { Ok(text.len()) }
}
