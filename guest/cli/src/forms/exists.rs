//! `exists`: `true` or `false`, with the exit code of `test -e`.

use fsgate_contract::read_types::ExistsOutcome;

use crate::answers::ToolAnswers;
use crate::exit::Exit;

pub(super) fn show(mut answers: ToolAnswers) -> Result<Exit, Exit> {
    let outcome: ExistsOutcome = answers.ask()?;
    let verdict = if outcome.exists { Exit::Done } else { Exit::Refused };
    match answers.print(format!("{}\n", outcome.exists).as_bytes()) {
        // The exit code answers too.
        Err(Exit::Done) => return Ok(verdict),
        printed => printed?,
    }
    answers.notes(&outcome.notes);
    Ok(verdict)
}
