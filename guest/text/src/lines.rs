//! Lines out of chunks of text.

use std::ops::ControlFlow;

use memchr::{memchr2, memrchr2};

use super::line_end::LineEnd;

/// Cuts chunks into lines, in pieces. A final CR waits for a LF.
#[derive(Debug, Default)]
pub struct Splitter {
    pending_return: bool,
}

/// A piece of a line; the last one has the line end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinePiece<'a> {
    /// Its bytes, the line end included.
    pub bytes: &'a [u8],
    /// The line ends here.
    pub end: Option<LineEnd>,
}

impl Splitter {
    /// Passes pieces to `sink` until it breaks.
    pub fn feed(
        &mut self,
        chunk: &[u8],
        mut sink: impl FnMut(LinePiece) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut rest = chunk;
        if self.pending_return && !rest.is_empty() {
            self.pending_return = false;
            if rest[0] == b'\n' {
                rest = &rest[1..];
                sink(LinePiece { bytes: b"\r\n", end: Some(LineEnd::CrLf) })?;
            } else {
                sink(LinePiece { bytes: b"\r", end: Some(LineEnd::Cr) })?;
            }
        }
        while let Some(at) = memchr2(b'\n', b'\r', rest) {
            let end = match (rest[at], rest.get(at + 1)) {
                (b'\n', _) => LineEnd::Lf,
                (_, Some(b'\n')) => LineEnd::CrLf,
                (_, Some(_)) => LineEnd::Cr,
                (_, None) => {
                    self.pending_return = true;
                    rest = &rest[..at];
                    break;
                }
            };
            let (line, after) = rest.split_at(at + end.bytes().len());
            rest = after;
            sink(LinePiece { bytes: line, end: Some(end) })?;
        }
        if rest.is_empty() { ControlFlow::Continue(()) } else { sink(LinePiece { bytes: rest, end: None }) }
    }

    /// Ends the text.
    pub fn finish(&mut self, mut sink: impl FnMut(LinePiece) -> ControlFlow<()>) -> ControlFlow<()> {
        if std::mem::take(&mut self.pending_return) {
            return sink(LinePiece { bytes: b"\r", end: Some(LineEnd::Cr) });
        }
        ControlFlow::Continue(())
    }
}

/// The lines of a whole text, without their ends.
pub fn contents(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let bytes = rest.as_bytes();
        let Some(at) = memchr2(b'\n', b'\r', bytes) else { return Some(std::mem::take(&mut rest)) };
        let length = if bytes[at..].starts_with(b"\r\n") { 2 } else { 1 };
        let line = &rest[..at];
        rest = &rest[at + length..];
        Some(line)
    })
}

/// The start of the line that contains the byte at `at`.
pub fn start_of_line(text: &[u8], at: usize) -> usize {
    // The LF of a CRLF belongs to its line.
    let is_inside = at > 0 && text[at - 1] == b'\r' && text.get(at) == Some(&b'\n');
    memrchr2(b'\n', b'\r', &text[..at - usize::from(is_inside)]).map_or(0, |end| end + 1)
}

/// The end of the line that contains the byte at `at`, its line end included.
pub fn end_of_line(text: &[u8], at: usize) -> usize {
    match memchr2(b'\n', b'\r', &text[at..]).map(|end| at + end) {
        Some(end) if text[end..].starts_with(b"\r\n") => end + 2,
        Some(end) => end + 1,
        None => text.len(),
    }
}

/// The end of the last complete line, if text follows.
pub fn end_of_whole_lines(text: &[u8]) -> usize {
    let sure = text.strip_suffix(b"\r").unwrap_or(text);
    memrchr2(b'\n', b'\r', sure).map_or(0, |end| end + 1)
}

/// The line without its end.
pub fn content(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r\n")
        .or_else(|| line.strip_suffix(b"\n"))
        .or_else(|| line.strip_suffix(b"\r"))
        .unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str, cut: usize) -> Vec<String> {
        let mut lines = vec![String::new()];
        let mut splitter = Splitter::default();
        let mut sink = |piece: LinePiece| {
            if let Some(line) = lines.last_mut() {
                line.push_str(std::str::from_utf8(piece.bytes).unwrap());
            }
            if piece.end.is_some() {
                lines.push(String::new());
            }
            ControlFlow::Continue(())
        };
        let _ = splitter.feed(&text.as_bytes()[..cut], &mut sink);
        let _ = splitter.feed(&text.as_bytes()[cut..], &mut sink);
        let _ = splitter.finish(&mut sink);
        if lines.last().is_some_and(String::is_empty) {
            lines.pop();
        }
        lines
    }

    #[test]
    fn cuts_at_every_kind_of_line_end_wherever_the_chunks_meet() {
        for (text, lines) in [
            ("", vec![]),
            ("a", vec!["a"]),
            ("\n", vec!["\n"]),
            ("a\nb\n", vec!["a\n", "b\n"]),
            ("a\r\nb\r\n", vec!["a\r\n", "b\r\n"]),
            ("a\rb", vec!["a\r", "b"]),
            ("\r\r\n\n\r", vec!["\r", "\r\n", "\n", "\r"]),
            ("a\u{c}b\u{85}c\u{2028}d", vec!["a\u{c}b\u{85}c\u{2028}d"]),
        ] {
            for cut in (0..=text.len()).filter(|cut| text.is_char_boundary(*cut)) {
                assert_eq!(split(text, cut), lines, "{text:?} cut at {cut}");
            }
            let contents: Vec<_> = contents(text).collect();
            let expected: Vec<_> = lines.iter().map(|line| line.trim_end_matches(['\n', '\r'])).collect();
            assert_eq!(contents, expected, "{text:?}");
        }
    }

    #[test]
    fn lines_are_found_from_any_place_in_them() {
        for text in ["", "a", "\n", "\r\n", "ab\r\n\r\n\n\rb\rcd\n\r", "x\r\ry\n\n"] {
            let bytes = text.as_bytes();
            let mut start = 0;
            while start < bytes.len() {
                let end = end_of_line(bytes, start);
                for at in start..end {
                    assert_eq!(
                        (start_of_line(bytes, at), end_of_line(bytes, at)),
                        (start, end),
                        "{text:?} {at}"
                    );
                }
                start = end;
            }
            let lines: Vec<_> = contents(text).collect();
            let mut rest = bytes;
            for line in lines {
                let (first, after) = rest.split_at(end_of_line(rest, 0));
                assert_eq!(content(first), line.as_bytes());
                rest = after;
            }
        }
        for (text, expected) in [
            ("", 0),
            ("a", 0),
            ("a\nb", 2),
            ("a\r", 0),
            ("a\nb\r", 2),
            ("a\r\n", 3),
            ("a\rb", 2),
            ("\r\r", 1),
        ] {
            assert_eq!(end_of_whole_lines(text.as_bytes()), expected, "{text:?}");
        }
    }
}
