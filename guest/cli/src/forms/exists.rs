//! `exists`: `true` or `false`, and the exit code that `test -e` has.

use fsgate_contract::read_types::ExistsOutcome;

use crate::answers::ToolAnswers;
use crate::exit::Exit;

pub(super) fn show(mut answers: ToolAnswers) -> Result<Exit, Exit> {
    let outcome: ExistsOutcome = answers.ask()?;
    let verdict = if outcome.exists { Exit::Done } else { Exit::Refused };
    match answers.print(format!("{}\n", outcome.exists).as_bytes()) {
        // Nobody reads it, but the exit code still tells.
        Err(Exit::Done) => return Ok(verdict),
        printed => printed?,
    }
    answers.notes(&outcome.notes);
    Ok(verdict)
}
