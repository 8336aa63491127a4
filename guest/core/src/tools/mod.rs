//! The operations, one file each. `run` looks through a [`View`](crate::view::View) and returns the outcome
//! and the changes that would bring it about; it writes nothing.

pub mod create;
pub mod read;
pub mod read_numbered;
pub mod replace;

use std::ops::{ControlFlow, RangeInclusive};

use blake3::Hasher;

use crate::contract::read_types::ReadArgs;
use crate::contract::types::{Note, Stop};
use crate::error::{Failure, Reason};
use crate::etag;
use crate::limits::{DIFF_BYTES, STRONG_TAG_BYTES};
use crate::text::lines::Splitter;
use crate::text::window::{Collected, LineTooLong, Window};
use crate::view::Source;
use crate::volume::Volume;

/// A window of a file's lines, as every tool that shows lines needs it.
struct Shown {
    text: String,
    bom: bool,
    lines: Option<RangeInclusive<u64>>,
    /// Number of lines in the file, if that is known.
    total: Option<u64>,
    etag: String,
    stopped: Option<Stop>,
}

/// Reads a window. Small files are read to the end for their tag and line count, large ones as far as needed.
fn show<V: Volume>(
    source: &Source<V>,
    wanted: RangeInclusive<u64>,
    max_bytes: u32,
    numbered: Option<&str>,
) -> Result<Shown, Failure> {
    let size = source.size();
    let whole = size <= STRONG_TAG_BYTES;
    let mut window = Window::new(wanted, max_bytes as usize, numbered.map(str::len));
    let mut hasher = Hasher::new();
    let mut splitter = Splitter::default();
    let start = source.text_start()?;
    if whole {
        hasher.update(&source.bytes(0..start)?);
    }
    let mut ended = true;
    source.each_chunk(start..size, |chunk| {
        if whole {
            hasher.update(chunk);
        }
        let flow = splitter.feed(chunk, |piece| match window.push(piece) {
            ControlFlow::Break(()) if !whole => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        });
        ended = flow.is_continue();
        flow
    })?;
    if ended {
        let _ = splitter.finish(|piece| window.push(piece));
    }
    let Collected { bytes, offset, lines, stopped, seen } =
        window.finish().map_err(|LineTooLong(line)| {
            source.refuse(Reason::LineTooLong { line, budget: max_bytes, ceiling: ReadArgs::MAX_BYTES_HIGH })
        })?;
    let offset = start + offset;
    let tag = if whole {
        etag::strong(&hasher)
    } else {
        etag::range(offset, bytes.len() as u64, Hasher::new().update(&bytes))
    };
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to() as u64;
        source.refuse(Reason::NotText(offset + at))
    })?;
    Ok(Shown {
        text,
        bom: start > 0,
        lines,
        total: ended.then_some(seen),
        etag: tag,
        stopped: stopped.then_some(Stop::Bytes),
    })
}

/// A count for the contract: absent where it does not fit, never guessed.
fn count(value: u64) -> Option<u32> {
    u32::try_from(value).ok()
}

fn note(kind: &str, text: String) -> Note {
    Note { kind: kind.to_owned(), text }
}

fn diff_left_out() -> Note {
    note("diff", format!("the diff is left out: it is larger than {DIFF_BYTES} bytes"))
}
