//! `copy`: a file, a directory, or the files that a pattern names.

use std::collections::BTreeSet;

use super::{count, delete, to_whole_path};
use crate::authorize::NameUse;
use crate::changes::{Change, Planned};
use crate::file::{OpenFile, precondition};
use crate::notes;
use crate::resolve::{Folder, LastLink, Place};
use crate::view::{Choice, Vacancy, View};
use fsgate_contract::limits::{SPAN_BYTES, STRONG_TAG_BYTES};
use fsgate_contract::manage_types::{CopyArgs, CopyOutcome};
use fsgate_error::{Failure, Reason};
use fsgate_volume::Seen;
use fsgate_volume::{Kind, Volume};

/// Runs the operation.
pub fn run<V: Volume>(view: &View<V>, args: &CopyArgs) -> Planned<V, CopyOutcome> {
    precondition::check_none(&args.destination, args.if_none_match.as_deref())?;
    to_whole_path(|destination| match destination {
        None => plan(view, args),
        Some(destination) => plan(view, &CopyArgs { destination, ..args.clone() }),
    })
}

fn plan<V: Volume>(view: &View<V>, args: &CopyArgs) -> Planned<V, CopyOutcome> {
    let folder = view.folder(&args.source)?;
    match (folder, args.glob.as_deref()) {
        (Some(folder), Some(glob)) => matching(view, args, &folder, glob),
        (None, Some(_)) => Err(Reason::GlobOfFile.at(&*args.source)),
        (Some(folder), None) => tree(view, args, folder),
        (None, None) => file(view, args, view.open(&args.source)?),
    }
}

fn file<V: Volume>(view: &View<V>, args: &CopyArgs, source: OpenFile<V>) -> Planned<V, CopyOutcome> {
    let source = source.expected(args.if_match.as_deref());
    source.require_expected_state()?;
    let seen = source.seen()?;
    let etag = if source.size() <= STRONG_TAG_BYTES { Some(source.strong_tag()?) } else { None };
    // Like `write`: only the link to an overwritten file is followed.
    let last = if args.overwrite() { LastLink::Follow } else { LastLink::Keep };
    let (destination, there) = match view.vacancy(&args.destination, last, args.parents(), source.name())? {
        Vacancy::Free(place) => {
            view.require_file(&place)?;
            (place, None)
        }
        Vacancy::Taken(place, stat) => {
            let seen = view.seen(&place, stat)?;
            (place, Some(seen))
        }
    };
    let overwritten = there.map(|there| may_overwrite(view, args, &destination, &seen, there)).transpose()?;
    let unchanged = match (&etag, &overwritten) {
        (Some(etag), Some(there)) if there.stat.size == source.size() => {
            view.open(&args.destination)?.strong_tag()? == *etag
        }
        _ => false,
    };
    let note = if overwritten.is_none() { view.unlikely_name(&destination, None) } else { None };
    let outcome = CopyOutcome {
        source: source.path().to_owned(),
        destination: destination.shown().to_owned(),
        files: 1,
        bytes_written: if unchanged { 0 } else { source.size() },
        created: overwritten.is_none(),
        overwrote: overwritten.is_some(),
        etag: etag.clone(),
        notes: note.into_iter().collect(),
        ..CopyOutcome::default()
    };
    if unchanged {
        return Ok((outcome, Vec::new()));
    }
    let source = source.into_place();
    let with_directories = false;
    Ok((outcome, vec![Change::Copy { source, seen, etag, destination, overwritten, with_directories }]))
}

/// The overwritten object, if allowed.
fn may_overwrite<V: Volume>(
    view: &View<V>,
    args: &CopyArgs,
    destination: &Place<V>,
    source: &Seen,
    there: Seen,
) -> Result<Seen, Failure> {
    let refused = |reason: Reason| Err(reason.at(destination.asked()));
    // The policy decides first, because this answer reveals the identity.
    view.permit(destination, there.stat.kind, NameUse::Read)?;
    if let Some(tag) = &args.if_none_match {
        return refused(Reason::NotInState { wanted: tag.clone(), found: String::new() });
    }
    if there.identity == source.identity {
        return refused(Reason::SameFile);
    }
    if !args.overwrite() {
        return refused(Reason::Exists);
    }
    match there.stat.kind {
        Kind::File => {}
        Kind::Special(kind) => return refused(Reason::SpecialFile(kind)),
        // Below a pattern's destination, links are not followed.
        Kind::Link => return refused(Reason::PathEscape),
        Kind::Directory => return refused(Reason::IsDirectory),
    }
    let changed = there.stat.size.max(source.stat.size);
    if changed > SPAN_BYTES { refused(Reason::CopyTooLarge(changed)) } else { Ok(there) }
}

