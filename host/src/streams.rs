//! Standard streams and files: answers go to standard output, the rest to standard error.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, IsTerminal, Read, Write};

use fsgate_cli::{Exit, Streams, Unwritten};
use fsgate_text::excerpt::is_invisible;

pub(crate) struct Standard;

impl Streams for Standard {
    fn input(&self, most: usize) -> Result<Vec<u8>, String> {
        first(io::stdin().lock(), most).map_err(|error| format!("cannot read standard input: {error}"))
    }

    fn file(&self, path: &str, most: usize) -> Result<Vec<u8>, String> {
        File::open(path)
            .and_then(|file| first(file, most))
            .map_err(|error| format!("cannot read the file `{path}`: {error}"))
    }

    fn answer(&self, bytes: &[u8]) -> Result<(), Unwritten> {
        write(&if io::stdout().is_terminal() { shown_bytes(bytes) } else { bytes.into() })
    }

    fn complain(&self, line: &str) {
        complain(line);
    }
}

pub(crate) struct Ahead(Vec<u8>);

impl Ahead {
    pub(crate) fn read(most: usize) -> Result<Self, String> {
        Standard.input(most).map(Self)
    }

    pub(crate) fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.0)
    }
}

impl Streams for Ahead {
    fn input(&self, most: usize) -> Result<Vec<u8>, String> {
        Ok(self.0[..most.min(self.0.len())].to_vec())
    }

    fn file(&self, path: &str, most: usize) -> Result<Vec<u8>, String> {
        Standard.file(path, most)
    }

    fn answer(&self, bytes: &[u8]) -> Result<(), Unwritten> {
        Standard.answer(bytes)
    }

    fn complain(&self, line: &str) {
        complain(line);
    }
}

/// Writes bytes unchanged, and flushes.
pub(crate) fn write(bytes: &[u8]) -> Result<(), Unwritten> {
    let mut out = io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush()).map_err(|error| match error.kind() {
        io::ErrorKind::BrokenPipe => Unwritten::ReaderGone,
        _ => Unwritten::Failed(error.to_string()),
    })
}

fn first(source: impl Read, most: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(most as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

pub(crate) fn complain(text: &str) {
    // No stream is left if this fails. The prefix marks lines of this program: names in the text
    // can come from anyone.
    let _ = writeln!(io::stderr(), "fsgate: {}", visible(text).replace('\n', "\n  "));
}

/// Escapes invisible characters except line ends: terminals obey some, and names and values can
/// come from anyone.
pub(crate) fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if character != '\n' && is_invisible(character) {
            let _ = write!(out, "\\u{{{:X}}}", u32::from(character));
        } else {
            out.push(character);
        }
    }
    out
}

/// Escapes characters that control a terminal or change the text direction: file content can come
/// from anyone.
pub(crate) fn shown_bytes(bytes: &[u8]) -> Cow<'_, [u8]> {
    let is_order = |c: char| (c.is_control() && !matches!(c, '\t' | '\n')) || turns_direction(c);
    let is_order_of_eight_bits = |byte: &u8| (0x80..=0x9F).contains(byte);
    if str::from_utf8(bytes).is_ok_and(|text| !text.contains(is_order)) {
        return bytes.into();
    }
    let mut out = Vec::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        let mut rest = chunk.valid().chars().peekable();
        while let Some(character) = rest.next() {
            let ends_line = character == '\r' && rest.peek() == Some(&'\n');
            if is_order(character) && !ends_line {
                let _ = write!(out, "\\u{{{:X}}}", u32::from(character));
            } else {
                out.extend(character.encode_utf8(&mut [0; 4]).bytes());
            }
        }
        // The byte may be a control character, or complete one that was begun before.
        for byte in chunk.invalid() {
            if is_order_of_eight_bits(byte) {
                let _ = write!(out, "\\x{{{byte:02X}}}");
            } else {
                out.push(*byte);
            }
        }
    }
    out.into()
}

/// Whether the character makes a line look like another.
fn turns_direction(character: char) -> bool {
    matches!(
        character,
        '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{206A}'..='\u{206F}'
    )
}

/// Prints text that is no tool's answer. A closed pipe is no failure.
pub(crate) fn print(bytes: &[u8]) -> Exit {
    end(Standard.answer(bytes))
}

/// Prints text of this program, with its own terminal codes.
pub(crate) fn written(bytes: &[u8]) -> Exit {
    end(write(bytes))
}

fn end(written: Result<(), Unwritten>) -> Exit {
    match written {
        Ok(()) | Err(Unwritten::ReaderGone) => Exit::Done,
        Err(Unwritten::Failed(error)) => {
            complain(&format!("cannot write to standard output: {error}"));
            Exit::Internal
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_is_given_no_orders() {
        for (bytes, expected) in [
            (&b"a\tb\r\nc\n"[..], &b"a\tb\r\nc\n"[..]),
            (b"\x1B[2J\x07", br"\u{1B}[2J\u{7}"),
            ("\u{9B}31m".as_bytes(), br"\u{9B}31m"),
            (b"over\rwritten\x7F", br"over\u{D}written\u{7F}"),
            ("if\u{202E}x\u{2066}\u{200F}y".as_bytes(), br"if\u{202E}x\u{2066}\u{200F}y"),
            // Right-to-left letters and joiners are plain text.
            ("\u{5E9}\u{5DC} \u{200D}\u{200C}".as_bytes(), "\u{5E9}\u{5DC} \u{200D}\u{200C}".as_bytes()),
            // Not UTF-8, and no control byte.
            (b"\xFF", b"\xFF"),
        ] {
            assert_eq!(shown_bytes(bytes), expected, "{bytes:?}");
        }
    }
}
