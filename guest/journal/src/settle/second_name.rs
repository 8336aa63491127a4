//! One thing under two names: a step was cut short that gives it one before it takes the other one away. Whatever becomes of the
//! change, one of them goes before anything else is done: whoever writes to the one changes what the other one stands for.

use super::create::is_ours;
use super::same::Named;
use super::{Came, Case, Found, Settled, Spot, identity_of};
use crate::location::identity;
use crate::namespace::Namespace;
use crate::record::{Action, Create, Location, Move, Object};
use crate::trash::forget_kept;
use fsgate_contract::id::Id;
use fsgate_volume::{Access, Fault, Kind, Volume};

/// Takes one of them away, of a change that is not brought to its end now. What has become of it, if nothing is left of it by that.
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
    // If the old name is to be seen and is gone, the step behind it was made.
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
        // Where only one can be looked at, the other one is there if there is one more than before.
        (_, Found::Here(spot)) if there => remove_one_more(case, moved, spot),
        (Found::Here(spot), _) if here => remove_one_more(case, moved, spot),
        _ => Ok(None),
    }
}

/// Finds a location, and whether somebody has its name. What cannot be entered is elsewhere.
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

/// The other name of a file survives a loss of power, before this one goes. It lies where we cannot look: to sync the file is all that
/// can be done, and with that file systems write down its names.
fn sync_unseen<V: Volume>(case: &Case<V>, (volume, directory, name): Named<V>) -> Result<(), Fault> {
    // Nothing else can be synced, or opened without waiting for somebody.
    if !case.sync || volume.stat(directory, name)?.kind != Kind::File {
        return Ok(());
    }
    match volume.open_file(directory, name, Access::Read) {
        Ok(file) => volume.sync_file(&file),
        Err(Fault::Access | Fault::NotPermitted) => Ok(()),
        Err(fault) => Err(fault),
    }
}

/// Takes away the name in the trash. `seen` is the other one, if that is known.
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
        // What somebody has written to it since stays where it was written.
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

/// What was to be replaced and was not loses the name in the trash, if it has another one, whatever that is by now. `seen` is where it
/// was, if that is known.
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

/// True if a name is the second one of what comes out of the trash.
pub(super) fn is_in_trash<V: Volume>(
    case: &Case<V>,
    create: &Create,
    named: Named<V>,
) -> Result<bool, Fault> {
    let (Some(from), Object::File { .. }) = (create.from, create.object) else { return Ok(false) };
    let lies = in_trash(case, from)?.filter(|lies| *lies != Id::NOBODY);
    Ok(lies.is_some() && identity(named.0, named.1, named.2)? == lies)
}

/// True if what comes out of the trash has come out, and has its name there still, whatever the other one is by now.
pub(super) fn has_come_out<V: Volume>(case: &Case<V>, create: &Create) -> Result<bool, Fault> {
    let (Some(from), Object::File { .. }) = (create.from, create.object) else { return Ok(false) };
    has_one_more(case, (&case.state.volume, &case.state.trash, &from.to_string()), create.links)
}

/// True if something has two names and had one before, which is of our making then. Of what had more than one somebody else may have
/// made another one, by a name that we do not see.
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
