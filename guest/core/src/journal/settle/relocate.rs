//! Another name: the step that decides is the one that gives it.

use super::{Case, Settled, Spot, Verdict};
use crate::journal::Id;
use crate::journal::location::identity;
use crate::journal::record::Move;
use crate::journal::trash::{discard, forget_kept, take_out};
use crate::volume::{Fault, Volume};

pub(super) fn settle<V: Volume>(
    case: &Case<V>,
    moved: &Move,
    from: &Spot<V>,
    to: &Spot<V>,
) -> Result<Settled, Fault> {
    if moved.from == moved.to {
        // No record of ours is like that.
        return Ok(Settled::Foreign);
    }
    let (old, new) = (from.directory()?, to.directory()?);
    let is = |spot: &Spot<V>, directory: &Option<V::Directory>, who: Id| match directory {
        Some(directory) => Ok(identity(spot.volume, directory, &spot.name)? == Some(who)),
        None => Ok::<_, Fault>(false),
    };
    let (mut there, here) = (is(to, &new, moved.identity)?, is(from, &old, moved.identity)?);
    if moved.object.is_directory() && there && here {
        // A directory has one name: this is another spelling of it.
        return Ok(Settled::Foreign);
    }
    if moved.replaced.is_some() && there && here {
        // Two names of one thing that were two before: nothing has been moved yet.
        there = false;
    }
    let Some(new) = new else {
        // Not all of its parents were made.
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
    give_back_replaced(case, moved, to, &new)?;
    to.unmake(moved.made)?;
    Ok(Settled::Undone)
}

/// What was replaced gets its name back: it lies in the trash, under a second name or as a copy.
fn give_back_replaced<V: Volume>(
    case: &Case<V>,
    moved: &Move,
    to: &Spot<V>,
    new: &V::Directory,
) -> Result<(), Fault> {
    let Some(replaced) = &moved.replaced else { return Ok(()) };
    let (id, temporary) = (case.stored.record.id, case.temporary());
    if case.is_kept()? && identity(to.volume, new, &to.name)?.is_none() {
        take_out(case.state, id, replaced.object, to.volume, new, &to.name, &temporary, case.sync)?;
    }
    // It has its name still or again, or somebody else has.
    discard(to.volume, new, &temporary)?;
    forget_kept(case.state, id)
}
