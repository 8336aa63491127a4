//! `tree`: the drawing, under its directory's path.

use fsgate_contract::search_types::TreeOutcome;

use super::left_out::LeftOut;
use crate::answers::ToolAnswers;
use crate::exit::Exit;

pub(super) fn show(mut answers: ToolAnswers) -> Result<Exit, Exit> {
    if answers.text("form") == Some("entries") {
        return super::json(answers);
    }
    answers.arguments.insert("form".to_owned(), "drawn".into());
    let mut left_out = LeftOut::default();
    let mut first = true;
    loop {
        let outcome: TreeOutcome = answers.ask()?;
        if std::mem::take(&mut first) {
            let path = answers.path(&outcome.path);
            answers.print(format!("{path}\n").as_bytes())?;
        }
        answers.print(outcome.drawn.unwrap_or_default().as_bytes())?;
        answers.notes(&outcome.notes);
        left_out.add(&outcome.skipped);
        if !answers.next(outcome.next_cursor)? {
            left_out.tell(&answers.shell);
            return Ok(Exit::Done);
        }
    }
}
