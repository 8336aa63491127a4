//! Actions on the working set: paths, existing or not.

use serde_json::{Value, json};

use super::execute::{ActionAnswer, ActionArguments, RefusedAction, ShamExecutor, is_missing, size_in_json};
use super::state::{fits, too_long};
use crate::Tools;
use fsgate_contract::limits::SHAM_WORKING_SET;
use fsgate_contract::read_types::StatArgs;
use fsgate_contract::types::{Entry, Error};

impl<T: Tools> ShamExecutor<'_, T> {
    pub(super) fn add_to_context(&mut self, given: &ActionArguments) -> ActionAnswer {
        let path = given.text("path");
        if !self.state.context.iter().any(|known| known == path) {
            if self.state.context.len() >= SHAM_WORKING_SET {
                return Err(given.says(&format!("the working set has at most {SHAM_WORKING_SET} paths")));
            }
            if !fits(path) {
                return Err(given.says(&too_long()));
            }
            self.state.context.push(path.to_owned());
        }
        Ok(Some(json!({"path": self.shortened(path)})))
    }

    pub(super) fn remove_from_context(&mut self, given: &ActionArguments) -> Option<Value> {
        let path = given.text("path");
        self.state.context.retain(|known| known != path);
        Some(json!({"path": self.shortened(path)}))
    }

    pub(super) fn list_context(&mut self, given: &ActionArguments) -> ActionAnswer {
        self.take_context(given)?;
        let size = |path: &String| self.looked_at(path).map_or(0, |entry| entry.size);
        let listed = |path: &String| json!({"path": path, "size": size(path)});
        Ok(Some(self.state.context.iter().map(listed).collect()))
    }

    pub(super) fn prune_context(&mut self, given: &ActionArguments) -> ActionAnswer {
        self.take_context(given)?;
        let paths = std::mem::take(&mut self.state.context);
        let is_gone = |path: &String| self.looked_at(path).is_err_and(|error| is_missing(&error));
        let (removed, kept): (Vec<_>, Vec<_>) = paths.into_iter().partition(is_gone);
        self.state.context = kept;
        Ok(Some(json!({"removed": removed})))
    }

    /// Reserves the working set's size: a text may request it repeatedly.
    fn take_context(&mut self, given: &ActionArguments) -> Result<(), RefusedAction> {
        /// An entry's size besides its path.
        const TOLD_BYTES: usize = 40;
        let bytes = self.state.context.iter().map(|path| size_in_json(path) + TOLD_BYTES).sum();
        self.take(given, bytes)
    }

    pub(super) fn clear_context(&mut self) -> Option<Value> {
        self.state.context.clear();
        None
    }

    /// The entry at a path; a link is followed.
    pub(super) fn looked_at(&self, path: &str) -> Result<Entry, Error> {
        let args = StatArgs { path: path.to_owned(), ..StatArgs::default() };
        self.call(&args).map(|outcome| outcome.entry)
    }
}
