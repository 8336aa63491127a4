//! `read-bytes`: bytes of any file.

use blake3::Hasher;

use crate::view::View;
use fsgate_contract::read_types::{ReadBytesArgs, ReadBytesOutcome};
use fsgate_error::Failure;
use fsgate_volume::Volume;
use fsgate_volume::etag;

/// Runs the operation.
pub fn run<V: Volume>(view: &View<V>, args: &ReadBytesArgs) -> Result<ReadBytesOutcome, Failure> {
    let source = view.open(&args.path)?;
    let offset = args.offset();
    let end = offset.saturating_add(u64::from(args.length())).min(source.size());
    let bytes = source.bytes(offset..end)?;
    Ok(ReadBytesOutcome {
        path: source.path().to_owned(),
        offset,
        size: source.size(),
        media_type: source.media_type().to_owned(),
        end: offset.saturating_add(bytes.len() as u64) >= source.size(),
        etag: etag::range(offset, bytes.len() as u64, Hasher::new().update(&bytes)),
        bytes,
        notes: Vec::new(),
    })
}
