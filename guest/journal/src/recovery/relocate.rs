//! A changed name. The deciding step is the one that gives the new name.

use super::{Decision, Outcome, RecordedPlace, Resolution, compare, second_name};
use crate::path_record::identity;
use crate::record::Move;
use crate::trash::{discard, forget_kept, take_out};
use fsgate_contract::id::Id;
use fsgate_volume::bytes::sync_names;
use fsgate_volume::{Fault, Volume};

pub(super) fn resolve<V: Volume>(
    resolution: &Resolution<V>,
    moved: &Move,
    from: &RecordedPlace<V>,
    to: &RecordedPlace<V>,
) -> Result<Outcome, Fault> {
    if moved.from == moved.to {
        // fsgate writes no such record.
        return Ok(Outcome::Conflict);
    }
    let (old, new) = (from.directory()?, to.directory()?);
    let is = |place: &RecordedPlace<V>, directory: &Option<V::Directory>, who: Id| match directory {
        Some(directory) => Ok(identity(place.volume, directory, &place.name)? == Some(who)),
        None => Ok::<_, Fault>(false),
    };
    let (mut there, here) = (is(to, &new, moved.identity)?, is(from, &old, moved.identity)?);
    if moved.object.is_directory() && there && here {
        // A directory has one name, so this is another spelling of it.
        return Ok(Outcome::Conflict);
    }
    if moved.replaced.is_some() && there && here {
        // The object had both names before: nothing has moved yet.
        there = false;
    }
    if !there {
        second_name::forget_replaced(resolution, moved, Some(to))?;
    }
    let Some(new) = new else {
        if !here && resolution.decision == Decision::Back {
            return Ok(Outcome::Conflict);
        }
        return to.unmake(moved.made).map(|()| Outcome::RolledBack);
    };
    let is_done = match resolution.decision {
        Decision::Forward => true,
        Decision::Back => false,
        Decision::Own => there,
    };
    if is_done {
        if there
            && here
            && let Some(old) = &old
        {
            sync_names(to.volume, &new, resolution.sync)?;
            from.volume.remove_file(old, &from.name)?;
        }
        // An earlier rollback left a copy of the replaced object.
        discard(to.volume, &new, &resolution.temporary())?;
        return Ok(Outcome::RolledForward);
    }
    if there && here {
        to.volume.remove_file(&new, &to.name)?;
    } else if there {
        let Some(old) = &old else { return Ok(Outcome::Conflict) };
        if identity(from.volume, old, &from.name)?.is_some() {
            return Ok(Outcome::Conflict);
        }
        to.volume.rename(&new, &to.name, old, &from.name)?;
    } else if !here {
        return Ok(Outcome::Conflict);
    }
    if !restore_replaced(resolution, moved, to, &new)? {
        return Ok(Outcome::Conflict);
    }
    to.unmake(moved.made)?;
    Ok(Outcome::RolledBack)
}

/// Gives the replaced object its name back from the trash, where it has a second name or a copy.
/// Returns false if another object has the name.
fn restore_replaced<V: Volume>(
    resolution: &Resolution<V>,
    moved: &Move,
    to: &RecordedPlace<V>,
    new: &V::Directory,
) -> Result<bool, Fault> {
    let Some(replaced) = &moved.replaced else { return Ok(true) };
    let (state, id, temporary) = (resolution.state, resolution.stored.record.id, resolution.temporary());
    if resolution.is_kept()? {
        match identity(to.volume, new, &to.name)? {
            None => {
                let named = (to.volume, new, &to.name[..]);
                take_out(state, id, replaced.object, named, &temporary, resolution.sync)?;
            }
            Some(who) if who == replaced.identity => {}
            Some(_)
                if compare::holds(
                    (to.volume, new, &to.name),
                    (&state.volume, &state.trash, &resolution.kept()),
                )? => {}
            Some(_) => return Ok(false),
        }
    }
    discard(to.volume, new, &temporary)?;
    // An interrupted recovery may have given the name without a sync.
    sync_names(to.volume, new, resolution.sync)?;
    forget_kept(state, id).map(|()| true)
}
