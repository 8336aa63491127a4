//! The largest or newest entries of a walk. Memory follows their number, not the walk's.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::{Listing, ListingRequest, count, entry};
use crate::view::View;
use crate::walk::Walk;
use fsgate_contract::limits::ANSWER_BYTES;
use fsgate_contract::search_types::{SortOrder, Totals};
use fsgate_contract::types::{Entry, Left, Stop};
use fsgate_volume::Volume;

/// Walks to the end. Equal entries are in the order of their names.
pub(crate) fn collect<V: Volume>(
    view: &View<V>,
    walk: &mut Walk<V>,
    wanted: ListingRequest,
    order: SortOrder,
) -> (Listing, Option<Left>) {
    let mut first: BTreeMap<(Reverse<u128>, String), Entry> = BTreeMap::new();
    let mut totals = Totals { bytes: Some(0), ..Totals::default() };
    let mut passed: u64 = 0;
    while let Some(visit) = walk.next() {
        let Some(found) = entry(view, &visit, wanted.with_etag) else { continue };
        count(&mut totals, found.kind);
        totals.bytes = totals.bytes.map(|bytes| bytes.saturating_add(found.size));
        let rank = match order {
            SortOrder::Modified => {
                visit.stat().ok().and_then(|stat| stat.modified).unwrap_or_default().as_nanos()
            }
            SortOrder::Size | SortOrder::Name => u128::from(found.size),
        };
        first.insert((Reverse(rank), found.path.clone()), found);
        if first.len() > wanted.max_items as usize {
            first.pop_last();
            passed += 1;
        }
    }
    let timed_out = walk.timed_out();
    let (mut entries, mut size) = (Vec::new(), 0);
    let mut stopped = timed_out.then_some(Stop::Time);
    for found in first.into_values() {
        size += serde_json::to_string(&found).map_or(0, |json| json.len() + 1);
        if size > ANSWER_BYTES && !entries.is_empty() {
            passed += 1;
            stopped = stopped.or(Some(Stop::Bytes));
            continue;
        }
        entries.push(found);
    }
    if passed > 0 {
        stopped = stopped.or(Some(Stop::Items));
    }
    let left = stopped.map(|_| Left { count: passed, exact: !timed_out });
    (Listing { entries, totals, stopped, next_cursor: None }, left)
}
