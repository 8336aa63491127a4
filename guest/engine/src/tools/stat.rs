//! `stat`: the object of a path.

use sha2::{Digest, Sha256};

use crate::file::OpenFile;
use crate::resolve::LastLink;
use crate::view::{PathObject, VIRTUAL, View, named};
use fsgate_contract::read_types::{StatArgs, StatOutcome};
use fsgate_contract::types::Entry;
use fsgate_error::{Failure, Reason};
use fsgate_volume::Volume;

/// Runs the operation.
pub fn run<V: Volume>(view: &View<V>, args: &StatArgs) -> Result<StatOutcome, Failure> {
    let last = if args.follow() { LastLink::Follow } else { LastLink::Keep };
    let entry = match view.tell(&args.path, last)? {
        PathObject::Directory(directory) => directory.entry()?,
        PathObject::Virtual(only) => named(&only.path, &VIRTUAL),
        PathObject::Nothing(_) => return Err(view.missing(&args.path)),
        PathObject::Named(place, stat) => {
            let plain = named(place.shown(), &stat);
            // A hash tells nothing of the content.
            let _part = (args.with_etag() || args.checksum()).then(|| view.namespace().guard().part());
            let (mut entry, source) = match view.entry(place, stat, true) {
                // The answer reveals that it exists, and nothing of its content.
                Err(Failure { reason: Reason::Denied(..) | Reason::OverLimit(_), .. })
                    if !args.with_etag() && !args.checksum() =>
                {
                    (plain, None)
                }
                entry => entry?,
            };
            if let Some(source) = source {
                if args.with_etag() {
                    entry.etag = Some(source.strong_tag()?);
                }
                if args.checksum() {
                    checksum(&mut entry, &source)?;
                }
            }
            entry
        }
    };
    Ok(StatOutcome { entry, notes: Vec::new() })
}

fn checksum<V: Volume>(entry: &mut Entry, source: &OpenFile<V>) -> Result<(), Failure> {
    let mut sha256 = Sha256::new();
    source.feed(0..source.size(), |chunk| {
        sha256.update(chunk);
    })?;
    entry.checksum = Some(sha256.finalize().iter().map(|byte| format!("{byte:02x}")).collect());
    Ok(())
}
