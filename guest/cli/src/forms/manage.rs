//! Tools that create, copy, move and delete: one line, and the paths of a pattern.

use fsgate_contract::manage_types::{CopyOutcome, CreateDirectoryOutcome, MoveOutcome};
use fsgate_contract::types::Note;
use serde::Deserialize;

use crate::answers::ToolAnswers;
use crate::exit::Exit;
use crate::quote::shown;

pub(super) fn created(mut answers: ToolAnswers) -> Result<Exit, Exit> {
    let outcome: CreateDirectoryOutcome = answers.ask()?;
    let path = answers.path(&outcome.path);
    let line = if outcome.created {
        format!("{} {path}", answers.verb("created", "create"))
    } else {
        format!("{path} is there already")
    };
    answers.finish(&line, None, &outcome.notes)
}

pub(super) fn copied(mut answers: ToolAnswers) -> Result<Exit, Exit> {
    let outcome: CopyOutcome = answers.ask()?;
    let line = format!(
        "{} {} to {} ({})",
        answers.verb("copied", "copy"),
        answers.path(&outcome.source),
        answers.path(&outcome.destination),
        tally(&outcome)
    );
    let replaced = match outcome.files {
        _ if !outcome.overwrote => None,
        1 => Some(answers.path(&outcome.destination)),
        _ => Some("files that were there".to_owned()),
    };
    put(&mut answers, &line, replaced.as_deref(), &outcome.notes)
}

pub(super) fn moved(mut answers: ToolAnswers) -> Result<Exit, Exit> {
    let outcome: MoveOutcome = answers.ask()?;
    let line = format!(
        "{} {} to {}",
        answers.verb("moved", "move"),
        answers.path(&outcome.source),
        answers.path(&outcome.destination)
    );
    let replaced = outcome.overwrote.then(|| answers.path(&outcome.destination));
    put(&mut answers, &line, replaced.as_deref(), &outcome.notes)
}

fn put(answers: &mut ToolAnswers, line: &str, replaced: Option<&str>, notes: &[Note]) -> Result<Exit, Exit> {
    let Some(replaced) = replaced else { return answers.finish(line, None, notes) };
    let verb = answers.verb("replaced", "replace");
    answers.finish(&format!("{line}; {verb} {replaced}"), None, notes)
}

#[derive(Deserialize)]
struct Deleted {
    path: String,
    deleted: u32,
    paths: Option<Vec<String>>,
    #[serde(default)]
    notes: Vec<Note>,
}

pub(super) fn deleted(mut answers: ToolAnswers) -> Result<Exit, Exit> {
    let outcome: Deleted = answers.ask()?;
    let (verb, path) = (answers.verb("deleted", "delete"), answers.path(&outcome.path));
    let mut text = match (&outcome.paths, outcome.deleted) {
        (Some(_), count) => format!("{verb} {count} in {path}"),
        (None, 1) => format!("{verb} {path}"),
        (None, count) => format!("{verb} {path} ({count} names)"),
    };
    let paths = outcome.paths.unwrap_or_default();
    for path in &paths {
        text += &format!("\n  {}", shown(path));
    }
    match (outcome.deleted as usize).saturating_sub(paths.len()) {
        more if more > 0 && !paths.is_empty() => text += &format!("\n  and {more} more"),
        _ => {}
    }
    answers.finish(&text, None, &outcome.notes)
}

fn tally(outcome: &CopyOutcome) -> String {
    let CopyOutcome { files, directories, bytes_written, .. } = outcome;
    let counted =
        |count: u32, one: &str, several: &str| format!("{count} {}", if count == 1 { one } else { several });
    let files = counted(*files, "file", "files");
    match directories {
        0 => format!("{files}, {bytes_written} bytes"),
        count => format!("{files} in {}, {bytes_written} bytes", counted(*count, "directory", "directories")),
    }
}
