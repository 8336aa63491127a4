use std::ffi::{CStr, CString};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{
    Access, AtFlags, Dir, FileType, Mode, OFlags, ResolveFlags, Stat, Statx, StatxAttributes, StatxFlags,
};
use rustix::io::Errno;

use super::refusal::{ErrorCode, Outcome, Refusal};

/// The mode of a new file, before the umask.
const FILE_MODE: u32 = 0o666;

/// Accepts a single name only. A trailing `/` would follow a link.
pub(super) fn single(name: &str) -> Outcome<&str> {
    match name {
        "" | "." => Err(ErrorCode::Invalid.into()),
        ".." => Err(ErrorCode::NotPermitted.into()),
        _ if name.contains('/') => Err(ErrorCode::NotPermitted.into()),
        _ if name.contains('\0') => Err(ErrorCode::Invalid.into()),
        _ => Ok(name),
    }
}

/// Opens a name, or `.`. Follows no link, waits for no FIFO, and takes no terminal.
pub(super) fn open(directory: BorrowedFd<'_>, name: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
    let mode = if flags.contains(OFlags::CREATE) { Mode::from_raw_mode(FILE_MODE) } else { Mode::empty() };
    open_with(directory, name, flags, mode)
}

pub(super) fn open_with(
    directory: BorrowedFd<'_>,
    name: &str,
    flags: OFlags,
    mode: Mode,
) -> Result<OwnedFd, Errno> {
    let flags = flags | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let opened = rustix::io::retry_on_intr(|| open_beneath(directory, name, flags, mode));
    match opened {
        // Linux reports a link as ENOTDIR when a directory is asked for.
        Err(Errno::NOTDIR) if is_link(directory, name) => Err(Errno::LOOP),
        opened => opened,
    }
}

/// The kernel checks that the name stays below the directory. Older kernels cannot, but a single
/// name cannot leave it.
fn open_beneath(directory: BorrowedFd<'_>, name: &str, flags: OFlags, mode: Mode) -> Result<OwnedFd, Errno> {
    /// Linux has the call since 5.6.
    static IS_MISSING: AtomicBool = AtomicBool::new(false);
    if !IS_MISSING.load(Ordering::Relaxed) {
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        match rustix::fs::openat2(directory, name, flags, mode, resolve) {
            Err(Errno::NOSYS) => IS_MISSING.store(true, Ordering::Relaxed),
            // The file forbids it, or a system call filter refuses unknown calls: try without.
            Err(Errno::PERM) => {}
            opened => return opened,
        }
    }
    open_single(directory, name, flags, mode)
}

/// Opens a name without the kernel's check: a single name has no intermediate step, and the last
/// one follows no link.
fn open_single(directory: BorrowedFd<'_>, name: &str, flags: OFlags, mode: Mode) -> Result<OwnedFd, Errno> {
    rustix::fs::openat(directory, name, flags, mode)
}

fn is_link(directory: BorrowedFd<'_>, name: &str) -> bool {
    rustix::fs::statat(directory, name, AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink)
}

/// Opens a directory whose names are to be changed. Returns `EACCES` if the system would refuse the
/// changes. Below a state directory it first makes this user's directories writable: trashed ones
/// keep their old mode.
pub(super) fn open_to_change(
    directory: BorrowedFd<'_>,
    name: &str,
    is_state: bool,
) -> Result<OwnedFd, Errno> {
    const OPEN: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY);
    let handle = match open(directory, name, OPEN) {
        Err(Errno::ACCESS) if is_state => {
            let path = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            make_writable(&open_single(directory, name, path, Mode::empty())?)?;
            open(directory, name, OPEN)?
        }
        opened => opened?,
    };
    let changeable = || {
        let rights = Access::WRITE_OK | Access::EXEC_OK;
        rustix::fs::accessat(&handle, ".", rights, AtFlags::EACCESS)
    };
    match changeable() {
        Ok(()) => {}
        Err(_) if is_state => {
            make_writable(&handle)?;
            changeable().map_err(|_| Errno::ACCESS)?;
        }
        // The parent directory decides whether an empty one can be removed.
        Err(_) if is_empty(handle.as_fd())? => {}
        // Permissions, an immutable directory or a read-only mount.
        Err(_) => return Err(Errno::ACCESS),
    }
    match name {
        // A grant may be a mount point.
        "." => require_renewable(handle.as_fd())?,
        // A mounted file system is not part of the tree.
        _ if extended_stat(handle.as_fd(), c".")?.is_some_and(is_fixed) => return Err(Errno::ACCESS),
        _ => {}
    }
    if !is_state {
        require_removable(&handle)?;
    }
    Ok(handle)
}

pub(super) fn is_empty(directory: BorrowedFd<'_>) -> Result<bool, Errno> {
    for entry in Dir::read_from(directory)? {
        if !matches!(entry?.file_name().to_bytes(), b"." | b"..") {
            return Ok(false);
        }
    }
    Ok(true)
}

/// True for a name that its attributes keep where it is: immutable, append-only, or a mount point.
fn is_fixed(stat: Statx) -> bool {
    let fixed = StatxAttributes::IMMUTABLE | StatxAttributes::APPEND | StatxAttributes::MOUNT_ROOT;
    stat.stx_attributes.intersects(fixed)
}

