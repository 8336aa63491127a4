//! Tools that change content: one line, and the diff on request.

use fsgate_contract::types::Note;
use serde::Deserialize;

use crate::answers::ToolAnswers;
use crate::exit::Exit;

#[derive(Deserialize)]
struct WriteOutcome {
    path: String,
    bytes_written: u64,
    created: bool,
    diff: Option<String>,
    #[serde(default)]
    notes: Vec<Note>,
}

pub(super) fn written(mut answers: ToolAnswers) -> Result<Exit, Exit> {
    let outcome: WriteOutcome = answers.ask()?;
    let (path, bytes) = (answers.path(&outcome.path), outcome.bytes_written);
    let line = match (answers.tool(), outcome.created) {
        (_, true) => format!("{} {path} ({bytes} bytes)", answers.verb("created", "create")),
        ("append", _) => format!("{} {bytes} bytes to {path}", answers.verb("appended", "append")),
        _ => format!(
            "{} {path} ({bytes} bytes from the first to the last change)",
            answers.verb("wrote", "write")
        ),
    };
    answers.finish(&line, outcome.diff.as_deref(), &outcome.notes)
}

#[derive(Deserialize)]
struct ReplaceOutcome {
    path: String,
    replacements: u32,
    lines: Vec<u32>,
    line_ends_adapted: bool,
    diff: Option<String>,
    #[serde(default)]
    notes: Vec<Note>,
}

pub(super) fn replaced(mut answers: ToolAnswers) -> Result<Exit, Exit> {
    let outcome: ReplaceOutcome = answers.ask()?;
    let line = format!(
        "{} {} in {}{}",
        answers.verb("replaced", "replace"),
        outcome.replacements,
        answers.path(&outcome.path),
        on_lines(outcome.replacements, &outcome.lines)
    );
    answers.done(&line, outcome.diff.as_deref())?;
    if outcome.line_ends_adapted {
        answers.shell.complain("line ends were taken as the file's");
    }
    answers.notes(&outcome.notes);
    Ok(Exit::Done)
}

#[derive(Deserialize)]
struct LinesOutcome {
    path: String,
    lines: Option<String>,
    line_ends_adapted: bool,
    diff: Option<String>,
    #[serde(default)]
    notes: Vec<Note>,
}

pub(super) fn lined(mut answers: ToolAnswers) -> Result<Exit, Exit> {
    let outcome: LinesOutcome = answers.ask()?;
    let path = answers.path(&outcome.path);
    let line = match (answers.tool(), &outcome.lines) {
        (_, None) => {
            let lines = answers.text("lines").map_or("lines".to_owned(), range);
            format!("{} {lines} of {path}", answers.verb("deleted", "delete"))
        }
        ("insert_lines", Some(lines)) => {
            format!("{} {path} ({})", answers.verb("inserted into", "insert into"), range(lines))
        }
        (_, Some(lines)) => {
            format!("{} lines of {path} (now {})", answers.verb("replaced", "replace"), range(lines))
        }
    };
    answers.done(&line, outcome.diff.as_deref())?;
    if outcome.line_ends_adapted {
        answers.shell.complain("line ends were taken as the file's");
    }
    answers.notes(&outcome.notes);
    Ok(Exit::Done)
}

/// `line 4`, `lines 23-43`.
fn range(lines: &str) -> String {
    format!("{} {lines}", if lines.contains('-') { "lines" } else { "line" })
}

#[derive(Deserialize)]
struct CommentOutcome {
    path: String,
    syntax: String,
    changed: u32,
    lines: Vec<u32>,
    diff: Option<String>,
    #[serde(default)]
    notes: Vec<Note>,
}

pub(super) fn marked(mut answers: ToolAnswers) -> Result<Exit, Exit> {
    let outcome: CommentOutcome = answers.ask()?;
    let verb = if answers.tool() == "comment_lines" {
        answers.verb("commented out", "comment out")
    } else {
        answers.verb("uncommented", "uncomment")
    };
    let CommentOutcome { changed, lines, syntax, .. } = &outcome;
    let line = format!(
        "{verb} {changed} in {} as {syntax}{}",
        answers.path(&outcome.path),
        on_lines(*changed, lines)
    );
    answers.finish(&line, outcome.diff.as_deref(), &outcome.notes)
}

pub(super) fn on_lines(count: u32, lines: &[u32]) -> String {
    let listed: Vec<_> = lines.iter().map(u32::to_string).collect();
    match (&listed[..], (count as usize).saturating_sub(lines.len())) {
        ([], _) => String::new(),
        ([line], 0) => format!(" (line {line})"),
        (_, 0) => format!(" (lines {})", listed.join(", ")),
        (_, more) => format!(" (lines {} and {more} more)", listed.join(", ")),
    }
}

impl ToolAnswers<'_> {
    pub(super) fn verb(&self, done: &str, would: &str) -> String {
        if self.is_set("dry_run") { format!("would {would}") } else { done.to_owned() }
    }

    pub(super) fn finish(&mut self, line: &str, diff: Option<&str>, notes: &[Note]) -> Result<Exit, Exit> {
        self.done(line, diff)?;
        self.notes(notes);
        Ok(Exit::Done)
    }

    pub(super) fn done(&mut self, line: &str, diff: Option<&str>) -> Result<(), Exit> {
        let diff = diff.map(|diff| self.diff(diff)).unwrap_or_default();
        self.print(format!("{line}\n{diff}").as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_listed_as_far_as_the_outcome_does() {
        for (count, lines, expected) in [
            (0, &[][..], ""),
            (1, &[7], " (line 7)"),
            (2, &[7, 9], " (lines 7, 9)"),
            (5, &[7, 9], " (lines 7, 9 and 3 more)"),
        ] {
            assert_eq!(on_lines(count, lines), expected);
        }
    }

    #[test]
    fn a_range_is_told_as_the_argument_names_it() {
        assert_eq!(range("4"), "line 4");
        assert_eq!(range("23-43"), "lines 23-43");
    }
}
