//! A new name. The object is made under a temporary name; the deciding step gives it its own.

use super::same::{self, Named};
use super::{Came, Case, Found, Settled, Spot, Verdict, second_name};
use crate::descent::count_below;
use crate::location::identity;
use crate::record::{Create, Object};
use crate::trash::{Unkept, discard, forget_kept, keep_copy};
use fsgate_contract::id::{Id, second_temporary};
use fsgate_volume::bytes::hasher;
use fsgate_volume::etag;
use fsgate_volume::{Access, Fault, Kind, Volume};

/// Recovers a creation. `original` is the place of the source if the creation is a copy of a moved
/// object.
pub(super) fn settle<V: Volume>(
    case: &Case<V>,
    create: &Create,
    spot: &Spot<V>,
    original: Option<&Found<V>>,
) -> Result<Settled, Fault> {
    let directory = spot.directory()?;
    let has_both = match &directory {
        Some(directory) => second_name::is_in_trash(case, create, (spot.volume, directory, &spot.name))?,
        None => false,
    };
    if let (false, Some(from)) = (has_both, create.from)
        && second_name::has_come_out(case, create)?
    {
        // Another process has moved it on.
        second_name::forget(case, from, None)?;
        return Ok(if case.verdict == Verdict::Back { Settled::Foreign } else { Settled::Done });
    }
    let Some(directory) = directory else {
        // A parent was not made, or another process has removed it.
        if case.verdict == Verdict::Forward {
            return Ok(Settled::Done);
        }
        return spot.unmake(create.made).map(|()| Settled::Undone);
    };
    let (volume, temporary) = (spot.volume, case.temporary());
    let was_begun = match volume.stat(&directory, &temporary) {
        Ok(_) => true,
        Err(Fault::NotFound) => false,
        Err(fault) => return Err(fault),
    };
    let is_ours = match create.object {
        _ if case.came == Came::ToNoName => false,
        // Both names are links to one file, which proves that it is ours.
        Object::File { .. } if was_begun => {
            identity(volume, &directory, &temporary)? == identity(volume, &directory, &spot.name)?
        }
        _ if has_both => true,
        _ => {
            is_ours(volume, &directory, create, &spot.name)? && has_come_out(case, create, &directory, spot)?
        }
    };
    let stands = match create.object {
        // With both names, only the temporary one is left to remove.
        Object::File { .. } | Object::Link | Object::Special => is_ours,
        Object::Directory | Object::Tree { .. } => is_ours && !was_begun,
    };
    match case.verdict {
        Verdict::Own if stands => {}
        Verdict::Forward => {}
        Verdict::Back
            if stands
                && !may_go(
                    case,
                    create,
                    original,
                    (volume, &directory, &spot.name),
                    was_begun || has_both,
                )? =>
        {
            discard(volume, &directory, &temporary)?;
            if let (true, Some(from)) = (has_both, create.from) {
                second_name::forget(case, from, Some(spot))?;
            }
            return Ok(Settled::Foreign);
        }
        Verdict::Own | Verdict::Back => {
            let mut is_moved = false;
            let mut is_taken_away = false;
            if stands && let Some(from) = create.from {
                match put_back(case, create, from, volume, &directory, &spot.name) {
                    Ok(moved) => is_moved = moved,
                    // Another process has put something into it that cannot be copied.
                    Err(Fault::Unsupported) => return Ok(Settled::Foreign),
                    Err(fault) => return Err(fault),
                }
            }
            if stands && !is_moved {
                match create.object.is_directory() {
                    // In one step: a half-removed tree would look like another process's.
                    true => volume.rename(&directory, &spot.name, &directory, &temporary)?,
                    false => volume.remove_file(&directory, &spot.name)?,
                }
                is_taken_away = true;
            }
            if was_begun && !is_ours && is_placeholder(volume, &directory, &spot.name, &temporary)? {
                volume.remove_file(&directory, &spot.name)?;
                is_taken_away = true;
            }
            // The temporary name and the content prove that the name is ours. An earlier recovery
            // may have removed the name without a sync.
            if case.sync && (is_taken_away || was_begun) {
                volume.sync_directory(&directory)?;
            }
            discard(volume, &directory, &temporary)?;
            // Another process has changed or replaced it.
            if !stands && case.came != Came::ToNoName && identity(volume, &directory, &spot.name)?.is_some() {
                return Ok(Settled::Foreign);
            }
            spot.unmake(create.made)?;
            return Ok(Settled::Undone);
        }
    }
    discard(volume, &directory, &temporary)?;
    if let Some(from) = create.from {
        // The second name, or the source of the copy.
        if case.sync {
            volume.sync_directory(&directory)?;
        }
        forget_kept(case.state, from)?;
    }
    Ok(Settled::Done)
}

