//! The operations, one file each. `run` looks through a [`View`](crate::view::View) and returns the outcome
//! and the changes that would bring it about; it writes nothing.

pub mod append;
pub mod create;
pub mod exists;
pub mod list_directory;
pub mod read;
pub mod read_bytes;
pub mod read_many;
pub mod read_numbered;
pub mod replace;
pub mod replace_all;
pub mod stat;
pub mod write;
pub mod write_bytes;

/// A count for the contract: absent where it does not fit, never guessed.
fn count(value: u64) -> Option<u32> {
    u32::try_from(value).ok()
}
