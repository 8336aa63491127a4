//! What a text may use, beside what each of its calls may. Whoever carries out its calls says how much that is.

#[cfg(test)]
pub(super) mod tests;

use std::io;

use serde::Serialize;

use fsgate_contract::types::Error;
use fsgate_error::{ChangeState, Failure, Interruption, Reason};

/// What a text may use.
pub trait Bounds {
    /// Bytes of JSON that its answer may have. What tells in a few words what has become of each call is never left out.
    fn room(&self) -> usize {
        usize::MAX
    }

    /// Why nothing more of it is carried out. It is asked very often.
    fn ended(&self) -> Option<Interruption> {
        None
    }
}

/// Only what holds everywhere.
#[derive(Debug, Clone, Copy)]
pub struct Unbounded;

impl Bounds for Unbounded {}

/// The answer to a call that is not made, because its text has ended; none if it has not.
pub(super) fn ended(bounds: &dyn Bounds, operation: &'static str) -> Option<Error> {
    let stop = bounds.ended()?;
    Some(Failure::from(Reason::Stopped(stop, ChangeState::Untouched)).into_error(operation))
}

/// Bytes that something takes in JSON.
pub(super) fn bytes_in_json(value: &impl Serialize) -> usize {
    struct Counted(usize);
    impl io::Write for Counted {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut counted = Counted(0);
    // Counting does not fail.
    let _ = serde_json::to_writer(&mut counted, value);
    counted.0
}
