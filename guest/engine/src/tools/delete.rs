//! `delete`: a file or a link, or those that a pattern names.

use super::count;
use crate::changes::{Change, Keep, Planned};
use crate::notes;
use crate::view::{Choice, Matches, Owned, View};
use fsgate_contract::limits::PATHS_LISTED_BYTES;
use fsgate_contract::manage_types::{DeleteArgs, DeleteOutcome};
use fsgate_error::Reason;
use fsgate_volume::Volume;

/// Runs the operation.
pub fn run<V: Volume>(view: &View<V>, args: &DeleteArgs) -> Planned<V, DeleteOutcome> {
    match args.glob.as_deref() {
        Some(glob) => matching(view, args, glob),
        None => one(view, args),
    }
}

fn one<V: Volume>(view: &View<V>, args: &DeleteArgs) -> Planned<V, DeleteOutcome> {
    let (place, stat) = match view.own(&args.path)? {
        Owned::Directory(_) => return Err(Reason::DeletesDirectory.at(&*args.path)),
        Owned::Name(place, stat) => (place, stat),
    };
    view.require_writable(&place)?;
    view.require_state(&args.path, &stat, args.if_match.as_deref())?;
    let seen = view.seen(&place, stat)?;
    let outcome = DeleteOutcome { path: place.shown().to_owned(), deleted: 1, ..DeleteOutcome::default() };
    Ok((outcome, vec![Change::Delete { place, seen, keep: Keep::if_wanted(args.keep()) }]))
}

fn matching<V: Volume>(view: &View<V>, args: &DeleteArgs, glob: &str) -> Planned<V, DeleteOutcome> {
    if args.if_match.is_some() {
        return Err(Reason::Excluding("if_match", "glob").at(&*args.path));
    }
    let folder = view.folder(&args.path)?.ok_or_else(|| Reason::GlobOfFile.at(&*args.path))?;
    view.require_writable_folder(&folder, &args.path)?;
    let choice = Choice { include_hidden: args.include_hidden(), respect_ignore: args.respect_ignore() };
    let matches = view.matching(&folder, &args.path, glob, choice)?;
    let mut changes = Vec::new();
    for (path, _) in &matches.paths {
        let place = view.place_below(&folder, &args.path, path)?;
        // Gone since the directory was read.
        let Some(stat) = view.below(&place)? else { continue };
        let seen = view.seen(&place, stat)?;
        changes.push(Change::Delete { place, seen, keep: Keep::if_wanted(args.keep()) });
    }
    let with_hidden = " (set `include_hidden` to delete these too)";
    let mut notes = left_out(view, &matches, (&args.path, glob), with_hidden);
    notes.extend(view.unfollowed(folder.shown(), &matches.linked, "path"));
    let mut size = 0;
    let listed = matches.paths.into_iter().map(|(path, _)| path).take_while(|path| {
        size += path.len();
        size <= PATHS_LISTED_BYTES
    });
    let outcome = DeleteOutcome {
        path: folder.shown().to_owned(),
        deleted: count(changes.len() as u64).unwrap_or(u32::MAX),
        paths: Some(listed.collect()),
        notes,
        ..DeleteOutcome::default()
    };
    Ok((outcome, changes))
}

/// Notes about names that a pattern did not reach; the one about hidden names ends in
/// `with_hidden`.
pub(super) fn left_out<V: Volume>(
    view: &View<V>,
    matches: &Matches,
    (path, glob): (&str, &str),
    with_hidden: &str,
) -> Vec<fsgate_contract::types::Note> {
    let literal = if matches.paths.is_empty() { view.taken_literally(path, [glob]) } else { None };
    let hidden =
        format!("whose path has a name that begins with a dot, which the pattern does not name{with_hidden}");
    [
        (matches.hidden, &*hidden),
        (matches.ignored, "that ignore files name"),
        (matches.special, "that is neither a file nor a link"),
        (matches.denied, "directories that the policy denies access to"),
        (matches.unreachable, "whose name is not UTF-8, so that it cannot be looked at"),
    ]
    .into_iter()
    .filter(|(count, _)| *count > 0)
    .map(|(count, why)| notes::left_out(&format!("left out: {count} {why}")))
    .chain(literal)
    .chain(matches.directory.iter().filter(|_| matches.paths.is_empty()).map(|path| notes::directory(path)))
    .collect()
}
