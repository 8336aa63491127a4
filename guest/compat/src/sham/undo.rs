//! Undoes the changes of a text.

use super::execute::{ActionAnswer, ActionArguments, ShamExecutor};
use crate::Tools;
use fsgate_contract::history_types::{RedoArgs, UndoArgs};
use fsgate_contract::types::{Code, Error};
use fsgate_error::{Failure, HistoryProblem};

impl<T: Tools> ShamExecutor<'_, T> {
    /// Takes back the last text with changes, the last change first: all or none. A forgotten or
    /// undone change counts as done; a text of only such changes is passed over.
    pub(super) fn undo(&mut self, given: &ActionArguments) -> ActionAnswer {
        while let Some(text) = self.state.changes.iter().rposition(|text| !text.is_empty()) {
            let mut taken = Vec::new();
            let mut is_done_already = true;
            for id in self.state.changes[text].iter().rev() {
                // Another session may have made it.
                let args =
                    UndoArgs { id: Some(vec![id.clone()]), any_session: Some(true), ..UndoArgs::default() };
                match self.call(&args) {
                    Ok(outcome) => {
                        is_done_already = false;
                        taken.extend(outcome.undo_id);
                    }
                    Err(error) if is_undone(&error, id) => {}
                    Err(error) => return Err(self.give_back(given, taken, &error).into()),
                }
            }
            self.state.changes[text].clear();
            if !is_done_already {
                return Ok(None);
            }
        }
        Err(given.says("there is nothing to undo"))
    }

    /// Redoes changes undone before a failure.
    fn give_back(&self, given: &ActionArguments, taken: Vec<String>, error: &Error) -> String {
        let path = error.path.as_deref().unwrap_or_default();
        let place = if path.is_empty() { String::new() } else { format!(" '{path}'") };
        let mut sentence = format!("{}: {}{place}", given.action, error.message);
        for id in taken.into_iter().rev() {
            let args = RedoArgs { id: Some(id), any_session: Some(true), ..RedoArgs::default() };
            if let Err(error) = self.tools().restore(&args) {
                sentence +=
                    &format!("; and what was taken back before could not be brought back: {}", error.message);
                break;
            }
        }
        sentence
    }
}

/// Whether a refusal says that a change is gone or undone. An entry hidden from the session has the
/// same code.
fn is_undone(error: &Error, id: &str) -> bool {
    let is_hidden = || {
        let hidden = Failure::from(HistoryProblem::HiddenEntry(id.to_owned()));
        error.message == hidden.into_error("undo").message
    };
    match error.code {
        Code::UnknownId => true,
        Code::NothingToUndo => !is_hidden(),
        _ => false,
    }
}
