//! `list-directory`: the names in a directory and what they stand for.

use std::collections::BTreeSet;

use super::count;
use crate::changes::Changes;
use crate::contract::search_types::{ListDirectoryArgs, ListDirectoryOutcome, Skipped, Totals};
use crate::contract::types::{Entry, Left, Stop};
use crate::cursor::{after_name, parse_after_name};
use crate::error::{Failure, Reason};
use crate::limits::ANSWER_BYTES;
use crate::path::join;
use crate::view::{Directory, VIRTUAL, View, named};
use crate::volume::{Kind, Listed, Volume};

/// Runs the operation.
pub fn run<V: Volume>(
    view: &View<V>,
    args: &ListDirectoryArgs,
) -> Result<(ListDirectoryOutcome, Changes<V>), Failure> {
    let after = match args.cursor.as_deref().map(parse_after_name) {
        Some(None) => return Err(Reason::InvalidCursor.at(args.path.as_str())),
        Some(after) => after,
        None => None,
    };
    let directory = view.directory(&args.path)?;
    let mut names = Names::new(after, args.max_items() as usize, args.include_hidden());
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
    let (mut full, mut last) = (false, None);
    for name in &names.page {
        let entry = match &directory {
            Ok(directory) => entry(view, directory, name, args.with_etag())?,
            Err(only) => Some(named(&join(&only.path, name), &VIRTUAL)),
        };
        // Gone since the directory was read.
        let Some(entry) = entry else { continue };
        size += serde_json::to_string(&entry).map_or(0, |json| json.len() + 1);
        if size > ANSWER_BYTES && !entries.is_empty() {
            full = true;
            break;
        }
        last = Some(name.as_str());
        entries.push(entry);
    }
    let stopped = if full { Some(Stop::Bytes) } else { (names.after_page > 0).then_some(Stop::Items) };
    let left = names.after_page + (names.page.len() as u64 - entries.len() as u64) * u64::from(full);
    let whole = stopped.is_none() && after.is_none();
    let outcome = ListDirectoryOutcome {
        path,
        totals: Totals {
            files: count(names.files).unwrap_or(u32::MAX),
            directories: count(names.directories).unwrap_or(u32::MAX),
            others: count(names.others).unwrap_or(u32::MAX),
            bytes: whole.then(|| entries.iter().map(|entry| entry.size).sum()),
        },
        skipped: Skipped { hidden: names.hidden, not_utf8: names.undecodable },
        next_cursor: stopped.and(last).map(after_name),
        left: stopped.map(|_| Left { count: left, exact: true }),
        stopped,
        entries,
        notes: Vec::new(),
    };
    Ok((outcome, Changes::none()))
}

/// What is known about a name; none if it has gone meanwhile.
fn entry<V: Volume>(
    view: &View<V>,
    directory: &Directory<V>,
    name: &str,
    with_etag: bool,
) -> Result<Option<Entry>, Failure> {
    let Some((place, stat)) = directory.find(name) else { return Ok(None) };
    // A file that cannot be opened is listed all the same, without what its content would tell.
    let plain = named(place.shown(), &stat);
    let Ok((mut entry, source)) = view.entry(place, stat, with_etag) else { return Ok(Some(plain)) };
    if let Some(source) = source {
        entry.etag = source.strong_tag().ok();
    }
    Ok(Some(entry))
}

/// The first names after a cursor, in order, however many there are: memory follows the page.
struct Names<'a> {
    after: Option<&'a str>,
    most: usize,
    include_hidden: bool,
    page: BTreeSet<String>,
    after_page: u64,
    files: u64,
    directories: u64,
    others: u64,
    hidden: u32,
    undecodable: u32,
}

impl<'a> Names<'a> {
    fn new(after: Option<&'a str>, most: usize, include_hidden: bool) -> Self {
        Self {
            after,
            most,
            include_hidden,
            page: BTreeSet::new(),
            after_page: 0,
            files: 0,
            directories: 0,
            others: 0,
            hidden: 0,
            undecodable: 0,
        }
    }

    fn add(&mut self, listed: Listed) {
        let Listed::Name(name, kind) = listed else {
            self.undecodable = self.undecodable.saturating_add(1);
            return;
        };
        if !self.include_hidden && name.starts_with('.') {
            self.hidden = self.hidden.saturating_add(1);
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
