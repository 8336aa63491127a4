//! `forget`: entries less, and what is kept for them.

use std::time::{Duration, UNIX_EPOCH};

use crate::changes::{Change, Changes};
use crate::contract::history_types::{ForgetArgs, ForgetOutcome};
use crate::error::{Failure, Past};
use crate::history::{self, Address, Entries, Entry, Paths, is_below};
use crate::journal::Id;
use crate::view::View;
use crate::volume::Volume;

/// What is to be forgotten.
enum What {
    Entry(Id),
    Below(String),
    Before(Duration),
    Everything,
}

/// Runs the operation.
pub fn run<V: Volume>(view: &View<V>, args: &ForgetArgs) -> Result<(ForgetOutcome, Changes<V>), Failure> {
    let namespace = view.namespace();
    history::require(namespace)?;
    let what = match (&args.id, &args.path, &args.before, args.everything()) {
        (Some(id), None, None, false) => What::Entry(history::parse("id", id)?),
        (None, Some(path), None, false) => What::Below(view.resolved(path)?),
        (None, None, Some(time), false) => What::Before(moment(time)?),
        (None, None, None, true) => What::Everything,
        _ => return Err(Past::ForgetsOne.into()),
    };
    let paths = Paths::new(namespace)?;
    let mut entries = Entries::new(namespace)?;
    let (mut records, mut forgotten, mut bytes) = (Vec::new(), 0_u64, 0);
    while let Some(entry) = entries.next()? {
        let is_meant = match &what {
            What::Entry(id) => entry.id == *id || entry.records.iter().any(|(_, record)| record == id),
            What::Below(above) => touches(&entries, &paths, &entry, above)?,
            What::Before(moment) => entry.id.time() < *moment,
            What::Everything => true,
        };
        if !is_meant {
            continue;
        }
        forgotten += 1;
        for address in &entry.records {
            if let Some(stored) = entries.stored(*address)? {
                bytes += entries.bytes(*address, &stored)?;
            }
            records.push(*address);
        }
        records.extend(entry.group.map(|state| (state, entry.id)));
        if matches!(what, What::Entry(_)) {
            break;
        }
    }
    if let (What::Entry(id), true) = (&what, records.is_empty()) {
        let (address, size) = unfinished(view, *id)?;
        records.push(address);
        (forgotten, bytes) = (1, size);
    }
    let outcome =
        ForgetOutcome { forgotten: super::count(forgotten).unwrap_or(u32::MAX), bytes, notes: Vec::new() };
    let changes = if records.is_empty() { Changes::none() } else { Change::Forget { records }.into() };
    Ok((outcome, changes))
}

/// A record that did not come to its end. Nothing but its own id names it.
fn unfinished<V: Volume>(view: &View<V>, id: Id) -> Result<(Address, u64), Failure> {
    for (number, state) in view.namespace().state_ids() {
        for directory in [&state.conflicts, &state.waiting] {
            if let Ok(stat) = state.volume.stat(directory, &id.to_string()) {
                return Ok(((number, id), stat.size));
            }
        }
    }
    Err(Past::UnknownEntry(id.to_string()).into())
}

fn touches<V: Volume>(
    entries: &Entries<V>,
    paths: &Paths,
    entry: &Entry,
    above: &str,
) -> Result<bool, Failure> {
    for address in &entry.records {
        let about = entries.record(*address)?.map(|record| paths.of(&record)).unwrap_or_default();
        if about.iter().any(|path| is_below(path, above)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A moment as the contract writes it, since 1970.
fn moment(text: &str) -> Result<Duration, Failure> {
    let time = humantime::parse_rfc3339(text).map_err(|_| Failure::from(Past::NoTime("before")))?;
    Ok(time.duration_since(UNIX_EPOCH).unwrap_or_default())
}
