//! `list-directory`: the names in a directory, with their kinds.

use std::collections::BTreeSet;
use std::time::Duration;

use super::listing::{ListingRequest, collect, sorted};
use super::{count, walk_position};
use crate::pager::cursor::{after_name, parse_after_name};
use crate::view::{Reach, VIRTUAL, View, named};
use crate::walk::{IgnoredNames, Scope};
use fsgate_contract::limits::ANSWER_BYTES;
use fsgate_contract::path::join;
use fsgate_contract::search_types::{ListDirectoryArgs, ListDirectoryOutcome, Skipped, SortOrder, Totals};
use fsgate_contract::types::{Kind as EntryKind, Left, Stop};
use fsgate_error::{Failure, Reason};
use fsgate_text::glob::Glob;
use fsgate_volume::{Kind, Listed, Volume};

/// Runs the operation.
pub fn run<V: Volume>(view: &View<V>, args: &ListDirectoryArgs) -> Result<ListDirectoryOutcome, Failure> {
    let is_sorted = args.sort() != SortOrder::Name;
    if is_sorted && args.cursor.is_some() {
        return Err(Reason::Both("sort", "cursor").at(args.path.as_str()));
    }
    if is_sorted || args.recursive() {
        return walk(view, args);
    }
    let start = args.max_millis.map(|millis| (view.now(), Duration::from_millis(millis.into())));
    let pattern = pattern(view, args)?;
    let after = match args.cursor.as_deref().map(parse_after_name) {
        Some(None) => return Err(Reason::InvalidCursor.at(args.path.as_str())),
        Some(after) => after,
        None => None,
    };
    let directory = view.directory(&args.path)?;
    let ignored = directory.as_ref().ok().map(|directory| view.ignored_names(directory));
    let left_out = ignored.as_ref().filter(|_| args.respect_ignore());
    let filter = Filter { include_hidden: args.include_hidden(), pattern, ignored: left_out };
    let mut names =
        NamePage { after, most: view.most_listed(args.max_items()) as usize, filter, ..NamePage::default() };
    let path = match &directory {
        Ok(directory) => {
            directory.each_name(|listed| names.add(listed))?;
            directory.path().to_owned()
        }
        Err(only) => {
            only.names.iter().for_each(|name| names.add(Listed::Name(name, Kind::Directory)));
            only.path.clone()
        }
    };

    let mut entries = Vec::new();
    let mut size = 0;
    let (mut early, mut last, mut passed) = (None, None, 0);
    for name in &names.page {
        if let Some((start, limit)) = start
            && last.is_some()
            && view.now().saturating_sub(start) >= limit
        {
            early = Some(Stop::Time);
            break;
        }
        let entry = match &directory {
            Ok(directory) => {
                directory.find(name).map(|(place, stat)| view.listed(place, stat, args.with_etag()))
            }
            Err(only) => Some(named(&join(&only.path, name), &VIRTUAL)),
        };
        // Removed since the directory was read.
        let Some(mut entry) = entry else {
            passed += 1;
            continue;
        };
        let is_ignored = |ignored: &IgnoredNames| ignored.contains(name, entry.kind == EntryKind::Directory);
        entry.ignored = ignored.as_ref().is_some_and(is_ignored).then_some(true);
        size += serde_json::to_string(&entry).map_or(0, |json| json.len() + 1);
        if size > ANSWER_BYTES && !entries.is_empty() {
            early = Some(Stop::Bytes);
            break;
        }
        passed += 1;
        last = Some(name.as_str());
        entries.push(entry);
    }
    let stopped = early.or_else(|| (names.after_page > 0).then_some(Stop::Items));
    let left = names.after_page + (names.page.len() - passed) as u64;
    let whole = stopped.is_none() && after.is_none();
    Ok(ListDirectoryOutcome {
        path,
        totals: Totals {
            files: count(names.files).unwrap_or(u32::MAX),
            directories: count(names.directories).unwrap_or(u32::MAX),
            others: count(names.others).unwrap_or(u32::MAX),
            bytes: whole.then(|| entries.iter().map(|entry| entry.size).sum()),
        },
        skipped: names.skipped,
        next_cursor: stopped.and(last).map(after_name),
        left: stopped.map(|_| Left { count: left, exact: true }),
        stopped,
        entries,
        notes: ignored.map_or_else(Vec::new, |ignored| ignored.notes().to_vec()),
    })
}

