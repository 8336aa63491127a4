//! What was done although it was answered with a fault.
//!
//! A file system on another machine can do what it is asked for and lose its answer; something in between asks once more then,
//! and answers with what is there by now. Whoever takes such an answer for the truth gives up the one name that something has
//! left. So before anything follows from it, the names are looked at: they do not lie.

use super::{Fault, Volume};

/// A name was to be given up: it was if it is gone, by whomever.
pub fn unless_gone<V: Volume>(
    answer: Result<(), Fault>,
    volume: &V,
    directory: &V::Directory,
    name: &str,
) -> Result<(), Fault> {
    answer.or_else(|fault| match volume.stat(directory, name) {
        Err(Fault::NotFound) => Ok(()),
        _ => Err(fault),
    })
}

/// Something was to come under a name that nobody else knows: it did if it is there.
pub fn unless_there<V: Volume>(
    answer: Result<(), Fault>,
    volume: &V,
    directory: &V::Directory,
    name: &str,
) -> Result<(), Fault> {
    answer.or_else(|fault| volume.stat(directory, name).map(drop).or(Err(fault)))
}

/// A file was to get a second name, which nobody could have given it before: it did if both are names of one file.
pub fn unless_linked<V: Volume>(
    answer: Result<(), Fault>,
    from: (&V, &V::Directory, &str),
    to: (&V, &V::Directory, &str),
) -> Result<(), Fault> {
    let identity = |(volume, directory, name): (&V, &V::Directory, &str)| volume.identity_at(directory, name);
    answer.or_else(|fault| match (identity(from), identity(to)) {
        (Ok(old), Ok(new)) if old == new => Ok(()),
        _ => Err(fault),
    })
}
