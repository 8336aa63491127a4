//! An object with two names: an interrupted step has given it one before taking the other away. One
//! name goes before anything else happens, because a write through one changes the other.

use super::create::is_ours;
use super::{Outcome, PlaceLookup, Progress, RecordedPlace, Resolution, identity_of};
use crate::namespace::Namespace;
use crate::path_record::identity;
use crate::record::{Action, Create, Location, Move, Object};
use crate::trash::forget_kept;
use fsgate_contract::id::Id;
use fsgate_volume::answers::{NamedObject, unless};
use fsgate_volume::bytes::sync_names;
use fsgate_volume::{Access, Fault, Kind, Volume};

/// Removes one of two names of a change that stays pending. Returns its outcome if that completes
/// it.
pub(super) fn part<V: Volume>(
    resolution: &Resolution<V>,
    namespace: &Namespace<V>,
) -> Result<Option<Outcome>, Fault> {
    match &resolution.stored.record.action {
        Action::Move(moved) if !moved.object.is_directory() => part_moved(resolution, namespace, moved),
        Action::Create(create) => part_given_back(resolution, namespace, create),
        _ => Ok(None),
    }
}

fn part_moved<V: Volume>(
    resolution: &Resolution<V>,
    namespace: &Namespace<V>,
    moved: &Move,
) -> Result<Option<Outcome>, Fault> {
    let ((from, here), (to, there)) =
        (look(namespace, &moved.from, moved.identity)?, look(namespace, &moved.to, moved.identity)?);
    // The old name is gone, so the step after it was made.
    let was_made = !here && matches!((&from, &to), (PlaceLookup::Here(_), PlaceLookup::Elsewhere));
    if !there && !was_made {
        forget_replaced(resolution, moved, if let PlaceLookup::Here(to) = &to { Some(to) } else { None })?;
    }
    if moved.replaced.is_some() || moved.identity == Id::NOBODY {
        return Ok(None);
    }
    match (&from, &to) {
        (PlaceLookup::Here(_), PlaceLookup::Here(to)) if here && there => {
            remove(resolution, to)?;
            to.unmake(moved.made)?;
            resolution.sync(Outcome::RolledBack, &[to]).map(Some)
        }
        (PlaceLookup::Here(_), PlaceLookup::Here(_)) => Ok(None),
        // If only one name is visible, the link count proves that the other one exists.
        (_, PlaceLookup::Here(place)) if there => remove_one_more(resolution, moved, place),
        (PlaceLookup::Here(place), _) if here => remove_one_more(resolution, moved, place),
        _ => Ok(None),
    }
}

/// Finds a recorded path, and the identity at its name. A directory that cannot be entered counts
/// as outside the grants.
fn look<'a, V: Volume>(
    namespace: &'a Namespace<V>,
    at: &Location,
    who: Id,
) -> Result<(PlaceLookup<'a, V>, bool), Fault> {
    let looked = RecordedPlace::find(namespace, at).and_then(|found| {
        let has_it =
            if let PlaceLookup::Here(place) = &found { identity_of(place)? == Some(who) } else { false };
        Ok((found, has_it))
    });
    if let Err(Fault::Access) = looked { Ok((PlaceLookup::Elsewhere, false)) } else { looked }
}

fn remove_one_more<V: Volume>(
    resolution: &Resolution<V>,
    moved: &Move,
    place: &RecordedPlace<V>,
) -> Result<Option<Outcome>, Fault> {
    let Some(directory) = place.directory()? else { return Ok(None) };
    let named = (place.volume, &directory, &place.name[..]);
    if has_one_more(resolution, named, moved.links)? {
        sync_unseen(resolution, named)?;
        remove(resolution, place)?;
    }
    Ok(None)
}

fn remove<V: Volume>(resolution: &Resolution<V>, place: &RecordedPlace<V>) -> Result<(), Fault> {
    let Some(directory) = place.directory()? else { return Ok(()) };
    place.volume.remove_file(&directory, &place.name)?;
    sync_names(place.volume, &directory, resolution.sync)
}

/// Makes the invisible other name of a file durable before this one goes. Its directory is out of
/// reach; a sync of the file makes file systems write its names.
fn sync_unseen<V: Volume>(
    resolution: &Resolution<V>,
    (volume, directory, name): NamedObject<V>,
) -> Result<(), Fault> {
    // Other kinds cannot be synced, or block when they are opened.
    if !resolution.sync || volume.stat(directory, name)?.kind != Kind::File {
        return Ok(());
    }
    match volume.open_file(directory, name, Access::Read) {
        Ok(file) => volume.sync_file(&file),
        Err(Fault::Access | Fault::NotPermitted) => Ok(()),
        Err(fault) => Err(fault),
    }
}

