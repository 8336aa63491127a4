//! `apply`: one line per file, and the diff on request.

use fsgate_contract::edit_types::{AppliedFile, ApplyOutcome};

use super::changes::on_lines;
use crate::answers::ToolAnswers;
use crate::exit::Exit;

/// Files that the remark on line ends names: the diff shows all of them.
const FILES_NAMED: usize = 3;

pub(super) fn show(mut answers: ToolAnswers) -> Result<Exit, Exit> {
    let outcome: ApplyOutcome = answers.ask()?;
    files(&mut answers, &outcome.files, outcome.diff.as_deref())?;
    answers.notes(&outcome.notes);
    Ok(Exit::Done)
}

pub(super) fn files(
    answers: &mut ToolAnswers,
    files: &[AppliedFile],
    diff: Option<&str>,
) -> Result<(), Exit> {
    let lines: Vec<_> = files.iter().map(|file| line(answers, file)).collect();
    answers.done(&lines.join("\n"), diff)?;
    let adapted = files.iter().filter(|file| file.line_ends_adapted);
    let adapted: Vec<_> = adapted.map(|file| answers.path_beside_brackets(&file.path)).collect();
    if !adapted.is_empty() {
        let named = adapted.iter().take(FILES_NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
        let more = match adapted.len().saturating_sub(FILES_NAMED) {
            0 => String::new(),
            count => format!(" and {count} more"),
        };
        answers.shell.complain(&format!("line ends were taken as those of {named}{more}"));
    }
    Ok(())
}

fn line(answers: &ToolAnswers, file: &AppliedFile) -> String {
    let (path, bytes) = (answers.path_beside_brackets(&file.path), file.bytes_written);
    let moved = file.moved_from.as_deref();
    let moved = moved.map(|from| (answers.path_beside_brackets(from), answers.verb("moved", "move")));
    let done = if let Some((from, verb)) = moved {
        let changed = match file.replacements {
            0 => String::new(),
            count => {
                format!(", {} {count}{}", answers.verb("replaced", "replace"), on_lines(count, &file.lines))
            }
        };
        format!("{verb} {from} to {path}{changed}")
    } else if file.deleted {
        format!("{} {path}", answers.verb("deleted", "delete"))
    } else if file.created {
        format!("{} {path} ({bytes} bytes)", answers.verb("created", "create"))
    } else if file.replacements > 0 {
        let count = file.replacements;
        let verb = answers.verb("replaced", "replace");
        format!("{verb} {count} in {path}{}", on_lines(count, &file.lines))
    } else {
        let verb = answers.verb("wrote", "write");
        format!("{verb} {path} ({bytes} bytes from the first to the last change)")
    };
    match &file.etag {
        Some(etag) if answers.are_in_json() => format!("{done} [etag: {etag}]"),
        _ => done,
    }
}
