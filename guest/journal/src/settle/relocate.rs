//! A changed name. The deciding step is the one that gives the new name.

use super::{Case, Settled, Spot, Verdict, same, second_name};
use crate::location::identity;
use crate::record::Move;
use crate::trash::{discard, forget_kept, take_out};
use fsgate_contract::id::Id;
use fsgate_volume::{Fault, Volume};

pub(super) fn settle<V: Volume>(
    case: &Case<V>,
    moved: &Move,
    from: &Spot<V>,
    to: &Spot<V>,
) -> Result<Settled, Fault> {
    if moved.from == moved.to {
        // fsgate writes no such record.
        return Ok(Settled::Foreign);
    }
    let (old, new) = (from.directory()?, to.directory()?);
    let is = |spot: &Spot<V>, directory: &Option<V::Directory>, who: Id| match directory {
        Some(directory) => Ok(identity(spot.volume, directory, &spot.name)? == Some(who)),
        None => Ok::<_, Fault>(false),
    };
    let (mut there, here) = (is(to, &new, moved.identity)?, is(from, &old, moved.identity)?);
    if moved.object.is_directory() && there && here {
        // A directory has one name, so this is another spelling of it.
        return Ok(Settled::Foreign);
    }
    if moved.replaced.is_some() && there && here {
        // The object had both names before: nothing has moved yet.
        there = false;
    }
    if !there {
        second_name::forget_replaced(case, moved, Some(to))?;
    }
    let Some(new) = new else {
        // A parent was not made.
        if !here && case.verdict == Verdict::Back {
            return Ok(Settled::Foreign);
        }
        return to.unmake(moved.made).map(|()| Settled::Undone);
    };
    let stands = match case.verdict {
        Verdict::Forward => true,
        Verdict::Back => false,
        Verdict::Own => there,
    };
    if stands {
        if there
            && here
            && let Some(old) = &old
        {
            if case.sync {
                to.volume.sync_directory(&new)?;
            }
            from.volume.remove_file(old, &from.name)?;
        }
        // An earlier rollback left a copy of the replaced object.
        discard(to.volume, &new, &case.temporary())?;
        return Ok(Settled::Done);
    }
    if there && here {
        to.volume.remove_file(&new, &to.name)?;
    } else if there {
        let Some(old) = &old else { return Ok(Settled::Foreign) };
        if identity(from.volume, old, &from.name)?.is_some() {
            return Ok(Settled::Foreign);
        }
        to.volume.rename(&new, &to.name, old, &from.name)?;
    } else if !here {
        return Ok(Settled::Foreign);
    }
    if !give_back_replaced(case, moved, to, &new)? {
        return Ok(Settled::Foreign);
    }
    to.unmake(moved.made)?;
    Ok(Settled::Undone)
}

/// Gives the replaced object its name back from the trash, where it has a second name or a copy.
/// Returns false if another object has the name.
fn give_back_replaced<V: Volume>(
    case: &Case<V>,
    moved: &Move,
    to: &Spot<V>,
    new: &V::Directory,
) -> Result<bool, Fault> {
    let Some(replaced) = &moved.replaced else { return Ok(true) };
    let (state, id, temporary) = (case.state, case.stored.record.id, case.temporary());
    if case.is_kept()? {
        match identity(to.volume, new, &to.name)? {
            None => {
                take_out(state, id, replaced.object, to.volume, new, &to.name, &temporary, case.sync)?;
            }
            // It has not lost its name yet.
            Some(who) if who == replaced.identity => {}
            // A copy has the name again.
            Some(_)
                if same::holds((to.volume, new, &to.name), (&state.volume, &state.trash, &case.kept()))? => {}
            Some(_) => return Ok(false),
        }
    }
    discard(to.volume, new, &temporary)?;
    if case.sync {
        // An interrupted recovery may have given the name without a sync.
        to.volume.sync_directory(new)?;
    }
    forget_kept(state, id).map(|()| true)
}
