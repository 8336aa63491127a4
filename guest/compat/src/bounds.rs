//! Limits of a front end's whole text.

#[cfg(test)]
pub(super) mod tests;

use std::io;

use serde::Serialize;

use fsgate_contract::types::Error;
use fsgate_error::{ChangeState, Failure, Interruption, Reason};

/// The limits of a text.
pub trait Bounds {
    /// The bytes of its JSON answer. A call's short result is never left out.
    fn room(&self) -> usize {
        usize::MAX
    }

    /// The reason to stop the text. Called very often.
    fn ended(&self) -> Option<Interruption> {
        None
    }
}

/// No limits beyond the general ones.
#[derive(Debug, Clone, Copy)]
pub struct Unbounded;

impl Bounds for Unbounded {}

/// The answer to a call after its text has ended.
pub(super) fn ended(bounds: &dyn Bounds, operation: &'static str) -> Option<Error> {
    let stop = bounds.ended()?;
    Some(Failure::from(Reason::Stopped(stop, ChangeState::Untouched)).into_error(operation))
}

pub(super) fn bytes_in_json(value: &impl Serialize) -> usize {
    struct ByteCount(usize);
    impl io::Write for ByteCount {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut counted = ByteCount(0);
    // Counting does not fail.
    let _ = serde_json::to_writer(&mut counted, value);
    counted.0
}
