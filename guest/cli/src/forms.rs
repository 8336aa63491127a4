//! Outcomes for a person: a file per reading tool, and one each for content changes, file
//! operations and history.

mod apply;
mod changes;
mod exists;
mod glob;
mod grep;
mod history;
mod left_out;
mod list_directory;
mod manage;
mod outline;
mod read;
mod read_bytes;
mod read_many;
mod read_numbered;
mod replace_in_files;
mod stat;
mod tree;

use serde_json::Value;

use crate::answers::ToolAnswers;
use crate::exit::Exit;

/// `2026-11-21T00:23:57.106Z` without the fraction.
fn to_the_second(time: &str) -> String {
    let whole = time.split('.').next().unwrap_or_default();
    if whole.ends_with('Z') { whole.to_owned() } else { format!("{whole}Z") }
}

pub(crate) fn show(answers: ToolAnswers) -> Result<Exit, Exit> {
    match answers.tool() {
        "read" => read::show(answers),
        "read_numbered" => read_numbered::show(answers),
        "outline" => outline::show(answers),
        "read_many" => read_many::show(answers),
        "read_bytes" => read_bytes::show(answers),
        "stat" => stat::show(answers),
        "exists" => exists::show(answers),
        "list_directory" => list_directory::show(answers),
        "grep" => grep::show(answers),
        "tree" => tree::show(answers),
        "glob" => glob::show(answers),
        "create" | "write" | "write_bytes" | "append" => changes::written(answers),
        "replace" | "replace_all" => changes::replaced(answers),
        "replace_lines" | "insert_lines" => changes::lined(answers),
        "comment_lines" | "uncomment_lines" => changes::marked(answers),
        "apply" => apply::show(answers),
        "replace_in_files" => replace_in_files::show(answers),
        "create_directory" => manage::created(answers),
        "copy" => manage::copied(answers),
        "move" => manage::moved(answers),
        "delete" | "delete_directory" => manage::deleted(answers),
        "log" => history::log(answers),
        "checkpoint" => history::checkpoint(answers),
        "undo" => history::undo(answers),
        "redo" => history::redo(answers),
        "restore" => history::restore(answers),
        "forget" => history::forget(answers),
        "recover" => history::recover(answers),
        _ => json(answers),
    }
}

fn json(mut answers: ToolAnswers) -> Result<Exit, Exit> {
    let outcome: Value = answers.ask()?;
    answers.print(format!("{outcome:#}\n").as_bytes())?;
    Ok(Exit::Done)
}
