//! A directory of this machine as a volume, without a component.
//!
//! Each name is opened below a directory handle by cap-std. The host reads state directories by it,
//! and programs that link the tools run them on it.

use std::io;
use std::ops::ControlFlow;
#[cfg(target_os = "linux")]
use std::os::fd::AsFd;
use std::path::Path;
use std::sync::{Arc, LazyLock};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use cap_fs_ext::{
    DirExt, FileTypeExt, FollowSymlinks, MetadataExt, OpenOptionsFollowExt, OpenOptionsSyncExt,
};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, FileExt, FileType, Metadata, OpenOptions};
#[cfg(target_os = "linux")]
use cap_std::fs::{DirBuilder, DirBuilderExt, OpenOptionsExt};
use fsgate_contract::limits::UNTOLD_ENTRIES;
use fsgate_contract::types::SpecialKind;
use fsgate_volume::{Abilities, Fault, Kind, Listed, Stat, Volume, single};
#[cfg(target_os = "linux")]
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

#[cfg(target_os = "linux")]
use crate::filesystem::Likeness;
use crate::grant::Access;

/// An open directory of this machine.
#[derive(Debug, Clone)]
pub struct Native {
    root: Arc<Dir>,
}

impl Native {
    /// Opens a directory by its path. After that, only paths below it can be named.
    pub fn open(path: impl AsRef<Path>) -> io::Result<Self> {
        Ok(Self { root: Arc::new(Dir::open_ambient_dir(path, ambient_authority())?) })
    }
}

impl Volume for Native {
    type Directory = Arc<Dir>;
    type File = File;

    fn root(&self) -> Arc<Dir> {
        self.root.clone()
    }

    fn stat(&self, directory: &Arc<Dir>, name: &str) -> Result<Stat, Fault> {
        single(name)?;
        directory.symlink_metadata(name).map(|metadata| stat(&metadata)).map_err(named)
    }

    fn each_entry(
        &self,
        directory: &Arc<Dir>,
        sink: &mut dyn FnMut(Listed<'_>) -> ControlFlow<()>,
    ) -> Result<(), Fault> {
        let (mut unreported, mut hidden) = (0, None);
        for entry in directory.entries().map_err(fault)? {
            let result = entry.map_err(fault).and_then(|entry| match entry.file_name().to_str() {
                Some(name) => {
                    let kind = match entry.file_type().map_err(fault)? {
                        // The file system does not store types with names.
                        unknown if unknown == FileType::unknown() => self.stat(directory, name)?.kind,
                        known => kind(known),
                    };
                    Ok(sink(Listed::Name(name, kind)))
                }
                None => Ok(sink(Listed::Undecodable)),
            });
            match result {
                Ok(ControlFlow::Continue(())) => unreported = 0,
                Ok(ControlFlow::Break(())) => return Ok(()),
                // Removed since the directory was read.
                Err(Fault::NotFound) => unreported += 1,
                Err(fault) => {
                    unreported += 1;
                    hidden = hidden.or(Some(fault));
                }
            }
            if unreported == UNTOLD_ENTRIES {
                break;
            }
        }
        hidden.map_or(Ok(()), Err)
    }

    fn open_directory(&self, directory: &Arc<Dir>, name: &str) -> Result<Arc<Dir>, Fault> {
        single(name)?;
        directory.open_dir_nofollow(name).map(Arc::new).map_err(|error| match named(error) {
            // Linux reports links this way too.
            Fault::NotDirectory if self.stat(directory, name).is_ok_and(|stat| stat.kind == Kind::Link) => {
                Fault::Loop
            }
            fault => fault,
        })
    }

    fn open_file(&self, directory: &Arc<Dir>, name: &str, access: Access) -> Result<File, Fault> {
        single(name)?;
        let mut options = OpenOptions::new();
        options.read(true).write(access == Access::Write).follow(FollowSymlinks::No);
        // A FIFO is refused, not waited for.
        options.nonblock(true);
        let file =
            directory.open_with(name, &options).map_err(|error| match Errno::from_io_error(&error) {
                // The error of opening a socket.
                Some(Errno::NXIO) => Fault::NotPermitted,
                _ => named(error),
            })?;
        match kind(file.metadata().map_err(fault)?.file_type()) {
            Kind::File => Ok(file),
            Kind::Directory => Err(Fault::IsDirectory),
            Kind::Link => Err(Fault::Loop),
            Kind::Special(_) => Err(Fault::NotPermitted),
        }
    }

    fn create_file(&self, directory: &Arc<Dir>, name: &str) -> Result<File, Fault> {
        single(name)?;
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true).follow(FollowSymlinks::No);
        directory.open_with(name, &options).map_err(named)
    }

