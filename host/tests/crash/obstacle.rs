//! Obstacles in a real tree: modes, immutable files, read-only mounts.

use std::fs::{self, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::mount::run;
use super::user::is_root;

/// A reason for the system to refuse a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Obstacle {
    Mode(u32),
    /// `chattr +i`: root's right, on a file system that has it.
    Immutable,
    /// A read-only bind mount of a directory on itself; needs root.
    ReadOnlyMount,
}

pub(crate) const FILES: [Obstacle; 4] =
    [Obstacle::Mode(0), Obstacle::Mode(0o200), Obstacle::Mode(0o444), Obstacle::Immutable];

pub(crate) const DIRECTORIES: [Obstacle; 5] = [
    Obstacle::Mode(0),
    Obstacle::Mode(0o200),
    Obstacle::Mode(0o444),
    Obstacle::Mode(0o555),
    Obstacle::ReadOnlyMount,
];

/// An obstacle at a path, removed on drop.
pub(crate) struct PlacedObstacle {
    path: PathBuf,
    obstacle: Obstacle,
    mode: u32,
}

impl Obstacle {
    /// Puts the obstacle at a path, or returns why that fails.
    pub(crate) fn put(self, path: &Path) -> Result<PlacedObstacle, String> {
        let mode = fs::symlink_metadata(path).map_err(|error| error.to_string())?.permissions().mode();
        match self {
            Self::Mode(bits) => {
                fs::set_permissions(path, Permissions::from_mode(bits)).map_err(|error| error.to_string())?;
            }
            _ if !is_root() => return Err(format!("{self:?} takes the rights of root")),
            Self::Immutable => run("chattr", &["+i"], path)?,
            Self::ReadOnlyMount => {
                run("mount", &["--bind", &path.to_string_lossy()], path)?;
                run("mount", &["-o", "remount,bind,ro"], path)
                    .inspect_err(|_| drop(run("umount", &[], path)))?;
            }
        }
        Ok(PlacedObstacle { path: path.to_owned(), obstacle: self, mode })
    }
}

/// The present path of a mount, which a change has moved with a directory around it.
fn moved_mount(path: &Path) -> Option<PathBuf> {
    // `/`, `tmp` and the scratch directory.
    let scratch: PathBuf = path.components().take(3).collect();
    let mounts = fs::read_to_string("/proc/self/mounts").ok()?;
    let paths = mounts.lines().filter_map(|line| line.split(' ').nth(1)).map(PathBuf::from);
    let mut ours = paths.filter(|mount| mount.starts_with(&scratch) && mount.file_name() == path.file_name());
    if path.exists() { None } else { ours.next() }
}

impl Drop for PlacedObstacle {
    fn drop(&mut self) {
        let gone = match self.obstacle {
            Obstacle::Mode(_) => match fs::set_permissions(&self.path, Permissions::from_mode(self.mode)) {
                // A change has moved or removed it.
                Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
                set => set.map_err(|error| error.to_string()),
            },
            Obstacle::Immutable => run("chattr", &["-i"], &self.path),
            Obstacle::ReadOnlyMount => {
                let path = moved_mount(&self.path).unwrap_or_else(|| self.path.clone());
                run("umount", &["--lazy"], &path)
            }
        };
        if let (Err(why), false) = (gone, std::thread::panicking()) {
            panic!("{:?} stays at {}: {why}", self.obstacle, self.path.display());
        }
    }
}
