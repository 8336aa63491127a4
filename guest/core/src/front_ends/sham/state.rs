//! What lasts from one text to the next.

use serde::{Deserialize, Serialize};

use crate::contract::types::UndoId;
use crate::limits::{FRONT_END_TEXT_BYTES, SHAM_CHANGES, SHAM_WORKING_SET};

/// The working set, and what can be taken back.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct State {
    /// Paths of the working set, in the order in which they came in.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) context: Vec<String>,
    /// The changes of each text, the last text and its last change at the end.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) changes: Vec<Vec<UndoId>>,
}

impl State {
    pub(super) fn read(text: Option<&str>) -> Result<Self, String> {
        let Some(text) = text else { return Ok(Self::default()) };
        if text.len() > FRONT_END_TEXT_BYTES {
            return Err(format!("it has more than {FRONT_END_TEXT_BYTES} bytes"));
        }
        let state: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if state.context.len() > SHAM_WORKING_SET {
            return Err(format!("the working set has at most {SHAM_WORKING_SET} paths"));
        }
        Ok(state)
    }

    /// None if there is nothing to write down.
    pub(super) fn written(mut self) -> Option<String> {
        self.changes.retain(|text| !text.is_empty());
        let mut count: usize = self.changes.iter().map(Vec::len).sum();
        while count > SHAM_CHANGES && self.changes.len() > 1 {
            count -= self.changes.remove(0).len();
        }
        (self != Self::default()).then(|| serde_json::to_string(&self).unwrap_or_default())
    }
}
