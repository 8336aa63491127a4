//! The directory of a repository's `info/exclude`.
//!
//! In a linked worktree and in a submodule, `.git` is a file with another directory's path. That
//! directory can name the shared one of all worktrees in `commondir`. Neither applies outside of
//! the grants.

use crate::resolve::{Folder, LastLink, Target, resolve};
use fsgate_contract::limits::PATH_BYTES;
use fsgate_contract::path::join;
use fsgate_journal::namespace::Namespace;
use fsgate_volume::bytes::read_all;
use fsgate_volume::{Access, Volume};

/// The shared directory of a repository whose `.git` is a file.
pub(super) fn shared<V: Volume>(
    namespace: &Namespace<V>,
    volume: &V,
    directory: &V::Directory,
    path: &str,
) -> Option<Folder<V>> {
    let own = first_line(volume, directory, ".git")?;
    let own = folder(namespace, path, own.strip_prefix("gitdir:")?)?;
    match first_line(own.volume(namespace), own.handle(), "commondir") {
        Some(shared) => folder(namespace, own.resolved(), &shared),
        None => Some(own),
    }
}

fn first_line<V: Volume>(volume: &V, directory: &V::Directory, name: &str) -> Option<String> {
    let file = volume.open_file(directory, name, Access::Read).ok()?;
    let bytes = read_all(volume, &file, 0, PATH_BYTES).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    text.lines().next().map(str::to_owned)
}

fn folder<V: Volume>(namespace: &Namespace<V>, from: &str, path: &str) -> Option<Folder<V>> {
    let path = path.trim();
    let path = if path.starts_with('/') { path.to_owned() } else { join(from, path) };
    match resolve(namespace, &path, LastLink::Follow) {
        Ok(Target::Directory(folder)) => Some(folder),
        _ => None,
    }
}
