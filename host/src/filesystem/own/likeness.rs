//! New files and directories with the permissions of others.
//!
//! A new file is at no moment wider than its source. It begins with the bits that are safe for any
//! owner, and gets the others when its owner and group are known. `wasi:filesystem` cannot express
//! permissions. So a component links the source into a virtual directory, and creates the file with
//! its next call.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::buffer::spare_capacity;
use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat};
use rustix::io::{Errno, retry_on_intr};

use super::beneath::{is_empty, open, open_with};
use super::refusal::Outcome;

#[derive(Debug, Clone)]
pub(crate) struct Likeness {
    bits: Bits,
    /// The sticky bit of a directory, in which users delete only files of their own.
    sticky: u32,
    owner: u32,
    group: u32,
    list: Option<AccessList>,
}

/// The rights of the three classes. Set-user-ID and set-group-ID bits are never copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Bits {
    owner: u32,
    group: u32,
    others: u32,
}

impl Bits {
    const ALL: u32 = 0o777;
    const READ: u32 = 0o4;
    const CLASS: u32 = 0o7;
    const STICKY: u32 = 0o1000;

    fn of(stat: &Stat) -> Self {
        let mode = stat.st_mode;
        Self { owner: mode >> 6 & Self::CLASS, group: mode >> 3 & Self::CLASS, others: mode & Self::CLASS }
    }

    fn mode(self) -> u32 {
        self.owner << 6 | self.group << 3 | self.others
    }

    /// For another group: users may have changed between group and others.
    fn of_another_group(self) -> Self {
        let both = self.group & self.others;
        Self { group: both, others: both, ..self }
    }

    /// Without the access list of the original: its users and groups are now in the group, or among
    /// others. An unknown list may name all of them.
    fn without_list(self, list: Option<&AccessList>) -> Self {
        let named = list.map_or(0, AccessList::narrowest);
        let both = self.of_another_group();
        Self { group: both.group & named, others: both.others & named, ..self }
    }

    /// For another owner: the original owner may now be in the group, or among others.
    fn of_another_owner(self) -> Self {
        Self { group: self.group & self.owner, others: self.others & self.owner, ..self }
    }
}

impl Likeness {
    pub(crate) fn of(source: BorrowedFd<'_>) -> Result<Self, Errno> {
        let stat = rustix::fs::fstat(source)?;
        let is_directory = FileType::from_raw_mode(stat.st_mode).is_dir();
        Ok(Self {
            bits: Bits::of(&stat),
            sticky: if is_directory { stat.st_mode & Bits::STICKY } else { 0 },
            owner: stat.st_uid,
            group: stat.st_gid,
            list: AccessList::of(source),
        })
    }

    /// Creates a file; the flags demand that it is new.
    pub(super) fn create_file(
        &self,
        directory: BorrowedFd<'_>,
        name: &str,
        flags: OFlags,
    ) -> Outcome<OwnedFd> {
        let file = open_with(directory, name, flags, self.first_mode())?;
        self.complete(file.as_fd()).inspect_err(|_| remove(directory, name, AtFlags::empty()))?;
        Ok(file)
    }

    pub(super) fn create_directory(&self, directory: BorrowedFd<'_>, name: &str) -> Outcome<()> {
        let likeness = self.of_directory();
        rustix::fs::mkdirat(directory, name, likeness.first_mode())?;
        let made = open(directory, name, OFlags::RDONLY | OFlags::DIRECTORY)?;
        Self::require_new(made.as_fd())?;
        let completed = likeness.complete(made.as_fd());
        Ok(completed.inspect_err(|_| remove(directory, name, AtFlags::REMOVEDIR))?)
    }

    /// The permissions of a new directory: its owner always has all rights.
    pub(crate) fn of_directory(&self) -> Self {
        Self { bits: Bits { owner: Bits::CLASS, ..self.bits }, ..self.clone() }
    }

    /// Refuses a directory that this process cannot just have made: not its own, or not empty.
    /// Another program has then exchanged the names. No other failure of creation has this error.
    pub(crate) fn require_new(directory: BorrowedFd<'_>) -> Result<(), Errno> {
        let is_own = rustix::fs::fstat(directory)?.st_uid == rustix::process::geteuid().as_raw();
        if is_own && is_empty(directory)? { Ok(()) } else { Err(Errno::NOTEMPTY) }
    }

    pub(crate) fn first_mode(&self) -> Mode {
        let bits = self.bits.without_list(self.list.as_ref()).of_another_owner();
        Mode::from_raw_mode(bits.mode() | self.sticky)
    }

