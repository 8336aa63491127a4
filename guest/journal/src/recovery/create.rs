//! A new name. The object is made under a temporary name; the deciding step gives it its own.

use super::compare;
use super::{Decision, Outcome, PlaceLookup, Progress, RecordedPlace, Resolution, second_name};
use crate::path_record::identity;
use crate::record::{Create, Object};
use crate::trash::{discard, forget_kept, keep_copy};
use crate::tree_walk::count_below;
use fsgate_contract::id::{Id, second_temporary};
use fsgate_volume::answers::{NamedObject, existing, unless};
use fsgate_volume::bytes::{hasher, sync_names};
use fsgate_volume::etag;
use fsgate_volume::{Access, Fault, Kind, Volume};

/// Recovers a creation. `original` is the place of the source if the creation is a copy of a moved
/// object.
pub(super) fn resolve<V: Volume>(
    resolution: &Resolution<V>,
    create: &Create,
    place: &RecordedPlace<V>,
    original: Option<&PlaceLookup<V>>,
) -> Result<Outcome, Fault> {
    let directory = place.directory()?;
    let has_both = match &directory {
        Some(directory) => {
            second_name::is_in_trash(resolution, create, (place.volume, directory, &place.name))?
        }
        None => false,
    };
    if let (false, Some(from)) = (has_both, create.from)
        && second_name::has_come_out(resolution, create)?
    {
        // Another process has moved it on.
        second_name::forget(resolution, from, None)?;
        return Ok(if resolution.decision == Decision::Back {
            Outcome::Conflict
        } else {
            Outcome::RolledForward
        });
    }
    let Some(directory) = directory else {
        if resolution.decision == Decision::Forward {
            return Ok(Outcome::RolledForward);
        }
        return place.unmake(create.made).map(|()| Outcome::RolledBack);
    };
    let (volume, temporary) = (place.volume, resolution.temporary());
    let was_begun = existing(volume.stat(&directory, &temporary))?.is_some();
    let is_ours = match create.object {
        _ if resolution.progress == Progress::NameMissing => false,
        // Both names are links to one file, which proves that it is ours.
        Object::File { .. } if was_begun => {
            identity(volume, &directory, &temporary)? == identity(volume, &directory, &place.name)?
        }
        _ if has_both => true,
        _ => {
            is_ours(volume, &directory, create, &place.name)?
                && has_come_out(resolution, create, &directory, place)?
        }
    };
    let is_done = match create.object {
        Object::File { .. } | Object::Link | Object::Special => is_ours,
        Object::Directory | Object::Tree { .. } => is_ours && !was_begun,
    };
    match resolution.decision {
        Decision::Own if is_done => {}
        Decision::Forward => {}
        Decision::Back
            if is_done
                && !may_go(
                    resolution,
                    create,
                    original,
                    (volume, &directory, &place.name),
                    was_begun || has_both,
                )? =>
        {
            discard(volume, &directory, &temporary)?;
            if let (true, Some(from)) = (has_both, create.from) {
                second_name::forget(resolution, from, Some(place))?;
            }
            return Ok(Outcome::Conflict);
        }
        Decision::Own | Decision::Back => {
            let mut is_moved = false;
            let mut is_taken_away = false;
            if is_done && let Some(from) = create.from {
                let moved = put_back(resolution, create, from, volume, &directory, &place.name);
                match unless(moved, |fault| *fault == Fault::Unsupported)? {
                    Some(moved) => is_moved = moved,
                    // Another process has put something into it that cannot be copied.
                    None => return Ok(Outcome::Conflict),
                }
            }
            if is_done && !is_moved {
                match create.object.is_directory() {
                    // In one step: a half-removed tree would look like another process's.
                    true => volume.rename(&directory, &place.name, &directory, &temporary)?,
                    false => volume.remove_file(&directory, &place.name)?,
                }
                is_taken_away = true;
            }
            if was_begun && !is_ours && is_placeholder(volume, &directory, &place.name, &temporary)? {
                volume.remove_file(&directory, &place.name)?;
                is_taken_away = true;
            }
            // The temporary name and the content prove that the name is ours. An earlier recovery
            // may have removed the name without a sync.
            if resolution.sync && (is_taken_away || was_begun) {
                volume.sync_directory(&directory)?;
            }
            discard(volume, &directory, &temporary)?;
            if !is_done
                && resolution.progress != Progress::NameMissing
                && identity(volume, &directory, &place.name)?.is_some()
            {
                return Ok(Outcome::Conflict);
            }
            place.unmake(create.made)?;
            return Ok(Outcome::RolledBack);
        }
    }
    discard(volume, &directory, &temporary)?;
    if let Some(from) = create.from {
        sync_names(volume, &directory, resolution.sync)?;
        forget_kept(resolution.state, from)?;
    }
    Ok(Outcome::RolledForward)
}

