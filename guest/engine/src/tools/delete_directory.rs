//! `delete-directory`: an empty directory, or one with its content.

use super::count;
use crate::changes::{Change, Keep, Planned};
use crate::view::{Owned, View};
use fsgate_contract::manage_types::{DeleteDirectoryArgs, DeleteDirectoryOutcome};
use fsgate_error::Reason;
use fsgate_journal::tree_walk::Census;
use fsgate_volume::Volume;

/// Runs the operation.
pub fn run<V: Volume>(view: &View<V>, args: &DeleteDirectoryArgs) -> Planned<V, DeleteDirectoryOutcome> {
    let folder = match view.own(&args.path)? {
        Owned::Directory(folder) => folder,
        Owned::Name(..) => return Err(Reason::DeletesFile.at(&*args.path)),
    };
    view.movable(&folder, &args.path)?;
    let census = if args.recursive() {
        view.census_to_delete(&folder, &args.path)?
    } else {
        match view.entries_in(&folder, &args.path)? {
            0 => Census::default(),
            entries => return Err(Reason::NotEmpty(entries).at(&*args.path)),
        }
    };
    let Some((place, directory)) = folder.into_own() else { return Err(view.missing(&args.path)) };
    let outcome = DeleteDirectoryOutcome {
        path: place.shown().to_owned(),
        deleted: count(census.names() + 1).unwrap_or(u32::MAX),
        ..DeleteDirectoryOutcome::default()
    };
    let keep = Keep::if_wanted(args.keep());
    Ok((outcome, vec![Change::DeleteTree { place, directory, census, keep }]))
}
