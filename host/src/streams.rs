//! Standard streams and files of the machine: answers go to standard output, everything else to standard error.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read, Write};

use fsgate_command_line::{Exit, Streams, Unwritten};
use fsgate_core::text::excerpt::is_invisible;

/// Those that the program was started with.
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
        let mut out = io::stdout().lock();
        out.write_all(bytes).and_then(|()| out.flush()).map_err(|error| match error.kind() {
            io::ErrorKind::BrokenPipe => Unwritten::ReaderGone,
            _ => Unwritten::Failed(error.to_string()),
        })
    }

    fn complain(&self, line: &str) {
        complain(line);
    }
}

fn first(source: impl Read, most: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(most as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Prints a line for the person at the terminal.
pub(crate) fn complain(text: &str) {
    // There is nobody left to tell if this fails.
    let _ = writeln!(io::stderr(), "fsgate: {}", visible(text));
}

/// A text with everything invisible but line ends by its number: names and values in it may be somebody else's, and a terminal
/// obeys some of them.
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

/// Prints what no tool has said. A reader that has gone is no failure.
pub(crate) fn print(bytes: &[u8]) -> Exit {
    match Standard.answer(bytes) {
        Ok(()) | Err(Unwritten::ReaderGone) => Exit::Done,
        Err(Unwritten::Failed(error)) => {
            complain(&format!("cannot write to standard output: {error}"));
            Exit::Internal
        }
    }
}
