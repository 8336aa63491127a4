//! Takes back what a text has changed.

use super::execute::{Answer, Executor, Given};
use crate::contract::history_types::{RedoArgs, UndoArgs};
use crate::contract::types::Error;
use crate::front_ends::Tools;

impl<T: Tools> Executor<'_, T> {
    /// Takes back every change of the last text that has made any, this one among them, the last change first: all of them or none.
    pub(super) fn undo(&mut self, given: &Given) -> Answer {
        let texts = &mut self.state.changes;
        let Some(text) = texts.iter().rposition(|text| !text.is_empty()) else {
            return Err(given.says("there is nothing to undo"));
        };
        let mut taken = Vec::new();
        for id in self.state.changes[text].iter().rev() {
            // A text may be of another session than the one that takes it back: its ids are known.
            let args = UndoArgs { id: Some(id.clone()), any_session: Some(true), ..UndoArgs::default() };
            match self.call(&args) {
                Ok(outcome) => taken.extend(outcome.undo_id),
                Err(error) => return Err(self.give_back(given, taken, &error).into()),
            }
        }
        self.state.changes[text].clear();
        Ok(None)
    }

    /// Makes good what was taken back before something could not be.
    fn give_back(&self, given: &Given, taken: Vec<String>, error: &Error) -> String {
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
