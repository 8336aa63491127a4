//! New files and directories.

use super::bytes::write_all;
use super::made::Made;
use super::temporary;
use crate::error::Reason;
use crate::resolve::Place;
use crate::volume::{Fault, Volume};

/// Makes the missing parents and the file.
pub(super) fn create<'a, V: Volume>(
    volume: &'a V,
    made: &mut Made<'a, V>,
    place: &Place<V>,
    content: &[u8],
) -> Result<(), Reason> {
    let directory = made.parents(volume, place).map_err(Fault::writing)?;
    publish(volume, &directory, place.name(), |file| {
        write_all(volume, file, 0, content).map_err(|(fault, _)| fault.writing())
    })
}

/// Makes the missing parents and the directory. Where somebody else has made it meanwhile, it is there all the same.
pub(super) fn create_directory<'a, V: Volume>(
    volume: &'a V,
    made: &mut Made<'a, V>,
    place: &Place<V>,
) -> Result<(), Reason> {
    let directory = made.parents(volume, place).map_err(Fault::writing)?;
    match volume.create_directory(&directory, place.name()) {
        Err(Fault::Exists) if volume.open_directory(&directory, place.name()).is_ok() => Ok(()),
        done => done.map_err(Fault::writing),
    }
}

/// Makes a file appear under its name at once, with everything that `fill` writes, or not at all.
pub(super) fn publish<V: Volume, E: From<Reason>>(
    volume: &V,
    directory: &V::Directory,
    name: &str,
    fill: impl Fn(&V::File) -> Result<(), E>,
) -> Result<(), E> {
    let temporary = temporary(volume);
    write_new(volume, directory, &temporary, &fill)?;
    let linked = volume.link_file(directory, &temporary, directory, name);
    // The link decides. A temporary name that cannot be removed is litter, not a failed call.
    let _ = volume.remove_file(directory, &temporary);
    match linked {
        Ok(()) => Ok(()),
        // No links on this file system: the name itself is made exclusively, and taken back if writing fails.
        Err(Fault::Unsupported | Fault::NotPermitted | Fault::Access) => {
            write_new(volume, directory, name, &fill)
        }
        Err(fault) => Err(fault.writing().into()),
    }
}

/// Makes a file, which is removed again if it cannot be filled.
pub(super) fn write_new<V: Volume, E: From<Reason>>(
    volume: &V,
    directory: &V::Directory,
    name: &str,
    fill: impl Fn(&V::File) -> Result<(), E>,
) -> Result<(), E> {
    let file = volume.create_file(directory, name).map_err(Fault::writing)?;
    fill(&file).inspect_err(|_| drop(volume.remove_file(directory, name)))
}