fn tree<V: Volume>(view: &View<V>, args: &CopyArgs, source: Folder<V>) -> Planned<V, CopyOutcome> {
    let within = view.is_within(&args.destination, view.identity_of(&source, &args.source)?)?;
    if !args.recursive() {
        return Err(Reason::NeedsRecursive { within }.at(&*args.source));
    }
    precondition::check_no_file(&args.source, args.if_match.as_deref())?;
    if within {
        return Err(Reason::IntoItself.at(&*args.destination));
    }
    let name = source.shown().rsplit('/').next().unwrap_or_default();
    let destination = match view.vacancy(&args.destination, LastLink::Keep, args.parents(), name)? {
        Vacancy::Free(place) => place,
        Vacancy::Taken(..) => return Err(Reason::Exists.at(&*args.destination)),
    };
    let census = view.census_to_copy(&source, &args.source, &destination)?;
    let skipped = census.links + census.special;
    let left_out = (skipped > 0).then(|| {
        notes::left_out(&format!(
            "left out: links: {}, special files: {}; copies of them cannot be made",
            census.links, census.special
        ))
    });
    let outcome = CopyOutcome {
        source: source.shown().to_owned(),
        destination: destination.shown().to_owned(),
        files: count(census.files).unwrap_or(u32::MAX),
        directories: count(census.directories + 1).unwrap_or(u32::MAX),
        bytes_written: census.bytes,
        created: true,
        skipped: count(skipped).unwrap_or(u32::MAX),
        notes: left_out.into_iter().chain(view.unlikely_name(&destination, None)).collect(),
        ..CopyOutcome::default()
    };
    Ok((outcome, vec![Change::CopyTree { source, census, destination }]))
}

fn matching<V: Volume>(
    view: &View<V>,
    args: &CopyArgs,
    source: &Folder<V>,
    glob: &str,
) -> Planned<V, CopyOutcome> {
    for (given, field) in [(args.recursive(), "recursive"), (args.if_match.is_some(), "if_match")] {
        if given {
            return Err(Reason::Excluding(field, "glob").at(&*args.source));
        }
    }
    let destination = view.destination(&args.destination, args.parents())?;
    let matches = view.matching(source, &args.source, glob, Choice::default())?;
    let (mut created, mut overwrites, mut links) = (Vec::new(), Vec::new(), 0);
    for (path, kind) in &matches.paths {
        if *kind == Kind::Link {
            links += 1;
            continue;
        }
        let from = view.place_below(source, &args.source, path)?;
        // Removed since the directory was read.
        let Some(stat) = view.below(&from)? else { continue };
        let seen = view.seen(&from, stat)?;
        let to = match &destination {
            Ok(folder) => view.place_below(folder, &args.destination, path)?,
            Err(place) => view.place_below_new(place, path)?,
        };
        let there = match &destination {
            Ok(_) => view.below(&to)?.map(|stat| view.seen(&to, stat)).transpose()?,
            Err(_) => None,
        };
        let overwritten = there.map(|there| may_overwrite(view, args, &to, &seen, there)).transpose()?;
        let change = Change::Copy {
            source: from,
            seen,
            etag: None,
            destination: to,
            overwritten,
            with_directories: true,
        };
        // Changes that can be undone come first.
        if overwritten.is_none() { created.push(change) } else { overwrites.push(change) }
    }
    each_for_itself(&created, &overwrites)?;
    let files = (created.len() + overwrites.len()) as u64;
    let (creates, overwrote) = (!created.is_empty(), !overwrites.is_empty());
    let mut changed = created;
    for change in overwrites {
        changed.extend(unless_the_same(view, change)?);
    }
    let mut notes = delete::left_out(view, &matches, (&args.source, glob), "");
    notes.extend(view.unfollowed(source.shown(), &matches.linked, "source"));
    notes.extend(destination.as_ref().err().and_then(|place| view.unlikely_name(place, None)));
    if links > 0 {
        notes.push(notes::left_out(&format!("left out: links: {links}; copies of them cannot be made")));
    }
    let outcome = CopyOutcome {
        source: source.shown().to_owned(),
        destination: match &destination {
            Ok(folder) => folder.shown().to_owned(),
            Err(place) => place.shown().to_owned(),
        },
        files: count(files).unwrap_or(u32::MAX),
        bytes_written: changed.iter().map(copied).sum(),
        created: creates,
        overwrote,
        skipped: count(links + matches.special).unwrap_or(u32::MAX),
        notes,
        ..CopyOutcome::default()
    };
    Ok((outcome, changed))
}

/// A copy over a file with other bytes.
fn unless_the_same<V: Volume>(view: &View<V>, change: Change<V>) -> Result<Option<Change<V>>, Failure> {
    let Change::Copy { source, seen, destination, overwritten: Some(there), .. } = &change else {
        return Ok(Some(change));
    };
    let is_same = seen.stat.size == there.stat.size
        && view.open(source.shown())?.strong_tag()? == view.open(destination.shown())?.strong_tag()?;
    Ok((!is_same).then_some(change))
}

fn copied<V: Volume>(change: &Change<V>) -> u64 {
    match change {
        Change::Copy { seen, .. } => seen.stat.size,
        _ => 0,
    }
}

fn each_for_itself<V: Volume>(created: &[Change<V>], overwrites: &[Change<V>]) -> Result<(), Failure> {
    let sources = created.iter().chain(overwrites).filter_map(|change| match change {
        Change::Copy { seen, .. } => Some(seen.identity),
        _ => None,
    });
    let mut concerned: BTreeSet<_> = sources.collect();
    for change in overwrites {
        if let Change::Copy { destination, overwritten: Some(there), .. } = change
            && !concerned.insert(there.identity)
        {
            return Err(Reason::Entangled.at(destination.asked()));
        }
    }
    Ok(())
}