    #[cfg(target_os = "linux")]
    fn create_like(&self, directory: &Arc<Dir>, name: &str, source: &File) -> Result<File, Fault> {
        single(name)?;
        let likeness = Likeness::of(source.as_fd()).map_err(|errno| fault(errno.into()))?;
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true).follow(FollowSymlinks::No);
        options.mode(likeness.first_mode().bits());
        let file = directory.open_with(name, &options).map_err(named)?;
        likeness.complete(file.as_fd()).map_err(|_| {
            let _ = directory.remove_file(name);
            Fault::Unsupported
        })?;
        Ok(file)
    }

    #[cfg(not(target_os = "linux"))]
    fn create_like(&self, _: &Arc<Dir>, _: &str, _: &File) -> Result<File, Fault> {
        Err(Fault::Unsupported)
    }

    fn create_directory(&self, directory: &Arc<Dir>, name: &str) -> Result<(), Fault> {
        single(name)?;
        directory.create_dir(name).map_err(named)
    }

    #[cfg(target_os = "linux")]
    fn create_directory_like(
        &self,
        directory: &Arc<Dir>,
        name: &str,
        source: &Arc<Dir>,
    ) -> Result<(), Fault> {
        single(name)?;
        let likeness = Likeness::of(source.as_fd()).map_err(|errno| fault(errno.into()))?.of_directory();
        let mut builder = DirBuilder::new();
        builder.mode(likeness.first_mode().bits());
        directory.create_dir_with(name, &builder).map_err(named)?;
        let made = self.open_directory(directory, name)?;
        // Listing needs a readable handle; this one is only a path.
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        rustix::fs::openat(&made, ".", flags, Mode::empty())
            .and_then(|readable| Likeness::require_new(readable.as_fd()))
            .map_err(|errno| fault(errno.into()))?;
        likeness
            .complete(made.as_fd())
            .map_err(|_| Fault::Unsupported)
            .inspect_err(|_| drop(directory.remove_dir(name)))
    }

    #[cfg(not(target_os = "linux"))]
    fn create_directory_like(&self, _: &Arc<Dir>, _: &str, _: &Arc<Dir>) -> Result<(), Fault> {
        Err(Fault::Unsupported)
    }

    fn read_link(&self, directory: &Arc<Dir>, name: &str) -> Result<String, Fault> {
        single(name)?;
        let target = directory.read_link(name).map_err(|error| match Errno::from_io_error(&error) {
            Some(Errno::INVAL) => Fault::Unsupported,
            _ => named(error),
        })?;
        target.into_os_string().into_string().map_err(|_| Fault::InvalidName)
    }

    fn link_file(&self, from: &Arc<Dir>, name: &str, to: &Arc<Dir>, new_name: &str) -> Result<(), Fault> {
        single(name)?;
        single(new_name)?;
        from.hard_link(name, to, new_name).map_err(named)
    }

    fn rename(&self, from: &Arc<Dir>, name: &str, to: &Arc<Dir>, new_name: &str) -> Result<(), Fault> {
        single(name)?;
        single(new_name)?;
        from.rename(name, to, new_name).map_err(|error| match Errno::from_io_error(&error) {
            Some(Errno::INVAL) => Fault::IntoItself,
            _ => named(error),
        })
    }

    fn remove_file(&self, directory: &Arc<Dir>, name: &str) -> Result<(), Fault> {
        single(name)?;
        directory.remove_file_or_symlink(name).map_err(named)
    }

    fn remove_directory(&self, directory: &Arc<Dir>, name: &str) -> Result<(), Fault> {
        single(name)?;
        directory.remove_dir(name).map_err(named)
    }

    fn stat_directory(&self, directory: &Arc<Dir>) -> Result<Stat, Fault> {
        directory.dir_metadata().map(|metadata| stat(&metadata)).map_err(fault)
    }

    fn stat_file(&self, file: &File) -> Result<Stat, Fault> {
        file.metadata().map(|metadata| stat(&metadata)).map_err(fault)
    }

    fn read_at(&self, file: &File, offset: u64, length: usize) -> Result<Vec<u8>, Fault> {
        let mut bytes = vec![0; length.min(READ_BYTES)];
        let read = again(|| file.read_at(&mut bytes, offset))?;
        bytes.truncate(read);
        Ok(bytes)
    }

    fn write_at(&self, file: &File, offset: u64, bytes: &[u8]) -> Result<usize, Fault> {
        again(|| file.write_at(bytes, offset))
    }

    fn set_size(&self, file: &File, size: u64) -> Result<(), Fault> {
        file.set_len(size).map_err(fault)
    }

    fn sync_file(&self, file: &File) -> Result<(), Fault> {
        file.sync_all().map_err(fault)
    }

    fn sync_directory(&self, directory: &Arc<Dir>) -> Result<(), Fault> {
        // Directory handles are only paths; a readable handle can be synced.
        directory.open(".").and_then(|directory| directory.sync_all()).map_err(fault)
    }

    fn identity(&self, file: &File) -> Result<u128, Fault> {
        file.metadata().map(|metadata| identity(&metadata)).map_err(fault)
    }

    fn identity_at(&self, directory: &Arc<Dir>, name: &str) -> Result<u128, Fault> {
        single(name)?;
        directory.symlink_metadata(name).map(|metadata| identity(&metadata)).map_err(named)
    }

    fn directory_identity(&self, directory: &Arc<Dir>) -> Result<u128, Fault> {
        directory.dir_metadata().map(|metadata| identity(&metadata)).map_err(fault)
    }

    fn random(&self) -> u128 {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes)
            .unwrap_or_else(|error| panic!("the system has no random numbers: {error}"));
        u128::from_ne_bytes(bytes)
    }

    fn now(&self) -> Duration {
        static START: LazyLock<Instant> = LazyLock::new(Instant::now);
        START.elapsed()
    }

    fn wall(&self) -> Duration {
        // A clock before 1970 was never set.
        SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
    }

    fn pause(&self, time: Duration) {
        thread::sleep(time);
    }

    fn abilities(&self) -> Abilities {
        Abilities {
            backslash_separates: false,
            links: true,
            moves_across: true,
            sync: true,
            stable_identity: true,
            keeps_modes: cfg!(target_os = "linux"),
        }
    }
}