    /// Sets the final mode, or returns [`Errno::NOTSUP`] if the file system does not store it.
    pub(crate) fn complete(&self, new: BorrowedFd<'_>) -> Result<(), Errno> {
        let stat = rustix::fs::fstat(new)?;
        let wanted = self.bits_for(&stat, AccessList::of(new).as_ref()).mode() | self.sticky;
        // Keeps inherited other bits.
        let ours = Bits::ALL | self.sticky;
        if stat.st_mode & ours == wanted {
            return Ok(());
        }
        let mode = Mode::from_raw_mode(stat.st_mode & !ours | wanted);
        // Some file systems refuse the change, others ignore it.
        let changed = retry_on_intr(|| rustix::fs::fchmod(new, mode)).and_then(|()| rustix::fs::fstat(new));
        match changed {
            Ok(now) if now.st_mode & ours == wanted => Ok(()),
            _ => Err(Errno::NOTSUP),
        }
    }

    fn bits_for(&self, new: &Stat, list: Option<&AccessList>) -> Bits {
        let is_same_list = list.is_some() && list == self.list.as_ref();
        let mut bits = self.bits;
        if !is_same_list {
            bits = bits.without_list(self.list.as_ref());
        } else if new.st_gid != self.group {
            bits = bits.of_another_group();
        }
        if new.st_uid != self.owner {
            bits = bits.of_another_owner();
            // The owner could read the original through another class.
            bits.owner |= Bits::READ;
        }
        bits
    }
}

fn remove(directory: BorrowedFd<'_>, name: &str, flags: AtFlags) {
    // A remaining file has a temporary name, by which it is removed later.
    let _ = rustix::fs::unlinkat(directory, name, flags);
}

/// A POSIX access list, empty without one. With a list, the group bits of the mode are its mask.
#[derive(Debug, Clone, PartialEq, Eq)]
struct AccessList(Vec<u8>);

impl AccessList {
    const ATTRIBUTE: &str = "system.posix_acl_access";
    /// Larger lists count as unknown.
    const MOST_BYTES: usize = 4 << 10;
    const HEADER: usize = 4;
    /// An entry: tag, rights, user or group.
    const ENTRY: usize = 8;
    /// Tags whose rights are also in the mode: owner, mask and others.
    const IN_MODE: [u16; 3] = [0x01, 0x10, 0x20];
    /// Tags of a named user, the owning group and a named group.
    const OTHERS: [u16; 3] = [0x02, 0x04, 0x08];

    fn of(handle: BorrowedFd<'_>) -> Option<Self> {
        let mut bytes = Vec::with_capacity(Self::MOST_BYTES);
        match rustix::fs::fgetxattr(handle, Self::ATTRIBUTE, spare_capacity(&mut bytes)) {
            Ok(_) => Some(Self::without_mode(bytes)),
            Err(Errno::NODATA | Errno::NOTSUP) => Some(Self(Vec::new())),
            Err(_) => None,
        }
    }

    /// The rights that every user and group in it has.
    fn narrowest(&self) -> u32 {
        let entries = self.0.get(Self::HEADER..).unwrap_or_default().chunks_exact(Self::ENTRY);
        let others = entries.filter(|entry| Self::OTHERS.contains(&Self::tag(entry)));
        others.fold(Bits::CLASS, |all, entry| all & u32::from(entry[2]))
    }

    fn tag(entry: &[u8]) -> u16 {
        u16::from_le_bytes([entry[0], entry[1]])
    }

    fn without_mode(mut bytes: Vec<u8>) -> Self {
        let entries = bytes.get_mut(Self::HEADER..).unwrap_or_default();
        for entry in entries.chunks_exact_mut(Self::ENTRY) {
            if Self::IN_MODE.contains(&Self::tag(entry)) {
                entry[2..4].fill(0);
            }
        }
        Self(bytes)
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File, Permissions};
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    use super::*;

    fn bits(mode: u32) -> Bits {
        Bits { owner: mode >> 6 & 7, group: mode >> 3 & 7, others: mode & 7 }
    }

    #[test]
    fn nobody_gets_more_than_they_had() {
        for (mode, another_group, another_owner, both) in [
            (0o755, 0o755, 0o755, 0o755),
            (0o644, 0o644, 0o644, 0o644),
            (0o640, 0o600, 0o640, 0o600),
            (0o775, 0o755, 0o775, 0o755),
            (0o604, 0o600, 0o604, 0o600),
            (0o077, 0o077, 0o000, 0o000),
            (0o400, 0o400, 0o400, 0o400),
            (0o466, 0o466, 0o444, 0o444),
            (0o000, 0o000, 0o000, 0o000),
        ] {
            let bits = bits(mode);
            assert_eq!(bits.mode(), mode);
            assert_eq!(bits.of_another_group().mode(), another_group, "{mode:o}");
            assert_eq!(bits.of_another_owner().mode(), another_owner, "{mode:o}");
            assert_eq!(bits.of_another_group().of_another_owner().mode(), both, "{mode:o}");
        }
    }

