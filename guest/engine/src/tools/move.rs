//! `move`: another name for a file, a link or a directory.

use super::to_whole_path;
use crate::authorize::NameUse;
use crate::changes::{Change, Keep, Planned};
use crate::file::precondition;
use crate::resolve::{Folder, LastLink, Place, Target, resolve};
use crate::view::{Owned, Vacancy, View};
use fsgate_contract::limits::STRONG_TAG_BYTES;
use fsgate_contract::manage_types::{MoveArgs, MoveOutcome};
use fsgate_error::Reason;
use fsgate_volume::Seen;
use fsgate_volume::{Kind, Stat, Volume};

/// Runs the operation.
pub fn run<V: Volume>(view: &View<V>, args: &MoveArgs) -> Planned<V, MoveOutcome> {
    to_whole_path(|destination| match destination {
        None => plan(view, args),
        Some(destination) => plan(view, &MoveArgs { destination, ..args.clone() }),
    })
}

fn plan<V: Volume>(view: &View<V>, args: &MoveArgs) -> Planned<V, MoveOutcome> {
    match view.own(&args.source)? {
        Owned::Directory(folder) => directory(view, args, folder),
        Owned::Name(place, stat) => name(view, args, place, stat),
    }
}

/// True for a link to the object, which would replace its own target.
fn leads_to<V: Volume>(view: &View<V>, link: &str, there: Seen) -> bool {
    let found = match resolve(view.namespace(), link, LastLink::Follow) {
        Ok(Target::Entry(place, stat)) => view.seen(&place, stat),
        // Such a link leads nowhere, or to a directory, which is not replaced.
        _ => return false,
    };
    found.is_ok_and(|found| found.identity == there.identity)
}

fn directory<V: Volume>(view: &View<V>, args: &MoveArgs, folder: Folder<V>) -> Planned<V, MoveOutcome> {
    let own = view.movable(&folder, &args.source)?;
    let seen = view.seen(own, crate::view::VIRTUAL)?;
    let within = view.is_within(&args.destination, seen.identity)?;
    if !args.recursive() {
        return Err(Reason::NeedsRecursive { within }.at(&*args.source));
    }
    precondition::check_no_file(&args.source, args.if_match.as_deref())?;
    if within {
        return Err(Reason::IntoItself.at(&*args.destination));
    }
    let destination = match view.vacancy(&args.destination, LastLink::Own, args.parents(), own.name())? {
        Vacancy::Free(place) => place,
        Vacancy::Taken(..) => return Err(Reason::Exists.at(&*args.destination)),
    };
    if !view.shares_grant(own, &destination)? {
        return Err(Reason::OnlyFilesCross.at(&*args.source));
    }
    let Some((source, _)) = folder.into_own() else { return Err(view.missing(&args.source)) };
    let outcome = outcome(&source, &destination, None, false);
    Ok((outcome, vec![Change::Move { source, seen, destination, replaced: None, across: false }]))
}

fn name<V: Volume>(view: &View<V>, args: &MoveArgs, source: Place<V>, stat: Stat) -> Planned<V, MoveOutcome> {
    view.require_writable(&source)?;
    view.require_state(&args.source, &stat, args.if_match.as_deref())?;
    let seen = view.seen(&source, stat)?;
    let vacancy = view.vacancy(&args.destination, LastLink::Own, args.parents(), source.name())?;
    let (destination, there) = match vacancy {
        Vacancy::Free(place) => {
            view.require_file(&place)?;
            (place, None)
        }
        Vacancy::Taken(place, stat) => {
            // The policy decides first, because this answer reveals the identity.
            view.permit(&place, stat.kind, NameUse::Read)?;
            let there = view.seen(&place, stat)?;
            (place, Some(there))
        }
    };
    let across = !view.shares_grant(&source, &destination)?;
    if across && stat.kind != Kind::File {
        return Err(Reason::OnlyFilesCross.at(&*args.source));
    }
    if stat.kind == Kind::Link
        && let Some(there) = there
        && leads_to(view, &args.source, there)
    {
        return Err(Reason::SameFile.at(&*args.destination));
    }
    let same = there.is_some_and(|there| there.identity == seen.identity);
    if same && view.is_one_name(&source, &destination)? {
        return Err(Reason::SameFile.at(&*args.destination));
    }
    // Where letter case is ignored, another spelling is no second name.
    if same && !(view.is_listed(&source)? && view.is_listed(&destination)?) {
        return Err(Reason::SameFile.at(&*args.destination));
    }
    match there {
        Some(_) if !args.overwrite() => return Err(Reason::Exists.at(&*args.destination)),
        Some(Seen { stat: Stat { kind: Kind::Special(kind), .. }, .. }) if !same => {
            return Err(Reason::SpecialFile(kind).at(&*args.destination));
        }
        _ => {}
    }
    // An unreadable file can be moved.
    let is_tagged = stat.kind == Kind::File && stat.size <= STRONG_TAG_BYTES;
    let file = if is_tagged { view.open(&args.source).ok() } else { None };
    let etag =
        file.filter(|file| file.seen().is_ok_and(|now| now == seen)).and_then(|file| file.strong_tag().ok());
    let replaced = there.filter(|_| !same);
    let mut outcome = outcome(&source, &destination, etag, replaced.is_some());
    if there.is_none() {
        // The old name does not count.
        outcome.notes.extend(view.unlikely_name(&destination, Some(source.resolved())));
    }
    let change = if same {
        // Both are names of one file, so only the old one is deleted.
        view.permit(&destination, stat.kind, NameUse::Take)?;
        Change::Delete { place: source, seen, keep: Keep::IfRoom }
    } else {
        Change::Move { source, seen, destination, replaced, across }
    };
    Ok((outcome, vec![change]))
}

fn outcome<V: Volume>(
    source: &Place<V>,
    destination: &Place<V>,
    etag: Option<String>,
    overwrote: bool,
) -> MoveOutcome {
    MoveOutcome {
        source: source.shown().to_owned(),
        destination: destination.shown().to_owned(),
        overwrote,
        etag,
        ..MoveOutcome::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Session;
    use fsgate_volume::Access;
    use fsgate_volume::grant::Grant;
    use fsgate_volume::memory::{Item, Memory};

    #[test]
    fn another_spelling_of_a_name_is_no_second_name() {
        let volume = Memory::default();
        volume.put("d/name", Item::File(b"x".to_vec()));
        volume.ignore_case();
        let grant = Grant { name: "/w".to_owned(), volume: volume.clone(), access: Access::Write };
        let session = Session::new(vec![grant]).unwrap();
        for (source, destination) in [("d/name", "d/NAME"), ("d/NAME", "d/name"), ("D/NAME", "d/nAme")] {
            let args = MoveArgs {
                source: source.to_owned(),
                destination: destination.to_owned(),
                overwrite: Some(true),
                ..MoveArgs::default()
            };
            let moved = session.run(run, &args);
            assert!(moved.is_err(), "{source} to {destination}");
            assert!(volume.stat(&volume.at("d").root(), "name").is_ok(), "{source} to {destination}");
        }
    }
}
