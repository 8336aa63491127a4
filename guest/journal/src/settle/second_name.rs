//! An object with two names: an interrupted step has given it one before taking the other away. One
//! name goes before anything else happens, because a write through one changes the other.

use super::create::is_ours;
use super::same::Named;
use super::{Came, Case, Found, Settled, Spot, identity_of};
use crate::location::identity;
use crate::namespace::Namespace;
use crate::record::{Action, Create, Location, Move, Object};
use crate::trash::forget_kept;
use fsgate_contract::id::Id;
use fsgate_volume::{Access, Fault, Kind, Volume};

/// Removes one of two names of a change that stays pending. Returns its outcome if that completes
/// it.
pub(super) fn part<V: Volume>(case: &Case<V>, namespace: &Namespace<V>) -> Result<Option<Settled>, Fault> {
    match &case.stored.record.action {
        Action::Move(moved) if !moved.object.is_directory() => part_moved(case, namespace, moved),
        Action::Create(create) => part_given_back(case, namespace, create),
        _ => Ok(None),
    }
}

fn part_moved<V: Volume>(
    case: &Case<V>,
    namespace: &Namespace<V>,
    moved: &Move,
) -> Result<Option<Settled>, Fault> {
    let ((from, here), (to, there)) =
        (look(namespace, &moved.from, moved.identity)?, look(namespace, &moved.to, moved.identity)?);
    // The old name is gone, so the step after it was made.
    let was_made = !here && matches!((&from, &to), (Found::Here(_), Found::Elsewhere));
    if !there && !was_made {
        forget_replaced(case, moved, if let Found::Here(to) = &to { Some(to) } else { None })?;
    }
    if moved.replaced.is_some() || moved.identity == Id::NOBODY {
        return Ok(None);
    }
    match (&from, &to) {
        (Found::Here(_), Found::Here(to)) if here && there => {
            remove(case, to)?;
            to.unmake(moved.made)?;
            case.sync(Settled::Undone, &[to]).map(Some)
        }
        (Found::Here(_), Found::Here(_)) => Ok(None),
        // If only one name is visible, the link count proves that the other one exists.
        (_, Found::Here(spot)) if there => remove_one_more(case, moved, spot),
        (Found::Here(spot), _) if here => remove_one_more(case, moved, spot),
        _ => Ok(None),
    }
}

/// Finds a recorded path, and the identity at its name. A directory that cannot be entered counts
/// as outside the grants.
fn look<'a, V: Volume>(
    namespace: &'a Namespace<V>,
    at: &Location,
    who: Id,
) -> Result<(Found<'a, V>, bool), Fault> {
    let looked = Spot::find(namespace, at).and_then(|found| {
        let has_it = if let Found::Here(spot) = &found { identity_of(spot)? == Some(who) } else { false };
        Ok((found, has_it))
    });
    if let Err(Fault::Access) = looked { Ok((Found::Elsewhere, false)) } else { looked }
}

fn remove_one_more<V: Volume>(
    case: &Case<V>,
    moved: &Move,
    spot: &Spot<V>,
) -> Result<Option<Settled>, Fault> {
    let Some(directory) = spot.directory()? else { return Ok(None) };
    let named = (spot.volume, &directory, &spot.name[..]);
    if has_one_more(case, named, moved.links)? {
        sync_unseen(case, named)?;
        remove(case, spot)?;
    }
    Ok(None)
}

fn remove<V: Volume>(case: &Case<V>, spot: &Spot<V>) -> Result<(), Fault> {
    let Some(directory) = spot.directory()? else { return Ok(()) };
    spot.volume.remove_file(&directory, &spot.name)?;
    if case.sync { spot.volume.sync_directory(&directory) } else { Ok(()) }
}

/// Makes the invisible other name of a file durable before this one goes. Its directory is out of
/// reach; a sync of the file makes file systems write its names.
fn sync_unseen<V: Volume>(case: &Case<V>, (volume, directory, name): Named<V>) -> Result<(), Fault> {
    // Other kinds cannot be synced, or block when they are opened.
    if !case.sync || volume.stat(directory, name)?.kind != Kind::File {
        return Ok(());
    }
    match volume.open_file(directory, name, Access::Read) {
        Ok(file) => volume.sync_file(&file),
        Err(Fault::Access | Fault::NotPermitted) => Ok(()),
        Err(fault) => Err(fault),
    }
}

