//! State between the texts of a session.

use serde::{Deserialize, Serialize};

use super::execute::size_in_json;
use fsgate_contract::limits::{FRONT_END_TEXT_BYTES, SHAM_CHANGES, SHAM_PATH_BYTES, SHAM_WORKING_SET};
use fsgate_contract::types::UndoId;

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct ShamState {
    /// Paths of the working set, oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) context: Vec<String>,
    /// The changes of each text, newest last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) changes: Vec<Vec<UndoId>>,
}

impl ShamState {
    pub(super) fn read(text: Option<&str>) -> Result<Self, String> {
        let Some(text) = text else { return Ok(Self::default()) };
        if text.len() > FRONT_END_TEXT_BYTES {
            return Err(format!("it has more than {FRONT_END_TEXT_BYTES} bytes"));
        }
        let state: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if state.context.len() > SHAM_WORKING_SET {
            return Err(format!("the working set has at most {SHAM_WORKING_SET} paths"));
        }
        if state.context.iter().any(|path| !fits(path)) {
            return Err(too_long());
        }
        // Texts without changes are not stored.
        if state.changes.len() > SHAM_CHANGES {
            return Err(format!("it has the changes of more than {SHAM_CHANGES} texts"));
        }
        Ok(state)
    }

    /// The stored form; none if empty.
    pub(super) fn written(mut self) -> Option<String> {
        self.changes.retain(|text| !text.is_empty());
        let mut count = 0;
        let newest = self.changes.iter().rev().take_while(|text| {
            count += text.len();
            count <= SHAM_CHANGES
        });
        // The last text is complete, whatever its changes.
        let kept = newest.count().max(1);
        self.changes.drain(..self.changes.len().saturating_sub(kept));
        (self != Self::default()).then(|| serde_json::to_string(&self).unwrap_or_default())
    }
}

pub(super) fn fits(path: &str) -> bool {
    size_in_json(path) <= SHAM_PATH_BYTES
}

pub(super) fn too_long() -> String {
    format!("a path in the working set has at most {SHAM_PATH_BYTES} bytes in JSON")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_changes_of_the_newest_texts_are_kept() {
        for (texts, kept) in [
            (vec![], None),
            (vec![0, 0], None),
            (vec![1, 0, 2], Some(vec![1, 2])),
            (vec![1, SHAM_CHANGES - 1], Some(vec![1, SHAM_CHANGES - 1])),
            (vec![2, SHAM_CHANGES - 1], Some(vec![SHAM_CHANGES - 1])),
            (vec![2, 1, SHAM_CHANGES - 1], Some(vec![1, SHAM_CHANGES - 1])),
            (vec![1, SHAM_CHANGES + 1], Some(vec![SHAM_CHANGES + 1])),
            (vec![SHAM_CHANGES + 1, 0], Some(vec![SHAM_CHANGES + 1])),
            (vec![1; 1_000_000], Some(vec![1; SHAM_CHANGES])),
        ] {
            let changes = texts.iter().map(|changes| vec![UndoId::new(); *changes]).collect();
            let written = ShamState { changes, ..ShamState::default() }.written();
            let read = written.map(|written| ShamState::read(Some(&written)).unwrap());
            let lengths = read.map(|state| state.changes.iter().map(Vec::len).collect::<Vec<_>>());
            assert_eq!(lengths, kept);
        }
    }
}
