//! What a person sees of an outcome: one file for each tool that looks, one for all that change.

mod changes;
mod exists;
mod list_directory;
mod read;
mod read_bytes;
mod read_many;
mod read_numbered;
mod stat;

use serde_json::Value;

use crate::answers::Answers;
use crate::exit::Exit;

/// Asks and shows, to the end.
pub(crate) fn show(answers: Answers) -> Result<Exit, Exit> {
    match answers.tool() {
        "read" => read::show(answers),
        "read_numbered" => read_numbered::show(answers),
        "read_many" => read_many::show(answers),
        "read_bytes" => read_bytes::show(answers),
        "stat" => stat::show(answers),
        "exists" => exists::show(answers),
        "list_directory" => list_directory::show(answers),
        "create" | "write" | "write_bytes" | "append" => changes::written(answers),
        "replace" | "replace_all" => changes::replaced(answers),
        _ => json(answers),
    }
}

/// A tool without a form of its own speaks JSON.
fn json(mut answers: Answers) -> Result<Exit, Exit> {
    let outcome: Value = answers.ask()?;
    answers.print(format!("{outcome:#}\n").as_bytes())?;
    Ok(Exit::Done)
}
