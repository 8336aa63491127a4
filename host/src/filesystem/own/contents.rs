//! Calls on an open file or directory.

use std::os::fd::BorrowedFd;

use rustix::buffer::spare_capacity;
use rustix::fs::Stat;
use rustix::io::retry_on_intr;
use wasmtime::component::Resource;
use wasmtime_wasi::p2::bindings::sync::filesystem::types::{
    Advice, DescriptorFlags, DescriptorStat, DescriptorType, MetadataHashValue, NewTimestamp,
};
use wasmtime_wasi::p2::bindings::sync::io::streams::{InputStream, OutputStream};

use super::attributes::{descriptor_stat, identity};
use super::descriptor::{Call, Descriptor, OpenHandle};
use super::refusal::{ErrorCode, Outcome};

/// Largest read. The bytes are held twice while they are handed over, and larger reads are not
/// faster.
pub(super) const READ_BYTES: u64 = 1 << 20;

/// Larger sizes and offsets do not fit a system call.
const LARGEST_OFFSET: u64 = i64::MAX as u64;

pub(super) fn read(
    call: &mut Call<'_>,
    (file, length, offset): (Resource<Descriptor>, u64, u64),
) -> Outcome<(Vec<u8>, bool)> {
    let file = call.get(&file)?.as_file()?;
    if length == 0 || offset > LARGEST_OFFSET {
        return Ok((Vec::new(), true));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(length.min(READ_BYTES)).unwrap_or(0));
    let read = retry_on_intr(|| rustix::io::pread(file.handle(), spare_capacity(&mut bytes), offset))?;
    Ok((bytes, read == 0))
}

pub(super) fn writable(call: &Call<'_>, file: &Resource<Descriptor>) -> Outcome<OpenHandle> {
    Ok(call.changing(call.get(file)?.as_file()?)?.clone())
}

pub(super) fn write(file: BorrowedFd<'_>, bytes: &[u8], offset: u64) -> Outcome<u64> {
    if offset > LARGEST_OFFSET {
        return Err(ErrorCode::FileTooLarge.into());
    }
    Ok(retry_on_intr(|| rustix::io::pwrite(file, bytes, offset))? as u64)
}

pub(super) fn set_size(call: &mut Call<'_>, (file, size): (Resource<Descriptor>, u64)) -> Outcome<()> {
    let file = call.changing(call.get(&file)?.as_file()?)?;
    if size > LARGEST_OFFSET {
        return Err(ErrorCode::FileTooLarge.into());
    }
    Ok(retry_on_intr(|| rustix::fs::ftruncate(file.handle(), size))?)
}

pub(super) fn sync(call: &mut Call<'_>, (any,): (Resource<Descriptor>,)) -> Outcome<()> {
    let handle = call.get(&any)?.handle();
    Ok(retry_on_intr(|| rustix::fs::fsync(handle))?)
}

pub(super) fn sync_data(call: &mut Call<'_>, (any,): (Resource<Descriptor>,)) -> Outcome<()> {
    let handle = call.get(&any)?.handle();
    Ok(retry_on_intr(|| rustix::fs::fdatasync(handle))?)
}

pub(super) fn stat(call: &mut Call<'_>, (any,): (Resource<Descriptor>,)) -> Outcome<DescriptorStat> {
    with_stat(call, &any, descriptor_stat)
}

pub(super) fn metadata_hash(
    call: &mut Call<'_>,
    (any,): (Resource<Descriptor>,),
) -> Outcome<MetadataHashValue> {
    with_stat(call, &any, identity)
}

pub(super) fn is_same_object(
    call: &Call<'_>,
    one: &Resource<Descriptor>,
    other: &Resource<Descriptor>,
) -> Outcome<bool> {
    let identity = |any: &Resource<Descriptor>| {
        let stat = rustix::fs::fstat(call.get(any)?.handle())?;
        Outcome::Ok((stat.st_dev, stat.st_ino))
    };
    Ok(identity(one)? == identity(other)?)
}

pub(super) fn get_flags(call: &mut Call<'_>, (any,): (Resource<Descriptor>,)) -> Outcome<DescriptorFlags> {
    call.keep_fresh();
    Ok(call.get(&any)?.flags())
}

/// The type of a descriptor cannot change, so a just opened file stays fresh.
pub(super) fn get_type(call: &mut Call<'_>, (any,): (Resource<Descriptor>,)) -> Outcome<DescriptorType> {
    call.keep_fresh();
    Ok(call.get(&any)?.type_())
}

fn with_stat<R>(call: &mut Call<'_>, any: &Resource<Descriptor>, answer: fn(&Stat) -> R) -> Outcome<R> {
    match call.just_opened(any) {
        Some(known) => Ok(answer(known)),
        None => Ok(answer(&rustix::fs::fstat(call.get(any)?.handle())?)),
    }
}

// Functions that no tool needs are refused; missing rights are reported first.

/// The system reads ahead by itself.
pub(super) fn advise(
    call: &mut Call<'_>,
    (file, _, _, _): (Resource<Descriptor>, u64, u64, Advice),
) -> Outcome<()> {
    call.get(&file)?.as_file()?;
    Ok(())
}

pub(super) fn set_times(
    call: &mut Call<'_>,
    (any, _, _): (Resource<Descriptor>, NewTimestamp, NewTimestamp),
) -> Outcome<()> {
    call.get(&any)?.changeable()?;
    Err(ErrorCode::Unsupported.into())
}

pub(super) fn read_via_stream(
    call: &mut Call<'_>,
    (file, _): (Resource<Descriptor>, u64),
) -> Outcome<Resource<InputStream>> {
    call.get(&file)?.as_file()?;
    Err(ErrorCode::Unsupported.into())
}

pub(super) fn write_via_stream(
    call: &mut Call<'_>,
    (file, _): (Resource<Descriptor>, u64),
) -> Outcome<Resource<OutputStream>> {
    append_via_stream(call, (file,))
}

pub(super) fn append_via_stream(
    call: &mut Call<'_>,
    (file,): (Resource<Descriptor>,),
) -> Outcome<Resource<OutputStream>> {
    call.get(&file)?.as_file()?.changeable()?;
    Err(ErrorCode::Unsupported.into())
}
