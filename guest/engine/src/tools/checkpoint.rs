//! `checkpoint`: a name for the present state.

use crate::changes::{Change, Planned};
use crate::history;
use crate::view::View;
use fsgate_contract::history_types::{CheckpointArgs, CheckpointOutcome};
use fsgate_contract::id::Id;
use fsgate_contract::limits::LABEL_CHARS;
use fsgate_error::{HistoryProblem, Reason};
use fsgate_volume::Volume;

/// Runs the operation.
pub fn run<V: Volume>(view: &View<V>, args: &CheckpointArgs) -> Planned<V, CheckpointOutcome> {
    history::require(view.namespace())?;
    let label = args.label.as_str();
    if label.trim().is_empty() {
        return Err(Reason::EmptyArgument("label").into());
    }
    // An id names its entry.
    let is_id = label.parse::<Id>().is_ok();
    if is_id || label.chars().count() > LABEL_CHARS || label.chars().any(char::is_control) {
        return Err(HistoryProblem::BadLabel.into());
    }
    let outcome = CheckpointOutcome { undo_id: None, label: label.to_owned(), notes: Vec::new() };
    Ok((outcome, vec![Change::Checkpoint { label: label.to_owned() }]))
}
