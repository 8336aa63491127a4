//! `glob`: what a pattern stands for.

use std::time::Duration;

use super::listing::{Wanted, collect};
use super::walk_position;
use crate::changes::Changes;
use crate::contract::search_types::{GlobArgs, GlobKind, GlobOutcome};
use crate::contract::types::Note;
use crate::error::{Failure, Reason};
use crate::text::excerpt::shown;
use crate::text::glob::Glob;
use crate::view::View;
use crate::volume::{Kind, Volume};
use crate::walk::{Scope, Visits};

/// Runs the operation.
pub fn run<V: Volume>(view: &View<V>, args: &GlobArgs) -> Result<(GlobOutcome, Changes<V>), Failure> {
    let from = walk_position(args.cursor.as_deref(), args.path())?;
    let kind = match args.kind() {
        GlobKind::Any => None,
        GlobKind::File => Some(Kind::File),
        GlobKind::Directory => Some(Kind::Directory),
    };
    let scope = Scope {
        include_hidden: args.include_hidden(),
        respect_ignore: args.respect_ignore(),
        max_depth: args.max_depth,
        max_time: args.max_millis.map(|millis| Duration::from_millis(millis.into())),
        include: vec![pattern(view, args)?],
        visits: match kind {
            None => Visits::Everything,
            Some(Kind::Directory) => Visits::Directories,
            Some(_) => Visits::Others,
        },
        ..Scope::default()
    };
    let mut walk = view.walk(args.path(), scope, from.as_ref())?;
    let wanted = Wanted { max_items: view.most_listed(args.max_items()), with_etag: args.with_etag(), kind };
    let listing = collect(view, &mut walk, wanted);
    let mut notes = walk.notes();
    if listing.entries.is_empty() && listing.stopped.is_none() && from.is_none() {
        notes.extend(hints(args, walk.skipped().hidden));
    }
    let outcome = GlobOutcome {
        path: walk.start().to_owned(),
        entries: listing.entries,
        totals: listing.totals,
        skipped: walk.skipped().clone(),
        next_cursor: listing.next_cursor,
        stopped: listing.stopped,
        notes,
    };
    Ok((outcome, Changes::none()))
}

/// The pattern, relative to the start. An absolute one is made so if it lies there.
fn pattern<V: Volume>(view: &View<V>, args: &GlobArgs) -> Result<Glob, Failure> {
    let mut pattern = args.pattern.as_str();
    let mut cut = 0;
    if pattern.starts_with('/') {
        let start = view.directory(args.path())?;
        let start = start.as_ref().map_or_else(|only| only.path.as_str(), |directory| directory.path());
        let below = pattern.strip_prefix(start.trim_end_matches('/')).filter(|below| below.starts_with('/'));
        pattern = below.ok_or_else(|| Reason::GlobOutside(start.to_owned()).at(args.path()))?;
        cut = args.pattern.len() - pattern.len();
    }
    Glob::anchored(pattern, args.ignore_case()).map_err(|mut invalid| {
        invalid.position += cut;
        Reason::InvalidGlob { field: "pattern", invalid }.at(args.path())
    })
}

/// Why nothing may have matched.
fn hints(args: &GlobArgs, hidden: u32) -> Vec<Note> {
    let pattern = args.pattern.trim_end_matches('/');
    let note = |text: String| Note { kind: "no_match".to_owned(), text };
    let mut notes = Vec::new();
    if !pattern.contains('/') && pattern != "**" {
        let text = format!(
            "`{}` looks in this directory only; `**/{}` looks below as well",
            shown(pattern),
            shown(pattern)
        );
        notes.push(note(text));
    }
    if hidden > 0 && !args.include_hidden() && pattern.split('/').any(|segment| segment.starts_with('.')) {
        notes.push(note("names that begin with a dot are looked at with `include_hidden` only".to_owned()));
    }
    notes
}
