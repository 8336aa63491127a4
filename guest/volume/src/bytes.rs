//! Reads, writes and syncs open files.

use super::{Fault, Volume};
use fsgate_contract::limits::CHUNK_BYTES;

/// Writes all bytes. A failure has the number written.
pub fn write_all<V: Volume + ?Sized>(
    volume: &V,
    file: &V::File,
    offset: u64,
    bytes: &[u8],
) -> Result<(), (Fault, usize)> {
    let mut done = 0;
    while let Some(rest) = bytes.get(done..).filter(|rest| !rest.is_empty()) {
        match volume.write_at(file, offset + done as u64, rest) {
            Ok(0) => return Err((Fault::Io("nothing was written".to_owned()), done)),
            Ok(written) => done += written,
            Err(fault) => return Err((fault, done)),
        }
    }
    Ok(())
}

/// Makes a directory's names survive a loss of power, if `sync`.
pub fn sync_names<V: Volume>(volume: &V, directory: &V::Directory, sync: bool) -> Result<(), Fault> {
    if sync { volume.sync_directory(directory) } else { Ok(()) }
}

/// The same for a file's content.
pub fn sync_content<V: Volume>(volume: &V, file: &V::File, sync: bool) -> Result<(), Fault> {
    if sync { volume.sync_file(file) } else { Ok(()) }
}

/// Reads `length` bytes; fewer only at the file's end.
pub fn read_all<V: Volume>(volume: &V, file: &V::File, offset: u64, length: usize) -> Result<Vec<u8>, Fault> {
    let mut bytes = Vec::with_capacity(length);
    while bytes.len() < length {
        let wanted = (length - bytes.len()).min(CHUNK_BYTES);
        let chunk = volume.read_at(file, offset + bytes.len() as u64, wanted)?;
        if chunk.is_empty() {
            break;
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

/// Hashes the file's bytes of `[offset, end)`.
pub fn hasher<V: Volume>(
    volume: &V,
    file: &V::File,
    mut offset: u64,
    end: u64,
) -> Result<blake3::Hasher, Fault> {
    let mut hasher = blake3::Hasher::new();
    while offset < end {
        let wanted = usize::try_from(end - offset).unwrap_or(CHUNK_BYTES).min(CHUNK_BYTES);
        let chunk = volume.read_at(file, offset, wanted)?;
        if chunk.is_empty() {
            break;
        }
        hasher.update(&chunk);
        offset += chunk.len() as u64;
    }
    Ok(hasher)
}