/// The buffer is made before the size is known.
const READ_BYTES: usize = 1 << 20;

fn again<T>(mut call: impl FnMut() -> io::Result<T>) -> Result<T, Fault> {
    loop {
        match call() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            done => return done.map_err(fault),
        }
    }
}

fn stat(metadata: &Metadata) -> Stat {
    let modified =
        metadata.modified().ok().and_then(|time| time.into_std().duration_since(std::time::UNIX_EPOCH).ok());
    Stat { kind: kind(metadata.file_type()), size: metadata.len(), modified, links: metadata.nlink() }
}

fn identity(metadata: &Metadata) -> u128 {
    let [lower, upper] = crate::filesystem::identity(metadata.dev(), metadata.ino());
    u128::from(upper) << 64 | u128::from(lower)
}

fn kind(file_type: FileType) -> Kind {
    if file_type.is_file() {
        Kind::File
    } else if file_type.is_dir() {
        Kind::Directory
    } else if file_type.is_symlink() {
        Kind::Link
    } else if file_type.is_block_device() {
        Kind::Special(SpecialKind::BlockDevice)
    } else if file_type.is_char_device() {
        Kind::Special(SpecialKind::CharacterDevice)
    } else {
        Kind::Special(SpecialKind::Other)
    }
}

/// The fault of a call with a name: an invalid argument is the name.
fn named(error: io::Error) -> Fault {
    match Errno::from_io_error(&error) {
        Some(Errno::INVAL) => Fault::InvalidName,
        _ => fault(error),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "what `map_err` hands over")]
fn fault(error: io::Error) -> Fault {
    let Some(errno) = Errno::from_io_error(&error) else {
        return match error.kind() {
            // cap-std's error for a path out of the directory.
            io::ErrorKind::PermissionDenied => Fault::NotPermitted,
            // Such sizes and offsets do not fit a system call.
            io::ErrorKind::InvalidInput => Fault::FileTooLarge,
            _ => Fault::Io(error.to_string()),
        };
    };
    match errno {
        Errno::NOENT => Fault::NotFound,
        Errno::EXIST => Fault::Exists,
        Errno::ISDIR => Fault::IsDirectory,
        Errno::NOTDIR => Fault::NotDirectory,
        Errno::NOTEMPTY => Fault::NotEmpty,
        Errno::LOOP => Fault::Loop,
        Errno::PERM => Fault::NotPermitted,
        Errno::ACCESS => Fault::Access,
        Errno::ROFS => Fault::ReadOnly,
        Errno::NOSPC => Fault::NoSpace,
        Errno::DQUOT => Fault::Quota,
        Errno::FBIG => Fault::FileTooLarge,
        Errno::NAMETOOLONG => Fault::NameTooLong,
        Errno::BUSY | Errno::TXTBSY => Fault::Busy,
        Errno::XDEV => Fault::CrossDevice,
        Errno::ILSEQ => Fault::InvalidName,
        Errno::NOTSUP | Errno::MLINK => Fault::Unsupported,
        _ => Fault::Io(error.to_string()),
    }
}
