//! `glob`: the matches of a pattern.

use std::time::Duration;

use super::listing::{ListingRequest, collect};
use super::walk_position;
use crate::notes;
use crate::view::{Lead, Reach, View};
use crate::walk::{Scope, Visits};
use fsgate_contract::search_types::{GlobArgs, GlobKind, GlobOutcome, Skipped};
use fsgate_contract::types::Note;
use fsgate_error::Failure;
use fsgate_text::excerpt::shown;
use fsgate_volume::{Kind, Volume};

/// Runs the operation.
pub fn run<V: Volume>(view: &View<V>, args: &GlobArgs) -> Result<GlobOutcome, Failure> {
    let from = walk_position(args.cursor.as_deref(), args.path())?;
    let start = match view.directory(args.path())? {
        Ok(directory) => directory.path().to_owned(),
        Err(only) => only.path,
    };
    // A walk follows no link; a link that the pattern names is a part of the path.
    let lead = view.linked_lead(args.path(), &args.pattern);
    let lead = lead.filter(|lead| args.max_depth.is_none_or(|most| most > lead.depth));
    let (path, pattern, above) = match &lead {
        Some(Lead { path, rest, depth }) => (&**path, &**rest, *depth),
        None => (args.path(), &*args.pattern, 0),
    };
    let kind = match args.kind() {
        GlobKind::Any => None,
        GlobKind::File => Some(Kind::File),
        GlobKind::Directory => Some(Kind::Directory),
    };
    let scope = Scope {
        include_hidden: args.include_hidden(),
        respect_ignore: args.respect_ignore(),
        max_depth: args.max_depth.map(|most| most.saturating_sub(above)),
        max_time: args.max_millis.map(|millis| Duration::from_millis(millis.into())),
        include: vec![view.glob(path, "pattern", pattern, Reach::Directory, args.ignore_case())?],
        visits: match kind {
            None => Visits::Everything,
            Some(Kind::Directory) => Visits::Directories,
            Some(_) => Visits::Others,
        },
        ..Scope::default()
    };
    let mut walk = view.walk(path, scope, from.as_ref())?;
    let wanted =
        ListingRequest { max_items: view.most_listed(args.max_items()), with_etag: args.with_etag(), kind };
    let mut listing = collect(view, &mut walk, wanted);
    for entry in &mut listing.entries {
        entry.depth = entry.depth.map(|depth| depth.saturating_add(above));
    }
    let mut notes = view.notes(&walk);
    if listing.entries.is_empty() && listing.stopped.is_none() && from.is_none() {
        let is_link = notes.iter().any(|note| note.kind == "left_out");
        notes.extend(hints(view, args, walk.skipped(), is_link));
    }
    Ok(GlobOutcome {
        path: start,
        entries: listing.entries,
        totals: listing.totals,
        skipped: walk.skipped().clone(),
        next_cursor: listing.next_cursor,
        stopped: listing.stopped,
        notes,
    })
}

/// Reasons for no match. `is_link`: the pattern names a link.
fn hints<V: Volume>(view: &View<V>, args: &GlobArgs, skipped: &Skipped, is_link: bool) -> Vec<Note> {
    let pattern = args.pattern.trim_end_matches('/');
    let note = |text: String| Note { kind: "no_match".to_owned(), text };
    let mut all: Vec<_> = view.taken_literally(args.path(), [pattern]).into_iter().collect();
    if !is_link && all.is_empty() && !pattern.contains('/') && pattern != "**" {
        let text = format!(
            "`{}` looks in this directory only; `**/{}` looks below as well",
            shown(pattern),
            shown(pattern)
        );
        all.push(note(text));
    }
    if let Some(arguments) = notes::unskipping(skipped, false) {
        all.push(note(format!("hidden or ignored names were left out: give {arguments} to see more")));
    }
    all
}
