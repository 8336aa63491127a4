//! `create-directory`: creates a directory unless it exists.

use crate::changes::{Change, Planned};
use crate::view::View;
use fsgate_contract::manage_types::{CreateDirectoryArgs, CreateDirectoryOutcome};
use fsgate_contract::types::Note;
use fsgate_volume::Volume;

/// Runs the operation.
pub fn run<V: Volume>(view: &View<V>, args: &CreateDirectoryArgs) -> Planned<V, CreateDirectoryOutcome> {
    let outcome = |path, created, note: Option<Note>| CreateDirectoryOutcome {
        path,
        created,
        undo_id: None,
        notes: note.into_iter().collect(),
    };
    match view.new_directory(&args.path, args.parents())? {
        Ok(path) => Ok((outcome(path, false, None), Vec::new())),
        Err(place) => {
            let outcome = outcome(place.shown().to_owned(), true, view.unlikely_name(&place, None));
            Ok((outcome, vec![Change::CreateDirectory { place }]))
        }
    }
}
