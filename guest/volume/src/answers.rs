//! Answers about absence, and changes answered with a fault.
//!
//! A remote file system can make a change and lose its answer. A layer between retries and answers
//! by the present state. Trust in that answer could remove an object's only name, so these
//! functions check the names.

use super::{Fault, Volume};

/// A name in an open directory.
pub type NamedObject<'a, V> = (&'a V, &'a <V as Volume>::Directory, &'a str);

/// The answer, or none after a fault of absence.
pub fn unless<T>(
    answer: Result<T, Fault>,
    is_absence: impl FnOnce(&Fault) -> bool,
) -> Result<Option<T>, Fault> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(fault) if is_absence(&fault) => Ok(None),
        Err(fault) => Err(fault),
    }
}

/// The answer, or none if the name does not exist.
pub fn existing<T>(answer: Result<T, Fault>) -> Result<Option<T>, Fault> {
    unless(answer, |fault| *fault == Fault::NotFound)
}

/// Accepts a removal if the name is gone.
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

/// Accepts a rename to an otherwise unknown name if that exists.
pub fn unless_there<V: Volume>(
    answer: Result<(), Fault>,
    volume: &V,
    directory: &V::Directory,
    name: &str,
) -> Result<(), Fault> {
    answer.or_else(|fault| volume.stat(directory, name).map(drop).or(Err(fault)))
}

/// Accepts a link to an otherwise unknown name if both names are one file.
pub fn unless_linked<V: Volume>(
    answer: Result<(), Fault>,
    from: NamedObject<V>,
    to: NamedObject<V>,
) -> Result<(), Fault> {
    let identity = |(volume, directory, name): NamedObject<V>| volume.identity_at(directory, name);
    answer.or_else(|fault| match (identity(from), identity(to)) {
        (Ok(old), Ok(new)) if old == new => Ok(()),
        _ => Err(fault),
    })
}
