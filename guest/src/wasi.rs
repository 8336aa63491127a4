//! WASI's preopened directories as volumes: the only caller of `wasi:filesystem`.
//!
//! Every path that is handed to the host is one name, and links are never followed. Directories are opened
//! without the `mutate-directory` flag: the grant decides what may be changed, and some hosts know no such flag.

use std::cell::OnceCell;
use std::rc::Rc;
use std::time::Duration;

use fsgate_core::contract::types::SpecialKind;
use fsgate_core::namespace::Grant;
use fsgate_core::session::Session;
use fsgate_core::volume::{Abilities, Access, Fault, Kind, Stat, Volume};
use wasip2::filesystem::preopens;
use wasip2::filesystem::types::{
    Descriptor, DescriptorFlags, DescriptorStat, DescriptorType, ErrorCode, OpenFlags, PathFlags,
};
use wasip2::random::random::get_random_u64;

/// A preopened directory.
pub(crate) struct Preopen {
    root: Rc<Descriptor>,
    abilities: Abilities,
}

/// Runs `call` in the session over this instance's preopens. They do not change while it lives.
pub(crate) fn session<T>(call: impl FnOnce(&Session<Preopen>) -> T) -> T {
    thread_local! {
        static SESSION: OnceCell<Session<Preopen>> = const { OnceCell::new() };
    }
    SESSION.with(|cell| call(cell.get_or_init(open)))
}

fn open() -> Session<Preopen> {
    let grants =
        preopens::get_directories().into_iter().map(|(descriptor, name)| grant(descriptor, name)).collect();
    // With two directories of one name nobody can say which is meant: none is granted then.
    Session::new(grants)
        .or_else(|_| Session::new(Vec::new()))
        .unwrap_or_else(|_| unreachable!("no names, no doubles"))
}

fn grant(descriptor: Descriptor, name: String) -> Grant<Preopen> {
    // Whatever is thought here, the host refuses writing where it has not granted it. A host that tells
    // no flags at all knows no difference.
    let access = match descriptor.get_flags() {
        Ok(flags) if flags == DescriptorFlags::READ => Access::Read,
        _ => Access::Write,
    };
    // Some hosts cannot stat or list a preopen itself, only a directory opened in it.
    let root = descriptor
        .open_at(PathFlags::empty(), ".", OpenFlags::DIRECTORY, DescriptorFlags::READ)
        .unwrap_or(descriptor);
    // Where this opens the directory itself, the host splits names at backslashes.
    let backslash_separates = root.stat_at(PathFlags::empty(), ".\\.").is_ok();
    Grant {
        name,
        volume: Preopen { root: Rc::new(root), abilities: Abilities { backslash_separates } },
        access,
    }
}

impl Volume for Preopen {
    type Directory = Rc<Descriptor>;
    type File = Descriptor;

    fn root(&self) -> Rc<Descriptor> {
        self.root.clone()
    }

    fn stat(&self, directory: &Rc<Descriptor>, name: &str) -> Result<Stat, Fault> {
        directory.stat_at(PathFlags::empty(), name).map(stat).map_err(fault)
    }

    fn open_directory(&self, directory: &Rc<Descriptor>, name: &str) -> Result<Rc<Descriptor>, Fault> {
        directory
            .open_at(PathFlags::empty(), name, OpenFlags::DIRECTORY, DescriptorFlags::READ)
            .map(Rc::new)
            .map_err(fault)
    }

    fn open_file(&self, directory: &Rc<Descriptor>, name: &str, access: Access) -> Result<Descriptor, Fault> {
        let flags = match access {
            Access::Read => DescriptorFlags::READ,
            Access::Write => DescriptorFlags::READ | DescriptorFlags::WRITE,
        };
        directory.open_at(PathFlags::empty(), name, OpenFlags::empty(), flags).map_err(fault)
    }

    fn create_file(&self, directory: &Rc<Descriptor>, name: &str) -> Result<Descriptor, Fault> {
        let flags = DescriptorFlags::READ | DescriptorFlags::WRITE;
        directory
            .open_at(PathFlags::empty(), name, OpenFlags::CREATE | OpenFlags::EXCLUSIVE, flags)
            .map_err(fault)
    }

    fn create_directory(&self, directory: &Rc<Descriptor>, name: &str) -> Result<(), Fault> {
        directory.create_directory_at(name).map_err(fault)
    }

