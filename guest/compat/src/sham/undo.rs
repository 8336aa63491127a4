//! Undoes the changes of a text.

use super::execute::{ActionAnswer, ActionArguments, ShamExecutor};
use crate::Tools;
use fsgate_contract::history_types::{RedoArgs, UndoArgs};
use fsgate_contract::types::{Code, Error};

impl<T: Tools> ShamExecutor<'_, T> {
    /// Undoes the last text with changes, this one included, newest change first, completely or not
    /// at all. Changes that are forgotten or undone elsewhere count as done; a text with only such
    /// changes is skipped.
    pub(super) fn undo(&mut self, given: &ActionArguments) -> ActionAnswer {
        while let Some(text) = self.state.changes.iter().rposition(|text| !text.is_empty()) {
            let mut taken = Vec::new();
            let mut is_done_already = true;
            for id in self.state.changes[text].iter().rev() {
                // Another session may have made the text.
                let args = UndoArgs { id: Some(id.clone()), any_session: Some(true), ..UndoArgs::default() };
                match self.call(&args) {
                    Ok(outcome) => {
                        is_done_already = false;
                        taken.extend(outcome.undo_id);
                    }
                    Err(error) if matches!(error.code, Code::NothingToUndo | Code::UnknownId) => {}
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

    /// Redoes changes that were undone before one that failed.
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
