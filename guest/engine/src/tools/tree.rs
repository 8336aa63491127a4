//! `tree`: a directory with everything below it, drawn or listed.

use std::time::Duration;

use super::listing::count;
use super::walk_position;
use crate::view::{View, kind};
use crate::walk::{Scope, Visit, Visits};
use fsgate_contract::limits::ANSWER_BYTES;
use fsgate_contract::search_types::{Totals, TreeArgs, TreeEntry, TreeForm, TreeOutcome};
use fsgate_contract::types::Stop;
use fsgate_error::Failure;
use fsgate_text::excerpt::shown;
use fsgate_volume::{Kind, Volume};

/// Runs the operation.
pub fn run<V: Volume>(view: &View<V>, args: &TreeArgs) -> Result<TreeOutcome, Failure> {
    let from = walk_position(args.cursor.as_deref(), &args.path)?;
    let scope = Scope {
        include_hidden: args.include_hidden(),
        respect_ignore: args.respect_ignore(),
        max_depth: args.max_depth,
        max_time: args.max_millis.map(|millis| Duration::from_millis(millis.into())),
        visits: if args.directories_only() { Visits::Directories } else { Visits::Everything },
        ..Scope::default()
    };
    let mut walk = view.walk(&args.path, scope, from.as_ref())?;
    let (draws, lists) = (args.form() != TreeForm::Entries, args.form() != TreeForm::Drawn);
    let (mut drawn, mut entries, mut totals) = (String::new(), Vec::new(), Totals::default());
    let (mut items, mut size) = (0, 0);
    let stopped = loop {
        let Some(visit) = walk.next() else { break walk.timed_out().then_some(Stop::Time) };
        if items == view.most_listed(args.max_items()) {
            break Some(Stop::Items);
        }
        let entry = entry(view, &visit);
        let line = if draws { line(visit.name, &entry) } else { String::new() };
        // The size in an answer, as JSON.
        size += serde_json::to_string(&line).map_or(0, |json| json.len());
        if lists {
            size += serde_json::to_string(&entry).map_or(0, |json| json.len() + 1);
        }
        if size > ANSWER_BYTES && items > 0 {
            break Some(Stop::Bytes);
        }
        items += 1;
        count(&mut totals, entry.kind);
        drawn += &line;
        if lists {
            entries.push(entry);
        }
    };
    Ok(TreeOutcome {
        path: walk.start().to_owned(),
        drawn: draws.then_some(drawn),
        entries,
        totals,
        skipped: walk.skipped().clone(),
        next_cursor: stopped.and(walk.position()).map(|position| position.to_string()),
        stopped,
        notes: walk.notes(),
    })
}

fn entry<V: Volume>(view: &View<V>, visit: &Visit<V>) -> TreeEntry {
    let link = if visit.kind == Kind::Link { visit.place().map(|place| view.target(&place)) } else { None };
    TreeEntry {
        path: visit.shown(),
        kind: kind(visit.kind),
        depth: visit.depth,
        escapes: link.as_ref().and_then(|target| target.is_none().then_some(true)),
        target: link.flatten(),
    }
}

/// The end of a line about a link without a target in its grant.
const OUTSIDE: &str = "outside of its grant";

fn line(name: &str, entry: &TreeEntry) -> String {
    let indent = "  ".repeat(entry.depth.saturating_sub(1) as usize);
    let name = drawn(name);
    let end = match (&entry.target, entry.escapes) {
        (Some(target), _) => format!(" -> {}", drawn(target)),
        (None, Some(true)) => format!(" -> {OUTSIDE}"),
        _ if entry.kind == kind(Kind::Directory) => "/".to_owned(),
        _ => String::new(),
    };
    format!("{indent}{name}{end}\n")
}

/// A name as it is, or in quotes if it could be taken for a part of the drawing.
fn drawn(name: &str) -> String {
    let is_drawing =
        name.starts_with([' ', '"']) || name.ends_with(' ') || name.contains(" -> ") || name == OUTSIDE;
    if is_drawing { format!("\"{}\"", shown(name).replace('"', "\\\"")) } else { shown(name) }
}
