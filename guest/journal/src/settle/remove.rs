//! A removed name. The deciding step is the rename that takes it away.

use super::same::{self, Named};
use super::{Case, Settled, Spot, Verdict};
use crate::location::{identity, is_none};
use crate::record::{Kept, Object, Remove};
use crate::trash::{discard, forget_kept, take_out};
use fsgate_volume::{Fault, Volume};

pub(super) fn settle<V: Volume>(case: &Case<V>, remove: &Remove, spot: &Spot<V>) -> Result<Settled, Fault> {
    let volume = spot.volume;
    let Some(directory) = spot.directory()? else {
        // The directory of the object is gone: another process has moved it, or a pending change of
        // the same group. Then this change is pending as well.
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
            let aside = set_aside(case, remove, spot)?;
            let here = identity(volume, &directory, &spot.name)? == Some(remove.identity);
            let verdict = match case.verdict {
                // A single change is complete only if the trash has a copy of the removed content.
                Verdict::Own => match &aside {
                    Some(holds) if !is_kept_whole(case, remove, (volume, holds, &temporary))? => {
                        Verdict::Back
                    }
                    _ => Verdict::Own,
                },
                verdict => verdict,
            };
            match (verdict, aside) {
                (Verdict::Own | Verdict::Back, None) if here => has_its_name(case, spot),
                (Verdict::Own | Verdict::Forward, _) => forward(case, remove, spot),
                (Verdict::Back, Some(holds)) => match identity(volume, &directory, &spot.name)? {
                    None => {
                        volume.rename(&holds, &temporary, &directory, &spot.name)?;
                        has_its_name(case, spot)
                    }
                    Some(_) => Ok(Settled::Foreign),
                },
                // The original is removed, and at most a copy is left.
                (Verdict::Back, None) => Ok(Settled::Foreign),
            }
        }
    }
}

/// The directory on the path that holds the original under its temporary name.
fn set_aside<V: Volume>(
    case: &Case<V>,
    remove: &Remove,
    spot: &Spot<V>,
) -> Result<Option<V::Directory>, Fault> {
    let (volume, temporary) = (spot.volume, case.temporary());
    let mut directory = spot.start.clone();
    let mut below = spot.below.iter();
    loop {
        if identity(volume, &directory, &temporary)? == Some(remove.identity) {
            return Ok(Some(directory));
        }
        let Some(name) = below.next() else { return Ok(None) };
        directory = match volume.open_directory(&directory, name) {
            Ok(directory) => directory,
            Err(fault) if is_none(&fault) => return Ok(None),
            Err(fault) => return Err(fault),
        };
    }
}

/// The object has its name, so it needs no copy. An interrupted set-aside name may be its only
/// other link.
fn has_its_name<V: Volume>(case: &Case<V>, spot: &Spot<V>) -> Result<Settled, Fault> {
    if case.sync {
        spot.sync()?;
    }
    forget_kept(case.state, case.stored.record.id)?;
    Ok(Settled::Undone)
}

/// False if another process has written to the set-aside file after it was copied. A copied
/// directory may be the only complete one left.
fn is_kept_whole<V: Volume>(case: &Case<V>, remove: &Remove, aside: Named<V>) -> Result<bool, Fault> {
    match (remove.kept, remove.object) {
        (Kept::Copied, Object::File { .. }) => {
            same::holds((&case.state.volume, &case.state.trash, &case.kept()), aside)
        }
        _ => Ok(true),
    }
}

/// Completes the change: removes the set-aside object.
fn forward<V: Volume>(case: &Case<V>, remove: &Remove, spot: &Spot<V>) -> Result<Settled, Fault> {
    let (volume, temporary) = (spot.volume, case.temporary());
    let Some(holds) = set_aside(case, remove, spot)? else { return Ok(Settled::Done) };
    // After a crash it may be set aside again, and a directory would be incomplete by then.
    if case.sync {
        spot.sync()?;
    }
    // A failed removal is tried again and blocks nothing.
    Ok(if discard(volume, &holds, &temporary).is_err() { Settled::Waiting } else { Settled::Done })
}
