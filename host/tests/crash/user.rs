//! The users that programs run as: the user that runs the tests, and one without privileges.
//!
//! Permissions do not stop root, so its tries say nothing about files that their owner may not
//! write.

use std::fs;
use std::os::unix::fs::lchown;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use super::scratch::Scratch;

/// The user that a program runs as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum User {
    /// The user that runs the tests.
    Own,
    /// The user [`UNPRIVILEGED`]. Only root can start a program as another user.
    Other,
}

/// The id of the user and the group for processes without rights.
const UNPRIVILEGED: u32 = 65_534;

/// The id of root, and of its group.
pub(crate) const ROOT: u32 = 0;

/// Whether the tests run as root.
pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

impl User {
    /// Every user to try a script as.
    pub(crate) fn all() -> Vec<Self> {
        match (is_root(), Self::unprivileged()) {
            (true, Some(other)) => vec![Self::Own, other],
            _ => vec![Self::Own],
        }
    }

    /// A user whom permissions stop, or a message that there is none.
    pub(crate) fn unprivileged() -> Option<Self> {
        if !is_root() {
            return Some(Self::Own);
        }
        let scratch = Scratch::of(Self::Other);
        let started = scratch.command().arg("--version").output();
        match started {
            Ok(output) if output.status.success() => Some(Self::Other),
            started => {
                eprintln!("not tried as uid {UNPRIVILEGED}, which cannot run the program: {started:?}");
                None
            }
        }
    }

    /// Makes a command run as this user.
    pub(crate) fn runs(self, command: &mut Command) {
        if self == Self::Other {
            // This also removes root's other groups.
            command.uid(UNPRIVILEGED).gid(UNPRIVILEGED);
        }
    }

    /// Gives a path and its content to this user.
    pub(crate) fn owns(self, path: &Path) {
        if self == Self::Other {
            give(path, UNPRIVILEGED);
        }
    }
}

/// Gives a path and its content to a user and its group; needs root.
pub(crate) fn give(path: &Path, user: u32) {
    lchown(path, Some(user), Some(user)).unwrap();
    if fs::symlink_metadata(path).unwrap().is_dir() {
        fs::read_dir(path).unwrap().for_each(|entry| give(&entry.unwrap().path(), user));
    }
}