pub(super) fn forget<V: Volume>(
    resolution: &Resolution<V>,
    id: Id,
    seen: Option<&RecordedPlace<V>>,
) -> Result<(), Fault> {
    let state = resolution.state;
    match seen {
        Some(place) if resolution.sync => place.sync()?,
        Some(_) => {}
        None => sync_unseen(resolution, (&state.volume, &state.trash, &id.to_string()))?,
    }
    forget_kept(state, id)?;
    sync_names(&state.volume, &state.trash, resolution.sync)
}

fn part_given_back<V: Volume>(
    resolution: &Resolution<V>,
    namespace: &Namespace<V>,
    create: &Create,
) -> Result<Option<Outcome>, Fault> {
    let (Some(from), Object::File { .. }) = (create.from, create.object) else { return Ok(None) };
    let Some(kept_identity) = in_trash(resolution, from)? else { return Ok(None) };
    if let (PlaceLookup::Here(place), true) = look(namespace, &create.at, kept_identity)?
        && kept_identity != Id::NOBODY
    {
        let state = resolution.state;
        // Later writes to the file stay in the file.
        if !is_ours(&state.volume, &state.trash, create, &from.to_string())? || !state.knows(from)? {
            return forget(resolution, from, Some(&place)).map(|()| None);
        }
        remove(resolution, &place)?;
        place.unmake(create.made)?;
        return resolution.sync(Outcome::RolledBack, &[&place]).map(Some);
    }
    if has_come_out(resolution, create)? {
        forget(resolution, from, None)?;
    }
    Ok(None)
}

/// Removes the trash name of an object that was not replaced after all, if it has another name.
/// `seen` is its place, if it is known.
pub(super) fn forget_replaced<V: Volume>(
    resolution: &Resolution<V>,
    moved: &Move,
    seen: Option<&RecordedPlace<V>>,
) -> Result<(), Fault> {
    let Some(replaced) = &moved.replaced else { return Ok(()) };
    let id = resolution.stored.record.id;
    let is_it = replaced.identity != Id::NOBODY && in_trash(resolution, id)? == Some(replaced.identity);
    if !is_it
        || !has_one_more(
            resolution,
            (&resolution.state.volume, &resolution.state.trash, &resolution.kept()),
            replaced.links,
        )?
    {
        return Ok(());
    }
    let seen = match seen {
        Some(place) if identity_of(place)? == Some(replaced.identity) => Some(place),
        _ => None,
    };
    forget(resolution, id, seen)
}

pub(super) fn is_in_trash<V: Volume>(
    resolution: &Resolution<V>,
    create: &Create,
    named: NamedObject<V>,
) -> Result<bool, Fault> {
    let (Some(from), Object::File { .. }) = (create.from, create.object) else { return Ok(false) };
    let kept_identity = in_trash(resolution, from)?.filter(|kept_identity| *kept_identity != Id::NOBODY);
    Ok(kept_identity.is_some() && identity(named.0, named.1, named.2)? == kept_identity)
}

/// True if the object has come out of the trash and has another name there.
pub(super) fn has_come_out<V: Volume>(resolution: &Resolution<V>, create: &Create) -> Result<bool, Fault> {
    let (Some(from), Object::File { .. }) = (create.from, create.object) else { return Ok(false) };
    has_one_more(
        resolution,
        (&resolution.state.volume, &resolution.state.trash, &from.to_string()),
        create.links,
    )
}

/// True if an object with one name before has two now: then the journal made the second. With more
/// names before, another process may have made it.
fn has_one_more<V: Volume>(
    resolution: &Resolution<V>,
    named: NamedObject<V>,
    links: Option<u64>,
) -> Result<bool, Fault> {
    if resolution.progress != Progress::Unknown || links != Some(1) {
        return Ok(false);
    }
    let stat = unless(named.0.stat(named.1, named.2), Fault::is_absence)?;
    Ok(stat.is_some_and(|stat| stat.names() > 1))
}

fn in_trash<V: Volume>(resolution: &Resolution<V>, id: Id) -> Result<Option<Id>, Fault> {
    identity(&resolution.state.volume, &resolution.state.trash, &id.to_string())
}