/// True if removing the created object loses nothing. A second name alone does not prove its
/// content.
fn may_go<V: Volume>(
    case: &Case<V>,
    create: &Create,
    original: Option<&Found<V>>,
    made: Named<V>,
    is_known_by_name: bool,
) -> Result<bool, Fault> {
    let is_as_made = !is_known_by_name || is_ours(made.0, made.1, create, made.2)?;
    let is_found_again = match create.from {
        Some(from) => case.state.knows(from)?,
        None => true,
    };
    Ok(is_as_made && is_found_again && is_one_of_two(create, original, made)?)
}

/// True if the created copy is not the last one: a person may have completed the move by hand, so
/// that the original is gone or replaced.
fn is_one_of_two<V: Volume>(
    create: &Create,
    original: Option<&Found<V>>,
    copy: Named<V>,
) -> Result<bool, Fault> {
    let (Some(source), Some(original)) = (&create.source, original) else { return Ok(true) };
    let Found::Here(spot) = original else { return Ok(false) };
    let Some(directory) = spot.directory()? else { return Ok(false) };
    // A copy with the copied bytes: later writes went to the original.
    let is_untouched = create.etag.is_some();
    Ok(is_untouched && identity(spot.volume, &directory, &spot.name)? == Some(source.identity)
        || same::holds((spot.volume, &directory, &spot.name), copy)?)
}

/// True unless the trash still has the object and the name is another one's. A copy out of the
/// trash counts like the trashed object.
fn has_come_out<V: Volume>(
    case: &Case<V>,
    create: &Create,
    directory: &V::Directory,
    spot: &Spot<V>,
) -> Result<bool, Fault> {
    let Some(from) = create.from else { return Ok(true) };
    let (state, kept) = (case.state, from.to_string());
    let Some(lies) = identity(&state.volume, &state.trash, &kept)? else { return Ok(true) };
    if identity(spot.volume, directory, &spot.name)? == Some(lies) {
        return Ok(true);
    }
    same::holds((spot.volume, directory, &spot.name), (&state.volume, &state.trash, &kept))
}

/// Makes sure that the trash has all that came out of it. Returns true if the object was moved
/// back, so that its name is free.
fn put_back<V: Volume>(
    case: &Case<V>,
    create: &Create,
    from: Id,
    volume: &V,
    directory: &V::Directory,
    name: &str,
) -> Result<bool, Fault> {
    let (state, kept) = (case.state, from.to_string());
    if is_ours(&state.volume, &state.trash, create, &kept)? {
        // The earlier recovery may not have synced it.
        if case.sync {
            state.volume.sync_directory(&state.trash)?;
        }
        return Ok(false);
    }
    forget_kept(state, from)?;
    // If another process has a further link to the file, the trash gets a copy, so that later
    // writes do not reach it.
    let is_shared = create.links == Some(1)
        && matches!(create.object, Object::File { .. })
        && volume.stat(directory, name)?.names() > 1;
    if is_shared && keep_copy(state, from, volume, directory, name, case.sync).is_ok() {
        return Ok(false);
    }
    match volume.rename(directory, name, &state.trash, &kept) {
        Ok(()) => Ok(true),
        // It was copied out of the trash, so it can be copied back.
        Err(Fault::CrossDevice | Fault::Io(_)) => keep_copy(state, from, volume, directory, name, case.sync)
            .map(|_| false)
            .map_err(Unkept::into_fault),
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
    let stat = match volume.stat(directory, name) {
        Ok(stat) => stat,
        Err(fault) if fault.is_absence() => return Ok(false),
        Err(fault) => return Err(fault),
    };
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
    match volume.stat(directory, name) {
        Ok(stat) if stat.kind == Kind::File && stat.size == 0 => {}
        Ok(_) | Err(Fault::NotFound) => return Ok(false),
        Err(fault) => return Err(fault),
    }
    let second = second_temporary(temporary);
    match volume.link_file(directory, temporary, directory, &second) {
        Ok(()) => volume.remove_file(directory, &second).map(|()| false),
        Err(Fault::Exists) => Ok(false),
        Err(_) => Ok(true),
    }
}