/// True if removing the created object loses nothing. A second name alone does not prove its
/// content.
fn may_go<V: Volume>(
    resolution: &Resolution<V>,
    create: &Create,
    original: Option<&PlaceLookup<V>>,
    made: NamedObject<V>,
    is_known_by_name: bool,
) -> Result<bool, Fault> {
    let is_as_made = !is_known_by_name || is_ours(made.0, made.1, create, made.2)?;
    let is_found_again = match create.from {
        Some(from) => resolution.state.knows(from)?,
        None => true,
    };
    Ok(is_as_made && is_found_again && is_one_of_two(create, original, made)?)
}

/// True if the created copy is not the last one: a person may have completed the move by hand, so
/// that the original is gone or replaced.
fn is_one_of_two<V: Volume>(
    create: &Create,
    original: Option<&PlaceLookup<V>>,
    copy: NamedObject<V>,
) -> Result<bool, Fault> {
    let (Some(source), Some(original)) = (&create.source, original) else { return Ok(true) };
    let PlaceLookup::Here(place) = original else { return Ok(false) };
    let Some(directory) = place.directory()? else { return Ok(false) };
    // A copy with the copied bytes: later writes went to the original.
    let is_untouched = create.etag.is_some();
    Ok(is_untouched && identity(place.volume, &directory, &place.name)? == Some(source.identity)
        || compare::holds((place.volume, &directory, &place.name), copy)?)
}

/// True unless the trash still has the object and the name is another one's. A copy out of the
/// trash counts like the trashed object.
fn has_come_out<V: Volume>(
    resolution: &Resolution<V>,
    create: &Create,
    directory: &V::Directory,
    place: &RecordedPlace<V>,
) -> Result<bool, Fault> {
    let Some(from) = create.from else { return Ok(true) };
    let (state, kept) = (resolution.state, from.to_string());
    let Some(kept_identity) = identity(&state.volume, &state.trash, &kept)? else { return Ok(true) };
    if identity(place.volume, directory, &place.name)? == Some(kept_identity) {
        return Ok(true);
    }
    compare::holds((place.volume, directory, &place.name), (&state.volume, &state.trash, &kept))
}

/// Makes sure that the trash has all that came out of it. Returns true if the object was moved
/// back, so that its name is free.
fn put_back<V: Volume>(
    resolution: &Resolution<V>,
    create: &Create,
    from: Id,
    volume: &V,
    directory: &V::Directory,
    name: &str,
) -> Result<bool, Fault> {
    let (state, kept) = (resolution.state, from.to_string());
    if is_ours(&state.volume, &state.trash, create, &kept)? {
        // The earlier recovery may not have synced it.
        return sync_names(&state.volume, &state.trash, resolution.sync).map(|()| false);
    }
    forget_kept(state, from)?;
    // If another process has a further link to the file, the trash gets a copy, so that later
    // writes do not reach it.
    let is_shared = create.links == Some(1)
        && matches!(create.object, Object::File { .. })
        && volume.stat(directory, name)?.names() > 1;
    if is_shared && keep_copy(state, from, (volume, directory, name), resolution.sync).is_ok() {
        return Ok(false);
    }
    match volume.rename(directory, name, &state.trash, &kept) {
        Ok(()) => Ok(true),
        Err(Fault::CrossDevice | Fault::Io(_)) => {
            keep_copy(state, from, (volume, directory, name), resolution.sync)
                .map(|_| false)
                .map_err(|stopped| stopped.reason.into_fault())
        }
        Err(fault) => Err(fault),
    }
}

/// True if the name belongs to the created object, as far as it can be told.
pub(super) fn is_ours<V: Volume>(
    volume: &V,
    directory: &V::Directory,
    create: &Create,
    name: &str,
) -> Result<bool, Fault> {
    let Some(stat) = unless(volume.stat(directory, name), Fault::is_absence)? else { return Ok(false) };
    match (create.object, stat.kind) {
        (Object::File { size }, Kind::File) if stat.size == size => match &create.etag {
            None => Ok(true),
            Some(etag) => {
                let file = volume.open_file(directory, name, Access::Read)?;
                Ok(etag::strong(&hasher(volume, &file, 0, size)?) == *etag)
            }
        },
        (Object::Directory, Kind::Directory) => {
            Ok(count_below(volume, volume.open_directory(directory, name)?)? == (0, 0))
        }
        (Object::Tree { names, bytes }, Kind::Directory) => {
            Ok(count_below(volume, volume.open_directory(directory, name)?)? == (names, bytes))
        }
        (Object::Link, Kind::Link) | (Object::Special, Kind::Special(_)) => Ok(true),
        _ => Ok(false),
    }
}

/// True for an empty file that reserves a name where the volume has no links; the full file
/// replaces it.
fn is_placeholder<V: Volume>(
    volume: &V,
    directory: &V::Directory,
    name: &str,
    temporary: &str,
) -> Result<bool, Fault> {
    let stat = existing(volume.stat(directory, name))?;
    if stat.is_none_or(|stat| stat.kind != Kind::File || stat.size > 0) {
        return Ok(false);
    }
    let second = second_temporary(temporary);
    match volume.link_file(directory, temporary, directory, &second) {
        Ok(()) => volume.remove_file(directory, &second).map(|()| false),
        Err(Fault::Exists) => Ok(false),
        Err(_) => Ok(true),
    }
}
