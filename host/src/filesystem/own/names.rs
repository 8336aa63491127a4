//! Calls on a single name in an open directory; none follows a link.

use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat};
use rustix::io::{Errno, retry_on_intr};
use wasmtime::component::Resource;
use wasmtime_wasi::p2::bindings::sync::filesystem::types::{
    DescriptorFlags, DescriptorStat, MetadataHashValue, NewTimestamp, OpenFlags, PathFlags,
};

use super::attributes::{descriptor_stat, file_type, identity};
use super::beneath::{
    checked, is_removable, open, open_to_change, rename_empty, require_renewable, single, unless_mounted,
};
use super::descriptor::{Call, Descriptor, OpenHandle};
use super::likeness::Likeness;
use super::refusal::{ErrorCode, Outcome};

/// The mode of a new directory, before the umask.
const DIRECTORY_MODE: u32 = 0o777;

type DirectoryResource = Resource<Descriptor>;

pub(super) fn open_at(
    call: &mut Call<'_>,
    (directory, _, name, how, flags): (DirectoryResource, PathFlags, String, OpenFlags, DescriptorFlags),
) -> Outcome<DirectoryResource> {
    let creates = how.contains(OpenFlags::CREATE);
    let cuts_off = how.contains(OpenFlags::TRUNCATE);
    let directory = call.get(&directory)?.as_directory()?;
    let rights = directory.rights();
    let writes = flags.contains(DescriptorFlags::WRITE) || creates || cuts_off;
    if writes || flags.contains(DescriptorFlags::MUTATE_DIRECTORY) {
        directory.changeable()?;
    }
    if creates || cuts_off {
        call.changing(directory)?;
    }
    let synced = DescriptorFlags::FILE_INTEGRITY_SYNC
        | DescriptorFlags::DATA_INTEGRITY_SYNC
        | DescriptorFlags::REQUESTED_WRITE_SYNC;
    if flags.intersects(synced) {
        return Err(ErrorCode::Unsupported.into());
    }
    let reads = flags.contains(DescriptorFlags::READ) || !writes;
    if how.contains(OpenFlags::DIRECTORY) {
        if how != OpenFlags::DIRECTORY {
            return Err(ErrorCode::Invalid.into());
        }
        if writes {
            return Err(ErrorCode::IsDirectory.into());
        }
        // A component may open a preopened directory again.
        let name = if name == "." { "." } else { single(&name)? };
        let handle = match flags.contains(DescriptorFlags::MUTATE_DIRECTORY) {
            true => open_to_change(directory.handle(), name, rights.is_state)?,
            false => open(directory.handle(), name, OFlags::RDONLY | OFlags::DIRECTORY)?,
        };
        return call.push(OpenHandle::directory(handle, rights));
    }
    let mut system = match (reads, writes) {
        (true, true) => OFlags::RDWR,
        (false, true) => OFlags::WRONLY,
        (_, false) => OFlags::RDONLY,
    };
    system.set(OFlags::CREATE, creates);
    system.set(OFlags::EXCL, how.contains(OpenFlags::EXCLUSIVE) && creates);
    let (within, name) = (directory.handle(), single(&name)?);
    if creates {
        require_renewable(within)?;
    }
    let likeness = call.likeness.as_ref().filter(|_| system.contains(OFlags::CREATE | OFlags::EXCL));
    let handle = match likeness {
        Some(likeness) => likeness.create_file(within, name, system)?,
        None => open(within, name, system)?,
    };
    let (mut stat, is_directory) = checked(&handle)?;
    if is_directory {
        return call.push(OpenHandle::directory(handle, rights));
    }
    call.require_open(&handle, &stat, rights)?;
    if cuts_off {
        // Truncated after opening, when its type is known.
        retry_on_intr(|| rustix::fs::ftruncate(&handle, 0))?;
        stat = rustix::fs::fstat(&handle)?;
    }
    let opened = match (reads, writes) {
        (true, true) => DescriptorFlags::READ | DescriptorFlags::WRITE,
        (false, true) => DescriptorFlags::WRITE,
        (_, false) => DescriptorFlags::READ,
    };
    let file = call.push(OpenHandle::file(handle, rights, opened))?;
    call.directories.fresh = Some((file.rep(), stat));
    Ok(file)
}

pub(super) fn stat_at(
    call: &mut Call<'_>,
    (directory, flags, name): (DirectoryResource, PathFlags, String),
) -> Outcome<DescriptorStat> {
    Ok(descriptor_stat(&look(call, &directory, flags, &name)?))
}

pub(super) fn metadata_hash_at(
    call: &mut Call<'_>,
    (directory, flags, name): (DirectoryResource, PathFlags, String),
) -> Outcome<MetadataHashValue> {
    Ok(identity(&look(call, &directory, flags, &name)?))
}

/// The metadata of a name; a request to follow a link fails with ELOOP.
fn look(call: &Call<'_>, directory: &DirectoryResource, flags: PathFlags, name: &str) -> Outcome<Stat> {
    let directory = call.get(directory)?.as_directory()?;
    let stat = rustix::fs::statat(directory.handle(), single(name)?, AtFlags::SYMLINK_NOFOLLOW)?;
    if flags.contains(PathFlags::SYMLINK_FOLLOW) && file_type(&stat) == FileType::Symlink {
        return Err(ErrorCode::Loop.into());
    }
    Ok(stat)
}

