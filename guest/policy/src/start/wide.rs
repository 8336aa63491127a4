//! Directories that hold far more than a project.

use std::path::Path;

use super::Machine;

/// Directories in `/` of the system, all users, drives or temporary files. Others, such as
/// `/workspace`, can be projects.
const SYSTEM: &str = "Applications Library System Volumes bin boot dev etc lib lib64 lost+found media mnt opt private \
                      proc run sbin snap srv sys tmp usr var";

/// Describes a canonical path too wide for a grant.
pub fn wideness(path: &Path, machine: &Machine) -> Option<&'static str> {
    const HOME: &str = "a home directory";
    const DRIVE: &str = "a whole drive";
    let home = machine.home().map(|home| machine.canonical(&home));
    let contains = |outer: &Path, inner: &Path| machine.contains(outer, inner);
    if home.as_deref().is_some_and(|home| contains(path, home) && contains(home, path)) {
        return Some(HOME);
    }
    let names: Option<Vec<&str>> = path.components().skip(1).map(|name| name.as_os_str().to_str()).collect();
    match names.as_deref().unwrap_or_default() {
        [] if names.is_some() => Some("all of this machine"),
        ["home" | "Users"] => Some("the directory of all home directories"),
        ["root"] | ["home" | "Users", _] => Some(HOME),
        [name] if SYSTEM.split(' ').any(|system| system == *name) => Some("a directory of the system"),
        ["mnt", drive] if drive.chars().count() == 1 => Some(DRIVE),
        ["media" | "Volumes", _] | ["media", _, _] | ["run", "media", _] | ["run", "media", _, _] => {
            Some(DRIVE)
        }
        // Machines may place homes in `/var/home` or `/data`.
        _ if home.is_some_and(|home| contains(path, &home)) => {
            Some("a directory with a home directory in it")
        }
        _ => None,
    }
}
