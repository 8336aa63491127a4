//! A name less: the step that decides is the rename that takes it away.

use super::same::{self, Named};
use super::{Case, Settled, Spot, Verdict};
use crate::journal::location::identity;
use crate::journal::record::{Kept, Object, Remove};
use crate::journal::trash::{discard, forget_kept, take_out};
use crate::volume::{Fault, Volume};

pub(super) fn settle<V: Volume>(case: &Case<V>, remove: &Remove, spot: &Spot<V>) -> Result<Settled, Fault> {
    let volume = spot.volume;
    let Some(directory) = spot.directory()? else {
        // The directory that held it is gone. Another process has moved it, or a later change of the
        // same group, which is pending: then this one is pending with it.
        return if case.verdict == Verdict::Back { Ok(Settled::Lost) } else { forward(case, remove, spot) };
    };
    match remove.kept {
        Kept::Moved => match (case.is_kept()?, case.verdict) {
            (false, Verdict::Own | Verdict::Back) => Ok(Settled::Undone),
            (_, Verdict::Own | Verdict::Forward) => Ok(Settled::Done),
            (true, Verdict::Back) => {
                let (id, temporary) = (case.stored.record.id, case.temporary());
                match take_out(
                    case.state,
                    id,
                    remove.object,
                    volume,
                    &directory,
                    &spot.name,
                    &temporary,
                    case.sync,
                ) {
                    Ok(_) => Ok(Settled::Undone),
                    Err(Fault::Exists) => Ok(Settled::Foreign),
                    Err(fault) => Err(fault),
                }
            }
        },
        Kept::Copied | Kept::Not => {
            let temporary = case.temporary();
            let aside = identity(volume, &spot.start, &temporary)? == Some(remove.identity);
            let here = identity(volume, &directory, &spot.name)? == Some(remove.identity);
            let verdict = match case.verdict {
                // What stands by itself stands only if the copy is of what was taken away.
                Verdict::Own if aside && !is_kept_whole(case, remove, (volume, &spot.start, &temporary))? => {
                    Verdict::Back
                }
                verdict => verdict,
            };
            match verdict {
                Verdict::Own | Verdict::Back if !aside && here => has_its_name(case, spot),
                Verdict::Own | Verdict::Forward => forward(case, remove, spot),
                Verdict::Back if aside => match identity(volume, &directory, &spot.name)? {
                    None => {
                        volume.rename(&spot.start, &temporary, &directory, &spot.name)?;
                        has_its_name(case, spot)
                    }
                    Some(_) => Ok(Settled::Foreign),
                },
                // What was set aside has been removed already: only a copy is left, if there is one.
                Verdict::Back => Ok(Settled::Foreign),
            }
        }
    }
}

/// It has its name, as before, and needs no copy. What it was set aside as, and cut short, may have nothing else.
fn has_its_name<V: Volume>(case: &Case<V>, spot: &Spot<V>) -> Result<Settled, Fault> {
    if case.sync {
        spot.sync()?;
    }
    forget_kept(case.state, case.stored.record.id)?;
    Ok(Settled::Undone)
}

/// True unless there is a copy of a file that is not what was set aside, because somebody has written to that meanwhile. Of a directory
/// the copy may be all that is whole by now.
fn is_kept_whole<V: Volume>(case: &Case<V>, remove: &Remove, aside: Named<V>) -> Result<bool, Fault> {
    match (remove.kept, remove.object) {
        (Kept::Copied, Object::File { .. }) => {
            same::holds((&case.state.volume, &case.state.trash, &case.kept()), aside)
        }
        _ => Ok(true),
    }
}

/// It stands: what was set aside is removed.
fn forward<V: Volume>(case: &Case<V>, remove: &Remove, spot: &Spot<V>) -> Result<Settled, Fault> {
    let (volume, temporary) = (spot.volume, case.temporary());
    let aside = identity(volume, &spot.start, &temporary)? == Some(remove.identity);
    // Who set it aside may have died over it: a directory that had its name back would lack what is gone from it by then.
    if aside && case.sync {
        spot.sync()?;
    }
    // What cannot be removed is litter. It is tried again, and nobody has to wait for it.
    if aside && discard(volume, &spot.start, &temporary).is_err() {
        return Ok(Settled::Waiting);
    }
    Ok(Settled::Done)
}
