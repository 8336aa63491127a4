//! Entries of a walk, for `list-directory` and `glob`.

pub(super) mod sorted;

use crate::view::{VIRTUAL, View, named};
use crate::walk::{Visit, Walk};
use fsgate_contract::limits::ANSWER_BYTES;
use fsgate_contract::search_types::Totals;
use fsgate_contract::types::{Entry, Kind as EntryKind, Stop};
use fsgate_volume::{Fault, Kind, Stat, Volume};

pub(super) struct Listing {
    pub(super) entries: Vec<Entry>,
    pub(super) totals: Totals,
    pub(super) stopped: Option<Stop>,
    pub(super) next_cursor: Option<String>,
}

#[derive(Clone, Copy)]
pub(super) struct ListingRequest {
    pub(super) max_items: u32,
    pub(super) with_etag: bool,
    pub(super) kind: Option<Kind>,
}

pub(super) fn collect<V: Volume>(view: &View<V>, walk: &mut Walk<V>, wanted: ListingRequest) -> Listing {
    let mut listing = Listing {
        entries: Vec::new(),
        totals: Totals { bytes: Some(0), ..Totals::default() },
        stopped: None,
        next_cursor: None,
    };
    let mut size = 0;
    loop {
        let Some(visit) = walk.next() else {
            listing.stopped = walk.timed_out().then_some(Stop::Time);
            break;
        };
        if wanted.kind.is_some_and(|kind| kind != visit.kind) {
            continue;
        }
        if listing.entries.len() == wanted.max_items as usize {
            listing.stopped = Some(Stop::Items);
            break;
        }
        // Removed since the directory was read.
        let Some(entry) = entry(view, &visit, wanted.with_etag) else { continue };
        size += serde_json::to_string(&entry).map_or(0, |json| json.len() + 1);
        if size > ANSWER_BYTES && !listing.entries.is_empty() {
            listing.stopped = Some(Stop::Bytes);
            break;
        }
        count(&mut listing.totals, entry.kind);
        if let Some(bytes) = &mut listing.totals.bytes {
            *bytes = bytes.saturating_add(entry.size);
        }
        listing.entries.push(entry);
        // A file that is read for its tag may take as long as many names.
        if wanted.with_etag && walk.time_is_over() {
            walk.pass();
            listing.stopped = Some(Stop::Time);
            break;
        }
    }
    listing.next_cursor = listing.stopped.and(walk.position()).map(|position| position.to_string());
    listing
}

fn entry<V: Volume>(view: &View<V>, visit: &Visit<V>, with_etag: bool) -> Option<Entry> {
    let mut entry = match visit.place() {
        None => named(&visit.shown(), &VIRTUAL),
        Some(place) => match visit.stat() {
            Ok(stat) => view.listed(place, stat, with_etag),
            Err(Fault::NotFound) => return None,
            // The directory reveals names only.
            Err(_) => named(place.shown(), &Stat { kind: visit.kind, ..VIRTUAL }),
        },
    };
    entry.depth = Some(visit.depth);
    entry.ignored = visit.is_ignored().then_some(true);
    Some(entry)
}

pub(super) fn count(totals: &mut Totals, kind: EntryKind) {
    let counter = match kind {
        EntryKind::File => &mut totals.files,
        EntryKind::Directory => &mut totals.directories,
        EntryKind::Link | EntryKind::Special => &mut totals.others,
    };
    *counter = counter.saturating_add(1);
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use crate::session::Session;
    use crate::tools::list_directory;
    use fsgate_contract::search_types::ListDirectoryArgs;
    use fsgate_contract::types::Stop;
    use fsgate_volume::Access;
    use fsgate_volume::grant::Grant;
    use fsgate_volume::memory::{Item, Memory};

    #[test]
    fn files_that_are_read_for_their_tags_are_counted_by_time() {
        let volume = Memory::default();
        for name in ["a", "b", "c"] {
            volume.put(name, Item::File(b"x".to_vec()));
        }
        volume.set_clock_step(Duration::from_secs(1));
        let session =
            Session::new(vec![Grant { name: "/w".to_owned(), volume, access: Access::Read }]).unwrap();
        let (mut told, mut cursor) = (Vec::new(), None);
        loop {
            let args = ListDirectoryArgs {
                path: ".".to_owned(),
                recursive: Some(true),
                with_etag: Some(true),
                max_millis: Some(1),
                cursor,
                ..ListDirectoryArgs::default()
            };
            let outcome = session.run(list_directory::run, &args).unwrap();
            assert!(outcome.entries.len() <= 2, "{}", outcome.entries.len());
            told.extend(outcome.entries.into_iter().map(|entry| entry.path));
            match outcome.stopped {
                None => break,
                stopped => assert_eq!(stopped, Some(Stop::Time)),
            }
            cursor = outcome.next_cursor;
        }
        assert_eq!(told, ["/w/a", "/w/b", "/w/c"]);
    }
}