/// Removes the name in the trash. `seen` is the other one, if it is known.
pub(super) fn forget<V: Volume>(case: &Case<V>, id: Id, seen: Option<&Spot<V>>) -> Result<(), Fault> {
    let state = case.state;
    match seen {
        Some(spot) if case.sync => spot.sync()?,
        Some(_) => {}
        None => sync_unseen(case, (&state.volume, &state.trash, &id.to_string()))?,
    }
    forget_kept(state, id)?;
    if case.sync { state.volume.sync_directory(&state.trash) } else { Ok(()) }
}

fn part_given_back<V: Volume>(
    case: &Case<V>,
    namespace: &Namespace<V>,
    create: &Create,
) -> Result<Option<Settled>, Fault> {
    let (Some(from), Object::File { .. }) = (create.from, create.object) else { return Ok(None) };
    let Some(lies) = in_trash(case, from)? else { return Ok(None) };
    if let (Found::Here(spot), true) = look(namespace, &create.at, lies)?
        && lies != Id::NOBODY
    {
        let state = case.state;
        // Later writes to the file stay in the file.
        if !is_ours(&state.volume, &state.trash, create, &from.to_string())? || !state.knows(from)? {
            return forget(case, from, Some(&spot)).map(|()| None);
        }
        remove(case, &spot)?;
        spot.unmake(create.made)?;
        return case.sync(Settled::Undone, &[&spot]).map(Some);
    }
    if has_come_out(case, create)? {
        forget(case, from, None)?;
    }
    Ok(None)
}

/// Removes the trash name of an object that was not replaced after all, if it has another name.
/// `seen` is its place, if it is known.
pub(super) fn forget_replaced<V: Volume>(
    case: &Case<V>,
    moved: &Move,
    seen: Option<&Spot<V>>,
) -> Result<(), Fault> {
    let Some(replaced) = &moved.replaced else { return Ok(()) };
    let id = case.stored.record.id;
    let is_it = replaced.identity != Id::NOBODY && in_trash(case, id)? == Some(replaced.identity);
    if !is_it || !has_one_more(case, (&case.state.volume, &case.state.trash, &case.kept()), replaced.links)? {
        return Ok(());
    }
    let seen = match seen {
        Some(spot) if identity_of(spot)? == Some(replaced.identity) => Some(spot),
        _ => None,
    };
    forget(case, id, seen)
}

/// True if a name belongs to the object in the trash.
pub(super) fn is_in_trash<V: Volume>(
    case: &Case<V>,
    create: &Create,
    named: Named<V>,
) -> Result<bool, Fault> {
    let (Some(from), Object::File { .. }) = (create.from, create.object) else { return Ok(false) };
    let lies = in_trash(case, from)?.filter(|lies| *lies != Id::NOBODY);
    Ok(lies.is_some() && identity(named.0, named.1, named.2)? == lies)
}

/// True if the object has come out of the trash and has another name there.
pub(super) fn has_come_out<V: Volume>(case: &Case<V>, create: &Create) -> Result<bool, Fault> {
    let (Some(from), Object::File { .. }) = (create.from, create.object) else { return Ok(false) };
    has_one_more(case, (&case.state.volume, &case.state.trash, &from.to_string()), create.links)
}

/// True if an object with one name before has two now: then the journal made the second. With more
/// names before, another process may have made it.
fn has_one_more<V: Volume>(case: &Case<V>, named: Named<V>, links: Option<u64>) -> Result<bool, Fault> {
    if case.came != Came::Somewhere || links != Some(1) {
        return Ok(false);
    }
    match named.0.stat(named.1, named.2) {
        Ok(stat) => Ok(stat.names() > 1),
        Err(fault) if fault.is_absence() => Ok(false),
        Err(fault) => Err(fault),
    }
}

fn in_trash<V: Volume>(case: &Case<V>, id: Id) -> Result<Option<Id>, Fault> {
    identity(&case.state.volume, &case.state.trash, &id.to_string())
}