/// Returns `EACCES` if a name cannot be removed: a fixed file, or another user's file in a sticky
/// directory. A fixed directory is found when it is opened itself, so that an error names it.
fn require_removable(directory: &OwnedFd) -> Result<(), Errno> {
    let sticky = Sticky::of(directory.as_fd())?;
    for entry in Dir::read_from(directory)? {
        let entry = entry?;
        let name = entry.file_name();
        if matches!(name.to_bytes(), b"." | b"..") {
            continue;
        }
        match extended_stat(directory.as_fd(), name) {
            Ok(Some(stat)) if sticky.keeps(stat.stx_uid) || !is_directory(&stat) && is_fixed(stat) => {
                return Err(Errno::ACCESS);
            }
            Ok(Some(_)) | Err(Errno::NOENT) => {}
            // The removal itself reports it.
            Ok(None) => return Ok(()),
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn is_directory(stat: &Statx) -> bool {
    FileType::from_raw_mode(stat.stx_mode.into()) == FileType::Directory
}

/// Returns `EACCES` for an append-only directory: a new name in it could not be taken back.
pub(super) fn require_renewable(directory: BorrowedFd<'_>) -> Result<(), Errno> {
    let is_append_only = |stat: Statx| stat.stx_attributes.contains(StatxAttributes::APPEND);
    if extended_stat(directory, c".")?.is_some_and(is_append_only) { Err(Errno::ACCESS) } else { Ok(()) }
}

/// `EBUSY` of a mount point never passes, so it becomes `EACCES`.
pub(super) fn unless_mounted(error: Errno, directory: BorrowedFd<'_>, name: &str) -> Errno {
    let is_mounted = || {
        let name = CString::new(name).ok()?;
        let stat = extended_stat(directory, &name).ok()??;
        Some(stat.stx_attributes.contains(StatxAttributes::MOUNT_ROOT))
    };
    if error == Errno::BUSY && is_mounted() == Some(true) { Errno::ACCESS } else { error }
}

pub(super) fn is_removable(from: BorrowedFd<'_>, name: &str, to: BorrowedFd<'_>) -> Result<bool, Errno> {
    let sticky = Sticky::of(to)?;
    if sticky.is_free() {
        return Ok(true);
    }
    let stat = rustix::fs::statat(from, name, AtFlags::SYMLINK_NOFOLLOW)?;
    Ok(!sticky.keeps(stat.st_uid))
}

/// Attributes, kind and owner of a name, or `None` without the system call.
fn extended_stat(directory: BorrowedFd<'_>, name: &CStr) -> Result<Option<Statx>, Errno> {
    let flags = AtFlags::SYMLINK_NOFOLLOW | AtFlags::NO_AUTOMOUNT;
    match rustix::fs::statx(directory, name, flags, StatxFlags::UID | StatxFlags::TYPE) {
        Ok(stat) => Ok(Some(stat)),
        Err(Errno::NOSYS | Errno::PERM) => Ok(None),
        Err(error) => Err(error),
    }
}

/// A sticky directory: only the owner of a file or of the directory removes its name.
struct Sticky {
    /// The restricted user, if any.
    restricted: Option<u32>,
}

impl Sticky {
    fn of(directory: BorrowedFd<'_>) -> Result<Self, Errno> {
        let (own, user) = (rustix::fs::fstat(directory)?, rustix::process::geteuid());
        let is_sticky = Mode::from_raw_mode(own.st_mode).contains(Mode::SVTX);
        let is_restricted = is_sticky && own.st_uid != user.as_raw() && !user.is_root();
        Ok(Self { restricted: is_restricted.then_some(user.as_raw()) })
    }

    fn is_free(&self) -> bool {
        self.restricted.is_none()
    }

    /// Whether this user may not remove a file with this owner.
    fn keeps(&self, owner: u32) -> bool {
        self.restricted.is_some_and(|user| user != owner)
    }
}

/// Renames an empty directory of this user whose mode forbids it, and restores the mode. The system
/// wants rights in a directory that it moves, but not in one that it removes.
pub(super) fn rename_empty(
    from: BorrowedFd<'_>,
    name: &str,
    to: BorrowedFd<'_>,
    new_name: &str,
) -> Result<(), Errno> {
    let path = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let directory = open_single(from, name, path, Mode::empty())?;
    let mode = Mode::from_raw_mode(rustix::fs::fstat(&directory)?.st_mode);
    make_writable(&directory)?;
    let inside = open_single(directory.as_fd(), ".", OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty());
    let renamed = inside.and_then(|inside| match is_empty(inside.as_fd())? {
        true => rustix::fs::renameat(from, name, to, new_name),
        false => Err(Errno::ACCESS),
    });
    set_mode(&directory, mode).and(renamed)
}

fn make_writable(directory: &OwnedFd) -> Result<(), Errno> {
    let stat = rustix::fs::fstat(directory)?;
    if stat.st_uid != rustix::process::geteuid().as_raw() {
        return Err(Errno::ACCESS);
    }
    set_mode(directory, Mode::from_raw_mode(stat.st_mode) | Mode::RWXU)
}

/// Sets a mode by handle; `fchmod` refuses handles that are only a path.
fn set_mode(directory: &OwnedFd, mode: Mode) -> Result<(), Errno> {
    let link = format!("/proc/self/fd/{}", directory.as_raw_fd());
    rustix::fs::chmod(link, mode).map_err(|_| Errno::ACCESS)
}

/// Accepts a regular file or a directory. A FIFO may have replaced the name since it was examined.
pub(super) fn checked(handle: &OwnedFd) -> Outcome<(Stat, bool)> {
    let stat = rustix::fs::fstat(handle)?;
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => Ok((stat, false)),
        FileType::Directory => Ok((stat, true)),
        _ => Err(Refusal::Code(ErrorCode::NotPermitted)),
    }
}
