//! `read-bytes`: raw bytes.

use fsgate_contract::read_types::ReadBytesOutcome;

use crate::answers::ToolAnswers;
use crate::exit::Exit;

pub(super) fn show(mut answers: ToolAnswers) -> Result<Exit, Exit> {
    let mut size = None;
    loop {
        let outcome: ReadBytesOutcome = answers.ask()?;
        // Only the size is about the whole file.
        if *size.get_or_insert(outcome.size) != outcome.size {
            return Err(answers.changed());
        }
        answers.print_bytes(&outcome.bytes)?;
        answers.notes(&outcome.notes);
        if outcome.end || !answers.paged || outcome.bytes.is_empty() {
            return Ok(Exit::Done);
        }
        let offset = outcome.offset + outcome.bytes.len() as u64;
        answers.arguments.insert("offset".to_owned(), offset.into());
    }
}