/// The target of a link, which the host never follows.
pub(super) fn readlink_at(
    call: &mut Call<'_>,
    (directory, name): (DirectoryResource, String),
) -> Outcome<String> {
    let directory = call.get(&directory)?.as_directory()?;
    let target = rustix::fs::readlinkat(directory.handle(), single(&name)?, Vec::new())?;
    target.into_string().map_err(|_| ErrorCode::IllegalByteSequence.into())
}

pub(super) fn create_directory_at(
    call: &mut Call<'_>,
    (directory, name): (DirectoryResource, String),
) -> Outcome<()> {
    let directory = call.changing(call.get(&directory)?.as_directory()?)?;
    let (within, name) = (directory.handle(), single(&name)?);
    require_renewable(within)?;
    match &call.likeness {
        Some(likeness) => likeness.create_directory(within, name),
        None => Ok(rustix::fs::mkdirat(within, name, Mode::from_raw_mode(DIRECTORY_MODE))?),
    }
}

pub(super) fn remove_directory_at(
    call: &mut Call<'_>,
    (directory, name): (DirectoryResource, String),
) -> Outcome<()> {
    remove(call, &directory, &name, AtFlags::REMOVEDIR)
}

pub(super) fn unlink_file_at(
    call: &mut Call<'_>,
    (directory, name): (DirectoryResource, String),
) -> Outcome<()> {
    remove(call, &directory, &name, AtFlags::empty())
}

fn remove(call: &Call<'_>, directory: &DirectoryResource, name: &str, flags: AtFlags) -> Outcome<()> {
    let directory = call.changing(call.get(directory)?.as_directory()?)?;
    let (within, name) = (directory.handle(), single(name)?);
    Ok(rustix::fs::unlinkat(within, name, flags).map_err(|error| unless_mounted(error, within, name))?)
}

/// Creates a second name for a file or a link. Linking `.` into the virtual directory names the
/// permissions of the next new file.
pub(super) fn link_at(
    call: &mut Call<'_>,
    (from, flags, name, to, new_name): (DirectoryResource, PathFlags, String, DirectoryResource, String),
) -> Outcome<()> {
    if call.is_likeness(&to)? {
        let source = call.get(&from)?;
        if flags != PathFlags::empty() || name != "." || new_name != "." {
            return Err(ErrorCode::NotPermitted.into());
        }
        call.directories.likeness = Some(Likeness::of(source.handle())?);
        return Ok(());
    }
    let (from, to) = both(call, &from, &to)?;
    if flags.contains(PathFlags::SYMLINK_FOLLOW) {
        return Err(ErrorCode::Invalid.into());
    }
    let (name, new_name) = (single(&name)?, single(&new_name)?);
    // A move could not be rolled back if the new name cannot be removed.
    require_renewable(to.handle())?;
    if !is_removable(from.handle(), name, to.handle())? {
        return Err(ErrorCode::NotPermitted.into());
    }
    Ok(rustix::fs::linkat(from.handle(), name, to.handle(), new_name, AtFlags::empty())?)
}

pub(super) fn rename_at(
    call: &mut Call<'_>,
    (from, name, to, new_name): (DirectoryResource, String, DirectoryResource, String),
) -> Outcome<()> {
    let (from, to) = both(call, &from, &to)?;
    let (name, new_name) = (single(&name)?, single(&new_name)?);
    require_renewable(to.handle())?;
    let with_trash = from.rights().is_state != to.rights().is_state;
    match rustix::fs::renameat(from.handle(), name, to.handle(), new_name) {
        // The trash has to hold every directory that can be deleted, and restore it.
        Err(Errno::ACCESS) if with_trash => {
            // If this fails too, the directory stays where it is.
            rename_empty(from.handle(), name, to.handle(), new_name).map_err(|_| Errno::ACCESS.into())
        }
        renamed => Ok(renamed.map_err(|error| unless_mounted(error, from.handle(), name))?),
    }
}

/// Two changeable directories: nothing moves into or out of a read-only grant.
fn both<'a>(
    call: &'a Call<'_>,
    from: &DirectoryResource,
    to: &DirectoryResource,
) -> Outcome<(&'a OpenHandle, &'a OpenHandle)> {
    let changing = |directory| call.changing(call.get(directory)?.as_directory()?);
    Ok((changing(from)?, changing(to)?))
}

/// No tool makes links, so no component may.
pub(super) fn symlink_at(
    call: &mut Call<'_>,
    (directory, _, _): (DirectoryResource, String, String),
) -> Outcome<()> {
    call.get(&directory)?.as_directory()?;
    Err(ErrorCode::NotPermitted.into())
}

type Times = (DirectoryResource, PathFlags, String, NewTimestamp, NewTimestamp);

pub(super) fn set_times_at(call: &mut Call<'_>, (directory, ..): Times) -> Outcome<()> {
    call.get(&directory)?.as_directory()?.changeable()?;
    Err(ErrorCode::Unsupported.into())
}
