//! Metadata of files in the form of the interface.

use rustix::fs::{FileType, Stat};
use wasmtime_wasi::p2::bindings::clocks::wall_clock::Datetime;
use wasmtime_wasi::p2::bindings::sync::filesystem::types::{
    DescriptorStat, DescriptorType, MetadataHashValue,
};

pub(super) fn descriptor_stat(stat: &Stat) -> DescriptorStat {
    DescriptorStat {
        type_: descriptor_type(file_type(stat)),
        link_count: stat.st_nlink,
        size: u64::try_from(stat.st_size).unwrap_or(0),
        data_access_timestamp: time(stat.st_atime, stat.st_atime_nsec),
        data_modification_timestamp: time(stat.st_mtime, stat.st_mtime_nsec),
        status_change_timestamp: time(stat.st_ctime, stat.st_ctime_nsec),
    }
}

pub(super) fn file_type(stat: &Stat) -> FileType {
    FileType::from_raw_mode(stat.st_mode)
}

pub(super) fn descriptor_type(kind: FileType) -> DescriptorType {
    match kind {
        FileType::RegularFile => DescriptorType::RegularFile,
        FileType::Directory => DescriptorType::Directory,
        FileType::Symlink => DescriptorType::SymbolicLink,
        FileType::Fifo => DescriptorType::Fifo,
        FileType::Socket => DescriptorType::Socket,
        FileType::CharacterDevice => DescriptorType::CharacterDevice,
        FileType::BlockDevice => DescriptorType::BlockDevice,
        FileType::Unknown => DescriptorType::Unknown,
    }
}

/// Times before 1970 have no form in the interface.
fn time(seconds: i64, nanoseconds: impl TryInto<u32>) -> Option<Datetime> {
    Some(Datetime { seconds: u64::try_from(seconds).ok()?, nanoseconds: nanoseconds.try_into().ok()? })
}

pub(super) fn identity(stat: &Stat) -> MetadataHashValue {
    let [lower, upper] = super::super::identity(stat.st_dev, stat.st_ino);
    MetadataHashValue { lower, upper }
}
