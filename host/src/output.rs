//! What the program prints, and its exit code. Answers go to standard output, everything else to standard error.

use std::io::{self, Write};
use std::process::ExitCode;

use fsgate::{CreateOutcome, Note, ReadNumberedOutcome, ReadOutcome, ReplaceOutcome};
use serde_json::Value;

/// How the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// It is done.
    Done,
    /// The tool refused.
    Refused,
    /// The program was called wrongly, or its start was refused.
    Usage,
    /// fsgate itself failed.
    Internal,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Done => 0,
            Exit::Refused => 1,
            Exit::Usage => 2,
            Exit::Internal => 3,
        })
    }
}

impl Exit {
    /// The exit code for an error in JSON.
    pub(crate) fn of_error(error: &str) -> Self {
        match serde_json::from_str::<Value>(error) {
            Ok(error) if error["code"] != "other" => Self::Refused,
            _ => Self::Internal,
        }
    }
}

/// Prints an answer. A reader that has gone is no failure.
pub(crate) fn answer(bytes: &[u8]) -> Exit {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            complain(&format!("cannot write to standard output: {error}"));
            Exit::Internal
        }
        _ => Exit::Done,
    }
}

/// Prints a line for the person at the terminal.
pub(crate) fn complain(text: &str) {
    // There is nobody left to tell if this fails.
    let _ = writeln!(io::stderr(), "fsgate: {text}");
}

/// Prints an outcome as a person wants to see it. Where the program reads on by itself, it does not tell how to.
pub(crate) fn outcome(tool: &str, json: &str, reads_on: bool) -> Exit {
    let shown = match tool {
        "read" => serde_json::from_str(json).map(|outcome| read(outcome, reads_on)),
        "read_numbered" => serde_json::from_str(json).map(read_numbered),
        "create" => serde_json::from_str(json).map(create),
        "replace" => serde_json::from_str(json).map(replace),
        // A tool without a form of its own speaks JSON.
        _ => Ok((format!("{json}\n"), Vec::new())),
    };
    match shown {
        Ok((text, notes)) => {
            let exit = answer(text.as_bytes());
            for note in notes {
                complain(&note.text);
            }
            exit
        }
        Err(error) => {
            complain(&format!("cannot read the outcome of `{tool}`: {error}"));
            Exit::Internal
        }
    }
}

/// Prints an error as a person wants to see it.
pub(crate) fn error(json: &str) {
    let error: Value = serde_json::from_str(json).unwrap_or_default();
    let text = |field: &str| error[field].as_str();
    let message = text("message").unwrap_or(json);
    match text("path") {
        Some(path) => complain(&format!("{path}: {message}")),
        None => complain(message),
    }
    if let Some(repair) = text("repair") {
        complain(repair);
    }
}

type Shown = (String, Vec<Note>);

fn read(mut outcome: ReadOutcome, reads_on: bool) -> Shown {
    outcome.notes.retain(|note| !reads_on || note.kind != "continue");
    (outcome.content, outcome.notes)
}

fn read_numbered(outcome: ReadNumberedOutcome) -> Shown {
    let mut notes = outcome.notes;
    if let Some(out) = outcome.out_of_range {
        let text = format!("the file has {} lines; {} were asked for", out.total, out.requested);
        notes.push(Note { kind: "out_of_range".to_owned(), text });
    }
    let end = if outcome.content.is_empty() { "" } else { "\n" };
    (outcome.content + end, notes)
}

fn create(outcome: CreateOutcome) -> Shown {
    let line = format!("created {} ({} bytes)\n", outcome.path, outcome.bytes_written);
    (line + &outcome.diff.unwrap_or_default(), outcome.notes)
}

fn replace(outcome: ReplaceOutcome) -> Shown {
    let lines: Vec<_> = outcome.lines.iter().map(u32::to_string).collect();
    let line = format!("replaced {} in {} (line {})\n", outcome.replacements, outcome.path, lines.join(", "));
    (line + &outcome.diff.unwrap_or_default(), outcome.notes)
}
