//! A removed name. The deciding step is the rename that takes it away.

use super::{Decision, Outcome, PlaceLookup, RecordedPlace, Resolution, compare};
use crate::namespace::Namespace;
use crate::path_record::{identity, is_none};
use crate::record::{Kept, Object, Remove};
use crate::trash::{discard, forget_kept, take_out};
use fsgate_volume::answers::{NamedObject, unless};
use fsgate_volume::{Fault, Volume};

pub(super) fn resolve<V: Volume>(
    resolution: &Resolution<V>,
    remove: &Remove,
    place: &RecordedPlace<V>,
) -> Result<Outcome, Fault> {
    let volume = place.volume;
    let Some(directory) = place.directory()? else {
        // The directory of the object is gone: another process has moved it, or a pending change of
        // the same group. Then this change is pending as well.
        return if resolution.decision == Decision::Back {
            Ok(Outcome::Missing)
        } else {
            forward(resolution, remove, place)
        };
    };
    match remove.kept {
        Kept::Moved => match (resolution.is_kept()?, resolution.decision) {
            (false, Decision::Own | Decision::Back) => Ok(Outcome::RolledBack),
            (_, Decision::Own | Decision::Forward) => Ok(Outcome::RolledForward),
            (true, Decision::Back) => {
                let (id, temporary) = (resolution.stored.record.id, resolution.temporary());
                let to = (volume, &directory, &place.name[..]);
                match take_out(resolution.state, id, remove.object, to, &temporary, resolution.sync) {
                    Ok(_) => Ok(Outcome::RolledBack),
                    Err(Fault::Exists) => Ok(Outcome::Conflict),
                    Err(fault) => Err(fault),
                }
            }
        },
        Kept::Copied | Kept::Not => {
            let temporary = resolution.temporary();
            let aside = set_aside(&temporary, remove, place)?;
            let here = identity(volume, &directory, &place.name)? == Some(remove.identity);
            let decision = match resolution.decision {
                // A single change is complete only if the trash has a copy of the removed content.
                Decision::Own => match &aside {
                    Some(holds) if !is_kept_whole(resolution, remove, (volume, holds, &temporary))? => {
                        Decision::Back
                    }
                    _ => Decision::Own,
                },
                decision => decision,
            };
            match (decision, aside) {
                (Decision::Own | Decision::Back, None) if here => has_its_name(resolution, place),
                (Decision::Own | Decision::Forward, _) => forward(resolution, remove, place),
                (Decision::Back, Some(holds)) => match identity(volume, &directory, &place.name)? {
                    None => {
                        volume.rename(&holds, &temporary, &directory, &place.name)?;
                        has_its_name(resolution, place)
                    }
                    Some(_) => Ok(Outcome::Conflict),
                },
                (Decision::Back, None) => Ok(Outcome::Conflict),
            }
        }
    }
}

/// True if an interrupted removal has left its object under the temporary name.
pub(super) fn has_rest<V: Volume>(
    namespace: &Namespace<V>,
    remove: &Remove,
    temporary: &str,
) -> Result<bool, Fault> {
    match RecordedPlace::find(namespace, &remove.at)? {
        PlaceLookup::Here(place) => Ok(set_aside(temporary, remove, &place)?.is_some()),
        PlaceLookup::Gone | PlaceLookup::Elsewhere => Ok(false),
    }
}

/// The directory in which the object has the temporary name.
fn set_aside<V: Volume>(
    temporary: &str,
    remove: &Remove,
    place: &RecordedPlace<V>,
) -> Result<Option<V::Directory>, Fault> {
    let volume = place.volume;
    let mut directory = place.start.clone();
    let mut below = place.below.iter();
    loop {
        if identity(volume, &directory, temporary)? == Some(remove.identity) {
            return Ok(Some(directory));
        }
        let Some(name) = below.next() else { return Ok(None) };
        let below = unless(volume.open_directory(&directory, name), is_none)?;
        let Some(below) = below else { return Ok(None) };
        directory = below;
    }
}

/// The object has its name, so it needs no copy. An interrupted set-aside name may be its only
/// other link.
fn has_its_name<V: Volume>(resolution: &Resolution<V>, place: &RecordedPlace<V>) -> Result<Outcome, Fault> {
    if resolution.sync {
        place.sync()?;
    }
    forget_kept(resolution.state, resolution.stored.record.id)?;
    Ok(Outcome::RolledBack)
}

/// False if another process has written to the set-aside file after it was copied. A copied
/// directory may be the only complete one left.
fn is_kept_whole<V: Volume>(
    resolution: &Resolution<V>,
    remove: &Remove,
    aside: NamedObject<V>,
) -> Result<bool, Fault> {
    match (remove.kept, remove.object) {
        (Kept::Copied, Object::File { .. }) => {
            compare::holds((&resolution.state.volume, &resolution.state.trash, &resolution.kept()), aside)
        }
        _ => Ok(true),
    }
}

fn forward<V: Volume>(
    resolution: &Resolution<V>,
    remove: &Remove,
    place: &RecordedPlace<V>,
) -> Result<Outcome, Fault> {
    let (volume, temporary) = (place.volume, resolution.temporary());
    let Some(holds) = set_aside(&temporary, remove, place)? else { return Ok(Outcome::RolledForward) };
    // After a crash it may be set aside again, and a directory would be incomplete by then.
    if resolution.sync {
        place.sync()?;
    }
    // A failed removal is tried again and blocks nothing.
    Ok(if discard(volume, &holds, &temporary).is_err() { Outcome::Pending } else { Outcome::RolledForward })
}
