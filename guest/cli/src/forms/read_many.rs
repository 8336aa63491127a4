//! `read-many`: the joined form of any number of files.

use fsgate_contract::Arguments;
use fsgate_contract::read_types::{FileRead, ReadManyArgs, ReadManyOutcome};
use serde_json::Value;

use super::read;
use crate::answers::ToolAnswers;
use crate::exit::Exit;
use crate::quote::shell_word;

pub(super) fn show(mut answers: ToolAnswers) -> Result<Exit, Exit> {
    if answers.are_in_json() {
        return one(answers);
    }
    // Joined here, so a large file's pages stay together.
    answers.arguments.shift_remove("joined");
    let mut left = match answers.arguments.shift_remove("paths") {
        Some(Value::Array(paths)) => paths,
        _ => Vec::new(),
    };
    let most = at_once().filter(|_| answers.paged).unwrap_or(left.len());
    let (mut begun, mut exit) = (false, Exit::Done);
    loop {
        let now = left.iter().take(most).cloned().collect();
        answers.arguments.insert("paths".to_owned(), Value::Array(now));
        let outcome: ReadManyOutcome = answers.ask()?;
        for file in &outcome.files {
            if !show_file(&mut answers, file, &mut begun)? {
                exit = Exit::Refused;
            }
        }
        answers.notes(&outcome.notes);
        left.drain(..outcome.files.len().min(left.len()));
        if left.is_empty() {
            return Ok(exit);
        }
        if !answers.paged {
            answers
                .shell
                .complain(&format!("{} more files were left out: `--max-bytes` is used up", left.len()));
            return Ok(exit);
        }
        if outcome.files.is_empty() {
            answers.shell.complain("`read_many` does not get any further");
            return Err(Exit::Internal);
        }
    }
}

fn one(mut answers: ToolAnswers) -> Result<Exit, Exit> {
    let outcome: ReadManyOutcome = answers.ask()?;
    let mut text = outcome.content.unwrap_or_default();
    let between = between(outcome.files.iter().filter_map(|file| file.content.as_deref()));
    for file in &outcome.files {
        if let Some(error) = &file.error {
            answers.error(&error.into());
        }
        let Some(content) = &file.content else { continue };
        if !text.is_empty() {
            text.push_str("\n\n");
        }
        text += &format!("{between} {} {between}\n{content}", answers.path(&file.path));
    }
    answers.print(text.as_bytes())?;
    for file in &outcome.files {
        let known = [("etag", &file.etag), ("next_cursor", &file.next_cursor)];
        let known: Vec<_> =
            known.iter().filter_map(|(name, value)| Some(format!("{name} {}", value.as_ref()?))).collect();
        if !known.is_empty() {
            let path = answers.path_beside_brackets(&file.path);
            answers.shell.complain(&format!("{path}: {}", known.join(", ")));
        }
    }
    answers.notes(&outcome.notes);
    let left = answers.list("paths").saturating_sub(outcome.files.len());
    if left > 0 {
        answers.shell.complain(&format!("{left} more files were left out: `max_bytes` is used up"));
    }
    Ok(Exit::Done)
}

/// The line around a path: at least three `=`, and one more than starts any line of the contents.
fn between<'c>(contents: impl Iterator<Item = &'c str>) -> String {
    let ends_line =
        |character| matches!(character, '\n' | '\r' | '\u{B}' | '\u{C}' | '\u{85}' | '\u{2028}' | '\u{2029}');
    let begins = |line: &str| line.len() - line.trim_start_matches('=').len();
    let most = contents.flat_map(|content| content.split(ends_line)).map(begins).max();
    "=".repeat(most.map_or(0, |most| most + 1).max(3))
}

/// Shows a file, or its error; false if a part is missing.
fn show_file(answers: &mut ToolAnswers, file: &FileRead, begun: &mut bool) -> Result<bool, Exit> {
    if let Some(error) = &file.error {
        answers.error(&error.into());
        return Ok(false);
    }
    let heading = format!("{}=== {} ===\n", if *begun { "\n\n" } else { "" }, answers.path(&file.path));
    *begun = true;
    answers.print(heading.as_bytes())?;
    answers.print(file.content.as_deref().unwrap_or_default().as_bytes())?;
    let Some(cursor) = file.next_cursor.clone() else { return Ok(true) };
    if !answers.paged {
        answers.shell.complain(&format!(
            "there is more of {path}: go on with `fsgate read {path} --cursor {cursor}`",
            path = shell_word(&file.path),
        ));
        return Ok(true);
    }
    let Some(rest) = answers.rest_of(&file.path, cursor, file.etag.as_deref()) else { return Ok(false) };
    match read::show(rest) {
        Ok(exit) => Ok(exit == Exit::Done),
        // This file ends; others follow.
        Err(Exit::Refused) => Ok(false),
        Err(exit) => Err(exit),
    }
}

fn at_once() -> Option<usize> {
    let operation = fsgate_contract::Operation::find(ReadManyArgs::OPERATION)?;
    let (_, high) = operation.fields.iter().find(|field| field.name == "paths")?.range?;
    usize::try_from(high).ok()
}
