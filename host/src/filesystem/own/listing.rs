//! Lists a directory in batches.

use std::collections::VecDeque;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use rustix::fs::{OFlags, RawDir};
use rustix::io::Errno;
use wasmtime::component::Resource;
use wasmtime_wasi::p2::bindings::sync::filesystem::types::DirectoryEntry;

use super::attributes::descriptor_type;
use super::beneath::open;
use super::descriptor::{Call, Descriptor};
use super::refusal::{ErrorCode, Outcome, code};

/// About a thousand entries, more than most directories have.
const BATCH_BYTES: usize = 32 << 10;

pub(super) struct Listing {
    handle: Arc<OwnedFd>,
    buffer: Vec<u8>,
    batch: VecDeque<Result<DirectoryEntry, ErrorCode>>,
    is_at_end: bool,
}

pub(super) fn read_directory(
    call: &mut Call<'_>,
    (directory,): (Resource<Descriptor>,),
) -> Outcome<Resource<Listing>> {
    let directory = call.get_mut(&directory)?;
    directory.as_directory()?;
    let handle = match directory.take_unread() {
        Some(handle) => handle,
        None => Arc::new(open(directory.handle(), ".", OFlags::RDONLY | OFlags::DIRECTORY)?),
    };
    let buffer = Vec::with_capacity(BATCH_BYTES);
    Ok(call.table.push(Listing { handle, buffer, batch: VecDeque::new(), is_at_end: false })?)
}

pub(super) fn read_directory_entry(
    call: &mut Call<'_>,
    (listing,): (Resource<Listing>,),
) -> Outcome<Option<DirectoryEntry>> {
    let listing = call.table.get_mut(&listing)?;
    while listing.batch.is_empty() && !listing.is_at_end {
        listing.read_on();
    }
    Ok(listing.batch.pop_front().transpose()?)
}

impl Listing {
    /// Reads the next batch; the system reports the types too.
    fn read_on(&mut self) {
        let mut names = RawDir::new(&self.handle, self.buffer.spare_capacity_mut());
        loop {
            let entry = match names.next() {
                Some(Ok(entry)) => entry,
                Some(Err(Errno::INTR)) => continue,
                failed_or_done => {
                    self.is_at_end = true;
                    // A removed directory has no names.
                    if let Some(Err(errno)) = failed_or_done
                        && errno != Errno::NOENT
                    {
                        self.batch.push_back(Err(code(errno)));
                    }
                    return;
                }
            };
            let name = entry.file_name().to_bytes();
            if !matches!(name, b"." | b"..") {
                let type_ = descriptor_type(entry.file_type());
                let name = str::from_utf8(name).map_err(|_| ErrorCode::IllegalByteSequence);
                self.batch.push_back(name.map(|name| DirectoryEntry { type_, name: name.to_owned() }));
            }
            if names.is_buffer_empty() {
                return;
            }
        }
    }
}