fn pattern<V: Volume>(view: &View<V>, args: &ListDirectoryArgs) -> Result<Option<Glob>, Failure> {
    let glob = |pattern| view.glob(&args.path, "pattern", pattern, Reach::Anywhere, false);
    args.pattern.as_deref().map(glob).transpose()
}

fn walk<V: Volume>(view: &View<V>, args: &ListDirectoryArgs) -> Result<ListDirectoryOutcome, Failure> {
    let from = walk_position(args.cursor.as_deref(), &args.path)?;
    let pattern = pattern(view, args)?;
    let scope = Scope {
        include_hidden: args.include_hidden(),
        respect_ignore: args.respect_ignore(),
        marks_ignored: !args.respect_ignore(),
        max_depth: if args.recursive() { args.max_depth } else { Some(1) },
        max_time: args.max_millis.map(|millis| Duration::from_millis(millis.into())),
        include: pattern.into_iter().collect(),
        counts_excluded: true,
        ..Scope::default()
    };
    let mut walk = view.walk(&args.path, scope, from.as_ref())?;
    let wanted = ListingRequest {
        max_items: view.most_listed(args.max_items()),
        with_etag: args.with_etag(),
        kind: None,
    };
    let (listing, left) = match args.sort() {
        SortOrder::Name => (collect(view, &mut walk, wanted), None),
        order => sorted::collect(view, &mut walk, wanted, order),
    };
    let mut notes = view.notes(&walk);
    if listing.entries.is_empty() {
        notes.extend(view.taken_literally(&args.path, args.pattern.as_deref()));
    }
    Ok(ListDirectoryOutcome {
        path: walk.start().to_owned(),
        entries: listing.entries,
        totals: listing.totals,
        skipped: walk.skipped().clone(),
        next_cursor: listing.next_cursor,
        left,
        stopped: listing.stopped,
        notes,
    })
}

/// The first names after a cursor, in order: memory follows the page, not the directory.
#[derive(Default)]
struct NamePage<'a> {
    after: Option<&'a str>,
    most: usize,
    filter: Filter<'a>,
    page: BTreeSet<String>,
    after_page: u64,
    files: u64,
    directories: u64,
    others: u64,
    skipped: Skipped,
}

#[derive(Default)]
struct Filter<'a> {
    include_hidden: bool,
    pattern: Option<Glob>,
    ignored: Option<&'a IgnoredNames>,
}

impl NamePage<'_> {
    fn add(&mut self, listed: Listed) {
        let Listed::Name(name, kind) = listed else {
            self.skipped.not_utf8 = self.skipped.not_utf8.saturating_add(1);
            return;
        };
        let Filter { include_hidden, pattern, ignored } = &self.filter;
        let is_directory = kind == Kind::Directory;
        let skipped = if !include_hidden && name.starts_with('.') {
            Some(&mut self.skipped.hidden)
        } else if ignored.is_some_and(|ignored| ignored.contains(name, is_directory)) {
            Some(&mut self.skipped.ignored)
        } else if pattern.as_ref().is_some_and(|pattern| !pattern.matches(name, is_directory)) {
            Some(&mut self.skipped.excluded)
        } else {
            None
        };
        if let Some(count) = skipped {
            *count = count.saturating_add(1);
            return;
        }
        *match kind {
            Kind::File => &mut self.files,
            Kind::Directory => &mut self.directories,
            Kind::Link | Kind::Special(_) => &mut self.others,
        } += 1;
        if self.after.is_some_and(|after| name <= after) {
            return;
        }
        if self.page.len() < self.most {
            self.page.insert(name.to_owned());
            return;
        }
        self.after_page += 1;
        if self.page.last().is_some_and(|last| name < last.as_str()) {
            self.page.pop_last();
            self.page.insert(name.to_owned());
        }
    }
}