    fn read_link(&self, directory: &Rc<Descriptor>, name: &str) -> Result<String, Fault> {
        directory.readlink_at(name).map_err(fault)
    }

    fn link_file(&self, directory: &Rc<Descriptor>, name: &str, new_name: &str) -> Result<(), Fault> {
        directory.link_at(PathFlags::empty(), name, directory, new_name).map_err(fault)
    }

    fn remove_file(&self, directory: &Rc<Descriptor>, name: &str) -> Result<(), Fault> {
        directory.unlink_file_at(name).map_err(fault)
    }

    fn remove_directory(&self, directory: &Rc<Descriptor>, name: &str) -> Result<(), Fault> {
        directory.remove_directory_at(name).map_err(fault)
    }

    fn stat_file(&self, file: &Descriptor) -> Result<Stat, Fault> {
        file.stat().map(stat).map_err(fault)
    }

    fn read_at(&self, file: &Descriptor, offset: u64, length: usize) -> Result<Vec<u8>, Fault> {
        file.read(length as u64, offset).map(|(bytes, _)| bytes).map_err(fault)
    }

    fn write_at(&self, file: &Descriptor, offset: u64, bytes: &[u8]) -> Result<usize, Fault> {
        file.write(bytes, offset).map(|written| written as usize).map_err(fault)
    }

    fn set_size(&self, file: &Descriptor, size: u64) -> Result<(), Fault> {
        file.set_size(size).map_err(fault)
    }

    fn random(&self) -> u128 {
        u128::from(get_random_u64()) << 64 | u128::from(get_random_u64())
    }

    fn abilities(&self) -> Abilities {
        self.abilities
    }
}

fn stat(stat: DescriptorStat) -> Stat {
    let kind = match stat.type_ {
        DescriptorType::RegularFile => Kind::File,
        DescriptorType::Directory => Kind::Directory,
        DescriptorType::SymbolicLink => Kind::Link,
        DescriptorType::BlockDevice => Kind::Special(SpecialKind::BlockDevice),
        DescriptorType::CharacterDevice => Kind::Special(SpecialKind::CharacterDevice),
        DescriptorType::Fifo | DescriptorType::Socket | DescriptorType::Unknown => {
            Kind::Special(SpecialKind::Other)
        }
    };
    let modified = stat
        .data_modification_timestamp
        .map_or(Duration::ZERO, |time| Duration::new(time.seconds, time.nanoseconds.min(999_999_999)));
    Stat { kind, size: stat.size, modified }
}

fn fault(code: ErrorCode) -> Fault {
    match code {
        ErrorCode::NoEntry => Fault::NotFound,
        ErrorCode::Exist => Fault::Exists,
        ErrorCode::IsDirectory => Fault::IsDirectory,
        ErrorCode::NotDirectory => Fault::NotDirectory,
        ErrorCode::NotEmpty => Fault::NotEmpty,
        ErrorCode::Loop => Fault::Loop,
        ErrorCode::NotPermitted => Fault::NotPermitted,
        ErrorCode::Access => Fault::Access,
        ErrorCode::ReadOnly => Fault::ReadOnly,
        ErrorCode::InsufficientSpace => Fault::NoSpace,
        ErrorCode::Quota => Fault::Quota,
        ErrorCode::FileTooLarge => Fault::FileTooLarge,
        ErrorCode::NameTooLong => Fault::NameTooLong,
        ErrorCode::Busy | ErrorCode::TextFileBusy => Fault::Busy,
        ErrorCode::CrossDevice => Fault::CrossDevice,
        ErrorCode::IllegalByteSequence => Fault::InvalidName,
        ErrorCode::Unsupported | ErrorCode::TooManyLinks => Fault::Unsupported,
        ErrorCode::WouldBlock
        | ErrorCode::Already
        | ErrorCode::BadDescriptor
        | ErrorCode::Deadlock
        | ErrorCode::InProgress
        | ErrorCode::Interrupted
        | ErrorCode::Invalid
        | ErrorCode::Io
        | ErrorCode::MessageSize
        | ErrorCode::NoDevice
        | ErrorCode::NoLock
        | ErrorCode::InsufficientMemory
        | ErrorCode::NotRecoverable
        | ErrorCode::NoTty
        | ErrorCode::NoSuchDevice
        | ErrorCode::Overflow
        | ErrorCode::Pipe
        | ErrorCode::InvalidSeek => Fault::Io(code.message().to_owned()),
    }
}