    fn made(scratch: &tempfile::TempDir, likeness: &Likeness, name: &str) -> u32 {
        let directory = File::open(scratch.path()).unwrap();
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::RDWR;
        drop(likeness.create_file(directory.as_fd(), name, flags).unwrap());
        fs::metadata(scratch.path().join(name)).unwrap().mode() & 0o7777
    }

    #[test]
    fn a_new_file_has_the_bits_and_nothing_that_changes_users() {
        let scratch = tempfile::tempdir().unwrap();
        let source = scratch.path().join("source");
        fs::write(&source, "x").unwrap();
        let open = File::open(&source).unwrap();
        for mode in [0o000, 0o400, 0o600, 0o640, 0o644, 0o666, 0o755, 0o777, 0o4755, 0o2750, 0o1777] {
            fs::set_permissions(&source, Permissions::from_mode(mode)).unwrap();
            let likeness = Likeness::of(open.as_fd()).unwrap();
            assert_eq!(made(&scratch, &likeness, &format!("{mode:o}")), mode & 0o777, "{mode:o}");
        }
    }

    #[test]
    fn a_directory_with_something_in_it_is_not_a_new_one() {
        let scratch = tempfile::tempdir().unwrap();
        let directory = File::open(scratch.path()).unwrap();
        assert_eq!(Likeness::require_new(directory.as_fd()), Ok(()));
        fs::write(scratch.path().join("private"), "p").unwrap();
        assert_eq!(Likeness::require_new(directory.as_fd()), Err(Errno::NOTEMPTY));
    }

    #[test]
    fn another_group_or_another_list_narrows_what_is_new() {
        let scratch = tempfile::tempdir().unwrap();
        let source = scratch.path().join("source");
        fs::write(&source, "x").unwrap();
        fs::set_permissions(&source, Permissions::from_mode(0o640)).unwrap();
        let likeness = Likeness::of(File::open(&source).unwrap().as_fd()).unwrap();
        let other = |name: &str, likeness: Likeness| made(&scratch, &likeness, name);
        assert_eq!(other("same", likeness.clone()), 0o640);
        assert_eq!(other("group", Likeness { group: likeness.group + 1, ..likeness.clone() }), 0o600);
        assert_eq!(other("unknown", Likeness { list: None, ..likeness.clone() }), 0o600);
        let without_owner = Bits { owner: 0, ..likeness.bits };
        let of_another = Likeness { owner: likeness.owner + 1, bits: without_owner, ..likeness.clone() };
        assert_eq!(other("owner", of_another), 0o400);
        let list = Some(AccessList(vec![2, 0, 0, 0]));
        assert_eq!(other("list", Likeness { list, ..likeness.clone() }), 0o600);
        let all = Likeness { bits: bits(0o644), ..likeness };
        for (name, rights, expected) in [("denied", 0, 0o600), ("readers", 4, 0o644), ("writers", 6, 0o644)] {
            let user = vec![2, 0, 0, 0, 0x02, 0, rights, 0, 1, 0, 0, 0];
            let list = Some(AccessList(user));
            assert_eq!(other(name, Likeness { list, ..all.clone() }), expected, "{name}");
        }
    }

    #[test]
    fn a_directory_stays_sticky() {
        let scratch = tempfile::tempdir().unwrap();
        let source = scratch.path().join("source");
        fs::create_dir(&source).unwrap();
        for mode in [0o1777, 0o777, 0o1700] {
            fs::set_permissions(&source, Permissions::from_mode(mode)).unwrap();
            let likeness = Likeness::of(File::open(&source).unwrap().as_fd()).unwrap();
            let (directory, name) = (File::open(scratch.path()).unwrap(), format!("{mode:o}"));
            likeness.create_directory(directory.as_fd(), &name).unwrap();
            assert_eq!(fs::metadata(scratch.path().join(name)).unwrap().mode() & 0o7777, mode);
        }
    }

    #[test]
    fn lists_are_compared_without_the_bits_of_the_mode() {
        let list = |mask: u8, user: u8| {
            let entries: [[u8; 8]; 5] = [
                [0x01, 0, 7, 0, 0xff, 0xff, 0xff, 0xff],
                [0x02, 0, user, 0, 1, 0, 0, 0],
                [0x04, 0, 0, 0, 0xff, 0xff, 0xff, 0xff],
                [0x10, 0, mask, 0, 0xff, 0xff, 0xff, 0xff],
                [0x20, 0, 0, 0, 0xff, 0xff, 0xff, 0xff],
            ];
            AccessList::without_mode([vec![2, 0, 0, 0], entries.concat()].concat())
        };
        assert_eq!(list(7, 6), list(4, 6));
        assert_ne!(list(7, 6), list(7, 4));
        assert_ne!(list(7, 6), AccessList(Vec::new()));
    }
}
